"""Rows of preference files: JSON lines, a JSON array, or a table, each with its place."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any, Final

from tellapart.formats.head import PARQUET, Head, read_head
from tellapart.formats.logs.rows import Row, table_rows
from tellapart.formats.problems import Findings

_GLANCED: Final = 50  # rows that a guess looks at


def preference_rows(path: str, problems: Findings) -> Iterator[Row]:
    """Yield the rows of a table of any kind, whatever separates its cells."""
    head = read_head(path)
    if head.data.startswith(PARQUET) or head.text.lstrip().startswith(("{", "[")):
        yield from table_rows(path, problems)
        return
    from tellapart.formats.tables.files import read_batches

    for batch in read_batches(path, problems):
        for k, cells in enumerate(zip(*batch.columns.values(), strict=True)):
            yield Row(batch.place(k), dict(zip(batch.columns, cells, strict=True)))


def glanced_rows(head: Head) -> list[dict[str, Any]]:
    r"""Return the first rows of what looks like a table or JSON; none if it is neither.

    >>> glanced_rows(Head("x", b"id,winner\n1,tie\n2,A\n3", whole=False))
    [{'id': '1', 'winner': 'tie'}, {'id': '2', 'winner': 'A'}]
    >>> glanced_rows(Head("x", b'[{"winner": "tie"}, {"win', whole=False))
    [{'winner': 'tie'}]
    """
    text = head.text.lstrip()
    if text.startswith(("{", "[")):
        return list(_glanced_json(text))
    lines = head.filled_lines(_GLANCED)
    if len(lines) < 2:
        return []
    mark = next((mark for mark in "\t,;" if mark in lines[0]), ",")
    try:
        names, *rows = csv.reader(lines, delimiter=mark)
    except csv.Error:
        return []
    names = [name.strip() for name in names]
    return [dict(zip(names, row, strict=True)) for row in rows if len(row) == len(names)]


def _glanced_json(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that are there in full: one a line, or those of one array."""
    decoder, place = json.JSONDecoder(), 0
    for _ in range(_GLANCED):
        place = text.find("{", place)
        if place < 0:
            return
        try:
            row, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return
        yield row
