"""A pair of systems as a pilot showed it, made to differ by more or by less.

Each pilot item speaks for one system or the other by some amount, its effect. A drawn item is
exchanged between the systems or not, with chances that depend on its effect, and items with large
effects are drawn more often as the difference grows: an exponential family, tilted to one system
(the least favourable one of DiCiccio and Romano 1990), that is symmetric at difference 0, and has
the pilot's own items, evenly weighted, at the pilot's own difference. All counts stay as they were
seen, so that it serves any metric of sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics import ItemFunction, Metric
from tellapart.metrics.projection import Bound, project
from tellapart.planning.populations import INDEPENDENT, Clustering, ItemModel
from tellapart.planning.power import Spread
from tellapart.significance.bootstrap_tests import scores

_TILTS = np.linspace(0.0, 8.0, 81)
_LARGEST_OWN_TILT = 3.0  # items this one-sided do not show how one-sided they could be
_EFFECTIVE = 0.25  # of the pilot's items must still count, or it says nothing


@dataclass(frozen=True, slots=True)
class _Tilted:
    """The spread of a pilot at each of some tilts, as far as the pilot can speak for them."""

    tilts: NDArray[np.float64]
    spreads: tuple[Spread, ...]

    @property
    def differences(self) -> list[float]:
        """The true difference at each tilt, ascending."""
        return [each.difference for each in self.spreads]

    def at(self, difference: float, name: str) -> float | None:
        """Return a field of the spread at a difference; None where a tilt does not have it."""
        column = [getattr(each, name) for each in self.spreads]
        if None in column:
            return None
        return float(np.interp(difference, self.differences, column))


@dataclass(frozen=True)
class Pilot:
    """Two systems on pilot items; `of` makes it from counts.

    >>> counts = Counts.from_arrays({"A": [1, 1, 1, 0, 1, 0, 1, 1], "B": [0, 0, 1, 0, 1, 1, 1, 1]})
    >>> pilot = Pilot.of(counts, "mean")
    >>> pilot.measured, round(pilot.spread(0.125).difference, 6), round(pilot.largest, 2)
    (0.125, 0.125, 1.0)
    """

    bound: Bound
    forms: NDArray[np.int64]  # forms × the two systems × items
    effects: NDArray[np.float64]  # how much each item speaks for the first system
    measured: float
    own_tilt: float
    """The tilt that gives the pilot's own difference"""
    clustering: Clustering = INDEPENDENT

    @classmethod
    def of(
        cls, counts: Counts, metric: str | Metric, clustering: Clustering = INDEPENDENT
    ) -> Pilot:
        """Return two systems on the items of counts as a pilot."""
        if counts.present is not None:
            raise UsageError("the systems have items of their own; a pilot needs the same for both")
        projection = project(counts, [metric])
        bound = projection.metrics[0]
        if isinstance(bound.metric, ItemFunction):
            raise UsageError(f"metric {bound.metric.name!r} is no function of sums: no plan for it")
        items = len(counts.items)
        first, second = (projection.forms[:, system, :].T for system in (0, 1))
        middle, half = (first.sum(axis=0) + second.sum(axis=0)) / 2, (first - second) / 2
        effects = items * (scores(bound, middle + half) - scores(bound, middle - half))
        if not effects.any():
            raise DataError(
                f"{counts.names[0]} and {counts.names[1]} do not differ on any pilot "
                f"{counts.kind} by {bound.metric.name}; a pilot must show how systems differ"
            )
        effects = effects / np.sqrt(np.mean(effects[effects != 0] ** 2))
        measured = float(projection.score(bound, 0)) - float(projection.score(bound, 1))
        return cls(bound, projection.forms, effects, measured, _own_tilt(effects), clustering)

    @property
    def largest(self) -> float:
        """The largest difference that the pilot can speak for."""
        return self._tilted.differences[-1]

    def spread(self, difference: float) -> Spread:
        """Return how clusters spread if that is the true difference."""
        known = self._tilted
        deviation, grain = (known.at(difference, name) or 0.0 for name in ("deviation", "grain"))
        wins, losses = (known.at(difference, name) for name in ("wins", "losses"))
        return Spread(difference, deviation, grain, wins, losses)

    def at(self, difference: float) -> ItemModel:
        """Return the items of the pilot, tilted so that the true difference is so much."""
        known = self._tilted
        place = int(
            np.clip(np.searchsorted(known.differences, difference), 1, len(known.tilts) - 1)
        )
        low, high = known.tilts[place - 1 : place + 1]
        for _ in range(40):
            middle = (low + high) / 2
            reached = abs(self._model(middle).difference) >= difference
            low, high = (low, middle) if reached else (middle, high)
        return self._model(high)

    def _model(self, tilt: float) -> ItemModel:
        """Return items, and items with their systems exchanged, weighted by a tilt."""
        x = self.effects
        logarithms = np.logaddexp(tilt * x, -tilt * x)
        logarithms -= np.logaddexp(self.own_tilt * x, -self.own_tilt * x)
        weights = np.exp(logarithms - logarithms.max())
        weights /= weights.sum()
        kept = 1 / (1 + np.exp(-2 * tilt * x))
        rates = np.concatenate([weights * kept, weights * (1 - kept)])
        forms = np.concatenate([self.forms, self.forms[:, ::-1, :]], axis=2)
        return ItemModel(self.bound, forms, rates, clustering=self.clustering, scale=len(x))

    @cached_property
    def _tilted(self) -> _Tilted:
        spreads: list[Spread] = []
        for tilt in _TILTS.tolist():
            model = self._model(tilt)
            spread = model.spread()
            both = model.rates.reshape(2, -1).sum(axis=0)
            few = 1 / float((both**2).sum()) < _EFFECTIVE * len(both)
            past = bool(spreads) and spread.difference <= spreads[-1].difference
            if (few and tilt > self.own_tilt) or past:
                break
            spreads.append(spread)
        return _Tilted(_TILTS[: len(spreads)], tuple(spreads))


def _own_tilt(effects: NDArray[np.float64]) -> float:
    """Return the tilt under which evenly weighted items have their own mean difference."""
    wanted, low, high = abs(float(effects.mean())), 0.0, _LARGEST_OWN_TILT
    for _ in range(60):
        middle = (low + high) / 2
        reached = float(np.mean(effects * np.tanh(middle * effects))) >= wanted
        low, high = (low, middle) if reached else (middle, high)
    return high
