"""What a plan rests on: assumed scores, or a pilot, with every assumption in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tellapart.counts import Counts
from tellapart.counts.ordering import in_order
from tellapart.errors import DataError, Notice, UsageError
from tellapart.limits import CLUSTER_SIZE
from tellapart.metrics import Metric
from tellapart.metrics.projection import metrics_of
from tellapart.planning.pilot import Pilot
from tellapart.planning.populations import (
    INDEPENDENT,
    Clustering,
    Detections,
    RightOrWrong,
    check_share,
    highest_correlation,
)
from tellapart.significance.observed_spread import (
    ALIKE,
    FEW_DIFFERING,
    FEW_ITEMS,
    UNEVEN,
    ObservedPair,
    missing,
)
from tellapart.significance.power import fewest_items
from tellapart.words import listed, plural, several

Pair: TypeAlias = tuple[float, float]

CORRELATION = 0.5
"""Assumed of two systems over items where nothing is known: good systems fail on the same items"""
_VARIED = 0.2  # by so much the correlation is varied, to show what hangs on it
_FEW_PILOTS = 20


@dataclass(frozen=True, slots=True)
class Scenario:
    """A population to plan for, what its items are called, and what was assumed."""

    population: RightOrWrong | Detections | Pilot
    metric: str
    kind: str = "item"
    """What an item is called"""
    cluster: str | None = None
    """What a cluster is called; None where each item is a cluster of its own"""
    items_per_cluster: float = 1.0
    """On average"""
    clusters: int | None = None
    """How many there are already"""
    difference: float | None = None
    """The difference that the assumed scores have"""
    these_runs: bool = False
    """Whether the pilot's systems have several runs, which the plan takes as they are"""
    source: str = ""
    assumptions: tuple[str, ...] = ()
    variants: tuple[tuple[str, RightOrWrong | Detections], ...] = ()
    """The same under other correlations, by name"""
    notices: tuple[Notice, ...] = ()

    @property
    def exchanged(self) -> str:
        """What the test exchanges is called: a cluster, or an item where there are none."""
        return self.cluster or self.kind


def make_clustering(size: int | None, icc: float | None) -> Clustering:
    """Return the clustering with a size and an intra-cluster correlation: both, or neither.

    >>> make_clustering(10, 0.1)
    Clustering(size=10, icc=0.1)
    """
    if size is None and icc is None:
        return INDEPENDENT
    if size is None or icc is None:
        raise UsageError(
            "--cluster-size and --icc go together: how many items a cluster has, and how alike "
            "they are, from 0 (no more than any others) to 1 (all the same)"
        )
    CLUSTER_SIZE.checked(size, "--cluster-size")
    check_share("--icc", icc)
    return Clustering(size, icc) if size > 1 else INDEPENDENT


def from_scores(
    first: float,
    second: float,
    *,
    correlation: float | None = None,
    agreement: float | None = None,
    clustering: Clustering = INDEPENDENT,
) -> Scenario:
    """Return the scenario of two assumed accuracies.

    >>> from_scores(0.7, 0.75).assumptions[0]
    'correlation of the systems over items: 0.5, or the most that the scores allow'
    """
    for score in (first, second):
        check_share("--scores", score)
    if correlation is not None and agreement is not None:
        raise UsageError("give --correlation or --agreement, not both: one follows from the other")
    default = min(CORRELATION, highest_correlation(first, second))
    chosen = default if correlation is None else correlation
    pair = RightOrWrong(first, second, chosen, agreement, clustering)
    variants: tuple[tuple[str, RightOrWrong], ...] = ()
    if agreement is None:
        alike = _correlation_words(chosen, default=correlation is None)
        variants = tuple(
            (f"{value:g}", replace(pair, correlation=value))
            for value in _around(chosen, highest_correlation(first, second))
        )
    else:
        alike = f"the systems are both right or both wrong on {100 * agreement:g} % of the items"
    return Scenario(
        pair,
        "accuracy",
        cluster=None if clustering is INDEPENDENT else "cluster",
        items_per_cluster=float(clustering.size),
        difference=abs(first - second) or None,
        source=f"assumed scores {first:g} and {second:g}",
        assumptions=(
            alike,
            f"for other differences the first score stays {first:g}, and the other moves",
            *_dependence_words(clustering, "item"),
        ),
        variants=variants,
    )


def from_detections(
    precision: Pair,
    recall: Pair,
    *,
    gold_per_item: float = 1.0,
    correlation: float | None = None,
    clustering: Clustering = INDEPENDENT,
) -> Scenario:
    """Return the scenario of two systems with assumed precision and recall, planned for by F1.

    >>> round(from_detections((0.8, 0.82), (0.6, 0.65)).difference, 3)
    0.039
    """
    for name, pair in (("--precision", precision), ("--recall", recall)):
        for value in pair:
            check_share(name, value)
    highest = highest_correlation(*recall)
    chosen = min(CORRELATION, highest) if correlation is None else correlation
    found = Detections(precision, recall, gold_per_item, chosen, clustering)
    points = (f"{p:g}/{r:g}" for p, r in zip(precision, recall, strict=True))
    return Scenario(
        found,
        "f1",
        cluster=None if clustering is INDEPENDENT else "cluster",
        items_per_cluster=float(clustering.size),
        difference=found.assumed or None,
        source=f"assumed precision/recall {' and '.join(points)}",
        assumptions=(
            _correlation_words(chosen, default=correlation is None),
            f"an item has {gold_per_item:g} to find on average; that number, and that of spurious "
            "ones, varies as if each came by itself (Poisson)",
            "for other differences the first system stays, and the other moves, in precision and "
            "recall alike",
            *_dependence_words(clustering, "item"),
        ),
        variants=tuple(
            (f"{value:g}", replace(found, correlation=value)) for value in _around(chosen, highest)
        ),
    )


