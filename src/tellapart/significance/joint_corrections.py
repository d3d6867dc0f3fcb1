"""Corrections from shared shuffles: maxT and minP (Westfall and Young), randomized Tukey."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling import streams
from tellapart.resampling.shuffles import ShufflePlan
from tellapart.resampling.streams import ITEM_BLOCK, shares
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.bootstrap_tests import scores
from tellapart.significance.exchanges import SignedPlan
from tellapart.significance.joint_formulas import MaxT, min_p_values, tukey, upper_end
from tellapart.significance.questions import Question, tie_tolerance
from tellapart.significance.residuals import SystemTerms, lacks_score, system_terms
from tellapart.significance.shuffle_tests import shard_sizes

ENUMERATED_ITEMS = 14
MAX_MATRIX = 20_000_000  # shuffled statistics that minP may hold at a time
_PERMUTED = 64  # permutations that share one stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Joint:
    """Adjusted p-values of a family, and how often the interval of each pair may miss."""

    p_values: Floats
    error: float
    """What the largest difference that chance leaves in the family is for a pair by itself"""
    enumerated: bool = False
    """Whether so few items differ for any pair that all exchanges were walked"""


@dataclass
class SharedShuffles:
    """Shuffles that all pairs of a family share."""

    projection: Projection
    questions: Sequence[Question]
    seed: int
    pool: WorkerPool
    progress: Progress

    @cached_property
    def _signed(self) -> SignedPlan | None:
        parts = [each.residuals for each in self.questions if each.residuals is not None]
        forms = range(len(self.projection.forms))
        return SignedPlan.of(self.projection, parts, forms) if parts else None

    @cached_property
    def _plan(self) -> ShufflePlan:
        return self._signed.plan if self._signed else ShufflePlan(self.projection.forms)

    @property
    def columns(self) -> ShufflePlan | SignedPlan:
        """Where sums stand: those of single systems, where signs of residuals are flipped."""
        return self._signed or self._plan

    def all_sums(self) -> Floats | None:
        """Return the sums over all sets of items that differ; None if these are many."""
        return self._plan.all_subset_sums(ENUMERATED_ITEMS)

    def over_shards(
        self, function: Callable[[Any, Floats], Any], payload: Any, shuffles: int
    ) -> Iterator[Any]:
        """Yield function(payload, sums) for each shard of so many shuffles."""
        work = function, payload, self._plan, self.seed
        return self.pool.map(_of_shard, work, shard_sizes(shuffles), self.progress, "shuffles")

    def permuted_sums(self, permuted: Permuted, shuffles: int) -> Iterator[Ints]:
        """Yield sums after random permutations of the systems within each item, block by block.

        Permutations × systems × forms.
        """
        work, blocks = (permuted.forms(self.projection), self.seed), shares(shuffles, _PERMUTED)
        return self.pool.map(_permuted_sums, work, blocks, self.progress, "permutations")


def _of_shard(
    work: tuple[Callable[[Any, Floats], Any], Any, ShufflePlan, int], shard: tuple[int, int]
) -> Any:
    function, payload, plan, seed = work
    return function(payload, plan.subset_sums(seed, *shard))


@dataclass
class _Family:
    """Pairs whose differences are wanted under the same coins."""

    columns: ShufflePlan | SignedPlan
    totals: NDArray[np.int64]  # forms × systems
    questions: Sequence[Question]

    def statistics(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return shuffled statistics, larger ones speaking against the null: shuffles × pairs."""
        columns = [self._statistic(question, sums) for question in self.questions]
        return np.stack(columns, axis=1)

    def _statistic(self, question: Question, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        bound, a, b = question.bound, question.a, question.b
        forms = _forms(bound)
        if question.residuals is not None and isinstance(self.columns, SignedPlan):
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
    shared = SharedShuffles(projection, questions, seed, pool, progress)
    observed = np.array([_observed(projection, question) for question in questions])
    level = _Level.of(alpha, questions)
    if correction == "tukey":
        return _tukey(projection, questions, observed, shuffles, shared, level)
    family = _Family(shared.columns, projection.totals, questions)
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
        p_values, smallest = min_p_values(observed, null, enumerated)
        error = -upper_end(-smallest, level.alpha)
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


@dataclass(frozen=True, slots=True)
class Permuted:
    """What is permuted within items, to see how far apart chance alone brings scores."""

    bound: Bound
    terms: SystemTerms | None
    """The residuals that are permuted where equal scores are tested; None where outputs are"""

    def forms(self, projection: Projection) -> Ints:
        """Return what systems have on items, as whole numbers: forms × systems × items."""
        return projection.forms if self.terms is None else self.terms.whole(projection)[None]

    def ranges(self, sums: Ints) -> Floats:
        """Return the range of scores, and their mean squared difference: permutations × 2."""
        if self.terms is None:
            permuted = scores(self.bound, sums)
        else:
            permuted = np.asarray(self.terms.step * sums[:, :, 0], np.float64)
        ranges = permuted.max(axis=1) - permuted.min(axis=1)
        return np.stack([ranges, 2 * permuted.var(axis=1, ddof=1)], axis=1)


def _permuted_sums(work: tuple[Ints, int], block: tuple[int, int]) -> Ints:
    """Return the sums of systems that are permuted within each item.

    Permutations × systems × forms.
    """
    (forms, seed), (number, n) = work, block
    _, systems, items = forms.shape
    sums = np.zeros((n, systems, len(forms)), np.int64)
    for k, start in enumerate(range(0, items, ITEM_BLOCK)):
        part = forms[:, :, start : start + ITEM_BLOCK]
        # The first block has the key that there was before items had blocks.
        key = (streams.PERMUTATIONS, number, k) if k else (streams.PERMUTATIONS, number)
        generator = np.random.Generator(
            np.random.SFC64(np.random.SeedSequence(seed, spawn_key=key))
        )
        for each in sums:
            order = generator.random((systems, part.shape[2])).argsort(axis=0)
            each += np.take_along_axis(part, order[None], axis=1).sum(axis=2).T
    return sums


def _tukey(
    projection: Projection,
    questions: Sequence[Question],
    observed: Floats,
    shuffles: int,
    shared: SharedShuffles,
    level: _Level,
) -> Joint:
    if any(question.tail != "two" for question in questions):
        raise UsageError("the randomized Tukey test is two-sided")
    adjusted, spreads = np.ones(len(questions)), 0.0
    for bound in {id(q.bound): q.bound for q in questions}.values():
        _forms(bound)
        mine = [k for k, q in enumerate(questions) if q.bound is bound]
        terms = None
        if any(questions[k].residuals is not None for k in mine):
            systems = range(projection.totals.shape[1])
            scored = [k for k in systems if not lacks_score(projection, bound, k)]
            terms = system_terms(projection, bound, scored)
        permuted = Permuted(bound, terms)
        blocks = shared.permuted_sums(permuted, shuffles)
        ranges, squares = np.concatenate([permuted.ranges(sums) for sums in blocks]).T
        spread = float(_safe_root(squares.mean()))
        spreads = max(spreads, upper_end(ranges, level.alpha) / spread)
        adjusted[mine] = tukey(observed[mine].clip(min=0), ranges)
    return Joint(adjusted, level.of_largest(spreads))
