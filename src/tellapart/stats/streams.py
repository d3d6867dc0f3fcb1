"""Random streams that are a function of (seed, purpose, shard, block of items) and nothing else.

A stream is eight SFC64 generators side by side: word i of a block of eight comes from generator i.
Eight, so that the native code can run them in vector registers; NumPy's own SFC64 gives the same
words. A shard of shuffles has a stream for each block of items. What a part of a computation
returns depends on the part alone, so that it is the same by however many threads it was made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tellapart.console import Progress, no_progress
from tellapart.errors import UsageError
from tellapart.stats.result import Flags

SHARD = 2048
"""Shuffles that share one stream"""
ITEM_BLOCK = 65_536
"""Items that share one stream, by their places"""
LANES = 8

# What a stream is for; the same seed must not serve two purposes with the same bits.
SHUFFLES, BOOTSTRAP, SIGN_COUNTS, PERMUTATIONS = range(4)
MATCH_SIGNS = 21
DEPENDENCE, SPLITS, RESPONSES = 30, 31, 32
PLACES = 41
NULL_PAIRS = 100

_SEEDED = 16  # shards whose seeds are worked out together, since the first word costs most

Words = NDArray[np.uint64]


def shares(draws: int, size: int = SHARD) -> list[tuple[int, int]]:
    """Return the numbers of the shards of so many draws, and how many draws each has.

    >>> shares(5000)
    [(0, 2048), (1, 2048), (2, 904)]
    """
    return [(k, min(size, draws - k * size)) for k in range(-(-draws // size))]


def generator(seed: int, purpose: int, *key: int) -> np.random.Generator:
    """Return NumPy's generator for one purpose, and a part of it."""
    sequence = np.random.SeedSequence(seed, spawn_key=(purpose, *key))
    return np.random.Generator(np.random.SFC64(sequence))


def seeds(seed: int, shard: int, purpose: int = SHUFFLES, item_block: int = 0) -> Words:
    """Return the 24 words that start the eight generators of one shard and block of items."""
    return np.asarray(_seed_table(seed, purpose, shard // _SEEDED, item_block)[shard % _SEEDED])


def block_seeds(seed: int, shard: int, items: int) -> Words:
    """Return the seeds of the blocks that so many items fill: blocks × 24.

    >>> block_seeds(seed=0, shard=0, items=70_000).shape
    (2, 24)
    """
    blocks = range(max(1, -(-items // ITEM_BLOCK)))
    return np.stack([seeds(seed, shard, item_block=block) for block in blocks])


@lru_cache(maxsize=4096)
def _seed_table(seed: int, purpose: int, shards: int, item_block: int) -> Words:
    key = (purpose, shards, item_block) if item_block else (purpose, shards)
    sequence = np.random.SeedSequence(seed, spawn_key=key)
    words = np.asarray(sequence.generate_state(_SEEDED * 3 * LANES, np.uint64), np.uint64)
    return words.reshape(_SEEDED, 3 * LANES)


class Stream:
    """The words of one stream, by NumPy.

    >>> words = Stream(seeds(0, 0)).words(16)
    >>> words.dtype, words.shape
    (dtype('uint64'), (16,))
    """

    def __init__(self, start: Words) -> None:
        self._lanes = [np.random.SFC64(0) for _ in range(LANES)]
        for lane, bit_generator in enumerate(self._lanes):
            state = np.append(start[3 * lane : 3 * lane + 3], np.uint64(1))
            bit_generator.state = {
                "bit_generator": "SFC64",
                "state": {"state": state},
                "has_uint32": 0,
                "uinteger": 0,
            }
            bit_generator.random_raw(12)

    def words(self, n: int) -> Words:
        """Return the next n words; n is a multiple of eight."""
        return np.stack([lane.random_raw(n // LANES) for lane in self._lanes], axis=1).ravel()

    def coins(self, items: int) -> Flags:
        """Return the coins of the next items, items × shuffles of a shard; True exchanges."""
        # Groups of eight items × shuffles, lowest byte of a word first; bit k is the k-th item's.
        groups = self.words(SHARD * -(-items // 8) // 8).astype("<u8", copy=False).view(np.uint8)
        bits = groups.reshape(-1, 1, SHARD) >> np.arange(8, dtype=np.uint8)[:, None] & 1
        return bits.reshape(-1, SHARD)[:items].view(np.bool_)


Part = TypeVar("Part")
Result = TypeVar("Result")


class WorkerPool:
    """A map of a function over parts, in order, on one or several threads.

    >>> with open_pool(1) as pool:
    ...     list(pool.map(lambda part: 10 + part, [1, 2, 3]))
    [11, 12, 13]
    """

    def __init__(self, count: int = 1, threads: ThreadPoolExecutor | None = None) -> None:
        self.count = count
        self._threads = threads

    def map(
        self,
        function: Callable[[Part], Result],
        parts: Sequence[Part],
        progress: Progress = no_progress,
        what: str = "",
    ) -> Iterator[Result]:
        """Yield what a function returns for every part, in the order of the parts."""
        mapped = map if self._threads is None or len(parts) == 1 else self._threads.map
        progress(what, 0, len(parts))
        for done, result in enumerate(mapped(function, parts), 1):
            progress(what, done, len(parts))
            yield result


def default_workers() -> int:
    """Return the number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@contextmanager
def open_pool(count: int | None = None) -> Iterator[WorkerPool]:
    """Open workers: `count` threads, by default one per core."""
    count = default_workers() if count is None else count
    if count < 1:
        raise UsageError(f"workers is a number of threads, 1 or more, not {count}")
    if count == 1:
        yield WorkerPool()
        return
    with ThreadPoolExecutor(count) as threads:
        yield WorkerPool(count, threads)
