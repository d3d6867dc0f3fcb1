"""Why two systems differ: on which items, by which words, and which labels explain it.

Three questions, each corrected (Holm) over all that it looks at. On which groups of items do the
systems differ? Does the difference depend on a grouping, so that it explains something? Which
n-grams of gold does one system get right and the other not?
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.analysis import Analysis, make_analysis
from tellapart.comparison.items import contributions, two_systems
from tellapart.comparison.ngrams import NgramResults, ngram_results, words_of
from tellapart.comparison.slices import AUTOMATIC_VALUES, slices
from tellapart.counts import Counts
from tellapart.counts.ordering import natural_sorted
from tellapart.errors import UsageError
from tellapart.metrics import Metric
from tellapart.resampling.workers import open_pool
from tellapart.significance.corrections import adjust
from tellapart.significance.dependence import dependence_p
from tellapart.significance.diagnostics import item_scores
from tellapart.significance.dispatch import Execution
from tellapart.significance.options import Options
from tellapart.words import plural

FEWEST: Final = 8
"""Items (clusters) below which nothing can be told apart"""


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

    def mirrored(self) -> Bucket:
        """Return the same seen from the second system."""
        turned = 0.0 - self.difference, 0.0 - self.contribution
        return replace(self, difference=turned[0], contribution=turned[1])


@dataclass(frozen=True, slots=True)
class GroupedDifference:
    """The difference by one grouping, and whether it depends on that."""

    by: str
    buckets: tuple[Bucket, ...]
    p: float | None
    """Of the difference being the same in all groups; None of groups that are made of scores"""
    p_adjusted: float | None
    """Over all groupings"""
    explains: bool

    def mirrored(self) -> GroupedDifference:
        """Return the same seen from the second system."""
        return replace(self, buckets=tuple(each.mirrored() for each in self.buckets))


@dataclass(frozen=True, slots=True)
class Reasons:
    """What may explain the difference of two systems by one metric; first minus second."""

    a: str
    b: str
    metric: str
    higher_is_better: bool
    kind: str
    """What an item is called"""
    unit: str
    """What is tested: an item, or a cluster"""
    items: int
    difference: float
    alpha: float
    groupings: tuple[GroupedDifference, ...]
    """Those on which the difference depends most surely first"""
    ngrams: NgramResults | None
    """None where there are no texts of gold and outputs"""
    left_out: tuple[str, ...] = ()
    """Labels with too many values, or too many labels, to group by"""

    def mirrored(self) -> Reasons:
        """Return the same seen from the second system."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=0.0 - self.difference,
            groupings=tuple(each.mirrored() for each in self.groupings),
            ngrams=None if self.ngrams is None else self.ngrams.mirrored(),
        )


def has_reasons(counts: Counts, cluster: str | None) -> bool:
    """Return whether there is anything but scores to explain a difference by."""
    labelled = any(label != cluster for label in counts.labels)
    return labelled or (counts.texts is not None and any(counts.texts.golds))


def reasons(
    counts: Counts,
    names: tuple[str, str],
    metric: str | Metric | None,
    options: Options,
    execution: Execution,
) -> Reasons | None:
    """Return what may explain the difference of two systems, by one metric.

    None where single items have no part in the score, systems have items of their own, items are
    preferences, or there are fewer than eight of them (clusters). Of the options it uses seed,
    alpha, cluster and runs.

    >>> from tellapart.resampling.workers import WorkerPool
    >>> labels = {"topic": ["x"] * 10 + ["y"] * 10}
    >>> scores = {"A": [1] * 20, "B": [0] * 10 + [1] * 10}
    >>> counts = Counts.from_arrays(scores, labels=labels)
    >>> found = reasons(counts, ("A", "B"), None, Options(), Execution(WorkerPool()))
    >>> topic = found.groupings[0]
    >>> topic.explains, [(each.name, each.contribution, each.different) for each in topic.buckets]
    (True, [('x', 0.5, True), ('y', 0.0, False)])
    """
    asked = Options(
        seed=options.seed,
        alpha=options.alpha,
        cluster=options.cluster,
        runs=options.runs,
        intervals=False,
    )
    if counts.present is not None or counts.judgments is not None:
        return None
    two = counts.systems[names]
    analysis = make_analysis(two, None if metric is None else [metric], asked, execution)
    analysis = replace(analysis, questions=analysis.questions[:1])
    single = analysis.unclustered or analysis.projection
    bound = single.metrics[0]
    alone = item_scores(single, bound)
    parts = contributions(single, bound, 0, 1)
    if alone is None or parts is None or len(analysis.counts.items) < FEWEST:
        return None
    found = groupings(single.counts, alone.mean(axis=0), asked.cluster)
    return Reasons(
        *names,
        bound.metric.name,
        bound.metric.higher_is_better,
        single.counts.kind,
        asked.cluster or single.counts.kind,
        len(parts),
        float(single.score(bound, 0) - single.score(bound, 1)),
        asked.alpha,
        _by_groupings(analysis, found, parts),
        _ngrams(single.counts, asked),
        left_out(single.counts, found, asked.cluster),
    )


