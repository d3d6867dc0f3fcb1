"""Margins: exact by all tables, Tango's for many items, bounded means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multinomial

from tellapart.stats.intervals import BoundedMean, tango_statistic
from tellapart.stats.margins import RightOrWrong, exact_score_p


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
def test_ends_invert_the_test(won: int, lost: int, more: int, alpha: float) -> None:
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
