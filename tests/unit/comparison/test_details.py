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
from tellapart.comparison.answers import as_reported, headline
from tellapart.comparison.details import Details, Histogram, PairDetails
from tellapart.counts import Counts, ItemTexts
from tellapart.metrics import Function, ItemFunction, Metric
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


def test_null_of_a_few_items_is_binomial() -> None:
    """Six differences of 1: an exchange leaves 6 - 2k more on one side, 64 ways in all."""
    null = null_of(only(scores_of([1] * 6, [0] * 6)))

    assert centres(null) == pytest.approx([(2 * k - 6) / 6 for k in range(7)])
    assert [c / null.shuffles for c in null.counts] == pytest.approx(
        [comb(6, k) / 64 for k in range(7)], abs=0.02
    )
    assert null.extreme == (null.counts[0], 0, 0, 0, 0, 0, null.counts[-1])


@given(st.integers(0, 10_000), st.integers(1, 12))
@example(271, 6)  # residuals whose sums lie on the edge of a bin
@settings(max_examples=8, deadline=None)
def test_the_order_of_the_systems_does_not_matter(seed: int, items: int) -> None:
    """Details are seen as reports show the pair: the better system first."""
    counts = some_counts(items, "AB", seed)
    forth, back = (
        details_of(
            ta.compare(counts.systems[names], metrics=["precision", "f1", PRODUCT], intervals=False)
        )
        for names in (("A", "B"), ("B", "A"))
    )

    for one, other in zip(forth.pairs, back.pairs, strict=True):
        assert one.null == other.null
        assert one.contributions == pytest.approx(other.contributions)
        assert one.differing == other.differing
        assert set(one.items) == set(other.items)


# Items


def test_ladder_of_a_mean_has_the_differences_of_its_items() -> None:
    shown = only(scores_of([3, 1, 0, 2], [0, 1, 1, 0]))

    assert shown.contributions == (3.0, 2.0, 0.0, -1.0)
    assert shown.contribution_count == 4


def test_cluster_ladder_adds_up_in_clusters() -> None:
    """Of 2 clusters with 1 and 3 items, the larger one moves the mean three times as much."""
    counts = Counts.from_arrays(
        {"A": [1, 1, 1, 0], "B": [0, 1, 0, 0]}, labels={"doc": ["x", "y", "y", "y"]}
    )
    shown = only(counts, cluster="doc")

    assert shown.contributions == (0.5, 0.5)
    assert [both for _, *both in shown.items] == [[1.0, 0.0], [1.0, 0.0]]


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
        seen = as_reported(result.record, pair)
        assert mean == pytest.approx(seen.difference, abs=1e-9)


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
    assert first.items == ((0, 0.0, 3.0), (1, 2.0, 0.0), (2, 5.0, 4.0))
    assert (second.items, second.differing, third.differing) == ((), 0, 3)
    bare, _, sea = details.items
    assert (sea.input, sea.gold, sea.outputs) == ("one?", "1", ("a1", "b1", ""))
    assert (sea.labels, bare.labels) == ((("topic", "sea"),), ())


def test_differing_items_are_the_won_and_lost_ones_of_the_record() -> None:
    result = ta.compare(some_counts())

    for pair, shown in zip(result.pairs, details_of(result).pairs, strict=True):
        assert shown.differing == pair.items_a_better + pair.items_b_better


def test_functions_of_items_have_neither_shuffles_nor_items() -> None:
    median = ItemFunction("median", ("score",), lambda rows: float(np.median(rows[:, 0])))
    details = details_of(ta.compare(scores_of([3, 2, 1, 5], [0, 1, 1, 2]), metrics=[median]))
    shown = details.pairs[0]

    assert (shown.null, shown.contributions, shown.items) == (None, (), ())


# The headline


def headline_of(data: dict[str, list[int]], **options: Any) -> set[str]:
    pair = headline(ta.compare(Counts.from_arrays(data), **options).record, "mean")
    return {pair.a, pair.b}


def test_headline_is_the_best_system_and_what_comes_nearest_to_being_told_from_it() -> None:
    scores = {"A": [1, 1, 1, 1, 1, 0, 0], "B": [0] * 7, "C": [1, 1, 1, 0, 0, 1, 0]}
    assert headline_of(scores) == {"A", "B"}


def test_what_a_judge_and_people_show_is_no_sum_over_items() -> None:
    """There is no null distribution and no ladder of it."""
    rng = np.random.default_rng(2)
    judge = {"A": rng.random(100), "B": rng.random(100)}
    people = {name: np.where(np.arange(100) < 40, own, np.nan) for name, own in judge.items()}
    result = ta.compare(ta.Counts.from_arrays(judge, people=people))
    details = details_of(result)
    (shown,), (pair,) = details.pairs, result.record.pairs

    assert (shown.null, shown.contributions) == (None, ())
    assert pair.diagnostics.most_influential is None
    assert pair.statistic is not None
    assert pair.diagnostics.standard_error == pytest.approx(abs(pair.difference / pair.statistic))
