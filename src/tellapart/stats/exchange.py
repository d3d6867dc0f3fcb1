"""The exchange test: each item's whole outputs might as well have been the other system's.

This is approximate randomization as the Message Understanding Conferences used it (Noreen 1989;
Chinchor 1992). The score is a function of sums of columns; for a ratio of two sums, differences are
compared in whole numbers, so that ties are exact: with the sums C and D by which numerators and
denominators lie apart after an exchange, and the totals T_n and T_d of both systems,

    n_a/d_a - n_b/d_b = 2 (C T_d - T_n D) / (T_d² - D²).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart import engine
from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.lattice import MAX_UPDATES, lattice_tail
from tellapart.stats.result import (
    Flags,
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
    sizes_of,
    thresholds_of,
)
from tellapart.stats.signed_sums import SignedSum
from tellapart.stats.workers import WorkerPool

MAX_ENUMERATED = 20
"""Up to a million arrangements are walked; beyond that there are better ways"""

_EXACT_DOUBLE, _NEAR_TIES, _TOLERANCE, _LINEAR = range(4)
"""How a test compares: every product is exact in a double; doubles, then integers for near ties;
doubles with a tolerance; numerators alone"""

_TEST = np.dtype(
    [
        *[(name, np.int32) for name in ("num_a", "num_b", "den_a", "den_b", "tail", "mode")],
        *[(name, np.float64) for name in ("c0", "d0", "tn", "td", "p", "q", "band")],
        *[(name, np.int64) for name in ("int_p", "int_q", "undefined_num", "undefined_den")],
    ],
    align=True,
)
"""One row per test; mirrors `struct Test` of the native code"""

_BLEU_COLUMNS = 10  # of the penalised means that native code knows: two lengths, four ratios
_TOGETHER = 1 << 14  # shuffles of several pairs that a function is asked for at once

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
    few = int((columns[:, 0] != columns[:, 1]).any(axis=0).sum()) <= MAX_ENUMERATED
    if exact or (exact is None and few):
        if statistic is None:
            found = RatioPair.of(columns, 0, 1, sign).exact(columns[:, 0], columns[:, 1])
        else:
            found = enumerate_function(columns[:, 0], columns[:, 1], statistic, sign)
        if found is None:
            raise UsageError("there are too many exchanges to count: use exact=False")
        return found
    if statistic is None:
        return shuffle(RatioTests.of(columns, [(0, 1)], sign), n_resamples, rng, WorkerPool())[0]
    tests = FunctionTests.of(columns, [(0, 1)], statistic, sign)
    return shuffle(tests, n_resamples, rng, WorkerPool())[0]


def whole_columns(a: ArrayLike, b: ArrayLike) -> Ints:
    """Return what items × columns of two systems add to sums: columns × systems × items."""
    first, second = (sample(values, name, 2).T for values, name in ((a, "a"), (b, "b")))
    whole = all((rows == np.rint(rows)).all() for rows in (first, second))
    if first.shape != second.shape or not whole:
        raise UsageError("a and b must hold whole numbers of the same items and columns")
    return np.stack([first, second], axis=1).astype(np.int64)


@dataclass(frozen=True, slots=True)
class RatioPair:
    """The sums of two systems under a ratio, as whole numbers.

    >>> pair = RatioPair(num_a=15, den_a=20, num_b=12, den_b=20)
    >>> pair.difference, pair.reaches(c=-3, d=0)
    (Fraction(3, 20), True)
    """

    num_a: int
    den_a: int
    num_b: int
    den_b: int
    sign: int = 0
    undefined: Fraction = Fraction(0)
    """The ratio where the denominator is 0"""
    tolerance: float | None = None
    """Within how much differences are tied; None where the comparison is exact"""
    num_bound: int = 0
    """A bound of the absolute numerators under any exchange, where they may be negative"""
    same_denominators: bool = False
    """Whether the denominators agree on every item, so that numerators alone decide"""

    @classmethod
    def of(
        cls,
        columns: Ints,
        a: int,
        b: int,
        sign: int,
        undefined: Fraction = Fraction(0),
        tolerance: float | None = None,
    ) -> RatioPair:
        """Return the pair of two systems, from numerators and denominators × systems × items."""
        (num_a, num_b), (den_a, den_b) = columns[:, [a, b]].sum(axis=2).tolist()
        bound = int(np.abs(columns[0, [a, b]]).sum())
        same = np.array_equal(columns[1, a], columns[1, b])
        return cls(num_a, den_a, num_b, den_b, sign, undefined, tolerance, bound, same)

    @property
    def difference(self) -> Fraction:
        """The first system's ratio minus the second's."""
        return self._score(self.num_a, self.den_a) - self._score(self.num_b, self.den_b)

    def _score(self, num: int, den: int) -> Fraction:
        return Fraction(num, den) if den else self.undefined

    @property
    def threshold(self) -> Fraction:
        """What an exchanged difference must reach: |d| for two sides, else d."""
        return abs(self.difference) if self.sign == 0 else self.difference

    def reaches(self, c: int, d: int) -> bool:
        """Return whether the exchange that leaves the sums c and d apart is as extreme."""
        tn, td = self.num_a + self.num_b, self.den_a + self.den_b
        # Doubled sums on both sides of the fractions: the ratios are the same.
        apart = self._score(tn + c, td + d) - self._score(tn - c, td - d)
        if self.sign == 0:
            return abs(apart) >= self.threshold
        return apart >= self.threshold if self.sign > 0 else apart <= self.threshold

    def exact(self, a: Ints, b: Ints, max_updates: float = MAX_UPDATES) -> Test | None:
        """Return the test by all exchanges of two systems' rows; None if there are too many."""
        dx, dy = b - a
        differing = int(((dx != 0) | (dy != 0)).sum())
        if self.same_denominators:
            slack = (self.tolerance or 0.0) * (self.den_a + self.den_b) / 2
            observed = float(self.num_a - self.num_b)
            return SignedSum.of(dx.astype(np.float64)).test(observed, self.sign, slack)
        if differing <= MAX_ENUMERATED:
            return Test.counted(self._enumerated(dx, dy), 1 << differing)
        if self.tolerance is not None:
            return None
        if self.sign == 0 and self.difference == 0:
            return Test(1.0, "exact")
        start = self.num_a - self.num_b, self.den_a - self.den_b
        tail = lattice_tail(dx, dy, start, self._first_counting, max_updates)
        if tail is None:
            return None
        p = max((2 if self.sign == 0 else 1) * tail, smallest_p(differing, self.sign))
        return Test(min(1.0, p), "exact")

    def _enumerated(self, dx: Ints, dy: Ints) -> int:
        """Return how many arrangements count: of one half, and of their mirror images."""
        moving = np.flatnonzero((dx != 0) | (dy != 0))
        if not len(moving):
            return 1
        row = self.row()
        x, y = all_subset_sums(np.stack([dx, dy])[:, moving[:-1]]).astype(np.float64)
        c, d = row["c0"] + 2 * x, row["d0"] + 2 * y
        count = int(np.count_nonzero(self.reached(row, c, d)))
        mirrored = count if self.sign == 0 else int(np.count_nonzero(self.reached(row, -c, -d)))
        return count + mirrored

    def _first_counting(self, d: Ints, c0: int, x_step: int) -> Ints:
        """Return, per denominator difference d, the smallest x whose C = c0 + 2 x_step x counts.

        By symmetry only the upper tail is needed: a difference of at least t, where t is the
        observed difference, its absolute value, or its negative.
        """
        t = -self.difference if self.sign < 0 else self.threshold
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

    def row(self) -> np.void:
        """Return the pair as one row of tests."""
        rows = np.zeros(1, _TEST)
        self.fill(rows[0])
        row: np.void = rows[0]
        return row

    def fill(self, row: np.void) -> None:
        """Write the pair into one row of tests, choosing how it will be compared."""
        tn, td = self.num_a + self.num_b, self.den_a + self.den_b
        row["tail"], row["band"] = self.sign, -1.0
        row["c0"], row["d0"] = self.num_a - self.num_b, self.den_a - self.den_b
        row["tn"], row["td"] = tn, td
        slack = (self.tolerance or 0.0) * (1 if self.sign >= 0 else -1)
        threshold = self.threshold
        p, q = threshold.numerator, threshold.denominator
        reach = max(self.num_bound, abs(self.num_a) + abs(self.num_b))
        largest = max(2 * (reach + abs(tn)) * td * q, abs(p) * td * td)
        # Where a denominator is zero, the terms of the undefined score enter the products.
        terms = max(abs(self.undefined.numerator), self.undefined.denominator)
        edge = 2 * terms * (2 * td + reach + abs(tn)) * max(abs(p), q)
        if self.same_denominators:
            row["mode"], row["p"] = _LINEAR, self._linear_threshold(slack, td)
        elif (
            self.tolerance is not None
            or max(largest, edge) >= 1 << 125
            or max(abs(p), q, terms) >= 1 << 62
        ):
            row["mode"] = _TOLERANCE
            row["p"], row["q"] = float(threshold) - slack, 1.0
            scale = max(1.0, 2.0 ** min(62, 52 - math.frexp(float(self.undefined))[1]))
            row["undefined_num"] = round(float(self.undefined) * scale)
            row["undefined_den"] = int(scale)
        else:
            row["mode"] = _EXACT_DOUBLE if largest < 1 << 53 else _NEAR_TIES
            row["p"], row["q"], row["int_p"], row["int_q"] = p, q, p, q
            row["undefined_num"] = self.undefined.numerator
            row["undefined_den"] = self.undefined.denominator
            if row["mode"] == _NEAR_TIES:
                row["band"] = float(largest) * 2.0**-48

    def _linear_threshold(self, slack: float, td: int) -> float:
        if td == 0:  # no exchange changes an undefined score
            return -np.inf if self.sign >= 0 else np.inf
        c0 = self.num_a - self.num_b
        return float(abs(c0) if self.sign == 0 else c0) - slack * td / 2

    def reached(self, row: np.void, c: Floats, d: Floats) -> Flags:
        """Return for arrays of exchanged sums which of them count.

        The operations and their order are those of the native code: both must round alike.
        """
        sign, p = self.sign, float(row["p"])
        if row["mode"] == _LINEAR:
            return np.asarray(np.abs(c) >= p if sign == 0 else c >= p if sign > 0 else c <= p)
        td, tn, direction = float(row["td"]), float(row["tn"]), -1.0 if sign < 0 else 1.0
        rest = td * td - d * d
        apart = 2 * (c * td - tn * d)
        left = (np.abs(apart) if sign == 0 else apart * direction) * float(row["q"])
        right = p * direction * rest
        reached = np.asarray(left >= right)
        doubtful = np.flatnonzero((np.abs(left - right) <= float(row["band"])) | (rest == 0))
        tolerant = row["mode"] == _TOLERANCE
        for k in doubtful.tolist():
            ask = self._undefined_reaches if tolerant else self.reaches
            reached[k] = ask(int(c[k]), int(d[k]))
        return reached

    def _undefined_reaches(self, c: int, d: int) -> bool:
        """Return whether a difference counts where a denominator is zero, within the tolerance."""
        tn, td = float(self.num_a + self.num_b), float(self.den_a + self.den_b)
        undefined, slack = float(self.undefined), self.tolerance or 0.0
        first = undefined if td + d == 0 else (tn + c) / (td + d)
        second = undefined if td - d == 0 else (tn - c) / (td - d)
        limit = float(thresholds_of(float(self.difference), slack, self.sign))
        return bool(reaches(np.array(first - second), limit, self.sign))


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


