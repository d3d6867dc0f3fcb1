"""Annotations side by side as one looks at them: what is right, wrong, missing or spurious."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from tellapart.counts import Counts
from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, ViewSection
from tellapart.formats.annotation.model import Span

_Marked = tuple[int, int, str, str]  # a span, and how it is judged


def with_views(counts: Counts, view: Callable[[int], ItemView]) -> Counts:
    """Return counts with a view of each item, made from its place when somebody looks at it."""
    places = {item: k for k, item in enumerate(counts.items)}
    return replace(counts, views=lambda item: view(places[item]))


def annotated_view(
    text: str, gold: Sequence[Span], outputs: Mapping[str, Sequence[Span]]
) -> ItemView:
    """Return a text with both annotations: what is right, wrong, missing or spurious.

    An output is right where gold has the same bounds and label, wrong where it overlaps something
    else, and spurious where gold has nothing; what no output touches is missing. Spans inside each
    other stand in rows below each other.

    >>> gold, outputs = [Span(0, 4, "PER")], {"A": [Span(9, 13, "LOC")]}
    >>> view = annotated_view("Anna saw Oslo", gold, outputs)
    >>> for piece in view.sections[0].rows[0].outputs["A"]:
    ...     print(piece)
    Piece(text='Anna', mark='missing', tag='PER')
    Piece(text=' saw ', mark='', tag='')
    Piece(text='Oslo', mark='spurious', tag='LOC')
    """
    layers = [list(_layers((*span, "") for span in gold))]
    layers += [list(_layers(_judged(gold, spans))) for spans in outputs.values()]
    rows = []
    for k in range(max(map(len, layers))):
        key, *cells = (tuple(_pieces(text, each[k])) if k < len(each) else () for each in layers)
        label = "" if k == 0 else "overlapping"
        rows.append(ViewRow(label, key, dict(zip(outputs, cells, strict=True))))
    return ItemView((ViewSection(tuple(rows), stacked=True),))


def _judged(gold: Sequence[Span], output: Sequence[Span]) -> Iterator[_Marked]:
    for span in output:
        mark = "wrong" if _touches(span, gold) else "spurious"
        yield (*span, "right" if span in gold else mark)
    for span in gold:
        if not _touches(span, output):
            yield (*span, "missing")


def _touches(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < other[1] and other[0] < span[1] for other in others)


def _layers(spans: Iterable[_Marked]) -> Iterator[list[_Marked]]:
    """Yield spans in as few rows as their overlaps allow, and one row at least."""
    rest, first = sorted(spans), True
    while rest or first:
        row, left, end = list[_Marked](), list[_Marked](), 0
        for span in rest:
            if span[0] >= end:
                row.append(span)
                end = span[1]
            else:
                left.append(span)
        yield row
        rest, first = left, False


def _pieces(text: str, row: Sequence[_Marked]) -> Iterator[Piece]:
    at = 0
    for start, end, label, mark in row:
        if start > at:
            yield Piece(text[at:start])
        yield Piece(text[start:end], mark, label)
        at = end
    if at < len(text):
        yield Piece(text[at:])


def listed_cell(pieces: Iterable[Piece]) -> Cell:
    """Return pieces with commas between them.

    >>> [piece.text for piece in listed_cell([Piece("one"), Piece("two")])]
    ['one', ', ', 'two']
    """
    cell: list[Piece] = []
    for piece in pieces:
        cell += [Piece(", "), piece] if cell else [piece]
    return tuple(cell)
