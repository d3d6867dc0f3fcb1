"""Intervals beside p-values: the method that fits, and what is said where it disagrees with p."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import tellapart as ta
from tellapart.counts import Counts
from tellapart.metrics import Function
from tellapart.report.sentences import interval_disagrees
from tellapart.stats import newcombe, tango, wilson


@pytest.mark.parametrize("tail", ["two", "greater", "less"])
def test_the_interval_of_the_test_itself_agrees_with_p(tail: str) -> None:
    """Means of few items have the test inverted, in slices as well."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        values = np.round(rng.random((2, 30)) + np.array([[0.0], [0.1]]), 2)
        labels = {"topic": [f"t{k}" for k in rng.integers(0, 2, 30)]}
        counts = Counts.from_arrays(dict(zip("AB", values, strict=True)), labels=labels)
        p = ta.compare(counts, tail=tail).pairs[0].p
        for alpha in (1.02 * p, 0.98 * p):
            if 0 < alpha < 0.5:
                result = ta.compare(counts, alpha=alpha, tail=tail, by="topic")
                assert result.pairs[0].different is (p <= alpha)
                for shown in (*result.pairs, *result.slices):
                    low, high = shown.interval or (None, None)
                    beyond = (low is not None and low > 0) or (high is not None and high < 0)
                    assert shown.different or not beyond


def test_an_interval_by_another_method_than_p_says_so() -> None:
    """The sign test counts wins, and the interval is of the mean, which a few losses pull back."""
    rng = np.random.default_rng(0)
    few = {"a": [0.52] * 50 + [0.0] * 8, "b": [0.5] * 50 + list(rng.random(8))}
    result = ta.compare({"a": few["a"], "b": [x - 0.06 for x in few["b"]]}, test="sign")
    (pair,) = result.pairs
    assert (pair.different, interval_disagrees(pair)) == (True, True)
    assert "p, found otherwise, decides" in result.verdict
    clear = ta.compare({"a": [1.0] * 30, "b": [0.1 * (k % 5) for k in range(30)]})
    assert not interval_disagrees(clear.pairs[0])
    assert "disagree" not in str(clear)


def test_each_metric_has_the_interval_that_fits_it() -> None:
    rng = np.random.default_rng(7)
    rows = rng.integers(1, 9, (2, 40, 3))
    counts = Counts.from_arrays(dict(zip("AB", rows, strict=True)), ["tp", "fp", "fn"])
    result = ta.compare(counts, metrics=["f1", ta.mean("tp")])
    assert [pair.interval_method for pair in result.pairs] == ["bca", "inverted test"]
    assert result.systems[0].interval_methods == {"f1": "bca", "mean": "t"}


@pytest.mark.parametrize("kind", ["f1", "function", "unpaired"])
def test_of_few_items_intervals_are_t_and_wider_than_resampled_ones(kind: str) -> None:
    """A bootstrap of three clusters knows of three only: it would hold the truth in 70 %."""
    rows = np.random.default_rng(3).integers(4, 30, (2, 12, 3))
    labels = {"genre": [f"g{k % 3}" for k in range(12)]}
    counts = Counts.from_arrays(
        dict(zip("AB", rows, strict=True)), ["tp", "fp", "fn"], labels=labels
    )
    metric: Any = "f1"
    if kind == "function":
        metric = Function("product", ("tp", "fp"), lambda sums: sums[..., 0] / sums[..., 1])
    chosen: dict[str, Any] = {"cluster": "genre"}
    if kind == "unpaired":
        present = np.repeat([[True, False], [False, True]], 6, axis=1)
        counts = replace(counts, present=present, values=counts.values * present[..., None])
        chosen = {"test": "unpaired"}
    with patch("tellapart.comparison.scored.ENOUGH_TO_RESAMPLE", 0):
        drawn = ta.compare(counts, metrics=[metric], **chosen)
    few = ta.compare(counts, metrics=[metric], **chosen)
    assert [r.pairs[0].interval_method for r in (few, drawn)] == ["t", "bca"]
    widths = [np.diff(r.pairs[0].interval or (0, 0)).item() for r in (few, drawn)]
    assert widths[0] > 1.2 * widths[1]
    assert few.systems[0].interval_methods == {metric if kind != "function" else "product": "t"}


