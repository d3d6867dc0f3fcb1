"""The ratio of two means of the same items: Fieller's interval.

A ratio r is left if the mean of `a - r b` over the items is not shown to differ from 0 by t. Both
means may be uncertain, and the items that cost one system much may cost the other much, too.
(Fieller 1954, Journal of the Royal Statistical Society B 16.)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike


def fieller_interval(
    a: ArrayLike, b: ArrayLike, error: float, inflation: float = 1.0
) -> tuple[float, float | None] | None:
    """Return the ratios of the mean of `a` to that of `b` that are left, at a two-sided error.

    The upper end is None where the mean of `b` may be 0; there is no interval at all where nothing
    can be ruled out. `inflation` widens standard errors by what the items do not show.

    >>> low, high = fieller_interval([6, 5, 7, 6, 6], [10, 9, 11, 10, 10], 0.05)
    >>> round(low, 3), round(high, 3)
    (0.562, 0.632)
    """
    from scipy.special import stdtrit

    one, other = np.asarray(a, np.float64), np.asarray(b, np.float64)
    n = len(one)
    if n < 2:
        return None
    t = inflation * float(stdtrit(n - 1, 1 - error / 2))
    (var_a, cov), (_, var_b) = np.cov(one, other) / n
    mean_a, mean_b = float(one.mean()), float(other.mean())
    # The ratios for which (mean_a - r mean_b)^2 <= t^2 (var_a - 2 r cov + r^2 var_b).
    square = mean_b**2 - t**2 * float(var_b)
    half = mean_a * mean_b - t**2 * float(cov)
    rest = mean_a**2 - t**2 * float(var_a)
    root = half**2 - square * rest
    if square <= 0 or root < 0:
        return None
    low, high = ((half + sign * math.sqrt(root)) / square for sign in (-1, 1))
    return max(0.0, low), high
