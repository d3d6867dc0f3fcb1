"""All that is wrong with a TBF file, each finding with its line.

`validate` lists it. Scoring goes on where the public scorer does, and tells the same as notices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tellapart.errors import DataError, Finding, Notice
from tellapart.files import shown
from tellapart.formats.nuggets.attributes import canonical
from tellapart.formats.nuggets.links import cluster_numbers, links_between
from tellapart.formats.nuggets.tbf import (
    AFTER,
    BEGIN,
    BLANKS,
    COREFERENCE,
    END,
    END_WITHOUT_BEGIN,
    SUBEVENT,
    Block,
    Document,
    Mention,
    Problem,
    Relation,
    TbfError,
    comment_lines,
    content_lines,
    raw_blocks,
    read_mention,
    read_relation,
    read_text,
)
from tellapart.formats.nuggets.tokens import TokenFolder, read_tokens
from tellapart.formats.problems import Findings
from tellapart.words import listed

_KNOWN_RELATIONS: Final = (COREFERENCE, AFTER, SUBEVENT)
_MOST_UNKNOWN_RELATIONS: Final = 10
_REALIS: Final = ("actual", "generic", "other", "notannotated")
_TOLD_BY_SCORING: Final = (
    "repeated-document", "repeated-mention-id", "empty-span", "unknown-mention",
    "missing-token-table", "no-document",
)  # fmt: skip
"""Kinds of problems that have notices of their own"""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a file is checked against; None where nothing is known."""

    tokens: TokenFolder | None = None
    types: frozenset[str] | None = None
    lengths: Mapping[str, int] | None = None
    """Characters by document"""


def read_lengths(path: str | Path) -> dict[str, int]:
    """Return how long documents are, from lines of id and number of characters, tab separated."""
    lengths: dict[str, int] = {}
    for number, raw in enumerate(read_text(path).split("\n"), 1):
        line = raw.strip(BLANKS)
        if not line or line.startswith("#"):
            continue
        name, _, length = line.rpartition("\t")
        # A dozen digits are more than any document has characters.
        if not name or not length.isascii() or not length.isdigit() or len(length) > 12:
            raise DataError(
                f"{shown(path)}:{number}: this is not a document id, a tab, and a number"
            )
        if lengths.setdefault(name, int(length)) != int(length):
            raise DataError(
                f"{shown(path)}:{number}: document {name!r} has the length {length}, and "
                f"{lengths[name]} above; keep one"
            )
    return lengths


def findings(text: str, path: str | Path, expected: Expected) -> Iterator[Finding]:
    """Yield all problems of a file, as `file:line: sentence`, in the order of lines."""
    for each in find_problems(text, expected):
        yield Finding(_placed(each, path), each.fatal)


def notices(text: str, path: str | Path, tokens: TokenFolder | None) -> tuple[Notice, ...]:
    """Return what is wrong with a file that is scored all the same, where nothing else tells it."""
    found = Findings()
    for each in find_problems(text, Expected(tokens)):
        if each.kind not in _TOLD_BY_SCORING:
            found.warn(_placed(each, path))
    return found.notices()


def _placed(problem: Problem, path: str | Path) -> str:
    place = f"{shown(path)}:{problem.line}" if problem.line else shown(path)
    return f"{place}: {problem.text}"


def find_problems(text: str, expected: Expected) -> list[Problem]:
    r"""Return all problems of a text, in the order of lines.

    >>> found = find_problems("#BeginOfDocument d\nx\td\tE1\t0,4\n#EndOfDocument\n", Expected())
    >>> [(each.line, each.kind) for each in found]
    [(2, 'too-few-fields')]
    """
    found: list[Problem] = []
    ends: dict[str, int] = {}
    relations: list[Relation] = []
    for name, block, closed in raw_blocks(text):
        end = block.first + len(block.lines)
        if not closed:
            found += _dropped(name, block)
        elif name is None:
            found.append(Problem(end, "end-without-begin", END_WITHOUT_BEGIN))
        else:
            if name in ends:
                before = (
                    f"document {name!r} ended in line {ends[name]} already; only this one counts"
                )
                found.append(Problem(end, "repeated-document", before))
            ends[name] = end
            document, malformed = _parse(name, block, expected.tokens is not None)
            found += [*_lost_headers(block), *_before_header(block), *malformed]
            found += _commented_out(document, block)
            found += _check_document(document, end, expected)
            relations += document.relations
    if not ends:
        found.append(Problem(0, "no-document", f"there is no document; it starts with {BEGIN}"))
    found += _unknown_relations(relations)
    return sorted(found, key=lambda each: each.line)


