"""Telling tables by how they begin."""

from __future__ import annotations

from tellapart.formats.head import Head
from tellapart.formats.tables.column_names import ITEM_COLUMNS, KNOWN_NAMES


def looks_like_table(head: Head) -> bool:
    r"""Tell whether the first line names columns, among them an item or two others that are known.

    >>> looks_like_table(Head("x", b"item,old,new\nq1,0,1\n", whole=True))
    True
    >>> looks_like_table(Head("x", b'{"item": "q1", "score": 1}\n', whole=True))
    True
    >>> looks_like_table(Head("x", b"One item, a second one,\nand more.\n", whole=True))
    False
    """
    row = head.first_row()
    if row is not None:
        return _names_columns([name.lower() for name in row])
    lines = [line for line in head.lines if line.strip()][:2]
    for mark in "\t,;":
        cells = [line.lower().split(mark) for line in lines]
        if cells and len(cells[0]) > 1 and len({len(each) for each in cells}) == 1:
            return _names_columns([cell.strip().strip('"') for cell in cells[0]])
    return False


def _names_columns(names: list[str]) -> bool:
    return not set(ITEM_COLUMNS).isdisjoint(names) or len(KNOWN_NAMES.intersection(names)) > 1
