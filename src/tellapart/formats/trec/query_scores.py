"""Scores of single queries, as ir_measures and `trec_eval -q` print them: read, and merged.

A line is `qid measure value` or `measure qid value`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.missing import find_missing
from tellapart.formats.problems import Findings
from tellapart.formats.trec.files import text_lines
from tellapart.formats.trec.measures import find_measure
from tellapart.formats.trec.shapes import (
    ALL,
    SCORE_FIELDS,
    is_measure,
    is_number,
    measure_column,
)
from tellapart.words import listed, nearest, several

_SHAPE: Final = "qid, measure and value, or measure, qid and value"
_ROUNDING: Final = 1.01e-4  # values and their mean are printed with four decimals
_NO_MEASURE: Final = "num"  # num_ret and its like count documents


@dataclass(slots=True)
class QueryScores:
    """The values of one file: measure → query → value; measures by a name common to spellings."""

    path: str
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    """How the file writes each measure"""
    summary: dict[str, float] = field(default_factory=dict)
    """What its last rows say of all queries"""


def common_name(measure: str) -> str:
    """Return the name under which all spellings of a measure meet.

    >>> common_name("nDCG@10"), common_name("ndcg_cut_10"), common_name("ERR@20")
    ('ndcg@10', 'ndcg@10', 'err@20')
    """
    found = find_measure(measure)
    return measure.strip().lower() if found is None else str(found)


def read_query_scores(path: str | Path, problems: Findings | None = None) -> QueryScores:
    """Return the values of one file; rows of the query `all` sum up and are kept apart."""
    problems = problems or Findings(strict=True)
    rows: list[tuple[int, list[str]]] = []
    with open_text(path) as stream:
        for number, line in text_lines(stream, 1, path, problems):
            fields = line.split()
            if len(fields) == SCORE_FIELDS:
                rows.append((number, fields))
            elif fields:
                problems.complain(
                    f"{shown(path)}:{number}: {len(fields)} fields instead of 3: {_SHAPE}"
                )
    scores = QueryScores(str(path))
    column = measure_column([fields for _, fields in rows])
    if column is None:  # some measures are the user's own, or all are
        column = _likely_column([fields for _, fields in rows])
    for number, fields in rows:
        _add(scores, fields[column], fields[1 - column], fields[2], number, problems)
    _check_number(scores, problems)
    if not scores.values:
        problems.complain(
            f"{shown(path)}: there is no value of a query in this file; give {_SHAPE}"
        )
    return scores


def _likely_column(rows: Sequence[Sequence[str]]) -> int:
    """Return the column with more names of known measures; else ir_measures' order.

    The word `all`, which stands for a query, tells it, too.

    >>> _likely_column([["map", "q1", "0.5"], ["mpa", "q2", "0.5"]])
    0
    """
    known = [sum(is_measure(row[c]) - (row[c] == ALL) for row in rows) for c in (0, 1)]
    if known[0] != known[1]:
        return 0 if known[0] > known[1] else 1
    return 0 if any(row[1] == ALL for row in rows) else 1


def _check_number(scores: QueryScores, problems: Findings) -> None:
    """Warn where the file says of how many queries it is, and has others."""
    stated = scores.summary.get("num_q")
    found = len({query for values in scores.values.values() for query in values})
    if stated is not None and found and stated != found:
        problems.warn(
            f"{shown(scores.path)}: num_q says {stated:g}, and values of "
            f"{several(found, 'query')} are there; these were taken"
        )


def _add(
    scores: QueryScores, measure: str, query: str, text: str, number: int, problems: Findings
) -> None:
    place = f"{shown(scores.path)}:{number}"
    name = common_name(measure)
    if query == ALL:
        if is_number(text) and scores.summary.setdefault(name, float(text)) != float(text):
            problems.warn(
                f"{place}: {measure} of all queries appears twice, with other values; the first "
                "was taken"
            )
        return
    if not is_number(text) or not math.isfinite(float(text)):
        problems.complain(f"{place}: the value is {text!r}, no number; give {_SHAPE}")
        return
    values = scores.values.setdefault(name, {})
    if scores.spelled.setdefault(name, measure) != measure:
        problems.complain(
            f"{place}: {measure!r} and {scores.spelled[name]!r} are one measure; give it once"
        )
    elif query in values:
        problems.complain(f"{place}: {measure} of query {query!r} appears twice; give it once")
    else:
        values[query] = float(text)


def merge_scores(
    names: Sequence[str], files: Sequence[QueryScores], metrics: Sequence[str] | None, missing: str
) -> tuple[Counts, list[Notice]]:
    """Return counts of one system per file: the same measures and queries for all.

    `missing` is a policy of `read_retrieval`.
    """
    notices = [note for name, file in zip(names, files, strict=True) for note in _sums(name, file)]
    chosen, ignored = _chosen(files, metrics)
    notices += ignored
    queries = list(dict.fromkeys(q for file in files for key in chosen for q in file.values[key]))
    position = {query: k for k, query in enumerate(queries)}
    table = np.zeros((len(files), len(queries), len(chosen)))
    there = np.zeros(table.shape, np.bool_)
    for f, file in enumerate(files):
        for m, key in enumerate(chosen):
            at = [position[query] for query in file.values[key]]
            table[f, at, m] = list(file.values[key].values())
            there[f, at, m] = True
    kept, present = np.arange(len(queries)), None
    if not there.all():
        absent = find_missing(np.flatnonzero(there), len(files), len(queries), len(chosen))
        if missing == "own":
            present = absent.present()
        else:
            notices += absent.settle(missing, "", "query", names, queries)
        kept = absent.common if missing == "drop" else kept
    columns: dict[str, Sequence[NDArray[Any]]] = {
        name: list(table[:, kept, m]) for m, name in enumerate(chosen.values())
    }
    items = [queries[k] for k in kept]
    counts = Counts.from_columns(names, items, columns, {}, "query", "items")
    return replace(counts, present=present), notices


def _chosen(
    files: Sequence[QueryScores], metrics: Sequence[str] | None
) -> tuple[dict[str, str], list[Notice]]:
    """Return the measures to merge: their common names, and how they are spelled here."""
    spelled = files[0].spelled
    if metrics is not None:
        for file in files:
            for name in metrics:
                if common_name(name) not in file.values:
                    known = nearest(name, list(file.spelled.values()))
                    raise UsageError(f"{shown(file.path)} has no measure {name!r}; {known}")
        return {common_name(name): name for name in metrics}, []
    every = dict.fromkeys(key for file in files for key in file.values)
    common = [key for key in every if all(key in file.values for file in files)]
    chosen = {key: spelled[key] for key in common if not key.startswith(_NO_MEASURE)}
    if not chosen:
        measures = "; ".join(
            f"{shown(file.path)} has {listed(list(file.spelled.values()), 4)}" for file in files[:3]
        )
        raise DataError(f"the files have no measure in common: {measures}")
    ignored = [key for key in every if key not in common]
    if not ignored:
        return chosen, []
    text = f"Left out, since not every file has them: {listed(ignored, 5)}."
    return chosen, [Notice("ignored", text, tuple(ignored))]


def _sums(name: str, file: QueryScores) -> list[Notice]:
    """Return a notice if a file's own means are not those of its queries: some may be lost."""
    odd = []
    for key, stated in file.summary.items():
        values = file.values.get(key)
        if values and find_measure(key) is not None:
            mean = math.fsum(values.values()) / len(values)
            if abs(mean - stated) > _ROUNDING:
                odd.append(f"{file.spelled[key]} {stated:.4f}, not {mean:.4f}")
    if not odd:
        return []
    text = f"The file of {name} gives other means than its queries have: {listed(odd, 3)}."
    return [Notice("summary-differs", text, (name,))]
