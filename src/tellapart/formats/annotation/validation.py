"""All that is wrong with a TBF file, each problem with its line.

`validate` lists it. Scoring goes on where the public scorer does, and tells the same as notices.
"""

from __future__ import annotations

from typing import Final

from tellapart.formats.annotation.links import cluster_numbers, links_between
from tellapart.formats.annotation.model import Document
from tellapart.formats.annotation.nuggets import canonical
from tellapart.formats.annotation.tbf import (
    AFTER,
    BEGIN,
    COREFERENCE,
    END,
    END_WITHOUT_BEGIN,
    SUBEVENT,
    Block,
    Mention,
    TokenFolder,
    blocks,
    read_block,
)
from tellapart.formats.problems import Findings
from tellapart.words import listed

_KNOWN_LINKS: Final = (COREFERENCE, AFTER, SUBEVENT)


def check_tbf(
    text: str,
    path: str,
    problems: Findings,
    tokens: TokenFolder | None = None,
    types: frozenset[str] | None = None,
) -> None:
    """Note all problems of a file; of tokens and types, where they are known."""
    ends: dict[str, str] = {}
    for block in blocks(text, path):
        if not block.closed:
            _check_lost_lines(block, problems)
        elif block.name is None:
            problems.complain(f"{block.end}: {END_WITHOUT_BEGIN}")
        else:
            if block.name in ends:
                problems.complain(
                    f"{block.end}: document {block.name!r} ended in {ends[block.name]} already; "
                    "only this one counts"
                )
            ends[block.name] = block.end
            _check_place_of_lines(block, problems)
            document = read_block(block, tokens is not None, problems)
            _check_mentions(document, types, problems)
            if tokens is None:
                _check_offsets(document, problems)
            else:
                _check_tokens(document, tokens, problems)
            _check_links(document, problems)
    if not ends:
        problems.complain(f"{path}: there is no document; it starts with {BEGIN}")


def _headers(block: Block) -> list[str]:
    return [place for place, line in block.numbered() if line.startswith(BEGIN)]


def _check_lost_lines(block: Block, problems: Findings) -> None:
    """Complain where lines, or a header alone, stand after the last end marker."""
    content = next(block.content(), None)
    headers = _headers(block)
    if content is not None:
        problems.complain(
            f"{content[0]}: this and all lines after it belong to no document: no {END} follows; "
            "they are lost"
        )
    elif headers:
        problems.complain(f"{headers[0]}: document {block.name!r} has no {END}; it is lost")


def _check_place_of_lines(block: Block, problems: Findings) -> None:
    """Complain of lines that count for another document than they stand in."""
    headers = _headers(block)
    for place in headers[:-1]:
        problems.complain(
            f"{place}: this document has no end marker; its lines are taken for the next document's"
        )
    for place, line in block.numbered():
        if place == headers[0]:
            break
        if line[0] != "#":
            problems.warn(
                f"{place}: this line stands before {BEGIN}; it is taken for the document below"
            )


def _check_mentions(
    document: Document[Mention], types: frozenset[str] | None, problems: Findings
) -> None:
    places: dict[str, str] = {}
    for mention in document.spans:
        place = mention.place
        if places.setdefault(mention.id, place) != place:
            problems.complain(
                f"{place}: column 3: the mention id {mention.id!r} is in {places[mention.id]} "
                "already"
            )
        if mention.document != document.id:
            problems.warn(
                f"{place}: column 2: the document is {mention.document!r}, but {document.id!r} in "
                "the header, which counts"
            )
        if types is not None and canonical(mention.type) not in types:
            problems.complain(
                f"{place}: column 6: the type {mention.type!r} is not in the list of types"
            )


def _check_offsets(document: Document[Mention], problems: Findings) -> None:
    for mention in document.spans:
        begins = [begin for begin, end in mention.pieces if begin < end]
        if not begins:
            problems.complain(
                f"{mention.place}: column 4: the span covers nothing; its end is not after its "
                "begin"
            )
        elif min(begins) < 0:
            problems.complain(
                f"{mention.place}: column 4: the span begins before the document; offsets count "
                "from 0"
            )


def _check_tokens(document: Document[Mention], folder: TokenFolder, problems: Findings) -> None:
    rows = folder.rows(document.id)
    if rows is None:
        problems.complain(
            f"{document.place}: document {document.id!r} has no token table in {folder.path}"
        )
        return
    known = {row[0] for row in rows}
    for mention in document.spans:
        for token in mention.tokens:
            if token not in known:
                problems.complain(
                    f"{mention.place}: column 4: the token id {token!r} is not in the token table"
                )


def _check_links(document: Document[Mention], problems: Findings) -> None:
    ids = {mention.id for mention in document.spans}
    for link in document.links:
        if link.name not in _KNOWN_LINKS:
            problems.warn(
                f"{link.place}: the relation @{link.name!r} is none of {listed(_KNOWN_LINKS)}; it "
                "is ignored"
            )
        for name in link.arguments:
            if name not in ids:
                problems.complain(
                    f"{link.place}: column 3: {name!r} is no mention of document {document.id!r}"
                )
    clusters = cluster_numbers(document, problems)
    for name in (AFTER, SUBEVENT):
        links_between(document, name, clusters, problems)
