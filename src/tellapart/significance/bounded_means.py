"""The mean of bounded values: a score test that does not take identical values for certainty.

As Tango's test does for right and wrong items, the score test divides the measured mean minus the
supposed one by the standard error that fits the supposition: that of the likeliest distribution
with the supposed mean (Owen's empirical likelihood). The distribution may give some weight to the
lowest value that an item could have had, even if none was seen. On values of 1, 0 and -1 the
statistic is Tango's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class BoundedMean:
    """Values of items, and the ends between which those of other items might lie.

    >>> same = BoundedMean.of(np.zeros(30), -1.0, 1.0)  # thirty items without any difference
    >>> round(same.p_not_above(-0.02), 3), round(same.low_end(0.05), 3)
    (0.217, -0.083)
    """

    values: Floats  # each once
    times: Floats
    """How many items have each value"""
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: ArrayLike, lowest: float, highest: float) -> BoundedMean:
        """Return the mean of values in any order; those beyond the ends move the ends."""
        given = np.asarray(values, np.float64)
        lowest, highest = min(lowest, float(given.min())), max(highest, float(given.max()))
        span = highest - lowest
        if span > 0:  # values that differ in their last digits only are one value
            given = lowest + span * np.round((given - lowest) / span, 12)
        each, times = np.unique(given, return_counts=True)
        return cls(each, times.astype(np.float64), lowest, highest)

    @cached_property
    def items(self) -> float:
        """The number of items."""
        return float(self.times.sum())

    @cached_property
    def mean(self) -> float:
        """The measured mean."""
        return math.fsum(self.values * self.times) / self.items

    def mirrored(self) -> BoundedMean:
        """Return the same with all signs changed."""
        return BoundedMean(-self.values[::-1], self.times[::-1], -self.highest, -self.lowest)

    def statistic(self, supposed: float) -> float:
        """Return how many standard errors the measured mean lies above a supposed one."""
        above = self.mean - supposed
        if abs(above) <= 1e-12 * max(1.0, abs(supposed)):
            return 0.0
        if above < 0:
            return -self.mirrored().statistic(-supposed)
        if supposed <= self.lowest:
            return math.inf
        return above / math.sqrt(self._likeliest_variance(supposed) / self.items)

    def p_not_above(self, supposed: float) -> float:
        """Return the one-sided p against a mean of `supposed` or less."""
        return NormalDist().cdf(-self.statistic(supposed))

    def low_end(self, alpha: float) -> float:
        """Return the lower end of the means that the test does not reject at one-sided alpha."""
        from scipy.optimize import brentq

        if self.lowest >= self.mean:
            return self.mean
        z = NormalDist().inv_cdf(1 - alpha)

        def excess(supposed: float) -> float:
            return min(self.statistic(supposed), 2 * z) - z

        # The statistic is infinite at the lowest value and 0 at the mean.
        spread = math.sqrt(float(self.times @ (self.values - self.mean) ** 2)) / self.items
        near = max(self.mean - 1.5 * z * spread, self.lowest)
        start = near if excess(near) > 0 else self.lowest
        return float(brentq(excess, start, self.mean, xtol=1e-10))

    def _likeliest_variance(self, supposed: float) -> float:
        """Return the variance of the likeliest distribution with a mean below the measured one.

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
        from scipy.optimize import brentq

        first, others = float(away[0]), away[1:]

        def sum_away(tilt: float) -> float:
            # Times 1 + tilt × the lowest, so that the sum stays finite where that comes to 0.
            rest = float(self.times[1:] @ (others / (1 + tilt * others)))
            return float(self.times[0]) * first + (1 + tilt * first) * rest

        if sum_away(most) >= 0:  # but for rounding
            return most
        return float(brentq(sum_away, 0.0, most, xtol=1e-14 * most, rtol=1e-14))
