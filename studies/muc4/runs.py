"""The 1992 study's comparisons: by 9,999 shuffles as then, by 999, and exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from studies.muc4.raw_files import Results
from tellapart.comparison.record import Comparison, Pair
from tellapart.console import Progress
from tellapart.counts import Counts
from tellapart.result import compare
from tellapart.stats.shuffles import confidence

# Metrics by our names, and as Chinchor (1992) heads them; beta is 1, 1/2 and 2.
METRICS: Final = {
    "recall": "recall", "precision": "precision", "f1": "P&R", "f0.5": "2P&R", "f2": "P&2R",
}  # fmt: skip
# Chinchor 1992, pp. 32 and 34.
ALPHA: Final = 0.10
CONFIDENCE: Final = 0.99
SHUFFLES: Final = 9_999
FEWER_SHUFFLES: Final = 999


@dataclass(frozen=True, slots=True)
class Trial:
    """One pair under one metric by all three runs; differences are first minus second."""

    a: str
    b: str
    metric: str
    difference: float
    fewer: Pair
    shuffled: Pair
    exact: Pair

    @property
    def p(self) -> float:
        """The exact level."""
        assert self.exact.p is not None
        return self.exact.p

    def told_apart(self, level: float) -> bool:
        """Return whether 9,999 shuffles call the pair different, with the confidence asked for."""
        return _told_apart(self.shuffled, level)

    @property
    def unsettled(self) -> bool:
        """Whether 9,999 shuffles leave it open what the exact test would say."""
        return certainty(self.shuffled) < CONFIDENCE


@dataclass(frozen=True, slots=True)
class Observed:
    """One choice of observations: how many systems have, and how many pairs differ at 0.10."""

    item: str
    fewest: int
    most: int
    """In the key, with what is optional only where a system has it"""
    recall: int
    precision: int


@dataclass(frozen=True, slots=True)
class Runs:
    """Everything that was tested."""

    results: Results
    shuffled: Comparison
    exact: Comparison
    trials: dict[tuple[str, str, str], Trial]
    """By metric and both orders of the two systems, each seen from the first of them"""
    observed: tuple[Observed, ...]
    """By what is exchanged; without raw files there are messages alone, and this is empty"""

    @property
    def counts(self) -> Counts:
        """The counts by message."""
        return self.results.counts

    def trial(self, metric: str, a: str, b: str) -> Trial:
        """Return one pair under one metric, in either order."""
        return self.trials.get((metric, a, b)) or self.trials[metric, b, a]

    def of(self, metric: str) -> list[Trial]:
        """Return all pairs under a metric."""
        return [trial for key, trial in self.trials.items() if key[0] == metric]

    def score(self, system: str, metric: str) -> float:
        """Return a score in points, from 0 to 100."""
        return 100 * next(s.scores[metric] for s in self.exact.systems if s.name == system)

    def ranking(self, metric: str) -> list[str]:
        """Return the systems by score, the best first, then by name."""
        return sorted(self.counts.names, key=lambda name: (-self.score(name, metric), name))


def run_all(results: Results, seed: int, progress: Progress) -> Runs:
    """Return the comparisons of all pairs by all five metrics, three times."""
    counts = results.counts
    shuffled, fewer = (
        compare(
            counts,
            metrics=list(METRICS),
            test="shuffle",
            shuffles=shuffles,
            seed=seed,
            alpha=ALPHA,
            correction="none",
            min_confidence=CONFIDENCE,
            intervals=False,
            progress=progress,
        ).record
        for shuffles in (SHUFFLES, FEWER_SHUFFLES)
    )
    exact = compare(
        counts,
        metrics=list(METRICS),
        test="exact",
        alpha=ALPHA,
        correction="none",
        intervals=False,
        progress=progress,
    ).record
    trials = {
        (z.metric, z.a, z.b): Trial(z.a, z.b, z.metric, z.difference, x, y, z)
        for x, y, z in zip(fewer.pairs, shuffled.pairs, exact.pairs, strict=True)
    }
    observed = tuple(_observed(item, counts, seed, progress)
                     for item, counts in results.observations.items())  # fmt: skip
    return Runs(results, shuffled, exact, trials, observed)


def _observed(item: str, counts: Counts, seed: int, progress: Progress) -> Observed:
    """Return how many observations there are, and what comes of exchanging them."""
    numbers = (counts.column("pos") > 0).sum(axis=1)
    if item == "message":
        numbers[:] = len(counts.items)
    found = compare(
        counts,
        metrics=["recall", "precision"],
        test="shuffle",
        shuffles=FEWER_SHUFFLES,
        seed=seed,
        alpha=ALPHA,
        correction="none",
        intervals=False,
        progress=progress,
    )
    differ = {
        metric: sum(pair.different for pair in found.pairs if pair.metric == metric)
        for metric in ("recall", "precision")
    }
    return Observed(item, int(numbers.min()), int(numbers.max()), differ["recall"],
                    differ["precision"])  # fmt: skip


@dataclass(frozen=True, slots=True)
class RowScores:
    """Recall and precision of one system in one row of the summary, in points."""

    recall: float
    precision: float


def row_scores(results: Results) -> dict[str, dict[str, RowScores]]:
    """Return the corners of every system's region of performance: by row, then by system."""
    return {row: _scores(counts) for row, counts in results.rows.items()}


