"""Intervals for scores and differences: percentile, basic, BCa, t, and the inverted shuffle test.

An end that the data do not bound (too few units) is None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.names import INTERVALS
from tellapart.projection import BoundRatio, Projection
from tellapart.resampling.enumeration import all_subset_sums
from tellapart.resampling.shuffles import ShufflePlan
from tellapart.significance.randomization import shard_sizes

INVERTED_UNITS = 14
"""Up to this many units the inversion walks all exchanges."""

Floats: TypeAlias = NDArray[np.float64]


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
        """Tell whether a value lies between the ends, ends included."""
        above = self.low is None or value >= self.low
        return above and (self.high is None or value <= self.high)


def percentile(drawn: Floats, level: float, times: NDArray[np.int64] | None = None) -> Interval:
    """Cut equal tails off a resampled distribution, by order statistics k and B+1-k.

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
    order = np.argsort(drawn, kind="stable")
    ordered = drawn[order]
    if times is not None:
        reached = np.cumsum(times[order]) / int(times.sum())
        # A level such as 1 - 0.025 is not exact: allow for its last bits.
        places = np.searchsorted(reached, np.array(levels) - 1e-12)
        return [float(ordered[min(int(k), len(ordered) - 1)]) for k in places]
    n = len(ordered)
    return [float(ordered[_order_statistic(level, n) - 1]) for level in levels]


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
    """Mirror the percentile ends at the measured value."""
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
    """Correct percentile ends for bias and acceleration; `left_out` are the jackknife values.

    Falls back to percentile, and says so in the method, where all resamples lie on one side or the
    jackknife has no spread.
    """
    weight = np.ones(len(drawn)) if times is None else times
    slack = 1e-12 * max(1.0, abs(measured))
    below = float(weight[drawn < measured - slack].sum())
    tied = float(weight[np.abs(drawn - measured) <= slack].sum())
    fraction = (below + tied / 2) / float(weight.sum())
    spread = left_out.mean() - left_out
    squares = float((spread**2).sum())
    if not 0 < fraction < 1 or squares <= 1e-30 * max(1.0, measured**2):
        return _renamed(percentile(drawn, level, times), "percentile (BCa not possible)")
    acceleration = float((spread**3).sum()) / (6 * squares**1.5)
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
    """Make an interval by the method of a name."""
    if method == "percentile":
        return percentile(drawn, level, times)
    if method == "basic":
        return basic(drawn, measured, level, times)
    if method != "bca":
        raise UsageError(f"unknown interval method {method!r}; use one of {', '.join(INTERVALS)}")
    return bca(drawn, measured, left_out, level, times)


def t_interval(projection: Projection, bound: BoundRatio, system: int, level: float) -> Interval:
    """Interval of one system's mean by t over units (clusters)."""
    sums, sizes = (projection.forms[f, system] for f in (bound.numerator, bound.denominator))
    return _t(sums.astype(np.float64), sizes.astype(np.float64), float(bound.factor), level)


def t_difference(
    projection: Projection, bound: BoundRatio, a: int, b: int, level: float
) -> Interval:
    """Interval of a difference of means by t over units (clusters)."""
    numerators, sizes = projection.forms[bound.numerator], projection.forms[bound.denominator, a]
    apart = (numerators[a] - numerators[b]).astype(np.float64)
    return _t(apart, sizes.astype(np.float64), float(bound.factor), level)


def _t(sums: Floats, sizes: Floats, factor: float, level: float) -> Interval:
    from scipy.special import stdtrit

    n, total = len(sums), sizes.sum()
    if n < 2 or total == 0:
        return Interval(None, None, "t")
    mean = sums.sum() / total
    # Residuals of a ratio of sums; with units of equal size this is the ordinary t interval.
    spread = math.sqrt(float(((sums - mean * sizes) ** 2).sum()) * n / (n - 1)) / total
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * spread
    return Interval(factor * (mean - reach), factor * (mean + reach), "t")


