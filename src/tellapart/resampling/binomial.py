"""Tails of fair coins: the exact null distribution where all differing items differ by as much."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

INTEGERS = 1_000
"""Up to so many coins, tails are sums of integers, rounded once"""


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
    from scipy.special import betainc

    return float(betainc(reached, n - reached + 1, 0.5))


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
