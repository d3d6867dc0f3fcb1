"""What there is to look at behind one item: rows of gold and output, with what is right marked.

A reader whose items are more than a text (templates, annotated sentences, rankings) gives its
`Counts` a function from the item's name to an `ItemView`. Pages and terminals lay it out; they know
nothing of the format. One shape serves all: a row per slot of a template, per rank of a list, per
sentence, and in each row what is right and what each system has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

MARKS: Final = ("", "right", "partial", "wrong", "missing", "spurious")
"""How a piece of text is judged; "" is not judged. `missing` stands in gold, all others anywhere"""


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


Views = Callable[[str], ItemView]
"""From the name of an item to what there is to look at"""
