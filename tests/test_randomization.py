"""Shuffle tests: what their counts depend on, any metric, and how often they err."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tellapart as ta
from tellapart import engine as path
from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics.projection import Projection, project
from tellapart.resampling import streams
from tellapart.resampling.workers import open_pool
from tellapart.significance.exact_tests import exact_test
from tellapart.significance.questions import Question, smallest_p
from tellapart.significance.sequential import robbins_settled
from tellapart.significance.shuffle_tests import (
    ShuffleJob,
    count_exceedances,
    count_shards,
    count_until_settled,
)

Floats = NDArray[np.float64]
TAILS = ("two", "greater", "less")


def mcc(sums: Floats) -> Floats:
    """Compute Matthews' correlation of summed tp, fp, fn, tn; 0 where it is undefined."""
    tp, fp, fn, tn = np.moveaxis(sums, -1, 0)
    squares = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return np.asarray((tp * tn - fp * fn) / np.sqrt(np.where(squares == 0, 1, squares)))


MCC = ta.Function("mcc", ("tp", "fp", "fn", "tn"), mcc)
MEDIAN = ta.ItemFunction("median", ("score",), lambda rows: float(np.median(rows[:, 0])))


def four_systems(items: int = 60) -> Projection:
    """Four systems that share their key, and metrics of each kind."""
    rng = np.random.default_rng(items)
    tables = {}
    for name, skill in zip("ABCD", (0.8, 0.75, 0.7, 0.4), strict=True):
        gold = np.random.default_rng(1).integers(0, 9, items)
        tp = rng.binomial(gold, skill)
        fp, tn = rng.integers(0, 4, (2, items))
        tables[name] = np.stack([tp, fp, gold - tp, tn], axis=1)
    return project(
        Counts.from_arrays(tables, ["tp", "fp", "fn", "tn"]), ["recall", "precision", "f1", MCC]
    )


def all_questions(projection: Projection, tail: str = "two") -> list[Question]:
    systems = range(len(projection.counts.names))
    return [
        Question(m, a, b, tail) for m in projection.metrics for a, b in combinations(systems, 2)
    ]


def counted(projection: Projection, shuffles: int, workers: int = 1) -> list[int]:
    job = ShuffleJob.of(projection, all_questions(projection), seed=5)
    with open_pool(workers) as pool:
        return [int(count) for count in count_exceedances(job, shuffles, pool)]


@pytest.mark.parametrize("shuffles", [1, 2047, 2048, 2049, 9_999])
def test_counts_do_not_depend_on_workers(shuffles: int) -> None:
    projection = four_systems()
    expected = counted(projection, shuffles)

    assert 0 < max(expected) <= shuffles
    for workers in (2, 3, 100):
        assert counted(projection, shuffles, workers) == expected


@pytest.mark.parametrize("engine", path.available())
def test_counts_do_not_depend_on_the_engine(engine: str) -> None:
    projection = four_systems(77)
    expected = counted(projection, 3_000)

    with path.using(engine):
        assert counted(projection, 3_000) == expected


def test_more_shuffles_go_on_from_fewer() -> None:
    """The first shuffles of a longer run are those of a shorter one."""
    projection = four_systems()
    job = ShuffleJob.of(projection, all_questions(projection), seed=5)
    parts = count_shards(job, [(0, 2048), (1, 2048), (2, 904)])

    assert counted(projection, 2048) == parts[0].tolist()
    assert counted(projection, 4096) == parts[:2].sum(axis=0).tolist()
    assert counted(projection, 5000) == parts.sum(axis=0).tolist()


def test_another_seed_gives_other_counts() -> None:
    projection = four_systems()
    questions = all_questions(projection)
    jobs = [ShuffleJob.of(projection, questions, seed) for seed in (0, 1, 2)]

    found = {tuple(count_shards(job, [(0, 2048)])[0].tolist()) for job in jobs}

    assert len(found) == 3


