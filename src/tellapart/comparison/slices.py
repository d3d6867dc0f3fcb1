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
from tellapart.errors import UsageError
from tellapart.metrics.scores import RatioScores, Scores
from tellapart.stats.corrections import adjust
from tellapart.stats.result import Floats, Interval
from tellapart.words import plural

MOST_VALUES = 100
"""A label with more values does not tell kinds of items apart"""


def check_labels(counts: Counts, options: Options) -> None:
    """Refuse labels that cannot tell slices apart, in one sentence."""
    for label in options.by:
        if label not in counts.labels:
            known = ", ".join(counts.labels) or "none"
            raise UsageError(f"there is no label {label!r} to compare by; the labels are: {known}")
        if label == options.cluster:
            raise UsageError(f"{plural(label)} are exchanged as wholes: compare by another label")
        values = len(set(counts.labels[label]))
        if values > MOST_VALUES and (counts.suite is None or label != counts.suite.label):
            raise UsageError(
                f"label {label!r} has {values:,} values, and slices are for {MOST_VALUES} at most"
            )


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
    found = []
    for label in labels:
        parts: dict[str, tuple[Scored, Tested, int]] = {}
        for value in dict.fromkeys(counts.labels[label]):
            kept = counts.where({label: {value}})
            part = quick.part(kept)
            if part is not None:
                tested = make_tests(part, pairs, replace(work, budget=EXACT_BUDGET / 100))
                parts[value] = part, tested, len(kept.items)
        tasks = counts.suite is not None and label == counts.suite.label
        adjusted = _adjusted([tested for _, tested, _ in parts.values()], tasks)
        error = options.alpha / (len(parts) * (len(pairs) if tasks else 1)) if parts else 0.0
        by_value = [
            _slices_of_value(label, value, *part, own, error, work)
            for (value, part), own in zip(parts.items(), adjusted, strict=True)
        ]
        found += [own[k] for k in range(len(pairs)) for own in by_value]
    return found


def _adjusted(tested: Sequence[Tested], all_pairs: bool) -> Floats:
    """Return Holm's p over the values of each pair, or over all pairs at once: values × pairs."""
    raw = np.array([part.p for part in tested])
    if all_pairs or not len(raw):
        return holm_of_known(raw.ravel()).reshape(raw.shape)
    return np.stack([holm_of_known(of_pair) for of_pair in raw.T], axis=1)


def holm_of_known(p: Floats) -> Floats:
    """Return Holm's p over all that have one; NaN where there is none.

    >>> holm_of_known(np.array([0.01, np.nan, 0.04]))
    array([0.02,  nan, 0.04])
    """
    adjusted, known = p.copy(), ~np.isnan(p)
    adjusted[known] = adjust(p[known], "holm")
    return adjusted


def _slices_of_value(
    label: str,
    value: str,
    part: Scored,
    tested: Tested,
    items: int,
    adjusted: Floats,
    error: float,
    work: Work,
) -> list[Slice]:
    """Return all pairs on the items of one value."""
    scores, pairs = part.scores, tested.pairs
    different = (adjusted <= part.options.alpha).tolist()
    intervals: list[Interval | None] = [None] * len(pairs)
    if part.options.intervals and scores.n > 1:  # nothing is known of the spread of one
        intervals = pair_intervals(part, tested, error, part.intervals(work))
    differences = scores.differences(pairs.a, pairs.b).tolist()
    values = scores.values.tolist()
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
            p_adjusted=None if tested.tests[k].p is None else float(adjusted[k]),
            different=different[k],
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
