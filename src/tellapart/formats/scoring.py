"""Scores straight from counts, for formats that have no report of their own."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.counts import Counts
from tellapart.formats.registry import Scored
from tellapart.metrics import Metric
from tellapart.metrics.projection import project


def scored_counts(counts: Counts, metrics: Sequence[str | Metric] | None) -> list[Scored]:
    """Score each system by the metrics, and sum its columns."""
    projection = project(counts, metrics)
    totals = counts.summed()
    return [
        Scored(
            name,
            {bound.metric.name: float(projection.score(bound, k)) for bound in projection.metrics},
            {
                column: _number(int(totals[k, c]), counts.scales[c])
                for c, column in enumerate(counts.columns)
            },
        )
        for k, name in enumerate(counts.names)
    ]


def _number(total: int, scale: int) -> float:
    return total // scale if total % scale == 0 else total / scale
