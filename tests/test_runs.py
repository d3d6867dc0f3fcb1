from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellapart.errors import DataError, UsageError
from tellapart.significance import repeated_runs
from tellapart.significance.repeated_runs import crossed_bootstrap, relabel_runs, smallest_relabel_p
from tellapart.significance.unpaired_tests import LinearRatio

OPPOSITE = {"two": "two", "greater": "less", "less": "greater"}
tails = st.sampled_from(sorted(OPPOSITE))
tenths = st.lists(st.integers(0, 9).map(lambda x: Fraction(x, 10)), min_size=1, max_size=5)


def test_reference_relabelling(reference_data: Path) -> None:
    text = (reference_data / "significance" / "expected.json").read_text()
    expected = json.loads(text)["run_relabelling"]
    both = relabel_runs(expected["runs_a"], expected["runs_b"])
    one = relabel_runs(expected["runs_a"], expected["runs_b"], "greater")
    assert (both.exceeding, both.total) == (expected["count_two_sided"], expected["relabellings"])
    assert (both.p, one.p) == (expected["p_two_sided"], expected["p_greater"])
    assert one.exceeding == expected["count_greater"]


def test_smallest_p() -> None:
    """Equal numbers of runs tie with their mirror image; unequal ones need not."""
    assert smallest_relabel_p(3, 3) == Fraction(2, 20)
    assert smallest_relabel_p(5, 5) == Fraction(2, 252)
    assert smallest_relabel_p(1, 1) == 1
    assert relabel_runs([5, 6, 7], [1, 2, 3]).p == 0.1
    assert relabel_runs([80, 90], [1, 2, 3]).p == float(smallest_relabel_p(2, 3)) == 0.1
    assert "no two-sided p below 2/20 (0.1)" in relabel_runs([5, 6, 7], [1, 2, 3]).note


@given(tenths, tenths, tails)
@settings(max_examples=60, deadline=None)
def test_relabelling_equals_brute_force(a: list[Fraction], b: list[Fraction], tail: str) -> None:
    pooled = [*a, *b]
    found = []
    for members in combinations(range(len(pooled)), len(a)):
        first = sum((pooled[i] for i in members), Fraction(0))
        found.append(first / len(a) - (sum(pooled) - first) / len(b))
    observed = found[0]
    exceeds = {
        "two": [abs(d) >= abs(observed) for d in found],
        "greater": [d >= observed for d in found],
        "less": [d <= observed for d in found],
    }
    result = relabel_runs(a, b, tail)
    assert (result.exceeding, result.total) == (sum(exceeds[tail]), len(found))
    assert result.difference == observed
    # Decimals as text and as floats are the same decimals.
    assert relabel_runs([str(float(x)) for x in a], b, tail).exceeding == result.exceeding
    assert relabel_runs([float(x) for x in a], b, tail).exceeding == result.exceeding
    assert relabel_runs(b, a, OPPOSITE[tail]).p == result.p


def test_many_runs_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = [3, 5, 6, 9, 12], [1, 2, 5, 7, 8]
    for tail in OPPOSITE:
        exact = relabel_runs(a, b, tail).p
        with monkeypatch.context() as patch:
            patch.setattr(repeated_runs, "ENUMERATION_LIMIT", 0)
            drawn = relabel_runs(a, b, tail, shuffles=10_000, seed=3)
        assert (drawn.method, drawn.total, drawn.seed) == ("shuffles", 10_000, 3)
        sd = math.sqrt(10_000 * exact * (1 - exact))
        assert abs(drawn.exceeding - 10_000 * exact) <= 4.5 * sd
    same = list(range(12))
    assert relabel_runs(same, same, shuffles=99).p == 1.0


def test_identical_runs() -> None:
    assert relabel_runs(["0.1", "0.3"], ["0.3", "0.1"]).p == 1.0
    for tail in OPPOSITE:
        assert relabel_runs([7, 7], [7, 7, 7], tail).p == 1.0


def test_variance_parts_by_hand() -> None:
    """Two runs, two items, B constant: the mean squares of A can be done in the head.

    A = [[0, 2], [4, 6]] is additive: no residual, run means 1 and 5 (variance 8 over 2 runs),
    item means 2 and 4 (variance 2 over 2 items).
    """
    result = crossed_bootstrap([[0, 2], [4, 6]], [[1, 1], [1, 1]], resamples=99)
    assert result.difference == 2.0
    assert result.residual_variance == pytest.approx(0.0, abs=1e-12)
    assert result.run_variance == pytest.approx(8 / 2)
    assert result.unit_variance == pytest.approx(2 / 2)


