"""Scores of entities with a report type by type, for formats of tags and of spans."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tellapart.commands.formats import Scored
from tellapart.commands.scoring import scored_counts
from tellapart.counts import Counts
from tellapart.scorers.entities import EntityReport


def scored_entities(
    counts: Counts, reports: Mapping[str, EntityReport], metrics: Sequence[str] | None
) -> list[Scored]:
    """Score each system, and lay out its report as conlleval does; notices go to stderr."""
    for notice in counts.notices:
        print(f"tellapart: {notice.text}", file=sys.stderr)
    return [
        replace(each, report=reports[each.name].record(), text=reports[each.name].text(each.name))
        for each in scored_counts(counts, metrics)
    ]
