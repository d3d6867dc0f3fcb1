"""Sums over exchanged items, and the counting of exceedances, against coins and fractions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tellapart as ta
from tellapart import engine as path
from tellapart.counts import Counts
from tellapart.metrics import Ratio
from tellapart.metrics.projection import Projection, project
from tellapart.resampling import streams
from tellapart.resampling.ratios import EXACT_DOUBLE, LINEAR, NEAR_TIES, TOLERANCE
from tellapart.resampling.shuffles import ShufflePlan, SignedRows
from tellapart.resampling.streams import ITEM_BLOCK, SHARD, coins
from tellapart.significance.questions import Question, as_tested
from tellapart.significance.shuffle_tests import ShuffleJob, count_shards

Ints = NDArray[np.int64]
TAILS = ("two", "greater", "less")


@st.composite
def columns_of_integers(draw: st.DrawFn) -> Ints:
    """Columns × items, from single bits to several bytes, with zeros and empty columns."""
    items = draw(st.integers(1, 700))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = []
    for bits in draw(
        st.lists(st.sampled_from([0, 1, 4, 8, 9, 16, 31, 40]), min_size=1, max_size=4)
    ):
        values = rng.integers(-(1 << bits), 1 << bits, items, endpoint=True)
        if draw(st.booleans()):
            values = np.abs(values)
        values[rng.random(items) < draw(st.sampled_from([0.0, 0.5, 0.97]))] = 0
        columns.append(values if bits else np.zeros_like(values))
    return np.stack(columns)


@settings(max_examples=60, deadline=None)
@given(values=columns_of_integers(), n=st.integers(1, SHARD), shard=st.integers(0, 40))
def test_subset_sums_are_coins_times_values(values: Ints, n: int, shard: int) -> None:
    expected = values @ coins(1, shard, values.shape[1], n).astype(np.int64)
    plan = ShufflePlan(np.stack([np.zeros_like(values), values], axis=1))

    for engine in path.available():
        with path.using(engine):
            sums = plan.subset_sums(seed=1, shard=shard, n=n)
        found = [plan.exchanged(sums, form, 0, 1) for form in range(len(values))]
        assert np.array_equal(np.stack(found), expected), engine


@pytest.mark.parametrize("engine", path.available())
def test_the_largest_sums_are_exact(engine: str) -> None:
    """Systems whose absolute values add up to just below 2^51, with opposite signs."""
    top = (1 << 51) - 1
    first = np.array([[top - 3, 1, 2, 0, 0], [0, top // 2, 0, 0, top // 2]])
    forms = np.stack([first, -first[:, ::-1]], axis=1)
    expected = (forms[:, 1] - forms[:, 0]) @ coins(0, 0, 5, 300).astype(np.int64)

    with path.using(engine):
        plan = ShufflePlan(forms)
        sums = plan.subset_sums(0, 0, 300)

    assert [plan.exchanged(sums, f, 0, 1).astype(np.int64).tolist() for f in (0, 1)] == (
        expected.tolist()
    )


@pytest.mark.parametrize("engine", path.available())
def test_all_pairs_follow_by_subtraction(engine: str) -> None:
    forms = np.random.default_rng(0).integers(-9, 90, (2, 4, 37))
    tossed = coins(2, 1, 37, 100).astype(np.int64)

    with path.using(engine):
        plan = ShufflePlan(forms)
        sums = plan.subset_sums(2, 1, 100)

    for a in range(4):
        for b in range(4):
            expected = (forms[1, b] - forms[1, a]) @ tossed
            assert np.array_equal(plan.exchanged(sums, 1, a, b), expected)


@pytest.mark.parametrize("engine", path.available())
def test_systems_that_never_differ_need_no_columns(engine: str) -> None:
    forms = np.tile(np.arange(12).reshape(1, 1, 12), (2, 3, 1))

    with path.using(engine):
        plan = ShufflePlan(forms)
        sums = plan.subset_sums(0, 0, 50)

    assert sums.shape == (0, 50)
    assert (plan.columns == -1).all()
    assert not plan.exchanged(sums, 1, 0, 2).any()


@dataclass(frozen=True)
class Table:
    """Two systems, items × (numerator, denominator), and what a zero denominator is worth."""

    a: Sequence[Sequence[float]]
    b: Sequence[Sequence[float]]
    undefined: Fraction = Fraction(0)

    @property
    def metric(self) -> Ratio:
        """The ratio of the two columns."""
        return ta.ratio("r", {"n": 1}, {"d": 1}, undefined=self.undefined)

    def projection(self, **others: Sequence[Sequence[float]]) -> Projection:
        """Bind the ratio to the systems A and B, and others."""
        counts = Counts.from_arrays({"A": self.a, "B": self.b, **others}, ["n", "d"], form="items")
        return project(counts, [self.metric])

    def count(self, tail: str, n: int, slack: float = 0.0) -> int:
        """Count exceedances among the first shuffles, by fractions of sums over coins."""
        first, second = ([[Fraction(x) for x in row] for row in rows] for rows in (self.a, self.b))
        measured = self._apart(first, second)
        reached = 0
        for toss in coins(0, 0, len(first), n).T:
            x = [s if heads else f for f, s, heads in zip(first, second, toss, strict=True)]
            y = [f if heads else s for f, s, heads in zip(first, second, toss, strict=True)]
            d = self._apart(x, y)
            if tail == "two":
                reached += abs(d) >= abs(measured) - Fraction(slack)
            elif tail == "greater":
                reached += d >= measured - Fraction(slack)
            else:
                reached += d <= measured + Fraction(slack)
        return reached

    def _apart(self, x: list[list[Fraction]], y: list[list[Fraction]]) -> Fraction:
        scores = []
        for rows in (x, y):
            top, bottom = sum(row[0] for row in rows), sum(row[1] for row in rows)
            scores.append(Fraction(top, bottom) if bottom else self.undefined)
        return scores[0] - scores[1]


def counts_on(projection: Projection, engine: str, n: int) -> tuple[list[int], set[int]]:
    """Count exceedances of A and B for the three tails; and the modes of comparison used."""
    with path.using(engine):
        questions = [Question(projection.metrics[0], 0, 1, tail) for tail in TAILS]
        job = ShuffleJob.of(projection, questions, seed=0)
        return count_shards(job, [(0, n)])[0].tolist(), set(job.rows["mode"].tolist())


def check(table: Table, mode: int | None, n: int = 150, slack: float = 0.0) -> None:
    expected = [table.count(tail, n, slack) for tail in TAILS]
    for engine in path.available():
        found, modes = counts_on(table.projection(), engine, n)
        assert found == expected, engine
        assert mode is None or modes == {mode}


def tying_table(rng: np.random.Generator, size: int) -> Table:
    """Four items, the same four the other way round, and two more: exchanges tie often."""
    denominators = rng.integers(1, size, 4)
    numerators = (denominators * rng.random(4)).astype(np.int64)
    x, y, z, w = ([int(n), int(d)] for n, d in zip(numerators, denominators, strict=True))
    return Table([x] * 4 + [y] * 4 + [z] * 2, [y] * 4 + [x] * 4 + [w] * 2)


@pytest.mark.parametrize(
    ("mode", "size"),
    [(EXACT_DOUBLE, 8), (NEAR_TIES, 10**6), (NEAR_TIES, 1 << 26), (TOLERANCE, 1 << 44)],
)
def test_counts_are_those_of_fractions(mode: int, size: int) -> None:
    """In each way of comparing, with ties."""
    rng = np.random.default_rng(size)
    for _ in range(3):
        table = tying_table(rng, size)
        check(table, mode)
        assert table.count("greater", 150) + table.count("less", 150) > 150  # ties count twice


def test_common_factors_do_not_change_counts() -> None:
    """Counts times 2^40 need other arithmetic, but give the same ratios."""
    table = tying_table(np.random.default_rng(3), 30)
    a, b = ([[int(x) << 40 for x in row] for row in rows] for rows in (table.a, table.b))

    small, modes = counts_on(table.projection(), "numpy", SHARD)

    assert modes == {EXACT_DOUBLE}
    for engine in path.available():
        found, modes = counts_on(Table(a, b).projection(), engine, SHARD)
        assert modes == {NEAR_TIES}
        assert found == small


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("size", [1, 7, 1 << 45])
def test_equal_denominators_compare_numerators(size: int, sign: int) -> None:
    """Negative scores too."""
    rng = np.random.default_rng(size)
    numerators = rng.integers(-3, 4, (2, 20)) * size * sign
    a, b = ([[int(x), 1] for x in row] for row in numerators)

    check(Table(a, b), LINEAR, n=400)


@pytest.mark.parametrize("undefined", [Fraction(0), Fraction(1), Fraction(1, 10), Fraction(-3, 7)])
@pytest.mark.parametrize("size", [5, 2**30, 2**45])
def test_zero_denominators_take_the_declared_value(size: int, undefined: Fraction) -> None:
    """On each item one system has nothing: one exchange in eight leaves a system undefined."""
    rng = np.random.default_rng(4)
    some = [[int(size * x), size] for x in rng.random(4)]
    none = [0, 0]

    check(Table([some[0], none, some[2], none], [none, some[1], none, some[3]], undefined), None)


def test_an_undefined_value_with_many_digits_does_not_overflow() -> None:
    """Sums near 2^30 and a value over 2^55: the products have 146 bits."""
    p, q = (1 << 30) - 35, (1 << 30) - 41
    a, b = [[p // 3, p], [0, 0], [5, 7]], [[0, 0], [q // 5, q], [0, 0]]

    check(Table(a, b, Fraction(3602879701896397, 1 << 55)), TOLERANCE)


@pytest.mark.parametrize("tail", TAILS)
def test_a_system_without_any_output_is_compared(tail: str) -> None:
    """All denominators of one system are zero in the data themselves."""
    a, b = [[1, 2], [0, 1], [3, 3]], [[0, 0]] * 3
    table = Table(a, b)

    check(table, None)
    assert table.count(tail, 150) > 0


@pytest.mark.parametrize(
    "rows", [[[0, 0]] * 5, [[0, 3]] * 5, [[2, 3]] * 5, [[1, 1]], [[0, 0]]], ids=str
)
def test_identical_systems_always_reach_their_difference(rows: list[list[int]]) -> None:
    for engine in path.available():
        assert counts_on(Table(rows, rows).projection(), engine, 200)[0] == [200, 200, 200]


def test_one_item_reaches_its_difference_two_sided() -> None:
    for engine in path.available():
        found, _ = counts_on(Table([[3, 4]], [[1, 5]]).projection(), engine, 500)
        heads = int(coins(0, 0, 1, 500).sum())
        assert found == [500, 500 - heads, 500]


@pytest.mark.parametrize("undefined", [Fraction(0), Fraction(2, 7), Fraction(123456789, 10**9)])
def test_floats_are_compared_within_a_tolerance(undefined: Fraction) -> None:
    """Floats with all their digits go on a binary grid; ties up to rounding count.

    0.1 + 0.2 and 0.3 differ in the last bit; one system has them the other way round.
    """
    sums, literal = 0.1 + 0.2, 0.3
    assert sums != literal
    a = [[sums, 1 / 3], [0.0, 0.0], [literal, 2 / 3]]
    b = [[0.0, 0.0], [literal, 1 / 3], [sums / 2, 2 / 3]]

    check(Table(a, b, undefined), TOLERANCE, slack=1e-12)


@pytest.mark.parametrize(("short_by", "tied"), [(5e-13, True), (5e-12, False)])
def test_means_of_floats_tie_within_the_stated_tolerance(short_by: float, tied: bool) -> None:
    """Exchanging both items turns the difference of short_by / 2 round: a tie up to 1e-12."""
    projection = project(Counts.from_arrays({"A": [1 / 3, 0.0], "B": [0.0, 1 / 3 - short_by]}))
    first, second = coins(0, 0, 2, 300)
    expected = int((~first | (second & tied)).sum())

    for engine in path.available():
        found, modes = counts_on(projection, engine, 300)
        assert modes == {LINEAR}
        assert found[1] == expected


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Small tables in which anything may be zero."""
    row = st.tuples(st.integers(-4, 6), st.integers(0, 4)).map(lambda r: [r[0] * (r[1] > 0), r[1]])
    items = draw(st.integers(1, 7))
    rows = st.lists(row, min_size=items, max_size=items)
    undefined = draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(-1, 3)]))
    return Table(draw(rows), draw(rows), undefined)


