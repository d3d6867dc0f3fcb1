"""What mentions cover, and which of them overlap: an interval join that never builds all pairs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.nuggets.tbf import Mention, Pieces


@dataclass(frozen=True, slots=True)
class Extents:
    """The intervals that some mentions cover; those of one mention are disjoint and not empty."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    owners: NDArray[np.int64]  # per interval: the position of its mention
    sizes: NDArray[np.int64]  # per mention: its size, repeated offsets included


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of a system and a gold mention that overlap, in the order they are visited in.

    By falling Dice; ties by lower system position, then by lower gold position.
    """

    system: NDArray[np.int64]
    gold: NDArray[np.int64]
    shared: NDArray[np.int64]  # how many offsets or tokens both have
    total: NDArray[np.int64]  # the sum of the two sizes
    dice: NDArray[np.float64]


def union(pieces: Pieces) -> Pieces:
    """Return the pieces joined where they overlap or touch, sorted, without empty ones.

    >>> union(((5, 9), (0, 3), (7, 12), (4, 4)))
    ((0, 3), (5, 12))
    """
    if len(pieces) == 1:  # most mentions are
        return pieces if pieces[0][0] < pieces[0][1] else ()
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(piece for piece in pieces if piece[0] < piece[1]):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((begin, end))
    return tuple(joined)


def character_extents(mentions: Sequence[Mention]) -> Extents:
    """Return the character intervals of mentions."""
    begins, ends, owners, sizes = [], [], [], []
    for i, mention in enumerate(mentions):
        # Offsets that overlapping pieces repeat count in the size, not in what is shared.
        size = 0
        for begin, end in mention.pieces:
            size += max(0, end - begin)
        sizes.append(size)
        for begin, end in union(mention.pieces):
            begins.append(begin)
            ends.append(end)
            owners.append(i)
    return _extents(begins, ends, owners, sizes)


def token_extents(
    mentions: Sequence[Mention], numbers: dict[str, int], invisible: Collection[str] = ()
) -> Extents:
    """Return the tokens of mentions as intervals of length one.

    `numbers` maps token ids, which are opaque, to numbers, and grows; gold and system mentions of
    a document share it. Invisible tokens are left out.
    """
    begins: list[int] = []
    owners, sizes = [], []
    for i, mention in enumerate(mentions):
        tokens: Iterable[str] = dict.fromkeys(mention.tokens)
        if invisible:
            tokens = [token for token in tokens if token not in invisible]
        before = len(begins)
        for token in tokens:
            begins.append(numbers.setdefault(token, len(numbers)))
            owners.append(i)
        sizes.append(len(begins) - before)
    return _extents(begins, [begin + 1 for begin in begins], owners, sizes)


def _extents(begins: list[int], ends: list[int], owners: list[int], sizes: list[int]) -> Extents:
    return Extents(
        np.array(begins, np.int64),
        np.array(ends, np.int64),
        np.array(owners, np.int64),
        np.array(sizes, np.int64),
    )


def overlapping(system: Extents, gold: Extents) -> Pairs:
    """Return all pairs with Dice = 2 |G ∩ S| / (|G| + |S|) above 0, in the order of visits.

    >>> one = Extents(np.array([0]), np.array([4]), np.array([0]), np.array([4]))
    >>> two = Extents(np.array([2, 9]), np.array([4, 12]), np.array([0, 1]), np.array([2, 3]))
    >>> overlapping(two, one).dice.round(4).tolist()
    [0.6667]
    """
    n_gold = max(len(gold.sizes), 1)
    # Two intervals overlap if and only if one begins within the other: each such pair of
    # intervals is found once, and no other pair is looked at.
    first, second = _begin_within(system, gold, "left")
    third, fourth = _begin_within(gold, system, "right")
    s, g = np.concatenate([first, fourth]), np.concatenate([second, third])
    lengths = np.minimum(system.ends[s], gold.ends[g]) - np.maximum(
        system.begins[s], gold.begins[g]
    )
    keys = system.owners[s] * n_gold + gold.owners[g]
    distinct, inverse = np.unique(keys, return_inverse=True)
    shared = np.bincount(inverse, lengths, len(distinct)).astype(np.int64)
    at_system, at_gold = np.divmod(distinct, n_gold)
    total = system.sizes[at_system] + gold.sizes[at_gold]
    # One division of integers: equal ratios are equal doubles, so that ties are exact.
    dice = 2 * shared / total
    # `distinct` is in order of positions already, and a stable sort keeps that for ties.
    order = np.argsort(-dice, kind="stable")
    return Pairs(at_system[order], at_gold[order], shared[order], total[order], dice[order])


def _begin_within(
    outer: Extents, inner: Extents, side: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the intervals of `outer` with those of `inner` that begin within them.

    With side "right" those that begin at the same place are left out.
    """
    order = np.argsort(inner.begins, kind="stable")
    begins = inner.begins[order]
    low = np.searchsorted(begins, outer.begins, side)  # type: ignore[call-overload]
    high = np.maximum(np.searchsorted(begins, outer.ends, "left"), low)
    counts = high - low
    starts = np.cumsum(counts) - counts
    at_outer = np.repeat(np.arange(len(counts)), counts)
    at_inner = np.arange(len(at_outer)) + np.repeat(low - starts, counts)
    return at_outer, order[at_inner]
