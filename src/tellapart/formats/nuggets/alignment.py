"""Which system mention goes with which gold mention: the greedy alignments.

Pairs are of kinds of mentions; a kind's mentions are taken in the order of their positions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from math import gcd
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.nuggets.kinds import Kinds
from tellapart.formats.nuggets.spans import Pairs

_CHUNK: Final = 1 << 14


@dataclass(frozen=True, slots=True)
class Alignment:
    """The accepted pairs of mentions, in the order they were visited in."""

    pairs: Pairs
    at: NDArray[np.int64]  # the position of their kinds in `pairs`
    system: NDArray[np.int64]
    gold: NDArray[np.int64]

    @property
    def true_positives(self) -> float:
        """The sum of the Dice values."""
        return float(sum(self.pairs.dice[self.at].tolist()))

    def links(self) -> list[tuple[int, int, float]]:
        """Give gold position, system position and Dice of each accepted pair."""
        dice = self.pairs.dice[self.at].tolist()
        return list(zip(self.gold.tolist(), self.system.tolist(), dice, strict=True))

    def credits(self) -> Counter[int]:
        """Sum the Dice values as fractions in lowest terms: the numerators by denominator."""
        summed: Counter[int] = Counter()
        shared, total = self.pairs.shared[self.at], self.pairs.total[self.at]
        for common, size in zip(shared.tolist(), total.tolist(), strict=True):
            divisor = gcd(2 * common, size)
            summed[size // divisor] += 2 * common // divisor
        return summed


def one_to_one(pairs: Pairs, allowed: NDArray[np.bool_], system: Kinds, gold: Kinds) -> Alignment:
    """Accept each allowed pair of mentions that are both still free."""
    walk = _Walk(pairs, _Side(system), _Side(gold))
    alone = system.lone[pairs.system] & gold.lone[pairs.gold]
    for stretch, crowded in _stretches(pairs, np.flatnonzero(allowed), alone):
        if crowded:
            walk.interleaved(stretch)
        else:
            walk.in_order(stretch)
    return Alignment(pairs, *np.array(walk.accepted, np.int64).reshape(-1, 3).T)


def _stretches(
    pairs: Pairs, candidates: NDArray[np.intp], alone: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.intp], bool]]:
    """Cut the pairs in stretches, and tell which have kinds of several mentions.

    Such a stretch has one value of Dice: of the mentions of tied kinds, those with lower positions
    come first, whatever their kinds.
    """
    many = ~alone[candidates]
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
    """The mentions of each kind that are still free."""

    def __init__(self, kinds: Kinds) -> None:
        self.members = kinds.members
        self.heads = [each[0] for each in kinds.members]  # the first free one
        self.taken = [0] * len(kinds.members)
        self.spent = bytearray(len(kinds.members))

    def take(self, kind: int) -> int:
        """Take the first free mention of a kind."""
        head = self.heads[kind]
        self.taken[kind] += 1
        if self.taken[kind] < len(self.members[kind]):
            self.heads[kind] = self.members[kind][self.taken[kind]]
        else:
            self.spent[kind] = 1
        return head


@dataclass(slots=True)
class _Walk:
    """A visit of pairs, by falling Dice."""

    pairs: Pairs
    system: _Side
    gold: _Side
    accepted: list[tuple[int, int, int]] = field(default_factory=list)
    """The pair of kinds, the system mention, the gold mention"""

    def in_order(self, stretch: NDArray[np.intp]) -> None:
        """Visit kinds of one mention each."""
        own, right = self.system.spent, self.gold.spent
        for start in range(0, len(stretch), _CHUNK):
            chunk = stretch[start : start + _CHUNK]
            if start:
                # Where many mentions overlap, most pairs are out of the question by now.
                spent = np.frombuffer(own, bool)[self.pairs.system[chunk]]
                chunk = chunk[~(spent | np.frombuffer(right, bool)[self.pairs.gold[chunk]])]
            for at, s, g in self._kinds(chunk):
                if not (own[s] or right[g]):
                    self._accept(at, s, g)

    def interleaved(self, stretch: NDArray[np.intp]) -> None:
        """Visit kinds that are tied: always the two free mentions with the lowest positions."""
        own, right = self.system, self.gold
        waiting = [(own.heads[s], right.heads[g], at, s, g) for at, s, g in self._kinds(stretch)]
        heapify(waiting)
        while waiting:
            system, gold, at, s, g = waiting[0]
            if own.spent[s] or right.spent[g]:
                heappop(waiting)
            elif (own.heads[s], right.heads[g]) == (system, gold):
                self._accept(at, s, g)
            else:
                heapreplace(waiting, (own.heads[s], right.heads[g], at, s, g))

    def _kinds(self, stretch: NDArray[np.intp]) -> Iterator[tuple[int, int, int]]:
        systems, golds = self.pairs.system[stretch].tolist(), self.pairs.gold[stretch].tolist()
        return zip(stretch.tolist(), systems, golds, strict=True)

    def _accept(self, at: int, s: int, g: int) -> None:
        self.accepted.append((at, self.system.take(s), self.gold.take(g)))


def many_to_one(pairs: Pairs, system: Kinds, gold: Kinds) -> Alignment:
    """Accept each pair whose system mention is still free (Algorithm 1 of the paper).

    A system mention's first pair is its best one, so that no walk over the pairs is needed.
    """
    kinds, first = np.unique(pairs.system, return_index=True)
    best = [(i, at) for kind, at in zip(kinds, first, strict=True) for i in system.members[kind]]
    own, at = np.array(best, np.int64).reshape(-1, 2).T
    right = np.array([gold.members[kind][0] for kind in pairs.gold[at]], np.int64)
    order = np.lexsort((own, -pairs.dice[at]))
    return Alignment(pairs, at[order], own[order], right[order])


def best_per_gold(alignment: Alignment, allowed: NDArray[np.bool_]) -> Alignment:
    """Keep each gold mention's best pair among those that are allowed (Algorithm 4)."""
    kept = np.flatnonzero(allowed[alignment.at])
    _, first = np.unique(alignment.gold[kept], return_index=True)
    chosen = kept[np.sort(first)]
    return Alignment(
        alignment.pairs, alignment.at[chosen], alignment.system[chosen], alignment.gold[chosen]
    )
