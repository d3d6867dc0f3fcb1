"""Paired randomization by shuffles: how many random exchanges reach the measured difference.

One set of shuffles serves all pairs and metrics. Shards of shuffles run anywhere; what they return
are counts, so that the reduction is a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import BoundFunction, BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling import streams
from tellapart.resampling.ratios import RatioPair, sign_of
from tellapart.resampling.shuffles import PairTest, ShufflePlan
from tellapart.resampling.streams import SHARD
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.questions import Question, tie_tolerance
from tellapart.significance.residuals import Residuals
from tellapart.significance.sequential import BesagClifford, besag_clifford

Pair: TypeAlias = tuple[int, int]

_TOGETHER = 1 << 14  # shuffles of several pairs that a function is asked for at once


def ratio_pair(projection: Projection, question: Question) -> RatioPair:
    """Return the sums of two systems under a ratio metric, ready for exact comparison."""
    bound = question.bound
    assert isinstance(bound, BoundRatio)
    num, den = projection.totals[bound.numerator], projection.totals[bound.denominator]
    a, b = question.a, question.b
    numerators = projection.forms[bound.numerator]
    tolerance = None
    if not bound.exact:
        scores = [float(projection.score(bound, s)) for s in (a, b)]
        # Rounding onto the grid moves each item's numerators by at most one step between them.
        grid = 2 * numerators.shape[1] / max(1, int(den[a] + den[b]))
        tolerance = max(tie_tolerance(*scores) / float(bound.factor), grid)
    return RatioPair(
        num_a=int(num[a]),
        den_a=int(den[a]),
        num_b=int(num[b]),
        den_b=int(den[b]),
        tail=question.tail,
        undefined=bound.undefined,
        tolerance=tolerance,
        num_bound=int(np.abs(numerators[a]).sum() + np.abs(numerators[b]).sum()),
        same_denominators=projection.same_denominators(bound, a, b),
    )


@dataclass(frozen=True, slots=True)
class _FunctionTest:
    """A pair under a metric that is no ratio: scores of exchanged sums, compared as floats."""

    bound: BoundFunction
    a: int
    b: int
    sign: int
    threshold: float
    totals: NDArray[np.int64]  # forms of the metric × systems
    rows: tuple[NDArray[np.float64], NDArray[np.float64]] | None

    def reached(self, differences: NDArray[np.float64]) -> NDArray[np.bool_]:
        return reaches_threshold(differences, self.threshold, self.sign)


def reaches_threshold(
    differences: NDArray[np.float64], threshold: float, sign: int
) -> NDArray[np.bool_]:
    """Return which differences reach a threshold that already includes its tolerance.

    One that is undefined (NaN) counts: doubt leans to a larger p.
    """
    if sign == 0:
        return np.asarray(~(np.abs(differences) < threshold))
    return np.asarray(~(differences < threshold) if sign > 0 else ~(differences > threshold))


def float_threshold(score_a: float, score_b: float, tail: str, slack: float = 0.0) -> float:
    """Return the measured difference less the tolerance within which floats count as tied."""
    slack, d = max(slack, tie_tolerance(score_a, score_b)), score_a - score_b
    sign = sign_of(tail)
    return abs(d) - slack if sign == 0 else d - sign * slack


@dataclass(frozen=True, slots=True)
class SignedTest:
    """A pair whose residuals change their signs instead of being exchanged."""

    residuals: Residuals
    a: int
    b: int
    sign: int
    threshold: float

    @classmethod
    def of(cls, projection: Projection, question: Question) -> SignedTest:
        """Return the test of a question that has residuals."""
        assert question.residuals is not None
        a, b = question.a, question.b
        scores = [float(projection.score(question.bound, system)) for system in (a, b)]
        slack = question.residuals.slack
        threshold = float_threshold(scores[0], scores[1], question.tail, slack)
        return cls(question.residuals, a, b, sign_of(question.tail), threshold)

    def reached(self, differences: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which differences count as exceeding."""
        return reaches_threshold(differences, self.threshold, self.sign)