def _unknown_relations(relations: list[Relation]) -> Iterator[Problem]:
    unknown: dict[str, int] = {}
    for relation in relations:
        if relation.name not in _KNOWN_RELATIONS:
            unknown.setdefault(relation.name, relation.line)
            text = f"the relation @{relation.name!r} is none of {listed(_KNOWN_RELATIONS)}"
            yield Problem(relation.line, "unknown-relation", f"{text}; it is ignored", fatal=False)
    if len(unknown) > _MOST_UNKNOWN_RELATIONS:
        text = f"{len(unknown)} relation names are unknown: {listed(tuple(unknown), 5)}; known are "
        text += listed(_KNOWN_RELATIONS)
        yield Problem(min(unknown.values()), "unknown-relations", text)


def _dropped(name: str | None, block: Block) -> Iterator[Problem]:
    for number, _ in content_lines(block):
        text = f"this and all lines after it belong to no document: no {END} follows; they are lost"
        yield Problem(number, "after-last-document", text)
        return
    if name is not None:
        at = next(at for at, line in enumerate(block.lines, block.first) if _begins(line))
        yield Problem(at, "after-last-document", f"document {name!r} has no {END}; it is lost")


def _begins(line: str) -> bool:
    return line.strip(BLANKS).startswith(BEGIN)


def _before_header(block: Block) -> Iterator[Problem]:
    first = next(at for at, line in enumerate(block.lines, block.first) if _begins(line))
    for number, _ in content_lines(block):
        if number < first:
            text = f"this line stands before {BEGIN}; it is taken for the document below"
            yield Problem(number, "before-header", text, fatal=False)


def _lost_headers(block: Block) -> Iterator[Problem]:
    headers = [number for number, raw in enumerate(block.lines, block.first) if _begins(raw)]
    for number in headers[:-1]:
        text = "this document has no end marker; its lines are taken for the next document's"
        yield Problem(number, "no-end-marker", text)


_RELATION_COLUMNS: Final = 3
_OFFSETS: Final = re.compile(r"\s*\d+\s*,\s*\d+\s*(;\s*\d+\s*,\s*\d+\s*)*", re.ASCII)
_ODD_IN_SPANS: Final = re.compile(r"[^0-9,; -]|-0+(?![0-9])")


def _parse(name: str, block: Block, token_mode: bool) -> tuple[Document, list[Problem]]:
    """Return what can be read, and a list of what cannot."""
    mentions: list[Mention] = []
    relations: list[Relation] = []
    malformed = []
    for number, line in content_lines(block):
        try:
            if line[0] == "@":
                relations.append(read_relation(line, "", number))
            else:
                mentions.append(read_mention(line, "", number, token_mode))
                if _ODD_IN_SPANS.search(line.split("\t")[3]) and not token_mode:
                    text = "column 4: the span has a plus sign, -0 or a control character, which "
                    text += "says nothing"
                    malformed.append(Problem(number, "plus-sign", text, fatal=False))
                if (stated := line.split("\t")[1]) != name:
                    text = f"column 2: the document is {stated!r}, but {name!r} in the header, "
                    malformed.append(
                        Problem(number, "other-document", f"{text}which counts", fatal=False)
                    )
        except TbfError as error:
            malformed.append(Problem(number, error.kind, error.text))
    return Document(name, tuple(mentions), tuple(relations)), malformed


def _commented_out(document: Document, block: Block) -> Iterator[Problem]:
    """Yield comments that would be relations or mentions but for their sign."""
    ids = {mention.id for mention in document.mentions}
    for number, line in comment_lines(block):
        what = _would_be(line.split("\t"), document.id, ids)
        if what is not None:
            text = f"the line is a comment by its #, but looks like a {what}; it is left out"
            yield Problem(number, "commented-out", text, fatal=False)


