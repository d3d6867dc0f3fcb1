"""Shuffles: sums over random sets of items, shared by all tests, until every decision is settled.

A shuffle tosses one coin per item; heads exchanges the outputs of the two systems, or flips the
sign of the item's term. All tests of a comparison see the same coins. What a shard of shuffles
returns are counts, so that the result does not depend on how many workers there were. The counts
also tell how sure a p-value by shuffles is (Noreen 1989).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from threading import Lock
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import tellapart.engine as engine
from tellapart.console import Progress, no_progress
from tellapart.errors import UsageError
from tellapart.stats import streams
from tellapart.stats.result import Flags, Floats, Ints, Test, probability
from tellapart.stats.streams import ITEM_BLOCK, SHARD, WorkerPool

MAX_SHUFFLES = 1_048_576
"""Where sequential drawing gives up, and the decision stays unsettled"""

_CHUNK = 512  # items whose coins are drawn at a time; blocks are whole chunks
_TABLE_ITEMS = 1 << 25  # more could overflow the 32-bit sums of bytes

Shards: TypeAlias = Sequence[tuple[int, int]]
"""The numbers of some shards, and how many shuffles each has"""


class Exceedances(Protocol):
    """Tests that are made by counting how many shuffles are at least as extreme as the data."""

    def __len__(self) -> int:
        """Return the number of tests."""

    def take(self, numbers: Ints) -> Self:
        """Return some of the tests."""

    def count(self, seed: int, shards: Shards) -> Ints:
        """Return how many shuffles of each shard count for each test: shards × tests."""


class SubsetSums:
    """Columns of whole numbers, to be summed over random sets of items.

    >>> SubsetSums(np.array([[1, 2, 4]])).sums(seed=0, shard=0, n=5).shape
    (1, 5)
    """

    def __init__(self, columns: Ints) -> None:
        self.columns = np.ascontiguousarray(columns, np.int64)
        self._natives: dict[str, Any] = {}
        self._building = Lock()

    def seeds(self, seed: int, shards: Shards) -> NDArray[np.uint64]:
        """Return the seeds of some shards: shards × blocks of items × 24."""
        items = self.columns.shape[1]
        return np.stack([streams.block_seeds(seed, shard, items) for shard, _ in shards])

    def sums(self, seed: int, shard: int, n: int) -> Floats:
        """Return sums over the items that the first n shuffles of a shard choose: columns × n."""
        start = self.seeds(seed, [(shard, n)])
        if engine.active() == "numpy":
            return _sums_by_numpy(self.columns, start[0], n)
        drawn = np.empty((len(self.columns), SHARD))
        self.native().subset_sums(start, n, np.arange(len(drawn), dtype=np.int32), drawn)
        return drawn[:, :n]

    def native(self) -> Any:
        """Return the native engine's tables for these columns, made once for all threads."""
        active = engine.active()
        with self._building:
            if active not in self._natives:
                assert engine.native is not None
                path = active if self.columns.shape[1] <= _TABLE_ITEMS else "portable"
                self._natives[active] = engine.native.Plan(self.columns, path)
        return self._natives[active]


