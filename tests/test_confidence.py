"""How sure an approximate p-value is."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tellapart.errors import UsageError
from tellapart.significance.p_value_confidence import (
    confidence,
    p_interval,
)


@pytest.fixture(scope="module")
def expected(reference_data: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        (reference_data / "significance/expected.json").read_text()
    )
    return content


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    shuffles = draw(st.integers(1, 20_000))
    return draw(st.integers(0, shuffles)), shuffles


def test_confidence_by_hand() -> None:
    """Of one shuffle none exceeded: the posterior is Beta(1, 2), its CDF 1 - (1-alpha)^2."""
    assert confidence(0, 1, 0.1) == pytest.approx(1 - 0.9**2, rel=1e-14, abs=0)


def test_confidence_when_every_shuffle_exceeds() -> None:
    assert confidence(5, 5, 0.1) == pytest.approx(0.1**6, rel=1e-12, abs=0)


@given(counts(), st.floats(0.001, 0.999))
@settings(max_examples=50, deadline=None)
def test_confidence_is_a_binomial_tail(count: tuple[int, int], alpha: float) -> None:
    exceedances, shuffles = count
    posterior = stats.binom.sf(exceedances, shuffles + 1, alpha)

    assert confidence(exceedances, shuffles, alpha) == pytest.approx(posterior, abs=1e-10)


def test_confidence_of_arrays_is_that_of_their_elements() -> None:
    exceedances, shuffles = np.array([0, 40, 999]), np.array([999, 999, 999])
    together = confidence(exceedances, shuffles, 0.05)
    assert together.tolist() == [confidence(int(c), 999, 0.05) for c in exceedances]


def test_confidence_at_a_level_for_each_pair() -> None:
    levels = np.array([0.01, 0.05])

    both = confidence(np.array([7, 7]), 999, levels)

    assert both.tolist() == [confidence(7, 999, 0.01), confidence(7, 999, 0.05)]


def test_confidence_examples_of_the_reference(expected: dict[str, Any]) -> None:
    for case in expected["confidence_level"]["examples"]:
        arguments = (case["nge"], case["ns"], case["alpha"])
        assert confidence(*arguments) == pytest.approx(case["posterior"], abs=1e-9)


def test_table_of_largest_exceedances(expected: dict[str, Any]) -> None:
    """The most exceedances whose confidence suffices; None where no number does."""
    for row in expected["confidence_level"]["table"]:
        sure = confidence(np.arange(row["ns"] + 1), row["ns"], row["alpha"])
        for wanted in (0.9, 0.95, 0.99):
            enough = np.flatnonzero(sure >= wanted)
            found = int(enough[-1]) if enough.size else None
            assert found == row[f"largest_nge_conf_{wanted}_posterior"]


def test_interval_by_hand() -> None:
    """Without exceedances the upper end solves (1-p)^n = tail; with nothing else the lower one."""
    low, high = p_interval(0, 10, level=0.9)
    assert low == 0.0
    assert (1 - high) ** 10 == pytest.approx(0.05)
    low, high = p_interval(10, 10, level=0.9)
    assert low**10 == pytest.approx(0.05)
    assert high == 1.0


@given(counts(), st.sampled_from([0.9, 0.95, 0.99, 0.999]))
@settings(max_examples=50, deadline=None)
def test_interval_is_scipys(count: tuple[int, int], level: float) -> None:
    exceedances, shuffles = count
    oracle = stats.binomtest(exceedances, shuffles).proportion_ci(level, method="exact")

    low, high = p_interval(exceedances, shuffles, level)

    assert (low, high) == pytest.approx((oracle.low, oracle.high), abs=1e-11)
    tail = (1 - level) / 2  # which the ends leave outside, to more digits than scipy's solver
    if exceedances > 0:
        assert stats.binom.sf(exceedances - 1, shuffles, low) == pytest.approx(
            tail, rel=1e-9, abs=0
        )
    if exceedances < shuffles:
        assert stats.binom.cdf(exceedances, shuffles, high) == pytest.approx(tail, rel=1e-9, abs=0)


def test_intervals_of_the_reference(expected: dict[str, Any]) -> None:
    for case in expected["confidence_level"]["clopper_pearson"]:
        ends = p_interval(case["nge"], case["ns"], case["level"])
        assert ends == pytest.approx((case["lower"], case["upper"]), abs=1e-9)


@pytest.mark.parametrize(("exceedances", "shuffles"), [(-1, 9), (10, 9), (0, 0)])
def test_impossible_counts_are_refused(exceedances: int, shuffles: int) -> None:
    for function in (
        lambda: confidence(exceedances, shuffles, 0.05),
        lambda: p_interval(exceedances, shuffles),
    ):
        with pytest.raises(UsageError):
            function()


def test_an_impossible_alpha_is_refused() -> None:
    for alpha in (0.0, 1.0, math.nan):
        with pytest.raises(UsageError, match="alpha"):
            confidence(1, 9, alpha)
