"""Randomization test for systems that were run on different test items.

System labels are permuted over the pooled items, within strata, keeping the number of items of each
system. Where the items are shared, a paired test is the right one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import DataError, UsageError
from tellapart.significance.textbook_paired import check_tail

ENUMERATION_LIMIT = 2**20
BLOCK = 1024  # shuffles per random stream
_BATCH_CELLS = 2**22

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LinearRatio:
    """A score that is one weighted sum of columns over another, e.g. precision of (tp, fp).

    >>> LinearRatio((1, 0), (1, 1)).score(np.array([3, 1]))
    Fraction(3, 4)
    """

    numerator: tuple[int, ...]
    denominator: tuple[int, ...]
    undefined: Fraction = Fraction(0)  # the score where the denominator is 0

    def score(self, sums: NDArray[Any]) -> Fraction:
        """Return the exact score of one row of summed columns."""
        n, d = (
            sum(w * Fraction(x) for w, x in zip(weights, sums.tolist(), strict=True))
            for weights in (self.numerator, self.denominator)
        )
        return Fraction(n) / Fraction(d) if d else self.undefined


Statistic = LinearRatio | Callable[[NDArray[Any]], Floats]


@dataclass(frozen=True, slots=True)
class UnpairedTest:
    """Outcome of an unpaired randomization test; ratios of integers have Fractions as scores."""

    score_a: Fraction | float
    score_b: Fraction | float
    difference: Fraction | float
    p: float
    tail: str
    method: str  # "enumeration" or "shuffles"
    exceeding: int
    total: int  # splits enumerated, or shuffles drawn
    comparison: str  # "integer" or "tolerance"
    seed: int | None  # None where nothing was drawn


def block_generator(seed: int, block: int) -> np.random.Generator:
    """Return the random stream of one block; it depends on nothing but seed and block.

    >>> int(block_generator(0, 3).integers(10)) == int(block_generator(0, 3).integers(10))
    True
    """
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(block,))))


def ratio_exceeds(
    first: tuple[NDArray[Any], NDArray[Any]],
    second: tuple[NDArray[Any], NDArray[Any]],
    observed: Fraction,
    tail: str,
    undefined: Fraction = Fraction(0),
) -> Bools:
    """Return which differences n1/d1 - n2/d2 of integers reach the observed one, ties included.

    Floats decide where the gap is wide; whatever lies within 1e-9 of a tie is decided again on
    Python integers, which cannot overflow.

    >>> ones = np.array([1, 1])
    >>> third = Fraction(1, 3)
    >>> ratio_exceeds((np.array([1, 1]), 3 * ones), (0 * ones, ones), third, "greater").tolist()
    [True, True]
    """
    n1, d1 = _with_positive_denominator(*first, undefined)
    n2, d2 = _with_positive_denominator(*second, undefined)
    x, y = n1 / d1, n2 / d2
    threshold = abs(observed) if tail == "two" else observed
    sign = -1 if tail == "less" else 1
    size = np.abs(x - y) if tail == "two" else sign * (x - y)
    gap = (size - sign * float(threshold)).astype(float)
    exceeds: Bools = gap > 0
    scale = (np.abs(x) + np.abs(y)).astype(float) + abs(float(threshold))
    near = np.flatnonzero(np.abs(gap) <= 1e-9 * scale)
    if near.size:
        m1, e1, m2, e2 = (array[near].astype(object) for array in (n1, d1, n2, d2))
        cross = m1 * e2 - m2 * e1
        cross = np.abs(cross) if tail == "two" else sign * cross
        bound = sign * threshold.numerator * e1 * e2
        exceeds[near] = (cross * threshold.denominator >= bound).astype(bool)
    return exceeds


def _with_positive_denominator(
    n: NDArray[Any], d: NDArray[Any], undefined: Fraction
) -> tuple[NDArray[Any], NDArray[Any]]:
    n, d = np.where(d < 0, -n, n), np.abs(d)
    empty = d == 0
    return np.where(empty, undefined.numerator, n), np.where(empty, undefined.denominator, d)


def float_exceeds(first: Floats, second: Floats, observed: float, tail: str) -> Bools:
    """Return which differences of floats reach the observed one; near ties count as reaching.

    >>> float_exceeds(np.array([0.1 + 0.2]), np.array([0.0]), 0.3, "less").tolist()
    [True]
    """
    eps = np.finfo(float).eps
    slack = np.maximum(1e-12, 64 * eps * np.maximum(np.abs(first), np.abs(second)))
    d = first - second
    if tail == "two":
        d, observed = np.abs(d), abs(observed)
    exceeds: Bools = d <= observed + slack if tail == "less" else d >= observed - slack
    return exceeds


def subset_sums(values: NDArray[Any], size: int) -> NDArray[Any]:
    """Return sums of the columns over each subset of `size` rows, one row per subset.

    >>> subset_sums(np.array([[1], [2], [4]]), 2).ravel().tolist()
    [3, 5, 6]
    """
    n = len(values)
    small = min(size, n - size)
    subsets = math.comb(n, small)
    # axis 0: subsets; axis 1: the members (of the smaller side)
    flat = chain.from_iterable(combinations(range(n), small))
    members = np.fromiter(flat, np.int32, subsets * small).reshape(subsets, small)
    sums = np.zeros((subsets, values.shape[1]), values.dtype)
    for j in range(small):
        sums += values[members[:, j]]
    return sums if small == size else (values.sum(axis=0) - sums)[::-1]


def random_splits(
    groups: Sequence[NDArray[Any]], sizes: Sequence[int], shuffles: int, seed: int
) -> Iterator[NDArray[Any]]:
    """Yield sums of the columns over random subsets of fixed size, summed over groups, by blocks.

    Shuffle r depends on the seed and r alone: each block of 1024 has its own stream and is drawn
    whole even where only its first rows are used.

    >>> [block.shape for block in random_splits([np.ones((6, 2), int)], [3], 1500, seed=0)]
    [(1024, 2), (476, 2)]
    """
    for block in range(-(-shuffles // BLOCK)):
        rng = block_generator(seed, block)
        sums = sum(_drawn_sums(rng, g, k) for g, k in zip(groups, sizes, strict=True))
        yield np.asarray(sums)[: shuffles - block * BLOCK]


def _drawn_sums(rng: np.random.Generator, values: NDArray[Any], size: int) -> NDArray[Any]:
    # Sums of 64-bit columns stay below 2^50 and survive the fast float product unchanged.
    factors = values if values.dtype.kind == "O" else values.astype(float)
    labels = (np.arange(len(values)) < size).astype(np.uint8)
    rows = max(1, min(BLOCK, _BATCH_CELLS // max(len(values), 1)))
    parts = []
    for start in range(0, BLOCK, rows):
        shape = (min(rows, BLOCK - start), len(values))
        drawn = rng.permuted(np.broadcast_to(labels, shape), axis=1)
        parts.append((drawn.astype(factors.dtype) @ factors).astype(values.dtype))
    return np.concatenate(parts)


def fit_integers(values: NDArray[Any]) -> NDArray[Any]:
    """Return 64-bit integers where sums (and small multiples) fit, else Python integers.

    >>> [fit_integers(np.array([x])).dtype.kind for x in (3, 2**60)]
    ['i', 'O']
    """
    fits = np.abs(values.astype(float)).sum() < 2.0**50
    return values.astype(np.int64 if fits else object)


def _columns(values: ArrayLike, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not len(array):
        raise DataError(f"{name}: expected numbers by items and columns, found {array.shape}")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise DataError(f"{name}: values must be finite; remove NaN and infinity")
        return array
    return fit_integers(array)


def unpaired_test(
    values_a: ArrayLike,
    values_b: ArrayLike,
    statistic: Statistic,
    tail: str = "two",
    *,
    strata: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
    shuffles: int = 9999,
    seed: int = 0,
) -> UnpairedTest:
    """Return the test of two systems on different items; values are items × columns for each.

    `statistic` is a LinearRatio of the summed columns or a vectorised function from rows of sums to
    scores (a mean is a ratio over a column of ones). All splits are enumerated up to 2^20 of them;
    above, `shuffles` are drawn. `strata` gives a label for each item of the first and the second.

    >>> a, b = [[9, 1], [8, 1], [7, 1]], [[1, 1], [2, 1], [3, 1]]
    >>> unpaired_test(a, b, LinearRatio((1, 0), (0, 1))).p
    0.1
    """
    check_tail(tail)
    a, b = _columns(values_a, "first system"), _columns(values_b, "second system")
    if a.shape[1] != b.shape[1]:
        raise DataError(f"{a.shape[1]} columns against {b.shape[1]}; give both the same columns")
    groups, sizes = _pooled_by_stratum(a, b, strata)
    splits = math.prod(math.comb(len(g), k) for g, k in zip(groups, sizes, strict=True))
    judge = _Judge(statistic, a.sum(axis=0), b.sum(axis=0), tail)
    if splits <= ENUMERATION_LIMIT:
        sums = np.zeros((1, a.shape[1]), groups[0].dtype)
        for group, size in zip(groups, sizes, strict=True):
            more = subset_sums(group, size)
            sums = (sums[:, None, :] + more[None, :, :]).reshape(-1, a.shape[1])
        exceeding = sum(judge.count(s) for s in np.array_split(sums, len(sums) // 2**16 + 1))
        return judge.result(exceeding / splits, "enumeration", exceeding, splits, None)
    if shuffles < 1:
        raise UsageError(f"{shuffles} shuffles are too few; draw at least 1")
    exceeding = sum(judge.count(s) for s in random_splits(groups, sizes, shuffles, seed))
    p = (exceeding + 1) / (shuffles + 1)
    return judge.result(p, "shuffles", exceeding, shuffles, seed)


def _pooled_by_stratum(
    a: NDArray[Any],
    b: NDArray[Any],
    strata: tuple[Sequence[Hashable], Sequence[Hashable]] | None,
) -> tuple[list[NDArray[Any]], list[int]]:
    """Return the items of each stratum, the first system's in front, and how many these are."""
    pooled = np.concatenate([a, b])
    if strata is None:
        return [pooled], [len(a)]
    if (len(strata[0]), len(strata[1])) != (len(a), len(b)):
        raise DataError(
            f"{len(strata[0])} and {len(strata[1])} strata labels for {len(a)} and {len(b)} items"
        )
    members: dict[Hashable, list[int]] = {}
    for item, label in enumerate(chain(*strata)):
        members.setdefault(label, []).append(item)
    groups = [pooled[items] for items in members.values()]
    return groups, [sum(item < len(a) for item in items) for items in members.values()]


