"""Intervals beside p-values: for all pairs at once, and never at odds with the decision."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import tellapart as ta
from tellapart.counts import Counts
from tellapart.errors import TellapartError
from tellapart.metrics.projection import project
from tellapart.report import tables
from tellapart.report.figures.interval import sentence
from tellapart.report.latex import latex_pairs
from tellapart.report.terminal import render
from tellapart.resampling.workers import open_pool
from tellapart.significance.interval_formulas import Interval, percentile, stretched
from tellapart.significance.joint_corrections import Joint, joint_adjusted
from tellapart.significance.paired_proportions import tango_interval
from tellapart.significance.questions import Question
from tellapart.significance.registry import CORRECTIONS, JOINT, TESTS

ALONE = ("none", "bh", "by")


def table(kind: str, seed: int, systems: int, items: int) -> Counts:
    """Make systems of which the last is a little better."""
    rng = np.random.default_rng(seed)
    labels = {"text": [str(k) for k in rng.integers(0, max(3, items // 3), items)]}
    names = [f"s{k}" for k in range(systems)]
    better = np.linspace(0, 0.25, systems)
    if kind == "counts":
        gold = rng.integers(1, 6, items)
        rows: dict[str, Any] = {}
        for name, lead in zip(names, better, strict=True):
            found = rng.binomial(gold, 0.5 + lead)
            rows[name] = np.stack([found, rng.poisson(1, items), gold - found], axis=1)
        return Counts.from_arrays(rows, ["tp", "fp", "fn"], labels=labels)
    values = rng.random((systems, items))
    if kind == "answers":
        values = (values < 0.5 + better[:, None]).astype(int)
    else:
        values = np.round(values + better[:, None], 2)
    return Counts.from_arrays(dict(zip(names, values, strict=True)), labels=labels)


def assert_agrees(shown: Any) -> None:
    """Check that 0 is left out exactly if a pair is told apart; an end at 0 is then open."""
    if shown.interval is None:
        return
    low, high = shown.interval
    beyond = (low is not None and low > 0) or (high is not None and high < 0)
    inside = (low is None or low < 0) and (high is None or high > 0)
    if not shown.different:
        assert not beyond
    elif getattr(shown, "favours", None) in (None, shown.a if shown.difference > 0 else shown.b):
        assert not inside


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@example(  # clusters that all differ alike, of which t says nothing
    kind="answers",
    seed=0,
    systems=4,
    items=6,
    test="t",
    correction="none",
    tail="two",
    clustered=True,
    method="bca",
)
@given(
    kind=st.sampled_from(["answers", "scores", "counts"]),
    seed=st.integers(0, 10**6),
    systems=st.integers(2, 4),
    items=st.integers(4, 40),
    test=st.sampled_from(TESTS),
    correction=st.sampled_from(CORRECTIONS),
    tail=st.sampled_from(["two", "two", "greater", "less"]),
    clustered=st.booleans(),
    method=st.sampled_from([True, True, "bca", "percentile", "basic"]),
)
def test_no_interval_contradicts_its_decision(
    kind: str,
    seed: int,
    systems: int,
    items: int,
    test: str,
    correction: str,
    tail: str,
    clustered: bool,
    method: bool | str,
) -> None:
    """Whatever the data, the test, the correction, the tail and the method."""
    counts = table(kind, seed, systems, items)
    asked: dict[str, Any] = {
        "test": test,
        "correction": correction,
        "tail": tail,
        "cluster": "text" if clustered else None,
        "intervals": method,
        "alpha": 0.1,
        "shuffles": 199,
        "workers": 1,
    }
    metric = "f1" if kind == "counts" else "mean"
    try:
        result = ta.compare(counts, [metric], **asked)
    except TellapartError:
        assume(False)
    for pair in result.pairs:
        assert_agrees(pair)
        assert pair.interval_for in (None, "pair" if correction in ALONE or systems == 2 else "all")


@pytest.mark.parametrize("tail", ["two", "less"])
def test_slices_agree_with_their_adjusted_p(tail: str) -> None:
    seen = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        counts = table("scores" if seed % 2 else "answers", seed, 2, 60)
        labels = {"topic": [f"t{k}" for k in rng.integers(0, 3, 60)]}
        counts = Counts.from_arrays(
            {name: counts.values[k, :, 0] for k, name in enumerate(counts.names)}, labels=labels
        )
        for part in ta.compare(counts, by="topic", tail=tail).slices:
            assert_agrees(part)
            assert (part.interval_for, part.interval_level) == ("all", 0.95)
            seen.add(part.different)
    assert seen == {True, False}


def answers(seed: int = 0, systems: int = 4, items: int = 40) -> Counts:
    return table("answers", seed, systems, items)


@pytest.mark.parametrize(
    ("correction", "error"),
    [
        ("none", 0.05),
        ("bh", 0.05),
        ("by", 0.05),
        ("bonferroni", 0.05 / 6),
        ("holm", 0.05 / 6),
        ("hochberg", 0.05 / 6),
        ("sidak", 1 - 0.95 ** (1 / 6)),
        ("holm-sidak", 1 - 0.95 ** (1 / 6)),
    ],
)
def test_each_correction_has_its_own_intervals(correction: str, error: float) -> None:
    """Tango's at the level of the correction, but for what the decision says of 0."""
    counts = answers()
    for pair in ta.compare(counts, correction=correction).pairs:
        expected = [
            float(end)
            for end in tango_interval(pair.items_a_better, pair.items_b_better, 40, 1 - error)
        ]
        for end, wanted in zip(pair.interval or (), expected, strict=True):
            assert end == pytest.approx(wanted) or end == 0
        assert pair.interval_level == 0.95
        assert pair.interval_for == ("pair" if correction in ALONE else "all")


