"""Judges: how far one agrees with people, and what it likes beside the answer.

Agreement is equal scores, kappa, correlation, sensitivity. What a judge of two outputs may like is
the first place, or the longer text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats.intervals import clustered_wilson, mean_interval
from tellapart.stats.ppi import MOST_GRADES
from tellapart.stats.result import Flags, Floats, Interval, Ints, codes, paired_samples, sample, t_p


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of judge and people on the items that both scored; None where it is undefined.

    >>> agreement([1, 1, 0, 0, 1], [1, 1, 0, 1, 1]).share
    0.8
    """

    share: float | None = None
    share_interval: Interval | None = None
    kappa: float | None = None
    kappa_interval: Interval | None = None
    correlation: float | None = None
    correlation_interval: Interval | None = None
    sensitivity: float | None = None
    """The judge's mean score of what people call right, where they say right or wrong"""
    sensitivity_interval: Interval | None = None
    specificity: float | None = None
    """How far it falls short of 1 on what people call wrong"""
    specificity_interval: Interval | None = None


def agreement(
    judge: ArrayLike,
    people: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Agreement:
    """Return the agreement of a judge with people.

    The interval of the share is Wilson's, that of kappa the same with the agreement by chance taken
    as known, that of the correlation Fisher's; clusters make them as wide as they must be. Of right
    and wrong answers there are also sensitivity and specificity, as means of bounded scores.

    Args:
        judge: the judge's score of each item.
        people: people's. Where the scores are not few grades of one scale, there is only a
            correlation.
        clusters: which items belong together.
        confidence_level: of the intervals.

    >>> found = agreement([1, 1, 1, 0, 0, 1, 0, 0], [1, 1, 0, 0, 0, 1, 1, 0])
    >>> found.share, found.kappa, round(found.correlation, 6)
    (0.75, 0.5, 0.5)
    >>> found.sensitivity, found.specificity
    (0.75, 0.75)

    """
    from scipy.special import ndtri

    first, second = (values.astype(np.float64) for values in paired_samples(judge, people))
    groups = np.arange(len(first)) if clusters is None else codes(clusters, len(first))
    sizes = np.bincount(groups).astype(np.float64)
    quantile = float(ndtri((1 + confidence_level) / 2))
    correlation = _correlation(first, second, len(sizes), quantile)
    binary = _of_right_and_wrong(first, second, groups, confidence_level)
    grades = np.union1d(first, second)
    if len(grades) > MOST_GRADES or not len(np.intersect1d(first, second)):
        return Agreement(None, None, None, None, *correlation, *binary)
    same = (first == second).astype(np.float64)
    share = float(same.mean())
    agreed = np.bincount(groups, same).astype(np.float64)
    interval = clustered_wilson(agreed, sizes, confidence_level)
    chance = math.fsum(float((first == g).mean() * (second == g).mean()) for g in grades)
    if chance >= 1:
        return Agreement(share, interval, None, None, *correlation, *binary)
    kappa = (share - chance) / (1 - chance)
    around = interval.shifted(-chance).scaled(1 / (1 - chance))
    return Agreement(share, interval, kappa, around, *correlation, *binary)


def _of_right_and_wrong(judge: Floats, people: Floats, groups: Ints, level: float) -> list[Any]:
    """Return sensitivity and specificity, each with its interval; nothing of other scores."""
    if not np.isin(people, (0.0, 1.0)).all() or judge.min() < 0 or judge.max() > 1:
        return []
    figures: list[Any] = []
    for called, agreed in ((1.0, judge), (0.0, 1 - judge)):
        asked = people == called
        if not asked.any():
            figures += [None, None]
            continue
        sums, sizes = (np.bincount(groups[asked], own[asked]) for own in (agreed, asked))
        kept = sizes > 0
        interval = mean_interval(sums[kept], sizes[kept], level, unit_interval=True)
        figures += [float(agreed[asked].mean()), interval]
    return figures


def _correlation(
    first: Floats, second: Floats, n_units: int, quantile: float
) -> tuple[float | None, Interval | None]:
    """Return Pearson's correlation with Fisher's interval, for which clusters count once each."""
    if len(first) < 2 or first.std() == 0 or second.std() == 0:
        return None, None
    r = float(np.clip(np.corrcoef(first, second)[0, 1], -1.0, 1.0))
    if n_units < 5 or abs(r) > 1 - 1e-12:
        return r, None
    middle, half = math.atanh(r), quantile / math.sqrt(n_units - 3)
    return r, Interval(math.tanh(middle - half), math.tanh(middle + half), "fisher")


_NOTHING = 1e-12  # below which a mean, or its error, is there by rounding alone


@dataclass(frozen=True, slots=True)
class Bias:
    """How often something other than the system won, and whether that is chance."""

    rate: float
    """The share of judgments that it won, ties as half; 1/2 if the judge does not care"""
    p: float | None
    """Two-sided, by t over units; None where one unit is all there is"""
    n: int
    """Units, such as prompts, that tell"""


def position_bias(
    units: ArrayLike, first: ArrayLike, second: ArrayLike, points: ArrayLike
) -> Bias | None:
    """Return how often the first place won, whoever stood there; None where no pair tells.

    A system's points in the first place are held against its points in the second, pair by pair, so
    that a better system that was shown first more often does not count for the place.

    Args:
        units: what is independent, such as the prompt, of each judgment.
        first: the system in the first place.
        second: the one in the second place.
        points: of the first: 1 if it was preferred, 1/2 for a tie, 0 if the second was.

    >>> position_bias([0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 0], [1, 1, 1, 0.5]).rate
    0.875

    """
    prompts, one, two = (np.asarray(values, np.int64) for values in (units, first, second))
    won = sample(points, "points").astype(np.float64)
    if not len(prompts) == len(one) == len(two) == len(won):
        raise UsageError("units, first, second and points must have an entry for each judgment")
    a, b = np.minimum(one, two), np.maximum(one, two)
    a_first = one == a
    of_a = np.where(a_first, won, 1 - won)
    pair = np.unique(np.stack([a, b]), axis=1, return_inverse=True)[1].reshape(-1)
    # pairs × orders: how often each was shown, and a's mean points there
    cell = 2 * pair + ~a_first
    n_cells = 2 * (int(pair.max(initial=-1)) + 1)
    times = np.bincount(cell, minlength=n_cells)
    means = (np.bincount(cell, of_a, n_cells) / np.maximum(times, 1)).reshape(-1, 2)
    shown = times.reshape(-1, 2)
    weights = shown.prod(axis=1) / np.maximum(shown.sum(axis=1), 1)
    if not weights.any():
        return None
    weights = weights / weights.sum()
    excess = float(weights @ (means[:, 0] - means[:, 1])) / 2
    residuals = np.where(a_first, 1, -1) * (of_a - means.reshape(-1)[cell]) / times[cell]
    return _bias(excess, prompts, weights[pair] * residuals / 2, weights[pair] > 0)


def length_bias(units: ArrayLike, points: ArrayLike, lengths: ArrayLike) -> Bias | None:
    """Return how often the longer of two outputs won; None where none is known to be longer.

    Args:
        units: what is independent, such as the prompt, of each judgment.
        points: of the first: 1 if it was preferred, 1/2 for a tie, 0 if the second was.
        lengths: judgments × 2: those of the two outputs, NaN where they are not known.

    >>> length_bias([0, 1, 2], [1, 0, 1], [[9, 5], [4, 8], [3, 6]]).rate
    0.6666666666666666

    """
    prompts, won = np.asarray(units, np.int64), sample(points, "points").astype(np.float64)
    one, two = np.asarray(lengths, np.float64).reshape(-1, 2).T
    if not len(prompts) == len(won) == len(one):
        raise UsageError("units, points and lengths must have an entry for each judgment")
    known = (one < two) | (one > two)  # neither is so where one is not a number
    if not known.any():
        return None
    longer = np.where(one > two, won, 1 - won) - 0.5
    excess = float(longer[known].mean())
    moves = np.where(known, longer - excess, 0.0) / np.count_nonzero(known)
    return _bias(excess, prompts, moves, known)


def _bias(excess: float, units: Ints, moves: Floats, tells: Flags) -> Bias:
    """Return the bias by what each judgment adds to the error of its excess over 1/2, by t."""
    unit = np.unique(units[tells], return_inverse=True)[1].reshape(-1)
    sums = np.bincount(unit, moves[tells])
    n, p = len(sums), None
    error = math.sqrt(float(sums @ sums) * n / (n - 1)) if n > 1 else 0.0
    if error > _NOTHING:
        p = t_p(excess / error, n - 1)
    elif n > 1 and abs(excess) <= _NOTHING:
        p = 1.0
    return Bias(0.5 + excess, p, n)
