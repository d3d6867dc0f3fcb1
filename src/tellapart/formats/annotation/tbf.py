"""TBF, the tab based format of event nuggets: one file holds all documents.

A file is first cut in blocks, one per document; a block is looked at only when its document is
scored, since documents that only the system has never are. Token tables go with it, one file per
document, where spans are ids of tokens.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.annotation.model import Document, Link
from tellapart.formats.problems import Findings

BLANKS: Final = " \t\n\r\x0b\x0c"
"""ASCII white space: all that is stripped."""

COREFERENCE: Final = "Coreference"
LINKS: Final = (COREFERENCE, "After", "Subevent")
"""The names of links; of these coreference is scored"""

BEGIN, END = "#BeginOfDocument", "#EndOfDocument"
END_WITHOUT_BEGIN: Final = f"{END} without a {BEGIN} before it"
_MENTION_COLUMNS: Final = 7
_LARGEST_OFFSET: Final = 10**9

INVISIBLE_WORDS: Final = frozenset([
    "the", "a", "an", "you", "he", "she", "we", "my", "your", "her", "our", "who", "what", "where",
    "when",
])  # fmt: skip
"""Compared with lower-cased text. The historical list had a capital I, which never matched."""

Pieces = tuple[tuple[int, int], ...]


class Mention(NamedTuple):
    """One mention line; either `pieces` (character mode) or `tokens` say what it covers."""

    document: str
    """As the line says; the header counts"""
    id: str
    pieces: Pieces
    tokens: tuple[str, ...]
    text: str
    type: str
    realis: str
    place: str
    """The file and line where it stands"""


class Block(NamedTuple):
    """The lines up to an end marker (or to the end of the file), and the last header's id."""

    path: str
    name: str | None
    lines: Sequence[str]
    first: int
    """The number of the first of them"""
    closed: bool

    @property
    def end(self) -> str:
        """The file and line of the end marker."""
        return f"{self.path}:{self.first + len(self.lines)}"

    def numbered(self) -> Iterator[tuple[str, str]]:
        """Yield all lines that are not blank, with their places."""
        for number, raw in enumerate(self.lines, self.first):
            line = raw.strip(BLANKS)
            if line:
                yield f"{self.path}:{number}", line

    def content(self) -> Iterator[tuple[str, str]]:
        """Yield the lines that are neither blank nor comments, with their places."""
        return ((place, line) for place, line in self.numbered() if line[0] != "#")


@dataclass(frozen=True, slots=True)
class TbfFile:
    """A file cut in documents; of blocks with the same id the last one counts."""

    path: str
    blocks: dict[str, Block]


def read_tbf(path: str | Path) -> TbfFile:
    """Return the documents of a file: plain, `.gz`, or `-` for standard input."""
    return cut(read_text(path), shown(path))


def read_text(path: str | Path) -> str:
    """Return the text of a whole file."""
    with open_text(path) as stream:
        return stream.read()


def cut(text: str, path: str = "text") -> TbfFile:
    r"""Return the text of a file cut in documents.

    >>> list(cut("#BeginOfDocument d1\n#EndOfDocument\n").blocks)
    ['d1']
    """
    documents: dict[str, Block] = {}
    for block in blocks(text, path):
        if block.closed and block.name is None:
            raise DataError(f"{block.end}: {END_WITHOUT_BEGIN}")
        if block.closed and block.name is not None:
            documents[block.name] = block
    return TbfFile(path, documents)


def blocks(text: str, path: str) -> Iterator[Block]:
    """Yield the stretches between end markers.

    A document exists once its end marker is read; it has all the lines since the end marker
    before, and the id of the last header among them.
    """
    name, start = None, 0
    # Only the newline ends a line, so not splitlines: a text may hold other separators.
    lines = text.split("\n")
    for i, raw in enumerate(lines):
        line = raw.strip(BLANKS)
        if line.startswith(BEGIN):
            name = line[len(BEGIN) :].strip(BLANKS)
        elif line.startswith(END):
            yield Block(path, name, lines[start:i], start + 1, True)
            name, start = None, i + 1
    yield Block(path, name, lines[start:], start + 1, False)


