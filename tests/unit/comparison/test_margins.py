"""Margins: tests that fit the items, the interval that decides, corrections over candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from tellapart.cli import main
from tellapart.comparison.record import Pair
from tellapart.counts import Counts
from tellapart.metrics.scores import metrics_of, score_counts
from tellapart.stats.corrections import adjust
from tellapart.stats.intervals import tango
from tellapart.stats.margins import RightOrWrong
from tellapart.stats.runs import spread


def sure(p: float | None) -> float:
    """Return a p-value that has to be there."""
    assert p is not None
    return p


def right_or_wrong(won: int, lost: int, items: int) -> Counts:
    """Return items that only `new` has right, that only `old` has right, and both or neither."""
    tied = [k % 2 for k in range(items - won - lost)]
    return Counts.from_arrays(
        {"new": [1] * won + [0] * lost + tied, "old": [0] * won + [1] * lost + tied}
    )


def decided(counts: Counts, margin: float, metric: str | None = None, **options: Any) -> Pair:
    """Return the first pair, with what is decided about the margin."""
    return ta.compare(counts, metrics=metric, margin=margin, shuffles=99, **options).pairs[0]


def ends(pair: Pair) -> tuple[float, float]:
    assert pair.interval is not None
    low, high = pair.interval
    assert low is not None
    assert high is not None
    return low, high


@pytest.mark.parametrize("items", [5, 40, 100, 101, 400])
@pytest.mark.parametrize("margin", [0.02, 0.1])
def test_right_and_wrong_items_have_the_score_test(items: int, margin: float) -> None:
    found = decided(right_or_wrong(1, 2, items), margin)
    assert found.p_a_no_worse == RightOrWrong(1, 2, items).p_loss(margin)
    assert found.p_b_no_worse == RightOrWrong(2, 1, items).p_loss(margin)
    if items > 100:
        assert found.interval == tuple(map(float, tango(1, 2, items, 0.9)))
    assert found.interval_level == pytest.approx(0.9)


@pytest.mark.parametrize("margin", [1e-6, 0.02, 0.1, 0.3])
def test_five_items_alike_pass_no_small_margin(margin: float) -> None:
    """What 0.1 did: five identical items ruled out any loss."""
    for counts in (right_or_wrong(0, 0, 5), Counts.from_arrays({"A": [0.7] * 5, "B": [0.7] * 5})):
        found = decided(counts, margin)
        assert (found.a_no_worse, found.b_no_worse, found.equivalent) == (False, False, False)


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
    assert sure(decided(many, 0.2).p_a_no_worse) < sure(one.p_a_no_worse) / 2


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
    assert ends(down) == pytest.approx(tuple(-end for end in reversed(ends(up))))


@given(st.integers(0, 10_000), st.integers(2, 40), st.floats(0.005, 0.8), st.booleans())
@settings(deadline=None, max_examples=15)
def test_a_margin_is_kept_exactly_if_the_interval_ends_before_it(
    seed: int, items: int, margin: float, binary: bool
) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (2, items)) if binary else rng.random((2, items)).round(2)
    found = decided(Counts.from_arrays(dict(zip("AB", rows, strict=True))), margin)
    decision, (low, high), slack = found, ends(found), 2e-6
    assert decision.a_no_worse is (sure(decision.p_a_adjusted) <= 0.05)
    assert decision.b_no_worse is (sure(decision.p_b_adjusted) <= 0.05)
    assert decision.equivalent is (decision.a_no_worse and decision.b_no_worse)
    assert low > -margin - slack if decision.a_no_worse else low <= -margin + slack
    assert high < margin + slack if decision.b_no_worse else high >= margin - slack


@given(st.integers(0, 10_000), st.integers(1, 40), st.floats(0.01, 0.5), st.booleans())
@settings(deadline=None, max_examples=8)
def test_neither_the_order_of_items_nor_that_of_systems_matters(
    seed: int, items: int, margin: float, binary: bool
) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (2, items)) if binary else rng.random((2, items)).round(2)
    found = decided(Counts.from_arrays({"A": rows[0], "B": rows[1]}), margin)
    order = rng.permutation(items)
    turned = decided(Counts.from_arrays({"B": rows[1][order], "A": rows[0][order]}), margin)
    assert turned.p_b_no_worse == pytest.approx(found.p_a_no_worse, rel=1e-6)
    assert turned.a_no_worse is found.b_no_worse
    assert ends(turned) == pytest.approx(tuple(-end for end in reversed(ends(found))), abs=2e-5)


def candidates(seed: int = 1, k: int = 6) -> Counts:
    rng = np.random.default_rng(seed)
    base = (rng.random(300) < 0.8).astype(int)
    changed = {
        f"new{c}": np.where(rng.random(300) < 0.1 * (c + 1), rng.random(300) < 0.8, base)
        for c in range(k)
    }
    return Counts.from_arrays({"base": base, **{n: v.astype(int) for n, v in changed.items()}})


def test_candidates_are_corrected_by_holm_over_their_margin_p_values() -> None:
    counts = candidates()
    for order in (counts, counts.systems[tuple(reversed(counts.names))]):
        result = ta.compare(order, baseline="base", margin=0.04)
        seen = [pair if pair.b == "base" else pair.turned() for pair in result.pairs]
        raw = [sure(pair.p_a_no_worse) for pair in seen]
        assert [pair.p_a_adjusted for pair in seen] == pytest.approx(adjust(raw, "holm"))
        assert [pair.interval_level for pair in seen] == pytest.approx([1 - 0.1 / 6] * 6)
        shown = [pair.a_no_worse for pair in seen]
        assert set(shown) == {True, False}
        for pair in seen:
            assert pair.a_no_worse is (sure(pair.p_a_adjusted) <= 0.05)
            assert ends(pair)[0] >= -0.04 if pair.a_no_worse else ends(pair)[0] <= -0.04


@pytest.mark.parametrize("correction", ["none", "bonferroni", "bh", "maxt"])
def test_other_corrections_go_for_margins_too(correction: str) -> None:
    result = ta.compare(
        candidates(), baseline="base", margin=0.04, correction=correction, shuffles=99
    )
    seen = [pair if pair.b == "base" else pair.turned() for pair in result.pairs]
    used = "holm" if correction == "maxt" else correction
    known = adjust([sure(pair.p_a_no_worse) for pair in seen], used)
    assert [pair.p_a_adjusted for pair in seen] == pytest.approx(known)
    level = 0.9 if correction == "none" else 1 - 0.1 / 6
    assert [pair.interval_level for pair in seen] == pytest.approx([level] * 6)


def test_runs_that_could_be_others_widen_the_interval() -> None:
    """By these runs alone the margin is kept; their spread says that others might not keep it."""
    rng = np.random.default_rng(6)
    hard = rng.random(200)
    runs = {
        name: [
            Counts.from_arrays({name: (hard < share).astype(int)}) for share in (0.75, 0.85, 0.8)
        ]
        for name in ("A", "B")
    }
    counts = ta.average_runs(runs)
    these, others = (
        ta.compare(counts, margin=0.05, runs=how).pairs[0] for how in ("fixed", "vary")
    )
    assert these.equivalent
    assert not others.a_no_worse
    assert not others.b_no_worse
    assert others.interval_method == "runs"
    scores = score_counts(counts, metrics_of(counts, None)[0])
    contributions = scores.run_contributions([0, 1])
    assert contributions is not None
    noise = spread(*contributions)
    assert noise is not None
    assert others.interval == pytest.approx(noise.interval(0.9).ends)
    assert others.p_a_no_worse == pytest.approx(noise.p(1, -0.05))


def test_a_build_check_goes_by_the_corrected_decision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A candidate that would pass alone is stopped as one of eight."""
    base = np.arange(300) % 5 > 0
    rows = {"base": base}
    for k in range(8):
        changed = np.arange(300) % 300
        rows[f"new{k}"] = base ^ ((changed >= 10 * k) & (changed < 10 * k + 10))
    counts = Counts.from_arrays({name: row.astype(int) for name, row in rows.items()})
    counts.to_table(tmp_path / "many.csv")
    counts.systems["base", "new3"].to_table(tmp_path / "one.csv")
    margin = 0.055
    p = RightOrWrong(2, 8, 300).p_loss(margin)
    assert p <= 0.05 < 8 * p
    check = ["--baseline", "base", "--margin", str(margin), "--fail-if-worse"]
    assert main(["compare", str(tmp_path / "one.csv"), *check]) == 0
    assert main(["compare", str(tmp_path / "many.csv"), *check]) == 3  # open: no loss is shown
    said = capsys.readouterr().err.splitlines()
    stopped = [line for line in said if "is not shown to stay within 0.055 of base" in line]
    assert [line.split()[1] for line in stopped] == [f"new{k}" for k in range(8)]  # all of them