class _Judge:
    """The scores of both systems, and the count of splits that reach their difference."""

    def __init__(
        self, statistic: Statistic, sums_a: NDArray[Any], sums_b: NDArray[Any], tail: str
    ) -> None:
        self.statistic, self.tail, self.total = statistic, tail, sums_a + sums_b
        self.exact = isinstance(statistic, LinearRatio) and self.total.dtype.kind != "f"
        self.score_a, self.score_b = self._score(sums_a), self._score(sums_b)
        self.difference = self.score_a - self.score_b

    def _score(self, sums: NDArray[Any]) -> Fraction | float:
        if isinstance(self.statistic, LinearRatio):
            score = self.statistic.score(sums)
            return score if self.exact else float(score)
        return float(np.asarray(self.statistic(sums[None, :]))[0])

    def count(self, sums: NDArray[Any]) -> int:
        """Return the exceedances; axis 0 of `sums`: splits, axis 1: columns of pseudo-system A."""
        rest = self.total - sums
        ratio = self.statistic
        if not isinstance(ratio, LinearRatio):
            hits = float_exceeds(ratio(sums), ratio(rest), float(self.difference), self.tail)
            return int(hits.sum())
        weights = np.array([ratio.numerator, ratio.denominator]).T
        first, second = sums @ weights, rest @ weights
        if isinstance(self.difference, Fraction):
            hits = ratio_exceeds(
                (first[:, 0], first[:, 1]),
                (second[:, 0], second[:, 1]),
                self.difference,
                self.tail,
                ratio.undefined,
            )
            return int(hits.sum())
        x, y = (_quotients(s[:, 0], s[:, 1], ratio.undefined) for s in (first, second))
        return int(float_exceeds(x, y, self.difference, self.tail).sum())

    def result(
        self, p: float, method: str, exceeding: int, total: int, seed: int | None
    ) -> UnpairedTest:
        """Return the outcome."""
        scores = self.score_a, self.score_b, self.difference
        comparison = "integer" if self.exact else "tolerance"
        return UnpairedTest(*scores, p, self.tail, method, exceeding, total, comparison, seed)


def _quotients(n: Floats, d: Floats, undefined: Fraction) -> Floats:
    quotients: Floats = np.full(len(n), float(undefined))
    np.divide(n, d, out=quotients, where=d != 0)
    return quotients
