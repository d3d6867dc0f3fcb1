"""Power: how often a paired test finds a true difference, and which one it finds so often.

Where items are simply right or wrong the randomization test is a sign test, and its power is a sum
of binomials. Otherwise it is that of the t test at the level that exchanges can reach, less half a
step of the sums where they move in steps; where the level lets only a few exchanges through, it is
counted on simulated normal items. Items are what the test exchanges: where they come in clusters,
the items of these formulas are the clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tellapart.resampling import binomial
from tellapart.significance.student_t import t_quantile, t_tail

WANTED = 0.8
"""How often a difference should be found, unless somebody asks for another share"""
SIGN_ITEMS = 2_000
"""Up to so many items that differ, on average, right or wrong items are counted exactly."""
MOST_ITEMS = 10**9
_PROBIT = 8.0  # beyond this a probability is as good as 0 or 1
_WRONG_TAIL = 2.0  # standard errors, within which a loss may be found as a gain
_CLOSE = 1e-7  # to the wanted power is enough
_FEW_EXCHANGES = 100  # from so many on that pass, the test is as good as the t test
_SETS, _LOWEST = 2_000, 10  # simulated sets of items, and how many of each may be exchanged
_COARSE = 60  # items: with more, exchanges reach every level
_AHEAD = 20  # items looked ahead, since the power of a sign test goes up in a sawtooth


@dataclass(frozen=True, slots=True)
class Spread:
    """What one item adds to a measured difference whose true value is `difference`."""

    difference: float
    deviation: float
    """The standard deviation of an item's contribution"""
    grain: float = 0.0
    """Half a step of the sum of exchanged differences, where it moves in equal steps"""
    wins: float | None = None
    """The share of items that one system wins, where an item is won, lost or tied, and no more"""
    losses: float | None = None

    def counted(self, items: float) -> bool:
        """Return whether the power with so many items is exact: a sum of binomials."""
        if self.wins is None or self.losses is None:
            return False
        return items * (self.wins + self.losses) <= SIGN_ITEMS


class Population(Protocol):
    """Where test sets come from: a pair of systems whose true difference can be chosen."""

    @property
    def largest(self) -> float:
        """The largest difference that such a pair can have."""

    def spread(self, difference: float) -> Spread:
        """Return how items spread if that is the true difference."""


def sides(tail: str) -> int:
    """Return how many directions a test looks in."""
    return 2 if tail == "two" else 1


def fewest_items(level: float, tail: str = "two") -> int:
    """Return how many items a test needs so that any outcome at all is significant.

    >>> fewest_items(0.05), fewest_items(0.001), fewest_items(0.05, "greater")
    (6, 11, 5)
    """
    return max(2, math.ceil(sides(tail) - 1 - math.log2(level) - 1e-9))


def power(
    spread: Spread, items: float, level: float, tail: str = "two", *, exchanges: bool = True
) -> float:
    """Return how often the test at a level finds the difference, from 0 to 1.

    Without `exchanges` it is the t test, to which no level is out of reach, and which knows of
    degrees of freedom that are no whole numbers.

    >>> round(power(Spread(0.5, 1.0), 33, 0.05), 3)
    0.795
    """
    if spread.counted(items):
        return sign_power(int(items), spread.wins or 0.0, spread.losses or 0.0, level, tail)
    if spread.deviation <= 1e-12 * spread.difference:
        return float(not exchanges or items >= fewest_items(level, tail))
    size = max(0.0, spread.difference - spread.grain / items) / spread.deviation
    if not exchanges:
        return _t_power(size, items, level, tail)
    return _exchange_power(size, int(items), level, tail)


@lru_cache(maxsize=256)
def found_size(items: float, level: float, tail: str, exchanges: bool, wanted: float) -> float:
    """Return which mean of normal items, in deviations, is found so often; infinite if none is.

    >>> round(found_size(33, 0.05, "two", True, 0.8), 3)
    0.503
    """
    most = 40.0

    def surplus(size: float) -> float:
        found = power(Spread(size, 1.0), items, level, tail, exchanges=exchanges)
        return probit(found) - probit(wanted)

    at_most = surplus(most)
    return _crossing(surplus, most * 1e-6, most, at_most) if at_most >= 0 else math.inf


