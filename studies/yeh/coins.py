"""Section 4: coins whose flips are correlated, and what they do to a test.

Flips come in groups of five. In a group they share a chance of heads, drawn evenly about one half,
so that they agree more often than others do; r is the correlation of two of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from studies.core import p_values_side_by_side, scores_of
from tellapart.counts import Counts

FLIPS: Final = 5
CORRELATIONS: Final = (0.1, 0.3, 0.5)
GROUPS: Final = 30
LEVEL: Final = 0.05
_SETS: Final = 1_000
_STREAM: Final = 4


def shared(correlation: float) -> float:
    """Return the parameter of the shared chance, a symmetric beta, with such a correlation."""
    return (1 / correlation - 1) / 2


def all_on_one_side(correlation: float, flips: int = FLIPS) -> float:
    """Return the chance that all flips land on a particular side.

    >>> all_on_one_side(0.0), round(all_on_one_side(0.3), 4)
    (0.03125, 0.1514)
    """
    if correlation == 0:
        return 0.5**flips
    a = shared(correlation)
    return math.prod((a + i) / (2 * a + i) for i in range(flips))


def four_or_one() -> tuple[float, float]:
    """Return r and the chance of five alike, where four or one of five land on a side.

    Which of the five is the odd one is drawn, so that each flip is fair.

    >>> [round(each, 3) for each in four_or_one()]
    [0.2, 0.0]
    """
    both_heads = 0.5 * (4 * 3) / (5 * 4)
    return (both_heads - 0.25) / 0.25, 0.0


@dataclass(frozen=True, slots=True)
class GroupedTest:
    """How often a true null is rejected at .05, with items in groups."""

    correlation: float
    by_item: float
    """By a sign test of single items, exactly"""
    by_group: float
    """By the exact test with whole groups exchanged, in simulated sets"""
    sets: int


def grouped_tests(seed: int, sets: int | None = None) -> tuple[GroupedTest, ...]:
    """Return the rejection rates of groups of five items, by correlation."""
    number = sets or _SETS
    return tuple(
        GroupedTest(r, sign_test_rate(r), _by_group(r, seed, k, number), number)
        for k, r in enumerate((0.0, *CORRELATIONS))
    )


@cache
def sign_test_rate(correlation: float) -> float:
    """Return how often a two-sided sign test of all items rejects at .05: all sums are counted.

    >>> round(sign_test_rate(0.0), 4)
    0.0409
    """
    one = _group_sums(correlation)
    total = np.ones(1)
    for _ in range(GROUPS):
        total = np.convolve(total, one)
    items = FLIPS * GROUPS
    rejected = [stats.binomtest(k, items).pvalue <= LEVEL for k in range(items + 1)]
    return float(total[np.array(rejected)].sum())


def _group_sums(correlation: float) -> NDArray[np.float64]:
    """Return the chances of 0 to 5 heads in a group."""
    heads = np.arange(FLIPS + 1)
    if correlation == 0:
        return np.asarray(stats.binom.pmf(heads, FLIPS, 0.5))
    a = shared(correlation)
    return np.asarray(stats.betabinom.pmf(heads, FLIPS, a, a))


def _by_group(correlation: float, seed: int, stream: int, sets: int) -> float:
    """Return how often the exact test rejects if what is exchanged is a group."""
    sequence = np.random.SeedSequence(seed, spawn_key=(_STREAM, stream))
    generator = np.random.Generator(np.random.SFC64(sequence))
    chances = np.full((sets, GROUPS), 0.5)
    if correlation:
        chances = generator.beta(shared(correlation), shared(correlation), (sets, GROUPS))
    heads = generator.binomial(FLIPS, chances)
    systems = {f"{k}{side}": row if side == "a" else FLIPS - row
               for k, row in enumerate(heads) for side in "ab"}  # fmt: skip
    p = p_values_side_by_side(scores_of(Counts.from_arrays(systems)), "exact", 1, seed)
    return float(np.mean(p <= LEVEL))
