"""Items drawn with replacement: the draws, the three tests, and how often they err."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tellapart as ta
from tellapart import engine as path
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics.projection import Projection, project
from tellapart.resampling import streams
from tellapart.resampling.bootstrap import BLOCK, Resampler, draws_by_block, kinds_of
from tellapart.resampling.streams import ITEM_BLOCK, LANES
from tellapart.resampling.workers import open_pool
from tellapart.significance import bootstrap_tests
from tellapart.significance.bootstrap_tests import (
    BootstrapTest,
    Resampled,
    all_resamples,
    bootstrap_test,
    differences,
    jackknife,
    studentize,
)
from tellapart.significance.interval_formulas import percentile
from tellapart.significance.questions import Question

Ints = NDArray[np.int64]
RULES = ("shift", "shift-abs", "studentized")


def scores_of(a: Any, b: Any) -> Projection:
    return project(Counts.from_arrays({"A": a, "B": b}))


def counts_of(a: Any, b: Any, metric: str = "f1") -> Projection:
    return project(Counts.from_arrays({"A": a, "B": b}, ["tp", "fp", "fn"]), [metric])


def question(projection: Projection, tail: str = "two") -> Question:
    return Question(projection.metrics[0], 0, 1, tail)


def resampled(
    projection: Projection, resamples: int, seed: int = 0, strata: Ints | None = None
) -> Resampled:
    with open_pool(1) as pool:
        return bootstrap_tests.resample(projection, resamples, seed, pool, strata)


def outcome(
    projection: Projection, rule: str, tail: str = "two", resamples: int = 999, seed: int = 0
) -> BootstrapTest:
    asked, drawn = question(projection, tail), resampled(projection, resamples, seed)
    errors = None
    if rule == "studentized":
        with open_pool(1) as pool:
            errors = studentize(projection, asked, resamples, seed, pool)
    return bootstrap_test(projection, asked, drawn, rule, errors)


def known_cases(folder: Path) -> list[dict[str, Any]]:
    expected = json.loads((folder / "significance/expected.json").read_text())
    cases: list[dict[str, Any]] = expected["shift_bootstrap_enumerated"]["cases"]
    return cases


def rules_of(case: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Name the keys of a case, and the rule and tail that each stands for."""
    return {
        "shift_abs": ("shift-abs", "two"),
        "centered_two_sided": ("shift", "two"),
        "twice_one_sided": ("shift", "greater" if sum(case["a"]) >= sum(case["b"]) else "less"),
    }


def test_all_resamples_of_known_cases(reference_data: Path) -> None:
    for case in known_cases(reference_data):
        projection = scores_of(case["a"], case["b"])
        for key, (rule, tail) in rules_of(case).items():
            found = outcome(projection, rule, tail)

            assert found.resamples == case["resamples"]
            assert found.exceedances == case[f"count_{key}"]
            assert found.p == case[f"p_{key}"]


def test_percentiles_of_known_cases(reference_data: Path) -> None:
    for case in known_cases(reference_data):
        projection = scores_of(case["a"], case["b"])
        found = resampled(projection, 999)
        drawn = differences(found, question(projection))

        ends = percentile(drawn, 0.95, found.times).ends

        assert ends == pytest.approx([float(Fraction(end)) for end in case["percentile_95"]])


def test_drawn_resamples_come_near_known_cases(
    reference_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap_tests, "ENUMERATED_ITEMS", 0)
    resamples = 100_000
    for seed, case in enumerate(known_cases(reference_data)):
        projection = scores_of(case["a"], case["b"])
        for key, (rule, tail) in rules_of(case).items():
            if rule == "shift-abs" and case["tau_B"] == case["observed_abs_difference"]:
                continue  # the threshold, a mean of what was drawn, lies on a possible value
            found = outcome(projection, rule, tail, resamples, seed)

            p = case[f"p_{key}"]
            sd = math.sqrt(resamples * p * (1 - p))
            assert found.resamples == resamples
            assert abs(found.exceedances - resamples * p) <= 4.5 * sd
            assert found.p == (found.exceedances + 1) / (resamples + 1)


