"""What a full report shows beside the record: null distributions, items, power."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tellapart as ta
from small_counts import some_counts
from tellapart.comparison import details as details_module
from tellapart.comparison.details import Details, Histogram, PairDetails
from tellapart.comparison.items import contributions
from tellapart.comparison.ranking import headline
from tellapart.counts import Counts, ItemTexts
from tellapart.metrics import Function, ItemFunction, Metric, metric
from tellapart.metrics.scores import score_counts
from tellapart.result import Result

PRODUCT = Function("product", ("tp", "fp", "fn"), lambda s: s[..., 0] ** 2 / s.sum(-1) ** 1.5)


def scores_of(a: list[int], b: list[int]) -> Counts:
    return Counts.from_arrays({"A": a, "B": b}, kind="item")


def details_of(result: Result) -> Details:
    return details_module.details_of(result.record, result.scored)


def only(counts: Counts, **options: Any) -> PairDetails:
    return details_of(ta.compare(counts, **options)).pairs[0]


def null_of(pair: PairDetails) -> Histogram:
    assert pair.null is not None
    return pair.null


def centres(null: Histogram) -> list[float]:
    return [null.start + null.width * (k + 0.5) for k in range(len(null.counts))]


# The null distribution


@pytest.mark.parametrize(("tail", "shuffles"), [("two", 9_999), ("greater", 2_500), ("less", 99)])
def test_extreme_shuffles_are_the_exceedances_of_the_record(tail: str, shuffles: int) -> None:
    metrics: list[str | Metric] = ["recall", "precision", "f1", PRODUCT]
    result = ta.compare(
        some_counts(), metrics=metrics, test="shuffle", shuffles=shuffles, tail=tail,
        intervals=False,
    )  # fmt: skip

    for pair, shown in zip(result.pairs, details_of(result).pairs, strict=True):
        null = null_of(shown)
        assert result.record.pairs[shown.number] is pair
        assert sum(null.extreme) == pair.exceedances
        assert sum(null.counts) == null.shuffles == shuffles


def test_a_sequential_test_shows_the_shuffles_that_it_drew() -> None:
    # Scores with more digits than whole numbers hold have no exact test of so many items.
    rng = np.random.default_rng(3)
    counts = ta.Counts.from_arrays({name: rng.normal(size=2_000) for name in "ABC"})
    result = ta.compare(counts, correction="none")
    drawn = [
        (pair, shown)
        for pair, shown in zip(result.pairs, details_of(result).pairs, strict=True)
        if pair.shuffles is not None and pair.shuffles <= 9_999
    ]

    assert drawn
    for pair, shown in drawn:
        assert null_of(shown).shuffles == pair.shuffles
        assert sum(null_of(shown).extreme) == pair.exceedances


def test_many_shuffles_are_not_all_drawn_again() -> None:
    shown = only(some_counts(systems="AB"), metrics="f1", test="shuffle", shuffles=30_000)

    assert null_of(shown).shuffles == 9_999


def test_null_of_a_few_items_is_binomial() -> None:
    """Six differences of 1: an exchange leaves 6 - 2k more on one side, 64 ways in all."""
    null = null_of(only(scores_of([1] * 6, [0] * 6)))

    assert centres(null) == pytest.approx([(2 * k - 6) / 6 for k in range(7)])
    assert [c / null.shuffles for c in null.counts] == pytest.approx(
        [comb(6, k) / 64 for k in range(7)], abs=0.02
    )
    assert null.extreme == (null.counts[0], 0, 0, 0, 0, 0, null.counts[-1])


def test_no_bin_is_a_gap_between_the_values_that_chance_can_take() -> None:
    """With an odd number of differing items no exchange gives 0, and there are two middle bins."""
    null = null_of(only(scores_of([1] * 5, [0] * 5)))

    assert centres(null) == pytest.approx([-1, -0.6, -0.2, 0.2, 0.6, 1])
    assert min(null.counts) > 0


@pytest.mark.parametrize("items", [40, 333, 334])
def test_many_values_share_bins_evenly(items: int) -> None:
    """The counts rise to the middle and fall again: no comb of full and half full bins."""
    rng = np.random.default_rng(items)
    counts = null_of(only(scores_of(rng.integers(0, 2, items).tolist(), [0] * items))).counts
    dips = [y < 0.8 * min(x, z) for x, y, z in zip(counts, counts[1:], counts[2:], strict=False)
            if min(x, z) > 200]  # fmt: skip

    assert 15 <= len(counts) <= 62
    assert len(dips) > 5
    assert not any(dips)


def test_bins_show_the_null_however_far_off_the_measured_difference_is() -> None:
    null = null_of(only(scores_of([1] * 900, [0] * 900)))

    assert len(null.counts) > 15
    assert null.start > -0.2
    assert sum(null.extreme) == 0


@given(st.integers(0, 10_000), st.integers(1, 12))
@example(271, 6)  # residuals whose sums lie on the edge of a bin
@settings(max_examples=8, deadline=None)
def test_exchanging_the_systems_mirrors_the_details(seed: int, items: int) -> None:
    counts = some_counts(items, "AB", seed)
    forth, back = (
        details_of(
            ta.compare(counts.systems[names], metrics=["precision", "f1", PRODUCT], intervals=False)
        )
        for names in (("A", "B"), ("B", "A"))
    )

    for one, other in zip(forth.pairs, back.pairs, strict=True):
        assert (one.null is None) == (other.null is None)
        if one.null is not None and other.null is not None:
            turned = other.null.turned()
            assert turned.counts == one.null.counts
            assert turned.extreme == one.null.extreme
            assert turned.start == pytest.approx(one.null.start)
        assert one.contributions == pytest.approx(
            [-value for value in reversed(other.contributions)]
        )
        assert one.differing == other.differing
        assert {(i.place, i.a, i.b) for i in one.items} == {
            (i.place, i.b, i.a) for i in other.items
        }


def test_equal_systems_have_no_null_distribution() -> None:
    shown = only(scores_of([1, 0, 1], [1, 0, 1]))

    assert (shown.null, shown.differing, shown.items) == (None, 0, ())
    assert shown.contributions == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("test", ["bootstrap", "wilcoxon", "t"])
def test_other_tests_show_shuffles_for_the_eye(test: str) -> None:
    details = details_of(ta.compare(scores_of([3, 1, 4, 1, 5], [2, 7, 1, 8, 2]), test=test))

    assert null_of(details.pairs[0]).shuffles == 9_999


# Items


def test_ladder_of_a_mean_has_the_differences_of_its_items() -> None:
    shown = only(scores_of([3, 1, 0, 2], [0, 1, 1, 0]))

    assert shown.contributions == (3.0, 2.0, 0.0, -1.0)
    assert shown.contribution_count == 4


def test_ladder_starts_with_what_is_best_for_the_first_system() -> None:
    counts = Counts.from_arrays(
        {"A": [[1, 0, 0, 4], [0, 0, 0, 4]], "B": [[0, 0, 0, 4], [3, 0, 0, 4]]},
        columns=["sub", "del", "ins", "ref"],
    )

    assert only(counts, metrics="wer").contributions == (-0.75, 0.25)


def test_cluster_ladder_adds_up_in_clusters() -> None:
    """Of 2 clusters with 1 and 3 items, the larger one moves the mean three times as much."""
    counts = Counts.from_arrays(
        {"A": [1, 1, 1, 0], "B": [0, 1, 0, 0]}, labels={"doc": ["x", "y", "y", "y"]}
    )
    shown = only(counts, cluster="doc")

    assert shown.contributions == (0.5, 0.5)
    assert [item.contribution for item in shown.items] == [1.0, 1.0]


METRICS: list[str | Metric] = ["recall", "precision", "f1", "overgeneration", PRODUCT]


@given(st.integers(0, 10_000), st.integers(1, 15), st.booleans())
@settings(max_examples=12, deadline=None)
def test_contributions_add_up_to_the_difference(seed: int, items: int, clustered: bool) -> None:
    counts = some_counts(items, "AB", seed)
    result = ta.compare(
        counts, metrics=METRICS, cluster="doc" if clustered else None, intervals=False
    )

    for pair, shown in zip(result.pairs, details_of(result).pairs, strict=True):
        assert shown.contribution_count == (-(-items // 3) if clustered else items)
        mean = sum(shown.contributions) / shown.contribution_count
        assert mean == pytest.approx(pair.difference, abs=1e-9)


@pytest.mark.parametrize("name", ["f1", PRODUCT])
def test_items_without_difference_contribute_nothing(name: str | Function) -> None:
    rows = [[3, 1, 0], [2, 2, 2], [1, 0, 4]]
    counts = Counts.from_arrays(
        {"A": [*rows, [1, 0, 0]], "B": [*rows, [0, 2, 1]]}, columns=["tp", "fp", "fn"]
    )
    wanted = metric(name, counts.columns) if isinstance(name, str) else name
    found = contributions(score_counts(counts, wanted), 0, 1)

    assert found is not None
    assert found[:3].tolist() == [0, 0, 0]
    assert found[3] > 0


def test_a_contribution_to_a_ratio_is_nearly_what_the_exchange_of_a_item_takes_away() -> None:
    counts = some_counts(300, "AB", 4)
    linear, exchanged = (
        contributions(score_counts(counts, each), 0, 1)
        for each in (metric("f1", counts.columns), _as_function())
    )

    assert linear is not None
    assert exchanged is not None
    assert np.abs(linear - exchanged).max() < 0.02 * np.abs(linear).max()


def _as_function() -> Function:
    return Function(
        "f1", ("tp", "fp", "fn"), lambda s: 2 * s[..., 0] / (2 * s[..., 0] + s[..., 1] + s[..., 2])
    )


def test_undefined_scores_still_add_up() -> None:
    counts = Counts.from_arrays(
        {"A": [[1, 1, 0], [2, 0, 1]], "B": [[0, 0, 1], [0, 0, 3]]}, columns=["tp", "fp", "fn"]
    )
    shown = only(counts, metrics="precision")

    assert sum(shown.contributions) / 2 == pytest.approx(3 / 4)


def test_long_ladders_keep_their_ends() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 10**6, (2, 1_000))
    shown = only(scores_of(a.tolist(), b.tolist()))

    assert (len(shown.contributions), shown.contribution_count) == (400, 1_000)
    assert (shown.contributions[0], shown.contributions[-1]) == ((a - b).max(), (a - b).min())
    assert list(shown.contributions) == sorted(shown.contributions, reverse=True)


def test_items_are_those_that_differ_largest_first() -> None:
    counts = replace(
        Counts.from_arrays(
            {"A": [5, 1, 0, 2], "B": [4, 1, 3, 0], "C": [5, 1, 0, 2]},
            items=["q1", "q2", "q3", "q4"],
            labels={"topic": ["sea", "sea", "", "land"]},
        ),
        texts=ItemTexts(
            inputs=("one?", "two?", "three?", "four?"),
            golds=("1", "2", "3", "4"),
            outputs={"A": ("a1", "a2", "a3", "a4"), "B": ("b1", "b2", "b3", "b4")},
        ),
    )
    details = details_of(ta.compare(counts))
    first, second, third = details.pairs

    assert [item.name for item in details.items] == ["q3", "q4", "q1"]
    assert [(i.place, i.a, i.b, i.contribution) for i in first.items] == [
        (0, 0.0, 3.0, -3.0),
        (1, 2.0, 0.0, 2.0),
        (2, 5.0, 4.0, 1.0),
    ]
    assert (second.items, second.differing, third.differing) == ((), 0, 3)
    bare, _, sea = details.items
    assert (sea.input, sea.gold, sea.outputs) == ("one?", "1", ("a1", "b1", ""))
    assert (sea.labels, bare.labels) == ((("topic", "sea"),), ())


def test_items_are_items_also_where_clusters_are_exchanged() -> None:
    counts = Counts.from_arrays(
        {"A": [1, 0, 1, 1], "B": [0, 1, 1, 0]}, labels={"doc": ["x", "x", "y", "y"]}
    )
    details = details_of(ta.compare(counts, cluster="doc"))

    assert [item.name for item in details.items] == ["1", "2", "4"]
    assert details.pairs[0].differing == 3
    assert details.pairs[0].contribution_count == 2


def test_differing_items_are_the_won_and_lost_ones_of_the_record() -> None:
    result = ta.compare(some_counts())

    for pair, shown in zip(result.pairs, details_of(result).pairs, strict=True):
        assert shown.differing == pair.items_a_better + pair.items_b_better


def test_items_beyond_500_are_left_out() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 10**6, (2, 2_000))
    details = details_of(ta.compare(scores_of(a.tolist(), b.tolist()), intervals=False))
    shown = details.pairs[0]

    assert (len(shown.items), len(details.items), shown.differing) == (500, 500, 2_000)
    for sign in (1, -1):
        mine = [sign * item.contribution for item in shown.items if sign * item.contribution > 0]
        assert len(mine) == 250
        assert min(mine) >= sorted(sign * (a - b), reverse=True)[250]


def test_functions_of_items_have_neither_shuffles_nor_items() -> None:
    median = ItemFunction("median", ("score",), lambda rows: float(np.median(rows[:, 0])))
    details = details_of(ta.compare(scores_of([3, 2, 1, 5], [0, 1, 1, 2]), metrics=[median]))
    shown = details.pairs[0]

    assert (shown.null, shown.contributions, shown.items) == (None, (), ())


def test_systems_with_items_of_their_own_are_not_paired() -> None:
    counts = Counts.from_arrays({"A": [3, 2, 1, 5, 0], "B": [0, 1, 1, 2, 0]}, kind="run")
    present = np.array([[True, True, True, False, False], [False, False, False, True, True]])
    own = replace(counts, values=counts.values * present[:, :, None], present=present)
    details = details_of(ta.compare(own, test="unpaired"))

    assert (details.pairs[0].null, details.pairs[0].items) == (None, ())


# The headline and power


def headline_of(data: dict[str, list[int]], **options: Any) -> set[str]:
    pair = headline(ta.compare(Counts.from_arrays(data), **options).record, "mean")
    return {pair.a, pair.b}


def test_headline_is_the_best_system_and_what_comes_nearest_to_being_told_from_it() -> None:
    scores = {"A": [1, 1, 1, 1, 1, 0, 0], "B": [0] * 7, "C": [1, 1, 1, 0, 0, 1, 0]}
    assert headline_of(scores) == {"A", "B"}


def test_headline_of_a_clear_winner_is_the_system_behind_it() -> None:
    assert headline_of({"A": [1] * 12, "B": [0] * 12, "C": [1] * 3 + [0] * 9}) == {"A", "C"}


def test_headline_with_a_baseline_is_the_surest_difference_from_it() -> None:
    scores = {"A": [1] * 9, "B": [0] * 9, "C": [1] * 3 + [0] * 6}
    assert headline_of(scores, baseline="C") == {"A", "C"}


def power_of(details: Details, metric: str) -> dict[float, float]:
    return dict(next(each for each in details.power if each.metric == metric).curve)


@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_power_at_the_detectable_difference_is_four_out_of_five(alpha: float) -> None:
    result = ta.compare(some_counts(), alpha=alpha)
    details = details_of(result)

    assert [each.metric for each in details.power] == ["recall", "precision", "f1"]
    for each in details.power:
        pair = headline(result.record, each.metric)
        curve = power_of(details, each.metric)
        assert each.detectable == pair.diagnostics.detectable  # six pairs are counted
        assert curve[each.detectable] == pytest.approx(0.8, abs=0.02)
        assert curve[0.0] == pytest.approx(alpha / 6, abs=0.01)  # simulated
        assert list(curve.values()) == sorted(curve.values())
        assert max(curve.values()) > 0.999


def test_the_power_of_one_pair_is_at_alpha() -> None:
    result = ta.compare(some_counts(systems="AB"), metrics="f1")
    (found,) = details_of(result).power

    assert found.detectable == result.pairs[0].diagnostics.detectable
    assert dict(found.curve)[0.0] == pytest.approx(0.05, abs=0.015)


def test_half_the_difference_takes_about_four_times_the_items() -> None:
    """A little less than four times: few items also pay for not knowing how much items vary."""
    counts = some_counts(60, "AB")
    plain, clustered = (
        details_of(ta.compare(counts, metrics="f1", cluster=c)) for c in (None, "doc")
    )

    for found, items in ((plain.power[0], 60), (clustered.power[0], 20)):
        assert found.items == items
        assert found.items_for_half == pytest.approx(4 * items, rel=0.15)


def test_a_record_from_json_has_no_details() -> None:
    result = Result.from_json(ta.compare(some_counts()).to_json())

    with pytest.raises(ta.UsageError, match="run `compare` again"):
        details_of(result)


def test_details_are_the_same_each_time() -> None:
    result = ta.compare(some_counts(systems="ABC"), metrics=["f1", PRODUCT])

    assert details_of(result) == details_of(result)


def test_items_are_shown_both_ways() -> None:
    """Where one side has the larger differences, the other still has half of the places."""
    a = np.r_[np.ones(1_000), np.zeros(3_000)]
    b = np.r_[np.zeros(1_000), np.full(3_000, 0.2)]
    (pair,) = details_of(ta.compare(ta.Counts.from_arrays({"A": a, "B": b}))).pairs

    ways = [item.contribution > 0 for item in pair.items]
    assert (len(ways), sum(ways)) == (500, 250)
    assert pair.differing == 4_000
    few = np.r_[np.ones(10), np.zeros(3_990)]
    (pair,) = details_of(ta.compare(ta.Counts.from_arrays({"A": few, "B": 0.2 - few * 0.2}))).pairs
    assert sum(item.contribution > 0 for item in pair.items) == 10
    assert len(pair.items) == 500


# Why, and judges


def test_pairs_are_explained_by_labels_and_texts_and_seen_from_the_better_system() -> None:
    labels = {"topic": ["x"] * 10 + ["y"] * 10}
    counts = Counts.from_arrays({"A": [0] * 10 + [1] * 10, "B": [1] * 20}, labels=labels)
    found = only(counts).reasons

    assert found is not None
    assert (found.a, found.b, found.difference) == ("B", "A", 0.5)
    assert found.groupings[0].explains
    assert only(replace(counts, labels={})).reasons is None


def test_what_a_judge_and_people_show_is_no_sum_over_items() -> None:
    """There is no null distribution and no ladder of it; power is that of the t test."""
    rng = np.random.default_rng(2)
    judge = {"A": rng.random(100), "B": rng.random(100)}
    people = {name: np.where(np.arange(100) < 40, own, np.nan) for name, own in judge.items()}
    result = ta.compare(ta.Counts.from_arrays(judge, people=people))
    details = details_of(result)
    (shown,), (pair,), (curve,) = details.pairs, result.record.pairs, details.power

    assert (shown.null, shown.contributions, shown.reasons) == (None, (), None)
    assert pair.diagnostics.most_influential is None
    assert pair.diagnostics.half_items is None
    assert pair.statistic is not None
    assert pair.diagnostics.standard_error == pytest.approx(abs(pair.difference / pair.statistic))
    assert dict(curve.curve)[curve.detectable] == pytest.approx(0.8, abs=1e-3)
