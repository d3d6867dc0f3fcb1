"""Plans of labels: how many items people should label beside a judge, and which ones first."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from benchmarks.validity.judges import Judging
from judged_tables import NAMES, judge_of, long_table, people_of, scores_of
from log_files import compared
from tellapart.cli import main
from tellapart.comparison.labels import from_labels, judge_strata, label_first
from tellapart.comparison.plan import Question, make_plan
from tellapart.counts import Counts
from tellapart.stats.ppi import Judged, powered_difference


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Return the one sentence of a refusal."""
    assert main([*map(str, words)]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    return told[-1]


def _p(first: Judged, second: Judged) -> float:
    p = powered_difference(first, second).test().p
    assert p is not None
    return p


@pytest.mark.slow
def test_planned_labels_find_the_difference() -> None:
    """With as many labels as planned, the difference is found about as often as asked."""
    setting = Judging(labels=100, accuracy=0.9, items=800, gap=0.12)
    question = Question(difference=0.12)
    plans = [make_plan(from_labels(scores_of(setting, seed)), question) for seed in range(15)]
    needed = int(np.median([plan.needed or 800 for plan in plans]))
    alone = int(np.median([plan.variants["without the judge"] or 800 for plan in plans]))
    assert needed < 0.75 * alone
    again = Judging(labels=needed, accuracy=0.9, items=800, gap=0.12)
    found = [_p(*pair) <= 0.05 for pair in again.drawn(300, seed=99)]
    assert 0.72 < np.mean(found) < 0.90


def test_list_of_what_to_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list has every item once, labels first, is filled from the top, and read with strata."""
    scores = scores_of(Judging(labels=30, accuracy=0.9, items=300, gap=0.1))
    table, todo = long_table(scores, tmp_path / "s.csv"), tmp_path / "list.csv"
    words = ["plan", str(table), "--metric", "judge", "--human", "human"]
    assert main([*words, "--label-first", str(todo)]) == 0
    rows = list(csv.DictReader(todo.open()))
    assert sorted(row["item"] for row in rows) == sorted(scores.items)
    assert [bool(row["alder"]) for row in rows] == [True] * 30 + [False] * 270
    truth = dict(zip(scores.items, zip(*judge_of(scores), strict=True), strict=True))
    for row in rows[30:70]:
        row["alder"], row["birch"] = (f"{value:g}" for value in truth[row["item"]])
    with todo.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    capsys.readouterr()
    found = compared(capsys, table, "--metric", "judge", "--human", todo)
    assert found["judged"]["labelled"] == 70
    assert "labels-not-random" not in [each["code"] for each in found["notices"]]


def test_list_without_people_from_a_table_that_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The judge's column alone is enough; what may be people's is told, with the option for it."""
    scores = scores_of(Judging(labels=30, accuracy=0.9, items=300))
    table, todo = long_table(scores, tmp_path / "s.csv"), tmp_path / "list.csv"
    words = ["plan", str(table), "--label-first", str(todo)]
    told = refusal(capsys, *words)
    assert "judge, human; name the judge's with --metric, people's with --human" in told
    assert not todo.exists()
    assert main([*words, "--metric", "judge"]) == 0
    captured = capsys.readouterr()
    assert "lists what to label" in " ".join(captured.out.split())
    rows = list(csv.DictReader(todo.open()))
    assert sorted(row["item"] for row in rows) == sorted(scores.items)
    assert not any(row["alder"] for row in rows)
    assert main([*words, "--metric", "judge", "--human", "human"]) == 0
    capsys.readouterr()
    rows = list(csv.DictReader(todo.open()))
    assert [bool(row["alder"]) for row in rows] == [True] * 30 + [False] * 270


@pytest.mark.parametrize("labels", [1, 5])
def test_plan_by_too_few_labels(
    labels: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal says how many it takes, however few there are."""
    scores = scores_of(Judging(labels=labels, accuracy=0.9))
    table = long_table(scores, tmp_path / "s.csv")
    told = refusal(capsys, "plan", table, "--metric", "judge", "--human", "human")
    number = "1 item" if labels == 1 else "5 items"
    assert f"people labelled {number} of both systems; a plan needs 10" in told


@pytest.mark.slow
def test_stopping_anywhere_in_the_list_is_right() -> None:
    """Labels from the top of the list, with their strata: the mean error is nothing."""
    setting, errors, held = Judging(labels=20, accuracy=0.85, items=400, favour=0.2), [], 0
    rng = np.random.default_rng(11)
    for seed in range(200):
        (a, judge_a), (b, judge_b) = setting.scores(rng, setting.items)
        judge = dict(zip(NAMES, (judge_a, judge_b), strict=True))
        nobody = Counts.from_arrays(judge, people={}, items=list(map(str, range(400))))
        chosen = [int(item) for item, *_ in label_first(nobody, seed)[:60]]
        human = {name: np.full(400, np.nan) for name in NAMES}
        human["alder"][chosen], human["birch"][chosen] = a[chosen], b[chosen]
        scores = Counts.from_arrays(judge, people=human, labels={"stratum": judge_strata(nobody)})
        strata = scores.codes("stratum")
        both = zip(judge_of(scores), people_of(scores), strict=True)
        found = powered_difference(*(Judged.of(each, own, None, strata) for each, own in both))
        errors.append(found.value - setting.gap)
        low, high = found.interval(0.95).ends
        held += (low or 0.0) <= setting.gap <= (high or 0.0)
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(len(errors))
    assert held / 200 > 0.93 - 2 * 0.018
