"""What items are made of, and test sets drawn from it.

An item is made of atoms: an answer right for both systems, for one, for neither; a gold thing that
both find; a spurious one; a whole item of a pilot. Atoms are seen through a metric like any counts,
so that the score of a population, the spread of its items and the test sets drawn from it all come
from the same place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics.projection import Bound, BoundRatio
from tellapart.planning.power import Spread
from tellapart.significance.bootstrap import scores

_STEP = 1e-4  # of an item, for derivatives


@dataclass(frozen=True, slots=True)
class Clusters:
    """Items that come in clusters of equal size and are alike within one.

    An item repeats what its cluster is like with a chance of √icc, so that two items of a cluster
    are correlated by icc in whatever is measured on them.
    """

    size: int = 1
    icc: float = 0.0

    @property
    def design_effect(self) -> float:
        """How many items of this kind are worth one independent item."""
        return 1 + (self.size - 1) * self.icc


ALONE: Final = Clusters()


@dataclass(frozen=True, slots=True)
class Atoms:
    """What items are made of, and how often each atom comes."""

    bound: Bound
    forms: NDArray[np.int64]  # forms × the two systems × atoms
    rates: NDArray[np.float64]  # how many of each atom an item has, on average
    poisson: bool = False
    """Whether an item has any number of each atom; otherwise it is exactly one of them"""
    clusters: Clusters = ALONE
    scale: int = 1
    """Over how many items a score is taken, for metrics to which that matters (smoothed ones)"""

    @property
    def difference(self) -> float:
        """The true difference, first minus second."""
        first, second = scores(self.bound, self.scale * self._expected())
        return float(first - second)

    def spread(self) -> Spread:
        """Tell how items (clusters, where there are any) spread around the true difference."""
        parts = self._contributions()
        variance = float(self.rates @ parts**2)
        if not self.poisson:
            variance -= float(self.rates @ parts) ** 2
        size = self.clusters.size
        deviation = math.sqrt(max(variance, 0.0) * self.clusters.design_effect / size)
        apart = self._apart()
        if apart is None:
            return Spread(abs(self.difference), deviation)
        sizes = np.unique(np.abs(apart[(apart != 0) & (self.rates > 0)]))
        alike = size == 1 or self.clusters.icc == 1  # an item is one item, once or many times
        grain = self._worth() * math.gcd(*sizes.tolist()) / (1 if alike else size)
        wins = losses = None
        if len(sizes) == 1 and alike and not self.poisson:
            wins, losses = float(self.rates[apart > 0].sum()), float(self.rates[apart < 0].sum())
        return Spread(abs(self.difference), deviation, grain, wins, losses)

    def draw(self, generator: np.random.Generator, sets: int, items: int) -> NDArray[np.int64]:
        """Draw the forms of test sets: forms × (two systems of every set in turn) × items."""
        drawn = self._items(generator, sets * items)
        if self.clusters.size > 1:
            # An item repeats the first one of its cluster, or is drawn by itself.
            repeats = generator.binomial(
                self.clusters.size, math.sqrt(self.clusters.icc), sets * items
            )
            drawn = drawn * repeats + self._sums(generator, self.clusters.size - repeats)
        apart = drawn.reshape(len(self.forms), 2, sets, items).swapaxes(1, 2)
        return np.ascontiguousarray(apart.reshape(len(self.forms), 2 * sets, items))

    def _items(self, generator: np.random.Generator, count: int) -> NDArray[np.int64]:
        if self.poisson:
            times = generator.poisson(self.rates, (count, len(self.rates))).T
            return np.asarray(self.forms @ times, np.int64)
        steps = np.cumsum(self.rates)
        chosen = np.searchsorted(steps[:-1] / steps[-1], generator.random(count), side="right")
        return self.forms[:, :, chosen]

    def _sums(
        self, generator: np.random.Generator, numbers: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Draw the sums of so many items each, without drawing every item."""
        if self.poisson:
            times = generator.poisson(numbers[:, None] * self.rates)
        else:
            times = generator.multinomial(numbers, self.rates / self.rates.sum())
        return np.asarray(self.forms @ times.T, np.int64)

    def _expected(self) -> NDArray[np.float64]:
        """Sum up an average item: systems × forms."""
        return np.asarray((self.forms @ self.rates).T)

    def _contributions(self) -> NDArray[np.float64]:
        """Tell how much one more of each atom moves the difference, per item."""
        expected = self._expected()
        moved = []
        for system in (0, 1):
            step = _STEP * self.forms[:, system, :].T
            up, down = (
                scores(self.bound, self.scale * (expected[system] + sign * step))
                for sign in (1, -1)
            )
            moved.append((up - down) / (2 * _STEP))
        return np.asarray(moved[0] - moved[1])

    def _apart(self) -> NDArray[np.int64] | None:
        """Return the differences of numerators, where no denominator differs."""
        if not isinstance(self.bound, BoundRatio):
            return None
        denominators = self.forms[self.bound.denominator]
        if not np.array_equal(denominators[0], denominators[1]):
            return None
        numerators = self.forms[self.bound.numerator]
        return np.asarray(numerators[0] - numerators[1])

    def _worth(self) -> float:
        """Return what one step of the numerator of a single item is worth, in score."""
        assert isinstance(self.bound, BoundRatio)
        return float(self.bound.factor) / float(self._expected()[0, self.bound.denominator])