def joint(counts: Counts, correction: str, tail: str = "two", shuffles: int = 1999) -> Joint:
    projection = project(counts)
    systems = range(len(counts.names))
    asked = [Question(projection.metrics[0], a, b, tail) for a in systems for b in systems if a < b]
    with open_pool(1) as pool:
        return joint_adjusted(projection, asked, correction, shuffles, 0, pool)


@pytest.mark.parametrize("correction", JOINT)
def test_joint_intervals_lie_between_bonferronis_and_those_of_one_pair(correction: str) -> None:
    """Differences of four systems hang together, which a joint correction makes use of."""
    rng = np.random.default_rng(3)
    rows = {name: rng.normal(size=60).round(3) for name in "ABCD"}

    found = joint(Counts.from_arrays(rows), correction)

    # Six differences of four independent systems: Tukey's studentized range of four at 5 % is
    # 3.63, and 3.63 / √2 standard errors are passed in 1.0 % of cases.
    assert 0.05 / 6 <= found.error <= 0.05
    assert found.error == pytest.approx(0.0103, abs=0.0025)


def test_one_pair_alone_has_no_smaller_error() -> None:
    rng = np.random.default_rng(4)
    rows = {name: rng.normal(size=60).round(3) for name in "AB"}
    for tail in ("two", "greater"):
        found = joint(Counts.from_arrays(rows), "maxt", tail)
        assert found.error == pytest.approx(0.05, abs=1e-12)


def test_systems_that_go_together_need_hardly_any_correction() -> None:
    """Nearly the same difference five times: maxT knows, Bonferroni does not."""
    rng = np.random.default_rng(5)
    base, other = rng.normal(size=(2, 80))
    rows = {"A": base, **{f"B{k}": other + 1e-3 * rng.normal(size=80) for k in range(5)}}
    counts = Counts.from_arrays({name: row.round(6) for name, row in rows.items()})
    wide, narrow = (
        ta.compare(counts, correction=correction, baseline="A").pairs[0].interval
        for correction in ("bonferroni", "maxt")
    )
    assert wide is not None
    assert narrow is not None
    assert (narrow[1] or 0) - (narrow[0] or 0) < 0.85 * ((wide[1] or 0) - (wide[0] or 0))


def test_levels_beyond_the_draws_stretch_those_within() -> None:
    normal = np.random.default_rng(0).normal(size=9_999)
    found = stretched(lambda level: percentile(normal, level), 0.0, 1 - 1e-5, 9_999)
    assert found.ends == pytest.approx((-4.42, 4.42), abs=0.35)
    within = stretched(lambda level: percentile(normal, level), 0.0, 0.95, 9_999)
    assert within == percentile(normal, 0.95)


def test_reports_say_what_intervals_hold_for() -> None:
    counts = answers()
    for correction, words in (("holm", "for all 6 pairs at once"), ("bh", "for this pair alone")):
        result = ta.compare(counts, correction=correction)
        text = " ".join(render(result).split())
        assert f"95 % confidence interval: {words}" in text
        assert words in sentence(result, result.pairs[0])
        assert f"interval: {words}" in latex_pairs(result)
        pair = json.loads(result.to_json())["pairs"][0]
        kind = "all" if correction == "holm" else "pair"
        assert (pair["interval_for"], pair["interval_level"]) == (kind, 0.95)
        assert tables.tsv(result).splitlines()[1].endswith(f"\t{kind}\t0.95")
        assert f"| {kind} | 0.95 |" in tables.markdown(result)
        assert re.search(rf"\d, {words}[;)]", result.verdict)


def test_a_pair_that_is_the_only_one_needs_no_scope(tmp_path: Any) -> None:
    result = ta.compare(answers(systems=2))
    assert "alone" not in render(result)
    assert "at once" not in render(result)
    result.save_html(tmp_path / "page.html")
    assert "at once" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_page_says_what_intervals_hold_for(tmp_path: Any) -> None:
    result = ta.compare(answers())
    result.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "95 % confidence interval, for all 6 pairs at once" in page
    assert re.search(r"95 % confidence interval [^<]*, for all 6 pairs at once\)", page)


def test_mirrored_pairs_have_mirrored_intervals() -> None:
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 2, (2, 30))
    there = ta.compare(Counts.from_arrays({"A": a, "B": b})).pairs[0]
    back = ta.compare(Counts.from_arrays({"B": b, "A": a})).pairs[0]
    assert back.turned().interval == pytest.approx(there.interval)
    assert Interval(*(there.interval or (None, None)), "").contains(there.difference)
