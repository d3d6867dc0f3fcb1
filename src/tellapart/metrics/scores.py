"""Scores: one metric on all systems and items, and what each item contributes to a difference.

`Scores` holds the metric's columns (columns × systems × items, whole numbers), each system's score,
and `terms(a, b, at)`: what each item adds to the difference of a pair. Tests, standard errors,
intervals, margins, influence and power take terms; exchange, bootstrap and BCa read the columns.
Nothing downstream asks which kind of metric it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts.counts import filled_runs
from tellapart.errors import DataError, UsageError
from tellapart.metrics.registry import (
    ITEMS,
    Function,
    Metric,
    Ratio,
    Weights,
    default_metrics,
    direction,
)
from tellapart.metrics.registry import metric as metric_named

FAR_BELOW = 0.1
"""Scores that are all below do not show that their scale ends at 1"""
LARGEST_SUM = 1 << 52
"""Sums of columns stay below this, so that they are exact in a double"""

_NUDGE = 1e-5  # of a column's sum, by which it is moved to see what the score does
_TIED = 1e-8  # of what all columns add to the terms: no slope is surer than that
_TRIES, _REACH = 30, 4.0  # steps to sums with a wanted score, and how far these may lie

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """What each item adds to the difference of two systems: its columns by their weights.

    The term of an item is Σ first × columns of the first system - Σ second × columns of the second,
    plus a constant. Terms add up to the difference of the scores, divided by `worth`.
    """

    first: Floats
    second: Floats
    constant: float
    """Per item; 0 for ratios"""
    worth: float
    """What a term of 1 is worth in score; terms of exact ratios are whole numbers"""
    slack: float
    """How far a sum of terms may fall short of another and still be tied"""
    observed: float
    """The sum of all terms"""
    columns: tuple[Ints | Floats, Ints | Floats]
    """Those of both systems: columns × items"""

    @property
    def values(self) -> Floats:
        """The term of each item."""
        a, b = self.columns
        return np.asarray(self.first @ a - self.second @ b + self.constant)

    @property
    def contributions(self) -> Floats:
        """The terms in units of the score."""
        return np.asarray(self.worth * self.values)


class Scores:
    """One metric on all systems and items."""

    metric: Metric
    counts: Counts
    """What was scored: names of systems and items, labels, sizes of clusters"""
    columns: Ints  # columns × systems × items
    times: Ints | None
    """How many items each row stands for, where data were reduced to their distinct rows"""

    @property
    def name(self) -> str:
        """The name of the metric."""
        return self.metric.name

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.counts.names

    @property
    def n(self) -> int:
        """The number of items, or of clusters."""
        return int(self.columns.shape[2] if self.times is None else self.times.sum())

    @cached_property
    def totals(self) -> Ints:
        """Columns × systems: the sums over items."""
        if self.times is None:
            return np.asarray(self.columns.sum(axis=2))
        return np.asarray((self.columns * self.times).sum(axis=2))

    @cached_property
    def values(self) -> Floats:
        """Each system's score."""
        return np.array([float(self.exact_score(s)) for s in range(len(self.systems))])

    def exact_score(self, system: int) -> Fraction | float:
        """Return a system's score, as a fraction where the metric is a ratio."""
        raise NotImplementedError

    def differences(self, a: Ints, b: Ints) -> Floats:
        """Return how far the scores of many pairs of systems lie apart, each rounded once."""
        return np.asarray(self.values[a] - self.values[b])

    def of_sums(self, sums: NDArray[np.float64] | Ints) -> Floats:
        """Return the scores of summed columns, which run along the last axis."""
        raise NotImplementedError

    def terms(self, a: int, b: int, at: str = "common") -> Terms | None:
        """Return what each item adds to the difference of two systems.

        At the pair's ``common`` score, for tests of equal scores; or each at its ``own``, for
        standard errors and intervals. None where a score is undefined or has no slope.
        """
        return None

    def system_terms(self, systems: Sequence[int]) -> tuple[Floats, Floats] | None:
        """Return weights (systems × columns) and constants of what items add to systems' scores.

        Taken at the score of all systems together, for joint tests: the terms of a system add up to
        its score less a number that all share.
        """
        return None

    def differs(self, a: int, b: int) -> NDArray[np.bool_]:
        """Return on which items two systems differ in what the metric reads."""
        return np.asarray((self.columns[:, a] != self.columns[:, b]).any(axis=0))

    def differing(self, a: int, b: int) -> int:
        """Return on how many items two systems differ."""
        differs = self.differs(a, b)
        return int(differs.sum() if self.times is None else self.times[differs].sum())

    def is_defined(self, system: int) -> bool:
        """Return whether a system has a score: something to divide by."""
        return True

    def item_scores(self, system: int) -> Floats:
        """Return the score of each item by itself."""
        return self.of_sums(self.columns[:, system].T)

    def without_item(self, system: int) -> Floats:
        """Return the score with each item left out in turn."""
        return self.of_sums(self.totals[:, system] - self.columns[:, system].T)

    @cached_property
    def unit_interval(self) -> bool:
        """Whether the score lies between 0 and 1 on every item of every system."""
        return False

    @cached_property
    def right_or_wrong(self) -> float | None:
        """What a right answer scores, 1 or 100, if every item is just right or wrong."""
        return None

    def per_item(self, systems: Sequence[int]) -> Floats:
        """Return what each item contributes to systems' scores, so that the mean is the score.

        systems × items; to the first order, each at its own score.
        """
        left_out = np.stack([self.without_item(system) for system in systems])
        moves = left_out - left_out.mean(axis=1, keepdims=True)
        return np.asarray(self.values[list(systems), None] - (self.n - 1) * moves)

    def run_contributions(self, systems: Sequence[int]) -> list[Floats] | None:
        """Return what each run and item contributes to systems' scores: conditions × runs × items.

        At the systems' common score. None where systems have no runs, or the metric no linear part.
        """
        counts, values = self.counts, self._run_values(systems)
        if values is None:
            return None
        return [_in_cells(own, counts.cells[s] if counts.cells else None)
                for own, s in zip(values, systems, strict=True)]  # fmt: skip

    def repeat_variance(self, systems: Sequence[int]) -> float:
        """Return the variance of the systems' difference that repeats of answers explain."""
        cells, values = self.counts.cells, self._run_values(systems)
        if values is None or not cells:
            return 0.0
        return math.fsum(
            _variance_of_repeats(own, cells[s]) for own, s in zip(values, systems, strict=True)
        )

    def _run_values(self, systems: Sequence[int]) -> list[Floats] | None:
        """Return what each run, condition and repeat contributes to the scores, with the items."""
        counts = self.counts
        if not counts.runs or self.n < 2:
            return None
        with_runs = counts.columns[: counts.runs[0].shape[2]]
        if not set(self.metric.columns) <= set(with_runs):  # made of all runs together: pass@k
            return None
        return self._of_runs([filled_runs(counts.runs[s]) for s in systems])

    def _of_runs(self, runs: Sequence[Floats]) -> list[Floats] | None:
        """Return contributions, runs × items, from columns of runs, runs × items × columns."""
        return None


