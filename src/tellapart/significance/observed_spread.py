"""Observed spread: how much the items of a pair vary, how well that is known, and what follows.

A pair of systems on some items becomes a population of the power formulas
(`tellapart.significance.power`). Where items are won, lost or tied, and no more, the share on which
the systems differ stays what it was, and a true difference is by how much one wins more of it.
Otherwise items vary around any true difference as they did around the measured one. Few items do
not tell how much items vary; many pairs of systems on them tell more than one pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.significance.power import (
    WANTED,
    PowerCurve,
    Spread,
    fewest_items,
    found_size,
    probit,
    sides,
    sign_power,
)

FEW_ITEMS, FEW_DIFFERING, UNEVEN = "few-items", "few-differing", "uneven"
FEW_RUNS, UNREACHABLE, ALIKE = "few-runs", "unreachable", "alike"
OTHER_TEST, NO_TEST, NOTHING = "other-test", "no-test", "nothing-differs"
"""Why it is not told which difference would be found"""

_ROUND_OFF = 1e-12  # of a score; what varies less does not vary
_LARGEST = 10.0  # deviations: with six items or more, this is always found
# A deviation from few items is too small as often as too large, which costs more power than it
# gains: on average a test of power .8 finds .755 where the squared deviation has this share.
_UNSURE = (probit(WANTED) / probit(0.755)) ** 2 - 1
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


@dataclass(frozen=True, slots=True)
class ObservedPair:
    """Two systems as their items (clusters) showed them: a population of any true difference.

    >>> pair = ObservedPair(items=100, differing=12, deviation=0.35, freedom=99.0, step=1.0)
    >>> pair.largest, round(pair.spread(0.02).wins, 6)
    (0.12, 0.07)
    """

    items: int
    differing: int
    """On how many items the systems differ"""
    deviation: float
    """The standard deviation of an item's contribution to the difference"""
    freedom: float
    """From how many independent items, less one, that deviation could be as well known"""
    grain: float = 0.0
    """Half a step of the sum of exchanged differences, where it moves in equal steps"""
    step: float | None = None
    """What a win is worth in score, where an item is won, lost or tied, and no more"""
    share: float | None = None
    """The share of items that differ, where more pairs than this one tell it"""

    @property
    def differing_share(self) -> float:
        """The share of items on which the systems differ."""
        return self.differing / self.items if self.share is None else self.share

    @property
    def largest(self) -> float:
        """The largest difference to speak of: one system wins wherever they differ."""
        return _LARGEST * self.deviation if self.step is None else self.step * self.differing_share

    def spread(self, difference: float) -> Spread:
        """Return how items spread if that is the true difference."""
        if self.step is None:
            return Spread(difference, self.deviation, self.grain)
        differing, lead = self.differing_share, min(difference, self.largest) / self.step
        deviation = self.step * math.sqrt(max(differing - lead**2, 0.0))
        wins, losses = (differing + lead) / 2, max(0.0, (differing - lead) / 2)
        return Spread(difference, deviation, self.grain, wins, losses)


@dataclass(frozen=True, slots=True)
class Detectable:
    """The difference that a test finds so often, or the reason why that is not told."""

    difference: float | None
    reason: str | None = None


def detectable(pair: ObservedPair, curve: PowerCurve, wanted: float = WANTED) -> Detectable:
    """Return which true difference a test would find so often on as many items.

    >>> pair = ObservedPair(items=100, differing=3, deviation=0.17, freedom=99.0, step=1.0)
    >>> detectable(pair, PowerCurve(pair, 0.05)).reason
    'few-differing'
    """
    reason = missing(pair, curve.level, curve.tail, wanted)
    if reason is not None and (curve.exchanges or reason != UNREACHABLE):
        return Detectable(None, reason)
    if pair.step is None:  # in deviations, a mean of so many items is the same for all pairs
        size = found_size(pair.items, curve.level, curve.tail, curve.exchanges, wanted)
        return Detectable(pair.deviation * size + pair.grain / pair.items)
    # Many pairs differ on as many items: what is found of one is found of all.
    share = float(f"{pair.differing_share:.12g}")
    settings = curve.level, curve.tail, curve.exchanges, wanted
    return Detectable(_won_or_lost(pair.items, share, pair.step, *settings))


