"""The rows of logs: JSON, JSON lines, CSV and Parquet, each row with the place it stands in.

Harnesses write the same things in several ways; their readers ask here for rows, and look at keys.
"""

from __future__ import annotations

import csv
import io
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tellapart.errors import DataError
from tellapart.files import open_bytes, open_text, open_unpacked, shown
from tellapart.formats.head import PARQUET, Head
from tellapart.formats.logs.log import Key, as_text, number, parse_log
from tellapart.formats.parquet import open_parquet
from tellapart.formats.problems import Findings

_BATCH: Final = 256
_SHOWN: Final = 60  # characters of a value
_NAMES_END: Final = 8  # the last bytes of Parquet: how long the footer is, and the mark
_TEXT_FIELD: Final = 0x18  # what stands before a column's name in the footer, then its length


class Row(NamedTuple):
    """One row of a file: what it holds, and where it stands, as messages name it."""

    place: str
    fields: dict[str, Any]


def read_json(path: str) -> Any:
    """Return what a file of JSON holds."""
    with open_text(path) as stream:
        return parse_log(stream.read(), shown(path))


def json_lines(path: str, problems: Findings) -> Iterator[Row]:
    """Yield the objects of JSON lines; what is none is a problem, and left out if that may be."""
    with open_text(path) as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                place = f"{shown(path)}:{number}"
                with problems.of_file():
                    yield Row(place, as_object(parse_log(line, place), place))


def as_object(value: Any, place: str) -> dict[str, Any]:
    """Return an object of JSON; refuse anything else.

    >>> as_object({"id": 7}, "quiz.jsonl:1")
    {'id': 7}
    """
    if not isinstance(value, dict):
        raise DataError(f"{place}: this is no JSON object; write one object a line")
    return value


@dataclass(frozen=True, slots=True)
class Numbers:
    """Takes the values of rows that are numbers, and keeps what is wrong with others.

    Nothing, null and NaN are no value; `grades` are words that count. `problems` are told of
    numbers that are written as texts, where the harness does not do that.

    >>> numbers = Numbers({"good": 1.0})
    >>> numbers.of({"f1": 0.5, "ok": "yes", "grade": "good", "cost": None, "why": "x"}, "a.json:3")
    {('f1',): 0.5, ('ok',): 1.0, ('grade',): 1.0}
    >>> numbers.faults
    {('why',): "a.json:3: the value of 'why' is 'x', which is no number; choose another metric \
with --metric"}
    """

    grades: Mapping[str, float] = field(default_factory=dict)
    problems: Findings | None = None
    faults: dict[Key, str] = field(default_factory=dict)

    def of(self, fields: Mapping[str, Any], place: str) -> dict[Key, float]:
        """Return the values of a row by their names."""
        values: dict[Key, float] = {}
        for name, raw in fields.items():
            value = math.nan if raw == "" else number(raw, self.grades)
            found = f"{place}: the value of {name!r} is {as_text(raw)[:_SHOWN]!r}"
            if value is None:
                remedy = "which is no number; choose another metric with --metric"
                self.faults.setdefault((name,), f"{found}, {remedy}")
            elif not math.isnan(value):
                values[name,] = value
                if self.problems and isinstance(raw, str) and raw not in self.grades:
                    self.problems.warn(f"{found}, written as a text; it was taken for {value:g}")
        return values


def csv_lines(path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the header and the rows of a CSV file, by place; rows as wide as the header."""
    with open_text(path) as stream:
        lines = csv.reader(stream, strict=True)
        width, number = 0, 1
        try:
            for cells in lines:
                place, number = f"{shown(path)}:{number}", lines.line_num + 1
                if not any(cell.strip() for cell in cells):
                    continue
                width = width or len(cells)
                if len(cells) != width:
                    raise DataError(
                        f"{place}: this row has {len(cells)} cells, and the header {width}; check "
                        "its commas and quotation marks"
                    )
                yield place, cells
        except csv.Error as error:
            raise DataError(
                f"{shown(path)}:{lines.line_num}: the line is not well-formed CSV ({error}); check "
                "its quotation marks"
            ) from None


def csv_rows(path: str) -> Iterator[Row]:
    """Yield the rows of a CSV file by the names of its header; empty cells are left out."""
    names: list[str] | None = None
    for place, cells in csv_lines(path):
        if names is None:
            names = [cell.strip() for cell in cells]
            twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
            if twice is not None:
                raise DataError(f"{place}: the column {twice!r} appears twice; rename one")
        else:
            fields = {name: cell for name, cell in zip(names, cells, strict=True) if cell.strip()}
            yield Row(place, fields)


def parquet_rows(path: str, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield the rows of a Parquet file; `columns` names what is read, `doc.id` within `doc`."""
    with open_parquet(path, unpack=True) as table:
        for number, fields in enumerate(table.objects(columns, _BATCH), 1):
            place = f"{shown(path)}, row {number}"
            yield Row(place, {name: _plain(each, place) for name, each in fields.items()})


def _plain(value: Any, place: str) -> Any:
    """Return a cell as JSON would have it: times and the like are texts."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {name: _plain(each, place) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each, place) for each in value]
    if isinstance(value, bytes):
        raise DataError(f"{place}: a cell is binary data; write the table again with texts")
    return str(value)


def table_rows(path: str, problems: Findings) -> Iterator[Row]:
    """Yield the rows of a table of any kind: Parquet, JSON lines, a JSON array, or CSV."""
    with open_unpacked(path) as stream:
        begin = stream.read(1 << 12).lstrip(b"\xef\xbb\xbf \t\r\n")
    if begin.startswith(PARQUET):
        yield from parquet_rows(path)
    elif begin.startswith(b"{"):
        yield from json_lines(path, problems)
    elif begin.startswith(b"["):
        for count, value in enumerate(read_json(path), 1):
            place = f"{shown(path)}, row {count}"
            with problems.of_file():
                yield Row(place, as_object(value, place))
    else:
        yield from csv_rows(path)


def names_in(head: Head) -> set[str]:
    r"""Return what the rows of a table have, by how it begins: keys of JSON, a header of CSV.

    >>> sorted(names_in(Head("x", b'[{"id": 7, "score": 1}]', True)))
    ['id', 'score']
    >>> sorted(names_in(Head("x", b"id,score\n7,1\n", True)))
    ['id', 'score']
    """
    text = head.text.lstrip()
    if head.data.startswith(PARQUET) or "\0" in text[:1024]:
        return set()
    if text.startswith(("{", "[")):
        return set(Head(head.path, text.removeprefix("[").encode(), head.whole).keys())
    lines = head.filled_lines(1)
    try:
        cells = next(csv.reader(lines[:1], strict=True)) if lines else []
    except csv.Error:
        return set()
    return {cell.strip() for cell in cells}


def parquet_has(head: Head, *names: str) -> bool:
    """Return whether a Parquet file has all of some columns, or fields in them, by its footer.

    The names stand there as they are, so that this needs no library.
    """
    if not head.data.startswith(PARQUET):
        return False
    try:
        footer = _footer(head)
    except DataError:
        return False
    return all(bytes([_TEXT_FIELD, len(name)]) + name.encode() in footer for name in names)


def _footer(head: Head) -> bytes:
    if head.whole:
        return head.data
    with open_bytes(head.path) as stream:
        if stream.read(len(PARQUET)) != PARQUET:  # it is packed, and long
            return b""
        end = stream.seek(-_NAMES_END, io.SEEK_END)
        size = int(struct.unpack("<I", stream.read(4))[0])
        stream.seek(max(0, end - size))
        return stream.read(min(size, end))
