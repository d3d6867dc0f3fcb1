"""All that is wrong with a TBF file, each problem with its line.

`validate` lists it. Scoring goes on where the public scorer does, and tells the same as notices.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
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
    Mention,
    blocks,
    read_block,
    token_rows,
)
from tellapart.formats.problems import Findings
from tellapart.words import listed

_KNOWN_LINKS: Final = (COREFERENCE, AFTER, SUBEVENT)


def check_tbf(
    text: str,
    path: str,
    problems: Findings,
    tokens: str | None = None,
    types: frozenset[str] | None = None,
) -> None:
    """Note all problems of a file; of tokens and types, where they are known."""
    ends: dict[str, str] = {}
    for block in blocks(text, path):
        headers = [place for place, line in block.numbered() if line.startswith(BEGIN)]
        lost = [place for place, line in block.numbered() if line[0] != "#"] or headers
        if not block.closed and lost:
            problems.complain(f"{lost[0]}: no {END} follows; this and all lines after it are lost")
        elif block.closed and block.name is None:
            problems.complain(f"{block.end}: {END_WITHOUT_BEGIN}")
        elif block.closed and block.name is not None:
            for place in headers[:-1]:
                problems.complain(f"{place}: no {END} follows; its lines go to the next document")
            if block.name in ends:
                problems.complain(
                    f"{block.end}: document {block.name!r} ended in {ends[block.name]} already; "
                    "only this one counts"
                )
            ends[block.name] = block.end
            document = read_block(block, tokens is not None, problems)
            _check_mentions(document, tokens, types, problems)
            _check_links(document, problems)
    if not ends:
        problems.complain(f"{path}: there is no document; it starts with {BEGIN}")


def _check_mentions(
    document: Document[Mention],
    tokens: str | None,
    types: frozenset[str] | None,
    problems: Findings,
) -> None:
    known: Collection[str] | None = None
    if tokens is not None:
        rows = token_rows(tokens, document.id)
        known = {row[0] for row in rows or ()}
        if rows is None:
            problems.complain(
                f"{document.place}: document {document.id!r} has no token table in {tokens}"
            )
    places: dict[str, str] = {}
    for mention in document.spans:
        if places.setdefault(mention.id, mention.place) != mention.place:
            told = f"the mention id {mention.id!r} is in {places[mention.id]} already"
            problems.complain(f"{mention.place}: column 3: {told}")
        if mention.document != document.id:
            problems.warn(
                f"{mention.place}: column 2: the document is {mention.document!r}, but "
                f"{document.id!r} in the header, which counts"
            )
        for problem in _odd_parts(mention, known, types):
            problems.complain(f"{mention.place}: {problem}")


def _odd_parts(
    mention: Mention, tokens: Collection[str] | None, types: frozenset[str] | None
) -> Iterator[str]:
    """Yield what is wrong with the span and the type of a mention."""
    if types is not None and canonical(mention.type) not in types:
        yield f"column 6: the type {mention.type!r} is not in the list of types"
    unknown = [token for token in mention.tokens if tokens is not None and token not in tokens]
    if unknown:
        yield f"column 4: not in the token table: {listed(unknown)}"
    begins = [begin for begin, end in mention.pieces if begin < end]
    if mention.pieces and not begins:
        yield "column 4: the span covers nothing; its end is not after its begin"
    elif begins and min(begins) < 0:
        yield "column 4: the span begins before the document; offsets count from 0"


def _check_links(document: Document[Mention], problems: Findings) -> None:
    ids = {mention.id for mention in document.spans}
    for link in document.links:
        if link.name not in _KNOWN_LINKS:
            known = listed(_KNOWN_LINKS)
            problems.warn(f"{link.place}: @{link.name!r} is none of {known}; it is ignored")
        for name in link.arguments:
            if name not in ids:
                problems.complain(
                    f"{link.place}: column 3: {name!r} is no mention of document {document.id!r}"
                )
    clusters = cluster_numbers(document, problems)
    for name in (AFTER, SUBEVENT):
        links_between(document, name, clusters, problems)
