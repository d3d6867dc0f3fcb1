"""Suites of tasks: the table of systems × tasks, and the tasks on which the order turns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.analysis import Analysis
from tellapart.comparison.pair_record import Slice
from tellapart.comparison.ranking import pairs_of
from tellapart.comparison.record import Comparison, SuiteTable, Task
from tellapart.counts.ordering import natural_sorted
from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection


def suite_tables(analysis: Analysis) -> dict[str, SuiteTable]:
    """Return the scores of every system on every task, by metric; nothing if there is one task."""
    projection = analysis.unclustered or analysis.projection
    counts = projection.counts
    suite = counts.suite
    if suite is None:
        return {}
    labels = counts.labels[suite.label]
    tasks = natural_sorted(list(dict.fromkeys(labels)))
    if len(tasks) < 2:
        return {}
    place = {task: k for k, task in enumerate(tasks)}
    codes = np.array([place[task] for task in labels], np.int64)
    units = np.bincount(codes, counts.sizes, len(tasks)).astype(np.int64).tolist()
    weights = suite.weights(counts.sizes)
    each = counts.sizes if weights is None else weights * counts.sizes
    shares = np.bincount(codes, each, len(tasks)) / float(each.sum())
    found = {}
    for bound in projection.metrics:
        if isinstance(bound.metric, ItemFunction):
            continue
        scores = _scores(projection, bound, codes, len(tasks))  # systems × tasks
        found[bound.metric.name] = SuiteTable(
            suite.label,
            suite.aggregate(counts.sizes, counts.kind)
            if isinstance(bound, BoundRatio)
            else f"{bound.metric.name} of all tasks together",
            tuple(
                Task(
                    task,
                    units[k],
                    float(shares[k]),
                    dict(zip(counts.names, scores[:, k].tolist(), strict=True)),
                    suite.scores.get(task),
                )
                for k, task in enumerate(tasks)
            ),
        )
    return found


def _scores(
    projection: Projection, bound: Bound, codes: NDArray[np.int64], tasks: int
) -> NDArray[np.float64]:
    """Return the score of every system on every task; weights are the same within a task."""
    forms = (
        bound.forms if not isinstance(bound, BoundRatio) else (bound.numerator, bound.denominator)
    )
    sums = np.array(
        [[np.bincount(codes, system, tasks) for system in projection.forms[f]] for f in forms]
    )  # forms × systems × tasks; below 2^52, and so exact
    if isinstance(bound, BoundRatio):
        undefined = float(bound.metric.undefined)
        ratios = np.divide(
            sums[0], sums[1], out=np.full(sums[0].shape, undefined), where=sums[1] > 0
        )
        return np.where(sums[1] > 0, float(bound.factor) * ratios, undefined)
    assert not isinstance(bound.metric, ItemFunction)
    return bound.metric.scores(np.moveaxis(sums, 0, -1) / bound.scales)


def turned(result: Comparison, metric: str) -> list[Slice]:
    """Return the tasks on which two systems stand the other way round than by the overall score.

    The system that is ahead overall is the first of each slice; `different` says that its being
    behind on the task is shown, after the correction over all tasks and pairs.
    """
    table = result.suite.get(metric)
    if table is None or result.tail != "two":
        return []
    higher = result.metrics[metric].higher_is_better
    ahead = {frozenset((p.a, p.b)): p.a for p in pairs_of(result, metric) if p.difference}
    found = []
    for part in result.slices:
        first = ahead.get(frozenset((part.a, part.b)))
        if part.by != table.label or part.metric != metric or first is None:
            continue
        seen = part if part.a == first else part.mirrored()
        if seen.difference < 0 if higher else seen.difference > 0:
            found.append(seen)
    return sorted(found, key=lambda part: (not part.different, 2.0 if part.p is None else part.p))