class RatioScores(Scores):
    """A ratio of two sums: columns are numerators and denominators, as whole numbers."""

    metric: Ratio

    def __init__(
        self,
        metric: Ratio,
        counts: Counts,
        columns: Ints,
        step: Fraction,
        factor: Fraction,
        exact: bool,
        times: Ints | None = None,
    ) -> None:
        self.metric, self.counts, self.columns, self.times = metric, counts, columns, times
        self.step = step
        """What one step of the numerators is worth"""
        self.factor = factor
        """The score of a numerator of 1 over a denominator of 1"""
        self.exact = exact
        """False where real numbers were rounded onto a grid"""

    @property
    def undefined(self) -> Fraction:
        """The score of a zero denominator, in units of numerator / denominator."""
        return self.metric.undefined / self.factor

    def exact_score(self, system: int) -> Fraction:
        """Return a system's score as a fraction."""
        return self._fractions[system]

    @cached_property
    def _sums(self) -> list[tuple[int, int]]:
        """Each system's numerators and denominators, summed."""
        return [(num, den) for num, den in self.totals.T.tolist()]

    @cached_property
    def _fractions(self) -> list[Fraction]:
        return [
            self.factor * Fraction(num, den) if den else self.metric.undefined
            for num, den in self._sums
        ]

    def differences(self, a: Ints, b: Ints) -> Floats:
        """Return how far the scores of many pairs of systems lie apart, each rounded once."""
        exact, pairs = self._fractions, zip(a.tolist(), b.tolist(), strict=True)
        return np.array([float(exact[first] - exact[second]) for first, second in pairs])

    def of_sums(self, sums: NDArray[np.float64] | Ints) -> Floats:
        """Return the scores of summed columns, which run along the last axis."""
        num, den = sums[..., 0], sums[..., 1]
        ratio = float(self.factor) * num / np.where(den == 0, 1, den)
        return np.asarray(np.where(den == 0, float(self.metric.undefined), ratio))

    def is_defined(self, system: int) -> bool:
        """Return whether a system's denominator is above 0."""
        return self._sums[system][1] > 0

    @cached_property
    def denominator_kinds(self) -> Ints:
        """For each system, the first one with the same denominator on every item."""
        known: dict[bytes, int] = {}
        rows = (np.ascontiguousarray(row).tobytes() for row in self.columns[1])
        return np.array([known.setdefault(row, k) for k, row in enumerate(rows)], np.int64)

    @cached_property
    def _peaks(self) -> Ints:
        """The largest size of a number in each column: columns × systems."""
        return np.asarray(np.abs(self.columns).max(axis=2, initial=0))

    def same_denominators(self, a: int, b: int) -> bool:
        """Return whether two systems have the same denominator on every item."""
        return bool(self.denominator_kinds[a] == self.denominator_kinds[b])

    def tolerance(self, a: int, b: int) -> float | None:
        """Return within how much differences of ratios are tied; None where they are exact."""
        if self.exact:
            return None
        tied = _tied(*self.values[[a, b]].tolist())
        # Rounding onto the grid moves each item's numerators by at most one step between them.
        grid = 2 * self.n / max(1, int(self.totals[1, [a, b]].sum()))
        return max(tied / float(self.factor), grid)

    def terms(self, a: int, b: int, at: str = "common") -> Terms | None:
        """Return what each item adds to the difference of two systems."""
        if not (self.is_defined(a) and self.is_defined(b)):
            return None
        (num_a, den_a), (num_b, den_b) = self._sums[a], self._sums[b]
        if at == "common" and self.same_denominators(a, b):
            slack = (self.tolerance(a, b) or 0.0) * den_a
            if self.counts.rounded:  # but for one in 10^15 draws, rounding moves no sum further
                slack += 2 * self.counts.rounded * math.sqrt(70.5 * self.n) / float(self.step)
            worth = float(self.factor / den_a)
            return self._terms(a, b, (1.0, 0.0), (1.0, 0.0), 0.0, worth, slack)
        factor = float(self.factor)
        if at == "own":
            rest = (float(self.exact_score(a)) - float(self.exact_score(b))) / self.n
            first = factor / den_a, -factor * num_a / den_a**2
            second = factor / den_b, -factor * num_b / den_b**2
            return self._terms(a, b, first, second, rest, 1.0, 0.0)
        num, den = num_a + num_b, den_a + den_b
        both = self._peaks[:, [a, b]].max(axis=1).tolist()
        largest = (both[0] * den + abs(num) * both[1]) * max(den_a, den_b)
        if self.exact and largest * 2 * self.n < 1 << 53:  # whole numbers, and so are their sums
            worth = factor / (den_a * den_b * den)
            weights = [(float(den * other), float(-num * other)) for other in (den_b, den_a)]
            return self._terms(a, b, weights[0], weights[1], 0.0, worth, 0.0)
        one, two = self._pooled_weights([a, b])
        slack = _tied(*self.values[[a, b]].tolist())
        difference = float(self.exact_score(a) - self.exact_score(b))
        return self._terms(a, b, one, two, 0.0, 1.0, slack, difference)

    def _pooled_weights(self, systems: Sequence[int]) -> list[tuple[float, float]]:
        """Return what numerators and denominators of each system weigh at their pooled score."""
        num, den = self.totals[:, list(systems)].sum(axis=1).tolist()
        scales = [self.factor / int(own) for own in self.totals[1, list(systems)]]
        return [(float(scale), float(-Fraction(num, den) * scale)) for scale in scales]

    def _terms(
        self,
        a: int,
        b: int,
        first: tuple[float, float],
        second: tuple[float, float],
        constant: float,
        worth: float,
        slack: float,
        observed: float | None = None,
    ) -> Terms:
        if observed is None:
            (num_a, den_a), (num_b, den_b) = self._sums[a], self._sums[b]
            one = first[0] * num_a + first[1] * den_a
            two = second[0] * num_b + second[1] * den_b
            observed = one - two + constant * self.n
        columns = self.columns[:, a], self.columns[:, b]
        return Terms(np.array(first), np.array(second), constant, worth, slack, observed, columns)

    def system_terms(self, systems: Sequence[int]) -> tuple[Floats, Floats] | None:
        """Return weights and constants of what items add to scores, at the pooled score."""
        if not all(self.is_defined(system) for system in systems):
            return None
        weights = np.array(self._pooled_weights(systems))
        return weights, _constants(self, systems, weights)

    @cached_property
    def unit_interval(self) -> bool:
        """Whether the score lies between 0 and 1 on every item of every system.

        Where all are far below 1, as rates per million are, it is not the end of their scale.
        """
        values, sizes = self.columns
        worth = values * float(self.factor)
        inside = (values >= 0).all() and (worth <= sizes).all()
        reached = not values.any() or (worth >= FAR_BELOW * sizes).any()
        return bool(inside and reached and self.totals[1].all())

    @cached_property
    def right_or_wrong(self) -> float | None:
        """What a right answer scores, 1 or 100, if every item is just right or wrong."""
        if not self.metric.is_mean or self.counts.cluster is not None:
            return None
        values, sizes = self.columns
        top = max(1, int(values.max(initial=0)))
        worth = float(self.factor * top)
        plain = worth in (1, 100) and ((values == 0) | (values == top)).all() and sizes.max() <= 1
        return worth if plain else None

    def per_item(self, systems: Sequence[int]) -> Floats:
        """Return what each item contributes to systems' scores, so that the mean is the score."""
        tops, sizes = self.columns[:, list(systems)].astype(np.float64)
        totals = self.totals[1, list(systems), None].astype(np.float64)
        scores = self.values[list(systems), None]
        rests = float(self.factor) * tops - scores * sizes
        return np.asarray(scores + rests / (totals / self.n))

    def _of_runs(self, runs: Sequence[Floats]) -> list[Floats] | None:
        """Return the residuals of runs and items against the systems' pooled score."""
        tops, sizes = (
            [_form_of_runs(form, self.counts, rows) for rows in runs]
            for form in (self.metric.numerator, self.metric.denominator)
        )
        if self.metric.weighted:
            weights = _item_weights(self.counts)
            if weights is not None:
                tops, sizes = ([rows * weights for rows in part] for part in (tops, sizes))
        totals = [float(rows.mean(axis=0).sum()) for rows in sizes]
        if min(totals) <= 0:  # such a score is undefined
            return None
        pooled = math.fsum(float(rows.mean(axis=0).sum()) for rows in tops) / math.fsum(totals)
        return [
            (top - pooled * size) / (total / self.n)
            for top, size, total in zip(tops, sizes, totals, strict=True)
        ]


