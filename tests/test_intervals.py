"""Intervals: against scipy's, against the tests they invert, and how often they cover."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.projection import BoundRatio, Projection, project
from tellapart.resampling import path
from tellapart.resampling.workers import open_workers
from tellapart.significance.bootstrap import differences, jackknife, resample
from tellapart.significance.exact import exact_test
from tellapart.significance.intervals import (
    INVERTED_UNITS,
    Interval,
    basic,
    bca,
    inverted,
    percentile,
    quantiles,
    resampled_interval,
    t_difference,
    t_interval,
)
from tellapart.significance.randomization import Question, ShuffleJob, count_exceedances

Floats = NDArray[np.float64]


def scores_of(a: Any, b: Any) -> Projection:
    return project(Counts.from_arrays({"A": a, "B": b}))


def mean_of(projection: Projection) -> BoundRatio:
    bound = projection.metrics[0]
    assert isinstance(bound, BoundRatio)
    return bound


def inversion(a: Any, b: Any, level: float = 0.95, shuffles: int = 999, seed: int = 0) -> Interval:
    projection = scores_of(a, b)
    return inverted(projection, mean_of(projection), 0, 1, level, shuffles, seed)


def test_percentiles_are_order_statistics() -> None:
    """Number k and B+1-k of B values, k = (B+1) alpha/2."""
    drawn = np.random.default_rng(0).permutation(np.arange(1.0, 10_000))

    assert percentile(drawn, 0.95).ends == (250, 9750)
    assert percentile(drawn, 0.90).ends == (500, 9500)
    assert percentile(np.arange(1.0, 40), 0.95).ends == (1, 39)


def test_an_end_between_two_ranks_is_the_outer_one() -> None:
    assert percentile(np.arange(1.0, 101), 0.95).ends == (2, 99)  # ranks 2.525 and 98.475
    assert percentile(np.arange(1.0, 11), 0.95).ends == (1, 10)  # rank 0.275: there is none


def test_enumerated_quantiles_are_the_smallest_values_that_reach_their_level() -> None:
    values, times = np.array([3.0, 1.0, 2.0]), np.array([1, 1, 2])

    assert quantiles(values, [0.25, 0.26, 0.75, 0.76, 1.0], times) == [1, 2, 2, 3, 3]


def test_basic_ends_mirror_percentile_ends() -> None:
    drawn = np.arange(1.0, 1000)

    assert basic(drawn, 300, 0.95, None).ends == (600 - 975, 600 - 25)


@pytest.fixture(scope="module")
def ratio_case() -> dict[str, Any]:
    """Make a skewed difference of F1 scores, resampled, with its jackknife."""
    rng = np.random.default_rng(11)
    sizes = rng.geometric(0.2, 40)
    rows = [np.stack([rng.binomial(sizes, p), sizes, rng.poisson(2, 40)], 1) for p in (0.6, 0.5)]
    counts = Counts.from_arrays(dict(zip("AB", rows, strict=True)), ["tp", "fp", "fn"])
    projection = project(counts, ["f1"])
    bound, question = projection.metrics[0], Question(projection.metrics[0], 0, 1, "two")
    with open_workers(1) as crew:
        drawn = differences(resample(projection, 9_999, 0, crew), question)

    def apart(units: NDArray[np.int64]) -> float:
        tp, fp, fn = np.moveaxis(np.stack(rows)[:, units].sum(axis=1), -1, 0)
        scores = 2 * tp / (2 * tp + fp + fn)
        return float(scores[0] - scores[1])

    return {
        "drawn": drawn,
        "measured": float(projection.score(bound, 0) - projection.score(bound, 1)),
        "left_out": jackknife(projection, bound, 0) - jackknife(projection, bound, 1),
        "apart": apart,
    }


def scipy_interval(case: dict[str, Any], method: str, drawn: Floats | None) -> tuple[float, float]:
    """Ask scipy, for its own resamples or for ours."""
    given_ones: dict[str, Any] = {"n_resamples": 9_999, "rng": np.random.default_rng(1)}
    if drawn is not None:
        units = (np.arange(40),)
        start = stats.bootstrap(units, case["apart"], n_resamples=2, method=method, rng=0)
        start.bootstrap_distribution = drawn
        given_ones = {"n_resamples": 0, "bootstrap_result": start}
    found = stats.bootstrap(
        (np.arange(40),), case["apart"], vectorized=False, method=method, **given_ones
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


OURS: dict[str, Callable[[dict[str, Any]], Interval]] = {
    "percentile": lambda c: percentile(c["drawn"], 0.95),
    "basic": lambda c: basic(c["drawn"], c["measured"], 0.95, None),
    "BCa": lambda c: bca(c["drawn"], c["measured"], c["left_out"], 0.95),
}


@pytest.mark.parametrize("method", list(OURS))
def test_ends_are_those_of_scipy_on_the_same_resamples(
    ratio_case: dict[str, Any], method: str
) -> None:
    """Up to interpolation between two neighbours, which scipy does."""
    gap = float(np.diff(np.sort(ratio_case["drawn"]))[100:-100].max())

    ends = OURS[method](ratio_case).ends

    assert ends == pytest.approx(
        scipy_interval(ratio_case, method, ratio_case["drawn"]), rel=0, abs=2 * gap
    )


@pytest.mark.parametrize("method", list(OURS))
def test_ends_are_near_those_of_scipy_on_its_own_resamples(
    ratio_case: dict[str, Any], method: str
) -> None:
    width = float(np.std(ratio_case["drawn"]))

    ends = OURS[method](ratio_case).ends

    # The 250th of 9,999 values is off by 2.7 % of a standard deviation.
    assert ends == pytest.approx(scipy_interval(ratio_case, method, None), rel=0, abs=0.15 * width)


def test_bca_is_not_the_percentile_interval(ratio_case: dict[str, Any]) -> None:
    assert OURS["BCa"](ratio_case).ends != OURS["percentile"](ratio_case).ends


def test_bca_falls_back_to_percentile_and_says_so() -> None:
    """All resamples on one side, or a jackknife without spread."""
    drawn, spread = np.arange(1.0, 100), np.array([1.0, 2.0, 4.0])
    for measured, left_out in ((0.0, spread), (100.0, spread), (50.0, np.ones(3))):
        found = bca(drawn, measured, left_out, 0.9)
        assert found.ends == percentile(drawn, 0.9).ends
        assert found.method == "percentile (BCa not possible)"


def test_bca_without_bias_and_acceleration_is_the_percentile_interval() -> None:
    found = bca(np.arange(1.0, 10_000), 5000, np.array([-1.0, 0.0, 1.0]), 0.95)

    assert found == Interval(250, 9750, "bca")


def test_unknown_methods_are_refused() -> None:
    drawn = np.arange(9.0)
    with pytest.raises(UsageError, match="unknown interval method 'normal'"):
        resampled_interval("normal", drawn, 4, drawn, 0.95, None)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_t_intervals_are_those_of_scipy(level: float) -> None:
    rng = np.random.default_rng(5)
    a, b = np.round(rng.normal((0.2, -0.3), 1, (30, 2)), 3).T
    projection = scores_of(a, b)
    bound = mean_of(projection)

    alone = stats.ttest_1samp(a, 0).confidence_interval(level)
    paired = stats.ttest_rel(a, b).confidence_interval(level)

    assert t_interval(projection, bound, 0, level).ends == pytest.approx(tuple(alone))
    assert t_difference(projection, bound, 0, 1, level).ends == pytest.approx(tuple(paired))


def test_t_intervals_of_clusters_use_the_residuals_of_their_sums() -> None:
    scores, labels = [1, 0, 1, 1, 0, 1, 1], ["x", "x", "y", "y", "y", "z", "z"]
    counts = Counts.from_arrays({"A": scores, "B": scores}, labels={"doc": labels}).by("doc")
    projection = project(counts)
    sums, sizes, mean = np.array([1, 2, 2]), np.array([2, 3, 2]), 5 / 7
    error = math.sqrt(((sums - mean * sizes) ** 2).sum() * 3 / 2) / 7
    reach = float(stats.t.ppf(0.975, 2)) * error

    found = t_interval(projection, mean_of(projection), 0, 0.95)

    assert found.ends == pytest.approx((mean - reach, mean + reach))


def test_one_unit_has_no_t_interval() -> None:
    projection = scores_of([1], [0])

    assert t_interval(projection, mean_of(projection), 0, 0.95).ends == (None, None)


def flip_p(apart: list[int], shift: Fraction) -> Fraction:
    """Compute the exact p of the hypothesis that the mean difference is `shift`."""
    moved = [d - shift for d in apart]
    measured = abs(sum(moved, Fraction(0)))
    flips = list(product((1, -1), repeat=len(moved)))
    reached = sum(
        abs(sum((s * d for s, d in zip(signs, moved, strict=True)), Fraction(0))) >= measured
        for signs in flips
    )
    return Fraction(reached, len(flips))


def exactly(end: float, units: int) -> Fraction:
    """Recover a mean over at most so many units from its float."""
    return Fraction(end).limit_denominator(units)


@settings(max_examples=40, deadline=None)
@given(
    scores=st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=8),
    level=st.sampled_from([0.5, 0.75, 0.9, 0.95]),
)
def test_inversion_ends_where_rejection_begins(scores: list[tuple[int, int]], level: float) -> None:
    """At an end the enumerated test does not reject, and just beyond it does."""
    a, b = zip(*scores, strict=True)
    apart, alpha = [x - y for x, y in scores], 1 - Fraction(str(level))
    tiny, far = Fraction(1, 10**6), Fraction(10**6)

    found = inversion(a, b, level)

    for end, outward in ((found.low, -1), (found.high, 1)):
        if end is None:
            assert flip_p(apart, outward * far) > alpha
            continue
        at = exactly(end, len(apart))
        assert flip_p(apart, at) > alpha
        assert flip_p(apart, at + outward * tiny) <= alpha


def test_few_units_bound_nothing() -> None:
    """Five units cannot reject at 5 %, whatever the shift; six can."""
    assert inversion([1, 2, 3, 4, 5], [0] * 5).ends == (None, None)
    assert inversion([1, 2, 3, 4, 5, 6], [0] * 6).ends == (1, 6)
    assert inversion([1], [0]).ends == (None, None)


def test_few_shuffles_bound_nothing() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (2, 30))

    assert inversion(a, b, 0.95, shuffles=18).ends == (None, None)
    assert None not in inversion(a, b, 0.95, shuffles=99).ends


def test_identical_systems_have_a_point_for_an_interval() -> None:
    for units in (6, 14, 15, 40):
        assert inversion([3] * units, [3] * units).ends == (0, 0)


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    units=st.integers(INVERTED_UNITS + 1, 40),
    lead=st.integers(0, 2),
    level=st.sampled_from([0.8, 0.9, 0.95]),
    shuffles=st.sampled_from([99, 199, 250]),
)
def test_zero_is_inside_exactly_if_the_same_shuffles_do_not_reject(
    seed: int, units: int, lead: int, level: float, shuffles: int
) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(lead, 4 + lead, units), rng.integers(0, 4, units)
    projection = scores_of(a, b)
    job = ShuffleJob.of(projection, [Question(projection.metrics[0], 0, 1, "two")], seed)
    with open_workers(1) as crew:
        count = int(count_exceedances(job, shuffles, crew)[0])
    p = Fraction(count + 1, shuffles + 1)

    found = inversion(a, b, level, shuffles, seed)

    assert found.contains(0) == (p > 1 - Fraction(str(level)))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), units=st.integers(1, INVERTED_UNITS), lead=st.integers(0, 2))
def test_zero_is_inside_exactly_if_the_exact_test_does_not_reject(
    seed: int, units: int, lead: int
) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(lead, 3 + lead, units), rng.integers(0, 3, units)
    projection = scores_of(a, b)
    exact = exact_test(projection, Question(projection.metrics[0], 0, 1, "two"))
    assert exact is not None

    assert inversion(a, b).contains(0) == (exact.p > 0.05)


def test_zero_is_inside_exactly_if_clusters_do_not_reject() -> None:
    """Clusters of different sizes: exchanged as wholes, means over their units."""
    rng = np.random.default_rng(21)
    rejected = 0
    for seed in range(40):
        units = 60
        labels = {"doc": [str(k) for k in rng.integers(0, 20, units)]}
        scores = {"A": rng.integers(0, 4, units) + seed % 2, "B": rng.integers(0, 4, units)}
        projection = project(Counts.from_arrays(scores, labels=labels).by("doc"))
        job = ShuffleJob.of(projection, [Question(projection.metrics[0], 0, 1, "two")], seed)
        with open_workers(1) as crew:
            count = int(count_exceedances(job, 199, crew)[0])
        found = inverted(projection, mean_of(projection), 0, 1, 0.95, 199, seed)
        assert found.contains(0) == (count + 1 > 10)
        rejected += count + 1 <= 10
    assert 0 < rejected < 40


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    units=st.integers(6, 30),
    shift=st.integers(-5, 5),
    scale=st.integers(1, 7),
)
def test_intervals_follow_shifts_scales_and_swaps(
    seed: int, units: int, shift: int, scale: int
) -> None:
    a, b = np.random.default_rng(seed).integers(0, 9, (2, units))
    low, high = inversion(a, b).ends
    if low is None or high is None:
        assert units < INVERTED_UNITS
        return

    def near(found: Interval, low: float, high: float) -> bool:
        return found.ends == pytest.approx((low, high))

    assert near(inversion(a + shift, b), low + shift, high + shift)
    assert near(inversion(a * scale, b * scale), low * scale, high * scale)
    assert near(inversion(a / 10, b / 10), low / 10, high / 10)
    assert near(inversion(b, a), -high, -low)


def test_inversion_is_the_same_on_every_engine() -> None:
    a, b = np.random.default_rng(3).integers(0, 99, (2, 50))
    found = set()
    for engine in path.available():
        with path.using(engine):
            found.add(inversion(a, b))

    assert len(found) == 1


@pytest.mark.parametrize("units", [10, 25])
def test_inversion_covers_the_truth_as_often_as_it_says(units: int) -> None:
    """Differences that are symmetric about 1: enumerated or by shuffles, 95 % of intervals."""
    rng = np.random.default_rng(units)
    tables, covered = 800, 0
    for seed in range(tables):
        noise = np.round(rng.laplace(0, 2, units), 2)
        covered += inversion(1 + noise, np.zeros(units), 0.95, 199, seed).contains(1)

    assert abs(covered - 0.95 * tables) < 4 * math.sqrt(tables * 0.95 * 0.05)


def test_an_open_end_leaves_its_side_unbounded() -> None:
    assert Interval(None, 1.0, "t").contains(-1e9)
    assert not Interval(None, 1.0, "t").contains(1.1)
    assert Interval(-1.0, None, "t").contains(-1.0)


def test_pairwise_intervals_do_not_depend_on_other_systems() -> None:
    rng = np.random.default_rng(4)
    rows = dict(zip("ABC", rng.integers(0, 9, (3, 25)), strict=True))
    projection = project(Counts.from_arrays(rows))
    for a, b in combinations(range(3), 2):
        x, y = (list(rows.values())[k] for k in (a, b))
        assert inverted(projection, mean_of(projection), a, b, 0.95, 999, 0) == inversion(x, y)
