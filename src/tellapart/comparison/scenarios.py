"""What a plan rests on: the items of a pilot, or those that assumed scores would give."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np

from tellapart.comparison.diagnostics import pilot_of
from tellapart.comparison.margins import lead
from tellapart.comparison.replicates import spread_of_pair
from tellapart.counts import Counts
from tellapart.counts.ordering import in_order
from tellapart.errors import DataError, UsageError
from tellapart.metrics import Metric
from tellapart.metrics.scores import Scores, metrics_of, score_counts
from tellapart.stats import streams
from tellapart.stats.margins import BoundedMean, RightOrWrong
from tellapart.stats.power import (
    ALIKE,
    FEW_DIFFERING,
    FEW_ITEMS,
    NOTHING,
    UNEVEN,
    AssumedScores,
    ItemDifferences,
    Pilot,
    WinsAndLosses,
    clustered,
    detectable,
    read_pilot,
)
from tellapart.stats.result import Floats, smallest_p
from tellapart.stats.runs import Spread
from tellapart.stats.search import crossing
from tellapart.words import listed, plural, several

CORRELATION: Final = 0.5
"""Assumed of two systems over items: good systems fail on the same items"""
_VARIED = 0.2  # by so much the correlation is varied, to show what hangs on it
_DRAWN = 20_000  # items, of assumed precision and recall
_SHARES = 100_000  # items that show shares of right and wrong ones, in clusters

At: TypeAlias = Callable[[float], Pilot]
"""From a true difference to the pilot of systems that differ by so much"""
Two: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Basis:
    """What a plan rests on, in names and numbers."""

    source: str
    """``pilot``, ``scores``, ``f1`` or ``changes``"""
    metric: str = "accuracy"
    kind: str = "item"
    """What an item is called"""
    cluster: str | None = None
    """What a cluster is called; None where every item stands alone"""
    items_per_unit: float = 1.0
    units: int | None = None
    """Of the pilot: what the test exchanges, items or clusters"""
    difference: float | None = None
    """Of the pilot, or of the assumed scores"""
    systems: tuple[str, ...] = ()
    """Of the pilot"""
    assumed: dict[str, Any] = field(default_factory=dict)
    """By name: scores, precision, recall, gold_per_item, correlation, agreement, and of clusters
    their size and icc"""

    @property
    def unit(self) -> str:
        """What the test exchanges is called."""
        return self.cluster or self.kind


@dataclass(frozen=True, slots=True)
class Scenario:
    """Two systems to plan for."""

    basis: Basis
    at: At
    largest: float = math.inf
    """The largest difference that there can be"""
    moves: bool = False
    """Whether the pilot is another one for another difference"""
    variants: tuple[tuple[float, At], ...] = ()
    """The same under other correlations"""
    checked: Pilot | None = None
    """For margins: the pilot seen from the second system, with the bounds of items"""
    spread: Spread | None = None
    """Where the uncertainty of the pilot comes from, if runs or conditions could be others"""


@dataclass(frozen=True, slots=True)
class Clustering:
    """Clusters that are assumed: how many items one has, and how alike their differences are.

    >>> Clustering.of(10, 0.1), Clustering.of(None, None)
    (Clustering(size=10, icc=0.1), None)
    """

    size: int
    icc: float

    @classmethod
    def of(cls, size: int | None, icc: float | None) -> Clustering | None:
        """Return clusters of a size and an intra-cluster correlation: both, or neither."""
        if size is None and icc is None:
            return None
        if size is None or icc is None:
            raise UsageError(
                "--cluster-size and --icc go together: how many items a cluster has, and how alike "
                "they are, from 0 (no more than any others) to 1 (all the same)"
            )
        return cls(size, icc) if size > 1 else None

    def means(self, differences: Floats, seed: int) -> Pilot:
        """Return the mean differences of such clusters as a pilot."""
        return read_pilot(clustered(differences, self.size, self.icc, rng=seed))


def from_pilot(
    counts: Counts,
    metric: str | Metric,
    *,
    pair: Sequence[str] | None = None,
    cluster: str | None = None,
    clustering: Clustering | None = None,
    level: float = 0.05,
    seed: int = 0,
) -> Scenario:
    """Return two systems that were seen on a pilot test set."""
    if cluster is not None and clustering is not None:
        raise UsageError(
            "the pilot has clusters (--cluster): --cluster-size and --icc are not needed"
        )
    counts = in_order(counts.systems[two_systems(counts, pair)])
    if counts.present is not None:
        raise UsageError("the systems have items of their own; a pilot needs the same for both")
    counts = counts if cluster is None else counts.by(cluster)
    scores = score_counts(counts, metrics_of(counts, [metric])[0])
    check_enough_units(scores.n, counts.cluster or counts.kind, level)
    pilot = pilot_of(scores, 0, 1)
    if pilot is None:
        raise UsageError(f"metric {scores.name!r} is no function of sums: no plan for it")
    _check_pilot(pilot, scores, level)
    size = 1 if clustering is None else clustering.size
    planned = pilot
    if clustering is not None:
        terms = scores.terms(0, 1, "own")
        assert terms is not None
        planned = clustering.means(terms.values * scores.n, seed)
    basis = Basis(
        "pilot", scores.name, counts.kind, counts.cluster or (None if size == 1 else "cluster"),
        float(counts.sizes.mean()) * size, max(1, scores.n // size),
        float(scores.values[0] - scores.values[1]), counts.names, _in_clusters(clustering),
    )  # fmt: skip
    return Scenario(
        basis,
        lambda _: planned,
        pilot.largest,
        checked=checked_pilot(scores, 1, 0),
        spread=spread_of_pair(scores, 0, 1),
    )


def from_scores(
    first: float,
    second: float,
    *,
    correlation: float | None = None,
    agreement: float | None = None,
    clustering: Clustering | None = None,
    seed: int = 0,
) -> Scenario:
    """Return two systems with assumed shares of right items.

    How alike they are is a correlation over items, or the share of items on which both are right or
    both wrong, which stays. For other differences the first score stays, and the second moves.

    >>> from_scores(0.7, 0.75, agreement=0.8).basis.assumed["agreement"]
    0.8
    """
    if correlation is not None and agreement is not None:
        raise UsageError("give --correlation or --agreement, not both: one follows from the other")
    apart, largest = abs(first - second), 1 - first if second >= first else first
    alike: WinsAndLosses | None = None
    if agreement is not None:
        _check_agreement(agreement, first, second)
        largest = 1 - agreement
        alike = WinsAndLosses((largest + apart) / 2, (largest - apart) / 2, 1, assumed=True)

    def at(correlation: float) -> At:
        answers = alike or AssumedScores.of(first, second, correlation)
        if clustering is None or clustering.icc == 1:  # then a cluster is one item, many times
            return lambda _: answers
        return lambda difference: clustering.means(_outcomes(answers, difference), seed)

    return _assumed(
        Basis("scores", assumed={"scores": (first, second), "agreement": agreement}),
        apart, (first, second), correlation, clustering, at, largest,
        clustering is not None and clustering.icc < 1,
    )  # fmt: skip


def from_detections(
    precision: Two,
    recall: Two,
    *,
    gold_per_item: float = 1.0,
    correlation: float | None = None,
    clustering: Clustering | None = None,
    seed: int = 0,
) -> Scenario:
    """Return two systems with assumed precision and recall, planned for by F1.

    The number of gold things in an item, and of spurious ones that a system adds, are Poisson. The
    correlation is that of the systems over gold things, and of their spurious ones over items. For
    other differences the second system moves, in precision and recall alike.

    >>> round(from_detections((0.8, 0.82), (0.6, 0.65)).basis.difference, 3)
    0.039
    """
    if min(*precision, *recall) <= 0:
        raise UsageError("a precision or recall of 0 leaves nothing to plan; give more than 0")
    first, second = (_f1(p, r) for p, r in zip(precision, recall, strict=True))
    apart = 0.0 if math.isclose(first, second) else abs(first - second)
    sign = 1 if second > first or (not apart and first < 1) else -1

    def moved(step: float) -> Two:
        one, other = (min(1.0, max(1e-6, own[1] + sign * step)) for own in (precision, recall))
        return one, other

    def lead(step: float) -> float:
        return sign * (_f1(*moved(step)) - first)

    def at(correlation: float) -> At:
        def items(difference: float) -> Pilot:
            second = moved(crossing(lambda step: lead(step) - difference, -1.0, 1.0, xtol=1e-9))
            points = (precision[0], recall[0]), second
            drawn = sign * _detected(points, gold_per_item, correlation, seed)
            return read_pilot(drawn) if clustering is None else clustering.means(drawn, seed)

        return items

    given = {"precision": precision, "recall": recall, "gold_per_item": gold_per_item}
    return _assumed(
        Basis("f1", "f1", assumed=given), apart, recall, correlation, clustering, at, lead(1.0)
    )


def _assumed(
    basis: Basis,
    apart: float,
    shares: Two,
    correlation: float | None,
    clustering: Clustering | None,
    at: Callable[[float], At],
    largest: float,
    moves: bool = True,
) -> Scenario:
    """Return the scenario of assumed systems, and the same for other correlations over items."""
    highest = highest_correlation(*shares)
    chosen = min(CORRELATION, highest) if correlation is None else correlation
    if not -1 <= chosen <= highest + 1e-9:
        limit = "" if highest == 1 else f" for scores of {shares[0]:g} and {shares[1]:g}"
        raise UsageError(
            f"--correlation must lie between -1 and {highest:.3g}{limit}, not {chosen:g}"
        )
    near = [round(chosen + step, 4) for step in (-_VARIED, _VARIED)]
    cluster, size = (None, 1) if clustering is None else ("cluster", clustering.size)
    made = replace(
        basis,
        cluster=cluster,
        items_per_unit=float(size),
        difference=apart or None,
        assumed={**basis.assumed, "correlation": chosen, **_in_clusters(clustering)},
    )
    known = basis.assumed.get("agreement") is not None  # then no correlation is assumed
    variants = tuple((value, at(value)) for value in near if -1 <= value <= highest and not known)
    return Scenario(made, at(chosen), largest, moves, variants)


def checked_pilot(scores: Scores, a: int, b: int) -> Pilot | None:
    """Return what the items tell of the first system against a margin; None if that is nothing."""
    found = lead(scores, a, b)
    if isinstance(found, RightOrWrong):
        return WinsAndLosses(found.won, found.lost, found.items)
    if not isinstance(found, BoundedMean):
        return None
    values = np.repeat(found.values, found.times.astype(np.int64))
    return ItemDifferences.of(values, scores.differing(a, b), (found.lowest, found.highest))


def changed_items(share: float) -> WinsAndLosses:
    """Return right and wrong items of which a share is answered otherwise."""
    return WinsAndLosses(share / 2, share / 2, 1, assumed=True)


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
    first, second = counts.names if pair is None else pair
    return first, second


def one_metric(counts: Counts, metrics: Sequence[str | Metric] | None, named: bool) -> str | Metric:
    """Return the metric to plan for: the one that was named, or F1, or the only one.

    >>> one_metric(Counts.from_arrays({"A": [1, 0], "B": [1, 1]}), ["mean"], named=True)
    'mean'
    """
    known = list(metrics or metrics_of(counts))
    names = [each if isinstance(each, str) else each.name for each in known]
    if len(known) > 1 and (named or "f1" not in names):
        raise UsageError(f"one metric at a time: choose with --metric one of {listed(names)}")
    return known[names.index("f1") if len(known) > 1 else 0]


def check_enough_units(units: int, unit: str, level: float) -> None:
    """Refuse a number of items on which no outcome at all could be significant.

    >>> check_enough_units(6, "document", level=0.05)
    """
    if smallest_p(units, 0) > level:
        least = next(n for n in range(units, 10**6) if smallest_p(n, 0) <= level)
        raise UsageError(
            f"with {several(units, unit)} the smallest two-sided p is {smallest_p(units, 0):g} "
            f"(2/2^{units}), so that no difference can be found at {level:g}; it takes {least} or "
            "more"
        )


def _check_pilot(pilot: Pilot, scores: Scores, level: float) -> None:
    """Refuse a pilot that cannot tell what other items would show."""
    counts, reason = scores.counts, detectable(pilot, level=level).reason
    unit = counts.cluster or counts.kind
    if reason == NOTHING:
        raise DataError(
            f"{' and '.join(counts.names)} do not differ on any pilot {unit} by {scores.name}; a "
            "pilot must show how systems differ"
        )
    why = {
        FEW_DIFFERING: f"the systems differ on {scores.differing(0, 1)} of "
        f"{several(scores.n, unit)}",
        FEW_ITEMS: f"a pilot of {several(scores.n, unit)}",
        ALIKE: f"all {plural(unit)} add the same to the difference",
        UNEVEN: f"a few {plural(unit)} make up most of the differences",
    }.get(reason or "")
    if why is not None:
        raise DataError(
            f"{why}: too little to tell how much others would differ; take a pilot of more "
            f"{plural(unit)}, or plan from assumed --scores"
        )


def highest_correlation(first: float, second: float) -> float:
    """Return how far two systems of given shares of right items can be correlated over items.

    >>> highest_correlation(0.7, 0.7), round(highest_correlation(0.7, 0.9), 3)
    (1.0, 0.509)
    """
    spread = math.sqrt(first * (1 - first) * second * (1 - second))
    return min(1.0, (min(first, second) - first * second) / spread) if spread else 1.0


def _check_agreement(agreement: float, first: float, second: float) -> None:
    """Refuse systems that agree more or less often than their scores allow."""
    least, most = abs(first + second - 1), 1 - abs(first - second)
    if not least - 1e-9 <= agreement <= most + 1e-9:
        raise UsageError(
            f"--agreement {agreement:g}: systems with these scores agree on {least:.2f} of the "
            f"items or more, and on {most:.2f} or less"
        )


def _in_clusters(clustering: Clustering | None) -> dict[str, Any]:
    return {} if clustering is None else {"cluster_size": clustering.size, "icc": clustering.icc}


def _outcomes(answers: WinsAndLosses, difference: float) -> Floats:
    """Return items that are won, lost and tied as often as a difference asks."""
    won, lost = (round(_SHARES * rate) for rate in answers.rates(difference))
    return np.repeat([1.0, -1.0, 0.0], [won, lost, max(0, _SHARES - won - lost)])


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


# Gold things found by both, first, second, neither; spurious ones of both, first, second.
_TRUE = np.array([[1, 1, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0, 0]])
_FALSE = np.array([[0, 0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 1, 0, 1]])


def _detected(points: tuple[Two, Two], gold: float, correlation: float, seed: int) -> Floats:
    """Return what drawn items add to the difference of two F1, second minus first."""
    (one, other), scores = (recall for _, recall in points), [_f1(*point) for point in points]
    spread = math.sqrt(one * (1 - one) * other * (1 - other))
    both = min(one, other, max(0.0, one + other - 1, one * other + correlation * spread))
    extra = [recall * (1 - precision) / precision for precision, recall in points]
    shared = max(0.0, min(*extra, correlation * math.sqrt(extra[0] * extra[1])))
    rates = [both, one - both, other - both, 1 - one - other + both,
             shared, extra[0] - shared, extra[1] - shared]  # fmt: skip
    generator = streams.generator(seed, streams.POWER, _DRAWN)
    things = generator.poisson(np.maximum(rates, 0) * gold, (_DRAWN, 7))
    true, false = things @ _TRUE.T, things @ _FALSE.T
    sizes = true + false + things[:, :4].sum(axis=1, keepdims=True)
    parts = (2 * true - np.array(scores) * sizes) / sizes.mean(axis=0) + scores
    return np.asarray(parts[:, 1] - parts[:, 0])
