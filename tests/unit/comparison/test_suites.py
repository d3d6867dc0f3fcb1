"""Suites of tasks: the overall score, its test, the tasks as slices, metrics of some tasks only."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tellapart as ta
from log_files import toy_harness
from tellapart import Counts
from tellapart.comparison.options import Options
from tellapart.comparison.scored import Intervals, Scored, score_metrics
from tellapart.comparison.testing import Pairs, Work, run_tests
from tellapart.counts.suites import Suite
from tellapart.formats.contract import Sources
from tellapart.options import NoOptions
from tellapart.stats.streams import open_pool

Floats = NDArray[np.float64]


def suite(systems: Mapping[str, Sequence[Any]], names: Sequence[str] = "pqrstuvw") -> Counts:
    """Return the counts of systems with scores for each task, every task counting the same."""
    first = next(iter(systems.values()))
    tasks = [names[k] for k, scores in enumerate(first) for _ in scores]
    items = [
        f"{task}/{k}" for task, some in zip(names, first, strict=False) for k in range(len(some))
    ]
    flat = {
        name: np.concatenate([np.array(s, float) for s in some]) for name, some in systems.items()
    }
    counts = Counts.from_arrays(flat, items=items, labels={"task": tasks})
    return replace(counts, suite=Suite.of(tasks))


def drawn(rng: np.random.Generator, sizes: Sequence[int], rates: Sequence[float]) -> list[Floats]:
    return [(rng.random(n) < rate).astype(float) for n, rate in zip(sizes, rates, strict=True)]


def test_score_is_the_mean_of_means() -> None:
    counts = suite({"A": [[1, 0], [1, 1, 0, 0, 1]], "B": [[0, 0], [1, 0, 0, 0, 0]]})
    result = ta.compare(counts)
    assert result.systems[0].scores["mean"] == pytest.approx((1 / 2 + 3 / 5) / 2, abs=1e-15)
    assert result.systems[0].exact_scores["mean"] == "11/20"
    table = result.suite["mean"]
    assert table.aggregate == "mean of 2 tasks"
    assert [task.scores for task in table.tasks] == [{"A": 0.5, "B": 0.0}, {"A": 0.6, "B": 0.2}]
    assert [task.share for task in table.tasks] == [0.5, 0.5]


def test_p_is_that_of_all_exchanges() -> None:
    rng = np.random.default_rng(4)
    sizes = (3, 5, 4)
    a, b = (drawn(rng, sizes, (0.8, 0.7, 0.6)), drawn(rng, sizes, (0.3, 0.4, 0.5)))
    pair = ta.compare(suite({"A": a, "B": b})).pairs[0]
    weights = np.concatenate([np.full(n, Fraction(1, n)) for n in sizes])
    apart = weights * np.concatenate(a).astype(int) - weights * np.concatenate(b).astype(int)
    sums = [
        abs(sum(s * d for s, d in zip(signs, apart, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(apart))
    ]
    as_extreme = sum(each >= abs(sum(apart)) for each in sums)
    assert pair.p == pytest.approx(as_extreme / 2**12, rel=1e-12)
    assert pair.method in ("exact", "enumeration")


def test_clusters_across_tasks_are_exchanged_with_the_weights_of_their_items() -> None:
    a, b = [1, 0, 1, 1, 1], [0, 0, 1, 0, 1]
    counts = suite({"A": [a[:3], a[3:]], "B": [b[:3], b[3:]]})
    across = replace(counts, labels={**counts.labels, "doc": ("d", "d", "e", "e", "f")})
    result = ta.compare(across, cluster="doc", intervals=False)
    assert result.items.count == 5
    assert result.systems[0].scores["mean"] == pytest.approx((2 / 3 + 1) / 2)
    # Clusters d, e and f add 1/3, 1/2 and 0 to the sums: as extreme are 2 of 4 exchanges.
    assert result.pairs[0].difference == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert result.pairs[0].p == 0.5


def many_pairs(
    rng: np.random.Generator, sizes: Sequence[int], first: Sequence[float], second: Sequence[float]
) -> tuple[Scored, Pairs]:
    """Return 200 pairs of systems with the same rates on the tasks, to be tested at once."""
    systems = {
        f"{name}{k}": drawn(rng, sizes, rates)
        for k in range(200)
        for name, rates in (("A", first), ("B", second))
    }
    (scored,) = score_metrics(suite(systems), None, Options())
    evens = np.arange(0, 400, 2)
    return scored, Pairs(evens, evens + 1, np.zeros(200, np.int64))


def test_interval_covers_the_true_difference_of_means() -> None:
    """Also where tasks are of very different sizes, and the effects point both ways."""
    rng = np.random.default_rng(20)
    first, second = (0.9, 0.5, 0.4), (0.6, 0.6, 0.5)
    truth = float(np.mean(np.subtract(first, second)))
    scored, pairs = many_pairs(rng, (20, 60, 150), first, second)
    with open_pool(1) as pool:
        found = Intervals(scored.scores, scored.options, Work(pool)).pairs(pairs, [0.95] * 200)
    ends = [interval.ends for interval in found if interval is not None]
    assert len(ends) == 200
    covered = sum((low or 0) <= truth <= (high or 0) for low, high in ends)
    assert covered >= 0.95 * len(ends) - 2.6 * (0.05 * 0.95 * len(ends)) ** 0.5


def test_level_is_held_with_unequal_tasks_and_effects() -> None:
    """Effects that cancel in the mean of tasks are no difference: at most 5 % are called one."""
    rng = np.random.default_rng(21)
    first, second = (0.8, 0.5, 0.55), (0.6, 0.6, 0.65)  # .2 more, .1 less, .1 less
    scored, pairs = many_pairs(rng, (15, 40, 160), first, second)
    with open_pool(1) as pool:
        tests = run_tests(scored.scores, pairs, scored.options, Work(pool))
    p_values = [test.p or 0 for test in tests]
    alarms = sum(p <= 0.05 for p in p_values)
    assert alarms <= 0.05 * len(p_values) + 2.6 * (0.05 * 0.95 * len(p_values)) ** 0.5


TOY = toy_harness(weights="groups")


def _write(folder: Path, model: str, task: str, scores: Any, **more: Any) -> None:
    folder.mkdir(exist_ok=True)
    tree = {"toy": model, "task": task, "scores": scores, **more}
    (folder / f"{model}-{task}.json").write_text(json.dumps(tree))


def _read(folder: Path, *metrics: str, **more: Any) -> Counts:
    return TOY.read(Sources((str(folder),), metrics=metrics, **more), NoOptions())


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Two tasks of a group with acc and acc_norm, and one with f1."""
    for model, right in (("alder", 1), ("birch", 0)):
        for task, n in (("law", 2), ("sea", 3)):
            scores = {f"q{k}": {"acc": right, "acc_norm": k % 2} for k in range(n)}
            _write(tmp_path, model, task, scores, group="mmlu")
        sums = {f"q{k}": {"f1": right / 2, "seconds": 1 + k} for k in range(4)}
        _write(tmp_path, model, "sums", sums)
    return tmp_path


