"""Intervals: published examples, SciPy and statsmodels, and that they invert their tests."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from tellapart.stats.intervals import (
    BoundedMean,
    ClusteredMean,
    clustered_wilson,
    crossing,
    difference_interval,
    mean_interval,
    newcombe,
    tango,
    tango_statistic,
    wilson,
)
from tellapart.stats.signed_sums import sign_flip


@given(st.integers(0, 40), st.integers(1, 40), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_agrees_with_statsmodels(right: int, more: int, level: float) -> None:
    n = right + more
    expected = proportion_confint(right, n, 1 - level, method="wilson")
    assert wilson(right, n, level).ends == pytest.approx(expected, abs=1e-12)


def test_newcombe_of_his_table() -> None:
    """Newcombe 1998, table II, examples (a) and (h)."""
    assert newcombe((56, 70), (48, 80)).ends == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert newcombe((10, 10), (0, 10)).ends == pytest.approx((0.6075, 1.0), abs=5e-5)


def test_tango_of_his_examples() -> None:
    """Tango 1998: 0 and 1 discordant of 44; 16 and 6 of 161."""
    assert float(tango_statistic(0, 1, 44, -0.1)) == pytest.approx(1.709, abs=5e-4)
    low, high = tango(6, 16, 161)
    assert (float(low), float(high)) == pytest.approx((-0.124, -0.0054), abs=5e-5)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 40))
@settings(max_examples=60)
def test_tango_ends_are_where_the_statistic_decides(b: int, c: int, more: int) -> None:
    n = b + c + more
    low, high = (float(end) for end in tango(b, c, n))
    assert -1 <= low <= (b - c) / n <= high <= 1
    mirrored = [float(end) for end in tango(c, b, n)]
    assert mirrored == pytest.approx([-high, -low])
    if low > -1 + 1e-9:
        assert float(tango_statistic(b, c, n, low)) == pytest.approx(1.959964, abs=1e-4)


def test_clusters_of_one_are_items() -> None:
    values = np.array([0.2, 0.9, 0.4, 0.7, 0.1, 0.65])
    found = ClusteredMean.of(values, np.ones(6))
    assert found is not None
    assert (found.error, found.df) == pytest.approx((scipy_stats.sem(values), 5.0))
    right = np.array([1.0, 0, 1, 1, 0, 1, 1, 1])
    interval = clustered_wilson(right, np.ones(8))
    assert interval.low is not None
    assert interval.low <= wilson(6, 8).ends[0]  # type: ignore[operator]


def test_values_that_are_all_alike_are_no_certainty() -> None:
    """Of bounded scores something is said, of others nothing."""
    assert mean_interval([0.5] * 20).ends == (None, None)
    squared = float(scipy_stats.t.ppf(0.975, 19)) ** 2  # Wilson's interval of none of 20, with t
    unseen = squared / (20 + squared)
    found = mean_interval([0.5] * 20, unit_interval=True).ends
    assert found == pytest.approx((0.5 * (1 - unseen), 0.5 + 0.5 * unseen))


@pytest.mark.parametrize("right", [0, 3, 24, 30])
def test_bounded_means_of_right_answers_are_wilsons(right: int) -> None:
    values = np.repeat([1.0, 0.0], [right, 30 - right])
    found = BoundedMean.of(values, 0.0, 1.0).interval(float(scipy_stats.norm.ppf(0.975)))
    known = scipy_stats.binomtest(right, 30).proportion_ci(0.95, method="wilson")
    assert found.ends == pytest.approx((known.low, known.high), abs=1e-9)


@pytest.mark.parametrize("n", [10, 50])
def test_rare_failures_are_allowed_for(n: int) -> None:
    """Scores about .9, 3 % of them 0, which few samples show: t covers 34 and 76 %."""
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(200):
        values = np.where(rng.random(n) < 0.03, 0.0, rng.normal(0.9, 0.02, n).clip(0, 1).round(3))
        low, high = mean_interval(values, unit_interval=True).ends
        held += low <= 0.97 * 0.9 <= high  # type: ignore[operator]
    assert held >= 0.93 * 200 - 2 * (200 * 0.93 * 0.07) ** 0.5


@pytest.mark.parametrize("n", [7, 12, 25, 45])
def test_ends_invert_the_test(n: int) -> None:
    """Shifts inside are not rejected by the sign-flip test, shifts outside are."""
    rng = np.random.default_rng(n)
    values = np.round(rng.normal(0.3, 1.0, n), 2)
    low, high = difference_interval(values).ends
    assert low is not None
    assert high is not None
    width = high - low
    for shift, rejected in ((low - 0.02 * width, True), (low + 0.02 * width, False),
                            (high - 0.02 * width, False), (high + 0.02 * width, True)):  # fmt: skip
        alternative = "greater" if shift < values.mean() else "less"
        p = sign_flip(values - shift, alternative=alternative).p
        assert p is not None
        assert (p <= 0.025) == rejected


def test_many_items_take_t() -> None:
    """Where both can be made, they hardly differ."""
    values = np.random.default_rng(1).normal(0.1, 1.0, 101)
    low, high = difference_interval(values).ends
    inverted = difference_interval(values[:100])
    assert inverted.method == "inverted test"
    assert (low, high) == pytest.approx(inverted.ends, abs=0.05)


ROOTS: dict[str, tuple[Callable[[float], float], float]] = {
    "line": (lambda x: 3 * x - 1, 1 / 3),
    "cubic": (lambda x: x**3 - 0.2, 0.2 ** (1 / 3)),
    "logarithm": (lambda x: math.log(x + 1e-9) + 5, math.exp(-5)),
    "flat": (lambda x: (x - 0.7) ** 5, 0.7),
}


@pytest.mark.parametrize("name", ROOTS)
def test_a_smooth_function_takes_few_steps(name: str) -> None:
    function, root = ROOTS[name]
    looks: list[float] = []

    def watched(x: float) -> float:
        looks.append(x)
        return function(x)

    assert crossing(watched, 0.0, 1.0, xtol=1e-6) == pytest.approx(root, abs=1e-6)
    assert len(looks) <= (25 if name == "flat" else 16)


@given(st.floats(0.001, 0.999), st.floats(1e-9, 0.1))
def test_a_step_is_found_from_above(step: float, xtol: float) -> None:
    found = crossing(lambda x: -1.0 if x < step else 1.0, 0.0, 1.0, xtol=xtol)
    assert step <= found <= step + xtol
