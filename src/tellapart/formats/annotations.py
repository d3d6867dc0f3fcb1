"""A text with the stretches that gold and systems marked in it, as one looks at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, ViewSection

Stretch = tuple[int, int, str]
"""First character, character after the last, and what it is called"""
_Marked = tuple[int, int, str, str]  # and how it is judged


def annotated_view(
    text: str, gold: Sequence[Stretch], outputs: Mapping[str, Sequence[Stretch]]
) -> ItemView:
    """Return a text with both annotations: what is right, wrong, missing or spurious.

    An output is right where gold has the same bounds and name, wrong where it overlaps something
    else, and spurious where gold has nothing; what no output touches is missing. Stretches inside
    each other stand in rows below each other.

    >>> view = annotated_view("Anna saw Oslo", [(0, 4, "PER")], {"A": [(9, 13, "LOC")]})
    >>> for piece in view.sections[0].rows[0].outputs["A"]:
    ...     print(piece)
    Piece(text='Anna', mark='missing', tag='PER')
    Piece(text=' saw ', mark='', tag='')
    Piece(text='Oslo', mark='spurious', tag='LOC')
    """
    wanted = [list(_layers([(*each, "") for each in gold]))]
    wanted += [list(_layers(_judged(gold, own))) for own in outputs.values()]
    depth = max(map(len, wanted))
    cells = [[tuple(_pieces(text, layer)) for layer in layers] for layers in wanted]
    rows = []
    for k in range(depth):
        of_gold, *of_systems = (each[k] if k < len(each) else () for each in cells)
        label = "" if k == 0 else "overlapping"
        rows.append(ViewRow(label, of_gold, dict(zip(outputs, of_systems, strict=True))))
    return ItemView((ViewSection(tuple(rows), stacked=True),))


def _judged(gold: Sequence[Stretch], own: Sequence[Stretch]) -> Iterator[_Marked]:
    right = set(gold)
    for start, end, name in own:
        if (start, end, name) in right:
            yield start, end, name, "right"
        else:
            touches = any(start < stop and begin < end for begin, stop, _ in gold)
            yield start, end, name, "wrong" if touches else "spurious"
    for start, end, name in gold:
        if not any(start < stop and begin < end for begin, stop, _ in own):
            yield start, end, name, "missing"


def _layers(stretches: Iterable[_Marked]) -> Iterator[list[_Marked]]:
    """Yield stretches in as few rows as their overlaps allow, and one row at least."""
    rest, first = sorted(stretches), True
    while rest or first:
        row, left, end = list[_Marked](), list[_Marked](), 0
        for each in rest:
            if each[0] >= end:
                row.append(each)
                end = each[1]
            else:
                left.append(each)
        yield row
        rest, first = left, False


def _pieces(text: str, row: Sequence[_Marked]) -> Iterator[Piece]:
    at = 0
    for start, end, name, mark in row:
        if start > at:
            yield Piece(text[at:start])
        yield Piece(text[start:end], mark, name)
        at = end
    if at < len(text):
        yield Piece(text[at:])


def listed_cell(parts: Iterable[Piece]) -> Cell:
    """Return pieces with commas between them.

    >>> [piece.text for piece in listed_cell([Piece("one"), Piece("two")])]
    ['one', ', ', 'two']
    """
    found: list[Piece] = []
    for part in parts:
        found += [Piece(", "), part] if found else [part]
    return tuple(found)
