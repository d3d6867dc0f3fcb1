"""Why two systems differ: on which items, and which labels explain it.

Two questions, each corrected (Holm) over all that it looks at. On which groups of items do the
systems differ? Does the difference depend on a grouping, so that it explains something?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tellapart.comparison.items import contributions, two_of
from tellapart.comparison.options import Options
from tellapart.comparison.record import Slice
from tellapart.comparison.scored import Scored, pairs_to_test, score_metrics
from tellapart.comparison.slices import holm_of_known, slices
from tellapart.comparison.testing import Work
from tellapart.counts import Counts
from tellapart.counts.ordering import natural_sorted
from tellapart.errors import UsageError
from tellapart.metrics import Metric
from tellapart.stats.result import Floats, Ints
from tellapart.stats.streams import open_pool
from tellapart.stats.unpaired import dependence
from tellapart.words import plural

FEWEST: Final = 8
"""Items (clusters) below which nothing can be told apart"""
MOST_VALUES: Final = 12
MOST_LABELS: Final = 20


@dataclass(frozen=True, slots=True)
class GroupedDifference:
    """The difference by one grouping, and whether it depends on that."""

    by: str
    buckets: tuple[Slice, ...]
    """The difference in each group, corrected over all groups of all groupings"""
    contributions: dict[str, float]
    """By group: its part of the whole difference; parts of a grouping add up to it"""
    p: float | None
    """Of the difference being the same in all groups"""
    p_adjusted: float
    """Over all groupings"""
    explains: bool


@dataclass(frozen=True, slots=True)
class Reasons:
    """What may explain the difference of two systems by one metric; first minus second."""

    a: str
    b: str
    metric: str
    higher_is_better: bool
    kind: str
    """What an item is called"""
    items: int
    difference: float
    alpha: float
    groupings: tuple[GroupedDifference, ...]
    """Those on which the difference depends most surely first"""
    left_out: tuple[str, ...] = ()
    """Labels with too many values, or too many labels, to group by"""


@dataclass(frozen=True, slots=True)
class Grouping:
    """What items are grouped by, the names of the groups, and the group of each item."""

    by: str
    names: tuple[str, ...]
    codes: Ints


def explain(
    counts: Counts, names: Sequence[str], metric: str | Metric | None, options: Options
) -> Reasons:
    """Return what may explain the difference of two systems, by one metric, or say why not.

    The systems are those that are named, or the only two. Of the options it uses seed, alpha,
    cluster and runs.

    >>> labels = {"topic": ["x"] * 10 + ["y"] * 10}
    >>> scores = {"A": [1] * 20, "B": [0] * 10 + [1] * 10}
    >>> (topic,) = explain(Counts.from_arrays(scores, labels=labels), (), None, Options()).groupings
    >>> topic.explains, topic.contributions, [part.different for part in topic.buckets]
    (True, {'x': 0.5, 'y': 0.0}, [True, False])
    """
    asked = Options(
        seed=options.seed, alpha=options.alpha, cluster=options.cluster, runs=options.runs,
        intervals=False,
    )  # fmt: skip
    if counts.judgments is not None:
        raise UsageError("--why is of scores, and these are preferences: see compare --by LABEL")
    if counts.present is not None:
        raise UsageError(f"--why needs the same {plural(counts.kind)} of both systems")
    two = counts.systems[two_of(counts.names, names)]
    scored = score_metrics(two, None if metric is None else [metric], asked)[0]
    parts = contributions(scored.unclustered, 0, 1)
    if parts is None:
        raise UsageError(
            f"--why needs a metric that scores single {plural(counts.kind)}, which "
            f"{scored.unclustered.name} does not; name another with --metric"
        )
    if scored.scores.n < FEWEST:
        unit = options.cluster or counts.kind
        raise UsageError(f"--why needs {FEWEST} {plural(unit)} or more; here are {scored.scores.n}")
    items = scored.unclustered
    found = groupings(items.counts, asked.cluster)
    return Reasons(
        items.systems[0],
        items.systems[1],
        items.name,
        items.metric.higher_is_better,
        items.counts.kind,
        len(parts),
        float(items.exact_score(0) - items.exact_score(1)),
        asked.alpha,
        _by_groupings(scored, found, parts),
        left_out(items.counts, found, asked.cluster),
    )


def _by_groupings(
    scored: Scored, found: Sequence[Grouping], parts: Floats
) -> tuple[GroupedDifference, ...]:
    """Return the difference by each grouping; its buckets are slices, corrected all together."""
    options, counts = scored.options, scored.unclustered.counts
    # No label that was read can be called so.
    labels = {f"\0{own.by}": tuple(own.names[code] for code in own.codes) for own in found}
    items = scored.unclustered.with_counts(replace(counts, labels={**counts.labels, **labels}))
    with open_pool() as pool:
        pairs = pairs_to_test(scored)
        made = slices(replace(scored, unclustered=items), pairs, list(labels), Work(pool))
    p_values = np.array([np.nan if part.p is None else part.p for part in made])
    buckets: dict[str, dict[str, Slice]] = {own.by: {} for own in found}
    for part, p in zip(made, holm_of_known(p_values).tolist(), strict=True):
        by, p_adjusted = part.by[1:], None if part.p is None else p
        different = p <= options.alpha
        buckets[by][part.value] = replace(part, by=by, p_adjusted=p_adjusted, different=different)
    blocks = None if options.cluster is None else np.array(counts.cluster_names(options.cluster))
    raw = [dependence(parts, own.codes, blocks=blocks, rng=options.seed).p for own in found]
    adjusted = holm_of_known(np.array([1.0 if p is None else p for p in raw])).tolist()
    results = []
    for own, p, p_adjusted in zip(found, raw, adjusted, strict=True):
        sums = np.bincount(own.codes, parts, len(own.names)) / len(parts) + 0.0
        shares = dict(zip(own.names, sums.tolist(), strict=True))
        groups = tuple(buckets[own.by][name] for name in own.names)
        explains = p_adjusted <= options.alpha
        results.append(GroupedDifference(own.by, groups, shares, p, p_adjusted, explains))
    return tuple(sorted(results, key=lambda own: 1.0 if own.p is None else own.p))


def groupings(counts: Counts, cluster: str | None) -> list[Grouping]:
    """Return the items of two systems by each label with 2 to 12 values.

    >>> labels = {"topic": ["x", "x", "y", "y"], "id": ["1", "2", "3", "4"]}
    >>> counts = Counts.from_arrays({"A": [1, 0, 1, 0], "B": [0, 0, 1, 1]}, labels=labels)
    >>> [(each.by, each.names) for each in groupings(counts, None)]
    [('topic', ('x', 'y'))]
    """
    found = []
    for label in [label for label in counts.labels if label != cluster][:MOST_LABELS]:
        texts = counts.labels[label]
        values = natural_sorted(sorted(set(texts)))
        if 2 <= len(values) <= MOST_VALUES and len(values) < len(texts):
            place = {value: k for k, value in enumerate(values)}
            codes = np.array([place[text] for text in texts], np.int64)
            none = "" if "(none)" in place else "(none)"
            found.append(Grouping(label, tuple(value or none for value in values), codes))
    return found


def left_out(counts: Counts, found: Sequence[Grouping], cluster: str | None) -> tuple[str, ...]:
    """Return the labels that tell kinds of items apart, but have too many values to group by."""
    used = {grouping.by for grouping in found}
    several = (label for label in counts.labels if label not in used and label != cluster)
    return tuple(
        label for label in several if 1 < len(set(counts.labels[label])) < len(counts.items)
    )
