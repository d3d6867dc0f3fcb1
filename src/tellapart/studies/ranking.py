"""How far two orders agree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def swapped_pairs(first: Sequence[float], second: Sequence[float]) -> int:
    """Count the pairs that two lists of scores put in opposite order.

    >>> swapped_pairs([3, 2, 1], [30, 10, 20])
    1
    """
    return sum(sign < 0 for sign in _signs(first, second))


def kendall(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Kendall's tau: pairs in the same order less pairs in the opposite one, of all pairs.

    >>> kendall([3, 2, 1], [30, 10, 20]), kendall([1, 2, 3], [3, 2, 1])
    (0.3333333333333333, -1.0)
    """
    signs = [(sign > 0) - (sign < 0) for sign in _signs(first, second)]
    return sum(signs) / len(signs)


def ranks(scores: Sequence[float]) -> list[int]:
    """Return the place of each score, 1 for the highest; of equal ones the first comes first.

    >>> ranks([0.2, 0.9, 0.5])
    [3, 1, 2]
    """
    order = sorted(range(len(scores)), key=lambda k: -scores[k])
    places = {system: place for place, system in enumerate(order, 1)}
    return [places[k] for k in range(len(scores))]


def _signs(first: Sequence[float], second: Sequence[float]) -> list[float]:
    both = list(zip(first, second, strict=True))
    return [(a - c) * (b - d) for (a, b), (c, d) in combinations(both, 2)]