@settings(max_examples=60, deadline=None)
@given(table=tables())
def test_counts_of_any_small_table_are_those_of_fractions(table: Table) -> None:
    check(table, None, n=60)


@settings(max_examples=20, deadline=None)
@given(table=tables(), zeros=st.integers(1, 20), seed=st.integers(0, 1000))
def test_counts_do_not_depend_on_empty_items_or_other_systems(
    table: Table, zeros: int, seed: int
) -> None:
    """An item's coin has its place among all items; what others have there does not matter."""
    alone = counts_on(table.projection(), "numpy", 300)[0]
    padded = Table([*table.a, *[[0, 0]] * zeros], [*table.b, *[[0, 0]] * zeros], table.undefined)
    rng = np.random.default_rng(seed)
    other = [[int(x) for x in row] for row in rng.integers(0, 99, (len(table.a), 2))]

    for engine in path.available():
        assert counts_on(padded.projection(), engine, 300)[0] == alone
        assert counts_on(table.projection(C=other, D=other), engine, 300)[0] == alone


def test_counts_of_a_mean_do_not_depend_on_concordant_items() -> None:
    """Whatever equal scores both systems have on further items, the exchanges reach the same."""
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 3, (2, 40))
    same = rng.integers(0, 3, 25)
    short = project(Counts.from_arrays({"A": a, "B": b}))
    long = project(
        Counts.from_arrays({"A": np.concatenate([a, same]), "B": np.concatenate([b, same])})
    )

    for engine in path.available():
        assert counts_on(long, engine, SHARD) == counts_on(short, engine, SHARD)


