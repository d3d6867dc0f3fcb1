"""Tests and intervals of a data set in parts, from sums that its parts add up to.

The shuffles are those that the same items get in memory, and so are the resamples: each block of
items has its own random numbers. Shuffles are drawn pass by pass over all parts; a question stops
at its first settled look, wherever the pass ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics.projection import Bound, BoundRatio
from tellapart.resampling.ratios import TEST
from tellapart.resampling.shuffles import SumColumns
from tellapart.resampling.streams import SHARD
from tellapart.significance.bootstrap_tests import RESAMPLES, bootstrap_test, differences, scores
from tellapart.significance.diagnostics import Diagnostics, dependence, round_off
from tellapart.significance.dispatch import (
    FIXED_SHUFFLES,
    MAX_SHUFFLES,
    RULES,
    SEQUENTIAL,
    SHUFFLES,
    Settings,
    levels_at_stake,
    no_outcome,
)
from tellapart.significance.exchanges import (
    SignedColumns,
    SignedTest,
    fill_columns,
    function_differences,
    function_test,
)
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.intervals import FEW_DIFFER, OPEN, bootstrap_interval, level_of
from tellapart.significance.joint_corrections import Joint, Permuted, shuffled_adjusted
from tellapart.significance.paired_proportions import tango_interval
from tellapart.significance.partition_data import PartitionedData, is_mean
from tellapart.significance.questions import Outcome, Question
from tellapart.significance.residuals import SystemTerms
from tellapart.significance.score_intervals import ClusteredMean, skewed_t, unseen, wilson
from tellapart.significance.sequential import robbins_settled
from tellapart.significance.shuffle_tests import shard_sizes

TESTS = ("auto", "shuffle", "bootstrap", "bootstrap-abs")
"""Those that need no more than sums over parts"""
_FIRST_PASS = 5  # shards: ten thousand shuffles settle most questions

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Reached: TypeAlias = Callable[[Floats], NDArray[np.bool_]]
"""From sums over exchanged items, columns × shuffles, to the shuffles that reach a threshold"""


@dataclass
class _Race:
    """Questions that are shuffled together, each until it is settled or its shuffles are drawn.

    Those that have an exact test are told beforehand.
    """

    data: PartitionedData
    exact: dict[int, Outcome]
    asked: dict[int, Question]
    """By their numbers, the other questions"""
    settings: Settings
    shuffles: int | None
    """None where each is drawn until it is settled"""

    @classmethod
    def of(
        cls,
        asked: dict[int, Question],
        data: PartitionedData,
        settings: Settings,
        shuffles: int | None,
        *,
        exact: bool,
    ) -> _Race:
        """Return the race of questions, with the exact tests of those that have one, if wanted."""
        found = {k: data.exact_form(each) for k, each in asked.items()} if exact else {}
        made = {k: each for k, each in found.items() if each is not None}
        rest = {k: each for k, each in asked.items() if k not in made}
        return cls(data, made, rest, settings, shuffles)

    def __post_init__(self) -> None:
        n, questions = len(self.asked), list(self.asked.values())
        self.counts, self.shuffled = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.stopped = np.zeros(n, np.bool_)
        self._bounds = np.array([id(each.bound) for each in questions])
        self._reached = [_reached_by(self.data, each) for each in questions]

    @property
    def done(self) -> bool:
        return bool(self.stopped.all())

    def add(self, shard: int, sums: Floats) -> None:
        """Count one more shard: columns × shuffles."""
        last = MAX_SHUFFLES if self.shuffles is None else self.shuffles
        n = min(SHARD, last - shard * SHARD)
        for k in np.flatnonzero(~self.stopped).tolist():
            self.counts[k] += int(np.count_nonzero(self._reached[k](sums[:, :n])))
            self.shuffled[k] += n
        self.stopped |= self.settled if self.shuffles is None else False
        if (shard + 1) * SHARD >= last:
            self.stopped[:] = True

    @property
    def settled(self) -> NDArray[np.bool_]:
        levels = levels_at_stake(self.counts, self.shuffled, self._bounds, self.settings)
        drawn, counts = self.shuffled[:, None], self.counts[:, None]
        return np.asarray(robbins_settled(drawn, counts, levels).all(axis=1))

    def outcomes(self) -> dict[int, Outcome]:
        method = "sequential" if self.shuffles is None else "shuffles"
        settled = self.settled.tolist() if self.shuffles is None else [None] * len(self.counts)
        drawn = [
            Outcome((c + 1) / (n + 1), method, shuffles=n, exceedances=c, settled=done)
            for c, n, done in zip(
                self.counts.tolist(), self.shuffled.tolist(), settled, strict=True
            )
        ]
        return self.exact | dict(zip(self.asked, drawn, strict=True))


def _reached_by(data: PartitionedData, question: Question) -> Reached:
    """Return what tells by sums over exchanged items which shuffles reach the threshold."""
    bound, a, b = question.bound, question.a, question.b
    plain, signed = data.layout.plain, data.layout.of_signs
    if question.residuals is not None and signed is not None:
        flipped = SignedTest.of(data.projection, question)
        return lambda sums: flipped.reached(signed.differences(sums, flipped.residuals, a, b))
    if isinstance(bound, BoundRatio):
        pair, row = data.ratio_pair(question), np.zeros(1, TEST)[0]
        pair.fill(row)
        fill_columns(row, plain, bound, a, b)
        return lambda sums: plain.reached(sums, row, pair)
    exchanged = function_test(data.projection, question)
    return lambda sums: exchanged.reached(
        function_differences(plain, exchanged.bound, [(a, b)], exchanged.totals, sums)[0]
    )


def _run(data: PartitionedData, races: Sequence[_Race]) -> None:
    """Draw shuffles for all races until they are done, as many at a time as parts can return."""
    position, step = 0, _FIRST_PASS
    while not all(race.done for race in races):
        fixed = [race.shuffles for race in races if not race.done]
        last = max(MAX_SHUFFLES if each is None else each for each in fixed)
        if None not in fixed:
            step = -(-last // SHARD)
        step = min(step, data.shards_per_pass, -(-last // SHARD) - position)
        shards = range(position, position + step)
        for shard, sums in zip(shards, data.subset_sums(shards), strict=True):
            for race in races:
                if not race.done:
                    race.add(shard, sums)
        position += step
        step = position


def run_tests(
    data: PartitionedData, questions: Sequence[Question], settings: Settings
) -> list[Outcome]:
    """Return the tests of all pairs: exact ones, by shuffles, or by the bootstrap."""
    options = settings.options
    if options.test in RULES:
        return _bootstrap(data, questions, settings)
    auto = options.test == "auto"
    shuffles = options.shuffles or (None if auto else SHUFFLES)
    if shuffles is None and options.correction not in SEQUENTIAL:
        shuffles = FIXED_SHUFFLES
    asked = [data.as_tested(each, equal_scores=auto) for each in questions]
    lost = {k: names for k, each in enumerate(asked) if auto and (names := data.unscored(each))}
    scored = [k for k in range(len(asked)) if k not in lost]
    main = _Race.of({k: asked[k] for k in scored}, data, settings, shuffles, exact=auto)
    _run(data, [main])
    outcomes = {
        k: outcome if asked[k].residuals is None else replace(outcome, equal_scores=True)
        for k, outcome in main.outcomes().items()
    }
    for k, names in lost.items():
        metric = asked[k].bound.metric.name
        outcomes[k] = no_outcome(names, metric)
    return [outcomes[k] for k in range(len(asked))]


@dataclass(frozen=True)
class PartShuffles:
    """The shuffles of a data set in parts, whose sums are added before anything is made of them."""

    data: PartitionedData

    @property
    def columns(self) -> SumColumns | SignedColumns:
        """Where sums stand."""
        return self.data.layout.of_signs or self.data.layout.plain

    def all_sums(self) -> Floats | None:
        """Return nothing: which items differ is not known."""
        return None

    def over_shards(
        self, function: Callable[[Any, Floats], Any], payload: Any, shuffles: int
    ) -> Iterator[Any]:
        """Yield function(payload, sums) for each shard of so many shuffles."""
        sizes = shard_sizes(shuffles)
        drawn = self.data.subset_sums(range(len(sizes)))
        for (_, n), sums in zip(sizes, drawn, strict=True):
            yield function(payload, sums[:, :n])

    def system_terms(self, bound: Bound, systems: Sequence[int]) -> SystemTerms | None:
        """Return what items add to the scores of systems, if that can be told."""
        return self.data.system_terms(bound, systems)

    def permuted_sums(self, permuted: Permuted, shuffles: int) -> Iterator[Ints]:
        """Yield sums after random permutations, several blocks at a time."""
        return self.data.permuted_sums(permuted, shuffles)


def joint_adjusted(
    data: PartitionedData, questions: Sequence[Question], settings: Settings, shuffles: int
) -> Joint:
    """Return adjusted p-values of a family of pairs from shuffles that they share."""
    options = settings.options
    asked = [data.as_tested(each, equal_scores=options.test == "auto") for each in questions]
    return shuffled_adjusted(
        data.projection, asked, options.correction, shuffles, PartShuffles(data),
        alpha=options.alpha,
    )  # fmt: skip


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
    data: PartitionedData, bound: Bound, system: int, level: float, method: str | None
) -> Interval | None:
    """Return the interval of a system's score, by the method that fits its metric."""
    items, moments = data.counts.items, data.moments
    bounded = moments.bounded[data.projection.metrics.index(bound)]
    if method is None and is_mean(bound):
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
    interval = bootstrap_interval(method, drawn, measured, left_out, level)
    if method is not None or not interval.is_point:
        return interval
    return _constant(measured, items, level) if bounded else OPEN


