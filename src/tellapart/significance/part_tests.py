"""Randomization test of one part of the items against the rest, within strata.

Which items are the part is drawn anew within each stratum (a message, say), keeping how many of
its items the part has. Several scores are tested with the same draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.ordering import natural_order
from tellapart.errors import UsageError
from tellapart.significance.unpaired_tests import (
    LinearRatio,
    block_generator,
    float_exceeds,
    ratio_exceeds,
    subset_sums,
)

ENUMERATION_LIMIT = 2**20
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Statistic: TypeAlias = LinearRatio | Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class PartTest:
    """P-values by score, and how they were found."""

    p: dict[str, float]
    method: str  # "enumeration" or "shuffles"
    total: int  # divisions enumerated, or shuffles drawn


def part_test(
    values: Integers,
    in_part: Sequence[bool],
    strata: Sequence[Hashable],
    statistics: Mapping[str, Statistic],
    *,
    shuffles: int = 9_999,
    seed: int = 0,
) -> PartTest:
    """Return the test of whether scores differ between a part of the items and the rest.

    `values` are items × columns. All divisions are enumerated up to 2^20 of them; above, `shuffles`
    are drawn. Both directions count.

    >>> values = np.array([[1, 1], [1, 1], [0, 1], [0, 1]])
    >>> mean = {"mean": LinearRatio((1, 0), (0, 1))}
    >>> part_test(values, [True, True, False, False], "aaaa", mean).p["mean"] == 2 / 6
    True
    """
    if shuffles < 1:
        raise UsageError(f"{shuffles} shuffles are too few; draw at least 1")
    chosen = np.asarray(in_part, dtype=bool)
    total = values.sum(axis=0)
    observed = values[chosen].sum(axis=0)
    groups = _mixed_strata(chosen, strata)
    movable = [(values[items], int(chosen[items].sum())) for items in groups]
    inside = np.concatenate(groups) if groups else np.empty(0, dtype=np.intp)
    fixed = observed - values[inside][chosen[inside]].sum(axis=0)
    divisions = math.prod(math.comb(len(items), size) for items, size in movable)
    enumerated = divisions <= ENUMERATION_LIMIT
    sums = fixed + (_all_sums(movable, len(total)) if enumerated
                    else _drawn_sums(movable, shuffles, seed))  # fmt: skip
    p = {}
    for name, statistic in statistics.items():
        reached = _reached(statistic, sums, total, observed)
        p[name] = reached / divisions if enumerated else (reached + 1) / (shuffles + 1)
    return PartTest(p, "enumeration" if enumerated else "shuffles", len(sums))


def _mixed_strata(chosen: NDArray[np.bool_], strata: Sequence[Hashable]) -> list[NDArray[np.intp]]:
    """Return the items of each stratum that has items of both sorts; others cannot change."""
    members: dict[Hashable, list[int]] = {}
    for item, stratum in enumerate(strata):
        members.setdefault(stratum, []).append(item)
    names = list(members)
    # Each stratum has random numbers of its own, by its name, not by where it comes.
    found = [np.array(members[names[i]]) for i in natural_order([str(name) for name in names])]
    return [items for items in found if 0 < chosen[items].sum() < len(items)]


def _all_sums(movable: Sequence[tuple[Integers, int]], columns: int) -> Integers:
    sums = np.zeros((1, columns), dtype=np.int64)
    for items, size in movable:
        more = subset_sums(items, size)
        sums = (sums[:, None, :] + more[None, :, :]).reshape(-1, columns)
    return sums


def _drawn_sums(movable: Sequence[tuple[Integers, int]], shuffles: int, seed: int) -> Integers:
    """Return drawn sums of the part; of equal items only the number is drawn."""
    return np.asarray(sum(_draws(movable, shuffles, seed)), dtype=np.int64)


def _draws(
    movable: Sequence[tuple[Integers, int]], shuffles: int, seed: int
) -> Iterator[NDArray[Any]]:
    for number, (items, size) in enumerate(movable):
        kinds, frequencies = np.unique(items, axis=0, return_counts=True)
        rng = block_generator(seed, number)
        yield rng.multivariate_hypergeometric(frequencies, size, size=shuffles) @ kinds


def _reached(statistic: Statistic, sums: Integers, total: Integers, observed: Integers) -> int:
    """Return the number of divisions whose difference is at least the observed one, either way."""
    rest = total - sums
    if isinstance(statistic, LinearRatio):
        weights = np.array([statistic.numerator, statistic.denominator]).T
        first, second = sums @ weights, rest @ weights
        difference = statistic.score(observed) - statistic.score(total - observed)
        hits = ratio_exceeds(
            (first[:, 0], first[:, 1]),
            (second[:, 0], second[:, 1]),
            difference,
            "two",
            statistic.undefined,
        )
        return int(hits.sum())
    rows = np.stack([observed, total - observed]).astype(float)
    own, other = statistic(rows)
    found = float_exceeds(
        statistic(sums.astype(float)), statistic(rest.astype(float)), float(own - other), "two"
    )
    return int(found.sum())