def test_a_question_alone_is_counted_as_among_others() -> None:
    projection = four_systems()
    questions = all_questions(projection)
    job = ShuffleJob.of(projection, questions, seed=5)
    together = count_shards(job, [(0, 2048)])[0]

    kept = np.array([20, 3, 11])
    alone = [
        count_shards(ShuffleJob.of(projection, [questions[k]], seed=5), [(0, 2048)])[0, 0]
        for k in kept
    ]

    assert count_shards(job.select(kept), [(0, 2048)])[0].tolist() == together[kept].tolist()
    assert alone == together[kept].tolist()


def settle(
    counts: NDArray[np.int64], drawn: NDArray[np.int64], asked: NDArray[np.int64] | None = None
) -> NDArray[np.bool_]:
    some = slice(None) if asked is None else asked
    # A level near which some of the p-values lie.
    return robbins_settled(drawn[..., some], counts[..., some], 0.3)


def sequential(
    projection: Projection, questions: list[Question], workers: int = 1
) -> list[tuple[int, int]]:
    job = ShuffleJob.of(projection, questions, seed=2)
    with open_pool(workers) as pool:
        counts, drawn = count_until_settled(job, settle, 150_000, pool)
    return list(zip(counts.tolist(), drawn.tolist(), strict=True))


def test_settled_counts_depend_on_the_question_alone() -> None:
    """Not on the others asked, on the workers, or on how shards are put together."""
    projection = four_systems()
    questions = all_questions(projection)
    expected = sequential(projection, questions)

    assert len({drawn for _, drawn in expected}) > 2  # some stop early, others late or never
    for workers in (2, 3, 100):
        assert sequential(projection, questions, workers) == expected
    for k in (0, 9, 17, 23):
        assert sequential(projection, [questions[k]]) == [expected[k]]
    assert sequential(projection, questions[::-1]) == expected[::-1]


