"""What exact tests cost, when they are made, and where a closed form takes their place."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from tellapart import engine as path
from tellapart.counts import Counts
from tellapart.metrics.projection import Projection, project
from tellapart.report.method import method
from tellapart.resampling import binomial
from tellapart.resampling.differences import pair_differences
from tellapart.resampling.lattice import exact_updates
from tellapart.resampling.ratios import LINEAR, TAILS, TEST, RatioPair, fill_linear, sign_of
from tellapart.resampling.signed_sums import signed_updates
from tellapart.resampling.workers import open_pool
from tellapart.significance import exact_tests
from tellapart.significance.exact_tests import affordable, exact_test
from tellapart.significance.questions import Question

small = st.integers(-4, 9)


def table(values: object) -> Projection:
    return project(Counts.from_arrays({f"s{k}": row for k, row in enumerate(np.asarray(values))}))


def all_pairs(projection: Projection, tail: str = "two") -> list[Question]:
    systems = range(projection.forms.shape[1])
    bound = projection.metrics[0]
    return [Question(bound, a, b, tail) for a in systems for b in systems if a < b]


@given(st.integers(0, 60), st.integers(-2, 62))
def test_tails_of_coins_are_sums_of_binomials(n: int, reached: int) -> None:
    count = sum(math.comb(n, k) for k in range(max(reached, 0), n + 1))

    assert binomial.upper_tail(reached, n) == float(Fraction(count, 2**n))
    assert reached < 0 or binomial.ways(reached, n) == count


def test_long_tails_continue_the_short_ones() -> None:
    """Beyond a thousand coins tails are no sums of integers any more: to 12 digits they are."""
    for n, reached in ((1_001, 560), (2_500, 1_300), (2_500, 1_250)):
        exact = Fraction(sum(math.comb(n, k) for k in range(reached, n + 1)), 2**n)
        assert binomial.upper_tail(reached, n) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("engine", path.available())
@given(rows=st.lists(st.lists(small, min_size=6, max_size=6), min_size=2, max_size=4))
@settings(max_examples=30)
def test_differences_of_all_pairs(engine: str, rows: list[list[int]]) -> None:
    values = np.array(rows)
    first, second = np.triu_indices(len(rows), 1)
    with path.using(engine):
        found = pair_differences(values, first, second)

    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        sizes = [abs(x - y) for x, y in zip(rows[a], rows[b], strict=True)]
        assert found.items[k] == sum(size > 0 for size in sizes)
        assert (found.total[k], found.largest[k]) == (sum(sizes), max(sizes))
        assert found.step[k] == math.gcd(*sizes)
        assert found.alike[k] == (len({size for size in sizes if size}) <= 1)


@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60),
    st.sampled_from(list(TAILS)),
    st.integers(1, 7),
)
def test_right_and_wrong_answers_have_a_closed_form(
    answers: list[tuple[bool, bool]], tail: str, worth: int
) -> None:
    """It is a sum of binomial coefficients."""
    a, b = (worth * np.array(side, np.int64) for side in zip(*answers, strict=True))
    n, ahead = int((a != b).sum()), int((a > b).sum()) - int((a < b).sum())
    apart = [2 * heads - n for heads in range(n + 1)]
    reached = {
        "two": [abs(each) >= abs(ahead) for each in apart],
        "greater": [each >= ahead for each in apart],
        "less": [each <= ahead for each in apart],
    }[tail]
    count = sum(math.comb(n, heads) for heads in range(n + 1) if reached[heads])
    found = exact_test(table([a, b]), Question(table([a, b]).metrics[0], 0, 1, tail))

    assert found is not None
    assert found.how in ("enumeration", "binomial")
    assert found.p == float(Fraction(count, 2**n))


@given(
    st.lists(st.tuples(small, small, st.integers(0, 5)), min_size=1, max_size=12),
    st.sampled_from(list(TAILS)),
    st.sampled_from([None, 1e-9, 0.01]),
)
def test_rows_of_many_pairs_are_those_of_single_ones(
    items: list[tuple[int, int, int]], tail: str, tolerance: float | None
) -> None:
    num_a, num_b, den = (int(sum(column)) for column in zip(*items, strict=True))
    alone, together = np.zeros(1, TEST), np.zeros(1, TEST)
    pair = RatioPair(num_a, den, num_b, den, tail, tolerance=tolerance, same_denominators=True)
    pair.fill(alone[0])
    sums = [np.array([each]) for each in (num_a, num_b, den)]
    fill_linear(
        together,
        np.array([sign_of(tail)]),
        (sums[0], sums[1]),
        (sums[2], sums[2]),
        tolerance or 0.0,
    )

    assert alone[0]["mode"] == LINEAR
    assert alone.tobytes() == together.tobytes()


def test_the_cost_is_known_before_and_grows_with_the_digits() -> None:
    rng = np.random.default_rng(0)
    steps = rng.integers(-30, 31, 200)
    few = exact_updates(steps, 0 * steps)

    assert few == exact_updates(-steps[::-1], 0 * steps)
    assert exact_updates(7 * steps, 0 * steps) == few  # in steps of seven
    assert exact_updates(10 * steps + rng.integers(0, 10, 200), 0 * steps) > 5 * few
    assert signed_updates(100 * steps.astype(np.float64)) == signed_updates(
        steps.astype(np.float64)
    )
    assert signed_updates(np.ones(10_000), most=1e6) == math.inf


def test_the_least_cost_is_never_above_the_cost() -> None:
    rng = np.random.default_rng(1)
    for scale in (1, 3, 40, 5_000):
        projection = table(rng.integers(0, scale + 1, (4, 90)) * rng.integers(1, 4))
        questions = all_pairs(projection)
        least = exact_tests._least_updates(projection, questions)
        for k, question in enumerate(questions):
            if exact_tests._closed_forms(projection, [question]):
                continue
            assert least[k] <= 1_000_000 + exact_tests._updates(projection, question, math.inf)


def test_the_budget_is_for_all_pairs_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cheap pairs are exact; the others are where all of them can be paid, in whatever order."""
    rng = np.random.default_rng(2)
    values = rng.integers(0, 9, (5, 60))
    values[4] *= 1_000
    projection = table(values)
    questions = all_pairs(projection)
    with open_pool(1) as one, open_pool(2) as two:
        assert affordable(projection, questions, one).exact == list(range(10))
        monkeypatch.setattr(exact_tests, "WHOLE_UPDATES", 12_000_000)
        found = affordable(projection, questions, one)
        assert found == affordable(projection, questions, two)
        turned = affordable(projection, questions[::-1], one)
    costly = [k for k, each in enumerate(questions) if each.b == 4]
    assert found.too_costly == costly
    assert sorted(9 - k for k in turned.too_costly) == costly
    assert found.exact == [k for k in range(10) if k not in costly]


def test_the_method_tells_what_the_budget_did(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    values = np.round(rng.random((3, 40)), 3)
    counts = Counts.from_arrays({"A": values[0], "B": values[1], "C": values[2]})
    exact, budget = ta.compare(counts, intervals=False), exact_tests.WHOLE_UPDATES
    monkeypatch.setattr(exact_tests, "WHOLE_UPDATES", 2)
    shuffled = ta.compare(counts, intervals=False)

    assert "steps" not in method(exact)
    assert budget == 6 * 10**9
    assert "; shuffled because exact tests of all pairs would take more than 6 · 10^9 steps;" in (
        method(shuffled)
    )
    assert {pair.how for pair in shuffled.pairs} == {"budget"}
    for one, other in zip(exact.pairs, shuffled.pairs, strict=True):
        assert other.p == pytest.approx(one.p, abs=0.05)


def test_answers_are_never_put_on_a_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    projection = table(rng.integers(0, 2, (6, 500)))
    monkeypatch.setattr(exact_tests, "exact_p", None)
    with open_pool(1) as pool:
        found = exact_tests.exact_tests(projection, all_pairs(projection), pool)

    assert {each.how for each in found if each is not None} == {"binomial"}
