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
    Kind,
    binomial_check,
    confidence,
    largest_exceedances,
    p_interval,
    two_run_check,
)

KINDS: tuple[Kind, Kind] = ("posterior", "binomial")


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
    assert confidence(0, 1, 0.1, "binomial") == pytest.approx(0.1, rel=1e-14, abs=0)


def test_confidence_when_every_shuffle_exceeds() -> None:
    assert confidence(5, 5, 0.1) == pytest.approx(0.1**6, rel=1e-12, abs=0)
    assert confidence(5, 5, 0.1, "binomial") == 0.0


@given(counts(), st.floats(0.001, 0.999))
@settings(max_examples=50, deadline=None)
def test_confidence_is_a_binomial_tail(count: tuple[int, int], alpha: float) -> None:
    exceedances, shuffles = count
    posterior = stats.binom.sf(exceedances, shuffles + 1, alpha)
    tail = stats.binom.sf(exceedances, shuffles, alpha)

    assert confidence(exceedances, shuffles, alpha) == pytest.approx(posterior, abs=1e-10)
    assert confidence(exceedances, shuffles, alpha, "binomial") == pytest.approx(tail, abs=1e-10)


def test_confidence_of_arrays_is_that_of_their_elements() -> None:
    exceedances, shuffles = np.array([0, 40, 999]), np.array([999, 999, 999])
    for kind in KINDS:
        together = confidence(exceedances, shuffles, 0.05, kind)
        assert together.tolist() == [confidence(int(c), 999, 0.05, kind) for c in exceedances]


def test_confidence_at_a_level_for_each_pair() -> None:
    levels = np.array([0.01, 0.05])

    both = confidence(np.array([7, 7]), 999, levels)

    assert both.tolist() == [confidence(7, 999, 0.01), confidence(7, 999, 0.05)]


def test_confidence_examples_of_the_reference(expected: dict[str, Any]) -> None:
    for case in expected["confidence_level"]["examples"]:
        arguments = (case["nge"], case["ns"], case["alpha"])
        assert confidence(*arguments) == pytest.approx(case["posterior"], abs=1e-9)
        assert confidence(*arguments, "binomial") == pytest.approx(case["binomial_tail"], abs=1e-9)


def test_table_of_largest_exceedances(expected: dict[str, Any]) -> None:
    for row in expected["confidence_level"]["table"]:
        for wanted in (0.9, 0.95, 0.99):
            found = [largest_exceedances(row["ns"], row["alpha"], wanted, kind) for kind in KINDS]
            key = f"largest_nge_conf_{wanted}"
            assert found == [row[f"{key}_posterior"], row[f"{key}_binomial_tail"]]


def test_no_exceedances_may_be_too_many() -> None:
    assert largest_exceedances(43, 0.1, 0.99) == 0
    assert largest_exceedances(42, 0.1, 0.99) is None


@given(st.integers(1, 500), st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.sampled_from(KINDS))
@settings(max_examples=50, deadline=None)
def test_largest_exceedances_is_the_last_to_suffice(
    shuffles: int, alpha: float, wanted: float, kind: Kind
) -> None:
    all_counts = np.arange(shuffles + 1)
    enough = np.flatnonzero(confidence(all_counts, shuffles, alpha, kind) >= wanted)

    found = largest_exceedances(shuffles, alpha, wanted, kind)

    assert found == (int(enough[-1]) if enough.size else None)


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


def test_two_runs_by_hand() -> None:
    """50 and 70 of 100: q = 0.6, z = -20 / sqrt(2 * 100 * 0.24) = -2.887."""
    check = two_run_check(50, 70, 100)

    assert check.z == pytest.approx(-20 / math.sqrt(48))
    assert check.agree
    assert not two_run_check(40, 70, 100).agree


@pytest.mark.parametrize("both", [0, 100])
def test_two_runs_without_spread_agree(both: int) -> None:
    check = two_run_check(both, both, 100)

    assert check.z == 0.0
    assert check.agree


@given(counts(), st.floats(1e-6, 1.0))
@settings(max_examples=50, deadline=None)
def test_binomial_check_is_the_central_interval(count: tuple[int, int], p: float) -> None:
    exceedances, shuffles = count
    low, high = stats.binom.interval(0.999, shuffles, p)

    assert binomial_check(exceedances, shuffles, p).agree == (low <= exceedances <= high)


def test_binomial_check_at_the_ends_of_the_interval() -> None:
    low, high = (int(end) for end in stats.binom.interval(0.999, 1 << 20, 0.02))
    inside = [binomial_check(c, 1 << 20, 0.02).agree for c in (low - 1, low, high, high + 1)]

    assert inside == [False, True, True, False]


def test_published_counts_against_exact_p(expected: dict[str, Any]) -> None:
    """Of Yeh's three counts only that for recall fits its exact p-value."""
    metrics = expected["yeh2000"]["metrics"]
    fits = {
        name: binomial_check(case["published_exceedances"], 1 << 20, case["p_one_sided"])
        for name, case in metrics.items()
    }

    assert {name: check.agree for name, check in fits.items()} == {
        "recall": True,
        "precision": False,
        "f1": False,
    }
    for name, check in fits.items():
        wanted = metrics[name]["expected_exceedances_in_1048576"]
        assert check.expected == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize(("exceedances", "shuffles"), [(-1, 9), (10, 9), (0, 0)])
def test_impossible_counts_are_refused(exceedances: int, shuffles: int) -> None:
    for function in (
        lambda: confidence(exceedances, shuffles, 0.05),
        lambda: p_interval(exceedances, shuffles),
        lambda: two_run_check(exceedances, 0, shuffles),
        lambda: binomial_check(exceedances, shuffles, 0.5),
    ):
        with pytest.raises(UsageError):
            function()


def test_unknown_kind_and_impossible_alpha_are_refused() -> None:
    with pytest.raises(UsageError, match="'posterior' or 'binomial'"):
        confidence(1, 9, 0.05, "prior")  # type: ignore[call-overload]
    for alpha in (0.0, 1.0, math.nan):
        with pytest.raises(UsageError, match="alpha"):
            confidence(1, 9, alpha)
