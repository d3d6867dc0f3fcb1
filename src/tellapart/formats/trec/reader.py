"""Retrieval runs, or scores of single queries, as one value per query and measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.errors import DataError, UsageError
from tellapart.files import STANDARD, shown
from tellapart.formats.head import Head, read_head
from tellapart.formats.runs import averaged
from tellapart.formats.sources import run_names, system_files
from tellapart.formats.trec.detection import (
    looks_like_qrels,
    looks_like_query_scores,
    looks_like_run,
)
from tellapart.formats.trec.files import read_qrels, read_run
from tellapart.formats.trec.measures import Judgements, parse_measure
from tellapart.formats.trec.merging import merge_scores
from tellapart.formats.trec.query_scores import read_query_scores
from tellapart.formats.trec.rankings import (
    ScoredRun,
    judged_queries,
    lacking,
    remarks,
    score_run,
    without_relevant,
)

DEFAULT: Final = ("ndcg@10", "ap")
POLICIES: Final = ("error", "zero", "drop", "own")


def read_retrieval(
    systems: Sequence[str | Path],
    gold: Sequence[str | Path] = (),
    *,
    metrics: Sequence[str] | None = None,
    missing: str | None = None,
) -> Counts:
    """Read TREC runs (or ranx's JSON) and judgements, or scores of single queries.

    `gold` is a file of judgements; with it the systems are runs, and `metrics` (by default
    ndcg@10 and ap) are computed as trec_eval does. Without it the systems are files of scores per
    query, as ir_measures and `trec_eval -q` print them; `metrics` chooses from what they hold.
    `missing` says what becomes of a query that a run or file lacks: "error", "zero", "drop", or
    "own" for an unpaired test; by default it counts 0 for a run, and is an error in files of
    scores.
    """
    if missing is not None and missing not in POLICIES:
        raise UsageError(f"missing is {', '.join(POLICIES)}, not {missing!r}")
    if len(gold) > 1:
        raise UsageError(f"retrieval takes one file of judgements (--gold), not {len(gold)}")
    if not systems:
        raise UsageError("there is no run to read; name at least one system")
    asked = None if metrics is None else list(dict.fromkeys(metrics))
    if gold:
        return _read_runs(systems, gold[0], asked or DEFAULT, missing or "zero")
    return _read_scores(systems, asked, missing or "error")


def _read_runs(
    systems: Sequence[str | Path], gold: str | Path, metrics: Sequence[str], missing: str
) -> Counts:
    measures = [parse_measure(name) for name in metrics]
    paths = system_files(systems)
    names = run_names(paths)
    queries = judged_queries(read_qrels(gold))
    runs = []
    for path in (path for some in paths.values() for path in some):
        if path != STANDARD and looks_like_query_scores(read_head(path)):
            raise UsageError(
                f"{path}: these are scores of single queries, which need no --gold; give runs, or "
                "leave --gold out"
            )
        run = score_run(path, read_run(path), queries, measures)
        if run.missing and missing == "error":
            raise lacking(path, run.missing)
        runs.append(run)
    notices = [each for each in (without_relevant(queries),) if each is not None]
    notices += remarks(names, runs, missing == "drop")
    counts = _counts(metrics, queries, dict(zip(names, runs, strict=True)), missing == "drop")
    return averaged(counts, paths, notices)


def _counts(
    metrics: Sequence[str],
    queries: Mapping[str, Judgements],
    runs: Mapping[str, ScoredRun],
    drop: bool,
) -> Counts:
    """Put the values of all runs side by side; on request without queries that a run lacks."""
    lacking = {query for run in runs.values() for query in run.missing} if drop else set()
    kept = [k for k, query in enumerate(queries) if query not in lacking]
    if not kept:
        raise DataError("no query is left that every run has documents for; check the ids")
    items = [query for query in queries if query not in lacking]
    columns: dict[str, Sequence[NDArray[Any]]] = {
        name: [np.array(run.values[m])[kept] for run in runs.values()]
        for m, name in enumerate(metrics)
    }
    counts = Counts.from_columns(list(runs), items, columns, {}, "query", "items")
    golds = tuple(
        " ".join(d for d, level in queries[query].relevance.items() if level > 0) for query in items
    )
    tops = {name: tuple(run.top[k] for k in kept) for name, run in runs.items()}
    return replace(counts, texts=ItemTexts(golds=golds, outputs=tops))


def _read_scores(
    systems: Sequence[str | Path], metrics: Sequence[str] | None, missing: str
) -> Counts:
    paths = system_files(systems)
    files = []
    for path in (path for some in paths.values() for path in some):
        head = read_head(path)
        if head.data and not looks_like_query_scores(head):
            _refuse_other_kinds(path, head)
        files.append(read_query_scores(path))
    single, notices = merge_scores(run_names(paths), files, metrics, missing)
    return averaged(single, paths, notices)


def _refuse_other_kinds(path: str, head: Head) -> None:
    if looks_like_qrels(head):
        raise DataError(
            f"{shown(path)}: these are judgements (qid iteration docid relevance), no system; give "
            "them with --gold"
        )
    if looks_like_run(head):
        raise UsageError(f"{shown(path)}: a run needs judgements to be scored: --gold QRELS")
