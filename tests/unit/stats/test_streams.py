"""Random streams: NumPy's own generators, fair coins, and nothing but (seed, purpose, shard)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.stats import streams
from tellapart.stats.shuffles import SubsetSums
from tellapart.stats.streams import LANES, SHARD, Stream, coins, seeds


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
