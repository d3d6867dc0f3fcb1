"""Several runs of a system in a comparison: they speak for the system; repeats are averaged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from log_files import said
from small_counts import in_runs
from table_files import Write
from tellapart.comparison.options import Options
from tellapart.comparison.scored import score_metrics, sources_of
from tellapart.stats import runs_test
from tellapart.stats.result import Floats


def drawn(seed: int, runs: int = 3, items: int = 40, spread: float = 0.0) -> dict[str, Floats]:
    """Right and wrong answers of two systems; `spread` is that of runs on the logit scale."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0.5, 1, items)
    return {
        name: (
            rng.random((runs, items)) < 1 / (1 + np.exp(-hard - rng.normal(0, spread, (runs, 1))))
        ).astype(float)
        for name in ("A", "B")
    }


LUCKY = drawn(14, items=300, spread=0.6)
"""Three runs whose means lie apart"""
COLUMNS = ["right", "seconds"]


def test_spread_between_runs_keeps_equal_systems_together() -> None:
    """These runs differ, the systems are not shown to."""
    result = ta.compare(in_runs(LUCKY))
    pair, these = result.pairs[0], ta.compare(in_runs(LUCKY), runs="fixed").pairs[0]
    assert these.different
    assert not pair.different
    assert pair.method == "runs"
    assert pair.p == pytest.approx(runs_test(*LUCKY.values()).p)
    assert pair.spread.shares["runs"] > 0.5
    assert "more runs would help most" in said(result.record)["runs"]


@pytest.mark.parametrize("metric", ["whole", "torn"])
def test_missing_runs_are_those_of_the_metric(write: Write, metric: str) -> None:
    """What another column lacks is no matter; what this one lacks is not diluted by another."""
    rng = np.random.default_rng(4)
    rows = [
        f"{name},{run},q{k},{rng.integers(2)},{'' if run == 1 and k % 2 else rng.integers(2)}\n"
        for name in "AB" for run in range(3) for k in range(40)
    ]  # fmt: skip
    counts = ta.read(write("runs.csv", "system,run,item,whole,torn\n" + "".join(rows)))
    assert ta.compare(counts, metrics=[metric]).record.runs.vary is (metric == "whole")


def test_where_uncertainty_comes_from_is_that_of_the_leading_metric() -> None:
    """The runs differ in what they cost alone: that is no reason to make more runs."""
    rng = np.random.default_rng(2)
    right = {name: rng.integers(0, 2, 60) for name in "AB"}
    runs = {
        name: [
            ta.Counts.from_arrays(
                {name: np.stack([right[name], 9 * run[:60]], axis=1)}, COLUMNS, form="items"
            )
            for run in LUCKY[name]
        ]
        for name in "AB"
    }
    counts = ta.average_runs(runs)
    result = ta.compare(counts, cost=["seconds"])
    assert [pair.method == "runs" for pair in result.pairs] == [False, True]
    assert "runs add no uncertainty" in said(result.record)["runs"]
    alone = ta.compare(counts, metrics=["seconds"], lower_is_better=["seconds"])
    assert "more runs would help most" in said(alone.record)["runs"]


@pytest.mark.parametrize("runs", [2, 3])
def test_few_runs_are_never_surer_than_these_and_promise_no_more_than_they_show(runs: int) -> None:
    """Where nothing is shown, the observed difference is none that so many items would show."""
    less_sure = 0
    for seed in range(70, 90):
        counts = in_runs(drawn(seed, runs, items=12, spread=0.5))
        (pair,), (these,) = (ta.compare(counts, runs=way).pairs for way in ("vary", "fixed"))
        assert pair.p >= these.p
        less_sure += pair.spread is not None and pair.spread.p() < these.p
        found = pair.diagnostics.detectable
        assert pair.different or found is None or found > abs(pair.difference)
    assert less_sure


def test_repeats_of_items_are_averaged_and_no_runs() -> None:
    """Epochs have nothing in common across items: the test is that of the items' means."""
    repeats = ta.compare(in_runs(LUCKY, repeats=True))
    means = {name: runs.mean(axis=0) for name, runs in LUCKY.items()}
    assert repeats.pairs[0].p == pytest.approx(ta.compare(means["A"], means["B"]).pairs[0].p)
    assert repeats.pairs[0].spread is None
    assert repeats.record.runs is None


def test_variance_is_split_into_items_runs_and_repeats() -> None:
    """Components of a balanced design, drawn with variances of .01, .04 and .09, as they are."""
    rng, items, runs, repeats = np.random.default_rng(8), 400, 30, 3
    drawn = {
        name: rng.normal(0, 0.1, items)
        + rng.normal(0, 0.2, (runs, 1, 1))
        + rng.normal(0, 0.3, (runs, repeats, items))
        for name in "AB"
    }
    counts = in_runs({name: own.reshape(-1, items) for name, own in drawn.items()})
    cells = tuple(("", str(run)) for run in range(runs) for _ in range(repeats))
    found = sources_of(
        score_metrics(replace(counts, cells=(cells,) * 2), None, Options())[0].scores, 0, 1
    )
    assert found.items * items / 2 == pytest.approx(0.01, rel=0.3)
    assert found.runs * runs / 2 == pytest.approx(0.04, rel=0.5)
    assert found.repeats * items * runs * repeats / 2 == pytest.approx(0.09, rel=0.05)
    assert found.residual < 0.1 * found.repeats


