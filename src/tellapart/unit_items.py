"""The units on which two systems differ most, with their scores and texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.contributions import contributions
from tellapart.counts import Counts
from tellapart.details import ItemDifference, UnitTexts
from tellapart.items import Items
from tellapart.projection import Bound, Projection
from tellapart.significance.diagnostics import unit_scores, units_apart

SHOWN = 500
"""The most units that are shown for one pair and metric: those that differ most, both ways"""


@dataclass(frozen=True, slots=True)
class Differing:
    """The units on which one pair differs, those that contribute most first."""

    units: NDArray[np.int64]
    """Positions of the units that are shown"""
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    contribution: NDArray[np.float64]
    apart: NDArray[np.float64]
    """First minus second, with the exact sign where the metric is a ratio"""
    in_all: int

    def items(self, place: NDArray[np.int64]) -> tuple[ItemDifference, ...]:
        """Give the units by their new places among those that any pair shows."""
        rows = zip(
            place[self.units].tolist(),
            self.a.tolist(),
            self.b.tolist(),
            (self.a - self.b).tolist(),
            self.contribution.tolist(),
            strict=True,
        )
        return tuple(ItemDifference(*row) for row in rows)


_EMPTY = np.empty(0)
_NONE = Differing(np.empty(0, np.int64), _EMPTY, _EMPTY, _EMPTY, _EMPTY, 0)


class UnitScores:
    """The scores of single units under one metric, for all systems."""

    def __init__(self, projection: Projection, bound: Bound) -> None:
        self._projection, self._bound = projection, bound
        self._alone = unit_scores(projection, bound)  # systems × units

    @property
    def known(self) -> bool:
        """Whether single units have scores by this metric."""
        return self._alone is not None

    def differing(self, a: int, b: int, most: int | None = SHOWN) -> Differing:
        """Find the units whose scores differ between two systems, and pick those to be shown."""
        parts = contributions(self._projection, self._bound, a, b)
        if self._alone is None or parts is None:
            return _NONE
        apart = units_apart(self._projection, self._bound, a, b, self._alone)
        differ = np.flatnonzero(apart)
        shown = _both_ways(differ, parts, apart, len(differ) if most is None else most)
        scores = self._alone[:, shown]
        return Differing(shown, scores[a], scores[b], parts[shown], apart[shown], len(differ))


def _both_ways(
    differ: NDArray[np.int64], parts: NDArray[np.float64], apart: NDArray[np.float64], most: int
) -> NDArray[np.int64]:
    """Pick the units that contribute most, half of them from each side where both have as many."""
    ordered = differ[np.argsort(-np.abs(parts[differ]), kind="stable")]
    if len(ordered) <= most:
        return ordered
    first, second = ordered[apart[ordered] > 0], ordered[apart[ordered] < 0]
    half = most // 2
    room = most - min(len(second), half), most - min(len(first), half)
    kept = np.zeros(len(parts), np.bool_)
    kept[first[: room[0]]] = kept[second[: room[1]]] = True
    return np.asarray(ordered[kept[ordered]])


def shown_places(found: Iterable[Differing], units: int) -> NDArray[np.int64]:
    """Return the number of each unit that any pair shows, in order; -1 for all others."""
    shown = np.zeros(units, np.bool_)
    for each in found:
        shown[each.units] = True
    place = np.full(units, -1, np.int64)
    place[shown] = np.arange(int(shown.sum()))
    return place


def unit_texts(counts: Counts, place: NDArray[np.int64]) -> tuple[UnitTexts, ...]:
    """Collect names, texts and labels of the units that are shown."""
    return tuple(unit_text(counts, u) for u in np.flatnonzero(place >= 0).tolist())


def unit_text(counts: Counts, unit: int) -> UnitTexts:
    """Collect name, texts and labels of one unit."""
    items = counts.items or Items()
    outputs = [items.outputs.get(name, ()) for name in counts.names] if items.outputs else []
    return UnitTexts(
        counts.units[unit],
        _at(items.inputs, unit),
        _at(items.golds, unit),
        tuple(_at(texts, unit) for texts in outputs),
        tuple((label, values[unit]) for label, values in counts.labels.items() if values[unit]),
    )


def _at(texts: Sequence[str], unit: int) -> str:
    return texts[unit] if texts else ""
