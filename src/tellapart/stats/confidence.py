"""How sure a p-value by shuffles is (Noreen 1989): of so many shuffles, some reached the data.

The exact p-value is unknown; the functions here say what the two counts tell about it. Arrays are
taken element by element.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats.result import Floats, Ints, probability


def confidence(exceedances: ArrayLike, n_resamples: ArrayLike, level: ArrayLike) -> Floats:
    """Return the confidence that the exact p-value is below a level, with a uniform prior for it.

    Args:
        exceedances: shuffles that were at least as extreme as the data.
        n_resamples: shuffles that were drawn.
        level: the level of the test, between 0 and 1.

    >>> confidence([930, 931, 989], 9999, 0.1).round(4)
    array([0.9903, 0.9894, 0.6354])

    """
    from scipy.special import betainc

    count, n = _checked_counts(exceedances, n_resamples)
    # Given the counts, p has a beta distribution: each is one larger by the uniform prior.
    return np.asarray(betainc(count + 1, n - count + 1, probability(level, "level")))


def p_interval(
    exceedances: ArrayLike, n_resamples: ArrayLike, confidence_level: float = 0.99
) -> tuple[Floats, Floats]:
    """Return both ends of the interval by Clopper and Pearson for the exact p-value.

    Args:
        exceedances: shuffles that were at least as extreme as the data.
        n_resamples: shuffles that were drawn.
        confidence_level: of the interval.

    >>> low, high = p_interval(49, 999)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0331, 0.0694)
    """
    from scipy.special import betainccinv, betaincinv

    count, n = _checked_counts(exceedances, n_resamples)
    tail = (1 - probability(confidence_level, "confidence_level")) / 2
    low = betaincinv(np.maximum(count, 1), n - count + 1, tail)
    high = betainccinv(count + 1, np.maximum(n - count, 1), tail)
    return np.where(count > 0, low, 0.0), np.where(count < n, high, 1.0)


def _checked_counts(exceedances: ArrayLike, n_resamples: ArrayLike) -> tuple[Ints, Ints]:
    count, n = np.asarray(exceedances, np.int64), np.asarray(n_resamples, np.int64)
    if (n < 1).any() or (count < 0).any() or (count > n).any():
        raise UsageError("exceedances must lie between 0 and the shuffles drawn, at least 1")
    return count, n
