"""The whole way from counts to a record, in Python."""

from __future__ import annotations

import os
from typing import Any
from unittest.mock import patch

import pytest

import tellapart as ta
from small_counts import some_counts
from tellapart import engine as path
from tellapart.counts import Counts

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


@pytest.mark.parametrize(
    "how", [*({"test": test} for test in TESTS), {"correction": "maxt"}, {"correction": "tukey"}]
)
def test_the_record_is_the_same_to_the_last_byte_however_it_was_computed(
    how: dict[str, str],
) -> None:
    counts = some_counts(items=60)
    asked: dict[str, Any] = {
        **how,
        "seed": 3,
        "cluster": "doc",
        "metrics": ["recall", "f1"],
        "shuffles": 2_500,
        "intervals": how == {"test": "shuffle"},  # drawing them once is enough
    }
    once = ta.compare(counts, workers=1, **asked).to_json()
    assert ta.compare(counts, workers=3, **asked).to_json() == once
    for each in path.available()[1:]:
        with patch.dict(os.environ, TELLAPART_PATH=each):
            assert ta.compare(counts, workers=1, **asked).to_json() == once


@pytest.mark.parametrize("test", ["exact", "shuffle", "bootstrap", "sign", "wilcoxon", "mcnemar"])
def test_p_is_never_zero_however_large_the_difference(test: str) -> None:
    result = ta.compare({"A": [1] * 3_000, "B": [0] * 3_000}, test=test, intervals=False)
    assert (result.pairs[0].p or 0.0) > 0
    assert "p = 0 " not in result.verdict


def test_min_confidence_needs_more_than_a_small_p() -> None:
    """GE and UMASS: p is just below 0.10, but not surely so after 9,999 shuffles."""
    pair = ta.example("muc4").systems["GE", "UMASS"]
    exact, drawn = (
        ta.compare(pair, metrics=["f1"], test=test, min_confidence=0.99, alpha=0.1).pairs[0]
        for test in ("exact", "shuffle")
    )
    assert exact.different
    assert 0.01 < drawn.confidence < 0.99
    assert not drawn.different
    assert drawn.settled is False


def test_baseline_compares_with_one_system_only() -> None:
    result = ta.compare(some_counts(), metrics=["f1"], baseline="C")
    assert [(pair.a, pair.b) for pair in result.pairs] == [("A", "C"), ("B", "C"), ("C", "D")]
    assert result.family_size == 3
    assert result.groups == {}


def test_one_item_gives_p_1_and_no_interval() -> None:
    pair = ta.compare(Counts.from_arrays({"A": [0.7], "B": [0.1]})).pairs[0]
    assert (pair.p, pair.interval) == (1.0, (None, None))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"tail": "both"}, "there is no tail 'both'"),
        ({"intervals": "exact"}, "intervals is true or false"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ta.UsageError, match=said) as caught:
        ta.compare(some_counts(), **asked)
    assert "\n" not in str(caught.value)
