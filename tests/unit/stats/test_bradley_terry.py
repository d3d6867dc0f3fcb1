"""Many systems on one scale: scores, intervals, and whether the scale fits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from tellapart.stats.bradley_terry import (
    Matches,
    bradley_terry,
    check_fit,
    put_on_scale,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def simulated(
    strengths: list[float], prompts: int, rng: np.random.Generator, shared: float = 0.0
) -> Matches:
    """Return all pairs on all prompts; `shared` ties the judgments of a prompt together."""
    a, b = np.triu_indices(len(strengths), 1)
    moods = rng.normal(0, shared, (prompts, len(strengths))) + np.array(strengths)
    chance = 1 / (1 + np.exp(moods[:, b] - moods[:, a]))
    won = (rng.random(chance.shape) < chance).astype(float)
    units = np.repeat(np.arange(prompts), len(a))
    return Matches.of(np.tile(a, prompts), np.tile(b, prompts), won.ravel(), units)


def incomplete(seed: int) -> tuple[Ints, Ints, Floats]:
    """Return matches of four systems with ties, of which two never met."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 4, (2, 150))
    kept = (a != b) & (np.minimum(a, b) + np.maximum(a, b) != 3)
    points = rng.choice([0.0, 0.5, 1.0], len(a), p=[0.35, 0.15, 0.5])
    return a[kept], b[kept], points[kept]


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_choix(seed: int) -> None:
    """Also of an incomplete design; to choix a win counts twice, a tie once for each."""
    choix = pytest.importorskip("choix", reason="the oracle choix is not installed")
    a, b, points = incomplete(seed)
    data = [
        pair
        for i, j, won in zip(a.tolist(), b.tolist(), points.tolist(), strict=True)
        for pair in [(i, j)] * round(2 * won) + [(j, i)] * round(2 - 2 * won)
    ]
    expected = choix.ilsr_pairwise(4, data, alpha=0, max_iter=1000, tol=1e-13)
    found = bradley_terry(a, b, points)
    assert found.scores == pytest.approx(expected, abs=1e-6)
    assert found.contributions.mean(axis=0) == pytest.approx(found.scores)
    assert not found.separated


@given(st.integers(0, 10_000))
def test_neither_order_nor_sides_matter(seed: int) -> None:
    a, b, points = incomplete(seed)
    there = bradley_terry(a, b, points)
    mixed = np.random.default_rng(seed).permutation(len(a))
    back = bradley_terry(b[mixed], a[mixed], 1 - points[mixed])
    assert back.scores == pytest.approx(there.scores, abs=1e-9)
    renamed = bradley_terry(3 - a, 3 - b, points)
    assert renamed.scores == pytest.approx(there.scores[::-1], abs=1e-9)


def test_a_system_that_always_wins_has_a_finite_score() -> None:
    matches = Matches.of([0, 0, 1, 2, 1], [1, 2, 2, 1, 2], [1, 1, 1, 1, 0.5])
    found = put_on_scale(matches)
    assert found.separated
    assert np.isfinite(found.scores).all()
    assert matches.dominance().tolist() == [[False, True, True], [False] * 3, [False] * 3]


def test_groups_that_met() -> None:
    apart = Matches.of([0, 2, 3], [1, 3, 4], [1, 0, 1])
    assert apart.components() == [[0, 1], [2, 3, 4]]
    assert Matches.of([0, 2], [2, 1], [1, 0]).components() == [[0, 1, 2]]


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 1.5])
def test_levels_with_judgments_that_go_together(shared: float) -> None:
    """Two equal systems among four differ, and a scale that holds misfits, in few data sets."""
    rng, different, misfits = np.random.default_rng(12), 0, 0
    strengths = [0.0, 0.0, 0.0, 0.0] if shared else [0.3, 0.3, 1.0, -0.8]
    for seed in range(80):
        matches = simulated(strengths, 40, rng, shared)
        added = put_on_scale(matches).contributions
        different += stats.ttest_1samp(added[:, 0] - added[:, 1], 0).pvalue <= 0.05
        fit = check_fit(matches, n_resamples=99, rng=seed)
        assert fit is not None
        assert fit.p is not None
        misfits += fit.p <= 0.05
    assert max(different, misfits) <= 4 + 3 * math.sqrt(80 * 0.05 * 0.95)


def test_a_ring_fits_no_scale() -> None:
    rng = np.random.default_rng(5)
    a, b = np.tile([0, 1, 2], 60), np.tile([1, 2, 0], 60)
    matches = Matches.of(a, b, (rng.random(180) < 0.85).astype(float), np.repeat(np.arange(60), 3))
    fit = check_fit(matches)
    assert fit is not None
    assert fit.df == 1
    assert (fit.p or 1) < 0.01
    assert check_fit(Matches.of([0, 1], [1, 2], [1, 0])) is None


def test_intervals_beside_a_system_that_always_won_cover() -> None:
    """Systems that nobody always beat keep theirs, by the influence of prompts, at 95 %."""
    truth, rng = np.array([4.0, 0.5, 0.0, -0.5]), np.random.default_rng(3)
    inside = asked = 0
    for _ in range(80):
        matches = simulated(truth.tolist(), 10, rng)
        if not matches.dominance()[0, 1:].all():
            continue
        added = put_on_scale(matches).contributions
        for a, b in ((1, 2), (1, 3), (2, 3)):
            low, high = stats.ttest_1samp(added[:, a] - added[:, b], 0).confidence_interval()
            inside += low <= truth[a] - truth[b] <= high
            asked += 1
    assert asked > 60
    assert inside / asked >= 0.9