def test_a_wider_interval_for_what_was_not_seen_says_so() -> None:
    """Eight small gains and a loss among 31 items: the test rejects, rare losses are possible."""
    thirds = np.repeat([2, 1, 0, -1], [1, 7, 22, 1])
    result = ta.compare({"a": ((1 + thirds) / 3).tolist(), "b": [1 / 3] * 31})
    (pair,) = result.pairs
    assert (pair.different, pair.interval_method) == (True, "unseen")
    assert interval_disagrees(pair)
    assert "p, found otherwise" in result.verdict


def test_one_sided_tests_have_one_sided_intervals() -> None:
    """The end is that of the two-sided interval at twice the level."""
    a, b = np.random.default_rng(9).integers(0, 5, (2, 20))
    counts = Counts.from_arrays({"A": a, "B": b})

    def interval(**options: Any) -> Any:
        return ta.compare(counts, **options).pairs[0].interval

    low, high = interval(alpha=0.2)
    assert interval(alpha=0.1, tail="greater") == (low, None)
    assert interval(alpha=0.1, tail="less") == (None, high)
    assert interval(alpha=0.1, tail="greater", lower_is_better=True) == (None, high)


def test_systems_with_their_own_items_have_newcombes_interval() -> None:
    present = np.repeat([[True, False], [False, True]], 70, axis=1)
    right = np.zeros((2, 140), int)
    right[0, :56] = right[1, 70:112] = 1
    counts = Counts.from_arrays({name: right[k] for k, name in enumerate("AB")})
    result = ta.compare(replace(counts, present=present), test="unpaired")
    assert result.pairs[0].interval == pytest.approx(newcombe((56, 70), (42, 70)).ends)
    assert result.pairs[0].interval_method == "newcombe"
    assert result.systems[0].intervals["mean"] == pytest.approx(wilson(56, 70).ends)


def test_tangos_interval_of_five_wins_stands_uncut_beside_an_exact_p_and_says_so() -> None:
    """The score test alone says .025 of five wins; the exact p is .0625."""
    result = ta.compare(Counts.from_arrays({"A": [1] * 5 + [0] * 14, "B": [0] * 19}))
    (five,) = result.pairs
    assert (five.p, five.different, five.interval_method) == (0.0625, False, "tango")
    assert five.interval == pytest.approx([float(end) for end in tango(5, 0, 19)])
    assert five.interval[0] > 0
    assert "p, found otherwise" in " ".join(str(result).split())


def test_intervals_of_few_texts_stay_on_the_scale() -> None:
    texts = {"a": ["the cat sat", "yes it was so", "a dog ran"],
             "b": ["the cat", "yes it was so", "a dog ran off"]}  # fmt: skip
    counts = ta.text_counts(texts, [["the cat sat", "yes it is so", "a dog ran off"]], ["bleu"])
    record = ta.compare(counts).record
    for system in record.systems:
        low, high = system.intervals["bleu"]
        assert low is not None
        assert high is not None
        assert 0 <= low <= high <= 100
    low, high = record.pairs[0].interval or (None, None)
    assert low is not None
    assert high is not None
    assert -100 <= low <= high <= 100


def test_a_system_with_a_single_item_leaves_the_difference_open() -> None:
    """Nothing tells how far its score may be from that of other items."""
    rows = {"many": [[k % 4, 1 + k % 3, 1] for k in range(20)], "one": [[3, 1, 1]]}
    table = {
        name: {"item": [f"{name}{k}" for k in range(len(own))],
               **dict(zip(("tp", "fp", "fn"), zip(*own, strict=True), strict=True))}
        for name, own in rows.items()
    }  # fmt: skip
    counts = ta.read({name: pd.DataFrame(own) for name, own in table.items()}, missing="own")
    (pair,) = ta.compare(counts, metrics=["f1"], test="unpaired").pairs
    assert pair.interval in (None, (None, None))