def enumerate_function(a: Ints, b: Ints, score: Score, sign: int, scale: Any = 1.0) -> Test | None:
    """Return the test of a function of sums by all exchanges; None if too many items differ.

    a and b are columns × items of whole numbers; sums are divided by `scale`.
    """
    moving = (a != b).any(axis=0)
    differing = int(moving.sum())
    if differing > MAX_ENUMERATED:
        return None
    if not differing:
        return Test.counted(1, 1)
    moved = all_subset_sums((b - a)[:, moving][:, :-1]).T
    apart = score((a.sum(axis=1) + moved) / scale) - score((b.sum(axis=1) - moved) / scale)
    observed = [float(score(rows.sum(axis=1) / scale)) for rows in (a, b)]
    return _enumerated_differences(apart, differing, sign, observed[0], observed[1])


def enumerate_rows(
    a: Floats, b: Floats, score: Callable[[Floats], float], sign: int
) -> Test | None:
    """Return the test of a function of whole rows, items × columns, by all exchanges."""
    moving = np.flatnonzero((a != b).any(axis=1))
    if len(moving) > MAX_ENUMERATED:
        return None
    if not len(moving):
        return Test.counted(1, 1)
    subsets = np.arange(1 << (len(moving) - 1))[:, None] >> np.arange(len(moving) - 1) & 1
    coins = np.zeros((len(a), len(subsets)), np.bool_)
    coins[moving[:-1]] = subsets.T.astype(np.bool_)
    differences = exchanged_rows(a, b, score, coins)
    return _enumerated_differences(differences, len(moving), sign, score(a), score(b))


