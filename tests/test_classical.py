from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from tellapart.errors import DataError, UsageError
from tellapart.significance.textbook_independent import two_sample_t
from tellapart.significance.textbook_paired import (
    Classical,
    matched_pair_t,
    mcnemar,
    sign_test,
    sign_test_counts,
    wilcoxon,
)

OPPOSITE = {"two": "two", "greater": "less", "less": "greater"}
PAIRED = [sign_test, wilcoxon, matched_pair_t]
differences = st.lists(st.integers(-6, 6), min_size=1, max_size=12)
tails = st.sampled_from(sorted(OPPOSITE))


def defined(value: float | None) -> float:
    assert value is not None
    return value


@pytest.fixture(scope="session")
def cases(reference_data: Path) -> list[dict[str, Any]]:
    text = (reference_data / "significance" / "exact-cases.json").read_text()
    found: list[dict[str, Any]] = json.loads(text)["cases"]
    return found


@pytest.fixture(scope="session")
def yeh(reference_data: Path) -> dict[str, Any]:
    text = (reference_data / "significance" / "expected.json").read_text()
    found: dict[str, Any] = json.loads(text)["yeh2000"]
    return found


def tenths(case: dict[str, Any], name: str) -> NDArray[np.int64]:
    return np.array([int(Fraction(score) * 10) for score in case[name]])


def check(result: Classical, expected: dict[str, Any], statistic: float | None = None) -> None:
    assert result.p == pytest.approx(expected[f"p_{TAIL_KEYS[result.tail]}"], rel=1e-9)
    if statistic is not None:
        assert result.statistic == pytest.approx(statistic, rel=1e-9)


TAIL_KEYS = {"two": "two_sided", "greater": "greater"}


@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize("index", range(12))
def test_reference_cases(cases: list[dict[str, Any]], index: int, floats: bool) -> None:
    """Scaled decimals and their floats give the published exact values alike."""
    case = cases[index]
    expected = case["analytic_on_scores"]
    a, b = tenths(case, "scores_a"), tenths(case, "scores_b")
    if floats:
        a, b = np.array(case["scores_a"], float), np.array(case["scores_b"], float)
    for tail in TAIL_KEYS:
        sign = sign_test(a - b, tail)
        check(sign, expected["sign"], expected["sign"]["plus"])
        assert sign.n == expected["sign"]["plus"] + expected["sign"]["minus"]
        for zeros, key in [("drop", "zeros_dropped"), ("pratt", "pratt")]:
            reference = expected[f"wilcoxon_exact_{key}"]
            result = wilcoxon(a - b, tail, zeros)
            check(result, reference)
            assert result.signed_rank_sum == float(Fraction(reference["signed_rank_sum"]))
            assert result.n == reference["n_used"]
    paired, pooled = matched_pair_t(a - b), two_sample_t(a, b)
    for result, key in [(paired, "matched_pair_t"), (pooled, "two_sample_t_equal_variance")]:
        reference = expected.get(key)
        if reference is None:
            assert result.p is None
            assert result.note
        else:
            assert result.statistic == pytest.approx(reference["t"], rel=1e-9, abs=1e-12)
            assert result.df == reference["df"]
            assert result.p == pytest.approx(reference["p_two_sided"], rel=1e-9)


def test_yeh_sign_mcnemar_and_t(yeh: dict[str, Any]) -> None:
    expected = yeh["sign_test_recall"]
    assert sign_test_counts(28, 6).p == pytest.approx(expected["p_two_sided"], rel=1e-12)
    assert sign_test_counts(28, 6, "greater").p == pytest.approx(expected["p_one_sided"], rel=1e-12)
    expected = yeh["mcnemar_recall"]
    assert mcnemar(28, 6).p == pytest.approx(expected["exact_p"], rel=1e-9)
    assert mcnemar(28, 6, variant="mid-p").p == pytest.approx(expected["mid_p"], rel=1e-9)
    for variant, key in [("chi2", "chi2"), ("chi2-corrected", "chi2_corrected")]:
        result = mcnemar(28, 6, variant=variant)
        assert result.statistic == pytest.approx(expected[key], rel=1e-9)
        assert result.p == pytest.approx(expected[f"{key}_p"], rel=1e-9)
    hits = np.repeat([1, -1, 0], [28, 6, 103 - 34])
    expected = yeh["matched_pair_t_recall"]
    result = matched_pair_t(hits)
    assert result.statistic == pytest.approx(expected["t"], rel=1e-9)
    assert result.p == pytest.approx(expected["p_two_sided"], rel=1e-9)
    assert result.df == expected["df"]


