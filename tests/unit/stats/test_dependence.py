"""Whether values depend on a label."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tellapart.errors import UsageError
from tellapart.stats.unpaired import dependence


def test_by_hand() -> None:
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


@given(st.integers(0, 1000))
@settings(max_examples=10)
def test_signs_and_names_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, labels = rng.normal(size=40), rng.integers(0, 3, 40)
    p = dependence(values, labels, n_resamples=199).p
    assert dependence(-values, labels, n_resamples=199).p == pytest.approx(p)
    assert dependence(10 * values, labels, n_resamples=199).p == pytest.approx(p)
    assert dependence(
        values, [f"label {9 - k}" for k in labels], n_resamples=199
    ).p == pytest.approx(p)


@pytest.mark.parametrize(("sizes", "spreads"), [((20, 12, 8), (1, 1, 3)), ((5, 5, 100), (3, 3, 1))])
def test_levels(sizes: tuple[int, ...], spreads: tuple[int, ...]) -> None:
    """Labels that say nothing do so in about 95 % of data, those with few items varying more."""
    rng, rejected = np.random.default_rng(7), 0
    labels = np.repeat([0, 1, 2], sizes)
    for seed in range(150):
        values = rng.normal(0, np.array(spreads)[labels])
        rejected += (dependence(values, labels, n_resamples=99, rng=seed).p or 1) <= 0.05
    assert rejected <= 7.5 + 3 * math.sqrt(150 * 0.05 * 0.95)


def test_few_items_of_a_label_that_varies_more() -> None:
    """As Welch's t-test has it, where permutations alone would find a dependence."""
    few, many = [-1.0, 7, 2, 9, 1], np.linspace(-1, 1, 100).tolist()
    welch = stats.ttest_ind(few, many, equal_var=False).pvalue
    assert dependence(few + many, [0] * 5 + [1] * 100).p == pytest.approx(welch, abs=0.03)
    assert welch > 0.1


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="each of 2 items"):
        dependence([1, 2], [0])
