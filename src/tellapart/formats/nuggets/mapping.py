"""The mapping of system mentions to gold mentions, by how far their spans overlap.

The public scorer maps greedily: the pair that overlaps most goes first. The best mapping is the one
whose overlaps have the largest sum, as the MUC scorer looked for its best alignment.

Mentions that only their position tells apart form a group, so that they are compared with others
once; those of a group are taken in the order of their positions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from heapq import heapify, heappop, heapreplace
from operator import add
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.nuggets.attributes import Labels
from tellapart.formats.nuggets.spans import Pairs
from tellapart.formats.nuggets.tbf import Mention

_CHUNK: Final = 1 << 14


@dataclass(frozen=True, slots=True)
class MentionGroups:
    """Groups of mentions with the same span, type and realis, in the order of their first one."""

    mentions: Sequence[Mention]  # the first of each group
    labels: Labels
    members: Sequence[Sequence[int]]
    """Per group the positions of its mentions, in order"""
    single: NDArray[np.bool_]
    """Per group whether it has one mention only"""


def group_mentions(mentions: Sequence[Mention], labels: Labels) -> MentionGroups:
    """Return the groups of mentions that are written alike.

    >>> one = Mention("E1", ((0, 4),), (), "died", "Die", "Actual", 2)
    >>> two = [one, one._replace(id="E2")]
    >>> group_mentions(two, Labels(["die", "die"], ["actual", "other"])).members
    [[0], [1]]
    """
    found: dict[tuple[object, ...], list[int]] = {}
    for i, (mention, *both) in enumerate(zip(mentions, labels.types, labels.realis, strict=True)):
        found.setdefault((mention.pieces, mention.tokens, *both), []).append(i)
    members = list(found.values())
    return MentionGroups(
        [mentions[each[0]] for each in members],
        Labels(
            [labels.types[each[0]] for each in members],
            [labels.realis[each[0]] for each in members],
        ),
        members,
        np.array([len(each) == 1 for each in members], bool),
    )


def added_in_order(values: Iterable[float]) -> float:
    """Return a sum as the public scorer adds it up, rounded after each step.

    Its last bit can decide a printed digit. The builtin `sum` does so before Python 3.12 only.

    >>> added_in_order([1e16, 1.0, 1.0]), math.fsum([1e16, 1.0, 1.0])
    (1e+16, 1.0000000000000002e+16)
    """
    return reduce(add, values, 0.0)


@dataclass(frozen=True, slots=True)
class MentionMapping:
    """The pairs of mentions that were accepted, in the order they were visited in."""

    pairs: Pairs
    at: NDArray[np.int64]  # the position of their groups in `pairs`
    system: NDArray[np.int64]
    gold: NDArray[np.int64]

    @property
    def true_positives(self) -> float:
        """The sum of the Dice values."""
        return added_in_order(self.pairs.dice[self.at].tolist())

    def links(self) -> list[tuple[int, int, float]]:
        """Return gold position, system position and Dice of each accepted pair."""
        dice = self.pairs.dice[self.at].tolist()
        return list(zip(self.gold.tolist(), self.system.tolist(), dice, strict=True))

    def credits(self) -> Counter[int]:
        """Return the sum of the Dice values as fractions: the sums of numerators by denominator."""
        summed: Counter[int] = Counter()
        shared, total = self.pairs.shared[self.at], self.pairs.total[self.at]
        for common, size in zip(shared.tolist(), total.tolist(), strict=True):
            divisor = math.gcd(2 * common, size)
            summed[size // divisor] += 2 * common // divisor
        return summed


def one_to_one(
    pairs: Pairs, allowed: NDArray[np.bool_], system: MentionGroups, gold: MentionGroups
) -> MentionMapping:
    """Return the mapping that accepts each allowed pair of mentions that are both still free."""
    walk = _Walk(pairs, _Side(system), _Side(gold))
    single = system.single[pairs.system] & gold.single[pairs.gold]
    for stretch, crowded in _stretches(pairs, np.flatnonzero(allowed), single):
        if crowded:
            walk.interleaved(stretch)
        else:
            walk.in_order(stretch)
    return MentionMapping(pairs, *np.array(walk.accepted, np.int64).reshape(-1, 3).T)


def best_sum(
    pairs: Pairs, allowed: NDArray[np.bool_], system: MentionGroups, gold: MentionGroups
) -> MentionMapping:
    """Return the mapping of allowed pairs, one to one, whose Dice values have the largest sum."""
    from scipy.optimize import linear_sum_assignment

    at = np.full((len(system.members), len(gold.members)), -1, np.int64)
    chosen = np.flatnonzero(allowed)
    at[pairs.system[chosen], pairs.gold[chosen]] = chosen
    own, right = (_members(side) for side in (system, gold))
    between = at[np.ix_(own[:, 0], right[:, 0])]  # mentions × mentions: the pair of their groups
    dice = np.where(between >= 0, pairs.dice[between] if len(pairs.dice) else 0.0, 0.0)
    rows, columns = linear_sum_assignment(dice, maximize=True)
    found = between[rows, columns]
    kept = np.flatnonzero(found >= 0)
    order = kept[np.argsort(-dice[rows[kept], columns[kept]], kind="stable")]
    return MentionMapping(pairs, found[order], own[rows[order], 1], right[columns[order], 1])


def _members(groups: MentionGroups) -> NDArray[np.int64]:
    """Return the group and the position of every mention, in the order of positions."""
    listed = [(i, group) for group, members in enumerate(groups.members) for i in members]
    return np.array([(group, i) for i, group in sorted(listed)], np.int64).reshape(-1, 2)


def _stretches(
    pairs: Pairs, candidates: NDArray[np.intp], single: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.intp], bool]]:
    """Yield the pairs in stretches, and whether one has groups of several mentions.

    Such a stretch has one value of Dice: of the mentions of tied groups, those with lower
    positions come first, whatever their groups.
    """
    many = ~single[candidates]
    if not many.any():
        yield candidates, False
        return
    dice = pairs.dice[candidates]
    level = np.cumsum(np.diff(dice, prepend=dice[:1]) != 0)
    crowded = np.isin(level, level[many])
    cuts = np.flatnonzero(np.diff(np.where(crowded, level + 1, 0))) + 1
    for part, flags in zip(np.split(candidates, cuts), np.split(crowded, cuts), strict=True):
        yield part, bool(flags[0])


class _Side:
    """The mentions of each group that are still free."""

    def __init__(self, groups: MentionGroups) -> None:
        self.members = groups.members
        self.first_free = [each[0] for each in groups.members]
        self.taken = [0] * len(groups.members)
        self.used_up = bytearray(len(groups.members))

    def take(self, group: int) -> int:
        """Return the first free mention of a group, which is free no longer."""
        taken = self.first_free[group]
        self.taken[group] += 1
        if self.taken[group] < len(self.members[group]):
            self.first_free[group] = self.members[group][self.taken[group]]
        else:
            self.used_up[group] = 1
        return taken


@dataclass(slots=True)
class _Walk:
    """A visit of pairs, by falling Dice."""

    pairs: Pairs
    system: _Side
    gold: _Side
    accepted: list[tuple[int, int, int]] = field(default_factory=list)
    """The pair of groups, the system mention, the gold mention"""

    def in_order(self, stretch: NDArray[np.intp]) -> None:
        """Visit groups of one mention each."""
        own, right = self.system.used_up, self.gold.used_up
        for start in range(0, len(stretch), _CHUNK):
            chunk = stretch[start : start + _CHUNK]
            if start:
                # Where many mentions overlap, most pairs are out of the question by now.
                used_up = np.frombuffer(own, bool)[self.pairs.system[chunk]]
                chunk = chunk[~(used_up | np.frombuffer(right, bool)[self.pairs.gold[chunk]])]
            for at, s, g in self._groups(chunk):
                if not (own[s] or right[g]):
                    self._accept(at, s, g)

    def interleaved(self, stretch: NDArray[np.intp]) -> None:
        """Visit groups that are tied: always the two free mentions with the lowest positions."""
        own, right = self.system, self.gold
        waiting = [
            (own.first_free[s], right.first_free[g], at, s, g) for at, s, g in self._groups(stretch)
        ]
        heapify(waiting)
        while waiting:
            system, gold, at, s, g = waiting[0]
            if own.used_up[s] or right.used_up[g]:
                heappop(waiting)
            elif (own.first_free[s], right.first_free[g]) == (system, gold):
                self._accept(at, s, g)
            else:
                heapreplace(waiting, (own.first_free[s], right.first_free[g], at, s, g))

    def _groups(self, stretch: NDArray[np.intp]) -> Iterator[tuple[int, int, int]]:
        systems, golds = self.pairs.system[stretch].tolist(), self.pairs.gold[stretch].tolist()
        return zip(stretch.tolist(), systems, golds, strict=True)

    def _accept(self, at: int, s: int, g: int) -> None:
        self.accepted.append((at, self.system.take(s), self.gold.take(g)))


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
