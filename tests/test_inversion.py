"""Intervals by inverting the exchange test: against enumeration, and how often they cover."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from score_pairs import mean_of, scores_of
from tellapart import engine as path
from tellapart.counts import Counts
from tellapart.metrics.projection import project
from tellapart.resampling import subset_means
from tellapart.resampling.saddlepoint import tail_shifts
from tellapart.resampling.subset_means import DrawnMeans
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.dispatch import SHUFFLES, Execution, Settings
from tellapart.significance.exact_tests import exact_test
from tellapart.significance.interval_formulas import Interval
from tellapart.significance.intervals import Estimator
from tellapart.significance.inversion import far_intervals, invert
from tellapart.significance.options import Options
from tellapart.significance.questions import Question
from tellapart.significance.score_intervals import mean_interval

Floats = NDArray[np.float64]


def inversion(a: Any, b: Any, level: float = 0.95, **how: Any) -> Interval:
    return clustered_inversion(a, b, None, level, **how)


def clustered_inversion(
    a: Any,
    b: Any,
    clusters: Any,
    level: float = 0.95,
    *,
    shuffles: int = 999,
    seed: int = 0,
    exact: bool = True,
) -> Interval:
    """Invert the test of two systems' scores; clusters of items are exchanged as wholes."""
    labels = None if clusters is None else {"doc": [str(cluster) for cluster in clusters]}
    counts = Counts.from_arrays({"A": a, "B": b}, labels=labels)
    projection = project(counts if labels is None else counts.by("doc"))
    bound = mean_of(projection)
    return invert(projection, bound, 0, 1, shuffles, seed, exact=exact).interval(level)


def flip_p(apart: list[int], sizes: list[int], shift: Fraction) -> Fraction:
    """Compute the exact p of the hypothesis that the mean difference is `shift`."""
    moved = [d - shift * n for d, n in zip(apart, sizes, strict=True)]
    measured = abs(sum(moved, Fraction(0)))
    flips = list(product((1, -1), repeat=len(moved)))
    reached = sum(
        abs(sum((s * d for s, d in zip(signs, moved, strict=True)), Fraction(0))) >= measured
        for signs in flips
    )
    return Fraction(reached, len(flips))


def exactly(end: float, items: int) -> Fraction:
    """Recover a mean over at most so many items from its float."""
    return Fraction(end).limit_denominator(items)


small_tables = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=8)


@settings(max_examples=40, deadline=None)
@given(scores=small_tables, level=st.sampled_from([0.5, 0.75, 0.9, 0.95]))
def test_inversion_ends_where_rejection_begins(scores: list[tuple[int, int]], level: float) -> None:
    """At an end the enumerated test does not reject, and just beyond it does."""
    a, b = zip(*scores, strict=True)
    apart, alpha = [x - y for x, y in scores], 1 - Fraction(str(level))
    ones = [1] * len(apart)
    tiny, far = Fraction(1, 10**6), Fraction(10**6)

    found = inversion(a, b, level)

    assert found.method == "exact inversion"
    for end, outward in ((found.low, -1), (found.high, 1)):
        if end is None:
            assert flip_p(apart, ones, outward * far) > alpha
            continue
        at = exactly(end, len(apart))
        assert flip_p(apart, ones, at) > alpha
        assert flip_p(apart, ones, at + outward * tiny) <= alpha


@settings(max_examples=15, deadline=None)
@given(
    scores=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 6)), min_size=8, max_size=14
    ),
    level=st.sampled_from([0.5, 0.75, 0.9]),
)
def test_inversion_holds_the_shifts_that_enumeration_does_not_reject(
    scores: list[tuple[int, int, int]], level: float
) -> None:
    """On a fine grid of shifts, for clusters of any sizes."""
    a, b, clusters = zip(*scores, strict=True)
    kinds = sorted(set(clusters))
    rows = [[(x, y) for x, y, kind in scores if kind == each] for each in kinds]
    apart, sizes = [sum(x - y for x, y in row) for row in rows], [len(row) for row in rows]
    alpha = 1 - Fraction(str(level))

    found = clustered_inversion(a, b, clusters, level)

    for step in range(-40, 41):
        shift = Fraction(step, 13)
        assert found.contains(float(shift)) == (flip_p(apart, sizes, shift) > alpha), shift


