"""A judge whom people checked, as an adapter: prediction-powered means in an ordinary comparison.

The judge scored all items, people some. A system's score is the mean of people's scores, made surer
by the judge; the judge's weight is tuned for each system and pair, and the test is a t.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from tellapart.comparison.options import DEFAULTS, Options
from tellapart.comparison.record import Judged, JudgedPair, JudgedSystem, Notice
from tellapart.comparison.scored import (
    Compare,
    Extras,
    Intervals,
    Scored,
    check_comparable,
)
from tellapart.comparison.testing import Pairs, Work, pairs_to_test
from tellapart.counts import Counts
from tellapart.counts.ordering import in_order
from tellapart.errors import DataError, UsageError
from tellapart.metrics import Metric, mean
from tellapart.metrics.scores import RatioScores, score_counts
from tellapart.stats.corrections import METHODS, adjust
from tellapart.stats.judges import agreement
from tellapart.stats.ppi import (
    FEWEST_LABELS,
    Estimate,
    powered_difference,
    powered_mean,
    unlike_p,
    worth_in_labels,
)
from tellapart.stats.ppi import Judged as JudgedValues
from tellapart.stats.result import Floats, Interval, Ints, Test, alternative_of
from tellapart.words import several

ENOUGH_LABELS: Final = 20
"""From so many labels on, intervals of differences hold what they promise"""
_ENOUGH_CLUSTERS: Final = 20
_UNLIKE: Final = 0.01  # below this p, labelled items are no random part of all


class PoweredScores(RatioScores):
    """The judge's scores of all items, whose means are corrected by people's of some."""

    data: tuple[JudgedValues, ...]
    """What judge and people say of each system"""

    @cached_property
    def values(self) -> Floats:
        """Each system's score."""
        return np.array([powered_mean(own).value for own in self.data])

    def exact_score(self, system: int) -> Fraction:
        """Return a system's score."""
        return Fraction(float(self.values[system]))

    def differences(self, a: Ints, b: Ints) -> Floats:
        """Return the differences that the tests are about."""
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        return np.array([self.difference(*both).value for both in pairs])

    def difference(self, a: int, b: int) -> Estimate:
        """Return the difference of two systems, for which the judge's weight is tuned."""
        return powered_difference(self.data[a], self.data[b])


class PoweredIntervals(Intervals):
    """Intervals of prediction-powered means."""

    scores: PoweredScores

    def system(self, system: int, level: float) -> Interval:
        """Return the interval of a score."""
        return powered_mean(self.scores.data[system]).interval(level)

    def pairs(self, pairs: Pairs, levels: Sequence[float]) -> list[Interval | None]:
        """Return the intervals of differences."""
        return [
            self.scores.difference(a, b).interval(level)
            for (a, b, _), level in zip(pairs, levels, strict=True)
        ]


@dataclass(frozen=True)
class PoweredScored(Scored):
    """Means of people's scores that a judge's make surer, and what both say alone."""

    scores: PoweredScores

    of_items: ClassVar[bool] = False

    def tests(self, pairs: Pairs, work: Work) -> list[Test]:  # noqa: ARG002
        """Return the t tests of pairs, for each of which the judge's weight is tuned."""
        return [self.scores.difference(a, b).test(alternative_of(sign)) for a, b, sign in pairs]

    def intervals(self, work: Work) -> Intervals:
        """Return what makes the intervals of scores and differences."""
        return PoweredIntervals(self.scores, self.options, work)

    def extras(self, compare: Compare) -> Extras:
        """Return how judge and people agree, what each says alone, and notices of the labels."""
        counts, data = self.scores.counts, self.scores.data
        same, systems = _same_scale(data), zip(counts.names, data, strict=True)
        judged = Judged(
            counts.columns[0],
            counts.people_name,
            int(np.any([own.labelled for own in data], axis=0).sum()),
            tuple(_system(name, own, self.options.alpha, same) for name, own in systems),
            tuple(self._pairs(same, compare)),
        )
        return Extras(tuple(_notices(counts, data, same, self.options.cluster)), judged=judged)

    def _pairs(self, same: bool, compare: Compare) -> Iterator[JudgedPair]:
        """Yield what the judge alone says of each pair, and whom it favours."""
        counts, data = self.scores.counts, self.scores.data
        # The comparison that people would make of the judge's scores.
        judge, _ = compare(replace(counts, people=None, metrics=()), None, self.options)
        pairs, excess = pairs_to_test(self.scores, self.options), [own.excess for own in data]
        favours = [powered_difference(excess[a], excess[b]) for a, b, _ in pairs]
        favour_p = adjust([favour.test().p or 1.0 for favour in favours], "holm").tolist()
        for (a, b, _), favour, p in zip(pairs, favours, favour_p, strict=True):
            people = powered_difference(data[a].people_alone, data[b].people_alone)
            labels = min(data[a].n_labels, data[b].n_labels)
            first, second = counts.names[a], counts.names[b]
            more = first if (favour.value > 0) == (not counts.lower) else second
            yield JudgedPair(
                first,
                second,
                judge.pair(first, second),
                worth_in_labels(self.scores.difference(a, b), people, labels, len(counts.items)),
                favour.value if same else None,
                more if same and p <= self.options.alpha else None,
            )


def judged_values(counts: Counts, cluster: str | None) -> tuple[JudgedValues, ...]:
    """Return for each system what the judge says of all items, and what people say of some."""
    assert counts.people is not None
    judge = counts.values[:, :, 0] / float(counts.scales[0])
    clusters = None if cluster is None else counts.codes(cluster)
    both = zip(judge, counts.people, strict=True)
    return tuple(JudgedValues.of(own, people, clusters) for own, people in both)


