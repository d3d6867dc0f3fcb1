"""Permutations of labels: systems on different items, and values that depend on a label."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tellapart.stats.unpaired import dependence, unpaired

module = importlib.import_module("tellapart.stats.unpaired")  # its name is the function's, too
OPPOSITE = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
alternatives = st.sampled_from(sorted(OPPOSITE))
rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=5)
Rows = Sequence[tuple[int, int]]


def brute_force(a: Rows, b: Rows, alternative: str) -> float:
    """Return the share of exceeding splits, every split tried and its statistic worked out."""
    pooled = np.array([*a, *b], float)
    two_kinds = len(np.unique(pooled, axis=0)) <= 2

    def part(members: list[int]) -> tuple[float, float]:
        rows = pooled[members]
        top, bottom = rows.sum(axis=0)
        if not bottom:
            return 0.0, 0.0
        residuals = rows[:, 0] - top / bottom * rows[:, 1]
        variance = len(rows) * residuals.var(ddof=1) if len(rows) > 1 else 0.0
        return top / bottom, variance / bottom**2

    def statistic(members: set[int]) -> float:
        others = sorted(set(range(len(pooled))) - members)
        (one, variance), (other, varies) = part(sorted(members)), part(others)
        if abs(one - other) < 1e-12:
            return 0.0
        total = 1.0 if two_kinds else variance + varies
        return (
            (one - other) / math.sqrt(total) if total > 1e-12 else math.copysign(1e30, one - other)
        )

    observed = statistic(set(range(len(a))))
    splits = combinations(range(len(pooled)), len(a))
    found = np.array([statistic(set(split)) for split in splits])
    slack = 1e-7 * max(1, abs(observed))
    exceeds = {
        "two-sided": abs(found) >= abs(observed) - slack,
        "greater": found >= observed - slack,
        "less": found <= observed + slack,
    }
    return float(exceeds[alternative].mean())


@given(rows, rows, alternatives)
def test_enumeration_equals_brute_force(a: Rows, b: Rows, alternative: str) -> None:
    expected = brute_force(a, b, alternative)
    assert unpaired(a, b, alternative=alternative).p == expected
    sevenths = np.array(a) / 7, np.array(b) / 7
    assert unpaired(*sevenths, alternative=alternative).p == expected


def test_agrees_with_scipy() -> None:
    """With all permutations of Welch's t; right and wrong items with Fisher's exact test."""
    pytest.importorskip("scipy", minversion="1.15", reason="SciPy's t test had no argument method")
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 20, 6), rng.integers(4, 24, 7)
    every = stats.PermutationMethod(n_resamples=10**6)
    for alternative in ("greater", "less"):
        welch = stats.ttest_ind(a, b, equal_var=False, alternative=alternative, method=every)
        assert unpaired(a, b, alternative=alternative).p == pytest.approx(welch.pvalue)
        fisher = stats.fisher_exact([[4, 1], [2, 6]], alternative=alternative)
        found = unpaired([1] * 4 + [0], [1] * 2 + [0] * 6, alternative=alternative)
        assert found.p == pytest.approx(fisher.pvalue)


@pytest.mark.parametrize("most", [3, 10**6])
def test_draws_agree_with_enumeration(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Of few kinds of items and of many; the order of items changes no draw."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, most, (7, 2)), rng.integers(0, most + most // 3, (8, 2))
    for alternative in OPPOSITE:
        exact = unpaired(a, b, alternative=alternative).p
        with monkeypatch.context() as patch:
            patch.setattr(module, "MAX_ENUMERATED", 0)
            drawn = unpaired(a, b, alternative=alternative)
            again = unpaired(a[::-1], b[::-1], alternative=alternative)
        assert (drawn.method, drawn) == ("shuffles", again)
        assert drawn.p == (drawn.exceedances + 1) / 10_000
        assert abs(drawn.exceedances / 9_999 - exact) <= 4.5 * math.sqrt(
            exact * (1 - exact) / 9_999
        )


def test_by_hand_of_dependence() -> None:
    """Of all ways to deal 12 ones and 4 minus ones, as uneven have all four in one half."""
    values = [1] * 8 + [1, 1, -1, -1] * 2
    found = dependence(values, ["x"] * 8 + ["y"] * 8)
    exact = 2 * math.comb(8, 4) / math.comb(16, 4)
    assert found.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 1999))
    assert dependence([3, 3, 3, 3], [0, 0, 1, 1]).p == 1.0


def test_labels_of_whole_blocks_are_tested_by_blocks() -> None:
    """Items of a block that repeat each other are no evidence about the block's label."""
    blocks = np.repeat(np.arange(4), 25)
    values, halves = np.array([1.0, 1, 0, 0])[blocks], np.array([0, 0, 1, 1])[blocks]
    assert (dependence(values, halves).p or 1) < 0.01
    found = dependence(values, halves, blocks=blocks)
    assert found.p == pytest.approx(2 / 6, abs=0.04)  # of six ways to halve four blocks, two


@given(st.integers(0, 1000))
@settings(max_examples=5)
def test_labels_within_blocks_are_permuted_within_them(seed: int) -> None:
    """What differs between blocks alone cannot explain anything within them."""
    labels = np.random.default_rng(seed).integers(0, 2, 60)
    labels[:2] = 0, 1
    blocks = np.repeat(np.arange(6), 10)
    assert dependence(blocks, labels, blocks=blocks).p == 1.0


def test_few_items_of_a_label_that_varies_more() -> None:
    """As Welch's t-test has it, where permutations alone would find a dependence."""
    few, many = [-1.0, 7, 2, 9, 1], np.linspace(-1, 1, 100).tolist()
    welch = stats.ttest_ind(few, many, equal_var=False).pvalue
    assert dependence(few + many, [0] * 5 + [1] * 100).p == pytest.approx(welch, abs=0.03)
    assert welch > 0.1
