"""What stands behind an item: annotated texts, rankings, clusters, mentions, and words by gold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from tellapart.counts.views import ItemView, against
from tellapart.formats.annotation.entities import annotated_view
from tellapart.formats.annotation.model import Span

WORDS = st.lists(st.sampled_from(["a", "b", "c", "the"]), max_size=8).map(" ".join)


@given(WORDS, WORDS)
def test_a_text_against_gold_holds_both_texts(text: str, gold: str) -> None:
    """What is right and wrong is the text; what is right and missing is gold."""
    found = against(text, gold)
    ours = "".join(piece.text for piece in found if piece.mark != "missing")
    assert ours == text
    if gold:
        theirs = " ".join(piece.text for piece in found if piece.mark in ("right", "missing"))
        assert theirs.split() == gold.split()


SPANS = st.lists(
    st.tuples(st.integers(0, 8), st.integers(1, 4), st.sampled_from("XY")).map(
        lambda each: Span(each[0], each[0] + each[1], each[2])
    ),
    max_size=5,
    unique=True,
)


@given(SPANS, SPANS)
def test_every_span_is_shown_once_and_every_row_is_the_text(
    gold: list[Span], own: list[Span]
) -> None:
    text = "abcdefghijkl"
    (section,) = annotated_view(text, gold, {"A": own}).sections
    shown = [row.outputs["A"] for row in section.rows if row.outputs["A"]]
    assert all("".join(piece.text for piece in cell) == text for cell in shown)
    marks = [piece.mark for cell in shown for piece in cell if piece.tag]
    assert marks.count("right") == len(set(gold) & set(own))
    assert len(marks) - marks.count("missing") == len(own)
    in_gold = [p for row in section.rows for p in row.gold if p.tag]
    assert len(in_gold) == len(gold)


def marks(view: ItemView, system: str) -> list[tuple[str, str]]:
    """Return text and mark of all that a system has and that is judged."""
    return [
        (piece.text, piece.mark)
        for section in view.sections
        for row in section.rows
        for piece in row.outputs.get(system, ())
        if piece.mark
    ]


def test_relations_are_right_missing_or_spurious_one_by_one(tmp_path: Path) -> None:
    """The order in which they stand is nothing, and copies count apart."""
    files = {"gold": [["s", "cat"], ["o", "dog"], "x"], "own": ["x", ["s", "cat"], "cow", "x"]}
    for name, relations in files.items():
        (tmp_path / name).write_text(json.dumps({"unit": "u", "relations": relations}))
    counts = ta.read([tmp_path / "own"], gold=tmp_path / "gold", form="relations")
    assert counts.views is not None
    assert marks(counts.views("u"), "own") == [
        ("s cat", "right"), ("o dog", "missing"), ("x", "right"), ("x", "spurious"),
        ("cow", "spurious"),
    ]  # fmt: skip


def test_a_ranking_is_right_and_wrong_rank_by_rank(tmp_path: Path) -> None:
    """All relevant documents on top are right in whatever order, however few words they are."""
    (tmp_path / "qrels").write_text("".join(f"q 0 d{k} {k // 2}\n" for k in range(1, 7)))
    documents = ["d3", "d2", "d4", "d5", "d6", "d1", "d9"]
    lines = [f"q Q0 {d} {k} {-k} x\n" for k, d in enumerate(documents)]
    (tmp_path / "own").write_text("".join(lines))
    counts = ta.read([tmp_path / "own"], gold=tmp_path / "qrels", metrics=["rprec"])
    assert counts.views is not None
    view = counts.views("q")
    assert marks(view, "own") == [*((d, "right") for d in documents[:5]), ("d1", "wrong")]
    relevant, *_, last = view.of_systems(["own"]).sections[0].rows
    assert [piece.text for piece in relevant.gold] == [" d6", " d4", " d5", " d2", " d3"]
    assert (last.label, last.outputs["own"][0].tag) == ("rank 7", "not judged")


@pytest.mark.parametrize(
    ("form", "item", "sections", "rows"),
    [("message", "M1", 2, 3), ("template", "M1/1", 1, 3), ("slot", "M1/1/inc-loc", 1, 2)],
)
def test_parts_of_messages_open_to_themselves(
    tmp_path: Path, form: str, item: str, sections: int, rows: int
) -> None:
    """A slot is shown with which templates are paired, and without the others of the message."""
    from muc_files import attack, write

    key = write(
        tmp_path, "key.txt", attack("M1", inc_loc="PERU"), attack("M1", "2", inc_loc="CHILE")
    )
    own = write(tmp_path, "own.txt", attack("M1", inc_loc="CUBA"))
    counts = ta.read([own], gold=key, form="muc", item=form)
    assert counts.views is not None
    view = counts.views(item)
    assert view.sections[0].title == "Template 1 of the key"
    assert (len(view.sections), len(view.sections[0].rows)) == (sections, rows)
    assert ("CUBA", "wrong") in marks(view, "own")
