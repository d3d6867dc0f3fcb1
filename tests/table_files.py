"""What many tests share: files of their own, lines of JSON, and values as exact numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from fractions import Fraction
from typing import Any

import pytest

from tellapart.counts import Counts
from tellapart.formats.contract import Sources
from tellapart.formats.tables import reader
from tellapart.formats.tables.format import TableOptions

Write = Callable[..., str]
Capture = pytest.CaptureFixture[str]


def read_tables(files: Iterable[Any], **wanted: Any) -> Counts:
    """Return the counts of tables, as users name what they want of any format, or of tables."""
    options = {each.name: wanted.pop(each.name) for each in fields(TableOptions)
               if each.name in wanted}  # fmt: skip
    return reader.read_tables(Sources(tuple(files), **wanted), TableOptions(**options))


def json_lines(rows: Iterable[Any]) -> str:
    """Return each row as a line of JSON."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def real(counts: Counts) -> dict[str, list[list[Fraction]]]:
    """Per system: items × columns, as exact numbers."""
    return {
        name: [
            [Fraction(v, scale) for v, scale in zip(row, counts.scales, strict=True)]
            for row in system.tolist()
        ]
        for name, system in zip(counts.systems, counts.values, strict=True)
    }
