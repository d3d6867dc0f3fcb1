"""What a full report shows beside the record: how items fall, errors, null distributions."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from preference_files import judged
from small_counts import some_counts
from tellapart.comparison import details as details_module
from tellapart.comparison.details import Details
from tellapart.comparison.record import Pair
from tellapart.metrics import Function, Metric
from tellapart.report.html.store import make_store
from tellapart.result import Result
from tellapart.stats.histogram import Histogram


def scores_of(a: Any, b: Any) -> Pair:
    return ta.compare({"A": a, "B": b}, intervals=False).pairs[0]


def counts_of(a: Any, b: Any, metric: str = "precision") -> Pair:
    counts = ta.Counts.from_arrays({"A": a, "B": b}, ["tp", "fp", "fn"])
    return ta.compare(counts, metrics=metric, intervals=False).pairs[0]


def items_won(pair: Pair) -> tuple[int, ...]:
    """Return on how many items two systems differ, and how many the first wins, loses and ties."""
    return pair.differing, pair.items_a_better, pair.items_b_better, pair.items_tied


def test_outcomes_in_the_example_of_yeh(reference_data: Path) -> None:
    """The same from hits as scores and from counts whose recall they are."""
    expected = json.loads((reference_data / "significance/expected.json").read_text())["yeh2000"]
    inputs = expected["inputs"]
    both, only_1, only_2 = (inputs[f"correct_{k}"] for k in ("both", "only_I", "only_II"))
    sizes = [both, only_1, only_2, inputs["possible"] - both - only_1 - only_2]
    a, b = np.repeat([1, 1, 0, 0], sizes), np.repeat([1, 0, 1, 0], sizes)
    rows = [np.stack([x, np.zeros_like(x), 1 - x], axis=1) for x in (a, b)]

    for pair in (scores_of(a, b), counts_of(rows[0], rows[1], "recall")):
        assert items_won(pair) == (34, 28, 6, 69)


def test_outcomes_of_items_are_exact() -> None:
    """1/3 and 10/30 tie; an item without output scores what the metric declares."""
    a, b = [[1, 2, 0], [0, 0, 0], [2, 1, 0]], [[10, 20, 0], [0, 3, 0], [0, 0, 0]]
    assert items_won(counts_of(a, b)) == (3, 1, 0, 2)


def test_differing_counts_what_is_exchanged() -> None:
    """With clusters, it is clusters that differ or not, also where notices count on them."""
    values = {"A": [1, 1, 1, 1, 1, 1, 0, 0], "B": [0, 0, 0, 0, 1, 1, 0, 0]}
    labels = {"page": ["p", "p", "q", "q", "r", "r", "s", "s"]}
    counts = ta.Counts.from_arrays(values, labels=labels)
    apart, together = ta.compare(counts), ta.compare(counts, cluster="page")
    assert (apart.pairs[0].differing, together.pairs[0].differing) == (4, 2)
    assert "cannot-reach" in {notice.code for notice in together.notices}
    assert together.pairs[0].items_a_better == 4  # single items all the same


def error(pair: Pair) -> float | None:
    return pair.diagnostics.standard_error


@pytest.mark.parametrize("metric", ["recall", "precision", "f1"])
def test_error_of_a_ratio_is_nearly_that_of_the_jackknife(metric: str) -> None:
    """As a function of sums, the same score has its error from leaving out each item."""
    counts = some_counts(300, "AB")
    ratio = ta.compare(counts, metrics=metric).pairs[0]
    same = {
        "recall": lambda s: s[..., 0] / (s[..., 0] + s[..., 2]),
        "precision": lambda s: s[..., 0] / (s[..., 0] + s[..., 1]),
        "f1": lambda s: 2 * s[..., 0] / (2 * s[..., 0] + s[..., 1] + s[..., 2]),
    }
    function = Function(metric, ("tp", "fp", "fn"), same[metric])
    leaving_out = ta.compare(counts, metrics=function).pairs[0]
    assert error(ratio) == pytest.approx(error(leaving_out), rel=0.01)


def test_errors_of_a_real_table(reference_data: Path) -> None:
    """Known from numpy, to six digits."""
    folder = reference_data / "ecosystem"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    counts = ta.read(str(folder / "table" / "wide.csv"))
    clustered, single = (ta.compare(counts, cluster=label) for label in ("doc", None))

    for first, second in (("birch", "alder"), ("cedar", "alder"), ("birch", "cedar")):
        known = expected[f"table/wide.csv {first} vs {second}"]
        for result, key in ((clustered, "se_paired_clustered"), (single, "se_paired")):
            assert error(result.pair(first, second)) == pytest.approx(known[key], abs=5e-7)


# Null distributions


PRODUCT = Function("product", ("tp", "fp", "fn"), lambda s: s[..., 0] ** 2 / s.sum(-1) ** 1.5)


def test_prompts_that_differ_are_those_that_one_of_a_pair_won() -> None:
    """Also on the scale of three systems, where every prompt adds something to every score."""
    rows = judged({"x": 1.0, "y": 0.0, "z": -0.5}, 30, 1, tie=0.4)
    result = ta.compare(ta.read(rows))
    details = details_of(result)
    for pair, shown in zip(result.pairs, details.pairs, strict=True):
        assert pair.items_tied
        better = sum(a > b for _, a, b in shown.items)
        assert {better, shown.differing - better} == {pair.items_a_better, pair.items_b_better}
        assert shown.differing == pair.items_a_better + pair.items_b_better
    store = make_store(result.record, details, dict.fromkeys(range(3), ""), 0, result.record)
    assert all({*map(sum, own["scores"])} == {1.0} for own in store["pairs"])


def details_of(result: Result) -> Details:
    return details_module.details_of(result.record, result.scored)


def centres(null: Histogram) -> list[float]:
    return [null.start + null.width * (k + 0.5) for k in range(len(null.counts))]


@pytest.mark.parametrize(("tail", "shuffles"), [("two", 9_999), ("greater", 2_500), ("less", 99)])
def test_extreme_shuffles_are_the_exceedances_of_the_record(tail: str, shuffles: int) -> None:
    metrics: list[str | Metric] = ["recall", "precision", "f1", PRODUCT]
    result = ta.compare(
        some_counts(), metrics=metrics, test="shuffle", shuffles=shuffles, tail=tail,
        intervals=False,
    )  # fmt: skip

    for pair, shown in zip(result.pairs, details_of(result).pairs, strict=True):
        null = shown.null
        assert result.record.pairs[shown.number] is pair
        assert sum(null.extreme) == pair.exceedances
        assert sum(null.counts) == null.shuffles == shuffles


def test_null_of_a_few_items_is_binomial() -> None:
    """Six differences of 1: an exchange leaves 6 - 2k more on one side, 64 ways in all."""
    null = details_of(ta.compare({"A": [1] * 6, "B": [0] * 6})).pairs[0].null

    assert centres(null) == pytest.approx([(2 * k - 6) / 6 for k in range(7)])
    assert [c / null.shuffles for c in null.counts] == pytest.approx(
        [comb(6, k) / 64 for k in range(7)], abs=0.02
    )
    assert null.extreme == (null.counts[0], 0, 0, 0, 0, 0, null.counts[-1])


def test_what_a_judge_and_people_show_is_no_sum_over_items() -> None:
    """There is no null distribution of it."""
    rng = np.random.default_rng(2)
    judge = {"A": rng.random(100), "B": rng.random(100)}
    people = {name: np.where(np.arange(100) < 40, own, np.nan) for name, own in judge.items()}
    result = ta.compare(ta.Counts.from_arrays(judge, people=people))
    details = details_of(result)
    (shown,), (pair,) = details.pairs, result.record.pairs

    assert shown.null is None
    assert pair.diagnostics.standard_error == pytest.approx(abs(pair.difference / pair.statistic))