def test_coins_of_later_items_are_those_of_their_block() -> None:
    """The sum of one item alone is its coin, in the last block as in the first."""
    for place in (ITEM_BLOCK - 1, ITEM_BLOCK, 2 * ITEM_BLOCK + 11):
        tossed = coins(1, 3, place + 1, 50)[place]
        forms = np.zeros((1, 2, place + 3), np.int64)
        forms[0, 1, place] = 1
        for engine in path.available():
            with path.using(engine):
                found = ShufflePlan(forms).subset_sums(1, 3, 50)[0]
            assert np.array_equal(found, tossed)


def test_one_block_of_items_has_the_coins_of_old() -> None:
    """The first block is seeded by (seed, purpose, shards) alone, as before items had blocks."""
    sequence = np.random.SeedSequence(5, spawn_key=(streams.SHUFFLES, 0))
    words = sequence.generate_state(16 * 24, np.uint64).reshape(16, 24)

    assert np.array_equal(streams.seeds(5, 3), words[3])
    assert not np.array_equal(streams.seeds(5, 3, item_block=1), words[3])


@given(
    rows=st.lists(st.tuples(*[st.integers(0, 6)] * 9), min_size=2, max_size=30),
    sizes=st.lists(st.integers(1, 300), min_size=1, max_size=4),
)
@settings(max_examples=25)
def test_many_shards_in_one_call_on_every_path(
    rows: list[tuple[int, ...]], sizes: list[int]
) -> None:
    """Exchanges and flipped signs alike: as shard by shard, as test by test, as by NumPy."""
    counts = Counts.from_arrays(
        {name: np.array(rows)[:, 3 * k : 3 * k + 3] for k, name in enumerate("ABC")},
        columns=["tp", "fp", "fn"],
    )
    projection = project(counts, ["f1", "recall"])
    asked = [
        Question(bound, a, b, tail)
        for bound in projection.metrics
        for a, b in ((0, 1), (2, 1))
        for tail in TAILS
    ]
    questions = [*asked, *as_tested(projection, asked, "auto")]
    shards = list(enumerate(sizes))
    found = {}
    for engine in path.available():
        with path.using(engine):
            job = ShuffleJob.of(projection, questions, seed=4)
            found[engine] = count_shards(job, shards).tolist()
            assert found[engine] == [count_shards(job, [shard])[0].tolist() for shard in shards]
            last = job.select(np.array([len(questions) - 1]))
            assert count_shards(last, shards)[:, 0].tolist() == [row[-1] for row in found[engine]]
    assert all(each == found["numpy"] for each in found.values())


