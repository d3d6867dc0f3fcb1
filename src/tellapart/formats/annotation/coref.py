"""Coreference in CoNLL files: the last column brackets the mentions, `(7`, `7)` or `(7)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.annotation.clusters import (
    CorefCounts,
    Row,
    coref_columns,
    coref_metrics,
    coref_record,
    coref_text,
    count_document,
    summed,
)
from tellapart.formats.annotation.model import Document, Span, one_sided, read_corpus
from tellapart.formats.contract import Report, Sources, SystemReport, plain_report
from tellapart.formats.problems import Findings
from tellapart.options import NoOptions
from tellapart.words import nearest

_BEGIN, _END = "#begin document", "#end document"
_BRACKET: Final = re.compile(r"(\()?([^()|]+)(\))?")
_CELL: Final = re.compile(r"(?:\([^()|]+\)?\|?|[^()|]+\)\|?)+")
_WORD: Final = 3  # the column of the token, where there are as many: as in CoNLL-2012
_NONE: Final = ("-", "_", "*")

Documents = dict[str, Document[Span]]


@dataclass(frozen=True, slots=True)
class CorefFile:
    """The documents of a file; parts of a document are documents of their own."""

    path: str
    documents: Documents


@dataclass(slots=True)
class _Open:
    """A document that is being read."""

    name: str
    place: str
    tokens: list[str] = field(default_factory=list)
    begun: dict[str, list[int]] = field(default_factory=dict)
    """By cluster, in order of appearance: the first tokens of its mentions that are open"""
    mentions: list[tuple[str, int, int]] = field(default_factory=list)
    """Cluster, first and last token"""

    def read(self, cell: str, place: str, problems: Findings) -> None:
        """Read the mentions that begin or end at the last token."""
        if cell in _NONE:
            return
        if not _CELL.fullmatch(cell):
            problems.complain(
                f"{place}: the last column {cell!r} is no coreference, such as -, (7 or (7)|8)"
            )
            return
        at = len(self.tokens) - 1
        for begins, cluster, ends in _BRACKET.findall(cell):
            begun = self.begun.setdefault(cluster, [])
            if begins:
                begun.append(at)
            if ends and begun:
                self.mentions.append((cluster, begun.pop(), at))
            elif ends:
                problems.complain(f"{place}: {cluster}) closes a mention that was not opened")

    def document(self, place: str, problems: Findings) -> Document[Span]:
        """Return the document, in tokens; of a mention in several clusters the first counts."""
        for cluster, begun in self.begun.items():
            if begun:
                problems.complain(
                    f"{place}: a mention of cluster {cluster!r} is not closed in {self.name!r}"
                )
        order = {cluster: k for k, cluster in enumerate(self.begun)}
        spans: dict[tuple[int, int], Span] = {}
        for cluster, first, last in sorted(self.mentions, key=lambda mention: order[mention[0]]):
            span = Span(first, last + 1, cluster)
            known = spans.setdefault((first, last), span)
            if known is not span:
                problems.warn(
                    f"{self.place}: the mention of tokens {first} to {last} is in clusters "
                    f"{known.label!r} and {cluster!r}; the first counts"
                )
        text = " ".join(self.tokens)
        return Document(self.name, tuple(spans.values()), text=text, place=self.place)


def read_coref_file(path: str, problems: Findings) -> CorefFile:
    """Return the documents of a file; what `problems` lets pass is left out."""
    file = CorefFile(shown(path), {})
    current: _Open | None = None
    with open_text(path) as stream:
        lines = stream.read().split("\n")
    for number, raw in enumerate(lines, 1):
        line, place = raw.strip(), f"{file.path}:{number}"
        if line.startswith(_BEGIN):
            _store(file, current, place, problems)
            current = _Open(line.removeprefix(_BEGIN).strip(), place)
        elif line.startswith(_END):
            _store(file, current, place, problems)
            current = None
        elif line and not line.startswith("#"):
            if current is None:
                problems.complain(f"{place}: no {_BEGIN!r} stands before this line")
                continue
            fields = line.split()
            current.tokens.append(fields[_WORD] if len(fields) > _WORD + 1 else fields[0])
            current.read(fields[-1], place, problems)
    _store(file, current, f"{file.path}:{len(lines)}", problems)
    if not file.documents:
        problems.complain(f"{file.path}: there is no document; give a CoNLL file")
    return file


def _store(file: CorefFile, current: _Open | None, place: str, problems: Findings) -> None:
    """Keep the document that ends here."""
    if current is None:
        return
    if current.name in file.documents:
        problems.complain(
            f"{place}: document {current.name!r} is there twice; give each its own id"
        )
    file.documents.setdefault(current.name, current.document(place, problems))


def _score(sources: Sources) -> tuple[Counts, dict[str, list[CorefCounts]]]:
    """Return the counts of each document of the key, and each system's sums they are made of.

    Notices name documents that are on one side only.
    """
    corpus = read_corpus(sources, read_coref_file, "coreference")
    if len(corpus.runs) > len(corpus.files):
        raise UsageError("coreference takes one file per system")
    key = corpus.gold.documents
    notices = list(corpus.problems.notices())
    counted = {}
    for name, file in corpus.runs.items():
        _check_lengths(file.documents, key)
        notices += one_sided(file.path, file.documents, corpus.gold.path, list(key), key)
        counted[name] = [
            count_document(_rows(wanted, file.documents.get(item, Document(item))))
            for item, wanted in key.items()
        ]
    columns = [coref_columns(documents) for documents in counted.values()]
    counts = Counts.from_columns(
        tuple(counted),
        list(key),
        {name: [each[name] for each in columns] for name in columns[0]},
        {},
        "document",
        "counts",
    )
    return replace(counts, notices=tuple(notices)), counted


def _check_lengths(response: Documents, key: Documents) -> None:
    """Refuse documents that have not as many tokens as in the key."""
    for name, document in response.items():
        if name in key:
            given, wanted = (len(each.text.split(" ")) for each in (document, key[name]))
            if given != wanted:
                raise DataError(
                    f"{document.place}: {name!r} has {given} tokens, and {wanted} in the key"
                )


def _rows(key: Document[Span], response: Document[Span]) -> Iterator[Row]:
    """Yield each mention's cluster in key and response."""
    wanted, given = (
        {span[:2]: span.label for span in document.spans} for document in (key, response)
    )
    for mention in {**wanted, **given}:
        yield wanted.get(mention), given.get(mention)


def read(sources: Sources, _: NoOptions) -> Counts:
    """Return the coreference counts of each document."""
    counts, known = _score(sources)[0], coref_metrics()
    for name in sources.metrics:
        if name not in known:
            raise UsageError(f"unknown metric {name!r}; {nearest(name, list(known))}")
    return replace(counts, metrics=tuple(known[name] for name in sources.metrics or known))


def report(sources: Sources, _: NoOptions) -> Report:
    """Return the scores of each system by all metrics."""
    counts, counted = _score(sources)

    def more(system: SystemReport) -> dict[str, Any]:
        sums = summed(counted[system.name])
        heading = f"System: {system.name}\n" if len(counted) > 1 else ""
        return {"report": coref_record(sums), "text": heading + coref_text(sums)}

    return plain_report(counts, list(coref_metrics().values()), more)
