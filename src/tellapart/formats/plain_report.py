"""Scores straight from counts: the report of formats that have none of their own."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.counts import Counts
from tellapart.formats.contract import Report, SystemReport
from tellapart.metrics import Metric
from tellapart.metrics.runs import with_passes
from tellapart.metrics.scores import metrics_of, score_counts


def plain_report(counts: Counts, metrics: Sequence[str | Metric] = ()) -> Report:
    """Return each system's scores by the metrics, and the sums of its columns.

    >>> report = plain_report(Counts.from_arrays({"A": [1, 0, 1, 1]}))
    >>> report.systems[0].scores, report.systems[0].counts
    ({'mean': 0.75}, {'score': 3})
    """
    counts = with_passes(counts, metrics)
    scored = [
        score_counts(counts.with_values(metric.columns), metric)
        for metric in metrics_of(counts, list(metrics) or None)
    ]
    totals = counts.summed()
    systems = tuple(
        SystemReport(
            name,
            {scores.name: float(scores.exact_score(k)) for scores in scored},
            {
                column: _number(int(totals[k, c]), counts.scales[c])
                for c, column in enumerate(counts.columns)
            },
        )
        for k, name in enumerate(counts.names)
    )
    return Report(systems, counts.notices)


def _number(total: int, scale: int) -> float:
    return total // scale if total % scale == 0 else total / scale
