"""Many systems on one scale: scores, intervals, ranks, and whether the scale fits."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import tellapart as ta
from preference_files import Row, as_csv, as_jsonl, judged
from table_files import Write
from tellapart.cli import main
from tellapart.comparison.record import Preferences
from tellapart.report.notices import notice_sentences

Capture = pytest.CaptureFixture[str]
FOUR = {"alder": 0.9, "birch": 0.3, "cedar": 0.0, "dogwood": -0.6}


def compared(write: Write, rows: list[Row], **options: object) -> ta.Result:
    return ta.compare(ta.read(write("prefs.jsonl", as_jsonl(rows))), **options)  # type: ignore[arg-type]


def of(result: ta.Result) -> Preferences:
    assert result.record.preferences is not None
    return result.record.preferences


def said(result: ta.Result) -> dict[str, str]:
    sentences = notice_sentences(result.record)
    return {n.code: text for n, text in zip(result.record.notices, sentences, strict=True)}


def scores(result: ta.Result) -> dict[str, float]:
    return {each.name: next(iter(each.scores.values())) for each in result.systems}


def peer_scores(rows: list[Row], names: list[str]) -> dict[str, float]:
    """Return choix's scores; a win counts twice, a tie once for each."""
    choix = pytest.importorskip("choix", reason="the oracle choix is not installed")
    index = {name: k for k, name in enumerate(names)}
    data = []
    for row in rows:
        a, b = index[row["model_a"]], index[row["model_b"]]
        ways = {"model_a": [(a, b)] * 2, "model_b": [(b, a)] * 2, "tie": [(a, b), (b, a)]}
        data += ways[row["winner"]]
    found = choix.ilsr_pairwise(len(names), data, alpha=0, max_iter=1000, tol=1e-13)
    return dict(zip(names, found.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_choix(write: Write, seed: int) -> None:
    """Also of an incomplete design: not every pair met, and not equally often."""
    pairs = [p for p in combinations(FOUR, 2) if seed % 2 or p != ("alder", "dogwood")]
    rows = judged(FOUR, 40 + 7 * seed, seed, tie=0.15, pairs=pairs)
    found = scores(compared(write, rows, intervals=False))
    peer = peer_scores(rows, list(found))
    assert found == pytest.approx(peer, abs=1e-6)


@pytest.mark.slow
def test_rank_sets_hold_the_true_places(write: Write) -> None:
    """All four true places at once, in at least 95 % of reports but for chance."""
    truth, held = {"a": 0.9, "b": 0.5, "c": 0.0, "d": -0.4}, 0
    for seed in range(30):
        result = compared(write, judged(truth, 40, seed), intervals=False, test="t")
        places = result.ranks["bradley_terry"]
        held += all(places[name][0] <= k <= places[name][1] for k, name in enumerate(truth, 1))
    assert held >= 27  # P(below 27 of 30 | .95) = .02


def test_a_ring_fits_no_scale(write: Write) -> None:
    rng = np.random.default_rng(5)
    rows: list[Row] = []
    for prompt in range(60):
        for a, b in (("x", "y"), ("y", "z"), ("z", "x")):
            one, other = (a, b) if prompt % 2 else (b, a)
            winner = a if rng.random() < 0.85 else b
            rows.append({"id": prompt, "model_a": one, "model_b": other, "winner": winner})
    result = compared(write, rows)
    found = of(result)
    assert found.fit_p is not None
    assert found.fit_p < 0.01
    assert said(result)["one-scale"].startswith("One scale does not fit these judgments")


# Data without a scale


def test_systems_that_never_met_are_told(write: Write, capsys: Capture) -> None:
    rows = judged(FOUR, 10, 1, pairs=[("alder", "birch"), ("cedar", "dogwood")])
    assert main(["compare", write("p.csv", as_csv(rows))]) == 2
    said = capsys.readouterr().err
    assert "alder, birch | cedar, dogwood: systems on different sides never met" in said


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
    assert said(result)["always-won"].startswith("x won always")


# What must not matter


def test_the_order_of_rows_does_not_matter(write: Write) -> None:
    rows = judged(FOUR, 20, 6, tie=0.1)
    mixed = [rows[k] for k in np.random.default_rng(1).permutation(len(rows))]
    there, back = compared(write, rows), compared(write, mixed)
    for pair in there.pairs:
        other = back.pair(pair.a, pair.b)
        assert (other.p, other.difference) == pytest.approx((pair.p, pair.difference), abs=1e-9)
    intervals = {each.name: each.intervals["bradley_terry"] for each in there.systems}
    for each in back.systems:
        assert each.intervals["bradley_terry"] == pytest.approx(intervals[each.name], abs=1e-9)


# Clusters and slices


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


# Places and lengths


def both_orders(prompts: int, seed: int) -> tuple[list[Row], NDArray[np.float64]]:
    """Return judgments in both orders, and by prompt the points of the first place."""
    rows = judged({"x": 0.4, "y": 0.0}, prompts, seed, tie=0.1, first_place=0.8, both_orders=True)
    points = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5}
    first = np.array([points[row["winner"]] for row in rows]).reshape(prompts, 2)
    return rows, first.mean(axis=1)


def test_liking_of_the_first_place_is_a_paired_t_test(write: Write) -> None:
    rows, first = both_orders(40, 1)
    result = compared(write, rows)
    found = of(result).first_place
    assert found is not None
    assert found.rate == pytest.approx(first.mean())
    assert found.p == pytest.approx(stats.ttest_1samp(first, 0.5).pvalue)
    assert of(result).orders == "both"
    assert "so that places cancel" in " ".join(str(result).split())
    assert not said(result).keys() & {"first-place", "one-order"}


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


# Reports


def test_record_and_reports_of_many(write: Write, capsys: Capture) -> None:
    path = write("p.csv", as_csv(judged(FOUR, 30, 9, tie=0.1)))
    command = ["compare", path, "--html", "p.html", "--svg", "figures", "--json", "p.json"]
    assert main(command) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "won of alder birch cedar dogwood" in shown
    assert "Scores are log-odds of winning by Bradley and Terry" in shown
    record = Path("p.json").read_text()
    result = ta.Comparison.from_json(record)
    found = result.preferences
    assert found is not None
    assert found.scale == "bradley_terry"
    met = next(each for each in found.head_to_head if {each.a, each.b} == {"alder", "birch"})
    assert met.wins + met.ties + met.losses == met.items == 30
    page = Path("p.html").read_text(encoding="utf-8")
    assert "who won when two met" in page
    assert Path("figures/systems-bradley_terry.svg").exists()
    for kind in ("md", "tsv", "latex"):
        assert main(["compare", path, "--format", kind]) == 0


def test_saved_judgments_are_read_back(write: Write) -> None:
    path = write("p.csv", as_csv(judged(FOUR, 15, 10, tie=0.2, both_orders=True)))
    assert main(["compare", path, "--save-counts", "saved.csv", "--no-intervals"]) == 0
    there, back = ta.compare(ta.read(path)), ta.compare(ta.read("saved.csv"))
    assert [p.p for p in back.pairs] == [p.p for p in there.pairs]
    assert of(back).first_place == of(there).first_place
