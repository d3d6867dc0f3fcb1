"""Why two systems differ: on which items, by which words, and which labels explain it.

Three questions, each corrected (Holm) over all that it looks at. On which groups of items do the
systems differ? Does the difference depend on a grouping, so that it explains something? Which
n-grams of gold does one system get right and the other not?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.analysis import Analysis, make_analysis
from tellapart.comparison.groupings import Grouping, groupings, left_out
from tellapart.comparison.items import contributions, two_systems
from tellapart.comparison.ngrams import NgramResults, ngram_results
from tellapart.comparison.slices import slices
from tellapart.counts import Counts
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
    >>> found = reasons(counts, ("A", "B"), None, Options(), Execution(WorkerPool(1, None)))
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
