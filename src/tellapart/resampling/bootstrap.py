"""The bootstrap: sums over items drawn with replacement, the same draw for all systems.

Of more items than share one stream, it is drawn first how many come from each block of items, then
these by the stream of the block.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.resampling import streams
from tellapart.resampling.streams import ITEM_BLOCK, LANES

BLOCK = 64
"""Resamples that share one stream."""

GROUPED_ITEMS = 100_000
"""From here on items with equal rows are drawn together, if there are many of each kind."""
MOST_KINDS = 1 << 20
"""More kinds of rows than that are not told apart"""

Ints = NDArray[np.int64]
Blocks: TypeAlias = Sequence[tuple[int, int]]
"""The numbers of some blocks, and how many resamples each has"""


@dataclass(frozen=True, slots=True)
class Resampler:
    """Rows of items to be drawn with replacement, within strata if there are any.

    >>> rows = np.array([[1, 0], [2, 5], [3, 1]])
    >>> Resampler.of(rows).sums(seed=0, block=0, n=2).shape
    (2, 2)
    """

    rows: Ints  # items × columns
    starts: Ints | None = None
    """Place j of a resample draws from sizes[j] items, from starts[j] on; None without strata"""
    sizes: Ints | None = None

    @classmethod
    def of(cls, rows: Ints, strata: Ints | None = None) -> Resampler:
        """Return a resampler of rows; every resample keeps the sizes of the numbered `strata`."""
        if strata is None:
            return cls(np.ascontiguousarray(rows))
        order = np.argsort(strata, kind="stable")
        _, first, sizes = np.unique(strata[order], return_index=True, return_counts=True)
        starts = np.repeat(first, sizes).astype(np.int64)
        return cls(np.ascontiguousarray(rows[order]), starts, np.repeat(sizes, sizes))

    def sums(self, seed: int, block: int, n: int) -> Ints:
        """Return the sums of the first n resamples of a block: n × columns."""
        return self.sums_of_blocks(seed, [(block, n)])

    def sums_of_blocks(self, seed: int, blocks: Blocks) -> Ints:
        """Return the sums of resamples of some blocks, all but the last of which are whole."""
        items = len(self.rows)
        if self.starts is not None and self.sizes is not None:
            all_items = np.full(sum(n for _, n in blocks), items)
            return _drawn(self.rows, self.starts, self.sizes, all_items, _seeds(seed, blocks))
        draws = np.concatenate([draws_by_block(seed, block, items)[:n] for block, n in blocks])
        sums = np.zeros((len(draws), self.rows.shape[1]), np.int64)
        for k in range(draws.shape[1]):
            rows = self.rows[k * ITEM_BLOCK : (k + 1) * ITEM_BLOCK]
            sums += _from_block(rows, draws[:, k], _seeds(seed, blocks, k))
        return sums

    def grouped(self) -> GroupedResampler | None:
        """Return the same draws by kinds of rows, where there are far fewer kinds than items."""
        items = len(self.rows)
        if items < GROUPED_ITEMS or self.starts is not None:
            return None
        kinds = kinds_of(self.rows)
        if kinds is None or len(kinds[0]) > min(items // 20, MOST_KINDS):
            return None
        return GroupedResampler(*kinds)


def kinds_of(rows: Ints) -> tuple[Ints, Ints] | None:
    """Return the distinct rows in their order, and how many items have each.

    None if there are too many to be told apart.

    >>> kinds_of(np.array([[1, 0], [0, 5], [1, 0]]))
    (array([[0, 5],
           [1, 0]]), array([1, 2]))
    """
    low = rows.min(axis=0)
    spans = [int(span) + 1 for span in rows.max(axis=0) - low]
    if math.prod(spans) >= 1 << 62:
        return None
    codes = np.ravel_multi_index(tuple((rows - low).T), tuple(spans))
    if math.prod(spans) <= min(len(rows), MOST_KINDS):  # counted, which takes less than sorting
        held = np.bincount(codes)
        kinds = np.flatnonzero(held)
        return np.stack(np.unravel_index(kinds, spans), axis=1) + low, held[kinds]
    _, first, held = np.unique(codes, return_index=True, return_counts=True)
    return None if len(first) > MOST_KINDS else (rows[first], held)


def draws_by_block(seed: int, block: int, items: int) -> Ints:
    """Return how many items each resample of a block draws from each block of items.

    >>> draws_by_block(seed=0, block=0, items=150_000)[0].tolist()
    [65488, 65545, 18967]
    """
    if items <= ITEM_BLOCK:
        return np.full((BLOCK, 1), items)
    blocks = -(-items // ITEM_BLOCK)
    sizes = np.full(blocks, ITEM_BLOCK)
    sizes[-1] = items - (blocks - 1) * ITEM_BLOCK
    # A key that is longer than that of any stream.
    key = (streams.BOOTSTRAP, block, 0, 0)
    generator = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=key)))
    return np.asarray(generator.multinomial(items, sizes / items, size=BLOCK), np.int64)


def _seeds(seed: int, blocks: Blocks, item_block: int = 0) -> NDArray[np.uint64]:
    return np.stack(
        [streams.seeds(seed, block, streams.BOOTSTRAP, item_block) for block, _ in blocks]
    )


def _from_block(rows: Ints, draws: Ints, start: NDArray[np.uint64]) -> Ints:
    places = int(draws.max(initial=0))
    return _drawn(rows, np.zeros(places, np.int64), np.full(places, len(rows)), draws, start)


def _drawn(rows: Ints, starts: Ints, sizes: Ints, draws: Ints, start: NDArray[np.uint64]) -> Ints:
    """Return sums over resamples, of which each `BLOCK` have a stream."""
    if path.active() == "numpy":
        some = (
            _weights(len(rows), starts, sizes, draws[k * BLOCK : (k + 1) * BLOCK], own)
            for k, own in enumerate(start)
        )
        return np.array([rows.T @ weights for each in some for weights in each])
    assert path.native is not None
    out = np.empty((len(draws), rows.shape[1]), np.int64)
    path.native.resample(
        rows, starts, sizes, np.ascontiguousarray(draws), start, out, path.active()
    )
    return out


def _weights(
    items: int, starts: Ints, sizes: Ints, draws: Ints, start: NDArray[np.uint64]
) -> Iterator[Ints]:
    """Yield how often each item is drawn, resample by resample."""
    stream = streams.Stream(start)
    for n in draws.tolist():
        words = stream.words(-(-n // LANES) * LANES)[:n]
        fractions = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
        drawn = starts[:n] + (fractions * sizes[:n]).astype(np.int64)
        yield np.bincount(drawn, minlength=items)


@dataclass(frozen=True, slots=True)
class GroupedResampler:
    """Kinds of rows and how many items are of each kind: one multinomial draw per resample."""

    rows: Ints  # kinds × columns
    times: Ints

    def sums(self, seed: int, block: int, n: int) -> Ints:
        """Return the sums of the first n resamples of a block: n × columns."""
        sequence = np.random.SeedSequence(seed, spawn_key=(streams.BOOTSTRAP, block))
        generator = np.random.Generator(np.random.SFC64(sequence))
        items = int(self.times.sum())
        weights = generator.multinomial(items, self.times / items, size=n)
        return np.asarray(weights @ self.rows, np.int64)

    def sums_of_blocks(self, seed: int, blocks: Blocks) -> Ints:
        """Return the sums of resamples of some blocks."""
        return np.concatenate([self.sums(seed, *each) for each in blocks])
