"""What stands beside a p-value: correlation, influence, and how items fall."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import tellapart as ta
from tellapart.comparison.record import Diagnostics, Pair


def scores_of(a: Any, b: Any) -> Pair:
    return ta.compare({"A": a, "B": b}, intervals=False).pairs[0]


def counts_of(a: Any, b: Any, metric: str = "precision") -> Pair:
    counts = ta.Counts.from_arrays({"A": a, "B": b}, ["tp", "fp", "fn"])
    return ta.compare(counts, metrics=metric, intervals=False).pairs[0]


def diagnosed(a: Any, b: Any) -> Diagnostics:
    return scores_of(a, b).diagnostics


def items_won(pair: Pair) -> tuple[int, ...]:
    """Return on how many items two systems differ, and how many the first wins, loses and ties."""
    return pair.differing, pair.items_a_better, pair.items_b_better, pair.items_tied


def test_outcomes_in_the_example_of_yeh(reference_data: Path) -> None:
    """The same from hits as scores and from counts whose recall they are."""
    expected = json.loads((reference_data / "significance/expected.json").read_text())["yeh2000"]
    inputs = expected["inputs"]
    both, only_1, only_2 = (inputs[f"correct_{k}"] for k in ("both", "only_I", "only_II"))
    sizes = [both, only_1, only_2, inputs["possible"] - both - only_1 - only_2]
    a, b = np.repeat([1, 1, 0, 0], sizes), np.repeat([1, 0, 1, 0], sizes)
    rows = [np.stack([x, np.zeros_like(x), 1 - x], axis=1) for x in (a, b)]

    for pair in (scores_of(a, b), counts_of(rows[0], rows[1], "recall")):
        assert items_won(pair) == (34, 28, 6, 69)


def test_the_item_that_moves_the_difference_most() -> None:
    """Differences 10, 1, 1, 0, 0: without the first, the mean falls from 2.4 to 0.5."""
    found = diagnosed([10, 1, 1, 0, 0], [0] * 5)
    assert (found.most_influential, found.decision_changes) == ("1", False)


def test_influence_on_a_ratio() -> None:
    """Precision 9/10 against 5/10; without the first item 1 against nothing, which is 0."""
    pair = counts_of([[1, 1, 0], [8, 0, 0]], [[5, 5, 0], [0, 0, 8]])
    assert pair.diagnostics.most_influential == "1"
    assert items_won(pair) == (2, 1, 0, 1)


def test_outcomes_of_items_are_exact() -> None:
    """1/3 and 10/30 tie; an item without output scores what the metric declares."""
    a, b = [[1, 2, 0], [0, 0, 0], [2, 1, 0]], [[10, 20, 0], [0, 3, 0], [0, 0, 0]]
    assert items_won(counts_of(a, b)) == (3, 1, 0, 2)


def test_differing_counts_what_is_exchanged() -> None:
    """With clusters, it is clusters that differ or not, also where notices count on them."""
    values = {"A": [1, 1, 1, 1, 1, 1, 0, 0], "B": [0, 0, 0, 0, 1, 1, 0, 0]}
    labels = {"page": ["p", "p", "q", "q", "r", "r", "s", "s"]}
    counts = ta.Counts.from_arrays(values, labels=labels)
    apart, together = ta.compare(counts), ta.compare(counts, cluster="page")
    assert (apart.pairs[0].differing, together.pairs[0].differing) == (4, 2)
    assert "cannot-reach" in {notice.code for notice in together.notices}
    assert together.pairs[0].items_a_better == 4  # single items all the same
