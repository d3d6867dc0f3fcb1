"""Prediction-powered means: PPI++ to the last digits, and what goes beyond it by hand."""

from __future__ import annotations

import math

import numpy as np
import ppi_py as ppi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from tellapart.stats.ppi import Judged, powered_difference, powered_mean, ppi_mean

Floats = NDArray[np.float64]


def graded(seed: int, items: int = 300) -> tuple[Floats, Floats]:
    """Return people's scores of all items, and a judge's that go with them."""
    rng = np.random.default_rng(seed)
    people = rng.integers(1, 6, items).astype(float)
    return np.clip(people + rng.choice([-1, 0, 0, 1, 1], items), 1, 5).astype(float), people


def labelled(people: Floats, labels: int) -> Floats:
    """Return the first labels, the others unknown."""
    return np.where(np.arange(len(people)) < labels, people, np.nan)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("labels", [20, 60, 200])
def test_mean_is_that_of_ppi_python(seed: int, labels: int) -> None:
    """Estimate, weight and variance are those of ppi-python, but for n - 2 in place of n."""
    judge, people = graded(seed)
    known, seen, unseen = people[:labels], judge[:labels], judge[labels:]
    found = ppi_mean(judge, labelled(people, labels))
    expected = np.squeeze(ppi.ppi_mean_pointestimate(known, seen, unseen))
    assert found.value == pytest.approx(float(expected), abs=1e-9)
    low, high = (float(end[0]) for end in ppi.ppi_mean_ci(known, seen, unseen, alpha=0.05))
    residual = float(np.var(known - found.weight * seen)) / labels
    imputed = float(np.var(found.weight * unseen)) / len(unseen)
    half = stats.norm.ppf(0.975) * math.sqrt(residual + imputed)
    assert (high - low) / 2 == pytest.approx(half, abs=1e-9)
    stretched = residual * labels / (labels - 2) + imputed * len(unseen) / (len(unseen) - 1)
    assert found.bare_variance == pytest.approx(stretched, rel=1e-9)
    assert found.variance > found.bare_variance
    for weight in (0.0, 0.4, 1.0):
        fixed = powered_mean(Judged.of(judge, labelled(people, labels)), weight)
        expected = ppi.ppi_mean_pointestimate(known, seen, unseen, lam=weight)
        assert fixed.value == pytest.approx(float(np.squeeze(expected)), abs=1e-9)


@given(st.integers(0, 10_000))
def test_swap_order_and_itself(seed: int) -> None:
    """The mean of differences; swapped systems turn the sign and keep p, the order is nothing."""
    (judge_a, a), (judge_b, b) = graded(seed, 80), graded(seed + 1, 80)
    first, second = Judged.of(judge_a, labelled(a, 30)), Judged.of(judge_b, labelled(b, 30))
    found, mirrored = powered_difference(first, second), powered_difference(second, first)
    assert (mirrored.value, mirrored.test().p) == pytest.approx((-found.value, found.test().p))
    assert found.test("greater").p == pytest.approx(mirrored.test("less").p)
    mixed = np.random.default_rng(seed).permutation(80)
    again = ppi_mean(judge_a[mixed], labelled(a, 30)[mixed])
    assert again.variance == pytest.approx(powered_mean(first).variance)
    assert powered_difference(first, first).test().p == 1.0


def test_all_labelled_is_the_t_test() -> None:
    """With labels of all items the judge has no say: Student's test, as scipy has it."""
    judge, people = graded(3, 40)
    found = powered_mean(Judged(judge, people - 3.2))
    expected = stats.ttest_1samp(people, 3.2)
    assert found.weight == 0
    assert found.test().p == pytest.approx(expected.pvalue, rel=1e-9)
    low, high = expected.confidence_interval(0.95)
    assert found.interval().ends == pytest.approx((low - 3.2, high - 3.2), rel=1e-9)


def test_clusters_by_hand() -> None:
    """Six labelled documents of two items: the sum of squares of what each adds."""
    people = np.array([1.0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, *[np.nan] * 4])
    found = powered_mean(Judged(np.zeros(16), people, np.repeat(np.arange(8), 2)))
    sums = np.array([2.0, 0, 1, 2, 0, 1]) - 2 * 0.5
    assert found.value == 0.5
    assert found.variance == pytest.approx(float(sums @ sums) / 12**2 * 6 / 5)
    judge, scores = graded(4)
    plain = powered_mean(Judged.of(judge, labelled(scores, 60)), 0.5)
    alone = powered_mean(Judged.of(judge, labelled(scores, 60), np.arange(len(judge))), 0.5)
    assert alone.variance == pytest.approx(plain.variance, rel=1e-12)


def test_labels_that_are_all_alike_are_no_certainty() -> None:
    """Twenty fives: on a scale that the judge uses, there may be others; else nothing is known."""
    fives = labelled(np.full(100, 5.0), 20)
    low, high = ppi_mean(np.repeat([1.0, 5.0], 50), fives).interval().ends
    assert low < 4.5 < 5 <= high
    assert ppi_mean(np.full(100, 5.0), fives).interval().ends == (None, None)
