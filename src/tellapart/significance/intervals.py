"""Intervals for all systems and pairs of a comparison, by the method that fits each metric.

Means: t over items for a system, the inverted randomization test for a difference, one-sided where
the test is. Anything else: BCa.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.significance.bootstrap_tests import (
    RESAMPLES,
    Resampled,
    differences,
    jackknife,
    resample,
    scores,
)
from tellapart.significance.dispatch import SHUFFLES, Execution, Settings
from tellapart.significance.interval_formulas import (
    Interval,
    resampled_interval,
    t_difference,
    t_interval,
)
from tellapart.significance.inversion import Inversion, invert
from tellapart.significance.questions import Question
from tellapart.significance.varying_runs import RunNoise, pair_noise, system_noise

LARGE = 100_000
"""Above so many discordant items means use t, and other metrics fewer resamples."""
FEW_RESAMPLES = 999


@dataclass(frozen=True, slots=True)
class Estimate:
    """The interval of a difference."""

    interval: Interval | None = None
    if_rejected: Interval | None = None
    """The same, should the test reject no difference; it then leaves out 0"""


class Estimator:
    """A maker of intervals, which draws resamples once for all systems, metrics and pairs."""

    def __init__(
        self,
        projection: Projection,
        method: str | None,
        settings: Settings,
        execution: Execution,
    ) -> None:
        self._projection = projection
        self._method = method
        self._settings = settings
        self._execution = execution
        self._left_out: dict[tuple[int, int], NDArray[np.float64]] = {}

    @cached_property
    def _resampled(self) -> Resampled:
        resamples = FEW_RESAMPLES if len(self._projection.counts.items) > LARGE else RESAMPLES
        settings, execution = self._settings, self._execution
        return resample(
            self._projection, resamples, settings.options.seed, execution.pool, settings.strata,
            execution.progress,
        )  # fmt: skip

    def systems(self, level: float) -> list[dict[str, Interval]]:
        """Return the intervals of every system's scores."""
        return [
            {
                bound.metric.name: interval
                for bound in self._projection.metrics
                if (interval := self._system(bound, system, level)) is not None
            }
            for system in range(len(self._projection.counts.names))
        ]

    def pairs(self, questions: Sequence[Question], alpha: float) -> list[Estimate]:
        """Return the intervals of all differences."""
        return [self._estimate(question, alpha) for question in questions]

    def _estimate(self, question: Question, alpha: float) -> Estimate:
        inversion = self._inversion(question)
        tail = question.tail if self._inverts(question.bound) else "two"
        interval = self._pair(question, inversion, 1 - alpha if tail == "two" else 1 - 2 * alpha)
        if interval is None:
            return Estimate()
        leaving = interval if inversion is None else inversion.without_zero(interval)
        return Estimate(interval.one_sided(tail), leaving.one_sided(tail))

    def _inversion(self, question: Question) -> Inversion | None:
        """Return the inverted randomization test of a pair, where its interval is made so."""
        bound, a, b = question.bound, question.a, question.b
        if not self._inverts(bound) or int(self._projection.discordant(bound, a, b).sum()) > LARGE:
            return None
        assert isinstance(bound, BoundRatio)
        settings = self._settings
        drawn = settings.options.test == "shuffle"  # p and interval are then from as many shuffles
        shuffles = settings.options.shuffles if drawn and settings.options.shuffles else SHUFFLES
        return invert(
            self._projection, bound, a, b, shuffles, settings.options.seed, exact=not drawn
        )

    def _inverts(self, bound: Bound) -> bool:
        is_mean = isinstance(bound, BoundRatio) and bound.metric.is_mean
        paired = self._projection.counts.present is None
        return is_mean and paired and self._method is None

    def _system(self, bound: Bound, system: int, level: float) -> Interval | None:
        interval = self._system_of_these_runs(bound, system, level)
        if not self._settings.runs_vary:
            return interval
        return _of_other_runs(interval, system_noise(self._projection, bound, system), level)

    def _system_of_these_runs(self, bound: Bound, system: int, level: float) -> Interval | None:
        if self._inverts(bound):
            assert isinstance(bound, BoundRatio)
            return t_interval(self._projection, bound, system, level)
        if isinstance(bound.metric, ItemFunction):
            return None
        measured = float(self._projection.score(bound, system))
        drawn = scores(bound, self._resampled.sums[:, :, system])
        return self._resampled_interval(drawn, measured, self._jackknife(bound, system), level)

    def _pair(
        self, question: Question, inversion: Inversion | None, level: float
    ) -> Interval | None:
        interval = self._pair_of_these_runs(question, inversion, level)
        if not self._settings.runs_vary:
            return interval
        noise = pair_noise(self._projection, question.bound, question.a, question.b)
        return _of_other_runs(interval, noise, level)

    def _pair_of_these_runs(
        self, question: Question, inversion: Inversion | None, level: float
    ) -> Interval | None:
        bound, a, b = question.bound, question.a, question.b
        if inversion is not None:
            return inversion.interval(level)
        if self._inverts(bound):
            assert isinstance(bound, BoundRatio)
            return t_difference(self._projection, bound, a, b, level)
        if isinstance(bound.metric, ItemFunction):
            return None
        measured = float(self._projection.score(bound, a)) - float(self._projection.score(bound, b))
        left_out = self._jackknife(bound, a) - self._jackknife(bound, b)
        drawn = differences(self._resampled, question)
        return self._resampled_interval(drawn, measured, left_out, level)

    def _resampled_interval(
        self,
        drawn: NDArray[np.float64],
        measured: float,
        left_out: NDArray[np.float64],
        level: float,
    ) -> Interval:
        method = self._method or "bca"
        return resampled_interval(method, drawn, measured, left_out, level, self._resampled.times)

    def _jackknife(self, bound: Bound, system: int) -> NDArray[np.float64]:
        key = id(bound), system
        if key not in self._left_out:
            self._left_out[key] = jackknife(self._projection, bound, system)
        return self._left_out[key]


def _of_other_runs(
    interval: Interval | None, noise: RunNoise | None, level: float
) -> Interval | None:
    """Return the interval for runs that could be others: never narrower than that of these runs."""
    if interval is None or noise is None:
        return interval
    low, high = noise.ends(level)
    return replace(interval.reaching(low).reaching(high), method="runs")
