"""Confidence intervals of scores and of paired differences.

Shares of right answers: Wilson's, also for clusters of any sizes. Other means between 0 and 1: the
score test of a bounded mean, inverted. Means without bounds: t with Hall's correction for skewed
values. Differences of right and wrong answers on the same items: Tango's score interval; on
different ones: Newcombe's. Differences of other means on few items: all shifts that the sign-flip
test does not reject. The bootstrap interval of other functions is in `bootstrap`. None of them
takes items that happen to be alike for certainty. The searches that invert tests, for power and
plans as well, stand at the end.

Clusters: the standard error weighs each cluster's residual by its share of the items (CR2 of Bell
and McCaffrey), and the degrees of freedom are Satterthwaite's for items that are alike within their
cluster. With items of one each this is the ordinary t.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from tellapart.stats.result import Flags, Floats, Interval, Ints, probability, t_quantile
from tellapart.stats.signed_sums import SignedSum

FEW_DIFFER = 10
"""Where fewer items differ, and not half of all, those that were not seen may matter more"""
BOUNDED_ITEMS = 10_000
"""Up to so many items, the interval of a bounded mean inverts its score test; beyond, it is t"""
INVERTED_ITEMS = 100
"""Up to so many items (of equal weight), the interval of a mean difference inverts its test"""

_HALVINGS = 60  # of an interval of differences: to the last bits of a float
_COUNTED = 2e7  # sums by sizes of subsets, times items, that an interval may count: about 50 ms


def wilson(successes: float, n: float, confidence_level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a share.

    Args:
        successes: how many items are right.
        n: how many there are.
        confidence_level: of the interval.

    >>> [round(end, 4) for end in wilson(0, 20).ends]
    [0.0, 0.1611]
    """
    return Interval(*share_ends(successes / n, _z(confidence_level) ** 2 / n), "wilson")


def never_seen(share: float, n: float, confidence_level: float = 0.95) -> Interval:
    """Return the interval of a score between 0 and 1 that is `share` on every one of n items.

    So many items cannot rule out that a few of another kind were just not among them.

    >>> [round(end, 4) for end in never_seen(0.5, 20).ends]
    [0.4194, 0.5806]
    """
    return BoundedMean.of([share], 0.0, 1.0, times=[n]).interval(_z(confidence_level))


def newcombe(
    first: tuple[float, float], second: tuple[float, float], confidence_level: float = 0.95
) -> Interval:
    """Return Newcombe's interval of the difference of two independent shares.

    Args:
        first: how many items of the first system are right, and how many it has.
        second: the same of the second system, which has other items.
        confidence_level: of the interval.

    >>> interval = newcombe((56, 70), (48, 80))  # Newcombe 1998, table II (a)
    >>> [round(end, 4) for end in interval.ends]
    [0.0524, 0.3339]
    """
    (p, q) = (successes / n for successes, n in (first, second))
    z2 = _z(confidence_level) ** 2
    (l1, u1), (l2, u2) = (share_ends(share, z2 / n) for share, (_, n) in ((p, first), (q, second)))
    low, high = p - q - math.hypot(p - l1, u2 - q), p - q + math.hypot(u1 - p, q - l2)
    return Interval(low, high, "newcombe")


def clustered_wilson(
    sums: Floats, sizes: Floats, confidence_level: float = 0.95, *, times: Floats | None = None
) -> Interval:
    """Return Wilson's interval of right answers in clusters, with their own standard error.

    It is no shorter than if all items were independent.
    """
    mean, n = ClusteredMean.of(sums, sizes, times), _total(sizes, times)
    if mean is None or not 0 < mean.mean < 1:
        return never_seen(_total(sums, times) / n, equal_items(sizes, times), confidence_level)
    error = t_quantile(mean.df, confidence_level) * mean.error
    spread = error**2 / (mean.mean * (1 - mean.mean))
    return Interval(*share_ends(mean.mean, max(spread, _z(confidence_level) ** 2 / n)), "wilson")


