"""Experimentwise error and adjusted p-values."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tellapart.errors import UsageError
from tellapart.significance.corrections import (
    adjust,
    experimentwise_error,
    implied_levels,
    least_shuffles,
    per_comparison_level,
    too_few_shuffles,
)

METHODS = ("none", "bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "bh", "by")

p_lists = st.lists(
    st.floats(0, 1, exclude_min=True) | st.sampled_from([1e-300, 1e-18, 0.05, 1.0]),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def expected(reference_data: Path) -> dict[str, Any]:
    content = json.loads((reference_data / "significance/expected.json").read_text())
    multiplicity: dict[str, Any] = content["multiplicity"]
    return multiplicity


def test_experimentwise_error_by_hand() -> None:
    assert experimentwise_error(0.1, 2) == pytest.approx(0.19)
    assert experimentwise_error(1e-18, 10) == pytest.approx(1e-17, abs=0)


def test_experimentwise_error_of_the_reference(expected: dict[str, Any]) -> None:
    for case in expected["experimentwise"]:
        assert experimentwise_error(case["pc"], case["k"]) == pytest.approx(
            case["pe"], rel=1e-12, abs=0
        )
    for case in expected["sidak_per_comparison"]:
        assert per_comparison_level(case["pe"], case["k"]) == pytest.approx(
            case["pc"], rel=1e-12, abs=0
        )


@given(st.floats(1e-12, 0.5), st.integers(1, 1000))
@settings(max_examples=50, deadline=None)
def test_level_and_experimentwise_error_are_inverse(experimentwise: float, k: int) -> None:
    level = per_comparison_level(experimentwise, k)

    assert experimentwise_error(level, k) == pytest.approx(experimentwise, rel=1e-12, abs=0)


def test_impossible_level_or_family_is_refused() -> None:
    for level, k in ((0.0, 3), (1.0, 3), (math.nan, 3), (0.05, 0)):
        with pytest.raises(UsageError):
            experimentwise_error(level, k)


def test_adjusted_p_by_hand() -> None:
    raw = [0.03, 0.01, 0.02]
    harmonic = 1 + 1 / 2 + 1 / 3

    assert adjust(raw, "none").tolist() == raw
    assert adjust(raw, "bonferroni") == pytest.approx([0.09, 0.03, 0.06])
    assert adjust(raw, "sidak") == pytest.approx([1 - 0.97**3, 1 - 0.99**3, 1 - 0.98**3])
    assert adjust(raw, "holm") == pytest.approx([0.04, 0.03, 0.04])
    assert adjust(raw, "holm-sidak") == pytest.approx([1 - 0.98**2, 1 - 0.99**3, 1 - 0.98**2])
    assert adjust(raw, "hochberg") == pytest.approx([0.03, 0.03, 0.03])
    assert adjust(raw, "bh") == pytest.approx([0.03, 0.03, 0.03])
    assert adjust(raw, "by") == pytest.approx([0.03 * harmonic] * 3)


def test_adjusted_p_of_the_reference(expected: dict[str, Any]) -> None:
    cases = expected["adjusted_p"]
    keys = {"holm-sidak": "holm_sidak", "bh": "benjamini_hochberg", "by": "benjamini_yekutieli"}
    for method in METHODS[1:]:
        wanted = cases[keys.get(method, method)]
        assert adjust(cases["raw"], method) == pytest.approx(wanted, rel=1e-12, abs=0)


@given(p_lists, st.sampled_from(["bh", "by"]))
@settings(max_examples=50, deadline=None)
def test_false_discovery_rate_is_scipys(raw: list[float], method: str) -> None:
    oracle = stats.false_discovery_control(raw, method=method)

    assert adjust(raw, method) == pytest.approx(oracle, rel=1e-12, abs=1e-300)


@given(p_lists)
@settings(max_examples=50, deadline=None)
def test_holm_is_the_closed_test_of_bonferroni(raw: list[float]) -> None:
    """Holm's p is the largest Bonferroni p of any subfamily that the pair belongs to."""
    family = sorted(raw)[:7]  # all subfamilies are enumerated
    closed = [
        max(
            min(1.0, len(members) * min(family[j] for j in members))
            for subset in range(1 << len(family))
            if i in (members := [j for j in range(len(family)) if subset >> j & 1])
        )
        for i in range(len(family))
    ]

    assert adjust(family, "holm") == pytest.approx(closed, rel=1e-12, abs=1e-300)


