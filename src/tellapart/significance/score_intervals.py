"""Intervals of single scores: Wilson's for right and wrong answers, a corrected t for other means.

Both know clusters of any sizes, and neither takes items that happen to be alike for certainty.

Clusters: the standard error weighs each cluster's residual by its share of the items (CR2 of Bell
and McCaffrey), and the degrees of freedom are Satterthwaite's for items that are alike within their
cluster. With items of one each this is the ordinary t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tellapart.significance.interval_formulas import Interval
from tellapart.significance.student_t import t_quantile

Floats = NDArray[np.float64]


def wilson(right: float, items: float, level: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share of items.

    >>> low, high = wilson(0, 20, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.0, 0.1611)
    """
    return _around(right / items, _normal(level) ** 2 / items)


def unseen(share: float, items: float, level: float) -> tuple[float, float]:
    """Return the interval of a bounded score that is the same, a share of 1, on every item.

    So many items cannot rule out that a few of another kind were just not among them: the
    interval is Wilson's of a kind of which none was seen, at either end of what is possible.

    >>> low, high = unseen(0.5, 20, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.4194, 0.5806)
    """
    most = wilson(0, items, level)[1]
    return share * (1 - most), share + (1 - share) * most


def newcombe(
    first: tuple[float, float], second: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return Newcombe's interval of the difference of two independent shares (right, items).

    >>> low, high = newcombe((56, 70), (48, 80), 0.95)  # Newcombe 1998, table II (a)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    (p, q), ((l1, u1), (l2, u2)) = (
        [right / items for right, items in (first, second)],
        [wilson(right, items, level) for right, items in (first, second)],
    )
    return p - q - math.hypot(p - l1, u2 - q), p - q + math.hypot(u1 - p, q - l2)


def clustered_share(sums: Floats, sizes: Floats, level: float) -> Interval:
    """Return Wilson's interval of right answers in clusters, with their own standard error.

    It is no shorter than if all items were independent.
    """
    found, items = ClusteredMean.of(sums, sizes), float(sizes.sum())
    independent = _normal(level) ** 2 / items
    if found is None or not 0 < found.mean < 1:
        share, alike = float(sums.sum()) / items, items**2 / float((sizes**2).sum())
        return Interval(*unseen(share, alike, level), "wilson")
    reach = found.reach(level)
    per_variance = (reach * found.error) ** 2 / (found.mean * (1 - found.mean))
    return Interval(*_around(found.mean, max(per_variance, independent)), "wilson")


def mean_interval(sums: Floats, sizes: Floats, level: float, bounded: bool) -> Interval:
    """Return the interval of a mean over items, by t with a correction for skewed scores.

    Hall's transformation of t says how much further the interval has to reach on the side of the
    long tail; the other side keeps the end of t. Bounded scores lie between 0 and 1, and so does
    the interval. Scores without any spread have an interval only if they are bounded.
    """
    found, items = ClusteredMean.of(sums, sizes), float(sizes.sum())
    if found is None or found.is_constant:
        if not bounded or items == 0:
            return Interval(None, None, "t")
        share, alike = float(sums.sum()) / items, items**2 / float((sizes**2).sum())
        return Interval(*unseen(min(1.0, max(0.0, share)), alike, level), "wilson")
    reach = found.reach(level)
    low, high = found.mean - reach * found.error, found.mean + reach * found.error
    low = min(low, found.mean - found.error * found.skewed(reach))
    high = max(high, found.mean - found.error * found.skewed(-reach))
    return Interval(max(low, 0.0), min(high, 1.0), "t") if bounded else Interval(low, high, "t")


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """A mean over the items of clusters, its standard error, degrees of freedom and skewness."""

    mean: float
    error: float
    df: float
    skewness: float
    """Of the distribution of t: that of the residuals over the root of their number"""

    @classmethod
    def of(cls, sums: Floats, sizes: Floats) -> ClusteredMean | None:
        """Return what the sums over clusters and their sizes tell; None of one cluster alone.

        >>> found = ClusteredMean.of(np.array([1.0, 0, 1, 1]), np.ones(4))
        >>> found.mean, found.error, round(found.df, 9)
        (0.75, 0.25, 3.0)
        """
        kept = sizes > 0
        sums, sizes = sums[kept], sizes[kept]
        if len(sums) < 2:
            return None
        total = float(sizes.sum())
        mean = float(sums.sum()) / total
        residuals = (sums - mean * sizes) / np.sqrt(1 - sizes / total)
        squares = float((residuals**2).sum())
        return cls(mean, math.sqrt(squares) / total, _satterthwaite(sizes), _skewness(residuals))

    @property
    def is_constant(self) -> bool:
        """Whether items have no spread, but for rounding."""
        return self.error <= 1e-12 * abs(self.mean)

    def reach(self, level: float) -> float:
        """Return how many standard errors an interval of t reaches to either side."""
        return t_quantile((1 + level) / 2, self.df)

    def skewed(self, t: float) -> float:
        """Return the t of skewed scores that is as rare as a given t of symmetric ones (Hall)."""
        a = self.skewness
        if abs(a) < 1e-6:
            return t
        return 3 / a * float(np.cbrt(1 + a * (t - a / 6)) - 1)


def _satterthwaite(sizes: Floats) -> float:
    """Return the degrees of freedom of the standard error, for sums that grow with their sizes.

    The squared residuals' covariances are those of a diagonal matrix less one of rank two, so that
    their squares add up without the matrix.
    """
    total = float(sizes.sum())
    n, v, w = sizes / total, (sizes / total) ** 2, 1 / (1 - sizes / total)
    s, nn, nv, vv = float(v.sum()), float(w @ n**2), float(w @ (n * v)), float(w @ v**2)
    own = v - 2 * n * v + n**2 * s
    trace = float(w @ own)
    squares = float(w**2 @ (v * v + 2 * v * (own - v)))
    squares += 2 * nn * vv + 2 * nv**2 - 4 * nn * nv * s + nn**2 * s**2
    return trace**2 / squares


def _skewness(residuals: Floats) -> float:
    n = len(residuals)
    moved = residuals - residuals.mean()
    spread = float((moved**2).mean())
    if n < 3 or spread <= 0:
        return 0.0
    skewness = float((moved**3).mean()) / spread**1.5 * math.sqrt(n * (n - 1)) / (n - 2)
    return float(skewness / math.sqrt(n))


def _around(share: float, k: float) -> tuple[float, float]:
    """Return the shares p with (share - p)² at most k p (1 - p)."""
    middle = (share + k / 2) / (1 + k)
    half = math.sqrt(k * share * (1 - share) + k * k / 4) / (1 + k)
    low = 0.0 if share <= 0 else max(0.0, middle - half)
    return low, 1.0 if share >= 1 else min(1.0, middle + half)


def _normal(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)
