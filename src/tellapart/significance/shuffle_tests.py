"""Paired randomization by shuffles: how many random exchanges reach the measured difference.

One set of shuffles serves all pairs and metrics. Shards of shuffles run anywhere; what they return
are counts, so that the reduction is a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.metrics import ItemFunction
from tellapart.metrics.kinds import PenalisedMean
from tellapart.metrics.projection import BoundFunction, BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling import streams
from tellapart.resampling.ratios import (
    TEST,
    RatioPair,
    fill_linear,
    reaches_threshold,
    sign_of,
)
from tellapart.resampling.shuffles import (
    MEAN_RATIOS,
    MeanRows,
    Shards,
    ShufflePlan,
    SignedRows,
    SumColumns,
)
from tellapart.resampling.streams import SHARD
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.questions import Question, tie_tolerance, tie_tolerances
from tellapart.significance.residuals import Residuals
from tellapart.significance.sequential import BesagClifford, besag_clifford

Pair: TypeAlias = tuple[int, int]

_MOST_LOOKS, _LOOKED_AT = 64, 1 << 20  # at once, and at how many questions
_TOGETHER = 1 << 14  # shuffles of several pairs that a function is asked for at once


def ratio_pair(projection: Projection, question: Question) -> RatioPair:
    """Return the sums of two systems under a ratio metric, ready for exact comparison."""
    bound, a, b = question.bound, question.a, question.b
    assert isinstance(bound, BoundRatio)
    numerators = projection.forms[bound.numerator]
    size = int(np.abs(numerators[a]).sum() + np.abs(numerators[b]).sum())
    same = projection.same_denominators(bound, a, b)
    return pair_of_totals(projection, question, numerators.shape[1], size, same)


def pair_of_totals(
    projection: Projection, question: Question, items: int, size: int, same: bool
) -> RatioPair:
    """Return the same from totals alone, with the number of items.

    `size` is the sum of both systems' absolute numerators, and `same` whether their denominators
    are the same on every item.
    """
    bound, a, b = question.bound, question.a, question.b
    assert isinstance(bound, BoundRatio)
    num, den = projection.totals[bound.numerator], projection.totals[bound.denominator]
    tolerance = None
    if not bound.exact:
        tolerance = float(_tolerances(projection, bound, np.array([a]), np.array([b]), items)[0])
    return RatioPair(
        num_a=int(num[a]),
        den_a=int(den[a]),
        num_b=int(num[b]),
        den_b=int(den[b]),
        tail=question.tail,
        undefined=bound.undefined,
        tolerance=tolerance,
        num_bound=size,
        same_denominators=same,
    )


def _tolerances(
    projection: Projection,
    bound: BoundRatio,
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    items: int,
) -> NDArray[np.float64]:
    """Return within how much differences of ratios are tied: 0 where all are whole numbers."""
    if bound.exact:
        return np.zeros(len(a))
    systems = range(projection.forms.shape[1])
    scores = np.abs([float(projection.score(bound, system)) for system in systems])
    ties = tie_tolerances(np.maximum(scores[a], scores[b]))
    # Rounding onto the grid moves each item's numerators by at most one step between them.
    den = projection.totals[bound.denominator]
    grid = 2 * items / np.maximum(1, den[a] + den[b])
    return np.asarray(np.maximum(ties / float(bound.factor), grid))


@dataclass(frozen=True, slots=True)
class FunctionTest:
    """A pair under a metric that is no ratio: scores of exchanged sums, compared as floats."""

    bound: BoundFunction
    a: int
    b: int
    sign: int
    threshold: float
    totals: NDArray[np.int64]  # forms of the metric × systems
    rows: tuple[NDArray[np.float64], NDArray[np.float64]] | None

    def reached(self, differences: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which differences count as exceeding."""
        return reaches_threshold(differences, self.threshold, self.sign)


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
class SignedColumns:
    """Where the sums of each system over random sets of items stand: residuals are made of them.

    Sums are told relative to the first system's; here that is one which has nothing.
    """

    plan: SumColumns
    places: dict[int, int]
    """Where each form is in the plan; the last one there counts the items"""

    def exchanged(
        self, sums: NDArray[np.float64], form: int, a: int, b: int
    ) -> NDArray[np.float64]:
        """Return what an exchange adds to system a's sum of a form, and takes from b's."""
        return self.plan.exchanged(sums, self.places[form], a + 1, b + 1)

    def rows(self, tests: Sequence[SignedTest]) -> SignedRows:
        """Return tests as the engine reads them, in the order of `differences`."""
        terms = max(1 + 2 * len(test.residuals.forms) for test in tests)
        columns = np.full((len(tests), terms), -1, np.int32)
        weights = np.zeros((len(tests), terms))
        for k, test in enumerate(tests):
            parts, own = test.residuals, [(len(self.places), 1)]
            for form in parts.forms:
                own += [(self.places[form], test.a + 1), (self.places[form], test.b + 1)]
            columns[k, : len(own)] = [self.plan.columns[place] for place in own]
            both = zip(parts.first, parts.second, strict=True)
            weights[k, : len(own)] = [parts.constant, *(w for x, y in both for w in (x, -y))]
        return SignedRows(
            columns,
            weights,
            np.array([test.residuals.difference for test in tests]),
            np.array([test.threshold for test in tests]),
            np.array([test.sign for test in tests], np.int32),
        )

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
class SignedPlan(SignedColumns):
    """The same with the items that are summed."""

    plan: ShufflePlan

    @classmethod
    def of(
        cls, projection: Projection, tests: Sequence[Residuals], others: Iterable[int] = ()
    ) -> SignedPlan:
        """Return the plan for the forms that some tests read, and for others."""
        used = sorted({*others, *(form for each in tests for form in each.forms)})
        counted = any(each.constant for each in tests)
        forms = beside_nothing(projection.forms[used], counted=counted)
        return cls(ShufflePlan(forms), {form: k for k, form in enumerate(used)})


