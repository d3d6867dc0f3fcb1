"""Reports of suites: the table of systems × tasks everywhere, and the sentence on turns."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from tellapart.cli import main
from tellapart.comparison.details import details_of
from tellapart.counts.suites import Suite
from tellapart.report.document import task_table
from tellapart.report.formats import find_writer
from tellapart.report.html.page import render_html
from tellapart.report.table import terminal
from tellapart.report.terminal import render


def counts_of(systems: Mapping[str, Mapping[str, Sequence[int]]]) -> ta.Counts:
    """Return the counts of systems with right and wrong answers by task."""
    tasks = next(iter(systems.values()))
    labels = [task for task, some in tasks.items() for _ in some]
    items = [f"{task}/{k:03}" for task, some in tasks.items() for k in range(len(some))]
    arrays = {name: [v for some in of.values() for v in some] for name, of in systems.items()}
    counts = ta.Counts.from_arrays(arrays, items=items, labels={"task": labels})
    return replace(counts, suite=Suite.of(labels))


TWO = {
    "alder": {"law": [1] * 30, "sea": [0] * 20 + [1] * 5, "sums": [1, 1, 0, 0]},
    "birch": {"law": [0] * 30, "sea": [1] * 20 + [0] * 5, "sums": [1, 1, 1, 0]},
}


@pytest.fixture(scope="module")
def two() -> ta.Result:
    return ta.compare(counts_of(TWO))


@pytest.fixture(scope="module")
def many() -> ta.Result:
    """Three systems on 30 tasks, on one of which the last is far ahead."""
    rng = np.random.default_rng(2)
    names = [f"task{k:02}" for k in range(30)]
    systems = {
        name: {
            task: (rng.random(20 + k) < rate).astype(int).tolist() for k, task in enumerate(names)
        }
        for name, rate in (("alder", 0.9), ("birch", 0.5), ("cedar", 0.5))
    }
    systems["cedar"]["task07"] = [1] * 27
    systems["alder"]["task07"] = [0] * 27
    return ta.compare(counts_of(systems))


def test_terminal_has_overall_tasks_and_turns(two: ta.Result) -> None:
    text = render(two.record)
    assert all(len(line) <= 80 for line in text.splitlines())
    table = text[text.index("mean by task") :].splitlines()
    assert table[0] == "mean by task; overall: mean of 3 tasks"
    rows = {line.split()[0]: line.split()[1:4] for line in table[2:6]}
    overall = [(1 + 0.2 + 0.5) / 3, (0 + 0.8 + 0.75) / 3]
    assert rows == {
        "overall": ["59", f"{overall[0]:.3f}+", f"{overall[1]:.3f}"],
        "law": ["30", "1.000+", "0.000-"],
        "sea": ["25", "0.200-", "0.800+"],
        "sums": ["4", "0.500", "0.750+"],
    }
    assert "birch is shown to be better on sea" in " ".join(text.split())
    assert "ahead on sums, which may be chance" in " ".join(text.split())


def test_what_intervals_of_tasks_hold_for_is_said(two: ta.Result) -> None:
    """They are wider than the interval of a task that is compared alone."""
    assert "intervals of tasks hold for all 3 at once" in " ".join(render(two.record).split())
    sea = {name: tasks["sea"] for name, tasks in TWO.items()}
    alone = ta.compare(ta.Counts.from_arrays(sea)).pair("alder", "birch")
    (part,) = [part for part in two.slices if part.value == "sea"]
    wide, narrow = (np.ptp(np.array(each.interval, float)) for each in (part, alone))
    assert wide > 1.1 * narrow


def test_no_interval_of_a_margin_stands_under_another_level() -> None:
    """That of the margin is of 90 %, those of tasks are of 95 %."""
    table = task_table(ta.compare(counts_of(TWO), margin=0.1).record, "mean")
    place = [column.head for column in table.columns].index("95 % CI")
    overall, *tasks = (row.cells[place].parts for row in table.rows)
    assert overall == ("-", "-")
    assert all(parts != ("-", "-") for parts in tasks)


@pytest.mark.parametrize("kind", ["item", "conversation"])
@pytest.mark.parametrize("score", ["", "em", "exact_match/strict-match"])
@pytest.mark.parametrize(
    "names",
    [
        ("alder", "birch"),
        ("alder-3-instruct-70b", "birch-3-instruct-70b"),
        ("gpt", "alder (temperature=0.7)", "birch", "cedar-large"),
        tuple(f"model-{k:02}-of-a-long-name" for k in range(14)),
    ],
)
def test_the_table_fits_a_terminal(names: Sequence[str], score: str, kind: str) -> None:
    tasks = ("mymmlu_astronomy_and_more", "mygsm")
    rng = np.random.default_rng(5)
    counts = counts_of({
        name: {task: rng.integers(0, 2, 40).tolist() for task in tasks} for name in names
    })  # fmt: skip
    assert counts.suite is not None
    suite = replace(counts.suite, scores={tasks[0]: score, tasks[1]: "acc"} if score else {})
    result = ta.compare(replace(counts, suite=suite, kind=kind))
    lines = terminal(task_table(result.record, "mean"))
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if line.startswith("  mygsm ")]
    shown = [cell for row in rows for cell in row[1:] if re.match(r"0\.\d{3}", cell)]
    best = sorted(result.systems, key=lambda system: -system.scores["mean"])
    assert len(rows) <= (2 if len(names) < 5 else 4)  # more columns stand below each other
    for cell, system in zip(shown, best, strict=True):
        assert float(cell[:5]) == pytest.approx(counts_mean(counts, system.name), abs=5e-4)


def counts_mean(counts: ta.Counts, name: str) -> float:
    """Return the share of right answers to the last 40 items."""
    return float(counts.values[counts.names.index(name), -40:, 0].mean())


def test_marks_follow_the_corrected_differences(two: ta.Result) -> None:
    rows = [row.cells for row in task_table(two.record, "mean").rows][1:]
    parts = {part.value: part for part in two.record.slices}
    for cells in rows:
        part = parts[cells[0].parts[0]]
        assert {cell.mark for cell in cells[2:4]} == {"+", "-" if part.different else ""}


def test_of_many_tasks_the_telling_ones_are_shown(many: ta.Result) -> None:
    short, full = render(many.record), render(many.record, full=True)
    rows = [re.findall(r"^  (task\d\d) ", text, re.MULTILINE) for text in (full, short)]
    assert len(rows[0]) == 30
    assert set(rows[1]) < set(rows[0])
    assert "task07" in short
    assert "--full" in short
    assert "--full" not in full
    assert "cedar better than alder on task07" in " ".join(short.split())


def test_ids_of_one_task_are_not_taken_for_a_group(many: ta.Result) -> None:
    assert "maybe-clustered" not in {notice.code for notice in many.notices}


def test_no_turn_is_said_so() -> None:
    same = {"A": {"p": [1] * 9, "q": [1] * 9}, "B": {"p": [0] * 9, "q": [0, 1] * 4 + [0]}}
    result = ta.compare(counts_of(same))
    assert "The order is the same on both tasks." in task_table(result.record, "mean").notes


def test_tables_have_the_tasks(two: ta.Result) -> None:
    markdown = find_writer("md").write(two.record)
    assert "| law | 30 | 1.000+ | 0.000- |" in markdown
    latex = find_writer("latex").write(two.record)
    assert r"law & 30 & \textbf{1.000} & 0.000$^-$ & $+1.000$ & " in latex


def test_a_page_has_the_tasks(two: ta.Result) -> None:
    details = details_of(two.record, two.scored)
    page = render_html(two.record, details)
    assert '<section class="tasks">' in page
    assert "mean of 3 tasks" in page
    assert "<strong>1.000</strong>+" in page


def test_record_has_the_table(two: ta.Result) -> None:
    written = json.loads(two.to_json())["suite"]["mean"]
    assert written["aggregate"] == "mean of 3 tasks"
    assert [task["items"] for task in written["tasks"]] == [30, 25, 4]
    assert sum(task["share"] == pytest.approx(1 / 3) for task in written["tasks"]) == 3


def test_tables_of_tasks_take_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["task,item,A,B"]
    rows += [f"p,p{k},1,{k % 2}" for k in range(10)] + [f"q,q{k},0,1" for k in range(5)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows))
    for weights, score in (("tasks", 0.5), ("items", 10 / 15)):
        assert main(["compare", str(path), "--weights", weights, "--json", "-"]) == 0
        record = json.loads(capsys.readouterr().out)
        assert record["systems"][0]["scores"]["mean"] == pytest.approx(score)
        assert len(record["suite"]["mean"]["tasks"]) == 2
    path.write_text("item,A,B\nq1,1,0\nq2,0,0\n")
    assert main(["compare", str(path), "--weights", "tasks"]) == 2
    assert "--weights tasks is about several tasks" in capsys.readouterr().err
