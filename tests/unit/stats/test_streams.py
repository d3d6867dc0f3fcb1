"""Random streams: NumPy's own generators, fair coins, and nothing but (seed, purpose, shard)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.stats import streams
from tellapart.stats.shuffles import SubsetSums
from tellapart.stats.streams import LANES, SHARD, Stream, coins, seeds

PURPOSES = [streams.SHUFFLES, streams.BOOTSTRAP, streams.PERMUTATIONS]


class GivenWords(np.random.bit_generator.ISeedSequence):
    """A seed sequence that hands out words it was given."""

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self.words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        """Hand out the words."""
        assert n_words == len(self.words)
        return self.words.astype(dtype)


def test_each_lane_is_an_sfc64_of_numpy() -> None:
    """Three words seed a lane as they seed NumPy's SFC64, warm-up rounds included."""
    start = seeds(seed=7, shard=3)
    words = Stream(start).words(LANES * 50).reshape(50, LANES)

    for lane in range(LANES):
        sequence: Any = GivenWords(start[3 * lane : 3 * lane + 3])
        assert np.array_equal(words[:, lane], np.random.SFC64(sequence).random_raw(50))


def sfc64(state: list[int], rounds: int) -> list[int]:
    """Doty-Humphrey's SFC64, as published, in Python's integers."""
    (a, b, c), counter, mask, words = state, 1, (1 << 64) - 1, []
    for _ in range(12 + rounds):
        word = (a + b + counter) & mask
        counter += 1
        a, b = b ^ (b >> 11), (c + (c << 3)) & mask
        c = (((c << 24) | (c >> 40)) + word) & mask
        words.append(word)
    return words[12:]


def test_each_lane_is_the_published_generator() -> None:
    start = seeds(seed=0, shard=0)
    words = Stream(start).words(LANES * 6).reshape(6, LANES)

    for lane in range(LANES):
        state = [int(word) for word in start[3 * lane : 3 * lane + 3]]
        assert words[:, lane].tolist() == sfc64(state, 6)


def test_words_go_on_where_the_last_ones_ended() -> None:
    whole, parts = Stream(seeds(1, 1)), Stream(seeds(1, 1))

    in_parts = np.concatenate([parts.words(8), parts.words(24), parts.words(64)])

    assert np.array_equal(whole.words(96), in_parts)


@pytest.mark.parametrize("engine", [name for name in path.available() if name != "numpy"])
def test_native_words_are_the_same(engine: str) -> None:
    assert path.native is not None
    start = seeds(5, 17, streams.BOOTSTRAP)
    words = Stream(start).words(LANES * 999)

    mixed = path.native.draw(start, 999, engine)

    assert mixed == int(np.bitwise_xor.reduce(words))


@pytest.mark.parametrize("engine", path.available())
def test_every_engine_tosses_the_same_coins(engine: str) -> None:
    """Items that are a column each show their coins as sums."""
    items = 21
    with path.using(engine):
        sums = SubsetSums(np.eye(items, dtype=np.int64)).sums(seed=3, shard=20, n=SHARD)

    assert np.array_equal(sums, coins(3, 20, items, SHARD))


def test_coins_are_fair() -> None:
    """Heads per item, per shuffle and in all are binomial; neighbours go together by chance."""
    tossed = np.concatenate([coins(11, shard, 256, SHARD) for shard in range(4)], axis=1)
    items, shuffles = tossed.shape

    def deviates(heads: NDArray[Any], n: int) -> NDArray[Any]:
        return np.asarray(np.abs(heads - n / 2) / np.sqrt(n / 4))

    assert deviates(tossed.sum(), items * shuffles) < 4.5
    assert deviates(tossed.sum(axis=1), shuffles).max() < 4.5
    assert deviates(tossed.sum(axis=0), items).max() < 5.5  # 8,192 of them
    for step in (1, 8, 64):
        assert deviates((tossed[step:] ^ tossed[:-step]).sum(), (items - step) * shuffles) < 4.5
        across = (tossed[:, step:] ^ tossed[:, :-step]).sum()
        assert deviates(across, items * (shuffles - step)) < 4.5


def test_streams_of_different_seeds_purposes_and_shards_differ() -> None:
    """Also across the blocks of shards whose seeds are worked out together."""
    keys = list(itertools.product((0, 1, 2**32, 2**63), PURPOSES, (0, 1, 15, 16, 17, 31, 32, 512)))

    starts = np.concatenate([seeds(seed, shard, purpose) for seed, purpose, shard in keys])
    words = {Stream(seeds(s, shard, p)).words(8).tobytes() for s, p, shard in keys}

    assert len(np.unique(starts)) == len(starts)  # no lane shares a word with another
    assert len(words) == len(keys)


def test_a_stream_does_not_depend_on_what_was_asked_before() -> None:
    later, first = seeds(4, 40).copy(), seeds(4, 3).copy()
    for shard in range(64):
        seeds(4, shard)

    assert np.array_equal(seeds(4, 3), first)
    assert np.array_equal(seeds(4, 40), later)
    assert not np.array_equal(first, later)


@settings(max_examples=25, deadline=None)
@given(
    items=st.integers(1, 600),
    more=st.integers(0, 50),
    n=st.integers(1, SHARD),
    shard=st.integers(0, 100),
)
def test_a_coin_depends_on_its_own_place_only(items: int, more: int, n: int, shard: int) -> None:
    """The coin of item u in shuffle r is the same however many items and shuffles follow."""
    alone = coins(9, shard, items, n)

    assert alone.shape == (items, n)
    assert np.array_equal(alone, coins(9, shard, items + more, SHARD)[:items, :n])