def from_pilot(
    counts: Counts,
    metric: str | Metric,
    *,
    pair: Sequence[str] | None = None,
    cluster: str | None = None,
    clustering: Clustering = INDEPENDENT,
    level: float = 0.05,
) -> Scenario:
    """Return the scenario of two systems that were seen on a pilot test set."""
    if cluster is not None and clustering is not INDEPENDENT:
        raise UsageError(
            "the pilot has clusters (--cluster): --cluster-size and --icc are not needed"
        )
    counts = in_order(counts)
    names = two_systems(counts, pair)
    if cluster is not None:
        counts = counts.by(cluster)
    kind, n = counts.kind, len(counts.items)
    item = counts.cluster or kind
    check_enough_items(n, item, level)
    pilot = Pilot.of(counts, metric, clustering, names)
    _check_pilot(pilot.observed, item, level)
    measured = abs(pilot.measured)
    notices = list(counts.notices)
    if n < _FEW_PILOTS:
        text = f"A pilot of {several(n, item)} says little about how much {plural(item)} vary."
        notices.append(Notice("few-units", text))
    return Scenario(
        pilot,
        pilot.metric,
        kind=kind,
        cluster=counts.cluster or (None if clustering is INDEPENDENT else "cluster"),
        items_per_cluster=float(counts.sizes.mean()) * clustering.size,
        clusters=n if clustering is INDEPENDENT else max(1, n // clustering.size),
        these_runs=bool(counts.runs)
        and any(len(counts.runs[counts.names.index(name)]) > 1 for name in names),
        source=f"pilot: {names[0]} and {names[1]} on {several(n, item)}, {measured:.3f} apart",
        assumptions=(
            f"new {plural(item)} vary as those of the pilot do, and systems are as alike as these",
            *(_dependence_words(clustering, kind) if counts.cluster is None else ()),
        ),
        notices=tuple(notices),
    )


def _check_pilot(pair: ObservedPair, item: str, level: float) -> None:
    """Refuse a pilot that cannot tell what other items would show, where a report does not either.

    >>> from tellapart.significance.observed_spread import ObservedPair
    >>> _check_pilot(ObservedPair(100, 30, 0.5, 99.0, step=1.0), "item", level=0.05)
    """
    found = {
        FEW_DIFFERING: f"the systems differ on {pair.differing} of {several(pair.items, item)}",
        FEW_ITEMS: f"a pilot of {several(pair.items, item)}",
        ALIKE: f"all {plural(item)} add the same to the difference",
        UNEVEN: f"a few {plural(item)} make up most of the differences",
    }.get(missing(pair, level, "two") or "")
    if found is not None:
        raise DataError(
            f"{found}: too little to tell how much others would differ; take a pilot of more "
            f"{plural(item)}, or plan from assumed --scores"
        )


def check_enough_items(items: int, item: str, level: float) -> None:
    """Refuse a number of items on which no outcome at all could be significant.

    >>> check_enough_items(6, "document", level=0.05)
    """
    least = fewest_items(level)
    if items < least:
        smallest = min(1.0, 2.0 ** (1 - items))
        raise UsageError(
            f"with {several(items, item)} the smallest two-sided p is {smallest:g} (2/2^{items}), "
            f"so that no difference can be found at {level:g}; it takes {least} or more"
        )


def one_metric(counts: Counts, metrics: Sequence[str | Metric] | None, named: bool) -> str | Metric:
    """Return the metric to plan for: the one that was named, or F1, or the only one.

    >>> one_metric(Counts.from_arrays({"A": [1, 0], "B": [1, 1]}), ["mean"], named=True)
    'mean'
    """
    found = list(metrics or metrics_of(counts))
    if len(found) == 1:
        return found[0]
    names = [each if isinstance(each, str) else each.name for each in found]
    if not named and "f1" in names:
        return found[names.index("f1")]
    raise UsageError(f"one metric at a time: choose with --metric one of {listed(names)}")


def two_systems(counts: Counts, pair: Sequence[str] | None) -> tuple[str, str]:
    """Return the names of the two systems to plan for."""
    if len(counts.names) < 2:
        raise UsageError(
            f"there is one system, {counts.names[0]!r}: a pilot needs two, to see how systems "
            "differ; with none, plan from --scores"
        )
    if pair is None and len(counts.names) > 2:
        raise UsageError(
            f"there are {len(counts.names)} systems: choose two with --pair A B, of "
            f"{listed(counts.names)}"
        )
    first, second = counts.names if pair is None else counts.systems[tuple(pair)].names
    return first, second


def _correlation_words(chosen: float, *, default: bool) -> str:
    words = f"correlation of the systems over items: {chosen:.2g}"
    if default and chosen < CORRELATION:
        return f"{words}, the most that these scores allow, or less where they allow less"
    if not chosen:
        return words
    return f"{words}, or the {'most' if chosen > 0 else 'least'} that the scores allow"


def _dependence_words(clustering: Clustering, kind: str) -> tuple[str, ...]:
    if clustering is INDEPENDENT:
        return (f"{plural(kind)} do not depend on each other",)
    return (
        f"clusters of {clustering.size} {plural(kind)} are exchanged as a whole; intra-cluster "
        f"correlation {clustering.icc:g} (design effect {clustering.design_effect:.3g})",
    )


def _around(chosen: float, highest: float) -> list[float]:
    """Return correlations below and above the chosen one, as far as they can be."""
    near = (round(chosen - _VARIED, 4), round(chosen + _VARIED, 4))
    return [value for value in near if -1 <= value <= highest]
