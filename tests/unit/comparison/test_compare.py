"""The whole way from counts to a record, in Python."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tellapart as ta
from small_counts import some_counts, some_items
from tellapart import engine as path
from tellapart.comparison.record import Items
from tellapart.counts import Counts
from tellapart.metrics import Function, ItemFunction, Metric

TESTS = ("auto", "exact", "shuffle", "bootstrap")
ON_ITEMS = (*TESTS, "sign", "wilcoxon", "t", "mcnemar", "unpaired")


@pytest.mark.parametrize("test", ON_ITEMS)
def test_a_system_against_its_own_copy_gives_p_1_in_every_test(test: str) -> None:
    scores = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1]
    result = ta.compare(Counts.from_arrays({"A": scores, "copy": scores}), test=test)
    pair = result.pair("A", "copy")
    assert (pair.p, pair.p_adjusted, pair.different) == (1.0, 1.0, False)
    assert "identical" in {notice.code for notice in result.notices}
    assert "same" in result.verdict


@pytest.mark.parametrize("test", TESTS)
def test_the_record_is_the_same_to_the_last_byte_however_it_was_computed(test: str) -> None:
    counts = some_counts(items=60)
    asked: dict[str, Any] = {
        "test": test,
        "seed": 3,
        "cluster": "doc",
        "metrics": ["recall", "f1"],
        "shuffles": 2_500,
        "intervals": test == "shuffle",  # drawing them once is enough
    }
    once = ta.compare(counts, workers=1, **asked).to_json()
    assert ta.compare(counts, workers=3, **asked).to_json() == once
    for each in path.available()[1:]:
        with path.using(each):
            assert ta.compare(counts, workers=1, **asked).to_json() == once


def test_swapping_the_systems_flips_the_sign_and_exchanges_the_tails() -> None:
    counts = some_counts(systems="AB")
    swapped = counts.systems["B", "A"]
    for metric in ("recall", "precision", "f1"):
        two = [ta.compare(c, metrics=[metric], test="exact").pairs[0] for c in (counts, swapped)]
        assert two[0].p == pytest.approx(two[1].p, rel=1e-12)
        assert two[0].difference == -two[1].difference
        greater = ta.compare(counts, metrics=[metric], test="exact", tail="greater").pairs[0]
        less = ta.compare(swapped, metrics=[metric], test="exact", tail="less").pairs[0]
        assert greater.p == pytest.approx(less.p, rel=1e-12)


def test_better_means_lower_where_the_metric_says_so() -> None:
    """The first system has fewer errors, so the claim that it is better is believed."""
    rows = {"A": [[9, 0, 1]] * 12, "B": [[6, 3, 4]] * 12}
    counts = Counts.from_arrays(rows, columns=["tp", "fp", "fn"])
    asked: dict[str, Any] = {"metrics": ["slot-error-rate"], "test": "exact"}
    better = ta.compare(counts, tail="greater", **asked)
    assert better.pairs[0].p == 2**-12
    assert better.pairs[0].items_a_better == 12
    assert (
        ta.compare(counts, metrics=["slot-error-rate"], test="exact", tail="less").pairs[0].p == 1.0
    )


@given(st.data())
def test_order_of_items_and_empty_items_do_not_change_an_exact_p(data: st.DataObject) -> None:
    items = data.draw(st.integers(1, 25))
    values = data.draw(arrays(np.int64, (2, items, 3), elements=st.integers(0, 6)))
    order = data.draw(st.permutations(range(items)))
    columns = ["tp", "fp", "fn"]
    plain = Counts.from_arrays({"A": values[0], "B": values[1]}, columns=columns)
    padded = [np.concatenate([v[list(order)], np.zeros((5, 3), int)]) for v in values]
    other = Counts.from_arrays({"A": padded[0], "B": padded[1]}, columns=columns)
    for metric in ("recall", "precision", "f2"):
        asked: dict[str, Any] = {"test": "exact", "intervals": False}
        first = ta.compare(plain, metrics=[metric], **asked).pairs[0]
        second = ta.compare(other, metrics=[metric], **asked).pairs[0]
        assert first.p == pytest.approx(second.p, rel=1e-12)
        assert first.p is not None
        assert first.p > 0


@pytest.mark.parametrize("test", ["exact", "shuffle", "bootstrap", "sign", "wilcoxon", "mcnemar"])
def test_p_is_never_zero_however_large_the_difference(test: str) -> None:
    result = ta.compare({"A": [1] * 3_000, "B": [0] * 3_000}, test=test, intervals=False)
    assert (result.pairs[0].p or 0.0) > 0
    assert "p = 0 " not in result.verdict


def test_exact_p_values_of_the_built_in_example() -> None:
    result = ta.compare(
        ta.example("muc4").systems["GE", "GE-CMU", "UMASS"], metrics=["f1"], test="exact"
    )
    expected = {
        ("GE", "GE-CMU"): 0.046613,
        ("GE", "UMASS"): 0.098674,
        ("GE-CMU", "UMASS"): 0.893066,
    }
    for pair, p in expected.items():
        assert result.pair(*pair).p == pytest.approx(p, abs=5e-7)


def test_scores_without_a_common_step_have_an_exact_p_between_bounds() -> None:
    """Counted on a grid: p is the upper end, and shuffles lie within."""
    rng = np.random.default_rng(0)
    messy = Counts.from_arrays({"A": rng.random(40) / 3, "B": rng.random(40) / 3})
    pair = ta.compare(messy, test="exact").pairs[0]
    drawn = ta.compare(messy, test="shuffle", shuffles=99_999, intervals=False).pairs[0]
    assert pair.p is not None
    assert 0 < pair.error < 0.01
    assert drawn.p == pytest.approx(pair.p, abs=0.01)


def test_clusters_are_exchanged_whole() -> None:
    counts = some_counts(items=30, systems="AB")
    result = ta.compare(counts, metrics=["f1"], cluster="doc")
    pair = result.pairs[0]
    by_hand = ta.compare(counts.by("doc"), metrics=["f1"])
    assert pair.p == by_hand.pairs[0].p
    assert result.items.exchanged == Items(10, "doc")


def test_min_confidence_needs_more_than_a_small_p() -> None:
    """GE and UMASS: p is just below 0.10, but not surely so after 9,999 shuffles."""
    pair = ta.example("muc4").systems["GE", "UMASS"]
    asked: dict[str, Any] = {"alpha": 0.10, "intervals": False}
    assert (
        ta.compare(pair, metrics=["f1"], test="exact", min_confidence=0.99, **asked)
        .pairs[0]
        .different
    )
    drawn = ta.compare(pair, metrics=["f1"], test="shuffle", min_confidence=0.99, **asked).pairs[0]
    assert drawn.confidence is not None
    assert 0.01 < drawn.confidence < 0.99
    assert not drawn.different
    assert drawn.settled is False


def test_baseline_compares_with_one_system_only() -> None:
    result = ta.compare(some_counts(), metrics=["f1"], baseline="C")
    assert [(pair.a, pair.b) for pair in result.pairs] == [("A", "C"), ("B", "C"), ("C", "D")]
    assert result.family_size == 3
    assert result.groups == {}
    with pytest.raises(ta.UsageError, match="no system 'Z' to be the baseline"):
        ta.compare(some_counts(), baseline="Z")


def test_tests_that_do_not_fit_say_why() -> None:
    with pytest.raises(
        ta.UsageError, match="'sign' does not fit f1 of A and B: the score is no mean"
    ):
        ta.compare(some_counts(), metrics=["f1"], test="sign")
    with pytest.raises(ta.UsageError, match=r"'mcnemar' does not fit .* not simply right or wrong"):
        ta.compare(Counts.from_arrays({"A": [0.5, 1], "B": [1, 0]}), test="mcnemar")


def test_one_item_gives_p_1_and_no_interval() -> None:
    pair = ta.compare(Counts.from_arrays({"A": [0.7], "B": [0.1]})).pairs[0]
    assert (pair.p, pair.interval) == (1.0, (None, None))


def test_record_survives_json_unchanged_and_has_the_promised_keys() -> None:
    result = ta.compare(some_counts(), cluster="doc", test="shuffle", margin=0.5)
    text = result.to_json()
    assert ta.Comparison.from_json(text) == result.record
    assert ta.Comparison.from_json(text).to_json() == text
    record = json.loads(text)
    assert {"tellapart", "signature", "alpha", "correction", "seed", "items", "systems", "pairs",
            "groups", "ranks", "answers", "notices"} <= set(record)  # fmt: skip
    assert {"a", "b", "metric", "difference", "interval", "p", "p_adjusted", "different",
            "shuffles", "a_no_worse", "b_no_worse"} <= set(record["pairs"][0])  # fmt: skip
    assert {"name", "scores", "intervals"} <= set(record["systems"][0])
    with pytest.raises(ta.DataError, match="no record of a comparison"):
        ta.Comparison.from_json("{}")


def test_saving_is_whole_or_not_at_all(tmp_path: Path) -> None:
    result = ta.compare(some_items())
    target = tmp_path / "record.json"
    result.save_json(target)
    assert target.read_text() == result.to_json()
    with pytest.raises(ta.UsageError, match="cannot be written"):
        result.save_json(tmp_path / "no" / "folder.json")
    assert [each.name for each in tmp_path.iterdir()] == ["record.json"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"shuffles": 0}, "shuffles must lie between 1 and"),
        ({"tail": "both"}, "there is no tail 'both'"),
        ({"test": "exakt"}, "there is no test 'exakt'; did you mean 'exact'"),
        ({"correction": "Holm"}, "no correction 'Holm'"),
        ({"min_confidence": 2}, "min_confidence must lie between 0 and 1"),
        ({"intervals": "exact"}, "intervals is true or false"),
        ({"cluster": "document"}, "there is no label 'document'"),
        ({"metrics": ["f1", "f1"]}, "asked for twice"),
        ({"metrics": ["recal"]}, "did you mean 'recall'"),
        ({"metrics": ["fallout"]}, "needs the columns inc spu pie or fp tn"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ta.UsageError, match=said) as caught:
        ta.compare(some_counts(), **asked)
    assert "\n" not in str(caught.value)


def test_reduced_data_refuse_functions_in_any_place() -> None:
    counts = some_counts(systems="AB")
    reduced = replace(counts, times=np.full(len(counts.items), 2))
    functions: tuple[Metric, ...] = (
        ItemFunction("spread", counts.columns, lambda rows: float(rows.std())),
        Function("spread", counts.columns, lambda sums: sums[..., 0]),
    )
    for function, first in itertools.product(functions, (True, False)):
        metrics: list[str | Metric] = [function, "f1"] if first else ["f1", function]
        with pytest.raises(ta.UsageError, match="spread needs single items"):
            ta.compare(reduced, metrics=metrics)
