"""The record of each pair: test, interval, margin, diagnostics and items won, put together once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.diagnostics import diagnose
from tellapart.comparison.intervals import Intervals, deciding, with_runs
from tellapart.comparison.margins import decide_margins
from tellapart.comparison.options import Options
from tellapart.comparison.record import Diagnostics, MarginDecision, Pair
from tellapart.comparison.testing import Pairs, Scored, Work, narrow
from tellapart.metrics.scores import RatioScores, Scores
from tellapart.stats.confidence import confidence, p_interval
from tellapart.stats.result import Flags, Floats, Interval, Ints, Test
from tellapart.stats.runs import Spread

_NO_FIGURES = Diagnostics()
DETAILED_SYSTEMS = 30
"""Up to so many systems, every pair has diagnostics; of more, those of the best and neighbours"""


@dataclass(frozen=True, slots=True)
class Tested:
    """The tests of one metric, corrected: arrays over its pairs."""

    pairs: Pairs
    tests: list[Test]
    these_runs: list[Test]
    """The tests of these items and runs alone"""
    spreads: list[Spread | None]
    p: Floats  # NaN where a test is undefined
    p_adjusted: Floats
    levels: Floats
    """What each p is compared with, given those of the others"""
    interval_error: Floats
    """How often each interval may miss"""
    simultaneous: bool
    """Whether all intervals hold at once"""
    different: Flags


def decision_confidence(test: Test, level: float) -> float:
    """Return how sure it is that the exact test rejects at a level."""
    if test.p is None:
        return 0.0
    if test.n_resamples is None or test.exceedances is None:
        return float(test.p <= level) if test.exact else 0.0
    return float(confidence(test.exceedances, test.n_resamples, level))


def pair_records(scored: Scored, tested: Tested, work: Work) -> list[Pair]:
    """Return the records of all pairs of one metric."""
    scores, options, pairs = scored.scores, scored.options, tested.pairs
    won, lost, tied, differing = (each.tolist() for each in items_won(scored.items, pairs))
    if scores.n < scored.items.n:  # clusters
        differing = [scores.differing(a, b) for a, b, _ in pairs]
    decided: list[tuple[MarginDecision, Interval | None, float | None] | None]
    decided = [None] * len(pairs)
    intervals: list[Interval | None] = [None] * len(pairs)
    if options.margin is not None:
        decided = decide_margins(scored, pairs, tested.spreads)
    elif options.intervals:
        intervals = _intervals(scored, tested, work)
    figures = diagnose(
        scored, pairs, tested.tests, tested.levels.tolist(), tested.spreads,
        _detailed(scores, pairs, options), work,
    )  # fmt: skip
    names, higher = scores.systems, scores.metric.higher_is_better
    differences, different = _differences(scored, pairs), tested.different.tolist()
    adjusted, levels = tested.p_adjusted.tolist(), tested.levels.tolist()
    sure = _of_shuffles(tested.tests, options.alpha)
    records = []
    for k, (a, b, sign) in enumerate(pairs):
        test, margin = tested.tests[k], decided[k]
        interval = intervals[k] if margin is None else margin[1]
        level = 1 - options.alpha if margin is None else margin[2]
        leaning = _leaning(test, options.test, differences[k])
        favoured = None if leaning == 0 else names[a if (leaning > 0) == higher else b]
        drawn = test.n_resamples is not None and test.exceedances is not None
        records.append(
            Pair(
                a=names[a],
                b=names[b],
                metric=scores.name,
                difference=differences[k],
                p=test.p,
                p_adjusted=None if test.p is None else adjusted[k],
                different=different[k],
                favours=favoured,
                level=levels[k],
                sign=sign if higher else -sign,
                method=test.method,
                shuffles=test.n_resamples,
                exceedances=test.exceedances,
                arrangements=test.arrangements,
                error=test.error,
                settled=_settled(test, levels[k], sure.get(k)),
                sequential=drawn and test.settled is not None,
                statistic=test.statistic,
                df=test.df,
                reason=test.reason,
                confidence=sure[k][0] if k in sure else _confidence(test, options.alpha),
                p_interval=sure[k][1:] if k in sure else None,
                interval=None if interval is None else interval.ends,
                interval_method=None if interval is None else interval.method,
                interval_level=None if interval is None else level,
                simultaneous=tested.simultaneous and margin is None,
                differing=differing[k],
                items_a_better=won[k],
                items_b_better=lost[k],
                items_tied=tied[k],
                margin=None if margin is None else margin[0],
                spread=tested.spreads[k],
                p_these_runs=None if tested.spreads[k] is None else tested.these_runs[k].p,
                diagnostics=figures.get(k, _NO_FIGURES),
            )
        )
    return records


def _differences(scored: Scored, pairs: Pairs) -> list[float]:
    """Return first minus second of every pair, rounded once where scores are fractions."""
    if scored.adapter is not None:
        return [scored.adapter.difference(a, b) for a, b, _ in pairs]
    found: list[float] = scored.scores.differences(pairs.a, pairs.b).tolist()
    return found


def _leaning(test: Test, name: str, difference: float) -> float:
    """Return which way a test speaks: signs and ranks may speak against the difference."""
    by_ranks = name in ("sign", "wilcoxon") and test.statistic is not None
    return float(test.statistic or 0.0) if by_ranks else difference


def _of_shuffles(tests: Sequence[Test], alpha: float) -> dict[int, tuple[float, float, float]]:
    """Return, of tests by shuffles, the confidence at alpha and both ends of the exact p."""
    drawn = [k for k, test in enumerate(tests) if test.method == "shuffles"]
    if not drawn:
        return {}
    counts, numbers = (
        np.array([getattr(tests[k], name) for k in drawn], np.int64)
        for name in ("exceedances", "n_resamples")
    )
    figures = np.stack([confidence(counts, numbers, alpha), *p_interval(counts, numbers)], axis=1)
    rows = zip(drawn, figures.tolist(), strict=True)
    return {k: (sure, low, high) for k, (sure, low, high) in rows}


def _confidence(test: Test, alpha: float) -> float | None:
    """Return whether an exact test rejects at alpha; None where that is not known."""
    if test.p is None or test.n_resamples is not None:
        return None
    if not test.exact or test.p - test.error <= alpha < test.p:
        return None
    return float(test.p <= alpha)


def _settled(test: Test, level: float, sure: tuple[float, float, float] | None) -> bool | None:
    """Return whether it is clear on which side of its level p is; None where that is not asked."""
    if test.p is None:
        return None
    if test.exact and test.error:
        return not test.p - test.error <= level < test.p
    if test.method == "shuffles" and test.settled is None:
        return None if sure is None else not sure[1] <= level < sure[2]
    return test.settled


def _intervals(scored: Scored, tested: Tested, work: Work) -> list[Interval | None]:
    """Return the intervals of all pairs, which say of 0 what the decisions say."""
    scores, options, pairs = scored.scores, scored.options, tested.pairs
    sides = np.where(pairs.signs == 0, 1, 2)
    levels = np.maximum(0.0, 1 - tested.interval_error * sides).tolist()
    made = Intervals(scores, options, work, scored.adapter).pairs(pairs, levels)
    found: list[Interval | None] = []
    for k, (interval, difference) in enumerate(zip(made, _differences(scored, pairs), strict=True)):
        undefined = tested.tests[k].reason == "undefined"  # of a score that is none
        if interval is None or undefined:
            found.append(None)
            continue
        spread, sign = tested.spreads[k], int(pairs.signs[k])
        interval = with_runs(scores, interval, spread, levels[k], sign)
        against = _leaning(tested.tests[k], options.test, difference) * difference < 0
        direction = 0.0 if against else difference
        found.append(deciding(interval, bool(tested.different[k]), direction))
    return found


def items_won(items: Scores, pairs: Pairs) -> tuple[Ints, ...]:
    """Return on how many items the first system is better, worse, and neither, and differs."""
    n, size = len(pairs), max(1, (1 << 21) // max(1, items.columns.shape[2]))
    better, worse, differing = (np.zeros(n, np.int64) for _ in range(3))
    summed = items.counts.cluster is not None  # data of which single items are not at hand
    known = items.has_sums and items.counts.present is None and not summed
    ranks = _item_ranks(items, many=n > 8 * len(items.systems)) if known else None
    columns = [narrow(own) for own in items.columns if (own != own[0]).any()]
    for start in range(0, n, size):
        block = slice(start, start + size)
        a, b = pairs.a[block], pairs.b[block]
        apart = np.zeros((len(a), items.columns.shape[2]), np.bool_)
        for own in columns:
            apart |= own[a] != own[b]
        differing[block] = _counted(apart, items.times)
        if ranks is not None:
            first, second = ranks[a], ranks[b]
            better[block] = _counted(first > second, items.times)
            worse[block] = _counted(first < second, items.times)
    if not items.metric.higher_is_better:
        better, worse = worse, better
    tied: Ints = np.full(n, items.n) - better - worse
    if ranks is None:
        tied = np.zeros(n, np.int64) if items.counts.present is not None else items.n - differing
    return better, worse, tied, differing


def _counted(flags: Flags, times: Ints | None) -> Ints:
    """Return for each row how many items its flags stand for."""
    if times is None:
        return np.asarray(np.count_nonzero(flags, axis=1))
    return np.asarray((flags * times).sum(axis=1))


def _item_ranks(items: Scores, many: bool) -> NDArray[Any]:
    """Return the score of each item, systems × items; of many pairs, its rank in few bytes.

    Quotients of whole numbers below 2^25 are the same floats only where they are equal.
    """
    if isinstance(items, RatioScores):
        num, den = items.columns
        if items.denominator_kinds.max() == 0 and (den[0] > 0).all():
            return narrow(num)
        scores = np.where(den == 0, float(items.undefined), num / np.where(den == 0, 1, den))
    else:
        scores = np.stack([items.item_scores(s) for s in range(len(items.systems))])
    if not many:
        return scores
    return narrow(np.unique(scores, return_inverse=True)[1].reshape(scores.shape))


def _detailed(scores: Scores, pairs: Pairs, options: Options) -> Collection[int]:
    """Return the pairs that have diagnostics: all, or those of the best and of neighbours."""
    if len(scores.systems) <= DETAILED_SYSTEMS or options.baseline is not None:
        return range(len(pairs))
    order = np.argsort(-scores.values if scores.metric.higher_is_better else scores.values,
                       kind="stable")  # fmt: skip
    rank = np.argsort(order, kind="stable")
    first, second = rank[pairs.a], rank[pairs.b]
    near = (np.minimum(first, second) == 0) | (np.abs(first - second) == 1)
    return np.flatnonzero(near & (np.maximum(first, second) < 100)).tolist()