def test_variance_parts_recover_the_truth() -> None:
    """Averages over many simulated experiments come near the variances put in."""
    rng = np.random.default_rng(0)
    k, n, parts, d = 4, 30, [], []
    for _ in range(300):
        shared = rng.normal(0, 3, n)
        a, b = (
            shared + rng.normal(0, 1, n) + rng.normal(0, 0.5, (k, 1)) + rng.normal(0, 2, (k, n))
            for _ in range(2)
        )
        result = crossed_bootstrap(a, b, resamples=39)
        parts.append((result.unit_variance, result.run_variance, result.residual_variance))
        d.append(result.difference)
    truth = 2 * 1 / n, 2 * 0.25 / k, 2 * 4 / (k * n)
    assert np.mean(parts, axis=0) == pytest.approx(truth, rel=0.1)
    assert np.sum(np.mean(parts, axis=0)) == pytest.approx(np.var(d), rel=0.25)


def test_crossed_interval_by_enumeration() -> None:
    """Two runs and two items: the end of the interval is an end of the resampled values."""
    a, b = np.array([[0.0, 2.0], [4.0, 6.0]]), np.zeros((2, 2))
    result = crossed_bootstrap(a, b, resamples=3999, level=0.9)
    # P(d = 0) = P(only run 1) P(only item 1) = 1/16 > 0.05, and as much for d = 6.
    assert result.interval == (0.0, 6.0)
    inner = crossed_bootstrap(a, b, resamples=3999, level=0.8)
    assert inner.interval == (1.0, 5.0)


def test_crossed_standard_error_matches_theory() -> None:
    """Without item and residual parts the resampled variance is that of the mean of k runs."""
    a, b = np.repeat([[1.0], [2.0], [4.0], [7.0]], 5, axis=1), np.zeros((2, 5))
    result = crossed_bootstrap(a, b, resamples=9999)
    expected = np.var([1, 2, 4, 7]) / 4
    assert result.standard_error**2 == pytest.approx(expected, rel=0.05)


def test_ratio_of_ones_is_the_mean() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 5, (3, 8)), rng.integers(0, 5, (2, 8))
    plain = crossed_bootstrap(a, b, resamples=199)
    with_a, with_b = (np.stack([x, np.ones_like(x)], axis=2) for x in (a, b))
    ratio = crossed_bootstrap(with_a, with_b, LinearRatio((1, 0), (0, 1)), resamples=199)
    assert ratio.interval == pytest.approx(plain.interval)
    assert ratio.run_variance == pytest.approx(plain.run_variance)
    assert ratio.unit_variance == pytest.approx(plain.unit_variance)


def test_swapped_and_identical_systems() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(3, 10)), rng.normal(size=(4, 10))
    there, back = crossed_bootstrap(a, b), crossed_bootstrap(b, a)
    assert there.difference == -back.difference
    assert there.interval == pytest.approx((-back.interval[1], -back.interval[0]), abs=0.1)
    assert there.run_variance == pytest.approx(back.run_variance)
    constant = np.full((2, 5), 0.1)
    assert crossed_bootstrap(constant, constant, resamples=99).interval == (0.0, 0.0)


def test_same_seed_same_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(3, 40)), rng.normal(size=(3, 40))
    first = crossed_bootstrap(a, b, resamples=1999, seed=0)
    assert crossed_bootstrap(a, b, resamples=1999, seed=1) != first
    monkeypatch.setattr(repeated_runs, "_BATCH_CELLS", 500)
    assert crossed_bootstrap(a, b, resamples=1999, seed=0).interval == first.interval


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="tail"):
        relabel_runs([1], [2], "both")
    with pytest.raises(DataError, match="at least one"):
        relabel_runs([], [2])
    with pytest.raises(DataError, match="not a finite number"):
        relabel_runs([math.nan], [2])
    with pytest.raises(DataError, match="not a finite number"):
        relabel_runs(["high"], [2])
    with pytest.raises(DataError, match="two runs"):
        crossed_bootstrap([[1, 2, 3]], [[1, 2, 3]])
    with pytest.raises(DataError, match="share their items"):
        crossed_bootstrap([[1, 2, 3]] * 2, [[1, 2]] * 2)
    with pytest.raises(DataError, match="finite"):
        crossed_bootstrap([[1, math.inf]] * 2, [[1, 2]] * 2)
    with pytest.raises(UsageError, match="more resamples"):
        crossed_bootstrap([[1, 2]] * 2, [[1, 2]] * 2, resamples=19)
