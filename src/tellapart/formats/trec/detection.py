"""Telling retrieval files by how they begin."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from tellapart.formats.head import Head
from tellapart.formats.trec.shapes import (
    ALL,
    SCORE_FIELDS,
    is_number,
    is_qrels_line,
    is_run_line,
    measure_column,
)

_LINES: Final = 200
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)', re.DOTALL)
# Scores by class, which are objects of numbers as well.
_SCORE_WORDS: Final = re.compile(r'"(precision|recall|f1|f1-score|support|accuracy)"\s*:')
# Objects of numbers in one object, without blanks and strings; the end may be cut off.
_NESTED: Final = re.compile(r"\{(?::\{[:,\d.eE+-]*\}?,?)+:?\}?")


def looks_like_run(head: Head) -> bool:
    r"""Tell a TREC run, or one in JSON: {"qid": {"docid": score}} with some score not whole.

    >>> looks_like_run(Head("x", b"q1 Q0 d7 1 2.5 mine\n", whole=True))
    True
    >>> looks_like_run(Head("x", b'{"q1": {"d7": 2.5, "d1"', whole=False))
    True
    """
    return _all_lines(head, is_run_line) or _json_numbers(head) == "fractions"


def looks_like_qrels(head: Head) -> bool:
    r"""Tell judgements, or such in JSON: {"qid": {"docid": relevance}}, all whole numbers.

    >>> looks_like_qrels(Head("x", b"q1 0 d7 2\n", whole=True))
    True
    """
    return _all_lines(head, is_qrels_line) or _json_numbers(head) == "whole"


def looks_like_query_scores(head: Head) -> bool:
    r"""Tell scores of single queries: `qid measure value` or `measure qid value`.

    >>> looks_like_query_scores(Head("x", b"q1\tAP\t0.5\nall\tAP\t0.5\n", whole=True))
    True
    >>> looks_like_query_scores(Head("x", b"system\titem\tscore\nA\tq1\t0.5\n", whole=True))
    False
    """
    rows = [line.split() for line in _lines(head)]
    if not rows or any(len(row) != SCORE_FIELDS for row in rows):
        return False
    if not all(is_number(row[2]) for row in rows if ALL not in row[:2]):
        return False
    return measure_column(rows) is not None


def _lines(head: Head) -> Sequence[str]:
    if b"\0" in head.data[:1024]:
        return []
    return list(islice((line for line in head.lines if line.strip()), _LINES))


def _all_lines(head: Head, accepts: Callable[[Sequence[str]], bool]) -> bool:
    lines = _lines(head)
    return bool(lines) and all(accepts(line.split()) for line in lines)


def _json_numbers(head: Head) -> str | None:
    """Tell whether this is an object of objects of numbers, and if they are all whole."""
    if not head.text.lstrip().startswith("{") or _SCORE_WORDS.search(head.text):
        return None
    bare = re.sub(r"\s+", "", _STRING.sub("", head.text))
    if not _NESTED.fullmatch(bare) or not re.search(r"\d", bare):
        return None
    return "fractions" if re.search(r"[.eE]", bare) else "whole"