@dataclass(frozen=True, slots=True)
class Inversion:
    """The inverted shuffle test of one difference of means: its intervals, and p for any shift.

    A set T of exchanged units speaks against a shift s below the measured difference exactly if the
    mean difference over T is at most s. The ends are therefore order statistics of the mean
    differences over random sets of units (Hartigan's subsamples), and the same shuffles as the
    test's give ends that agree with its p.
    """

    sums: Floats  # per set of units; a drawn set is followed by its complement
    counts: Floats
    factor: float
    shuffles: int | None
    """None where all sets of units are there"""

    def interval(self, level: float) -> Interval:
        """Return the shifts that the test does not reject."""
        alpha = 1 - level
        if self.shuffles is None:
            place = math.floor(alpha * len(self.sums) / 2 + 1e-9) + 1
        else:
            place = math.floor(alpha * (self.shuffles + 1) + 1e-9)
        low = self._kth_mean(self.sums, place)
        high = self._kth_mean(-self.sums, place)
        return Interval(
            None if low is None else self.factor * low,
            None if high is None else 0.0 - self.factor * high,
            "inversion",
        )

    def p_not_above(self, shift: float) -> float:
        """Return the one-sided p against a difference of `shift` or less."""
        return self._p(self.factor * self._means(self.sums) <= shift)

    def p_not_below(self, shift: float) -> float:
        """Return the one-sided p against a difference of `shift` or more."""
        return self._p(0.0 - self.factor * self._means(-self.sums) >= shift)

    def _p(self, as_extreme: NDArray[np.bool_]) -> float:
        found = int(np.count_nonzero(as_extreme))
        if self.shuffles is None:
            return found / len(self.sums)
        return min(1.0, (found + 1) / (2 * (self.shuffles + 1)))

    def _means(self, sums: Floats) -> Floats:
        """Return the means; a set without units bounds nothing and comes first."""
        empty = self.counts == 0
        return np.asarray(np.where(empty, -np.inf, sums / np.where(empty, 1, self.counts)))

    def _kth_mean(self, sums: Floats, k: int) -> float | None:
        if k < 1:
            return None
        value = float(np.partition(self._means(sums), k - 1)[k - 1])
        return None if math.isinf(value) else value


def invert(
    projection: Projection, bound: BoundRatio, a: int, b: int, shuffles: int, seed: int
) -> Inversion:
    """Invert the randomization test of a difference of means."""
    numerators = projection.forms[bound.numerator]
    apart, sizes = numerators[a] - numerators[b], projection.forms[bound.denominator, a]
    rows, factor = np.stack([apart, sizes]), float(bound.factor)
    if len(apart) <= INVERTED_UNITS:
        every, number = all_subset_sums(rows).astype(np.float64)
        return Inversion(every, number, factor, None)
    sums, counts = _exchanged_sums(rows, shuffles, seed)
    rest = float(apart.sum()) - sums, float(sizes.sum()) - counts
    return Inversion(np.append(sums, rest[0]), np.append(counts, rest[1]), factor, shuffles)


def inverted(
    projection: Projection,
    bound: BoundRatio,
    a: int,
    b: int,
    level: float,
    shuffles: int,
    seed: int,
) -> Interval:
    """Interval of a difference of means: the shifts that the randomization test does not reject."""
    return invert(projection, bound, a, b, shuffles, seed).interval(level)


def _exchanged_sums(rows: NDArray[np.int64], shuffles: int, seed: int) -> tuple[Floats, Floats]:
    """Sum two forms over the exchanged units of the test's own shuffles."""
    plan = ShufflePlan(np.stack([np.zeros_like(rows), rows], axis=1))
    parts = [plan.subset_sums(seed, shard, n) for shard, n in shard_sizes(shuffles)]
    sums = np.concatenate(parts, axis=1)
    return plan.form_sums(sums, 0, 1), plan.form_sums(sums, 1, 1)