class FunctionScores(Scores):
    """A function of sums, such as BLEU: columns are those that the function reads."""

    metric: Function

    def __init__(self, metric: Function, counts: Counts, columns: Ints, scale: Floats) -> None:
        self.metric, self.counts, self.columns, self.times = metric, counts, columns, None
        self.scale = scale
        """What each column's whole numbers are divided by"""

    def exact_score(self, system: int) -> float:
        """Return a system's score."""
        return float(self.metric.scores(self.totals[:, system] / self.scale))

    def of_sums(self, sums: NDArray[np.float64] | Ints) -> Floats:
        """Return the scores of summed columns, which run along the last axis."""
        return self.metric.scores(sums / self.scale)

    def terms(self, a: int, b: int, at: str = "common") -> Terms | None:
        """Return the linear part of the function, as a whole as large as the difference."""
        if at == "own":
            return self._own_terms(a, b)
        linear = self._linearised([a, b])
        if linear is None:
            return None
        (first, at_a), (second, at_b) = linear
        one, other = self.values[[a, b]].tolist()
        sums = self.totals[:, [a, b]].T / self.scale
        total = math.fsum(first * sums[0]) - math.fsum(second * sums[1]) + at_b - at_a
        if not total * (one - other) > 0:  # slopes do not tell which system is ahead
            return None
        scale = (one - other) / total
        constant = scale * (at_b - at_a)
        parts = [scale * gain * mass for gain, mass in zip((first, second), self._masses([a, b]),
                                                           strict=True)]  # fmt: skip
        slack = _TIED * math.fsum(np.abs(np.concatenate([*parts, [constant]])))
        slack = max(slack, _tied(one, other))
        weights = [scale * gain / self.scale for gain in (first, second)]
        columns = self.columns[:, a], self.columns[:, b]
        return Terms(weights[0], weights[1], constant / self.n, 1.0, slack, one - other, columns)

    def _own_terms(self, a: int, b: int) -> Terms:
        first, second = self.per_item([a, b])
        difference = float(self.values[a] - self.values[b])
        one = np.array([1 / self.n])
        return Terms(one, one, 0.0, 1.0, 0.0, difference, (first[None], second[None]))

    def is_finite(self, system: int) -> bool:
        """Return whether the function gives a finite number for a system's sums."""
        with np.errstate(all="ignore"):
            return bool(np.isfinite(self.metric.function(self.totals[:, system] / self.scale)))

    def _of_runs(self, runs: Sequence[Floats]) -> list[Floats] | None:
        """Return the columns of runs and items times what the score gains by them."""
        places = [self.counts.columns.index(column) for column in self.metric.columns]
        values = []
        for rows in (every[:, :, places] for every in runs):
            sums, mass = (part.mean(axis=0).sum(axis=0) for part in (rows, np.abs(rows)))
            gains = slopes(self.metric, sums, mass)
            if not np.isfinite(gains).all():
                return None
            values.append(rows.shape[1] * rows @ gains)
        return values

    def system_terms(self, systems: Sequence[int]) -> tuple[Floats, Floats] | None:
        """Return weights and constants of what items add to systems' scores, at a common one."""
        linear = self._linearised(systems)
        if linear is None:
            return None
        weights = np.stack([gains for gains, _ in linear]) / self.scale
        return weights, _constants(self, systems, weights)

    def _masses(self, systems: Sequence[int]) -> Floats:
        """Return the sums of the absolute values of each column: systems × columns."""
        return np.asarray(np.abs(self.columns[:, list(systems)]).sum(axis=2).T / self.scale)

    @cached_property
    def _spreads(self) -> dict[int, Floats]:
        return {}

    def _spread(self, system: int) -> Floats:
        """Return the sums of products of what items have more than the mean: columns × columns."""
        if system not in self._spreads:
            rows = self.columns[:, system] / self.scale[:, None]
            apart = rows - rows.mean(axis=1, keepdims=True)
            self._spreads[system] = apart @ apart.T
        return self._spreads[system]

    def _linearised(self, systems: Sequence[int]) -> list[tuple[Floats, float]] | None:
        """Return for each system the slopes of its columns, and what they make of a common score.

        They are the slopes of the function at sums like the system's own, but with the score of all
        systems together: what a ratio's terms are taken at, too.
        """
        sums, masses = self.totals[:, list(systems)].T / self.scale, self._masses(systems)
        gains = slopes(self.metric, sums.mean(axis=0), masses.mean(axis=0))
        weights = masses @ np.abs(gains)
        # The way in which columns vary together where the score does.
        way = np.stack([self._spread(system) @ gains for system in systems]).sum(axis=0)
        if not weights.sum() > 0 or not gains @ way > 0:
            return None
        common = float(self.metric.scores(sums) @ weights / weights.sum())
        linear = []
        for own, mass in zip(sums, masses, strict=True):
            point = _sums_with_score(self.metric, own, way, common)
            if point is None:
                return None
            gains = slopes(self.metric, point, mass)
            linear.append((gains, math.fsum(gains * point)))
        return linear


