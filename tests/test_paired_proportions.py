"""Tango's score statistic: published examples, symmetry, and the tests that it contains."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellapart.errors import UsageError
from tellapart.significance.paired_proportions import (
    exact_low_end,
    exact_p,
    only_second_rate,
    tango_interval,
    tango_p,
    tango_statistic,
)


def tables() -> st.SearchStrategy[tuple[int, int, int]]:
    """Return only-the-first, only-the-second and all items, where some item is there."""
    parts = st.tuples(*(st.integers(0, 60) for _ in range(3)))
    return parts.filter(lambda p: sum(p) > 0).map(lambda p: (p[0], p[1], sum(p)))


def test_tangos_own_example() -> None:
    """Tango 1998, section 5.1: chemical and thermal disinfection of 44 pairs of contact lenses."""
    assert float(tango_statistic(0, 1, 44, -0.1)) == pytest.approx(1.709, abs=5e-4)
    assert float(tango_p(0, 1, 44, 0.1)) == pytest.approx(0.044, abs=5e-4)
    low, high = tango_interval(0, 1, 44, 0.90)
    assert (float(low), float(high)) == pytest.approx((-0.096, 0.037), abs=5e-4)


@pytest.mark.parametrize(
    ("b", "c", "n", "low", "high"),
    [
        (1, 7, 21, -0.517, -0.026),  # Bentur et al., in Fagerland, Lydersen and Laake 2014
        (6, 16, 161, -0.124, -0.0054),  # Cavo et al., in R's contingencytables
        (12, 2, 50, 0.0611, 0.3447),  # Newcombe 1998 and Tango's answer
    ],
)
def test_published_intervals(b: int, c: int, n: int, low: float, high: float) -> None:
    found = tango_interval(b, c, n, 0.95)
    assert [float(end) for end in found] == pytest.approx([low, high], abs=5e-4)


@given(st.integers(1, 10_000), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_without_a_discordant_item_the_ends_are_wilsons(n: int, level: float) -> None:
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    low, high = tango_interval(0, 0, n, level)
    assert float(high) == pytest.approx(z2 / (n + z2), rel=1e-9)
    assert float(low) == -float(high)


@given(tables())
def test_no_difference_is_mcnemars_test(table: tuple[int, int, int]) -> None:
    b, c, n = table
    mcnemar = (b - c) / math.sqrt(b + c) if b + c else 0.0
    assert float(tango_statistic(b, c, n, 0.0)) == pytest.approx(mcnemar)


@given(tables(), st.floats(-0.99, 0.99))
def test_exchanged_systems_give_the_mirrored_statistic(
    table: tuple[int, int, int], shift: float
) -> None:
    b, c, n = table
    found = float(tango_statistic(b, c, n, shift))
    assert float(tango_statistic(c, b, n, -shift)) == pytest.approx(-found, rel=1e-6, abs=1e-9)


@given(tables(), st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]))
def test_the_ends_are_where_the_statistic_is_the_quantile(
    table: tuple[int, int, int], level: float
) -> None:
    b, c, n = table
    z = NormalDist().inv_cdf((1 + level) / 2)
    low, high = (float(end) for end in tango_interval(b, c, n, level))
    assert -1 <= low <= (b - c) / n <= high <= 1
    if low > -1 + 1e-9 and low < (b - c) / n:
        assert float(tango_statistic(b, c, n, low)) == pytest.approx(z, rel=1e-4)
    if high < 1 - 1e-9 and high > (b - c) / n:
        assert float(tango_statistic(b, c, n, high)) == pytest.approx(-z, rel=1e-4)


@given(tables(), st.floats(-0.95, 0.95))
def test_the_rate_is_the_likeliest_that_has_the_difference(
    table: tuple[int, int, int], shift: float
) -> None:
    b, c, n = table
    rates = np.linspace(max(0.0, -shift), (1 - shift) / 2, 1001)

    def log_likelihood(rate: np.ndarray) -> np.ndarray:
        parts = ((b, rate + shift), (c, rate), (n - b - c, 1 - shift - 2 * rate))
        with np.errstate(divide="ignore", invalid="ignore"):
            return sum((k * np.log(np.maximum(p, 1e-300)) for k, p in parts if k), np.zeros(1))

    found = np.array([float(only_second_rate(b, c, n, shift))])
    best = float(log_likelihood(rates).max())
    assert float(log_likelihood(found)[0]) >= best - 1e-6 * max(1.0, abs(best))


@given(tables(), tables())
def test_arrays_are_taken_element_by_element(
    first: tuple[int, int, int], second: tuple[int, int, int]
) -> None:
    b, c, n = (np.array(pair) for pair in zip(first, second, strict=True))
    low, high = tango_interval(b, c, n, 0.9)
    for k, table in enumerate((first, second)):
        # NumPy's loops over arrays and over single numbers may differ in the last bit.
        np.testing.assert_allclose(
            (low[k], high[k]), tango_interval(*table, 0.9), rtol=1e-12, atol=1e-12
        )


def all_tables(n: int) -> list[tuple[int, int]]:
    return [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]


def chances(n: int, won: float, lost: float) -> np.ndarray:
    """Return the chance of every table, by the formula of the multinomial distribution."""
    rest = max(1 - won - lost, 0.0)
    return np.array(
        [
            math.comb(n, b) * math.comb(n - b, c) * won**b * lost**c * rest ** (n - b - c)
            for b, c in all_tables(n)
        ]
    )


def test_the_exact_test_of_no_difference_is_known() -> None:
    """R's contingencytables: McNemar's exact unconditional test of Cavo et al., p = 0.034053.

    It is two-sided and adds a risk of 0.0001 to p, ours a risk of 0.00001 to each side.
    """
    assert 2 * (exact_p(16, 6, 161, 0.0) - 1e-5) + 1e-4 == pytest.approx(0.034053, abs=1e-6)


@given(st.integers(1, 12), st.data(), st.floats(0.01, 0.6))
@settings(deadline=None, max_examples=40)
def test_the_exact_p_is_the_largest_chance_of_such_a_table(
    n: int, data: st.DataObject, margin: float
) -> None:
    b, c = data.draw(st.sampled_from(all_tables(n)))
    here = float(tango_statistic(b, c, n, -margin))
    tail = np.array([float(tango_statistic(*t, n, -margin)) >= here - 1e-9 for t in all_tables(n)])
    rates = np.linspace(margin, 1, 300)
    largest = max(chances(n, (r - margin) / 2, (r + margin) / 2)[tail].sum() for r in rates)
    found = exact_p(b, c, n, margin)
    # Rates that the data all but rule out are left out, at a risk of 0.00001.
    assert found <= largest * 1.001 + 2e-5
    assert found >= chances(n, *_fitted(b, c, n, margin))[tail].sum() - 1e-4


def _fitted(b: int, c: int, n: int, margin: float) -> tuple[float, float]:
    lost = float(only_second_rate(b, c, n, -margin))
    return lost - margin, lost


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("n", [5, 12])
def test_a_loss_of_the_margin_is_rejected_no_more_often_than_alpha(n: int, margin: float) -> None:
    p_values = np.array([exact_p(b, c, n, margin) for b, c in all_tables(n)])
    for alpha in (0.01, 0.05, 0.2):
        for rate in np.linspace(margin, 1, 60):
            chance = chances(n, (rate - margin) / 2, (rate + margin) / 2)
            assert chance[p_values <= alpha].sum() <= alpha + 1e-9


@given(st.integers(1, 25), st.floats(-0.9, 0.9))
def test_the_statistic_grows_with_wins_and_falls_with_losses(n: int, shift: float) -> None:
    """So that of all differences below the margin, the margin itself is the hardest to reject."""
    for c in range(n + 1):
        along = tango_statistic(np.arange(n + 1 - c), c, n, shift)
        assert (np.diff(along) > -1e-9).all()
        across = tango_statistic(c, np.arange(n + 1 - c), n, shift)
        assert (np.diff(across) < 1e-9).all()


@pytest.mark.parametrize(("b", "c", "n"), [(0, 0, 5), (1, 3, 20), (4, 4, 9), (0, 7, 7), (7, 0, 7)])
def test_the_exact_low_end_is_where_p_is_alpha(b: int, c: int, n: int) -> None:
    end = exact_low_end(b, c, n, 0.05)
    assert -1 <= end <= (b - c) / n
    if end > -1 + 1e-5:
        assert exact_p(b, c, n, -(end - 1e-4)) <= 0.05 < exact_p(b, c, n, -(end + 1e-4))
    if b == c == 0:
        assert end == pytest.approx(0.05 ** (1 / n) - 1, abs=1e-4)  # as for a single proportion


def test_a_level_of_one_is_refused() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        tango_interval(1, 2, 10, 1.0)
