"""Random exchanges of systems' outputs, item by item: signed sums for all systems at once.

A shuffle tosses one coin per item; heads exchanges the outputs of the two systems of every pair on
that item. For a pair it is enough to know the sums over the exchanged items, and those of all pairs
follow by subtraction from those of the systems.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.resampling import streams
from tellapart.resampling.enumeration import all_subset_sums
from tellapart.resampling.ratios import BIG, TEST, RatioPair, reached
from tellapart.resampling.streams import ITEM_BLOCK, SHARD

_CHUNK = 512  # items whose coins are drawn at a time: a megabyte; blocks are whole chunks
_AVX2_ITEMS = 1 << 25  # more could overflow the 32-bit sums of bytes


@dataclass(frozen=True, slots=True)
class PairTest:
    """One pair of systems under one ratio metric, and where its forms are in a plan."""

    a: int
    b: int
    numerator: int
    denominator: int
    sums: RatioPair


@dataclass
class ShufflePlan:
    """Linear forms of systems × items, ready to be summed over random sets of items.

    The forms of the first system are taken off all others, so that two systems need one column per
    form, and items on which all systems agree vanish.
    """

    forms: NDArray[np.int64]
    """forms × systems × items"""
    first: int = 0
    """The place of the first item among all, where these are a part of them"""
    _columns: dict[tuple[int, int], int] = field(init=False, repr=False)
    _values: NDArray[np.int64] = field(init=False, repr=False)
    _natives: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        relative = self.forms[:, 1:, :] - self.forms[:, :1, :]
        kept = np.argwhere(relative.any(axis=2))
        self._columns = {(f, s + 1): k for k, (f, s) in enumerate(kept.tolist())}
        values = relative[kept[:, 0], kept[:, 1], :]
        # Items before the first of a part fill its block, so that every item has its own coins.
        lead = self.first % ITEM_BLOCK
        self._values = np.ascontiguousarray(np.pad(values, ((0, 0), (lead, 0))) if lead else values)
        self._natives = {}

    def __reduce__(self) -> tuple[type[ShufflePlan], tuple[NDArray[np.int64], int]]:
        # Native tables are rebuilt where they are needed.
        return ShufflePlan, (self.forms, self.first)

    def of_systems(self, systems: Collection[int]) -> ShufflePlan:
        """Return the plan that serves some of the systems, whose sums are the same as before."""
        others = [k for k in range(self.forms.shape[1]) if k not in systems]
        forms = self.forms.copy()
        forms[:, others] = forms[:, :1]  # nothing is left of what is like the first system
        return ShufflePlan(forms)

    @property
    def items(self) -> int:
        """The number of items, concordant ones included: each has its coin."""
        return int(self.forms.shape[2])

    def column(self, form: int, system: int) -> int:
        """Return the column of a system's form; -1 where it never differs from the first's."""
        return self._columns.get((form, system), -1)

    def subset_sums(
        self, seed: int, shard: int, n: int, purpose: int = streams.SHUFFLES
    ) -> NDArray[np.float64]:
        """Return sums over the exchanged items of the first n shuffles: columns × n."""
        start = self._seeds(seed, shard, purpose)
        if path.active() == "numpy":
            return _subset_sums(self._values, start, n)
        out = np.empty((len(self._values), SHARD))
        self._native().subset_sums(start, n, out)
        return out[:, :n]

    def all_subset_sums(self, most: int) -> NDArray[np.float64] | None:
        """Return the sums over all sets of items, like `subset_sums`; None if more than so many."""
        moving = self._values.any(axis=0)
        if moving.sum() > most:
            return None
        return all_subset_sums(self._values[:, moving]).astype(np.float64)

    def form_sums(self, sums: NDArray[np.float64], form: int, system: int) -> NDArray[np.float64]:
        """Return one system's form from `subset_sums`, relative to the first system's."""
        column = self.column(form, system)
        return sums[column] if column >= 0 else np.zeros(sums.shape[1])

    def test_rows(self, tests: Sequence[PairTest]) -> NDArray[np.void]:
        """Return tests as the engine reads them."""
        rows = np.zeros(len(tests), TEST)
        for row, test in zip(rows, tests, strict=True):
            row["num_a"] = self.column(test.numerator, test.a)
            row["num_b"] = self.column(test.numerator, test.b)
            row["den_a"] = self.column(test.denominator, test.a)
            row["den_b"] = self.column(test.denominator, test.b)
            test.sums.fill(row)
        return rows

    def count(
        self,
        seed: int,
        shard: int,
        n: int,
        tests: Sequence[PairTest],
        rows: NDArray[np.void],
        purpose: int = streams.SHUFFLES,
    ) -> NDArray[np.int64]:
        """Return, for each test, how many shuffles of a shard that reach its threshold."""
        if path.active() != "numpy" and not (rows["mode"] == BIG).any():
            counts = np.empty(len(rows), np.int64)
            start = self._seeds(seed, shard, purpose)
            self._native().count(start, n, rows.view(np.uint8), counts)
            return counts
        sums = self.subset_sums(seed, shard, n, purpose)
        hits = (self._reached(sums, test, row) for test, row in zip(tests, rows, strict=True))
        return np.array([np.count_nonzero(hit) for hit in hits], np.int64)

    def reached(
        self, seed: int, shard: int, n: int, test: PairTest, purpose: int = streams.SHUFFLES
    ) -> NDArray[np.bool_]:
        """Return which of the first n shuffles of a shard reach a test's threshold."""
        sums = self.subset_sums(seed, shard, n, purpose)
        return self._reached(sums, test, self.test_rows([test])[0])

    def exchanged(
        self, sums: NDArray[np.float64], form: int, a: int, b: int
    ) -> NDArray[np.float64]:
        """Return what an exchange adds to system a's sum of a form, and takes from b's."""
        return self.form_sums(sums, form, b) - self.form_sums(sums, form, a)

    def _reached(
        self, sums: NDArray[np.float64], test: PairTest, row: np.void
    ) -> NDArray[np.bool_]:
        c = row["c0"] + 2 * self.exchanged(sums, test.numerator, test.a, test.b)
        d = row["d0"] + 2 * self.exchanged(sums, test.denominator, test.a, test.b)
        return reached(test.sums, row, c, d)

    def _seeds(self, seed: int, shard: int, purpose: int) -> NDArray[np.uint64]:
        items, block = self._values.shape[1], self.first // ITEM_BLOCK
        return streams.block_seeds(seed, shard, items, purpose, block)

    def _native(self) -> Any:
        active = path.active()
        if active not in self._natives:
            assert path.native is not None
            avx2 = active == "avx2" and self._values.shape[1] <= _AVX2_ITEMS
            self._natives[active] = path.native.Plan(self._values, avx2)
        return self._natives[active]


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
