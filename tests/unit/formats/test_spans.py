"""Span JSONL: exact matches, pairing by id or place, answers, and files that do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from table_files import Write, json_lines
from tellapart.counts import Counts

ANNA, IVREA = (0, 10, "PER"), (14, 19, "LOC")
TEXT = "Anna Smith in Ivrea"
Row = dict[str, Any]


def read_spans(systems: Any, gold: Any, **options: Any) -> Counts:
    counts: Counts = ta.read(systems, gold, form="spans", **options)
    return counts


def row(*spans: tuple[int, int, str], text: str = TEXT, **more: Any) -> Row:
    listed = [{"start": start, "end": end, "label": label} for start, end, label in spans]
    return {"text": text, "spans": listed, **more}


def counted(write: Write, gold: list[Row], system: list[Row], **options: Any) -> Counts:
    files = write("gold.jsonl", json_lines(gold)), write("a.jsonl", json_lines(system))
    return read_spans([files[1]], [files[0]], **options)


def test_by_hand(write: Write) -> None:
    """A span is right if its bounds and its label are."""
    gold = [row(ANNA, IVREA, meta={"doc": "d1", "n": 2}), row(meta={"doc": "d2", "n": 3})]
    system = [row(ANNA, (14, 19, "ORG"), (0, 4, "PER")), row(IVREA)]
    counts = counted(write, gold, system)
    assert counts.values[0].tolist() == [[1, 2, 1], [0, 1, 0]]
    assert counts.columns == ("tp", "fp", "fn")
    assert (counts.kind, counts.items) == ("text", ("1", "2"))
    assert counts.labels == {"doc": ("d1", "d2"), "n": ("2", "3")}
    assert counts.texts.golds == ("PER: Anna Smith; LOC: Ivrea", "")
    assert counts.texts.outputs["a"][1] == "LOC: Ivrea"


def test_rejected_and_ignored_lines_are_left_out(write: Write) -> None:
    gold = [row(ANNA, answer=answer) for answer in ("accept", "reject", "ignore", "reject")]
    counts = counted(write, gold, [row(ANNA, answer="reject")] * 4)  # of systems, it says nothing
    assert counts.items == ("1",)
    assert [notice.code for notice in counts.notices] == ["left-out"]


def test_texts_that_the_gold_lacks(write: Write) -> None:
    rows = [row(ANNA, id=1), row(ANNA, id=2)]
    counts = counted(write, rows[:1], rows, missing="drop")
    assert (counts.items, [notice.code for notice in counts.notices]) == (("1",), ["extra"])


spans = st.lists(
    st.tuples(st.integers(0, 5), st.integers(6, 9), st.sampled_from("XY")), max_size=5, unique=True
)


@given(st.lists(st.tuples(spans, spans), min_size=1, max_size=4))
def test_counts_add_up(tmp_path_factory: Any, texts: list[tuple[Any, Any]]) -> None:
    """Right and missed are the gold's spans, right and wrong the system's; swapped, they swap."""
    folder: Path = tmp_path_factory.mktemp("spans")
    paths = folder / "gold", folder / "found"
    for k, path in enumerate(paths):
        path.write_text(json_lines(row(*pair[k], text="0123456789") for pair in texts))
    tp, fp, fn = read_spans([paths[1]], [paths[0]]).values[0].T.tolist()
    for k, (gold, found) in enumerate(texts):
        assert (tp[k] + fn[k], tp[k] + fp[k]) == (len(gold), len(found))
        assert tp[k] == sum(span in gold for span in found)
    assert read_spans([paths[0]], [paths[1]]).values[0].T.tolist() == [tp, fn, fp]
