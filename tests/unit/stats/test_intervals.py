"""Intervals and margins: SciPy and statsmodels, all tables, and that ends invert their tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.stats import multinomial
from statsmodels.stats.proportion import proportion_confint

from tellapart.stats.intervals import (
    BoundedMean,
    ClusteredMean,
    clustered_wilson,
    difference_interval,
    mean_interval,
    newcombe,
    tango,
    tango_statistic,
    wilson,
)
from tellapart.stats.margins import RightOrWrong, exact_score_p
from tellapart.stats.signed_sums import sign_flip


@given(st.integers(0, 40), st.integers(1, 40), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_agrees_with_statsmodels(right: int, more: int, level: float) -> None:
    n = right + more
    expected = proportion_confint(right, n, 1 - level, method="wilson")
    assert wilson(right, n, level).ends == pytest.approx(expected, abs=1e-12)


def test_published_examples() -> None:
    """Newcombe 1998, table II, (a) and (h); Tango 1998: 0 and 1 of 44, 16 and 6 of 161 differ."""
    assert newcombe((56, 70), (48, 80)).ends == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert newcombe((10, 10), (0, 10)).ends == pytest.approx((0.6075, 1.0), abs=5e-5)
    assert float(tango_statistic(0, 1, 44, -0.1)) == pytest.approx(1.709, abs=5e-4)
    assert tango(6, 16, 161) == pytest.approx((-0.124, -0.0054), abs=5e-5)


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
    assert (found.error, found.df) == pytest.approx((scipy_stats.sem(values), 5.0))
    right = np.array([1.0, 0, 1, 1, 0, 1, 1, 1])
    interval = clustered_wilson(right, np.ones(8))
    assert interval.low <= wilson(6, 8).ends[0]


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


@pytest.mark.parametrize("n", [7, 12, 25, 45])
def test_ends_invert_the_test(n: int) -> None:
    """Shifts inside are not rejected by the sign-flip test, shifts outside are."""
    rng = np.random.default_rng(n)
    values = np.round(rng.normal(0.3, 1.0, n), 2)
    low, high = difference_interval(values).ends
    width = high - low
    for shift, rejected in ((low - 0.02 * width, True), (low + 0.02 * width, False),
                            (high - 0.02 * width, False), (high + 0.02 * width, True)):  # fmt: skip
        alternative = "greater" if shift < values.mean() else "less"
        p = sign_flip(values - shift, alternative=alternative).p
        assert (p <= 0.025) == rejected


LEVELS = st.lists(st.sampled_from([0, 0, 0, 1, 1, -1, 2]), min_size=26, max_size=70)


@given(LEVELS.filter(any), st.booleans())
@settings(max_examples=40, deadline=None)
def test_ends_of_tied_differences_are_where_the_test_leaps(
    levels: list[int], clusters: bool
) -> None:
    """Each end is the last shift that is not rejected, and so 0 is one where p says so."""
    values = np.array(levels) / 3
    sizes = np.resize([1.0, 2.0, 3.0], len(values)) if clusters else np.ones(len(values))
    ends = difference_interval(values, sizes).ends

    def p(shift: float, alternative: str) -> float:
        thirds = np.round(3000 * values - 3000 * shift * sizes)
        return sign_flip(thirds, alternative=alternative).p or 0.0

    for end, out, alternative in zip(ends, (-2e-3, 2e-3), ("greater", "less"), strict=True):
        if abs(round(end * 6) - end * 6) < 1e-9:  # elsewhere, shifts have no few digits
            assert p(end, alternative) > 0.025
        assert p(end + out, alternative) <= 0.025
    leaves_out = p(0.0, "two-sided") <= 0.05
    assert leaves_out == (ends[0] > 0 or ends[1] < 0)


def by_all_tables(b: int, c: int, n: int, margin: float) -> float:
    """Return the largest chance of so large a statistic, over a fine grid of rates."""
    least = float(tango_statistic(b, c, n, -margin)) - 1e-9
    tables = np.array([(x, y) for x in range(n + 1) for y in range(n + 1 - x)])
    reached = tables[tango_statistic(tables[:, 0], tables[:, 1], n, -margin) >= least]
    best = 0.0
    for rate in np.linspace(margin, 1, 201):
        shares = [(rate - margin) / 2, (rate + margin) / 2]
        cells = np.column_stack([reached, n - reached.sum(axis=1)])
        best = max(best, float(multinomial.pmf(cells, n, [*shares, 1 - sum(shares)]).sum()))
    return best


@pytest.mark.parametrize(("b", "c", "n"), [(0, 0, 12), (2, 1, 15), (0, 3, 20), (4, 4, 18)])
def test_exact_p_is_the_worst_over_rates(b: int, c: int, n: int) -> None:
    """No rate of discordance that the data leave possible gives a larger chance."""
    found = exact_score_p(b, c, n, 0.1)
    assert found <= by_all_tables(b, c, n, 0.1) * 1.002 + 2e-5
    if b + c == 0:
        assert found == pytest.approx(0.9**n, abs=2e-4)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(5, 60), st.floats(0.01, 0.3))
def test_ends_of_leads_invert_the_test(won: int, lost: int, more: int, alpha: float) -> None:
    """A loss beyond the lower end is rejected, one short of it is not.

    Exact p goes up in a sawtooth, whose teeth are less than two items wide.
    """
    values = [1.0] * won + [-1.0] * lost + [0.0] * more
    exact, bounded = RightOrWrong(won, lost, len(values)), BoundedMean.of(values, -1.0, 1.0)
    for lead, step in ((exact, 2 / len(values)), (bounded, 2e-3)):
        low = lead.low_end(alpha)
        if -0.99 + step < low < lead.low_end(0.499) - step:
            assert lead.p_loss(-(low - step)) <= alpha + 1e-9
            assert lead.p_loss(-(low + step)) >= alpha - 1e-9


@given(st.integers(0, 20), st.integers(0, 20), st.integers(101, 200), st.floats(0.01, 0.2))
def test_bounded_mean_of_signs_is_tangos(won: int, lost: int, more: int, margin: float) -> None:
    values = [1.0] * won + [-1.0] * lost + [0.0] * more
    mean = BoundedMean.of(values, -1.0, 1.0)
    expected = float(tango_statistic(won, lost, won + lost + more, -margin))
    assert mean.statistic(-margin) == pytest.approx(expected, abs=1e-6)
    kinds, times = np.unique(values, return_counts=True)
    grouped = BoundedMean.of(kinds, -1.0, 1.0, times)
    assert grouped.p_loss(margin) == pytest.approx(mean.p_loss(margin), abs=1e-12)
