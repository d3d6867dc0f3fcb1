"""Which questions can change a conclusion: by completing at random, the same must be found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from campaign_files import RIGHT, WRONG, rated, separate, templates
from completed_campaigns import check_completions, check_reach, conclusions, is_final
from muc_files import attack
from tellapart.campaign.board import Finding
from tellapart.campaign.bounds import Bounds
from tellapart.campaign.desk import Desk
from tellapart.campaign.judging import desk_of
from tellapart.campaign.questions import Question


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
        assert outlook.open == sum(not is_final(desk, key) for key in desk.questions)
        check_completions(desk, outlook, rng, 1)
        settled_before_the_end += sum(each.settled for each in outlook.findings)
        right = rng.random() < good[question.systems[0]]
        desk.answer("ann", question.id, RIGHT if right else WRONG)
    outlook = bounds.update()

    assert settled_before_the_end > 3
    assert outlook.open == outlook.can_change == 0
    told = {(each.a, each.b): each.better for each in outlook.findings}
    assert told == conclusions(desk.settings, desk.judging)
    assert all(each.settled for each in outlook.findings)


def test_two_systems_are_asked_last_what_both_wrote(tmp_path: Path) -> None:
    """Of two systems, items with different answers are asked first, and then one may stop."""
    outputs = separate(20, "A", "B")
    for k in range(14):
        outputs["B"][f"q{k}"] = outputs["A"][f"q{k}"]
    desk = desk_of(rated(tmp_path, outputs))
    bounds = Bounds(desk)
    outlook = bounds.update()

    assert (outlook.open, outlook.can_change) == (26, 12)
    for _ in range(12):
        question = desk.next_for("ann")
        assert len(question.systems) == 1
        desk.answer("ann", question.id, RIGHT if question.systems == ("A",) else WRONG)
        bounds.update()

    question = desk.next_for("ann")
    assert question.systems == ("A", "B")
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
    assert (once.open, once.can_change, once.may_stop) == (12, 12, False)
    all_say("bob")
    twice = bounds.update()
    assert (twice.open, twice.may_stop) == (0, True)
    assert twice.findings == (Finding("A", "B", "A", settled=True),)
    desk.answer("bob", about(desk, "A")[0].id, WRONG)
    differing = bounds.update()
    assert (differing.open, differing.can_change) == (1, 1)
    assert not differing.findings[0].settled  # with 5 of 6 items p would be .0625
    desk.answer("olga", about(desk, "A")[0].id, RIGHT, ruling=True)
    ruled = bounds.update()
    assert ruled.findings == (Finding("A", "B", "A", settled=True),)


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


@pytest.mark.parametrize(("metric", "better"), [("f1", "A"), ("overgeneration", "A")])
def test_less_is_better_of_errors(metric: str, better: str, tmp_path: Path) -> None:
    key = tuple(attack(f"M{k}", perp_ind_id='"ELN"') for k in range(9))
    worse = tuple(attack(f"M{k}", perp_ind_id='"ELN"', inc_date="1 MAR 90") for k in range(9))
    outlook = Bounds(
        desk_of(templates(tmp_path, {"A": key, "B": worse}, key, metric=metric))
    ).update()
    assert outlook.findings == (Finding("A", "B", better, settled=True),)


def test_a_scale_that_divides_too_finely_has_no_bounds(tmp_path: Path) -> None:
    desk = desk_of(
        rated(tmp_path, separate(3, "A", "B"), scale={"good": 1, "so so": 1 / 3, "bad": 0})
    )
    assert Bounds(desk).update() is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "metric"), [(1, "f1"), (2, "recall"), (3, "precision"), (4, "overgeneration")]
)
def test_what_is_settled_is_found_by_every_completion_of_templates(
    seed: int, metric: str, tmp_path: Path
) -> None:
    """Templates with several partners, tags and optional fills: no completion is outside."""
    rng = random.Random(seed)
    key, *systems = (
        tuple(made_up(rng, f"M{k:02}", skill) for k in range(8)) for skill in (1.0, 1.0, 0.5, 0.1)
    )
    given, second = dict(zip("ABC", systems, strict=True)), 0.4 * (seed % 2)
    campaign = templates(tmp_path, given, key, metric=metric, alpha=0.2, second_opinions=second)
    desk = desk_of(campaign)
    bounds = Bounds(desk)
    outlook = bounds.update()
    check_reach(desk, bounds, rng, 5)
    while True:
        for who in ("ann", "bob") * 6:
            question = desk.next_for(who)
            if question is not None:
                desk.answer(who, question.id, rng.choice(question.answers).outcome)
        outlook = bounds.update()
        check_reach(desk, bounds, rng, 2)
        check_completions(desk, outlook, rng, 1)
        conflicts = desk.conflicts()
        if question is None and conflicts:
            desk.answer("olga", conflicts[0].id, conflicts[0].answers[0].outcome, ruling=True)
        elif question is None and desk.next_for("ann") is None:
            break

    assert outlook.open == outlook.can_change == 0
    told = {(each.a, each.b): each.better for each in outlook.findings}
    assert told == conclusions(campaign.settings, desk.judging)