def _constant(score: float, items: int, level: float) -> Interval:
    return Interval(*unseen(min(1.0, max(0.0, score)), items, level), "wilson")


def pair_interval(
    data: PartitionedData, question: Question, error: float, method: str | None
) -> Interval:
    """Return the interval of a difference; `error` is how often it may miss."""
    level = level_of(error, question.tail)
    return _of_both_sides(data, question, level, method).one_sided(question.tail)


def _of_both_sides(
    data: PartitionedData, question: Question, level: float, method: str | None
) -> Interval:
    bound, a, b, items = question.bound, question.a, question.b, data.counts.items
    sums = data.pair_sums(question)
    worth = data.share_worth(bound)
    if method is None and worth is not None:
        low, high = tango_interval([sums.more], [sums.less], items, level)
        return Interval(float(low[0]), float(high[0]), "tango").scaled(worth)
    if method is None and is_mean(bound):
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
        apart = measured[0] - measured[1]
        interval = bootstrap_interval(method, drawn, apart, left_out, level)
    bounded = data.moments.bounded[data.projection.metrics.index(bound)]
    if method is None and bounded and 0 < sums.discordant < FEW_DIFFER:
        return Interval(None, None, "none (few items differ)")
    return OPEN if interval.is_point or not sums.discordant else interval