def test_settled_counts_are_those_of_the_first_settled_look() -> None:
    """Looks are taken at the ends of shards; the counts are those of as many fixed shuffles."""
    projection = four_systems()
    questions = all_questions(projection)
    for k, (count, drawn) in enumerate(sequential(projection, questions)):
        job = ShuffleJob.of(projection, [questions[k]], seed=2)
        by_shard = count_shards(job, [(shard, 2048) for shard in range(drawn // 2048)])[:, 0]
        so_far = np.cumsum(by_shard)
        if drawn == 150_000:  # never settled: the last shard is not whole
            assert not settle(so_far, 2048 * np.arange(1, len(so_far) + 1)).any()
            continue
        looks = settle(so_far, 2048 * np.arange(1, len(so_far) + 1))
        assert (int(so_far[-1]), looks.tolist()) == (count, [False] * (len(looks) - 1) + [True])


def never(counts: NDArray[np.int64], *_: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.zeros(counts.shape, np.bool_)


def test_a_run_that_never_settles_draws_all_it_may() -> None:
    projection = four_systems()
    job = ShuffleJob.of(projection, all_questions(projection)[:2], seed=0)
    with open_pool(1) as pool:
        counts, drawn = count_until_settled(job, never, 5_000, pool)

    assert drawn.tolist() == [5_000, 5_000]
    with open_pool(1) as pool:
        assert counts.tolist() == count_exceedances(job, 5_000, pool).tolist()


def reaching(differences: Floats, measured: float, tail: str) -> int:
    slack = 1e-12
    if tail == "two":
        return int((np.abs(differences) >= abs(measured) - slack).sum())
    if tail == "greater":
        return int((differences >= measured - slack).sum())
    return int((differences <= measured + slack).sum())


@st.composite
def confusion_tables(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw two systems' tp, fp, fn, tn on a few items, with many zeros."""
    items = draw(st.integers(1, 9))
    cell = st.integers(0, 3)
    row = st.tuples(cell, cell, cell, cell)
    rows = st.lists(row, min_size=items, max_size=items)
    return np.array(draw(rows)), np.array(draw(rows))


@settings(max_examples=30, deadline=None)
@given(tables=confusion_tables(), tail=st.sampled_from(TAILS))
def test_any_function_of_sums(
    tables: tuple[NDArray[np.int64], NDArray[np.int64]], tail: str
) -> None:
    """Matthews' correlation, one exchange after the other."""
    a, b = tables
    projection = project(Counts.from_arrays({"A": a, "B": b}, MCC.columns), [MCC])
    question = Question(projection.metrics[0], 0, 1, tail)
    measured = float(mcc(a.sum(axis=0).astype(float)) - mcc(b.sum(axis=0).astype(float)))

    def apart(coins: NDArray[np.bool_]) -> Floats:
        heads = coins.T[:, :, None]
        first, second = np.where(heads, b, a).sum(axis=1), np.where(heads, a, b).sum(axis=1)
        return mcc(first.astype(float)) - mcc(second.astype(float))

    found = count_shards(ShuffleJob.of(projection, [question], seed=0), [(0, 200)])[0, 0]
    assert found == reaching(apart(streams.coins(0, 0, len(a), 200)), measured, tail)
    exact = exact_test(projection, question)
    every = (np.arange(1 << len(a)) >> np.arange(len(a))[:, None] & 1).astype(bool)
    assert exact is not None
    assert exact.p == reaching(apart(every), measured, tail) / (1 << len(a))


@pytest.mark.parametrize("tail", TAILS)
def test_any_function_of_rows(tail: str) -> None:
    """The median, which sums cannot tell."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, 9) / 10 + 0.1, rng.integers(0, 6, 9) / 10
    projection = project(Counts.from_arrays({"A": a, "B": b}), [MEDIAN])
    question = Question(projection.metrics[0], 0, 1, tail)
    measured = float(np.median(a) - np.median(b))

    def apart(coins: NDArray[np.bool_]) -> Floats:
        heads = coins.T
        return np.asarray(
            np.median(np.where(heads, b, a), axis=1) - np.median(np.where(heads, a, b), axis=1)
        )

    found = count_shards(ShuffleJob.of(projection, [question], seed=3), [(2, 500)])[0, 0]
    assert found == reaching(apart(streams.coins(3, 2, 9, 500)), measured, tail)
    exact = exact_test(projection, question)
    every = (np.arange(512) >> np.arange(9)[:, None] & 1).astype(bool)
    assert exact is not None
    assert exact.p == reaching(apart(every), measured, tail) / 512


def test_a_function_of_decimals_gets_real_sums() -> None:
    """Scaled integers inside, but the function sees what was given."""
    seen = []

    def total(sums: Floats) -> Floats:
        seen.append(float(np.max(sums)))
        return np.asarray(sums[..., 0])

    sums = ta.Function("sum", ("score",), total)
    projection = project(Counts.from_arrays({"A": [0.25, 0.5], "B": [0.125, 1.0]}), [sums])
    found = exact_test(projection, Question(projection.metrics[0], 0, 1, "two"))

    assert found is not None
    assert found.p == 1  # 0.125 - 0.5 against 0.125 + 0.5
    assert max(seen) == 1.25


def test_identical_systems_have_p_one_for_any_metric() -> None:
    rows = np.random.default_rng(0).integers(0, 5, (12, 4))
    projection = project(Counts.from_arrays({"A": rows, "B": rows}, MCC.columns), ["f1", MCC])
    for question in all_questions(projection):
        exact = exact_test(projection, question)
        assert exact is not None
        assert exact.p == 1
    assert counted(projection, 999) == [999, 999]


def precision(sums: Floats) -> Floats:
    """Divide without a thought for what is 0."""
    return np.asarray(sums[..., 0] / (sums[..., 0] + sums[..., 1]))


@pytest.mark.parametrize("undefined", [0, 1, -2])
@pytest.mark.parametrize("tail", TAILS)
def test_a_function_without_a_value_takes_the_declared_one(tail: str, undefined: int) -> None:
    """In the data and in every exchange alike, so that it has the counts of the ratio."""
    tables = [
        ([[3, 1], [0, 0], [2, 0]], [[0, 0], [1, 4], [0, 0]]),
        ([[3, 1], [1, 0]], [[0, 0], [0, 0]]),
    ]
    careless = ta.Function("careless", ("tp", "fp"), precision, undefined=undefined)
    ratio = ta.ratio("ratio", {"tp": 1}, {"tp": 1, "fp": 1}, undefined=undefined)
    for a, b in tables:
        counts = Counts.from_arrays({"A": a, "B": b}, ["tp", "fp"])
        projection = project(counts, [careless, ratio])
        questions = [Question(bound, 0, 1, tail) for bound in projection.metrics]

        job = ShuffleJob.of(projection, questions, seed=0)
        as_function, as_ratio = count_shards(job, [(0, 400)])[0]
        exact = [exact_test(projection, question) for question in questions]

        assert as_function == as_ratio
        assert exact[0] == exact[1]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_score_of_rows_that_is_no_number_is_refused(value: float) -> None:
    odd = ta.ItemFunction("odd", ("score",), lambda _: value)
    projection = project(Counts.from_arrays({"A": [1], "B": [2]}), [odd])

    with pytest.raises(DataError, match=r"metric 'odd' gives .* for system 'A'"):
        ShuffleJob.of(projection, [Question(projection.metrics[0], 0, 1, "two")], seed=0)


@pytest.mark.parametrize("tail", TAILS)
def test_an_exchange_without_a_score_counts_as_exceeding(tail: str) -> None:
    """A function of rows that has no value for some of them cannot make p smaller."""

    def positive(rows: Floats) -> float:
        return float(rows[rows > 0].mean()) if (rows > 0).any() else math.nan

    metric = ta.ItemFunction("positive", ("score",), positive)
    projection = project(Counts.from_arrays({"A": [3, 0, 2], "B": [0, 1, 0]}), [metric])
    question = Question(projection.metrics[0], 0, 1, tail)
    tossed = streams.coins(0, 0, 3, 400)
    nothing = (tossed[0] != tossed[1]) & (tossed[0] == tossed[2])  # one has all positive ones

    found = count_shards(ShuffleJob.of(projection, [question], seed=0), [(0, 400)])[0, 0]

    assert found >= nothing.sum() > 0


def test_unknown_tails_are_refused() -> None:
    projection = four_systems(5)
    for bound in (projection.metrics[0], projection.metrics[-1]):
        with pytest.raises(UsageError, match="unknown tail 'left'"):
            ShuffleJob.of(projection, [Question(bound, 0, 1, "left")], seed=0)


def test_the_smallest_p_of_few_items() -> None:
    assert [smallest_p(m, "two") for m in (0, 1, 2, 6)] == [1, 1, 0.5, 1 / 32]
    assert [smallest_p(m, "greater") for m in (0, 1, 2, 6)] == [1, 0.5, 0.25, 1 / 64]
    assert smallest_p(5_000, "two") > 0


def null_tables(seed: int, tables: int, items: int) -> list[Projection]:
    """Draw tables of two systems whose rows on each item are exchangeable but not independent."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(tables):
        gold = rng.integers(1, 6, items)
        tp = rng.binomial(gold, rng.beta(2, 2, items), (2, items))
        fp = rng.poisson(rng.gamma(1, 1, items), (2, items))
        rows = np.stack([tp, fp, gold - tp], axis=-1)
        counts = Counts.from_arrays({"A": rows[0], "B": rows[1]}, ["tp", "fp", "fn"])
        found.append(project(counts, ["f1"]))
    return found


def test_a_true_null_is_rejected_as_often_as_it_should_be() -> None:
    """Of 2,000 tables without a difference at most 5 % are called different, by either test."""
    tables, alpha, shuffles = 2_000, 0.05, 199
    exact = shuffled = 0
    with open_pool(1) as pool:
        for seed, projection in enumerate(null_tables(0, tables, 12)):
            question = Question(projection.metrics[0], 0, 1, "two")
            found = exact_test(projection, question)
            assert found is not None
            exact += found.p <= alpha
            job = ShuffleJob.of(projection, [question], seed)
            count = int(count_exceedances(job, shuffles, pool)[0])
            shuffled += (count + 1) / (shuffles + 1) <= alpha

    sd = math.sqrt(tables * alpha * (1 - alpha))
    for rejected in (exact, shuffled):
        assert rejected <= tables * alpha + 4 * sd
        assert rejected >= tables * 0.03  # nor hardly ever
