"""Power: by all outcomes, by brute force, by statsmodels, and what holds of every pilot."""

from __future__ import annotations

import importlib
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.power import TTestPower

from tellapart.errors import UsageError
from tellapart.stats.intervals import BoundedMean
from tellapart.stats.margins import RightOrWrong
from tellapart.stats.power import (
    AssumedScores,
    EstimatedError,
    ItemDifferences,
    Pilot,
    WinsAndLosses,
    detectable,
    needed,
    power,
    read_pilot,
)

module = importlib.import_module("tellapart.stats.power")  # its name is the function's, too
Floats = NDArray[np.float64]


def answers(won: float, lost: float) -> WinsAndLosses:
    return WinsAndLosses(won, lost, 1, assumed=True)


@pytest.mark.parametrize(("n", "level"), [(12, 0.05), (80, 0.01), (900, 0.0005), (9000, 0.01)])
def test_wins_and_losses_are_a_mixture_of_binomials(n: int, level: float) -> None:
    """Up to 2,000 differing items exactly; beyond, by an expansion."""
    won, lost = (0.2, 0.1) if n < 1000 else (0.16, 0.13)
    apart = np.arange(n + 1)
    # One more than the largest number that is not significant; none of few items is.
    fewest = stats.binom.isf(level / 2, apart, 0.5) + 1
    fewest += stats.binom.sf(fewest - 1, apart, 0.5) > level / 2
    found = stats.binom.sf(fewest - 1, apart, won / (won + lost))
    found += stats.binom.cdf(apart - fewest, apart, won / (won + lost))
    expected = float(stats.binom.pmf(apart, n, won + lost) @ found)
    result = power(answers(won, lost), won - lost, n, level=level)
    assert result == pytest.approx(expected, abs=1e-8 if n < 1000 else 2e-3)


def test_assumed_scores_are_made_of_four_cells() -> None:
    """0.70 and 0.75, correlated by 0.5: 0.525 + 0.5 · √(0.21 · 0.1875) are right for both."""
    both = 0.525 + 0.5 * math.sqrt(0.21 * 0.1875)
    pair = AssumedScores.of(0.70, 0.75)
    assert pair.rates(0.05) == pytest.approx((0.75 - both, 0.70 - both))
    assert pair.observed == pytest.approx(0.05)
    assert AssumedScores.of(0.3, 0.25) == AssumedScores.of(0.7, 0.75)
    assert needed(pair, 0.03).n == 1840
    assert needed(pair, 0.31).reason == "unreachable"
    with pytest.raises(UsageError, match="no items were seen"):
        detectable(pair)


def brute_force(pilot: ItemDifferences, difference: float, n: int, level: float) -> float:
    """Draw 2,000 sets and flip their signs: all of up to twelve items, else 4,999 times."""
    rng = np.random.default_rng(n)
    sets = rng.choice(pilot.residuals, (2000, n)) + difference
    if n <= 12:
        signs = np.array(list(product((1.0, -1.0), repeat=n)))
    else:
        signs = np.concatenate([np.ones((1, n)), rng.choice([1.0, -1.0], (4999, n))])
    reached = np.abs(signs @ sets.T) >= np.abs(sets.sum(axis=1)) - 1e-9
    return float((reached.mean(axis=0) <= level).mean())


def item_differences(values: Floats) -> ItemDifferences:
    pilot = read_pilot(values)
    assert isinstance(pilot, ItemDifferences)
    return pilot


def _pilots() -> dict[str, ItemDifferences]:
    rng = np.random.default_rng(3)
    return {
        "normal": item_differences(rng.normal(0.1, 1, 300)),
        "skewed": item_differences(rng.exponential(1, 300)),
        "skewed the other way": item_differences(1.5 - rng.exponential(1, 300)),
        "heavy tails": item_differences(rng.standard_t(4, 300) + 0.1),
        "mostly ties": item_differences((rng.random(300) < 0.2) * rng.normal(0.2, 1, 300)),
    }


PILOTS = _pilots()


@pytest.mark.parametrize(("n", "level"), [(8, 0.05), (120, 0.05), (60, 0.005)])
@pytest.mark.parametrize("name", PILOTS)
def test_what_is_detectable_is_found_four_times_out_of_five(
    name: str, n: int, level: float
) -> None:
    pilot = PILOTS[name]
    size = detectable(pilot, n, level=level).difference
    assert brute_force(pilot, size, n, level) == pytest.approx(0.8, abs=0.045)
    half = power(pilot, size / 2, n, level=level)
    assert half == pytest.approx(brute_force(pilot, size / 2, n, level), abs=0.045)


