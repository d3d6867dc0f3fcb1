"""Reading TBF, the tab based format of event nuggets: one file holds all documents.

A file is first cut in blocks, one per document; a block is looked at only when its document is
scored, since documents that only the system has never are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from tellapart.errors import DataError
from tellapart.files import open_text, shown

BLANKS: Final = " \t\n\r\x0b\x0c"
"""ASCII white space: all that is stripped."""

COREFERENCE, AFTER, SUBEVENT = "Coreference", "After", "Subevent"

BEGIN, END = "#BeginOfDocument", "#EndOfDocument"
END_WITHOUT_BEGIN: Final = f"{END} without a {BEGIN} before it; give the document a header"
_FEWEST_COLUMNS: Final = 7
_LARGEST_OFFSET: Final = 10**9
_SHORT: Final = 11  # no span of this length has an offset beyond that: 0,999999999

Pieces = tuple[tuple[int, int], ...]


class TbfError(DataError):
    """A line of a TBF file, or what it refers to, cannot be used; `kind` is a stable name."""

    def __init__(self, place: str, kind: str, text: str) -> None:
        super().__init__(f"{place}: {text}")
        self.kind = kind
        self.text = text


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file: its line (0: the whole file), a stable kind, and a sentence."""

    line: int
    kind: str
    text: str
    fatal: bool = True
    """Whether a file with it is not fit to be handed in"""


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
    """Return the documents of a file: plain, `.gz`, or `-` for standard input."""
    return cut(read_text(path), shown(path))


def read_text(path: str | Path) -> str:
    """Return the text of a whole file."""
    with open_text(path) as stream:
        return stream.read()


def cut(text: str, path: str = "text") -> TbfFile:
    r"""Return the text of a file cut in documents.

    >>> cut("#BeginOfDocument d1\n#EndOfDocument\n").blocks
    {'d1': Block(lines=['#BeginOfDocument d1'], first=1)}
    """
    blocks: dict[str, Block] = {}
    repeated: dict[str, None] = {}
    for name, block, closed in raw_blocks(text):
        if not closed:
            continue
        if name is None:
            end = block.first + len(block.lines)
            raise TbfError(f"{path}:{end}", "end-without-begin", END_WITHOUT_BEGIN)
        if name in blocks:
            repeated[name] = None
        blocks[name] = block
    return TbfFile(path, blocks, tuple(repeated))


class RawBlock(NamedTuple):
    """The lines up to an end marker (or to the end of the file), and the last header's id."""

    name: str | None
    block: Block
    closed: bool


def raw_blocks(text: str) -> Iterator[RawBlock]:
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
            yield RawBlock(name, Block(lines[start:i], start + 1), True)
            name, start = None, i + 1
    yield RawBlock(name, Block(lines[start:], start + 1), False)


def parse(file: TbfFile, name: str, token_mode: bool) -> Document:
    r"""Return the mentions and relations of one document; one that is not there is empty.

    >>> file = cut("#BeginOfDocument d\nme\td\tE1\t0,4;6,9\tran off\tMove\tActual\n#EndOfDocument")
    >>> parse(file, "d", token_mode=False).mentions[0].pieces
    ((0, 4), (6, 9))
    """
    if name not in file.blocks:
        return Document(name)
    mentions: list[Mention] = []
    relations: list[Relation] = []
    for number, line in content_lines(file.blocks[name]):
        if line[0] == "@":
            relations.append(read_relation(line, file.path, number))
        else:
            mentions.append(read_mention(line, file.path, number, token_mode))
    return Document(name, tuple(mentions), tuple(relations))


def content_lines(block: Block) -> Iterator[tuple[int, str]]:
    """Yield the lines of a document that are neither blank nor comments, with their numbers."""
    for number, raw in enumerate(block.lines, block.first):
        line = raw.strip(BLANKS)
        if line and line[0] != "#":
            yield number, line


def comment_lines(block: Block) -> Iterator[tuple[int, str]]:
    """Yield the comments of a document without their signs, with their numbers."""
    for number, raw in enumerate(block.lines, block.first):
        line = raw.strip(BLANKS)
        if line.startswith("#") and not line.startswith(BEGIN):
            yield number, line.lstrip("#")


def read_mention(line: str, path: str, number: int, token_mode: bool) -> Mention:
    r"""Return the mention of a line.

    >>> read_mention("me\td\tE1\tt1,t4\tran off\tMove\tActual", "a.tbf", 2, True).tokens
    ('t1', 't4')
    """
    fields = line.split("\t")
    if len(fields) < _FEWEST_COLUMNS:
        raise TbfError(
            f"{path}:{number}",
            "too-few-fields",
            f"a mention has {len(fields)} columns; it needs at least {_FEWEST_COLUMNS}, separated "
            "by tabs: system, document, id, span, text, type, realis",
        )
    _, _, name, span, text, kind, realis = fields[:_FEWEST_COLUMNS]
    if token_mode:
        return Mention(name, (), tuple(span.split(",")), text, kind, realis, number)
    return Mention(name, _pieces(span, path, number), (), text, kind, realis, number)


def read_relation(line: str, path: str, number: int) -> Relation:
    r"""Return the relation of a line.

    >>> read_relation("@After\tA1\tE1,E2", "a.tbf", 4)
    Relation(name='After', arguments=('E1', 'E2'), line=4)
    """
    fields = line.split("\t")
    if len(fields) != 3:
        raise TbfError(
            f"{path}:{number}",
            "relation-field-count",
            f"a relation has {len(fields)} columns; it needs 3, separated by tabs: @name, id, "
            "mention ids joined by commas",
        )
    name, arguments = fields[0][1:], tuple(fields[2].split(","))
    if len(arguments) < 2 and name != COREFERENCE:
        raise TbfError(
            f"{path}:{number}",
            "relation-arity",
            f"column 3: @{name} has one argument, {fields[2]!r}; it needs two mention ids joined "
            "by a comma",
        )
    return Relation(name, arguments, number)


def _pieces(span: str, path: str, number: int) -> Pieces:
    """Return `begin,end` pairs that are joined by semicolons."""
    try:
        # int() would also take underscores and the digits of other scripts.
        if not span.isascii() or "_" in span:
            raise ValueError
        pieces = []
        for piece in span.split(";"):
            ends = piece.split(",")
            pieces.append((int(ends[0]), int(ends[1])))
    except (ValueError, IndexError):
        raise TbfError(
            f"{path}:{number}",
            "bad-span",
            f"column 4: the span {span!r} is not begin,end pairs of whole numbers joined by "
            "semicolons, as in 7,12;20,22 (spans of token ids need the token tables)",
        ) from None
    if len(span) > _SHORT and any(abs(at) > _LARGEST_OFFSET for piece in pieces for at in piece):
        raise TbfError(
            f"{path}:{number}",
            "bad-span",
            f"column 4: the span {span!r} has an offset beyond {_LARGEST_OFFSET:,}; count the "
            "characters from the beginning of the document",
        )
    return tuple(pieces)
