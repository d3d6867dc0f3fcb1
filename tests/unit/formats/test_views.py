"""What stands behind an item: annotated texts, rankings, clusters, mentions, and words by gold."""

from __future__ import annotations

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
