"""Intervals for a whole comparison: the method that fits each metric, and margins."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from tellapart.counts import Counts
from tellapart.projection import BoundRatio, Projection, project
from tellapart.resampling.workers import open_workers
from tellapart.significance.estimation import Estimate, Estimator
from tellapart.significance.intervals import Interval, inverted
from tellapart.significance.procedures import Machinery, Settings
from tellapart.significance.randomization import Question


def scores_of(a: Any, b: Any) -> Projection:
    return project(Counts.from_arrays({"A": a, "B": b}))


def inversion(a: Any, b: Any, level: float, shuffles: int, seed: int = 0) -> Interval:
    projection = scores_of(a, b)
    bound = projection.metrics[0]
    assert isinstance(bound, BoundRatio)
    return inverted(projection, bound, 0, 1, level, shuffles, seed)


def estimator(projection: Projection, method: str | None = None, **given_ones: Any) -> Estimator:
    with open_workers(1) as crew:
        return Estimator(projection, method, Settings(**given_ones), Machinery(crew))


def test_each_metric_has_the_interval_that_fits_it() -> None:
    rng = np.random.default_rng(7)
    median = ta.UnitFunction("median", ("tp",), lambda rows: float(np.median(rows)))
    rows = rng.integers(1, 9, (2, 30, 3))
    counts = Counts.from_arrays(dict(zip("AB", rows, strict=True)), ["tp", "fp", "fn"])
    projection = project(counts, ["f1", ta.mean("tp"), median])
    questions = [Question(bound, 0, 1, "two") for bound in projection.metrics]

    found = estimator(projection)
    methods = [
        each.interval and each.interval.method for each in found.pairs(questions, 0.05, None)
    ]

    assert methods == ["bca", "inversion", None]
    assert {name: i.method for name, i in found.systems(0.95)[0].items()} == {
        "f1": "bca",
        "mean": "t",
    }
    asked = estimator(projection, "percentile").pairs(questions[:2], 0.05, None)
    assert [each.interval and each.interval.method for each in asked] == ["percentile"] * 2


def test_intervals_of_pairs_use_the_shuffles_of_the_test() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 9, (2, 30))
    projection = scores_of(a, b)
    question = Question(projection.metrics[0], 0, 1, "two")

    found = estimator(projection, test="shuffle", shuffles=499, seed=3).pairs([question], 0.1, None)

    assert found == [Estimate(inversion(a, b, 0.9, 499, 3))]


def test_a_margin_is_kept_if_the_narrower_interval_lies_inside() -> None:
    """Two one-sided tests at 5 % are the 90 % interval."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 9, (2, 40))
    projection = scores_of(a, b)
    question = Question(projection.metrics[0], 0, 1, "two")
    low, high = inversion(a, b, 0.9, 9_999).ends
    assert low is not None
    assert high is not None
    widest = max(-low, high)

    for margin, kept in ((widest * 1.01, True), (widest * 0.99, False)):
        found = estimator(projection).pairs([question], 0.05, margin)[0]
        assert found.equivalent is kept
        assert found.a_no_worse is (low > -margin)
        assert found.b_no_worse is (high < margin)


def test_a_margin_follows_the_direction_of_the_metric() -> None:
    """Where lower is better, the first system is no worse if it is not much higher."""
    rng = np.random.default_rng(3)
    a, b = np.array([[5, 0, 4]] * 30), np.array([[5, 0, 1]] * 30)
    a[:, 2] += rng.integers(0, 3, 30)
    b[:, 2] += rng.integers(0, 3, 30)
    counts = Counts.from_arrays({"A": a, "B": b}, ["tp", "fp", "fn"])

    for metric in ("recall", "undergeneration"):
        projection = project(counts, [metric])
        question = Question(projection.metrics[0], 0, 1, "two")
        found = estimator(projection).pairs([question], 0.05, 0.01)[0]
        assert (found.equivalent, found.a_no_worse, found.b_no_worse) == (False, False, True)


def test_an_unbounded_interval_keeps_no_margin() -> None:
    projection = scores_of([1, 1, 2], [1, 1, 1])
    question = Question(projection.metrics[0], 0, 1, "two")

    found = estimator(projection).pairs([question], 0.05, 100.0)[0]

    # Of the 8 sets of units only the empty one speaks for such a loss, or such a gain.
    assert found == Estimate(Interval(None, None, "inversion"), False, False, False, 1 / 8, 1 / 8)


def test_the_p_of_a_margin_is_that_of_the_shifted_test() -> None:
    """Adding the margin to the first system and flipping all signs gives the same p."""
    rng = np.random.default_rng(4)
    apart = rng.integers(-3, 3, 10)
    margin = 1
    flips = np.array(list(itertools.product((1, -1), repeat=10)))
    counts = [
        np.mean(flips @ (side * apart + margin) >= (side * apart + margin).sum())
        for side in (1, -1)
    ]
    projection = scores_of(apart + 5, np.full(10, 5))
    question = Question(projection.metrics[0], 0, 1, "two")

    found = estimator(projection).pairs([question], 0.05, float(margin))[0]

    assert [found.p_a_no_worse, found.p_b_no_worse] == counts


@pytest.mark.parametrize("units", [9, 60])
def test_a_margin_is_kept_exactly_if_its_p_is_small_enough(units: int) -> None:
    rng = np.random.default_rng(units)
    a, b = rng.integers(0, 5, (2, units))
    projection = scores_of(a, b)
    question = Question(projection.metrics[0], 0, 1, "two")
    decided = set()
    for margin in np.linspace(0.05, 3, 30):
        found = estimator(projection).pairs([question], 0.05, float(margin))[0]
        assert found.p_a_no_worse is not None
        assert found.p_b_no_worse is not None
        assert found.a_no_worse is (found.p_a_no_worse <= 0.05)
        assert found.b_no_worse is (found.p_b_no_worse <= 0.05)
        decided.add(found.equivalent)
    assert decided == {True, False}
