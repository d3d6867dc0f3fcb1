"""The example of Yeh (2000): what comes out, and what does not."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from pages import shows_study
from studies.yeh.coins import (
    GROUPS,
    all_on_one_side,
    grouped_tests,
    sign_test_rate,
)
from studies.yeh.correlations import correlations
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
