"""The example of Yeh (2000), randomization by response, and tests that suppose independence."""

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
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import tellapart as ta
from pages import shows_study
from studies.yeh.coins import GROUPS, all_on_one_side, grouped_tests, sign_test_rate
from studies.yeh.correlations import correlations
from studies.yeh.independent import chi_square, inflation
from studies.yeh.responses import ResponseCounts, response_test
from study_runs import Run, check_verdicts, run_study
from tellapart.counts import Counts

# The claims that do not simply hold, by how they begin.
OTHERWISE = {
    "r12 was 0.29 to 0.53": "so on other systems",
    "So it is by subsets of relations": "not checked",
    "Instances of a test set that are near": "not so on other systems",
    "By randomization, two-sided": "settled by the exact test",
    "A one-sided test gives 3%": "does not come out",
    "86 are too many": "settled by the exact test",
    "I's F is ahead": "does not come out",
    "II's precision is ahead": "does not come out",
    "When the flips are positively correlated": "does not come out",
    "When the first flip lands on a side": "is consistent",
    "One needs to determine the dependencies": "settled by exchanging whole groups",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_study("yeh", tmp_path_factory.mktemp("yeh"), svg=False)


@pytest.mark.slow
def test_every_statement_has_its_verdict_and_the_page_shows_them(run: Run) -> None:
    """All statements hold, except for those known not to."""
    check_verdicts(run.record, OTHERWISE)
    assert shows_study("yeh", run.shown)


@pytest.mark.slow
def test_figures_agree_with_the_reference(run: Run, reference_folders: list[Path]) -> None:
    for folder in reference_folders:
        expected = json.loads((folder / "significance" / "expected.json").read_text())
        _check_figures(run.record["figures"], expected["yeh2000"])


def _check_figures(figures: dict[str, Any], known: dict[str, Any]) -> None:
    for each in figures["metrics"]:
        expected = known["metrics"][each["metric"]]
        assert each["exceeding_one_sided"] == expected["exact_count_one_sided_of_2_pow_86"]
        assert each["p_two_sided"] == pytest.approx(expected["p_two_sided"], rel=1e-9)
        assert each["published_z"] == pytest.approx(
            expected["published_minus_expected_in_sd"], abs=0.006
        )
    assert figures["r12"] == pytest.approx(known["r12"], rel=1e-9)
    tests = figures["tests"]
    assert tests["chi_square"]["p"] == pytest.approx(known["chi_square_precision"]["p"], rel=1e-9)
    assert tests["yates"]["p"] == pytest.approx(known["chi_square_precision"]["yates_p"], rel=1e-9)
    assert tests["sign"]["p"] == pytest.approx(known["sign_test_recall"]["p_two_sided"], rel=1e-9)
    for name, key in (
        ("two_sample_t", "two_sample_t_recall"),
        ("matched_t", "matched_pair_t_recall"),
    ):
        assert tests[name]["p"] == pytest.approx(known[key]["p_two_sided"], rel=1e-9)
    expected_p = known["binomial_independence_recall"]["p_two_sided_pooled"]
    assert tests["binomial"]["p"] == pytest.approx(expected_p, rel=1e-9)


def test_correlated_coins() -> None:
    """Five alike by integrating over the shared chance; the sign test by drawing groups."""
    for r in (0.1, 0.3, 0.5):
        a = (1 / r - 1) / 2
        whole, _ = integrate.quad(lambda q, a=a: q**5 * stats.beta.pdf(q, a, a), 0, 1)
        assert all_on_one_side(r) == pytest.approx(whole, abs=1e-6)
        # Two flips of a group: their correlation is r.
        both, _ = integrate.quad(lambda q, a=a: q**2 * stats.beta.pdf(q, a, a), 0, 1)
        assert (both - 0.25) / 0.25 == pytest.approx(r, abs=1e-6)
    generator = np.random.default_rng(0)
    a = (1 / 0.3 - 1) / 2
    won = generator.binomial(5, generator.beta(a, a, (20_000, GROUPS))).sum(axis=1)
    items = 5 * GROUPS
    low = [k for k in range(items + 1) if stats.binomtest(k, items).pvalue <= 0.05]
    rejected = np.isin(won, low)
    rate = sign_test_rate(0.3)
    assert abs(rejected.mean() - rate) < 4.5 * math.sqrt(rate / 20_000)


@pytest.mark.slow
def test_whole_groups_keep_the_level() -> None:
    for each in grouped_tests(1, sets=300):
        error = math.sqrt(0.05 * 0.95 / each.sets)
        assert each.by_group < 0.05 + 3 * error
    assert sign_test_rate(0.0) <= 0.05 < sign_test_rate(0.1) < sign_test_rate(0.5)


def test_r12_of_pairs_by_hand() -> None:
    """One relation an item: terms are hits less their mean, and r12 is the paper's."""
    hits = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1], [0, 0, 0, 1, 1, 1]])
    rows = [np.stack([own, own * 0, own * 0 + 1], axis=1) for own in hits]
    arrays = dict(zip("ABC", rows, strict=True))
    found = correlations("relations", Counts.from_arrays(arrays, columns=["cor", "par", "pos"]))
    assert found.r12 == pytest.approx((1 / 3, -1.0, -1 / 3))
    assert (found.positive, found.number) == (1, 6)
    # Two of three thirds of the variance: 1 / sqrt(1 - r12) of equal standard deviations.
    assert found.inflations[0] == pytest.approx(math.sqrt(1.5))
    # A less C is 1 1 1 -1 -1 -1: from one to the next it changes once in five.
    steps = np.array([1, 1, 1, -1, -1]), np.array([1, 1, -1, -1, -1])
    assert found.neighbours[1] == pytest.approx(np.corrcoef(*steps)[0, 1])


# Randomization by response


@pytest.fixture(scope="session")
def yeh(reference_data: Path) -> dict[str, Any]:
    text = (reference_data / "significance" / "expected.json").read_text()
    found: dict[str, Any] = json.loads(text)["yeh2000"]
    return found


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
def test_yeh(yeh: dict[str, Any], metric: str) -> None:
    """All 2^86 exchanges of the published example: the counts agree, and shuffles come near."""
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


# Tests that suppose independence


def test_yeh_inflation(yeh: dict[str, Any]) -> None:
    for row in yeh["independence_inflation"]:
        assert inflation(row["r12"], 2.0, 2.0) == pytest.approx(row["sd_ind_over_sd"], rel=1e-9)


@given(*[st.integers(1, 60)] * 4, st.booleans())
def test_chi_square_agrees_with_scipy(a: int, b: int, c: int, d: int, yates: bool) -> None:
    expected = stats.chi2_contingency([[a, b], [c, d]], correction=yates)
    result = chi_square(a, b, c, d, yates=yates)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)


RIGHT = {"A": [1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1], "B": [1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0]}


@pytest.mark.parametrize("test", ["two-sample-t", "binomial", "chi2"])
def test_a_comparison_takes_them_by_name(test: str) -> None:
    table = [[9, 3], [4, 8]]
    plain = stats.chi2_contingency(table, correction=False).pvalue
    expected = {
        "two-sample-t": stats.ttest_ind(RIGHT["A"], RIGHT["B"]).pvalue,
        "binomial": plain,  # its z is the root of chi-square
        "chi2": plain,
    }
    result = ta.compare(ta.Counts.from_arrays(RIGHT), test=test, intervals=False)
    assert result.pairs[0].p == pytest.approx(expected[test], rel=1e-9)
    assert f"{test} test" in str(result).lower()
