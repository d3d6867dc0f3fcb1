"""All that is wrong with a TBF file, each problem with its line.

`validate` lists it. Scoring goes on where the public scorer does, and tells the same as notices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tellapart.errors import DataError, Finding
from tellapart.files import shown
from tellapart.formats.annotation.links import Problem, cluster_numbers, links_between
from tellapart.formats.annotation.model import Document, Link
from tellapart.formats.annotation.nuggets import canonical
from tellapart.formats.annotation.tbf import (
    AFTER,
    BEGIN,
    BLANKS,
    COREFERENCE,
    END,
    END_WITHOUT_BEGIN,
    SUBEVENT,
    Block,
    Mention,
    TokenFolder,
    blocks,
    read_block,
    read_text,
)
from tellapart.words import listed

_KNOWN_LINKS: Final = (COREFERENCE, AFTER, SUBEVENT)
_MOST_UNKNOWN_LINKS: Final = 10
_REALIS: Final = ("actual", "generic", "other", "notannotated")


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


def file_findings(text: str, path: str | Path, expected: Expected) -> Iterator[Finding]:
    """Yield all problems of a file, as `file:line: sentence`, in the order of lines."""
    for problem in find_problems(text, expected):
        place = f"{shown(path)}:{problem.line}" if problem.line else shown(path)
        yield Finding(f"{place}: {problem.text}", problem.fatal)


def find_problems(text: str, expected: Expected) -> list[Problem]:
    r"""Return all problems of a text, in the order of lines.

    >>> problems = find_problems("#BeginOfDocument d\nx\td\tE1\t0,4\n#EndOfDocument\n", Expected())
    >>> [(problem.line, problem.kind) for problem in problems]
    [(2, 'too-few-fields')]
    """
    problems: list[Problem] = []
    ends: dict[str, int] = {}
    links: list[Link] = []
    for block in blocks(text):
        if not block.closed:
            problems += _lost_lines(block)
        elif block.name is None:
            problems.append(Problem(block.end, "end-without-begin", END_WITHOUT_BEGIN))
        else:
            if block.name in ends:
                before = f"document {block.name!r} ended in line {ends[block.name]} already"
                text = f"{before}; only this one counts"
                problems.append(Problem(block.end, "repeated-document", text))
            ends[block.name] = block.end
            document, errors = read_block(block, "", expected.tokens is not None)
            problems += _misplaced_lines(block)
            problems += [Problem(line, error.kind, error.text) for line, error in errors]
            problems += _check_document(document, block.end, expected)
            links += document.links
    if not ends:
        problems.append(Problem(0, "no-document", f"there is no document; it starts with {BEGIN}"))
    problems += _unknown_links(links)
    return sorted(problems, key=lambda problem: problem.line)


def _unknown_links(links: list[Link]) -> Iterator[Problem]:
    known, unknown = listed(_KNOWN_LINKS), dict[str, int]()
    for name, _, line in links:
        if name not in _KNOWN_LINKS:
            unknown.setdefault(name, line)
            text = f"the relation @{name!r} is none of {known}; it is ignored"
            yield Problem(line, "unknown-relation", text, fatal=False)
    if len(unknown) > _MOST_UNKNOWN_LINKS:
        text = f"{len(unknown)} relation names are unknown: {listed(tuple(unknown), 5)}; known are "
        yield Problem(min(unknown.values()), "unknown-relations", text + known)


def _headers(block: Block) -> list[int]:
    lines = enumerate(block.lines, block.first)
    return [number for number, line in lines if line.strip(BLANKS).startswith(BEGIN)]


def _lost_lines(block: Block) -> Iterator[Problem]:
    """Yield a problem where lines, or a header alone, stand after the last end marker."""
    for number, _ in block.content():
        text = f"this and all lines after it belong to no document: no {END} follows; they are lost"
        yield Problem(number, "after-last-document", text)
        return
    for number in _headers(block)[:1]:
        text = f"document {block.name!r} has no {END}; it is lost"
        yield Problem(number, "after-last-document", text)


def _misplaced_lines(block: Block) -> Iterator[Problem]:
    """Yield lines that count for another document than they stand in."""
    headers = _headers(block)
    for number in headers[:-1]:
        text = "this document has no end marker; its lines are taken for the next document's"
        yield Problem(number, "no-end-marker", text)
    for number, _ in block.content():
        if number < headers[0]:
            text = f"this line stands before {BEGIN}; it is taken for the document below"
            yield Problem(number, "before-header", text, fatal=False)


def _check_document(document: Document[Mention], end: int, expected: Expected) -> Iterator[Problem]:
    lines: dict[str, int] = {}
    for mention in document.spans:
        before = lines.setdefault(mention.id, mention.line)
        if before != mention.line:
            text = f"column 3: the mention id {mention.id!r} is in line {before} already"
            yield Problem(mention.line, "repeated-mention-id", text)
        if mention.document != document.id:
            text = (
                f"column 2: the document is {mention.document!r}, but {document.id!r} in the header"
            )
            yield Problem(mention.line, "other-document", f"{text}, which counts", fatal=False)
        yield from _check_labels(mention, expected.types)
    if expected.lengths is not None and document.id not in expected.lengths:
        text = f"document {document.id!r} is not in the list of lengths"
        yield Problem(end, "unlisted-document", text)
    if expected.tokens is not None:
        yield from _check_tokens(document, end, expected.tokens)
    else:
        yield from _check_offsets(document, (expected.lengths or {}).get(document.id))
    yield from _check_links(document)


def _check_labels(mention: Mention, types: frozenset[str] | None) -> Iterator[Problem]:
    if types is not None and canonical(mention.type) not in types:
        text = f"column 6: the type {mention.type!r} is not in the list of types"
        yield Problem(mention.line, "unknown-type", text)
    if not canonical(mention.type):
        text = f"column 6: the type {mention.type[:60]!r} has neither letters nor digits"
        yield Problem(mention.line, "empty-type", f"{text}; it counts so", fatal=False)
    if canonical(mention.realis) not in _REALIS:
        text = f"column 7: the realis {mention.realis[:60]!r} is none of Actual, Generic, Other"
        yield Problem(mention.line, "unknown-realis", f"{text}; it counts so", fatal=False)


def _check_offsets(document: Document[Mention], length: int | None) -> Iterator[Problem]:
    for mention in document.spans:
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


def _check_tokens(document: Document[Mention], end: int, folder: TokenFolder) -> Iterator[Problem]:
    path = folder.table(document.id)
    if path is None:
        text = f"document {document.id!r} has no token table in {folder.path}"
        yield Problem(end, "missing-token-table", text)
        return
    known = {row[0] for row in folder.rows(path)}
    for mention in document.spans:
        for token in mention.tokens:
            if token not in known:
                text = f"column 4: the token id {token!r} is not in {path}"
                yield Problem(mention.line, "unknown-token", text)


def _check_links(document: Document[Mention]) -> Iterator[Problem]:
    ids = {mention.id for mention in document.spans}
    for link in document.links:
        for name in link.arguments:
            if name not in ids:
                text = f"column 3: {name!r} is no mention of document {document.id!r}"
                yield Problem(link.line, "unknown-mention", text)
    clusters, overlaps = cluster_numbers(document)
    for link, shared in overlaps:
        text = f"column 3: {shared!r} is in another cluster already"
        yield Problem(link.line, "overlapping-clusters", text)
    for name in (AFTER, SUBEVENT):
        yield from links_between(document, name, clusters)[1]
