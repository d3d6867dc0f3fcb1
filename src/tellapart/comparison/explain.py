"""Why two systems differ: on which items, and which labels explain it.

Two questions, each corrected (Holm) over all that it looks at. On which groups of items do the
systems differ? Does the difference depend on a grouping, so that it explains something?
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import numpy as np

from tellapart.comparison.items import contributions, two_of
from tellapart.comparison.options import Options
from tellapart.comparison.scored import Scored, pairs_to_test, score_metrics
from tellapart.comparison.slices import AUTOMATIC_VALUES, holm_of_known, slices, tells_kinds
from tellapart.comparison.testing import Work
from tellapart.counts import Counts
from tellapart.counts.ordering import natural_sorted
from tellapart.errors import UsageError
from tellapart.metrics import Metric
from tellapart.stats.dependence import dependence
from tellapart.stats.result import Floats, Ints
from tellapart.stats.workers import open_pool
from tellapart.words import plural

FEWEST: Final = 8
"""Items (clusters) below which nothing can be told apart"""
BUCKETS: Final = 4
MOST_LABELS: Final = 20
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Bucket:
    """Two systems on one group of items; first minus second."""

    name: str
    items: int
    difference: float
    contribution: float
    """The part of the whole difference; those of a grouping add up to it"""
    p: float | None
    p_adjusted: float | None
    """Over all buckets of all groupings"""
    different: bool


@dataclass(frozen=True, slots=True)
class GroupedDifference:
    """The difference by one grouping, and whether it depends on that."""

    by: str
    buckets: tuple[Bucket, ...]
    p: float | None
    """Of the difference being the same in all groups"""
    p_adjusted: float | None
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


def reasons(
    counts: Counts, names: Sequence[str], metric: str | Metric | None, options: Options, work: Work
) -> Reasons | None:
    """Return what may explain the difference of two systems, by one metric.

    None where single items have no part in the score, systems have items of their own, items are
    preferences, or there are fewer than eight of them (clusters). Of the options it uses seed,
    alpha, cluster and runs.

    >>> from tellapart.stats.workers import WorkerPool
    >>> labels = {"topic": ["x"] * 10 + ["y"] * 10}
    >>> scores = {"A": [1] * 20, "B": [0] * 10 + [1] * 10}
    >>> counts = Counts.from_arrays(scores, labels=labels)
    >>> topic = reasons(counts, ("A", "B"), None, Options(), Work(WorkerPool())).groupings[0]
    >>> topic.explains, [(each.name, each.contribution, each.different) for each in topic.buckets]
    (True, [('x', 0.5, True), ('y', 0.0, False)])
    """
    asked = Options(
        seed=options.seed, alpha=options.alpha, cluster=options.cluster, runs=options.runs,
        intervals=False,
    )  # fmt: skip
    if counts.present is not None or counts.judgments is not None:
        return None
    wanted = None if metric is None else [metric]
    scored = score_metrics(counts.systems[tuple(names)], wanted, asked)[0]
    items = scored.unclustered
    parts = contributions(items, 0, 1)
    if parts is None or scored.scores.n < FEWEST:
        return None
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
        _by_groupings(scored, found, parts, work),
        left_out(items.counts, found, asked.cluster),
    )


def explain(
    counts: Counts, names: Sequence[str], metric: str | Metric | None, options: Options
) -> Reasons:
    """Return the same of the two systems that are named, or of the only two; or say why not."""
    counts = counts.systems[two_of(counts.names, names)]
    with open_pool() as pool:
        found = reasons(counts, counts.names, metric, options, Work(pool))
    if found is None:
        raise UsageError(
            f"--why needs {FEWEST} {plural(options.cluster or counts.kind)} or more that both "
            "systems have, and a metric that scores single ones; name another with --metric"
        )
    return found


def _by_groupings(
    scored: Scored, found: Sequence[Grouping], parts: Floats, work: Work
) -> tuple[GroupedDifference, ...]:
    """Return the difference by each grouping; its buckets are slices, corrected all together."""
    options, counts = scored.options, scored.unclustered.counts
    names = [f"\0{k}" for k in range(len(found))]  # no label that was read can be called so
    codes = {
        name: tuple(map(str, grouping.codes)) for name, grouping in zip(names, found, strict=True)
    }
    items = scored.unclustered.with_counts(replace(counts, labels={**counts.labels, **codes}))
    pairs = pairs_to_test(scored)
    made = slices(replace(scored, unclustered=items), pairs, names, work)
    tested = {(part.by, int(part.value)): part for part in made}
    of_buckets = _corrected({key: part.p for key, part in tested.items()})
    blocks = None if options.cluster is None else np.array(counts.cluster_names(options.cluster))
    raw = [dependence(parts, own.codes, blocks=blocks, rng=options.seed).p for own in found]
    adjusted = _corrected(dict(enumerate(1.0 if p is None else p for p in raw)))

    def bucket(grouping: Grouping, code: int, key: tuple[str, int]) -> Bucket:
        share = float(parts[grouping.codes == code].sum()) / len(parts) + 0.0
        part, p = tested[key], of_buckets[key]
        different = p is not None and p <= options.alpha
        name = grouping.names[code]
        return Bucket(name, part.items, part.difference, share, part.p, p, different)

    results = []
    for k in sorted(range(len(found)), key=lambda k: (1.0 if raw[k] is None else raw[k], k)):
        own = found[k]
        buckets = tuple(bucket(own, c, (names[k], c)) for c in range(len(own.names)))
        p = adjusted[k]
        explains = p is not None and p <= options.alpha
        results.append(GroupedDifference(own.by, buckets, raw[k], p, explains))
    return tuple(results)


def _corrected(raw: Mapping[Key, float | None]) -> dict[Key, float | None]:
    """Return Holm's p over all that have one."""
    p = np.array([np.nan if value is None else value for value in raw.values()])
    adjusted = holm_of_known(p).tolist()
    return {k: None if np.isnan(own) else own for k, own in zip(raw, adjusted, strict=True)}


