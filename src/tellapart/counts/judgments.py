"""`Judgments`: which of two outputs was preferred, prompt by prompt, as one array per part."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Rates: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """Judgments of two systems side by side; the arrays have one entry for each.

    >>> seen = Judgments(("A", "B"), np.array([0, 0]), np.array([0, 1]), np.array([1, 0]),
    ...                  np.array([1.0, 0.5]), ordered=True)
    >>> seen.of_pairs().points.tolist()
    [0.75]
    """

    names: tuple[str, ...]
    """All systems that were judged, also a reference that is not itself compared"""
    items: NDArray[np.int64]
    """The prompt, by its position among the items of the counts"""
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    """The two systems by their positions among `names`, in the order in which they were shown"""
    points: NDArray[np.float64]
    """Of the first: 1 if it was preferred, 1/2 for a tie, 0 if the second was; or between"""
    ordered: bool
    """Whether it is known which of the two the judge saw first"""
    reference: str | None = None
    """The system that all others were held against, where it is not itself compared"""
    agreement: bool = False
    """Whether a win counts only if it holds in both orders, as MT-bench counts; else a tie"""
    lengths: NDArray[np.float64] | None = None
    """Judgments × 2: how many characters the two outputs had, where that is known; else NaN"""

    def __len__(self) -> int:
        return len(self.items)

    def kept(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Judgments:
        """Return some of the judgments."""
        lengths = None if self.lengths is None else self.lengths[rows]
        return replace(
            self,
            items=self.items[rows],
            first=self.first[rows],
            second=self.second[rows],
            points=self.points[rows],
            lengths=lengths,
        )

    def of_items(self, items: NDArray[np.intp], n_items: int) -> Judgments:
        """Return the judgments of some of `n_items` prompts, which get the places 0, 1, … ."""
        places = np.full(n_items, -1)
        places[items] = np.arange(len(items))
        found = self.kept(places[self.items] >= 0)
        return replace(found, items=places[found.items])

    def of_systems(self, names: Collection[str]) -> Judgments:
        """Return the judgments between some systems, or of them and the reference."""
        wanted = np.array([name in names or name == self.reference for name in self.names])
        return self.kept(wanted[self.first] & wanted[self.second])

    def rates(self, names: Sequence[str], n_items: int) -> tuple[Rates, NDArray[np.bool_]]:
        """Return each system's share of points on each prompt, and where it was judged at all.

        Both are systems × items; the share is over all that it was held against there.
        """
        pairs = self.of_pairs()
        points = np.zeros((len(self.names), n_items))
        games = np.zeros((len(self.names), n_items))
        for systems, won in ((pairs.a, pairs.points), (pairs.b, 1 - pairs.points)):
            np.add.at(points, (systems, pairs.items), won)
            np.add.at(games, (systems, pairs.items), 1)
        found = np.divide(points, games, out=np.zeros_like(points), where=games > 0)
        rows = [self.names.index(name) for name in names]
        rounded: Rates = np.asarray(np.round(found, 12), np.float64)
        return rounded[rows], (games > 0)[rows]

    def of_pairs(self) -> PairPoints:
        """Return one entry for each prompt and pair: both orders weigh alike, however often seen.

        So a judge's liking for the first place cancels where both orders are there.
        """
        a, b = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        points = np.where(self.first == a, self.points, 1 - self.points)
        size = len(self.names)
        keys = (self.items * size + a) * size + b
        cells, inverse = np.unique(keys, return_inverse=True)
        swapped = (self.first != a).astype(np.int64)
        # cells × orders
        counts = np.bincount(2 * inverse + swapped, minlength=2 * len(cells)).reshape(-1, 2)
        totals = np.bincount(2 * inverse + swapped, points, 2 * len(cells)).reshape(-1, 2)
        seen = counts > 0
        means = np.divide(totals, counts, out=np.zeros(totals.shape), where=seen)
        found = means.sum(axis=1) / seen.sum(axis=1)
        if self.agreement:
            lowest = np.where(seen, means, 1).min(axis=1)
            highest = np.where(seen, means, 0).max(axis=1)
            found = np.where(lowest > 0.5, 1.0, np.where(highest < 0.5, 0.0, 0.5))
        pairs, items = cells % (size * size), cells // (size * size)
        # Thirds and the like: what adds to 1 shall do so on the grid of counts, too.
        both = seen[:, 0] & seen[:, 1]
        return PairPoints(items, pairs // size, pairs % size, np.round(found, 12), both)


@dataclass(frozen=True, slots=True, eq=False)
class PairPoints:
    """What the first of two systems scored against the second on a prompt, position removed."""

    items: NDArray[np.int64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    points: NDArray[np.float64]
    """Of a, between 0 and 1"""
    both_orders: NDArray[np.bool_]

    def of(self, a: int, b: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the prompts on which two systems met, and the points of a on them."""
        low, high = min(a, b), max(a, b)
        rows = (self.a == low) & (self.b == high)
        points = self.points[rows]
        return self.items[rows], points if a == low else 1 - points
