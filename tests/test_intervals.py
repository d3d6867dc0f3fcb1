"""Intervals of scores and of differences: against scipy's, method by method."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics.projection import project
from tellapart.resampling.workers import open_pool
from tellapart.significance.bootstrap_tests import differences, jackknife, resample
from tellapart.significance.interval_formulas import (
    Interval,
    basic,
    bca,
    percentile,
    quantiles,
    resampled_interval,
)
from tellapart.significance.questions import Question

Floats = NDArray[np.float64]


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
    with open_pool(1) as pool:
        drawn = differences(resample(projection, 9_999, 0, pool), question)

    def apart(items: NDArray[np.int64]) -> float:
        tp, fp, fn = np.moveaxis(np.stack(rows)[:, items].sum(axis=1), -1, 0)
        scores = 2 * tp / (2 * tp + fp + fn)
        return float(scores[0] - scores[1])

    return {
        "drawn": drawn,
        "measured": float(projection.score(bound, 0) - projection.score(bound, 1)),
        "left_out": jackknife(projection, bound, 0) - jackknife(projection, bound, 1),
        "apart": apart,
    }


# What scipy called `random_state` before 1.15
RNG = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"


def scipy_interval(case: dict[str, Any], method: str, drawn: Floats | None) -> tuple[float, float]:
    """Ask scipy, for its own resamples or for ours."""
    given_ones: dict[str, Any] = {"n_resamples": 9_999, RNG: np.random.default_rng(1)}
    if drawn is not None:
        items = (np.arange(40),)
        start = stats.bootstrap(items, case["apart"], n_resamples=2, method=method, **{RNG: 0})
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
