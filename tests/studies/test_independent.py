from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tellapart as ta
from studies.yeh.independent import chi_square, inflation


@pytest.fixture(scope="session")
def yeh(reference_data: Path) -> dict[str, Any]:
    text = (reference_data / "significance" / "expected.json").read_text()
    found: dict[str, Any] = json.loads(text)["yeh2000"]
    return found


def test_yeh_inflation(yeh: dict[str, Any]) -> None:
    for row in yeh["independence_inflation"]:
        assert inflation(row["r12"], 2.0, 2.0) == pytest.approx(row["sd_ind_over_sd"], rel=1e-9)


@given(*[st.integers(1, 60)] * 4, st.booleans())
def test_chi_square_agrees_with_scipy(a: int, b: int, c: int, d: int, yates: bool) -> None:
    expected = stats.chi2_contingency([[a, b], [c, d]], correction=yates)
    result = chi_square(a, b, c, d, yates=yates)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)


RIGHT = {"A": [1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1], "B": [1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0]}


@pytest.mark.parametrize("test", ["two-sample-t", "binomial", "chi2"])
def test_a_comparison_takes_them_by_name(test: str) -> None:
    table = [[9, 3], [4, 8]]
    plain = stats.chi2_contingency(table, correction=False).pvalue
    expected = {
        "two-sample-t": stats.ttest_ind(RIGHT["A"], RIGHT["B"]).pvalue,
        "binomial": plain,  # its z is the root of chi-square
        "chi2": plain,
    }
    result = ta.compare(ta.Counts.from_arrays(RIGHT), test=test, intervals=False)
    assert result.pairs[0].p == pytest.approx(expected[test], rel=1e-9)
    assert f"{test} test" in str(result).lower()
