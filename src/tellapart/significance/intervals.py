"""Intervals for all systems and pairs of a comparison, by the method that fits each metric.

A system: Wilson's interval of right and wrong answers, t for other means. A difference: Tango's
score interval of right and wrong answers, the inverted randomization test for other means. Anything
else: BCa. All of them are one-sided where the test is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.resampling.subset_means import surely_too_many
from tellapart.significance.bootstrap_tests import (
    RESAMPLES,
    Resampled,
    jackknife,
    resample,
    scores,
)
from tellapart.significance.dispatch import SHUFFLES, Execution, Settings
from tellapart.significance.interval_formulas import (
    Interval,
    beyond_draws,
    resampled_interval,
    stretched,
)
from tellapart.significance.inversion import Inversion, far_intervals, invert
from tellapart.significance.paired_proportions import tango_interval
from tellapart.significance.questions import Question
from tellapart.significance.score_intervals import (
    clustered_share,
    mean_interval,
    newcombe,
    unseen,
    wilson,
)
from tellapart.significance.varying_runs import RunNoise, pair_noise, system_noise

LARGE = 100_000
"""Above so many discordant items means use t, and other metrics fewer resamples."""
FEW_RESAMPLES = 999
FEW_DIFFER = 10
"""Where fewer items differ, and not half of all, those that were not seen may matter more."""

_TOGETHER = 1 << 16  # values of several pairs that are worked on at once


@dataclass(frozen=True, slots=True)
class Estimate:
    """The interval of a difference."""

    interval: Interval | None = None


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
        self._scores: dict[tuple[int, int], NDArray[np.float64]] = {}

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

    def pairs(self, questions: Sequence[Question], errors: Sequence[float]) -> list[Estimate]:
        """Return the intervals of all differences; `errors` are how often each may miss."""
        levels = [
            level_of(error, question.tail)
            for question, error in zip(questions, errors, strict=True)
        ]
        known = self._at_once(questions, levels)
        intervals = [
            self._pair(question, level, known.get(k))
            for k, (question, level) in enumerate(zip(questions, levels, strict=True))
        ]
        return [
            Estimate(None if interval is None else interval.one_sided(question.tail))
            for question, interval in zip(questions, intervals, strict=True)
        ]

    def _at_once(
        self, questions: Sequence[Question], levels: Sequence[float]
    ) -> dict[int, Interval]:
        """Return the intervals that are made of all pairs of one metric and level at once."""
        groups: dict[tuple[int, float], list[int]] = {}
        if self._method is None:
            for k, (question, level) in enumerate(zip(questions, levels, strict=True)):
                groups.setdefault((id(question.bound), level), []).append(k)
        found: dict[int, Interval] = {}
        for (_, level), members in groups.items():
            some = [questions[k] for k in members]
            pairs = [(each.a, each.b) for each in some]
            shares = share_differences(self._projection, some[0].bound, pairs, level)
            made: Sequence[Interval | None] = shares or self._far(some, level)
            found.update((k, each) for k, each in zip(members, made, strict=False) if each)
        return found

    def _far(self, questions: Sequence[Question], level: float) -> list[Interval | None]:
        """Return the intervals of means at a level that draws are too few for, if it is one.

        None for pairs that are to be looked at one by one, as those that have an exact interval.
        """
        bound, shuffles = questions[0].bound, self._inversion_shuffles
        if not self._inverts(bound) or not beyond_draws(level, 4 * shuffles):
            return []
        numerators, sizes = (
            self._projection.forms[k] for k in (bound.numerator, bound.denominator)
        )
        found: list[Interval | None] = []
        several = max(1, _TOGETHER // numerators.shape[1])
        for first in range(0, len(questions), several):
            pairs = [(each.a, each.b) for each in questions[first : first + several]]
            a, b = np.array(pairs).T
            rows, own = numerators[a] - numerators[b], sizes[a[0]]
            far = np.count_nonzero(rows, axis=1) <= LARGE
            # Of so many sums more items differ than would need an allowance for those unseen.
            far &= surely_too_many(rows, own)
            made = iter(far_intervals(rows[far], own[None], bound.factor, level))
            found += [next(made) if each else None for each in far.tolist()]
        return found

    def _inversion(self, question: Question) -> Inversion | None:
        """Return the inverted randomization test of a pair, where its interval is made so."""
        bound, a, b = question.bound, question.a, question.b
        if not self._inverts(bound) or int(self._projection.discordant(bound, a, b).sum()) > LARGE:
            return None
        options = self._settings.options
        exact = options.test != "shuffle"
        shuffles = self._inversion_shuffles
        return invert(self._projection, bound, a, b, shuffles, options.seed, exact=exact)

    @property
    def _inversion_shuffles(self) -> int:
        """As many as p is from, where that is by so many shuffles."""
        options = self._settings.options
        return (options.shuffles if options.test == "shuffle" else None) or SHUFFLES

    def _inverts(self, bound: Bound) -> TypeGuard[BoundRatio]:
        is_mean = isinstance(bound, BoundRatio) and bound.metric.is_mean
        paired = self._projection.counts.present is None
        return is_mean and paired and self._method is None

    def _system(self, bound: Bound, system: int, level: float) -> Interval | None:
        interval = self._system_of_these_runs(bound, system, level)
        if not self._settings.runs_vary:
            return interval
        noise = system_noise(self._projection, bound, system)
        found = _of_other_runs(interval, noise, level)
        bounded = found is not None and in_range(bound, self._projection)
        return found.within(0.0, 1.0) if found is not None and bounded else found

    def _system_of_these_runs(self, bound: Bound, system: int, level: float) -> Interval | None:
        if isinstance(bound.metric, ItemFunction):
            return None
        if self._method is None and isinstance(bound, BoundRatio) and bound.metric.is_mean:
            return system_mean(self._projection, bound, system, level)
        measured = float(self._projection.score(bound, system))
        drawn = self._drawn(bound, system)
        found = self._resampled_interval(drawn, measured, self._jackknife(bound, system), level)
        if self._method is not None or not found.is_point:
            return found
        if not in_range(bound, self._projection):
            return OPEN
        items = _effective(self._projection.forms[bound.denominator, system])
        return Interval(*unseen(measured, items, level), "wilson")

    def _pair(self, question: Question, level: float, shares: Interval | None) -> Interval | None:
        interval = shares or self._pair_of_these_runs(question, level)
        if not self._settings.runs_vary:
            return interval
        noise = pair_noise(self._projection, question.bound, question.a, question.b)
        found = _of_other_runs(interval, noise, level)
        bounded = found is not None and in_range(question.bound, self._projection)
        return found.within(-1.0, 1.0) if found is not None and bounded else found

    def _pair_of_these_runs(self, question: Question, level: float) -> Interval | None:
        bound, a, b = question.bound, question.a, question.b
        if isinstance(bound.metric, ItemFunction):
            return None
        if self._method is not None:
            return self._resampled_pair(question, level)
        inversion = self._inversion(question)
        if inversion is not None:
            found = inversion.interval(level)
        elif self._inverts(bound):
            found = _t_difference(self._projection, bound, a, b, level)
        else:
            found = self._resampled_pair(question, level)
        return allowing_for_unseen(found, self._projection, question, level)

    def _resampled_pair(self, question: Question, level: float) -> Interval:
        bound, a, b = question.bound, question.a, question.b
        measured = float(self._projection.score(bound, a)) - float(self._projection.score(bound, b))
        left_out = self._jackknife(bound, a) - self._jackknife(bound, b)
        drawn = self._drawn(bound, a) - self._drawn(bound, b)
        return self._resampled_interval(drawn, measured, left_out, level)

    def _resampled_interval(
        self,
        drawn: NDArray[np.float64],
        measured: float,
        left_out: NDArray[np.float64],
        level: float,
    ) -> Interval:
        """Return an interval from resamples, by BCa unless another method is named."""
        times, method = self._resampled.times, self._method or "bca"
        return stretched(
            lambda within: resampled_interval(method, drawn, measured, left_out, within, times),
            measured,
            level,
            len(drawn) if times is None else None,
        )

    def _drawn(self, bound: Bound, system: int) -> NDArray[np.float64]:
        """Return a system's scores in all resamples, worked out once for all of its pairs."""
        key = id(bound), system
        if key not in self._scores:
            self._scores[key] = scores(bound, self._resampled.sums[:, :, system])
        return self._scores[key]

    def _jackknife(self, bound: Bound, system: int) -> NDArray[np.float64]:
        key = id(bound), system
        if key not in self._left_out:
            self._left_out[key] = jackknife(self._projection, bound, system)
        return self._left_out[key]


