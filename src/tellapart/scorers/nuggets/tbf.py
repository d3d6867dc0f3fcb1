"""Reading TBF, the tab based format of event nuggets: one file holds all documents.

A file is first cut in blocks, one per document; a block is looked at only when its document is
scored, since documents that only the system has never are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from tellapart.errors import DataError
from tellapart.files import open_text, shown

BLANKS: Final = " \t\n\r\x0b\x0c"
"""ASCII white space: all that is stripped."""

COREFERENCE, AFTER, SUBEVENT = "Coreference", "After", "Subevent"

_BEGIN, _END = "#BeginOfDocument", "#EndOfDocument"
_FEWEST_COLUMNS: Final = 7
_LARGEST_OFFSET: Final = 10**9

Pieces = tuple[tuple[int, int], ...]


class TbfError(DataError):
    """A line of a TBF file, or what it refers to, cannot be used; `kind` is a stable name."""

    def __init__(self, place: str, kind: str, text: str) -> None:
        super().__init__(f"{place}: {text}")
        self.kind = kind


class Mention(NamedTuple):
    """One mention line; either `pieces` (character mode) or `tokens` say what it covers."""

    id: str
    pieces: Pieces
    tokens: tuple[str, ...]
    text: str
    type: str
    realis: str
    line: int


class Relation(NamedTuple):
    """One relation line: a cluster, or a link from the first argument to the second."""

    name: str
    arguments: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one document as they stand."""

    lines: Sequence[str]
    first: int  # the number of the first of them


@dataclass(frozen=True, slots=True)
class TbfFile:
    """A file cut in documents; of blocks with the same id the last one counts."""

    path: str
    blocks: dict[str, Block]
    repeated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """The mentions and relations of one document, in the order of their lines."""

    id: str
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()


def read_tbf(path: str | Path) -> TbfFile:
    """Read a file: plain, `.gz`, or `-` for standard input."""
    with open_text(path) as stream:
        text = stream.read()
    return cut(text, shown(path))


def cut(text: str, path: str = "text") -> TbfFile:
    r"""Cut the text of a file in documents.

    A document exists once its end marker is read; it has all the lines since the end marker
    before, and the id of the last header among them.

    >>> cut("#BeginOfDocument d1\n#EndOfDocument\n").blocks
    {'d1': Block(lines=['#BeginOfDocument d1'], first=1)}
    """
    blocks: dict[str, Block] = {}
    repeated: dict[str, None] = {}
    name, start = None, 0
    # Only the newline ends a line, so not splitlines: a text may hold other separators.
    lines = text.split("\n")
    for i, raw in enumerate(lines):
        line = raw.strip(BLANKS)
        if line.startswith(_BEGIN):
            name = line[len(_BEGIN) :].strip(BLANKS)
        elif line.startswith(_END):
            if name is None:
                raise TbfError(
                    f"{path}:{i + 1}",
                    "end-without-begin",
                    f"{_END} without a {_BEGIN} before it; give the document a header",
                )
            if name in blocks:
                repeated[name] = None
            blocks[name] = Block(lines[start:i], start + 1)
            name, start = None, i + 1
    return TbfFile(path, blocks, tuple(repeated))


def parse(file: TbfFile, name: str, token_mode: bool) -> Document:
    r"""Read the mentions and relations of one document; one that is not there is empty.

    >>> file = cut("#BeginOfDocument d\nme\td\tE1\t0,4;6,9\tran off\tMove\tActual\n#EndOfDocument")
    >>> parse(file, "d", token_mode=False).mentions[0].pieces
    ((0, 4), (6, 9))
    """
    if name not in file.blocks:
        return Document(name)
    mentions: list[Mention] = []
    relations: list[Relation] = []
    for kind, line, place, number in content(file, name):
        if kind == "@":
            relations.append(read_relation(line, place, number))
        else:
            mentions.append(read_mention(line, place, number, token_mode))
    return Document(name, tuple(mentions), tuple(relations))


class Place(NamedTuple):
    """Where a line stands; put in words only for an error."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


def content(file: TbfFile, name: str) -> Iterator[tuple[str, str, Callable[[], str], int]]:
    """Give the lines of a document that say something."""
    block = file.blocks[name]
    for number, raw in enumerate(block.lines, block.first):
        line = raw.strip(BLANKS)
        if line and line[0] != "#":
            yield line[0], line, Place(file.path, number).__str__, number
