"""Runs and judgements, as TREC or ranx write them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from tellapart.files import open_text, shown
from tellapart.formats.json_text import parse_json
from tellapart.formats.problems import Findings
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
        return _run_lines(chain([first], stream), start, path, problems)


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


def _run_lines(lines: Iterable[str], start: int, path: str | Path, problems: Findings) -> Run:
    run: Run = {}
    query_before, rank_before, score_before = "", 0, 0.0
    for number, line in text_lines(lines, start, path, problems):
        fields = line.split()
        if len(fields) != RUN_FIELDS or not _finite(fields[4]):
            if fields:
                problems.complain(f"{shown(path)}:{number}: {_run_problem(fields)}")
            continue
        query, _, document, rank_text, score_text, _ = fields
        documents = run.get(query)
        if documents is None:
            documents = run[query] = {}
        if document in documents:
            problems.complain(
                f"{shown(path)}:{number}: document {document!r} appears twice for query "
                f"{query!r}; give each document once"
            )
            continue
        score = documents[document] = float(score_text)
        rank = _whole(rank_text)
        if rank is None:
            problems.warn(
                f"{shown(path)}:{number}: the rank is {_not_whole(rank_text)}; documents were "
                "ranked by their scores"
            )
        elif query == query_before and (rank - rank_before) * (score - score_before) > 0:
            problems.warn(
                f"{shown(path)}:{number}: rank {rank} has the score {score_text}, and rank "
                f"{rank_before} before it {score_before:g}; documents were ranked by their scores, "
                "highest first, as in trec_eval"
            )
        query_before, rank_before, score_before = query, rank or 0, score
    if not run:
        problems.complain(
            f"{shown(path)}: there is no document in this file; give lines {_RUN_SHAPE}"
        )
    return run


def _whole(text: str) -> int | None:
    """Return a whole number; None for what is none, or has more digits than anyone means."""
    return int(text) if is_integer(text) and len(text.lstrip("+-")) <= _DIGITS else None


def _not_whole(text: str) -> str:
    if is_integer(text):
        return f"{text[:_DIGITS]}…, a number of more than {_DIGITS} digits"
    return f"{text!r}, no whole number"


def _qrels_lines(lines: Iterable[str], start: int, path: str | Path, problems: Findings) -> Qrels:
    qrels: Qrels = {}
    for number, line in text_lines(lines, start, path, problems):
        fields = line.split()
        if not fields:
            continue
        place = f"{shown(path)}:{number}"
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
        problems.complain(
            f"{shown(path)}: there are no judgements in this file; give {_QRELS_SHAPE}"
        )
    return qrels


def _finite(text: str) -> bool:
    # Python also takes 1_000 and the digits of other scripts, which no other tool does.
    if "_" in text or not text.isascii():
        return False
    try:
        return math.isfinite(float(text))
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
            good = type(value) in kinds and math.isfinite(value)
            good = good and not (what == "relevance" and abs(value) >= 10**_DIGITS)
        except OverflowError:
            good = False
        if good:
            yield document, value
        else:
            text = repr(value)[:40]
            problems.complain(f"{shown(path)}: the {what} of {document!r} for {query!r} is {text}")