def enumerated_ends(apart: list[int], sizes: list[int], alpha: Fraction) -> list[Fraction | None]:
    """Find the ends from the numbers of sets of items with each sum and size, in whole numbers."""
    sets: dict[tuple[int, int], int] = {(0, 0): 1}
    for d, n in zip(apart, sizes, strict=True):
        grown = dict(sets)
        for (x, size), number in sets.items():
            grown[x + d, size + n] = grown.get((x + d, size + n), 0) + number
        sets = grown
    ends: list[Fraction | None] = []
    for sign in (1, -1):
        means = sorted((Fraction(sign * x, n), k) for (x, n), k in sets.items() if n)
        reached, end = sets[0, 0], None  # the empty set speaks against every shift
        if Fraction(reached, 2 ** len(apart)) <= alpha / 2:
            for mean, number in means:
                reached += number
                if Fraction(reached, 2 ** len(apart)) > alpha / 2:
                    end = sign * mean
                    break
        ends.append(end)
    return ends


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    items=st.integers(1, 90),
    largest=st.sampled_from([1, 1, 4]),
    size=st.sampled_from([1, 1, 3]),
    alpha=st.sampled_from(["0.01", "0.05", "0.1", "0.5"]),
)
def test_inversion_is_exact_where_it_says_so(
    seed: int, items: int, largest: int, size: int, alpha: str
) -> None:
    """Right and wrong answers, ratings, and clusters: the ends of all sets of items."""
    rng = np.random.default_rng(seed)
    items = items if largest * size == 1 else min(items, 30)
    sizes = rng.integers(1, size + 1, items)
    clusters = np.repeat(np.arange(items), sizes)
    a, b = rng.integers(0, largest + 1, (2, len(clusters)))
    apart = [int((a - b)[clusters == k].sum()) for k in range(items)]

    found = clustered_inversion(a, b, clusters, 1 - float(alpha))

    expected = enumerated_ends(apart, sizes.tolist(), Fraction(alpha))
    assert found.method == "exact inversion"
    assert list(found.ends) == [None if end is None else float(end) for end in expected]


def test_a_level_that_p_reaches_exactly_rejects() -> None:
    """Five wins of five: p is 1/16 at every shift below 1."""
    assert inversion([1] * 5, [0] * 5, 15 / 16).ends == (1, 1)
    assert inversion([1] * 5, [0] * 5, 31 / 32).ends == (None, None)


def test_few_items_bound_nothing() -> None:
    """Five items cannot reject at 5 %, whatever the shift; six can."""
    for exact in (True, False):
        assert inversion([1, 2, 3, 4, 5], [0] * 5, exact=exact).ends == (None, None)
        assert inversion([1], [0], exact=exact).ends == (None, None)
    assert inversion([1, 2, 3, 4, 5, 6], [0] * 6).ends == (1, 6)


def test_few_shuffles_bound_nothing() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (2, 30))

    assert inversion(a, b, 0.95, shuffles=18, exact=False).ends == (None, None)
    assert None not in inversion(a, b, 0.95, shuffles=99, exact=False).ends


def test_identical_systems_have_a_point_for_an_interval() -> None:
    for items, exact in product((6, 14, 15, 40), (True, False)):
        assert inversion([3] * items, [3] * items, exact=exact).ends == (0, 0)


def test_many_sums_are_inverted_by_shuffles() -> None:
    rng = np.random.default_rng(1)
    many, few = rng.random((2, 40)), rng.integers(0, 2, (2, 4000))

    assert inversion(*many).method == "inversion"
    assert inversion(*few).method == "exact inversion"


@pytest.mark.parametrize("kind", ["answers", "ratings", "clusters"])
def test_shuffles_come_near_the_exact_ends(kind: str) -> None:
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 5 if kind == "ratings" else 2, (2, 120))
    clusters = rng.integers(0, 40, 120) if kind == "clusters" else None

    exact = clustered_inversion(a, b, clusters)
    drawn = clustered_inversion(a, b, clusters, shuffles=20_000, exact=False)

    assert (exact.method, drawn.method) == ("exact inversion", "inversion")
    assert exact.low is not None
    assert exact.high is not None
    assert drawn.ends == pytest.approx(exact.ends, rel=0, abs=0.03 * (exact.high - exact.low))


