"""An automatic judge whom people checked: --human of compare, plans of labels, and in Python."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from benchmarks.validity.judges import Judging
from judged_tables import NAMES, cell, judge_of, long_table, people_of, scores_of
from log_files import compared, header, json_log, sample
from table_files import Capture
from tellapart.cli import main
from tellapart.comparison.plan import Question, from_labels, make_plan
from tellapart.counts import Counts
from tellapart.report.document import judged_table
from tellapart.stats.ppi import powered_difference


def wide_table(items: Sequence[str], values: Any, path: Path) -> Path:
    rows = (f"{item},{cell(a)},{cell(b)}\n" for item, a, b in zip(items, *values, strict=True))
    path.write_text("item,alder,birch\n" + "".join(rows))
    return path


BETTER = Judging(labels=80, accuracy=0.9, gap=0.2)


def test_every_way_to_give_labels_gives_the_same(tmp_path: Path, capsys: Capture) -> None:
    """A column, a wide file, a long file with gaps, and logs with two scorers agree."""
    scores = scores_of(BETTER)
    expected = ta.compare(scores).pair("alder", "birch")
    table = long_table(scores, tmp_path / "scores.csv")
    judge = wide_table(scores.items, judge_of(scores), tmp_path / "j.csv")
    human = wide_table(scores.items, people_of(scores), tmp_path / "h.csv")
    only = tmp_path / "only.csv"
    rows = [line.split(",") for line in table.read_text().splitlines()]
    only.write_text("".join(f"{s},{i},{h}\n" for s, i, _, h in rows))
    logs = []
    for k, name in enumerate(NAMES):
        samples = []
        for item, value, label in zip(
            scores.items, judge_of(scores)[k], people_of(scores)[k], strict=True
        ):
            given = {"judge": {"value": float(value)}}
            if not np.isnan(label):
                given["human"] = {"value": float(label)}
            samples.append(sample(item, None, scores=given))
        logs.append(tmp_path / f"{name}.json")
        logs[-1].write_text(json_log(samples, header(f"mockllm/{name}")))
    for words in (
        (table, "--metric", "judge", "--human", "human"),
        (table, "--human", "human"),
        (judge, "--human", human),
        (judge, "--human", only),
        (*logs, "--metric", "judge", "--human", "human"),
    ):
        record = compared(capsys, *words)
        (pair,) = record["pairs"]
        assert (pair["a"], pair["b"]) == ("alder", "birch")
        assert record["judged"]["systems"][0]["labels"] == 80
        assert pair["difference"] == pytest.approx(expected.difference, abs=1e-9)
        assert pair["p"] == pytest.approx(expected.p, rel=1e-9)
    read = ta.read(table, human="human", metrics="judge")
    again = ta.compare(read).pair("alder", "birch")
    assert (again.difference, again.p) == (expected.difference, expected.p)


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_the_judge_alone_is_corrected_for_all_pairs(
    correction: str, tmp_path: Path, capsys: Capture
) -> None:
    """Three systems: the judge alone is what `compare` says of them."""
    rng = np.random.default_rng(8)
    names = ("alder", "birch", "cedar")
    judge = np.array([np.round(rng.normal(mean, 1.0, 300), 1) for mean in (0.0, 0.18, 0.4)])
    human = np.where(np.arange(300) < 60, judge + rng.normal(0, 0.5, (3, 300)).round(1), np.nan)
    scores = Counts.from_arrays(
        dict(zip(names, judge, strict=True)), people=dict(zip(names, human, strict=True)),
        items=[f"q{k}" for k in range(300)],
    )  # fmt: skip
    table = long_table(scores, tmp_path / "s.csv")
    words = (table, "--metric", "judge", "--correction", correction)
    found = compared(capsys, *words, "--human", "human")["judged"]["pairs"]
    alone = compared(capsys, *words)["pairs"]
    assert [(each["a"], each["b"]) for each in found] == [(e["a"], e["b"]) for e in alone]
    assert [each["judge"] for each in found] == alone


def test_bias_and_agreement_by_hand() -> None:
    """Twenty labels, four of them one lower than the judge's: a bias of .2, agreement of .8."""
    judge = np.array([1.0, 0.0, 1.0, 0.0] * 25)
    people = np.where(np.arange(100) < 20, judge, np.nan)
    people[[0, 4, 8, 12]] = 0.0
    scores = Counts.from_arrays({"A": judge, "B": judge}, people={"A": people, "B": people})
    system, _ = ta.compare(scores).judged.systems
    assert system.bias == pytest.approx(0.2)
    assert system.agreement["share"] == pytest.approx(0.8)
    assert system.people == pytest.approx(0.3)
    table = judged_table(ta.compare(scores).record)
    assert table is not None
    heads = [column.head for column in table.columns[8:]]
    assert heads == ["share", "kappa", "sensitivity", "specificity"]
    assert all(f"{head}: " in table.notes[0] for head in heads)
    assert system.judge == pytest.approx(0.5)


