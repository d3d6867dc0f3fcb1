"""The formulas of bootstrap intervals: percentile, basic and BCa; Fieller's for ratios of means.

Others are in `score_intervals`, `paired_proportions` and `inversion`; `intervals` chooses. An end
that the data do not bound (too few items) is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError
from tellapart.significance.registry import INTERVALS

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends and the method that gave them."""

    low: float | None
    high: float | None
    method: str

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Both ends."""
        return self.low, self.high

    def contains(self, value: float) -> bool:
        """Return whether a value lies between the ends, ends included."""
        above = self.low is None or value >= self.low
        return above and (self.high is None or value <= self.high)

    def reaching(self, value: float) -> Interval:
        """Return the smallest interval that also contains a value."""
        low = self.low if self.low is None else min(self.low, value)
        return Interval(low, self.high if self.high is None else max(self.high, value), self.method)

    def deciding(self, decided: bool, direction: float) -> Interval:
        """Return the interval that says of 0 what the test says.

        It reaches 0 where the test does not tell the systems apart, and ends there where it does;
        `direction` has the sign of the difference that the test found.

        >>> Interval(-0.1, 0.3, "t").deciding(True, 1).ends
        (0.0, 0.3)
        >>> Interval(0.1, 0.3, "t").deciding(False, 1).ends
        (0.0, 0.3)
        """
        if not decided:
            return self.reaching(0.0)
        low, high = self.ends
        if direction > 0 and (low is not None or high is None):
            low = max(low or 0.0, 0.0)
        elif direction < 0 and (high is not None or low is None):
            high = min(high or 0.0, 0.0)
        return Interval(low, high, self.method)

    def within(self, least: float, most: float) -> Interval:
        """Return the part of the interval that is possible at all."""
        low = None if self.low is None else min(max(self.low, least), most)
        return Interval(low, None if self.high is None else max(min(self.high, most), least),
                        self.method)  # fmt: skip

    def scaled(self, factor: float) -> Interval:
        """Return the interval of a score that is worth so many times as much."""
        low, high = (None if end is None else factor * end for end in self.ends)
        return Interval(low, high, self.method)

    @property
    def is_point(self) -> bool:
        """Whether both ends are the same, but for rounding."""
        if self.low is None or self.high is None:
            return False
        return self.high - self.low <= 1e-12 * max(1.0, abs(self.low))

    def one_sided(self, tail: str) -> Interval:
        """Return the interval without the end on the side that a one-sided test claims."""
        low = None if tail == "less" else self.low
        return Interval(low, None if tail == "greater" else self.high, self.method)


def percentile(drawn: Floats, level: float, times: NDArray[np.int64] | None = None) -> Interval:
    """Return the percentile interval: equal tails cut off, by order statistics k and B+1-k.

    With `times` the distribution is enumerated, and an end is the smallest value whose cumulative
    fraction reaches its level.

    >>> percentile(np.arange(1.0, 1000.0), 0.95).ends
    (25.0, 975.0)
    """
    tail = (1 - level) / 2
    ends = quantiles(drawn, [tail, 1 - tail], times)
    return Interval(ends[0], ends[1], "percentile")


def quantiles(drawn: Floats, levels: list[float], times: NDArray[np.int64] | None) -> list[float]:
    """Return order statistics of drawn values, or quantiles of enumerated ones."""
    if times is None:
        places = [_order_statistic(level, len(drawn)) - 1 for level in levels]
        ordered = np.partition(drawn, sorted(set(places)))
        return [float(ordered[k]) for k in places]
    order = np.argsort(drawn, kind="stable")
    ordered, reached = drawn[order], np.cumsum(times[order]) / int(times.sum())
    # A level such as 1 - 0.025 is not exact: allow for its last bits.
    found = np.searchsorted(reached, np.array(levels) - 1e-12)
    return [float(ordered[min(int(k), len(ordered) - 1)]) for k in found]


def _order_statistic(level: float, n: int) -> int:
    """Return which of n ordered values bounds a level, rounding away from the middle."""
    rank = (n + 1) * level
    nearest = round(rank)
    if abs(rank - nearest) > 1e-6:
        nearest = math.floor(rank) if level < 0.5 else math.ceil(rank)
    return min(max(nearest, 1), n)


def basic(
    drawn: Floats, measured: float, level: float, times: NDArray[np.int64] | None
) -> Interval:
    """Return the basic interval: the percentile ends mirrored at the measured value."""
    cut = percentile(drawn, level, times)
    assert cut.low is not None
    assert cut.high is not None
    return Interval(2 * measured - cut.high, 2 * measured - cut.low, "basic")


def bca(
    drawn: Floats,
    measured: float,
    left_out: Floats,
    level: float,
    times: NDArray[np.int64] | None = None,
) -> Interval:
    """Return the BCa interval; `left_out` are the jackknife values.

    Falls back to percentile, and says so in the method, where all resamples lie on one side or the
    jackknife has no spread.
    """
    weight = np.ones(len(drawn)) if times is None else times
    slack = 1e-12 * max(1.0, abs(measured))
    below = float(weight[drawn < measured - slack].sum())
    tied = float(weight[np.abs(drawn - measured) <= slack].sum())
    fraction = (below + tied / 2) / float(weight.sum())
    spread = left_out.mean() - left_out
    squares = spread * spread
    total = float(squares.sum())
    if not 0 < fraction < 1 or total <= 1e-30 * max(1.0, measured**2):
        return _renamed(percentile(drawn, level, times), "percentile (BCa not possible)")
    acceleration = float((squares * spread).sum()) / (6 * total**1.5)  # a power takes long
    normal = NormalDist()
    bias = normal.inv_cdf(fraction)
    ends = []
    for z in (normal.inv_cdf((1 - level) / 2), normal.inv_cdf((1 + level) / 2)):
        moved = 1 - acceleration * (bias + z)
        if moved <= 0:
            return _renamed(percentile(drawn, level, times), "percentile (BCa not possible)")
        ends.append(normal.cdf(bias + (bias + z) / moved))
    low, high = quantiles(drawn, ends, times)
    return Interval(low, high, "bca")


def _renamed(interval: Interval, method: str) -> Interval:
    return Interval(interval.low, interval.high, method)


def resampled_interval(
    method: str,
    drawn: Floats,
    measured: float,
    left_out: Floats,
    level: float,
    times: NDArray[np.int64] | None,
) -> Interval:
    """Return the interval by the method of a name."""
    if method == "percentile":
        return percentile(drawn, level, times)
    if method == "basic":
        return basic(drawn, measured, level, times)
    if method != "bca":
        raise UsageError(f"unknown interval method {method!r}; use one of {', '.join(INTERVALS)}")
    return bca(drawn, measured, left_out, level, times)


ENOUGH = 5
"""So many draws must lie beyond an end"""


def beyond_draws(level: float, draws: int) -> bool:
    """Return whether fewer draws than are enough lie beyond the ends of an interval of a level."""
    tail = ENOUGH / (draws + 1)
    return (1 - level) / 2 < tail <= 0.05


def stretched(
    make: Callable[[float], Interval], measured: float, level: float, draws: int | None
) -> Interval:
    """Return the interval of a level, also of one that draws are too few for.

    Then that of the highest level with enough draws beyond its ends is stretched about the
    measured value as far as that of a normal distribution would be. `draws` is None for
    intervals that come from no draws.
    """
    if draws is None or not beyond_draws(level, draws):
        return make(level)
    tail = ENOUGH / (draws + 1)
    found, normal = make(1 - 2 * tail), NormalDist()
    factor = normal.inv_cdf((1 + level) / 2) / normal.inv_cdf(1 - tail)
    low, high = (
        None if end is None else measured + factor * (end - measured) for end in found.ends
    )
    return Interval(low, high, found.method)


def fieller_interval(
    a: ArrayLike, b: ArrayLike, error: float, inflation: float = 1.0
) -> tuple[float, float | None] | None:
    """Return the ratios of the mean of `a` to that of `b` that are left, at a two-sided error.

    A ratio r is left if the mean of `a - r b` over the items is not shown to differ from 0 by t.
    Both means may be uncertain, and the items that cost one system much may cost the other much,
    too. (Fieller 1954, Journal of the Royal Statistical Society B 16.)

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
