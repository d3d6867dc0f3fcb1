"""Which questions can change a conclusion: by completing at random, the same must be found."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")

from campaign_files import rated, separate
from completed_campaigns import (
    RIGHT,
    WRONG,
    check_completions,
    check_reach,
    completed_at_random,
    conclusions,
    is_final,
)
from muc_files import attack
from tellapart.campaign.board import Finding
from tellapart.campaign.bounds import Background, Bounds
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.desk import Desk
from tellapart.campaign.judging import desk_of
from tellapart.campaign.questions import Question, canonical
from tellapart.campaign.settings import Settings


def about(desk: Desk, system: str) -> list[Question]:
    return [each for each in desk.questions.values() if each.systems == (system,)]


def test_what_is_settled_is_found_by_every_completion_of_ratings(tmp_path: Path) -> None:
    """Ratings, in every state on the way: settled pairs come out as told, by `compare`."""
    rng = random.Random(5)
    outputs = {
        name: {f"q{k}": f"{name if rng.random() < 0.6 else 'all'} {k}" for k in range(10)}
        for name in "ABC"
    }
    desk = desk_of(rated(tmp_path, outputs))
    bounds = Bounds(desk)
    settled_before_the_end = 0
    good = {"A": 0.95, "B": 0.4, "C": 0.05}
    while (question := desk.next_for("ann")) is not None:
        outlook = bounds.update()
        assert outlook is not None
        assert outlook.open == sum(not is_final(desk, key) for key in desk.questions)
        check_completions(desk, outlook, rng, 1)
        settled_before_the_end += sum(each.settled for each in outlook.findings)
        right = rng.random() < good[question.systems[0]]
        desk.answer("ann", question.id, RIGHT if right else WRONG)
    outlook = bounds.update()

    assert settled_before_the_end > 3
    assert outlook is not None
    assert outlook.open == outlook.can_change == 0
    told = {(each.a, each.b): each.better for each in outlook.findings}
    assert told == conclusions(desk.settings, desk.judging)
    assert all(each.settled for each in outlook.findings)


def test_questions_that_cannot_change_a_conclusion_do_not(tmp_path: Path) -> None:
    """Answering only those that are said to change nothing changes no conclusion."""
    rng = random.Random(2)
    desk = desk_of(rated(tmp_path, separate(12, "A", "B", "C")))
    for question in about(desk, "A") + about(desk, "B")[2:] + about(desk, "C")[2:]:
        desk.answer("ann", question.id, RIGHT if question.systems == ("A",) else WRONG)
    outlook = Bounds(desk).update()
    before = conclusions(desk.settings, desk.judging)

    assert outlook is not None
    assert (outlook.open, outlook.can_change, outlook.may_stop) == (4, 0, True)
    assert before == {("A", "B"): "A", ("A", "C"): "A", ("B", "C"): None}
    for _ in range(6):
        with completed_at_random(desk, rng) as judging:
            assert conclusions(desk.settings, judging) == before


def test_two_systems_are_asked_last_what_both_wrote(tmp_path: Path) -> None:
    """Of two systems, items with different answers are asked first, and then one may stop."""
    outputs = separate(20, "A", "B")
    for k in range(6, 20):
        outputs["B"][f"q{k}"] = outputs["A"][f"q{k}"]
    desk = desk_of(rated(tmp_path, outputs))
    bounds = Bounds(desk)
    outlook = bounds.update()

    assert outlook is not None
    assert (outlook.open, outlook.can_change) == (26, 12)
    for _ in range(12):
        question = desk.next_for("ann")
        assert question is not None
        assert len(question.systems) == 1
        desk.answer("ann", question.id, RIGHT if question.systems == ("A",) else WRONG)
        bounds.update()

    question = desk.next_for("ann")
    assert question is not None
    assert question.systems == ("A", "B")
    assert bounds.outlook is not None
    assert bounds.outlook.may_stop
    assert bounds.outlook.findings == (Finding("A", "B", "A", settled=True),)
    assert bounds.outlook.words == (
        "You may stop: 14 open questions cannot change a conclusion at .05."
    )


def test_a_conflict_and_a_missing_second_opinion_are_open(tmp_path: Path) -> None:
    """What people differ about, or one more person is to judge, may still become anything."""
    desk = desk_of(rated(tmp_path, separate(6, "A", "B"), second_opinions=1.0))
    bounds = Bounds(desk)

    def all_say(person: str) -> None:
        for question in list(desk.questions.values()):
            desk.answer(person, question.id, RIGHT if question.systems == ("A",) else WRONG)

    all_say("ann")
    once = bounds.update()
    assert once is not None
    assert (once.open, once.can_change, once.may_stop) == (12, 12, False)
    all_say("bob")
    twice = bounds.update()
    assert twice is not None
    assert (twice.open, twice.may_stop) == (0, True)
    assert twice.findings == (Finding("A", "B", "A", settled=True),)
    desk.answer("bob", about(desk, "A")[0].id, WRONG)
    differing = bounds.update()
    assert differing is not None
    assert (differing.open, differing.can_change) == (1, 1)
    assert not differing.findings[0].settled  # with 5 of 6 items p would be .0625
    desk.answer("olga", about(desk, "A")[0].id, RIGHT, ruling=True)
    ruled = bounds.update()
    assert ruled is not None
    assert ruled.findings == (Finding("A", "B", "A", settled=True),)


@pytest.mark.parametrize("systems", ["AB", "ABC"])
def test_preferences_are_settled_pair_by_pair(systems: str, tmp_path: Path) -> None:
    """Preferences: settled pairs come out so in every completion, head to head."""
    rng = random.Random(4)
    desk = desk_of(rated(tmp_path, separate(9, *systems), judging="preference"))
    bounds = Bounds(desk)
    seen = 0
    while (question := desk.next_for("ann")) is not None:
        outlook = bounds.update()
        assert outlook is not None
        seen += any(each.settled for each in outlook.findings)
        check_completions(desk, outlook, rng, 2)
        first = json.loads(question.subject)["outputs"][0]
        better = "first" if first.startswith("A") or rng.random() < 0.2 else "second"
        desk.answer("ann", question.id, canonical({"better": better}))

    assert seen
    outlook = bounds.update()
    assert outlook is not None
    told = {(each.a, each.b): each.better for each in outlook.findings}
    assert told == conclusions(desk.settings, desk.judging)


def test_the_background_keeps_up(tmp_path: Path) -> None:
    """It sees each decision in the log, and its findings reach the desk."""
    desk = desk_of(rated(tmp_path, separate(6, "A", "B")))
    background = Background(desk)
    background.start()
    waiting = threading.Event()
    while background.bounds.outlook is None:
        waiting.wait(0.02)

    assert background.bounds.outlook.words == (
        "Of 12 open questions 12 can still change a conclusion at .05."
    )
    assert set(desk.priorities) == set(desk.questions)
    for question in list(desk.questions.values()):
        desk.answer("ann", question.id, RIGHT if question.systems == ("A",) else WRONG)
        background.notice()
    while background.bounds.outlook is None or background.bounds.outlook.open:
        waiting.wait(0.02)

    assert background.bounds.outlook.findings == (Finding("A", "B", "A", settled=True),)
    background.stop()


# Templates

WORDS = ("MEN", "PEASANTS", "GUARDS", "CLERKS", "MAYOR", "SOLDIERS")


def made_up(rng: random.Random, message: str, skill: float) -> str:
    """Return one to three templates of a message, some fills optional, some with tags."""
    written = []
    for number in range(1, rng.choice((1, 1, 1, 2, 3)) + 1):
        people = [f'"{each}"' for each in rng.sample(WORDS, rng.randint(1, 3))]
        if rng.random() < skill:
            people[0] = '"PRIEST"'
        fills: dict[str, object] = {"hum_tgt_desc": people}
        if rng.random() < 0.5:
            fills["hum_tgt_type"] = [f"CIVILIAN: {people[0]}"]
        if rng.random() < 0.3:
            fills["inc_instr_id"] = rng.choice(['"BOMB"', '? "BOMB"', '"GRENADE"'])
        written.append(attack(message, str(number), perp_ind_id='"GUERRILLAS"', **fills))  # type: ignore[arg-type]
    return "".join(written)


def templates(folder: Path, seed: int, metric: str, n: int = 8) -> Campaign:
    rng = random.Random(seed)
    messages = [f"M{k:02}" for k in range(n)]
    key = "".join(made_up(rng, message, 1.0) for message in messages)
    chosen = Settings(
        "T", form="muc", judging="fills", metric=metric, alpha=0.2, second_opinions=0.0, seed="1"
    )
    campaign = Campaign.create(str(folder / "c"), chosen, [("gold", "key.txt", key.encode())])
    for name, skill in (("A", 1.0), ("B", 0.5), ("C", 0.1)):
        text = "".join(made_up(rng, message, skill) for message in messages)
        campaign.submit(name, f"{name}.txt", text.encode())
    return campaign


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "metric"), [(1, "f1"), (2, "recall"), (3, "precision"), (4, "overgeneration")]
)
def test_what_is_settled_is_found_by_every_completion_of_templates(
    seed: int, metric: str, tmp_path: Path
) -> None:
    """Templates with several partners, tags and optional fills: no completion is outside."""
    rng = random.Random(seed)
    campaign = templates(tmp_path, seed, metric)
    desk = desk_of(campaign)
    bounds = Bounds(desk)
    outlook = bounds.update()
    assert outlook is not None
    check_reach(desk, bounds, rng, 5)
    while True:
        for _ in range(12):
            question = desk.next_for("ann")
            if question is not None:
                desk.answer("ann", question.id, rng.choice(question.answers).outcome)
        outlook = bounds.update()
        assert outlook is not None
        check_reach(desk, bounds, rng, 2)
        check_completions(desk, outlook, rng, 1)
        if question is None:
            break

    assert outlook.open == outlook.can_change == 0
    told = {(each.a, each.b): each.better for each in outlook.findings}
    assert told == conclusions(campaign.settings, desk.judging)