def _exchange_power(size: float, items: int, level: float, tail: str) -> float:
    """Return the power of exchanging normal items whose mean is so many deviations from 0."""
    if items > _COARSE:
        return _t_power(size, items, level, tail)
    passing = math.floor(level / sides(tail) * 2.0**items * (1 + 1e-12))
    if passing >= _FEW_EXCHANGES:
        return _t_power(size, items, passing * sides(tail) / 2.0**items, tail)
    if not passing:
        return 0.0
    limits = _limits(items, passing)
    found = np.searchsorted(limits, [size, -size]) / len(limits)
    return float(found[: sides(tail)].sum())


@lru_cache(maxsize=64)
def _limits(items: int, passing: int) -> NDArray[np.float64]:
    """Return the means from which on each of many sets of normal items is told from 0, ascending.

    A set is, if at most `passing` subsets of its items, the empty one among them, have a sum of 0
    or less: to turn the signs of any of these leaves a sum as large. Few subsets are that low, and
    those have the lowest items only.
    """
    count = min(items, _LOWEST)
    generator = np.random.Generator(np.random.SFC64(items))
    lowest = np.sort(generator.standard_normal((_SETS, items)), axis=1)[:, :count]
    members = (np.arange(1, 1 << count)[:, None] >> np.arange(count)) & 1
    means = lowest @ members.T / members.sum(axis=1)
    place = min(passing, means.shape[1]) - 1
    return np.sort(-np.partition(means, place, axis=1)[:, place])


def _t_power(size: float, items: float, level: float, tail: str) -> float:
    shift, df = size * math.sqrt(items), items - 1
    if shift > 37:  # the tail is below what a double can hold
        return 1.0
    critical = t_quantile(1 - level / sides(tail), df)
    two = tail == "two" and shift < _WRONG_TAIL
    wrong = t_tail(critical, df, -shift) if two else 0.0
    return min(1.0, t_tail(critical, df, shift) + wrong)


def sign_power(items: int, wins: float, losses: float, level: float, tail: str = "two") -> float:
    """Return the power of the exact sign test on items of which some are tied.

    >>> sign_power(6, 1.0, 0.0, 0.05)
    1.0
    >>> round(sign_power(6, 0.5, 0.5, 0.05), 5)  # 2 of 64 outcomes
    0.03125
    """
    differ = wins + losses
    if differ <= 0:
        return 0.0
    tails = _sign_tails(items, min(1.0, float(f"{differ:.15g}")), level / sides(tail))
    won = min(1.0, wins / differ)
    return min(1.0, tails.power([won, 1 - won] if tail == "two" else [won]))


@dataclass(frozen=True, slots=True)
class _SignTails:
    """The sign test for every number of items that may differ, from none on.

    The tail of a binomial grows or shrinks by one term when an item is added, or a win more is
    asked for; so that a sum of terms gives all of them.
    """

    chances: NDArray[np.float64]
    """How likely it is that so many items differ: one, two, …"""
    coefficients: NDArray[np.float64]
    """From each number to the next: the logarithm of the term's binomial coefficient"""
    won: NDArray[np.int64]
    lost: NDArray[np.int64]
    """The wins and losses that the term is about"""
    more: NDArray[np.bool_]
    """Whether a win more is asked for, so that the term is taken away"""

    def power(self, shares: Sequence[float]) -> float:
        """Return how often one system is found to win, for each of some shares that it may have."""
        share = np.array(shares)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            wins, losses = self.won * np.log(share), self.lost * np.log1p(-share)
        if 0 in shares or 1 in shares:  # whose logarithms are infinite
            wins, losses = np.where(self.won, wins, 0.0), np.where(self.lost, losses, 0.0)
        terms = np.exp(wins + losses + self.coefficients) * (share - self.more)
        np.cumsum(terms, axis=1, out=terms)
        return float((np.maximum(terms, 0.0, out=terms) @ self.chances).sum())


