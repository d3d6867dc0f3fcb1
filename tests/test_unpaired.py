from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from tellapart.errors import DataError, UsageError
from tellapart.significance import unpaired_tests
from tellapart.significance.unpaired_tests import (
    LinearRatio,
    random_splits,
    ratio_exceeds,
    unpaired_test,
)

MEAN = LinearRatio((1, 0), (0, 1))
PRECISION = LinearRatio((1, 0), (1, 1))
OPPOSITE = {"two": "two", "greater": "less", "less": "greater"}
tails = st.sampled_from(sorted(OPPOSITE))
rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=5)
Rows = Sequence[tuple[int, int]]


def with_ones(scores: Sequence[float]) -> NDArray[Any]:
    return np.column_stack([scores, np.ones(len(scores), np.asarray(scores).dtype)])


def float_precision(sums: NDArray[Any]) -> NDArray[np.float64]:
    total = sums[:, 0] + sums[:, 1]
    scores = np.zeros(len(sums))
    np.divide(sums[:, 0], total, out=scores, where=total != 0)
    return scores


def brute_force(a: Rows, b: Rows, tail: str, strata: tuple[list[str], list[str]]) -> Fraction:
    """Share of exceeding splits, every split tried and scored in fractions."""
    pooled, labels = [*a, *b], [*strata[0], *strata[1]]

    def precision(members: set[int]) -> Fraction:
        tp, fp = (sum(pooled[i][j] for i in members) for j in (0, 1))
        return Fraction(tp, tp + fp) if tp + fp else Fraction(0)

    def difference(members: set[int]) -> Fraction:
        return precision(members) - precision(set(range(len(pooled))) - members)

    observed = difference(set(range(len(a))))
    choices = [
        list(combinations([i for i, x in enumerate(labels) if x == label], strata[0].count(label)))
        for label in sorted(set(labels))
    ]
    found = [difference({i for part in split for i in part}) for split in product(*choices)]
    exceeds = {
        "two": [abs(d) >= abs(observed) for d in found],
        "greater": [d >= observed for d in found],
        "less": [d <= observed for d in found],
    }
    return Fraction(sum(exceeds[tail]), len(found))


def test_by_hand() -> None:
    """Means of {5, 6} against {1, 2}: one split of six is as large, and one as small."""
    result = unpaired_test(with_ones([5, 6]), with_ones([1, 2]), MEAN)
    assert (result.exceeding, result.total, result.method) == (2, 6, "enumeration")
    assert result.difference == 4
    assert result.comparison == "integer"
    assert unpaired_test(with_ones([5, 6]), with_ones([1, 2]), MEAN, "greater").p == 1 / 6
    assert unpaired_test(with_ones([5, 6]), with_ones([1, 2]), MEAN, "less").p == 1.0


def test_strata_by_hand() -> None:
    """Two strata of one item per system: four splits instead of six."""
    result = unpaired_test(
        with_ones([5, 60]), with_ones([1, 20]), MEAN, strata=(["x", "y"], ["x", "y"])
    )
    assert (result.exceeding, result.total) == (2, 4)


@given(rows, rows, tails, st.data())
@settings(max_examples=60, deadline=None)
def test_enumeration_equals_brute_force(a: Rows, b: Rows, tail: str, data: st.DataObject) -> None:
    label = st.sampled_from(["x", "y"])
    strata = (
        data.draw(st.lists(label, min_size=len(a), max_size=len(a))),
        data.draw(st.lists(label, min_size=len(b), max_size=len(b))),
    )
    result = unpaired_test(a, b, PRECISION, tail, strata=strata)
    expected = float(brute_force(a, b, tail, strata))
    assert result.p == expected
    assert unpaired_test(a, b, float_precision, tail, strata=strata).p == expected
    floats = unpaired_test(np.array(a, float), np.array(b, float), PRECISION, tail, strata=strata)
    assert (floats.p, floats.comparison) == (expected, "tolerance")


@given(rows, rows, tails)
@settings(max_examples=40, deadline=None)
def test_swap_and_order(a: Rows, b: Rows, tail: str) -> None:
    p = unpaired_test(a, b, PRECISION, tail).p
    assert p == unpaired_test(b, a, PRECISION, OPPOSITE[tail]).p
    assert p == unpaired_test(a[::-1], sorted(b), PRECISION, tail).p


@given(rows)
@settings(max_examples=20, deadline=None)
def test_identical_systems(a: Rows) -> None:
    """The same items on both sides: d = 0, which every split reaches."""
    assert unpaired_test(a, a, PRECISION).p == 1.0
    many = list(a) * 20
    assert unpaired_test(many, many[::-1], PRECISION, shuffles=99).p == 1.0


