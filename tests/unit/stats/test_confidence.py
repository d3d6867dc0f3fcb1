"""How sure a p-value by shuffles is."""

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
from tellapart.stats.confidence import confidence, largest_exceedances, p_interval

KINDS = ("posterior", "binomial")


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    shuffles = draw(st.integers(1, 20_000))
    return draw(st.integers(0, shuffles)), shuffles


def test_by_hand() -> None:
    """Of one shuffle none exceeded: the posterior is Beta(1, 2), its CDF 1 - (1-alpha)^2."""
    assert confidence(0, 1, 0.1) == pytest.approx(1 - 0.9**2, rel=1e-14, abs=0)
    assert confidence(0, 1, 0.1, "binomial") == pytest.approx(0.1, rel=1e-14, abs=0)
    assert confidence(5, 5, 0.1) == pytest.approx(0.1**6, rel=1e-12, abs=0)
    assert confidence(5, 5, 0.1, "binomial") == 0.0
    low, high = p_interval(0, 10, 0.9)
    assert low == 0.0
    assert (1 - high) ** 10 == pytest.approx(0.05)


def test_reference(reference_data: Path) -> None:
    text = (reference_data / "significance/expected.json").read_text()
    expected: dict[str, Any] = json.loads(text)["confidence_level"]
    for case in expected["examples"]:
        arguments = (case["nge"], case["ns"], case["alpha"])
        assert confidence(*arguments) == pytest.approx(case["posterior"], abs=1e-9)
        assert confidence(*arguments, "binomial") == pytest.approx(case["binomial_tail"], abs=1e-9)
    for row in expected["table"]:
        for wanted in (0.9, 0.95, 0.99):
            found = [largest_exceedances(row["ns"], row["alpha"], wanted, kind) for kind in KINDS]
            key = f"largest_nge_conf_{wanted}"
            assert found == [row[f"{key}_posterior"], row[f"{key}_binomial_tail"]]
    for case in expected["clopper_pearson"]:
        ends = p_interval(case["nge"], case["ns"], case["level"])
        assert ends == pytest.approx((case["lower"], case["upper"]), abs=1e-9)


@given(counts(), st.floats(0.001, 0.999))
@settings(max_examples=50)
def test_confidence_and_interval_are_binomial_tails(count: tuple[int, int], level: float) -> None:
    exceedances, shuffles = count
    for kind, more in zip(KINDS, (1, 0), strict=True):
        tail = stats.binom.sf(exceedances, shuffles + more, level)
        assert confidence(exceedances, shuffles, level, kind) == pytest.approx(tail, abs=1e-10)
    oracle = stats.binomtest(exceedances, shuffles).proportion_ci(level, method="exact")
    found = p_interval(exceedances, shuffles, level)
    assert found == pytest.approx((oracle.low, oracle.high), abs=1e-10)


@given(st.integers(1, 500), st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.sampled_from(KINDS))
@settings(max_examples=50)
def test_largest_exceedances_is_the_last_to_suffice(
    shuffles: int, level: float, wanted: float, kind: str
) -> None:
    enough = np.flatnonzero(confidence(np.arange(shuffles + 1), shuffles, level, kind) >= wanted)
    found = largest_exceedances(shuffles, level, wanted, kind)
    assert found == (int(enough[-1]) if enough.size else None)


def test_arrays_are_taken_element_by_element() -> None:
    levels = np.array([0.01, 0.05, 0.1])
    found = confidence([7, 40, 999], 999, levels)
    alone = zip([7, 40, 999], levels, strict=True)
    assert found.tolist() == [float(confidence(count, 999, level)) for count, level in alone]
    low, high = p_interval([0, 40, 999], 999)
    assert (low[0], high[2]) == (0, 1)
    assert (low[1], high[1]) == p_interval(40, 999)


def test_bad_input_is_refused() -> None:
    for exceedances, shuffles in ((-1, 9), (10, 9), (0, 0)):
        with pytest.raises(UsageError, match="exceedances"):
            confidence(exceedances, shuffles, 0.05)
        with pytest.raises(UsageError, match="exceedances"):
            p_interval(exceedances, shuffles)
    with pytest.raises(UsageError, match="posterior, binomial"):
        confidence(1, 9, 0.05, "prior")
    for level in (0.0, 1.0, math.nan):
        with pytest.raises(UsageError, match="level"):
            confidence(1, 9, level)