def test_exact_ends_of_many_items_are_near_those_of_t() -> None:
    rng = np.random.default_rng(2)
    level = rng.random(20_000)
    a, b = (level + 0.2 * rng.random((2, 20_000)) < 0.6).astype(int)

    found = inversion(a, b)

    low, high = mean_interval((a - b).astype(float), np.ones(20_000), 0.95, bounded=False).ends
    assert found.method == "exact inversion"
    assert low is not None
    assert high is not None
    assert found.ends == pytest.approx((low, high), rel=0, abs=0.02 * (high - low))


tables = st.builds(
    lambda seed, items, values: np.random.default_rng(seed).integers(0, values, (3, items)),
    st.integers(0, 10**6),
    st.integers(6, 40),
    st.sampled_from([2, 3, 50, 10**9]),
)


@settings(max_examples=60, deadline=None)
@given(table=tables, clustered=st.booleans(), exact=st.booleans(), order=st.randoms())
def test_neither_the_order_of_systems_nor_of_items_changes_an_interval(
    table: NDArray[np.int64], clustered: bool, exact: bool, order: Any
) -> None:
    """Swapped systems mirror both ends, to the last bit."""
    a, b, clusters = table[0], table[1], table[2] % 13 if clustered else None
    places = list(range(len(a)))
    order.shuffle(places)

    found = clustered_inversion(a, b, clusters, exact=exact)

    swapped = clustered_inversion(b, a, clusters, exact=exact)
    assert swapped.ends == tuple(None if end is None else -end for end in found.ends[::-1])
    moved = None if clusters is None else clusters[places]
    assert clustered_inversion(a[places], b[places], moved, exact=exact) == found


@settings(max_examples=40, deadline=None)
@given(
    halves=st.lists(st.integers(0, 9), min_size=3, max_size=20),
    centre=st.integers(-3, 3),
    exact=st.booleans(),
)
def test_symmetric_differences_have_a_symmetric_interval(
    halves: list[int], centre: int, exact: bool
) -> None:
    apart = np.array([sign * half + centre for half in halves for sign in (1, -1)])

    low, high = inversion(apart, np.zeros_like(apart), 0.9, exact=exact).ends

    assert low is not None
    assert high is not None
    assert low + high == pytest.approx(2 * centre, abs=1e-12)
    if centre == 0:
        assert low == -high


def test_as_many_wins_as_losses_reach_as_far_to_both_sides() -> None:
    won = np.repeat([1, 0, -1], [6, 28, 6])
    for exact in (True, False):
        low, high = inversion(won, np.zeros_like(won), exact=exact).ends
        assert low is not None
        assert low == -(high or 0)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), items=st.integers(6, 30), lead=st.integers(0, 2))
def test_zero_is_inside_exactly_if_the_exact_test_does_not_reject(
    seed: int, items: int, lead: int
) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(lead, 3 + lead, items), rng.integers(0, 3, items)
    projection = scores_of(a, b)
    exact = exact_test(projection, Question(projection.metrics[0], 0, 1, "two"))
    assert exact is not None

    assert inversion(a, b).contains(0) == (exact.p > 0.05)


def test_zero_is_inside_exactly_if_clusters_do_not_reject() -> None:
    """Clusters of different sizes: exchanged as wholes, means over their items."""
    rng = np.random.default_rng(21)
    decided = set()
    for seed in range(40):
        items = 60
        labels = {"doc": [str(k) for k in rng.integers(0, 20, items)]}
        scores = {"A": rng.integers(0, 4, items) + seed % 2, "B": rng.integers(0, 4, items)}
        projection = project(Counts.from_arrays(scores, labels=labels).by("doc"))
        exact = exact_test(projection, Question(projection.metrics[0], 0, 1, "two"))
        assert exact is not None
        found = invert(projection, mean_of(projection), 0, 1, 199, seed).interval(0.95)
        assert found.contains(0) == (exact.p > 0.05)
        decided.add(exact.p > 0.05)
    assert decided == {True, False}


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    items=st.integers(6, 30),
    shift=st.integers(-5, 5),
    scale=st.integers(1, 7),
    exact=st.booleans(),
)
def test_intervals_follow_shifts_and_scales(
    seed: int, items: int, shift: int, scale: int, exact: bool
) -> None:
    a, b = np.random.default_rng(seed).integers(0, 9, (2, items))
    low, high = inversion(a, b, exact=exact).ends
    if low is None or high is None:
        assert items < 8
        return

    def near(found: Interval, low: float, high: float) -> bool:
        return found.ends == pytest.approx((low, high))

    assert near(inversion(a + shift, b, exact=exact), low + shift, high + shift)
    assert near(inversion(a * scale, b * scale, exact=exact), low * scale, high * scale)
    assert near(inversion(a / 10, b / 10, exact=exact), low / 10, high / 10)


