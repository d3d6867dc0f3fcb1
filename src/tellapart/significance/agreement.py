"""How far a judge agrees with people: share of equal scores, Cohen's kappa, correlation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.significance.prediction_powered import Codes, Floats, Judged, powered_mean

Ends = tuple[float, float]
_MOST_GRADES: Final = 12


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of judge and people on the items that both scored; None where it is undefined."""

    share: float | None = None
    share_interval: Ends | None = None
    kappa: float | None = None
    kappa_interval: Ends | None = None
    correlation: float | None = None
    correlation_interval: Ends | None = None


def agreement(
    judge: Floats, people: Floats, level: float, clusters: Codes | None = None
) -> Agreement:
    """Return the agreement on labelled items; shares and kappa only where both give few grades.

    The interval of the share is Wilson's, that of kappa the same with the agreement by chance taken
    as known, that of the correlation Fisher's; clusters make them as wide as they must be.

    >>> judge, people = np.array([1.0, 1, 1, 0, 0, 1, 0, 0]), np.array([1.0, 1, 0, 0, 0, 1, 1, 0])
    >>> found = agreement(judge, people, 0.95)
    >>> found.share, found.kappa, round(found.correlation, 6)
    (0.75, 0.5, 0.5)
    """
    share = share_ends = kappa = kappa_ends = None
    if _graded(judge, people):
        same = (judge == people).astype(np.float64)
        estimate = powered_mean(Judged(same, same, _renumbered(clusters)))
        share = float(same.mean())
        share_ends = estimate.proportion_interval(level, len(same))
        if estimate.variance <= 0:  # all agree, or none: as if each were a label of its own
            share_ends = _wilson(share, len(same), level)
        chance = _by_chance(judge, people)
        if chance < 1:
            kappa = (share - chance) / (1 - chance)
            low, high = ((end - chance) / (1 - chance) for end in share_ends)
            kappa_ends = low, high
    correlation, ends = _correlation(judge, people, level, clusters)
    return Agreement(share, share_ends, kappa, kappa_ends, correlation, ends)


def _graded(judge: Floats, people: Floats) -> bool:
    """Return whether both give grades of one scale: few values, and no other ones of the judge."""
    grades = np.union1d(judge, people)
    return len(grades) <= _MOST_GRADES and len(np.intersect1d(judge, people)) > 0


def _by_chance(judge: Floats, people: Floats) -> float:
    """Return how often two would agree who give grades as often, but at random."""
    shares = [float((judge == g).mean() * (people == g).mean()) for g in np.union1d(judge, people)]
    return math.fsum(shares)


def _wilson(share: float, n: int, level: float) -> Ends:
    from scipy.special import ndtri

    z = float(ndtri(0.5 + level / 2))
    middle = (share + z * z / 2 / n) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / 4 / n**2) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def _renumbered(clusters: Codes | None) -> NDArray[np.intp] | None:
    if clusters is None:
        return None
    return np.asarray(np.unique(clusters, return_inverse=True)[1], np.intp)


def _correlation(
    judge: Floats, people: Floats, level: float, clusters: Codes | None
) -> tuple[float | None, Ends | None]:
    """Return Pearson's correlation with Fisher's interval, whose clusters count once each."""
    from scipy.special import ndtri

    if judge.std() == 0 or people.std() == 0:
        return None, None
    r = float(np.clip(np.corrcoef(judge, people)[0, 1], -1.0, 1.0))
    n = len(judge) if clusters is None else len(np.unique(clusters))
    if n < 5:
        return r, None
    if abs(r) > 1 - 1e-12:
        return r, None
    half = float(ndtri(0.5 + level / 2)) / math.sqrt(n - 3)
    middle = math.atanh(r)
    return r, (math.tanh(middle - half), math.tanh(middle + half))