def test_main_scores_make_one_column(mixed: Path) -> None:
    counts = _read(mixed)
    assert counts.columns == ("main score",)
    notices = {notice.code: notice.text for notice in counts.notices}
    assert "acc of law, sea; f1 of sums." in notices["main-scores"]
    assert ": acc_norm, seconds; --metric acc_norm " in notices["not-compared"]
    result = ta.compare(counts)
    assert result.systems[0].scores == {"main score": pytest.approx((1 + 0.5) / 2)}
    table = result.suite["main score"]
    assert table.aggregate == "mean of 2: mmlu (2 tasks by items), sums"
    assert [(task.name, task.score) for task in table.tasks] == [
        ("law", "acc"), ("sea", "acc"), ("sums", "f1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("weights", "score"), [("items", 7 / 9), ("tasks", 2.5 / 3), ("groups", 1.5 / 2)]
)
def test_weights(mixed: Path, weights: str, score: float) -> None:
    result = ta.compare(_read(mixed, weights=weights))
    assert result.systems[0].scores["main score"] == pytest.approx(score, abs=1e-12)


def test_a_named_metric_is_of_the_tasks_that_have_it(mixed: Path) -> None:
    counts = _read(mixed, "acc_norm")
    assert set(counts.labels["task"]) == {"law", "sea"}
    assert ta.compare(counts).systems[0].scores == {"acc_norm": pytest.approx(2 / 5)}


def _lacking(path: Path, lacking: Mapping[str, Sequence[int]]) -> Path:
    for model, right in (("alder", 1), ("birch", 0)):
        scores = {
            f"q{k}": {"acc": right, "f1": None if k in lacking[model] else right / 2}
            for k in range(10)
        }
        _write(path, model, "", scores)
    return path


def test_what_no_system_has_is_left_out_for_that_metric(tmp_path: Path) -> None:
    counts = _read(_lacking(tmp_path, {"alder": [3], "birch": [3]}))
    assert len(counts.items) == 10
    result = ta.compare(counts)
    assert [each.items.count for each in result.metrics.values()] == [10, 9]
    assert result.pair("alder", "birch", "f1").difference == 0.5
    assert "fewer-items" in {each.code for each in result.notices}


def test_what_one_system_lacks_is_as_missing_says_for_that_metric(tmp_path: Path) -> None:
    folder = _lacking(tmp_path, {"alder": [3, 4], "birch": [4, 5]})
    common = ta.compare(_read(folder))
    assert [each.items.count for each in common.metrics.values()] == [10, 7]
    dropped = ta.compare(_read(folder, missing="drop"))
    assert [each.items.count for each in dropped.metrics.values()] == [10, 7]
    zero = ta.compare(_read(folder, missing="zero"))
    assert zero.pair("alder", "birch", "f1").difference == pytest.approx(0.5 * 8 / 9)
