"""Sums with random signs: against all signs, binomials, SciPy, and properties."""

from __future__ import annotations

import json
import math
import os
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.stats import binom

from tellapart.stats.signed_sums import SignedSum, coin_tails, sign_flip

differences = st.lists(st.integers(-20, 20), min_size=1, max_size=12)
ALTERNATIVES = ("two-sided", "greater", "less")


def by_all_signs(values: list[int], alternative: str) -> float:
    """Return p by walking all signs in whole numbers."""
    observed, sums = sum(values), [sum(s * v for s, v in zip(signs, values, strict=True))
                                   for signs in product((1, -1), repeat=len(values))]  # fmt: skip
    if alternative == "two-sided":
        return sum(abs(total) >= abs(observed) for total in sums) / len(sums)
    sign = 1 if alternative == "greater" else -1
    return sum(sign * total >= sign * observed for total in sums) / len(sums)


@given(differences, st.sampled_from(ALTERNATIVES))
def test_all_signs_are_counted(values: list[int], alternative: str) -> None:
    """P is the share of all sign patterns that are at least as extreme, ties included."""
    assert sign_flip(values, alternative=alternative).p == pytest.approx(
        by_all_signs(values, alternative), rel=1e-12
    )


def test_agrees_with_scipy_on_real_numbers() -> None:
    """The grid counts as SciPy's permutation test does, within its bound."""
    rng = np.random.default_rng(7)
    values = rng.normal(0.25, 1.0, 14)
    expected = scipy_stats.permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert sign_flip(values).p == pytest.approx(expected, rel=1e-12)
    many = rng.normal(0.1, 1.0, 40)
    drawn = scipy_stats.permutation_test(
        (many,), np.mean, permutation_type="samples", n_resamples=20_000, random_state=1
    ).pvalue
    assert sign_flip(many).p == pytest.approx(drawn, abs=0.015)


@pytest.mark.parametrize("n", [3, 41, 1_001, 2_000_000])
@pytest.mark.parametrize("z", [-1.0, 0.3, 1.96, 6.0])
def test_equal_terms_are_coins(n: int, z: float) -> None:
    ahead = round(z * math.sqrt(n))
    ahead += (n - ahead) % 2
    ahead = min(ahead, n)
    exact = float(binom.sf((n + ahead) // 2 - 1, n, 0.5))
    assert float(coin_tails(n, ahead, 1)) == pytest.approx(exact, rel=1e-11)
    test = SignedSum(np.array([0.5]), np.array([n]), None).test(ahead / 2, 1)
    assert test.p == pytest.approx(exact, rel=1e-11)


def two_kinds(sizes: tuple[float, float], times: tuple[int, int], reach: float) -> float:
    """Return a tail by binomials: of each sum of the one kind, the tail of the other."""
    heads = np.arange(times[0] + 1)
    rest = reach - sizes[0] * (2 * heads - times[0])
    least = np.ceil((rest / sizes[1] + times[1]) / 2 - 1e-9)
    return float(binom.pmf(heads, times[0], 0.5) @ binom.sf(least - 1, times[1], 0.5))


@given(
    st.floats(0.05, 20.0), st.integers(6_000, 30_000), st.integers(6_000, 30_000),
    st.floats(-4.0, 6.0),
)  # fmt: skip
@settings(max_examples=8, deadline=None)
def test_bounds_of_very_many_terms_hold(ratio: float, first: int, second: int, z: float) -> None:
    """By the characteristic function: p is never too small, and no larger than is said."""
    sizes, times = np.array([1.0, ratio]), np.array([first, second])
    terms = SignedSum.of(sizes, times)
    if len(terms.sizes) < 2:
        return
    reach = z * terms.spread
    test = terms.test(reach, 1)
    if test is None:  # sums lie in heaps
        return
    # At a tie, whole sums lie within what floating-point numbers tell apart.
    high, low = (two_kinds((1.0, ratio), (first, second), reach + by)
                 for by in (-1e-9 * terms.spread, 1e-9 * terms.spread))  # fmt: skip
    assert test.p - test.error - 1e-9 * test.p <= high + 1e-12
    assert test.p >= low - 1e-12


def test_paths_agree() -> None:
    """NumPy and native code give the same p."""
    values = np.round(np.random.default_rng(11).normal(0.1, 1.0, 700), 3)
    expected = sign_flip(values)
    with patch.dict(os.environ, TELLAPART_PATH="numpy"):
        assert sign_flip(values) == expected


def test_reference(reference_data: Path) -> None:
    """Means of decimals: every count of the enumerated tables, given as texts or as floats."""
    text = (reference_data / "significance/exact-cases.json").read_text()
    for case in json.loads(text)["cases"]:
        expected = case["expected"]["mean_difference"]
        a, b = (np.array([float(score) for score in case[f"scores_{k}"]]) for k in "ab")
        keys = {"two-sided": "count_two_sided", "greater": "count_ge", "less": "count_le"}
        for alternative, key in keys.items():
            found = sign_flip(a, b, alternative=alternative).p
            assert found == pytest.approx(expected[key] / expected["total"], rel=1e-12)


def test_rounded_terms_are_not_exact() -> None:
    """A search takes a coarse grid: close to the bound, and named for what it is."""
    values = np.random.default_rng(4).normal(0.3, 1.0, 60)
    terms, observed = SignedSum.of(values), float(values.sum())
    exact, rounded = terms.test(observed, 1), terms.test(observed, 1, steps=2000)
    assert (exact.exact, rounded.method, rounded.exact) == (True, "rounded", False)
    assert rounded.p == pytest.approx(exact.p, rel=0.01)
