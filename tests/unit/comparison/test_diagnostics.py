"""How items fall for a pair, and standard errors of differences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from small_counts import some_counts
from tellapart.comparison.record import Pair
from tellapart.metrics import Function


def scores_of(a: Any, b: Any) -> Pair:
    return ta.compare({"A": a, "B": b}, intervals=False).pairs[0]


def counts_of(a: Any, b: Any, metric: str = "precision") -> Pair:
    counts = ta.Counts.from_arrays({"A": a, "B": b}, ["tp", "fp", "fn"])
    return ta.compare(counts, metrics=metric, intervals=False).pairs[0]


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


def error(pair: Pair) -> float | None:
    return pair.diagnostics.standard_error


@pytest.mark.parametrize("metric", ["recall", "precision", "f1"])
def test_error_of_a_ratio_is_nearly_that_of_the_jackknife(metric: str) -> None:
    """As a function of sums, the same score has its error from leaving out each item."""
    counts = some_counts(300, "AB")
    ratio = ta.compare(counts, metrics=metric).pairs[0]
    same = {
        "recall": lambda s: s[..., 0] / (s[..., 0] + s[..., 2]),
        "precision": lambda s: s[..., 0] / (s[..., 0] + s[..., 1]),
        "f1": lambda s: 2 * s[..., 0] / (2 * s[..., 0] + s[..., 1] + s[..., 2]),
    }
    function = Function(metric, ("tp", "fp", "fn"), same[metric])
    leaving_out = ta.compare(counts, metrics=function).pairs[0]
    assert error(ratio) == pytest.approx(error(leaving_out), rel=0.01)


def test_errors_of_a_real_table(reference_data: Path) -> None:
    """Known from numpy, to six digits."""
    folder = reference_data / "ecosystem"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    counts = ta.read(str(folder / "table" / "wide.csv"))
    clustered, single = (ta.compare(counts, cluster=label) for label in ("doc", None))

    for first, second in (("birch", "alder"), ("cedar", "alder"), ("birch", "cedar")):
        known = expected[f"table/wide.csv {first} vs {second}"]
        for result, key in ((clustered, "se_paired_clustered"), (single, "se_paired")):
            assert error(result.pair(first, second)) == pytest.approx(known[key], abs=5e-7)
