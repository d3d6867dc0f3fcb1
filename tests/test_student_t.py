"""Student's t: tails and quantiles beside SciPy's, and by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special, stats

from tellapart.significance.student_t import t_quantile, t_tail

freedom = st.one_of(
    st.integers(1, 200).map(float), st.floats(0.5, 60), st.floats(0, 8).map(lambda x: 10**x)
)


@given(t=st.floats(-1000, 1000), df=freedom)
@settings(max_examples=200)
def test_tails_are_those_of_scipy(t: float, df: float) -> None:
    assume(abs(t) > 0.01)  # nearer to 0, SciPy loses up to half of the digits
    expected = float(special.stdtr(df, -t))
    assert t_tail(t, df) == pytest.approx(expected, rel=1e-12, abs=1e-290)


@given(t=st.floats(-20, 20), df=freedom)
def test_both_tails_are_all_there_is(t: float, df: float) -> None:
    assert t_tail(t, df) + t_tail(-t, df) == pytest.approx(1, rel=1e-13)


@pytest.mark.parametrize("t", [-3.0, 0.0, 1e-9, 0.1, 1.0, 30.0, 1e6])
def test_one_and_two_degrees_of_freedom_have_formulas(t: float) -> None:
    assert t_tail(t, 1) == pytest.approx(math.atan2(1, t) / math.pi, rel=1e-13)
    root = math.sqrt(2 + t * t)
    two = 1 / (root * (root + t)) if t > 0 else (1 - t / root) / 2
    assert t_tail(t, 2) == pytest.approx(two, rel=1e-13)


@given(chance=st.floats(1e-12, 0.49), df=freedom)
@settings(max_examples=200)
def test_quantiles_lead_back_to_the_chance(chance: float, df: float) -> None:
    quantile = t_quantile(chance, df)
    assert t_tail(-quantile, df) == pytest.approx(chance, rel=1e-12)
    assert quantile == pytest.approx(float(special.stdtrit(df, chance)), rel=1e-7)
    assert t_quantile(1 - chance, df) == pytest.approx(-t_quantile(1 - (1 - chance), df))


@given(t=st.floats(-12, 12), df=st.floats(1, 1e5), shift=st.floats(-12, 12))
@settings(max_examples=300)
def test_shifted_tails_are_those_of_scipy(t: float, df: float, shift: float) -> None:
    assert t_tail(t, df, shift) + t_tail(-t, df, -shift) == pytest.approx(1, rel=1e-13)
    assume(abs(t) > 0.01)
    expected = float(stats.nct.sf(t, df, shift))
    assume(not math.isnan(expected))  # as SciPy has it far out
    assert t_tail(t, df, shift) == pytest.approx(expected, abs=1e-12)


def test_nothing_lies_beyond_the_infinite() -> None:
    assert t_tail(math.inf, 3) == 0.0
    assert t_tail(-math.inf, 3) == 1.0


@pytest.mark.parametrize("t", [1e6, 1e12, 1e200])
@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_far_out_nothing_takes_long(t: float, shift: float) -> None:
    assert t_tail(-t, 10.0, shift) == 1.0
    assert t_tail(t, 10.0, shift) == pytest.approx(0.0, abs=1e-50)


def test_quantiles_of_nothing_are_infinite() -> None:
    assert t_quantile(1.0, 5.0) == math.inf
    assert t_quantile(0.0, 5.0) == -math.inf
