"""`--as trec`: retrieval runs with judgements, or scores of single queries, told by their lines.

MTEB's predictions of a retrieval task are runs, too; its results are totals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tellapart.errors import DataError, Finding
from tellapart.files import shown
from tellapart.formats.contract import Format, Report, Sources
from tellapart.formats.head import Head
from tellapart.formats.retrieval.measures import find_measure
from tellapart.options import NoOptions
from tellapart.words import typed

if TYPE_CHECKING:
    from tellapart.counts import Counts

ALL: Final = "all"
"""What stands for the query in rows that sum up"""
WORDS: Final = "relstring"
"""What trec_eval prints of a query that is no number"""
JUDGED: Final = ["query-id", "corpus-id", "score"]
"""The header of judgements of MTEB and BEIR"""
MTEB: Final = "mteb_model_meta"
"""A key that predictions of MTEB have"""

_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.I)
_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
# Measures that tools print beside those that are computed here.
_OTHER: Final = re.compile(
    r"(num_\w+|num(q|ret|rel|relret)|runid|gm_\w+|iprec\w*|11pt_avg|inf_?ap|set_?\w+|"
    r"rndcg|bing|g|utility|err|n?rbp|judged|insq|inst|accuracy|compat|sdcg|nerr\d*|bpm|"
    r"\w+_ia|(alpha|α)_n?dcg|strecall|rprec_mult|relative|unj|relstring|ndcg_rel)([(@_.].*)?",
    re.I,
)
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)', re.DOTALL)
# Scores by class, which are objects of numbers as well.
_SCORE_WORDS: Final = re.compile(r'"(precision|recall|f1|f1-score|support|accuracy)"\s*:')
# Objects of numbers in one object, without blanks and strings; the end may be cut off.
_NESTED: Final = re.compile(r"\{(?::\{[:,\d.eE+-]*\}?,?)+:?\}?")


def is_run_line(fields: Sequence[str]) -> bool:
    """Return whether the fields are `qid Q0 docid rank score tag`; words may follow the tag.

    >>> is_run_line("q1 Q0 d7 1 2.5 mine".split()), is_run_line("a b c d e f".split())
    (True, False)
    """
    return (
        len(fields) >= 6
        and _INTEGER.fullmatch(fields[3]) is not None
        and (is_number(fields[4]) or fields[4].lower() in ("nan", "inf", "-inf"))
        and (fields[1].upper() == "Q0" or _INTEGER.fullmatch(fields[1]) is not None)
    )


def is_qrels_line(fields: Sequence[str]) -> bool:
    """Return whether the fields are `qid iteration docid relevance`.

    >>> is_qrels_line("q1 0 d7 2".split()), is_qrels_line("q1 Q0 d7 0.5".split())
    (True, False)
    """
    return (
        len(fields) == 4
        and (_INTEGER.fullmatch(fields[1]) is not None or fields[1].upper() == "Q0")
        and _INTEGER.fullmatch(fields[3]) is not None
    )


def is_number(text: str) -> bool:
    """Return whether a text is a decimal number in ASCII digits."""
    return _NUMBER.fullmatch(text) is not None


def measure_column(rows: Sequence[Sequence[str]]) -> tuple[int, bool]:
    """Return which column of `qid measure value` or `measure qid value` names measures.

    Also returns whether it names nothing else.

    >>> measure_column([["q1", "AP", "0.5"], ["all", "AP", "0.5"]])
    (1, True)
    >>> measure_column([["map", "7", "0.5"], ["mine", "all", "0.5"]])
    (0, False)
    """
    known = [sum(map(_is_measure, (row[c] for row in rows))) for c in (0, 1)]
    column = 0 if known[0] > known[1] else 1
    return column, known[column] == len(rows)


def _is_measure(name: str) -> bool:
    return find_measure(name) is not None or _OTHER.fullmatch(name) is not None


def looks_like_run(head: Head) -> bool:
    r"""Return whether this is a TREC run, one in JSON, or predictions of MTEB.

    In JSON it is {"qid": {"docid": score}}, and some score is no whole number.

    >>> looks_like_run(Head("x", b"# by BM25\nq1 Q0 d7 1 2.5 mine\n", whole=True))
    True
    >>> looks_like_run(Head("x", b'{"q1": {"d7": 2.5, "d1"', whole=False))
    True
    """
    if _all_lines(head, is_run_line) or _json_numbers(head) == "fractions":
        return True
    return head.text.lstrip().startswith("{") and MTEB in head.keys()  # noqa: SIM118  (no dict)


def looks_like_qrels(head: Head) -> bool:
    r"""Return whether these are judgements, also in JSON.

    In JSON they are {"qid": {"docid": relevance}}, all whole numbers.

    >>> looks_like_qrels(Head("x", b"q1 0 d7 2\n", whole=True))
    True
    >>> looks_like_qrels(Head("x", b"query-id\tcorpus-id\tscore\nq1\td7\t2\n", whole=True))
    True
    """
    if head.text.split("\n")[0].split() == JUDGED:
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
    if not rows or any(len(row) != 3 for row in rows):
        return False
    column, only_measures = measure_column(rows)
    values = (row[2] for row in rows if ALL not in row[:2] and row[column] != WORDS)
    return only_measures and all(map(is_number, values))


def _all_lines(head: Head, accepts: Callable[[Sequence[str]], bool]) -> bool:
    lines = [line for line in head.filled_lines() if not line.startswith("#")]
    return bool(lines) and all(accepts(line.split()) for line in lines)


def _json_numbers(head: Head) -> str | None:
    """Return "whole" or "fractions" for an object of objects of numbers; None for others."""
    if not head.text.lstrip().startswith("{") or _SCORE_WORDS.search(head.text):
        return None
    bare = re.sub(r"\s+", "", _STRING.sub("", head.text))
    if f'"{MTEB}"' in head.text or not _NESTED.fullmatch(bare) or not re.search(r"\d", bare):
        return None
    return "fractions" if re.search(r"[.eE]", bare) else "whole"


def _recognises(head: Head) -> bool:
    return looks_like_run(head) or looks_like_query_scores(head)


def _refuses(head: Head) -> DataError | None:
    """Return why judgements, and results of MTEB, are no system's run."""
    if looks_like_qrels(head):
        gold = f"--gold {typed(head.path)}"
        return DataError(f"{shown(head.path)}: these are judgements, no run; give {gold}")
    if "mteb_version" in head.keys():  # noqa: SIM118  (no dict)
        return DataError(
            f"{shown(head.path)}: these are totals; run MTEB with prediction_folder=FOLDER, and "
            "give TASK_predictions.json with --gold qrels.tsv"
        )
    return None


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Return one value per query and measure."""
    from tellapart.formats.retrieval.reader import read_retrieval

    return read_retrieval(sources)


def _report(sources: Sources, options: NoOptions) -> Report:
    """Return every system's scores; the report has the values of single queries."""
    from tellapart.formats.plain_report import plain_report

    counts = _read(sources, options)
    values = counts.values / [float(scale) for scale in counts.scales]
    queries = {
        name: {
            query: dict(zip(counts.columns, row, strict=True))
            for query, row in zip(counts.items, rows, strict=True)
        }
        for name, rows in zip(counts.names, values.tolist(), strict=True)
    }
    plain = plain_report(counts, sources.metrics)
    systems = (replace(each, report={"queries": queries[each.name]}) for each in plain.systems)
    return replace(plain, systems=tuple(systems))


def _findings(files: Sequence[str], gold: Sequence[str], _: NoOptions) -> Iterable[Finding]:
    from tellapart.formats.retrieval.reader import findings

    return findings(files, gold)


FORMAT = Format(
    names=("trec", "mteb"),
    about="retrieval runs with judgements, or scores of single queries",
    recognises=_recognises,
    recognises_gold=looks_like_qrels,
    refuses=_refuses,
    read=_read,
    missing=None,  # a query that a run lacks counts 0
    report=_report,
    findings=_findings,
)
