"""What a full report shows beside the record: null distributions, items, power."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import tellapart as ta
from small_counts import some_counts
from tellapart.comparison import details as details_module
from tellapart.comparison.details import Details, Histogram
from tellapart.metrics import Function, Metric
from tellapart.result import Result

PRODUCT = Function("product", ("tp", "fp", "fn"), lambda s: s[..., 0] ** 2 / s.sum(-1) ** 1.5)


def details_of(result: Result) -> Details:
    return details_module.details_of(result.record, result.scored)


def centres(null: Histogram) -> list[float]:
    return [null.start + null.width * (k + 0.5) for k in range(len(null.counts))]


@pytest.mark.parametrize(("tail", "shuffles"), [("two", 9_999), ("greater", 2_500), ("less", 99)])
def test_extreme_shuffles_are_the_exceedances_of_the_record(tail: str, shuffles: int) -> None:
    metrics: list[str | Metric] = ["recall", "precision", "f1", PRODUCT]
    result = ta.compare(
        some_counts(), metrics=metrics, test="shuffle", shuffles=shuffles, tail=tail,
        intervals=False,
    )  # fmt: skip

    for pair, shown in zip(result.pairs, details_of(result).pairs, strict=True):
        null = shown.null
        assert result.record.pairs[shown.number] is pair
        assert sum(null.extreme) == pair.exceedances
        assert sum(null.counts) == null.shuffles == shuffles


def test_null_of_a_few_items_is_binomial() -> None:
    """Six differences of 1: an exchange leaves 6 - 2k more on one side, 64 ways in all."""
    null = details_of(ta.compare({"A": [1] * 6, "B": [0] * 6})).pairs[0].null

    assert centres(null) == pytest.approx([(2 * k - 6) / 6 for k in range(7)])
    assert [c / null.shuffles for c in null.counts] == pytest.approx(
        [comb(6, k) / 64 for k in range(7)], abs=0.02
    )
    assert null.extreme == (null.counts[0], 0, 0, 0, 0, 0, null.counts[-1])


def test_what_a_judge_and_people_show_is_no_sum_over_items() -> None:
    """There is no null distribution of it."""
    rng = np.random.default_rng(2)
    judge = {"A": rng.random(100), "B": rng.random(100)}
    people = {name: np.where(np.arange(100) < 40, own, np.nan) for name, own in judge.items()}
    result = ta.compare(ta.Counts.from_arrays(judge, people=people))
    details = details_of(result)
    (shown,), (pair,) = details.pairs, result.record.pairs

    assert shown.null is None
    assert pair.diagnostics.standard_error == pytest.approx(abs(pair.difference / pair.statistic))
