"""The difference of two paired proportions: Tango's score statistic, its p-values and intervals.

Two systems are right or wrong on the same n items; on `b` of them only the first is right, on `c`
only the second. The statistic divides (b - c) / n minus the supposed difference by the standard
error that fits that supposition, so that few discordant items are not taken for certainty (Tango
1998, Statistics in Medicine 17).

Its p is from the normal distribution or, for few items, exact: the chance of a statistic as large,
added up over all tables, at the rate of discordant items that makes it largest. Of these rates only
those count that the data leave possible; the risk of missing the true one is added to p (Berger and
Boos 1994, Journal of the American Statistical Association 89).
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError

Floats: TypeAlias = NDArray[np.float64]

EXACT_ITEMS = 100
"""Up to so many items p is exact; with more, the normal distribution errs by a hundredth at most"""

_HALVINGS = 60  # of an interval of differences: to the last bits of a float
_CLOSE = 1e-5  # enough for the ends of an exact interval
_RISK = 1e-5  # of leaving out the true rate of discordant items
_RATES, _FINER = 32, 8  # steps of the rates that are tried, and of a second look at the worst


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


@lru_cache(maxsize=4096)
def exact_p(b: int, c: int, n: int, margin: float) -> float:
    """Return the exact one-sided p against the first system losing the margin or more.

    >>> round(exact_p(0, 0, 5, margin=0.1), 4)  # five items that both have right, at best 0.9 ** 5
    0.5905
    """
    from scipy.special import betaincinv

    shift, discordant = -margin, b + c
    least = betaincinv(discordant, n - discordant + 1, _RISK / 2) if discordant else 0.0
    most = 1 - betaincinv(n - discordant, discordant + 1, _RISK / 2) if discordant < n else 1.0
    low, high = max(float(least), abs(shift)), min(float(most), 1.0)
    if low > high:
        return _RISK
    first = _least_wins(float(tango_statistic(b, c, n, shift)), n, shift)
    # On the scale of the arcsine the chances are about equally smooth everywhere.
    start, stop = (math.asin(math.sqrt(end)) for end in (low, high))
    for steps in (_RATES, _FINER):
        rates = np.linspace(start, stop, steps + 1)
        chances = _chance_of_wins(first, n, shift, np.clip(np.sin(rates) ** 2, low, high))
        worst = int(chances.argmax())
        start, stop = float(rates[max(worst - 1, 0)]), float(rates[min(worst + 1, steps)])
    return min(1.0, float(chances.max()) + _RISK)


def exact_low_end(b: int, c: int, n: int, alpha: float) -> float:
    """Return the lower end of the differences that the exact test does not reject.

    >>> round(exact_low_end(0, 0, 20, 0.05), 3)  # 0.861 ** 20 is 0.05
    -0.139
    """
    low, high = -1.0, (b - c) / n
    while high - low > _CLOSE:
        middle = (low + high) / 2
        rejected = exact_p(b, c, n, -middle) <= alpha
        low, high = (middle, high) if rejected else (low, middle)
    return high


def _least_wins(statistic: float, n: int, shift: float) -> NDArray[np.int64]:
    """Return, for each number of losses, the least wins that give so large a statistic.

    More than the items that are left where no number does; the statistic grows with the wins.
    """
    losses = np.arange(n + 1)
    low, high = np.zeros(n + 1, np.int64), n + 1 - losses
    while (low < high).any():
        middle = (low + high) // 2
        # Tables with the same statistic but for rounding are as extreme.
        reached = tango_statistic(middle, losses, n, shift) >= statistic - 1e-9
        low, high = (
            np.where(reached, low, np.minimum(middle + 1, high)),
            np.where(reached, middle, high),
        )
    return low


def _chance_of_wins(least: NDArray[np.int64], n: int, shift: float, discordant: Floats) -> Floats:
    """Return the chance of so many wins or more, whatever the losses, per rate of discordance."""
    from scipy.special import betainc, gammaln, xlogy

    losses, left = np.arange(n + 1), n - np.arange(n + 1)
    lost = np.clip((discordant - shift) / 2, 0.0, 1.0)[:, None]
    won = np.clip((discordant + shift) / 2, 0.0, 1.0)[:, None]
    ways = gammaln(n + 1) - gammaln(losses + 1) - gammaln(left + 1)
    weights = np.exp(ways + xlogy(losses, lost) + xlogy(left, 1 - lost))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(lost < 1, np.minimum(won / (1 - lost), 1.0), 0.0)
    open_ones = (least > 0) & (least <= left) & (weights.max(axis=0) > 1e-18)
    tails = np.broadcast_to((least <= 0).astype(np.float64), weights.shape).copy()
    some = least[open_ones]
    tails[:, open_ones] = betainc(some, left[open_ones] - some + 1, share)
    return np.asarray((weights * tails).sum(axis=1), dtype=np.float64)


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
