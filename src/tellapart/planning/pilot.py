"""A pair of systems as a pilot showed it, made to differ by more or by less.

The pilot's items say how much items vary, as they do for a report
(`tellapart.significance.observed_spread`): a plan for as many items tells what the report on them
does. Test sets are drawn from the pilot: items that are won, lost or tied with chances that make
the wanted difference; other items as they were seen, moved by as much as the difference asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics import ItemFunction, Metric
from tellapart.metrics.projection import project
from tellapart.planning.populations import INDEPENDENT, Clustering, ItemModel, answer_forms
from tellapart.significance.diagnostics import ItemAnalysis
from tellapart.significance.observed_spread import ObservedPair, observed_pairs
from tellapart.significance.power import Spread

_GRID = 1000  # steps of a standard deviation to which drawn items are rounded


@dataclass(frozen=True, slots=True)
class Pilot:
    """Two systems on pilot items; `of` makes it from counts.

    >>> counts = Counts.from_arrays({"A": [1, 1, 1, 0, 1, 0, 1, 1], "B": [0, 0, 1, 0, 1, 1, 1, 1]})
    >>> pilot = Pilot.of(counts, "mean")
    >>> pilot.measured, pilot.largest, pilot.spread(0.125).wins
    (0.125, 0.375, 0.25)
    """

    metric: str
    observed: ObservedPair
    contributions: NDArray[np.float64]
    """What each item adds to the difference, less the mean of all"""
    measured: float
    clustering: Clustering = INDEPENDENT

    @classmethod
    def of(
        cls,
        counts: Counts,
        metric: str | Metric,
        clustering: Clustering = INDEPENDENT,
        pair: tuple[str, str] | None = None,
    ) -> Pilot:
        """Return two systems on the items of counts as a pilot: the first two if none are named.

        Other systems help to tell how much items vary.
        """
        if counts.present is not None:
            raise UsageError("the systems have items of their own; a pilot needs the same for both")
        projection = project(counts, [metric])
        bound, names = projection.metrics[0], counts.names
        if isinstance(bound.metric, ItemFunction):
            raise UsageError(f"metric {bound.metric.name!r} is no function of sums: no plan for it")
        first, second = sorted(map(names.index, pair or names[:2]))
        terms = ItemAnalysis.of(projection, bound).terms
        pairs = [(a, b) for a in range(len(names)) for b in range(a + 1, len(names))]
        observed = observed_pairs(projection, bound, terms, pairs)[pairs.index((first, second))]
        if observed is None or terms is None or not observed.differing:
            raise DataError(
                f"{names[first]} and {names[second]} do not differ on any pilot {counts.kind} by "
                f"{bound.metric.name}; a pilot must show how systems differ"
            )
        scores = [float(projection.score(bound, system)) for system in (first, second)]
        apart = terms[first] - terms[second]
        return cls(bound.metric.name, observed, apart, scores[0] - scores[1], clustering)

    @property
    def largest(self) -> float:
        """The largest difference that the pilot can speak for."""
        return self.observed.largest

    def spread(self, difference: float) -> Spread:
        """Return how clusters spread if that is the true difference."""
        found, size = self.observed.spread(difference), self.clustering.size
        if self.clustering is INDEPENDENT:
            return found
        deviation = found.deviation * (self.clustering.design_effect / size) ** 0.5
        if self.clustering.icc == 1:  # a cluster is one item, many times
            return replace(found, deviation=deviation)
        return replace(found, deviation=deviation, grain=found.grain / size, wins=None, losses=None)

    def without_steps(self, difference: float, clusters: int) -> float:
        """Return a difference less what it costs that sums move in steps, as moved ones do not."""
        found = self.spread(difference)
        return difference if found.wins is not None else difference - found.grain / clusters

    def at(self, difference: float) -> ItemModel:
        """Return the items of the pilot, moved so that the true difference is so much."""
        bound, forms = answer_forms()
        own = self.observed.spread(difference)
        if own.wins is not None and own.losses is not None:
            rates = np.array([1 - own.wins - own.losses, own.wins, own.losses, 0.0])
            return ItemModel(bound, forms, np.clip(rates, 0.0, 1.0), clustering=self.clustering)
        # As the formulas have it: the same deviation around any difference.
        scale = np.sqrt(np.mean(self.contributions**2))
        moved = self.contributions / scale + difference / own.deviation
        items = len(moved)
        numerators = np.stack([np.rint(_GRID * moved), np.zeros(items)]).astype(np.int64)
        drawn = np.empty((len(forms), 2, items), np.int64)
        drawn[bound.numerator], drawn[bound.denominator] = numerators, 1
        return ItemModel(bound, drawn, np.full(items, 1 / items), clustering=self.clustering)
