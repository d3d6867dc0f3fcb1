"""Reports of suites: the table of systems × tasks everywhere, and the sentence on turns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

import tellapart as ta
from tellapart.comparison.details import details_of
from tellapart.counts.suites import Suite
from tellapart.report.document import task_table
from tellapart.report.html.page import render_html
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
    assert "birch is better than alder on sea" in " ".join(text.split())


def test_marks_follow_the_corrected_differences(two: ta.Result) -> None:
    rows = [row.cells for row in task_table(two.record, "mean").without_empty().rows][1:]
    parts = {part.value: part for part in two.record.slices}
    for cells in rows:
        part = parts[cells[0].parts[0]]
        assert {cell.mark for cell in cells[2:4]} == {"+", "-" if part.different else ""}


def test_of_many_tasks_the_telling_ones_are_shown(many: ta.Result) -> None:
    short, full = render(many.record), render(many.record, full=True)
    rows = [re.findall(r"^  (task\d\d) +\d", text, re.MULTILINE) for text in (full, short)]
    assert len(rows[0]) == 30
    assert set(rows[1]) < set(rows[0])
    assert "task07" in short
    assert "--full" in short
    assert "--full" not in full
    assert "cedar is better than alder on task07" in " ".join(short.split())


def test_a_page_has_the_tasks(two: ta.Result) -> None:
    details = details_of(two.record, two.scored)
    page = render_html(two.record, details)
    assert '<section class="tasks">' in page
    assert "mean of 3 tasks" in page
    assert "<strong>1.000</strong>+" in page
