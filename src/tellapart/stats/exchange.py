"""The exchange test: each item's whole outputs might as well have been the other system's.

This is approximate randomization as the Message Understanding Conferences used it (Noreen 1989;
Chinchor 1992). The score is any function of sums of columns; differences that lie apart by rounding
alone are tied.

All exchanges are walked where few items differ. Those of a ratio of two sums are counted beyond
that, on a lattice of whole numbers: with the sums C and D by which numerators and denominators lie
apart after an exchange, and the totals T_n and T_d of both systems,

    n_a/d_a - n_b/d_b = 2 (C T_d - T_n D) / (T_d² - D²).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import tellapart.engine as engine
from tellapart.errors import UsageError
from tellapart.stats.result import (
    Floats,
    Ints,
    Test,
    sample,
    sign_of,
    smallest_p,
    tie_slack,
)
from tellapart.stats.shuffles import (
    Shards,
    SubsetSums,
    distinct_rows,
    reaches,
    shuffle,
    thresholds_of,
)
from tellapart.stats.signed_sums import RESCALE_EVERY, SignedSum, convolved
from tellapart.stats.streams import WorkerPool

MAX_ENUMERATED = 20
"""Up to a million arrangements are walked; beyond that there are better ways"""

_TOGETHER = 1 << 14  # shuffles of several pairs that a function is asked for at once
_MAX_CELLS, _MAX_UPDATES = 20_000_000, 4e10  # of a lattice: held at a time, updated in all
_MAX_ROWS = 1 << 22  # denominators whose thresholds are worked out
_WALKED = 10  # items whose 2^10 subsets are walked, since they would widen a lattice most

Score: TypeAlias = Callable[[Any], Floats]
"""A score as a vectorised function of sums, which run along the last axis"""


def exchange(
    a: ArrayLike,
    b: ArrayLike,
    *,
    statistic: Score | None = None,
    alternative: str = "two-sided",
    exact: bool | None = None,
    n_resamples: int = 9_999,
    rng: int = 0,
) -> Test:
    """Test whether two systems score alike, by exchanging their outputs item by item.

    Args:
        a: whole numbers, items × columns: what each item adds to the first system's sums.
        b: the same for the second system.
        statistic: the score as a vectorised function of sums, which run along the last axis; by
            default, the sum of the first column over that of the second one.
        alternative: ``two-sided``, ``greater`` (a is better) or ``less``.
        exact: whether to count all exchanges (True), to draw some (False), or to count where up to
            20 items differ (None).
        n_resamples: how many shuffles to draw.
        rng: the seed of the shuffles.

    >>> tp_and_predicted = [[3, 4], [2, 2], [4, 5]], [[1, 4], [1, 2], [0, 5]]
    >>> exchange(*tp_and_predicted).p
    0.25

    """
    columns, sign = whole_columns(a, b), sign_of(alternative)
    if statistic is None and len(columns) != 2:
        raise UsageError(f"a ratio has two columns, not {len(columns)}: give a statistic")
    first, second = columns[:, 0], columns[:, 1]
    if exact or (exact is None and (first != second).any(axis=0).sum() <= MAX_ENUMERATED):
        if statistic is None:
            test = exchange_ratios(first, second, sign)
        else:
            test = enumerate_function(first, second, statistic, sign)
        if test is None:
            raise UsageError("there are too many exchanges to count: use exact=False")
        return test
    tests = FunctionTests.of(columns, [(0, 1)], statistic or ratio_of_sums, sign)
    return shuffle(tests, n_resamples, rng, WorkerPool())[0]


def whole_columns(a: ArrayLike, b: ArrayLike) -> Ints:
    """Return what items × columns of two systems add to sums: columns × systems × items."""
    first, second = (sample(values, name, 2).T for values, name in ((a, "a"), (b, "b")))
    whole = all((rows == np.rint(rows)).all() for rows in (first, second))
    if first.shape != second.shape or not whole:
        raise UsageError("a and b must hold whole numbers of the same items and columns")
    return np.stack([first, second], axis=1).astype(np.int64)


def ratio_of_sums(sums: Floats | Ints, undefined: float = 0.0) -> Floats:
    """Return the first summed column over the second; `undefined` where that is 0."""
    top, bottom = sums[..., 0], sums[..., 1]
    return np.where(bottom == 0, undefined, top / np.where(bottom == 0, 1, bottom))


def exchange_ratios(
    a: Ints, b: Ints, sign: int, undefined: Fraction = Fraction(0), slack: float = 0.0
) -> Test | None:
    """Return the test of ratios by all exchanges; None if there are too many.

    a and b are numerators and denominators × items. Ratios of rounded numbers are tied within a
    `slack`, and beyond a few items have no such test.
    """
    dx, dy = b - a
    sums = RatioSums.of(a, b, sign, undefined)
    if not dy.any():  # numerators alone decide
        observed = float(sums.num_a - sums.num_b)
        return SignedSum.of(dx.astype(np.float64)).test(observed, sign, slack * sums.den_a)
    differing = int(((dx != 0) | (dy != 0)).sum())
    if differing <= MAX_ENUMERATED:
        score = partial(ratio_of_sums, undefined=float(undefined))
        return enumerate_function(a, b, score, sign, slack=slack)
    if slack:
        return None
    if sign == 0 and sums.difference == 0:
        return Test(1.0, "exact")
    tail = lattice_tail(dx, dy, sums)
    if tail is None:
        return None
    p = max((2 if sign == 0 else 1) * tail, smallest_p(differing, sign))
    return Test(min(1.0, p), "exact")


@dataclass(frozen=True, slots=True)
class RatioSums:
    """The sums of two systems under a ratio, as whole numbers.

    >>> RatioSums(num_a=15, den_a=20, num_b=12, den_b=20).difference
    Fraction(3, 20)
    """

    num_a: int
    den_a: int
    num_b: int
    den_b: int
    sign: int = 0
    undefined: Fraction = Fraction(0)
    """The ratio where the denominator is 0"""

    @classmethod
    def of(cls, a: Ints, b: Ints, sign: int = 0, undefined: Fraction = Fraction(0)) -> RatioSums:
        """Return the sums of two systems, numerators and denominators × items."""
        (num_a, den_a), (num_b, den_b) = (rows.sum(axis=1).tolist() for rows in (a, b))
        return cls(num_a, den_a, num_b, den_b, sign, undefined)

    @property
    def difference(self) -> Fraction:
        """The first system's ratio minus the second's."""
        first, second = (
            Fraction(num, den) if den else self.undefined
            for num, den in ((self.num_a, self.den_a), (self.num_b, self.den_b))
        )
        return first - second

    def first_counting(self, d: Ints, c0: int, x_step: int) -> Ints:
        """Return, per denominator difference d, the smallest x whose C = c0 + 2 x_step x counts.

        By symmetry only the upper tail is needed: a difference of at least t, where t is the
        observed difference, its absolute value, or its negative.
        """
        t = abs(self.difference) if self.sign == 0 else self.sign * self.difference
        tn, td = self.num_a + self.num_b, self.den_a + self.den_b
        p, q = t.numerator, t.denominator
        step = 4 * q * td * x_step
        largest = 2 * q * abs(tn) * td + abs(p) * td * td + abs(c0) * 2 * q * td + step
        slow, first = np.ones(len(d), np.bool_), np.empty(len(d), np.int64)
        if td > 0 and largest < 1 << 61:
            # C Td >= Tn D + (P/Q) (Td² - D²) / 2, solved for x in 64-bit integers
            need = 2 * q * tn * d + p * (td * td - d * d) - 2 * q * td * c0
            first = -((-need) // step)
            slow = np.abs(d) >= td
        limit = 1 << 62
        for k in np.flatnonzero(slow).tolist():
            least = self._least_c(t, int(d[k]))
            x = math.ceil((least - c0) / (2 * x_step)) if isinstance(least, Fraction) else least
            first[k] = max(-limit, min(limit, x))
        return np.asarray(first, np.int64)

    def _least_c(self, t: Fraction, d: int) -> Fraction | int:
        """Return how far apart numerators must be for a difference of t; a bound if any or none."""
        tn, td = self.num_a + self.num_b, self.den_a + self.den_b
        if td == 0:
            return -(1 << 62) if t <= 0 else 1 << 62
        if abs(d) < td:
            return (2 * tn * d + t * (td * td - d * d)) / Fraction(2 * td)
        if d == td:  # system b is undefined: (Tn + C) / 2 Td - undefined >= t
            return 2 * td * (t + self.undefined) - tn
        return tn - 2 * td * (self.undefined - t)  # system a is undefined


def lattice_tail(dx: Ints, dy: Ints, sums: RatioSums) -> float | None:
    """Return the chance of an exchange that leaves ratios as far apart; None of too many cells.

    dx and dy are what the second system has more than the first on each item, in numerator and
    denominator. An item that is exchanged moves the difference of the numerators by twice dx and
    that of the denominators by twice dy. The weights of all pairs of sums follow item by item: each
    cell plus the cell one shift back. Subsets of the last few items are walked instead.

    >>> lattice_tail(np.array([-1, -1, -1]), np.array([0, 0, 0]), RatioSums(3, 3, 0, 3))
    0.125
    """
    moved = (dx != 0) | (dy != 0)
    shifts = np.stack([dx[moved], dy[moved]])
    x_step, y_step = (max(1, int(np.gcd.reduce(row))) if row.size else 1 for row in shifts)
    shifts //= np.array([[x_step], [y_step]])
    # Exchanging an item or leaving it are equally likely, so that a shift may be counted from
    # either end: here from the one that makes denominators no smaller.
    downwards = (shifts[1] < 0) | ((shifts[1] == 0) & (shifts[0] < 0))
    x, y = shifts[:, downwards].sum(axis=1).tolist()
    shifts = _by_size(np.where(downwards, -shifts, shifts))
    used = shifts.shape[1] - min(_WALKED, shifts.shape[1] // 2)
    on_lattice, walked = (np.ascontiguousarray(part) for part in np.split(shifts, [used], axis=1))
    rows = int(shifts[1].sum()) + 1
    if rows > _MAX_ROWS or _updates(on_lattice) > _MAX_UPDATES:
        return None
    c0, d0 = sums.num_a - sums.num_b + 2 * x * x_step, sums.den_a - sums.den_b + 2 * y * y_step
    first = sums.first_counting(d0 + 2 * y_step * np.arange(rows), c0, x_step)
    scale = RESCALE_EVERY * (used // RESCALE_EVERY) - shifts.shape[1]
    return min(1.0, math.ldexp(_mass(on_lattice, walked, first), scale))


def _by_size(shifts: Ints) -> Ints:
    """Return items by size: small ones first keep the lattice small for longest."""
    spread = np.abs(shifts).sum(axis=1, keepdims=True).clip(min=1)
    order = np.argsort((np.abs(shifts) / spread).sum(axis=0), kind="stable")
    return shifts[:, order]


def _updates(shifts: Ints) -> float:
    """Return how many cells are updated; infinite where there are too many of them."""
    widths, heights = (np.abs(shifts).cumsum(axis=1) + 1).astype(np.float64)
    too_many = shifts.shape[1] and widths[-1] * heights[-1] > _MAX_CELLS
    return math.inf if too_many else float(widths @ heights)


def _mass(shifts: Ints, walked: Ints, first: Ints) -> float:
    """Return the weight of the sums that count: from x = first[y] on, for each y.

    NumPy makes every addition of the native code in the same order.
    """
    if engine.native is not None and engine.active() != "numpy":
        return float(engine.native.lattice_mass(shifts, walked, first))
    cells, lowest = convolved(shifts)
    height, width = cells.shape
    suffix = np.zeros((height, width + 1))
    suffix[:, :-1] = np.cumsum(cells[:, ::-1], axis=1)[:, ::-1]
    mass, rows = np.zeros(height), np.arange(height)
    for dx, dy in all_subset_sums(walked).T.tolist():
        mass += suffix[rows, (first[rows + dy] - dx - lowest).clip(0, width)]
    return float(np.cumsum(mass)[-1])


def all_subset_sums(values: Ints) -> Ints:
    """Return the sums of all subsets of the last axis: columns × items to columns × 2^items.

    Bit k of a subset's number tells whether item k is in it.

    >>> all_subset_sums(np.array([[1, 10, 100]])).tolist()
    [[0, 1, 10, 11, 100, 101, 110, 111]]
    """
    sums = np.zeros((len(values), 1), np.int64)
    for item in values.T:
        sums = np.concatenate([sums, sums + item[:, None]], axis=1)
    return sums


def enumerate_function(
    a: Ints, b: Ints, score: Score, sign: int, slack: float = 0.0
) -> Test | None:
    """Return the test of a function of sums by all exchanges; None if too many items differ.

    a and b are columns × items of whole numbers.
    """
    moving = (a != b).any(axis=0)
    differing = int(moving.sum())
    if differing > MAX_ENUMERATED:
        return None
    if not differing:
        return Test.counted(1, 1)
    moved = all_subset_sums((b - a)[:, moving][:, :-1]).T
    first, second = (rows.sum(axis=1).astype(np.float64) for rows in (a, b))
    apart = score(first + moved) - score(second - moved)
    observed = [float(score(sums)) for sums in (first, second)]
    # These are half of all arrangements; the others are their mirror images.
    slack = max(slack, tie_slack(*observed))
    limit = float(thresholds_of(observed[0] - observed[1], slack, sign))
    reached = sum(int(np.count_nonzero(reaches(way, limit, sign))) for way in (apart, -apart))
    return Test.counted(reached, 1 << differing)


@dataclass(frozen=True, slots=True, eq=False)
class SystemSums:
    """Sums of columns of several systems over random sets of items, relative to the first system.

    So two systems need one column each, and items on which all systems agree vanish.
    """

    sums: SubsetSums
    places: NDArray[np.int32]  # columns × systems: where each sum stands; -1 if it is always 0

    @classmethod
    def of(cls, columns: Ints) -> SystemSums:
        """Return the sums for columns × systems × items."""
        relative = columns - columns[:, :1]
        moving = np.argwhere(relative.any(axis=2))
        rows = relative[moving[:, 0], moving[:, 1]]
        different, numbers = distinct_rows(rows)
        places = np.full(columns.shape[:2], -1, np.int32)
        places[moving[:, 0], moving[:, 1]] = numbers
        return cls(SubsetSums(rows[different]), places)

    def exchanged(self, sums: Floats, column: int, a: int, b: int) -> Floats:
        """Return what exchanges add to system a's sum of a column, and take from b's."""
        first, second = (
            sums[place] if place >= 0 else np.zeros(sums.shape[1])
            for place in self.places[column, [a, b]].tolist()
        )
        return np.asarray(second - first)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionTests:
    """Exchange tests of a function of sums, many pairs at once."""

    sums: SystemSums
    score: Score
    systems: Ints  # tests × 2
    totals: Ints  # columns × systems
    thresholds: Floats
    signs: Ints

    @classmethod
    def of(
        cls,
        columns: Ints,
        systems: Sequence[tuple[int, int]],
        score: Score,
        signs: ArrayLike,
        slack: ArrayLike = 0.0,
    ) -> FunctionTests:
        """Return the tests of pairs of systems; columns are columns × systems × items."""
        totals, pairs = columns.sum(axis=2), np.array(systems, np.int64).reshape(-1, 2)
        first, second = score(totals.T.astype(np.float64))[pairs].T
        tied = [tie_slack(*both) for both in zip(first, second, strict=True)]
        signs = np.broadcast_to(np.asarray(signs, np.int64), len(pairs))
        thresholds = thresholds_of(first - second, np.maximum(tied, slack), signs)
        return cls(SystemSums.of(columns), score, pairs, totals, thresholds, signs)

    def __len__(self) -> int:
        return len(self.systems)

    def take(self, numbers: Ints) -> FunctionTests:
        """Return some of the tests."""
        return replace(
            self,
            systems=self.systems[numbers],
            thresholds=self.thresholds[numbers],
            signs=self.signs[numbers],
        )

    def count(self, seed: int, shards: Shards) -> Ints:
        """Return how many shuffles of each shard count for each test: shards × tests."""
        counts = np.empty((len(shards), len(self)), np.int64)
        for k, (shard, n) in enumerate(shards):
            drawn, several = self.sums.sums.sums(seed, shard, n), max(1, _TOGETHER // n)
            for first in range(0, len(self), several):
                part = np.arange(first, min(first + several, len(self)))
                for j, apart in zip(part.tolist(), self._differences(part, drawn), strict=True):
                    reached = reaches(apart, float(self.thresholds[j]), int(self.signs[j]))
                    counts[k, j] = np.count_nonzero(reached)
        return counts

    def _differences(self, tests: Ints, sums: Floats) -> Floats:
        """Return the differences after each exchange: tests × exchanges."""
        first, second = self.systems[tests].T
        # Columns first in memory, so that the function reads whole columns.
        moved = np.empty((len(self.totals), len(tests), sums.shape[1]))
        for column, rows in enumerate(moved):
            for row, a, b in zip(rows, first.tolist(), second.tolist(), strict=True):
                row[:] = self.sums.exchanged(sums, column, a, b)
        own, other = self.totals[:, first, None] + moved, self.totals[:, second, None] - moved
        one, two = (self.score(np.moveaxis(rows, 0, -1)) for rows in (own, other))
        return np.asarray(one - two)