@lru_cache(maxsize=64)
def _sign_tails(items: int, share: float, level: float) -> _SignTails:
    mean, reach = items * share, 8 * math.sqrt(items * share * (1 - share)) + 20
    high = min(items, math.ceil(mean + reach))
    differing = np.arange(high + 1)
    table = 1 << high.bit_length()  # few sizes, so that tables are made once
    most = fewest_wins(table, level)[: high + 1]
    before = differing[:-1]
    more = most[1:] > most[:-1]
    won = np.where(more, most[:-1], most[:-1] - 1)
    possible = won <= before
    won = np.minimum(won, before)
    with np.errstate(divide="ignore"):
        coefficients = np.log(binomial.points(won, before, 0.5)) + before * math.log(2)
    coefficients = np.where(possible, coefficients, -np.inf)
    chances = binomial.points(differing[1:], items, share)
    return _SignTails(chances, coefficients, won, before - won, more)


@lru_cache(maxsize=64)
def fewest_wins(size: int, level: float) -> NDArray[np.int64]:
    """Return, for 0 to `size` - 1 items that differ, the fewest wins whose tail is in a level.

    >>> fewest_wins(8, 0.05).tolist()  # one more than there are, where no number of wins will do
    [1, 2, 3, 4, 5, 5, 6, 7]
    """
    # Exact: in `ways` of 2^n ways there are `wins` or more, in `fewer` ways one less than these.
    part, whole = level.as_integer_ratio()
    wins, ways, fewer, found = 1, 0, 1, [1]
    for n in range(1, size):
        ways, fewer = 2 * ways + fewer, fewer * n // (n + 1 - wins)
        if ways * whole > part << n:
            fewer = fewer * (n + 1 - wins) // wins
            wins, ways = wins + 1, ways - fewer
        found.append(wins)
    return np.array(found)


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """The power of a test at a level for any number of items and any true difference."""

    population: Population
    level: float
    tail: str = "two"
    exchanges: bool = True
    """Whether the test exchanges items; otherwise it is taken for the t test"""

    def power(self, items: int, difference: float) -> float:
        """Return how often a difference is found."""
        spread = self.population.spread(difference)
        return power(spread, items, self.level, self.tail, exchanges=self.exchanges)

    def detectable(self, items: int, wanted: float) -> float | None:
        """Return the smallest difference that is found so often; None where none is."""
        largest, target = self.population.largest, probit(wanted)

        def surplus(difference: float) -> float:
            return probit(self.power(items, difference)) - target

        at_largest = surplus(largest)
        return None if at_largest < 0 else _crossing(surplus, largest * 1e-6, largest, at_largest)

    def needed(self, difference: float, wanted: float) -> int | None:
        """Return from how many items on a difference is found so often; None beyond a billion."""

        def enough(items: int) -> bool:
            return self.power(items, difference) >= wanted - _CLOSE

        low = high = fewest_items(self.level, self.tail)
        while not enough(high):
            if high >= MOST_ITEMS:
                return None
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        short = [n for n in range(high, high + _AHEAD) if not enough(n)]
        return short[-1] + 1 if short else high


def probit(share: float) -> float:
    """Return the normal quantile of a share, within bounds.

    >>> probit(0.5), probit(1.0)
    (0.0, 8.0)
    """
    if share <= 0 or share >= 1:
        return math.copysign(_PROBIT, share - 0.5)
    return max(-_PROBIT, min(_PROBIT, NormalDist().inv_cdf(share)))


def _crossing(surplus: Callable[[float], float], low: float, high: float, at_high: float) -> float:
    """Return where a rising function crosses 0, by the Illinois form of regula falsi.

    An end that stays twice in a row counts half, so that the other does not creep towards 0.
    """
    at_low = surplus(low)
    if at_low >= 0:
        return low
    last = 0.0
    for _ in range(100):
        if high - low <= 1e-13 * high:
            break
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        if not low < middle < high:
            middle = (low + high) / 2
        value = surplus(middle)
        if abs(value) < 1e-12:
            return middle
        again = value * last > 0
        last = value
        if value > 0:
            high, at_high, at_low = middle, value, at_low / (2 if again else 1)
        else:
            low, at_low, at_high = middle, value, at_high / (2 if again else 1)
    return high
