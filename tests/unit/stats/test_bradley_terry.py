"""Many systems on one scale: scores and intervals, and whether the scale fits."""

from __future__ import annotations

import math

import choix
import numpy as np
import pytest
from numpy.typing import NDArray

from tellapart.stats.bradley_terry import Matches, bradley_terry, check_fit

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


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 1.5])
def test_a_scale_that_holds_seldom_misfits(shared: float) -> None:
    """Also where the judgments of a prompt go together."""
    rng, misfits = np.random.default_rng(12), 0
    strengths = [0.0, 0.0, 0.0, 0.0] if shared else [0.3, 0.3, 1.0, -0.8]
    for seed in range(80):
        fit = check_fit(simulated(strengths, 40, rng, shared), rng=seed)
        misfits += fit is not None and (fit.p or 1) <= 0.05
    assert misfits <= 4 + 3 * math.sqrt(80 * 0.05 * 0.95)


def test_a_ring_fits_no_scale() -> None:
    rng = np.random.default_rng(5)
    a, b = np.tile([0, 1, 2], 1000), np.tile([1, 2, 0], 1000)
    points = (rng.random(3000) < 0.6).astype(float)
    for few in (180, 3000):  # very many units are put together
        fit = check_fit(Matches.of(a[:few], b[:few], points[:few]))
        assert fit is not None
        assert (fit.p or 1) < 0.05
    assert check_fit(Matches.of([0, 1], [1, 2], [1, 0])) is None
