"""The tests of Yeh's example, worked out: response level, classical, independent."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from studies.core import RunCheck, standard_errors, two_run_check
from studies.yeh.coins import GroupedTest, grouped_tests
from studies.yeh.correlations import Correlations, at_hand
from studies.yeh.independent import binomial_test, chi_square, inflation, two_sample_t
from studies.yeh.responses import ResponseCounts, response_test
from tellapart.stats.paired import mcnemar, paired_t
from tellapart.stats.result import Test

# Yeh 2000, section 3.3: of 103 modifier relations 19 were found by both methods, 28 by I alone, 6
# by II alone; 5 spurious ones by both, 43 by I alone, 9 by II alone.
COUNTS: Final = ResponseCounts(103, 19, 28, 6, 5, 43, 9)
SHUFFLES: Final = 1 << 20
# Section 3.3: in how many of 2^20 shuffles the difference was reached; I is better by recall and F,
# II by precision.
PUBLISHED: Final = {"recall": 96, "precision": 25770, "f1": 14794}
CLAIMS: Final = {"recall": "greater", "precision": "less", "f1": "greater"}
BETAS: Final = {"recall": math.inf, "precision": 0.0, "f1": 1.0}
# Section 2.1, table: r12, s_d / s_d-ind and s_d-ind / s_d.
INFLATIONS: Final = ((0.38, "0.787", "1.27"), (0.50, "0.707", "1.41"), (0.80, "0.447", "2.24"))


@dataclass(frozen=True, slots=True)
class MetricTests:
    """One metric: exact on both sides and on one, two runs of shuffles, the published count."""

    metric: str
    scores: tuple[Fraction, Fraction]
    two_sided: Test
    one_sided: Test
    runs: RunCheck
    """Exceedances of the one-sided test in two independent runs"""
    published: int

    @property
    def p(self) -> float:
        """The exact two-sided p."""
        return defined(self.two_sided)

    @property
    def level(self) -> float:
        """The exact one-sided p, which the paper gives."""
        return defined(self.one_sided)

    @property
    def difference(self) -> float:
        """Method I less method II."""
        return float(self.scores[0] - self.scores[1])

    @property
    def expected(self) -> float:
        """How many exceedances so many shuffles have on average."""
        return self.level * SHUFFLES

    @property
    def spread(self) -> float:
        """The standard deviation of that number."""
        return math.sqrt(self.expected * (1 - self.level))

    @property
    def published_z(self) -> float:
        """How many standard deviations the published number is from the expected one."""
        return standard_errors(self.published / SHUFFLES, self.level, SHUFFLES)


@dataclass(frozen=True, slots=True)
class YehTests:
    """All figures of the example."""

    metrics: dict[str, MetricTests]
    precision_shuffles: Test
    """The two-sided test of precision, by shuffles"""
    r12: float
    inflation: float
    chi_square: Test
    yates: Test
    sign: Test
    matched_t: Test
    two_sample_t: Test
    binomial: Test
    grouped: tuple[GroupedTest, ...]
    """What a test does to items in groups, by their correlation"""
    correlations: tuple[Correlations, ...]
    """Of MUC-4's pairs, by what an item is"""

    def p(self, name: str) -> float:
        """Return the p-value of a classical test."""
        return defined(getattr(self, name))


def defined(test: Test) -> float:
    """Return the p-value of a test that has one."""
    assert test.p is not None
    return test.p


def run_tests(seed: int, folder: str | None = None) -> YehTests:
    """Return all tests of the example."""
    c = COUNTS
    first, second = _hits()
    r12 = float(np.corrcoef(first, second)[0, 1])
    precision = (
        c.correct_both + c.correct_a,
        c.spurious_both + c.spurious_a,
        c.correct_both + c.correct_b,
        c.spurious_both + c.spurious_b,
    )
    return YehTests(
        {metric: _metric_tests(metric, seed) for metric in CLAIMS},
        response_test(COUNTS, beta=BETAS["precision"], n_resamples=SHUFFLES, rng=2 * seed),
        r12,
        inflation(r12, float(np.std(first)), float(np.std(second))),
        chi_square(*precision),
        chi_square(*precision, yates=True),
        mcnemar(c.correct_a, c.correct_b),
        paired_t(first, second),
        two_sample_t(first, second),
        binomial_test(int(first.sum()), c.possible, int(second.sum()), c.possible),
        grouped_tests(seed),
        at_hand(folder),
    )


def _hits() -> tuple[np.ndarray[Any, np.dtype[np.int64]], np.ndarray[Any, np.dtype[np.int64]]]:
    """Return per relation whether each method found it; which relation it is does not matter."""
    c = COUNTS
    neither = c.possible - c.correct_both - c.correct_a - c.correct_b
    kinds = [c.correct_both, c.correct_a, c.correct_b, neither]
    return np.repeat([1, 1, 0, 0], kinds), np.repeat([1, 0, 1, 0], kinds)


def _metric_tests(metric: str, seed: int) -> MetricTests:
    beta, claim = BETAS[metric], CLAIMS[metric]
    counted = []
    for rng in (2 * seed, 2 * seed + 1):
        run = response_test(COUNTS, beta=beta, alternative=claim, n_resamples=SHUFFLES, rng=rng)
        assert run.exceedances is not None
        counted.append(run.exceedances)
    return MetricTests(
        metric,
        COUNTS.scores(beta),
        response_test(COUNTS, beta=beta),
        response_test(COUNTS, beta=beta, alternative=claim),
        two_run_check(counted[0], counted[1], SHUFFLES),
        PUBLISHED[metric],
    )


def as_figures(tests: YehTests) -> dict[str, Any]:
    """Return all numbers for the record."""
    return {
        "counts": asdict(COUNTS),
        "shuffles": SHUFFLES,
        "metrics": [_metric_figures(each) for each in tests.metrics.values()],
        "precision_two_sided_p_by_shuffles": tests.precision_shuffles.p,
        "r12": tests.r12,
        "inflation": tests.inflation,
        "tests": {
            name: {"statistic": getattr(tests, name).statistic, "p": tests.p(name)}
            for name in (
                "chi_square", "yates", "sign", "matched_t", "two_sample_t", "binomial"
            )
        },
        "correlations": [asdict(each) for each in tests.correlations],
        "correlated_items": [asdict(each) for each in tests.grouped],
        "inflation_table": [
            {"r12": r12, "factor": inflation(r12, 1.0, 1.0)} for r12, *_ in INFLATIONS
        ],
    }  # fmt: skip


def _metric_figures(tests: MetricTests) -> dict[str, Any]:
    return {
        "metric": tests.metric,
        "score_1": str(tests.scores[0]),
        "score_2": str(tests.scores[1]),
        "difference": tests.difference,
        "p_two_sided": tests.p,
        "p_one_sided": tests.level,
        "exceeding_one_sided": str(tests.one_sided.exceedances),
        "assignments": str(tests.one_sided.arrangements),
        "expected_exceedances": tests.expected,
        "sd_exceedances": tests.spread,
        "exceedances": [tests.runs.first, tests.runs.second],
        "z_of_runs": tests.runs.z,
        "published_exceedances": tests.published,
        "published_z": tests.published_z,
    }
