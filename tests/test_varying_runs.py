"""Several runs of a system: they speak for the system, and items and runs both vary."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tellapart as ta
from tellapart.cli import main
from tellapart.comparison.details import details_of
from tellapart.metrics import Metric
from tellapart.metrics.projection import project
from tellapart.report.figures import null_distribution
from tellapart.significance.varying_runs import (
    RunNoise,
    noise_of_values,
    pair_noise,
    system_noise,
)

Runs = NDArray[np.float64]  # runs × items


def counts_of(systems: dict[str, Runs], **labels: list[str]) -> ta.Counts:
    return ta.average_runs(
        {
            name: [ta.Counts.from_arrays({name: run}, labels=labels or None) for run in runs]
            for name, runs in systems.items()
        }
    )


def noise_of(counts: ta.Counts, metric: Metric | None = None) -> RunNoise:
    projection = project(counts, None if metric is None else [metric])
    found = pair_noise(projection, projection.metrics[0], 0, 1)
    assert found is not None
    return found


def drawn(seed: int, runs: int = 3, items: int = 40, spread: float = 0.0) -> dict[str, Runs]:
    """Right and wrong answers of two systems; `spread` is that of runs on the logit scale."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0.5, 1, items)
    return {
        name: (
            rng.random((runs, items)) < 1 / (1 + np.exp(-hard - rng.normal(0, spread, (runs, 1))))
        ).astype(float)
        for name in ("A", "B")
    }


def codes(result: ta.Comparison) -> dict[str, str]:
    return {notice.code: notice.text for notice in result.warnings}


def test_runs_that_are_copies_leave_the_paired_t_test() -> None:
    """Without any difference between runs only items vary."""
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(1)
    a, b = rng.normal(0.3, 1, 30).round(3), rng.normal(0, 1, 30).round(3)
    noise = noise_of(counts_of({"A": np.stack([a] * 4), "B": np.stack([b] * 3)}))
    for tail, alternative in (("two", "two-sided"), ("greater", "greater"), ("less", "less")):
        peer = ttest_rel(a, b, alternative=alternative)
        assert noise.p(tail) == pytest.approx(peer.pvalue, rel=1e-9)
    assert noise.df == pytest.approx(29)
    peer = ttest_rel(a, b).confidence_interval(0.9)
    assert noise.ends(0.9) == pytest.approx((peer.low, peer.high))


def test_items_that_are_all_alike_leave_welchs_test_of_runs() -> None:
    """Two runs, from whose spread nothing is subtracted, are two numbers of each system."""
    from scipy.stats import ttest_ind

    a, b = np.array([0.7, 0.9]), np.array([0.1, 0.4])
    noise = noise_of(counts_of({"A": np.repeat(a, 20).reshape(2, 20),
                                "B": np.repeat(b, 20).reshape(2, 20)}))  # fmt: skip
    peer = ttest_ind(a, b, equal_var=False)
    assert noise.p("two") == pytest.approx(peer.pvalue, rel=1e-9)
    assert noise.df == pytest.approx(peer.df)
    assert noise.items == noise.chance == 0
    assert noise.helps == "runs"


def test_by_hand() -> None:
    """Two runs, two items, B constant: the mean squares of A can be done in the head.

    A = [[0, 2], [4, 6]] is additive: nothing is left to chance, run means 1 and 5 (variance 8 over
    2 runs), item means 2 and 4 (variance 2 over 2 items).
    """
    a = np.array([[0.0, 2.0], [4.0, 6.0]])
    noise = noise_of(counts_of({"A": a, "B": np.ones((2, 2))}))
    assert noise.difference == 2.0
    assert (noise.items, noise.runs, noise.chance) == pytest.approx((2 / 2, 8 / 2, 0))
    assert noise.df == pytest.approx((1 + 4) ** 2 / (1**2 / 1 + 4**2 / 1))
    # From three runs on, what chance within items explains is subtracted: run means 1, 5, 3 have
    # variance 4, the runs of each item as well, over 2 items.
    noise = noise_of(counts_of({"A": np.vstack([a, [[2.0, 4.0]]]), "B": np.ones((3, 2))}))
    assert (noise.items, noise.runs, noise.chance) == pytest.approx((1, (4 - 4 / 2) / 3, 0))


