"""Runs and judgements, as TREC or ranx write them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, compress, pairwise
from math import isfinite
from operator import lt, ne
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from tellapart import engine
from tellapart.files import open_text, shown
from tellapart.formats.json_text import parse_json
from tellapart.formats.problems import Findings
from tellapart.formats.tables.splitting import is_fast
from tellapart.formats.trec import mteb
from tellapart.formats.trec.shapes import (
    QRELS_FIELDS,
    RUN_FIELDS,
    is_integer,
    is_number,
    is_qrels_line,
    is_run_line,
)

Run: TypeAlias = dict[str, dict[str, float]]
"""Query → document → score"""
Qrels: TypeAlias = dict[str, dict[str, int]]
"""Query → document → relevance"""

_RUN_SHAPE: Final = "qid Q0 docid rank score tag"
_QRELS_SHAPE: Final = "qid iteration docid relevance"
_DIGITS: Final = 9  # of a relevance or a rank
_BLOCK: Final = 1 << 15  # characters that are read at a time
_MOST_COUNTED: Final = 100_000
_PLAIN: Final = bytes([*b"\t\n\r", *range(32, 127)])
_NOT_ONE_BLANK: Final = ("  ", "\n ", " \n", "\t", "\r", '"')  # what native code reads otherwise
_CONTROLS: Final = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def read_run(path: str | Path, problems: Findings | None = None) -> Run:
    """Return the documents of a run with their scores, which rank them, as in trec_eval.

    Ranks that say otherwise bring a warning; the tag is not looked at.
    """
    problems = problems or Findings(strict=True)
    with open_text(path) as stream:
        first, start = _first(stream)
        if first.lstrip().startswith("{"):
            return _read_json(first + stream.read(), start, path, "score", problems)
        if is_qrels_line(first.split()):
            problems.complain(
                f"{shown(path)}:{start}: these are judgements ({_QRELS_SHAPE}), no run; give them "
                "with --gold"
            )
            return {}
        return _run_lines(stream, first, start, path, problems)


def read_qrels(path: str | Path, problems: Findings | None = None) -> Qrels:
    """Return the relevance of judged documents."""
    problems = problems or Findings(strict=True)
    with open_text(path) as stream:
        first, start = _first(stream)
        if first.lstrip().startswith("{"):
            found = _read_json(first + stream.read(), start, path, "relevance", problems)
            return {query: {d: int(n) for d, n in docs.items()} for query, docs in found.items()}
        if tuple(first.split()) == mteb.JUDGED:
            lines = (_as_qrels(line) for line in stream)
            return _qrels_lines(lines, start + 1, path, problems)
        if is_run_line(first.split()):
            problems.complain(
                f"{shown(path)}:{start}: this is a run ({_RUN_SHAPE}); --gold takes judgements: "
                f"{_QRELS_SHAPE}"
            )
            return {}
        return _qrels_lines(chain([first], stream), start, path, problems)


def _as_qrels(line: str) -> str:
    """Return judgements of `query-id corpus-id score` as TREC has them; others as they are.

    >>> _as_qrels("q1 d7 2")
    'q1 0 d7 2'
    """
    fields = line.split()
    return f"{fields[0]} 0 {fields[1]} {fields[2]}" if len(fields) == len(mteb.JUDGED) else line


def _first(stream: IO[str]) -> tuple[str, int]:
    """Return the first line that holds anything, and its number."""
    for number, line in enumerate(stream, 1):
        if line.strip():
            return line, number
    return "", 1


def text_lines(
    lines: Iterable[str], start: int, path: str | Path, problems: Findings
) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, without those that are no text."""
    for number, line in enumerate(lines, start):
        if "\0" in line:
            problems.complain(
                f"{shown(path)}:{number}: this is not text but binary data; give text"
            )
        elif _CONTROLS.search(line):
            # Python takes some of them for blanks, and reads on as if they were none.
            problems.complain(
                f"{shown(path)}:{number}: the line has a control character; write it again"
            )
        else:
            yield number, line


def _run_lines(
    stream: IO[str], first: str, start: int, path: str | Path, problems: Findings
) -> Run:
    """Return the run of a file whose first line, `start`, was read already."""
    reader = _RunReader(path, problems, start)
    text = first
    while text:
        reader.add(text)
        text = stream.read(_BLOCK) + stream.readline()
    if not reader.run:
        problems.complain(
            f"{shown(path)}: there is no document in this file; give lines {_RUN_SHAPE}"
        )
    return reader.run