def score_judged(
    counts: Counts, metrics: Sequence[str | Metric] | None, options: Options
) -> tuple[Scored, ...]:
    """Return the means by a judge's scores of all items corrected by people's of some.

    The labelled items must be a random part of all items.
    """
    if metrics:
        raise UsageError("scores of a judge and people are compared by what both say: drop metrics")
    for name in ("test", "margin", "by", "min_confidence", "cost"):
        if getattr(options, name) != DEFAULTS[name]:
            raise UsageError(
                f"scores of a judge and people have a test of their own: drop "
                f"--{name.replace('_', '-')}"
            )
    if options.correction not in METHODS:
        raise UsageError(
            f"--correction {options.correction} needs exchanges, and a judge has a t test"
        )
    counts = in_order(counts)
    data = judged_values(counts, options.cluster)
    _check_labels(counts, data)
    judge, name = counts.columns[0], f"{counts.columns[0]} corrected by {counts.people_name}"
    metric = mean(judge, name, higher_is_better=judge not in counts.lower)
    counts = replace(counts, metrics=(metric,))
    check_comparable(counts, [metric], options)
    plain = score_counts(counts, metric)
    assert isinstance(plain, RatioScores)
    powered = PoweredScores(
        plain.metric, counts, plain.columns, plain.step, plain.factor, plain.exact
    )
    powered.data = data
    return (PoweredScored(powered, powered, options),)


def _check_labels(counts: Counts, data: Sequence[JudgedValues]) -> None:
    """Refuse labels from which nothing can be worked out, naming the system."""
    for name, own in zip(counts.names, data, strict=True):
        if own.n_labels < FEWEST_LABELS:
            raise DataError(
                f"people labelled {several(own.n_labels, counts.kind)} of {name}; label at least "
                f"{FEWEST_LABELS}, better {ENOUGH_LABELS} or more"
            )


def _ranges(data: Sequence[JudgedValues]) -> dict[str, list[float]]:
    """Return the least and the largest score that the judge gave, and people."""
    judge = np.concatenate([own.judge for own in data])
    people = np.concatenate([own.people[own.labelled] for own in data])
    scores = {"judge": judge, "people": people}
    return {who: [float(given.min()), float(given.max())] for who, given in scores.items()}


def _same_scale(data: Sequence[JudgedValues]) -> bool:
    """Return whether judge and people give scores of one scale, as far as scores tell."""
    (low, high), (least, most) = _ranges(data).values()
    if min(low, least) >= 0 and max(high, most) <= 1:
        return True
    wide = sorted((high - low, most - least))
    return low <= most and least <= high and wide[1] <= 2 * wide[0]


def _system(name: str, judged: JudgedValues, alpha: float, same: bool) -> JudgedSystem:
    both, people = powered_mean(judged), powered_mean(judged, 0.0)
    seen = judged.labelled
    clusters = None if judged.clusters is None else judged.clusters[seen]
    found = agreement(
        judged.judge[seen], judged.people[seen], clusters=clusters, confidence_level=1 - alpha
    )
    figures: dict[str, float | None] = {}
    for what in ("share", "kappa", "correlation", "sensitivity", "specificity"):
        interval: Interval | None = getattr(found, f"{what}_interval")
        figures[what] = getattr(found, what)
        figures[f"{what}_low"] = None if interval is None else interval.low
        figures[f"{what}_high"] = None if interval is None else interval.high
    bias = powered_mean(judged.excess, 0.0) if same else None
    return JudgedSystem(
        name,
        judged.n_labels,
        float(judged.judge.mean()),
        people.value,
        people.interval(1 - alpha).ends,
        worth_in_labels(both, people, judged.n_labels, len(judged.judge)),
        None if bias is None else bias.value,
        None if bias is None else bias.interval(1 - alpha).ends,
        figures,
    )


def _notices(
    counts: Counts, data: Sequence[JudgedValues], same: bool, cluster: str | None
) -> Iterator[Notice]:
    """Yield what readers have to know of the labels."""
    unlike = {}
    for name, own in zip(counts.names, data, strict=True):
        p = unlike_p(own)
        if p < _UNLIKE / len(data):
            means = float(own.judge[own.labelled].mean()), float(own.judge[~own.labelled].mean())
            unlike[name] = {"labelled": means[0], "others": means[1], "p": p}
    if unlike:
        yield Notice("labels-not-random", tuple(unlike), {"systems": unlike})
    seen = [own.labelled for own in data]
    if (common := int(np.all(seen, axis=0).sum())) < np.any(seen, axis=0).sum():
        labels = {name: own.n_labels for name, own in zip(counts.names, data, strict=True)}
        yield Notice("labelled-apart", (), {"labels": labels, "common": common})
    few = min(own.n_labels for own in data)
    if few < ENOUGH_LABELS:
        yield Notice("few-labels", (), {"labels": few, "enough": ENOUGH_LABELS})
    if cluster is not None:
        codes = counts.codes(cluster)
        groups = min(len(np.unique(codes[own.labelled])) for own in data)
        if groups < _ENOUGH_CLUSTERS:
            numbers = {"clusters": groups, "enough": _ENOUGH_CLUSTERS}
            yield Notice("few-labelled-clusters", (cluster,), numbers)
    if not same:
        yield Notice("different-scales", (), dict(_ranges(data)))