def _enumerated_differences(
    differences: Floats, differing: int, sign: int, score_a: float, score_b: float
) -> Test:
    """Return the test from half of all arrangements; the others are their mirror images."""
    limit = float(thresholds_of(score_a - score_b, tie_slack(score_a, score_b), sign))
    both = (reaches(apart, limit, sign) for apart in (differences, -differences))
    return Test.counted(sum(int(np.count_nonzero(hits)) for hits in both), 1 << differing)


def exchanged_rows(a: Floats, b: Floats, score: Callable[[Floats], float], coins: Flags) -> Floats:
    """Return the differences of a function of rows after exchanges, items × exchanges."""
    differences = np.empty(coins.shape[1])
    for k, heads in enumerate(coins.T):
        swapped = heads[:, None]
        differences[k] = score(np.where(swapped, b, a)) - score(np.where(swapped, a, b))
    return differences


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
        return _exchanged(sums, *self.places[column, [a, b]].tolist())


def _exchanged(sums: Floats, a: int, b: int) -> Floats:
    """Return one row of sums less another; rows with a number below 0 are all 0."""
    first, second = (sums[k] if k >= 0 else np.zeros(sums.shape[1]) for k in (a, b))
    return np.asarray(second - first)


@dataclass(frozen=True, slots=True, eq=False)
class RatioTests:
    """Exchange tests of ratios, many pairs at once."""

    sums: SystemSums
    rows: NDArray[np.void]
    pairs: tuple[RatioPair, ...]

    @classmethod
    def of(
        cls,
        columns: Ints,
        systems: ArrayLike,
        signs: ArrayLike = 0,
        undefined: Fraction = Fraction(0),
        tolerances: Floats | None = None,
    ) -> RatioTests:
        """Return the tests of pairs of systems; columns are (num, den) × systems × items."""
        sums, both = SystemSums.of(columns), np.asarray(systems, np.int64).reshape(-1, 2)
        rows = np.zeros(len(both), _TEST)
        for column, name in enumerate(("num", "den")):
            rows[f"{name}_a"], rows[f"{name}_b"] = sums.places[column][both.T]
        tails = np.broadcast_to(np.asarray(signs, np.int64), len(both)).tolist()
        tied = [None] * len(both) if tolerances is None else tolerances.tolist()
        pairs = tuple(
            RatioPair.of(columns, a, b, sign, undefined, tolerance)
            for (a, b), sign, tolerance in zip(both.tolist(), tails, tied, strict=True)
        )
        for pair, row in zip(pairs, rows, strict=True):
            pair.fill(row)
        return cls(sums, rows, pairs)

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, numbers: Ints) -> RatioTests:
        """Return some of the tests."""
        pairs = tuple(self.pairs[k] for k in numbers.tolist())
        return RatioTests(self.sums, self.rows[numbers], pairs)

    def count(self, seed: int, shards: Shards) -> Ints:
        """Return how many shuffles of each shard count for each test: shards × tests."""
        counts = np.empty((len(shards), len(self)), np.int64)
        if engine.active() != "numpy":
            sums, tests = self.sums.sums, np.ascontiguousarray(self.rows).view(np.uint8)
            sums.native().count(sums.seeds(seed, shards), sizes_of(shards), tests, counts)
            return counts
        for k, (shard, n) in enumerate(shards):
            drawn = self.sums.sums.sums(seed, shard, n)
            for j, (row, pair) in enumerate(zip(self.rows, self.pairs, strict=True)):
                c = row["c0"] + 2 * _exchanged(drawn, row["num_a"], row["num_b"])
                d = row["d0"] + 2 * _exchanged(drawn, row["den_a"], row["den_b"])
                counts[k, j] = np.count_nonzero(pair.reached(row, c, d))
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class FunctionTests:
    """Exchange tests of a function of sums, many pairs at once."""

    sums: SystemSums
    score: Score
    scale: Floats
    systems: Ints  # tests × 2
    totals: Ints  # columns × systems
    thresholds: Floats
    signs: Ints
    penalised_mean: bool
    """Whether the score is one that native code knows: BLEU, as `PenalisedMean` defines it"""

    @classmethod
    def of(
        cls,
        columns: Ints,
        systems: Sequence[tuple[int, int]],
        score: Score,
        signs: ArrayLike,
        scale: ArrayLike = 1.0,
        penalised_mean: bool = False,
    ) -> FunctionTests:
        """Return the tests of pairs of systems; columns are columns × systems × items."""
        totals, pairs = columns.sum(axis=2), np.array(systems, np.int64).reshape(-1, 2)
        divisor = np.broadcast_to(np.asarray(scale, np.float64), (len(columns),))
        known = score(totals.T / divisor)
        first, second = known[pairs].T
        slack = np.array([tie_slack(*both) for both in zip(first, second, strict=True)])
        signs = np.broadcast_to(np.asarray(signs, np.int64), len(pairs))
        thresholds = thresholds_of(first - second, slack, signs)
        native = penalised_mean and len(columns) == _BLEU_COLUMNS and bool((divisor == 1).all())
        return cls(SystemSums.of(columns), score, divisor, pairs, totals, thresholds, signs, native)

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
        counts = np.zeros((len(shards), len(self)), np.int64)
        open_ = np.ones(counts.shape, np.bool_)
        if self.penalised_mean and engine.active() != "numpy":
            counts, perhaps = self._count_means(seed, shards)
            open_ = counts != perhaps
        several = max(1, _TOGETHER // max(n for _, n in shards))
        for k, (shard, n) in enumerate(shards):
            rest = np.flatnonzero(open_[k])
            drawn = self.sums.sums.sums(seed, shard, n) if len(rest) else np.zeros((0, 0))
            for first in range(0, len(rest), several):
                part = rest[first : first + several]
                for j, apart in zip(part.tolist(), self._differences(part, drawn), strict=True):
                    counts[k, j] = np.count_nonzero(
                        reaches(apart, float(self.thresholds[j]), int(self.signs[j]))
                    )
        return counts

    def _differences(self, tests: Ints, sums: Floats) -> Floats:
        """Return the differences after each exchange: tests × exchanges."""
        first, second = self.systems[tests].T
        # Columns first in memory, so that the function reads whole columns.
        moved = np.empty((len(self.totals), len(tests), sums.shape[1]))
        for column, rows in enumerate(moved):
            for row, a, b in zip(rows, first.tolist(), second.tolist(), strict=True):
                row[:] = self.sums.exchanged(sums, column, a, b)
        divisor = self.scale[:, None, None]
        own = (self.totals[:, first, None] + moved) / divisor
        other = (self.totals[:, second, None] - moved) / divisor
        one, two = (self.score(np.moveaxis(rows, 0, -1)) for rows in (own, other))
        return np.asarray(one - two)

    def _count_means(self, seed: int, shards: Shards) -> tuple[Ints, Ints]:
        """Return how many shuffles count surely, and how many perhaps, by native code.

        It knows scores to some twelve digits. Sums of which one is not above 0 count perhaps.
        """
        surely, perhaps = (np.empty((len(shards), len(self)), np.int64) for _ in range(2))
        first, second = self.systems.T
        sums = self.sums.sums
        places = (np.ascontiguousarray(self.sums.places[:, k].T) for k in (first, second))
        totals = (np.ascontiguousarray(self.totals[:, k].T, np.float64) for k in (first, second))
        signs = self.signs.astype(np.int32)
        sums.native().count_means(
            sums.seeds(seed, shards), sizes_of(shards), *places, *totals, self.thresholds, signs,
            surely, perhaps,
        )  # fmt: skip
        return surely, perhaps


@dataclass(frozen=True, slots=True, eq=False)
class RowTests:
    """Exchange tests of a function of whole rows: the slow path, for what sums cannot tell."""

    rows: Floats  # systems × items × columns
    score: Callable[[Floats], float]
    systems: Ints  # tests × 2
    signs: Ints

    def __len__(self) -> int:
        return len(self.systems)

    def take(self, numbers: Ints) -> RowTests:
        """Return some of the tests."""
        return replace(self, systems=self.systems[numbers], signs=self.signs[numbers])

    def count(self, seed: int, shards: Shards) -> Ints:
        """Return how many shuffles of each shard count for each test: shards × tests."""
        counts = np.empty((len(shards), len(self)), np.int64)
        for k, (shard, n) in enumerate(shards):
            coins = streams.coins(seed, shard, self.rows.shape[1], n)
            for j, (a, b) in enumerate(self.systems.tolist()):
                sign = int(self.signs[j])
                first, second = (self.score(self.rows[system]) for system in (a, b))
                limit = thresholds_of(first - second, tie_slack(first, second), sign)
                apart = exchanged_rows(self.rows[a], self.rows[b], self.score, coins)
                counts[k, j] = np.count_nonzero(reaches(apart, float(limit), sign))
        return counts
