"""Reading the scores of single queries: `qid measure value`, or `measure qid value`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tellapart.files import open_text, shown
from tellapart.formats.complaints import Complain, refuse
from tellapart.formats.trec.measures import find_measure
from tellapart.formats.trec.shapes import ALL, SCORE_FIELDS, is_number, measure_column

_SHAPE: Final = "qid, measure and value, or measure, qid and value"


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


def read_query_scores(path: str | Path, *, complain: Complain = refuse) -> QueryScores:
    """Read one file; rows of the query `all` sum up and are kept apart."""
    rows: list[tuple[int, list[str]]] = []
    with open_text(path) as stream:
        for number, line in enumerate(stream, 1):
            fields = line.split()
            if len(fields) == SCORE_FIELDS:
                rows.append((number, fields))
            elif fields:
                complain(f"{shown(path)}:{number}: {len(fields)} fields instead of 3: {_SHAPE}")
    scores = QueryScores(str(path))
    column = measure_column([fields for _, fields in rows])
    if column is None:  # measures of the user's own: ir_measures' order, unless `all` tells
        column = 0 if any(fields[1] == ALL for _, fields in rows) else 1
    for number, fields in rows:
        _add(scores, fields[column], fields[1 - column], fields[2], number, complain)
    if not scores.values:
        complain(f"{shown(path)}: there is no value of a query in this file; give {_SHAPE}")
    return scores


def _add(
    scores: QueryScores, measure: str, query: str, text: str, number: int, complain: Complain
) -> None:
    place = f"{shown(scores.path)}:{number}"
    name = common_name(measure)
    if query == ALL:
        if is_number(text):
            scores.summary[name] = float(text)
        return
    if not is_number(text) or not math.isfinite(float(text)):
        complain(f"{place}: the value is {text!r}, no number; give {_SHAPE}")
        return
    values = scores.values.setdefault(name, {})
    if scores.spelled.setdefault(name, measure) != measure:
        complain(f"{place}: {measure!r} and {scores.spelled[name]!r} are one measure; give it once")
    elif query in values:
        complain(f"{place}: {measure} of query {query!r} is there twice; give it once")
    else:
        values[query] = float(text)
