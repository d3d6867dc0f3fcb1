"""The exact null distribution: against enumeration by fractions, and each way against another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.counts import Counts
from tellapart.metrics.projection import project
from tellapart.resampling.lattice import exact_p
from tellapart.resampling.ratios import RatioPair
from tellapart.significance.exact_tests import exact_test
from tellapart.significance.questions import Question

Ints = NDArray[np.int64]
TAILS = ("two", "greater", "less")
OPPOSITE = {"two": "two", "greater": "less", "less": "greater"}


@dataclass(frozen=True)
class Items:
    """Numerators and denominators of two systems, item by item: items × (a's, b's)."""

    num: Ints
    den: Ints
    undefined: Fraction = Fraction(0)

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], undefined: Fraction = Fraction(0)) -> Items:
        """Take rows of (numerator of a, denominator of a, numerator of b, denominator of b)."""
        table = np.array(rows, np.int64).reshape(-1, 4)
        return cls(table[:, [0, 2]], table[:, [1, 3]], undefined)

    def pair(self, tail: str) -> RatioPair:
        """Sum up."""
        (num_a, num_b), (den_a, den_b) = self.num.sum(axis=0), self.den.sum(axis=0)
        return RatioPair(int(num_a), int(den_a), int(num_b), int(den_b), tail, self.undefined)

    @property
    def shifts(self) -> tuple[Ints, Ints]:
        """What b has more than a."""
        return self.num[:, 1] - self.num[:, 0], self.den[:, 1] - self.den[:, 0]

    def p(self, tail: str) -> float:
        """Use the lattice."""
        found = exact_p(self.pair(tail), *self.shifts)
        assert found is not None
        return found

    def count(self, tail: str) -> int:
        """Enumerate all exchanges of all items by fractions."""
        return sum(self._reaches(coins, tail) for coins in product((0, 1), repeat=len(self.num)))

    def _reaches(self, coins: tuple[int, ...], tail: str) -> bool:
        d, measured = self._apart(coins), self._apart((0,) * len(coins))
        if tail == "two":
            return abs(d) >= abs(measured)
        return d >= measured if tail == "greater" else d <= measured

    def _apart(self, coins: tuple[int, ...]) -> Fraction:
        scores = []
        for system in (0, 1):
            chosen = [(system + coin) % 2 for coin in coins]
            num = sum(int(self.num[u, s]) for u, s in enumerate(chosen))
            den = sum(int(self.den[u, s]) for u, s in enumerate(chosen))
            scores.append(Fraction(num, den) if den else self.undefined)
        return scores[0] - scores[1]


@st.composite
def few_items(draw: st.DrawFn, most: int = 8) -> Items:
    """Draw a few items: ratios or means, with common divisors, zeros, and negative numerators."""
    size = draw(st.integers(1, 6))
    same = draw(st.booleans())
    num, den = st.integers(draw(st.sampled_from([0, -size])), size), st.integers(0, size)

    def row(values: tuple[int, int, int, int]) -> list[int]:
        num_a, den_a, num_b, den_b = values
        return [num_a, den_a, num_b, den_a if same else den_b]

    rows = draw(st.lists(st.tuples(num, den, num, den).map(row), min_size=1, max_size=most))
    steps = np.array(draw(st.tuples(st.integers(1, 4), st.integers(1, 4))) * 2)
    undefined = draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(-2, 3), Fraction(1, 3)]))
    return Items.of((np.array(rows) * steps).tolist(), undefined)


@settings(max_examples=80, deadline=None)
@given(items=few_items(), tail=st.sampled_from(TAILS))
def test_p_is_that_of_enumeration(items: Items, tail: str) -> None:
    total = 2 ** len(items.num)
    expected = Fraction(items.count(tail), total)

    assert items.p(tail) == float(expected)  # a power of two below: no rounding


@pytest.mark.parametrize("tail", TAILS)
def test_ten_items_by_hand_sized_numbers(tail: str) -> None:
    rng = np.random.default_rng(10)
    items = Items.of(rng.integers(0, 4, (10, 4)).tolist())

    assert items.p(tail) == items.count(tail) / 1024


@settings(max_examples=40, deadline=None)
@given(items=few_items(), tail=st.sampled_from(TAILS), seed=st.integers(0, 99))
def test_order_and_empty_items_do_not_matter(items: Items, tail: str, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(items.num) + 3)
    zeros = np.zeros((3, 2), np.int64)
    mixed = replace(
        items,
        num=np.concatenate([items.num, zeros])[order],
        den=np.concatenate([items.den, zeros])[order],
    )

    assert mixed.p(tail) == items.p(tail)


@settings(max_examples=30, deadline=None)
@given(
    numerators=st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=12),
    same=st.integers(-9, 9),
    tail=st.sampled_from(TAILS),
)
def test_equal_items_do_not_matter_to_means(
    numerators: list[tuple[int, int]], same: int, tail: str
) -> None:
    rows = [[a, 1, b, 1] for a, b in numerators]

    more = Items.of([*rows, [same, 1, same, 1], [0, 1, 0, 1]])

    assert more.p(tail) == Items.of(rows).p(tail)


@settings(max_examples=40, deadline=None)
@given(items=few_items(), tail=st.sampled_from(TAILS))
def test_swapping_the_systems_exchanges_the_tails(items: Items, tail: str) -> None:
    swapped = replace(items, num=items.num[:, ::-1], den=items.den[:, ::-1])

    assert swapped.p(OPPOSITE[tail]) == items.p(tail)


@settings(max_examples=30, deadline=None)
@given(items=few_items())
def test_tails_overlap_in_the_ties(items: Items) -> None:
    """What is at least and what is at most the difference is everything, ties twice."""
    assert items.p("greater") + items.p("less") >= 1


def random_items(seed: int, items: int, size: int, *, linear: bool = False) -> Items:
    """Draw counts of two systems; in a mean, of scores on items that count one each."""
    rng = np.random.default_rng(seed)
    if linear:
        return Items(
            rng.integers(0, size, (items, 2), endpoint=True), np.ones((items, 2), np.int64)
        )
    den = rng.integers(0, size, (items, 2), endpoint=True)
    return Items((den * rng.random((items, 2))).astype(np.int64), den)


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize(
    ("items", "size", "linear"), [(3, 9, False), (25, 4, False), (90, 6, False), (700, 3, True)]
)
def test_every_engine_gives_the_same_bits(items: int, size: int, linear: bool, tail: str) -> None:
    data = random_items(items, items, size, linear=linear)
    found = []
    for engine in path.available():
        with path.using(engine):
            found.append(data.p(tail))

    assert found == [found[0]] * len(found)
    assert found[0] > 0


def whole_count(items: Items, tail: str) -> Fraction:
    """Count the exchanges that reach the difference in whole numbers, sum by sum."""
    pair, sums = items.pair(tail), {(0, 0): 1}
    for dx, dy in zip(*(shift.tolist() for shift in items.shifts), strict=True):
        moved = dict(sums)
        for (x, y), ways in sums.items():
            moved[x + dx, y + dy] = moved.get((x + dx, y + dy), 0) + ways
        sums = moved
    c, d = pair.num_a - pair.num_b, pair.den_a - pair.den_b
    reached = sum(ways for (x, y), ways in sums.items() if pair.reaches(c + 2 * x, d + 2 * y))
    return Fraction(reached, 2 ** len(items.num))


@pytest.mark.parametrize("tail", TAILS)
def test_floats_agree_with_whole_numbers(tail: str) -> None:
    """Sixty items: 2^60 arrangements, of which none is lost."""
    data = random_items(6, 60, 4)

    assert data.p(tail) == pytest.approx(float(whole_count(data, tail)), rel=1e-13)


def test_p_is_never_zero() -> None:
    """Two thousand items, all better: 2^-1999 is no double, and yet p is positive."""
    for items, expected in ((40, 2.0**-39), (1050, 2.0**-1049), (2000, 5e-324)):
        data = Items.of([[1, 1, 0, 1]] * items)
        assert data.p("two") == expected
        assert data.p("less") == 1
        assert 0 < data.p("greater") <= expected


def test_p_is_never_zero_for_ratios() -> None:
    data = Items.of([[3, 3, 0, 2]] * 1300)

    for engine in path.available():
        with path.using(engine):
            assert data.p("two") == 5e-324


@pytest.mark.parametrize("tail", TAILS)
def test_nothing_to_exchange_gives_one(tail: str) -> None:
    for rows in ([[1, 2, 1, 2]], [[0, 0, 0, 0]] * 3, [[0, 4, 0, 4]]):
        assert Items.of(rows).p(tail) == 1


def test_one_item() -> None:
    data = Items.of([[1, 2, 1, 3]])

    assert [data.p(tail) for tail in TAILS] == [1, 0.5, 1]


def test_all_exchanges_tie_where_the_measured_difference_is_zero() -> None:
    data = Items.of([[1, 2, 0, 2], [0, 2, 1, 2]] * 30)

    assert data.p("two") == 1
    assert data.p("greater") == pytest.approx(float(whole_count(data, "greater")), rel=1e-13)


def test_the_messages_of_the_muc_papers() -> None:
    """Fifty messages with counts, fifty without; precision.

    A has 15 of 20 right on each, B the same but none on one message, C 18 of 20 on each.
    """
    nothing = [[0, 0]] * 50
    a, c = ([[right, 20 - right]] * 50 + nothing for right in (15, 18))
    b = [[0, 20], *a[1:]]
    counts = Counts.from_arrays({"A": a, "B": b, "C": c}, ["tp", "fp"])
    projection = project(counts, ["precision"])

    def p(first: int, second: int, tail: str = "two") -> float:
        found = exact_test(projection, Question(projection.metrics[0], first, second, tail))
        assert found is not None
        return found.p

    assert p(0, 2) == 2.0**-49
    assert p(2, 0, "greater") == 2.0**-50
    assert p(0, 1) == 1
    assert p(0, 1, "greater") == 0.5


def test_common_divisors_keep_large_numbers_small() -> None:
    """Numbers near 2^51 with a large common divisor need no more cells than small ones."""
    small = random_items(2, 30, 3)
    large = replace(small, num=small.num * (1 << 44), den=small.den * (1 << 43))

    for tail in TAILS:
        assert large.p(tail) == small.p(tail)


@pytest.mark.parametrize("size", [10**5, 10**9, 1 << 45])
def test_sums_spread_too_far_are_refused_at_once(size: int) -> None:
    """No threshold is worked out for 2^50 denominators before the lattice is found too large."""
    data = random_items(1, 40, size)

    assert exact_p(data.pair("two"), *data.shifts) is None


def test_one_huge_item_among_small_ones_is_refused() -> None:
    data = Items.of([[1, 1, 0, 2]] * 24 + [[1, 2, 2, 1 << 45]])

    assert exact_p(data.pair("two"), *data.shifts) is None


def test_wide_steps_do_not_overflow() -> None:
    """A large common divisor and many items, with sums of zero: products pass 2^63."""
    step, others = 1 << 42, 10**6
    dx = np.array([step, -step] * 12)
    pair = RatioPair(0, others, 0, others, "greater", num_bound=24 * step)

    found = exact_p(pair, dx, np.zeros(24, np.int64))

    assert found == 0.5 + math.comb(24, 12) / 2**25


def test_an_undefined_value_matters_only_where_a_denominator_is_zero() -> None:
    rows = [[3, 4, 1, 3], [2, 4, 2, 2], [5, 6, 1, 5]] * 9

    for tail in TAILS:
        assert Items.of(rows, Fraction(1)).p(tail) == Items.of(rows).p(tail)
