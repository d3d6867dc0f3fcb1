"""Random streams and shuffles: the same coins on every path, when to stop, how sure p then is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from tellapart import engine
from tellapart.stats.result import Floats
from tellapart.stats.shuffles import (
    LinearTests,
    SubsetSums,
    confidence,
    p_interval,
    robbins_settled,
    shuffle_until_settled,
)
from tellapart.stats.signed_sums import sign_flip
from tellapart.stats.streams import (
    ITEM_BLOCK,
    LANES,
    Stream,
    WorkerPool,
    block_seeds,
    open_pool,
    seeds,
)


def linear(values: Floats) -> LinearTests:
    """Return the sign-flip tests of differences, tests × items."""
    whole = np.rint(values * 100).astype(np.int64)
    places = np.arange(len(whole))[:, None]
    return LinearTests.of(whole, places, np.ones(places.shape), whole.sum(axis=1).astype(float),
                          np.full(len(whole), 1e-9), 0)  # fmt: skip


def differences(tests: int, items: int, seed: int = 0) -> Floats:
    return np.round(np.random.default_rng(seed).normal(0.15, 1.0, (tests, items)), 2)


@pytest.mark.parametrize("items", [1, 63, 70_000])
def test_sums_are_those_of_the_coins(items: int) -> None:
    """Every path sums the items whose coins fall heads."""
    columns = np.random.default_rng(1).integers(-5, 6, (3, items))
    expected = columns @ coins(seed=4, shard=2, items=items, n=8)
    for path in engine.available():
        with patch.dict(os.environ, TELLAPART_PATH=path):
            assert np.array_equal(SubsetSums(columns).sums(4, 2, 8), expected)


def test_stopping_depends_on_the_seed_alone() -> None:
    """Not on workers; and p is on the side of the level on which the exact one is."""
    values = differences(12, 60, seed=8)

    def levels(estimates: Floats) -> Floats:
        return np.full((*estimates.shape, 1), 0.05)

    once = shuffle_until_settled(linear(values), levels, 1, WorkerPool())
    with open_pool(3) as pool:
        assert shuffle_until_settled(linear(values), levels, 1, pool) == once
    for row, test in zip(values, once, strict=True):
        exact = sign_flip(row).p
        if test.settled and abs(exact - 0.05) > 0.002:
            assert (test.p <= 0.05) == (exact <= 0.05)


def test_robbins_keeps_its_error() -> None:
    """At p equal to the level, hardly any of many long runs is ever settled."""
    rng = np.random.default_rng(2)
    drawn = np.arange(1, 201) * 100
    counts = rng.binomial(100, 0.05, (2_000, 200)).cumsum(axis=1)
    ever = robbins_settled(drawn, counts, 0.05, error=0.02).any(axis=1)
    assert ever.mean() <= 0.02


def test_reference(reference_data: Path) -> None:
    text = (reference_data / "significance/expected.json").read_text()
    expected: dict[str, Any] = json.loads(text)["confidence_level"]
    for case in expected["examples"]:
        arguments = (case["nge"], case["ns"], case["alpha"])
        assert confidence(*arguments) == pytest.approx(case["posterior"], abs=1e-9)
    for row in expected["table"]:
        for wanted in (0.9, 0.95, 0.99):
            sure = confidence(np.arange(row["ns"] + 1), row["ns"], row["alpha"]) >= wanted
            most = int(np.flatnonzero(sure)[-1]) if sure.any() else None
            assert most == row[f"largest_nge_conf_{wanted}_posterior"]
    for case in expected["clopper_pearson"]:
        ends = p_interval(case["nge"], case["ns"], case["level"])
        assert ends == pytest.approx((case["lower"], case["upper"]), abs=1e-9)


class GivenWords(np.random.bit_generator.ISeedSequence):
    """A seed sequence that hands out words it was given."""

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self.words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        """Hand out the words."""
        assert n_words == len(self.words)
        return self.words.astype(dtype)


def coins(seed: int, shard: int, items: int, n: int) -> NDArray[np.bool_]:
    """Return the coins of the first n shuffles of a shard, items × shuffles; True exchanges."""
    blocks = (
        Stream(start).coins(min(ITEM_BLOCK, items - block * ITEM_BLOCK))[:, :n]
        for block, start in enumerate(block_seeds(seed, shard, items))
    )
    return np.concatenate(list(blocks))


def test_each_lane_is_an_sfc64_of_numpy() -> None:
    """Three words seed a lane as they seed NumPy's SFC64, warm-up rounds included."""
    start = seeds(seed=7, shard=3)
    words = Stream(start).words(LANES * 50).reshape(50, LANES)

    for lane in range(LANES):
        sequence: Any = GivenWords(start[3 * lane : 3 * lane + 3])
        assert np.array_equal(words[:, lane], np.random.SFC64(sequence).random_raw(50))