def mean_interval(
    values: ArrayLike,
    sizes: ArrayLike | None = None,
    confidence_level: float = 0.95,
    *,
    unit_interval: bool = False,
    times: ArrayLike | None = None,
) -> Interval:
    """Return the interval of a mean.

    Of values between 0 and 1: all means that the score test of a bounded mean does not reject, with
    quantiles of t. It allows for items unlike all that were seen, such as rare failures, and is
    Wilson's where values are 0 and 1. Of other values: t, which reaches further on the side of the
    long tail (Hall's transformation); those without any spread have no interval.

    Args:
        values: one per item; with `sizes`, sums over clusters.
        sizes: how many items each cluster has.
        confidence_level: of both sides.
        unit_interval: whether values of items lie between 0 and 1, and so the interval.
        times: how many items, or clusters, each entry stands for; one each by default.

    >>> [round(end, 3) for end in mean_interval([0.1, 0.4, 0.35, 0.3, 0.2, 0.5, 0.35, 0.4]).ends]
    [0.186, 0.43]
    >>> [round(end, 3) for end in mean_interval([0.9] * 30, unit_interval=True).ends]
    [0.79, 0.912]
    """
    sums = np.asarray(values, np.float64)
    weights = np.ones(len(sums)) if sizes is None else np.asarray(sizes, np.float64)
    often = None if times is None else np.asarray(times, np.float64)
    mean, n = ClusteredMean.of(sums, weights, often), _total(weights, often)
    if n == 0 or (not unit_interval and (mean is None or mean.error <= 1e-12 * abs(mean.mean))):
        return Interval(None, None, "t")
    if mean is None:  # of one cluster alone
        return never_seen(_total(sums, often) / n, equal_items(weights, often), confidence_level)
    t = t_quantile(mean.df, confidence_level)
    low = mean.mean - mean.error * max(t, mean.skewed(t))
    high = mean.mean - mean.error * min(-t, mean.skewed(-t))
    interval = Interval(low, high, "t")
    if not unit_interval:
        return interval
    alike = bool((weights == weights[0]).all())
    if alike and _total(np.ones(len(sums)), often) > BOUNDED_ITEMS:
        return interval.within(0.0, 1.0)
    # Of clusters: what each adds to the mean, were it as large as they are on the average.
    size = n / _total((weights > 0).astype(np.float64), often)
    kept = weights > 0
    per_cluster = mean.mean + (sums - mean.mean * weights)[kept] / size
    bounded = BoundedMean.of(per_cluster, 0.0, 1.0, None if often is None else often[kept])
    ends = bounded.interval(t)
    if not alike:
        ends = ends.reaching(low).reaching(high)
    return ends.within(0.0, 1.0)


