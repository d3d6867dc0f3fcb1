"""Why two systems differ: on which items, and which labels explain it.

Two questions, each corrected (Holm) over all that it looks at. On which groups of items do the
systems differ? Does the difference depend on a grouping, so that it explains something?
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tellapart.comparison.items import two_of
from tellapart.comparison.options import Options
from tellapart.comparison.record import Slice
from tellapart.comparison.scored import Scored, score_metrics
from tellapart.comparison.slices import corrected, slices
from tellapart.comparison.testing import Work, pairs_to_test
from tellapart.counts import Counts
from tellapart.counts.ordering import natural_sorted
from tellapart.errors import UsageError
from tellapart.metrics import Metric
from tellapart.metrics.contributions import contributions
from tellapart.stats.corrections import adjust
from tellapart.stats.result import Floats
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


def explain(counts: Counts, metric: str | Metric | None, options: Options) -> Reasons:
    """Return what may explain the difference of two systems, by one metric, or say why not.

    Of the options it uses seed, alpha, cluster and runs.

    >>> labels = {"topic": ["x"] * 10 + ["y"] * 10}
    >>> scores = {"A": [1] * 20, "B": [0] * 10 + [1] * 10}
    >>> (topic,) = explain(Counts.from_arrays(scores, labels=labels), None, Options()).groupings
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
    two = counts.systems[two_of(counts.names)]
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
    found, left_out = groupings(items.counts, asked.cluster)
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
        left_out,
    )


def _by_groupings(
    scored: Scored, found: dict[str, list[str]], parts: Floats
) -> tuple[GroupedDifference, ...]:
    """Return the difference by each label; its buckets are slices, corrected all together."""
    options, counts = scored.options, scored.unclustered.counts
    with open_pool() as pool:
        made = slices(scored, pairs_to_test(scored.scores, options), list(found), Work(pool))
    buckets = {(part.by, part.value): part for part in corrected(made, options.alpha)}
    place = {by: {value: k for k, value in enumerate(values)} for by, values in found.items()}
    codes = {by: np.array([own[text] for text in counts.labels[by]]) for by, own in place.items()}
    blocks = None if options.cluster is None else np.array(counts.cluster_names(options.cluster))
    raw = [dependence(parts, own, blocks=blocks, rng=options.seed).p for own in codes.values()]
    adjusted = adjust([1.0 if p is None else p for p in raw], "holm").tolist()
    results = []
    for (by, values), p, p_adjusted in zip(found.items(), raw, adjusted, strict=True):
        names = [value or "(none)" for value in values]
        sums = np.bincount(codes[by], parts, len(names)) / len(parts) + 0.0
        shares = dict(zip(names, sums.tolist(), strict=True))
        groups, explains = tuple(buckets[by, name] for name in names), p_adjusted <= options.alpha
        results.append(GroupedDifference(by, groups, shares, p, p_adjusted, explains))
    return tuple(sorted(results, key=lambda own: 1.0 if own.p is None else own.p))


def groupings(counts: Counts, cluster: str | None) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Return the values of labels with 2 to 12, and the labels that have too many to group by.

    >>> labels = {"topic": ["x", "x", "y", "y"], "id": ["1", "2", "3", "4"]}
    >>> groupings(Counts.from_arrays({"A": [1, 0, 1, 0], "B": [0, 0, 1, 1]}, labels=labels), None)
    ({'topic': ['x', 'y']}, ())
    """
    found, left_out = dict[str, list[str]](), []
    for label, texts in counts.labels.items():
        values = set(texts)
        if label == cluster or not 1 < len(values) < len(texts):  # tells no kinds of items apart
            continue
        if len(values) <= MOST_VALUES and len(found) < MOST_LABELS:
            found[label] = natural_sorted(sorted(values))
        else:
            left_out.append(label)
    return found, tuple(left_out)
