"""What retrieval files look like, line by line and at their beginning.

Three kinds: runs, judgements (qrels), and scores of single queries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from tellapart.formats.head import Head
from tellapart.formats.trec.measures import find_measure
from tellapart.formats.trec.mteb import JUDGED, META

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

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)', re.DOTALL)
# Scores by class, which are objects of numbers as well.
_SCORE_WORDS: Final = re.compile(r'"(precision|recall|f1|f1-score|support|accuracy)"\s*:')
# Objects of numbers in one object, without blanks and strings; the end may be cut off.
_NESTED: Final = re.compile(r"\{(?::\{[:,\d.eE+-]*\}?,?)+:?\}?")


def is_run_line(fields: Sequence[str]) -> bool:
    """Return whether the fields are `qid Q0 docid rank score tag`.

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
    """Return whether the fields are `qid iter docid relevance`.

    >>> is_qrels_line("q1 0 d7 2".split()), is_qrels_line("q1 Q0 d7 0.5".split())
    (True, False)
    """
    return (
        len(fields) == QRELS_FIELDS
        and (is_integer(fields[1]) or fields[1].upper() == "Q0")
        and is_integer(fields[3])
    )


def measure_column(rows: Sequence[Sequence[str]]) -> int | None:
    """Return which column of `qid measure value` or `measure qid value` names the measure.

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
    """Return whether a word is the name of a measure, one that is computed here or another."""
    return find_measure(name) is not None or _OTHER.fullmatch(name) is not None


def is_number(text: str) -> bool:
    """Return whether a text is a decimal number in ASCII digits."""
    return _NUMBER.fullmatch(text) is not None


def is_integer(text: str) -> bool:
    """Return whether a text is a whole number in ASCII digits."""
    return _INTEGER.fullmatch(text) is not None


def looks_like_run(head: Head) -> bool:
    r"""Return whether this is a TREC run, or one in JSON.

    In JSON it is {"qid": {"docid": score}}, and some score is no whole number.

    >>> looks_like_run(Head("x", b"q1 Q0 d7 1 2.5 mine\n", whole=True))
    True
    >>> looks_like_run(Head("x", b'{"q1": {"d7": 2.5, "d1"', whole=False))
    True
    """
    return _all_lines(head, is_run_line) or _json_numbers(head) == "fractions"


def looks_like_qrels(head: Head) -> bool:
    r"""Return whether these are judgements, also in JSON.

    In JSON they are {"qid": {"docid": relevance}}, all whole numbers.

    >>> looks_like_qrels(Head("x", b"q1 0 d7 2\n", whole=True))
    True
    >>> looks_like_qrels(Head("x", b"query-id\tcorpus-id\tscore\nq1\td7\t2\n", whole=True))
    True
    """
    lines = head.filled_lines(1)
    if lines and tuple(lines[0].split()) == JUDGED:
        return True
    return _all_lines(head, is_qrels_line) or _json_numbers(head) == "whole"


def looks_like_query_scores(head: Head) -> bool:
    r"""Return whether these are scores of queries: `qid measure value` or `measure qid value`.

    >>> looks_like_query_scores(Head("x", b"q1\tAP\t0.5\nall\tAP\t0.5\n", whole=True))
    True
    >>> looks_like_query_scores(Head("x", b"system\titem\tscore\nA\tq1\t0.5\n", whole=True))
    False
    """
    rows = [line.split() for line in head.filled_lines()]
    if not rows or any(len(row) != SCORE_FIELDS for row in rows):
        return False
    if not all(is_number(row[2]) for row in rows if ALL not in row[:2]):
        return False
    return measure_column(rows) is not None


def _all_lines(head: Head, accepts: Callable[[Sequence[str]], bool]) -> bool:
    lines = head.filled_lines()
    return bool(lines) and all(accepts(line.split()) for line in lines)


def _json_numbers(head: Head) -> str | None:
    """Return "whole" or "fractions" for an object of objects of numbers; None for others."""
    if not head.text.lstrip().startswith("{") or _SCORE_WORDS.search(head.text):
        return None
    if f'"{META}"' in head.text:
        return None
    bare = re.sub(r"\s+", "", _STRING.sub("", head.text))
    if not _NESTED.fullmatch(bare) or not re.search(r"\d", bare):
        return None
    return "fractions" if re.search(r"[.eE]", bare) else "whole"
