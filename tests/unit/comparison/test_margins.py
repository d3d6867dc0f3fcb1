"""Margins: tests that fit the items, the interval that decides, corrections over candidates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from small_counts import in_runs
from tellapart.comparison.record import Pair
from tellapart.counts import Counts
from tellapart.report.gate import status
from tellapart.stats.corrections import adjust
from tellapart.stats.intervals import tango
from tellapart.stats.margins import RightOrWrong
from tellapart.stats.runs import spread


def right_or_wrong(won: int, lost: int, items: int) -> Counts:
    """Return items that only `new` has right, that only `old` has right, and both or neither."""
    tied = [k % 2 for k in range(items - won - lost)]
    return Counts.from_arrays(
        {"new": [1] * won + [0] * lost + tied, "old": [0] * won + [1] * lost + tied}
    )


def decided(counts: Counts, margin: float, metric: str | None = None, **options: Any) -> Pair:
    """Return the first pair, with what is decided about the margin."""
    return ta.compare(counts, metrics=metric, margin=margin, shuffles=99, **options).pairs[0]


@pytest.mark.parametrize("items", [5, 40, 100, 101, 400])
@pytest.mark.parametrize("margin", [0.02, 0.1])
def test_right_and_wrong_items_have_the_score_test(items: int, margin: float) -> None:
    found = decided(right_or_wrong(1, 2, items), margin)
    assert found.p_a_no_worse == RightOrWrong(1, 2, items).p_loss(margin)
    assert found.p_b_no_worse == RightOrWrong(2, 1, items).p_loss(margin)
    if items > 100:
        assert found.interval == tuple(map(float, tango(1, 2, items, 0.9)))
    assert found.interval_level == pytest.approx(0.9)


def test_a_function_of_sums_is_decided_as_the_same_ratio() -> None:
    rng = np.random.default_rng(9)
    rows = {name: rng.integers(1, 9, (60, 3)) for name in "AB"}
    counts = Counts.from_arrays(rows, ["tp", "fp", "fn"])
    same = ta.Function(
        "same", ("tp", "fn"), lambda sums: sums[..., 0] / (sums[..., 0] + sums[..., 1])
    )
    results = ta.compare(counts, metrics=["recall", same], margin=0.1, intervals=False, shuffles=99)
    recall, function = results.pairs
    assert function.p_a_no_worse == pytest.approx(recall.p_a_no_worse, abs=0.01)


def test_clusters_count_as_one_item_each() -> None:
    """Twenty copies of five items in five clusters are no more than five items."""
    few = Counts.from_arrays({"A": [0.9, 0.5, 1, 0, 0.2], "B": [0.8, 0.5, 0.9, 0.1, 0.2]})
    values = np.repeat(few.values[:, :, 0] / few.scales[0], 20, axis=1)
    many = Counts.from_arrays(
        dict(zip("AB", values, strict=True)), labels={"c": [str(k // 20) for k in range(100)]}
    )
    one, other = (decided(few, 0.2), decided(many, 0.2, cluster="c"))
    assert other.p_a_no_worse == pytest.approx(one.p_a_no_worse)
    assert decided(many, 0.2).p_a_no_worse < one.p_a_no_worse / 2


def test_where_lower_is_better_a_rise_is_the_loss() -> None:
    rng = np.random.default_rng(3)
    a, b = np.array([[5, 0, 4]] * 60), np.array([[5, 0, 1]] * 60)
    a[:, 2] += rng.integers(0, 3, 60)
    b[:, 2] += rng.integers(0, 3, 60)
    counts = Counts.from_arrays({"A": a, "B": b}, ["tp", "fp", "fn"])
    up, down = (decided(counts, 0.02, metric) for metric in ("recall", "undergeneration"))
    for found in (up, down):
        assert (found.equivalent, found.a_no_worse, found.b_no_worse) == (False, False, True)
    assert down.p_a_no_worse == pytest.approx(up.p_a_no_worse)
    assert down.interval == pytest.approx(tuple(-end for end in reversed(up.interval)))


@given(st.integers(0, 10_000), st.integers(2, 40), st.floats(0.005, 0.8), st.booleans())
@settings(deadline=None, max_examples=15)
def test_a_margin_is_kept_exactly_if_the_interval_ends_before_it(
    seed: int, items: int, margin: float, binary: bool
) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (2, items)) if binary else rng.random((2, items)).round(2)
    found = decided(Counts.from_arrays(dict(zip("AB", rows, strict=True))), margin)
    decision, (low, high), slack = found, found.interval, 2e-6
    assert decision.a_no_worse is (decision.p_a_adjusted <= 0.05)
    assert decision.b_no_worse is (decision.p_b_adjusted <= 0.05)
    assert decision.equivalent is (decision.a_no_worse and decision.b_no_worse)
    assert low > -margin - slack if decision.a_no_worse else low <= -margin + slack
    assert high < margin + slack if decision.b_no_worse else high >= margin - slack


def candidates(seed: int = 1, k: int = 6) -> Counts:
    rng = np.random.default_rng(seed)
    base = (rng.random(300) < 0.8).astype(int)
    changed = {
        f"new{c}": np.where(rng.random(300) < 0.1 * (c + 1), rng.random(300) < 0.8, base)
        for c in range(k)
    }
    return Counts.from_arrays({"base": base, **{n: v.astype(int) for n, v in changed.items()}})


@pytest.mark.parametrize(
    ("correction", "used"),
    [("holm", "holm"), ("none", "none"), ("bonferroni",) * 2, ("bh", "bh"), ("maxt", "holm")],
)
def test_candidates_are_corrected_over_their_margin_p_values(correction: str, used: str) -> None:
    """By Holm's correction where another is joint; whichever way round the systems stand."""
    counts = candidates()
    level = 0.9 if correction == "none" else 1 - 0.1 / 6
    for order in (counts, counts.systems[tuple(reversed(counts.names))]):
        result = ta.compare(order, baseline="base", margin=0.04, correction=correction, shuffles=99)
        seen = [pair if pair.b == "base" else pair.turned() for pair in result.pairs]
        raw = [pair.p_a_no_worse for pair in seen]
        assert [pair.p_a_adjusted for pair in seen] == pytest.approx(adjust(raw, used))
        assert [pair.interval_level for pair in seen] == pytest.approx([level] * 6)
        assert {pair.a_no_worse for pair in seen} == {True, False}
        for pair in seen:
            assert pair.a_no_worse is (pair.p_a_adjusted <= 0.05)
            if correction == "holm":
                assert (pair.interval[0] >= -0.04) is pair.a_no_worse


