"""What a judge likes beside the answer: the first place, or the longer text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tellapart.errors import UsageError
from tellapart.stats.judges import Bias, length_bias, position_bias

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def judged(seed: int, prompts: int = 60, systems: int = 3) -> tuple[Ints, Ints, Ints, Floats]:
    """Return judgments of a judge who likes the first place: units, first, second, points."""
    rng = np.random.default_rng(seed)
    first, second = rng.permuted(np.tile(np.arange(systems), (prompts, 1)), axis=1)[:, :2].T
    chance = 1 / (1 + np.exp(-0.8 - 0.5 * (second - first)))
    points = np.where(rng.random(prompts) < 0.1, 0.5, rng.random(prompts) < chance)
    return rng.integers(0, prompts // 2, prompts), first, second, points


def defined(value: Bias | None) -> Bias:
    assert value is not None
    return value


def test_in_both_orders_the_first_place_has_a_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    points = rng.choice([0.0, 0.5, 1.0], (40, 2), p=[0.3, 0.1, 0.6])
    found = position_bias(np.repeat(np.arange(40), 2), [0, 1] * 40, [1, 0] * 40, points.ravel())
    assert defined(found).rate == pytest.approx(points.mean())
    assert defined(found).p == pytest.approx(stats.ttest_1samp(points.mean(axis=1), 0.5).pvalue)
    assert defined(found).n == 40
    everything = position_bias([0, 0, 1, 1], [0, 1] * 2, [1, 0] * 2, [1] * 4)
    assert everything == Bias(1.0, None, 2)  # nothing varies
    assert position_bias([0, 0, 1, 1], [0, 1] * 2, [1, 0] * 2, [0.5] * 4) == Bias(0.5, 1.0, 2)
    assert position_bias([0, 1], [0, 0], [1, 1], [1, 0]) is None  # in one order alone


def test_longer_outputs() -> None:
    lengths = np.array([[9, 4 if k % 2 else 20] for k in range(40)], float)
    points = np.array([float(k % 4 == 1) for k in range(40)])
    found = defined(length_bias(np.arange(40), points, lengths))
    longer = np.where(lengths[:, 0] > lengths[:, 1], points, 1 - points)
    assert found.rate == pytest.approx(longer.mean())
    assert found.p == pytest.approx(stats.ttest_1samp(longer, 0.5).pvalue)
    unknown = np.concatenate([lengths, [[5, 5], [math.nan, 3]]])
    more = length_bias(np.arange(42), [*points, 1, 1], unknown)
    assert (defined(more).rate, defined(more).n) == (found.rate, 40)
    assert length_bias([0], [1], [[7, 7]]) is None


def test_what_cannot_be_told() -> None:
    with pytest.raises(UsageError, match="an entry for each judgment"):
        position_bias([0], [0, 1], [1, 0], [1, 1])
    with pytest.raises(UsageError, match="an entry for each judgment"):
        length_bias([0, 1], [1], [[1, 2]])
