"""The inverted randomization test: all shifts of a difference of means that it does not reject."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics.projection import BoundRatio, Projection
from tellapart.resampling.saddlepoint import tail_shifts
from tellapart.resampling.shuffles import ShufflePlan
from tellapart.resampling.subset_means import DrawnMeans, ExactMeans, exact_means
from tellapart.significance.exchanges import ratio_pair
from tellapart.significance.interval_formulas import Interval, beyond_draws, stretched
from tellapart.significance.questions import Question
from tellapart.significance.shuffle_tests import shard_sizes

INVERSIONS = ("exact inversion", "inversion", "saddlepoint inversion")
"""The methods that invert the randomization test: by all exchanges, by shuffles, and at levels that
these are too few for"""

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Inversion:
    """The inverted randomization test of one difference of means.

    A set T of exchanged items speaks against a shift s below the measured difference exactly if the
    mean difference over T is at most s. The ends are therefore quantiles of the mean differences
    over random sets of items (Hartigan's subsamples): of all sets where their sums are few enough,
    otherwise of drawn ones, and by the saddlepoint method at levels that draws are too few for.
    """

    differences: Integers
    sizes: Integers
    factor: Fraction
    """What a mean difference of 1 is worth"""
    means: ExactMeans | None
    """Of all sets of items"""
    tolerance: float
    """How near to 0 a sum of differences is 0"""
    shuffles: int
    seed: int

    def interval(self, level: float) -> Interval:
        """Return the shifts that the test does not reject."""
        q = (1 - level) / 2
        if self.means is not None:
            ends, scale = self.means.ends(q), self.factor * self.means.scale
            return _of_ends(ends, scale, INVERSIONS[0])
        if beyond_draws(level, 4 * self.shuffles):
            rows = self.differences[None], self.sizes[None]
            found = far_intervals(*rows, self.factor, level)[0]
            if found is not None:
                return found
        drawn = _drawn_means(self.differences, self.sizes, self.tolerance, self.shuffles, self.seed)
        measured = self.factor * Fraction(int(self.differences.sum()), int(self.sizes.sum()))
        return stretched(
            lambda within: _of_ends(drawn.ends((1 - within) / 2), self.factor, INVERSIONS[1]),
            float(measured),
            level,
            4 * self.shuffles,
        )


def _of_ends(
    ends: tuple[Fraction | None, Fraction | None], scale: Fraction, method: str
) -> Interval:
    low, high = ends
    return Interval(
        None if low is None else float(scale * low),
        None if high is None else float(-scale * high),
        method,
    )


def far_intervals(
    differences: Integers, sizes: Integers, factor: Fraction, level: float
) -> list[Interval | None]:
    """Return the intervals of many pairs at a level that draws are too few for.

    Pairs × items, and the sizes of the items; None where the saddlepoint method finds no end. So
    few items that no set of them is as rare bound nothing.
    """
    q = (1 - level) / 2
    if q <= 0.5 ** differences.shape[1]:
        return [Interval(None, None, INVERSIONS[2])] * len(differences)
    lows, highs = (tail_shifts(rows, sizes, q) for rows in (differences, -differences))
    worth = float(factor)
    assert worth > 0
    return [
        None if math.isnan(low + high) else Interval(worth * low, -worth * high, INVERSIONS[2])
        for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
    ]


def invert(
    projection: Projection,
    bound: BoundRatio,
    a: int,
    b: int,
    shuffles: int,
    seed: int,
    *,
    exact: bool = True,
) -> Inversion:
    """Return the inverted randomization test of a difference of means.

    The exact test, where `exact` allows it and the sums of all sets of items are few enough;
    otherwise from shuffles. Neither the order of the items nor that of the systems matters.
    """
    numerators = projection.forms[bound.numerator]
    differences, sizes = numerators[a] - numerators[b], projection.forms[bound.denominator, a]
    tolerance = 0.0
    if not bound.exact:
        allowed = ratio_pair(projection, Question(bound, a, b, "two")).tolerance or 0.0
        # An exchange moves the difference by twice the sum over its items.
        tolerance = allowed * float(sizes.sum()) / 2
    means = exact_means(differences, sizes, tolerance) if exact else None
    return Inversion(differences, sizes, bound.factor, means, tolerance, shuffles, seed)


def _drawn_means(
    differences: Integers, sizes: Integers, tolerance: float, shuffles: int, seed: int
) -> DrawnMeans:
    """Return means over drawn sets of items, which come by their differences, up and down.

    So the sets do not depend on the order of the items, and those of mirrored differences are the
    same sets.
    """
    size = int(sizes[0])
    if (sizes == size).all():
        upwards = np.sort(differences)
        first, second = _set_sums(np.stack([upwards, upwards[::-1]]), shuffles, seed)
        number = size * np.tile(_exchanged_items(len(sizes), shuffles, seed), 2)
    else:
        shares = differences / sizes
        up, down = (
            np.lexsort((differences, sizes, shares)),
            np.lexsort((-differences, sizes, -shares)),
        )
        rows = np.stack([differences[up], differences[down], sizes[up], sizes[down]])
        first, second, *counts = _set_sums(rows, shuffles, seed)
        number = np.concatenate(counts)
    sums = np.append(first, second)
    sums = np.append(sums, float(differences.sum()) - sums)
    sums[np.abs(sums) <= tolerance] = 0.0
    return DrawnMeans(sums, np.append(number, float(sizes.sum()) - number), shuffles)


@lru_cache(maxsize=1)
def _exchanged_items(items: int, shuffles: int, seed: int) -> Floats:
    """Return how many items each shuffle exchanges: the same for all pairs."""
    return _set_sums(np.ones((1, items), np.int64), shuffles, seed)[0]


def _set_sums(rows: Integers, shuffles: int, seed: int) -> list[Floats]:
    """Return sums of the rows over the sets of items that shuffles exchange."""
    plan = ShufflePlan(np.stack([np.zeros_like(rows), rows], axis=1))
    parts = [plan.subset_sums(seed, shard, n) for shard, n in shard_sizes(shuffles)]
    drawn = np.concatenate(parts, axis=1)
    return [plan.form_sums(drawn, row, 1) for row in range(len(rows))]