class _RunReader:
    """A run in the making: sound blocks of lines are read at once, others line by line."""

    def __init__(self, path: str | Path, problems: Findings, start: int) -> None:
        self.run: Run = {}
        self._path, self._problems = path, problems
        self._number = start  # of the next line
        self._query, self._rank, self._score = "", 0, 0.0  # of the line before

    def add(self, text: str) -> None:
        """Read the next lines, all of them whole."""
        columns = _Columns.of(text)
        done = 0 if columns is None else self._add_sound(columns)
        if columns is None or done < len(columns.queries):
            self._add_one_by_one(io.StringIO(text, newline="").readlines()[done:])

    def _add_sound(self, columns: _Columns) -> int:
        """Read lines that nothing is wrong with; return how many: all up to a doubtful query."""
        queries, lines = columns.queries, len(columns.queries)
        changes = compress(range(1, lines), map(ne, queries[1:], queries))
        for first, end in pairwise([0, *changes, lines]):
            query, kept = queries[first], self.run.get(queries[first])
            new = dict(zip(columns.documents[first:end], columns.scores[first:end], strict=True))
            last = columns.last_rank(first, end, query == self._query, self._rank, self._score)
            if last is None or len(new) < end - first:
                return first
            if kept is None:
                self.run[query] = new
            elif kept.keys().isdisjoint(new):
                kept.update(new)
            else:
                return first
            self._query, self._rank, self._score = query, last, columns.scores[end - 1]
            self._number += end - first
        return lines

    def _add_one_by_one(self, lines: Sequence[str]) -> None:
        for number, line in text_lines(lines, self._number, self._path, self._problems):
            self._add_line(f"{shown(self._path)}:{number}", line.split())
        self._number += len(lines)

    def _add_line(self, place: str, fields: list[str]) -> None:
        if len(fields) != RUN_FIELDS or not _finite(fields[4]):
            if fields:
                self._problems.complain(f"{place}: {_run_problem(fields)}")
            return
        query, _, document, rank_text, score_text, _ = fields
        documents = self.run.setdefault(query, {})
        if document in documents:
            self._problems.complain(
                f"{place}: document {document!r} appears twice for query {query!r}; give each "
                "document once"
            )
            return
        score = documents[document] = float(score_text)
        rank = _whole(rank_text)
        if rank is None:
            self._problems.warn(
                f"{place}: the rank is {_not_whole(rank_text)}; documents were ranked by their "
                "scores"
            )
        elif query == self._query and (rank - self._rank) * (score - self._score) > 0:
            self._problems.warn(
                f"{place}: rank {rank} has the score {score_text}, and rank {self._rank} before it "
                f"{self._score:g}; documents were ranked by their scores, highest first, as in "
                "trec_eval"
            )
        self._query, self._rank, self._score = query, rank or 0, score


@dataclass(frozen=True, slots=True)
class _Columns:
    """The fields of sound lines."""

    queries: list[str]
    documents: list[str]
    ranks: list[str]
    scores: list[float]

    @classmethod
    def of(cls, text: str) -> _Columns | None:
        """Return the fields of whole lines; None if some line is not sound."""
        lines = text.count("\n") + (not text.endswith("\n"))
        packed = text.encode() if text.isascii() else b""
        plain = bool(packed) and not packed.translate(None, _PLAIN)
        ends = text[:1] == " " or text[-1:] == " "
        if plain and is_fast() and not ends and not any(map(text.__contains__, _NOT_ONE_BLANK)):
            found = cls._natively(packed, lines)
            if found is not None:
                return found
        if not plain and ("\0" in text or _CONTROLS.search(text)):
            return None
        if "\r" in text and text.count("\r") > text.count("\r\n"):
            return None
        # One split for all lines is fastest; what no line can hold marks their ends.
        fields = text.removesuffix("\n").replace("\n", " \0 ").split()
        fields.append("\0")
        width = RUN_FIELDS + 1
        if len(fields) != width * lines or fields[RUN_FIELDS::width].count("\0") < lines:
            return None
        queries, documents, ranks, score_texts = (fields[k::width] for k in (0, 2, 3, 4))
        digits = "".join(score_texts)
        # Python also takes 1_000 and the digits of other scripts, which no other tool does.
        if "_" in digits or not digits.isascii():
            return None
        try:
            scores = list(map(float, score_texts))
        except ValueError:
            return None
        return cls(queries, documents, ranks, scores) if all(map(isfinite, scores)) else None

    @classmethod
    def _natively(cls, text: bytes, lines: int) -> _Columns | None:
        """Return the fields of lines that have one blank between them; None if there are others."""
        native: Any = engine.native
        rows, _, plain, sound, cells = native.split_delimited(text, " ", RUN_FIELDS, 1, True)
        if not (plain and sound and rows == lines):
            return None
        numbers = cells[4].numbers()
        scores = [] if numbers is None else numbers.astype(float, copy=False).tolist()
        if numbers is None or not all(map(isfinite, scores)):
            return None
        queries, documents, ranks = (cells[k].tolist() for k in (0, 2, 3))
        return cls(queries, documents, ranks, scores)

    def last_rank(self, first: int, end: int, follows: bool, rank: int, score: float) -> int | None:
        """Return the last rank of some lines; None unless ranks go up and scores down.

        That holds against the rank and score of the line before, too, if they follow it.
        """
        ranks, scores = self.ranks[first:end], self.scores[first:end]
        begin = _whole(ranks[0])
        if begin is None or (follows and (begin - rank) * (scores[0] - score) > 0):
            return None
        if not 0 <= begin < _MOST_COUNTED - len(ranks):
            return None
        if ranks != _counted()[begin : begin + len(ranks)] or any(map(lt, scores, scores[1:])):
            return None
        return begin + len(ranks) - 1


