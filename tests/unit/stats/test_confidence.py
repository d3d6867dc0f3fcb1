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
from tellapart.stats.confidence import confidence, p_interval


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    shuffles = draw(st.integers(1, 20_000))
    return draw(st.integers(0, shuffles)), shuffles


def test_by_hand() -> None:
    """Of one shuffle none exceeded: the posterior is Beta(1, 2), its CDF 1 - (1-alpha)^2."""
    assert confidence(0, 1, 0.1) == pytest.approx(1 - 0.9**2, rel=1e-14, abs=0)
    assert confidence(5, 5, 0.1) == pytest.approx(0.1**6, rel=1e-12, abs=0)
    low, high = p_interval(0, 10, 0.9)
    assert low == 0.0
    assert (1 - high) ** 10 == pytest.approx(0.05)


def test_reference(reference_data: Path) -> None:
    text = (reference_data / "significance/expected.json").read_text()
    expected: dict[str, Any] = json.loads(text)["confidence_level"]
    for case in expected["examples"]:
        arguments = (case["nge"], case["ns"], case["alpha"])
        assert confidence(*arguments) == pytest.approx(case["posterior"], abs=1e-9)
    for row in expected["table"]:
        for wanted in (0.9, 0.95, 0.99):
            sure = confidence(np.arange(row["ns"] + 1), row["ns"], row["alpha"]) >= wanted
            most = int(np.flatnonzero(sure)[-1]) if sure.any() else None
            assert most == row[f"largest_nge_conf_{wanted}_posterior"]
    for case in expected["clopper_pearson"]:
        ends = p_interval(case["nge"], case["ns"], case["level"])
        assert ends == pytest.approx((case["lower"], case["upper"]), abs=1e-9)


@given(counts(), st.floats(0.001, 0.999))
@settings(max_examples=50)
def test_confidence_and_interval_are_binomial_tails(count: tuple[int, int], level: float) -> None:
    exceedances, shuffles = count
    tail = stats.binom.sf(exceedances, shuffles + 1, level)
    assert confidence(exceedances, shuffles, level) == pytest.approx(tail, abs=1e-10)
    oracle = stats.binomtest(exceedances, shuffles).proportion_ci(level, method="exact")
    found = p_interval(exceedances, shuffles, level)
    assert found == pytest.approx((oracle.low, oracle.high), abs=1e-10)


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
    for level in (0.0, 1.0, math.nan):
        with pytest.raises(UsageError, match="level"):
            confidence(1, 9, level)