def _in_cells(values: Floats, cells: Sequence[tuple[str, str]] | None) -> Floats:
    """Return conditions × runs × items, repeats averaged; NaN where a condition lacks a run."""
    if cells is None:
        return values[None]
    conditions = sorted({condition for condition, _ in cells})
    runs = list(dict.fromkeys(run for _, run in cells))  # names say nothing about their order
    found = np.full((len(conditions), len(runs), values.shape[1]), np.nan)
    for cell in dict.fromkeys(cells):
        own = [k for k, other in enumerate(cells) if other == cell]
        found[conditions.index(cell[0]), runs.index(cell[1])] = values[own].mean(axis=0)
    return found


def _variance_of_repeats(values: Floats, cells: Sequence[tuple[str, str]]) -> float:
    """Return what the repeats within each condition and run add to the variance of the mean."""
    distinct, total = set(cells), 0.0
    for cell in distinct:
        own = values[[k for k, other in enumerate(cells) if other == cell]]
        if len(own) > 1:
            total += float(own.var(axis=0, ddof=1).sum()) / len(own)
    return total / float(len(distinct) * values.shape[1]) ** 2


def _form_of_runs(form: Weights, counts: Counts, runs: Floats) -> Floats:
    """Return a linear form of the columns of runs: runs × items."""
    values = np.zeros(runs.shape[:2])
    for column, weight in form:
        rows = counts.sizes if column == ITEMS else runs[:, :, counts.columns.index(column)]
        values += float(weight) * rows
    return values