def test_parts_recover_the_truth() -> None:
    """Averages over many simulated experiments come near the variances put in."""
    rng = np.random.default_rng(0)
    k, n, parts, differences = 8, 30, [], []
    for _ in range(400):
        shared = rng.normal(0, 3, n)
        a, b = (
            shared + rng.normal(0, 1, n) + rng.normal(0, 0.8, (k, 1)) + rng.normal(0, 2, (k, n))
            for _ in range(2)
        )
        differences.append(float(a.mean() - b.mean()))
        noise = noise_of_values(differences[-1], (a, b))
        parts.append((noise.items, noise.runs, noise.chance))
    truth = 2 * 1 / n, 2 * 0.64 / k, 2 * 4 / (k * n)
    assert np.mean(parts, axis=0) == pytest.approx(truth, rel=0.1)
    assert np.sum(np.mean(parts, axis=0)) == pytest.approx(np.var(differences), rel=0.2)


def test_more_runs_do_not_help_where_only_items_vary() -> None:
    a = np.stack([np.tile([1.0, 0.0], 20)] * 3)
    noise = noise_of(counts_of({"A": a, "B": 1 - a}))
    assert noise.runs == 0
    assert noise.helps == "items"


def test_a_ratio_of_counts_to_one_is_a_mean() -> None:
    systems = drawn(3, spread=0.4)
    as_mean = noise_of(counts_of(systems))
    ratio = ta.ratio("share", {"tp": 1}, {"n": 1})
    counted = ta.average_runs(
        {
            name: [
                ta.Counts.from_arrays(
                    {name: np.stack([run, np.ones_like(run)], 1).astype(int)}, ["tp", "n"]
                )
                for run in runs
            ]
            for name, runs in systems.items()
        }
    )
    assert noise_of(counted, ratio) == as_mean
    function = ta.Function("share", ("tp", "n"), lambda sums: sums[..., 0] / sums[..., 1])
    by_gradient = noise_of(counted, function)
    assert by_gradient.items == pytest.approx(as_mean.items, rel=1e-6)
    assert by_gradient.runs == pytest.approx(as_mean.runs, rel=1e-6)
    assert by_gradient.df == pytest.approx(as_mean.df, rel=1e-6)


def test_clusters_of_one_item_are_items() -> None:
    counts = counts_of(drawn(4, spread=0.4), doc=[str(k) for k in range(40)])
    assert noise_of(counts.by("doc")) == noise_of(counts)


