"""What there is to look at behind one item: rows of gold and output, with what is right marked.

A reader whose items are more than a text (templates, annotated sentences, rankings) gives its
`Counts` a function from the item's name to an `ItemView`. Pages and terminals lay it out; they know
nothing of the format. One shape serves all: a row per slot of a template, per rank of a list, per
sentence, and in each row what is right and what each system has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Final

MARKS: Final = ("", "right", "partial", "wrong", "missing", "spurious")
"""How a piece of text is judged; "" is not judged. `missing` is what a system should have said"""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, how it is judged, and the tag that stands beside it (`PER`, `grade 2`).

    >>> Piece("Oslo", "right", "LOC")
    Piece(text='Oslo', mark='right', tag='LOC')
    """

    text: str
    mark: str = ""
    tag: str = ""


Cell = tuple[Piece, ...]
"""What stands in one place of a view; pieces follow each other as they are"""


@dataclass(frozen=True, slots=True)
class ViewRow:
    """One row: what it is about, what is right, and what each system has."""

    label: str
    gold: Cell = ()
    outputs: Mapping[str, Cell] = field(default_factory=dict)
    """By the name of the system"""


@dataclass(frozen=True, slots=True)
class ViewSection:
    """Rows under one heading."""

    rows: tuple[ViewRow, ...]
    title: str = ""
    stacked: bool = False
    """Whether gold and outputs are long lines, better read below each other than side by side"""


@dataclass(frozen=True, slots=True)
class ItemView:
    """All there is to look at behind one item.

    >>> row = ViewRow("city", (Piece("Oslo"),), {"A": (Piece("Bergen", "wrong"),)})
    >>> ItemView((ViewSection((row,), "Template 1"),)).sections[0].rows[0].outputs["A"][0].mark
    'wrong'
    """

    sections: tuple[ViewSection, ...]

    def of_systems(self, names: Collection[str]) -> ItemView:
        """Return the view with the outputs of some systems; rows that say nothing then go.

        >>> row = ViewRow("city", outputs={"A": (Piece("Oslo"),), "B": (Piece("Bergen"),)})
        >>> ItemView((ViewSection((row,)),)).of_systems(["B"]).sections[0].rows[0].outputs
        {'B': (Piece(text='Bergen', mark='', tag=''),)}
        """
        sections = []
        for section in self.sections:
            rows = [
                replace(row, outputs={n: row.outputs[n] for n in names if n in row.outputs})
                for row in section.rows
            ]
            kept = tuple(row for row in rows if row.gold or any(row.outputs.values()))
            if kept:
                sections.append(replace(section, rows=kept))
        return ItemView(tuple(sections))


MOST_WORDS: Final = 400
"""Longer texts are not compared word by word, which would take too long"""


def against(text: str, gold: str) -> Cell:
    """Return a text held against gold: right words, wrong ones, and those of gold that it lacks.

    >>> for piece in against("the red cat sat", "the cat sat down"):
    ...     print(repr(piece.text), piece.mark)
    'the' right
    ' red' wrong
    ' cat sat' right
    ' down' missing
    """
    ours, theirs = _words(text), _words(gold)
    if not gold or max(len(ours), len(theirs)) > MOST_WORDS:
        return (Piece(text),) if text else ()
    bare = [word.strip() for word in ours], [word.strip() for word in theirs]
    found: list[Piece] = []
    for tag, start, end, begin, stop in SequenceMatcher(None, *bare, autojunk=False).get_opcodes():
        if end > start:
            found.append(Piece("".join(ours[start:end]), "right" if tag == "equal" else "wrong"))
        if tag in ("insert", "replace"):
            lacking = "".join(theirs[begin:stop]).strip()
            found.append(Piece(f" {lacking}" if found else f"{lacking} ", "missing"))
    return tuple(found)


def comparable(gold: str, outputs: Iterable[str]) -> bool:
    """Return whether words of outputs can be told right or wrong by gold, which says the same.

    A short gold answer beside a long one says nothing of single words.

    >>> comparable("B", ["The answer is B."]), comparable("the cat sat down", ["the cat sat"])
    (False, True)
    """
    words = len(gold.split())
    return words >= 4 and all(len(text.split()) <= 4 * words for text in outputs)


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+|\s+$", text)


Views = Callable[[str], ItemView]
"""From the name of an item to what there is to look at"""
