"""All that is wrong with retrieval files, for `tellapart validate`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.complaints import Complain
from tellapart.formats.head import read_head
from tellapart.formats.trec.detection import looks_like_qrels, looks_like_query_scores
from tellapart.formats.trec.files import read_qrels, read_run
from tellapart.formats.trec.query_scores import read_query_scores

_WARNING = "warning:"


def retrieval_problems(files: Sequence[str], gold: Sequence[str]) -> list[str]:
    """List the problems of runs, judgements and scores, and the queries that a run lacks."""
    problems: list[str] = []
    judged: set[str] = set()
    for path in gold:
        try:
            judged.update(read_qrels(path, complain=problems.append))
        except DataError as problem:
            problems.append(str(problem))
    for path in files:
        try:
            queries = _queries(path, bool(gold), problems.append)
        except DataError as problem:
            problems.append(str(problem))
            continue
        if gold:
            problems += _unlike(path, queries, judged)
    return problems


def _queries(path: str, gold: bool, complain: Complain) -> Collection[str]:
    """Read a file as what it looks like, and return its queries."""
    head = read_head(path)
    if looks_like_query_scores(head):
        values = read_query_scores(path, complain=complain).values.values()
        return {query for some in values for query in some}
    if not gold and looks_like_qrels(head):
        return read_qrels(path, complain=complain)
    return read_run(path, complain=complain)


def _unlike(path: str, queries: Collection[str], judged: set[str]) -> list[str]:
    lacking = [query for query in sorted(judged) if query not in queries]
    extra = [query for query in queries if query not in judged]
    return [
        *(f"{_WARNING} {shown(path)}: there is no document for query {q!r}" for q in lacking),
        *(f"{_WARNING} {shown(path)}: query {q!r} was not judged" for q in extra),
    ]
