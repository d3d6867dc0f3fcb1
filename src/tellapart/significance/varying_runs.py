"""Systems with several runs: the noise of a difference when items and runs both could be others.

The variance of a difference is that of the per-item mean differences over the items, and for each
system that of its run means over the runs, less what chance within items explains of it:

    V = var(z_a[.,u] - z_b[.,u]) / n + Σ max(0, var(z[r,.]) - within / n) / k

with n items (clusters), k runs, `within` the mean variance of an item's runs, and t with
Satterthwaite's degrees of freedom. Two runs tell too little about themselves for the subtraction.
The value z of a run and an item is its linear part in the score: of a ratio its residual
(numerator - P denominator) / mean denominator at the pooled score P, of another function of sums
what its slopes at the system's sums make of the counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts.counts import filled_runs
from tellapart.metrics import Function, Ratio
from tellapart.metrics.kinds import ITEMS, Weights
from tellapart.metrics.projection import Bound, Projection
from tellapart.significance.options import Options
from tellapart.significance.registry import JOINT
from tellapart.significance.residuals import slopes
from tellapart.significance.student_t import t_quantile, t_tail

Floats: TypeAlias = NDArray[np.float64]

MOST_MISSING = 0.1
"""The share of a system's runs of items that may be missing, each counted as the item's mean"""
ALIKE = 0.1
"""Where items and runs differ by at most this share of the noise, more of either helps alike"""


@dataclass(frozen=True, slots=True)
class RunNoise:
    """The variance of a difference (or a score) by where it comes from, and its degrees of freedom.

    >>> noise = RunNoise(difference=0.1, items=0.0005, runs=0.0016, chance=0.0004, df=4.0)
    >>> round(noise.error, 6), noise.helps
    (0.05, 'runs')
    """

    difference: float
    items: float
    """Other items, which more items would shrink"""
    runs: float
    """Other runs, which more runs would shrink: how far whole runs lie apart"""
    chance: float
    """Single answers, which come out now so, now so: more of either would shrink it"""
    df: float

    @property
    def error(self) -> float:
        """The standard error, all parts together."""
        return math.sqrt(self.items + self.runs + self.chance)

    @property
    def helps(self) -> str:
        """What would shrink the noise more if there were twice as much of it: items or runs.

        ``either`` where that is much the same: answers to new items and of new runs cost the same,
        too.
        """
        more = self.runs - self.items
        if abs(more) <= ALIKE * self.error**2:
            return "either"
        return "runs" if more > 0 else "items"

    def p(self, tail: str, shift: float = 0.0) -> float:
        """Return p of the difference being `shift`, by t."""
        moved = self.difference - shift
        if self.error == 0:
            t = 0.0 if moved == 0 else math.copysign(math.inf, moved)
        else:
            t = moved / self.error
        if tail == "two":
            return min(1.0, 2 * t_tail(abs(t), self.df))
        return t_tail(t if tail == "greater" else -t, self.df)

    def ends(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval of the difference, by t."""
        half = t_quantile((1 + level) / 2, self.df) * self.error
        return self.difference - half, self.difference + half


@dataclass(frozen=True, slots=True)
class AskedOfRuns:
    """Which question is asked of systems with several runs, and if it is "these runs", why."""

    asked: str
    """``vary``: of the systems, whose runs could be others; ``fixed``: of these very runs"""
    numbers: dict[str, int]
    """The number of runs of each system"""
    why: str | None = None
    """``option``, ``test``, ``correction``, ``confidence``, ``single`` or ``missing``"""


def asked_of_runs(counts: Counts, options: Options) -> AskedOfRuns | None:
    """Return what is asked of the runs; None where no system has several.

    Tests and corrections that exchange items, if named, are about these very runs. So is a pair of
    which one system has a single run: ``single`` is said if no pair is left.
    """
    if not counts.runs:
        return None
    numbers = {name: len(runs) for name, runs in zip(counts.names, counts.runs, strict=True)}
    why = _why_fixed(counts, options)
    return AskedOfRuns("vary" if why is None else "fixed", numbers, why)


def _why_fixed(counts: Counts, options: Options) -> str | None:
    if options.runs == "fixed":
        return "option"
    if options.test != "auto":
        return "test"
    if options.correction in JOINT:
        return "correction"
    if options.min_confidence is not None:
        return "confidence"
    several = [runs for runs in counts.runs if len(runs) > 1]
    if len(several) < 2 or (options.baseline is not None and _single(counts, options.baseline)):
        return "single"
    return "missing" if any(np.isnan(runs).mean() > MOST_MISSING for runs in several) else None


def _single(counts: Counts, name: str) -> bool:
    return name in counts.names and len(counts.runs[counts.names.index(name)]) < 2


