"""Corrections from shared shuffles: maxT and minP (Westfall and Young), randomized Tukey.

All of them take statistics of which larger ones speak more against the null hypothesis:
absolute differences for two-sided tests. A shuffled statistic reaches an observed one also when it
falls short by rounding (1e-12 of its size), so that ties count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError
from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling import streams
from tellapart.resampling.shuffles import ShufflePlan, SumColumns
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.bootstrap_tests import scores
from tellapart.significance.questions import Question, tie_tolerance
from tellapart.significance.residuals import lacks_score, system_terms
from tellapart.significance.shuffle_tests import SignedColumns, SignedPlan, shard_sizes

ENUMERATED_ITEMS = 14
MAX_MATRIX = 20_000_000  # shuffled statistics that minP may hold at a time
_PERMUTED = 64  # permutations that share one stream
_TIE = 1e-12  # rounding within which statistics are tied, of their size

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Joint:
    """Adjusted p-values of a family, and how often the interval of each pair may miss."""

    p_values: Floats
    error: float
    """What the largest difference that chance leaves in the family is for a pair by itself"""
    enumerated: bool = False
    """Whether so few items differ for any pair that all exchanges were walked"""


class SharedShuffles(Protocol):
    """Shuffles that all pairs of a family share, of items in memory or in parts."""

    @property
    def columns(self) -> SumColumns | SignedColumns:
        """Where sums stand: those of single systems, where signs of residuals are flipped."""

    def all_sums(self) -> Floats | None:
        """Return the sums over all sets of items that differ; None if these are many."""

    def over_shards(
        self, function: Callable[[Any, Floats], Any], payload: Any, shuffles: int
    ) -> Iterator[Any]:
        """Yield function(payload, sums) for each shard of so many shuffles."""


@dataclass
class ShufflesInMemory:
    """The shuffles of items that are at hand, drawn where the work is done."""

    plan: ShufflePlan
    signed: SignedPlan | None
    """The same plan, where signs of residuals are flipped"""
    seed: int
    pool: WorkerPool
    progress: Progress

    @classmethod
    def of(
        cls,
        projection: Projection,
        questions: Sequence[Question],
        seed: int,
        pool: WorkerPool,
        progress: Progress,
    ) -> ShufflesInMemory:
        """Return the shuffles for some questions."""
        parts = [each.residuals for each in questions if each.residuals is not None]
        if not parts:
            return cls(ShufflePlan(projection.forms), None, seed, pool, progress)
        signed = SignedPlan.of(projection, parts, range(len(projection.forms)))
        return cls(signed.plan, signed, seed, pool, progress)

    @property
    def columns(self) -> SumColumns | SignedColumns:
        """Where sums stand."""
        return self.signed or self.plan

    def all_sums(self) -> Floats | None:
        """Return the sums over all sets of items that differ; None if these are many."""
        return self.plan.all_subset_sums(ENUMERATED_ITEMS)

    def over_shards(
        self, function: Callable[[Any, Floats], Any], payload: Any, shuffles: int
    ) -> Iterator[Any]:
        """Yield function(payload, sums) for each shard of so many shuffles."""
        work = function, payload, self.plan, self.seed
        return self.pool.map(_of_shard, work, shard_sizes(shuffles), self.progress, "shuffles")


def _of_shard(
    work: tuple[Callable[[Any, Floats], Any], Any, ShufflePlan, int], shard: tuple[int, int]
) -> Any:
    function, payload, plan, seed = work
    return function(payload, plan.subset_sums(seed, *shard))


@dataclass
class _Family:
    """Pairs whose differences are wanted under the same coins."""

    columns: SumColumns | SignedColumns
    totals: NDArray[np.int64]  # forms × systems
    questions: Sequence[Question]

    def statistics(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return shuffled statistics, larger ones speaking against the null: shuffles × pairs."""
        columns = [self._statistic(question, sums) for question in self.questions]
        return np.stack(columns, axis=1)

    def _statistic(self, question: Question, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        bound, a, b = question.bound, question.a, question.b
        forms = _forms(bound)
        if question.residuals is not None and isinstance(self.columns, SignedColumns):
            flipped = self.columns.differences(sums, question.residuals, a, b)
            return _directed(flipped, question.tail)
        moved = np.zeros((sums.shape[1], len(self.totals)))
        for form in forms:
            moved[:, form] = self.columns.exchanged(sums, form, a, b)
        difference = _difference(bound, self.totals[:, a] + moved, self.totals[:, b] - moved)
        return _directed(difference, question.tail)


def _difference(
    bound: Bound, first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return differences of scores; equal differences of ratios are equal floats.

    A difference of two rounded scores would not do: two systems may be 1e-5 apart, and rounding
    then breaks ties.
    """
    difference = scores(bound, first) - scores(bound, second)
    if not isinstance(bound, BoundRatio):
        return difference
    forms = [bound.numerator, bound.denominator]
    (c, d), (tn, td) = (first - second)[:, forms].T, (first + second)[:, forms].T
    rest = td * td - d * d  # zero where a score is undefined
    exact = float(bound.factor) * (2 * (c * td - tn * d) / np.where(rest == 0, 1, rest))
    return np.asarray(np.where(rest == 0, difference, exact))


def _forms(bound: Bound) -> tuple[int, ...]:
    if isinstance(bound, BoundRatio):
        return bound.numerator, bound.denominator
    if isinstance(bound.metric, ItemFunction):
        raise UsageError(
            f"metric {bound.metric.name!r} is no function of sums: use --correction holm"
        )
    return bound.forms


def _observed(projection: Projection, question: Question) -> float:
    """Return the measured statistic less the tolerance within which floats count as tied."""
    first, second = (projection.score(question.bound, s) for s in (question.a, question.b))
    difference = _directed(np.array(float(first - second)), question.tail)
    slack = 0.0 if question.residuals is None else question.residuals.slack
    return float(difference) - max(slack, tie_tolerance(float(first), float(second)))


def _directed(difference: NDArray[np.float64], tail: str) -> NDArray[np.float64]:
    return np.abs(difference) if tail == "two" else difference if tail == "greater" else -difference


def _squares(family: _Family, sums: Floats) -> Floats:
    return np.asarray((family.statistics(sums) ** 2).sum(axis=0))


def _counts(payload: tuple[_Family, Floats, Floats, bool], sums: Floats) -> MaxT:
    family, observed, scale, single_step = payload
    counter = MaxT(observed, single_step)
    counter.add(family.statistics(sums) / scale)
    return counter


def _matrix(family: _Family, sums: Floats) -> Floats:
    return family.statistics(sums)


def joint_adjusted(
    projection: Projection,
    questions: Sequence[Question],
    correction: str,
    shuffles: int,
    seed: int,
    pool: WorkerPool,
    *,
    scale: bool = True,
    progress: Progress = no_progress,
    alpha: float = 0.05,
) -> Joint:
    """Return adjusted p-values of a family of pairs from shared shuffles.

    With `scale` each pair's statistic is divided by its root mean square over the shuffles. The
    error of intervals is for all pairs to hold at once with 1 - `alpha`.
    """
    if correction == "tukey":
        return _tukey(projection, questions, shuffles, seed, pool, progress, alpha)
    shared = ShufflesInMemory.of(projection, questions, seed, pool, progress)
    return shuffled_adjusted(
        projection, questions, correction, shuffles, shared, scale=scale, alpha=alpha
    )


def shuffled_adjusted(
    projection: Projection,
    questions: Sequence[Question],
    correction: str,
    shuffles: int,
    shared: SharedShuffles,
    *,
    scale: bool = True,
    alpha: float = 0.05,
) -> Joint:
    """Return the same by maxT or minP; of the projection, totals are enough."""
    family = _Family(shared.columns, projection.totals, questions)
    observed = np.array([_observed(projection, question) for question in questions])
    level = _Level.of(alpha, questions)
    everything = shared.all_sums()
    if everything is not None:
        null = family.statistics(everything)
        return _from_matrix(null, observed, correction, scale, True, level)
    if correction == "minp":
        _refuse_matrix(shuffles, len(observed))
        null = np.concatenate(list(shared.over_shards(_matrix, family, shuffles)))
        return _from_matrix(null, observed, correction, True, False, level)
    sigma = np.ones(len(questions))
    if scale:
        squares = list(shared.over_shards(_squares, family, shuffles))
        totals = [math.fsum(column) for column in zip(*squares, strict=True)]
        sigma = _safe_root(np.array(totals) / shuffles)
    payload = family, observed / sigma, sigma, correction == "maxt-single"
    counter = MaxT(observed / sigma, correction == "maxt-single")
    for part in shared.over_shards(_counts, payload, shuffles):
        counter.merge(part)
    return Joint(counter.adjusted(enumerated=False), level.of_largest(counter.largest(alpha)))


@dataclass(frozen=True, slots=True)
class _Level:
    """The level at which all intervals of a family have to hold at once."""

    alpha: float
    pairs: int
    sides: int
    """2 where a test has one tail only, which is then as rare as two of half its size"""

    @classmethod
    def of(cls, alpha: float, questions: Sequence[Question]) -> _Level:
        return cls(alpha, len(questions), 1 if questions[0].tail == "two" else 2)

    def of_largest(self, spreads: float) -> float:
        """Return the error of one interval that reaches as far as the family's largest, in spreads.

        Bonferroni's is never too large, and alpha is for one pair alone.
        """
        both_tails = 2 * NormalDist().cdf(-spreads)
        return self.at_least_bonferroni(both_tails / self.sides)

    def at_least_bonferroni(self, error: float) -> float:
        """Return an error within what makes sense for a family."""
        return min(self.alpha, max(error, self.alpha / self.pairs))


def _safe_root(mean_squares: NDArray[np.float64]) -> NDArray[np.float64]:
    # Identical systems never differ: any scale will do for them.
    return np.sqrt(np.where(mean_squares == 0, 1.0, mean_squares))


def _from_matrix(
    null: NDArray[np.float64],
    observed: NDArray[np.float64],
    correction: str,
    scale: bool,
    enumerated: bool,
    level: _Level,
) -> Joint:
    if correction == "minp":
        p_values, smallest = _min_p_values(observed, null, enumerated)
        error = -_upper_end(-smallest, level.alpha)
        return Joint(p_values, level.at_least_bonferroni(error), enumerated)
    sigma = _safe_root((null**2).mean(axis=0)) if scale else np.ones(len(observed))
    counter = MaxT(observed / sigma, correction == "maxt-single")
    counter.add(null / sigma)
    error = level.of_largest(counter.largest(level.alpha))
    return Joint(counter.adjusted(enumerated), error, enumerated)


def _refuse_matrix(shuffles: int, pairs: int) -> None:
    """Refuse more shuffles than minP can keep."""
    if shuffles * pairs > MAX_MATRIX:
        raise UsageError(
            f"minP with {shuffles:,} shuffles of {pairs} pairs would not fit in memory; "
            f"use at most {MAX_MATRIX // pairs:,} shuffles, or --correction maxt"
        )


def _permuted_ranges(
    payload: tuple[NDArray[np.int64], Bound | None, int], item: tuple[int, int]
) -> NDArray[np.float64]:
    """Return the range of the systems' scores after random permutations within each item.

    Beside it, their mean squared difference: permutations × 2. Without a metric, forms are the
    items' terms, and their sums are the scores.
    """
    (forms, bound, seed), (block, n) = payload, item
    sequence = np.random.SeedSequence(seed, spawn_key=(streams.PERMUTATIONS, block))
    generator = np.random.Generator(np.random.SFC64(sequence))
    _, systems, items = forms.shape
    sums = np.empty((n, systems, len(forms)), np.int64)
    for k in range(n):
        order = generator.random((systems, items)).argsort(axis=0)
        sums[k] = np.take_along_axis(forms, order[None], axis=1).sum(axis=2).T
    permuted = sums[:, :, 0] if bound is None else scores(bound, sums)
    ranges = (permuted.max(axis=1) - permuted.min(axis=1)).astype(np.float64)
    return np.stack([ranges, 2 * permuted.var(axis=1, ddof=1)], axis=1)


def _permuted(
    projection: Projection, bound: Bound, questions: Sequence[Question]
) -> tuple[NDArray[np.int64], Bound | None, float]:
    """Return what is permuted within items, whose scores these are, and what a range of 1 is worth.

    Where equal scores are tested, residuals are permuted, as whole numbers of a small step.
    """
    terms = None
    if any(each.residuals is not None for each in questions):
        systems = [
            k for k in range(projection.forms.shape[1]) if not lacks_score(projection, bound, k)
        ]
        terms = system_terms(projection, bound, systems)
    if terms is None:
        return projection.forms, bound, 1.0
    largest = float(np.abs(terms).sum(axis=1).max())
    step = 2.0 ** (math.frexp(largest)[1] - 50) if largest else 1.0
    return np.rint(terms / step).astype(np.int64)[None], None, step


def _tukey(
    projection: Projection,
    questions: Sequence[Question],
    shuffles: int,
    seed: int,
    pool: WorkerPool,
    progress: Progress,
    alpha: float,
) -> Joint:
    observed = np.array([_observed(projection, question) for question in questions])
    level = _Level.of(alpha, questions)
    if any(question.tail != "two" for question in questions):
        raise UsageError("the randomized Tukey test is two-sided")
    adjusted, spreads = np.ones(len(questions)), 0.0
    blocks = [
        (k, min(_PERMUTED, shuffles - k * _PERMUTED)) for k in range(-(-shuffles // _PERMUTED))
    ]
    for bound in {id(q.bound): q.bound for q in questions}.values():
        _forms(bound)
        mine = [k for k, q in enumerate(questions) if q.bound is bound]
        forms, scored, step = _permuted(projection, bound, [questions[k] for k in mine])
        payload = forms, scored, seed
        ranges, squares = np.concatenate(
            list(pool.map(_permuted_ranges, payload, blocks, progress, "permutations"))
        ).T
        spread = float(_safe_root(squares.mean()))
        spreads = max(spreads, _upper_end(ranges, level.alpha) / spread)
        adjusted[mine] = tukey(observed[mine].clip(min=0), step * ranges)
    return Joint(adjusted, level.of_largest(spreads))


@dataclass(slots=True, eq=False)
class MaxT:
    """Counts of shuffles whose largest statistic reaches each pair's observed one.

    Filled shard by shard with `add`; accumulators of the same observed statistics that ran side
    by side are joined with `merge`. Statistics of pairs are compared with each other, so that the
    caller divides observed and shuffled ones by each pair's root mean square over the shuffles
    (or leaves both as they are).

    >>> tests = MaxT(np.array([3.0, 2.0]), single_step=False)
    >>> tests.add(np.array([[3.0, 0.5], [1.0, 2.5], [0.0, 1.0]]))
    >>> tests.adjusted(enumerated=False)
    array([0.5, 0.5])
    """

    observed: Floats
    single_step: bool
    counts: NDArray[np.int64] = field(init=False)  # per pair, in the order of `observed`
    shuffles: int = field(init=False, default=0)
    _maxima: list[Floats] = field(init=False, repr=False, default_factory=list)
    _order: NDArray[np.intp] = field(init=False, repr=False)  # pairs, largest statistic first

    def __post_init__(self) -> None:
        self.observed = _checked_observed(self.observed)
        self.counts = np.zeros(self.observed.size, dtype=np.int64)
        self._order = np.argsort(-self.observed, kind="stable")

    def add(self, null: NDArray[Any]) -> None:
        """Count a shard of shuffled statistics (shuffles × pairs)."""
        last_first = self._order[::-1]
        largest = _checked_null(null, self.observed)[:, last_first]
        if self.single_step:
            largest = largest.max(axis=1, keepdims=True, initial=-np.inf)
        else:
            # Each column becomes the maximum over its pair and those ranked below it.
            np.maximum.accumulate(largest, axis=1, out=largest)
        self._maxima.append(largest[:, -1].copy())
        reached = largest >= _reach(self.observed)[last_first]  # shuffles × pairs
        self.counts[last_first] += np.count_nonzero(reached, axis=0)
        self.shuffles += len(reached)

    def merge(self, other: MaxT) -> None:
        """Add the counts of another accumulator."""
        if self.single_step != other.single_step or not np.array_equal(
            self.observed, other.observed
        ):
            raise UsageError("only maxT counts of the same statistics and kind can be merged")
        self.counts += other.counts
        self.shuffles += other.shuffles
        self._maxima += other._maxima

    def largest(self, alpha: float) -> float:
        """Return the single-step critical value: what the largest statistic reaches so rarely."""
        return _upper_end(np.concatenate(self._maxima), alpha)

    def adjusted(self, enumerated: bool) -> Floats:
        """Return the adjusted p-values, in the order of `observed`.

        With `enumerated` the shuffles were all assignments, each once (the observed one among
        them), or all of one half where the other half mirrors it.
        """
        p_values = _p_values(self.counts, self.shuffles, enumerated)
        if not self.single_step:
            p_values[self._order] = np.maximum.accumulate(p_values[self._order])
        return p_values


def min_p(observed: ArrayLike, null: NDArray[Any], enumerated: bool) -> Floats:
    """Return p adjusted by step-down minP: maxT with each pair's own shuffle p as statistic.

    `null` holds the statistics of all shuffles (shuffles × pairs); pairs need no common scale.

    >>> null = np.array([[1.0, 10.0], [0.0, 30.0], [0.5, 20.0]])
    >>> min_p(np.array([2.0, 15.0]), null, enumerated=False)
    array([0.5 , 0.75])
    """
    return _min_p_values(observed, null, enumerated)[0]


def _min_p_values(
    observed: ArrayLike, null: NDArray[Any], enumerated: bool
) -> tuple[Floats, Floats]:
    """Return the adjusted p-values, and the smallest raw p over all pairs of each shuffle."""
    statistics = _checked_observed(observed)
    null = _checked_null(null, statistics)
    # Random shuffles: the observed assignment is ranked with them, as one that could have been
    # drawn. Without it the most extreme shuffle of a pair would have a larger p than an observed
    # value beyond all shuffles of another pair, and no number of pairs would raise that one's p.
    rows = null if enumerated else np.vstack([null, statistics])
    ascending = np.sort(rows, axis=0)
    observed_ranks = np.array(
        [_reaching(ascending[:, j], statistics[j]) for j in range(statistics.size)], dtype=np.int64
    )
    order = np.argsort(observed_ranks, kind="stable")  # smallest p first
    smallest = np.full(len(null), len(rows) + 1)  # per shuffle, over the pairs seen so far
    counts = np.zeros(statistics.size, dtype=np.int64)
    for j in order[::-1]:
        smallest = np.minimum(smallest, _reaching(ascending[:, j], null[:, j]))
        counts[j] = np.count_nonzero(smallest <= observed_ranks[j])
    p_values = _p_values(counts, len(null), enumerated)
    p_values[order] = np.maximum.accumulate(p_values[order])
    return p_values, smallest / len(rows)


def _upper_end(values: Floats, alpha: float) -> float:
    """Return the value that no more than a share alpha of the shuffles reaches, or nearly so."""
    allowed = max(1, math.floor(alpha * (len(values) + 1)))
    return float(np.partition(values, -allowed)[-allowed])


def tukey(observed_differences: ArrayLike, ranges: ArrayLike, enumerated: bool = False) -> Floats:
    """Return p of randomized Tukey HSD: how often the range of all scores reaches |difference|.

    `ranges` has one range for each permutation of all systems' results within items. It
    supposes the complete null hypothesis, that no system differs from any other.

    >>> tukey([0.5, -0.2], ranges=[0.1, 0.2, 0.3])
    array([0.25, 0.75])
    """
    differences = np.abs(_checked_observed(observed_differences))
    ascending = np.sort(np.asarray(ranges, dtype=np.float64))
    return _p_values(_reaching(ascending, differences), ascending.size, enumerated)


def _reach(values: Floats) -> Floats:
    """Return the least values that count as reaching the given ones."""
    return values - _TIE * np.abs(values)


def _reaching(ascending: Floats, values: Floats) -> NDArray[np.int64]:
    """Return for each value how many of the sorted ones reach it."""
    return ascending.size - np.searchsorted(ascending, _reach(values), side="left")


def _p_values(counts: NDArray[np.int64], shuffles: int, enumerated: bool) -> Floats:
    if not enumerated:
        return (counts + 1) / (shuffles + 1)
    if shuffles == 0 or np.any(counts == 0):
        raise UsageError(
            "an enumeration has the observed assignment among its own, but no statistic reaches "
            "the observed one; give enumerated=False for shuffles drawn at random"
        )
    return counts / shuffles


def _checked_observed(observed: ArrayLike) -> Floats:
    values = np.asarray(observed, dtype=np.float64)
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise UsageError("the observed statistics must be a list of finite numbers, one per pair")
    return values


def _checked_null(null: NDArray[Any], observed: Floats) -> Floats:
    values = np.asarray(null, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != observed.size:
        raise UsageError(
            f"shuffled statistics need one column for each of {observed.size} pairs, "
            f"but come as an array of shape {values.shape}"
        )
    if not np.all(np.isfinite(values)):
        raise UsageError(
            "shuffled statistics must be finite; a pair that no shuffle changes has the "
            "statistic 0, whatever it is divided by"
        )
    return values