@dataclass(frozen=True)
class BoundedMean:
    """The mean of bounded values: a score test that does not take identical values for certainty.

    The test divides the observed mean minus the supposed one by the standard error that fits the
    supposition: that of the likeliest distribution with the supposed mean (Owen's empirical
    likelihood), which may give some weight to the lowest value that an item could have had, even if
    none was seen. On values of 1, 0 and -1 the statistic is Tango's.

    >>> same = BoundedMean.of(np.zeros(30), -1.0, 1.0)  # thirty items without any difference
    >>> round(same.p_loss(0.02), 3), round(same.low_end(0.05), 3)
    (0.217, -0.083)
    """

    values: Floats  # each once, ascending
    times: Floats
    """How many items have each value"""
    lowest: float
    highest: float
    method: str = "bounded score"

    @classmethod
    def of(
        cls, values: ArrayLike, lowest: float, highest: float, times: ArrayLike | None = None
    ) -> BoundedMean:
        """Return the mean of values in any order; those beyond the ends move the ends."""
        given = np.asarray(values, np.float64)
        lowest, highest = min(lowest, float(given.min())), max(highest, float(given.max()))
        span = highest - lowest
        if span > 0:  # values that differ in their last digits only are one value
            given = lowest + span * np.round((given - lowest) / span, 12)
        kinds, places = np.unique(given, return_inverse=True)
        weights = None if times is None else np.asarray(times, np.float64)
        counts = np.bincount(places.reshape(-1), weights=weights).astype(np.float64)
        return cls(kinds, counts, lowest, highest)

    @cached_property
    def items(self) -> float:
        """The number of items."""
        return float(self.times.sum())

    @cached_property
    def mean(self) -> float:
        """The observed mean."""
        return math.fsum(self.values * self.times) / self.items

    def mirrored(self) -> BoundedMean:
        """Return the same with all signs changed."""
        return BoundedMean(-self.values[::-1], self.times[::-1], -self.highest, -self.lowest)

    def statistic(self, supposed: float) -> float:
        """Return how many standard errors the observed mean lies above a supposed one."""
        above = self.mean - supposed
        if abs(above) <= 1e-12 * max(1.0, abs(supposed)):
            return 0.0
        if above < 0:
            return -self.mirrored().statistic(-supposed)
        if supposed <= self.lowest:
            return math.inf
        return above / math.sqrt(self._likeliest_variance(supposed) / self.items)

    def p_loss(self, margin: float) -> float:
        """Return the one-sided p against a mean of minus the margin or less."""
        from scipy.special import ndtr

        return float(ndtr(-self.statistic(-margin)))

    def low_end(self, alpha: float) -> float:
        """Return the smallest mean that the test does not reject at one-sided alpha."""
        from scipy.special import ndtri

        if self.lowest >= self.mean:
            return self.mean
        z = float(-ndtri(alpha))
        span = self.highest - self.lowest

        def shortfall(supposed: float) -> float:
            return z - min(self.statistic(supposed), 2 * z)

        return crossing(shortfall, self.lowest, self.mean, xtol=1e-10 * span)

    def interval(self, z: float) -> Interval:
        """Return all means from which the observed one is less than z standard errors away."""
        from scipy.special import ndtr

        tail = float(ndtr(-z))
        return Interval(self.low_end(tail), -self.mirrored().low_end(tail), self.method)

    def _likeliest_variance(self, supposed: float) -> float:
        """Return the variance of the likeliest distribution with a mean below the observed one.

        Each value has the weight 1 / (n (1 + tilt × its distance from the mean)), where the tilt
        gives the supposed mean. Where no tilt does without negative weights, the lowest value gets
        what the others leave.
        """
        away, lowest = self.values - supposed, self.lowest - supposed
        most = -1 / lowest
        tilted = 1 + most * away
        if tilted[0] > 0 and self.times @ (away / tilted) >= 0:
            shares = self.times / (self.items * tilted)
            rest = max(0.0, 1 - float(shares.sum()))
            return float(shares @ away**2) + rest * lowest**2
        tilt = self._tilt(away, most)
        return float(self.times @ (away**2 / (1 + tilt * away))) / self.items

    def _tilt(self, away: Floats, most: float) -> float:
        """Return the tilt, between 0 and `most`, that brings the mean distance to 0."""
        first, others = float(away[0]), away[1:]

        def shortfall(tilt: float) -> float:
            # Times 1 + tilt × the lowest, so that the sum stays finite where that comes to 0.
            rest = float(self.times[1:] @ (others / (1 + tilt * others)))
            return -(float(self.times[0]) * first + (1 + tilt * first) * rest)

        return crossing(shortfall, 0.0, most, xtol=1e-14 * most)


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """A mean over the items of clusters, its standard error, degrees of freedom and skewness."""

    mean: float
    error: float
    df: float
    skewness: float
    """Of the distribution of t: that of the residuals over the root of their number"""

    @classmethod
    def of(cls, sums: Floats, sizes: Floats, times: Floats | None = None) -> ClusteredMean | None:
        """Return what the sums over clusters and their sizes tell; None of one cluster alone.

        >>> mean = ClusteredMean.of(np.array([1.0, 0, 1, 1]), np.ones(4))
        >>> mean.mean, mean.error, round(mean.df, 9)
        (0.75, 0.25, 3.0)
        """
        kept = sizes > 0
        sums, sizes = sums[kept], sizes[kept]
        often = np.ones(len(sums)) if times is None else times[kept]
        if often.sum() < 2:
            return None
        total = float(often @ sizes)
        mean = float(often @ sums) / total
        residuals = (sums - mean * sizes) / np.sqrt(1 - sizes / total)
        error = math.sqrt(float(often @ residuals**2)) / total
        return cls(mean, error, _satterthwaite(sizes, often), _skewness(residuals, often))

    def skewed(self, t: float) -> float:
        """Return the t of skewed values that is as rare as a given t of symmetric ones (Hall)."""
        a = self.skewness
        if abs(a) < 1e-6:
            return t
        return 3 / a * float(np.cbrt(1 + a * (t - a / 6)) - 1)