def _would_be(fields: list[str], document: str, ids: Set[str]) -> str | None:
    """Return what the fields of a comment look like, if they are no mere remark.

    >>> _would_be(["Coreference", "R1", "E1,E2"], "d", {"E1"})
    'relation'
    >>> _would_be(["system", "document", "id", "span", "text", "type", "realis"], "d", {"E1"})
    """
    if len(fields) == _RELATION_COLUMNS:
        name = fields[0].strip(f"@{BLANKS}").casefold()
        arguments = fields[2].split(",")
        known = name in map(str.casefold, _KNOWN_RELATIONS)
        linked = len(arguments) > 1 and ids >= {*arguments}
        return "relation" if known or linked else None
    if len(fields) > _RELATION_COLUMNS:
        of_this = fields[1] == document or _OFFSETS.fullmatch(fields[3])
        return "mention" if of_this else None
    return None


def _check_document(document: Document, end: int, expected: Expected) -> Iterator[Problem]:
    yield from _check_ids(document)
    if expected.types is not None:
        for mention in document.mentions:
            if canonical(mention.type) not in expected.types:
                text = f"column 6: the type {mention.type!r} is not in the list of types"
                yield Problem(mention.line, "unknown-type", text)
    for mention in document.mentions:
        if not canonical(mention.type):
            text = f"column 6: the type {mention.type[:60]!r} has neither letters nor digits"
            yield Problem(mention.line, "empty-type", f"{text}; it counts so", fatal=False)
        if canonical(mention.realis) not in _REALIS:
            text = f"column 7: the realis {mention.realis[:60]!r} is none of Actual, Generic, Other"
            yield Problem(mention.line, "unknown-realis", f"{text}; it counts so", fatal=False)
    if expected.lengths is not None and document.id not in expected.lengths:
        text = f"document {document.id!r} is not in the list of lengths"
        yield Problem(end, "unlisted-document", text)
    if expected.tokens is not None:
        yield from _check_tokens(document, end, expected.tokens)
    else:
        yield from _check_offsets(document, (expected.lengths or {}).get(document.id))
    yield from _check_relations(document)


def _check_ids(document: Document) -> Iterator[Problem]:
    lines: dict[str, int] = {}
    for mention in document.mentions:
        before = lines.setdefault(mention.id, mention.line)
        if before != mention.line:
            text = f"column 3: the mention id {mention.id!r} is in line {before} already"
            yield Problem(mention.line, "repeated-mention-id", text)


def _check_offsets(document: Document, length: int | None) -> Iterator[Problem]:
    for mention in document.mentions:
        covered = [piece for piece in mention.pieces if piece[0] < piece[1]]
        if not covered:
            text = "column 4: the span covers nothing; its end is not after its begin"
            yield Problem(mention.line, "empty-span", text)
            continue
        if min(begin for begin, _ in covered) < 0:
            text = "column 4: the span begins before the document; offsets count from 0"
            yield Problem(mention.line, "offset-below-0", text)
        last = max(end for _, end in covered)
        if length is not None and last > length:
            text = f"column 4: the span ends at {last}, the document at {length}"
            yield Problem(mention.line, "offset-beyond-end", text)


def _check_tokens(document: Document, end: int, folder: TokenFolder) -> Iterator[Problem]:
    path = folder.table(document.id)
    if path is None:
        text = f"document {document.id!r} has no token table in {folder.path}"
        yield Problem(end, "missing-token-table", text)
        return
    tokens = list(read_tokens(folder, path))
    known = {token.id for token in tokens}
    # The first row may be a header.
    if any(token.offsets is None for token in tokens[1:]):
        text = f"{path} has rows whose columns {folder.offsets[0]} and {folder.offsets[1]} are no "
        yield Problem(end, "token-table-row", text + "offsets (columns count from 0)")
    for mention in document.mentions:
        for token in mention.tokens:
            if token not in known:
                text = f"column 4: the token id {token!r} is not in {path}"
                yield Problem(mention.line, "unknown-token", text)


def _check_relations(document: Document) -> Iterator[Problem]:
    ids = {mention.id for mention in document.mentions}
    for relation in document.relations:
        for each in relation.arguments:
            if each not in ids:
                text = f"column 3: {each!r} is no mention of document {document.id!r}"
                yield Problem(relation.line, "unknown-mention", text)
    clusters, overlaps = cluster_numbers(document)
    for relation, shared in overlaps:
        text = f"column 3: {shared!r} is in another cluster already"
        yield Problem(relation.line, "overlapping-clusters", text)
    for name in (AFTER, SUBEVENT):
        yield from links_between(document, name, clusters)[1]
