"""The mapping of system mentions to gold mentions, by how far their spans overlap.

Overlaps are found by an interval join that never builds all pairs. The public scorer maps greedily:
the pair that overlaps most goes first. The best mapping is the one whose overlaps have the largest
sum, as the MUC scorer looked for its best alignment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.annotation.tbf import Mention, Pieces

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Extents:
    """The intervals that some mentions cover; those of one mention are disjoint and not empty."""

    begins: Integers
    ends: Integers
    owners: Integers
    """Per interval: the position of its mention"""
    sizes: Integers
    """Per mention: its size, repeated offsets included"""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a system and a gold mention, by their positions, in the order they are visited in.

    All that overlap, or those that a mapping accepts: by falling Dice; ties by lower system
    position, then by lower gold position.
    """

    system: Integers
    gold: Integers
    dice: NDArray[np.float64]

    def take(self, at: Integers | Sequence[int]) -> Pairs:
        """Return the pairs at some positions."""
        chosen = np.asarray(at, np.int64)
        return Pairs(self.system[chosen], self.gold[chosen], self.dice[chosen])

    @property
    def true_positives(self) -> float:
        """The sum of the Dice values."""
        return added_in_order(self.dice.tolist())

    def links(self) -> list[tuple[int, int, float]]:
        """Return gold position, system position and Dice of each pair."""
        columns = (self.gold, self.system, self.dice)
        return list(zip(*(column.tolist() for column in columns), strict=True))


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
    intervals = [
        (*piece, i) for i, mention in enumerate(mentions) for piece in union(mention.pieces)
    ]
    # Offsets that overlapping pieces repeat count in the size, not in what is shared.
    sizes = [sum(max(0, end - begin) for begin, end in mention.pieces) for mention in mentions]
    begins, ends, owners = np.array(intervals, np.int64).reshape(-1, 3).T
    return Extents(begins, ends, owners, np.array(sizes, np.int64))


def token_extents(
    mentions: Sequence[Mention], numbers: dict[str, int], invisible: Collection[str] = ()
) -> Extents:
    """Return the tokens of mentions as intervals of length one.

    `numbers` maps token ids, which are opaque, to numbers, and grows; gold and system mentions of
    a document share it. Invisible tokens are left out.
    """
    places = [
        (numbers.setdefault(token, len(numbers)), i)
        for i, mention in enumerate(mentions)
        for token in dict.fromkeys(mention.tokens)
        if token not in invisible
    ]
    begins, owners = np.array(places, np.int64).reshape(-1, 2).T
    return Extents(begins, begins + 1, owners, np.bincount(owners, minlength=len(mentions)))


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
    # One division of integers: equal ratios are equal doubles, so that ties are exact.
    dice = 2 * shared / (system.sizes[at_system] + gold.sizes[at_gold])
    # `distinct` is in order of positions already, and a stable sort keeps that for ties.
    order = np.argsort(-dice, kind="stable")
    return Pairs(at_system[order], at_gold[order], dice[order])


def _begin_within(
    outer: Extents, inner: Extents, side: Literal["left", "right"]
) -> tuple[Integers, Integers]:
    """Return the intervals of `outer` with those of `inner` that begin within them.

    With side "right" those that begin at the same place are left out.
    """
    order = np.argsort(inner.begins, kind="stable")
    begins = inner.begins[order]
    low = np.searchsorted(begins, outer.begins, side)
    high = np.maximum(np.searchsorted(begins, outer.ends, "left"), low)
    counts = high - low
    starts = np.cumsum(counts) - counts
    at_outer = np.repeat(np.arange(len(counts)), counts)
    at_inner = np.arange(len(at_outer)) + np.repeat(low - starts, counts)
    return at_outer, order[at_inner]


def added_in_order(values: Iterable[float]) -> float:
    """Return a sum as the public scorer adds it up, rounded after each step.

    Its last bit can decide a printed digit. The builtin `sum` does so before Python 3.12 only.

    >>> added_in_order([1e16, 1.0, 1.0])
    1e+16
    """
    return reduce(add, values, 0.0)


def one_to_one(pairs: Pairs, allowed: Booleans) -> Pairs:
    """Return the mapping that accepts each allowed pair of mentions that are both still free."""
    used_system, used_gold, accepted = set[int](), set[int](), list[int]()
    visits = np.flatnonzero(allowed)
    rows = zip(visits.tolist(), pairs.system[visits].tolist(), pairs.gold[visits].tolist(),
               strict=True)  # fmt: skip
    for at, system, gold in rows:
        if system not in used_system and gold not in used_gold:
            used_system.add(system)
            used_gold.add(gold)
            accepted.append(at)
    return pairs.take(accepted)


def best_sum(pairs: Pairs, allowed: Booleans) -> Pairs:
    """Return the mapping of allowed pairs, one to one, whose Dice values have the largest sum."""
    from scipy.optimize import linear_sum_assignment

    chosen = np.flatnonzero(allowed)
    shape = tuple(int(side[chosen].max(initial=-1)) + 1 for side in (pairs.system, pairs.gold))
    at = np.full(shape, -1, np.int64)
    at[pairs.system[chosen], pairs.gold[chosen]] = chosen
    dice = np.zeros(shape)
    dice[pairs.system[chosen], pairs.gold[chosen]] = pairs.dice[chosen]
    mapped = at[linear_sum_assignment(dice, maximize=True)]
    return pairs.take(np.sort(mapped[mapped >= 0]))


def many_to_one(pairs: Pairs) -> Pairs:
    """Return the mapping that gives each system mention its best pair (Algorithm 1 of the paper).

    Its best pair is its first one, so that no walk over the pairs is needed.
    """
    return pairs.take(np.sort(np.unique(pairs.system, return_index=True)[1]))


def best_per_gold(mapping: Pairs, allowed: Booleans) -> Pairs:
    """Return each gold mention's best pair among those that are allowed (Algorithm 4)."""
    kept = mapping.take(np.flatnonzero(allowed))
    return kept.take(np.sort(np.unique(kept.gold, return_index=True)[1]))