def t_interval(
    value: float, means: Sequence[ClusteredMean | None], confidence_level: float = 0.95
) -> Interval:
    """Return the interval of a value that is uncertain as independent means are: t, or Welch's t.

    >>> one = ClusteredMean.of(np.array([1.0, 2.0, 3.0, 6.0]), np.ones(4))
    >>> [round(end, 3) for end in t_interval(3.0, [one]).ends]
    [-0.437, 6.437]
    """
    if None in means and len(means) > 1:  # a single item does not tell how far it is from others
        return Interval(None, None, "t")
    variances = np.array([mean.error**2 for mean in means if mean is not None])
    if not variances.any():
        return Interval(value, value, "t")
    df = variances.sum() ** 2 / (variances**2 / [mean.df for mean in means if mean]).sum()
    reach = t_quantile(float(df), confidence_level) * math.sqrt(variances.sum())
    return Interval(value - reach, value + reach, "t")


def _total(values: Floats, times: Floats | Ints | None) -> float:
    return float(values.sum() if times is None else times @ values)


def _satterthwaite(sizes: Floats, times: Floats) -> float:
    """Return the degrees of freedom of the standard error, for sums that grow with their sizes.

    The squared residuals' covariances are those of a diagonal matrix less one of rank two, so that
    their squares add up without the matrix.
    """
    total = float(times @ sizes)
    n, v, w = sizes / total, (sizes / total) ** 2, 1 / (1 - sizes / total)
    tw = times * w
    s, nn, nv, vv = float(times @ v), float(tw @ n**2), float(tw @ (n * v)), float(tw @ v**2)
    own = v - 2 * n * v + n**2 * s
    squares = float((tw * w) @ (v * v + 2 * v * (own - v)))
    squares += 2 * nn * vv + 2 * nv**2 - 4 * nn * nv * s + nn**2 * s**2
    return float(tw @ own) ** 2 / squares


def _skewness(residuals: Floats, times: Floats) -> float:
    n = float(times.sum())
    moved = residuals - float(times @ residuals) / n
    spread = float(times @ moved**2) / n
    if n < 3 or spread <= 0:
        return 0.0
    skewness = float(times @ moved**3) / n / spread**1.5 * math.sqrt(n * (n - 1)) / (n - 2)
    return float(skewness / math.sqrt(n))


def equal_items(sizes: Floats, times: Floats | Ints | None = None) -> float:
    """Return how many items of equal size weigh as much as these; 0 for none at all.

    >>> equal_items(np.array([1.0, 1.0, 2.0]))
    2.6666666666666665
    """
    squares = _total(sizes**2, times)
    return _total(sizes, times) ** 2 / squares if squares else 0.0


def tango_statistic(b: ArrayLike, c: ArrayLike, n: ArrayLike, shift: ArrayLike) -> Floats:
    """Return how many standard errors a difference of paired shares lies above a supposed one.

    On b of n items only the first system is right, on c only the second. The standard error is that
    of the supposed difference, so that few discordant items are not taken for certainty (Tango
    1998, Statistics in Medicine 17). Arrays are taken element by element.

    >>> float(tango_statistic(0, 1, 44, -0.1).round(3))  # Tango's contact lenses
    1.709
    """
    b, c, n, shift = (np.asarray(values, np.float64) for values in (b, c, n, shift))
    above = b - c - n * shift
    above = np.where(np.abs(above) <= 1e-12 * n, 0.0, above)  # rounding counts as tied
    variance = n * (2 * only_second_rate(b, c, n, shift) + shift * (1 - shift))
    return np.asarray(above / np.sqrt(np.maximum(variance, 1e-300)))


def only_second_rate(b: ArrayLike, c: ArrayLike, n: ArrayLike, shift: ArrayLike) -> Floats:
    """Return the likeliest rate at which only the second system is right, given the difference.

    >>> float(only_second_rate(3, 5, 40, -0.05).round(9))
    0.125
    """
    b, c, n, shift = (np.asarray(values, np.float64) for values in (b, c, n, shift))
    linear = (2 * n - b + c) * shift - b - c
    root = np.sqrt(np.maximum(linear**2 + 8 * n * c * shift * (1 - shift), 0.0))
    # Of the two ways to write the root of a quadratic, the one that does not cancel.
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.where(
            linear > 0, 2 * c * shift * (1 - shift) / (linear + root), (root - linear) / (4 * n)
        )
    return np.asarray(np.maximum(rate, np.maximum(0.0, -shift)))


