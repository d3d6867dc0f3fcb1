"""Chances and tails of binomials: all digits of whole numbers' sums, and nine of SciPy's."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from tellapart.resampling import binomial

counts = st.one_of(st.integers(1, 60), st.integers(1, 3_000_000))
shares = st.floats(0.0, 1.0)
rates = st.floats(1e-7, 1 - 1e-7)


def exact_point(heads: int, n: int, rate: float) -> Fraction:
    return math.comb(n, heads) * Fraction(rate) ** heads * (1 - Fraction(rate)) ** (n - heads)


def near(n: int, rate: float) -> float:
    """Return how far a chance moves if the rate does by a rounding error."""
    return 1e-14 + 1e-15 * 10 * math.sqrt(n / min(rate, 1 - rate))


@given(n=st.integers(0, 60), share=shares, rate=st.one_of(shares, st.sampled_from([0.0, 0.5, 1.0])))
def test_points_of_few_coins_are_what_whole_numbers_say(n: int, share: float, rate: float) -> None:
    heads = round(share * n)
    expected = float(exact_point(heads, n, rate))
    assert float(binomial.points(heads, n, rate)) == pytest.approx(expected, rel=1e-12, abs=1e-290)


@given(n=counts, away=st.floats(-9, 9), rate=rates)
def test_points_are_those_of_scipy(n: int, away: float, rate: float) -> None:
    heads = round(min(n, max(0, n * rate + away * math.sqrt(n * rate * (1 - rate)))))
    expected = float(stats.binom.pmf(heads, n, rate))
    found = float(binomial.points(heads, n, rate))
    assert found == pytest.approx(expected, rel=max(1e-9, near(n, rate)), abs=1e-290)


def test_points_far_out_are_what_whole_numbers_say() -> None:
    for heads, n in ((700, 1000), (1000, 1000), (3, 5000), (2500, 5000), (3100, 5000)):
        expected = float(Fraction(math.comb(n, heads), 2**n))
        assert float(binomial.points(heads, n, 0.5)) == pytest.approx(expected, rel=2e-13)


@given(n=counts, away=st.floats(-9, 9), rate=rates)
@settings(max_examples=200)
def test_tails_are_those_of_scipy(n: int, away: float, rate: float) -> None:
    """Both, however small one of them is."""
    heads = round(min(n, max(1, n * rate + away * math.sqrt(n * rate * (1 - rate)))))
    below, above = binomial.tails(heads, n, rate)
    shape = heads, n - heads + 1
    close = max(1e-9, near(n, rate))
    assert float(above) == pytest.approx(special.betainc(*shape, rate), rel=close, abs=1e-290)
    assert float(below) == pytest.approx(special.betaincc(*shape, rate), rel=close, abs=1e-290)


@pytest.mark.parametrize(("heads", "n"), [(3, 10), (1, 1), (7, 40), (40, 40)])
@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 0.93, 1.0])
def test_tails_of_few_coins_are_sums(heads: int, n: int, rate: float) -> None:
    expected = [
        sum(exact_point(k, n, rate) for k in ks) for ks in (range(heads), range(heads, n + 1))
    ]
    assert [float(tail) for tail in binomial.tails(heads, n, rate)] == pytest.approx(
        [float(each) for each in expected], rel=1e-13, abs=0
    )


def test_tails_of_all_or_none() -> None:
    below, above = binomial.tails([0, -3, 6], [5, 5, 5], 0.3)
    assert below.tolist() == [0, 0, 1]
    assert above.tolist() == [1, 1, 0]


def test_tails_of_long_rows_of_coins_are_nearer_than_a_digit_of_the_last_three() -> None:
    for n, heads in ((1_001, 502), (5_000, 2_501), (5_000, 2_900), (20_000, 10_700)):
        term, total = math.comb(n, heads), 0
        for k in range(heads, n + 1):
            total, term = total + term, term * (n - k) // (k + 1)
        expected = float(Fraction(total, 2**n))
        assert binomial.upper_tail(heads, n) == pytest.approx(expected, rel=2e-14, abs=0)
    assert binomial.upper_tail(5_001, 5_000) == 0.0
    assert binomial.upper_tail(1_020, 1_020) == pytest.approx(2.0**-1_020)


@given(n=counts, share=shares, chance=st.floats(1e-6, 0.5), above=st.booleans())
@settings(max_examples=200)
def test_rates_lead_back_to_the_chance(n: int, share: float, chance: float, above: bool) -> None:
    heads = max(1, round(share * n))
    rate = float(binomial.rates(heads, n, chance, above=above))
    inverse = special.betaincinv if above else special.betainccinv
    # SciPy rounds small upper ends to 1 less a number near 1.
    assert rate == pytest.approx(inverse(heads, n - heads + 1, chance), rel=1e-9, abs=1e-15)
    slope = heads * float(binomial.points(heads, n, rate)) / (chance * (1 - rate))
    found = float(binomial.tails(heads, n, rate)[above])
    assert found == pytest.approx(chance, rel=max(1e-12, 1e-15 * slope, near(n, rate)))


def test_rates_of_many_counts_are_those_of_each() -> None:
    heads, n = np.array([1, 40, 999]), np.array([10, 999, 999])
    many = binomial.rates(heads, n, 0.01, above=True)
    each = [float(binomial.rates(k, m, 0.01, above=True)) for k, m in zip(heads, n, strict=True)]
    assert many.tolist() == pytest.approx(each, rel=1e-14)