@given(p_lists, st.sampled_from(METHODS), st.randoms())
@settings(max_examples=80, deadline=None)
def test_order_of_the_family_does_not_matter(raw: list[float], method: str, random: Any) -> None:
    places = list(range(len(raw)))
    random.shuffle(places)

    moved = adjust([raw[place] for place in places], method)

    assert moved.tolist() == adjust(raw, method)[places].tolist()


@given(p_lists, st.sampled_from(METHODS))
@settings(max_examples=80, deadline=None)
def test_adjusted_p_keeps_order_and_never_falls(raw: list[float], method: str) -> None:
    adjusted = adjust(raw, method)

    assert np.all(adjusted >= raw)
    assert np.all(adjusted <= 1)
    assert np.all(np.diff(adjusted[np.argsort(raw)]) >= 0)


@given(p_lists)
@settings(max_examples=50, deadline=None)
def test_less_strict_methods_give_smaller_p(raw: list[float]) -> None:
    slack = 1 + 1e-12
    by_strictness = ["bonferroni", "holm", "hochberg", "bh", "none"]
    values = [adjust(raw, method) for method in by_strictness]

    for stricter, looser in pairwise(values):
        assert np.all(looser <= stricter * slack)
    assert np.all(adjust(raw, "holm-sidak") <= adjust(raw, "holm") * slack)
    assert np.all(adjust(raw, "bh") <= adjust(raw, "by"))


def test_tiny_p_is_not_lost() -> None:
    for method in ("sidak", "holm-sidak"):
        assert adjust([1e-18, 0.5], method)[0] == pytest.approx(2e-18, rel=1e-12, abs=0)
    for method in METHODS:
        assert adjust([math.ulp(0.0), 1.0], method)[0] > 0


def test_family_of_one_is_not_adjusted() -> None:
    for method in METHODS:
        for p in (0.037, 0.061, 0.236, 0.435, 1.0):  # the middle ones would fall by rounding
            assert adjust([p], method)[0] == p
        assert adjust([], method).size == 0


def test_unknown_method_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'bonferroni'"):
        adjust([0.5], "bonferoni")
    with pytest.raises(UsageError, match="did you mean 'holm-sidak'"):
        adjust([0.5], "Holm-Sidak")
    with pytest.raises(UsageError, match="known: none, bonferroni, "):
        adjust([0.5], "xyz")


@pytest.mark.parametrize("p", [0.0, -0.1, 1.1, math.nan])
def test_numbers_that_are_no_p_values_are_refused(p: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        adjust([0.5, p], "holm")


def test_shuffles_needed() -> None:
    """With 10 pairs at 0.05 the smallest p may be 1/200, so 199 shuffles can reject."""
    assert least_shuffles(10, 0.05) == 199
    assert too_few_shuffles(198, 10, 0.05)
    assert not too_few_shuffles(199, 10, 0.05)
    assert least_shuffles(1, 0.9) == 1


@given(st.integers(1, 500), st.floats(0.001, 0.5))
@settings(max_examples=50, deadline=None)
def test_shuffles_needed_are_the_fewest_that_can_reject(k: int, alpha: float) -> None:
    least = least_shuffles(k, alpha)

    assert k / (least + 1) <= alpha
    assert least == 1 or k / least > alpha


def test_implied_levels_by_hand() -> None:
    p = [0.04, 0.01, 0.2]
    assert implied_levels(p, "none", 0.06).tolist() == [0.06] * 3
    assert implied_levels(p, "bonferroni", 0.06) == pytest.approx([0.02] * 3)
    assert implied_levels([0.5, 0.1], "sidak", 0.19) == pytest.approx([0.1] * 2)
    assert implied_levels(p, "bh", 0.06) == pytest.approx([0.04, 0.02, 0.06])


@pytest.mark.parametrize("method", ["none", "bonferroni", "sidak", "holm", "holm-sidak"])
def test_a_test_at_its_implied_level_is_just_rejected(method: str) -> None:
    """The first to fail of a family whose others are rejected meets its own level."""
    others = [1e-6, 1e-5, 1e-4]
    level = float(implied_levels([*others, 0.03, 0.9], method, 0.05)[3])
    for factor, rejected in ((1 - 1e-9, True), (1 + 1e-9, False)):
        adjusted = adjust([*others, level * factor, 0.9], method)
        assert bool(adjusted[3] <= 0.05) is rejected
