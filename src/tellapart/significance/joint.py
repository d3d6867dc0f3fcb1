"""All pairs under the same shuffles: maxT, minP and the randomized Tukey test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling import streams
from tellapart.resampling.enumeration import all_subset_sums
from tellapart.resampling.shuffles import ShufflePlan
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.bootstrap import scores
from tellapart.significance.randomization import Question, shard_sizes, tie_tolerance
from tellapart.significance.stepdown import MaxT, min_p, tukey

ENUMERATED_ITEMS = 14
MAX_MATRIX = 20_000_000  # shuffled statistics that minP may hold at a time
_PERMUTED = 64  # permutations that share one stream


@dataclass
class _Family:
    """Pairs whose differences are wanted under the same coins."""

    plan: ShufflePlan
    totals: NDArray[np.int64]  # forms × systems
    questions: Sequence[Question]
    seed: int

    def statistics(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return shuffled statistics, larger ones speaking against the null: shuffles × pairs."""
        columns = [self._statistic(question, sums) for question in self.questions]
        return np.stack(columns, axis=1)

    def _statistic(self, question: Question, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        bound, a, b = question.bound, question.a, question.b
        forms = _forms(bound)
        moved = np.zeros((sums.shape[1], len(self.totals)))
        for form in forms:
            moved[:, form] = self.plan.exchanged(sums, form, a, b)
        apart = _difference(bound, self.totals[:, a] + moved, self.totals[:, b] - moved)
        return _directed(apart, question.tail)


def _difference(
    bound: Bound, first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return differences of scores; equal differences of ratios are equal floats.

    A difference of two rounded scores would not do: two systems may be 1e-5 apart, and rounding
    then breaks ties.
    """
    apart = scores(bound, first) - scores(bound, second)
    if not isinstance(bound, BoundRatio):
        return apart
    forms = [bound.numerator, bound.denominator]
    (c, d), (tn, td) = (first - second)[:, forms].T, (first + second)[:, forms].T
    rest = td * td - d * d  # zero where a score is undefined
    exact = float(bound.factor) * (2 * (c * td - tn * d) / np.where(rest == 0, 1, rest))
    return np.asarray(np.where(rest == 0, apart, exact))


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
    apart = _directed(np.array(float(first - second)), question.tail)
    return float(apart) - tie_tolerance(float(first), float(second))


def _directed(apart: NDArray[np.float64], tail: str) -> NDArray[np.float64]:
    return np.abs(apart) if tail == "two" else apart if tail == "greater" else -apart


def _squares(family: _Family, item: tuple[int, int]) -> NDArray[np.float64]:
    shard, n = item
    statistics = family.statistics(family.plan.subset_sums(family.seed, shard, n))
    return np.asarray((statistics**2).sum(axis=0))


def _counts(
    payload: tuple[_Family, NDArray[np.float64], NDArray[np.float64], bool], item: tuple[int, int]
) -> MaxT:
    family, observed, scale, single_step = payload
    counter = MaxT(observed, single_step)
    counter.add(family.statistics(family.plan.subset_sums(family.seed, *item)) / scale)
    return counter


def _matrix(family: _Family, item: tuple[int, int]) -> NDArray[np.float64]:
    return family.statistics(family.plan.subset_sums(family.seed, *item))


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
) -> NDArray[np.float64]:
    """Return adjusted p-values of a family of pairs from shared shuffles.

    With `scale` each pair's statistic is divided by its root mean square over the shuffles.
    """
    family = _Family(ShufflePlan(projection.forms), projection.totals, questions, seed)
    observed = np.array([_observed(projection, question) for question in questions])
    if correction == "tukey":
        return _tukey(projection, questions, observed, shuffles, seed, pool, progress)
    everything = _enumerated_sums(projection)
    if everything is not None:
        return _from_matrix(family.statistics(everything), observed, correction, scale, True)
    if correction == "minp":
        return _min_p(family, observed, shuffles, pool, progress)
    tasks = shard_sizes(shuffles)
    sigma = np.ones(len(questions))
    if scale:
        squares = list(pool.map(_squares, family, tasks, progress, "scales"))
        totals = [math.fsum(column) for column in zip(*squares, strict=True)]
        sigma = _safe_root(np.array(totals) / shuffles)
    payload = family, observed / sigma, sigma, correction == "maxt-single"
    counter = MaxT(observed / sigma, correction == "maxt-single")
    for part in pool.map(_counts, payload, tasks, progress, "shuffles"):
        counter.merge(part)
    return counter.adjusted(enumerated=False)


def _safe_root(mean_squares: NDArray[np.float64]) -> NDArray[np.float64]:
    # Identical systems never differ: any scale will do for them.
    return np.sqrt(np.where(mean_squares == 0, 1.0, mean_squares))


def enumerable(projection: Projection) -> bool:
    """Tell whether so few items differ for any pair that all exchanges are walked."""
    relative = projection.forms[:, 1:, :] - projection.forms[:, :1, :]
    return int(relative.any(axis=(0, 1)).sum()) <= ENUMERATED_ITEMS


def _enumerated_sums(projection: Projection) -> NDArray[np.float64] | None:
    """Return the sums of all exchanges where few items differ for any pair."""
    forms = projection.forms
    relative = forms[:, 1:, :] - forms[:, :1, :]
    moving = relative.any(axis=(0, 1))
    if moving.sum() > ENUMERATED_ITEMS:
        return None
    kept = relative[relative.any(axis=2)][:, moving]
    return all_subset_sums(kept).astype(np.float64)


def _from_matrix(
    null: NDArray[np.float64],
    observed: NDArray[np.float64],
    correction: str,
    scale: bool,
    enumerated: bool,
) -> NDArray[np.float64]:
    if correction == "minp":
        return min_p(observed, null, enumerated)
    sigma = _safe_root((null**2).mean(axis=0)) if scale else np.ones(len(observed))
    counter = MaxT(observed / sigma, correction == "maxt-single")
    counter.add(null / sigma)
    return counter.adjusted(enumerated)


def _min_p(
    family: _Family,
    observed: NDArray[np.float64],
    shuffles: int,
    pool: WorkerPool,
    progress: Progress,
) -> NDArray[np.float64]:
    if shuffles * len(observed) > MAX_MATRIX:
        raise UsageError(
            f"minP with {shuffles:,} shuffles of {len(observed)} pairs would not fit in memory; "
            f"use at most {MAX_MATRIX // len(observed):,} shuffles, or --correction maxt"
        )
    parts = pool.map(_matrix, family, shard_sizes(shuffles), progress, "shuffles")
    return min_p(observed, np.concatenate(list(parts)), enumerated=False)


def _permuted_ranges(
    payload: tuple[NDArray[np.int64], Bound, int], item: tuple[int, int]
) -> NDArray[np.float64]:
    """Return the range of the systems' scores after random permutations within each item."""
    (forms, bound, seed), (block, n) = payload, item
    sequence = np.random.SeedSequence(seed, spawn_key=(streams.PERMUTATIONS, block))
    generator = np.random.Generator(np.random.SFC64(sequence))
    _, systems, items = forms.shape
    sums = np.empty((n, systems, len(forms)), np.int64)
    for k in range(n):
        order = generator.random((systems, items)).argsort(axis=0)
        sums[k] = np.take_along_axis(forms, order[None], axis=1).sum(axis=2).T
    permuted = scores(bound, sums)
    return np.asarray(permuted.max(axis=1) - permuted.min(axis=1))


def _tukey(
    projection: Projection,
    questions: Sequence[Question],
    observed: NDArray[np.float64],
    shuffles: int,
    seed: int,
    pool: WorkerPool,
    progress: Progress,
) -> NDArray[np.float64]:
    if any(question.tail != "two" for question in questions):
        raise UsageError("the randomized Tukey test is two-sided")
    adjusted = np.ones(len(questions))
    blocks = [
        (k, min(_PERMUTED, shuffles - k * _PERMUTED)) for k in range(-(-shuffles // _PERMUTED))
    ]
    for bound in {id(q.bound): q.bound for q in questions}.values():
        _forms(bound)
        payload = projection.forms, bound, seed
        ranges = np.concatenate(
            list(pool.map(_permuted_ranges, payload, blocks, progress, "permutations"))
        )
        mine = [k for k, q in enumerate(questions) if q.bound is bound]
        adjusted[mine] = tukey(observed[mine].clip(min=0), ranges)
    return adjusted