def test_agrees_with_scipy() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 20, 6), rng.integers(4, 24, 7)

    def difference(x: NDArray[Any], y: NDArray[Any], axis: int) -> NDArray[Any]:
        found: NDArray[Any] = x.mean(axis=axis) - y.mean(axis=axis)
        return found

    for tail in ("greater", "less"):
        expected = stats.permutation_test(
            (a, b), difference, vectorized=True, n_resamples=np.inf, alternative=tail
        )
        result = unpaired_test(with_ones(a.tolist()), with_ones(b.tolist()), MEAN, tail)
        assert result.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_shuffles_agree_with_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts of drawn splits lie within 4.5 sd of the enumerated probability, strata or not."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 4, (7, 2)), rng.integers(0, 5, (8, 2))
    for strata in (None, (list("xxyyyzz"), list("xyyyyzzz"))):
        for tail in OPPOSITE:
            exact = unpaired_test(a, b, PRECISION, tail, strata=strata).p
            with monkeypatch.context() as patch:
                patch.setattr(unpaired_tests, "ENUMERATION_LIMIT", 0)
                drawn = unpaired_test(a, b, PRECISION, tail, strata=strata, shuffles=10_000)
            assert drawn.method == "shuffles"
            assert drawn.p == (drawn.exceeding + 1) / 10_001
            sd = math.sqrt(10_000 * exact * (1 - exact))
            assert abs(drawn.exceeding - 10_000 * exact) <= 4.5 * sd


def test_stream_depends_on_seed_and_block_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """More shuffles continue fewer; batch size changes nothing; another seed does."""
    values = np.random.default_rng(5).integers(0, 9, (50, 2))
    groups, sizes = [values[:20], values[20:]], [8, 11]

    def draw(shuffles: int, seed: int = 0) -> NDArray[Any]:
        return np.concatenate(list(random_splits(groups, sizes, shuffles, seed)))

    long = draw(3_000)
    assert np.array_equal(long[:1_500], draw(1_500))
    assert not np.array_equal(long, draw(3_000, seed=1))
    monkeypatch.setattr(unpaired_tests, "_BATCH_CELLS", 1_000)
    assert np.array_equal(long, draw(3_000))


def test_ratio_ties_are_exact() -> None:
    """A gap of 1e-21 is seen where floats see none, in all tails."""
    big = 10**20
    n1 = np.array([big, big, big - 1], object)
    d1 = np.array([2 * big + 1, 2 * big - 1, 2 * big - 2], object)
    zero, one = np.zeros(3, object), np.ones(3, object)
    half = Fraction(1, 2)
    greater = ratio_exceeds((n1, d1), (zero, one), half, "greater")
    assert greater.tolist() == [False, True, True]
    assert ratio_exceeds((n1, d1), (zero, one), half, "less").tolist() == [True, False, True]
    assert ratio_exceeds((zero, one), (n1, d1), half, "two").tolist() == [False, True, True]


def test_large_integers_stay_exact() -> None:
    """Values beyond 64-bit sums give what the same values divided by 2^55 give."""
    a, b = [[7, 1], [3, 2], [5, 0]], [[1, 1], [4, 6]]
    scaled_a, scaled_b = np.array(a) * 2**55, np.array(b) * 2**55
    small, large = unpaired_test(a, b, PRECISION), unpaired_test(scaled_a, scaled_b, PRECISION)
    assert (small.p, small.exceeding) == (large.p, large.exceeding)
    assert small.difference == large.difference


def test_undefined_scores() -> None:
    """A split whose denominator is 0 takes the declared value."""
    a, b = [[1, 0]], [[0, 0]]
    assert unpaired_test(a, b, PRECISION, "greater").p == 0.5
    assert unpaired_test(a, b, LinearRatio((1, 0), (1, 1), Fraction(1)), "greater").p == 1.0


def test_rejections_under_a_true_null() -> None:
    """Of 400 pairs of equal systems, about 5 % or fewer come out below 0.05."""
    draws = np.random.default_rng(6).integers(0, 10, (400, 2, 5))
    results = [unpaired_test(with_ones(a), with_ones(b), MEAN).p for a, b in draws.tolist()]
    assert sum(p <= 0.05 for p in results) <= 20 + 4 * math.sqrt(400 * 0.05 * 0.95)


def test_bad_input_is_refused() -> None:
    good = [[1, 2], [3, 4]]
    with pytest.raises(UsageError, match="tail"):
        unpaired_test(good, good, MEAN, "both")
    with pytest.raises(DataError, match="first system"):
        unpaired_test([], good, MEAN)
    with pytest.raises(DataError, match="second system: values must be finite"):
        unpaired_test(good, [[1.0, math.nan]], MEAN)
    with pytest.raises(DataError, match="2 columns against 3"):
        unpaired_test(good, [[1, 2, 3]], MEAN)
    with pytest.raises(DataError, match="1 and 2 strata labels for 2 and 2 items"):
        unpaired_test(good, good, MEAN, strata=(["x"], ["x", "y"]))
    with pytest.raises(UsageError, match="at least 1"):
        unpaired_test(good * 15, good * 15, MEAN, shuffles=0)
