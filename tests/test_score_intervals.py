"""Intervals of single scores: Wilson's and t's against scipy and against whole matrices."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import tellapart as ta
from tellapart.counts import Counts
from tellapart.metrics.projection import BoundRatio, project
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.intervals import right_worth, share_differences, system_mean
from tellapart.significance.paired_proportions import tango_interval
from tellapart.significance.score_intervals import (
    ClusteredMean,
    clustered_share,
    mean_interval,
    newcombe,
    unseen,
    wilson,
)

Floats = NDArray[np.float64]


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("items", [1, 5, 20, 333])
def test_wilson_is_that_of_scipy(items: int, level: float) -> None:
    for right in {0, 1, items // 3, items}:
        expected = stats.binomtest(right, items).proportion_ci(level, method="wilson")
        assert wilson(right, items, level) == pytest.approx(tuple(expected), abs=1e-12)


def test_newcombe_is_that_of_his_table() -> None:
    """Newcombe 1998, Statistics in Medicine 17, table II, method 10."""
    for first, second, ends in (
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
    ):
        assert newcombe(first, second, 0.95) == pytest.approx(ends, abs=5e-5)


def as_matrices(sums: Floats, sizes: Floats) -> tuple[float, float]:
    """Work out CR2 and its degrees of freedom item by item, with the matrices of the papers.

    Items of a cluster are wholly alike in the working model of the degrees of freedom.
    """
    which = np.repeat(np.arange(len(sizes)), sizes.astype(int))
    n = len(which)
    hat = np.full((n, n), 1 / n)
    values = (sums / sizes)[which]
    residuals = values - values.mean()
    vectors = []
    variance = 0.0
    for cluster in range(len(sizes)):
        rows = np.flatnonzero(which == cluster)
        within = np.eye(len(rows)) - hat[np.ix_(rows, rows)]
        roots, basis = np.linalg.eigh(within)
        adjust = basis @ np.diag(roots**-0.5) @ basis.T
        weights = adjust.sum(axis=0) / n
        variance += float(weights @ residuals[rows]) ** 2
        vectors.append(weights @ (np.eye(n) - hat)[rows])
    stacked = np.array(vectors)
    alike = (which[:, None] == which).astype(float)
    spread = stacked @ alike @ stacked.T
    return math.sqrt(variance), float(np.trace(spread) ** 2 / (spread**2).sum())


@pytest.mark.parametrize("seed", range(6))
def test_clusters_have_the_error_and_the_freedom_of_the_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, 8).astype(float)
    sums = rng.binomial(sizes.astype(int), 0.6).astype(float)

    found = ClusteredMean.of(sums, sizes)

    assert found is not None
    assert (found.error, found.df) == pytest.approx(as_matrices(sums, sizes))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_single_items_have_the_interval_of_the_t_test(level: float) -> None:
    values = np.random.default_rng(5).normal(0.2, 1, 30)
    found = ClusteredMean.of(values, np.ones(30))
    assert found is not None
    low, high = stats.ttest_1samp(values, 0).confidence_interval(level)
    reach = found.reach(level) * found.error

    assert (found.mean - reach, found.mean + reach) == pytest.approx((low, high))
    shown = mean_interval(values, np.ones(30), level, bounded=False)
    assert shown.contains(float(low))
    assert shown.contains(float(high))


def test_halls_transformation_is_undone() -> None:
    """His g of what is found gives back the t that was asked for."""
    found = ClusteredMean.of(np.random.default_rng(1).exponential(size=40), np.ones(40))
    assert found is not None
    a = found.skewness
    assert a == pytest.approx(
        stats.skew(np.random.default_rng(1).exponential(size=40), bias=False) / math.sqrt(40)
    )
    for t in (-2.0, 0.0, 2.0):
        moved = found.skewed(t)
        assert moved + a * moved**2 / 3 + a**2 * moved**3 / 27 + a / 6 == pytest.approx(t)


def test_skewed_scores_reach_further_on_the_side_of_their_tail() -> None:
    values = np.random.default_rng(3).exponential(size=30)
    upward = mean_interval(values, np.ones(30), 0.95, bounded=False)
    downward = mean_interval(-values, np.ones(30), 0.95, bounded=False)
    low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)

    assert upward.low == pytest.approx(low)
    assert upward.high is not None
    assert upward.high > high
    assert downward.ends == pytest.approx((-upward.high, -(upward.low or 0)))


bounded_clusters = st.lists(st.tuples(st.integers(1, 30), st.floats(0, 1)), min_size=2, max_size=25)


@settings(max_examples=100, deadline=None)
@given(clusters=bounded_clusters, level=st.sampled_from([0.5, 0.95, 0.999]), order=st.randoms())
def test_bounded_scores_have_intervals_within_bounds_that_are_no_points(
    clusters: list[tuple[int, float]], level: float, order: Any
) -> None:
    sizes = np.array([float(size) for size, _ in clusters])
    shares = np.array([share for _, share in clusters])
    places = list(range(len(clusters)))
    order.shuffle(places)
    for found, again in (
        (
            mean_interval(shares * sizes, sizes, level, bounded=True),
            mean_interval((shares * sizes)[places], sizes[places], level, bounded=True),
        ),
        (
            clustered_share(np.rint(shares * sizes), sizes, level),
            clustered_share(np.rint(shares * sizes)[places], sizes[places], level),
        ),
    ):
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low < found.high <= 1
        assert again.ends == pytest.approx(found.ends, abs=1e-9)


def test_answers_in_clusters_of_one_have_at_least_the_width_of_wilson() -> None:
    for right in range(21):
        found = clustered_share(np.repeat([1.0, 0.0], [right, 20 - right]), np.ones(20), 0.95)
        low, high = wilson(right, 20, 0.95)
        assert found.contains(low)
        assert found.contains(high)


def test_items_that_are_all_alike_are_no_certainty() -> None:
    assert unseen(1, 20, 0.95) == pytest.approx(wilson(20, 20, 0.95))
    for value, bounded in ((0.0, True), (0.3, True), (1.0, True), (7.0, False)):
        found = mean_interval(np.full(20, value), np.ones(20), 0.95, bounded)
        assert found.contains(value)
        assert not found.is_point
        assert (found.ends == (None, None)) is not bounded


def bound_of(counts: Counts) -> tuple[Any, BoundRatio]:
    projection = project(counts)
    assert isinstance(projection.metrics[0], BoundRatio)
    return projection, projection.metrics[0]


def test_a_hundred_points_for_a_right_answer_are_worth_a_hundred_times_as_much() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 30))
    ones, hundreds = (bound_of(Counts.from_arrays({"A": k * a, "B": k * b})) for k in (1, 100))
    assert right_worth(*hundreds) == 100
    assert system_mean(*hundreds, 0, 0.9) == system_mean(*ones, 0, 0.9).scaled(100)
    shares = share_differences(*ones, [(0, 1)], 0.9)
    assert shares is not None
    assert share_differences(*hundreds, [(0, 1)], 0.9) == [shares[0].scaled(100)]


def test_systems_with_their_own_items_have_newcombes_interval() -> None:
    present = np.repeat([[True, False], [False, True]], 70, axis=1)
    right = np.zeros((2, 140), int)
    right[0, :56] = right[1, 70:112] = 1
    rows = {name: right[k] for k, name in enumerate("AB")}
    counts = replace(Counts.from_arrays(rows), present=present)
    result = ta.compare(counts, test="unpaired")

    assert result.pairs[0].interval == pytest.approx(newcombe((56, 70), (42, 70), 0.95))
    assert result.pairs[0].interval_method == "newcombe"
    assert result.systems[0].intervals["mean"] == pytest.approx(wilson(56, 70, 0.95))


def test_paired_answers_have_tangos_interval() -> None:
    a, b = np.repeat([[1, 0, 1], [0, 1, 1]], [7, 3, 30], axis=1)
    pair = ta.compare(Counts.from_arrays({"A": a, "B": b})).pairs[0]
    assert pair.interval == pytest.approx([float(end) for end in tango_interval(7, 3, 40, 0.95)])
    assert pair.interval_method == "tango"


def test_five_wins_and_no_loss_leave_zero_in_and_six_do_not() -> None:
    """The score test alone says .025 of five wins; the exact p is .0625."""
    five, six = (
        ta.compare(Counts.from_arrays({"A": [1] * k + [0] * 14, "B": [0] * (k + 14)})).pairs[0]
        for k in (5, 6)
    )
    assert float(tango_interval(5, 0, 19, 0.95)[0]) > 0
    assert (five.p, five.holds_zero) == (0.0625, True)
    assert (five.interval or (None,))[0] == 0
    assert six.different
    assert not six.holds_zero


@pytest.mark.parametrize("metric", ["f1", "mean"])
def test_one_item_that_differs_is_no_certainty_about_the_others(metric: str) -> None:
    """Of graded scores and ratios: no shorter than Tango's of the gains and losses."""
    if metric == "f1":
        rows = {name: np.tile([3, 1, 1], (30, 1)) for name in "AB"}
        rows["A"][0] = [0, 1, 4]
        counts = Counts.from_arrays(rows, ["tp", "fp", "fn"])
    else:
        scores = np.full(30, 0.8)
        counts = Counts.from_arrays({"A": np.append(scores[1:], 0.1), "B": scores})
    pair = ta.compare(counts, [metric]).pairs[0]
    low, high = pair.interval or (None, None)
    assert low is not None
    assert high is not None
    assert low < -0.09
    assert high > 0.05


def test_intervals_say_of_zero_what_the_test_says() -> None:
    found = Interval(-0.1, 0.3, "t")
    assert found.deciding(True, 0.1).ends == (0, 0.3)
    assert found.deciding(True, -0.1).ends == (-0.1, 0)
    assert found.deciding(True, 0.0).ends == found.ends
    assert Interval(0.1, 0.3, "t").deciding(False, 0.2).ends == (0, 0.3)
    assert Interval(-0.1, None, "t").deciding(True, 0.1).ends == (0, None)
    assert Interval(None, 0.1, "t").deciding(True, -0.1).ends == (None, 0)
    assert Interval(None, None, "t").deciding(True, 0.1).ends == (0, None)
    assert Interval(None, -0.1, "t").deciding(False, -0.2).ends == (None, 0)
