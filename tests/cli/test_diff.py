"""`tellapart diff`: which items two systems differ on, for people and for programs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

import tellapart as ta
from tellapart.comparison.items import find_differences
from tellapart.counts import Counts, ItemTexts
from tellapart.report.differences import render


def test_counts_agree_with_the_comparison_whichever_metric_and_order() -> None:
    rng = np.random.default_rng(0)
    rows = {name: rng.integers(0, 5, (40, 3)) for name in "ABC"}
    counts = Counts.from_arrays(rows, columns=["tp", "fp", "fn"])
    for metric in ("recall", "f1", "undergeneration"):
        result = ta.compare(counts, metrics=[metric], intervals=False)
        for a, b in (("A", "C"), ("C", "B")):
            found, pair = find_differences(counts.systems[a, b], metric), result.pair(a, b)
            assert (found.better, found.tied, found.worse) == (
                pair.items_a_better, pair.items_tied, pair.items_b_better,
            )  # fmt: skip
            assert len(found.items) == found.better + found.worse
            assert sum(item.a_better for item in found.items) == found.better


def test_whole_texts_are_in_tsv_and_jsonl() -> None:
    counts = Counts.from_arrays({"A": [1, 1], "B": [0, 1]}, items=["one", "two"])
    texts = ItemTexts(
        golds=('a\tb\n"c"', ""), outputs={"A": ("x" * 500, ""), "B": ("line\nline", "")}
    )
    found = find_differences(replace(counts, texts=texts))
    header, row = (line.split("\t") for line in render(found, form="tsv").splitlines())
    assert header == ["item", "A", "B", "better", "input", "gold", "output of A", "output of B"]
    assert row == ["one", "1.0", "0.0", "A", "", 'a b "c"', "x" * 500, "line line"]
    (line,) = render(found, form="jsonl").splitlines()
    assert json.loads(line) == {
        "item": "one",
        "scores": {"A": 1.0, "B": 0.0},
        "better": "A",
        "gold": 'a\tb\n"c"',
        "outputs": {"A": "x" * 500, "B": "line\nline"},
    }
