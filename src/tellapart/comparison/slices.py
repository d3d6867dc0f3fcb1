"""Slices: the same differences on parts of the items, by topic, length, or any other label.

Exploratory: each label has its own correction, over its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tellapart.comparison.intervals import Intervals, deciding, with_runs
from tellapart.comparison.options import Options
from tellapart.comparison.record import Slice
from tellapart.comparison.replicates import runs_info, spread_of_pair
from tellapart.comparison.testing import EXACT_BUDGET, SHUFFLES, Pairs, Work, run_tests
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics.scores import Scores, score_counts
from tellapart.stats.corrections import holm
from tellapart.stats.result import Interval
from tellapart.words import plural

MOST_VALUES = 100
"""A label with more values does not tell kinds of items apart"""
AUTOMATIC_VALUES, AUTOMATIC_LABELS = 12, 3
"""Reports show slices unasked by so many labels, with so many values each"""


def automatic_labels(counts: Counts, cluster: str | None) -> tuple[str, ...]:
    """Return the labels by which a report shows slices when none were asked for.

    The first three with 2 to 12 values that are neither the clusters nor one for each item.
    """
    labels = []
    for label, texts in counts.labels.items():
        values = len(set(texts))
        if 2 <= values <= AUTOMATIC_VALUES and values < len(texts) and label != cluster:
            labels.append(label)
    return tuple(labels[:AUTOMATIC_LABELS])


def check_labels(counts: Counts, options: Options) -> None:
    """Refuse labels that cannot tell slices apart, in one sentence."""
    for label in options.by:
        if label not in counts.labels:
            known = ", ".join(counts.labels) or "none"
            raise UsageError(f"there is no label {label!r} to compare by; the labels are: {known}")
        if label == options.cluster:
            raise UsageError(
                f"{plural(label)} are exchanged as wholes, so that none can be compared by itself; "
                "compare by another label"
            )
        values = len(set(counts.labels[label]))
        if values > MOST_VALUES and (counts.suite is None or label != counts.suite.label):
            raise UsageError(
                f"label {label!r} has {values:,} values, and slices are for {MOST_VALUES} at most; "
                "compare by another label"
            )


def labels_to_slice(counts: Counts, options: Options) -> tuple[str, ...]:
    """Return the labels that slices are made by: those asked for, and before them the tasks."""
    suite = counts.suite
    if suite is None or suite.label == options.cluster or len(set(counts.labels[suite.label])) < 2:
        return options.by
    return tuple(dict.fromkeys([suite.label, *options.by]))


def slices(
    items: Scores, pairs: Pairs, options: Options, labels: Sequence[str], work: Work
) -> list[Slice]:
    """Return every pair under one metric on the items of each value of some labels.

    Clusters stay together within a slice. Tests and intervals are those of the comparison itself,
    with a fixed number of shuffles where counting is not quick. Holm's correction is over the
    values of a label, for each pair, and so their intervals hold for all values at once; for the
    tasks of a suite, which are looked at unasked, it is over all pairs as well.
    """
    counts = replace(items.counts, texts=None)
    runs = runs_info(counts, options)
    vary = runs is not None and runs.vary
    found = []
    for label in labels:
        values = tuple(dict.fromkeys(counts.labels[label]))
        tasks = counts.suite is not None and label == counts.suite.label
        number = len(values) * (len(pairs) if tasks else 1)
        parts = [
            _part(counts.where({label: {value}}), items, pairs, options, number, vary, work)
            for value in values
        ]
        raw = np.array([[np.nan if p is None else p for p in part.p] for part in parts])
        adjusted = np.full(raw.shape, np.nan)  # values × pairs
        for family in [slice(None)] if tasks else [slice(k, k + 1) for k in range(len(pairs))]:
            known = ~np.isnan(raw[:, family])
            if known.any():
                own = adjusted[:, family]
                own[known] = holm(raw[:, family][known])
        found += [
            _slice(items, label, value, part, pairs, k, float(adjusted[row, k]), options.alpha)
            for k in range(len(pairs))
            for row, (value, part) in enumerate(zip(values, parts, strict=True))
        ]
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """All pairs on one slice."""

    scores: Scores
    items: int
    p: list[float | None]
    intervals: list[Interval | None]


def _part(
    counts: Counts,
    items: Scores,
    pairs: Pairs,
    options: Options,
    number: int,
    vary: bool,
    work: Work,
) -> _Part:
    """Return all pairs on one slice, with intervals that hold for so many at once."""
    size = len(counts.items)
    if options.cluster is not None:
        counts = counts.by(options.cluster)
    scores = score_counts(counts, items.metric)
    quick = replace(options, shuffles=options.shuffles or SHUFFLES)
    tests = run_tests(scores, pairs, quick, len(pairs), work, budget=EXACT_BUDGET / 100)
    spreads = [spread_of_pair(scores, a, b) if vary else None for a, b, _ in pairs]
    p_values = [
        test.p if spread is None or test.p is None else max(test.p, spread.p(sign))
        for test, spread, (_, _, sign) in zip(tests, spreads, pairs, strict=True)
    ]
    intervals: list[Interval | None] = [None] * len(pairs)
    if options.intervals:
        sides = np.where(pairs.signs == 0, 1, 2)
        levels = np.maximum(0.0, 1 - options.alpha / number * sides).tolist()
        made = Intervals(scores, options, work).pairs(pairs, levels)
        intervals = [
            None if one is None else with_runs(scores, one, spread, level, sign)
            for one, spread, level, (_, _, sign) in zip(made, spreads, levels, pairs, strict=True)
        ]
    return _Part(scores, size, p_values, intervals)


def _slice(
    items: Scores,
    label: str,
    value: str,
    part: _Part,
    pairs: Pairs,
    k: int,
    p_adjusted: float,
    alpha: float,
) -> Slice:
    a, b = int(pairs.a[k]), int(pairs.b[k])
    scores, interval = part.scores.values, part.intervals[k]
    tested = not np.isnan(p_adjusted)
    different = tested and p_adjusted <= alpha
    difference = float(part.scores.exact_score(a) - part.scores.exact_score(b))
    if interval is not None and tested:
        interval = deciding(interval, different, difference)
    return Slice(
        by=label,
        value=value or "(none)",
        a=items.systems[a],
        b=items.systems[b],
        metric=items.name,
        items=part.items,
        difference=difference,
        p=part.p[k],
        p_adjusted=p_adjusted if tested else None,
        different=different,
        scores=(float(scores[a]), float(scores[b])),
        interval=None if interval is None else interval.ends,
    )