def _tied(*scores: float) -> float:
    """Return how far apart differences of floating-point scores may be and still be tied."""
    return max(1e-12, 64 * float(np.finfo(float).eps) * max(map(abs, scores)))


def _constants(scores: Scores, systems: Sequence[int], weights: Floats) -> Floats:
    """Return what each item adds whatever its columns are, so that terms add up to scores."""
    linear = (weights * scores.totals[:, list(systems)].T).sum(axis=1)
    return np.asarray((scores.values[list(systems)] - linear) / scores.n)


def slopes(metric: Function, sums: Floats, mass: Floats) -> Floats:
    """Return what the score gains for each column, a column without any mass being left out."""
    steps = np.diag(_NUDGE * mass)
    moved = metric.scores(np.concatenate([sums + steps, sums - steps]))
    rise = moved[: len(sums)] - moved[len(sums) :]
    return np.asarray(np.where(mass > 0, rise / np.where(mass > 0, 2 * _NUDGE * mass, 1.0), 0.0))


def _sums_with_score(metric: Function, sums: Floats, way: Floats, score: float) -> Floats | None:
    """Return the sums on a way that have a score, by the secant method; None if not found."""
    reach = float(np.abs(sums).sum()) / float(np.abs(way).sum())
    steps = [0.0, 1e-3 * reach]
    off = [float(metric.scores(sums + step * way)) - score for step in steps]
    for _ in range(_TRIES):
        if abs(off[-1]) <= _NUDGE**2 * abs(score):
            return np.asarray(sums + steps[-1] * way)
        if off[-1] == off[-2]:
            return None
        steps.append(steps[-1] - off[-1] * (steps[-1] - steps[-2]) / (off[-1] - off[-2]))
        if not abs(steps[-1]) <= _REACH * reach:
            return None
        off.append(float(metric.scores(sums + steps[-1] * way)) - score)
    return None