def t_test(error: float, df: float) -> EstimatedError:
    """Return a pilot whose error does not depend on items, less what it is spread by."""
    return EstimatedError(lambda _: (error / (1 + 1 / (2 * df)), df), 100)


@pytest.mark.parametrize("n", [3, 12, 200])
@pytest.mark.parametrize(
    ("alternative", "name"), [("two-sided", "two-sided"), ("greater", "larger")]
)
def test_power_by_error_is_that_of_statsmodels(n: int, alternative: str, name: str) -> None:
    pilot = t_test(1 / math.sqrt(n), n - 1)
    for effect in (0.0, 0.1, 0.5, 2.0):
        oracle = TTestPower().power(effect, n, 0.05, alternative=name)
        assert power(pilot, effect, alternative=alternative) == pytest.approx(oracle, abs=1e-7)


@pytest.mark.parametrize(
    ("n", "changed", "margin", "loss"),
    [(40, 0.1, 0.15, 0.0), (80, 0.3, 0.2, 0.02), (200, 0.05, 0.05, 0.0), (1000, 0.1, 0.03, 0.005)],
)
def test_margins_of_right_and_wrong_answers(
    n: int, changed: float, margin: float, loss: float
) -> None:
    rng = np.random.default_rng(n)
    won, lost = (changed - loss) / 2, (changed + loss) / 2
    tables = rng.multinomial(n, [won, lost, 1 - changed], size=2000)[:, :2]
    passed = [RightOrWrong(b, c, n).p_loss(margin) <= 0.05 for b, c in tables.tolist()]
    found = power(answers(won, lost), -loss, n, margin=margin)
    assert found == pytest.approx(np.mean(passed), abs=0.03)


@pytest.mark.parametrize(("n", "margin"), [(60, 0.06), (400, 0.03)])
def test_margins_of_bounded_means(n: int, margin: float) -> None:
    rng = np.random.default_rng(1)
    pilot = item_differences(rng.beta(5, 2, 150) - rng.beta(5, 2, 150))
    values = pilot.residuals + pilot.observed
    sets = rng.choice(np.concatenate([values, -values]), (800, n)) - 0.005
    passed = [BoundedMean.of(items, -1.0, 1.0).p_loss(margin) <= 0.05 for items in sets]
    found = power(pilot, -0.005, n, margin=margin)
    assert found == pytest.approx(np.mean(passed), abs=0.05)


ANY_PILOT: dict[str, Pilot] = {
    **PILOTS,
    "right or wrong": answers(0.15, 0.1),
    "assumed": AssumedScores.of(0.6, 0.7),
}


@given(st.sampled_from(sorted(ANY_PILOT)), st.integers(6, 3000), st.sampled_from([0.05, 0.001]))
def test_power_grows_with_the_difference_and_detectable_undoes_it(
    name: str, n: int, level: float
) -> None:
    pilot = ANY_PILOT[name]
    found = detectable(pilot, n, level=level, alternative="greater")
    if found.difference is None:
        assert found.reason == "unreachable"
        assert n < 70
        return
    sizes = np.linspace(-0.2, 1, 7) * found.difference
    powers = [power(pilot, size, n, level=level, alternative="greater") for size in sizes]
    assert powers == sorted(powers)
    # There are only so many sets, 300 at least, and of few items few: power goes up in steps.
    assert powers[-1] == pytest.approx(0.8, abs=1 / 300 if n > 20 else 0.03)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([0.0] * 50, "nothing-differs"),
        ([1.0, -1.0, 1.0, 1.0], "unreachable"),
        ([1.0, -1.0] * 3 + [1.0] + [0.0] * 53, "few-differing"),
        ([0.3, 0.1, -0.2, 0.4, 0.25, -0.1, 0.15], "few-items"),
        ([30.0, *np.random.default_rng(2).normal(0.2, 0.5, 49)], "uneven"),
    ],
)
def test_a_pilot_that_tells_too_little_gets_a_reason(values: list[float], reason: str) -> None:
    assert detectable(values) == module.Detectable(None, reason)
    expected = "few-items" if reason == "unreachable" else reason
    assert needed(values) == module.Needed(None, expected)
