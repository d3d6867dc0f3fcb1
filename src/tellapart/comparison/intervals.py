"""Confidence intervals of all systems and pairs, by the method that fits what is scored.

A system: Wilson's for right and wrong answers, t for other means. A difference: Tango's (Newcombe's
where systems have items of their own) for right and wrong answers, the inverted test or t for other
means. Anything else that is a function of sums: BCa. One-sided where the test is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tellapart.comparison.options import Options
from tellapart.comparison.testing import Pairs, Work, resampled_scores
from tellapart.metrics.scores import RatioScores, Scores
from tellapart.stats.bootstrap import RESAMPLES, bca
from tellapart.stats.intervals import (
    FEW_DIFFER,
    clustered_wilson,
    difference_interval,
    equal_items,
    mean_interval,
    never_seen,
    newcombe,
    tango,
    widened_for_unseen,
    wilson,
)
from tellapart.stats.result import Floats, Interval, Ints, Test
from tellapart.stats.runs import Spread

if TYPE_CHECKING:
    from tellapart.comparison.scored import Scored, Tested

MANY_ITEMS = 100_000
"""Above so many items, intervals by resampling draw fewer resamples"""
FEW_RESAMPLES = 999

_OPEN = Interval(None, None, "none (no spread)")
"""Of a score without known bounds that is the same on all items: nothing can be said"""
NO_BOUND = Interval(None, None, "none (no bound)")
"""Of a difference that could be as large as one likes"""


@dataclass
class Intervals:
    """The intervals of one metric; resamples are drawn once, and only if they are needed."""

    scores: Scores
    options: Options
    work: Work

    @cached_property
    def _is_mean(self) -> bool:
        return isinstance(self.scores, RatioScores) and self.scores.metric.is_mean

    def system(self, system: int, level: float) -> Interval | None:
        """Return the interval of one system's score."""
        scores = self.scores
        if not scores.has_sums:
            return None
        if self._is_mean and isinstance(scores, RatioScores):
            return self._mean(scores, system, level)
        drawn, times = self._resampled
        observed, left_out = float(scores.values[system]), self._left_out(system)
        interval = bca(drawn[system], observed, left_out, level, times, scores.times)
        if not interval.is_point:
            return interval
        if not scores.unit_interval:
            return _OPEN
        items = equal_items(scores.columns[1, system].astype(np.float64))
        return never_seen(float(scores.values[system]), items, level)

    def _mean(self, scores: RatioScores, system: int, level: float) -> Interval:
        sums, sizes = scores.columns[:, system].astype(np.float64)
        right, items = scores.totals[:, system].tolist()
        worth, factor = scores.right_or_wrong, float(scores.factor)
        if items == 0:
            return Interval(None, None, "wilson")
        if worth is not None:
            return wilson(factor * right / worth, items, level).scaled(worth)
        whole = scores.exact and scores.factor == 1 and scores.counts.cluster is not None
        if scores.unit_interval and whole:
            times = None if scores.times is None else scores.times.astype(np.float64)
            return clustered_wilson(sums, sizes, level, times=times)
        bounded = scores.unit_interval and scores.metric.higher_is_better  # WER may exceed 1
        return mean_interval(factor * sums, sizes, level, unit_interval=bounded, times=scores.times)

    def pairs(self, pairs: Pairs, levels: Sequence[float]) -> list[Interval | None]:
        """Return the intervals of all differences, each at its level of both sides."""
        made = self.both_sided(pairs, levels)
        return [
            interval and interval.one_sided(sign)
            for interval, sign in zip(made, pairs.signs.tolist(), strict=True)
        ]

    def both_sided(self, pairs: Pairs, levels: Sequence[float]) -> list[Interval | None]:
        """Return the intervals of all differences, with both ends."""
        return [*self._shares(pairs, levels)] or [
            self._pair(a, b, level) for (a, b, _), level in zip(pairs, levels, strict=True)
        ]

    def _shares(self, pairs: Pairs, levels: Sequence[float]) -> list[Interval]:
        """Return the intervals of differences of right and wrong answers; none for others."""
        scores, worth = self.scores, self.scores.right_or_wrong
        if worth is None:
            return []
        right = scores.columns[0] > 0
        if scores.counts.present is not None:
            sizes = scores.totals[1]
            shares = [(float(own.sum()), float(n)) for own, n in zip(right, sizes, strict=True)]
            return [
                newcombe(shares[a], shares[b], level).scaled(worth)
                for (a, b, _), level in zip(pairs, levels, strict=True)
            ]
        flags, n = right.astype(np.float32 if scores.times is None else np.float64), scores.n
        often = 1.0 if scores.times is None else scores.times
        wins = (flags * often) @ (
            1 - flags
        ).T  # systems × systems: items that only the first has right
        won, lost = wins[pairs.a, pairs.b], wins[pairs.b, pairs.a]
        intervals: list[Interval] = [_OPEN] * len(pairs)
        for level in set(levels):
            chosen = np.flatnonzero(np.array(levels) == level)
            ends = tango(won[chosen], lost[chosen], n, level)
            for k, low, high in zip(chosen.tolist(), *(e.tolist() for e in ends), strict=True):
                intervals[k] = Interval(low, high, "tango").scaled(worth)
        return intervals

    def _pair(self, a: int, b: int, level: float) -> Interval | None:
        scores = self.scores
        if not scores.has_sums:
            return None
        paired = scores.counts.present is None
        if self._is_mean and paired and isinstance(scores, RatioScores):
            apart = float(scores.factor) * (scores.columns[0, a] - scores.columns[0, b])
            interval = difference_interval(apart, scores.columns[1, a], level, times=scores.times)
        else:
            left_out = self._left_out(a) - self._left_out(b)
            drawn, times = self._resampled
            observed = float(scores.values[a] - scores.values[b])
            interval = bca(drawn[a] - drawn[b], observed, left_out, level, times, scores.times)
        return self._allowing_for_unseen(interval, a, b, level)

    def _allowing_for_unseen(self, interval: Interval, a: int, b: int, level: float) -> Interval:
        """Return an interval that also allows for differing items that were just not seen."""
        scores = self.scores
        differing = scores.differing(a, b)
        enough = differing >= FEW_DIFFER or 2 * differing >= scores.n
        if not interval.is_point and enough:
            return interval
        paired = scores.counts.present is None
        terms = scores.terms(a, b) if paired and scores.unit_interval else None
        if terms is None:
            return _OPEN if interval.is_point else interval
        sizes = scores.columns[1, [a, b]].sum(axis=0).astype(np.float64)
        items = equal_items(sizes)
        apart = items * terms.contributions
        gains, losses = float(apart[apart > 0].sum()), -float(apart[apart < 0].sum())
        return widened_for_unseen(interval, gains, losses, items, level)

    @cached_property
    def _resampled(self) -> tuple[list[Floats], Ints | None]:
        n_resamples = FEW_RESAMPLES if self.scores.n > MANY_ITEMS else RESAMPLES
        return resampled_scores(self.scores, n_resamples, self.options.seed, self.work)

    @cached_property
    def _without(self) -> dict[int, Floats]:
        return {}

    def _left_out(self, system: int) -> Floats:
        if system not in self._without:
            self._without[system] = self.scores.without_item(system)
        return self._without[system]


