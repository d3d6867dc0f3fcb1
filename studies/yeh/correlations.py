"""Sections 2.1 and 4 asked of the pairs at hand: r12 of MUC-4's systems, by kind of slot, too.

Yeh's r12 is the correlation of two methods' hits over the relations to be found. Here an item is a
message (or, with raw files, a slot of a template), and what a system adds to its recall there is
its credit less recall times what was possible: with one relation an item, that is a hit less its
mean. Neighbours are items that follow each other; in section 4's words, they depend on each other
if what a pair of systems differs by is correlated from one to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studies.muc4.raw_files import read_results
from studies.yeh.independent import inflation
from tellapart.counts import Counts
from tellapart.formats.templates.design import load_design

UNLIKELY_Z: Final = 1.96
"""Beyond so many standard errors neighbours are called dependent"""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Correlations:
    """What all pairs of systems have in common on one set of items."""

    items: str
    number: int
    r12: tuple[float, ...]
    """Of each pair"""
    inflations: tuple[float, ...]
    """How much independence overstates the standard deviation of each pair's difference"""
    neighbours: tuple[float, ...]
    """Of each pair, the correlation of an item's difference with the next one's"""

    @property
    def positive(self) -> int:
        """How many pairs are positively correlated."""
        return sum(r > 0 for r in self.r12)

    @property
    def dependent(self) -> int:
        """How many pairs have neighbours that go together more than chance makes them."""
        return sum(r > UNLIKELY_Z / self.number**0.5 for r in self.neighbours)


def correlations(items: str, counts: Counts) -> Correlations:
    """Return how the recall of all pairs of systems is correlated, in the order of the items."""
    possible = counts.column("pos").astype(np.float64)
    credit = counts.column("cor") + counts.column("par") / 2
    filled = possible.max(axis=0) > 0
    terms = recall_terms(credit[:, filled], possible[:, filled])
    moving = terms[terms.std(axis=1) > 0]
    pairs = list(combinations(moving, 2))
    r12 = [correlation(a, b) for a, b in pairs]
    return Correlations(
        items,
        int(filled.sum()),
        tuple(r12),
        tuple(inflation(r, a.std(), b.std()) for r, (a, b) in zip(r12, pairs, strict=True)),
        tuple(correlation((a - b)[:-1], (a - b)[1:]) for a, b in pairs),
    )


def recall_terms(credit: Floats, possible: Floats) -> Floats:
    """Return what each item adds to the recall of each system, round 0.

    >>> recall_terms(np.array([[1.0, 0.0, 2.0]]), np.array([[1.0, 1.0, 2.0]])).tolist()
    [[0.0625, -0.1875, 0.125]]
    """
    total = possible.sum(axis=1, keepdims=True)
    recall = credit.sum(axis=1, keepdims=True) / total
    return np.asarray((credit - recall * possible) / total)


def correlation(a: Floats, b: Floats) -> float:
    """Return the correlation of two rows; 0 where one does not vary."""
    spread = a.std() * b.std()
    return float(((a - a.mean()) * (b - b.mean())).mean() / spread) if spread else 0.0


def at_hand(folder: str | None) -> tuple[Correlations, ...]:
    """Return the correlations of messages, and with raw files of slots, by kind of slot, too."""
    results = read_results(folder)
    found = [correlations("messages", results.counts)]
    slots = results.observations.get("slot")
    if slots is not None:
        kinds = {slot.name: slot.kind for slot in load_design().slots}
        own = np.array([kinds[item.rsplit("/", 1)[-1]] for item in slots.items])
        found.append(correlations("slots", slots))
        found += [
            correlations(f"{kind} slots", slots.keep(np.flatnonzero(own == kind)))
            for kind in dict.fromkeys(own.tolist())
        ]
    return tuple(found)