def metrics_of(counts: Counts, wanted: Sequence[str | Metric] | None = None) -> list[Metric]:
    """Return the metrics to score counts by: the wanted ones, or else the counts' own.

    A name that one of the counts' own metrics has means that one; counts without metrics of their
    own are scored by what their columns suggest.

    >>> metrics_of(Counts.from_arrays({"A": [[3, 1, 2]]}, ["tp", "fp", "fn"]))
    [f1, recall, precision]
    """
    own: dict[str, Metric] = {each.name: cast(Metric, each) for each in counts.metrics}
    if not wanted and own:
        metrics = list(own.values())
    else:
        items = counts.form == "items"
        names = wanted or default_metrics(counts.columns, items=items)
        metrics = [
            own[each] if isinstance(each, str) and each in own
            else metric_named(each, counts.columns, items=items) if isinstance(each, str)
            else each
            for each in names
        ]  # fmt: skip
    for metric in metrics:
        if not isinstance(metric, Ratio | Function):
            raise UsageError(
                f"{metric!r} is no metric: give a name, or make one with ratio, mean or Function"
            )
    return [_as_counts_have_it(each, counts) if isinstance(each, Ratio) else each
            for each in metrics]  # fmt: skip


def _as_counts_have_it(metric: Ratio, counts: Counts) -> Ratio:
    """Return a metric in the direction, and with the weights of tasks, that the counts have."""
    if not metric.is_weighted_mean:
        return metric
    lower = any(column in counts.lower for column, _ in metric.numerator)
    weighted = _item_weights(counts) is not None
    higher = metric.higher_is_better and not lower
    return replace(metric, higher_is_better=higher, weighted=weighted)


