"""Scoring runs against judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.trec.files import Qrels, Run
from tellapart.formats.trec.measures import Judgements, Measure
from tellapart.words import listed, plural

TOP = 10  # documents that reports show
_DECIMALS = 12  # beyond, equal scores that were summed in another order differ
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """One run's values, query by query, and what it ranked first."""

    values: list[list[float]]
    """Measure by measure, in the order of the queries"""
    top: tuple[str, ...]
    missing: tuple[str, ...]
    """Queries of the judgements for which it has no document"""
    extra: tuple[str, ...]
    """Queries that were not judged"""
    tied: tuple[str, ...]
    """Queries of which all documents have one score"""


def judged_queries(qrels: Qrels) -> dict[str, Judgements]:
    """Sort out the judgements of each query."""
    return {query: Judgements.of(relevance) for query, relevance in qrels.items()}


def score_run(
    path: str, run: Run, queries: Mapping[str, Judgements], measures: Sequence[Measure]
) -> ScoredRun:
    """Score every judged query; one without documents has 0.

    Documents are ranked by score, equal scores by id, both descending, as trec_eval does.
    """
    if run.keys().isdisjoint(queries):
        raise DataError(
            f"{shown(path)}: no query of this run was judged (it has {listed(list(run), 3)}; the "
            f"judgements have {listed(list(queries), 3)}); check the ids"
        )
    values: list[list[float]] = [[] for _ in measures]
    top = []
    for query, judged in queries.items():
        ranked = sorted(((s, d) for d, s in run.get(query, {}).items()), reverse=True)
        relevance = judged.relevance
        hits = [(rank, relevance[d]) for rank, (_, d) in enumerate(ranked, 1) if d in relevance]
        for column, measure in zip(values, measures, strict=True):
            column.append(round(measure.value(hits, judged), _DECIMALS))
        top.append(" ".join(document for _, document in ranked[:TOP]))
    return ScoredRun(
        values,
        tuple(top),
        tuple(query for query in queries if not run.get(query)),
        tuple(query for query in run if query not in queries),
        tuple(query for query in queries if _one_score(run.get(query, {}))),
    )


def _one_score(documents: Mapping[str, float]) -> bool:
    return len(documents) > 1 and len(set(documents.values())) == 1


def remarks(names: Sequence[str], runs: Sequence[ScoredRun], dropped: bool) -> list[Notice]:
    """Say what queries runs lack, have too many, or do not rank."""
    notices = []
    for name, run in zip(names, runs, strict=True):
        if run.missing:
            done = "dropped for all systems" if dropped else "counted as 0"
            text = f"{name} has no document for {_told(run.missing)}: {done}."
            notices.append(Notice("missing", text, run.missing))
        if run.extra:
            text = f"Not judged, so not scored, of {name}: {_told(run.extra)}."
            notices.append(Notice("not-judged", text, run.extra))
        if run.tied:
            text = f"{name} gives all documents one score for {_told(run.tied)}: ranked by id."
            notices.append(Notice("tied-documents", text, run.tied))
    return notices


def lacking(path: str, queries: Sequence[str]) -> DataError:
    """Return the refusal of a run that has no document for some queries."""
    it, them = ("it", "it") if len(queries) == 1 else ("each", "them")
    return DataError(
        f"{shown(path)}: there is no document for {_told(queries)}; --missing zero counts {it} as "
        f"0, --missing drop leaves {them} out for all systems"
    )


def without_relevant(queries: Mapping[str, Judgements]) -> Notice | None:
    """Say which queries nobody can score on."""
    empty = tuple(query for query, judged in queries.items() if not judged.levels)
    if not empty:
        return None
    verb = "counts" if len(empty) == 1 else "count"
    text = f"No relevant document was judged for {_told(empty)}, which {verb} as 0 for all "
    return Notice("no-relevant", text + "systems, as in trec_eval.", empty)


def _told(queries: Sequence[str]) -> str:
    noun = "query" if len(queries) == 1 else plural("query")
    number = f"{len(queries)} " if len(queries) > _SHOWN else ""
    return f"{number}{noun} {listed(queries, _SHOWN)}"
