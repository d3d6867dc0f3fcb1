"""Dependence of items: whether those of one label, or neighbours in a file, are more alike.

A coin for each item supposes that items do not depend on each other. Whether some do is seen in
what two systems' differences add up to over groups of items: more, where those of a group go the
same way, than over groups drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.item_notices import likely_clusters
from tellapart.counts import Counts
from tellapart.planning.calibration_record import ALIKE

FEWEST = 20
"""With fewer items nothing can be said about groups of them"""
_SIZES = (2, 3, 4, 6, 8, 12, 16, 24)
_GROUPS = 8  # fewer groups of a size tell nothing
_ORDERS, _PAIRS = 499, 40
_STREAM = 103


@dataclass(frozen=True, slots=True)
class SuspectedGroups:
    """Groups of items that may depend on each other, and the chance of groups this much alike."""

    groups: NDArray[np.intp]  # the group of each item
    label: str | None
    """The label that names them; None for neighbours"""
    size: int | None
    """How many neighbours a group has"""
    chance: float

    @property
    def alike(self) -> bool:
        """Whether they are more alike than chance makes them."""
        return self.chance <= ALIKE


def suspected_groups(
    counts: Counts, terms: NDArray[np.float64] | None, seed: int
) -> SuspectedGroups | None:
    """Return the groups that items most likely hang together in; None if there are too few items.

    `terms` has what each item does to each system's score (`diagnostics.error_terms`).

    >>> rng = np.random.default_rng(0)
    >>> documents = np.repeat(rng.normal(size=(2, 40)), 6, axis=1)
    >>> items = Counts.from_arrays({"A": documents[0], "B": documents[1]})
    >>> found = suspected_groups(items, documents, seed=0)
    >>> found.size, found.alike
    (6, True)
    """
    if terms is None or terms.shape[1] < FEWEST or terms.shape[0] < 2:
        return None
    apart = _differences(terms)
    candidates = list(_candidates(counts, apart.shape[1]))
    sequence = np.random.SeedSequence(seed, spawn_key=(_STREAM,))
    generator = np.random.Generator(np.random.SFC64(sequence))
    orders = generator.permuted(np.tile(np.arange(apart.shape[1]), (_ORDERS, 1)), axis=1)
    measured = np.array([_unevenness(apart, groups).mean() for _, groups in candidates])
    drawn = np.zeros((_ORDERS, len(candidates)))
    for row in apart:
        mixed = row[orders]
        drawn += np.stack([_unevenness(mixed, groups) for _, groups in candidates], axis=1)
    drawn /= len(apart)
    spread = np.maximum(drawn.std(axis=0), 1e-12)
    above, chance = (measured - drawn.mean(axis=0)) / spread, (drawn - drawn.mean(axis=0)) / spread
    most = int(above.argmax())
    reached = int(np.count_nonzero(chance.max(axis=1) >= above[most] - 1e-9))
    label, groups = candidates[most]
    size = None if label is not None else int(np.bincount(groups)[0])
    return SuspectedGroups(groups, label, size, (reached + 1) / (_ORDERS + 1))


def _differences(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return pairs × items: differences of the first pairs of systems, each of the same weight."""
    systems = range(len(terms))
    pairs = [(a, b) for a in systems for b in range(a + 1, len(terms))][:_PAIRS]
    apart = np.stack([terms[a] - terms[b] for a, b in pairs])
    apart = apart - apart.mean(axis=1, keepdims=True)
    return np.asarray(apart / np.maximum(np.sqrt((apart**2).sum(axis=1, keepdims=True)), 1e-300))


def _candidates(counts: Counts, items: int) -> Iterator[tuple[str | None, NDArray[np.intp]]]:
    """Yield groups to try: those of a label that looks like one, or else neighbours."""
    found = likely_clusters(counts)
    if found is not None and found.label is not None:
        names = counts.labels[found.label]
        places = {name: k for k, name in enumerate(dict.fromkeys(names))}
        yield found.label, np.array([places[name] for name in names], np.intp)
        return
    for size in _SIZES:
        if items // size >= _GROUPS:
            yield None, np.arange(items, dtype=np.intp) // size


def _unevenness(apart: NDArray[np.float64], groups: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the squares of what groups add up to, row by row; about 1 if independent."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.asarray((np.add.reduceat(apart[:, order], starts, axis=1) ** 2).sum(axis=1))
