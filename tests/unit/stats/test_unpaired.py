"""The randomization test for systems that were run on different items."""

from __future__ import annotations

import importlib
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

from tellapart.errors import UsageError
from tellapart.stats.unpaired import unpaired

module = importlib.import_module("tellapart.stats.unpaired")  # its name is the function's, too
OPPOSITE = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
alternatives = st.sampled_from(sorted(OPPOSITE))
rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=5)
Rows = Sequence[tuple[int, int]]


def ratio(sums: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(np.where(sums[..., 1] == 0, 0, sums[..., 0] / np.maximum(sums[..., 1], 1)))


def brute_force(a: Rows, b: Rows, alternative: str, strata: tuple[list[str], list[str]]) -> float:
    """Return the share of exceeding splits, every split tried and scored in fractions."""
    pooled, labels = [*a, *b], [*strata[0], *strata[1]]

    def score(members: set[int]) -> Fraction:
        top, bottom = (sum(pooled[i][j] for i in members) for j in (0, 1))
        return Fraction(top, bottom) if bottom else Fraction(0)

    def difference(members: set[int]) -> Fraction:
        return score(members) - score(set(range(len(pooled))) - members)

    observed = difference(set(range(len(a))))
    choices = [
        combinations([i for i, x in enumerate(labels) if x == label], strata[0].count(label))
        for label in sorted(set(labels))
    ]
    found = [difference({i for part in split for i in part}) for split in product(*choices)]
    exceeds = {
        "two-sided": [abs(d) >= abs(observed) for d in found],
        "greater": [d >= observed for d in found],
        "less": [d <= observed for d in found],
    }
    return sum(exceeds[alternative]) / len(found)


def test_by_hand() -> None:
    """Means of {5, 6} against {1, 2}: one split of six is as large; with strata, one of four."""
    found = unpaired([0.5, 0.6], [0.1, 0.2])
    assert (found.exceedances, found.arrangements, found.method) == (2, 6, "enumeration")
    assert unpaired([5, 6], [1, 2], alternative="greater").p == 1 / 6
    assert unpaired([5, 6], [1, 2], alternative="less").p == 1.0
    assert unpaired([5, 60], [1, 20], strata=("xy", "xy")).arrangements == 4
    assert unpaired([[1, 1]], [[0, 0]], alternative="greater").p == 0.5
    assert unpaired([[1, 1]], [[0, 0]], undefined=1, alternative="greater").p == 1.0


@given(rows, rows, alternatives, st.data())
@settings(max_examples=30)
def test_enumeration_equals_brute_force(
    a: Rows, b: Rows, alternative: str, data: st.DataObject
) -> None:
    label = st.sampled_from(["x", "y"])
    strata = (
        data.draw(st.lists(label, min_size=len(a), max_size=len(a))),
        data.draw(st.lists(label, min_size=len(b), max_size=len(b))),
    )
    expected = brute_force(a, b, alternative, strata)
    assert unpaired(a, b, alternative=alternative, strata=strata).p == expected
    by_function = unpaired(a, b, statistic=ratio, alternative=alternative, strata=strata)
    assert by_function.p == expected
    sevenths = np.array(a) / 7, np.array(b) / 7
    assert unpaired(*sevenths, alternative=alternative, strata=strata).p == expected


@given(rows, rows, alternatives)
@settings(max_examples=40)
def test_swap_order_and_itself(a: Rows, b: Rows, alternative: str) -> None:
    p = unpaired(a, b, alternative=alternative).p
    assert unpaired(b, a, alternative=OPPOSITE[alternative]).p == p
    assert unpaired(a[::-1], sorted(b), alternative=alternative).p == p
    assert unpaired(a, a).p == 1.0
    assert unpaired(list(a) * 20, list(a)[::-1] * 20, n_resamples=99).p == 1.0


def test_agrees_with_scipy() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 20, 6), rng.integers(4, 24, 7)

    def difference(x: NDArray[Any], y: NDArray[Any], axis: int) -> Any:
        return x.mean(axis=axis) - y.mean(axis=axis)

    for alternative in ("greater", "less"):
        expected = stats.permutation_test(
            (a, b), difference, vectorized=True, n_resamples=np.inf, alternative=alternative
        )
        assert unpaired(a, b, alternative=alternative).p == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("strata", [None, ("xxyyyzz", "xyyyyzzz")])
@pytest.mark.parametrize("most", [3, 10**6])
def test_draws_agree_with_enumeration(
    monkeypatch: pytest.MonkeyPatch, strata: tuple[str, str] | None, most: int
) -> None:
    """Of few kinds of items and of many, strata or not; the order of items changes no draw."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, most, (7, 2)), rng.integers(0, most + most // 3, (8, 2))
    for alternative in OPPOSITE:
        exact = unpaired(a, b, alternative=alternative, strata=strata).p
        assert exact is not None
        with monkeypatch.context() as patch:
            patch.setattr(module, "MAX_ENUMERATED", 0)
            drawn = unpaired(a, b, alternative=alternative, strata=strata)
            turned = None if strata is None else (strata[0][::-1], strata[1][::-1])
            again = unpaired(a[::-1], b[::-1], alternative=alternative, strata=turned)
        assert (drawn.method, drawn) == ("shuffles", again)
        assert drawn.exceedances is not None
        assert drawn.p == (drawn.exceedances + 1) / 10_000
        assert abs(drawn.exceedances / 9_999 - exact) <= 4.5 * math.sqrt(
            exact * (1 - exact) / 9_999
        )


def test_ties_of_large_numbers_are_exact() -> None:
    """The same as with small numbers, where floats see no difference."""
    a, b = np.array([[7, 8], [3, 5], [5, 5]]), np.array([[1, 2], [4, 10]])
    small = unpaired(a, b)
    assert unpaired(a * 2**40, b * 2**40).p == small.p
    assert unpaired(a * 2**40, b * 2**40, statistic=ratio).p == small.p


def test_rejections_under_a_true_null() -> None:
    draws = np.random.default_rng(6).integers(0, 10, (400, 2, 5))
    rejected = sum((unpaired(a, b).p or 1.0) <= 0.05 for a, b in draws)
    assert rejected <= 20 + 4 * math.sqrt(400 * 0.05 * 0.95)


def test_bad_input_is_refused() -> None:
    good = [[1, 2], [3, 4]]
    with pytest.raises(UsageError, match="alternative"):
        unpaired(good, good, alternative="both")
    with pytest.raises(UsageError, match="same columns"):
        unpaired([], [1])
    with pytest.raises(UsageError, match="not finite"):
        unpaired(good, [[1.0, math.nan]])
    with pytest.raises(UsageError, match="same columns"):
        unpaired(good, [[1, 2, 3]])
    with pytest.raises(UsageError, match="give a statistic"):
        unpaired([[1, 2, 3]], [[1, 2, 3]])
    with pytest.raises(UsageError, match="2 and 2, not 1 and 2"):
        unpaired(good, good, strata=(["x"], ["x", "y"]))
    with pytest.raises(UsageError, match="at least 1"):
        unpaired(good * 15, good * 15, n_resamples=0)
