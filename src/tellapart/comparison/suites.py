"""Suites of tasks: the table of systems × tasks."""

from __future__ import annotations

import numpy as np

from tellapart.comparison.record import Slice, SuiteTable, Task
from tellapart.counts.ordering import natural_sorted
from tellapart.metrics.scores import RatioScores, Scores


def suite_table(items: Scores) -> SuiteTable | None:
    """Return the scores of every system on every task by one metric; None if there is one task."""
    counts, suite = items.counts, items.counts.suite
    if suite is None or not items.has_sums:
        return None
    labels = counts.labels[suite.label]
    tasks = natural_sorted(list(dict.fromkeys(labels)))
    if len(tasks) < 2:
        return None
    place = {task: k for k, task in enumerate(tasks)}
    codes = np.array([place[task] for task in labels], np.int64)
    sizes = np.bincount(codes, counts.sizes, len(tasks)).astype(np.int64).tolist()
    weights = suite.weights(counts.sizes)
    parts = counts.sizes if weights is None else weights * counts.sizes
    shares = np.bincount(codes, parts, len(tasks)) / float(parts.sum())
    # columns × systems × tasks; sums below 2^52 are exact
    sums = np.array(
        [[np.bincount(codes, row, len(tasks)) for row in column] for column in items.columns]
    )
    scores = items.of_sums(np.moveaxis(sums, 0, -1))  # systems × tasks
    aggregate = f"{items.name} of all tasks together"
    if isinstance(items, RatioScores):
        aggregate = suite.aggregate(counts.sizes, counts.kind)
    return SuiteTable(
        suite.label,
        aggregate,
        tuple(
            Task(
                task,
                sizes[k],
                float(shares[k]),
                dict(zip(counts.names, scores[:, k].tolist(), strict=True)),
                suite.scores.get(task),
            )
            for k, task in enumerate(tasks)
        ),
    )


def reversals(
    slices: list[Slice], table: SuiteTable, ahead: dict[frozenset[str], str], higher: bool
) -> list[Slice]:
    """Return the tasks on which two systems stand the other way round than by the overall score.

    The system that is `ahead` overall is the first of each slice; `different` says that its being
    behind on the task is shown, after the correction over all tasks and pairs.
    """
    found = []
    for part in slices:
        first = ahead.get(frozenset((part.a, part.b)))
        if part.by != table.label or first is None:
            continue
        seen = part if part.a == first else part.turned()
        if seen.difference < 0 if higher else seen.difference > 0:
            found.append(seen)
    return sorted(found, key=lambda part: (not part.different, 2.0 if part.p is None else part.p))
