"""The mapping of system mentions to gold mentions, by how far their spans overlap.

Overlaps are found by an interval join that never builds all pairs. The public scorer maps greedily:
the pair that overlaps most goes first. The best mapping is the one whose overlaps have the largest
sum, as the MUC scorer looked for its best alignment.

Mentions that only their position tells apart form a group, so that they are compared with others
once; those of a group are taken in the order of their positions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from heapq import heapify, heappop, heapreplace
from operator import add
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.annotation.tbf import Mention, Pieces

Integers = NDArray[np.int64]
Label = tuple[str, str]
"""Type and realis of a mention, as they are compared"""


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
    """The pairs of a system and a gold mention that overlap, in the order they are visited in.

    By falling Dice; ties by lower system position, then by lower gold position.
    """

    system: Integers
    gold: Integers
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


@dataclass(frozen=True, slots=True)
class MentionGroups:
    """Groups of mentions with the same span, type and realis, in the order of their first one."""

    mentions: Sequence[Mention]  # the first of each group
    labels: Sequence[Label]
    members: Sequence[Sequence[int]]
    """Per group the positions of its mentions, in order"""


def group_mentions(mentions: Sequence[Mention], labels: Sequence[Label]) -> MentionGroups:
    """Return the groups of mentions that are written alike.

    >>> one = Mention("d", "E1", ((0, 4),), (), "died", "Die", "Actual", 2)
    >>> group_mentions([one, one], [("die", "actual"), ("die", "other")]).members
    [[0], [1]]
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for i, (mention, label) in enumerate(zip(mentions, labels, strict=True)):
        groups.setdefault((mention.pieces, mention.tokens, label), []).append(i)
    members = list(groups.values())
    firsts = [positions[0] for positions in members]
    return MentionGroups([mentions[i] for i in firsts], [labels[i] for i in firsts], members)


def added_in_order(values: Iterable[float]) -> float:
    """Return a sum as the public scorer adds it up, rounded after each step.

    Its last bit can decide a printed digit. The builtin `sum` does so before Python 3.12 only.

    >>> added_in_order([1e16, 1.0, 1.0])
    1e+16
    """
    return reduce(add, values, 0.0)


@dataclass(frozen=True, slots=True)
class MentionMapping:
    """The pairs of mentions that were accepted, in the order they were visited in."""

    pairs: Pairs
    at: Integers
    """The position of their groups in `pairs`"""
    system: Integers
    gold: Integers

    @property
    def true_positives(self) -> float:
        """The sum of the Dice values."""
        return added_in_order(self.pairs.dice[self.at].tolist())

    def links(self) -> list[tuple[int, int, float]]:
        """Return gold position, system position and Dice of each accepted pair."""
        dice = self.pairs.dice[self.at].tolist()
        return list(zip(self.gold.tolist(), self.system.tolist(), dice, strict=True))


def one_to_one(
    pairs: Pairs, allowed: NDArray[np.bool_], system: MentionGroups, gold: MentionGroups
) -> MentionMapping:
    """Return the mapping that accepts each allowed pair of mentions that are both still free.

    Of tied groups, the two free mentions with the lowest positions always go first.
    """
    own = [list(reversed(members)) for members in system.members]
    right = [list(reversed(members)) for members in gold.members]
    candidates = np.flatnonzero(allowed)
    levels = np.cumsum(np.diff(pairs.dice[candidates], prepend=0) != 0).tolist()
    rows = zip(candidates.tolist(), pairs.system[candidates].tolist(),
               pairs.gold[candidates].tolist(), strict=True)  # fmt: skip
    waiting: list[tuple[int, int, int, int, int]] = []
    accepted: list[tuple[int, int, int]] = []
    level = 0
    for own_level, (at, s, g) in zip(levels, rows, strict=True):
        if own_level != level:
            _accept_tied(waiting, own, right, accepted)
            level = own_level
        if own[s] and right[g]:
            waiting.append((own[s][-1], right[g][-1], at, s, g))
    _accept_tied(waiting, own, right, accepted)
    return MentionMapping(pairs, *np.array(accepted, np.int64).reshape(-1, 3).T)


def _accept_tied(
    waiting: list[tuple[int, int, int, int, int]],
    own: Sequence[list[int]],
    right: Sequence[list[int]],
    accepted: list[tuple[int, int, int]],
) -> None:
    """Accept pairs with the same Dice until none of them is free; the lists of free ones shrink."""
    heapify(waiting)
    while waiting:
        system, gold, at, s, g = waiting[0]
        if not own[s] or not right[g]:
            heappop(waiting)
        elif (own[s][-1], right[g][-1]) == (system, gold):
            accepted.append((at, own[s].pop(), right[g].pop()))
        else:
            heapreplace(waiting, (own[s][-1], right[g][-1], at, s, g))


def best_sum(
    pairs: Pairs, allowed: NDArray[np.bool_], system: MentionGroups, gold: MentionGroups
) -> MentionMapping:
    """Return the mapping of allowed pairs, one to one, whose Dice values have the largest sum."""
    from scipy.optimize import linear_sum_assignment

    at = np.full((len(system.members), len(gold.members)), -1, np.int64)
    chosen = np.flatnonzero(allowed)
    at[pairs.system[chosen], pairs.gold[chosen]] = chosen
    own, right = (_group_numbers(side) for side in (system, gold))
    between = at[np.ix_(own, right)]  # mentions × mentions: the pair of their groups
    dice = np.where(between >= 0, pairs.dice[between] if len(pairs.dice) else 0.0, 0.0)
    rows, columns = linear_sum_assignment(dice, maximize=True)
    kept = np.flatnonzero(between[rows, columns] >= 0)
    order = kept[np.argsort(-dice[rows[kept], columns[kept]], kind="stable")]
    rows, columns = rows[order], columns[order]
    return MentionMapping(pairs, between[rows, columns], rows, columns)


def _group_numbers(groups: MentionGroups) -> Integers:
    """Return the group of every mention, in the order of positions."""
    numbers = np.zeros(sum(map(len, groups.members)), np.int64)
    for group, members in enumerate(groups.members):
        numbers[members] = group
    return numbers


def many_to_one(pairs: Pairs, system: MentionGroups, gold: MentionGroups) -> MentionMapping:
    """Return the mapping that gives each system mention its best pair (Algorithm 1 of the paper).

    Its best pair is its first one, so that no walk over the pairs is needed.
    """
    groups, first = np.unique(pairs.system, return_index=True)
    best = [(i, at) for group, at in zip(groups, first, strict=True) for i in system.members[group]]
    own, at = np.array(best, np.int64).reshape(-1, 2).T
    right = np.array([gold.members[group][0] for group in pairs.gold[at]], np.int64)
    order = np.lexsort((own, -pairs.dice[at]))
    return MentionMapping(pairs, at[order], own[order], right[order])


def best_per_gold(mapping: MentionMapping, allowed: NDArray[np.bool_]) -> MentionMapping:
    """Return each gold mention's best pair among those that are allowed (Algorithm 4)."""
    kept = np.flatnonzero(allowed[mapping.at])
    _, first = np.unique(mapping.gold[kept], return_index=True)
    chosen = kept[np.sort(first)]
    return MentionMapping(
        mapping.pairs, mapping.at[chosen], mapping.system[chosen], mapping.gold[chosen]
    )
