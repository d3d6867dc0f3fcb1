"""Intervals for a whole comparison: the method that fits each metric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from tellapart.counts import Counts
from tellapart.metrics.projection import BoundRatio, Projection, project
from tellapart.resampling.workers import open_pool
from tellapart.significance.dispatch import Execution, Settings
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.intervals import Estimator
from tellapart.significance.inversion import invert
from tellapart.significance.options import Options
from tellapart.significance.questions import Question


def scores_of(a: Any, b: Any) -> Projection:
    return project(Counts.from_arrays({"A": a, "B": b}))


def inversion(a: Any, b: Any, level: float, *drawn: int) -> Interval:
    """Invert the exact test or, with a number of shuffles and a seed, that of shuffles."""
    projection = scores_of(a, b)
    bound = projection.metrics[0]
    assert isinstance(bound, BoundRatio)
    shuffles, seed = drawn or (1, 0)
    return invert(projection, bound, 0, 1, shuffles, seed, exact=not drawn).interval(level)


def estimator(projection: Projection, method: str | None = None, **given_ones: Any) -> Estimator:
    with open_pool(1) as pool:
        return Estimator(projection, method, Settings(Options(**given_ones)), Execution(pool))


def test_each_metric_has_the_interval_that_fits_it() -> None:
    rng = np.random.default_rng(7)
    median = ta.ItemFunction("median", ("tp",), lambda rows: float(np.median(rows)))
    rows = rng.integers(1, 9, (2, 30, 3))
    counts = Counts.from_arrays(dict(zip("AB", rows, strict=True)), ["tp", "fp", "fn"])
    projection = project(counts, ["f1", ta.mean("tp"), median])
    questions = [Question(bound, 0, 1, "two") for bound in projection.metrics]

    found = estimator(projection)
    methods = [
        each.interval and each.interval.method for each in found.pairs(questions, [0.05] * 3)
    ]

    assert methods == ["bca", "exact inversion", None]
    assert {name: i.method for name, i in found.systems(0.95)[0].items()} == {
        "f1": "bca",
        "mean": "t",
    }
    asked = estimator(projection, "percentile").pairs(questions[:2], [0.05] * 2)
    assert [each.interval and each.interval.method for each in asked] == ["percentile"] * 2


def test_intervals_of_pairs_use_the_shuffles_of_the_test() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 9, (2, 30))
    projection = scores_of(a, b)
    question = Question(projection.metrics[0], 0, 1, "two")

    found = estimator(projection, test="shuffle", shuffles=499, seed=3).pairs([question], [0.1])

    assert [each.interval for each in found] == [inversion(a, b, 0.9, 499, 3)]


def agrees(pair: ta.PairResult, alpha: float) -> bool:
    """Tell whether the interval leaves out 0 exactly if p rejects; an end at 0 is then open."""
    assert pair.p is not None
    assert pair.interval is not None
    assert pair.difference == 0 or Interval(*pair.interval, "").contains(pair.difference)
    return pair.holds_zero == (pair.p > alpha)


TAILS = ("two", "two", "greater", "less")


@pytest.mark.parametrize("kind", ["answers", "scores", "noisy"])
@pytest.mark.parametrize("test", ["auto", "shuffle"])
def test_interval_and_p_never_disagree(kind: str, test: str) -> None:
    """Hundreds of small tables, each at the level of its own p too: exact tests and shuffles."""
    rng = np.random.default_rng([len(kind), len(test)])
    decided = set()
    for seed in range(50):
        items = int(rng.integers(6, 50))
        a, b = rng.integers(0, 2, (2, items)) if kind == "answers" else rng.random((2, items))
        a = (
            a + rng.choice([0, 0.2])
            if kind == "scores"
            else np.where(rng.random(items) < 0.2, 1, a)
        )
        if kind == "noisy":
            a, b = np.round(a, 1) + 0.1 + 0.2, np.round(b, 1) + 0.3
        labels = {"doc": [str(k) for k in rng.integers(0, 12, items)]}
        counts = Counts.from_arrays({"A": a, "B": b}, labels=labels)
        asked: dict[str, Any] = {
            "test": test,
            "seed": seed,
            "tail": TAILS[seed % 4],
            "cluster": "doc" if seed % 3 == 0 else None,
            "lower_is_better": seed % 5 == 0,
            "shuffles": 199 if test == "shuffle" else None,
        }
        pair = ta.compare(counts, **asked).pairs[0]
        assert agrees(pair, 0.05)
        decided.add(pair.p is not None and pair.p <= 0.05)
        # The level that p reaches exactly, and the next one below: as borderline as can be.
        for alpha in (pair.p or 0, float(np.nextafter(pair.p or 0, 0))):
            if 0 < alpha < 0.5:
                assert agrees(ta.compare(counts, alpha=alpha, **asked).pairs[0], alpha)
    assert decided == {True, False}


def test_an_exact_p_rules_over_the_ends_of_shuffles() -> None:
    """Two decimals of many items: p is exact, the interval is from shuffles."""
    rng = np.random.default_rng(6)
    seen = set()
    for _ in range(12):
        a, b = rng.random((2, 60))
        counts = Counts.from_arrays({"A": np.round(a + 0.1, 2), "B": np.round(b, 2)})
        p = ta.compare(counts, intervals=False).pairs[0].p
        assert p is not None
        for alpha in (p, p * 0.999, p * 1.001):
            pair = ta.compare(counts, alpha=min(alpha, 0.99)).pairs[0]
            assert (pair.method, pair.interval_method) == ("exact", "inversion")
            assert agrees(pair, min(alpha, 0.99))
            seen.add(pair.holds_zero)
    assert seen == {True, False}


def test_one_sided_tests_have_one_sided_intervals() -> None:
    """The end is that of the two-sided interval at twice the level."""
    rng = np.random.default_rng(9)
    a, b = rng.integers(0, 5, (2, 20))
    counts = Counts.from_arrays({"A": a, "B": b})
    low, high = ta.compare(counts, alpha=0.2).pairs[0].interval or (None, None)

    assert ta.compare(counts, alpha=0.1, tail="greater").pairs[0].interval == (low, None)
    assert ta.compare(counts, alpha=0.1, tail="less").pairs[0].interval == (None, high)
    less = ta.compare(counts, alpha=0.1, tail="greater", lower_is_better=True)
    assert less.pairs[0].interval == (None, high)
    many = Counts.from_arrays({"A": rng.random(30), "B": rng.random(30)})
    found = ta.compare(many, alpha=0.1, tail="greater", intervals="bca").pairs[0].interval
    both = ta.compare(many, alpha=0.2, intervals="bca").pairs[0].interval
    assert found is not None
    assert both is not None
    assert found == (min(both[0] or 0.0, 0.0), None)


def test_intervals_follow_neither_the_order_of_systems_nor_of_rows() -> None:
    rng = np.random.default_rng(12)
    rows = {name: rng.random(50) for name in "ABC"}
    order = rng.permutation(50)
    there = ta.compare(Counts.from_arrays(rows))
    back = ta.compare(Counts.from_arrays({name: rows[name][order] for name in "CBA"}))

    for pair in there.pairs:
        assert back.pair(pair.b, pair.a).mirrored().interval == pair.interval


def test_the_quiz_has_the_intervals_of_its_mock_up(shared_data: Path) -> None:
    """Those of each pair alone."""
    files = sorted(map(str, (shared_data / "ecosystem/inspect/quiz").glob("*.eval")))
    counts = ta.read(files)
    exact = ta.compare(counts, cluster="passage", correction="none")
    drawn = ta.compare(counts, cluster="passage", test="shuffle", correction="none")

    for result, method in ((exact, "exact inversion"), (drawn, "inversion")):
        for other, ends in (("cedar", (0.0, 0.388)), ("alder", (0.038, 0.375))):
            pair = result.pair("birch", other)
            pair = pair if pair.a == "birch" else pair.mirrored()
            assert pair.interval == pytest.approx(ends, abs=0.007)
            assert pair.interval_method == method