@dataclass
class SignedPlan:
    """The sums of each system over random sets of items, of which those of residuals are made.

    A plan tells sums relative to the first system's; here that is one which has nothing.
    """

    plan: ShufflePlan
    places: dict[int, int]
    """Where each form is in the plan; the last one there counts the items"""

    @classmethod
    def of(
        cls, projection: Projection, tests: Sequence[Residuals], others: Iterable[int] = ()
    ) -> SignedPlan:
        """Return the plan for the forms that some tests read, and for others."""
        used = sorted({*others, *(form for each in tests for form in each.forms)})
        _, systems, items = projection.forms.shape
        forms = np.zeros((len(used) + 1, systems + 1, items), np.int64)
        forms[:-1, 1:] = projection.forms[used]
        forms[-1, 1] = any(each.constant for each in tests)
        return cls(ShufflePlan(forms), {form: k for k, form in enumerate(used)})

    def exchanged(
        self, sums: NDArray[np.float64], form: int, a: int, b: int
    ) -> NDArray[np.float64]:
        """Return what an exchange adds to system a's sum of a form, and takes from b's."""
        return self.plan.exchanged(sums, self.places[form], a + 1, b + 1)

    def differences(
        self, sums: NDArray[np.float64], parts: Residuals, a: int, b: int
    ) -> NDArray[np.float64]:
        """Return the differences with the signs of random sets of items flipped."""
        moved = np.zeros(sums.shape[1])
        if parts.constant:
            moved += parts.constant * self.plan.form_sums(sums, len(self.places), 1)
        for form, one, other in zip(parts.forms, parts.first, parts.second, strict=True):
            place = self.places[form]
            moved += one * self.plan.form_sums(sums, place, a + 1)
            moved -= other * self.plan.form_sums(sums, place, b + 1)
        return np.asarray(parts.difference - 2 * moved)


@dataclass
class ShuffleJob:
    """What a worker needs to count exceedances: the plan and all tests."""

    plan: ShufflePlan
    seed: int
    purpose: int
    ratios: list[PairTest]
    functions: list[_FunctionTest]
    order: NDArray[np.int64]
    """Where the counts of ratios, then of functions, then of residuals go among the questions."""
    rows: NDArray[np.void]
    """The ratios as the engine reads them."""
    signed: list[SignedTest]
    signed_plan: SignedPlan | None
    """For the tests of residuals; None without any"""

    @classmethod
    def of(
        cls,
        projection: Projection,
        questions: Sequence[Question],
        seed: int,
        purpose: int = streams.SHUFFLES,
    ) -> ShuffleJob:
        """Return the job that tests all questions."""
        ratios, functions, signed = [], [], []
        orders: tuple[list[int], ...] = ([], [], [])
        for index, question in enumerate(questions):
            bound = question.bound
            if question.residuals is not None:
                signed.append(SignedTest.of(projection, question))
                orders[2].append(index)
            elif isinstance(bound, BoundRatio):
                sums = ratio_pair(projection, question)
                a, b, top, bottom = question.a, question.b, bound.numerator, bound.denominator
                ratios.append(PairTest(a, b, top, bottom, sums))
                orders[0].append(index)
            else:
                functions.append(_function_test(projection, question, bound))
                orders[1].append(index)
        order = np.array([index for part in orders for index in part], np.int64)
        plan = ShufflePlan(projection.forms)
        parts = [test.residuals for test in signed]
        signed_plan = SignedPlan.of(projection, parts) if signed else None
        rows = plan.test_rows(ratios)
        return cls(plan, seed, purpose, ratios, functions, order, rows, signed, signed_plan)

    def select(self, kept: NDArray[np.int64]) -> ShuffleJob:
        """Return the job of some of the questions, by their numbers."""
        place = {int(index): k for k, index in enumerate(kept)}
        last = len(self.ratios), len(self.ratios) + len(self.functions)
        where = [(i, int(q)) for i, q in enumerate(self.order) if int(q) in place]
        chosen = [i for i, _ in where if i < last[0]]
        part = replace(
            self,
            ratios=[self.ratios[i] for i in chosen],
            functions=[self.functions[i - last[0]] for i, _ in where if last[0] <= i < last[1]],
            signed=[self.signed[i - last[1]] for i, _ in where if i >= last[1]],
            order=np.array([place[q] for _, q in where], np.int64),
            rows=self.rows[chosen],
        )
        tests: Sequence[PairTest | _FunctionTest | SignedTest]
        tests = (*part.ratios, *part.functions, *part.signed)
        systems = {system for test in tests for system in (test.a, test.b)}
        few = 2 * len(systems) <= self.plan.forms.shape[1]
        return part._of_systems(systems) if few else part

    def _of_systems(self, systems: Collection[int]) -> ShuffleJob:
        """Return the job without the sums of other systems: most pairs are settled early."""
        plan = self.plan
        if self.ratios or self.functions:
            plan = plan.of_systems(systems)
        signed_plan = self.signed_plan if self.signed else None
        if signed_plan is not None:
            kept = {1, *(system + 1 for system in systems)}  # the first one counts the items
            signed_plan = replace(signed_plan, plan=signed_plan.plan.of_systems(kept))
        rows = plan.test_rows(self.ratios)
        return replace(self, plan=plan, rows=rows, signed_plan=signed_plan)