def test_ends_of_noisy_floats_are_zero_where_they_should_be() -> None:
    """What is 0 but for the last bits is 0: 0.1 + 0.2 is 0.30000000000000004."""
    seen = set()
    for seed, items in product(range(20), (12, 30)):
        a, b = np.random.default_rng(seed).integers(0, 2, (2, items)) / 10
        a, b = a + 0.2, np.round(b + 0.2, 1)
        exact = items == 12  # all sets of thirty noisy numbers are too many
        found = inversion(a, b, 0.8, exact=exact)
        wanted = inversion(np.round(a, 1), b, 0.8, exact=exact)
        assert found.method == wanted.method
        assert found.ends == pytest.approx(wanted.ends, rel=0, abs=1e-12)
        zeros = [end == 0 for end in found.ends]
        assert zeros == [end == 0 for end in wanted.ends]
        seen.add(any(zeros))
    assert seen == {True, False}


def test_inversion_is_the_same_on_every_engine() -> None:
    a, b = np.random.default_rng(3).integers(0, 99, (2, 50))
    found = set()
    for engine in path.available():
        with path.using(engine):
            found.add(inversion(a, b, exact=False))

    assert len(found) == 1


@pytest.mark.parametrize(("items", "exact"), [(10, True), (10, False), (25, False)])
def test_inversion_covers_the_truth_as_often_as_it_says(items: int, exact: bool) -> None:
    """Differences that are symmetric about 1: enumerated or by shuffles, 95 % of intervals."""
    rng = np.random.default_rng(items)
    tables, covered = 600, 0
    for seed in range(tables):
        noise = np.round(rng.laplace(0, 2, items), 2)
        found = inversion(1 + noise, np.zeros(items), shuffles=199, seed=seed, exact=exact)
        covered += found.contains(1)

    assert abs(covered - 0.95 * tables) < 4 * math.sqrt(tables * 0.95 * 0.05)


def test_an_open_end_leaves_its_side_unbounded() -> None:
    assert Interval(None, 1.0, "t").contains(-1e9)
    assert not Interval(None, 1.0, "t").contains(1.1)
    assert Interval(-1.0, None, "t").contains(-1.0)


def test_pairwise_intervals_do_not_depend_on_other_systems() -> None:
    rng = np.random.default_rng(4)
    rows = dict(zip("ABC", rng.integers(0, 9, (3, 25)), strict=True))
    projection = project(Counts.from_arrays(rows))
    for a, b in combinations(range(3), 2):
        x, y = (list(rows.values())[k] for k in (a, b))
        found = invert(projection, mean_of(projection), a, b, 999, 0)
        assert found.interval(0.95) == inversion(x, y)


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 3)), min_size=8, max_size=200))
def test_both_ends_at_once_are_those_of_each_side(sets: list[tuple[int, int]]) -> None:
    """Drawn sets are sorted once for both ends; ties and sets without items included."""
    sums, sizes = (np.array(each, np.float64) for each in zip(*sets, strict=True))
    drawn = DrawnMeans(np.where(sizes == 0, 0.0, sums), sizes, len(sets) // 4)
    for q in (0.001, 0.02, 0.2, 0.5):
        assert drawn.ends(q) == (drawn.end(q), drawn.mirrored().end(q))


@given(
    st.lists(st.tuples(st.integers(-300, 300), st.integers(1, 4)), min_size=10, max_size=120),
    st.sampled_from([1, 1, 3]),
)
def test_what_is_surely_too_much_is_too_much(items: list[tuple[int, int]], step: int) -> None:
    """The rough count of all items at once never rules out what the count kind by kind allows."""
    sums, sizes = (np.array(each, np.int64) for each in zip(*items, strict=True))
    sums *= step
    found = subset_means.surely_too_many(np.stack([sums, -sums, 0 * sums]), sizes)
    assert found[0] == found[1]
    assert not found[2]
    if found[0]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                subset_means, "surely_too_many", lambda rows, _: np.zeros(len(rows), bool)
            )
            assert subset_means.exact_means(sums, sizes) is None


