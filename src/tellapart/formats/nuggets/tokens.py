"""Token tables: one file per document, and the words that the paper's profiles do not see."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tellapart.errors import UsageError
from tellapart.files import open_text
from tellapart.formats.nuggets.tbf import BLANKS

INVISIBLE_WORDS: Final = frozenset([
    "the", "a", "an", "you", "he", "she", "we", "my", "your", "her", "our", "who", "what", "where",
    "when",
])  # fmt: skip
"""Compared with lower-cased text. The historical list had a capital I, which never matched."""


@dataclass(frozen=True, slots=True)
class TokenFolder:
    """A folder of token tables named after their documents."""

    path: Path
    extension: str = ".tab"
    offsets: tuple[int, int] = (2, 3)  # the columns of the first and the last character

    def check(self) -> None:
        """Refuse what is no folder."""
        if not os.path.isdir(self.path):
            raise UsageError(f"{self.path}: there is no such folder of token tables")

    def table(self, document: str) -> Path | None:
        """Return the path of a document's table; None if there is none."""
        path = self.path / f"{document}{self.extension}"
        # Not Path.is_file, which stumbles over ids that are too long for a file's name.
        return path if os.path.isfile(path) else None


@dataclass(frozen=True, slots=True)
class Token:
    """One row of a table; the offsets are None where they are no numbers, as in a header."""

    id: str
    text: str
    offsets: tuple[int, int] | None


def read_tokens(folder: TokenFolder, path: Path) -> Iterator[Token]:
    """Yield the rows of a table, a header row too."""
    with open_text(path) as stream:
        lines = stream.read().split("\n")
    for line in lines:
        fields = line.strip(BLANKS).split("\t")
        if fields != [""]:
            yield Token(fields[0], fields[1] if len(fields) > 1 else "", _offsets(folder, fields))


def invisible_ids(folder: TokenFolder, document: str) -> frozenset[str]:
    """Return the ids of a document's invisible tokens; a missing table means none.

    The first row is always skipped: in the paper's releases a table has a header.
    """
    path = folder.table(document)
    if path is None:
        return frozenset()
    rows = list(read_tokens(folder, path))[1:]
    return frozenset(row.id for row in rows if row.text.lower() in INVISIBLE_WORDS)


def _offsets(folder: TokenFolder, fields: list[str]) -> tuple[int, int] | None:
    try:
        begin, end = (int(fields[column]) for column in folder.offsets)
    except (ValueError, IndexError):
        return None
    return begin, end
