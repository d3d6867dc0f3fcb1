"""The same differences on parts of the items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tellapart as ta
from small_counts import some_counts
from tellapart.comparison.record import Slice
from tellapart.counts import Counts
from tellapart.report.document import slice_tables


def labelled(topics: str, **scores: list[float]) -> Counts:
    return Counts.from_arrays(scores, labels={"topic": list(topics)}, kind="item")


def by_value(result: ta.Result, metric: str = "mean") -> dict[str, Slice]:
    return {each.value: each for each in result.slices if each.metric == metric}


def test_a_slice_is_the_comparison_on_its_items_alone() -> None:
    counts = labelled("xxxxxxyyy", A=[1, 1, 1, 1, 1, 1, 0, 1, 0], B=[0, 0, 0, 0, 0, 0, 1, 1, 0])
    found = by_value(ta.compare(counts, by="topic"))

    assert list(found) == ["x", "y"]
    assert (found["x"].items, found["x"].difference, found["x"].p) == (6, 1.0, 2**-5)
    assert (found["y"].items, found["y"].p) == (3, 1.0)
    assert found["y"].difference == pytest.approx(-1 / 3)
    # Holm over two values: twice the smaller p.
    assert (found["x"].p_adjusted, found["x"].different) == (2**-4, False)
    assert (found["y"].p_adjusted, found["y"].different) == (1.0, False)


def test_where_an_interval_and_p_disagree_its_table_says_which_decides() -> None:
    record = ta.compare(labelled("xxxxxxyyy", A=[1] * 9, B=[0] * 9), by="topic").record
    for low, disagree in ((0.1, False), (-0.1, True)):
        parts = (replace(part, different=True, interval=(low, 1.0)) for part in record.slices)
        (table,) = slice_tables(replace(record, slices=tuple(parts)))
        assert ("Where CI and p disagree, p decides." in table.notes) == disagree


def right_or_wrong(passages: int) -> Counts:
    """Make passages of three questions each, where the first system leads by chance alone."""
    rng = np.random.default_rng(passages)
    n = 3 * passages
    labels = {
        "passage": [str(k // 3) for k in range(n)],
        "half": ["xy"[2 * k // n] for k in range(n)],
    }
    values = {name: rng.integers(0, 2, n).tolist() for name in "AB"}
    return Counts.from_arrays(values, labels=labels, kind="item")


@pytest.mark.parametrize("passages", [4, 6, 10, 24])
def test_no_interval_of_right_and_wrong_reaches_beyond_what_is_possible(passages: int) -> None:
    for part in ta.compare(right_or_wrong(passages), cluster="passage", by="half").slices:
        assert all(end is None or -1 <= end <= 1 for end in part.interval)


def test_clusters_stay_together_within_a_slice() -> None:
    """Three documents with two sentences of each kind: 2^3 exchanges, not 2^6."""
    counts = Counts.from_arrays(
        {"A": [1] * 12, "B": [0] * 12},
        labels={"doc": list("uuuuvvvvwwww"), "kind": list("xxyy" * 3)},
    )
    found = by_value(ta.compare(counts, cluster="doc", by="kind"))

    assert {(part.items, part.p) for part in found.values()} == {(6, 0.25)}


def test_several_labels_have_corrections_of_their_own() -> None:
    counts = Counts.from_arrays(
        {"A": [1] * 8, "B": [0] * 8}, labels={"one": list("xxxxyyyy"), "two": list("xxxxxxxx")}
    )
    found = ta.compare(counts, by=["one", "two"]).slices

    assert [(part.by, part.value) for part in found] == [("one", "x"), ("one", "y"), ("two", "x")]
    assert [part.p_adjusted for part in found] == [0.25, 0.25, 2**-7]


def test_a_label_of_too_many_values_is_refused() -> None:
    with pytest.raises(ta.UsageError, match="101 values"):
        ta.compare(some_counts(101, "AB"), metrics="f1", by="hash")