@lru_cache(maxsize=4096)
def _won_or_lost(
    items: int, share: float, step: float, level: float, tail: str, exchanges: bool, wanted: float
) -> float | None:
    """Return which difference is found where a share of the items is won or lost."""
    pair = ObservedPair(items, items, 0.0, 0.0, step=step, share=share)
    return PowerCurve(pair, level, tail, exchanges).detectable(items, wanted)


def detectable_by_error(
    error: float, freedom: float, level: float, tail: str, wanted: float = WANTED
) -> Detectable:
    """Return which difference a t test with a standard error of its own would find so often.

    >>> detectable_by_error(0.1, 4.0, 0.05, "two").reason  # three runs of each system, say
    'few-runs'
    """
    if error <= 0 or freedom < _least_freedom(level, tail, wanted):
        return Detectable(None, FEW_RUNS)
    size = found_size(freedom + 1, level, tail, False, wanted) * math.sqrt(freedom + 1)
    return Detectable(error * (1 + 1 / (2 * freedom)) * size)


def _least_freedom(level: float, tail: str, wanted: float) -> float:
    """Return the degrees of freedom with which a spread is known well enough."""
    return (probit(wanted) - probit(level / sides(tail))) ** 2 / (2 * _UNSURE)


def missing(pair: ObservedPair, level: float, tail: str, wanted: float = WANTED) -> str | None:
    """Return why these items cannot tell which difference would be found; None if they can."""
    if pair.differing == 0:
        return NOTHING
    if pair.items < fewest_items(level, tail):
        return UNREACHABLE
    # Even if one system won wherever they differ, this is how often that would be found.
    if not _often_enough(pair.items, pair.differing_share, level, tail, wanted):
        return FEW_DIFFERING
    if pair.step is not None:
        return None
    if pair.deviation <= 0:
        return ALIKE
    if pair.freedom >= _least_freedom(level, tail, wanted):
        return None
    return FEW_ITEMS if pair.freedom >= 0.5 * (pair.items - 1) else UNEVEN


@lru_cache(maxsize=4096)
def _often_enough(items: int, differing: float, level: float, tail: str, wanted: float) -> bool:
    many = items * differing > 100  # and no level in use is out of reach
    return many or sign_power(items, differing, 0.0, level, tail) >= wanted


def observed_pairs(
    projection: Projection,
    bound: Bound,
    terms: NDArray[np.float64] | None,
    pairs: Sequence[tuple[int, int]],
) -> list[ObservedPair | None]:
    """Return what pairs of systems show by one metric; None where their spread is not known.

    `terms` are those of which standard errors are made (`diagnostics.error_terms`). Spreads that
    are as alike as chance would make them are taken to be the same, and others the less so the more
    they differ.
    """
    if terms is None or projection.counts.present is not None:
        return [None] * len(pairs)
    alone = [_observed(projection, bound, terms, a, b) for a, b in pairs]
    return list(_moderated(alone, len({system for pair in pairs for system in pair})))


def _observed(
    projection: Projection, bound: Bound, terms: NDArray[np.float64], a: int, b: int
) -> ObservedPair:
    items = terms.shape[1]
    squares = (terms[a] - terms[b]) ** 2
    total = float(squares.sum())
    differing = int(projection.discordant(bound, a, b).sum())
    deviation = math.sqrt(total * items)
    if deviation <= _ROUND_OFF * max(abs(float(projection.score(bound, k))) for k in (a, b)):
        deviation = 0.0
    pair = ObservedPair(items, differing, deviation, _freedom(squares, total))
    if not isinstance(bound, BoundRatio) or not projection.same_denominators(bound, a, b):
        return pair
    steps = np.abs(projection.shifts(bound, a, b)[0])
    step = int(np.gcd.reduce(steps))
    if not step:
        return pair
    # What one step of one item's numerator is worth, as a contribution to a mean.
    worth = step * items * float(bound.factor) / float(projection.totals[bound.denominator, a])
    return replace(pair, grain=worth, step=worth if int(steps.max()) == step else None)


