"""What the lines of retrieval files look like: runs, judgements, scores of single queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tellapart.formats.trec.measures import find_measure

ALL: Final = "all"  # stands for the query in rows that sum up
RUN_FIELDS, QRELS_FIELDS, SCORE_FIELDS = 6, 4, 3

_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.I)
_NOT_FINITE: Final = ("nan", "inf", "-inf")
_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
# Measures that tools print beside those that are computed here.
_OTHER: Final = re.compile(
    r"(num_\w+|num(q|ret|rel|relret)|runid|gm_\w+|iprec\w*|11pt_avg|inf_?ap|set_?\w+|"
    r"rndcg|bing|g|utility|err|n?rbp|judged|insq|inst|accuracy|compat|sdcg|nerr\d*|bpm|"
    r"\w+_ia|(alpha|α)_n?dcg|strecall)([(@_.].*)?",
    re.I,
)


def is_run_line(fields: Sequence[str]) -> bool:
    """Tell `qid Q0 docid rank score tag`.

    >>> is_run_line("q1 Q0 d7 1 2.5 mine".split()), is_run_line("a b c d e f".split())
    (True, False)
    """
    return (
        len(fields) == RUN_FIELDS
        and is_integer(fields[3])
        and (is_number(fields[4]) or fields[4].lower() in _NOT_FINITE)  # which its reader refuses
        and (fields[1].upper() == "Q0" or is_integer(fields[1]))
    )


def is_qrels_line(fields: Sequence[str]) -> bool:
    """Tell `qid iter docid relevance`.

    >>> is_qrels_line("q1 0 d7 2".split()), is_qrels_line("q1 Q0 d7 0.5".split())
    (True, False)
    """
    return (
        len(fields) == QRELS_FIELDS
        and (is_integer(fields[1]) or fields[1].upper() == "Q0")
        and is_integer(fields[3])
    )


def measure_column(rows: Sequence[Sequence[str]]) -> int | None:
    """Tell which column of `qid measure value` or `measure qid value` names the measure.

    None if neither has only names of measures; the column without the word `all` comes first.

    >>> measure_column([["q1", "AP", "0.5"], ["all", "AP", "0.5"]])
    1
    >>> measure_column([["map", "7", "0.5"], ["map", "all", "0.5"]])
    0
    """
    able = [c for c in (1, 0) if all(is_measure(row[c]) for row in rows)]
    summed = [c for c in able if not any(row[c] == ALL for row in rows)]
    return next(iter(summed or able), None)


def is_measure(name: str) -> bool:
    """Tell whether a word is the name of a measure, one that is computed here or another."""
    return find_measure(name) is not None or _OTHER.fullmatch(name) is not None


def is_number(text: str) -> bool:
    """Tell a decimal number, in ASCII digits."""
    return _NUMBER.fullmatch(text) is not None


def is_integer(text: str) -> bool:
    """Tell a whole number, in ASCII digits."""
    return _INTEGER.fullmatch(text) is not None
