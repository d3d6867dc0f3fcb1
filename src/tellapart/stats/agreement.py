"""How far a judge agrees with people: equal scores, kappa, correlation, sensitivity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tellapart.stats.intervals import clustered_wilson, mean_interval
from tellapart.stats.ppi import MOST_GRADES
from tellapart.stats.result import Floats, Interval, Ints, codes, paired_samples


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
