"""Power by formula: known answers, scipy's own, and what holds of every population."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special, stats

import tellapart as ta
from tellapart.counts import Counts
from tellapart.planning.pilot import Pilot
from tellapart.planning.populations import Clustering, Detections, RightOrWrong
from tellapart.significance.observed_spread import ObservedPair, digamma, trigamma
from tellapart.significance.power import (
    PowerCurve,
    Spread,
    fewest_items,
    fewest_wins,
    found_size,
    power,
    sign_power,
)

SETS = 2_000
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


# --- formulas, by hand and against scipy ---


def test_sign_power_counts_all_outcomes() -> None:
    """Every outcome of seven items, won, lost or tied, weighted by its chance."""
    wins, losses, items, total = 0.6, 0.1, 7, 0.0
    for outcome in product((1, 0, -1), repeat=items):
        won, lost = outcome.count(1), outcome.count(-1)
        p = 1.0 if won + lost == 0 else stats.binomtest(won, won + lost).pvalue
        if p <= 0.05:
            total += wins**won * losses**lost * 0.3 ** (items - won - lost)
    assert sign_power(items, wins, losses, 0.05) == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize(("items", "level"), [(12, 0.05), (80, 0.01), (900, 0.0005)])
def test_sign_power_is_a_mixture_of_binomials(items: int, level: float) -> None:
    wins, losses = 0.2, 0.1
    total = 0.0
    for apart in range(items + 1):
        # The fewest wins that a two-sided sign test calls significant.
        tails = 2 * stats.binom.sf(np.arange(apart + 1) - 1, apart, 0.5)
        most = int(np.argmax(tails <= level)) if (tails <= level).any() else apart + 1
        found = stats.binom.sf(most - 1, apart, 2 / 3) + stats.binom.cdf(apart - most, apart, 2 / 3)
        total += stats.binom.pmf(apart, items, wins + losses) * found
    assert sign_power(items, wins, losses, level) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("items", [8, 30, 500])
def test_power_of_real_scores_is_that_of_the_paired_t_test(items: int) -> None:
    level, spread = 0.05, Spread(0.3, 1.0)
    critical, shift = stats.t.ppf(0.975, items - 1), 0.3 * math.sqrt(items)
    oracle = stats.nct.sf(critical, items - 1, shift) + stats.nct.cdf(-critical, items - 1, shift)
    assert power(spread, items, level, exchanges=False) == pytest.approx(oracle, abs=1e-6)
    assert power(spread, items, level) == pytest.approx(oracle, abs=0.03)


@pytest.mark.parametrize(
    ("items", "level", "tail"),
    [(6, 0.05, "two"), (8, 0.05, "two"), (10, 0.005, "two"), (12, 0.05 / 45, "two"),
     (5, 0.05, "greater"), (11, 0.05, "greater")],
)  # fmt: skip
def test_power_of_few_items_is_that_of_all_exchanges(items: int, level: float, tail: str) -> None:
    """Every exchange of a thousand sets of normal items, at the difference that is found."""
    size = found_size(items, level, tail, True, 0.8)
    rng = np.random.default_rng(items)
    signs = np.array(list(product((1.0, -1.0), repeat=items)))
    sets = rng.normal(size, 1, (1_000, items))
    sums, measured = signs @ sets.T, sets.sum(axis=1)
    if tail == "two":
        sums, measured = np.abs(sums), np.abs(measured)
    p = (sums >= measured - 1e-9).mean(axis=0)
    assert (p <= level).mean() == pytest.approx(0.8, abs=0.04)


def test_large_samples_follow_the_normal_formula() -> None:
    """(z + z) sd / √n, with the spread of the pair at the difference that is found."""
    pair = RightOrWrong(0.7, 0.75)
    found = PowerCurve(pair, 0.05).detectable(200_000, 0.8)
    assert found is not None
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert found == pytest.approx(z * pair.spread(found).deviation / math.sqrt(200_000), rel=0.005)


def test_too_few_items_have_no_power() -> None:
    assert fewest_items(0.05) == 6
    assert power(Spread(0.9, 0.1), 5, 0.05) == 0
    assert power(Spread(0.9, 0.1, wins=1.0, losses=0.0), 6, 0.05) == 1


def test_accuracy_is_made_of_four_cells() -> None:
    """0.70 and 0.75, correlated by 0.5: 0.525 + 0.5 · √(0.21 · 0.1875) are right for both."""
    both = 0.525 + 0.5 * math.sqrt(0.21 * 0.1875)
    model = RightOrWrong(0.70, 0.75).at(0.05)
    assert model.rates == pytest.approx([both, 0.70 - both, 0.75 - both, both - 0.45])
    spread = model.spread()
    assert spread.difference == pytest.approx(0.05)
    assert spread.deviation**2 == pytest.approx(1.45 - 2 * both - 0.05**2)
    assert (spread.wins, spread.losses) == pytest.approx((0.70 - both, 0.75 - both))


def test_agreement_is_what_is_left_of_disagreement() -> None:
    model = RightOrWrong(0.70, 0.75, None, agreement=0.85).at(0.03)
    assert model.rates[[1, 2]] == pytest.approx([0.06, 0.09])


def test_detections_have_the_assumed_scores() -> None:
    pair = Detections((0.8, 0.85), (0.6, 0.7), gold_per_item=2.5)
    model = pair.at(pair.assumed)
    tp, fp, fn = model.rates[[0, 2]].sum(), model.rates[[4, 6]].sum(), model.rates[[1, 3]].sum()
    assert (tp + fn, tp / (tp + fn), tp / (tp + fp)) == pytest.approx((2.5, 0.7, 0.85))
    assert pair.assumed == pytest.approx(2 * 0.85 * 0.7 / 1.55 - 2 * 0.8 * 0.6 / 1.4)
    assert abs(model.difference) == pytest.approx(pair.assumed)


# --- properties ---


def _populations() -> list[RightOrWrong | Detections | Pilot]:
    muc4 = ta.example("muc4").systems["GE", "UMASS"]
    return [RightOrWrong(0.6, 0.7), Detections((0.8, 0.8), (0.6, 0.6)), Pilot.of(muc4, "f1")]


POPULATIONS = _populations()


@settings(max_examples=12, deadline=None)
@given(st.integers(400, 20_000), st.integers(0, 2), st.sampled_from([0.5, 0.8, 0.95]))
def test_detectable_falls_with_the_root_of_items(items: int, which: int, wanted: float) -> None:
    curve = PowerCurve(POPULATIONS[which], 0.05)
    once, four_times = (curve.detectable(n, wanted) for n in (items, 4 * items))
    assert once is not None
    assert four_times is not None
    assert four_times / once == pytest.approx(0.5, rel=0.06)


@settings(max_examples=12, deadline=None)
@given(st.integers(30, 5_000), st.integers(0, 2), st.sampled_from([0.05, 0.001]))
def test_needed_undoes_detectable(items: int, which: int, level: float) -> None:
    curve = PowerCurve(POPULATIONS[which], level)
    difference = curve.detectable(items, 0.8)
    if difference is not None:
        needed = curve.needed(difference, 0.8)
        assert needed is not None
        assert abs(needed - items) <= max(4, 0.01 * items)


@settings(max_examples=10, deadline=None)
@given(st.floats(0.02, 0.2), st.integers(2, 30), st.floats(0.01, 0.9))
def test_clusters_cost_power(difference: float, size: int, icc: float) -> None:
    """Items of clusters are worth less than items by themselves; with icc 1, one of each."""
    alone, alike = RightOrWrong(0.6, 0.8), RightOrWrong(0.6, 0.8, clustering=Clustering(size, icc))
    same = RightOrWrong(0.6, 0.8, clustering=Clustering(size, 1.0))
    deviation = alone.spread(difference).deviation
    assert alike.spread(difference).deviation > deviation / math.sqrt(size)
    assert same.spread(difference).deviation == pytest.approx(deviation)


def test_the_pilot_at_its_own_difference_is_the_pilot() -> None:
    """Thirty wins, ten losses and sixty ties stay what they are, and 0 is symmetric."""
    first = [1] * 30 + [0] * 10 + [1] * 60
    second = [0] * 30 + [1] * 10 + [1] * 60
    pilot = Pilot.of(Counts.from_arrays({"A": first, "B": second}), "mean")
    own, none = pilot.at(0.2).spread(), pilot.at(0.0).spread()
    assert (own.wins, own.losses) == pytest.approx((0.3, 0.1), abs=1e-6)
    assert none.wins == pytest.approx(none.losses)
    interpolated = pilot.spread(0.2)
    assert interpolated.deviation == pytest.approx(math.sqrt(0.4 - 0.04), rel=1e-3)


def test_what_can_be_found_takes_few_looks_at_the_power() -> None:
    """Regula falsi closes in faster than by halves: a board asks this of hundreds of pairs."""
    looks: list[float] = []

    class Watched(ObservedPair):
        def spread(self, difference: float) -> Spread:
            looks.append(difference)
            return ObservedPair.spread(self, difference)

    pair = Watched(1000, 1000, 0.0, 0.0, step=1.0, share=0.45)
    found = PowerCurve(pair, 1e-3).detectable(1000, 0.8)
    assert found is not None
    assert len(looks) <= 12
    assert PowerCurve(pair, 1e-3).power(1000, found) == pytest.approx(0.8, abs=1e-8)


@given(st.floats(-1, 9).map(lambda x: 10**x))
def test_derivatives_of_the_gamma_function_are_those_of_scipy(x: float) -> None:
    assert float(digamma(x)) == pytest.approx(float(special.digamma(x)), rel=1e-13, abs=1e-14)
    assert float(trigamma(x)) == pytest.approx(float(special.polygamma(1, x)), rel=1e-13)


@pytest.mark.parametrize("level", [0.5, 0.25, 0.05, 0.03125, 1e-3, 1e-9])
def test_wins_that_are_significant_are_the_fewest(level: float) -> None:
    """Exactly so, also where a tail is the level itself, as 1 of 32 is."""
    wins = fewest_wins(256, level)
    for n, fewest in enumerate(wins.tolist()):
        tails = [sum(math.comb(n, k) for k in range(at, n + 1)) for at in (fewest, fewest - 1)]
        assert tails[0] <= level * 2**n < tails[1]