def _freedom(squares: NDArray[np.float64], total: float) -> float:
    """Return the degrees of freedom of a variance: fewer where a few items make up most of it."""
    items = len(squares)
    if total <= 0:
        return float(items - 1)
    tails = items * float((squares**2).sum()) / total**2  # the kurtosis; 3 of normal items
    return min(items - 1.0, 2.0 * items / max(tails - 1.0, 1e-9))


def _moderated(pairs: Sequence[ObservedPair], systems: int) -> Iterator[ObservedPair]:
    """Yield pairs whose variances are drawn to a common one, as far as they are alike.

    By the empirical Bayes estimate of Smyth (2004).
    """
    known = [pair for pair in pairs if pair.deviation > 0]
    prior, weight = 0.0, 0.0
    if len(known) > 2:
        prior, weight = _common_variance(known)
    for pair in pairs:
        if pair.deviation <= 0:
            yield pair
            continue
        variance, freedom = pair.deviation**2, pair.freedom
        if weight:
            share = weight / (weight + freedom) if math.isfinite(weight) else 1.0
            variance += share * (prior - variance)
            freedom = min(freedom + weight, freedom * (systems - 1))
        ratio = variance / pair.deviation**2
        # A quarter makes the deviation unbiased; as much again, since one that is too small costs
        # more power than one that is too large gains.
        deviation = math.sqrt(variance) * (1 + 1 / (2 * freedom))
        # With more of the variance, more items differ; more than all of them cannot.
        part = None if pair.step is None else min(1.0, ratio * pair.differing / pair.items)
        yield replace(pair, deviation=deviation, freedom=freedom, share=part)


def _common_variance(pairs: Sequence[ObservedPair]) -> tuple[float, float]:
    """Return the variance that pairs have in common, and how many degrees of freedom it is worth.

    These are infinite where the variances differ no more than by chance.
    """
    halves = np.array([pair.freedom for pair in pairs]) / 2
    logarithms = np.log(np.array([pair.deviation**2 for pair in pairs]))
    logarithms += np.log(halves) - digamma(halves)
    middle = float(logarithms.mean())
    excess = float(logarithms.var(ddof=1) - trigamma(halves).mean())
    if excess <= 0:
        return math.exp(middle), math.inf
    half = (1 + math.sqrt(1 + 2 * excess)) / (2 * excess)  # the inverse of trigamma, nearly
    return math.exp(middle + float(digamma(half)) - math.log(half)), 2 * half


def digamma(x: ArrayLike) -> NDArray[np.float64]:
    """Return the derivative of the logarithm of the gamma function, by its asymptotic series.

    >>> float(digamma(1.0).round(12))  # less Euler's constant
    -0.577215664902
    """
    near, far = _shifted(x)
    series = sum(b / (2 * k * far ** (2 * k)) for k, b in enumerate(_BERNOULLI, 1))
    return np.asarray(np.log(far) - 1 / (2 * far) - series - (1 / near).sum(axis=0))


def trigamma(x: ArrayLike) -> NDArray[np.float64]:
    """Return the second derivative of the logarithm of the gamma function.

    >>> float(trigamma(1.0).round(12))  # pi² / 6
    1.644934066848
    """
    near, far = _shifted(x)
    series = sum(b / far ** (2 * k + 1) for k, b in enumerate(_BERNOULLI, 1))
    return np.asarray(1 / far + 1 / (2 * far**2) + series + (near**-2).sum(axis=0))


def _shifted(x: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return x, x + 1, …, and the first of these that is large enough for the series."""
    steps = np.add.outer(np.arange(11.0), np.asarray(x, np.float64))
    return steps[:-1], steps[-1]
