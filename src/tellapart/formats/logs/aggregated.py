"""Scores that are made of sums over items: their columns, and the metrics that read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tellapart.formats.logs.item_texts import Systems
from tellapart.formats.logs.log import Key, Log, Sample
from tellapart.formats.logs.metric_names import Columns
from tellapart.metrics import Metric, metric
from tellapart.metrics.aggregates import aggregate, part_names


def with_parts(systems: Systems, columns: Columns) -> tuple[Systems, Columns, tuple[Metric, ...]]:
    """Return logs and columns in which such scores are resolved into what they are made of.

    The metrics are those of all columns, or none if every column is a plain value.
    """
    found = _parts(systems, columns)
    if not found:
        return systems, columns, ()
    resolved: Columns = {}
    metrics: list[Metric] = []
    for name, key in columns.items():
        if name not in found:
            resolved[name] = key
            metrics.append(metric(name, [name], items=True))
            continue
        kind, parts = found[name]
        named = {part: f"{name} {part}" for part in parts}
        resolved.update((named[part], (*key, part)) for part in parts)
        metrics.append(aggregate(kind, name, named))
    whole = {columns[name]: parts for name, (_, parts) in found.items()}
    completed = {name: [_completed(log, whole) for log in logs] for name, logs in systems.items()}
    return completed, resolved, tuple(metrics)


def _parts(systems: Systems, columns: Columns) -> dict[str, tuple[str, Sequence[str]]]:
    """Return the scores among the columns that are made of sums: how, and of which parts."""
    found: dict[str, tuple[str, Sequence[str]]] = {}
    for name, key in columns.items():
        each = [
            log.aggregates[key]
            for logs in systems.values()
            for log in logs
            if key in log.aggregates
        ]
        if each:
            seen = dict.fromkeys(part for one in each for part in one.parts)
            found[name] = each[0].kind, part_names(each[0].kind, list(seen))
    return found


def _completed(log: Log, whole: dict[Key, Sequence[str]]) -> Log:
    """Return a log whose samples have all parts of a score if they have one: what is absent is 0.

    A class that one system never chose is among its parts where another one did.
    """

    def complete(sample: Sample) -> Sample:
        absent = {
            (*key, part): 0.0
            for key, parts in whole.items()
            if any((*key, part) in sample.values for part in parts)
            for part in parts
            if (*key, part) not in sample.values
        }
        return replace(sample, values={**sample.values, **absent}) if absent else sample

    return replace(log, samples=tuple(map(complete, log.samples)))