def groupings(counts: Counts, cluster: str | None) -> list[Grouping]:
    """Return all groupings of the items of two systems that have at least two groups.

    >>> labels = {"topic": ["x", "x", "y", "y"], "id": ["1", "2", "3", "4"]}
    >>> counts = Counts.from_arrays({"A": [1, 0, 1, 0], "B": [0, 0, 1, 1]}, labels=labels)
    >>> [(each.by, each.names) for each in groupings(counts, None)]
    [('topic', ('x', 'y'))]
    """
    found = [*_of_gold(counts), *_of_labels(counts, cluster)]
    return [grouping for grouping in found if len(grouping.names) > 1]


def bucketed(values: Floats) -> tuple[tuple[str, ...], Ints]:
    """Return at most four buckets of about as many values, equal values together.

    >>> bucketed(np.array([1.0, 9, 2, 2, 3, 4, 7, 8]))
    (('1 to 2', '3', '4 to 7', '8 to 9'), array([0, 3, 0, 0, 1, 2, 2, 3]))
    """
    distinct = np.unique(values)
    if len(distinct) <= BUCKETS:
        edges = distinct[:-1]
    else:
        shares = np.arange(1, BUCKETS) / BUCKETS
        edges = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    _, codes = np.unique(np.searchsorted(edges, values, side="left"), return_inverse=True)
    ends = [(values[codes == k].min(), values[codes == k].max()) for k in range(codes.max() + 1)]
    return tuple(_range(float(low), float(high)) for low, high in ends), codes.astype(np.int64)


def _range(low: float, high: float) -> str:
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


def _of_gold(counts: Counts) -> Iterator[Grouping]:
    """Yield the grouping by gold's length."""
    golds = () if counts.texts is None else counts.texts.golds
    if any(golds):
        lengths = np.array([len(gold.split()) for gold in golds], np.float64)
        yield Grouping("words of gold", *bucketed(lengths))


def _of_labels(counts: Counts, cluster: str | None) -> Iterator[Grouping]:
    chosen = [label for label in counts.labels if label != cluster]
    for label in chosen[:MOST_LABELS]:
        texts = counts.labels[label]
        values = natural_sorted(sorted(set(texts)))
        if tells_kinds(texts):
            place = {value: k for k, value in enumerate(values)}
            codes = np.array([place[text] for text in texts], np.int64)
            yield Grouping(label, tuple(value or "(none)" for value in values), codes)
        elif len(values) > AUTOMATIC_VALUES:
            numbers = _numbers(texts)
            if numbers is not None:
                yield Grouping(label, *bucketed(numbers))


def left_out(counts: Counts, found: Sequence[Grouping], cluster: str | None) -> tuple[str, ...]:
    """Return the labels that tell kinds of items apart, but have too many values to group by."""
    used = {grouping.by for grouping in found}
    several = (label for label in counts.labels if label not in used and label != cluster)
    return tuple(
        label for label in several if 1 < len(set(counts.labels[label])) < len(counts.items)
    )


def _numbers(texts: Sequence[str]) -> Floats | None:
    try:
        values = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None