def explain(
    counts: Counts, names: Sequence[str], metric: str | Metric | None, options: Options
) -> Reasons:
    """Return the same of the two systems that are named, or of the only two; or say why not."""
    counts = two_systems(counts, names)
    first, second = counts.names
    with open_pool() as pool:
        found = reasons(counts, (first, second), metric, options, Execution(pool))
    if found is None:
        raise UsageError(
            f"--why needs {FEWEST} {plural(options.cluster or counts.kind)} or more that both "
            "systems have, and a metric that scores single ones; name another with --metric"
        )
    return found


def _by_groupings(
    analysis: Analysis, found: Sequence[Grouping], parts: NDArray[np.float64]
) -> tuple[GroupedDifference, ...]:
    if not found:
        return ()
    alpha, counts = analysis.options.alpha, (analysis.unclustered or analysis.projection).counts
    buckets = _buckets(analysis, found, parts)
    blocks = None
    if analysis.options.cluster is not None:
        texts = np.array(counts.labels[analysis.options.cluster])
        blocks = np.unique(texts, return_inverse=True)[1].astype(np.int64)
    tested = [k for k, each in enumerate(found) if not each.of_scores]
    raw = dependence_p(parts, [found[k].codes for k in tested], blocks, analysis.options.seed)
    p = dict(zip(tested, raw, strict=True))
    adjusted = dict(zip(tested, adjust(raw, "holm").tolist() if raw else [], strict=True))
    return tuple(
        GroupedDifference(
            found[k].by, buckets[k], p.get(k), adjusted.get(k), adjusted.get(k, 1.0) <= alpha
        )
        for k in sorted(range(len(found)), key=lambda k: (p.get(k, 2.0), k))
    )


def _buckets(
    analysis: Analysis, found: Sequence[Grouping], parts: NDArray[np.float64]
) -> list[tuple[Bucket, ...]]:
    """Return the buckets of each grouping, tested as slices and corrected all together."""
    # No label that was read can be called so.
    names = [f"\0{k}" for k in range(len(found))]
    labels = {
        name: tuple(map(str, each.codes.tolist())) for name, each in zip(names, found, strict=True)
    }
    tested = {(e.by, int(e.value)): e for e in slices(_labelled(analysis, labels), names)}
    known = {key: each.p for key, each in tested.items() if each.p is not None}
    holm = adjust(list(known.values()), "holm").tolist() if known else []
    adjusted = dict(zip(known, holm, strict=True))
    alpha = analysis.options.alpha
    return [
        tuple(
            Bucket(
                text,
                tested[name, code].units,
                tested[name, code].difference,
                float(parts[each.codes == code].sum()) / len(parts) + 0.0,
                known.get((name, code)),
                adjusted.get((name, code)),
                adjusted.get((name, code), 1.0) <= alpha,
            )
            for code, text in enumerate(each.names)
        )
        for name, each in zip(names, found, strict=True)
    ]


def _labelled(analysis: Analysis, labels: dict[str, tuple[str, ...]]) -> Analysis:
    """Return an analysis whose items have more labels."""
    single = analysis.unclustered or analysis.projection
    counts = replace(single.counts, labels={**single.counts.labels, **labels})
    single = replace(single, counts=counts)
    if analysis.unclustered is None:
        return replace(analysis, projection=single)
    return replace(analysis, unclustered=single)


def _ngrams(counts: Counts, options: Options) -> NgramResults | None:
    texts = counts.texts
    if texts is None or not any(texts.golds) or counts.runs:
        return None
    outputs = [texts.outputs.get(name, ()) for name in counts.names]
    if not all(outputs):
        return None
    clusters = None if options.cluster is None else counts.labels[options.cluster]
    return ngram_results(texts.golds, (outputs[0], outputs[1]), options.alpha, clusters)


BUCKETS: Final = 4
MOST_LABELS: Final = 20

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Grouping:
    """What items are grouped by, the names of the groups, and the group of each item."""

    by: str
    names: tuple[str, ...]
    codes: Integers
    of_scores: bool = False
    """Whether the groups are made of the scores themselves, on which differences depend anyway"""