@pytest.mark.parametrize("engine", path.available())
def test_sums_of_some_systems_alone(engine: str) -> None:
    """Told relative to the first of them, they are apart by as much as among all."""
    forms = np.random.default_rng(6).integers(0, 99, (2, 4, 50))
    with path.using(engine):
        whole = ShufflePlan(forms)
        part = whole.of_systems([1, 3])
        assert part is whole.of_systems([1, 3])
        assert whole.of_systems(range(4)) is whole
        every, some = whole.subset_sums(1, 0, 77), part.subset_sums(1, 0, 77)
    for form in range(2):
        expected = whole.exchanged(every, form, 1, 3)
        assert (part.exchanged(some, form, 0, 1) == expected).all()


@pytest.mark.parametrize("engine", path.available())
@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.floats(-5, 5, allow_subnormal=False), min_size=8, max_size=8),
    st.sampled_from([0, 1, -1]),
    st.integers(0, 5),
)
def test_columns_that_become_one_count_the_same_shuffles(
    engine: str, weights: list[float], tail: int, seed: int
) -> None:
    """Weighted columns are rounded into one; where rounding might matter, columns are counted.

    The threshold is one that a shuffle reaches exactly, if rounding does not matter.
    """
    values = np.random.default_rng(seed).integers(0, 9, (8, 1, 40))
    forms = np.concatenate([np.zeros_like(values), values], axis=1)
    shards = [(0, 300), (1, 2048), (5, 1)]
    with path.using(engine):
        plan = ShufflePlan(forms)
        columns = plan.columns[:, 1][None]
        moved = np.zeros(1)
        for weight, column in zip(weights, columns[0], strict=True):
            moved += weight * plan.subset_sums(seed, 1, 2048)[column, 7:8]
        difference = float(np.array(weights) @ values.sum(axis=(1, 2)))
        threshold = difference - 2 * moved
        tests = SignedRows(
            columns,
            np.array([weights]),
            np.array([difference]),
            np.abs(threshold) if tail == 0 else threshold,
            np.array([tail], np.int32),
        )
        by_columns = plan._count_columns(seed, shards, tests)
        assert plan.count_signed(seed, shards, tests).tolist() == by_columns.tolist()
        assert plan._merge(tests) is not None or not any(weights)