def test_all_resamples_are_there_each_as_often_as_it_can_be_drawn() -> None:
    weights, times = all_resamples(4)
    drawn = [tuple(np.bincount(draw, minlength=4)) for draw in product(range(4), repeat=4)]

    assert int(times.sum()) == 4**4
    for row, n in zip(weights.tolist(), times.tolist(), strict=True):
        assert drawn.count(tuple(row)) == n


@settings(max_examples=25, deadline=None)
@given(
    items=st.integers(1, 70),
    columns=st.integers(1, 40),
    largest=st.sampled_from([1, 1023, 1024, 2**15 - 1, 2**15, 2**31, 2**40]),
    alike=st.booleans(),
    n=st.integers(1, BLOCK),
    strata=st.integers(1, 5),
    seed=st.integers(0, 99),
)
def test_sums_are_those_of_the_drawn_items(
    items: int, columns: int, largest: int, alike: bool, n: int, strata: int, seed: int
) -> None:
    """A word's upper 53 bits, as a fraction of the stratum's size, tell which item is drawn."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(largest if alike else -largest, largest + 1, (items, columns))
    kinds = np.sort(rng.integers(0, strata, items))  # in order, so that places are easily told
    stream = streams.Stream(streams.seeds(seed, 3, streams.BOOTSTRAP))
    expected = []
    for _ in range(n):
        words = stream.words(-(-items // LANES) * LANES)[:items].tolist()
        total = np.zeros(columns, np.int64)
        for kind, word in zip(kinds, words, strict=True):
            own = np.flatnonzero(kinds == kind)
            total += rows[own[(word >> 11) * len(own) >> 53]]
        expected.append(total.tolist())

    for engine in path.available():
        with path.using(engine):
            found = Resampler.of(rows, kinds).sums(seed, 3, n)
        assert found.tolist() == expected, engine


@pytest.mark.parametrize("strata", [None, np.arange(300) % 3])
def test_several_blocks_at_once_are_those_blocks(strata: Ints | None) -> None:
    resampler = Resampler.of(np.random.default_rng(0).integers(-50, 99, (300, 21)), strata)
    blocks = [(4, BLOCK), (2, BLOCK), (9, 5)]
    expected = np.concatenate([resampler.sums(7, *block) for block in blocks])

    for engine in path.available():
        with path.using(engine):
            assert np.array_equal(resampler.sums_of_blocks(7, blocks), expected), engine


def test_blocks_of_items_are_resampled_by_streams_of_their_own() -> None:
    """First how many items of each block are drawn, then which: any block can be summed alone."""
    items, n = 2 * ITEM_BLOCK + 100, 3
    rows = np.random.default_rng(0).integers(0, 9, (items, 2))
    draws = draws_by_block(7, 2, items)[:n]
    expected = np.zeros((n, 2), np.int64)
    for k in range(3):
        own = rows[k * ITEM_BLOCK :][:ITEM_BLOCK]
        stream = streams.Stream(streams.seeds(7, 2, streams.BOOTSTRAP, k))
        for r, times in enumerate(draws[:, k].tolist()):
            words = stream.words(-(-times // LANES) * LANES)[:times]
            fractions = (words >> np.uint64(11)).astype(np.float64) / 2**53
            expected[r] += own[(fractions * len(own)).astype(np.int64)].sum(axis=0)

    assert (draws.sum(axis=1) == items).all()
    for engine in path.available():
        with path.using(engine):
            assert np.array_equal(Resampler.of(rows).sums(7, 2, n), expected), engine


def test_blocks_of_items_are_drawn_from_by_their_sizes() -> None:
    items = 3 * ITEM_BLOCK + 20_000
    draws = np.concatenate([draws_by_block(1, block, items) for block in range(20)])
    share = np.array([ITEM_BLOCK] * 3 + [20_000]) / items

    error = np.sqrt(items * share * (1 - share) / len(draws))
    assert (np.abs(draws.mean(axis=0) - items * share) < 4.5 * error).all()
    assert draws.var(axis=0) == pytest.approx(items * share * (1 - share), rel=0.2)


def test_strata_keep_their_sizes() -> None:
    """Whatever the order of the strata's items."""
    strata = np.array([2, 0, 2, 1, 0, 2, 2, 7, 1, 0])
    belongs = (strata[:, None] == np.unique(strata)).astype(np.int64)

    for engine in path.available():
        with path.using(engine):
            sums = Resampler.of(belongs, strata).sums(0, 0, BLOCK)
        assert sums.tolist() == [[3, 2, 4, 1]] * BLOCK


