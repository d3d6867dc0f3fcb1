"""Random streams that are a function of (seed, purpose, shard, block of items) and nothing else.

A stream is eight SFC64 generators side by side: word i of a block of eight comes from generator i.
Eight, so that the native path can run them in vector registers; NumPy's own SFC64 gives the same
words.

A shard of shuffles has a stream for each block of items.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SHARD = 2048
"""Shuffles that share one stream."""

ITEM_BLOCK = 65_536
"""Items that share one stream, by their places: the first so many, the next, and so on."""

LANES = 8

# What a stream is for; the same seed must not serve two purposes with the same bits.
SHUFFLES, BOOTSTRAP, PERMUTATIONS = 0, 1, 3
MATCHES, MATCH_SIGNS = 20, 21
DEPENDENCE = 30


def shares(draws: int, size: int) -> list[tuple[int, int]]:
    """Return the numbers of streams that each serve so many draws, and how many each has.

    >>> shares(5000, SHARD)
    [(0, 2048), (1, 2048), (2, 904)]
    """
    return [(k, min(size, draws - k * size)) for k in range(-(-draws // size))]


_SEEDED = 16  # shards whose seeds are worked out together, since the first word costs most


def seeds(
    seed: int, shard: int, purpose: int = SHUFFLES, item_block: int = 0
) -> NDArray[np.uint64]:
    """Return the 24 words that start the eight generators of one shard and block of items."""
    return np.asarray(_seed_table(seed, purpose, shard // _SEEDED, item_block)[shard % _SEEDED])


def block_seeds(seed: int, shard: int, items: int) -> NDArray[np.uint64]:
    """Return the seeds of the blocks that so many items fill: blocks × 24.

    >>> block_seeds(seed=0, shard=0, items=70_000).shape
    (2, 24)
    """
    blocks = max(1, -(-items // ITEM_BLOCK))
    return np.stack([seeds(seed, shard, item_block=block) for block in range(blocks)])


@lru_cache(maxsize=4096)  # 3 KB each: those of a hundred million items stay for the next shard
def _seed_table(seed: int, purpose: int, shards: int, item_block: int) -> NDArray[np.uint64]:
    # The first block has the seeds that there were before items had blocks.
    key = (purpose, shards, item_block) if item_block else (purpose, shards)
    sequence = np.random.SeedSequence(seed, spawn_key=key)
    words = np.asarray(sequence.generate_state(_SEEDED * 3 * LANES, np.uint64), np.uint64)
    return words.reshape(_SEEDED, 3 * LANES)


class Stream:
    """The words of one shard, by NumPy.

    >>> words = Stream(seeds(0, 0)).words(16)
    >>> words.dtype, words.shape
    (dtype('uint64'), (16,))
    """

    def __init__(self, start: NDArray[np.uint64]) -> None:
        self._lanes = [np.random.SFC64(0) for _ in range(LANES)]
        for lane, generator in enumerate(self._lanes):
            state = np.append(start[3 * lane : 3 * lane + 3], np.uint64(1))
            generator.state = {
                "bit_generator": "SFC64",
                "state": {"state": state},
                "has_uint32": 0,
                "uinteger": 0,
            }
            generator.random_raw(12)

    def words(self, n: int) -> NDArray[np.uint64]:
        """Return the next n words; n is a multiple of eight."""
        return np.stack([lane.random_raw(n // LANES) for lane in self._lanes], axis=1).ravel()

    def bytes(self, n: int) -> NDArray[np.uint8]:
        """Return the next n bytes, lowest byte of a word first; n is a multiple of 64."""
        return self.words(n // 8).astype("<u8", copy=False).view(np.uint8)


def coins(seed: int, shard: int, items: int, n: int) -> NDArray[np.bool_]:
    """Return the coins of the first n shuffles of a shard, items × shuffles; True exchanges.

    >>> coins(seed=0, shard=0, items=10, n=3).shape
    (10, 3)
    """
    groups: list[NDArray[np.uint8]] = []
    for block, start in enumerate(block_seeds(seed, shard, items)):
        stream, size = Stream(start), min(ITEM_BLOCK, items - block * ITEM_BLOCK)
        groups += [stream.bytes(SHARD)[:n] for _ in range(0, size, 8)]
    # axis 0: groups of eight items, axis 1: shuffles; bit k of a byte is the k-th item's coin
    bits = np.unpackbits(np.array(groups)[:, None, :], axis=1, bitorder="little")
    return bits.reshape(-1, n)[:items].astype(np.bool_)
