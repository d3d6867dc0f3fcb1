"""Bounds over all completions: brute force, agreement with compare, and tightness."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tellapart as ta
from tellapart.campaign.completions import Bounds, pair_bounds, settled

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
    narrow = Bounds(0.02, 0.02, "first", certain=True)
    wide = Bounds(0.0001, 1.0, "neither", certain=False)

    assert settled([narrow], 0.05) == ["first"]
    # By Holm: .02 × 2 if the other p is larger, .02 if it is smaller; both are at most .05.
    assert settled([narrow, wide], 0.05) == ["first", None]
    # .03 × 2 or .03
    middle = Bounds(0.03, 0.03, "first", certain=True)
    assert settled([middle, wide], 0.05) == [None, None]
    assert settled([], 0.05) == []
