"""Pairs that differ in both recall and precision, in one of them, or in neither."""

from __future__ import annotations

import pytest

import tellapart as ta
from tellapart.report.sentences import two_metrics_sentence


@pytest.fixture(scope="module")
def muc4() -> ta.Result:
    return ta.compare(ta.example(), test="shuffle", shuffles=999, correction="none")


def test_every_pair_is_counted_once(muc4: ta.Result) -> None:
    found = muc4.two_metrics
    assert found is not None
    names = [system.name for system in muc4.systems]
    told: dict[tuple[bool, bool], int] = {}
    same = 0
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            recall, precision = muc4.pair(a, b, "recall"), muc4.pair(a, b, "precision")
            key = recall.different, precision.different
            told[key] = told.get(key, 0) + 1
            same += key == (True, True) and recall.difference * precision.difference > 0
    assert (found.first, found.second) == ("recall", "precision")
    assert found.both == told[True, True] > 0
    assert found.first_only == told[True, False] > 0
    assert found.second_only == told[False, True] > 0
    assert found.neither == told[False, False] > 0
    assert found.same_ahead == same


def test_nothing_is_said_of_one_pair_one_metric_or_a_claim() -> None:
    counts = ta.example()
    pair = counts.systems["GE", "UMASS"]
    assert two_metrics_sentence(ta.compare(pair, test="shuffle", shuffles=99).record) == ""
    three = counts.systems["GE", "UMASS", "SRI"]
    assert ta.compare(three, metrics="f1", test="shuffle", shuffles=99).two_metrics is None
    assert ta.compare(three, test="shuffle", shuffles=99, tail="greater").two_metrics is None
