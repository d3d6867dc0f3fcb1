"""Random exchanges of systems' outputs, item by item: signed sums for all systems at once.

A shuffle tosses one coin per item; heads exchanges the outputs of the two systems of every pair on
that item. For a pair it is enough to know the sums over the exchanged items, and those of all pairs
follow by subtraction from those of the systems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.resampling import streams
from tellapart.resampling.enumeration import all_subset_sums
from tellapart.resampling.ratios import LINEAR, TEST, RatioPair, reached, reaches_threshold
from tellapart.resampling.streams import ITEM_BLOCK, SHARD

_CHUNK = 512  # items whose coins are drawn at a time: a megabyte; blocks are whole chunks
_MERGED_COST = 8  # columns that take as long to sum as one of large numbers
_MERGED_SIZE = 1 << 22  # of its numbers, four of which make three bytes
_TABLE_ITEMS = 1 << 25  # more could overflow the 32-bit sums of bytes

Ints: TypeAlias = NDArray[np.int64]
Shards: TypeAlias = Sequence[tuple[int, int]]
"""The numbers of some shards, and how many shuffles each has"""


@dataclass(frozen=True, slots=True)
class SignedRows:
    """Tests that flip the signs of sums, each array over the tests.

    A sum is the difference less twice the columns of `subset_sums` by their weights.
    """

    columns: NDArray[np.int32]  # tests × terms; -1 stands for zero
    weights: NDArray[np.float64]  # tests × terms
    differences: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    tails: NDArray[np.int32]

    def chosen(self, some: NDArray[np.int64]) -> SignedRows:
        """Return some of the tests."""
        return SignedRows(*(each[some] for each in self.arrays))

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All of it, as the engine reads it."""
        return self.columns, self.weights, self.differences, self.thresholds, self.tails

    def reached(self, test: int, sums: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which shuffles reach the threshold of a test; one that is undefined counts.

        The operations and their order are those of the native code: both must round alike.
        """
        moved = np.zeros(sums.shape[1])
        for column, weight in zip(self.columns[test], self.weights[test], strict=True):
            if column >= 0:
                moved += weight * sums[column]
        apart = self.differences[test] - 2 * moved
        return reaches_threshold(apart, float(self.thresholds[test]), int(self.tails[test]))


MEAN_RATIOS = 4
"""Of so many ratios are the means that the native code knows"""


@dataclass(frozen=True, slots=True)
class MeanRows:
    """Tests of penalised means of ratios (`PenalisedMean`), each array over the tests."""

    first: NDArray[np.int32]  # tests × columns of `subset_sums`; -1 stands for zero
    second: NDArray[np.int32]
    own: NDArray[np.float64]  # tests × columns: the sums that were measured
    other: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    tails: NDArray[np.int32]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All of it, as the engine reads it."""
        return self.first, self.second, self.own, self.other, self.thresholds, self.tails


def distinct_rows(rows: Sequence[Ints] | Ints) -> tuple[Ints, Ints]:
    """Return the numbers of the rows that are not like an earlier one, and which of these each is.

    What two metrics, or two columns of BLEU, have in common is summed up once.

    >>> distinct_rows(np.array([[1, 2], [3, 4], [1, 2]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    sums = [int(row.sum()) for row in rows]
    times = Counter(sums)  # most are told apart by their sums
    known: dict[int | bytes, int] = {}
    keys = (
        sha256(row.tobytes()).digest() if times[total] > 1 else total
        for row, total in zip(rows, sums, strict=True)
    )
    places = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
    return np.unique(places, return_index=True)[1], places


@dataclass
class ShufflePlan:
    """Linear forms of systems × items, ready to be summed over random sets of items.

    The forms of the first system are taken off all others, so that two systems need one column per
    form, and items on which all systems agree vanish.
    """

    forms: NDArray[np.int64]
    """forms × systems × items"""
    columns: NDArray[np.int32] = field(init=False, repr=False)
    """forms × systems: the column of each; -1 where it never differs from the first system's"""
    _values: NDArray[np.int64] = field(init=False, repr=False)
    _natives: dict[str, Any] = field(init=False, repr=False)
    _building: Lock = field(init=False, repr=False)
    _part: tuple[tuple[int, ...], ShufflePlan] | None = field(init=False, repr=False)
    _merged: tuple[bytes, tuple[ShufflePlan, NDArray[np.void]] | None] | None = field(
        init=False, repr=False
    )

    def __post_init__(self) -> None:
        first, others = self.forms[:, :1, :], self.forms[:, 1:, :]
        relative = others - first if first.any() else others
        moving = relative.any(axis=2)
        kept = np.argwhere(moving)
        rows = [relative[form, system] for form, system in kept.tolist()]
        different, places = distinct_rows(rows)
        self.columns = np.full(self.forms.shape[:2], -1, np.int32)
        self.columns[kept[:, 0], kept[:, 1] + 1] = places
        self._values = np.zeros((len(different), self.items), np.int64)
        for own, row in zip(self._values, different.tolist(), strict=True):
            own[:] = rows[row]
        self._natives, self._building = {}, Lock()
        self._part, self._merged = None, None

    @property
    def items(self) -> int:
        """The number of items, concordant ones included: each has its coin."""
        return int(self.forms.shape[2])

    def subset_sums(self, seed: int, shard: int, n: int) -> NDArray[np.float64]:
        """Return sums over the exchanged items of the first n shuffles: columns × n."""
        start = self._seeds(seed, [(shard, n)])
        if path.active() == "numpy":
            return _subset_sums(self._values, start[0], n)
        found = np.empty((len(self._values), SHARD))
        self._native().subset_sums(start, n, np.arange(len(found), dtype=np.int32), found)
        return found[:, :n]

    def form_sums(self, sums: NDArray[np.float64], form: int, system: int) -> NDArray[np.float64]:
        """Return one system's form from sums, columns × shuffles, relative to the first's."""
        column = self.columns[form, system]
        return sums[column] if column >= 0 else np.zeros(sums.shape[1])

    def reached(
        self, sums: NDArray[np.float64], row: np.void, pair: RatioPair | None
    ) -> NDArray[np.bool_]:
        """Return which of the shuffles that gave some `subset_sums` reach a test's threshold."""
        num_a, num_b, den_a, den_b = (
            sums[row[name]] if row[name] >= 0 else 0.0
            for name in ("num_a", "num_b", "den_a", "den_b")
        )
        c = np.broadcast_to(row["c0"] + 2 * (num_b - num_a), sums.shape[1])
        d = np.broadcast_to(row["d0"] + 2 * (den_b - den_a), sums.shape[1])
        return reached(pair, row, c, d)

    def exchanged(
        self, sums: NDArray[np.float64], form: int, a: int, b: int
    ) -> NDArray[np.float64]:
        """Return what an exchange adds to system a's sum of a form, and takes from b's."""
        return self.form_sums(sums, form, b) - self.form_sums(sums, form, a)

    def of_systems(self, systems: Sequence[int]) -> ShufflePlan:
        """Return the plan of some systems, which is kept until others are asked for."""
        key = tuple(systems)
        if len(key) == self.forms.shape[1]:
            return self
        with self._building:
            if self._part is None or self._part[0] != key:
                self._part = key, ShufflePlan(self.forms[:, list(key)])
            return self._part[1]

    def all_subset_sums(self, most: int) -> NDArray[np.float64] | None:
        """Return the sums over all sets of items, like `subset_sums`; None if more than so many."""
        moving = self._values.any(axis=0)
        if moving.sum() > most:
            return None
        return all_subset_sums(self._values[:, moving]).astype(np.float64)

    def count(
        self,
        seed: int,
        shards: Shards,
        rows: NDArray[np.void],
        pairs: Sequence[RatioPair | None],
    ) -> NDArray[np.int64]:
        """Return how many shuffles of each shard reach the threshold of each test: shards × tests.

        The tests are rows of a `TEST` array; those that need more than numerators have their pair.
        """
        counts = np.empty((len(shards), len(rows)), np.int64)
        if path.active() != "numpy":
            tests = np.ascontiguousarray(rows).view(np.uint8)
            self._native().count(self._seeds(seed, shards), _sizes(shards), tests, counts)
            return counts
        for k, (shard, n) in enumerate(shards):
            sums = self.subset_sums(seed, shard, n)
            for j, (row, pair) in enumerate(zip(rows, pairs, strict=True)):
                counts[k, j] = np.count_nonzero(self.reached(sums, row, pair))
        return counts

    def count_signed(self, seed: int, shards: Shards, tests: SignedRows) -> NDArray[np.int64]:
        """Return the same of tests that flip signs."""
        merged = self._merge(tests)
        if merged is None:
            return self._count_columns(seed, shards, tests)
        plan, rows = merged
        found = plan.count(seed, shards, rows, [None] * len(rows))
        surely, perhaps = np.split(found, 2, axis=1)
        doubtful = np.flatnonzero((surely != perhaps).any(axis=1)).tolist()
        if doubtful:
            again = [shards[k] for k in doubtful]
            surely[doubtful] = self._count_columns(seed, again, tests)
        return surely

    def count_means(
        self, seed: int, shards: Shards, tests: MeanRows
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many shuffles reach a threshold surely, and how many perhaps, by native code.

        It knows scores to some twelve digits. Sums of which one is not above 0 reach it perhaps.
        """
        surely, perhaps = (np.empty((len(shards), len(tests.tails)), np.int64) for _ in range(2))
        self._native().count_means(
            self._seeds(seed, shards), _sizes(shards), *tests.arrays, surely, perhaps
        )
        return surely, perhaps

    def _count_columns(self, seed: int, shards: Shards, tests: SignedRows) -> NDArray[np.int64]:
        counts = np.empty((len(shards), len(tests.tails)), np.int64)
        if path.active() != "numpy":
            self._native().count_signed(
                self._seeds(seed, shards), _sizes(shards), *tests.arrays, counts
            )
            return counts
        for k, (shard, n) in enumerate(shards):
            sums = self.subset_sums(seed, shard, n)
            for j in range(len(tests.tails)):
                counts[k, j] = np.count_nonzero(tests.reached(j, sums))
        return counts

    def _merge(self, tests: SignedRows) -> tuple[ShufflePlan, NDArray[np.void]] | None:
        """Return a plan with one column for each test, and the tests of it; None if not worth it.

        Terms are rounded to whole numbers. Each test is there twice, by a threshold that a sum
        reaches only if the unrounded one does, and by one that it reaches whenever that does.
        Where both agree on a shard, they are right.
        """
        used = np.bincount(tests.columns[tests.columns >= 0])
        if len(tests.tails) * _MERGED_COST > np.count_nonzero(used):
            return None
        key = b"".join(each.tobytes() for each in tests.arrays)
        with self._building:
            if self._merged is None or self._merged[0] != key:
                self._merged = key, self._merged_tests(tests)
            return self._merged[1]

    def _merged_tests(self, tests: SignedRows) -> tuple[ShufflePlan, NDArray[np.void]] | None:
        terms, size = np.zeros((len(tests.tails), self.items)), np.zeros(len(tests.tails))
        for k, (columns, weights) in enumerate(zip(tests.columns, tests.weights, strict=True)):
            for column, weight in zip(columns[columns >= 0], weights[columns >= 0], strict=True):
                terms[k] += weight * self._values[column]
                size[k] += abs(weight) * float(np.abs(self._values[column]).sum())
        largest = np.abs(terms).max(axis=1, initial=0.0)
        scale = _MERGED_SIZE / np.maximum(largest, 1e-300)
        if not largest.all() or not np.isfinite([scale * size, *tests.arrays[2:4]]).all():
            return None  # nothing moves, or what is undefined counts as reached
        whole = np.rint(terms * scale[:, None]).astype(np.int64)
        plan = ShufflePlan(np.concatenate([np.zeros_like(whole[:1]), whole])[None])
        # Half a step for each item, counted twice, and for the difference; what floats lose.
        slack = self.items + 1 + 1e-12 * scale * (size + np.abs(tests.differences))
        rows = np.zeros((2, len(scale)), TEST)
        rows["mode"], rows["tail"], rows["band"] = LINEAR, tests.tails, -1.0
        rows["num_a"] = plan.columns[0, 1:]
        rows["num_b"] = rows["den_a"] = rows["den_b"] = -1
        rows["c0"] = np.rint(tests.differences * scale)
        towards = np.where(tests.tails < 0, -slack, slack)
        rows["p"] = tests.thresholds * scale + np.stack([towards, -towards])
        return plan, rows.ravel()

    def _seeds(self, seed: int, shards: Shards) -> NDArray[np.uint64]:
        """Return the seeds of some shards: shards × blocks of items × 24."""
        return np.stack([streams.block_seeds(seed, shard, self.items) for shard, _ in shards])

    def _native(self) -> Any:
        active = path.active()
        with self._building:  # once, for all threads
            if active not in self._natives:
                assert path.native is not None
                tables = self.items <= _TABLE_ITEMS
                way = active if tables else "portable"
                self._natives[active] = path.native.Plan(self._values, way)
        return self._natives[active]


def _sizes(shards: Shards) -> NDArray[np.int64]:
    return np.array([n for _, n in shards], np.int64)


def _subset_sums(
    values: NDArray[np.int64], start: NDArray[np.uint64], n: int
) -> NDArray[np.float64]:
    """Return sums over random sets of items: one look-up in 256 sums per eight items."""
    columns, items = values.shape
    largest = int(np.abs(values).sum(axis=1).max(initial=0))
    precision: type[np.signedinteger[Any]] = np.int32 if largest < 1 << 31 else np.int64
    sums = np.zeros((columns, n), precision)
    for first in range(0, items, _CHUNK):
        if first % ITEM_BLOCK == 0:
            stream = streams.Stream(start[first // ITEM_BLOCK])
        tables = _subset_tables(values[:, first : first + _CHUNK].astype(precision))
        coins = stream.bytes(SHARD * len(tables)).reshape(-1, SHARD)[:, :n]
        for table, bits in zip(tables, coins, strict=True):
            sums += table.take(bits, axis=1)
    return sums.astype(np.float64)


def _subset_tables(values: NDArray[Any]) -> NDArray[Any]:
    """Return the 256 subset sums of each eight items: groups × columns × 256."""
    columns, items = values.shape
    padded = np.zeros((columns, -(-items // 8) * 8), values.dtype)
    padded[:, :items] = values
    # Systems that never differ leave no columns: the number of groups must be said.
    groups = padded.reshape(columns, padded.shape[1] // 8, 8).transpose(1, 0, 2)
    tables = np.zeros((*groups.shape[:2], 1), values.dtype)
    for k in range(8):  # bit k of the place in the table chooses the k-th item
        tables = np.concatenate([tables, tables + groups[:, :, k, None]], axis=2)
    return tables