def direction_of(metric: Metric, counts: Counts) -> str:
    """Return how it is known which way is better of a metric: it is its own, given, named, assumed.

    Ready values are anything: of those that are not said to be errors, the name must tell.

    >>> counts = Counts.from_arrays({"A": [[1, 2]]}, columns=["f1", "steps"], form="items")
    >>> [direction_of(metric, counts) for metric in metrics_of(counts)]
    ['named', 'assumed']
    """
    own = any(each.name == metric.name for each in counts.metrics)
    if own or counts.form != "items" or not isinstance(metric, Ratio):
        return "own"
    if not metric.is_weighted_mean:
        return "own"
    (column, _) = metric.numerator[0]
    if column in counts.lower:
        return "given"
    if counts.suite is not None and counts.suite.scores:  # a column made of those of the tasks
        return "named" if all(map(direction, counts.suite.scores.values())) else "assumed"
    return "named" if direction(metric.name) or direction(column) else "assumed"


def score_counts(counts: Counts, metric: Metric) -> Scores:
    """Return the scores of counts by one metric.

    >>> from tellapart.metrics import metric
    >>> counts = Counts.from_arrays({"A": [[3, 1, 2]], "B": [[2, 0, 3]]}, ["tp", "fp", "fn"])
    >>> scores = score_counts(counts, metric("f1", counts.columns))
    >>> scores.exact_score(0), scores.exact_score(1)
    (Fraction(2, 3), Fraction(4, 7))
    """
    absent = [column for column in metric.columns if column not in counts.columns]
    if absent:
        raise UsageError(
            f"metric {metric.name!r} needs the columns {' '.join(metric.columns)}; "
            f"there are {' '.join(counts.columns)}"
        )
    if isinstance(metric, Ratio):
        return _ratio_scores(counts, metric)
    columns = np.stack([counts.column(column) for column in metric.columns])
    scale = np.array([_scale(counts, column) for column in metric.columns], np.float64)
    return FunctionScores(metric, counts, columns, scale)