def _function_test(
    projection: Projection, question: Question, bound: BoundFunction
) -> _FunctionTest:
    a, b = question.a, question.b
    scores = [float(projection.score(bound, system)) for system in (a, b)]
    rows = None
    if isinstance(bound.metric, ItemFunction):
        rows = projection.rows(bound, a), projection.rows(bound, b)
    totals = projection.totals[list(bound.forms)]
    threshold = float_threshold(scores[0], scores[1], question.tail)
    return _FunctionTest(bound, a, b, sign_of(question.tail), threshold, totals, rows)


def count_shards(job: ShuffleJob, shards: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Return exceedances in some shards, given with their numbers of shuffles: shards × tests."""
    counts = np.empty((len(shards), len(job.order)), np.int64)
    for k, (shard, n) in enumerate(shards):
        if job.ratios:
            found = job.plan.count(job.seed, shard, n, job.ratios, job.rows, job.purpose)
            counts[k, job.order[: len(job.ratios)]] = found
        last = len(job.ratios) + len(job.functions)
        if job.functions:
            counts[k, job.order[len(job.ratios) : last]] = _count_functions(job, shard, n)
        if job.signed:
            counts[k, job.order[last:]] = [int(hit.sum()) for hit in _signed(job, shard, n)]
    return counts


def _signed(job: ShuffleJob, shard: int, n: int) -> Iterator[NDArray[np.bool_]]:
    """Yield which shuffles of a shard reach the threshold, for each test of residuals."""
    assert job.signed_plan is not None
    sums = job.signed_plan.plan.subset_sums(job.seed, shard, n, job.purpose)
    for test in job.signed:
        yield test.reached(job.signed_plan.differences(sums, test.residuals, test.a, test.b))


def _count_functions(job: ShuffleJob, shard: int, n: int) -> list[int]:
    """Return the exceedances of each function; those of sums are worked out several at a time."""
    found = [0] * len(job.functions)
    of_sums: dict[int, list[int]] = {}
    for k, test in enumerate(job.functions):
        if test.rows is None:
            of_sums.setdefault(id(test.bound), []).append(k)
        else:
            found[k] = int(np.count_nonzero(test.reached(_differences(job, test, shard, n))))
    if not of_sums:
        return found
    sums = job.plan.subset_sums(job.seed, shard, n, job.purpose)  # once for all tests
    several = max(1, _TOGETHER // n)
    for places in of_sums.values():
        for first in range(0, len(places), several):
            part = places[first : first + several]
            tests = [job.functions[k] for k in part]
            pairs = [(test.a, test.b) for test in tests]
            rows = function_differences(job.plan, tests[0].bound, pairs, tests[0].totals, sums)
            for k, test, row in zip(part, tests, rows, strict=True):
                found[k] = int(np.count_nonzero(test.reached(row)))
    return found


def _differences(job: ShuffleJob, test: _FunctionTest, shard: int, n: int) -> NDArray[np.float64]:
    """Return the differences of a metric that is no ratio after each shuffle of a shard."""
    if test.rows is None:
        sums = job.plan.subset_sums(job.seed, shard, n, job.purpose)
        pairs = [(test.a, test.b)]
        return np.asarray(function_differences(job.plan, test.bound, pairs, test.totals, sums)[0])
    coins = streams.coins(job.seed, shard, job.plan.items, n, job.purpose)
    return item_differences(test.bound, *test.rows, coins)


def function_differences(
    plan: ShufflePlan,
    bound: BoundFunction,
    pairs: Sequence[Pair],
    totals: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the differences of a function of sums after each exchange: pairs × exchanges."""
    assert not isinstance(bound.metric, ItemFunction)
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    # Forms first in memory, so that the function reads whole columns.
    moved = np.empty((len(bound.forms), len(pairs), sums.shape[1]))
    for k, form in enumerate(bound.forms):
        for row, (a, b) in zip(moved[k], pairs, strict=True):
            row[:] = plan.exchanged(sums, form, a, b)
    sizes = bound.scales[:, None, None]
    scores = [
        bound.metric.scores(np.moveaxis(own / sizes, 0, -1))
        for own in (totals[:, first, None] + moved, totals[:, second, None] - moved)
    ]
    return np.asarray(scores[0] - scores[1])


def item_differences(
    bound: BoundFunction,
    rows_a: NDArray[np.float64],
    rows_b: NDArray[np.float64],
    exchanged: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the differences of a function of rows after exchanges, items × exchanges."""
    assert isinstance(bound.metric, ItemFunction)
    score = bound.metric.score
    result = np.empty(exchanged.shape[1])
    for k, coins in enumerate(exchanged.T):
        swapped = coins[:, None]
        first, second = np.where(swapped, rows_b, rows_a), np.where(swapped, rows_a, rows_b)
        result[k] = score(first) - score(second)
    return result


def shard_sizes(shuffles: int) -> list[tuple[int, int]]:
    """Return the shards of a number of shuffles: (shard, shuffles in it).

    >>> shard_sizes(5000)
    [(0, 2048), (1, 2048), (2, 904)]
    """
    return [(k, min(SHARD, shuffles - k * SHARD)) for k in range(-(-shuffles // SHARD))]


def _batches(
    shards: list[tuple[int, int]], pool: WorkerPool, batch: int | None
) -> list[list[tuple[int, int]]]:
    """Return the shards put into tasks: enough to share out evenly, few enough to be cheap."""
    size = batch or max(1, min(32, len(shards) // (4 * pool.count)))
    return [shards[k : k + size] for k in range(0, len(shards), size)]


def count_exceedances(
    job: ShuffleJob,
    shuffles: int,
    pool: WorkerPool,
    batch: int | None = None,
    progress: Progress = no_progress,
) -> NDArray[np.int64]:
    """Return the exceedances of every question in a fixed number of shuffles."""
    tasks = _batches(shard_sizes(shuffles), pool, batch)
    counts = pool.map(count_shards, job, tasks, progress, "shuffles")
    total = np.zeros(len(job.order), np.int64)
    for part in counts:
        total += part.sum(axis=0)
    return total


Settled: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]


def count_until_settled(
    job: ShuffleJob,
    settled: Settled,
    max_shuffles: int,
    pool: WorkerPool,
    batch: int | None = None,
    progress: Progress = no_progress,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return exceedances and shuffles of every question, each drawn until it is settled.

    Looks are taken at the ends of shards. A question stops at its own first settled look, so that
    its counts depend neither on the other questions nor on the number of workers.
    """
    counts = np.zeros(len(job.order), np.int64)
    drawn = np.zeros(len(job.order), np.int64)
    stopped = np.zeros(len(job.order), np.bool_)
    shards, position, step = shard_sizes(max_shuffles), 0, 1
    while not stopped.all() and position < len(shards):
        part, unsettled = shards[position : position + step], np.flatnonzero(~stopped)
        tasks = _batches(part, pool, batch)
        found = np.concatenate(list(pool.map(count_shards, job.select(unsettled), tasks)))
        for row, (_, n) in zip(found, part, strict=True):
            going = ~stopped[unsettled]
            counts[unsettled] += np.where(going, row, 0)
            drawn[unsettled] += np.where(going, n, 0)
            stopped |= settled(counts, drawn)
        position += len(part)
        step = min(2 * position, 64)
        progress("shuffles", len(shards) if stopped.all() else position, len(shards))
    return counts, drawn


def besag_clifford_test(
    projection: Projection,
    question: Question,
    seed: int = 0,
    h: int = 10,
    max_shuffles: int = 9_999,
) -> BesagClifford:
    """Return Besag and Clifford's p, from shuffles that stop at the h-th exceedance.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics.projection import project
    >>> counts = Counts.from_arrays({"A": [1, 0, 1, 1], "B": [0, 1, 1, 0]})
    >>> projection = project(counts)
    >>> besag_clifford_test(projection, Question(projection.metrics[0], 0, 1, "two"))
    BesagClifford(p=1.0, shuffles=10)
    """
    job = ShuffleJob.of(projection, [question], seed)
    positions: list[int] = []
    for shard, n in shard_sizes(max_shuffles):
        reached = reached_in(job, shard, n)
        positions += (np.flatnonzero(reached) + 1 + shard * SHARD).tolist()
        if len(positions) >= h:
            break
    return besag_clifford(positions[:h], max_shuffles, h)


def reached_in(job: ShuffleJob, shard: int, n: int) -> NDArray[np.bool_]:
    """Return which shuffles of a shard are exceedances of a job's only question."""
    if job.ratios:
        return job.plan.reached(job.seed, shard, n, job.ratios[0], job.purpose)
    if job.signed:
        return next(_signed(job, shard, n))
    return job.functions[0].reached(_differences(job, job.functions[0], shard, n))
