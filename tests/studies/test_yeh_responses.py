"""Yeh's randomization by response."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.yeh.responses import ResponseCounts, response_test

YEH = ResponseCounts(103, 19, 28, 6, 5, 43, 9)
BETAS = {"recall": math.inf, "precision": 0.0, "f1": 1.0}
OPPOSITE = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
alternatives = st.sampled_from(sorted(OPPOSITE))
betas = st.sampled_from([math.inf, 0.0, 1.0, 0.5, 2.0])
small = st.integers(0, 3)


@st.composite
def small_counts(draw: st.DrawFn) -> ResponseCounts:
    both, only_a, only_b, missed = (draw(small) for _ in range(4))
    possible = both + only_a + only_b + missed
    return ResponseCounts(possible, both, only_a, only_b, draw(small), draw(small), draw(small))


def textbook_score(beta: float, possible: int, correct: int, spurious: int) -> Fraction:
    """Score from recall R and precision P as textbooks have it: (1 + b²) P R / (b² P + R)."""
    recall = Fraction(correct, possible) if possible else Fraction(0)
    precision = Fraction(correct, correct + spurious) if correct + spurious else Fraction(0)
    if beta in (0, math.inf):
        return recall if beta else precision
    below = Fraction(beta) ** 2 * precision + recall
    return (1 + Fraction(beta) ** 2) * precision * recall / below if below else Fraction(0)


def brute_force(counts: ResponseCounts, beta: float, alternative: str) -> int:
    """Count exceeding exchanges by trying all 2^m."""
    o, s = counts.correct_a + counts.correct_b, counts.spurious_a + counts.spurious_b

    def difference(a: int, e: int) -> Fraction:
        first = counts.possible, counts.correct_both + a, counts.spurious_both + e
        second = counts.possible, counts.correct_both + o - a, counts.spurious_both + s - e
        return textbook_score(beta, *first) - textbook_score(beta, *second)

    observed = difference(counts.correct_a, counts.spurious_a)
    reached = 0
    for coins in product((0, 1), repeat=o + s):
        d = difference(sum(coins[:o]), sum(coins[o:]))
        exceeds = abs(d) >= abs(observed), d >= observed, d <= observed
        reached += exceeds[("two-sided", "greater", "less").index(alternative)]
    return reached


@pytest.mark.parametrize("metric", sorted(BETAS))
def test_yeh(reference_data: Path, metric: str) -> None:
    """All 2^86 exchanges of the published example: the counts agree, and shuffles come near."""
    text = (reference_data / "significance" / "expected.json").read_text()
    yeh = json.loads(text)["yeh2000"]
    expected, beta = yeh["metrics"][metric], BETAS[metric]
    one_sided = "greater" if expected["direction_tested"] == "I better" else "less"
    for alternative, key in (("two-sided", "two_sided"), (one_sided, "one_sided")):
        found = response_test(YEH, beta=beta, alternative=alternative)
        assert found.exceedances == int(expected[f"exact_count_{key}_of_2_pow_86"])
        assert found.p == pytest.approx(expected[f"p_{key}"], rel=1e-9)
        assert found.statistic == float(Fraction(expected["observed_I_minus_II"]))
        assert found.n == yeh["inputs"]["responses_shuffled"]
    scores = tuple(Fraction(yeh["scores"][name][metric]) for name in ("I", "II"))
    assert YEH.scores(beta) == scores
    drawn = response_test(YEH, beta=beta, alternative=one_sided, n_resamples=1_048_576)
    assert drawn.exceedances is not None
    away = drawn.exceedances - expected["expected_exceedances_in_1048576"]
    assert abs(away) <= 4.5 * expected["sd_exceedances_in_1048576"]
    assert drawn.p == (drawn.exceedances + 1) / 1_048_577


@given(small_counts(), betas, alternatives)
def test_exact_equals_brute_force(counts: ResponseCounts, beta: float, alternative: str) -> None:
    """Swapping the systems exchanges tails."""
    found = response_test(counts, beta=beta, alternative=alternative)
    assert found.n is not None
    assert found.exceedances == brute_force(counts, beta, alternative)
    assert found.p == found.exceedances / 2**found.n
    swapped = replace(
        counts, correct_a=counts.correct_b, correct_b=counts.correct_a,
        spurious_a=counts.spurious_b, spurious_b=counts.spurious_a,
    )  # fmt: skip
    back = response_test(swapped, beta=beta, alternative=OPPOSITE[alternative])
    assert (back.p, back.statistic) == (found.p, -(found.statistic or 0.0))