def diagnose(data: PartitionedData, question: Question) -> Diagnostics:
    """Return the figures of a pair that sums tell: not which items carry the difference."""
    bound, a, b, n = question.bound, question.a, question.b, data.counts.items
    if isinstance(bound, BoundRatio):
        xx, yy, xy = (_term_products(data, bound, *two) for two in ((a, a), (b, b), (a, b)))
        squares = max(0.0, xx + yy - 2 * xy) * n / max(1, n - 1)
    else:
        places = a, b, data.pair_place(a, b)
        xx, yy, apart = (data.jackknife_moments(bound, each).squares for each in places)
        xy, squares = (xx + yy - apart) / 2, apart * (n - 1) / n
    r12, factor = dependence(xx, yy, xy)
    return Diagnostics(r12, factor, None, None, round_off(math.sqrt(squares)))


def items_won(data: PartitionedData, question: Question) -> tuple[int, int, int, int]:
    """Return on how many items a pair differs, and how many the first wins, loses and ties."""
    sums = data.pair_sums(question)
    better, worse = sums.more, sums.less
    if not question.bound.metric.higher_is_better:
        better, worse = worse, better
    return sums.discordant, better, worse, data.counts.items - better - worse


def _term_products(data: PartitionedData, bound: BoundRatio, one: int, other: int) -> float:
    """Return the sum of products of two systems' residuals (n - R d) / D, R their own score."""
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
