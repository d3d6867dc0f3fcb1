"""The beginning of a file: enough to tell what it holds."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass
from typing import Any, Final

from tellapart.files import STANDARD, unreadable

SIZE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Head:
    """The first bytes of a file, unpacked; empty for standard input, which is read only once."""

    path: str
    data: bytes
    whole: bool
    """Whether that is all there is"""

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

    def first_row(self) -> dict[str, Any] | None:
        r"""Give the JSON object of the first line that holds anything, if it is one.

        >>> Head("x", b'{"a": 1}\n{"a"', whole=False).first_row()
        {'a': 1}
        """
        for line in self.lines:
            if line.strip():
                return _object(line)
        return None

    def keys(self) -> list[str]:
        """Give the outer keys of a JSON object that may be cut off.

        >>> Head("x", b'{"version": 2, "eval": {"a": [1, ', whole=False).keys()
        ['version', 'eval']
        """
        return _outer_keys(self.text)


def read_head(path: str) -> Head:
    """Read the beginning of a file, plain or `.gz`."""
    if path == STANDARD:
        return Head(path, b"", whole=False)
    try:
        if path.endswith(".gz"):
            with gzip.open(path, "rb") as stream:
                data = stream.read(SIZE + 1)
        else:
            with open(path, "rb") as plain:
                data = plain.read(SIZE + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return Head(path, b"", whole=False)  # its reader says what is wrong with it
    except OSError as error:
        raise unreadable(path, error) from None
    return Head(path, data[:SIZE], whole=len(data) <= SIZE)


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _outer_keys(text: str) -> list[str]:
    """Walk through JSON, strings as wholes, and note the keys of the outermost object."""
    keys: list[str] = []
    depth, place = 0, 0
    if not text.lstrip().startswith("{"):
        return keys
    while place < len(text):
        letter = text[place]
        if letter == '"':
            try:
                # The decoder's own scanner: public by name, unknown to the type stubs.
                string, place = json.decoder.scanstring(text, place + 1)  # type: ignore[attr-defined]
            except ValueError:
                return keys
            if depth == 1 and text[place : place + 9].lstrip().startswith(":"):
                keys.append(string)
            continue
        depth += (letter in "{[") - (letter in "}]")
        place += 1
    return keys