def level_of(error: float, tail: str) -> float:
    """Return the level of an interval of both sides that may miss so often on those of a test."""
    return max(0.0, 1 - error * (1 if tail == "two" else 2))


def _of_other_runs(
    interval: Interval | None, noise: RunNoise | None, level: float
) -> Interval | None:
    """Return the interval for runs that could be others: never narrower than that of these runs."""
    if interval is None or noise is None:
        return interval
    low, high = noise.ends(level)
    return replace(interval.reaching(low).reaching(high), method="runs")


OPEN = Interval(None, None, "none (no spread)")
"""Of a score without known bounds that is the same on all items: nothing can be said"""


def right_worth(projection: Projection, bound: Bound) -> float | None:
    """Return what a right answer scores, 1 or 100, if every item is just right or wrong.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics.projection import project
    >>> for scores in ([1, 0, 1], [100, 0, 100], [0.5, 0, 1]):
    ...     projection = project(Counts.from_arrays({"A": scores, "B": scores}))
    ...     print(right_worth(projection, projection.metrics[0]))
    1.0
    100.0
    None
    """
    if not isinstance(bound, BoundRatio) or not bound.metric.is_mean:
        return None
    if projection.counts.cluster is not None:
        return None
    right, items = projection.forms[bound.numerator], projection.forms[bound.denominator]
    top = max(1, int(right.max(initial=0)))
    worth = float(bound.factor * top)
    answers = worth in (1, 100) and bool(((right == 0) | (right == top)).all() and items.max() <= 1)
    return worth if answers else None