def beside_nothing(forms: NDArray[np.int64], *, counted: bool) -> NDArray[np.int64]:
    """Return forms with a first system that has nothing, and a last form that counts the items.

    Unless it is `counted`, that form has nothing either.
    """
    few, systems, items = forms.shape
    found = np.zeros((few + 1, systems + 1, items), np.int64)
    found[:-1, 1:] = forms
    if counted:
        found[-1, 1] = 1
    return found


@dataclass
class ShuffleJob:
    """What a worker needs to count exceedances: the plan and all tests."""

    plan: ShufflePlan
    seed: int
    purpose: int
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
        purpose: int = streams.SHUFFLES,
    ) -> ShuffleJob:
        """Return the job that tests all questions."""
        places: tuple[list[int], ...] = ([], [], [])
        for k, each in enumerate(questions):
            kind = 2 if each.residuals is not None else int(not isinstance(each.bound, BoundRatio))
            places[kind].append(k)
        ratios, functions, signed = ([questions[k] for k in some] for some in places)
        plan = ShufflePlan(projection.forms if ratios or functions else projection.forms[:, :1])
        rows, pairs = _ratio_rows(projection, ratios, plan)
        signed_rows = signed_plan = None
        if signed:
            tests = [SignedTest.of(projection, question) for question in signed]
            signed_plan = SignedPlan.of(projection, [test.residuals for test in tests])
            signed_rows = signed_plan.rows(tests)
        order = np.array([k for some in places for k in some], np.int64)
        others = [function_test(projection, question) for question in functions]
        return cls(plan, seed, purpose, rows, pairs, others, signed_rows, signed_plan, order)

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


def _ratio_rows(
    projection: Projection, questions: Sequence[Question], plan: ShufflePlan
) -> tuple[NDArray[np.void], list[RatioPair | None]]:
    """Return ratios as the engine reads them, all pairs of a metric at once."""
    rows = np.zeros(len(questions), TEST)
    pairs: list[RatioPair | None] = [None] * len(questions)
    places: dict[int, list[int]] = {}
    for k, question in enumerate(questions):
        places.setdefault(id(question.bound), []).append(k)
    for some in places.values():
        bound = questions[some[0]].bound
        assert isinstance(bound, BoundRatio)
        chosen = np.array(some)
        a, b = np.array([(questions[k].a, questions[k].b) for k in some]).T
        part = rows[chosen]
        fill_columns(part, plan, bound, a, b)
        alike = projection.alike_denominators(bound)
        same = alike[a] == alike[b]
        signs = np.array([sign_of(questions[k].tail) for k in some])
        num, den = projection.totals[bound.numerator], projection.totals[bound.denominator]
        linear = part[same]
        i, j = a[same], b[same]
        slack = _tolerances(projection, bound, i, j, projection.forms.shape[2])
        fill_linear(linear, signs[same], (num[i], num[j]), (den[i], den[j]), slack)
        part[same] = linear
        for k in np.flatnonzero(~same).tolist():
            pairs[some[k]] = pair = ratio_pair(projection, questions[some[k]])
            pair.fill(part[k])
        rows[chosen] = part
    return rows, pairs


