from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from tellapart.errors import DataError, UsageError
from tellapart.significance import response_tests
from tellapart.significance.response_tests import (
    ResponseCounts,
    count_responses,
    linked_items,
    response_shuffles,
    response_test,
)
from tellapart.significance.textbook_paired import sign_test_counts

YEH = ResponseCounts(103, 19, 28, 6, 5, 43, 9)
OPPOSITE = {"two": "two", "greater": "less", "less": "greater"}
METRICS = ["recall", "precision", "f1", "f0.5", "f2"]
tails = st.sampled_from(sorted(OPPOSITE))
small = st.integers(0, 3)


@st.composite
def small_counts(draw: st.DrawFn) -> ResponseCounts:
    both, only_a, only_b = draw(small), draw(small), draw(small)
    missed = draw(small)
    possible = both + only_a + only_b + missed
    return ResponseCounts(possible, both, only_a, only_b, draw(small), draw(small), draw(small))


def swapped(counts: ResponseCounts) -> ResponseCounts:
    return replace(
        counts,
        correct_a=counts.correct_b,
        correct_b=counts.correct_a,
        spurious_a=counts.spurious_b,
        spurious_b=counts.spurious_a,
    )


def textbook_score(metric: str, possible: int, correct: int, spurious: int) -> Fraction:
    """Score from recall R and precision P as textbooks have it: (1 + b²) P R / (b² P + R)."""
    recall = Fraction(correct, possible) if possible else Fraction(0)
    precision = Fraction(correct, correct + spurious) if correct + spurious else Fraction(0)
    if metric == "recall":
        return recall
    if metric == "precision":
        return precision
    b2 = Fraction(metric[1:]) ** 2
    below = b2 * precision + recall
    return (1 + b2) * precision * recall / below if below else Fraction(0)


def brute_force(counts: ResponseCounts, metric: str, tail: str) -> int:
    """Count exceeding exchanges by trying all 2^m."""
    o, s = counts.correct_a + counts.correct_b, counts.spurious_a + counts.spurious_b

    def difference(a: int, e: int) -> Fraction:
        first = counts.possible, counts.correct_both + a, counts.spurious_both + e
        second = counts.possible, counts.correct_both + o - a, counts.spurious_both + s - e
        return textbook_score(metric, *first) - textbook_score(metric, *second)

    observed = difference(counts.correct_a, counts.spurious_a)
    hits = 0
    for coins in product((0, 1), repeat=o + s):
        d = difference(sum(coins[:o]), sum(coins[o:]))
        exceeds = {"two": abs(d) >= abs(observed), "greater": d >= observed, "less": d <= observed}
        hits += exceeds[tail]
    return hits


@pytest.fixture(scope="session")
def yeh(reference_data: Path) -> dict[str, Any]:
    text = (reference_data / "significance" / "expected.json").read_text()
    found: dict[str, Any] = json.loads(text)["yeh2000"]
    return found


@pytest.mark.parametrize("metric", ["recall", "precision", "f1"])
def test_yeh_exact(yeh: dict[str, Any], metric: str) -> None:
    """All 2^86 exchanges of the published example: the integer counts agree."""
    expected = yeh["metrics"][metric]
    one_sided = "greater" if expected["direction_tested"] == "I better" else "less"
    for tail, key in [("two", "two_sided"), (one_sided, "one_sided")]:
        result = response_test(YEH, metric, tail)
        assert result.exceeding == int(expected[f"exact_count_{key}_of_2_pow_86"])
        assert result.p == pytest.approx(expected[f"p_{key}"], rel=1e-9)
        assert result.difference == Fraction(expected["observed_I_minus_II"])
    assert result.score_a == Fraction(yeh["scores"]["I"][metric])
    assert result.score_b == Fraction(yeh["scores"]["II"][metric])
    assert result.shuffled == yeh["inputs"]["responses_shuffled"]


@pytest.mark.parametrize("metric", ["recall", "precision", "f1"])
def test_yeh_shuffles(yeh: dict[str, Any], metric: str) -> None:
    """The number of exceedances in 1,048,576 shuffles is within 4.5 sd of its expectation."""
    expected = yeh["metrics"][metric]
    tail = "greater" if expected["direction_tested"] == "I better" else "less"
    result = response_shuffles(YEH, metric, tail, 1_048_576, np.random.default_rng(0))
    assert result.exceeding is not None
    away = result.exceeding - expected["expected_exceedances_in_1048576"]
    assert abs(away) <= 4.5 * expected["sd_exceedances_in_1048576"]
    assert result.p == (result.exceeding + 1) / 1_048_577


def test_two_sided_shuffles_count_both_tails() -> None:
    both, up, down = (
        response_shuffles(YEH, "f1", tail, 20_000, np.random.default_rng(1)).exceeding
        for tail in ("two", "greater", "less")
    )
    exact = response_test(YEH, "f1").p
    assert both is not None
    assert abs(both - 20_000 * exact) <= 4.5 * math.sqrt(20_000 * exact)
    assert up is not None
    assert down is not None
    assert up < both < down


def test_by_hand() -> None:
    """One correct response against one spurious: precision 1 against 0 in two of four exchanges."""
    counts = ResponseCounts(1, 0, 1, 0, 0, 0, 1)
    result = response_test(counts, "precision")
    assert result.score_a == 1
    assert result.score_b == 0
    # (correct, spurious) to A: both 1/2 - 0; correct alone 1 - 0; and their mirror images.
    assert (result.exceeding, result.total, result.p) == (2, 4, 0.5)
    assert response_test(counts, "recall").p == 1.0