def _scores(counts: Counts) -> dict[str, RowScores]:
    found = {}
    for name, sums in zip(counts.names, counts.summed().tolist(), strict=True):
        total = dict(zip(counts.columns, sums, strict=True))
        earned = 100 * (total["cor"] + total["par"] / 2)
        found[name] = RowScores(earned / (total["pos"] or 1), earned / (total["act"] or 1))
    return found


def at_level(pair: Pair, level: float) -> float:
    """Return the confidence that the exact test rejects at a level."""
    assert pair.exceedances is not None
    assert pair.shuffles is not None
    return float(confidence(pair.exceedances, pair.shuffles, level))


def _told_apart(pair: Pair, level: float) -> bool:
    assert pair.p is not None
    return pair.p <= level and at_level(pair, level) >= CONFIDENCE


def certainty(pair: Pair) -> float:
    """Return the confidence in what shuffles decide at 0.10, be it different or not."""
    assert pair.p is not None
    reject = at_level(pair, ALPHA)
    return reject if pair.p <= ALPHA else 1 - reject


@dataclass(frozen=True, slots=True)
class Quality:
    """How well so many shuffles do at 0.10, over all tests."""

    shuffles: int
    different: int
    confidently_different: int
    decided: int
    """With the confidence asked for, either way"""
    mean_certainty: float
    against_exact: int
    largest_error: float


def quality(runs: Runs, shuffles: int) -> Quality:
    """Return how the decisions and levels of one run compare with the exact ones."""
    trials = list(runs.trials.values())
    found = [trial.shuffled if shuffles == SHUFFLES else trial.fewer for trial in trials]
    levels = [pair.p or 1.0 for pair in found]
    sure = [certainty(pair) for pair in found]
    return Quality(
        shuffles,
        sum(p <= ALPHA for p in levels),
        sum(pair.different for pair in found),
        sum(each >= CONFIDENCE for each in sure),
        math.fsum(sure) / len(sure),
        sum((p <= ALPHA) != (trial.p <= ALPHA) for p, trial in zip(levels, trials, strict=True)),
        max(abs(p - trial.p) for p, trial in zip(levels, trials, strict=True)),
    )


@dataclass(frozen=True, slots=True)
class Division:
    """How many pairs differ in both of recall and precision, in one, in neither."""

    both: int
    recall_only: int
    precision_only: int
    neither: int

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return self.both + self.recall_only + self.precision_only + self.neither


# Chinchor, Hirschman and Lewis 1993, section 5.2: pairs of MUC-3, by 9,999 shuffles at 0.10.
MUC3: Final = Division(62, 27, 14, 2)


def divide(runs: Runs, level: float, how: str) -> Division:
    """Return the pairs by shuffles ("shuffles"), with 0.99 confidence ("rule"), or exactly."""

    def differs(trial: Trial) -> bool:
        if how == "rule":
            return trial.told_apart(level)
        p = trial.p if how == "exact" else trial.shuffled.p
        return p is not None and p <= level

    found = [
        (differs(runs.trial("recall", a, b)), differs(runs.trial("precision", a, b)))
        for a, b in combinations(runs.counts.names, 2)
    ]
    return Division(*(found.count(kind) for kind in _KINDS))


_KINDS: Final = ((True, True), (True, False), (False, True), (False, False))


def better_in_both(runs: Runs) -> int:
    """Return the number of pairs of which one is better in both, each at 0.01 with confidence."""
    count = 0
    for a, b in combinations(runs.counts.names, 2):
        recall, precision = runs.trial("recall", a, b), runs.trial("precision", a, b)
        same = recall.difference * precision.difference > 0
        count += same and recall.told_apart(0.01) and precision.told_apart(0.01)
    return count


@dataclass(frozen=True, slots=True)
class Spread:
    """Differences in points that show that no number of points is a threshold."""

    smallest_different: Trial
    largest_alike: Trial


def spread(runs: Runs, metric: str) -> Spread | None:
    """Return the smallest difference told apart exactly and the largest that is not."""
    different = [trial for trial in runs.of(metric) if trial.p <= ALPHA]
    alike = [trial for trial in runs.of(metric) if trial.p > ALPHA]
    if not different or not alike:
        return None
    return Spread(min(different, key=_size), max(alike, key=_size))


def _size(trial: Trial) -> float:
    return abs(trial.difference)