@cache
def _counted() -> list[str]:
    """Return the ranks of a long run."""
    return [str(rank) for rank in range(_MOST_COUNTED)]


@lru_cache
def _whole(text: str) -> int | None:
    """Return a whole number; None for what is none, or has more digits than anyone means."""
    return int(text) if is_integer(text) and len(text.lstrip("+-")) <= _DIGITS else None


def _not_whole(text: str) -> str:
    if is_integer(text):
        return f"{text[:_DIGITS]}…, a number of more than {_DIGITS} digits"
    return f"{text!r}, no whole number"


def _qrels_lines(lines: Iterable[str], start: int, path: str | Path, problems: Findings) -> Qrels:
    qrels: Qrels = {}
    name = shown(path)
    for number, line in text_lines(lines, start, path, problems):
        fields = line.split()
        if not fields:
            continue
        place = f"{name}:{number}"
        if len(fields) != QRELS_FIELDS:
            problems.complain(
                f"{place}: {len(fields)} fields instead of {QRELS_FIELDS}: {_QRELS_SHAPE}"
            )
        elif (relevance := _whole(fields[3])) is None:
            problems.complain(f"{place}: the relevance is {_not_whole(fields[3])}")
        elif fields[2] in qrels.get(fields[0], ()):
            problems.complain(
                f"{place}: document {fields[2]!r} is judged twice for query {fields[0]!r}; give "
                "each document once"
            )
        else:
            qrels.setdefault(fields[0], {})[fields[2]] = relevance
    if not qrels:
        problems.complain(f"{name}: there are no judgements in this file; give {_QRELS_SHAPE}")
    return qrels


def _finite(text: str) -> bool:
    # Python also takes 1_000 and the digits of other scripts, which no other tool does.
    if "_" in text or not text.isascii():
        return False
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _run_problem(fields: list[str]) -> str:
    if len(fields) != RUN_FIELDS:
        return f"{len(fields)} fields instead of {RUN_FIELDS}: {_RUN_SHAPE}"
    kind = "no finite number" if is_number(fields[4]) else "no number"
    return f"the score is {fields[4]!r}, {kind}; give {_RUN_SHAPE}"


def _read_json(
    text: str, start: int, path: str | Path, what: str, problems: Findings
) -> dict[str, Any]:
    """Return what {"qid": {"docid": number}} holds; relevance must be whole."""
    shape = f'{{"qid": {{"docid": {what}}}}}'
    found: dict[str, Any] = {}
    with problems.of_file():
        content = parse_json(text, shown(path), f"give {shape}, or lines", line=start)
        if mteb.META in content:
            content = mteb.rankings(content, str(path))
        for query, documents in content.items():
            if isinstance(documents, dict):
                found[query] = dict(_numbers(query, documents, path, what, problems))
            else:
                problems.complain(
                    f"{shown(path)}: {query!r} is not followed by documents; give {shape}"
                )
        if not content:
            problems.complain(f"{shown(path)}: there are no queries in this file; give {shape}")
    return found


def _numbers(
    query: str, documents: dict[str, Any], path: str | Path, what: str, problems: Findings
) -> Iterator[tuple[str, float]]:
    """Yield the documents of a query with their numbers."""
    kinds: tuple[type, ...] = (int,) if what == "relevance" else (int, float)
    for document, value in documents.items():
        try:
            good = type(value) in kinds and isfinite(value)
            good = good and not (what == "relevance" and abs(value) >= 10**_DIGITS)
        except OverflowError:
            good = False
        if good:
            yield document, value
        else:
            text = repr(value)[:40]
            problems.complain(f"{shown(path)}: the {what} of {document!r} for {query!r} is {text}")