def parse(file: TbfFile, name: str, token_mode: bool) -> Document[Mention]:
    r"""Return the mentions and relations of one document; one that is not there is empty.

    >>> file = cut("#BeginOfDocument d\nme\td\tE1\t0,4;6,9\tran off\tMove\tActual\n#EndOfDocument")
    >>> parse(file, "d", token_mode=False).spans[0].pieces
    ((0, 4), (6, 9))
    """
    if name not in file.blocks:
        return Document(name)
    return read_block(file.blocks[name], token_mode, Findings(strict=True))


def read_block(block: Block, token_mode: bool, problems: Findings) -> Document[Mention]:
    """Return a document; lines that `problems` lets pass are left out."""
    mentions: list[Mention] = []
    links: list[Link] = []
    for place, line in block.content():
        with problems.of_file():
            if line[0] == "@":
                links.append(_link(line, place))
            else:
                mentions.append(_mention(line, place, token_mode))
    return Document(block.name or "", tuple(mentions), tuple(links), place=block.end)


def _mention(line: str, place: str, token_mode: bool) -> Mention:
    fields = line.split("\t")
    if len(fields) < _MENTION_COLUMNS:
        raise DataError(
            f"{place}: a mention has {len(fields)} columns; it needs 7, with tabs: system, "
            "document, id, span, text, type, realis"
        )
    _, document, name, span, text, kind, realis = fields[:_MENTION_COLUMNS]
    pieces = () if token_mode else _pieces(span, place)
    tokens = tuple(span.split(",")) if token_mode else ()
    return Mention(document, name, pieces, tokens, text, kind, realis, place)


def _link(line: str, place: str) -> Link:
    """Return the relation of a line: a cluster, or a link from the first argument to the second."""
    fields = line.split("\t")
    if len(fields) != 3:
        raise DataError(f"{place}: a relation has {len(fields)} columns; it needs 3, with tabs")
    name, arguments = fields[0][1:], tuple(fields[2].split(","))
    if len(arguments) < 2 and name != COREFERENCE:
        raise DataError(f"{place}: column 3: @{name} has one argument; it needs two: E1,E2")
    return Link(name, arguments, place)


def _pieces(span: str, place: str) -> Pieces:
    """Return `begin,end` pairs that are joined by semicolons."""
    try:
        # int() would also take underscores and the digits of other scripts.
        if not span.isascii() or "_" in span:
            raise ValueError
        ends = (piece.split(",") for piece in span.split(";"))
        pieces = tuple((int(both[0]), int(both[1])) for both in ends)
        if any(abs(offset) > _LARGEST_OFFSET for piece in pieces for offset in piece):
            raise ValueError
    except (ValueError, IndexError):
        raise DataError(
            f"{place}: column 4: the span {span!r} is not begin,end pairs as in 7,12;20,22; spans "
            "of token ids need --tokens"
        ) from None
    return pieces


def cluster_numbers(document: Document[Mention], problems: Findings) -> dict[str, int]:
    """Return the cluster of each mention id that is in one; no id may be in two."""
    clusters: dict[str, int] = {}
    lines = (link for link in document.links if link.name == COREFERENCE)
    for number, link in enumerate(lines):
        for name in link.arguments:
            if clusters.setdefault(name, number) != number:
                problems.complain(f"{link.place}: column 3: {name!r} is in two clusters; join them")
    return clusters


def token_rows(folder: str, document: str) -> list[list[str]] | None:
    """Return the fields of a token table's rows: id, text and more; a header row too."""
    path = os.path.join(folder, f"{document}.tab")
    # Not Path.is_file, which stumbles over ids that are too long for a file's name.
    if not os.path.isfile(path):
        return None
    lines = (line.strip(BLANKS) for line in read_text(path).split("\n"))
    return [line.split("\t") for line in lines if line]


def invisible_tokens(folder: str, document: str) -> frozenset[str]:
    """Return the ids of words that the paper's profiles do not see; no table means none.

    The first row is always skipped: in the paper's releases a table has a header.
    """
    rows = (token_rows(folder, document) or [])[1:]
    return frozenset(row[0] for row in rows if row[1:] and row[1].lower() in INVISIBLE_WORDS)
