"""The exchange test: against all exchanges in fractions, reference tables, and properties."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart import engine
from tellapart.stats.exchange import FunctionTests, RatioSums, exchange, lattice_tail
from tellapart.stats.shuffles import shuffle
from tellapart.stats.streams import WorkerPool, open_pool

ALTERNATIVES = {"two-sided": 0, "greater": 1, "less": -1}
counts = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda row: (row[0], sum(row)))
rows = st.lists(st.tuples(counts, counts), min_size=1, max_size=8)


def score(num: int, den: int) -> Fraction:
    return Fraction(num, den) if den else Fraction(0)


def by_all_exchanges(items: list[tuple[tuple[int, int], tuple[int, int]]], sign: int) -> Fraction:
    """Return p by walking all exchanges in fractions."""

    def difference(coins: tuple[bool, ...]) -> Fraction:
        sums = [0, 0, 0, 0]
        for (a, b), swapped in zip(items, coins, strict=True):
            first, second = (b, a) if swapped else (a, b)
            sums = [x + y for x, y in zip(sums, (*first, *second), strict=True)]
        return score(*sums[:2]) - score(*sums[2:])

    observed = difference((False,) * len(items))
    found = [difference(coins) for coins in product((False, True), repeat=len(items))]
    if sign == 0:
        return Fraction(sum(abs(d) >= abs(observed) for d in found), len(found))
    return Fraction(sum(sign * d >= sign * observed for d in found), len(found))


@given(rows, st.sampled_from(sorted(ALTERNATIVES)))
def test_all_exchanges_are_counted(
    items: list[tuple[tuple[int, int], tuple[int, int]]], alternative: str
) -> None:
    """Ties of ratios are exact, undefined ratios included."""
    a, b = [item[0] for item in items], [item[1] for item in items]
    expected = by_all_exchanges(items, ALTERNATIVES[alternative])
    assert exchange(a, b, alternative=alternative).p == float(expected)


def table(seed: int, items: int) -> tuple[np.ndarray, np.ndarray]:
    """Return right and given answers of two systems."""
    rng = np.random.default_rng(seed)
    systems = []
    for rate in (0.6, 0.5):
        given_answers = rng.integers(0, 5, items)
        systems.append(np.stack([rng.binomial(given_answers, rate), given_answers], axis=1))
    return systems[0], systems[1]


@pytest.mark.parametrize("alternative", sorted(ALTERNATIVES))
def test_the_lattice_counts_what_enumeration_counts(alternative: str) -> None:
    """The same 18 items by walking all exchanges and by the lattice."""
    a, b = table(1, 18)
    walked = exchange(a, b, alternative=alternative).p
    dx, dy = (b - a).T
    sums = RatioSums.of(a.T, b.T, ALTERNATIVES[alternative])
    tail = lattice_tail(dx, dy, sums)
    doubled = 2 * tail if alternative == "two-sided" else tail
    assert min(1.0, doubled) == pytest.approx(walked, rel=1e-12)


@pytest.mark.parametrize("alternative", sorted(ALTERNATIVES))
def test_shuffles_agree_with_the_lattice(alternative: str) -> None:
    a, b = table(2, 60)
    exact = exchange(a, b, alternative=alternative, exact=True)
    drawn = exchange(a, b, alternative=alternative, exact=False, n_resamples=40_000)
    assert exact.method == "exact"
    assert drawn.p == pytest.approx(exact.p, abs=0.012)


def test_every_engine_and_number_of_workers_gives_the_same_counts() -> None:
    """A seed gives the same counts on all paths and threads."""
    a, b = table(3, 50)
    c, _ = table(4, 50)
    columns = np.stack([a.T, b.T, c.T], axis=1).astype(np.int64)
    systems = [(0, 1), (0, 2), (1, 2)]

    def harmonic(sums: np.ndarray) -> np.ndarray:
        return np.asarray(2 * sums[..., 0] / (sums[..., 1] + 70))

    tests = FunctionTests.of(columns, systems, harmonic, 0)
    expected = shuffle(tests, 3_000, 9, WorkerPool())
    with open_pool(3) as pool:
        assert shuffle(tests, 3_000, 9, pool) == expected
    for path in engine.available():
        with patch.dict(os.environ, TELLAPART_PATH=path):
            again = tests.take(np.arange(3))
            assert shuffle(again, 3_000, 9, WorkerPool()) == expected
    some = shuffle(tests.take(np.array([2, 0])), 3_000, 9, WorkerPool())
    assert some == [expected[2], expected[0]]