# --- by hand


def test_sign_test_by_hand() -> None:
    """Three of four: P(X >= 3) = 5/16, so 10/16 two-sided; zeros do not count."""
    assert sign_test([2, 5, 0, 1, -3]).p == 10 / 16
    assert sign_test([2, 5, 0, 1, -3], "greater").p == 5 / 16
    assert sign_test([2, 5, 0, 1, -3], "less").p == 15 / 16


def test_wilcoxon_by_hand() -> None:
    """Ranks 1, 2.5, 2.5: W+ reaches 5 in 2 of 8 sign patterns; Pratt's ranks are 2, 3.5, 3.5."""
    result = wilcoxon([-1, 4, 4, 0], "greater")
    assert (result.statistic, result.signed_rank_sum, result.p) == (5.0, 4.0, 2 / 8)
    result = wilcoxon([-1, 4, 4, 0], "greater", "pratt")
    assert (result.statistic, result.signed_rank_sum, result.p) == (7.0, 5.0, 2 / 8)


def test_constant_difference_has_no_t() -> None:
    """Without spread t is undefined, for decimals given as floats too; the sign test is beside."""
    for d in ([3, 3, 3], np.array([0.9, 0.8, 0.2]) - np.array([0.8, 0.7, 0.1]), [7]):
        result = matched_pair_t(d)
        assert result.statistic is None
        assert result.p is None
        assert result.note
        assert result.fallback is not None
        assert result.fallback.p == sign_test(d).p


@pytest.mark.parametrize("tail", sorted(OPPOSITE))
@pytest.mark.parametrize("zeros", [[0, 0, 0], [0.0, 0.0], []])
def test_identical_systems(zeros: list[float], tail: str) -> None:
    """Where nothing differs p is exactly 1, in every test and tail."""
    for test in PAIRED:
        assert test(zeros, tail).p == 1.0
    assert wilcoxon(zeros, tail, "pratt").p == 1.0
    for variant in ("exact", "mid-p", "chi2", "chi2-corrected"):
        assert mcnemar(0, 0, tail, variant).p == 1.0


def test_numpy_counts_do_not_overflow() -> None:
    """Counts that come as 64-bit integers are taken as numbers without limit."""
    plus, minus = np.array([70, 0])
    assert sign_test_counts(plus, minus).p == 2**-69
    assert mcnemar(plus, minus, variant="mid-p").p == 2**-70


def test_mid_p_of_equal_counts_is_1() -> None:
    assert mcnemar(4, 4, variant="mid-p").p == 1.0
    assert mcnemar(4, 4, "greater", "mid-p").p == 0.5


# --- against others


@pytest.mark.parametrize(("plus", "minus"), [(1, 0), (17, 30), (600, 500), (1200, 1300)])
def test_sign_test_agrees_with_scipy(plus: int, minus: int) -> None:
    names = {"two": "two-sided", "greater": "greater", "less": "less"}
    for tail, name in names.items():
        expected = stats.binomtest(plus, plus + minus, alternative=name).pvalue
        assert sign_test_counts(plus, minus, tail).p == pytest.approx(expected, rel=1e-10)


def test_sign_test_of_many_items() -> None:
    """Against the sum of the binomial terms in integers; never 0, however far out."""
    n, reached = 100_000, 51_000
    term = total = math.comb(n, reached)
    for k in range(reached, reached + 3_000):  # what is left out is below 1e-60 of the sum
        term = term * (n - k) // (k + 1)
        total += term
    result = sign_test_counts(reached, n - reached, "greater")
    assert result.p == pytest.approx(total / 2**n, rel=1e-9)
    assert 0.0 < defined(sign_test_counts(1_000_000, 0).p) <= 1e-300
    assert sign_test_counts(500_000, 500_000).p == 1.0


def test_mid_p_of_many_items_agrees_with_scipy() -> None:
    null = stats.binom(5_000, 0.5)
    expected = 2 * null.sf(2_599) - null.pmf(2_600)
    assert mcnemar(2_600, 2_400, variant="mid-p").p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("tail", sorted(OPPOSITE))
@pytest.mark.parametrize("n", [5, 40, 400])
def test_wilcoxon_agrees_with_scipy_without_ties(n: int, tail: str) -> None:
    d = np.random.default_rng(n).normal(0.1, 1, n)
    alternative = {"two": "two-sided"}.get(tail, tail)
    expected = stats.wilcoxon(d, alternative=alternative, method="exact")
    assert wilcoxon(d, tail).p == pytest.approx(expected.pvalue, rel=1e-9)