def fill_columns(
    rows: NDArray[np.void] | np.void,
    plan: SumColumns,
    bound: BoundRatio,
    a: int | NDArray[np.int64],
    b: int | NDArray[np.int64],
) -> None:
    """Say in which columns the sums of a ratio stand: in a test, or in those of several pairs."""
    for name, form, system in (
        ("num_a", bound.numerator, a),
        ("num_b", bound.numerator, b),
        ("den_a", bound.denominator, a),
        ("den_b", bound.denominator, b),
    ):
        rows[name] = plan.columns[form, system]


def function_test(projection: Projection, question: Question) -> FunctionTest:
    """Return the test of a question about exchanged outputs under such a metric."""
    bound, a, b = question.bound, question.a, question.b
    assert isinstance(bound, BoundFunction)
    scores = [float(projection.score(bound, system)) for system in (a, b)]
    rows = None
    if isinstance(bound.metric, ItemFunction):
        rows = projection.rows(bound, a), projection.rows(bound, b)
    totals = projection.totals[list(bound.forms)]
    threshold = float_threshold(scores[0], scores[1], question.tail)
    return FunctionTest(bound, a, b, sign_of(question.tail), threshold, totals, rows)


def count_shards(job: ShuffleJob, shards: Shards) -> NDArray[np.int64]:
    """Return exceedances in some shards, given with their numbers of shuffles: shards × tests."""
    counts = np.empty((len(shards), len(job.order)), np.int64)
    first, last = job.ends
    if len(job.rows):
        found = job.plan.count(job.seed, shards, job.rows, job.pairs, job.purpose)
        counts[:, job.order[:first]] = found
    if job.functions:
        counts[:, job.order[first:last]] = _count_functions(job, shards)
    if job.signed is not None:
        assert job.signed_plan is not None
        plan = job.signed_plan.plan
        counts[:, job.order[last:]] = plan.count_signed(job.seed, shards, job.signed, job.purpose)
    return counts


def _count_functions(job: ShuffleJob, shards: Shards) -> NDArray[np.int64]:
    """Return the exceedances of each function: shards × functions."""
    counts = np.zeros((len(shards), len(job.functions)), np.int64)
    open_ = np.ones(counts.shape, np.bool_)
    means = [k for k, test in enumerate(job.functions) if _native_mean(test)]
    if means:
        rows = _mean_rows(job.plan, [job.functions[k] for k in means])
        surely, perhaps = job.plan.count_means(job.seed, shards, rows, job.purpose)
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
    sums = plan.subset_sums(job.seed, shard, n, job.purpose)
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
        sums = job.plan.subset_sums(job.seed, shard, n, job.purpose)
        pairs = [(test.a, test.b)]
        return np.asarray(function_differences(job.plan, test.bound, pairs, test.totals, sums)[0])
    coins = streams.coins(job.seed, shard, job.plan.items, n, job.purpose)
    return item_differences(test.bound, *test.rows, coins)


def function_differences(
    plan: SumColumns,
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
            np.subtract(plan.form_sums(sums, form, b), plan.form_sums(sums, form, a), out=row)
    own = totals[:, first, None] + moved
    np.subtract(totals[:, second, None], moved, out=moved)
    if (bound.scales != 1).any():
        own /= bound.scales[:, None, None]
        moved /= bound.scales[:, None, None]
    one, other = (bound.metric.scores(np.moveaxis(each, 0, -1)) for each in (own, moved))
    return np.asarray(one - other)


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
    """Return the shards of a number of shuffles: (shard, shuffles in it)."""
    return streams.shares(shuffles, SHARD)


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


Settled: TypeAlias = Callable[
    [NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]
]
"""From exceedances and shuffles of all questions, looks × questions: which of some are settled"""


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
    state = _Looks(settled, *np.zeros((2, len(job.order)), np.int64))
    shards, position, step = shard_sizes(max_shuffles), 0, 1
    while not state.stopped.all() and position < len(shards):
        part, unsettled = shards[position : position + step], np.flatnonzero(~state.stopped)
        tasks = _batches(part, pool, batch)
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
    if len(job.rows):
        sums = job.plan.subset_sums(job.seed, shard, n, job.purpose)
        return job.plan.reached(sums, job.rows[0], job.pairs[0])
    if job.signed is not None:
        assert job.signed_plan is not None
        return job.signed.reached(
            0, job.signed_plan.plan.subset_sums(job.seed, shard, n, job.purpose)
        )
    return job.functions[0].reached(_differences(job, job.functions[0], shard, n))