def test_every_item_is_drawn_as_often_as_any_other() -> None:
    items, blocks = 30, 60
    resampler = Resampler.of(np.eye(items, dtype=np.int64))
    weights = np.concatenate([resampler.sums(1, block, BLOCK) for block in range(blocks)])

    assert (weights.sum(axis=1) == items).all()
    sd = math.sqrt(len(weights) * items * (1 / items) * (1 - 1 / items))
    assert np.abs(weights.sum(axis=0) - len(weights)).max() < 4.5 * sd
    assert weights.var() == pytest.approx(1 - 1 / items, rel=0.05)


def test_resamples_do_not_depend_on_workers_engine_or_number() -> None:
    rng = np.random.default_rng(0)
    projection = counts_of(*rng.integers(0, 5, (2, 40, 3)))
    expected = resampled(projection, 1000).sums

    assert np.array_equal(resampled(projection, 300).sums, expected[:300])
    for engine in path.available():
        with path.using(engine), open_pool(2) as pool:
            found = bootstrap_tests.resample(projection, 1000, 0, pool)
        assert np.array_equal(found.sums, expected)
    assert not np.array_equal(resampled(projection, 1000, seed=1).sums, expected)


def direct_errors(projection: Projection, weights: Ints) -> NDArray[np.float64]:
    """Compute standard errors of a difference of ratios from weighted items' residuals."""
    num, den = projection.forms.astype(float)
    terms = []
    for system in (0, 1):
        bottom = weights @ den[system]
        score = weights @ num[system] / bottom
        terms.append((num[system] - score[:, None] * den[system]) / bottom[:, None])
    items = num.shape[1]
    squares = (weights * (terms[0] - terms[1]) ** 2).sum(axis=1)
    return np.asarray(np.sqrt(squares * items / (items - 1)))


@pytest.mark.parametrize("metric", ["recall", "f1"])
def test_standard_errors_are_those_of_the_residuals(metric: str) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 9, (2, 25, 3))
    projection = counts_of(a, b, metric)
    items = np.eye(25, dtype=np.int64)
    weights = np.concatenate([Resampler.of(items).sums(7, block, BLOCK) for block in range(2)])
    with open_pool(1) as pool:
        found = studentize(projection, question(projection), 2 * BLOCK, 7, pool)

    assert found.measured == pytest.approx(direct_errors(projection, np.ones((1, 25), int))[0])
    assert found.resampled == pytest.approx(direct_errors(projection, weights))


def test_the_standard_error_of_a_mean_is_the_usual_one() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 10, (2, 30))
    projection = scores_of(a, b)
    with open_pool(1) as pool:
        found = studentize(projection, question(projection), 99, 0, pool)

    assert found.measured == pytest.approx(np.std(a - b, ddof=1) / math.sqrt(30))


