"""Which system mention goes with which gold mention: the greedy alignments."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import gcd
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.scorers.nuggets.spans import Pairs

_CHUNK: Final = 1 << 14


@dataclass(frozen=True, slots=True)
class Alignment:
    """The accepted pairs, by their positions in `pairs`, in the order they were visited in."""

    pairs: Pairs
    accepted: NDArray[np.intp]

    @property
    def true_positives(self) -> float:
        """The sum of the Dice values."""
        return float(sum(self.pairs.dice[self.accepted].tolist()))

    def links(self) -> list[tuple[int, int, float]]:
        """Give gold position, system position and Dice of each accepted pair."""
        pairs, at = self.pairs, self.accepted
        return list(
            zip(pairs.gold[at].tolist(), pairs.system[at].tolist(), pairs.dice[at].tolist(),
                strict=True)
        )  # fmt: skip

    def credits(self) -> Counter[int]:
        """Sum the Dice values as fractions in lowest terms: the numerators by denominator."""
        summed: Counter[int] = Counter()
        shared, total = self.pairs.shared[self.accepted], self.pairs.total[self.accepted]
        for common, size in zip(shared.tolist(), total.tolist(), strict=True):
            divisor = gcd(2 * common, size)
            summed[size // divisor] += 2 * common // divisor
        return summed


def one_to_one(pairs: Pairs, allowed: NDArray[np.bool_]) -> Alignment:
    """Accept each allowed pair whose two mentions are both still free."""
    candidates = np.flatnonzero(allowed)
    system_free, gold_free = bytearray(b"\1") * pairs.n_system, bytearray(b"\1") * pairs.n_gold
    accepted: list[int] = []
    for start in range(0, len(candidates), _CHUNK):
        chunk = candidates[start : start + _CHUNK]
        if start:
            # Where many mentions share a span, most pairs are out of the question by now.
            free = np.frombuffer(system_free, bool)[pairs.system[chunk]]
            chunk = chunk[free & np.frombuffer(gold_free, bool)[pairs.gold[chunk]]]
        systems, golds = pairs.system[chunk].tolist(), pairs.gold[chunk].tolist()
        for at, s, g in zip(chunk.tolist(), systems, golds, strict=True):
            if system_free[s] and gold_free[g]:
                system_free[s] = gold_free[g] = 0
                accepted.append(at)
    return Alignment(pairs, np.array(accepted, np.intp))


def many_to_one(pairs: Pairs) -> Alignment:
    """Accept each pair whose system mention is still free (Algorithm 1 of the paper).

    A system mention's first pair is its best one, so that no walk over the pairs is needed.
    """
    _, first = np.unique(pairs.system, return_index=True)
    return Alignment(pairs, np.sort(first))


def best_per_gold(alignment: Alignment, allowed: NDArray[np.bool_]) -> Alignment:
    """Keep each gold mention's best pair among those that are allowed (Algorithm 4)."""
    kept = alignment.accepted[allowed[alignment.accepted]]
    _, first = np.unique(alignment.pairs.gold[kept], return_index=True)
    return Alignment(alignment.pairs, kept[np.sort(first)])
