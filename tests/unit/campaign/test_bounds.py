"""Which questions can change a conclusion: by all completions, or some at random."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tellapart as ta
from campaign_files import RIGHT, WRONG, rated, separate, templates
from completed_campaigns import check_completions, check_reach, conclusions, is_final
from muc_files import attack
from tellapart.campaign.board import Finding
from tellapart.campaign.bounds import Bounds
from tellapart.campaign.completions import Bounds as PairBounds
from tellapart.campaign.completions import pair_bounds, settled
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


# Bounds over all completions: brute force, agreement with compare, and tightness


Rows = Sequence[tuple[int, int]]
"""Numerator and denominator of each item"""
Cells = list[list[tuple[int, int]]]
"""What is possible of each item"""
Problem = tuple[Cells, Cells, list[bool]]


def _score(rows: Rows) -> Fraction:
    num, den = (sum(each[k] for each in rows) for k in (0, 1))
    return Fraction(num, den) if den else Fraction(0)


def _p(a: Rows, b: Rows) -> tuple[float, Fraction]:
    """Return the two-sided exact p of two lists of (numerator, denominator), and the difference."""
    measured = _score(a) - _score(b)
    counting = 0
    for flips in itertools.product((False, True), repeat=len(a)):
        one = [y if flip else x for x, y, flip in zip(a, b, flips, strict=True)]
        two = [x if flip else y for x, y, flip in zip(a, b, flips, strict=True)]
        counting += abs(_score(one) - _score(two)) >= abs(measured)
    return counting / 2 ** len(a), measured


def _completions(
    first: Cells, second: Cells, shared: Sequence[bool]
) -> Iterator[tuple[Rows, Rows]]:
    """Yield all rows of two systems; on shared items both have the same."""
    for a in itertools.product(*first):
        free = [[x] if both else each for x, each, both in zip(a, second, shared, strict=True)]
        for b in itertools.product(*free):
            yield a, b


@st.composite
def problems(draw: Any, means: bool = False) -> Problem:
    """Two systems on a few items, some with several possible counts, some shared."""
    items = draw(st.integers(2, 5))
    left = 4  # open cells, so that brute force stays possible
    rows: tuple[Cells, Cells] = ([], [])
    shared: list[bool] = []
    for _ in range(items):
        cells = []
        for _ in range(2):
            several = left > 0 and draw(st.booleans())
            left -= several
            n_points = draw(st.integers(2, 3)) if several else 1
            cells.append([draw(_point(means)) for _ in range(n_points)])
        both = draw(st.integers(0, 4)) == 0
        rows[0].append(cells[0])
        rows[1].append(cells[0] if both else cells[1])
        shared.append(both)
    return rows[0], rows[1], shared


@st.composite
def _point(draw: Any, means: bool) -> tuple[int, int]:
    if means:
        return draw(st.integers(-2, 4)), 1
    den = draw(st.integers(0, 12))
    return draw(st.integers(0, den)), den


@given(problems(means=True))
def test_bounds_of_means_are_the_extremes(problem: Problem) -> None:
    """Of means, the bounds are the smallest and the largest p of any completion."""
    found = pair_bounds(*problem)
    p_values, signs = [], set()
    for a, b in _completions(*problem):
        p, measured = _p(a, b)
        p_values.append(p)
        signs.add(measured > 0 if measured else None)

    assert found.low == pytest.approx(min(p_values))
    if len(signs) == 1:
        assert found.high == pytest.approx(max(p_values))
    assert found.high >= max(p_values) - 1e-12
    if found.leans != "neither":
        assert signs == {found.leans == "first"}


@example(  # systems of different sizes: counts that are not exchanged do not cancel, either
    (
        [[(2, 2), (1, 2)], [(0, 2)], [(1, 3)], [(0, 3)]],
        [[(16, 18), (6, 18)], [(5, 9)], [(2, 6), (0, 6)], [(11, 17)]],
        [False] * 4,
    )
)
@example(  # counts that both share are worth more to the smaller one
    (
        [[(7, 7)], [(1, 2), (2, 2), (0, 2)], [(6, 6)], [(1, 2)], [(2, 3)]],
        [[(9, 9)], [(1, 2), (2, 2), (0, 2)], [(6, 6)], [(1, 2)], [(15, 18)]],
        [False, True, True, True, False],
    )
)
@given(problems())
def test_bounds_of_ratios_hold_for_every_completion(problem: Problem) -> None:
    """Of ratios, no completion has a p outside the bounds; it need not be at a corner."""
    found = pair_bounds(*problem)
    for a, b in _completions(*problem):
        p, measured = _p(a, b)

        assert found.low - 1e-12 <= p <= found.high + 1e-12
        if found.leans == "first":
            assert measured > 0
        if found.leans == "second":
            assert measured < 0


@given(problems(), st.floats(0.05, 0.6))
def test_settled_is_what_compare_concludes(problem: Problem, alpha: float) -> None:
    """A settled pair has that conclusion in `compare` for every completion."""
    found = pair_bounds(*problem)
    [conclusion] = settled([found], alpha)
    if conclusion is None:
        return
    for a, b in itertools.islice(_completions(*problem), 12):
        counts = ta.Counts.from_arrays({"A": np.array(a), "B": np.array(b)}, columns=["n", "d"])
        metric = ta.ratio("score", {"n": 1}, {"d": 1})
        pair = ta.compare(counts, metrics=metric, test="exact", alpha=alpha, intervals=False).pairs[
            0
        ]
        told = {None: "neither", "A": "first", "B": "second"}[
            pair.favours if pair.different else None
        ]

        assert conclusion == told


def test_ratio_bounds_are_close_where_little_is_open() -> None:
    """With 5 of 60 items open by a few counts, bounds lie near the corners' own p-values."""
    rng = np.random.default_rng(0)
    den = rng.integers(5, 30, (2, 60))
    num = rng.binomial(den, [[0.5], [0.4]])
    points = [
        [[(int(n), int(d))] for n, d in zip(*row, strict=True)]
        for row in zip(num, den, strict=True)
    ]
    for k in range(5):
        n, d = points[0][k][0]
        points[0][k] = [(max(0, n - 2), d), (n, d)]
    found = pair_bounds(points[0], points[1])

    def p(which: Callable[[list[tuple[int, int]]], tuple[int, int]]) -> float:
        a, b = (np.array([which(cell) for cell in row]) for row in points)
        counts = ta.Counts.from_arrays({"A": a, "B": b}, columns=["n", "d"])
        metric = ta.ratio("score", {"n": 1}, {"d": 1})
        return ta.compare(counts, metrics=metric, test="exact", intervals=False).pairs[0].p or 1.0

    assert found.leans == "first"
    assert p(max) >= found.low >= p(max) / 1.5
    assert p(min) <= found.high <= p(min) * 2.5


def test_corrections_use_the_bounds_of_all() -> None:
    """A pair is settled only if it is, whatever the p-values of the others turn out to be."""
    narrow = PairBounds(0.02, 0.02, "first", certain=True)
    wide = PairBounds(0.0001, 1.0, "neither", certain=False)

    assert settled([narrow], 0.05) == ["first"]
    # By Holm: .02 × 2 if the other p is larger, .02 if it is smaller; both are at most .05.
    assert settled([narrow, wide], 0.05) == ["first", None]
    # .03 × 2 or .03
    middle = PairBounds(0.03, 0.03, "first", certain=True)
    assert settled([middle, wide], 0.05) == [None, None]
    assert settled([], 0.05) == []
