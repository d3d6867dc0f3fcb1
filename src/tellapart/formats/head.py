"""The beginning of a file: enough to tell what it holds.

The files of a folder come in an order that does not depend on the computer.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from tellapart.errors import DataError, TellapartError
from tellapart.files import UnpackError, open_unpacked, shown, unpacked_name
from tellapart.formats.problems import Findings
from tellapart.formats.records import PARQUET, ZIP, csv_rows, parquet_records

SIZE: Final = 1 << 16
_MARK: Final = re.compile(r'["{}\[\]]')


@dataclass(frozen=True, slots=True)
class Head:
    """The first bytes of a file, unpacked."""

    path: str
    data: bytes
    whole: bool
    """Whether that is all there is"""
    is_folder: bool = False

    @property
    def kind(self) -> str:
        """What the bytes are: zip, parquet, json or lines.

        >>> Head("x", b'[{"id": 1}]', whole=True).kind, Head("x.parquet", b"", whole=True).kind
        ('json', 'parquet')
        """
        if self.data.startswith(ZIP):
            return "zip"
        if self.data.startswith(PARQUET) or unpacked_name(self.path).endswith(".parquet"):
            return "parquet"
        return "json" if self.text.lstrip().startswith(("{", "[")) else "lines"

    @property
    def text(self) -> str:
        """The beginning as text, whatever its encoding."""
        return self.data.decode("utf-8-sig", errors="replace")

    @property
    def lines(self) -> list[str]:
        r"""The lines that are there in full.

        >>> Head("x", b"one\r\ntwo\nthr", whole=False).lines
        ['one', 'two']
        """
        lines = self.text.replace("\r\n", "\n").split("\n")
        return lines if self.whole and lines[-1] else lines[:-1]

    def filled_lines(self, most: int = 200) -> list[str]:
        r"""Return the first lines that hold anything; none of binary data.

        >>> Head("x", b"one\n\ntwo\nthree\n", whole=True).filled_lines(2)
        ['one', 'two']
        """
        if b"\0" in self.data[:1024]:
            return []
        return list(islice((line for line in self.lines if line.strip()), most))

    def rows(self, most: int) -> list[dict[str, Any]]:
        """Return the first objects of JSON that are there in full: one a line, or of one array.

        >>> Head("x", b'[{"id": 1, "score": 0}, {"id"', whole=False).rows(5)
        [{'id': 1, 'score': 0}]
        """
        found: list[dict[str, Any]] = []
        text, place = self.text.lstrip(), 0
        while text.startswith(("{", "[")) and (place := text.find("{", place)) >= 0:
            try:
                row, place = json.JSONDecoder().raw_decode(text, place)
            except (ValueError, RecursionError):
                break
            found.append(row)
            if len(found) == most:
                break
        return found

    def first_row(self) -> dict[str, Any] | None:
        r"""Return the object of JSON that the text begins with, if it is there in full.

        >>> Head("x", b'{"a": 1}\n{"a"', whole=False).first_row()
        {'a': 1}
        """
        starts = self.text.lstrip().startswith("{")
        return next(iter(self.rows(1)), None) if starts else None

    def keys(self) -> list[str]:
        """Return the outer keys of a JSON object that may be cut off.

        >>> Head("x", b'{"version": 2, "eval": {"a": [1, ', whole=False).keys()
        ['version', 'eval']
        """
        return list(_outer_keys(self.text))


def read_head(path: str) -> Head:
    """Return the beginning of a file, plain or compressed; that of a folder is empty."""
    if os.path.isdir(path):
        return Head(path, b"", whole=True, is_folder=True)
    try:
        with open_unpacked(path) as stream:
            data = stream.read(SIZE + 1)
    except UnpackError:
        return Head(path, b"", whole=False)  # its reader says what is wrong with it
    return Head(path, data[:SIZE], whole=len(data) <= SIZE)


@lru_cache(maxsize=8)
def _outer_keys(text: str) -> tuple[str, ...]:
    """Return the keys of the outermost object: walk through JSON, strings as wholes.

    All formats ask this of the same text.
    """
    keys: list[str] = []
    depth, place = 0, 0
    if not text.lstrip().startswith("{"):
        return ()
    while (mark := _MARK.search(text, place)) is not None:
        place = mark.end()
        if mark[0] == '"':
            try:
                # The decoder's own scanner: public by name, unknown to the type stubs.
                string, place = json.decoder.scanstring(text, place)  # type: ignore[attr-defined]
            except ValueError:
                break
            if depth == 1 and text[place : place + 9].lstrip().startswith(":"):
                keys.append(string)
        else:
            depth += 1 if mark[0] in "{[" else -1
    return tuple(keys)


MOST_FILES: Final = 20_000
GLANCED: Final = 50
"""Rows of a table that a guess looks at"""


@lru_cache(maxsize=4)
def first_rows(head: Head) -> list[dict[str, Any]]:
    r"""Return the first rows of what looks like a table or JSON; none if it is neither.

    >>> first_rows(Head("x", b"id,winner\n1,tie\n2,A\n3", whole=False))
    [{'id': '1', 'winner': 'tie'}, {'id': '2', 'winner': 'A'}]
    >>> first_rows(Head("x", b'[{"winner": "tie"}, {"win', whole=False))
    [{'winner': 'tie'}]
    """
    with suppress(TellapartError):
        if head.data.startswith(PARQUET):
            return [fields for _, fields in parquet_records(head.path, GLANCED)]
        if head.kind == "json":
            return head.rows(GLANCED)
        names, rows, _ = csv_rows(head.filled_lines(GLANCED), head.path, Findings())
        return [dict(zip(names, cells, strict=True)) for _, cells in rows]
    return []


def files_below(folder: str) -> list[str]:
    """Return all files below a folder, sorted; what is hidden, or no file, is passed over.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.json", ".hidden", "a.json"):
    ...         open(os.path.join(folder, name), "w").close()
    ...     [os.path.basename(path) for path in files_below(folder)]
    ['a.json', 'b.json']
    """
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        visible = (os.path.join(place, name) for name in sorted(names) if not name.startswith("."))
        found += [path for path in visible if os.path.isfile(path)]
        if len(found) > MOST_FILES:
            raise DataError(f"{shown(folder)}: more than {MOST_FILES:,} files; name the logs")
    return found


def heads_below(folder: str) -> Iterator[Head]:
    """Yield how all files below a folder begin; to look at them is not to read them."""
    for path in files_below(folder):
        yield read_head(path)
