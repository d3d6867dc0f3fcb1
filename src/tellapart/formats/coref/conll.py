"""Coreference in CoNLL files: the last column brackets the mentions, `(7`, `7)` or `(7)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tellapart.files import open_text, shown
from tellapart.formats.coref.measures import CorefCounts, Row, count_document
from tellapart.formats.problems import Findings

Span = tuple[int, int]
"""The first and the last token of a mention"""

_BEGIN, _END = "#begin document", "#end document"
_BRACKET: Final = re.compile(r"(\()?([^()|]+)(\))?")
_WORD: Final = 3  # the column of the token, where there are as many: as in CoNLL-2012
_NONE: Final = ("-", "_", "*")


@dataclass(frozen=True, slots=True)
class ConllDocument:
    """One document, or part of one: the cluster of each mention."""

    n_tokens: int
    clusters: Mapping[Span, str]
    line: int = 0
    """Where it begins"""
    words: tuple[str, ...] = ()
    """Its tokens, for readers of reports; no score depends on them"""


@dataclass(slots=True)
class _Open:
    """A document that is being read."""

    name: str
    line: int
    n_tokens: int = 0
    tokens: list[str] = field(default_factory=list)
    clusters: dict[Span, str] = field(default_factory=dict)
    begun: dict[str, list[int]] = field(default_factory=dict)
    columns: int = 0
    """How many columns the lines of its sentence have; 0 where one begins"""
    words: int = 0
    """How many words its sentence has so far"""


def read_conll(path: str | Path, findings: Findings | None = None) -> dict[str, ConllDocument]:
    """Return the documents of a file; parts of a document are documents of their own.

    What cannot be scored is an error, unless there are findings to note it in.
    """
    with open_text(path) as stream:
        lines = stream.read().split("\n")
    reader = _Reader(shown(path), findings or Findings(strict=True))
    for number, raw in enumerate(lines, 1):
        reader.line(number, raw.strip())
    reader.store(len(lines))
    return reader.documents


@dataclass(slots=True)
class _Reader:
    """Reads a file line by line, and notes what is wrong with it."""

    path: str
    findings: Findings
    documents: dict[str, ConllDocument] = field(default_factory=dict)
    current: _Open | None = None
    headed: bool = False
    """Whether a document has begun by name: all have, or none"""
    numbered: bool = False
    """Whether the third column counts the words of a sentence, from 0"""

    def line(self, number: int, line: str) -> None:
        place = f"{self.path}:{number}"
        if line.startswith(_BEGIN):
            if self.current is not None and not self.headed:
                at = f"{self.path}:{self.current.line}"
                self.findings.complain(f"{at}: tokens stand before the first {_BEGIN!r}; give one")
                self.current = None
            self.store(number)
            self.current, self.headed = _Open(line.removeprefix(_BEGIN).strip(), number), True
        elif line.startswith(_END):
            self.store(number)
        elif line.startswith("#"):
            fields = line.split()
            if len(fields) > 1 and (fields[-1] in _NONE or _brackets(fields[-1])):
                self.findings.warn(
                    f"{place}: this line is taken for a comment, since it begins with #"
                )
        elif line:
            self._token(number, line.split(), place)
        elif self.current is not None:
            self.current.columns, self.current.words = 0, 0

    def _token(self, number: int, fields: list[str], place: str) -> None:
        if self.current is None:
            if self.headed or self.documents:
                self.findings.complain(
                    f"{place}: this line stands outside of documents; one begins with {_BEGIN!r}"
                )
                self.headed = True
            self.current = _Open("", number)
        current = self.current
        if current.columns not in (0, len(fields)):
            self.findings.warn(
                f"{place}: the line has {len(fields)} columns, others of its sentence "
                f"{current.columns}; its last one is read all the same"
            )
        current.columns = current.columns or len(fields)
        self._count_word(fields, place)
        current.tokens.append(fields[_WORD] if len(fields) > _WORD + 1 else fields[0])
        _read_token(current, fields[-1], place, self.findings)

    def _count_word(self, fields: list[str], place: str) -> None:
        """Hold the number of a word, if the third column has it, against that of the one before."""
        if len(fields) < 4 or self.current is None:
            return
        if not self.numbered and self.current.n_tokens == 0:
            self.numbered = fields[2] == "0"
        if self.numbered and fields[2] != str(self.current.words):
            text = (
                f"column 3: word {fields[2][:20]!r} stands where word {self.current.words} is due"
            )
            self.findings.warn(f"{place}: {text}; the order of lines counts")
        self.current.words += 1

    def store(self, number: int) -> None:
        """Keep the document that ends here."""
        current, self.current = self.current, None
        if current is None:
            return
        place = f"{self.path}:{number}"
        unclosed = [cluster for cluster, begun in current.begun.items() if begun]
        if unclosed:
            self.findings.complain(
                f"{place}: a mention of cluster {unclosed[0]!r} is not closed in document "
                f"{current.name!r}; write {unclosed[0]}) where it ends"
            )
        if current.name in self.documents:
            self.findings.complain(
                f"{place}: document {current.name!r} appears twice; give each an own id"
            )
        document = ConllDocument(
            current.n_tokens, current.clusters, current.line, tuple(current.tokens)
        )
        self.documents.setdefault(current.name, document)


def _brackets(cell: str) -> list[tuple[str | None, str, str | None]] | None:
    """Return the mentions that begin or end at a token; None if the cell does not say it."""
    found = []
    for part in cell.split("|"):
        bracket = _BRACKET.fullmatch(part)
        if bracket is None or not (bracket[1] or bracket[3]):
            return None
        found.append((bracket[1], bracket[2], bracket[3]))
    return found


def _read_token(current: _Open, cell: str, place: str, findings: Findings) -> None:
    at = current.n_tokens
    current.n_tokens += 1
    if cell in _NONE:
        return
    brackets = _brackets(cell)
    if brackets is None:
        findings.complain(
            f"{place}: the last column {cell!r} is no coreference; it is -, or (7, 7) or (7) "
            "joined by |"
        )
    for begins, cluster, ends in brackets or ():
        begun = current.begun.setdefault(cluster, [])
        if begins:
            begun.append(at)
        if not ends:
            continue
        if not begun:
            findings.complain(f"{place}: {cluster}) closes a mention that was not opened")
            continue
        span = begun.pop(), at
        if span not in current.clusters:
            current.clusters[span] = cluster
        elif current.clusters[span] == cluster:
            findings.warn(
                f"{place}: the mention of tokens {span[0]} to {span[1]} is in cluster {cluster!r} "
                "twice; it counts once"
            )
        else:
            findings.complain(
                f"{place}: the mention of tokens {span[0]} to {span[1]} is in the clusters "
                f"{current.clusters[span]!r} and {cluster!r}; it can be in one only"
            )


def check_lengths(
    path: str,
    key: Mapping[str, ConllDocument],
    response: Mapping[str, ConllDocument],
    findings: Findings,
) -> None:
    """Complain of documents that have not the tokens of the key."""
    for name, document in response.items():
        if name in key and key[name].n_tokens != document.n_tokens:
            findings.complain(
                f"{shown(path)}:{document.line}: document {name!r} has {document.n_tokens} tokens, "
                f"and {key[name].n_tokens} in the key; both need the same text"
            )


def count_files(
    key: Mapping[str, ConllDocument], response: Mapping[str, ConllDocument]
) -> dict[str, CorefCounts]:
    """Return the counts of the key's documents; one that the response lacks is empty there."""
    counts = {}
    for name, document in key.items():
        own = response.get(name, ConllDocument(document.n_tokens, {}))
        counts[name] = count_document(_rows(document.clusters, own.clusters))
    return counts


def _rows(key: Mapping[Span, str], response: Mapping[Span, str]) -> Iterator[Row]:
    for span in {**key, **response}:
        yield key.get(span), response.get(span)
