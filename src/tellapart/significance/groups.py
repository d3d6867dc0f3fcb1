"""Groups of systems that are not shown to differ, and the letters that stand for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError

MOST_GROUPS = 10_000


@dataclass(frozen=True, slots=True)
class Groups:
    """Maximal sets of systems that are pairwise not different.

    Groups may overlap, and may skip systems of the ranking.
    """

    systems: tuple[str, ...]  # best first, equal scores by name
    groups: tuple[tuple[str, ...], ...]  # each best first; ordered by their best members
    stretches: bool = False
    """Whether there were too many groups, and these are stretches of the ranking instead: no two
    systems of one are different, but of two that share none it is not said that they are"""

    @property
    def skipped(self) -> tuple[tuple[str, ...], ...]:
        """For each group, the systems ranked between its best and its worst but not in it."""
        rank = {system: position for position, system in enumerate(self.systems)}
        return tuple(
            tuple(
                system
                for system in self.systems[rank[group[0]] : rank[group[-1]]]
                if system not in group
            )
            for group in self.groups
        )


def groups(
    scores: Mapping[str, float],
    different: Callable[[str, str], bool] | Set[frozenset[str]] | NDArray[np.bool_],
    higher_is_better: bool = True,
) -> Groups:
    """Return the maximal sets of systems that are pairwise not different.

    `different` is a set of pairs, a function that is called once for each pair, the better system
    first, or a matrix of systems in the order of `scores`.

    >>> scores = {"MDC": 24.33, "Paramax": 29.03, "SRA": 29.33}
    >>> found = groups(scores, {frozenset(["MDC", "Paramax"])})
    >>> found.groups
    (('SRA', 'Paramax'), ('SRA', 'MDC'))
    >>> found.skipped
    ((), ('Paramax',))
    """
    if any(math.isnan(score) for score in scores.values()):
        raise UsageError("systems without a score cannot be ranked; leave them out of the groups")
    sign = -1 if higher_is_better else 1
    systems = tuple(sorted(scores, key=lambda system: (sign * scores[system], system)))
    if isinstance(different, np.ndarray):
        place = {system: position for position, system in enumerate(scores)}
        order = [place[system] for system in systems]
        neighbours = _as_bits(~different[np.ix_(order, order)])
    else:
        neighbours = _neighbours(systems, different)
    cliques = _maximal_cliques(neighbours, MOST_GROUPS)
    found = _stretches(neighbours) if cliques is None else cliques
    by_rank = sorted(tuple(_bits(members)) for members in found)
    return Groups(
        systems,
        tuple(tuple(systems[position] for position in group) for group in by_rank),
        stretches=cliques is None,
    )


def letters(groups: Groups, minimal: bool = False) -> dict[str, str]:
    """Return the letters of each system's groups, a for the best group; after z come aa, ab, ….

    Systems share a letter exactly when they are not different. `minimal` leaves groups out whose
    every pair is together in another group, for fewer letters that say the same. Where there are
    letters of two characters, a space separates letters.

    >>> letters(Groups(("SRA", "Paramax", "MDC"), (("SRA", "Paramax"), ("SRA", "MDC"))))
    {'SRA': 'ab', 'Paramax': 'a', 'MDC': 'b'}
    """
    shown = _without_covered(groups.groups) if minimal else list(groups.groups)
    own: dict[str, list[str]] = {system: [] for system in groups.systems}
    for number, group in enumerate(shown):
        for system in group:
            own[system].append(_letter(number))
    separator = "" if len(shown) <= len(ascii_lowercase) else " "
    return {system: separator.join(names) for system, names in own.items()}


def _neighbours(
    systems: tuple[str, ...], different: Callable[[str, str], bool] | Set[frozenset[str]]
) -> list[int]:
    """Return, for each rank, the ranks that are not different from it, as bits of an integer."""
    if isinstance(different, Set):
        for pair in different:
            if len(pair) != 2 or not pair <= set(systems):
                raise UsageError(
                    f"a pair of different systems must name two of those with scores, "
                    f"not {sorted(pair)}"
                )
    neighbours = [0] * len(systems)
    for (i, better), (j, worse) in combinations(enumerate(systems), 2):
        if isinstance(different, Set):
            differs = frozenset((better, worse)) in different
        else:
            differs = different(better, worse)
        if not differs:
            neighbours[i] |= 1 << j
            neighbours[j] |= 1 << i
    return neighbours


def _as_bits(alike: NDArray[np.bool_]) -> list[int]:
    """Return the rows of a matrix as bits of integers, without the diagonal."""
    np.fill_diagonal(alike, False)
    packed = np.packbits(alike, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def _maximal_cliques(neighbours: list[int], most: int) -> list[int] | None:
    """Return all maximal cliques (Bron and Kerbosch); None if there are more than `most`."""
    cliques: list[int] = []
    # (clique so far, vertices that may extend it, those whose cliques were already found); a
    # stack of our own, since a clique of a thousand systems is too deep for recursion.
    stack = [(0, (1 << len(neighbours)) - 1, 0)] if neighbours else []
    while stack:
        clique, open_, done = stack.pop()
        if not open_:
            if not done:
                cliques.append(clique)
                if len(cliques) > most:
                    return None
            continue
        # A maximal clique without the pivot has a vertex that is no neighbour of the pivot.
        pivot = max(_bits(open_ | done), key=lambda v: (neighbours[v] & open_).bit_count())
        for v in _bits(open_ & ~neighbours[pivot]):
            stack.append((clique | 1 << v, open_ & neighbours[v], done & neighbours[v]))
            open_ ^= 1 << v
            done |= 1 << v
    return cliques


def _stretches(neighbours: list[int]) -> list[int]:
    """Return the longest stretches of the ranking within which all are neighbours."""
    stretches: list[int] = []
    first = 0
    for last, near in enumerate(neighbours):
        start = first
        # The ranks from `first` to the one before, without those that are neighbours of this one.
        apart = ((1 << last) - 1) & ~((1 << first) - 1) & ~near
        first = max(first, apart.bit_length())
        if first > start:
            stretches.append((1 << last) - (1 << start))
    if neighbours:
        stretches.append((1 << len(neighbours)) - (1 << first))
    return stretches


def _bits(members: int) -> Iterator[int]:
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest


def _without_covered(groups: tuple[tuple[str, ...], ...]) -> list[tuple[str, ...]]:
    """Return the groups, the last first, but those whose every pair is in another group."""
    # A system counts as a pair with itself, so that one alone in its group keeps its letter.
    pairs = [set(combinations_with_replacement(group, 2)) for group in groups]
    together: dict[tuple[str, str], int] = {}
    for group_pairs in pairs:
        for pair in group_pairs:
            together[pair] = together.get(pair, 0) + 1
    kept = []
    for group, group_pairs in zip(reversed(groups), reversed(pairs), strict=True):
        if all(together[pair] > 1 for pair in group_pairs):
            for pair in group_pairs:
                together[pair] -= 1
        else:
            kept.append(group)
    return kept[::-1]


def _letter(number: int) -> str:
    """Return the letter of a group: a … z, aa, ab …, as columns of a spreadsheet."""
    name = ""
    while number >= 0:
        number, last = divmod(number, len(ascii_lowercase))
        name = ascii_lowercase[last] + name
        number -= 1
    return name
