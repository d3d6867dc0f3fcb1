"""A pair of systems as a pilot showed it, made to differ by more or by less.

Each pilot item speaks for one system or the other by some amount. A drawn item is exchanged between
the systems or not, with chances that depend on that amount, and items that say much are drawn more
often as the difference grows: an exponential family (the least favourable one of DiCiccio and
Romano 1990) that is symmetric at difference 0, and has the pilot's own items, evenly weighted, at
the pilot's own difference. All counts stay as they were seen, so that it serves any metric of sums.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics import ItemFunction, Metric
from tellapart.metrics.projection import Bound, project
from tellapart.planning.atoms import ALONE, Atoms, Clusters
from tellapart.planning.power import Spread
from tellapart.significance.bootstrap import scores

_STRENGTHS = np.linspace(0.0, 8.0, 81)
_OWN = 3.0  # items this one-sided say no more about how one-sided they could be
_EFFECTIVE = 0.25  # of the pilot's items must still count, or the pilot says nothing


@dataclass(frozen=True, slots=True)
class Pilot:
    """Two systems on pilot items; `of` makes it from counts.

    >>> counts = Counts.from_arrays({"A": [1, 1, 1, 0, 1, 0, 1, 1], "B": [0, 0, 1, 0, 1, 1, 1, 1]})
    >>> pilot = Pilot.of(counts, "mean")
    >>> pilot.measured, round(pilot.spread(0.125).difference, 6), round(pilot.largest, 2)
    (0.125, 0.125, 1.0)
    """

    bound: Bound
    forms: NDArray[np.int64]  # forms × the two systems × items
    says: NDArray[np.float64]  # how much each item speaks for the first system
    measured: float
    own: float
    """The strength of the tilt that gives the pilot's own difference"""
    clusters: Clusters = ALONE
    _table: dict[str, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, counts: Counts, metric: str | Metric, clusters: Clusters = ALONE) -> Pilot:
        """Take two systems as a pilot."""
        if counts.present is not None:
            raise UsageError("the systems have items of their own; a pilot needs the same for both")
        projection = project(counts, [metric])
        bound = projection.metrics[0]
        if isinstance(bound.metric, ItemFunction):
            raise UsageError(f"metric {bound.metric.name!r} is no function of sums: no plan for it")
        items = len(counts.items)
        first, second = (projection.forms[:, system, :].T for system in (0, 1))
        middle, half = (first.sum(axis=0) + second.sum(axis=0)) / 2, (first - second) / 2
        says = items * (scores(bound, middle + half) - scores(bound, middle - half))
        if not says.any():
            raise DataError(
                f"{counts.names[0]} and {counts.names[1]} do not differ on any pilot "
                f"{counts.kind} by {bound.metric.name}; a pilot must show how systems differ"
            )
        says = says / np.sqrt(np.mean(says[says != 0] ** 2))
        measured = float(projection.score(bound, 0)) - float(projection.score(bound, 1))
        return cls(bound, projection.forms, says, measured, _own_strength(says), clusters)

    @property
    def largest(self) -> float:
        """The largest difference that the pilot can speak for."""
        return float(self._tabulated()["difference"][-1])

    def spread(self, difference: float) -> Spread:
        """Tell how items spread if that is the true difference."""
        table = self._tabulated()
        found = {
            name: None if np.isnan(column).any() else float(
                np.interp(difference, table["difference"], column)
            )
            for name, column in table.items()
        }  # fmt: skip
        deviation, grain = found["deviation"] or 0.0, found["grain"] or 0.0
        return Spread(difference, deviation, grain, found["wins"], found["losses"])

    def at(self, difference: float) -> Atoms:
        """Tilt the pilot so that the true difference is so much."""
        table = self._tabulated()
        last = len(table["strength"]) - 1
        place = int(np.clip(np.searchsorted(table["difference"], difference), 1, last))
        low, high = table["strength"][place - 1 : place + 1]
        for _ in range(40):
            middle = (low + high) / 2
            reached = abs(self._atoms(middle).difference) >= difference
            low, high = (low, middle) if reached else (middle, high)
        return self._atoms(high)

    def _atoms(self, strength: float) -> Atoms:
        """Weight items, and items with their systems exchanged, by the strength of a tilt."""
        x = self.says
        logarithms = np.logaddexp(strength * x, -strength * x)
        logarithms -= np.logaddexp(self.own * x, -self.own * x)
        weights = np.exp(logarithms - logarithms.max())
        weights /= weights.sum()
        kept = 1 / (1 + np.exp(-2 * strength * x))
        rates = np.concatenate([weights * kept, weights * (1 - kept)])
        forms = np.concatenate([self.forms, self.forms[:, ::-1, :]], axis=2)
        return Atoms(self.bound, forms, rates, clusters=self.clusters, scale=len(x))

    def _tabulated(self) -> dict[str, NDArray[np.float64]]:
        """Work out the spread at many strengths, once."""
        if not self._table:
            rows: list[tuple[float, ...]] = []
            for strength in _STRENGTHS.tolist():
                atoms = self._atoms(strength)
                spread = atoms.spread()
                both = atoms.rates.reshape(2, -1).sum(axis=0)
                few = 1 / float((both**2).sum()) < _EFFECTIVE * len(both)
                past = bool(rows) and spread.difference <= rows[-1][1]
                if (few and strength > self.own) or past:
                    break
                shares = (np.nan if s is None else s for s in (spread.wins, spread.losses))
                rows.append((strength, spread.difference, spread.deviation, spread.grain, *shares))
            names = ("strength", "difference", "deviation", "grain", "wins", "losses")
            self._table.update(zip(names, np.array(rows).T, strict=True))
        return self._table


def _own_strength(says: NDArray[np.float64]) -> float:
    """Find the tilt under which evenly weighted items have their own mean difference."""
    wanted, low, high = abs(float(says.mean())), 0.0, _OWN
    for _ in range(60):
        middle = (low + high) / 2
        reached = float(np.mean(says * np.tanh(middle * says))) >= wanted
        low, high = (low, middle) if reached else (middle, high)
    return high
