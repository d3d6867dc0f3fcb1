"""Equal scores by flipping the signs of residuals: `auto` where denominators differ."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tellapart as ta
from tellapart.comparison.null_histograms import histograms
from tellapart.counts import Counts
from tellapart.metrics.projection import BoundRatio, project
from tellapart.report.method import method
from tellapart.report.terminal import render
from tellapart.resampling.signed_sums import signed_sum_test
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.exact_tests import exact_test
from tellapart.significance.joint_corrections import joint_adjusted
from tellapart.significance.questions import Question, as_tested
from tellapart.significance.residuals import residuals, system_terms, whole_terms
from tellapart.significance.shuffle_tests import ShuffleJob, count_shards

COLUMNS = ["tp", "fp", "fn"]
PRECISION = ta.Function("tp-share", ("tp", "fp"), lambda s: s[..., 0] / (s[..., 0] + s[..., 1]))

some_rows = st.lists(
    st.tuples(*[st.integers(0, 4)] * 6), min_size=2, max_size=9
)  # tp, fp, fn of either system


def test_systems_with_the_denominators_of_another() -> None:
    """Only those with the same on every item: the last ones count, too, where sums are alike."""
    same = [1] * 100
    sizes = [same, [*same[:98], 2, 0], same, [2, 0, *same[2:]], [*same[:98], 2, 0], [3, *same[1:]]]
    systems = {f"S{k}": [[0, size] for size in each] for k, each in enumerate(sizes)}
    projection = project(Counts.from_arrays(systems, ["tp", "fp"]), ["precision"])
    bound = projection.metrics[0]
    assert isinstance(bound, BoundRatio)
    assert projection.alike_denominators(bound).tolist() == [0, 1, 0, 3, 1, 5]


def two(rows: list[tuple[int, ...]]) -> Counts:
    both = np.array(rows)
    return Counts.from_arrays({"A": both[:, :3], "B": both[:, 3:]}, COLUMNS)


def unequal(items: int, seed: int = 0, rates: tuple[float, ...] = (1.0, 4.0)) -> Counts:
    """Return systems of equal precision that answer unequally often."""
    rng = np.random.default_rng(seed)
    values = {}
    for name, rate in zip("ABCDEF", rates, strict=False):
        given = rng.poisson(rate, items)
        right = rng.binomial(given, 0.7)
        values[name] = np.stack([right, given - right, rng.poisson(2, items)], axis=1)
    return Counts.from_arrays(values, COLUMNS)


def by_hand(rows: list[tuple[int, ...]]) -> tuple[list[Fraction], Fraction] | None:
    """Return the terms of precision, as the formula says, and their sum: the difference."""
    n_a, d_a = [row[0] for row in rows], [row[0] + row[1] for row in rows]
    n_b, d_b = [row[3] for row in rows], [row[3] + row[4] for row in rows]
    if not sum(d_a) or not sum(d_b):
        return None
    pooled = Fraction(sum(n_a) + sum(n_b), sum(d_a) + sum(d_b))
    terms = [
        (na - pooled * da) / sum(d_a) - (nb - pooled * db) / sum(d_b)
        for na, da, nb, db in zip(n_a, d_a, n_b, d_b, strict=True)
    ]
    return terms, Fraction(sum(n_a), sum(d_a)) - Fraction(sum(n_b), sum(d_b))


@given(some_rows)
@settings(deadline=None, max_examples=60)
def test_p_is_the_share_of_all_signs_that_reach_the_difference(rows: list[tuple[int, ...]]) -> None:
    found = by_hand(rows)
    if found is None:
        return
    terms, difference = found
    assert sum(terms, Fraction(0)) == difference
    differing = sum(row[:2] != row[3:5] for row in rows)
    sums = [
        sum((sign * term for sign, term in zip(signs, terms, strict=True)), Fraction(0))
        for signs in itertools.product((1, -1), repeat=len(terms))
    ]
    for tail, reached in (
        ("two", [abs(each) >= abs(difference) for each in sums]),
        ("greater", [each >= difference for each in sums]),
        ("less", [each <= difference for each in sums]),
    ):
        pair = ta.compare(two(rows), ["precision"], tail=tail, intervals=False).pairs[0]
        least = 2.0 ** ((tail == "two") - differing) if differing else 1.0
        assert pair.p == pytest.approx(max(sum(reached) / len(sums), least), abs=1e-15)


@given(some_rows, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_neither_the_order_of_items_nor_that_of_systems_matters(
    rows: list[tuple[int, ...]], random: Any
) -> None:
    if by_hand(rows) is None:
        return
    moved, turned = list(rows), [row[3:] + row[:3] for row in rows]
    random.shuffle(moved)
    metrics: list[str | ta.Function] = ["precision", "f1", PRECISION]
    one, other, mirrored = (
        ta.compare(two(each), metrics, intervals=False) for each in (rows, moved, turned)
    )
    for k, pair in enumerate(one.pairs):
        assert other.pairs[k].p == pytest.approx(pair.p, rel=1e-9)
        assert mirrored.pairs[k].p == pytest.approx(pair.p, rel=1e-9)
        assert mirrored.pairs[k].difference == pytest.approx(-pair.difference)


def whole_count(terms: NDArray[np.float64]) -> Fraction:
    """Return p of whole terms, from a table of all sums in whole numbers."""
    sums = {0: 1}
    for term in terms.astype(int).tolist():
        after: dict[int, int] = {}
        for value, times in sums.items():
            for moved in (value + term, value - term):
                after[moved] = after.get(moved, 0) + times
        sums = after
    measured = abs(int(terms.sum()))
    reached = sum(times for value, times in sums.items() if abs(value) >= measured)
    return Fraction(reached, 2 ** len(terms))


@pytest.mark.parametrize("seed", range(4))
def test_a_grid_gives_p_but_for_its_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    terms = np.rint(rng.standard_normal(60) * 100 + 15)
    exact = float(whole_count(terms))
    whole = signed_sum_test(terms, abs(terms.sum()), "two")
    # The same on a grid that does not fit: the terms are no longer whole.
    moved = signed_sum_test(terms * np.pi, abs(terms.sum() * np.pi) * (1 - 1e-12), "two")
    assert whole is not None
    assert moved is not None
    assert whole.p == pytest.approx(exact, rel=1e-12)
    assert whole.error == 0
    assert moved.p - moved.error <= exact * (1 + 1e-12)
    assert exact <= moved.p * (1 + 1e-12)
    assert moved.error < 0.02 * exact


def test_shuffles_agree_with_all_signs() -> None:
    projection = project(unequal(60), ["precision"])
    asked = as_tested(projection, [Question(projection.metrics[0], 0, 1, "two")], "auto")
    exact = exact_test(projection, asked[0])
    job = ShuffleJob.of(projection, asked, seed=1)
    drawn = int(count_shards(job, [(k, 2048) for k in range(10)]).sum())
    assert exact is not None
    assert abs(drawn - 20480 * exact.p) < 4 * (20480 * exact.p * (1 - exact.p)) ** 0.5


def test_whole_terms_are_the_terms_but_for_a_factor() -> None:
    projection = project(unequal(30), ["precision"])
    bound = projection.metrics[0]
    parts = residuals(projection, bound, 0, 1)
    assert parts is not None
    terms, whole = parts.terms(projection, 0, 1), whole_terms(projection, bound, 0, 1)  # type: ignore[arg-type]
    assert whole is not None
    assert terms.sum() == pytest.approx(parts.difference)
    assert whole / whole.sum() == pytest.approx(terms / terms.sum())


def test_equal_denominators_leave_the_exchange_test() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(1, 5, 40)
    found = [rng.binomial(gold, 0.6) for _ in "AB"]
    counts = Counts.from_arrays(
        {
            name: np.stack([tp, rng.poisson(1, 40), gold - tp], axis=1)
            for name, tp in zip("AB", found, strict=True)
        },
        COLUMNS,
    )
    auto, exact = (ta.compare(counts, ["recall"], test=test).pairs[0] for test in ("auto", "exact"))
    assert auto.p == exact.p
    assert not auto.equal_scores
    assert auto.how == exact.how


def test_exact_is_the_exchange_test_of_the_papers() -> None:
    pair = ta.example("muc4").systems["SRA", "PARAMAX"]
    auto, exact = (ta.compare(pair, ["precision"], test=test) for test in ("auto", "exact"))
    assert exact.pairs[0].p == pytest.approx(0.0000405, abs=5e-8)  # as published in the spec
    assert not exact.pairs[0].equal_scores
    assert auto.pairs[0].equal_scores
    assert auto.pairs[0].p == pytest.approx(0.0055, abs=0.0002)  # the bootstrap says .0106
    assert ta.Comparison.from_json(auto.to_json()).pairs == auto.pairs


def test_a_system_without_responses_has_no_verdict() -> None:
    counts = Counts.from_arrays(
        {"mute": [[0, 0, 3]] * 8, "loud": [[2, 1, 1]] * 8, "other": [[1, 1, 2]] * 8}, COLUMNS
    )
    result = ta.compare(counts, ["precision"])
    pair = result.pair("mute", "loud")
    assert pair.p is None
    assert pair.p_adjusted is None
    assert not pair.different
    assert pair.note == "mute has nothing to divide by, so that there is no precision"
    assert any("mute has nothing to divide by" in each.text for each in result.warnings)
    assert (pair.interval, pair.interval_for) == (None, None)
    assert result.pair("loud", "other").p is not None
    assert result.pair("loud", "other").interval is not None
    joint = ta.compare(counts, ["precision"], correction="maxt").pair("mute", "loud")
    assert (joint.p_adjusted, joint.interval) == (None, None)
    assert "auto test" not in method(result)
    assert "for all 3 pairs at once" in render(result)
    assert ta.compare(counts, ["precision"], test="exact").pair("mute", "loud").p is not None


def test_few_differing_items_bound_p() -> None:
    """Items on which systems agree have residuals as well, but show no difference."""
    same = [[2, 1, 0]] * 30
    counts = Counts.from_arrays(
        {"A": [[3, 0, 0], [3, 0, 0], [3, 0, 0], *same], "B": [[0, 9, 0]] * 3 + same}, COLUMNS
    )
    assert ta.compare(counts, ["precision"], intervals=False).pairs[0].p >= 2**-2  # type: ignore[operator]


def test_a_ratio_written_as_a_function_gives_nearly_the_same() -> None:
    for seed in range(8):
        result = ta.compare(unequal(150, seed), ["precision", PRECISION], intervals=False)
        ratio, function = result.pairs
        assert function.equal_scores
        assert function.p == pytest.approx(ratio.p, rel=0.03, abs=0.002)


def test_linear_functions_are_their_own_linear_part() -> None:
    difference = ta.Function("net", ("tp", "fp"), lambda s: s[..., 0] - s[..., 1])
    counts = unequal(40, seed=3)
    projection = project(counts, [difference])
    parts = residuals(projection, projection.metrics[0], 0, 1)
    assert parts is not None
    values = counts.values[:, :, 0] - counts.values[:, :, 1]
    assert parts.terms(projection, 0, 1) == pytest.approx(values[0] - values[1], abs=1e-5)


def test_functions_of_items_stay_as_they_are() -> None:
    median = ta.ItemFunction("median", ("tp",), lambda rows: float(np.median(rows[:, 0])))
    counts = unequal(12)
    pairs = [
        ta.compare(counts, [median], test=test, intervals=False).pairs[0]
        for test in ("auto", "exact")
    ]
    assert pairs[0].p == pairs[1].p
    assert not pairs[0].equal_scores


def test_result_does_not_depend_on_workers() -> None:
    counts = unequal(3000, seed=1, rates=(1, 4, 2))
    one, two = (
        ta.compare(counts, ["f1"], workers=workers, intervals=False).to_json() for workers in (1, 3)
    )
    assert one == two
    assert '"method": "sequential"' in one


@pytest.mark.parametrize("correction", ["maxt", "maxt-single", "minp", "tukey"])
def test_joint_corrections_flip_signs_as_well(correction: str) -> None:
    """Of one pair, the adjusted p is p itself but for the shuffles."""
    counts = unequal(60, seed=2)
    alone = ta.compare(counts, ["precision"], intervals=False).pairs[0]
    joint = ta.compare(counts, ["precision"], correction=correction, shuffles=9999, intervals=False)
    assert alone.p is not None
    assert joint.pairs[0].p_adjusted == pytest.approx(alone.p, abs=0.025)
    exchanged = ta.compare(
        counts, ["precision"], correction=correction, test="shuffle", shuffles=9999, intervals=False
    )
    assert exchanged.pairs[0].p is not None
    assert exchanged.pairs[0].p_adjusted == pytest.approx(exchanged.pairs[0].p, abs=0.025)
    assert abs(alone.p - exchanged.pairs[0].p) > 0.05


def test_joint_corrections_walk_all_signs_of_few_items() -> None:
    projection = project(unequal(10, seed=5), ["precision"])
    asked = as_tested(projection, [Question(projection.metrics[0], 0, 1, "two")], "auto")
    exact = exact_test(projection, asked[0])
    adjusted = joint_adjusted(projection, asked, "maxt", 99, 0, WorkerPool())
    assert exact is not None
    assert adjusted.p_values[0] == pytest.approx(exact.p)


def test_terms_of_systems_add_up_to_their_scores() -> None:
    projection = project(unequal(50, rates=(1, 4, 2)), ["f1", PRECISION])
    for bound in projection.metrics:
        found = system_terms(projection, bound, [0, 1, 2])
        assert found is not None
        terms = found.of(projection)
        scores = [float(projection.score(bound, k)) for k in range(3)]
        assert terms.sum(axis=1) == pytest.approx(scores, abs=1e-9)


def test_histograms_show_the_test_that_was_made() -> None:
    result = ta.compare(unequal(60, seed=2), ["precision"])
    found = histograms(result.evidence[0], result.pairs)[0]
    assert found is not None
    assert sum(found.extreme) / found.shuffles == pytest.approx(result.pairs[0].p, abs=0.02)


def test_slices_flip_signs_as_well() -> None:
    counts = unequal(60, seed=2)
    labelled = Counts.from_arrays(
        {name: counts.values[k] for k, name in enumerate("AB")},
        COLUMNS,
        labels={"half": ["one"] * 30 + ["two"] * 30},
    )
    found = ta.compare(labelled, ["precision"], by="half").slices
    half = labelled.where(half="one")
    alone, exchanged = (
        ta.compare(half, ["precision"], test=test).pairs[0] for test in ("auto", "exact")
    )
    assert found[0].p == alone.p
    assert found[0].p != exchanged.p


def test_clusters_are_summed_first() -> None:
    counts = unequal(60, seed=4)
    labels = {"doc": [f"d{k % 15}" for k in range(60)]}
    values = {name: counts.values[k] for k, name in enumerate("AB")}
    clustered = ta.compare(
        Counts.from_arrays(values, COLUMNS, labels=labels), ["precision"], cluster="doc"
    ).pairs[0]
    summed = {name: each.reshape(4, 15, 3).sum(axis=0) for name, each in values.items()}
    whole = ta.compare(Counts.from_arrays(summed, COLUMNS), ["precision"]).pairs[0]
    assert clustered.p == whole.p


def test_the_method_says_what_was_flipped() -> None:
    text = str(ta.compare(unequal(60), ["precision"]))
    shown = " ".join(text.split())
    assert "Exact sign-flip test of residuals" in shown
    assert "supposes equal scores, not that outputs can be exchanged" in shown
    for test in ("exact", "shuffle"):
        text = " ".join(str(ta.compare(unequal(60), ["precision"], test=test)).split())
        assert "sign-flip" not in text
        assert "for precision whole outputs were exchanged (--test auto: equal scores)" in text