def _ratio_scores(counts: Counts, metric: Ratio) -> RatioScores:
    forms = metric.numerator, metric.denominator
    weights = _item_weights(counts) if metric.weighted else None
    exact = all(counts.exact[counts.columns.index(column)] for column in metric.columns)
    single = max(map(len, forms)) == 1 and not metric.weighted
    if metric.weighted:
        exact = exact and _weights_are_exact(forms, counts, weights)
    if exact or single:
        made = [_whole_form(form, counts, weights) for form in forms]
        columns = np.stack([values for values, _ in made])
        step, factor = made[0][1], made[0][1] / made[1][1]
    else:
        largest = max(_largest_sum(form, counts, weights) for form in forms)
        grid = 1 << max(0, math.floor(math.log2(LARGEST_SUM / 4 / largest))) if largest else 1
        columns = np.stack([_rounded_form(form, counts, weights, grid) for form in forms])
        step, factor = Fraction(1, grid), Fraction(1)
    sizes = columns[1]
    if sizes.min(initial=0) < 0:
        system, item = np.argwhere(sizes < 0)[0]
        raise DataError(
            f"metric {metric.name!r} has a negative denominator for system "
            f"{counts.names[system]!r} on {counts.kind} {counts.items[item]!r}; "
            "denominators must be counts"
        )
    return RatioScores(metric, counts, columns, step, factor, exact, counts.times)


def _item_weights(counts: Counts) -> NDArray[np.int64] | Floats | None:
    return None if counts.suite is None else counts.suite.weights(counts.sizes)


def _scale(counts: Counts, column: str) -> int:
    return 1 if column == ITEMS else counts.scales[counts.columns.index(column)]


def _column(counts: Counts, column: str) -> Ints:
    """Return a column, systems × items; that of items counts those that a system has."""
    if column != ITEMS:
        return counts.column(column)
    sizes = np.broadcast_to(counts.sizes, (len(counts.names), len(counts.items)))
    return sizes if counts.present is None else sizes * counts.present


def _whole_form(
    form: Weights, counts: Counts, weights: NDArray[np.int64] | Floats | None
) -> tuple[Ints, Fraction]:
    """Return a linear form of columns as whole numbers, and what one step of it is worth."""
    values = np.zeros((len(counts.names), len(counts.items)), np.int64)
    if not form:
        return values, Fraction(1)
    scaled = {column: weight / _scale(counts, column) for column, weight in form}
    common = math.lcm(*(weight.denominator for weight in scaled.values()))
    whole = {column: int(weight * common) for column, weight in scaled.items()}
    divisor = math.gcd(*whole.values())
    largest = 0
    for column, weight in whole.items():
        step, rows = weight // divisor, _column(counts, column)
        times = 1 if counts.times is None else counts.times
        largest += abs(step) * int((np.abs(rows) * times).sum(axis=1).max())
        if largest >= LARGEST_SUM:
            raise DataError(
                f"the sums of column {column!r} are too large to be exact (2^52 and more); "
                "give fewer decimals or smaller counts"
            )
        values += step * rows
    if weights is not None:
        values *= weights.astype(np.int64)
    return values, Fraction(divisor, common)


def _rounded_form(
    form: Weights, counts: Counts, weights: NDArray[np.int64] | Floats | None, grid: int
) -> Ints:
    """Return a linear form of real columns, rounded to so many steps per 1."""
    values = np.zeros((len(counts.names), len(counts.items)))
    for column, weight in form:
        values += float(weight * grid / _scale(counts, column)) * _column(counts, column)
    return np.rint(values if weights is None else values * weights).astype(np.int64)


def _largest_sum(
    form: Weights, counts: Counts, weights: NDArray[np.int64] | Floats | None
) -> float:
    """Return how large the sum of a form may be for any system."""
    return math.fsum(
        abs(float(weight)) / _scale(counts, column)
        * float((np.abs(_column(counts, column)) * (1.0 if weights is None else weights))
                .sum(axis=1).max())
        for column, weight in form
    )  # fmt: skip


def _weights_are_exact(
    forms: Sequence[Weights], counts: Counts, weights: NDArray[np.int64] | Floats | None
) -> bool:
    """Return whether a weighted mean has whole weights and sums that stay exact."""
    if weights is None or weights.dtype.kind == "f":
        return False
    scales = [math.lcm(*(_scale(counts, column) for column, _ in form)) for form in forms]
    sums = (_largest_sum(form, counts, weights) for form in forms)
    return max(total * scale for total, scale in zip(sums, scales, strict=True)) < LARGEST_SUM
