"""Textbook tests of paired scores."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tellapart.stats.paired import mcnemar, mcnemar_range, paired_t, sign_test, wilcoxon
from tellapart.stats.result import Test

OPPOSITE = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
PAIRED = [paired_t, sign_test, wilcoxon]


@pytest.mark.parametrize("index", range(12))
def test_reference_cases(reference_data: Path, index: int) -> None:
    """Decimals and whole numbers of them give the published exact values alike."""
    text = (reference_data / "significance" / "exact-cases.json").read_text()
    case = json.loads(text)["cases"][index]
    expected = case["analytic_on_scores"]
    decimals = [np.array(case[name], float) for name in ("scores_a", "scores_b")]
    for a, b in (decimals, [np.rint(10 * scores).astype(int) for scores in decimals]):
        for alternative, key in (("two-sided", "p_two_sided"), ("greater", "p_greater")):
            sign = sign_test(a, b, alternative=alternative)
            assert sign.p == pytest.approx(expected["sign"][key], rel=1e-9)
            assert sign.statistic == expected["sign"]["plus"]
            ranks, known = (
                wilcoxon(a, b, alternative=alternative),
                expected["wilcoxon_exact_zeros_dropped"],
            )
            assert ranks.p == pytest.approx(known[key], rel=1e-9)
            assert ranks.n == known["n_used"]
            assert _signed_rank_sum(ranks) == float(Fraction(known["signed_rank_sum"]))
        t, reference = paired_t(a, b), expected.get("matched_pair_t")
        if reference is None:
            assert (t.p, t.reason) == (None, "constant")
        else:
            assert t.statistic == pytest.approx(reference["t"], rel=1e-9, abs=1e-12)
            assert t.p == pytest.approx(reference["p_two_sided"], rel=1e-9)


def _signed_rank_sum(found: Test) -> float:
    return 2 * found.statistic - found.n * (found.n + 1) / 2


@pytest.mark.parametrize("constant", [[3, 3, 3], [0.9 - 0.8, 0.8 - 0.7, 0.2 - 0.1], [7]])
def test_constant_difference_has_no_t(constant: list[float]) -> None:
    assert paired_t(constant).reason == "constant"
    assert paired_t(np.array(constant) / 3).reason == "constant"


@pytest.mark.parametrize("zeros", [[0, 0, 0], [0.0], []])
def test_identical_systems_have_p_one(zeros: list[float]) -> None:
    for alternative in OPPOSITE:
        assert all(test(zeros, alternative=alternative).p == 1.0 for test in PAIRED)
        assert mcnemar(0, 0, alternative=alternative).p == 1.0


@pytest.mark.parametrize("alternative", sorted(OPPOSITE))
@pytest.mark.parametrize("n", [5, 40, 400])
def test_agrees_with_scipy(n: int, alternative: str) -> None:
    a, b = np.random.default_rng(n).normal([[0.1], [0.0]], 1, (2, n))
    peers: list[tuple[Callable[..., Test], Any]] = [
        (paired_t, stats.ttest_rel(a, b, alternative=alternative)),
        (wilcoxon, stats.wilcoxon(a, b, alternative=alternative, method="exact")),
        (sign_test, stats.binomtest(int((a > b).sum()), n, alternative=alternative)),
    ]
    for test, peer in peers:
        assert test(a, b, alternative=alternative).p == pytest.approx(peer.pvalue, rel=1e-9)


def test_many_items() -> None:
    """The normal Wilcoxon agrees with SciPy's; no p is 0, however far out."""
    ranks = np.random.default_rng(0).integers(-30, 32, 6_000)
    found = wilcoxon(ranks)
    assert found.method == "normal"
    assert found.p == pytest.approx(stats.wilcoxon(ranks, method="approx").pvalue, rel=1e-9)
    p = mcnemar(51_000, 49_000, alternative="greater").p
    assert p == pytest.approx(stats.binom.sf(50_999, 100_000, 0.5), rel=1e-9)
    for test in (mcnemar(1_000_000, 0), paired_t([1e9] * 40_000 + [1e9 + 1])):
        assert 0.0 < test.p <= 1e-300


def test_integers_do_not_wrap_around() -> None:
    a, b = np.array([0, 0, 0], np.uint8), np.array([1, 2, 3], np.uint8)
    assert sign_test(a, b, alternative="less").p == 1 / 8


@pytest.mark.parametrize("alternative", sorted(OPPOSITE))
@pytest.mark.parametrize("totals", [(5, 3, 7), (6, 6, 7), (0, 7, 7), (30, 24, 40), (3, 2, 40)])
def test_range_of_totals_by_all_overlaps(totals: tuple[int, int, int], alternative: str) -> None:
    a, b, n = totals
    p_values = [
        stats.binomtest(a - both, a + b - 2 * both, alternative=alternative).pvalue
        if a + b > 2 * both
        else 1.0
        for both in range(max(0, a + b - n), min(a, b) + 1)
    ]
    found = [test.p for test in mcnemar_range((a, n), (b, n), alternative=alternative)]
    assert found == pytest.approx([min(p_values), max(p_values)], rel=1e-12)