@given(small_counts(), st.sampled_from(METRICS), tails)
@settings(max_examples=60, deadline=None)
def test_exact_equals_brute_force(counts: ResponseCounts, metric: str, tail: str) -> None:
    result = response_test(counts, metric, tail)
    assert result.exceeding == brute_force(counts, metric, tail)
    assert result.total == 2**result.shuffled
    assert result.p == result.exceeding / 2**result.shuffled


@given(small_counts(), st.sampled_from(METRICS), tails)
@settings(max_examples=40, deadline=None)
def test_swapping_systems_exchanges_tails(counts: ResponseCounts, metric: str, tail: str) -> None:
    result = response_test(counts, metric, tail)
    back = response_test(swapped(counts), metric, OPPOSITE[tail])
    assert (result.exceeding, result.difference) == (back.exceeding, -back.difference)


@given(st.integers(0, 40), st.integers(0, 40), small, small, tails)
@settings(max_examples=40, deadline=None)
def test_recall_is_the_sign_test(a: int, b: int, s1: int, s2: int, tail: str) -> None:
    counts = ResponseCounts(a + b + 7, 3, a, b, 1, s1, s2)
    expected = sign_test_counts(a, b, tail).p
    assert response_test(counts, "recall", tail).p == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("tail", sorted(OPPOSITE))
def test_identical_systems(metric: str, tail: str) -> None:
    for counts in (ResponseCounts(9, 4, 0, 0, 2, 0, 0), ResponseCounts(0, 0, 0, 0, 0, 0, 0)):
        assert response_test(counts, metric, tail).p == 1.0
        rng = np.random.default_rng(0)
        assert response_shuffles(counts, metric, tail, 99, rng).p == 1.0


@given(small_counts(), st.sampled_from(METRICS), tails)
@settings(max_examples=30, deadline=None)
def test_float_weights_agree_with_integers(counts: ResponseCounts, metric: str, tail: str) -> None:
    exact = response_test(counts, metric, tail)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(response_tests, "_EXACT_RESPONSES", -1)
        rough = response_test(counts, metric, tail)
    assert rough.exceeding is None
    assert rough.p == pytest.approx(exact.p, rel=1e-12)


def test_numpy_counts_do_not_overflow() -> None:
    counts = ResponseCounts(*np.array([103, 19, 28, 6, 5, 43, 9]))
    assert response_test(counts, "f1") == response_test(YEH, "f1")


def test_many_responses() -> None:
    """100,000 shuffled responses: recall still is the sign test, and p is never 0."""
    counts = ResponseCounts(200_000, 10, 30_300, 29_700, 5, 20_100, 19_900)
    expected = sign_test_counts(30_300, 29_700).p
    assert response_test(counts, "recall").p == pytest.approx(expected, rel=1e-9)
    assert response_test(ResponseCounts(50_000, 0, 50_000, 0, 0, 0, 0), "f1").p > 0.0


GOLD = [("u1", "x"), ("u1", "y"), ("u2", "z")]
FIRST = [("u1", "x"), ("u2", "w"), ("u3", "v")]
SECOND = [("u1", "x"), ("u1", "y"), ("u3", "v")]


def test_count_responses() -> None:
    assert count_responses(GOLD, FIRST, SECOND) == ResponseCounts(3, 1, 0, 1, 1, 1, 0)
    assert count_responses(set(GOLD), iter(SECOND), FIRST) == ResponseCounts(3, 1, 1, 0, 1, 0, 1)


def test_linked_items_sum_to_the_counts() -> None:
    """Rows are (tp, fp, fn) per cluster, for every cluster of the key or of a system."""
    names, first, second = linked_items(GOLD, FIRST, SECOND, lambda r: r[0])
    assert names == ["u1", "u2", "u3"]
    assert first.tolist() == [[1, 0, 1], [0, 1, 1], [0, 1, 0]]
    assert second.tolist() == [[2, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_a_repeated_response_is_refused() -> None:
    with pytest.raises(DataError, match=r"second system: response \('u1', 'x'\) is given twice"):
        count_responses(GOLD, FIRST, [*SECOND, ("u1", "x")])


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="no response-level test"):
        response_test(YEH, "bleu")
    with pytest.raises(UsageError, match="no response-level test"):
        response_test(YEH, "f0")
    with pytest.raises(UsageError, match="tail"):
        response_test(YEH, "f1", "both")
    with pytest.raises(UsageError, match="at least 1"):
        response_shuffles(YEH, "f1", "two", 0, np.random.default_rng(0))
    with pytest.raises(DataError, match="only 2 are possible"):
        ResponseCounts(2, 1, 1, 1, 0, 0, 0)
    with pytest.raises(DataError, match="negative"):
        ResponseCounts(2, 1, -1, 1, 0, 0, 0)


def test_t_tests_by_response_count_relations_only() -> None:
    """Of recall only gold relations tell: Yeh's 103, not the 57 spurious responses beside them."""
    gold = {"s": [f"g{i}" for i in range(103)]}
    both, alone = [f"g{i}" for i in range(19)], [f"g{i}" for i in range(19, 47)]
    spurious = [f"x{i}" for i in range(57)]
    counts = ta.relation_counts(
        {
            "I": {"s": [*both, *alone, *spurious[:48]]},
            "II": {"s": [*both, *(f"g{i}" for i in range(47, 53)), *spurious[43:]]},
        },
        gold,
        responses=True,
    )
    first, second = np.zeros(103), np.zeros(103)
    first[:47], second[:19], second[47:53] = 1, 1, 1
    peers = {
        "two-sample-t": scipy.stats.ttest_ind(first, second).pvalue,
        "t": scipy.stats.ttest_rel(first, second).pvalue,
    }
    for test, peer in peers.items():
        assert ta.compare(counts, "recall", test=test).pairs[0].p == pytest.approx(peer, rel=1e-9)
    assert round(peers["two-sample-t"], 4) == 0.0012
    assert round(peers["t"], 5) == 0.00010
