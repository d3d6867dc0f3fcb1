from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tellapart as ta
from studies.yeh.independent import binomial_test, chi_square, inflation, two_sample_t
from tellapart.errors import DataError

OPPOSITE = {"two": "two", "greater": "less", "less": "greater"}
tails = st.sampled_from(sorted(OPPOSITE))
cells = st.integers(0, 40)


@pytest.fixture(scope="session")
def yeh(reference_data: Path) -> dict[str, Any]:
    text = (reference_data / "significance" / "expected.json").read_text()
    found: dict[str, Any] = json.loads(text)["yeh2000"]
    return found


def yeh_hits() -> tuple[list[int], list[int]]:
    """Which of the 103 relations the two methods found: 19 both, 28 and 6 one only."""
    return [1] * 47 + [0] * 56, [1] * 19 + [0] * 28 + [1] * 6 + [0] * 50


def test_yeh_chi_square(yeh: dict[str, Any]) -> None:
    expected = yeh["chi_square_precision"]
    plain, corrected = chi_square(47, 48, 25, 14), chi_square(47, 48, 25, 14, yates=True)
    assert plain.statistic == pytest.approx(expected["chi2"], rel=1e-9)
    assert plain.p == pytest.approx(expected["p"], rel=1e-9)
    assert corrected.statistic == pytest.approx(expected["yates_chi2"], rel=1e-9)
    assert corrected.p == pytest.approx(expected["yates_p"], rel=1e-9)


def test_yeh_binomial_and_t(yeh: dict[str, Any]) -> None:
    expected = yeh["binomial_independence_recall"]
    result = binomial_test(47, 103, 25, 103)
    assert result.statistic == pytest.approx(expected["z_pooled"], rel=1e-9)
    assert result.p == pytest.approx(expected["p_two_sided_pooled"], rel=1e-9)
    expected = yeh["two_sample_t_recall"]
    result = two_sample_t(*yeh_hits())
    assert result.statistic == pytest.approx(expected["t"], rel=1e-9)
    assert result.p == pytest.approx(expected["p_two_sided"], rel=1e-9)
    assert result.df == expected["df"]


def test_reference_cases_of_t(reference_data: Path) -> None:
    text = (reference_data / "significance" / "exact-cases.json").read_text()
    for case in json.loads(text)["cases"]:
        a, b = (np.array(case[f"scores_{side}"], float) for side in "ab")
        result = two_sample_t(a, b)
        reference = case["analytic_on_scores"].get("two_sample_t_equal_variance")
        if reference is None:
            assert result.p is None
            assert result.reason
        else:
            assert result.statistic == pytest.approx(reference["t"], rel=1e-9, abs=1e-12)
            assert result.df == reference["df"]
            assert result.p == pytest.approx(reference["p_two_sided"], rel=1e-9)


def test_yeh_inflation(yeh: dict[str, Any]) -> None:
    for row in yeh["independence_inflation"]:
        assert inflation(row["r12"], 2.0, 2.0) == pytest.approx(row["sd_ind_over_sd"], rel=1e-9)


# --- by hand


def test_undefined_results_say_why() -> None:
    undefined = [
        two_sample_t([1, 1], [2, 2]),
        two_sample_t([1], [2]),
        two_sample_t([], [1, 2, 3]),
        binomial_test(0, 0, 1, 2),
        chi_square(0, 0, 3, 4),
        chi_square(0, 0, 3, 0),
    ]
    for result in undefined:
        assert result.statistic is None
        assert result.p is None
        assert result.reason


# --- against others


@given(*[st.integers(1, 60)] * 4, st.booleans())
def test_chi_square_agrees_with_scipy(a: int, b: int, c: int, d: int, yates: bool) -> None:
    expected = stats.chi2_contingency([[a, b], [c, d]], correction=yates)
    result = chi_square(a, b, c, d, yates=yates)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)


# --- properties


@given(cells, cells, cells, cells, tails, st.booleans())
def test_swapping_tables_exchanges_tails(
    a: int, b: int, c: int, d: int, tail: str, flag: bool
) -> None:
    """Any table whatever: no division by zero, p in (0, 1], tails exchanged."""
    other = OPPOSITE[tail]
    p = chi_square(a, b, c, d, yates=flag, tail=tail).p
    assert p is None or 0.0 < p <= 1.0
    assert p == pytest.approx(chi_square(c, d, a, b, yates=flag, tail=other).p)
    p = binomial_test(a, a + b, c, c + d, tail).p
    assert p is None or 0.0 < p <= 1.0
    assert p == pytest.approx(binomial_test(c, c + d, a, a + b, other).p)


def test_bad_input_is_refused() -> None:
    with pytest.raises(DataError, match="negative"):
        chi_square(-1, 2, 3, 4)
    with pytest.raises(DataError, match="more than there are"):
        binomial_test(5, 4, 1, 2)


# By name, in a comparison


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
