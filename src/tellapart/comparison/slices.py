"""Slices: the same differences on parts of the items, by topic, length, task or any other label.

Exploratory: each label has its own correction, over its values. Tasks of a suite have a table, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tellapart.comparison.options import Options
from tellapart.comparison.record import Slice, SuiteTable, Task
from tellapart.comparison.scored import Scored, Tested, make_tests, pair_intervals
from tellapart.comparison.testing import EXACT_BUDGET, Pairs, Work
from tellapart.counts import Counts
from tellapart.counts.ordering import natural_sorted
from tellapart.metrics.scores import RatioScores, Scores
from tellapart.stats.corrections import adjust
from tellapart.stats.result import Interval


def labels_to_slice(counts: Counts, options: Options) -> tuple[str, ...]:
    """Return the labels that slices are made by: those asked for, and before them the tasks."""
    suite = counts.suite
    if suite is None or suite.label == options.cluster or len(set(counts.labels[suite.label])) < 2:
        return options.by
    return tuple(dict.fromkeys([suite.label, *options.by]))


def slices(scored: Scored, pairs: Pairs, labels: Sequence[str], work: Work) -> list[Slice]:
    """Return every pair under one metric on the items of each value of some labels.

    Clusters stay together within a slice. Tests and intervals are those of the comparison itself,
    with a fixed number of shuffles where counting is not quick. Holm's correction is over the
    values of a label, for each pair, and so their intervals hold for all values at once; for the
    tasks of a suite, which are looked at unasked, it is over all pairs as well.
    """
    counts, options = replace(scored.labelled, texts=None), scored.options
    quick = replace(scored, options=replace(options, shuffles=options.fixed_shuffles))
    found: list[Slice] = []
    for label in labels:
        parts: dict[str, tuple[Scored, Tested]] = {}
        for value in dict.fromkeys(counts.labels[label]):
            part = quick.part(counts.where({label: {value}}))
            if part is not None:
                tested = make_tests(part, pairs, replace(work, budget=EXACT_BUDGET / 100))
                parts[value] = part, tested
        tasks = counts.suite is not None and label == counts.suite.label
        tests = len(parts) * (len(pairs) if tasks else 1)
        by_value = [
            _slices_of_value(label, value, *part, options.alpha / tests, work)
            for value, part in parts.items()
        ]
        families = [list(own) for own in zip(*by_value, strict=True)]  # pairs × values
        if tasks:
            families = [[part for own in families for part in own]]
        found += [part for own in families for part in corrected(own, options.alpha)]
    return found


def corrected(family: Sequence[Slice], alpha: float) -> list[Slice]:
    """Return slices with Holm's p over all that have one, and whether they differ by that."""
    known = [k for k, part in enumerate(family) if part.p is not None]
    holm = adjust(np.array([family[k].p for k in known], np.float64), "holm").tolist()
    adjusted = dict(zip(known, holm, strict=True))
    return [
        replace(part, p_adjusted=adjusted.get(k), different=k in adjusted and adjusted[k] <= alpha)
        for k, part in enumerate(family)
    ]


def _slices_of_value(
    label: str, value: str, part: Scored, tested: Tested, error: float, work: Work
) -> list[Slice]:
    """Return all pairs on the items of one value, before any correction."""
    scores, pairs = part.scores, tested.pairs
    intervals: list[Interval | None] = [None] * len(pairs)
    if part.options.intervals and scores.n > 1:  # nothing is known of the spread of one
        intervals = pair_intervals(part, tested, error, part.intervals(work))
    differences = scores.differences(pairs.a, pairs.b).tolist()
    items, values = int(scores.counts.sizes.sum()), scores.values.tolist()
    return [
        Slice(
            by=label,
            value=value or "(none)",
            a=scores.systems[a],
            b=scores.systems[b],
            metric=scores.name,
            items=items,
            difference=differences[k],
            p=tested.tests[k].p,
            p_adjusted=None,
            different=False,
            scores=(values[a], values[b]),
            interval=None if interval is None else interval.ends,
        )
        for k, ((a, b, _), interval) in enumerate(zip(pairs, intervals, strict=True))
    ]


def suite_table(items: Scores) -> SuiteTable | None:
    """Return the scores of every system on every task by one metric; None if there is one task."""
    counts, suite = items.counts, items.counts.suite
    if suite is None:
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