def test_runs_that_could_be_others_widen_the_interval() -> None:
    """By these runs alone the margin is kept; their spread says that others might not keep it."""
    rng = np.random.default_rng(6)
    hard = rng.random(200)
    runs = [(hard < share).astype(int) for share in (0.75, 0.85, 0.8)]
    counts = in_runs({"A": runs, "B": runs})
    these, others = (
        ta.compare(counts, margin=0.05, runs=how).pairs[0] for how in ("fixed", "vary")
    )
    assert these.equivalent
    assert not others.a_no_worse
    assert not others.b_no_worse
    noise = spread(np.stack(runs), np.stack(runs))
    assert others.interval == pytest.approx(noise.interval(0.9).ends)
    assert others.p_a_no_worse == pytest.approx(noise.p(1, -0.05))


def test_what_is_shown_to_be_better_keeps_a_margin() -> None:
    """Though the margin's own test, which allows for scales without a bound, cannot tell."""
    rng = np.random.default_rng(0)
    old = rng.uniform(0, 10, 16).round(1)
    new = np.clip(old + rng.normal(0.7, 1.0, 16), 0, 10).round(1)
    result = ta.compare({"old": old, "new": new}, margin=0.05)
    (pair,) = result.pairs
    assert (pair.b_no_worse, pair.different, pair.favours) == (False, True, "new")
    assert result.answers["mean"].answer == "Yes"
    assert status(result.record) == 0
    assert "shown to be better" in result.verdict
    worse = ta.compare({"old": new, "new": old}, margin=0.05)
    assert (worse.answers["mean"].answer, status(worse.record)) != ("Yes", 0)
