"""Intervals beside p-values: the method that fits, and never at odds with the decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import tellapart as ta
from tellapart.comparison.options import CORRECTIONS, TESTS
from tellapart.counts import Counts
from tellapart.errors import TellapartError
from tellapart.report.sentences import holds_zero
from tellapart.stats import newcombe, tango, wilson

ALONE = ("none", "bh")


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
    """Check that 0 is left out only if a pair is told apart."""
    low, high = shown.interval or (None, None)
    beyond = (low is not None and low > 0) or (high is not None and high < 0)
    assert shown.different or not beyond


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
)
@given(
    kind=st.sampled_from(["answers", "scores", "counts"]),
    seed=st.integers(0, 10**6),
    systems=st.integers(2, 4),
    items=st.integers(4, 40),
    test=st.sampled_from(sorted(TESTS)),
    correction=st.sampled_from(CORRECTIONS),
    tail=st.sampled_from(["two", "two", "greater", "less"]),
    clustered=st.booleans(),
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
) -> None:
    """Whatever the data, the test, the correction and the tail."""
    counts = table(kind, seed, systems, items)
    cluster, metric = "text" if clustered else None, "f1" if kind == "counts" else "mean"
    try:
        result = ta.compare(
            counts, metrics=[metric], test=test, correction=correction, tail=tail, cluster=cluster,
            alpha=0.1, shuffles=199, workers=1,
        )  # fmt: skip
    except TellapartError:
        assume(False)
    for pair in result.pairs:
        assert_agrees(pair)
        at_once = correction not in ALONE and systems > 2
        assert pair.interval is None or pair.simultaneous is at_once


@pytest.mark.parametrize("test", ["auto", "shuffle"])
def test_interval_and_p_agree_at_the_very_level_of_p(test: str) -> None:
    rng = np.random.default_rng(len(test))
    for seed in range(20):
        counts = table(["answers", "scores"][seed % 2], seed, 2, int(rng.integers(6, 50)))
        asked: dict[str, Any] = {
            "test": test,
            "seed": seed,
            "tail": ("two", "greater", "less")[seed % 3],
        }
        asked["shuffles"] = 199 if test == "shuffle" else None
        p = ta.compare(counts, **asked).pairs[0].p
        assert p is not None
        for alpha in (p, float(np.nextafter(p, 0))):
            if 0 < alpha < 0.5:
                pair = ta.compare(counts, alpha=alpha, **asked).pairs[0]
                assert pair.different is (p <= alpha)
                assert_agrees(pair)


@pytest.mark.parametrize("tail", ["two", "less"])
def test_slices_agree_with_their_adjusted_p(tail: str) -> None:
    seen = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        counts = table("scores" if seed % 2 else "answers", seed, 2, 60)
        labels = {"topic": [f"t{k}" for k in rng.integers(0, 3, 60)]}
        rows = {name: counts.values[k, :, 0] for k, name in enumerate(counts.names)}
        for part in ta.compare(
            Counts.from_arrays(rows, labels=labels), by="topic", tail=tail
        ).slices:
            assert_agrees(part)
            seen.add(part.different)
    assert seen == {True, False}


def test_an_interval_is_never_cut_to_agree_with_p() -> None:
    """Holm's steps show what intervals for all pairs at once do not: these are Bonferroni's."""
    rows = {
        "a": [1] * 60,
        "b": [int(k > 7) for k in range(60)],
        "c": [int(k > 20) for k in range(60)],
    }
    rows["d"] = [int(k < 52) for k in range(60)]
    holm, single = (ta.compare(rows, correction=name) for name in ("holm", "bonferroni"))
    shown = [pair for pair in holm.pairs if pair.different]
    assert [pair.interval for pair in shown] == [
        single.pair(pair.a, pair.b).interval for pair in shown
    ]
    crossing = [pair for pair in holm.pairs if holds_zero(pair)]
    for pair in crossing:
        assert not single.pair(pair.a, pair.b).different


def test_an_interval_by_another_method_than_p_says_so() -> None:
    """The sign test counts wins, and the interval is of the mean, which a few losses pull back."""
    rng = np.random.default_rng(0)
    few = {"a": [0.52] * 50 + [0.0] * 8, "b": [0.5] * 50 + list(rng.random(8))}
    result = ta.compare({"a": few["a"], "b": [x - 0.06 for x in few["b"]]}, test="sign")
    (pair,) = result.pairs
    assert (pair.different, holds_zero(pair)) == (True, True)
    assert "by inverting the randomization test, on which p does not rest" in result.verdict
    assert "A CI with 0 in it beside a * is by inverting" in str(result)
    clear = ta.compare({"a": [1.0] * 30, "b": [0.1 * (k % 5) for k in range(30)]})
    assert not holds_zero(clear.pairs[0])
    assert "does not rest" not in clear.verdict
    assert "beside a *" not in str(clear)


def test_each_metric_has_the_interval_that_fits_it() -> None:
    rng = np.random.default_rng(7)
    median = ta.ItemFunction("median", ("tp",), lambda rows: float(np.median(rows)))
    rows = rng.integers(1, 9, (2, 30, 3))
    counts = Counts.from_arrays(dict(zip("AB", rows, strict=True)), ["tp", "fp", "fn"])
    result = ta.compare(counts, metrics=["f1", ta.mean("tp"), median])
    assert [pair.interval_method for pair in result.pairs] == ["bca", "inverted test", None]
    assert result.systems[0].interval_methods == {"f1": "bca", "mean": "t"}


def test_one_sided_tests_have_one_sided_intervals() -> None:
    """The end is that of the two-sided interval at twice the level."""
    a, b = np.random.default_rng(9).integers(0, 5, (2, 20))
    counts = Counts.from_arrays({"A": a, "B": b})

    def interval(**options: Any) -> Any:
        return ta.compare(counts, **options).pairs[0].interval

    low, high = interval(alpha=0.2)
    assert interval(alpha=0.1, tail="greater") == (low, None)
    assert interval(alpha=0.1, tail="less") == (None, high)
    assert interval(alpha=0.1, tail="greater", lower_is_better=True) == (None, high)


def test_systems_with_their_own_items_have_newcombes_interval() -> None:
    present = np.repeat([[True, False], [False, True]], 70, axis=1)
    right = np.zeros((2, 140), int)
    right[0, :56] = right[1, 70:112] = 1
    counts = Counts.from_arrays({name: right[k] for k, name in enumerate("AB")})
    result = ta.compare(replace(counts, present=present), test="unpaired")
    assert result.pairs[0].interval == pytest.approx(newcombe((56, 70), (42, 70)).ends)
    assert result.pairs[0].interval_method == "newcombe"
    assert result.systems[0].intervals["mean"] == pytest.approx(wilson(56, 70).ends)


def test_five_wins_and_no_loss_leave_zero_in_and_six_do_not() -> None:
    """The score test alone says .025 of five wins; the exact p is .0625."""
    five, six = (
        ta.compare(Counts.from_arrays({"A": [1] * k + [0] * 14, "B": [0] * (k + 14)})).pairs[0]
        for k in (5, 6)
    )
    assert float(tango(5, 0, 19)[0]) > 0
    assert (five.p, five.different, (five.interval or (None,))[0]) == (0.0625, False, 0)
    assert six.different
