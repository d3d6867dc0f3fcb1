"""Tables of text split by native code, some ten thousand rows at a time.

Plain rows become columns of cells that stay where they were read (`Cells` of the native module):
codes and numbers are made of them without a Python object for each. What is not plain, the readers
of `files` see again, and only they know what to say about it; so both read the same.
"""

from __future__ import annotations

import io
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import IO, Any, Final, NamedTuple

from numpy.typing import NDArray

from tellapart import engine
from tellapart.files import open_unpacked

ROWS = 1 << 10
"""Rows that the readers of `files` have in a batch; packed ones have a multiple of that"""
BYTES = 1 << 20
"""How much is split at a time: more would not stay in the cache"""
_FIRST_BYTES: Final = 1 << 16  # by which the columns are told
_MOST_BYTES: Final = 1 << 30  # of rows that have no end
_LINE_END: Final = re.compile(r"\r\n|\r|\n")


class PackedCells(Sequence[Any]):
    """The cells of a column where they were read, as native code has them."""

    @abstractmethod
    def part(self, start: int, stop: int) -> PackedCells:
        """Return some rows."""

    @abstractmethod
    def tolist(self) -> list[Any]:
        """Return all cells: texts, and of JSON also True, False and None."""

    @abstractmethod
    def numbers(self) -> NDArray[Any] | None:
        """Return all cells as int64 or float64; None if some cell is no number."""

    @abstractmethod
    def has_empty(self) -> bool:
        """Return whether a cell is empty, or nothing."""

    @abstractmethod
    def distinct(self) -> list[tuple[Any, int]]:
        """Return different cells, in order, and how often each is there."""


if engine.native is not None:
    PackedCells.register(engine.native.Cells)


class Piece(NamedTuple):
    """Some rows: as columns if they are plain, and as text."""

    line: int
    """The lines that stand before it in the file"""
    text: Callable[[], IO[str]]
    rows: int = 0
    columns: list[Any] | None = None
    names: tuple[str, ...] = ()
    """The keys of JSON"""


class Split(NamedTuple):
    """What native code makes of bytes."""

    rows: int
    used: int
    plain: bool
    sound: bool
    columns: list[Any]
    names: tuple[str, ...] = ()


def is_fast() -> bool:
    """Return whether there is native code, and it may be used."""
    return engine.native is not None and engine.active() != "numpy"


def split_delimited(delimiter: str, columns: int) -> Callable[[bytes, bool], Split]:
    """Return what splits rows of CSV or TSV."""
    native: Any = engine.native
    return lambda rows, last: Split(*native.split_delimited(rows, delimiter, columns, ROWS, last))


def split_json(rows: bytes, last: bool) -> Split:
    """Split rows of JSONL."""
    native: Any = engine.native
    return Split(*native.split_json(rows, ROWS, last))


def pieces(
    path: str, start: int, line: int, split: Callable[[bytes, bool], Split]
) -> Iterator[Piece]:
    """Yield the rows of a file from a byte on, before which there are so many lines."""
    with open_unpacked(path) as stream:
        stream.read(start)
        rows, wanted = b"", min(BYTES, _FIRST_BYTES)
        while True:
            more = stream.read(wanted)
            rows += more
            found = split(rows, not more)
            if not found.sound or not _is_text(rows, found.used) or len(rows) > _MOST_BYTES:
                yield Piece(line, partial(_rest, rows, stream))
                return
            text = partial(_text, rows, found.used)
            if found.rows and found.plain:
                yield Piece(line, text, found.rows, found.columns, found.names)
                line += found.rows
            elif found.rows:
                yield Piece(line, text)
                line += len(_LINE_END.findall(text().read()))
            if not more:
                return
            rows = rows[found.used :]
            wanted = 2 * wanted if not found.rows else BYTES


def _is_text(rows: bytes, used: int) -> bool:
    try:
        if not rows.isascii():
            rows[:used].decode()
    except UnicodeDecodeError:
        return False
    return True


def _text(rows: bytes, used: int) -> IO[str]:
    return io.StringIO(rows[:used].decode(), newline="")


def _rest(rows: bytes, stream: io.BufferedReader) -> IO[str]:
    """Return what is left of a file, from the first row that was not handed out."""
    whole = io.BufferedReader(_Chained(rows, stream))
    return io.TextIOWrapper(whole, encoding="utf-8", newline="")


class _Chained(io.RawIOBase):
    """Some bytes, and then those of a stream."""

    def __init__(self, first: bytes, stream: io.BufferedReader) -> None:
        self._first, self._stream = io.BytesIO(first), stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        return self._first.readinto(buffer) or self._stream.readinto(buffer)
