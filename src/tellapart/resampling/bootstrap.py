"""The bootstrap: sums over items drawn with replacement, the same draw for all systems."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.resampling import streams
from tellapart.resampling.streams import LANES

BLOCK = 64
"""Resamples that share one stream."""

GROUPED_ITEMS = 100_000
"""From here on items with equal rows are drawn together, if there are many of each kind."""


@dataclass(frozen=True, slots=True)
class Resampler:
    """Rows of items to be drawn with replacement, within strata if there are any.

    >>> rows = np.array([[1, 0], [2, 5], [3, 1]])
    >>> Resampler.of(rows).sums(seed=0, block=0, n=2).shape
    (2, 2)
    """

    rows: NDArray[np.int64]  # items × columns
    starts: NDArray[np.int64]  # position j draws from sizes[j] items, from starts[j] on
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, rows: NDArray[np.int64], strata: NDArray[np.int64] | None = None) -> Resampler:
        """Return a resampler of rows; every resample keeps the sizes of the numbered `strata`."""
        items = len(rows)
        if strata is None:
            return cls(np.ascontiguousarray(rows), np.zeros(items, np.int64), np.full(items, items))
        order = np.argsort(strata, kind="stable")
        _, first, sizes = np.unique(strata[order], return_index=True, return_counts=True)
        starts = np.repeat(first, sizes).astype(np.int64)
        return cls(np.ascontiguousarray(rows[order]), starts, np.repeat(sizes, sizes))

    def sums(self, seed: int, block: int, n: int) -> NDArray[np.int64]:
        """Return the sums of the first n resamples of a block: n × columns."""
        start = streams.seeds(seed, block, streams.BOOTSTRAP)
        if path.active() == "numpy":
            return np.array([self.rows.T @ weights for weights in self._weights(start, n)])
        assert path.native is not None
        out = np.empty((n, self.rows.shape[1]), np.int64)
        avx2 = path.active() == "avx2"
        path.native.resample(self.rows, self.starts, self.sizes, start, out, avx2)
        return out

    def grouped(self) -> GroupedResampler | None:
        """Return the same draws by kinds of rows, where there are far fewer kinds than items."""
        items = len(self.rows)
        if items < GROUPED_ITEMS or (self.sizes != items).any():
            return None
        low = self.rows.min(axis=0)
        spans = [int(span) + 1 for span in self.rows.max(axis=0) - low]
        if math.prod(spans) >= 1 << 62:
            return None
        codes = np.ravel_multi_index(tuple((self.rows - low).T), tuple(spans))
        _, first, times = np.unique(codes, return_index=True, return_counts=True)
        if len(times) > items // 20:
            return None
        return GroupedResampler(self.rows[first], times.astype(np.int64))

    def _weights(self, start: NDArray[np.uint64], n: int) -> Iterator[NDArray[np.int64]]:
        """Yield how often each item is drawn, resample by resample."""
        stream, items = streams.Stream(start), len(self.rows)
        for _ in range(n):
            words = stream.words(-(-items // LANES) * LANES)[:items]
            fractions = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
            drawn = self.starts + (fractions * self.sizes).astype(np.int64)
            yield np.bincount(drawn, minlength=items)


@dataclass(frozen=True, slots=True)
class GroupedResampler:
    """Kinds of rows and how many items are of each kind: one multinomial draw per resample."""

    rows: NDArray[np.int64]  # kinds × columns
    times: NDArray[np.int64]

    def sums(self, seed: int, block: int, n: int) -> NDArray[np.int64]:
        """Return the sums of the first n resamples of a block: n × columns."""
        sequence = np.random.SeedSequence(seed, spawn_key=(streams.BOOTSTRAP, block))
        generator = np.random.Generator(np.random.SFC64(sequence))
        items = int(self.times.sum())
        weights = generator.multinomial(items, self.times / items, size=n)
        return np.asarray(weights @ self.rows, np.int64)