def pair_noise(projection: Projection, bound: Bound, a: int, b: int) -> RunNoise | None:
    """Return the noise of a difference; None if a system has one run, or the metric no linear part.

    >>> from tellapart.metrics.projection import project
    >>> from tellapart.metrics.runs import average_runs
    >>> runs = {"A": [[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 1]], "B": [[0, 1, 0, 1]] * 3}
    >>> counts = average_runs(
    ...     {name: [Counts.from_arrays({name: run}) for run in each] for name, each in runs.items()}
    ... )
    >>> projection = project(counts)
    >>> noise = pair_noise(projection, projection.metrics[0], 0, 1)
    >>> round(noise.difference, 4), round(noise.error, 4), round(noise.df, 2)
    (0.3333, 0.3043, 3.0)
    """
    values = linear_parts(projection, bound, (a, b))
    if values is None:
        return None
    difference = float(projection.score(bound, a)) - float(projection.score(bound, b))
    return noise_of_values(difference, values)


def system_noise(projection: Projection, bound: Bound, system: int) -> RunNoise | None:
    """Return the noise of one system's score, `difference` being the score."""
    values = linear_parts(projection, bound, (system,))
    if values is None:
        return None
    return noise_of_values(float(projection.score(bound, system)), values)


def noise_of_values(difference: float, systems: Sequence[Floats]) -> RunNoise:
    """Return the noise of the mean of one system, or of the difference of two, runs × items each.

    >>> a, b = np.array([[1.0, 1, 0], [1, 0, 1]]), np.array([[0.0, 1, 0], [0, 0, 1]])
    >>> noise = noise_of_values(1 / 3, (a, b))
    >>> round(noise.runs, 4), round(noise.df, 2)
    (0.0, 2.0)
    """
    by_item = systems[0].mean(axis=0)
    if len(systems) > 1:
        by_item = by_item - systems[1].mean(axis=0)
    n = len(by_item)
    # Variances of equal numbers may differ from 0 in the last bits.
    least = 1e-24 * max(float(np.square(values).max()) for values in systems)
    items = _cleared(float(by_item.var(ddof=1)), least) / n
    runs = chance = 0.0
    below = items**2 / (n - 1)  # Satterthwaite's denominator
    for values in systems:
        k = len(values)
        within = float(values.var(axis=0, ddof=1).mean()) / n
        between = float(values.mean(axis=1).var(ddof=1))
        least_of_runs = max(least, 1e-12 * between)
        part = _cleared(between if k == 2 else between - within, least_of_runs) / k
        # Whole runs taken out, what remains within items is chance.
        single = values - values.mean(axis=1, keepdims=True)
        rest = float(single.var(axis=0, ddof=1).mean()) / (n - 1)
        runs, chance = runs + part, chance + _cleared(rest, least) / k
        below += part**2 / (k - 1)
    df = (items + runs) ** 2 / below if below else float(n - 1)
    chance = min(chance, items)
    return RunNoise(difference, items - chance, runs, chance, df)


def _cleared(variance: float, least: float) -> float:
    return variance if variance > least else 0.0


def linear_parts(
    projection: Projection, bound: Bound, systems: tuple[int, ...]
) -> list[Floats] | None:
    """Return each system's linear parts, runs × items; None where there are none to be had."""
    counts, metric = projection.counts, bound.metric
    if not counts.runs or len(counts.items) < 2 or min(len(counts.runs[s]) for s in systems) < 2:
        return None
    with_runs = counts.columns[: counts.runs[0].shape[2]]
    if not set(metric.columns) <= set(with_runs):  # made of all runs together, such as pass@k
        return None
    runs = [filled_runs(counts.runs[s]) for s in systems]
    if isinstance(metric, Ratio):
        return _residuals(metric, counts, runs)
    if isinstance(metric, Function):
        places = [counts.columns.index(column) for column in metric.columns]
        return _slopes_times_counts(metric, [each[:, :, places] for each in runs])
    return None


def _residuals(metric: Ratio, counts: Counts, runs: Sequence[Floats]) -> list[Floats] | None:
    above = [_form(metric.numerator, counts, each) for each in runs]
    below = [_form(metric.denominator, counts, each) for each in runs]
    if metric.weighted and counts.suite is not None:
        weights = counts.suite.weights(counts.sizes)
        assert weights is not None
        above, below = ([each * weights for each in some] for some in (above, below))
    totals = [float(each.mean(axis=0).sum()) for each in below]
    if min(totals) <= 0:  # such a score is undefined
        return None
    pooled = math.fsum(float(each.mean(axis=0).sum()) for each in above) / math.fsum(totals)
    n = len(counts.items)
    return [
        (top - pooled * bottom) / (total / n)
        for top, bottom, total in zip(above, below, totals, strict=True)
    ]


def _form(weights: Weights, counts: Counts, runs: Floats) -> Floats:
    """Return a linear form of the columns, runs × items."""
    form = np.zeros(runs.shape[:2])
    for column, weight in weights:
        values = counts.sizes if column == ITEMS else runs[:, :, counts.columns.index(column)]
        form += float(weight) * values
    return form


def _slopes_times_counts(metric: Function, runs: Sequence[Floats]) -> list[Floats] | None:
    """Return the counts of each run and item times what the score gains by them."""
    found = []
    for each in runs:
        sums, mass = (part.mean(axis=0).sum(axis=0) for part in (each, np.abs(each)))
        gains = slopes(metric, sums, mass)
        if not np.isfinite(gains).all():
            return None
        found.append(each.shape[1] * each @ gains)
    return found
