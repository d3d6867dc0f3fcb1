"""What is said of systems while questions are open: never more than every completion bears out."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")

from campaign_files import rated, separate
from tellapart.campaign.board import Headline, headline_of
from tellapart.campaign.bounds import Bounds
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.desk import Desk
from tellapart.campaign.judging import compared, desk_of
from tellapart.campaign.questions import canonical
from tellapart.cli import main
from tellapart.report.sentences import verdict


def made(folder: Path, systems: int = 2, items: int = 12, judging: str = "rating") -> Campaign:
    """Return a campaign in which every output is another one, and nothing is judged."""
    return rated(folder, separate(items, *"ABCD"[:systems]), judging=judging, seed="5")


def stands(desk: Desk) -> Headline:
    desk.refresh()
    result = compared(desk.settings, desk.judging.counts())
    told = verdict(result, next(iter(result.metrics)))
    return headline_of(desk.settings, desk.progress(""), Bounds(desk).update(), told)


def answer(desk: Desk, wrote: str, outcome: str) -> None:
    """Let somebody give one answer to all that a system wrote."""
    for question in list(desk.questions.values()):
        if question.systems == (wrote,):
            desk.answer("ann", question.id, canonical({"rating": outcome}))


def test_nothing_is_judged_yet(tmp_path: Path) -> None:
    found = stands(desk_of(made(tmp_path)))
    assert found.words == "Nothing is judged yet: all 24 questions are open."
    assert "counts as 'wrong'" in found.figures


def test_who_is_judged_first_is_not_better_for_that(tmp_path: Path) -> None:
    """All of A is right and none of B is judged: with B's counted as wrong, A would be ahead."""
    desk = desk_of(made(tmp_path))
    answer(desk, "A", "right")
    assert "A is" in verdict(compared(desk.settings, desk.judging.counts()))
    found = stands(desk)
    assert "better" not in found.words
    assert found.words == "Of 12 open questions 12 can still change a conclusion at .05."


def test_what_cannot_change_is_said_before_all_is_judged(tmp_path: Path) -> None:
    desk = desk_of(made(tmp_path))
    answer(desk, "A", "right")
    for question in [q for q in desk.questions.values() if q.systems == ("B",)][:11]:
        desk.answer("ann", question.id, canonical({"rating": "wrong"}))
    found = stands(desk)
    assert found.words == "You may stop: 1 open question cannot change a conclusion at .05."
    assert found.settled == ("A is better than B",)
    answer(desk, "B", "wrong")
    assert stands(desk).figures == ""


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("judging", "systems"), [("rating", 3), ("preference", 2), ("preference", 3)]
)
def test_what_is_said_to_be_settled_is_so_at_the_end(
    tmp_path: Path, seed: int, judging: str, systems: int
) -> None:
    """People answer in any order, change their minds and differ; what was settled is found."""
    draw = random.Random(seed)
    campaign = made(tmp_path, systems, 14, judging)
    desk = desk_of(campaign)
    lean = {"A": 0.98, "B": draw.random(), "C": 0.05}
    said: set[str] = set()
    questions = list(desk.questions.values())
    draw.shuffle(questions)
    for k, question in enumerate(questions):
        outcomes = question.answers
        strong = draw.random() < lean[sorted(question.systems)[0]]
        desk.answer("ann", question.id, outcomes[0 if strong else -1].outcome)
        if draw.random() < 0.2:
            other = draw.choice(outcomes).outcome
            desk.answer("bob", question.id, other)
            desk.answer("olga", question.id, other, ruling=True)
        if k % 4 == 0:
            found = stands(desk)
            said.update(_single(found.settled))
    result = compared(campaign.settings, desk.judging.counts())
    assert stands(desk).words == verdict(result)
    # Three systems have a common scale, which no bounds are known of.
    assert bool(said) == ((judging, systems) != ("preference", 3))
    assert judging == "preference" or "A is better than C" in said
    for sentence in said:
        one, how, other = re.split(r" (is better than|cannot be told from) ", sentence)
        pair = result.pair(one, other)
        assert pair.different == (how == "is better than"), sentence
        assert how != "is better than" or pair.favours == one


def _single(sentences: tuple[str, ...]) -> list[str]:
    found = []
    for each in sentences:
        one, how, others = re.split(r" (is better than|cannot be told from) ", each)
        found += [f"{one} {how} {other}" for other in others.split(", ")]
    return found


def test_status_says_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    campaign = made(tmp_path)
    answer(desk_of(campaign), "A", "right")
    assert main(["campaign", "status", campaign.folder]) == 0
    said = capsys.readouterr().out
    assert "better" not in said
    assert "can still change a conclusion" in said
    assert "So far, by rating: A 1.000, B 0.000" in said


def test_three_systems_have_a_common_scale_that_can_still_move(tmp_path: Path) -> None:
    """Preferences settled head to head are no reason to stop: the board goes by all of them."""
    outlook = Bounds(desk_of(made(tmp_path, 3, 2, "preference"))).update()
    assert outlook is not None
    assert (outlook.open, outlook.can_change) == (6, 0)
    assert not outlook.may_stop
    assert "and all the common scale of all systems" in outlook.words