def in_range(bound: Bound, projection: Projection) -> TypeGuard[BoundRatio]:
    """Return whether a score lies between 0 and 1 on every item of every system."""
    if not isinstance(bound, BoundRatio) or not projection.totals[bound.denominator].all():
        return False
    values, sizes = projection.forms[bound.numerator], projection.forms[bound.denominator]
    return bool((values >= 0).all() and (values * float(bound.factor) <= sizes).all())


def system_mean(projection: Projection, bound: BoundRatio, system: int, level: float) -> Interval:
    """Return the interval of one system's mean."""
    sums, sizes = (
        projection.forms[form, system].astype(np.float64)
        for form in (bound.numerator, bound.denominator)
    )
    worth, items = right_worth(projection, bound), float(sizes.sum())
    if items == 0:
        return Interval(None, None, "wilson")
    if worth is not None:
        right = float(bound.factor) * float(sums.sum()) / worth
        return Interval(*wilson(right, items, level), "wilson").scaled(worth)
    bounded, values = in_range(bound, projection), float(bound.factor) * sums
    if bounded and bound.exact and bound.factor == 1 and projection.counts.cluster is not None:
        return clustered_share(values, sizes, level)
    return mean_interval(values, sizes, level, bounded)


def share_differences(
    projection: Projection, bound: Bound, pairs: Sequence[tuple[int, int]], level: float
) -> list[Interval] | None:
    """Return the score intervals of differences of right and wrong answers; None for others.

    Tango's where both systems have the same items, Newcombe's where each has its own.
    """
    worth = right_worth(projection, bound)
    if worth is None or not isinstance(bound, BoundRatio):
        return None
    right = projection.forms[bound.numerator] > 0
    if projection.counts.present is None:
        won, lost = (
            [int(np.count_nonzero(right[x] & ~right[y])) for x, y in each]
            for each in (pairs, [(b, a) for a, b in pairs])
        )
        lows, highs = tango_interval(won, lost, right.shape[1], level)
        ends = zip(lows.tolist(), highs.tolist(), strict=True)
        return [Interval(low, high, "tango").scaled(worth) for low, high in ends]
    shares = [
        (float(each.sum()), float(items))
        for each, items in zip(right, projection.totals[bound.denominator], strict=True)
    ]
    return [
        Interval(*newcombe(shares[a], shares[b], level), "newcombe").scaled(worth) for a, b in pairs
    ]


def allowing_for_unseen(
    found: Interval, projection: Projection, question: Question, level: float
) -> Interval:
    """Return an interval that also allows for differing items that were just not seen.

    Where few items differ, a bounded difference is taken for one of right and wrong answers with
    the same gains and losses: nothing that is possible spreads more. Without bounds there is no
    interval where no item differs.
    """
    bound, a, b = question.bound, question.a, question.b
    differ = int(projection.discordant(bound, a, b).sum())
    if not found.is_point and (differ >= FEW_DIFFER or 2 * differ >= len(projection.counts.items)):
        return found
    if projection.counts.present is not None or not in_range(bound, projection):
        return OPEN if found.is_point else found
    gains, losses, items = _gains_and_losses(projection, bound, a, b)
    low, high = tango_interval(gains, losses, items, level)
    return found.reaching(float(low)).reaching(float(high))


def _gains_and_losses(
    projection: Projection, bound: BoundRatio, a: int, b: int
) -> tuple[float, float, float]:
    """Return what items add to and take from a difference, in items, and the number of items.

    What an item adds is its residual from the ratio of both systems together; large items count
    for more, so that the number of items is that of equally large ones.
    """
    num, den = (
        projection.forms[form][[a, b]].astype(np.float64)
        for form in (bound.numerator, bound.denominator)
    )
    pooled = num.sum() / den.sum()
    residuals = float(bound.factor) * (num - pooled * den) / den.sum(axis=1, keepdims=True)
    items = _effective(den.sum(axis=0))
    apart = items * (residuals[0] - residuals[1])
    gains, losses = float(apart[apart > 0].sum()), -float(apart[apart < 0].sum())
    scale = min(1.0, items / max(gains + losses, 1e-300))
    return scale * gains, scale * losses, items


def _effective(sizes: NDArray[Any]) -> float:
    """Return how many items of equal size weigh as much as these."""
    return float(sizes.sum()) ** 2 / float((sizes.astype(np.float64) ** 2).sum())


def _t_difference(projection: Projection, bound: Bound, a: int, b: int, level: float) -> Interval:
    assert isinstance(bound, BoundRatio)
    numerators, sizes = projection.forms[bound.numerator], projection.forms[bound.denominator, a]
    apart = float(bound.factor) * (numerators[a] - numerators[b])
    return mean_interval(apart, sizes.astype(np.float64), level, bounded=False)