def test_fixed_runs_are_tested_as_their_means() -> None:
    counts = in_runs(drawn(7, items=60, spread=0.4))
    fixed, plain = (
        ta.compare(counts, runs="fixed"),
        ta.compare(replace(counts, runs=(), notices=())),
    )
    assert fixed.pairs == plain.pairs
    assert fixed.systems == plain.systems
    assert (fixed.record.runs.vary, fixed.record.runs.why_fixed) == (False, "option")
    assert "these-runs" in said(fixed.record)


@pytest.mark.parametrize(
    ("options", "why", "named"),
    [({"test": "exact"}, "test", "exact"), ({"test": "shuffle"}, "test", "shuffle"),
     ({"correction": "maxt"}, "correction", "--correction maxt"),
     ({"min_confidence": 0.99}, "confidence", "--min-confidence")],
)  # fmt: skip
def test_tests_that_exchange_items_are_about_these_runs(
    options: dict[str, Any], why: str, named: str
) -> None:
    result = ta.compare(in_runs(drawn(9, items=20, spread=0.4)), **options)
    assert result.record.runs.why_fixed == why
    assert named in said(result.record)["these-runs"]
    assert result.pairs[0].spread is None


def test_slices_and_clusters_keep_the_runs() -> None:
    systems = drawn(14, spread=0.8)
    kinds = [["news", "web"][k % 2] for k in range(40)]
    counts = in_runs(systems, kind=kinds, doc=[str(k // 2) for k in range(40)])
    news = ta.compare(counts.where(kind="news"), alpha=0.025).pairs[0]
    part = ta.compare(counts, by="kind").slices[0]
    assert part.p == pytest.approx(news.p)
    halves = {name: runs.reshape(3, 20, 2).mean(axis=2) for name, runs in systems.items()}
    clustered = ta.compare(counts, cluster="doc").pairs[0].spread
    expected = ta.compare(in_runs(halves)).pairs[0].spread
    assert (clustered.items, clustered.runs) == pytest.approx((expected.items, expected.runs))


def test_saved_counts_keep_their_runs(tmp_path: Path) -> None:
    """A table that is read back gives the same verdict, not that of the means."""
    counts = in_runs(drawn(17, spread=0.4))
    counts.to_table(tmp_path / "saved.csv")
    back = ta.read(str(tmp_path / "saved.csv"))
    assert back == counts
    assert ta.compare(back).pairs == ta.compare(counts).pairs


def f1_counts(seed: int, spread: float) -> ta.Counts:
    """Return counts of F1 whose denominators differ between systems; runs are lucky as wholes."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, often in (("A", 2), ("B", 5)):
        runs = []
        for _ in range(3):
            given, gold = rng.poisson(often, 30), rng.poisson(3, 30) + 1
            share = 1 / (1 + np.exp(-0.3 - rng.normal(0, spread)))
            tp = rng.binomial(np.minimum(given, gold), share)
            rows = np.stack([tp, given - tp, gold - tp], axis=1)
            runs.append(ta.Counts.from_arrays({name: rows}, ["tp", "fp", "fn"]))
        found[name] = runs
    return ta.average_runs(found)


def test_runs_of_ratios_count_by_their_residuals(tmp_path: Path) -> None:
    counts = f1_counts(2, 0.9)
    result = ta.compare(counts, metrics=["precision"])
    (pair,) = result.pairs
    tops, bottoms = ([runs @ weights for runs in counts.runs] for weights in ([1, 0, 0], [1, 1, 0]))
    pooled = sum(top.sum() for top in tops) / sum(bottom.sum() for bottom in bottoms)
    residuals = [
        (top - pooled * bottom) / bottom.mean() for top, bottom in zip(tops, bottoms, strict=True)
    ]
    assert pair.method == "runs"
    assert pair.statistic == pytest.approx(runs_test(*residuals).statistic)
    assert "t test over items and runs" in " ".join(str(result).lower().split())
    result.save_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "allows for other runs" in page


def test_an_answer_that_rests_on_a_single_run_says_so() -> None:
    """Two systems with three runs each are told from one with a single run."""
    rng = np.random.default_rng(2)
    good = (rng.random((3, 80)) < 0.9).astype(float)
    bad = (rng.random((3, 80)) < 0.2).astype(float)
    result = ta.compare(in_runs({"A": good, "B": bad, "C": bad[:1]}))
    assert result.answers["mean"].answer == "Yes"
    assert "these-runs" in result.answers["mean"].conditions
    several = ta.compare(in_runs({"A": good, "B": bad}))
    assert several.answers["mean"].answer == "Yes"
    assert "these-runs" not in several.answers["mean"].conditions