def with_runs(
    scores: Scores, interval: Interval, spread: Spread | None, level: float, least: float = -1.0
) -> Interval:
    """Return an interval for runs that could be others: never narrower than that of these runs.

    `least` is the smallest value that is possible where items score between 0 and 1.
    """
    if spread is None:
        return interval
    other = spread.interval(level)
    low, high = (
        None if None in ends else pick(end for end in ends if end is not None)
        for ends, pick in (((interval.low, other.low), min), ((interval.high, other.high), max))
    )
    wide = Interval(low, high, "runs")
    return wide.within(least, 1.0) if scores.unit_interval else wide


def pair_intervals(
    scored: Scored, tested: Tested, error: float, maker: Intervals
) -> list[Interval | None]:
    """Return the intervals of all pairs, as their method gives them, whatever the test decides.

    `error` is how often each may miss.
    """
    pairs = tested.pairs
    levels = [max(0.0, 1 - error * (2 if sign else 1)) for sign in pairs.signs.tolist()]
    made = maker.pairs(pairs, levels)
    found: list[Interval | None] = []
    for k, (interval, (a, b, _)) in enumerate(zip(made, pairs, strict=True)):
        if interval is None or tested.tests[k].reason == "undefined":  # of a score that is none
            found.append(None)
            continue
        if scored.has_no_bound(a, b):
            found.append(NO_BOUND)
            continue
        found.append(with_runs(scored.scores, interval, tested.spreads[k], levels[k]))
    return found


def leaning(test: Test, options: Options, difference: float) -> float:
    """Return which way a test speaks: signs and ranks may speak against the difference."""
    by_ranks = options.test in ("sign", "wilcoxon") and test.statistic is not None
    return float(test.statistic or 0.0) if by_ranks else difference
