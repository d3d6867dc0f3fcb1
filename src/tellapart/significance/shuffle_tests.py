"""Paired randomization by shuffles: how many random exchanges reach the measured difference.

One set of shuffles serves all pairs and metrics. Shards of shuffles run anywhere; what they return
are counts, so that the reduction is a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.metrics.kinds import PenalisedMean
from tellapart.metrics.projection import BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling import streams
from tellapart.resampling.ratios import RatioPair
from tellapart.resampling.shuffles import (
    MEAN_RATIOS,
    MeanRows,
    Shards,
    ShufflePlan,
    SignedRows,
)
from tellapart.resampling.streams import SHARD
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.exchanges import (
    FunctionTest,
    SignedPlan,
    SignedTest,
    function_differences,
    function_test,
    item_differences,
    ratio_rows,
)
from tellapart.significance.questions import Question

_MOST_LOOKS, _LOOKED_AT = 64, 1 << 20  # at once, and at how many questions
_TOGETHER = 1 << 14  # shuffles of several pairs that a function is asked for at once


@dataclass
class ShuffleJob:
    """What a worker needs to count exceedances: the plan and all tests."""

    plan: ShufflePlan
    seed: int
    rows: NDArray[np.void]
    """The ratios as the engine reads them"""
    pairs: list[RatioPair | None]
    """The sums of those that need more than numerators"""
    functions: list[FunctionTest]
    signed: SignedRows | None
    signed_plan: SignedPlan | None
    """For the tests of residuals; None without any"""
    order: NDArray[np.int64]
    """Where the counts of ratios, then of functions, then of residuals go among the questions."""

    @classmethod
    def of(
        cls,
        projection: Projection,
        questions: Sequence[Question],
        seed: int,
    ) -> ShuffleJob:
        """Return the job that tests all questions."""
        places: tuple[list[int], ...] = ([], [], [])
        for k, each in enumerate(questions):
            kind = 2 if each.residuals is not None else int(not isinstance(each.bound, BoundRatio))
            places[kind].append(k)
        ratios, functions, signed = ([questions[k] for k in some] for some in places)
        plan = ShufflePlan(projection.forms if ratios or functions else projection.forms[:, :1])
        rows, pairs = ratio_rows(projection, ratios, plan)
        signed_rows = signed_plan = None
        if signed:
            tests = [SignedTest.of(projection, question) for question in signed]
            signed_plan = SignedPlan.of(projection, [test.residuals for test in tests])
            signed_rows = signed_plan.rows(tests)
        order = np.array([k for some in places for k in some], np.int64)
        others = [function_test(projection, question) for question in functions]
        return cls(plan, seed, rows, pairs, others, signed_rows, signed_plan, order)

    @property
    def ends(self) -> tuple[int, int]:
        """Where ratios end, and where functions do."""
        return len(self.rows), len(self.rows) + len(self.functions)

    def select(self, kept: NDArray[np.int64]) -> ShuffleJob:
        """Return the job of some of the questions, by their numbers."""
        place = np.full(int(self.order.max(initial=-1)) + 1, -1)
        place[kept] = np.arange(len(kept))
        chosen = np.flatnonzero(place[self.order] >= 0)
        first, last = self.ends
        ratios = chosen[chosen < first]
        functions = chosen[(chosen >= first) & (chosen < last)] - first
        signed = None
        if self.signed is not None and (chosen >= last).any():
            signed = self.signed.chosen(chosen[chosen >= last] - last)
        return replace(
            self,
            rows=self.rows[ratios],
            pairs=[self.pairs[k] for k in ratios.tolist()],
            functions=[self.functions[k] for k in functions.tolist()],
            signed=signed,
            order=place[self.order[chosen]],
        )


def count_shards(job: ShuffleJob, shards: Shards) -> NDArray[np.int64]:
    """Return exceedances in some shards, given with their numbers of shuffles: shards × tests."""
    counts = np.empty((len(shards), len(job.order)), np.int64)
    first, last = job.ends
    if len(job.rows):
        found = job.plan.count(job.seed, shards, job.rows, job.pairs)
        counts[:, job.order[:first]] = found
    if job.functions:
        counts[:, job.order[first:last]] = _count_functions(job, shards)
    if job.signed is not None:
        assert job.signed_plan is not None
        plan = job.signed_plan.plan
        counts[:, job.order[last:]] = plan.count_signed(job.seed, shards, job.signed)
    return counts


def _count_functions(job: ShuffleJob, shards: Shards) -> NDArray[np.int64]:
    """Return the exceedances of each function: shards × functions."""
    counts = np.zeros((len(shards), len(job.functions)), np.int64)
    open_ = np.ones(counts.shape, np.bool_)
    means = [k for k, test in enumerate(job.functions) if _native_mean(test)]
    if means:
        rows = _mean_rows(job.plan, [job.functions[k] for k in means])
        surely, perhaps = job.plan.count_means(job.seed, shards, rows)
        counts[:, means], open_[:, means] = surely, surely != perhaps
    for k, (shard, n) in enumerate(shards):
        if open_[k].any():
            rest = np.flatnonzero(open_[k]).tolist()
            counts[k, rest] = _count_some(job, [job.functions[j] for j in rest], shard, n)
    return counts


def _native_mean(test: FunctionTest) -> bool:
    """Return whether native code knows a function. A scale that all columns share changes none."""
    metric, scales = test.bound.metric, test.bound.scales
    return (
        isinstance(metric, PenalisedMean)
        and len(metric.columns) == 2 + 2 * MEAN_RATIOS
        and bool((scales == scales[0]).all())
        and path.active() != "numpy"
    )


def _mean_rows(plan: ShufflePlan, tests: Sequence[FunctionTest]) -> MeanRows:
    """Return tests as the engine reads them."""
    forms = np.array([test.bound.forms for test in tests])
    first, second = np.array([(test.a, test.b) for test in tests]).T
    return MeanRows(
        plan.columns[forms, first[:, None]],
        plan.columns[forms, second[:, None]],
        np.array([test.totals[:, test.a] for test in tests], np.float64),
        np.array([test.totals[:, test.b] for test in tests], np.float64),
        np.array([test.threshold for test in tests]),
        np.array([test.sign for test in tests], np.int32),
    )


def _count_some(job: ShuffleJob, tests: Sequence[FunctionTest], shard: int, n: int) -> list[int]:
    """Return the exceedances of some functions; those of sums are worked out several at a time."""
    found = [0] * len(tests)
    of_sums: dict[int, list[int]] = {}
    for k, test in enumerate(tests):
        if test.rows is None:
            of_sums.setdefault(id(test.bound), []).append(k)
        else:
            found[k] = int(np.count_nonzero(test.reached(_differences(job, test, shard, n))))
    if not of_sums:
        return found
    # Once for all tests, and of no other systems than theirs: most pairs are settled early.
    systems = sorted({system for test in tests for system in (test.a, test.b)})
    place = {system: k for k, system in enumerate(systems)}
    plan = job.plan.of_systems(systems)
    sums = plan.subset_sums(job.seed, shard, n)
    several = max(1, _TOGETHER // n)
    for places in of_sums.values():
        for first in range(0, len(places), several):
            part = places[first : first + several]
            some = [tests[k] for k in part]
            pairs = [(place[test.a], place[test.b]) for test in some]
            totals = some[0].totals[:, systems]
            rows = function_differences(plan, some[0].bound, pairs, totals, sums)
            for k, test, row in zip(part, some, rows, strict=True):
                found[k] = int(np.count_nonzero(test.reached(row)))
    return found


def _differences(job: ShuffleJob, test: FunctionTest, shard: int, n: int) -> NDArray[np.float64]:
    """Return the differences of a metric that is no ratio after each shuffle of a shard."""
    if test.rows is None:
        sums = job.plan.subset_sums(job.seed, shard, n)
        pairs = [(test.a, test.b)]
        return np.asarray(function_differences(job.plan, test.bound, pairs, test.totals, sums)[0])
    coins = streams.coins(job.seed, shard, job.plan.items, n)
    return item_differences(test.bound, *test.rows, coins)


def shard_sizes(shuffles: int) -> list[tuple[int, int]]:
    """Return the shards of a number of shuffles: (shard, shuffles in it)."""
    return streams.shares(shuffles, SHARD)


def _tasks(shards: list[tuple[int, int]], pool: WorkerPool) -> list[list[tuple[int, int]]]:
    """Return the shards put into tasks: enough to share out evenly, few enough to be cheap."""
    size = max(1, min(32, len(shards) // (4 * pool.count)))
    return [shards[k : k + size] for k in range(0, len(shards), size)]


def count_exceedances(
    job: ShuffleJob,
    shuffles: int,
    pool: WorkerPool,
    progress: Progress = no_progress,
) -> NDArray[np.int64]:
    """Return the exceedances of every question in a fixed number of shuffles."""
    tasks = _tasks(shard_sizes(shuffles), pool)
    counts = pool.map(count_shards, job, tasks, progress, "shuffles")
    total = np.zeros(len(job.order), np.int64)
    for part in counts:
        total += part.sum(axis=0)
    return total


Settled: TypeAlias = Callable[
    [NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]
]
"""From exceedances and shuffles of all questions, looks × questions: which of some are settled"""


def count_until_settled(
    job: ShuffleJob,
    settled: Settled,
    max_shuffles: int,
    pool: WorkerPool,
    progress: Progress = no_progress,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return exceedances and shuffles of every question, each drawn until it is settled.

    Looks are taken at the ends of shards. A question stops at its own first settled look, so that
    its counts depend neither on the other questions nor on the number of workers.
    """
    state = _Looks(settled, *np.zeros((2, len(job.order)), np.int64))
    shards, position, step = shard_sizes(max_shuffles), 0, 1
    while not state.stopped.all() and position < len(shards):
        part, unsettled = shards[position : position + step], np.flatnonzero(~state.stopped)
        tasks = _tasks(part, pool)
        found = np.concatenate(list(pool.map(count_shards, job.select(unsettled), tasks)))
        state.take(unsettled, found, np.array([n for _, n in part]))
        position += len(part)
        # Large enough to share out, small enough that little is drawn for what is settled midway.
        step = min(max(pool.count, position // 2), 64)
        done = bool(state.stopped.all())
        progress("shuffles", len(shards) if done else position, len(shards))
    return state.counts, state.drawn


@dataclass
class _Looks:
    """Exceedances and shuffles of every question so far, and which of them are settled."""

    settled: Settled
    counts: NDArray[np.int64]
    drawn: NDArray[np.int64]

    def __post_init__(self) -> None:
        self.stopped = np.zeros(len(self.counts), np.bool_)
        self._ahead = 1

    def take(
        self, asked: NDArray[np.int64], found: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> None:
        """Look after each of some shards, with their exceedances of some questions and their sizes.

        Where nothing is settled for long, several looks are taken at once.
        """
        taken = 0
        while taken < len(found) and not self.stopped[asked].all():
            going = ~self.stopped[asked]
            open_, some = asked[going], slice(taken, taken + self._ahead)
            added = np.cumsum(found[some, going], axis=0)
            counts, drawn = (
                np.repeat(each[None], len(added), 0) for each in (self.counts, self.drawn)
            )
            counts[:, open_] += added
            drawn[:, open_] += np.cumsum(sizes[some])[:, None]
            done = self.settled(counts, drawn, open_)
            any_done = done.any(axis=1)
            last = int(any_done.argmax()) if any_done.any() else len(done) - 1
            self.counts, self.drawn, self.stopped[open_] = counts[last], drawn[last], done[last]
            taken += last + 1
            most = max(1, min(_MOST_LOOKS, _LOOKED_AT // len(self.counts)))
            self._ahead = 1 if any_done.any() else min(2 * self._ahead, most)
