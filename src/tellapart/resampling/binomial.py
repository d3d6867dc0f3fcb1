"""Binomial chances and tails: of fair coins, and of any rate.

Where all differing items differ by as much, the exact null distribution is that of fair coins; what
shuffles tell about p is a tail of another rate. SciPy has all of it, but takes as long to import as
a small comparison takes to make.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

INTEGERS = 1_000
"""Up to so many coins, tails are sums of integers, rounded once"""

_DEVIATIONS = 40  # from the centre of fair coins, beyond which a double holds no tail
_EXACT_FACTORIALS = 16
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
_LAST = 1e-15  # factors nearer to 1 are one but for rounding
_NEARLY = 1e-9  # after a step of Newton's that is smaller, the next would change nothing
_MOST_TERMS, _MOST_STEPS = 100_000, 100  # which nothing in use comes near

Floats = NDArray[np.float64]


def ways(reached: int, n: int) -> int:
    """Return in how many of the 2^n ways n coins can fall there are so many heads or more.

    >>> ways(6, 7)
    8
    """
    return _ways(n)[n - reached] if 0 <= reached <= n else 0


def upper_tail(reached: int, n: int) -> float:
    """Return the probability of so many heads or more among n coins.

    >>> upper_tail(6, 7), upper_tail(0, 7)
    (0.0625, 1.0)
    """
    if reached <= 0:
        return 1.0
    if n <= INTEGERS:
        return float(ways(reached, n) / 2**n)
    if 2 * reached < n:
        return 1.0 - upper_tail(n - reached + 1, n)
    tails, place = _coin_tails(n), reached - (n + 1) // 2
    return float(tails[place]) if place < len(tails) else 0.0


def two_tails(difference: int, n: int) -> float:
    """Return the probability that heads and tails of n coins are at least so far apart.

    >>> two_tails(5, 7), two_tails(0, 8)
    (0.125, 1.0)
    """
    if abs(difference) <= n % 2:  # the tails meet: no sum of rounded halves says so exactly
        return 1.0
    return 2 * upper_tail((n + abs(difference)) // 2, n)


@lru_cache(maxsize=16)
def _ways(n: int) -> list[int]:
    """Return for k = 0 … n in how many ways at most k of n coins fall heads (at least n - k)."""
    terms, term = [1], 1
    for k in range(n):
        term = term * (n - k) // (k + 1)
        terms.append(term)
    return list(accumulate(terms))


@lru_cache(maxsize=16)
def _coin_tails(n: int) -> Floats:
    """Return the chances of half of n heads or more, of one more, …, until a double holds none."""
    half = (n + 1) // 2
    heads = np.arange(half, min(n, half + math.ceil(_DEVIATIONS * math.sqrt(n) / 2)))
    chances = np.cumprod(np.append(points(half, n, 0.5), (n - heads) / (heads + 1.0)))
    return np.cumsum(chances[::-1])[::-1]


def points(heads: ArrayLike, n: ArrayLike, rate: ArrayLike) -> Floats:
    """Return the chance of just so many heads among n coins that fall so at a rate.

    Arrays are taken element by element. The logarithms of factorials would cancel; what Stirling's
    formula leaves of them, and deviances, do not (Loader 2000).

    >>> points([0, 1, 2], 2, 0.5).round(12)
    array([0.25, 0.5 , 0.25])
    """
    k, n, rate = (np.asarray(each, np.float64) for each in (heads, n, rate))
    rest = n - k
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logarithm = _beyond_stirling(n) - _beyond_stirling(k) - _beyond_stirling(rest)
        logarithm = logarithm - _deviance(k, n * rate) - _deviance(rest, n * (1 - rate))
        inside = np.exp(logarithm) * np.sqrt(n / (2 * np.pi * k * rest))
        none = np.where(n == 0, 1.0, np.exp(n * np.log1p(-rate)))
    found = np.where(k == 0, none, np.where(rest == 0, rate**n, inside))
    return np.asarray(found, dtype=np.float64)


def _beyond_stirling(n: Floats) -> Floats:
    """Return log n! less n log n - n + log(2 pi n) / 2, for whole n from 1 on."""
    large = np.maximum(n, _EXACT_FACTORIALS)
    series = np.zeros_like(large)
    for coefficient in reversed(_STIRLING):
        series = series / (large * large) + coefficient
    small = _of_small()[np.minimum(n, _EXACT_FACTORIALS - 1).astype(np.int64)]
    return np.where(n < _EXACT_FACTORIALS, small, series / large)


@lru_cache(maxsize=1)
def _of_small() -> Floats:
    formulas = [(n / math.e) ** n * math.sqrt(2 * math.pi * n) for n in range(_EXACT_FACTORIALS)]
    return np.array([0.0, *(math.log(math.factorial(n) / formulas[n]) for n in range(1, 16))])


def _deviance(k: Floats, mean: Floats) -> Floats:
    """Return k log(k / mean) - (k - mean), by a series where the two are nearly the same."""
    off = k - mean
    part = off / (k + mean)
    near = np.abs(part) < 0.1
    part = np.where(near, part, 0.0)
    series = np.zeros_like(part)
    for power in range(17, 1, -2):
        series = (series + 1 / power) * part * part
    far = k * np.log(np.where(near, 1.0, k / mean)) - off
    return np.where(near, (off + 2 * k * series) * part, far)


def tails(heads: ArrayLike, n: ArrayLike, rate: ArrayLike) -> tuple[Floats, Floats]:
    """Return the chances of fewer heads than so many among n coins, and of so many or more.

    Arrays are taken element by element; the smaller chance of the two is not rounded to 1 less the
    other. By the continued fraction of the incomplete beta function.

    >>> [float(tail.round(12)) for tail in tails(1, 2, 0.1)]
    [0.81, 0.19]
    """
    some = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (heads, n, rate)))
    k, n, rate = some
    inside = (k > 0) & (k <= n)
    first, last = np.where(inside, k, 1.0), np.where(inside, n - k + 1, 1.0)
    scale = first * (1 - rate) * points(first, first + last - 1, rate)
    upper = rate * (first + last) < first  # the fraction converges on the smaller side alone
    a, b = np.where(upper, first, last), np.where(upper, last, first)
    x, rest = np.where(upper, rate, 1 - rate), np.where(upper, 1 - rate, rate)
    smaller = scale / _beta_fraction(a, b, x, rest)
    above = np.where(inside, np.where(upper, smaller, 1 - smaller), k <= 0)
    below = np.where(inside, np.where(upper, 1 - smaller, smaller), k > n)
    return np.asarray(below, np.float64), np.asarray(above, np.float64)


def _beta_fraction(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """Return x^a y^b / B(a, b) over the incomplete beta function, for x below a / (a + b).

    The even part of its continued fraction (Didonato and Morris 1992), from the front (Lentz).
    """
    lead = a * y - b * x + 1
    value = a * lead / (a + 1)
    over, under = value, np.zeros_like(value)
    for m in range(1, _MOST_TERMS):
        odd, left = a + (2 * m - 1), m * (b - m) * x
        top = (a + (m - 1)) * (a + b + (m - 1)) * left * x / (odd * odd)
        bottom = m + left / odd + (a + m) * (lead + m * (1 + y)) / (odd + 2)
        under = 1 / (bottom + top * under)
        over = bottom + top / over
        step = over * under
        value = value * step
        if not (np.abs(step - 1) > _LAST).any():
            break
    return np.asarray(value, dtype=np.float64)


def rates(heads: ArrayLike, n: ArrayLike, chance: float, *, above: bool) -> Floats:
    """Return the rate at which so many heads or more, or fewer, have such a chance, at most 1/2.

    `heads` lies between 1 and n.

    >>> float(rates(1, 2, 0.19, above=True).round(12))  # 0.9 ** 2 is 0.81
    0.1
    """
    k, n = (np.asarray(each, np.float64) for each in (heads, n))
    sign = 1 if above else -1
    z, share = -NormalDist().inv_cdf(chance), (k - 0.5) / n
    square = z * z / n
    spread = z * np.sqrt((share * (1 - share) + square / 4) / n)
    rate = (share + square / 2 - sign * spread) / (1 + square)  # Wilson's end, to begin with
    for _ in range(_MOST_STEPS):
        tail = tails(k, n, rate)[above]
        # The logarithm of the tail is concave in that of the rate, so that this gets there.
        move = np.log(chance / tail) * tail / (sign * k * points(k, n, rate))
        rate = np.minimum(rate * np.exp(move), (1 + rate) / 2)
        if not (np.abs(move) > np.maximum(_NEARLY * (1 - rate), _LAST)).any():
            break
    return np.asarray(rate, dtype=np.float64)
