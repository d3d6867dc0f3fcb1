"""What all logs of evaluations share: what they have no use for, and how values are scored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tellapart.errors import UsageError
from tellapart.formats.registry import Sources

if TYPE_CHECKING:
    from tellapart.counts import Counts


def refuse_unused(sources: Sources, what: str) -> None:
    """Refuse gold files and other items: logs hold scores of items."""
    if sources.gold:
        raise UsageError(f"{what} hold scores, and need no --gold; leave it out")
    if sources.item is not None:
        raise UsageError(f"the items of {what} are items; --cluster LABEL joins those that belong")


def scored_as_asked(counts: Counts, sources: Sources) -> Counts:
    """Let counts carry the metrics that were asked for, by the names that the reader gave them."""
    from tellapart.metrics import metric

    if not sources.metrics:
        return counts
    metrics = tuple(metric(name, counts.columns, items=True) for name in counts.columns)
    return replace(counts, metrics=metrics)
