"""Many comparisons: corrected p-values, what each p is held against, and groups of systems.

Groups are of systems that are not shown to differ; letters stand for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats.result import Floats, Ints, Test, probability, sample

METHODS = "none", "bonferroni", "holm", "bh"


def adjust(p: ArrayLike, method: str) -> Floats:
    """Return the adjusted p-values of one family, in the order given.

    Args:
        p: the p-values, above 0 and up to 1.
        method: ``none``, ``bonferroni``, ``holm`` (never larger than Bonferroni's), or ``bh``, the
            false discovery rate of Benjamini and Hochberg (1995).

    >>> adjust([0.01, 0.04, 0.02], "holm")
    array([0.03, 0.04, 0.04])

    """
    values = np.asarray(p, np.float64)
    if values.ndim != 1 or not ((values > 0) & (values <= 1)).all():  # also false for NaN
        raise UsageError("p must hold the p-values of one family, above 0 and up to 1")
    order = np.argsort(values, kind="stable")
    ascending, k = values[order], values.size
    ranks = np.arange(1, k + 1)
    if _known(method) == "none":
        stepped = ascending
    elif method == "bonferroni":
        stepped = k * ascending
    elif method == "holm":
        stepped = np.maximum.accumulate((k - ranks + 1) * ascending)
    else:
        stepped = np.minimum.accumulate((k / ranks * ascending)[::-1])[::-1]
    adjusted = np.empty_like(values)
    adjusted[order] = np.clip(stepped, ascending, 1.0)  # rounding must not bring it below the raw p
    return adjusted


def holm(p: ArrayLike) -> Floats:
    """Return the p-values of one family adjusted by Holm's correction.

    Args:
        p: the p-values, above 0 and up to 1.

    >>> holm([0.01, 0.04, 0.02])
    array([0.03, 0.04, 0.04])

    """
    return adjust(p, "holm")


def implied_levels(p: ArrayLike, method: str, alpha: float) -> Floats:
    """Return the level at which a correction compares each p-value, families along the last axis.

    >>> implied_levels([0.04, 0.01, 0.2], "holm", 0.06)
    array([0.03, 0.02, 0.06])
    """
    values = np.asarray(p, np.float64)
    k = values.shape[-1]
    ranks = values.argsort(axis=-1, kind="stable").argsort(axis=-1) + 1
    if _known(method) == "holm":
        return np.asarray(alpha / (k - ranks + 1))
    if method == "bh":
        return np.asarray(alpha * ranks / k)
    return np.full(values.shape, alpha / k if method == "bonferroni" else alpha)


def levels_at_stake(
    estimates: Floats, known: Floats, method: str, alpha: float, family_size: int
) -> Floats:
    """Return the levels on which each decision may hang: … × tests × levels.

    Holm compares the i-th smallest p of k with alpha / (k - i + 1). What counts are the levels of
    the rank that a test has so far and of the ranks beside it, among those known already.
    """
    if method != "holm":
        level = implied_levels(np.ones(family_size), method, alpha)[0]
        return np.full((*estimates.shape, 1), level)
    before = np.searchsorted(np.sort(known), estimates)
    order = np.argsort(estimates, axis=-1, kind="stable")
    rank = np.empty(estimates.shape, np.int64)
    np.put_along_axis(rank, order, np.arange(estimates.shape[-1]), axis=-1)
    rank += 1 + before
    near = np.clip(rank[..., None] + np.arange(-1, 2), 1, family_size)
    return np.asarray(alpha / (family_size - near + 1))


def simultaneous_error(method: str, alpha: float, k: int) -> float | None:
    """Return how often each of k intervals may miss, so that all hold at once at 1 - alpha.

    None for corrections that promise nothing about all pairs at once.

    >>> simultaneous_error("holm", 0.05, 10), simultaneous_error("bh", 0.05, 10)
    (0.005, None)
    """
    return alpha / k if _known(method) in ("bonferroni", "holm") else None


def least_shuffles(k: int, alpha: float) -> int:
    """Return the least shuffles with which p can pass Bonferroni's correction for k comparisons.

    >>> least_shuffles(136, 0.05)
    2719
    """
    probability(alpha, "a level")
    if k != int(k) or k < 1:
        raise UsageError(f"there must be at least 1 comparison, not {k}")
    shuffles = max(1, math.ceil(k / alpha) - 2)
    while k / (shuffles + 1) > alpha:  # at most twice: the quotient above is rounded
        shuffles += 1
    return shuffles


def confidences(tests: Sequence[Test], levels: Floats) -> list[float | None]:
    """Return how sure it is that each exact test rejects at its level; None where unknown."""
    found: list[float | None] = [None] * len(tests)
    for k, (test, level) in enumerate(zip(tests, levels.tolist(), strict=True)):
        certain = test.exact or test.method == "rounded"
        if test.p is not None and certain and not test.p - test.error <= level < test.p:
            found[k] = float(test.p <= level)
    shuffled, reached, drawn = _shuffled(tests)
    if shuffled:
        from tellapart.stats.shuffles import confidence  # only where p was drawn

        sure = confidence(reached, drawn, levels[shuffled]).tolist()
        for k, own in zip(shuffled, sure, strict=True):
            found[k] = own
    return found


def _shuffled(tests: Sequence[Test]) -> tuple[list[int], Ints, Ints]:
    """Return which tests were made by shuffles, how many of these counted, of how many."""
    numbers = [k for k, test in enumerate(tests) if test.method == "shuffles"]
    counts = [(tests[k].exceedances or 0, tests[k].n_resamples or 1) for k in numbers]
    reached, drawn = np.array(counts, np.int64).reshape(-1, 2).T
    return numbers, reached, drawn


def p_intervals(tests: Sequence[Test]) -> dict[int, tuple[float, float]]:
    """Return both ends of the exact p of those tests that were made by shuffles."""
    shuffled, reached, drawn = _shuffled(tests)
    if not shuffled:
        return {}
    from tellapart.stats.shuffles import p_interval

    ends = np.stack(p_interval(reached, drawn), axis=1).tolist()
    return {k: (low, high) for k, (low, high) in zip(shuffled, ends, strict=True)}


def is_settled(test: Test, level: float, ends: tuple[float, float] | None) -> bool | None:
    """Return whether it is clear on which side of its level p is; None where that is not asked."""
    if test.p is None:
        return None
    if test.exact and test.error:
        return not test.p - test.error <= level < test.p
    if test.method == "shuffles" and test.settled is None:
        return None if ends is None else not ends[0] <= level < ends[1]
    return test.settled


def _known(method: str) -> str:
    if method not in METHODS:
        raise UsageError(f"there is no correction {method!r}; there are {', '.join(METHODS)}")
    return method


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
            names[system].append(letter(number))
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


def letter(number: int) -> str:
    """Return the letter of a group: a … z, aa, ab …, as columns of a spreadsheet."""
    name = ""
    while number >= 0:
        number, last = divmod(number, len(ascii_lowercase))
        name = ascii_lowercase[last] + name
        number -= 1
    return name