def _sums_by_numpy(columns: Ints, start: NDArray[np.uint64], n: int) -> Floats:
    """Return sums over random sets of items as products, which are exact: numbers are whole."""
    sums = np.zeros((len(columns), n))
    largest = int(np.abs(columns).sum(axis=1).max(initial=0))
    precision: type[np.floating[Any]] = np.float32 if largest < 1 << 24 else np.float64
    for first in range(0, columns.shape[1], _CHUNK):
        if first % ITEM_BLOCK == 0:
            stream = streams.Stream(start[first // ITEM_BLOCK])
        part = columns[:, first : first + _CHUNK].astype(precision)
        sums += part @ stream.coins(part.shape[1])[:, :n].astype(precision)
    return sums


def distinct_rows(rows: Ints) -> tuple[Ints, Ints]:
    """Return the numbers of rows that no earlier one equals, and which of these each row is.

    >>> distinct_rows(np.array([[1, 2], [3, 4], [1, 2]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    known: dict[bytes, int] = {}
    keys = (sha256(row.tobytes()).digest() for row in rows)
    places = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
    return np.unique(places, return_index=True)[1], places


def reaches(differences: Floats, threshold: float | Floats, sign: int) -> Flags:
    """Return which differences reach a threshold; one that is undefined (NaN) counts."""
    if sign == 0:
        return np.asarray(~(np.abs(differences) < threshold))
    return np.asarray(~(differences < threshold) if sign > 0 else ~(differences > threshold))


def thresholds_of(observed: ArrayLike, slack: ArrayLike, signs: ArrayLike) -> Floats:
    """Return what shuffled differences must reach: the observed one, less what counts as tied."""
    observed, slack, signs = (np.asarray(values, np.float64) for values in (observed, slack, signs))
    return np.where(signs == 0, np.abs(observed) - slack, observed - signs * slack)


@dataclass(frozen=True, slots=True, eq=False)
class LinearTests:
    """Tests that flip the signs of terms, which are weighted columns of the items.

    A test's term of an item is Σ weight × column; the terms add up to `observed`. A shuffle moves
    the sum by twice the terms of the chosen items.
    """

    sums: SubsetSums
    places: NDArray[np.int32]  # tests × terms: which column; -1 for none
    weights: Floats  # tests × terms
    observed: Floats
    thresholds: Floats
    signs: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        columns: Ints,
        places: Ints,
        weights: Floats,
        observed: Floats,
        slack: Floats,
        signs: ArrayLike,
    ) -> LinearTests:
        """Return tests of some columns, columns × items; places and weights are tests × terms."""
        used = np.unique(places[weights != 0])
        different, numbers = distinct_rows(columns[used])
        renumbered = np.full(len(columns), -1, np.int32)
        renumbered[used] = numbers
        signs = np.broadcast_to(np.asarray(signs, np.int32), observed.shape).copy()
        own = np.where(weights != 0, renumbered[places], -1).astype(np.int32)
        thresholds = thresholds_of(observed, slack, signs)
        return cls(SubsetSums(columns[used[different]]), own, weights, observed, thresholds, signs)

    def __len__(self) -> int:
        return len(self.signs)

    def take(self, numbers: Ints) -> LinearTests:
        """Return some of the tests."""
        return LinearTests(
            self.sums, self.places[numbers], self.weights[numbers], self.observed[numbers],
            self.thresholds[numbers], self.signs[numbers],
        )  # fmt: skip

    def count(self, seed: int, shards: Shards) -> Ints:
        """Return how many shuffles of each shard count for each test: shards × tests."""
        counts = np.empty((len(shards), len(self)), np.int64)
        if engine.active() != "numpy":
            sizes = np.array([n for _, n in shards], np.int64)
            self.sums.native().count_signed(
                self.sums.seeds(seed, shards), sizes, self.places,
                np.ascontiguousarray(self.weights), self.observed, self.thresholds, self.signs,
                counts,
            )  # fmt: skip
            return counts
        for k, (shard, n) in enumerate(shards):
            sums = self.sums.sums(seed, shard, n)
            for j in range(len(self)):
                counts[k, j] = np.count_nonzero(self.shuffled(j, sums)[1])
        return counts

    def shuffled(self, test: int, sums: Floats) -> tuple[Floats, Flags]:
        """Return the sums of terms after shuffles, and which of them count; sums are columns × n.

        The operations and their order are those of the native code: both round alike.
        """
        moved = np.zeros(sums.shape[1])
        for column, weight in zip(self.places[test], self.weights[test], strict=True):
            if column >= 0:
                moved += weight * sums[column]
        after = np.asarray(self.observed[test] - 2 * moved)
        return after, reaches(after, float(self.thresholds[test]), int(self.signs[test]))


def _tasks(shards: list[tuple[int, int]], pool: WorkerPool) -> list[list[tuple[int, int]]]:
    """Return shards put into tasks: enough to share out evenly, few enough to be cheap."""
    size = max(1, min(32, len(shards) // (4 * pool.count)))
    return [shards[k : k + size] for k in range(0, len(shards), size)]


def shuffle(
    tests: Exceedances,
    n_resamples: int,
    seed: int,
    pool: WorkerPool,
    progress: Progress = no_progress,
) -> list[Test]:
    """Return tests by a fixed number of shuffles: p is (exceedances + 1) / (shuffles + 1)."""
    total = np.zeros(len(tests), np.int64)
    tasks = _tasks(streams.shares(n_resamples), pool)
    for part in pool.map(partial(tests.count, seed), tasks, progress, "shuffles"):
        total += part.sum(axis=0)
    return [Test.drawn(count, n_resamples) for count in total.tolist()]


Levels: TypeAlias = Callable[[Floats], Floats]
"""From estimated p-values of all tests to the levels that decide about each: tests × levels"""


def shuffle_until_settled(
    tests: Exceedances,
    levels: Levels,
    seed: int,
    pool: WorkerPool,
    progress: Progress = no_progress,
) -> list[Test]:
    """Return tests, each shuffled until it is clear on which side of its levels p lies.

    Looks are taken at the ends of shards. A test stops at its own first settled look, so that its
    counts depend neither on the other tests' work nor on the number of workers.
    """
    counts, drawn = np.zeros((2, len(tests)), np.int64)
    stopped = np.zeros(len(tests), np.bool_)
    shards, position, step = streams.shares(MAX_SHUFFLES), 0, 1
    while not stopped.all() and position < len(shards):
        part, unsettled = shards[position : position + step], np.flatnonzero(~stopped)
        count = partial(tests.take(unsettled).count, seed)
        added = np.concatenate(list(pool.map(count, _tasks(part, pool))))
        for reached, (_, size) in zip(added, part, strict=True):
            going = ~stopped[unsettled]
            open_ = unsettled[going]
            counts[open_] += reached[going]
            drawn[open_] += size
            limits = levels((counts + 1) / (drawn + 1))[open_]
            settled = robbins_settled(drawn[open_, None], counts[open_, None], limits)
            stopped[open_] = settled.all(axis=-1)
            if stopped[unsettled].all():
                break
        position += len(part)
        # Large enough to share out, small enough that little is drawn for what is settled midway.
        step = min(max(pool.count, position // 2), 64)
        progress("shuffles", len(shards) if stopped.all() else position, len(shards))
    known = (each.tolist() for each in (counts, drawn, stopped))
    return [Test.drawn(count, n, settled=done) for count, n, done in zip(*known, strict=True)]


def robbins_settled(
    n_resamples: ArrayLike, exceedances: ArrayLike, level: ArrayLike, error: float = 0.001
) -> Flags:
    """Return where shuffles have settled on which side of a level p lies (Robbins 1970).

    After n shuffles with S exceedances, (n+1) C(n,S) level^S (1-level)^(n-S) ever falls to `error`
    with a chance of at most `error` if p is the level, however often one looks.

    >>> robbins_settled(1000, np.array([20, 40, 85]), 0.05)
    array([ True, False,  True])
    """
    from scipy.special import betaln, xlog1py, xlogy

    n, reached = (np.asarray(values, np.float64) for values in (n_resamples, exceedances))
    alpha = probability(level, "a level")
    # C(n, S) (n + 1) is 1 / B(S + 1, n - S + 1).
    log = xlogy(reached, alpha) + xlog1py(n - reached, -alpha)
    return np.asarray(log - betaln(reached + 1, n - reached + 1) <= np.log(error))


def confidence(exceedances: ArrayLike, n_resamples: ArrayLike, level: ArrayLike) -> Floats:
    """Return the confidence that the exact p-value is below a level, with a uniform prior for it.

    Args:
        exceedances: shuffles that were at least as extreme as the data.
        n_resamples: shuffles that were drawn.
        level: the level of the test, between 0 and 1.

    >>> confidence([930, 931, 989], 9999, 0.1).round(4)
    array([0.9903, 0.9894, 0.6354])

    """
    from scipy.special import betainc

    count, n = _checked_counts(exceedances, n_resamples)
    # Given the counts, p has a beta distribution: each is one larger by the uniform prior.
    return np.asarray(betainc(count + 1, n - count + 1, probability(level, "level")))


def p_interval(
    exceedances: ArrayLike, n_resamples: ArrayLike, confidence_level: float = 0.99
) -> tuple[Floats, Floats]:
    """Return both ends of the interval by Clopper and Pearson for the exact p-value.

    Args:
        exceedances: shuffles that were at least as extreme as the data.
        n_resamples: shuffles that were drawn.
        confidence_level: of the interval.

    >>> low, high = p_interval(49, 999)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0331, 0.0694)
    """
    from scipy.special import betainccinv, betaincinv

    count, n = _checked_counts(exceedances, n_resamples)
    tail = (1 - probability(confidence_level, "confidence_level")) / 2
    low = betaincinv(np.maximum(count, 1), n - count + 1, tail)
    high = betainccinv(count + 1, np.maximum(n - count, 1), tail)
    return np.where(count > 0, low, 0.0), np.where(count < n, high, 1.0)


def _checked_counts(exceedances: ArrayLike, n_resamples: ArrayLike) -> tuple[Ints, Ints]:
    count, n = np.asarray(exceedances, np.int64), np.asarray(n_resamples, np.int64)
    if (n < 1).any() or (count < 0).any() or (count > n).any():
        raise UsageError("exceedances must lie between 0 and the shuffles drawn, at least 1")
    return count, n
