"""Many systems on one scale: scores, intervals, ranks, and whether the scale fits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from log_files import said
from preference_files import Row, as_csv, judged
from table_files import Capture, Write, json_lines
from tellapart.cli import main

FOUR = {"alder": 0.9, "birch": 0.3, "cedar": 0.0, "dogwood": -0.6}


def compared(write: Write, rows: list[Row], **options: object) -> ta.Result:
    return ta.compare(ta.read(write("prefs.jsonl", json_lines(rows))), **options)  # type: ignore[arg-type]


def scores(result: ta.Result) -> dict[str, float]:
    return {each.name: next(iter(each.scores.values())) for each in result.systems}


@pytest.mark.slow
def test_rank_sets_hold_the_true_places(write: Write) -> None:
    """All four true places at once, in at least 95 % of reports but for chance."""
    truth, held = {"a": 0.9, "b": 0.5, "c": 0.0, "d": -0.4}, 0
    for seed in range(30):
        result = compared(write, judged(truth, 40, seed), intervals=False, test="t")
        places = result.ranks["bradley_terry"]
        held += all(places[name][0] <= k <= places[name][1] for k, name in enumerate(truth, 1))
    assert held >= 27  # P(below 27 of 30 | .95) = .02


def test_systems_that_never_met_are_told(write: Write, capsys: Capture) -> None:
    rows = judged(FOUR, 10, 1, pairs=[("alder", "birch"), ("cedar", "dogwood")])
    assert main(["compare", write("p.csv", as_csv(rows))]) == 2
    said = capsys.readouterr().err
    assert "birch, alder | dogwood, cedar: systems on different sides never met" in said


def test_a_system_that_always_wins_has_a_finite_score_and_no_bound(write: Write) -> None:
    rows = judged({"y": 0.3, "z": 0.0}, 30, 1)
    rows += [{"id": f"q{k}", "model_a": "x", "model_b": name, "winner": "x"}
             for k in range(30) for name in ("y", "z")]  # fmt: skip
    result = compared(write, rows)
    assert all(np.isfinite(score) for score in scores(result).values())
    pair = result.pair("x", "y")
    assert pair.different
    assert pair.interval == (None, None)
    assert all(not each.intervals for each in result.systems)
    assert said(result.record)["always-won"].startswith("x won always")


def test_clusters_are_resampled_as_wholes(write: Write) -> None:
    """Prompts that are there three times tell no more than once."""
    rows = [{**row, "topic": row["id"]} for row in judged(FOUR, 20, 7)]
    copies = [{**row, "id": f"{row['id']}-{k}"} for row in rows for k in range(3)]
    once = compared(write, rows, test="t")
    thrice = compared(write, copies, test="t", cluster="topic")
    assert thrice.pair("alder", "birch").p == pytest.approx(once.pair("alder", "birch").p)
    for a, b in zip(once.systems, thrice.systems, strict=True):
        ends, same = a.intervals["bradley_terry"], b.intervals["bradley_terry"]
        assert same == pytest.approx(ends, abs=1e-9)
    wider = compared(write, copies, test="t")
    assert (wider.pair("alder", "birch").p or 1) < (once.pair("alder", "birch").p or 0)


def liked_first(rng: np.random.Generator, shown: list[tuple[str, str, str]]) -> list[Row]:
    """Return judgments of equal systems by a judge who takes the first place in 80 %."""
    return [{"id": k, "model_a": a, "model_b": b, "winner": "A" if rng.random() < 0.8 else "B"}
            for k, a, b in shown]  # fmt: skip


ORDERS = {
    "one often first": [(f"q{k}", *("xy" if k % 5 else "yx")) for k in range(60)],
    "hardly another order": [(f"q{k}", *("xy" if k > 3 else "yx")) for k in range(60)],
    "both orders of half": [(f"q{k}", *two) for k in range(60) for two in ("xy", "yx")
                            if two == "xy" or k < 30],
    "one of three always first": [(f"q{k}", *two) for k in range(60)
                                  for two in ("xy", "xz", "yz" if k % 2 else "zy")],
}  # fmt: skip


@pytest.mark.parametrize("orders", ORDERS)
def test_equal_systems_are_not_told_apart_by_their_places(orders: str) -> None:
    rng, plain, supposed = np.random.default_rng(5), 0, 0
    for _ in range(40):
        counts = ta.read(liked_first(rng, ORDERS[orders]))
        (answer,) = ta.compare(counts, intervals=False).answers.values()
        plain += answer.answer == "Yes" and not answer.conditions
        supposed += answer.answer == "Yes" and "place" in answer.conditions
    assert plain <= 5  # 40 × .05, and two standard deviations
    assert supposed >= 20


@pytest.mark.parametrize("prompts", [3, 8, 30])
def test_a_difference_without_bound_meets_no_margin(write: Write, prompts: int) -> None:
    rows = [{"id": k, "model_a": a, "model_b": b, "winner": "x" if a == "x" else "yz"[k % 2]}
            for k in range(prompts) for a, b in ("xy", "xz", "yz")]  # fmt: skip
    pair = compared(write, rows, baseline="y", margin=0.1).pair("x", "y")
    assert pair.interval in (None, (None, None))
    assert not pair.a_no_worse
    assert not pair.b_no_worse
    assert pair.a_no_worse is None


def test_systems_that_never_met_have_a_page(write: Write, tmp_path: Path) -> None:
    """Two of three were compared with the third alone: no item shows where they differ."""
    rows = [f"p{k},{a},{b},{(a, b)[k % 3 == 0]}" for k in range(12) for a, b in ("xy", "yz")]
    table = write("met.csv", "\n".join(["prompt,model_a,model_b,winner", *rows, ""]))
    result = ta.compare(ta.read(table))
    result.save_html(tmp_path / "page.html")
    assert "x" in (tmp_path / "page.html").read_text()
