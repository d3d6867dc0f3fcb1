"""Type-I error: how often three tests reject where nothing differs, and by how much they disagree.

Pairs without a difference are made by exchanging the outputs of two systems, drawn anew for each
pair, segment by segment at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from studies.core import p_values_side_by_side, scores_of
from studies.riezler.material import Material
from tellapart.comparison.calibrate import exchanged_pairs
from tellapart.console import Progress, no_progress
from tellapart.metrics.scores import Scores
from tellapart.stats.streams import WorkerPool

RESAMPLES: Final = 999
"""Shuffles of a randomization test, resamples of a bootstrap test"""
LEVELS: Final = (0.10, 0.05, 0.015)
"""The last one is the paper's, for five comparisons."""
RANDOMIZATION, SIGNED, FOLDED = "shuffle", "bootstrap", "bootstrap-abs"
TESTS: Final = (RANDOMIZATION, FOLDED, SIGNED)
SMALL_P: Final = 0.10
"""Up to here p-values matter, and their ratios are looked at."""
_BATCH: Final = 64  # pairs that are made at a time


@dataclass(frozen=True, slots=True)
class NullTests:
    """The p-values of all tests on the null pairs of one material, under one metric."""

    material: str
    metric: str
    p: dict[str, NDArray[np.float64]]

    @property
    def pairs(self) -> int:
        """How many null pairs there are."""
        return len(self.p[RANDOMIZATION])

    def rate(self, test: str, level: float) -> float:
        """Return how often a test rejects."""
        return int(np.count_nonzero(self.p[test] <= level)) / self.pairs

    def away(self, test: str, level: float) -> float:
        """Return how many standard errors the rate is from the level."""
        return (self.rate(test, level) - level) / math.sqrt(level * (1 - level) / self.pairs)

    def ratios(self, test: str) -> NDArray[np.float64]:
        """Return the p-values of a bootstrap over those of randomization, where these are small."""
        small = self.p[RANDOMIZATION] <= SMALL_P
        return np.asarray(self.p[test][small] / self.p[RANDOMIZATION][small])

    def median_ratio(self, test: str) -> float | None:
        """Return the median of these; None if no pair has a small p."""
        found = self.ratios(test)
        return float(np.median(found)) if len(found) else None


def null_tests(
    material: Material, seed: int, pool: WorkerPool, progress: Progress = no_progress
) -> list[NullTests]:
    """Return the tests of null pairs under every metric of a material."""
    found, pairs = [], material.pairs
    for metric in material.metrics:
        scores = scores_of(material.counts, metric)
        batches = [range(k, min(k + _BATCH, pairs)) for k in range(0, pairs, _BATCH)]
        parts = list(pool.map(partial(_batch, scores, seed), batches, progress, "null pairs"))
        joined = {test: np.concatenate([part[test] for part in parts]) for test in TESTS}
        found.append(NullTests(material.name, scores.name, joined))
    return found


def _batch(scores: Scores, seed: int, numbers: range) -> dict[str, NDArray[np.float64]]:
    made = exchanged_pairs(scores, seed, numbers)
    return {test: p_values_side_by_side(made, test, RESAMPLES, seed) for test in TESTS}


def folded_rate(level: float) -> float:
    """Return how often the rule of figure 2 rejects, if resampled differences are normal.

    With d the difference in standard errors, differences are resampled round d; their absolute
    values have the mean tau(d), and p(d) is how often they reach tau(d) + |d|.

    >>> [round(folded_rate(level), 3) for level in (0.10, 0.05, 0.01)]
    [0.246, 0.11, 0.02]
    """
    least = optimize.brentq(lambda d: folded_p(d) - level, 0.0, 10.0)
    return 2 * NormalDist().cdf(-least)


def folded_p(d: float) -> float:
    """Return the p of figure 2's rule for a difference in standard errors.

    >>> round(folded_p(0.0), 3), round(folded_p(2.0), 4)
    (0.425, 0.0218)
    """
    normal = NormalDist()
    mean = 2 * normal.pdf(d) + d * (1 - 2 * normal.cdf(-d))
    reached = mean + d
    return normal.cdf(d - reached) + normal.cdf(-d - reached)