def groupings(counts: Counts, both: NDArray[np.float64], cluster: str | None) -> list[Grouping]:
    """Return all groupings of the items of two systems that have at least two groups.

    `both` is the mean score of the two systems on each item, which says how hard it is. It stays
    as it is when the systems are exchanged, and so a test within its buckets holds.

    >>> labels = {"topic": ["x", "x", "y", "y"], "id": ["1", "2", "3", "4"]}
    >>> counts = Counts.from_arrays({"A": [1, 0, 1, 0], "B": [0, 0, 1, 1]}, labels=labels)
    >>> [(each.by, each.names) for each in groupings(counts, np.array([0.5, 0, 1, 0.5]), None)]
    [('topic', ('x', 'y'))]
    """
    found = [*_of_gold(counts), *_of_score(both), *_of_labels(counts, cluster)]
    return [each for each in found if len(each.names) > 1]


def bucketed(
    values: NDArray[np.float64], name: Callable[[float, float], str]
) -> tuple[tuple[str, ...], Integers]:
    """Return at most four buckets of about as many values, equal values together.

    >>> bucketed(np.array([1.0, 9, 2, 2, 3, 4, 7, 8]), lambda low, high: f"{low:g}-{high:g}")
    (('1-2', '3-3', '4-7', '8-9'), array([0, 3, 0, 0, 1, 2, 2, 3]))
    """
    distinct = np.unique(values)
    if len(distinct) <= BUCKETS:
        edges = distinct[:-1]
    else:
        shares = np.arange(1, BUCKETS) / BUCKETS
        edges = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    _, codes = np.unique(np.searchsorted(edges, values, side="left"), return_inverse=True)
    ends = [(values[codes == k].min(), values[codes == k].max()) for k in range(codes.max() + 1)]
    return tuple(name(float(low), float(high)) for low, high in ends), codes.astype(np.int64)


def _range(low: float, high: float) -> str:
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


def _of_gold(counts: Counts) -> Iterator[Grouping]:
    """Yield the groupings by gold's length, and by how often its words occur in all golds."""
    golds = () if counts.texts is None else counts.texts.golds
    if not any(golds):
        return
    words = [words_of(gold) for gold in golds]
    lengths = np.array([len(each) for each in words], np.float64)
    yield Grouping("words of gold", *bucketed(lengths, _range))
    seen = Counter(word for each in words for word in each)
    # The mean of logarithms: one common word among rare ones does not hide them.
    usual = np.array([math.fsum(math.log(seen[w]) for w in e) / max(len(e), 1) for e in words])
    ranges, codes = bucketed(np.round(usual, 9), _range)
    if len(ranges) == BUCKETS:
        names: tuple[str, ...] = ("rarest quarter", "rarer than most", "commoner", "commonest")
    else:
        names = tuple(f"step {k + 1} of {len(ranges)}" for k in range(len(ranges)))
    yield Grouping("frequency of gold's words", names, codes)


def _of_score(both: NDArray[np.float64]) -> Iterator[Grouping]:
    if len(np.unique(np.round(both, 9))) > 3:  # else they are but: both wrong, one right, both
        names, codes = bucketed(np.round(both, 9), _range)
        yield Grouping("mean score of both", names, codes, of_scores=True)


def _of_labels(counts: Counts, cluster: str | None) -> Iterator[Grouping]:
    chosen = [label for label in counts.labels if label != cluster]
    for label in chosen[:MOST_LABELS]:
        texts = counts.labels[label]
        values = natural_sorted(sorted(set(texts)))
        if 2 <= len(values) <= AUTOMATIC_VALUES and len(values) < len(texts):
            place = {value: k for k, value in enumerate(values)}
            codes = np.array([place[text] for text in texts], np.int64)
            yield Grouping(label, tuple(value or "(none)" for value in values), codes)
        elif len(values) > AUTOMATIC_VALUES:
            numbers = _numbers(texts)
            if numbers is not None:
                yield Grouping(label, *bucketed(numbers, _range))


def left_out(counts: Counts, found: Sequence[Grouping], cluster: str | None) -> tuple[str, ...]:
    """Return the labels that tell kinds of items apart, but have too many values to group by."""
    used = {each.by for each in found}
    several = (label for label in counts.labels if label not in used and label != cluster)
    return tuple(e for e in several if 1 < len(set(counts.labels[e])) < len(counts.items))


def _numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    try:
        found = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return found if np.isfinite(found).all() else None
