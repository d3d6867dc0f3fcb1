"""Permutation test of whether values depend on the group that an item is in.

Values are dealt to the items anew. Where items come in blocks (clusters), a grouping of whole
blocks is tested by the blocks' means, and any other within blocks alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.resampling import streams

DRAWS: Final = 1_999
_BATCH = 100  # draws that are held at a time
_ROUNDING = 1e-9

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def dependence_p(
    values: Floats,
    groupings: Sequence[Integers],
    blocks: Integers | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> list[float]:
    """Return, per grouping, the p-value of the mean being the same in all of its groups.

    A grouping is the number of each item's group, from 0. The statistic is Welch's, each group
    with a variance of its own, so that a group that merely varies more does not count as another;
    the whole's variance is added as one item of each group, since a small group may have none.

    >>> values = np.array([5.0, 6, 5, 6, 5, 6, 0, 1, 0, 1, 0, 1])
    >>> halves, turns = np.repeat([0, 1], 6), np.tile([0, 0, 1, 1], 3)
    >>> halved, turned = dependence_p(values, [halves, turns])
    >>> halved < 0.01, turned > 0.3
    (True, True)
    """
    found = [1.0] * len(groupings)
    if blocks is None:
        blocks = np.zeros(len(values), np.int64)
        whole: list[int] = []
    else:
        whole = [k for k, codes in enumerate(groupings) if _constant_within(codes, blocks)]
    within = [k for k in range(len(groupings)) if k not in whole]
    if whole:
        _, first, place = np.unique(blocks, return_index=True, return_inverse=True)
        means = np.bincount(place, values) / np.bincount(place)
        codes = [groupings[k][first] for k in whole]
        alike = np.zeros(len(means), np.int64)
        for k, p in zip(whole, _permuted(means, codes, alike, seed, draws), strict=True):
            found[k] = p
    if within:
        codes = [groupings[k] for k in within]
        for k, p in zip(within, _permuted(values, codes, blocks, seed, draws), strict=True):
            found[k] = p
    return found


def _constant_within(codes: Integers, blocks: Integers) -> bool:
    pairs = np.unique(np.stack([blocks, codes]), axis=1).shape[1]
    return bool(pairs == len(np.unique(blocks)))


def _permuted(
    values: Floats, groupings: Sequence[Integers], blocks: Integers, seed: int, draws: int
) -> list[float]:
    """Return the p-values of groupings, by permutations within blocks that all of them share."""
    centred = values - values.mean()
    spread = float(centred @ centred) / len(values)
    if spread == 0.0:
        return [1.0] * len(groupings)
    members = [np.eye(int(codes.max()) + 1)[codes] for codes in groupings]  # items × groups
    observed = np.array([_welch(centred[None], each, spread)[0] for each in members])
    least = observed * (1 - _ROUNDING)
    exceed = np.zeros(len(groupings), np.int64)
    together = np.argsort(blocks, kind="stable")
    sequence = np.random.SeedSequence(seed, spawn_key=(streams.DEPENDENCE,))
    generator = np.random.Generator(np.random.SFC64(sequence))
    for start in range(0, draws, _BATCH):
        n = min(_BATCH, draws - start)
        order = np.argsort(blocks + generator.random((n, len(values))), axis=1)
        dealt = np.empty((n, len(values)))
        dealt[:, together] = centred[order]
        for k, each in enumerate(members):
            exceed[k] += np.count_nonzero(_welch(dealt, each, spread) >= least[k])
    return [(int(count) + 1) / (draws + 1) for count in exceed]


def _welch(values: Floats, members: Floats, spread: float) -> Floats:
    """Return Welch's statistic of rows of values: the weighted spread of the groups' means."""
    sizes = members.sum(axis=0)
    means = values @ members / sizes  # rows × groups
    squares = np.maximum(values**2 @ members - sizes * means**2, 0.0)
    weights = sizes**2 / (squares + spread)
    middle = (weights * means).sum(axis=1) / weights.sum(axis=1)
    return np.asarray((weights * (means - middle[:, None]) ** 2).sum(axis=1))
