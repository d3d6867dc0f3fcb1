"""All that the study of 2005 is done again with: null pairs, comparisons, many at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Final

from scipy import integrate, stats

from studies.riezler.levels import per_comparison_level
from studies.riezler.material import Lists, Material
from studies.riezler.null_pairs import RANDOMIZATION, TESTS, NullTests, null_tests
from studies.riezler.parametric import Rates, simulate
from studies.riezler.reranking import FIRST, Reranking, rerank
from tellapart.comparison.record import Comparison, Pair
from tellapart.console import Progress, no_progress
from tellapart.counts import Counts
from tellapart.metrics import Metric
from tellapart.result import compare
from tellapart.stats.streams import open_pool

SHUFFLES: Final = 4_999
LEVEL: Final = 0.05

TABLE_1: Final = {
    "nist": (6.43, 6.58, "< .0001", "< .0001"),
    "bleu": (0.301, 0.298, ".158", ".1"),
    "f1": (0.385, 0.383, ".424", "-"),
}
"""Baseline, reranking, p by randomization and by bootstrap, as published"""
TABLE_2: Final = (
    ("1:2", 0.031, 0.030, 0.014),
    ("1:3", 0.032, 0.025, 0.013),
    ("1:4", 0.029, 0.050, 0.028),
    ("1:5", 0.028, 0.079, 0.039),
    ("1:6", 0.036, 0.028, 0.013),
)
"""Equivalent systems: difference in NIST, p by randomization and by bootstrap, as published"""


@dataclass(frozen=True, slots=True)
class Trial:
    """One pair of systems under one metric, by three tests; differences are first minus second."""

    a: str
    b: str
    metric: str
    difference: float
    p: dict[str, float]

    def seen_from(self, system: str) -> float:
        """Return the difference as one system less the other."""
        return self.difference if self.a == system else -self.difference

    def told_apart(self, test: str) -> bool:
        """Return whether a test tells the two apart at .05, without any correction."""
        return self.p[test] <= LEVEL


@dataclass(frozen=True, slots=True)
class ListRuns:
    """N-best lists reranked: system 1 with the decoder, the baseline, and each of its equals."""

    lists: Lists
    reranking: Reranking
    scores: dict[str, dict[str, float]]
    trials: tuple[Trial, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(dict.fromkeys(each.metric for each in self.trials))

    def trial(self, metric: str, other: str) -> Trial:
        """Return a metric's trial of system 1 with another."""
        return next(each for each in self.trials
                    if each.metric == metric and other in (each.a, each.b))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Runs:
    """What was found."""

    material: Material
    null_tests: tuple[NullTests, ...]
    """Of the systems, and of those of MUC-4"""
    scores: dict[str, dict[str, float]]
    trials: tuple[Trial, ...]
    parametric: tuple[Rates, ...]
    """Randomization beside the t test"""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(dict.fromkeys(each.metric for each in self.trials))

    def of(self, metric: str) -> tuple[Trial, ...]:
        """Return all pairs under one metric."""
        return tuple(each for each in self.trials if each.metric == metric)

    def pair(self, a: str, b: str) -> tuple[Trial, ...]:
        """Return one pair under all metrics."""
        return tuple(each for each in self.trials if {each.a, each.b} == {a, b})

    def count_told_apart(self, metric: str, test: str = RANDOMIZATION) -> int:
        """Return how many pairs a metric tells apart."""
        return sum(each.told_apart(test) for each in self.of(metric))


def run_all(
    material: Material, other: Material, seed: int, progress: Progress = no_progress
) -> Runs:
    """Return the tests of null pairs of both materials, and of all pairs of the first."""
    with open_pool() as pool:
        tested = [*null_tests(material, seed, pool, progress), *null_tests(other, seed, pool)]
    scores, trials = _compare(material.counts, material.metrics, seed, progress)
    return Runs(material, tuple(tested), scores, trials, simulate(seed))


def run_lists(lists: Lists, seed: int, progress: Progress = no_progress) -> ListRuns:
    """Return the reranking of n-best lists."""
    done = rerank(lists, progress)
    tried = _compare(done.counts, lists.metrics, seed, progress, FIRST)
    return ListRuns(lists, done, *tried)


def _compare(
    counts: Counts,
    metrics: Sequence[str | Metric],
    seed: int,
    progress: Progress,
    baseline: str | None = None,
) -> tuple[dict[str, dict[str, float]], tuple[Trial, ...]]:
    """Return the scores, and all pairs by all tests; or the pairs with one system."""
    results = {
        test: compare(
            counts, metrics=metrics, test=test, shuffles=SHUFFLES, seed=seed,
            correction="none", baseline=baseline, intervals=False, progress=progress,
        ).record
        for test in TESTS
    }  # fmt: skip
    scores = {system.name: dict(system.scores) for system in results[RANDOMIZATION].systems}
    return scores, tuple(_trials(results))


def _trials(results: dict[str, Comparison]) -> list[Trial]:
    together = zip(*(results[test].pairs for test in TESTS), strict=True)
    return [_trial(dict(zip(TESTS, outcomes, strict=True))) for outcomes in together]


def _trial(outcomes: dict[str, Pair]) -> Trial:
    first = outcomes[RANDOMIZATION]
    p = {test: 1.0 if each.p is None else each.p for test, each in outcomes.items()}
    return Trial(first.a, first.b, first.metric, first.difference, p)


@cache
def shared_error(systems: int, level: float = LEVEL) -> float:
    """Return how often one of all pairs of equal systems differs at `level`, tested one by one.

    Pairs share systems, so they are not independent: all pairs differ no more than the best and
    the worst do, whose distance is the range of so many normal scores.

    >>> round(shared_error(2), 3), round(shared_error(15), 2)
    (0.05, 0.82)
    """
    reach = math.sqrt(2) * NormalDist().inv_cdf(1 - level / 2)
    return float(stats.studentized_range.sf(reach, systems, math.inf))


@dataclass(frozen=True, slots=True)
class Needed:
    """How far two of many systems must be apart, in standard errors of their difference."""

    sidak: float
    tukey: float
    scheffe: float


@cache
def differences_needed(systems: int, level: float = LEVEL) -> Needed:
    """Return what three corrections for all pairs ask of one pair, on many items.

    >>> differences_needed(15)
    Needed(sidak=3.487, tukey=3.391, scheffe=4.867)
    """
    sidak = NormalDist().inv_cdf(1 - per_comparison_level(level, math.comb(systems, 2)) / 2)
    tukey = float(stats.studentized_range.isf(level, systems, math.inf)) / math.sqrt(2)
    scheffe = math.sqrt(stats.chi2.isf(level, systems - 1))
    return Needed(*(round(each, 3) for each in (sidak, tukey, scheffe)))


def chance_of_all(pairs: int, level: float) -> float:
    """Return how often all of so many pairs with one system in common have p up to `level`.

    That is if all systems are equal, and their scores independent and normal.

    >>> round(chance_of_all(1, 0.05), 3)
    0.05
    """
    normal = NormalDist()
    reach = math.sqrt(2) * normal.inv_cdf(1 - level / 2)

    def chance(z: float) -> float:
        return normal.pdf(z) * (normal.cdf(z - reach) + normal.cdf(-z - reach)) ** pairs

    return float(integrate.quad(chance, -10, 10)[0])