def test_one_plan_merges_the_tests_that_it_is_asked() -> None:
    """What it keeps of the last ones is not taken for those of another tail or difference."""
    values = np.random.default_rng(2).integers(0, 9, (8, 1, 30))
    plan = ShufflePlan(np.concatenate([np.zeros_like(values), values], axis=1))
    weights, shards = np.linspace(-1, 1, 8)[None], [(0, 500)]
    for tail, difference in itertools.product((0, 1, -1), (3.0, 5.0)):
        one = np.array([difference])
        tests = SignedRows(plan.columns[:, 1][None], weights, one, one, np.array([tail], np.int32))
        expected = plan._count_columns(0, shards, tests).tolist()
        assert plan.count_signed(0, shards, tests).tolist() == expected


def test_rounding_to_one_column_is_rarely_in_doubt() -> None:
    """So that it is worth it: of eight shards of shuffles at most one is counted again."""
    rng = np.random.default_rng(1)
    values = rng.integers(0, 20, (20, 1, 3000))
    plan = ShufflePlan(np.concatenate([np.zeros_like(values), values], axis=1))
    weights = rng.normal(0, 1, 20)
    spread = float(np.sqrt(((weights @ values[:, 0]) ** 2).sum()))
    tests = SignedRows(
        plan.columns[:, 1][None],
        weights[None],
        np.array([2.5 * spread]),
        np.array([2.5 * spread]),
        np.zeros(1, np.int32),
    )
    merged = plan._merge(tests)
    assert merged is not None
    surely, perhaps = merged[0].count(0, [(k, 2048) for k in range(8)], merged[1], [None, None]).T
    assert (perhaps >= surely).all()
    assert (perhaps != surely).sum() <= 1