def test_wilcoxon_of_many_agrees_with_scipy() -> None:
    d = np.random.default_rng(0).integers(-30, 32, 6_000)
    for zeros, name in [("drop", "wilcox"), ("pratt", "pratt")]:
        result = wilcoxon(d, zeros=zeros)
        expected = stats.wilcoxon(d, zero_method=name, method="approx", correction=False)
        assert result.method == "normal"
        assert result.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_wilcoxon_of_many_ties_is_exact() -> None:
    """A rank sum with ties is a sum of whole numbers, here added up one by one."""
    rng = np.random.default_rng(7)
    sizes = np.concatenate([np.ones(150, int), np.arange(2, 252)])
    d = np.where(rng.random(len(sizes)) < 0.53, sizes, -sizes)
    ranks = (2 * stats.rankdata(sizes)).astype(int)
    chances = np.ones(1)
    for rank in ranks:
        chances = (np.append(chances, np.zeros(rank)) + np.append(np.zeros(rank), chances)) / 2
    reached = int(ranks[d > 0].sum())
    assert wilcoxon(d, "greater").p == pytest.approx(chances[reached:].sum(), rel=1e-10)
    assert wilcoxon(d, "less").p == pytest.approx(chances[: reached + 1].sum(), rel=1e-10)


def test_matched_pair_t_agrees_with_scipy() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=30), rng.normal(size=30)
    for tail in OPPOSITE:
        expected = stats.ttest_rel(x, y, alternative={"two": "two-sided"}.get(tail, tail))
        result = matched_pair_t(x - y, tail)
        assert result.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert result.p == pytest.approx(expected.pvalue, rel=1e-9)


# --- properties


@given(differences, tails)
@settings(max_examples=60, deadline=None)
def test_swapping_systems_exchanges_tails(d: list[int], tail: str) -> None:
    for test in PAIRED:
        assert test(d, tail).p == test([-x for x in d], OPPOSITE[tail]).p


@given(differences, tails, st.randoms())
@settings(max_examples=40, deadline=None)
def test_order_of_items_and_scale_do_not_matter(d: list[int], tail: str, random: Any) -> None:
    mixed = [1000 * x for x in d]
    random.shuffle(mixed)
    for test in PAIRED:
        assert test(mixed, tail).p == test(d, tail).p


@given(differences, st.sampled_from(["drop", "pratt"]))
@settings(max_examples=40, deadline=None)
def test_wilcoxon_counts_all_sign_patterns(d: list[int], zeros: str) -> None:
    """The exact p is the share of sign patterns whose rank sum is at least as large."""
    sizes = np.abs([x for x in d if x] if zeros == "drop" else d)
    ranks = stats.rankdata(sizes)[sizes > 0] if len(sizes) else np.zeros(0)
    signs = 1 - 2 * ((np.arange(2 ** len(ranks))[:, None] >> np.arange(len(ranks))) & 1)
    sums = signs @ ranks
    result = wilcoxon(d, zeros=zeros)
    assert result.p == np.mean(np.abs(sums) >= abs(defined(result.signed_rank_sum)))


@given(st.integers(0, 60), st.integers(0, 60), tails)
@settings(max_examples=60, deadline=None)
def test_mcnemar_swaps_and_stays_within_0_and_1(b: int, c: int, tail: str) -> None:
    for variant in ("exact", "mid-p", "chi2", "chi2-corrected"):
        p = defined(mcnemar(b, c, tail, variant).p)
        assert 0.0 < p <= 1.0
        assert p == mcnemar(c, b, OPPOSITE[tail], variant).p


def test_rejections_under_a_true_null() -> None:
    """Of 1,000 pairs of equal systems, about 5 % or fewer come out below 0.05."""
    rng = np.random.default_rng(5)
    draws = rng.integers(-4, 5, (1_000, 30))
    for test in PAIRED:
        rejected = sum(defined(test(d).p) <= 0.05 for d in draws)
        assert rejected <= 50 + 4 * math.sqrt(1_000 * 0.05 * 0.95)


# --- bad input


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="tail"):
        sign_test([1], "both")
    with pytest.raises(UsageError, match="zeros"):
        wilcoxon([1], zeros="keep")
    with pytest.raises(UsageError, match="variant"):
        mcnemar(1, 2, variant="asymptotic")
    with pytest.raises(DataError, match="negative"):
        mcnemar(-1, 2)
    with pytest.raises(DataError, match="value 2 of 2 is nan"):
        matched_pair_t([1.0, math.nan])
    with pytest.raises(DataError, match="2-dimensional"):
        wilcoxon([[1, 2]])
