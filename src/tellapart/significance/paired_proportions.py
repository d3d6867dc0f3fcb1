"""The difference of two paired proportions: Tango's score statistic, its p-value and interval.

Two systems are right or wrong on the same n items; on `b` of them only the first is right, on `c`
only the second. The statistic divides (b - c) / n minus the supposed difference by the standard
error that fits that supposition, so that few discordant items are not taken for certainty (Tango
1998, Statistics in Medicine 17).
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError

Floats: TypeAlias = NDArray[np.float64]

_HALVINGS = 60  # of an interval of differences: to the last bits of a float


def tango_statistic(b: ArrayLike, c: ArrayLike, n: ArrayLike, shift: ArrayLike) -> Floats:
    """Return how many standard errors the measured difference lies above a supposed one.

    Arrays are taken element by element. Where the supposition leaves no spread, the statistic is
    infinite, or 0 if it is just what was measured.

    >>> float(tango_statistic(0, 1, 44, -0.1).round(3))  # Tango's contact lenses
    1.709
    """
    b, c, n, shift = (np.asarray(each, dtype=np.float64) for each in (b, c, n, shift))
    return np.asarray(_above(b, c, n, shift) / _spread(b, c, n, shift), dtype=np.float64)


def tango_p(b: ArrayLike, c: ArrayLike, n: ArrayLike, margin: ArrayLike) -> Floats:
    """Return the one-sided p against the first system losing the margin or more.

    >>> float(tango_p(0, 1, 44, margin=0.1).round(3))
    0.044
    """
    from scipy.special import ndtr

    shift = -np.asarray(margin, dtype=np.float64)
    return np.asarray(ndtr(-tango_statistic(b, c, n, shift)), dtype=np.float64)


def tango_interval(b: ArrayLike, c: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Return both ends of the interval of differences that the statistic does not reject.

    >>> low, high = tango_interval(6, 16, 161, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (-0.124, -0.0054)
    """
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval lies between 0 and 1, not at {level}")
    z = NormalDist().inv_cdf((1 + level) / 2)
    b, c, n = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (b, c, n)))
    # The upper end is the lower one with the systems exchanged.
    return _low_end(b, c, n, z), -_low_end(c, b, n, z)


def _low_end(b: Floats, c: Floats, n: Floats, z: float) -> Floats:
    """Return the shift below the measured difference at which the statistic is z."""
    low, high = np.full(b.shape, -1.0), (b - c) / n
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        rejected = tango_statistic(b, c, n, middle) > z
        low, high = np.where(rejected, middle, low), np.where(rejected, high, middle)
    return np.asarray((low + high) / 2, dtype=np.float64)


def _above(b: Floats, c: Floats, n: Floats, shift: Floats) -> Floats:
    """Return by how many items the first is ahead of what is supposed; rounding counts as tied."""
    above = b - c - n * shift
    return np.where(np.abs(above) <= 1e-12 * n, 0.0, above)


def _spread(b: Floats, c: Floats, n: Floats, shift: Floats) -> Floats:
    """Return the standard deviation of b - c under a supposed difference, never quite 0."""
    rate = only_second_rate(b, c, n, shift)
    variance = n * (2 * rate + shift * (1 - shift))
    return np.sqrt(np.maximum(variance, 1e-300))


def only_second_rate(b: ArrayLike, c: ArrayLike, n: ArrayLike, shift: ArrayLike) -> Floats:
    """Return the likeliest rate at which only the second system is right, given the difference.

    >>> float(only_second_rate(3, 5, 40, -0.05).round(9))
    0.125
    """
    b, c, n, shift = (np.asarray(each, dtype=np.float64) for each in (b, c, n, shift))
    linear = (2 * n - b + c) * shift - b - c
    root = np.sqrt(np.maximum(linear**2 + 8 * n * c * shift * (1 - shift), 0.0))
    # Of the two ways to write the root of a quadratic, the one that does not cancel.
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(
            linear > 0, 2 * c * shift * (1 - shift) / (linear + root), (root - linear) / (4 * n)
        )
    return np.asarray(np.maximum(found, np.maximum(0.0, -shift)), dtype=np.float64)
