"""Pairs of equal systems whose runs come out otherwise each time, as far apart as was measured."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.metrics import Ratio
from tellapart.metrics.kinds import ITEMS
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.planning.null_pairs import PairSource
from tellapart.significance.options import Options
from tellapart.significance.varying_runs import asked_of_runs, linear_parts, noise_of_values

_STEPS = 1e6  # of a standard deviation: scores are whole numbers of such steps


def runs_vary(counts: Counts) -> bool:
    """Return whether the default test of these systems is the one over items and runs."""
    asked = asked_of_runs(counts, Options())
    return asked is not None and asked.asked == "vary"


@dataclass(frozen=True, slots=True)
class NoisyRuns(PairSource):
    """Pairs of two systems, drawn anew for each, made equal: items and runs are drawn again.

    Every run is moved to the same mean, items are drawn again, the same for both systems, and a
    normal effect of the spread that was measured between the system's runs is added to each run.
    Forms are the sum over the runs, 1, and the runs, each as its linear part in the score.
    """

    spreads: NDArray[np.float64]
    """The standard deviation of a system's runs as wholes"""

    @classmethod
    def of(cls, projection: Projection) -> NoisyRuns | None:
        """Return the pairs of systems with several runs; None where fewer than two have them.

        All get as many runs as the system with the fewest.
        """
        own = [s for s, runs in enumerate(projection.counts.runs) if len(runs) > 1]
        if len(own) < 2 or not runs_vary(projection.counts):
            return None
        parts = linear_parts(projection, projection.metrics[0], tuple(own))
        if parts is None:
            return None
        spreads = np.array([(noise_of_values(0.0, (z,)).runs * len(z)) ** 0.5 for z in parts])
        level = [z - z.mean(axis=1, keepdims=True) for z in parts]
        size = max(float(z.std()) for z in level) or float(spreads.max()) or 1.0
        fewest = min(map(len, level))
        runs = np.stack([np.rint(z[:fewest] * (_STEPS / size)) for z in level]).astype(np.int64)
        means = np.stack([runs.sum(axis=1), np.ones_like(runs[:, 0])])
        return cls(np.concatenate([means, runs.swapaxes(0, 1)]), spreads * (_STEPS / size))

    @property
    def runs(self) -> int:
        """How many runs each of a pair has."""
        return len(self.forms) - 2

    def pair(
        self,
        number: int,  # noqa: ARG002  (pairs are drawn, not numbered)
        generator: np.random.Generator,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return one pair."""
        both = generator.choice(self.forms.shape[1], 2, replace=False)
        drawn = generator.integers(self.items, size=self.items)
        found = []
        for system in both:
            forms = self.forms[:, system, drawn]
            effects = np.rint(generator.normal(0.0, self.spreads[system], self.runs))
            forms[2:] += effects.astype(np.int64)[:, None]
            forms[0] = forms[2:].sum(axis=0)
            found.append(forms)
        return found[0], found[1]

    def bound(self, bound: Bound) -> BoundRatio:
        """Return a mean over items of the same name, that reads these forms."""
        one = Fraction(1)
        mean = Ratio(bound.metric.name, (("score", one),), ((ITEMS, one),))
        return BoundRatio(mean, 0, 1, one, one, exact=False)
