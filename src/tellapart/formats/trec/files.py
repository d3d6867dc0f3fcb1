"""Runs and judgements, as TREC or ranx write them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from tellapart.files import open_text, shown
from tellapart.formats.json_text import JsonError, parse_json
from tellapart.formats.problems import Complain, refuse
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


def read_run(path: str | Path, *, complain: Complain = refuse) -> Run:
    """Return the documents of a run with their scores; ranks and tag are not looked at."""
    with open_text(path) as stream:
        first, start = _first(stream)
        if first.lstrip().startswith("{"):
            return _read_json(first + stream.read(), start, path, "score", complain)
        if is_qrels_line(first.split()):
            complain(
                f"{shown(path)}:{start}: these are judgements ({_QRELS_SHAPE}), no run; give them "
                "with --gold"
            )
            return {}
        return _run_lines(chain([first], stream), start, path, complain)


def read_qrels(path: str | Path, *, complain: Complain = refuse) -> Qrels:
    """Return the relevance of judged documents."""
    with open_text(path) as stream:
        first, start = _first(stream)
        if first.lstrip().startswith("{"):
            found = _read_json(first + stream.read(), start, path, "relevance", complain)
            return {query: {d: int(n) for d, n in docs.items()} for query, docs in found.items()}
        if is_run_line(first.split()):
            complain(
                f"{shown(path)}:{start}: this is a run ({_RUN_SHAPE}); --gold takes judgements: "
                f"{_QRELS_SHAPE}"
            )
            return {}
        return _qrels_lines(chain([first], stream), start, path, complain)


def _first(stream: IO[str]) -> tuple[str, int]:
    """Return the first line that holds anything, and its number."""
    for number, line in enumerate(stream, 1):
        if line.strip():
            return line, number
    return "", 1


def _run_lines(lines: Iterable[str], start: int, path: str | Path, complain: Complain) -> Run:
    run: Run = {}
    for number, line in enumerate(lines, start):
        fields = line.split()
        if len(fields) != RUN_FIELDS or not _finite(fields[4]):
            if fields:
                complain(f"{shown(path)}:{number}: {_run_problem(fields)}")
            continue
        query, _, document, _, score, _ = fields
        documents = run.get(query)
        if documents is None:
            documents = run[query] = {}
        if document in documents:
            complain(
                f"{shown(path)}:{number}: document {document!r} is there twice for query "
                f"{query!r}; give each document once"
            )
            continue
        documents[document] = float(score)
    if not run:
        complain(f"{shown(path)}: there is no document in this file; give lines {_RUN_SHAPE}")
    return run


def _qrels_lines(lines: Iterable[str], start: int, path: str | Path, complain: Complain) -> Qrels:
    qrels: Qrels = {}
    for number, line in enumerate(lines, start):
        fields = line.split()
        if not fields:
            continue
        place = f"{shown(path)}:{number}"
        if len(fields) != QRELS_FIELDS:
            complain(f"{place}: {len(fields)} fields instead of {QRELS_FIELDS}: {_QRELS_SHAPE}")
        elif not is_integer(fields[3]):
            complain(f"{place}: the relevance is {fields[3]!r}, no whole number")
        elif fields[2] in qrels.get(fields[0], ()):
            complain(
                f"{place}: document {fields[2]!r} is judged twice for query {fields[0]!r}; give "
                "each document once"
            )
        else:
            qrels.setdefault(fields[0], {})[fields[2]] = int(fields[3])
    if not qrels:
        complain(f"{shown(path)}: there are no judgements in this file; give {_QRELS_SHAPE}")
    return qrels


def _finite(text: str) -> bool:
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
    text: str, start: int, path: str | Path, what: str, complain: Complain
) -> dict[str, Any]:
    """Return what {"qid": {"docid": number}} holds; relevance must be whole."""
    shape = f'{{"qid": {{"docid": {what}}}}}'
    try:
        content = parse_json(text, shown(path), f"give {shape}, or lines", line=start)
    except JsonError as error:
        complain(str(error))
        return {}
    found: dict[str, Any] = {}
    for query, documents in content.items():
        if not isinstance(documents, dict):
            complain(f"{shown(path)}: {query!r} is not followed by documents; give {shape}")
            continue
        kinds: tuple[type, ...] = (int,) if what == "relevance" else (int, float)
        for document, value in documents.items():
            if type(value) not in kinds or not math.isfinite(value):
                complain(f"{shown(path)}: the {what} of {document!r} for {query!r} is {value!r}")
                break
        else:
            found[query] = documents
    if not content:
        complain(f"{shown(path)}: there are no queries in this file; give {shape}")
    return found