@pytest.mark.parametrize("factor", [1, 10**3, 12_345_677, 10**12])
def test_studentized_p_does_not_depend_on_the_scale(factor: int) -> None:
    """Scores with many digits are large integers inside; denominators stay small."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 90, 40), rng.integers(0, 70, 40)

    small = outcome(scores_of(a, b), "studentized", resamples=499)
    large = outcome(scores_of(a * factor, b * factor), "studentized", resamples=499)

    assert small.exceedances < 100
    assert abs(large.exceedances - small.exceedances) <= (0 if factor < 10**4 else 1)


def test_studentized_p_of_long_decimals() -> None:
    """A clear difference of scores with eight decimals is found."""
    rng = np.random.default_rng(0)
    a, b = np.round(rng.normal((0.6, 0.4), 0.1, (50, 2)), 8).T

    assert outcome(scores_of(a, b), "studentized").p < 0.01


def test_standard_errors_of_large_counts() -> None:
    """Counts near 10^9 are rounded before they are squared; hardly anything changes."""
    rng = np.random.default_rng(8)
    projection = counts_of(*rng.integers(0, 10**9, (2, 30, 3)))
    items = np.eye(30, dtype=np.int64)
    with open_pool(1) as pool:
        found = studentize(projection, question(projection), BLOCK, 0, pool)

    expected = direct_errors(projection, Resampler.of(items).sums(0, 0, BLOCK))
    measured = direct_errors(projection, np.ones((1, 30), int))[0]
    assert found.resampled / found.measured == pytest.approx(expected / measured, rel=1e-4)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("items", [1, 3, 6, 7, 40])
def test_identical_systems_have_p_one(rule: str, items: int) -> None:
    """Enumerated or drawn, with scores or with nothing at all."""
    rows = np.random.default_rng(items).integers(0, 5, (items, 3))

    for table in (rows, np.zeros_like(rows)):
        assert outcome(counts_of(table, table), rule, resamples=99).p == 1
    assert outcome(scores_of(rows[:, 0], rows[:, 0]), rule, resamples=99).p == 1


@pytest.mark.parametrize("rule", RULES)
def test_p_is_never_zero(rule: str) -> None:
    rng = np.random.default_rng(1)
    projection = scores_of(rng.integers(5, 9, 50), rng.integers(0, 3, 50))

    assert outcome(projection, rule, resamples=199).p >= 1 / 200
    for items in (1, 2, 6):  # all resamples, none of which reaches a constant difference
        found = outcome(scores_of([1] * items, [0] * items), rule)
        assert found.p >= items**-items


def test_one_item_shows_nothing() -> None:
    for rule in RULES:
        assert outcome(scores_of([9], [1]), rule).p == 1


@pytest.mark.parametrize("rule", RULES)
def test_swapping_the_systems_keeps_p(rule: str) -> None:
    rng = np.random.default_rng(9)
    a, b = rng.integers(0, 5, (2, 30, 3))

    assert outcome(counts_of(a, b), rule).p == outcome(counts_of(b, a), rule).p
    if rule != "shift-abs":
        one, other = (
            outcome(counts_of(a, b), rule, "greater"),
            outcome(counts_of(b, a), rule, "less"),
        )
        assert one.p == other.p


def test_a_system_that_gives_nothing_has_a_score_and_a_test() -> None:
    """Precision of nothing is 0, in the data and in every resample."""
    a, b = [[3, 1, 0]] * 8, [[0, 0, 3]] * 8
    projection = counts_of(a, b, "precision")
    drawn = differences(resampled(projection, 50), question(projection))

    assert (drawn == 0.75).all()
    assert outcome(projection, "shift", resamples=50).p == 1 / 51


def test_wins_are_counted_in_the_direction_of_the_metric() -> None:
    a, b = [[3, 0, 1]] * 9, [[2, 0, 2]] * 9
    for metric, wins in (("recall", 1.0), ("undergeneration", 1.0), ("precision", 0.0)):
        assert outcome(counts_of(a, b, metric), "shift", resamples=20).wins == wins
    assert outcome(counts_of(b, a, "undergeneration"), "shift", resamples=20).wins == 0


def test_any_function_of_sums_can_be_bootstrapped() -> None:
    """A ratio written as a function has the test of the ratio."""
    rng = np.random.default_rng(6)
    counts = Counts.from_arrays(
        dict(zip("AB", rng.integers(1, 9, (2, 30, 3)), strict=True)), ["tp", "fp", "fn"]
    )
    recall = ta.Function("r", ("tp", "fn"), lambda s: s[..., 0] / (s[..., 0] + s[..., 1]))

    as_function, as_ratio = project(counts, [recall]), project(counts, ["recall"])

    for rule in ("shift", "shift-abs"):
        assert outcome(as_function, rule) == outcome(as_ratio, rule)


def test_what_cannot_be_bootstrapped_is_refused() -> None:
    median = ta.ItemFunction("median", ("score",), lambda rows: float(np.median(rows)))
    counts = Counts.from_arrays({"A": [1, 2, 3], "B": [2, 2, 2]})
    with pytest.raises(UsageError, match="'median' has no bootstrap"):
        outcome(project(counts, [median]), "shift")
    with pytest.raises(UsageError, match="no one-sided form"):
        outcome(project(counts), "shift-abs", "greater")
    with pytest.raises(UsageError, match="'median' has no studentized bootstrap"):
        outcome(project(counts, [median]), "studentized")


def test_jackknife_leaves_out_each_item_in_turn() -> None:
    a = np.array([[3, 1, 0], [0, 2, 2], [1, 0, 4]])
    projection = counts_of(a, a)

    tp, fp, fn = (a.sum(axis=0) - a).T

    assert jackknife(projection, projection.metrics[0], 0) == pytest.approx(
        2 * tp / (2 * tp + fp + fn)
    )


def test_jackknife_of_rows() -> None:
    median = ta.ItemFunction("median", ("score",), lambda rows: float(np.median(rows)))
    projection = project(Counts.from_arrays({"A": [1, 2, 4, 8]}), [median])

    assert jackknife(projection, projection.metrics[0], 0).tolist() == [4, 4, 2, 2]


def test_true_nulls_are_rejected_as_often_as_is_known() -> None:
    """Signed: near 5.5 %; folded before shifting, near 11 %, as if one-sided (n = 100)."""
    tables, resamples, rejected = 1200, 199, dict.fromkeys(RULES, 0)
    rng = np.random.default_rng(12)
    with open_pool(1) as pool:
        for seed in range(tables):
            projection = scores_of(*rng.integers(0, 100, (2, 100)))
            asked = question(projection)
            drawn = bootstrap_tests.resample(projection, resamples, seed, pool)
            errors = studentize(projection, asked, resamples, seed, pool)
            for rule in RULES:
                found = bootstrap_test(projection, asked, drawn, rule, errors)
                rejected[rule] += found.p <= 0.05

    for rule, rate in (("shift", 0.055), ("shift-abs", 0.11), ("studentized", 0.05)):
        sd = math.sqrt(tables * rate * (1 - rate))
        assert abs(rejected[rule] - tables * rate) < 4 * sd, rule
    assert rejected["shift-abs"] > 1.5 * rejected["shift"]


def test_kinds_of_items_are_drawn_as_the_items_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal rows drawn together have the mean and spread of rows drawn one by one."""
    rows = np.random.default_rng(0).integers(0, 3, (2_000, 2))
    plain = Resampler.of(rows)
    assert plain.grouped() is None
    monkeypatch.setattr("tellapart.resampling.bootstrap.GROUPED_ITEMS", 1_000)
    grouped = plain.grouped()
    assert grouped is not None
    assert len(grouped.rows) == 9
    drawn = np.concatenate([grouped.sums(1, block, 64) for block in range(60)])
    spread = rows.std(axis=0) * np.sqrt(len(rows))
    assert np.abs(drawn.mean(axis=0) - rows.sum(axis=0)).max() < 4.5 * spread.max() / 62
    assert drawn.std(axis=0) == pytest.approx(spread, rel=0.06)
    assert (grouped.sums(1, 0, 5) == drawn[:5]).all()


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=80))
def test_kinds_are_the_same_whether_counted_or_sorted(rows: list[tuple[int, int]]) -> None:
    """Few possible kinds are counted, many are sorted; one more, far away, makes them many."""
    all_rows = np.array([*rows, (900_000, 900_000)])
    for few in (all_rows[:-1], np.repeat(all_rows[:-1], 20, axis=0)):
        found = kinds_of(few)
        sorted_ = kinds_of(np.concatenate([few, all_rows[-1:]]))
        assert found is not None
        assert sorted_ is not None
        assert np.array_equal(found[0], sorted_[0][:-1])
        assert np.array_equal(found[1], sorted_[1][:-1])