def test_clusters_are_sums_of_their_items() -> None:
    """Of clusters of two items each, the mean is that of the pairs' means."""
    systems = drawn(5, spread=0.4)
    clustered = counts_of(systems, doc=[str(k // 2) for k in range(40)]).by("doc")
    halves = {name: runs.reshape(3, 20, 2).mean(axis=2) for name, runs in systems.items()}
    expected, found = noise_of(counts_of(halves)), noise_of(clustered)
    assert found.items == pytest.approx(expected.items)
    assert found.runs == pytest.approx(expected.runs)


def test_one_run_or_a_median_has_no_noise_of_runs() -> None:
    systems = drawn(6)
    counts = counts_of({"A": systems["A"], "B": systems["B"][:1]})
    projection = project(counts)
    assert pair_noise(projection, projection.metrics[0], 0, 1) is None
    assert system_noise(projection, projection.metrics[0], 0) is not None
    assert system_noise(projection, projection.metrics[0], 1) is None
    median = ta.ItemFunction("median", ("score",), lambda rows: float(np.median(rows)))
    projection = project(counts_of(systems), [median])
    assert pair_noise(projection, projection.metrics[0], 0, 1) is None


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(2, 12))
@settings(max_examples=60, deadline=None)
def test_order_does_not_matter(seed: int, k: int, n: int) -> None:
    """Neither that of items nor that of runs nor, but for the sign, that of systems."""
    systems = drawn(seed, k, n, 0.5)
    noise = noise_of(counts_of(systems))
    rng = np.random.default_rng(seed)
    items, runs = rng.permutation(n), rng.permutation(k)
    moved = noise_of(counts_of({name: each[runs][:, items] for name, each in systems.items()}))
    back = noise_of(counts_of(dict(reversed(systems.items()))))
    for other, sign in ((moved, 1), (back, -1)):
        assert other.difference == pytest.approx(sign * noise.difference, abs=1e-12)
        for part in ("items", "runs", "chance", "df"):
            assert getattr(other, part) == pytest.approx(getattr(noise, part), abs=1e-12)
    assert back.p("greater") == pytest.approx(noise.p("less"), abs=1e-9)


def test_spread_between_runs_keeps_equal_systems_together() -> None:
    """Three runs whose means lie apart: these runs differ, the systems are not shown to."""
    counts = counts_of(drawn(14, items=300, spread=0.6))
    result = ta.compare(counts)
    pair, these = result.pairs[0], ta.compare(counts, runs="fixed").pairs[0]
    assert these.different
    assert not pair.different
    assert pair.p_these_runs == these.p
    assert pair.method == "runs"
    assert pair.interval is not None
    assert pair.interval[0] is not None
    assert pair.interval[0] < 0 < pair.interval[1]  # type: ignore[operator]
    assert pair.noise is not None
    assert pair.noise.shares[1] > 0.5
    assert pair.noise.helps == "runs"
    assert "more runs would help more than more items" in codes(result)["runs"]


def test_the_picture_of_exchanges_does_not_claim_the_p_of_runs() -> None:
    """Its share of extreme exchanges is that of these very runs, far below p."""
    result = ta.compare(counts_of(drawn(14, items=300, spread=0.6)))
    pair, details = result.pairs[0], details_of(result).pairs[0]
    assert details.null is not None
    words = null_distribution.sentence(result, pair, details)
    assert words.endswith(
        "they exchange items of these very runs, and p allows for other runs, too."
    )
    assert "were counted" not in words
    assert pair.p is not None
    assert sum(details.null.extreme) / details.null.shuffles < pair.p / 2


def test_fixed_runs_are_tested_as_their_means() -> None:
    """The figures of these very runs are those of the means, as if there were no runs."""
    counts = counts_of(drawn(7, items=60, spread=0.4))
    means = replace(counts, runs=(), notices=())
    fixed, plain = ta.compare(counts, runs="fixed"), ta.compare(means)
    assert [replace(p, diagnostics=plain.pairs[0].diagnostics) for p in fixed.pairs] == [
        *plain.pairs
    ]
    assert fixed.systems == plain.systems
    assert fixed.runs is not None
    assert (fixed.runs.asked, fixed.runs.why) == ("fixed", "option")
    assert "these very runs" in codes(fixed)["these-runs"]


@given(st.integers(0, 10**6), st.sampled_from(["two", "greater", "less"]))
@settings(max_examples=25, deadline=None)
def test_never_surer_than_these_runs(seed: int, tail: str) -> None:
    counts = counts_of(drawn(seed, items=12, spread=0.5))
    pair = ta.compare(counts, tail=tail, intervals=False).pairs[0]
    these = ta.compare(counts, tail=tail, runs="fixed", intervals=False).pairs[0]
    assert pair.p is not None
    assert these.p is not None
    assert pair.p_these_runs == these.p <= pair.p <= 1


def test_five_items_that_all_speak_for_one_do_not_make_certainty() -> None:
    """No variance in sight: p is that of the exact test, 2 in 32, and not 0."""
    result = ta.compare(counts_of({"A": np.ones((3, 5)), "B": np.zeros((3, 5))}))
    assert result.pairs[0].p == 0.0625


def test_mirrored_systems_give_the_mirrored_result() -> None:
    systems = drawn(8, spread=0.4)
    there = ta.compare(counts_of(systems)).pair("A", "B")
    back = ta.compare(counts_of(dict(reversed(systems.items())))).pair("A", "B")
    assert there.p == pytest.approx(back.p)
    assert there.interval == pytest.approx(back.interval)


@pytest.mark.parametrize(
    ("options", "why", "said"),
    [
        ({"test": "exact"}, "test", "The exact test takes the runs as they are"),
        ({"test": "shuffle"}, "test", "The shuffle test takes the runs as they are"),
        ({"correction": "maxt"}, "correction", "--correction maxt exchanges items, not runs"),
        ({"min_confidence": 0.99}, "confidence", "--min-confidence is about exchanges"),
    ],
)
def test_tests_that_exchange_items_are_about_these_runs(
    options: dict[str, str], why: str, said: str
) -> None:
    counts = counts_of(drawn(9, items=20, spread=0.4))
    result = ta.compare(counts, **options)  # type: ignore[arg-type]
    assert result.runs is not None
    assert result.runs.why == why
    assert codes(result)["these-runs"].startswith(said)
    assert result.pairs[0].noise is None


def test_a_single_run_cannot_speak_for_its_system() -> None:
    systems = drawn(10)
    result = ta.compare(counts_of({"A": systems["A"], "B": systems["B"][:1]}))
    assert result.runs is not None
    assert (result.runs.asked, result.runs.why) == ("fixed", "single")
    assert codes(result)["these-runs"] == (
        "B has a single run: the verdict is about these very runs, and other runs of the same "
        "systems may give another."
    )


def test_pairs_with_a_single_run_are_about_that_run() -> None:
    systems = {**drawn(10, spread=0.3), "C": drawn(11)["A"][:1]}
    result = ta.compare(counts_of(systems))
    assert result.pair("A", "B").noise is not None
    assert result.pair("A", "C").noise is None
    assert "C has a single run: pairs with it" in codes(result)["single-run"]


def test_two_runs_can_hardly_tell() -> None:
    result = ta.compare(counts_of(drawn(13, runs=2)))
    assert codes(result)["two-runs"] == (
        "Two runs can hardly tell how far apart the runs of a system lie: make three or more "
        "of A, B."
    )


def test_slices_clusters_and_choices_keep_the_runs() -> None:
    systems = {**drawn(14, spread=0.8), "C": drawn(15)["A"]}
    kinds = [["news", "web"][k % 2] for k in range(40)]
    counts = counts_of(systems, kind=kinds, doc=[str(k // 2) for k in range(40)])
    # The intervals of two kinds hold for both at once.
    news = ta.compare(counts.where(kind="news").systems["A", "B"], alpha=0.025).pairs[0]
    sliced = ta.compare(counts.systems["A", "B"], by="kind").slices[0]
    assert news.noise is not None
    assert sliced.p == pytest.approx(news.p)
    assert sliced.interval == pytest.approx(news.interval, abs=1e-9)
    clustered = ta.compare(counts, cluster="doc").pair("A", "B")
    assert clustered.noise is not None
    assert clustered.noise.items == pytest.approx(
        math.sqrt(noise_of(counts.by("doc").systems["A", "B"]).items)
    )


def test_the_record_survives() -> None:
    result = ta.compare(counts_of(drawn(16, spread=0.4)))
    assert ta.Comparison.from_json(result.to_json()) == result


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_saved_counts_keep_their_runs(suffix: str, tmp_path: Path) -> None:
    """A table that is read back gives the same verdict, not that of the means."""
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    counts = counts_of(drawn(17, spread=0.4))
    counts.to_table(tmp_path / f"saved{suffix}")
    back = ta.read(str(tmp_path / f"saved{suffix}"))
    assert back == counts
    assert ta.compare(back).pairs == ta.compare(counts).pairs


def test_answers_name_the_runs_that_they_hold_for() -> None:
    counts = counts_of(drawn(14, items=300, spread=0.6))
    answer = ta.compare(counts, runs="fixed").answers["mean"]
    assert answer.text == "Yes, in these very runs"
    assert ta.compare(counts).answers["mean"].text == "Cannot tell"


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


def test_ratios_with_runs_report_themselves(tmp_path: Path) -> None:
    """Every report takes a ratio whose runs vary: terminal, page, paper, tables."""
    result = ta.compare(f1_counts(2, 0.5), ["precision", "f1"], by=None)
    assert {pair.method for pair in result.pairs} == {"runs"}
    assert "t test over items and runs" in str(result).lower().replace("\n  ", " ")
    result.save_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "The verdict allows for other runs of these systems. Of the uncertainty, " in page
    assert "t test over items and runs with Satterthwaite" in page.replace("&#39;", "'")
    assert ta.Comparison.from_json(result.to_json()) == result


def test_residuals_of_ratios_are_those_of_the_definition() -> None:
    """The item part of a ratio's noise, worked out from the sums of its runs."""
    counts = f1_counts(3, 0.3)
    projection = project(counts, ["precision"])
    noise = pair_noise(projection, projection.metrics[0], 0, 1)
    assert noise is not None
    z = []
    tops, bottoms = zip(
        *((runs[:, :, 0], runs[:, :, 0] + runs[:, :, 1]) for runs in counts.runs), strict=True
    )
    pooled = sum(top.sum() for top in tops) / sum(bottom.sum() for bottom in bottoms)
    for top, bottom in zip(tops, bottoms, strict=True):
        z.append((top - pooled * bottom) / bottom.mean())
    by_hand = noise_of_values(float(z[0].mean() - z[1].mean()), z)
    assert by_hand.difference == pytest.approx(noise.difference)
    assert by_hand.error == pytest.approx(noise.error)
    assert by_hand.df == pytest.approx(noise.df)


def epochs(path: Path, name: str, seed: int, failed: int) -> str:
    """Write a log of three epochs of forty items, some of the second epoch failed."""
    rng = np.random.default_rng(seed)
    samples: list[dict[str, Any]] = []
    for item in range(40):
        for epoch in (1, 2, 3):
            value = "C" if rng.random() < 0.6 else "I"
            sample: dict[str, Any] = {
                "id": item,
                "epoch": epoch,
                "scores": {"match": {"value": value}},
            }
            if epoch == 2 and item < failed:
                sample |= {"scores": {}, "error": {"message": "TimeoutError"}}
            samples.append(sample)
    log = {"version": 2, "status": "success", "eval": {"model": name}, "samples": samples}
    (path / f"{name}.json").write_text(json.dumps(log))
    return str(path / f"{name}.json")


def test_a_few_failed_epochs_count_as_the_mean_of_the_others(tmp_path: Path) -> None:
    counts = ta.read([epochs(tmp_path, "ash", 1, 3), epochs(tmp_path, "oak", 2, 0)])
    assert [runs.shape for runs in counts.runs] == [(3, 40, 1), (3, 40, 1)]
    assert int(np.isnan(counts.runs[0]).sum()) == 3
    pair = ta.compare(counts).pairs[0]
    assert pair.noise is not None
    filled = counts.runs[0].copy()
    filled[1, :3] = counts.runs[0][[0, 2], :3].mean(axis=0)
    by_hand = noise_of_values(pair.difference, (filled[:, :, 0], counts.runs[1][:, :, 0]))
    assert pair.noise.runs == pytest.approx(math.sqrt(by_hand.runs))
    assert pair.diagnostics.standard_error == pytest.approx(by_hand.error)


def test_many_failed_epochs_leave_these_runs(tmp_path: Path) -> None:
    counts = ta.read([epochs(tmp_path, "ash", 1, 15), epochs(tmp_path, "oak", 2, 0)])
    result = ta.compare(counts)
    assert result.runs is not None
    assert (result.runs.asked, result.runs.why) == ("fixed", "missing")
    assert codes(result)["these-runs"].startswith("More than 10 % of the runs of items are missing")


def test_margins_and_corrections_take_the_noise_of_runs() -> None:
    """A margin that these runs keep is not kept by systems whose runs lie apart."""
    systems = {**drawn(14, items=300, spread=0.6), "C": drawn(20, items=300, spread=0.6)["A"]}
    counts = counts_of(systems)
    vary, fixed = (ta.compare(counts, margin=0.15, runs=runs) for runs in ("vary", "fixed"))
    for one, other in zip(vary.pairs, fixed.pairs, strict=True):
        assert one.p_a_no_worse is not None
        assert other.p_a_no_worse is not None
        assert one.p_a_no_worse >= other.p_a_no_worse
        assert one.interval_method == "runs"
        assert one.p_adjusted is not None
        assert one.p_adjusted >= one.p  # type: ignore[operator]
    assert sum(bool(pair.equivalent) for pair in fixed.pairs) > sum(
        bool(pair.equivalent) for pair in vary.pairs
    )
    one_sided = ta.compare(counts, baseline="B", tail="greater")
    for pair in one_sided.pairs:
        seen = one_sided.pair(pair.other("B"), "B")
        assert seen.interval is not None
        assert seen.interval[1] is None


def test_a_plan_says_that_it_is_for_these_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [epochs(tmp_path, "ash", 1, 0), epochs(tmp_path, "oak", 2, 0)]
    assert main(["plan", *files]) == 0
    captured = capsys.readouterr()
    assert "the plan is for these very runs" in captured.err
    headline = " ".join(captured.out.split("\n\n")[0].split())
    assert "is found 4 times out of 5 in these very runs; for " in headline
