"""Tests and intervals of a data set in parts, from sums that its parts add up to.

The shuffles are those that the same items get in memory, and so are the resamples: each block of
items has its own random numbers. Shuffles are drawn pass by pass over all parts; a question stops
at its first settled look, wherever the pass ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import combinations
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.partitioned import PartitionedCounts
from tellapart.metrics import Metric
from tellapart.metrics.projection import BoundRatio, Projection, project
from tellapart.resampling.bootstrap import BLOCK, GroupedResampler, worth_grouping
from tellapart.resampling.ratios import TEST, RatioPair, reached
from tellapart.resampling.streams import SHARD
from tellapart.significance.bootstrap_tests import (
    RESAMPLES,
    Resampled,
    bootstrap_test,
    differences,
    scores,
)
from tellapart.significance.diagnostics import Diagnostics, round_off
from tellapart.significance.dispatch import (
    FIXED_SHUFFLES,
    MAX_SHUFFLES,
    RULES,
    SEQUENTIAL,
    SHUFFLES,
    Execution,
    Settings,
    exact_outcome,
    levels_at_stake,
)
from tellapart.significance.exact_tests import of_coins
from tellapart.significance.interval_formulas import (
    Interval,
    JackknifeMoments,
    resampled_interval,
    stretched,
)
from tellapart.significance.intervals import FEW_DIFFER, FEW_RESAMPLES, LARGE, OPEN, Estimate
from tellapart.significance.paired_proportions import tango_interval
from tellapart.significance.partition_sums import (
    JackknifeJob,
    Moments,
    PairSums,
    PartJob,
    ResamplesJob,
    ShardsJob,
    over_parts,
    part_jackknife,
    part_moments,
    part_resamples,
    part_subset_sums,
    sum_over_parts,
)
from tellapart.significance.questions import Outcome, Question
from tellapart.significance.residuals import lacks_score, ratio_residuals
from tellapart.significance.score_intervals import ClusteredMean, skewed_t, unseen, wilson
from tellapart.significance.sequential import robbins_settled
from tellapart.significance.shuffle_tests import SignedTest, pair_of_totals
from tellapart.significance.textbook_independent import inflation

TESTS = ("auto", "shuffle", "bootstrap", "bootstrap-abs")
"""Those that need no more than sums over parts"""
_FIRST_PASS = 5  # shards: ten thousand shuffles settle most questions
_MOST_SUMS = 1 << 20  # doubles that a part returns: 8 MB
_MOST_RESAMPLED = 1 << 22  # integers that a part returns

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass
class PartitionedData:
    """A data set in parts, seen through metrics: sums over all items, random ones on demand."""

    counts: PartitionedCounts
    metrics: tuple[str | Metric, ...]
    seed: int
    execution: Execution
    resampled: bool = False
    """Whether resamples will be asked for"""
    projection: Projection = field(init=False)
    """With the totals of all items, and without the items"""
    moments: Moments = field(init=False)

    def __post_init__(self) -> None:
        empty = project(self.counts.empty(), self.metrics)
        cubes = tuple(k for k, each in enumerate(empty.metrics) if self._needs_cubes(each))
        kinds = self.resampled or any(not _is_mean(each) for each in empty.metrics)
        self._job = PartJob(replace(self.counts, parts=()), self.metrics, self.seed, cubes, kinds)
        self.moments = self._sum(part_moments, self._job)
        self.projection = replace(empty, totals=self.moments.totals)

    def _sum(self, function: Any, job: Any) -> Any:
        pool, progress = self.execution.pool, self.execution.progress
        return sum_over_parts(function, job, self.counts.parts, pool, progress)

    def pair_sums(self, question: Question) -> PairSums:
        """Return what two systems add up to, the first one being the question's."""
        number = next(k for k, each in enumerate(self.projection.metrics) if each is question.bound)
        return self.moments.pairs[number, question.a, question.b]

    def share_worth(self, bound: BoundRatio) -> float | None:
        """Return what a right answer scores, 1 or 100, if every item is just right or wrong."""
        if not bound.metric.is_mean:
            return None
        facts = self.counts.columns[bound.metric.numerator[0][0]]
        worth = max(1, facts.largest) / facts.scale
        return worth if facts.two_valued and worth in (1, 100) else None

    def _needs_cubes(self, bound: Any) -> bool:
        return _is_mean(bound) and self.share_worth(bound) is None

    def ratio_pair(self, question: Question) -> RatioPair:
        """Return the sums of two systems, ready for exact comparison."""
        bound, sums = question.bound, self.pair_sums(question)
        assert isinstance(bound, BoundRatio)
        size = int(self.moments.absolute[bound.numerator, [question.a, question.b]].sum())
        items, same = self.counts.items, sums.same_denominators
        return pair_of_totals(self.projection, question, items, size, same)

    def as_tested(self, question: Question, *, equal_scores: bool) -> Question:
        """Return a question about equal scores, or about exchanged outputs."""
        assert isinstance(question.bound, BoundRatio)
        if not equal_scores or self.pair_sums(question).same_denominators:
            return replace(question, residuals=None)
        found = ratio_residuals(self.projection, question.bound, question.a, question.b)
        return replace(question, residuals=found)

    def closed_form(self, question: Question) -> Outcome | None:
        """Return the exact test of right and wrong answers, whose numbers say it all."""
        bound = question.bound
        assert isinstance(bound, BoundRatio)
        if question.residuals is not None or self.share_worth(bound) is None:
            return None
        sums = self.pair_sums(question)
        return exact_outcome(of_coins(sums.discordant, sums.more - sums.less, question.tail))

    def unscored(self, question: Question) -> list[str]:
        """Return the systems of a pair that have nothing to divide by, where something differs."""
        if not self.pair_sums(question).discordant:
            return []
        pair = question.a, question.b
        lost = [k for k in pair if lacks_score(self.projection, question.bound, k)]
        return [self.counts.names[k] for k in lost]

    def subset_sums(self, shards: Sequence[int], *, absolute: bool) -> Floats:
        """Return sums over exchanged items: shards × forms × systems × shuffles."""
        work = ShardsJob(self._job, tuple(shards), absolute)
        return np.asarray(self._sum(part_subset_sums, work))

    @property
    def shards_per_pass(self) -> int:
        """How many shards fit what a part returns."""
        return max(1, _MOST_SUMS // (self.moments.totals.size * SHARD))

    def resamples(self, n: int) -> Resampled:
        """Return sums of the forms over n resamples of all items."""
        forms, systems = self.moments.totals.shape
        blocks = [(k, min(BLOCK, n - k * BLOCK)) for k in range(-(-n // BLOCK))]
        kinds = self.moments.kinds
        if kinds is not None and worth_grouping(len(kinds[0]), self.counts.items):
            grouped = GroupedResampler(*kinds)
            sums = np.concatenate([grouped.sums(self.seed, *each) for each in blocks])
            return Resampled(sums.reshape(-1, forms, systems))
        some = max(1, _MOST_RESAMPLED // (BLOCK * forms * systems))
        found = []
        for start in range(0, len(blocks), some):
            work = ResamplesJob(self._job, tuple(blocks[start : start + some]))
            found.append(self._sum(part_resamples, work))
        return Resampled(np.concatenate(found).reshape(-1, forms, systems))

    @cached_property
    def drawn(self) -> Resampled:
        """Resamples for intervals: fewer where there are many items."""
        return self.resamples(FEW_RESAMPLES if self.counts.items > LARGE else RESAMPLES)

    @cached_property
    def jackknife(self) -> Floats:
        """Power sums of what leaving out each item changes; see `part_jackknife`."""
        work, parts = JackknifeJob(self._job, self.moments.totals), self.counts.parts
        pool, progress = self.execution.pool, self.execution.progress
        # One after the other: sums of floats must not depend on the number of workers.
        return np.asarray(reduce(add, over_parts(part_jackknife, work, parts, pool, progress)))

    def jackknife_moments(self, bound: Any, place: int) -> JackknifeMoments:
        """Return the moments of the jackknife values of a system, or of a pair behind them."""
        number = next(k for k, each in enumerate(self.projection.metrics) if each is bound)
        first, second, third = self.jackknife[number, place].tolist()
        n = self.counts.items
        mean = first / n
        squares = second - mean * first
        return JackknifeMoments(squares, -(third - 3 * mean * second + 2 * n * mean**3))

    def pair_place(self, a: int, b: int) -> int:
        """Return where a pair stands behind the systems."""
        systems = len(self.counts.names)
        return systems + list(combinations(range(systems), 2)).index((a, b))


def _is_mean(bound: Any) -> bool:
    return isinstance(bound, BoundRatio) and bound.metric.is_mean


@dataclass
class _Race:
    """Questions that are shuffled together, each until it is settled or its shuffles are drawn."""

    data: PartitionedData
    questions: list[Question]
    settings: Settings
    shuffles: int | None
    """None where each is drawn until it is settled"""

    def __post_init__(self) -> None:
        n = len(self.questions)
        self.counts, self.shuffled = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.stopped = np.zeros(n, np.bool_)
        self._bounds = np.array([id(each.bound) for each in self.questions])
        self._tests = [self._test(each) for each in self.questions]

    def _test(self, question: Question) -> tuple[RatioPair, np.void] | SignedTest:
        if question.residuals is not None:
            return SignedTest.of(self.data.projection, question)
        pair, row = self.data.ratio_pair(question), np.zeros(1, TEST)[0]
        pair.fill(row)
        return pair, row

    @property
    def done(self) -> bool:
        return bool(self.stopped.all())

    def add(self, shard: int, sums: Floats) -> None:
        """Count one more shard: forms × systems × shuffles."""
        last = MAX_SHUFFLES if self.shuffles is None else self.shuffles
        n = min(SHARD, last - shard * SHARD)
        for k in np.flatnonzero(~self.stopped).tolist():
            hit = _reached(self._tests[k], self.questions[k], sums[:, :, :n])
            self.counts[k] += int(np.count_nonzero(hit))
            self.shuffled[k] += n
        self.stopped |= self.settled if self.shuffles is None else False
        if (shard + 1) * SHARD >= last:
            self.stopped[:] = True

    @property
    def settled(self) -> NDArray[np.bool_]:
        levels = levels_at_stake(self.counts, self.shuffled, self._bounds, self.settings)
        drawn, counts = self.shuffled[:, None], self.counts[:, None]
        return np.asarray(robbins_settled(drawn, counts, levels).all(axis=1))

    def outcomes(self) -> list[Outcome]:
        method = "sequential" if self.shuffles is None else "shuffles"
        settled = self.settled.tolist() if self.shuffles is None else [None] * len(self.counts)
        return [
            Outcome((c + 1) / (n + 1), method, shuffles=n, exceedances=c, settled=done)
            for c, n, done in zip(
                self.counts.tolist(), self.shuffled.tolist(), settled, strict=True
            )
        ]


def _reached(
    test: tuple[RatioPair, np.void] | SignedTest, question: Question, sums: Floats
) -> NDArray[np.bool_]:
    """Return which shuffles reach a threshold; `sums` are forms × systems × shuffles."""
    bound, a, b = question.bound, question.a, question.b
    assert isinstance(bound, BoundRatio)
    if isinstance(test, SignedTest):
        parts, moved = test.residuals, np.zeros(sums.shape[2])
        for form, one, other in zip(parts.forms, parts.first, parts.second, strict=True):
            moved += one * sums[form, a]
            moved -= other * sums[form, b]
        return test.reached(np.asarray(parts.difference - 2 * moved))
    pair, row = test
    c = row["c0"] + 2 * (sums[bound.numerator, b] - sums[bound.numerator, a])
    d = row["d0"] + 2 * (sums[bound.denominator, b] - sums[bound.denominator, a])
    return reached(pair, row, c, d)


def _run(data: PartitionedData, races: Sequence[_Race]) -> None:
    """Draw shuffles for all races until they are done, as many at a time as parts can return."""
    absolute = any(each.residuals is not None for race in races for each in race.questions)
    position, step = 0, _FIRST_PASS
    while not all(race.done for race in races):
        fixed = [race.shuffles for race in races if not race.done]
        last = max(MAX_SHUFFLES if each is None else each for each in fixed)
        if None not in fixed:
            step = -(-last // SHARD)
        step = min(step, data.shards_per_pass, -(-last // SHARD) - position)
        shards = range(position, position + step)
        for shard, sums in zip(shards, data.subset_sums(shards, absolute=absolute), strict=True):
            for race in races:
                if not race.done:
                    race.add(shard, sums)
        position += step
        step = position


def run_tests(
    data: PartitionedData, questions: Sequence[Question], settings: Settings
) -> list[Outcome]:
    """Return the tests of all pairs: in closed form, by shuffles, or by the bootstrap."""
    options = settings.options
    if options.test in RULES:
        return _bootstrap(data, questions, settings)
    auto = options.test == "auto"
    shuffles = options.shuffles or (None if auto else SHUFFLES)
    if shuffles is None and options.correction not in SEQUENTIAL:
        shuffles = FIXED_SHUFFLES
    asked = [data.as_tested(each, equal_scores=auto) for each in questions]
    lost = {k: names for k, each in enumerate(asked) if auto and (names := data.unscored(each))}
    forms = {k: data.closed_form(each) for k, each in enumerate(asked) if auto and k not in lost}
    closed = {k: each for k, each in forms.items() if each is not None}
    made = [k for k in range(len(asked)) if k not in lost and k not in closed]
    others = [data.as_tested(each, equal_scores=True) for each in questions]
    both = [k for k in made if others[k].residuals is not None]
    beside = [data.as_tested(questions[k], equal_scores=not auto) for k in both]
    few = shuffles if auto else min(shuffles or SHUFFLES, SHUFFLES)
    main = _Race(data, [asked[k] for k in made], settings, shuffles)
    second = _Race(data, beside, settings, few)
    _run(data, [main, second])
    outcomes = closed | dict(zip(made, main.outcomes(), strict=True))
    for k, other in zip(both, second.outcomes(), strict=True):
        if auto:
            outcomes[k] = replace(outcomes[k], p_exchange=other.p)
        else:
            outcomes[k] = replace(outcomes[k], p_equal_scores=other.p)
    for k, names in lost.items():
        metric = asked[k].bound.metric.name
        why = f"{' and '.join(names)} has nothing to divide by, so that there is no {metric}"
        outcomes[k] = Outcome(None, "auto", note=why)
    return [outcomes[k] for k in range(len(asked))]


def _bootstrap(
    data: PartitionedData, questions: Sequence[Question], settings: Settings
) -> list[Outcome]:
    rule = RULES[settings.options.test]
    drawn = data.resamples(settings.options.shuffles or RESAMPLES)
    found = [bootstrap_test(data.projection, each, drawn, rule) for each in questions]
    return [
        Outcome(each.p, settings.options.test, how=rule, shuffles=each.resamples,
                exceedances=each.exceedances, wins=each.wins)
        for each in found
    ]  # fmt: skip


def system_interval(
    data: PartitionedData, bound: BoundRatio, system: int, level: float, method: str | None
) -> Interval | None:
    """Return the interval of a system's score, by the method that fits its metric."""
    items, moments = data.counts.items, data.moments
    bounded = moments.bounded[data.projection.metrics.index(bound)]
    if method is None and bound.metric.is_mean:
        total = int(moments.totals[bound.numerator, system])
        worth = data.share_worth(bound)
        if worth is not None:
            right = float(bound.factor) * total / worth
            return Interval(*wilson(right, items, level), "wilson").scaled(worth)
        squares = moments.product(*[(bound.numerator, system)] * 2)
        cubes = int(moments.cubes[data.projection.metrics.index(bound), system])
        found = ClusteredMean.of_power_sums(items, (total, squares, cubes), float(bound.factor))
        if not found.is_constant:
            return skewed_t(found, level, bounded)
        return _constant(found.mean, items, level) if bounded else Interval(None, None, "t")
    measured = float(data.projection.score(bound, system))
    drawn = scores(bound, data.drawn.sums[:, :, system])
    left_out = data.jackknife_moments(bound, system)
    interval = _resampled(drawn, measured, left_out, level, method)
    if method is not None or not interval.is_point:
        return interval
    return _constant(measured, items, level) if bounded else OPEN


def _constant(score: float, items: int, level: float) -> Interval:
    return Interval(*unseen(min(1.0, max(0.0, score)), items, level), "wilson")


def pair_estimate(
    data: PartitionedData, question: Question, error: float, method: str | None
) -> Estimate:
    """Return the interval of a difference; `error` is how often it may miss."""
    level = max(0.0, 1 - error * (1 if question.tail == "two" else 2))
    interval = _pair_interval(data, question, level, method)
    return Estimate(interval.one_sided(question.tail))


def _pair_interval(
    data: PartitionedData, question: Question, level: float, method: str | None
) -> Interval:
    bound, a, b, items = question.bound, question.a, question.b, data.counts.items
    assert isinstance(bound, BoundRatio)
    sums = data.pair_sums(question)
    worth = data.share_worth(bound)
    if method is None and worth is not None:
        low, high = tango_interval([sums.more], [sums.less], items, level)
        return Interval(float(low[0]), float(high[0]), "tango").scaled(worth)
    if method is None and bound.metric.is_mean:
        rows = [(bound.numerator, a), (bound.numerator, b)]
        total = int(data.moments.totals[rows[0]]) - int(data.moments.totals[rows[1]])
        squares = sum(data.moments.product(each, each) for each in rows)
        squares -= 2 * data.moments.product(*rows)
        powers = total, squares, sums.cubes
        found = ClusteredMean.of_power_sums(items, powers, float(bound.factor))
        interval = Interval(None, None, "t")
        if not found.is_constant:
            interval = skewed_t(found, level, bounded=False)
    else:
        measured = [float(data.projection.score(bound, system)) for system in (a, b)]
        left_out = data.jackknife_moments(bound, data.pair_place(a, b))
        drawn = differences(data.drawn, question)
        interval = _resampled(drawn, measured[0] - measured[1], left_out, level, method)
    few = method is None and sums.discordant < FEW_DIFFER
    return OPEN if few or interval.is_point else interval


def _resampled(
    drawn: Floats,
    measured: float,
    left_out: JackknifeMoments,
    level: float,
    method: str | None,
) -> Interval:
    return stretched(
        lambda within: resampled_interval(method or "bca", drawn, measured, left_out, within, None),
        measured,
        level,
        len(drawn),
    )


def diagnose(data: PartitionedData, question: Question) -> Diagnostics:
    """Return the figures of a pair that sums tell: not which items carry the difference."""
    bound, items = question.bound, data.counts.items
    assert isinstance(bound, BoundRatio)
    xx, yy, xy = (
        _term_products(data, bound, one, other)
        for one, other in (
            (question.a, question.a),
            (question.b, question.b),
            (question.a, question.b),
        )
    )
    error = round_off(math.sqrt(max(0.0, xx + yy - 2 * xy) * items / max(1, items - 1)))
    r12 = factor = None
    if min(xx, yy) > 1e-30:
        r12 = max(-1.0, min(1.0, xy / math.sqrt(xx * yy)))
        factor = inflation(r12, math.sqrt(xx), math.sqrt(yy))
        factor = None if factor is None or factor > 1e6 else round_off(factor)
        r12 = round_off(r12)
    return Diagnostics(r12, factor, None, None, error)


def items_won(data: PartitionedData, question: Question) -> tuple[int, int, int, int]:
    """Return on how many items a pair differs, and how many the first wins, loses and ties."""
    sums = data.pair_sums(question)
    better, worse = sums.more, sums.less
    if not question.bound.metric.higher_is_better:
        better, worse = worse, better
    return sums.discordant, better, worse, data.counts.items - better - worse


def _term_products(data: PartitionedData, bound: BoundRatio, one: int, other: int) -> float:
    """Return the sum of products of two systems' residuals (n - R d) / D, R their own score."""
    from fractions import Fraction

    totals, product = data.moments.totals, data.moments.product
    top, bottom = bound.numerator, bound.denominator
    num, den = ([int(totals[form, s]) for s in (one, other)] for form in (top, bottom))
    if not all(den):
        return 0.0
    first, second = Fraction(num[0], den[0]), Fraction(num[1], den[1])
    found = (
        product((top, one), (top, other))
        - second * product((top, one), (bottom, other))
        - first * product((bottom, one), (top, other))
        + first * second * product((bottom, one), (bottom, other))
    )
    return float(bound.factor**2 * found / (den[0] * den[1]))
