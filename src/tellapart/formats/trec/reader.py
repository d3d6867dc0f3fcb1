"""Retrieval runs, or scores of single queries, as one value per query and measure.

What stands behind a query is what each run ranked first, and where the relevant documents are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, repeat
from operator import eq, gt
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, ViewSection
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.head import Head, read_head
from tellapart.formats.missing import check_policy
from tellapart.formats.problems import Findings
from tellapart.formats.sources import paths_of, run_names, system_files
from tellapart.formats.trec.files import Run, read_qrels, read_run
from tellapart.formats.trec.measures import Judgements, Measure, parse_measure
from tellapart.formats.trec.query_scores import merge_scores, read_query_scores
from tellapart.formats.trec.shapes import (
    QRELS_FIELDS,
    SCORE_FIELDS,
    looks_like_qrels,
    looks_like_query_scores,
    looks_like_run,
)
from tellapart.metrics.runs import averaged
from tellapart.read_once import reading_once
from tellapart.words import listed, plural

DEFAULT: Final = ("ndcg@10", "ap")
TOP: Final = 10  # documents that reports show
_DECIMALS: Final = 12  # beyond, equal scores that were summed in another order differ
_SHOWN: Final = 5


@reading_once()
def read_retrieval(
    systems: Sequence[str | Path],
    gold: Sequence[str | Path] = (),
    *,
    metrics: Sequence[str] | None = None,
    missing: str | None = None,
) -> Counts:
    """Return the values of TREC runs (or ranx's JSON) with judgements, or scores of queries.

    `gold` is a file of judgements; with it the systems are runs, and `metrics` (by default
    ndcg@10 and ap) are computed as trec_eval does. Without it the systems are files of scores per
    query, as ir_measures and `trec_eval -q` print them; `metrics` chooses from what they hold.
    `missing` says what becomes of a query that a run or file lacks: "error", "zero", "drop", or
    "own" for an unpaired test; by default it counts 0 for a run, and is an error in files of
    scores.
    """
    if missing is not None:
        check_policy(missing)
    if len(gold) > 1:
        raise UsageError(f"retrieval takes one file of judgements (--gold), not {len(gold)}")
    if not systems:
        raise UsageError("there is no run to read; name at least one system")
    wanted = None if metrics is None else list(dict.fromkeys(metrics))
    if gold:
        return _read_runs(systems, gold[0], wanted or DEFAULT, missing or "zero")
    return _read_scores(systems, wanted, missing or "error")


def _read_runs(
    systems: Sequence[str | Path], gold: str | Path, metrics: Sequence[str], missing: str
) -> Counts:
    measures = [parse_measure(name) for name in metrics]
    paths = system_files(systems)
    names = run_names(paths)
    problems = Findings(strict=True)
    judgements = read_qrels(gold, problems)
    queries = {query: Judgements.of(judged) for query, judged in judgements.items()}
    runs = []
    for path in (path for some in paths.values() for path in some):
        if looks_like_query_scores(read_head(path)):
            raise UsageError(
                f"{path}: these are scores of single queries, which need no --gold; give runs, or "
                "leave --gold out"
            )
        run = _score_run(path, read_run(path, problems), queries, measures)
        if run.missing and missing == "error":
            raise _lacks_queries(path, run.missing)
        runs.append(run)
    notices = [*problems.notices()]
    notices += [each for each in (_without_relevant(queries),) if each is not None]
    notices += _run_notices(names, runs, missing == "drop")
    counts = _counts(metrics, queries, dict(zip(names, runs, strict=True)), missing == "drop")
    return averaged(counts, paths, notices)


@dataclass(frozen=True, slots=True)
class _ScoredRun:
    """One run's values, query by query, and its rankings."""

    values: list[list[float]]
    """Measure by measure, in the order of the queries"""
    rankings: dict[str, Ranking]
    """What it ranked first, by query"""
    missing: tuple[str, ...]
    """Queries of the judgements for which it has no document"""
    extra: tuple[str, ...]
    """Queries that were not judged"""
    tied: tuple[str, ...]
    """Queries of which all documents have one score"""


def _score_run(
    path: str, run: Run, queries: Mapping[str, Judgements], measures: Sequence[Measure]
) -> _ScoredRun:
    """Return the values of every judged query; one without documents has 0.

    Documents are ranked by score, equal scores by id, both descending, as trec_eval does.
    """
    if run.keys().isdisjoint(queries):
        raise DataError(
            f"{shown(path)}: no query of this run was judged (it has {listed(list(run), 3)}; the "
            f"judgements have {listed(list(queries), 3)}); check the ids"
        )
    values: list[list[float]] = [[] for _ in measures]
    rankings = {}
    for query, judged in queries.items():
        ranked, relevance = _ranked(run.get(query, {})), judged.relevance
        places = compress(range(len(ranked)), map(relevance.__contains__, ranked))
        found = [(place + 1, ranked[place]) for place in places]
        hits = [(rank, relevance[d]) for rank, d in found]
        for column, measure in zip(values, measures, strict=True):
            column.append(round(measure.value(hits, judged), _DECIMALS))
        relevant = {d: rank for rank, d in found if relevance[d] > 0}
        rankings[query] = Ranking(tuple(ranked[:TOP]), relevant)
    return _ScoredRun(
        values,
        rankings,
        tuple(query for query in queries if not run.get(query)),
        tuple(query for query in run if query not in queries),
        tuple(query for query in queries if _one_score(run.get(query, {}))),
    )


def _ranked(documents: Mapping[str, float]) -> list[str]:
    """Return documents by score, equal scores by id, both descending.

    >>> _ranked({"d1": 0.5, "d2": 1.0, "d3": 0.5})
    ['d2', 'd3', 'd1']
    """
    names, scores = list(documents), list(documents.values())
    if all(map(gt, scores, scores[1:])):  # as most runs are written
        return names
    return [name for _, name in sorted(zip(scores, names, strict=True), reverse=True)]


def _one_score(documents: Mapping[str, float]) -> bool:
    scores = documents.values()
    return len(scores) > 1 and all(map(eq, scores, repeat(next(iter(scores)))))


def _counts(
    metrics: Sequence[str],
    queries: Mapping[str, Judgements],
    runs: Mapping[str, _ScoredRun],
    drop: bool,
) -> Counts:
    """Return the values of all runs as counts; on request without queries that a run lacks."""
    dropped = {query for run in runs.values() for query in run.missing} if drop else set()
    kept = [k for k, query in enumerate(queries) if query not in dropped]
    if not kept:
        raise DataError("no query is left that every run has documents for; check the ids")
    items = [query for query in queries if query not in dropped]
    columns: dict[str, Sequence[NDArray[Any]]] = {
        name: [np.array(run.values[m])[kept] for run in runs.values()]
        for m, name in enumerate(metrics)
    }
    counts = Counts.from_columns(list(runs), items, columns, {}, "query", "items")
    golds = tuple(
        " ".join(d for d, level in queries[query].relevance.items() if level > 0) for query in items
    )
    tops = {
        name: tuple(" ".join(run.rankings[query].top) for query in items)
        for name, run in runs.items()
    }
    views = QueryViews(queries, {name: run.rankings for name, run in runs.items()})
    return replace(counts, texts=ItemTexts(golds=golds, outputs=tops), views=views)


def _run_notices(names: Sequence[str], runs: Sequence[_ScoredRun], dropped: bool) -> list[Notice]:
    """Return notices of queries that runs lack, have too many, or do not rank."""
    notices = []
    for name, run in zip(names, runs, strict=True):
        if run.missing:
            done = "dropped for all systems" if dropped else "counted as 0"
            text = f"{name} has no document for {_counted(run.missing)}: {done}."
            notices.append(Notice("missing", text, run.missing))
        if run.extra:
            text = f"Not judged, so not scored, of {name}: {_counted(run.extra)}."
            notices.append(Notice("not-judged", text, run.extra))
        if run.tied:
            text = f"{name} gives all documents one score for {_counted(run.tied)}: ranked by id."
            notices.append(Notice("tied-documents", text, run.tied))
    return notices


def _lacks_queries(path: str, queries: Sequence[str]) -> DataError:
    """Return the refusal of a run that has no document for some queries."""
    it, them = ("it", "it") if len(queries) == 1 else ("each", "them")
    return DataError(
        f"{shown(path)}: there is no document for {_counted(queries)}; --missing zero counts {it} "
        f"as 0, --missing drop leaves {them} out for all systems"
    )


def _without_relevant(queries: Mapping[str, Judgements]) -> Notice | None:
    """Return a notice of the queries that nobody can score on."""
    empty = tuple(query for query, judged in queries.items() if not judged.levels)
    if not empty:
        return None
    verb = "counts" if len(empty) == 1 else "count"
    text = f"No relevant document was judged for {_counted(empty)}, which {verb} as 0 for all "
    return Notice("no-relevant", text + "systems, as in trec_eval.", empty)


def _counted(queries: Sequence[str]) -> str:
    noun = "query" if len(queries) == 1 else plural("query")
    number = f"{len(queries)} " if len(queries) > _SHOWN else ""
    return f"{number}{noun} {listed(queries, _SHOWN)}"


def _read_scores(
    systems: Sequence[str | Path], metrics: Sequence[str] | None, missing: str
) -> Counts:
    paths = system_files(systems)
    files, problems = [], Findings(strict=True)
    for path in (path for some in paths.values() for path in some):
        head = read_head(path)
        if head.data and not looks_like_query_scores(head):
            _refuse_other_kinds(path, head)
        files.append(read_query_scores(path, problems))
    single, notices = merge_scores(run_names(paths), files, metrics, missing)
    return averaged(single, paths, (*problems.notices(), *notices))


def _refuse_other_kinds(path: str, head: Head) -> None:
    """Refuse what is no file of scores by what it is."""
    if looks_like_qrels(head):
        raise DataError(
            f"{shown(path)}: these are judgements (qid iteration docid relevance), no system; give "
            "them with --gold"
        )
    if looks_like_run(head):
        raise UsageError(f"{shown(path)}: a run needs judgements to be scored: --gold QRELS")


def findings(sources: Sequence[str], gold: Sequence[str]) -> list[Finding]:
    """Return the problems of runs, judgements and scores, and the queries that a run lacks."""
    problems = Findings()
    judged: set[str] = set()
    for path in gold:
        with problems.of_file():
            judged.update(read_qrels(path, problems))
    files = paths_of(sources)
    for path in files:
        with problems.of_file():
            queries = _queries(path, bool(gold), problems)
            if gold:
                _compare_queries(path, queries, judged, problems)
    scores = all(_first_fields(read_head(path)) == SCORE_FIELDS for path in files)
    return problems.as_read(
        lambda: read_retrieval(sources, gold).notices if gold or scores else (),
        listed=("missing", "not-judged") if gold else (),
    )


def _queries(path: str, gold: bool, problems: Findings) -> Collection[str]:
    """Return the queries of a file, read as what its first line looks like."""
    head = read_head(path)
    fields = _first_fields(head)
    if looks_like_query_scores(head) or (fields == SCORE_FIELDS and not gold):
        values = read_query_scores(path, problems).values.values()
        return {query for some in values for query in some}
    if not gold and (fields == QRELS_FIELDS or looks_like_qrels(head)):
        return read_qrels(path, problems)
    return read_run(path, problems)


def _first_fields(head: Head) -> int:
    """Return how many fields the first line has; 0 for JSON and for no line at all."""
    first = next((line for line in head.text.splitlines() if line.strip()), "{")
    return 0 if first.lstrip().startswith("{") else len(first.split())


def _compare_queries(
    path: str, queries: Collection[str], judged: set[str], problems: Findings
) -> None:
    for query in sorted(judged):
        if query not in queries:
            problems.warn(f"{shown(path)}: there is no document for query {query!r}")
    for query in queries:
        if query not in judged:
            problems.warn(f"{shown(path)}: query {query!r} was not judged")


MOST_RELEVANT: Final = 50
"""Of more relevant documents, those of the highest grades are shown"""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first documents of a run for a query, and the ranks of all that are relevant."""

    top: tuple[str, ...]
    ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QueryViews:
    """Rankings with relevant documents marked as such."""

    queries: Mapping[str, Judgements]
    runs: Mapping[str, Mapping[str, Ranking]]
    """Per system, by query"""

    def __call__(self, name: str) -> ItemView:
        """Return the rankings of one query."""
        relevance = self.queries[name].relevance
        found = {system: rankings[name] for system, rankings in self.runs.items()}
        depth = max(len(each.top) for each in found.values())
        ranked = tuple(
            ViewRow(
                f"rank {k + 1}",
                outputs={s: _document(each.top, k, relevance) for s, each in found.items()},
            )
            for k in range(depth)
        )
        relevant = sorted((d for d in relevance if relevance[d] > 0), key=lambda d: -relevance[d])
        where = tuple(
            ViewRow(
                f"grade {relevance[document]}",
                (Piece(document),),
                {s: _rank(each, document) for s, each in found.items()},
            )
            for document in relevant[:MOST_RELEVANT]
        )
        left = len(relevant) - len(where)
        more = f" ({left} more of no higher grade are left out)" if left else ""
        return ItemView(
            (
                ViewSection(ranked, f"The first {depth} documents" if depth else "No document"),
                ViewSection(where, f"Where the relevant documents stand{more}"),
            )
        )


def _document(top: Sequence[str], place: int, relevance: Mapping[str, int]) -> Cell:
    if place >= len(top):
        return ()
    grade = relevance.get(top[place])
    if grade is None:
        return (Piece(top[place], "", "not judged"),)
    return (Piece(top[place], "right" if grade > 0 else "wrong", f"grade {grade}"),)


def _rank(ranking: Ranking, document: str) -> Cell:
    rank = ranking.ranks.get(document)
    return (Piece("", "missing", "not found"),) if rank is None else (Piece(f"rank {rank}"),)
