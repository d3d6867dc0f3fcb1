"""Groups of systems that are not shown to differ, and the letters that stand for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats.result import sample

MAX_GROUPS = 10_000


@dataclass(frozen=True, slots=True)
class Groups:
    """Maximal sets of systems that are pairwise not different; systems are numbered.

    Groups may overlap, and may skip systems of the ranking.
    """

    order: tuple[int, ...]
    """The systems, best first; of equal scores, in the order given"""
    members: tuple[tuple[int, ...], ...]
    """Each group best first, the groups ordered by their best members; none if there are too many
    to be of any use"""


def groups(scores: ArrayLike, different: ArrayLike, *, higher_is_better: bool = True) -> Groups:
    """Return the maximal sets of systems that are pairwise not different.

    Args:
        scores: the score of each system, by which they are ranked.
        different: systems × systems, symmetric: which pairs were shown to differ.
        higher_is_better: whether the best system has the highest score.

    >>> found = groups([24.33, 29.03, 29.33], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> found.order, found.members
    ((2, 1, 0), ((2, 1), (2, 0)))

    """
    values, differ = sample(scores, "scores"), np.asarray(different, np.bool_)
    if differ.shape != (len(values), len(values)) or (differ != differ.T).any():
        raise UsageError(f"different must be a symmetric matrix of {len(values)} systems")
    order = np.argsort(-values if higher_is_better else values, kind="stable")
    alike = ~differ[np.ix_(order, order)]
    np.fill_diagonal(alike, False)
    packed = np.packbits(alike, axis=1, bitorder="little")
    neighbours = [int.from_bytes(row.tobytes(), "little") for row in packed]
    ranked = tuple(order.tolist())
    members = sorted(tuple(_bits(places)) for places in _maximal_cliques(neighbours))
    return Groups(ranked, tuple(tuple(ranked[place] for place in group) for group in members))


def letters(found: Groups) -> list[str]:
    """Return the letters of each system's groups, a for the best group; after z come aa, ab, ….

    No two systems that share a letter are different; two that share none are. Where there are
    letters of two characters, a space separates letters.

    Args:
        found: what `groups` returned.

    >>> letters(Groups((2, 1, 0), ((2, 1), (2, 0))))
    ['b', 'a', 'ab']
    """
    names: list[list[str]] = [[] for _ in found.order]
    for number, group in enumerate(found.members):
        for system in group:
            names[system].append(_letter(number))
    separator = "" if len(found.members) <= len(ascii_lowercase) else " "
    return [separator.join(own) for own in names]


def _maximal_cliques(neighbours: list[int]) -> list[int]:
    """Return all maximal cliques (Bron and Kerbosch), as bits; none if there are too many."""
    cliques: list[int] = []
    # (clique so far, vertices that may extend it, those whose cliques were already found); a
    # stack of our own, since a clique of a thousand systems is too deep for recursion.
    stack = [(0, (1 << len(neighbours)) - 1, 0)] if neighbours else []
    while stack:
        clique, open_, done = stack.pop()
        if not open_:
            if not done:
                cliques.append(clique)
                if len(cliques) > MAX_GROUPS:
                    return []
            continue
        # A maximal clique without the pivot has a vertex that is no neighbour of the pivot.
        pivot = max(_bits(open_ | done), key=lambda v: (neighbours[v] & open_).bit_count())
        for v in _bits(open_ & ~neighbours[pivot]):
            stack.append((clique | 1 << v, open_ & neighbours[v], done & neighbours[v]))
            open_ ^= 1 << v
            done |= 1 << v
    return cliques


def _bits(places: int) -> Iterator[int]:
    while places:
        lowest = places & -places
        yield lowest.bit_length() - 1
        places ^= lowest


def _letter(number: int) -> str:
    """Return the letter of a group: a … z, aa, ab …, as columns of a spreadsheet."""
    name = ""
    while number >= 0:
        number, last = divmod(number, len(ascii_lowercase))
        name = ascii_lowercase[last] + name
        number -= 1
    return name
