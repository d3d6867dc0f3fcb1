"""`--as trec` and `--as mteb`: retrieval runs with judgements, or scores of single queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Format, Report, Sources
from tellapart.formats.head import Head
from tellapart.formats.trec.mteb import looks_like_predictions, refuse_totals
from tellapart.formats.trec.shapes import (
    looks_like_qrels,
    looks_like_query_scores,
    looks_like_run,
)
from tellapart.options import NoOptions
from tellapart.words import typed

if TYPE_CHECKING:
    from tellapart.counts import Counts


def _recognises(head: Head) -> bool:
    return looks_like_run(head) or looks_like_query_scores(head)


def _refuses(head: Head) -> DataError | None:
    if not looks_like_qrels(head):
        return None
    return DataError(
        f"{shown(head.path)}: these are judgements (qrels), not a system's run; give them as "
        f"--gold {typed(head.path)}"
    )


def _check(path: str, like: Head) -> object:
    from tellapart.formats.trec.files import read_run
    from tellapart.formats.trec.query_scores import read_query_scores

    return read_query_scores(path) if looks_like_query_scores(like) else read_run(path)


def _read(sources: Sources, _: NoOptions) -> Counts:
    """Return one value per query and measure."""
    from tellapart.formats.trec.reader import read_retrieval

    if sources.item not in (None, "query"):
        raise UsageError("the items of retrieval are queries")
    metrics = sources.metrics or None
    return read_retrieval(sources.systems, sources.gold, metrics=metrics, missing=sources.missing)


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
    from tellapart.formats.trec.reader import findings

    return findings(files, gold)


FORMAT = Format(
    names=("trec",),
    about="retrieval runs with judgements, or scores of single queries",
    recognises=_recognises,
    recognises_gold=looks_like_qrels,
    refuses=_refuses,
    check=_check,
    read=_read,
    missing=None,  # a query that a run lacks counts 0
    report=_report,
    findings=_findings,
)

MTEB = replace(
    FORMAT,
    names=("mteb",),
    about="rankings of MTEB's retrieval tasks, with judgements",
    recognises=looks_like_predictions,
    recognises_gold=None,
    refuses=refuse_totals,
)
"""Rankings of MTEB, read as the runs that they are"""
