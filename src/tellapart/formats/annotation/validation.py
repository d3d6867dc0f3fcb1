"""All that is wrong with a TBF file, each problem with its line.

`validate` lists it. Scoring goes on where the public scorer does, and tells the same as notices.
"""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.formats.annotation.model import Document
from tellapart.formats.annotation.nuggets import canonical
from tellapart.formats.annotation.tbf import (
    BEGIN,
    END,
    END_WITHOUT_BEGIN,
    LINKS,
    Mention,
    blocks,
    cluster_numbers,
    read_block,
    token_rows,
)
from tellapart.formats.problems import Findings
from tellapart.words import listed


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
            problems.complain(f"{lost[0]}: no {END} follows; the rest of the file is lost")
        elif block.closed and block.name is None:
            problems.complain(f"{block.end}: {END_WITHOUT_BEGIN}")
        elif block.closed and block.name is not None:
            for place in headers[:-1]:
                problems.complain(f"{place}: no {END} follows; its lines go to the next document")
            if block.name in ends:
                problems.complain(
                    f"{block.end}: document {block.name!r} is in {ends[block.name]} already; this "
                    "one counts"
                )
            ends[block.name] = block.end
            document = read_block(block, tokens is not None, problems)
            _check_mentions(document, tokens, types, problems)
            _check_links(document, problems)
    if not ends:
        problems.complain(f"{path}: there is no document; it begins with {BEGIN}")


def _check_mentions(
    document: Document[Mention],
    tokens: str | None,
    types: frozenset[str] | None,
    problems: Findings,
) -> None:
    known: set[str] | None = None
    if tokens is not None:
        rows = token_rows(tokens, document.id)
        known = {row[0] for row in rows or ()}
        if rows is None:
            problems.complain(f"{document.place}: {document.id!r} has no token table in {tokens}")
    places: dict[str, str] = {}
    for mention in document.spans:
        if places.setdefault(mention.id, mention.place) != mention.place:
            told = f"the mention id {mention.id!r} is in {places[mention.id]} already"
            problems.complain(f"{mention.place}: column 3: {told}")
        if mention.document != document.id:
            problems.warn(
                f"{mention.place}: column 2: the document is {mention.document!r}; {document.id!r} "
                "in the header counts"
            )
        for problem in _odd_parts(mention, known, types):
            problems.complain(f"{mention.place}: {problem}")


def _odd_parts(
    mention: Mention, tokens: set[str] | None, types: frozenset[str] | None
) -> Iterator[str]:
    """Yield what is wrong with the span and the type of a mention."""
    if types is not None and canonical(mention.type) not in types:
        yield f"column 6: the type {mention.type!r} is not in the list of types"
    unknown = [token for token in mention.tokens if tokens is not None and token not in tokens]
    if unknown:
        yield f"column 4: not in the token table: {listed(unknown)}"
    begins = [begin for begin, end in mention.pieces if begin < end]
    if mention.pieces and not begins:
        yield "column 4: the span covers nothing"
    elif begins and min(begins) < 0:
        yield "column 4: the span begins before the document"


def _check_links(document: Document[Mention], problems: Findings) -> None:
    ids = {mention.id for mention in document.spans}
    for link in document.links:
        if link.name not in LINKS:
            problems.warn(f"{link.place}: @{link.name!r} is none of {listed(LINKS)}; ignored")
        for name in link.arguments:
            if name not in ids:
                problems.complain(
                    f"{link.place}: column 3: {name!r} is no mention of document {document.id!r}"
                )
    cluster_numbers(document, problems)
