"""Sums over units drawn with replacement, the same draw for all systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.resampling import path, streams
from tellapart.resampling.streams import LANES

BLOCK = 64
"""Resamples that share one stream."""


@dataclass(frozen=True, slots=True)
class Resampler:
    """Rows of units to be drawn with replacement, within strata if there are any.

    >>> rows = np.array([[1, 0], [2, 5], [3, 1]])
    >>> Resampler.of(rows).sums(seed=0, block=0, n=2).shape
    (2, 2)
    """

    rows: NDArray[np.int64]  # units × columns
    starts: NDArray[np.int64]  # position j draws from sizes[j] units, from starts[j] on
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, rows: NDArray[np.int64], strata: NDArray[np.int64] | None = None) -> Resampler:
        """Prepare rows; `strata` numbers each row's stratum, whose size every resample keeps."""
        units = len(rows)
        if strata is None:
            return cls(np.ascontiguousarray(rows), np.zeros(units, np.int64), np.full(units, units))
        order = np.argsort(strata, kind="stable")
        _, first, sizes = np.unique(strata[order], return_index=True, return_counts=True)
        starts = np.repeat(first, sizes).astype(np.int64)
        return cls(np.ascontiguousarray(rows[order]), starts, np.repeat(sizes, sizes))

    def sums(self, seed: int, block: int, n: int) -> NDArray[np.int64]:
        """Sum the first n resamples of a block: n × columns."""
        start = streams.seeds(seed, block, streams.BOOTSTRAP)
        if path.active() == "numpy":
            return np.array([self.rows.T @ weights for weights in self._weights(start, n)])
        assert path.native is not None
        out = np.empty((n, self.rows.shape[1]), np.int64)
        avx2 = path.active() == "avx2"
        path.native.resample(self.rows, self.starts, self.sizes, start, out, avx2)
        return out

    def _weights(self, start: NDArray[np.uint64], n: int) -> Iterator[NDArray[np.int64]]:
        """Yield how often each unit is drawn, resample by resample."""
        stream, units = streams.Stream(start), len(self.rows)
        for _ in range(n):
            words = stream.words(-(-units // LANES) * LANES)[:units]
            fractions = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
            drawn = self.starts + (fractions * self.sizes).astype(np.int64)
            yield np.bincount(drawn, minlength=units)