def far_rows(kind: str, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Make differences of some shape, and sizes of the items."""
    ones = np.ones(60, np.int64)
    if kind == "even":
        return rng.integers(-12, 15, 60), ones
    if kind == "skewed":
        return np.round(rng.exponential(9, 60) - 6).astype(np.int64), ones
    if kind == "one large item":
        return np.append(rng.integers(-9, 10, 59), 60), ones
    return rng.integers(-9, 12, 60), rng.integers(1, 4, 60)


@pytest.mark.parametrize("kind", ["even", "skewed", "one large item", "clusters"])
@pytest.mark.parametrize("q", [1e-3, 1e-5, 1e-8])
def test_the_far_tail_is_as_likely_as_it_says(kind: str, q: float) -> None:
    """All sets of 60 items are counted: the mean is below the shift with a chance of about q."""
    rng = np.random.default_rng(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subset_means, "MAX_CELLS", 1 << 20)
        patch.setattr(subset_means, "MAX_WORK", 1 << 26)
        for _ in range(3):
            sums, sizes = far_rows(kind, rng)
            means = subset_means.exact_means(sums, sizes)
            assert means is not None
            shift = float(tail_shifts(sums[None], sizes[None], q)[0])
            if kind == "one large item" and np.isnan(shift):
                continue  # it says that it cannot tell
            reached = means.chance(shift / float(means.scale))
            assert reached == pytest.approx(q, rel=0.15)


def test_far_ends_are_mirrored_and_know_no_order() -> None:
    rng = np.random.default_rng(5)
    for sizes in (np.ones((1, 80), np.int64), rng.integers(1, 5, (1, 80))):
        rows, order = rng.integers(-400, 500, (6, 80)), rng.permutation(80)
        found = far_intervals(rows, sizes, Fraction(1), 1 - 1e-6)
        assert far_intervals(rows[:, order], sizes[:, order], Fraction(1), 1 - 1e-6) == found
        assert far_intervals(rows[2:3], sizes, Fraction(1), 1 - 1e-6) == found[2:3]
        mirrored = far_intervals(-rows, sizes, Fraction(1), 1 - 1e-6)
        for one, other in zip(found, mirrored, strict=True):
            assert one is not None
            assert other is not None
            assert one.low is not None
            assert one.high is not None
            assert (-one.high, -one.low) == other.ends


def test_levels_beyond_the_draws_are_by_the_saddlepoint() -> None:
    """All pairs at once, or one alone: the same interval, wider than that of a lower level."""
    rng = np.random.default_rng(6)
    rows = {f"s{k}": np.round(rng.random(90), 3) for k in range(4)}
    projection = project(Counts.from_arrays(rows))
    bound, level = mean_of(projection), 1 - 1e-6
    made_by = Settings(Options()), Execution(WorkerPool())
    estimator = Estimator(projection, None, *made_by)
    questions = [Question(bound, a, b, "two") for a, b in combinations(range(4), 2)]
    found = estimator.pairs(questions, [1 - level] * 6)
    for question, each in zip(questions, found, strict=True):
        alone = invert(projection, bound, question.a, question.b, SHUFFLES, 0)
        wide, within = alone.interval(level), alone.interval(0.99)
        assert each.interval == wide
        assert (wide.method, within.method) == ("saddlepoint inversion", "inversion")
        assert wide.contains(within.low or 0.0)
        assert wide.contains(within.high or 0.0)


def test_items_too_few_for_a_level_bound_nothing_beyond_the_draws() -> None:
    """Of 18 items the rarest set has a chance of 1 in 262,144."""
    rng = np.random.default_rng(7)
    a, b = np.round(rng.random((2, 18)), 4)
    assert inversion(a, b, 1 - 1e-5, shuffles=9_999).low is not None
    assert inversion(a, b, 1 - 4e-6, shuffles=9_999).ends == (None, None)
