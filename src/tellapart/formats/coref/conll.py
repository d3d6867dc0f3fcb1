"""Coreference in CoNLL files: the last column brackets the mentions, `(7`, `7)` or `(7)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.coref.measures import CorefCounts, Row, count_document

Span = tuple[int, int]
"""The first and the last token of a mention"""

_BEGIN: Final = "#begin document"
_BRACKET: Final = re.compile(r"(\()?([^()|]+)(\))?")


@dataclass(frozen=True, slots=True)
class ConllDocument:
    """One document, or part of one: the cluster of each mention."""

    n_tokens: int
    clusters: Mapping[Span, str]


@dataclass(slots=True)
class _Open:
    """A document that is being read."""

    name: str
    line: int
    n_tokens: int = 0
    clusters: dict[Span, str] = field(default_factory=dict)
    begun: dict[str, list[int]] = field(default_factory=dict)


def read_conll(path: str | Path) -> dict[str, ConllDocument]:
    """Return the documents of a file; parts of a document are documents of their own."""
    documents: dict[str, ConllDocument] = {}
    with open_text(path) as stream:
        lines = stream.read().split("\n")
    current: _Open | None = None
    for number, raw in enumerate(lines, 1):
        line, place = raw.strip(), f"{shown(path)}:{number}"
        if line.startswith("#"):
            if line.startswith(_BEGIN):
                _store(current, documents, place)
                current = _Open(line.removeprefix(_BEGIN).strip(), number)
        elif line:
            current = current or _Open("", number)
            _read_token(current, line.split()[-1], place)
    _store(current, documents, f"{shown(path)}:{len(lines)}")
    return documents


def _store(current: _Open | None, documents: dict[str, ConllDocument], place: str) -> None:
    if current is None:
        return
    unclosed = [cluster for cluster, begun in current.begun.items() if begun]
    if unclosed:
        raise DataError(
            f"{place}: a mention of cluster {unclosed[0]!r} is not closed in document "
            f"{current.name!r}; write {unclosed[0]}) where it ends"
        )
    if current.name in documents:
        raise DataError(f"{place}: document {current.name!r} is there twice; give each an own id")
    documents[current.name] = ConllDocument(current.n_tokens, current.clusters)


def _read_token(current: _Open, cell: str, place: str) -> None:
    at = current.n_tokens
    current.n_tokens += 1
    if cell in ("-", "_", "*"):
        return
    for part in cell.split("|"):
        bracket = _BRACKET.fullmatch(part)
        if bracket is None or not (bracket[1] or bracket[3]):
            raise DataError(
                f"{place}: the last column {cell!r} is no coreference; it is -, or (7, 7) or (7) "
                "joined by |"
            )
        begins, cluster, ends = bracket.groups()
        begun = current.begun.setdefault(cluster, [])
        if begins:
            begun.append(at)
        if ends:
            if not begun:
                raise DataError(f"{place}: {cluster}) closes a mention that was not opened")
            span = begun.pop(), at
            if current.clusters.setdefault(span, cluster) != cluster:
                raise DataError(
                    f"{place}: the mention of tokens {span[0]} to {span[1]} is in the clusters "
                    f"{current.clusters[span]!r} and {cluster!r}; it can be in one only"
                )


def count_files(
    key: Mapping[str, ConllDocument], response: Mapping[str, ConllDocument]
) -> dict[str, CorefCounts]:
    """Return the counts of the key's documents; one that the response lacks is empty there."""
    counts = {}
    for name, document in key.items():
        own = response.get(name, ConllDocument(document.n_tokens, {}))
        if own.n_tokens != document.n_tokens:
            raise DataError(
                f"document {name!r} has {own.n_tokens} tokens, and {document.n_tokens} in the key; "
                "both need the same text"
            )
        counts[name] = count_document(_rows(document.clusters, own.clusters))
    return counts


def _rows(key: Mapping[Span, str], response: Mapping[Span, str]) -> Iterator[Row]:
    for span in {**key, **response}:
        yield key.get(span), response.get(span)