def test_rare_failures_are_a_condition_of_the_answer() -> None:
    """With 24 labels the judge makes it sure, but for failures that few labels show."""
    rng = np.random.default_rng(3)
    alder = np.where(rng.random(300) < 0.7, 5.0, 4.0)
    birch = np.where(rng.random(300) < 0.2, 5.0, 4.0)
    alder[0], birch[1] = 1.0, 1.0
    judge, order = {"alder": alder, "birch": birch}, rng.permutation(300)
    for labels, condition in ((24, True), (300, False)):
        people = {n: np.where(order < labels, own, np.nan) for n, own in judge.items()}
        result = ta.compare(Counts.from_arrays(judge, people=people))
        (answer,) = result.answers.values()
        assert answer.answer == "Yes"
        assert ("rare-labels" in answer.conditions) == condition
        assert (
            "if the labels missed no rare failures" in " ".join(str(result).split())
        ) == condition


def test_the_judge_against_people_and_against_itself(tmp_path: Path, capsys: Capture) -> None:
    """Sensitivity, specificity, and the items on which the judge's runs differ."""
    rows = ["system,item,judge,human,run"]
    for name in NAMES:
        for k in range(40):
            for run in (1, 2):
                flips = name == "birch" and run == 2 and k in (3, 7)
                right = k % 2 == 0
                label = int(right) if k < 20 else ""
                rows.append(f"{name},q{k},{int(right != flips)},{label},{run}")
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(rows) + "\n")
    words = ["compare", str(path), "--metric", "judge", "--human", "human"]
    assert main([*words, "--json", "-"]) == 0
    record = json.loads(capsys.readouterr().out)
    flipped = [n["about"] for n in record["notices"] if n["code"] == "judge-flips"]
    assert flipped == [["q3", "q7"]]
    figures = {system["name"]: system["agreement"] for system in record["judged"]["systems"]}
    assert (figures["alder"]["sensitivity"], figures["alder"]["specificity"]) == (1, 1)
    assert figures["birch"]["specificity"] == pytest.approx(0.9)  # half of two out of ten
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "sensitivity specificity" in " ".join(text.split())
    assert "The runs of judge differ on 2 items of birch: q3, q7." in " ".join(text.split())


# What compare is asked of them in Python, and plans of labels


ITEMS = 200


def judged() -> ta.Counts:
    """Return three systems of which people labelled the first forty items."""
    rng = np.random.default_rng(4)
    right = {
        name: rng.random(ITEMS) < share for name, share in zip("ABC", (0.9, 0.5, 0.4), strict=True)
    }
    judge = {name: np.where(rng.random(ITEMS) < 0.9, own, ~own) for name, own in right.items()}
    human = {name: [*map(float, own[:40]), *[None] * (ITEMS - 40)] for name, own in right.items()}
    topics = ["sums", "words"] * (ITEMS // 2)
    return ta.Counts.from_arrays(judge, people=human, labels={"topic": topics})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"min_confidence": 0.99}, "drop min_confidence="),
        ({"test": "t"}, "drop test="),
        ({"margin": 0.1}, "drop margin="),
        ({"by": "topic"}, "drop by="),
        ({"cost": "judge"}, "drop cost="),
        ({"metrics": "judge"}, "drop metrics"),
        ({"foo": 3}, "there is no option 'foo'"),
        ({"systems": ["A", "D"]}, "there is no system 'D'"),
        ({"where": {"domain": "sums"}}, "there is no label 'domain'"),
        ({"lower_is_better": "f1"}, "lower_is_better= f1: "),
        ({"other": [1, 0]}, "two arrays go together"),
    ],
)
def test_what_has_no_place_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ta.UsageError, match=said):
        ta.compare(judged(), **asked)


def test_some_systems_and_some_items_are_compared() -> None:
    result = ta.compare(judged(), systems=["C", "A"], where={"topic": "sums"})
    assert [system.name for system in result.systems] == ["C", "A"]
    assert result.record.items.count == ITEMS / 2


@pytest.mark.slow
def test_planned_labels_find_the_difference() -> None:
    """With as many labels as planned, the difference is found about as often as asked."""
    setting = Judging(labels=100, accuracy=0.9, items=800, gap=0.12)
    question = Question(difference=0.12)
    plans = [make_plan(from_labels(scores_of(setting, seed)), question) for seed in range(15)]
    needed = int(np.median([plan.needed or 800 for plan in plans]))
    again = Judging(labels=needed, accuracy=0.9, items=800, gap=0.12)
    tests = [powered_difference(*pair).test() for pair in again.drawn(300, seed=99)]
    assert 0.72 < np.mean([(test.p or 1) <= 0.05 for test in tests]) < 0.90
