"""Null pairs of systems, the p-values of tests on them, and differences planted in them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from small_counts import some_counts, some_scores, spread
from tellapart.counts import Counts
from tellapart.metrics.projection import project
from tellapart.metrics.runs import average_runs
from tellapart.planning.calibration_record import (
    FAR,
    CalibratedTest,
    calibrated_test,
)
from tellapart.planning.null_pairs import (
    Pairs,
    SplitItems,
    SplitRuns,
    SwappedOutputs,
    count_splits,
    item_effects,
    make_pairs,
    mean_difference,
    plant,
)
from tellapart.planning.pair_tests import Draws, p_values

RESAMPLING = ["shuffle", "bootstrap", "bootstrap-abs", "bootstrap-t"]


def rates(test: CalibratedTest) -> dict[float, float]:
    return {rate.level: rate.rate for rate in test.rates}


# Null pairs


@given(seed=st.integers(0, 50), items=st.integers(6, 20))
@settings(max_examples=15, deadline=None)
def test_swapped_pairs_share_out_the_outputs_of_two_systems(seed: int, items: int) -> None:
    forms = np.random.default_rng(seed).integers(0, 9, (2, 3, items))
    pairs = make_pairs(SwappedOutputs(forms), seed, range(4))
    for k in range(4):
        own = {tuple(pairs.first[:, k, u]) for u in range(items)}
        sources = [
            (i, j) for i, j in combinations(range(3), 2)
            if (pairs.first[:, k] + pairs.second[:, k] == forms[:, i] + forms[:, j]).all()
        ]  # fmt: skip
        assert sources
        assert own <= {tuple(forms[:, s, u]) for s in range(3) for u in range(items)}


def test_a_pair_depends_on_seed_and_number_alone() -> None:
    null = SwappedOutputs(np.arange(60).reshape(1, 3, 20))
    together = make_pairs(null, 5, range(8))
    alone = make_pairs(null, 5, range(6, 7))
    assert np.array_equal(together.first[:, 6], alone.first[:, 0])
    assert not np.array_equal(alone.first, make_pairs(null, 6, range(6, 7)).first)


def test_coins_are_those_of_clusters_where_there_are_any() -> None:
    forms = np.stack([np.zeros(12), np.ones(12)])[None].astype(np.int64)
    clusters = np.repeat(np.arange(4), 3)
    pairs = make_pairs(SwappedOutputs(forms, clusters), 0, range(20))
    by_cluster = pairs.first.reshape(20, 4, 3)
    assert (by_cluster == by_cluster[:, :, :1]).all()
    assert {0, 1} == set(pairs.first.ravel().tolist())


def test_split_items_are_two_halves_of_one_system() -> None:
    forms = np.arange(3 * 13).reshape(1, 3, 13)
    pairs = make_pairs(SplitItems(forms), 0, range(10))
    assert pairs.first.shape == (1, 10, 6)
    for k in range(10):
        values = {*pairs.first[0, k].tolist(), *pairs.second[0, k].tolist()}
        assert len(values) == 12
        assert len({value // 13 for value in values}) == 1


@pytest.mark.parametrize("runs", [2, 3, 4, 5, 6])
def test_every_split_of_runs_comes_once(runs: int) -> None:
    rows = {f"r{k}": [k + 1] * 6 for k in range(runs)}
    base = project(Counts.from_arrays(rows))
    null = SplitRuns.of(base, {"A": list(rows)}, most=1_000)
    halves = {frozenset(map(frozenset, split)) for split in null.splits or ()}
    chosen = {
        frozenset([frozenset(one), frozenset(other)])
        for one in combinations(range(runs), runs // 2)
        for other in combinations(sorted(set(range(runs)) - set(one)), runs // 2)
    }
    assert halves == chosen
    assert len(null.splits or ()) == count_splits(runs) == len(chosen)


def test_halves_of_runs_are_averaged_as_a_comparison_averages_runs() -> None:
    rng = np.random.default_rng(4)
    rows = {name: rng.integers(0, 2, 30) for name in ("r1", "r2", "r3", "r4")}
    base = project(Counts.from_arrays(rows))
    null = SplitRuns.of(base, {"A": list(rows)}, most=10)
    pairs = make_pairs(null, 0, range(3))
    bound = null.rescaled(base.metrics[0])
    draws = Draws(shuffles=499, resamples=499, seed=0)
    found = p_values(pairs, bound, ["shuffle", "t", "chi2"], draws)
    one, other = (null.splits or ())[1]
    names = list(rows)
    halves = {
        name: [Counts.from_arrays({name: rows[names[k]]}) for k in half]
        for name, half in (("one", one), ("other", other))
    }
    for test in ("shuffle", "t"):
        result = ta.compare(average_runs(halves), test=test, shuffles=499, intervals=False)
        p = found[test]
        assert not isinstance(p, str)
        assert p[1] == result.pairs[0].p
    assert found["chi2"] == "items are no whole numbers of right answers"


# P-values


def as_counts(pairs: Pairs, number: int) -> Counts:
    """Return a pair as the table that a user would compare."""
    rows = {name: half[:, number].T for name, half in (("a", pairs.first), ("b", pairs.second))}
    return Counts.from_arrays(rows, columns=["tp", "fp", "fn"][: pairs.first.shape[0]])


@pytest.mark.parametrize("test", ["shuffle", "exact", "unpaired", "bootstrap", "bootstrap-t"])
def test_p_values_are_those_of_a_comparison(test: str) -> None:
    """Of single pairs: the same p, or, for the bootstrap, one from other draws."""
    counts = some_counts(items=30)
    forms = np.moveaxis(counts.values, 2, 0)
    pairs = make_pairs(SwappedOutputs(forms), 0, range(3))
    base = project(counts, ["f1"])
    seen = make_pairs(SwappedOutputs(base.forms), 0, range(3))
    draws = Draws(shuffles=999, resamples=4_999 if "boot" in test else 999, seed=7)
    found = p_values(seen, base.metrics[0], [test], draws)[test]
    assert not isinstance(found, str)
    for k, p in enumerate(found.tolist()):
        result = ta.compare(
            as_counts(pairs, k), ["f1"], test=test, shuffles=draws.resamples, seed=7,
            intervals=False,
        )  # fmt: skip
        expected = result.pairs[0].p
        assert expected is not None
        if test.startswith("bootstrap"):
            assert abs(p - expected) < 4.5 * spread(expected, 4_999, 4_999) + 1e-3
        else:
            assert p == expected


def test_an_undefined_p_rejects_nothing() -> None:
    found = calibrated_test("t", np.array([math.nan, 0.01, 0.5, 1.0]), [])
    assert found.undefined == 1
    assert rates(found) == {0.10: 0.25, 0.05: 0.25, 0.01: 0.25}
    assert sum(found.histogram) == 4


def test_even_p_values_stay_in_their_band() -> None:
    found = calibrated_test("t", (np.arange(2_000) + 0.5) / 2_000, [])
    assert all(q.low <= q.observed <= q.high for q in found.quantiles)
    assert found.quantiles[-1].observed > 0.999
    assert set(found.histogram) == {100}


def test_a_flag_is_a_matter_of_chance_not_of_luck_with_few_pairs() -> None:
    """One rejection in one pair says nothing; 40 in 400 at .05 says a lot."""
    assert calibrated_test("t", np.array([0.001]), []).verdict != "rejects too often"
    assert calibrated_test("t", np.full(3, 0.6), []).verdict == "too few pairs to tell"
    p = np.concatenate([np.full(40, 0.04), np.full(360, 0.5)])
    assert calibrated_test("t", p, []).worst.level == 0.05
    assert (calibrated_test("t", p, []).worst.chance or 1) < FAR


# Planted differences


def test_planted_differences_have_the_size_that_was_asked_for() -> None:
    base = project(some_counts(items=200, systems="AB"), ["f1"])
    bound = base.metrics[0]
    pairs = make_pairs(SwappedOutputs(base.forms), 0, range(400))
    error = float(np.sqrt((item_effects(bound, pairs) ** 2).sum(axis=1)).mean())
    assert abs(mean_difference(bound, pairs)) < 4 * error / math.sqrt(400)
    for size in (1.0, 2.0, 4.0):
        planted, capped = plant(bound, pairs, size)
        assert not capped
        assert abs(mean_difference(bound, planted) / error - size) < 4 / math.sqrt(400)
        assert np.array_equal(planted.first + planted.second, pairs.first + pairs.second)


def test_power_grows_with_the_difference_to_what_theory_says() -> None:
    found = ta.calibrate(
        some_scores(items=200), null="swap", tests=["shuffle", "t"], pairs=1_600, shuffles=999
    )
    for each in found.metrics[0].tests:
        for rate, wanted in zip(each.power, (0.170, 0.516, 0.851), strict=True):
            assert abs(rate.rate - wanted) < 4 * spread(wanted, 400) + 0.02
    sizes = [each.difference for each in found.metrics[0].planted]
    assert sizes == sorted(sizes)


def test_differences_that_no_outputs_could_make_are_reported() -> None:
    counts = Counts.from_arrays({"A": [1] * 4 + [0] * 4, "B": [0] * 4 + [1] * 4})
    found = ta.calibrate(counts, tests=["sign"], pairs=50)
    assert [notice.code for notice in found.warnings] == ["not-planted"]
    assert "by 3 standard errors" in found.warnings[0].text