def tango(
    b: ArrayLike, c: ArrayLike, n: ArrayLike, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return both ends of Tango's interval of a difference of paired shares, for arrays.

    Args:
        b: items that only the first system has right.
        c: items that only the second one has right.
        n: all items.
        confidence_level: of the interval.

    >>> [round(float(end), 4) for end in tango(6, 16, 161)]
    [-0.124, -0.0054]
    """
    b, c, n = np.broadcast_arrays(*(np.asarray(values, np.float64) for values in (b, c, n)))
    z = _z(confidence_level)
    # The upper end is the lower one with the systems exchanged.
    return _tango_low(b, c, n, z), -_tango_low(c, b, n, z)


def _tango_low(b: Floats, c: Floats, n: Floats, z: float) -> Floats:
    """Return the shift below the observed difference at which the statistic is z."""
    low, high = np.full(b.shape, -1.0), (b - c) / n
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        rejected = tango_statistic(b, c, n, middle) > z
        low, high = np.where(rejected, middle, low), np.where(rejected, high, middle)
    return np.asarray((low + high) / 2)


def difference_interval(
    differences: ArrayLike,
    sizes: ArrayLike | None = None,
    confidence_level: float = 0.95,
    *,
    times: ArrayLike | None = None,
) -> Interval:
    """Return the interval of a mean of paired differences.

    On few items: all shifts that the sign-flip test does not reject. On many, where that makes no
    difference, t corrected for skewness.

    Args:
        differences: one per item; with `sizes`, sums over clusters.
        sizes: how many items each cluster has.
        confidence_level: of both sides.
        times: how many items, or clusters, each entry stands for; one each by default.

    >>> [round(end, 3) for end in difference_interval([0.3, 0.1, 0.4, 0.2, 0.5, 0.1]).ends]
    [0.1, 0.5]
    """
    values = np.asarray(differences, np.float64)
    weights = np.ones(len(values)) if sizes is None else np.asarray(sizes, np.float64)
    often = None if times is None else np.asarray(times, np.int64)
    if equal_items(weights, often) > INVERTED_ITEMS:
        return mean_interval(values, weights, confidence_level, times=often)
    if often is not None:
        values, weights = np.repeat(values, often), np.repeat(weights, often)
    values, weights = values[weights > 0], weights[weights > 0]
    tail = (1 - confidence_level) / 2
    if tail <= 2.0 ** -len(values):
        return Interval(None, None, "inverted test")
    counted = _counted_ends(values, weights, tail)
    ends = counted or (_least_shift(values, weights, tail), -_least_shift(-values, weights, tail))
    return Interval(*ends, "inverted test")


def _counted_ends(values: Floats, sizes: Floats, tail: float) -> tuple[float, float] | None:
    """Return the ends from all subsets of the items; None where these take too much work.

    At a shift p is the share of subsets whose mean is no larger, or that are empty: the test of
    differences with few levels is tied with itself at 0 and in other places, where p leaps.
    """
    unit, size = _unit(values), _unit(sizes)
    if unit == 0 or not np.isfinite(np.abs(values).sum() / unit):
        return None
    steps, weights = np.rint(values / unit).astype(np.int64), np.rint(sizes / size).astype(np.int64)
    lowest, total = int(steps[steps < 0].sum()), int(weights.sum())
    height = int(np.abs(steps).sum()) + 1
    if height * (total + 1) * len(values) > _COUNTED:
        return None
    chances = np.zeros((height, total + 1))  # of a subset's sum, by its size
    chances[-lowest, 0] = 1.0
    for own in zip(steps.tolist(), weights.tolist(), strict=True):
        chances = (chances + np.roll(chances, own, (0, 1))) / 2
    empty, chances[-lowest, 0] = chances[-lowest, 0], 0.0
    sums, counts = np.nonzero(chances)
    means = (sums + lowest) / counts
    order = np.argsort(means)
    means, shares = means[order] * (unit / size), chances[sums, counts][order]
    low = np.searchsorted(empty + np.cumsum(shares), tail, side="right")
    high = np.searchsorted(empty + np.cumsum(shares[::-1]), tail, side="right")
    return float(means[low]), float(means[::-1][high])


def _unit(values: Floats) -> float:
    """Return the largest number that values are multiples of, but for rounding (Euclid).

    >>> round(_unit(np.array([1 / 3, -2 / 3, 0.5])), 6)
    0.166667
    """
    largest = float(np.abs(values).max()) or 1.0
    unit = 0.0
    for value in np.unique(np.abs(values)).tolist():
        while value > 1e-9 * largest:
            unit, value = value, unit % value
    return unit or 1.0


def _least_shift(values: Floats, sizes: Floats, tail: float) -> float:
    """Return the smallest shift that a one-sided sign-flip test does not reject.

    p grows with the shift, from 2^-n far below all values to 1/2 and more at the observed mean.
    """
    observed = float(values.sum() / sizes.sum())
    scale = max(float(np.abs(values / sizes).max()), abs(observed))
    tied = 1e-11 * scale * float(sizes.max())

    def log_excess(shift: float, steps: int | None = 2000) -> float:
        moved = values - shift * sizes
        moved[np.abs(moved) <= tied] = 0.0
        test = SignedSum.of(moved).test(float(moved.sum()), 1, tied, steps=steps)
        assert test is not None
        assert test.p is not None
        return math.log(test.p / tail) or -1e-12  # p at the level is still rejected

    spread = math.sqrt(float((values - observed * sizes) @ (values - observed * sizes)))
    reach = 4 * max(spread, tied) / float(sizes.sum())
    low = min(observed - reach, float((values / sizes).min()) - 1e-9 * scale)
    xtol = (1e-9 if len(values) <= 30 else 1e-5) * (observed - low)
    high = observed
    if low < 0 < high:  # on which side of the end 0 lies is known, not searched
        low, high = (low, 0.0) if log_excess(0.0, None) > 0 else (0.0, high)
    end = crossing(log_excess, low, high, xtol=xtol)
    return 0.0 if abs(end) <= xtol else end  # no digit is shown that the search does not know


def widened_for_unseen(
    interval: Interval, gains: float, losses: float, n: float, confidence_level: float
) -> Interval:
    """Return an interval that also allows for differing items that were just not seen.

    Where few items differ, a bounded difference is taken for one of right and wrong answers with
    the same gains and losses, in items: nothing that is possible spreads more.
    """
    scale = min(1.0, n / max(gains + losses, 1e-300))
    low, high = tango(scale * gains, scale * losses, n, confidence_level)
    wide = interval.reaching(float(low)).reaching(float(high))
    return interval if wide == interval else replace(wide, method="unseen")


def share_ends(share: float, k: float) -> tuple[float, float]:
    """Return the ends of the shares p with (share - p)² at most k p (1 - p)."""
    middle = (share + k / 2) / (1 + k)
    half = math.sqrt(k * share * (1 - share) + k * k / 4) / (1 + k)
    low = 0.0 if share <= 0 else max(0.0, middle - half)
    return low, 1.0 if share >= 1 else min(1.0, middle + half)


def _z(confidence_level: float) -> float:
    """Return how many standard deviations a normal interval reaches to either side."""
    level = float(probability(confidence_level, "a confidence level"))
    return NormalDist().inv_cdf((1 + level) / 2)


def crossing(function: Callable[[float], float], low: float, high: float, *, xtol: float) -> float:
    """Return where an increasing function turns from below 0 to 0 or above, to within `xtol`.

    By inverse quadratic interpolation where three values allow it, else by halves (Chandrupatla
    1997). An end is returned where the function does not cross zero between them. SciPy has such
    searches, too, but importing `scipy.optimize` takes longer than a whole comparison.

    >>> round(crossing(lambda x: x**3 - 2, 0.0, 2.0, xtol=1e-9), 6)
    1.259921
    """
    a, b, at_a, at_b = low, high, function(low), function(high)
    if at_a >= 0:
        return low
    if at_b < 0:
        return high
    xtol = max(xtol, 4 * math.ulp(max(abs(low), abs(high))))  # no closer than numbers lie
    share = 0.5
    while abs(b - a) > xtol:
        share = min(max(share, 0.5 * xtol / abs(b - a)), 1 - 0.5 * xtol / abs(b - a))
        x = a + share * (b - a)
        value = function(x)
        if (value < 0) == (at_a < 0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, value  # the newest; b lies on the other side of 0, and c on the same as a
        place, height = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        share = 0.5
        if height**2 < place and (1 - height) ** 2 < 1 - place:
            share = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            share += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
    return max(a, b)


def least_wins(reaches: Callable[[Ints, Ints], Flags], losses: Ints, most: Ints) -> Ints:
    """Return, for each number of losses, the least wins with which a result reaches its limit.

    `reaches` grows with the wins; where not even the `most` wins reach it, they are one more.
    """
    low, high = np.zeros_like(losses), most + 1
    while (low < high).any():
        middle = (low + high) // 2
        reached = reaches(middle, losses)
        low, high = (
            np.where(reached, low, np.minimum(middle + 1, high)),
            np.where(reached, middle, high),
        )
    return low
