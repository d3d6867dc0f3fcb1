"""Runs and conditions: peers where one source is all there is, known parts, and properties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tellapart.stats.result import Floats
from tellapart.stats.runs import runs_test, spread
from tellapart.stats.signed_sums import sign_flip


def drawn(seed: int, k: int = 3, n: int = 40, sd: float = 0.0) -> list[Floats]:
    """Return right and wrong answers of two equal systems, runs × items."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0.5, 1, n)
    chances = (1 / (1 + np.exp(-hard - rng.normal(0, sd, (k, 1)))) for _ in range(2))
    return [(rng.random((k, n)) < chance).astype(float) for chance in chances]


def test_by_hand() -> None:
    """A = [[0, 2], [4, 6]] is additive: nothing is left to chance.

    Item means 2 and 4 have a variance of 2 over 2 items, run means 1 and 5 of 8 over 2 runs.
    """
    noise = spread(np.array([[0.0, 2.0], [4.0, 6.0]]), np.ones((2, 2)))
    assert (noise.difference, noise.items, noise.runs, noise.residual) == (2, 1, 4, 0)
    assert noise.varies
    assert noise.shares == pytest.approx(
        {"items": 0.2, "runs": 0.8, "conditions": 0, "residual": 0, "repeats": 0}
    )
    assert noise.turned() == replace(noise, difference=-2.0)


def test_runs_that_are_copies_cost_nothing() -> None:
    """Without any difference between runs it is the test over items, and its error that of t."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.3, 1, 30).round(3), rng.normal(0, 1, 30).round(3)
    first, second = np.stack([a] * 4), np.stack([b] * 3)
    noise = spread(first, second)
    assert not noise.varies
    assert noise.p() == pytest.approx(stats.ttest_rel(a, b).pvalue)
    ends = stats.ttest_rel(a, b).confidence_interval(0.9)
    assert noise.interval(0.9).ends == pytest.approx((ends.low, ends.high))
    for alternative in ("two-sided", "greater", "less"):
        found = runs_test(first, second, alternative=alternative)
        assert found.p == pytest.approx(sign_flip(a, b, alternative=alternative).p, rel=1e-9)
        assert found.method != "runs"


def test_items_that_are_all_alike_leave_a_test_of_runs() -> None:
    """Ten numbers of each system: Welch's t; a single run does not tell how far it varies."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.6, 0.2, 10), rng.normal(0.4, 0.05, 10)
    first, second = (np.repeat(means[:, None], 20, axis=1) for means in (a, b))
    noise, peer = spread(first, second), stats.ttest_ind(a, b, equal_var=False)
    assert (noise.items, noise.residual) == pytest.approx((0, 0), abs=1e-15)
    assert noise.difference / noise.error == pytest.approx(peer.statistic)
    assert noise.df == pytest.approx(peer.df, rel=0.05)
    assert not spread(first[:1], second).varies


def test_shared_conditions_count_by_their_differences() -> None:
    """What prompts do to both systems costs nothing where both have the same."""
    rng = np.random.default_rng(3)
    prompts = rng.normal(0, 1, (6, 1, 1))
    a, b = (prompts + rng.normal(0, 0.1, (6, 1, 1)) + np.zeros((6, 1, 15)) for _ in range(2))
    shared, own = spread(a, b), spread(a, b, crossed=False)
    paired = stats.ttest_rel(a.mean(axis=(1, 2)), b.mean(axis=(1, 2)))
    assert shared.difference / shared.error == pytest.approx(paired.statistic)
    assert own.error > 3 * shared.error
    assert shared.conditions == pytest.approx(shared.error**2)


def test_parts_recover_the_truth() -> None:
    """Averages over many experiments come near the variances put in."""
    rng = np.random.default_rng(0)
    k, n, parts = 8, 30, []
    for _ in range(300):
        shared = rng.normal(0, 3, n)
        a, b = (
            shared + rng.normal(0, 1, n) + rng.normal(0, 0.8, (k, 1)) + rng.normal(0, 2, (k, n))
            for _ in range(2)
        )
        noise = spread(a, b)
        parts.append((noise.items, noise.runs, noise.residual))
    truth = 2 * 1 / n, 2 * 0.64 / k, 2 * 4 / (k * n)
    assert np.mean(parts, axis=0) == pytest.approx(truth, rel=0.12)


@given(st.integers(0, 10**6), st.sampled_from(["two-sided", "greater", "less"]))
def test_other_runs_are_never_surer_than_these(seed: int, alternative: str) -> None:
    a, b = drawn(seed, n=12, sd=0.5)
    these = sign_flip(3 * a.mean(axis=0), 3 * b.mean(axis=0), alternative=alternative)
    found = runs_test(a, b, alternative=alternative)
    assert these.p - 1e-12 <= found.p <= 1


def test_missing_cells_count_as_the_mean_of_the_items_others() -> None:
    a, b = drawn(5, sd=0.4)
    holes = a.copy()
    holes[1, :3] = np.nan
    filled = holes.copy()
    filled[1, :3] = holes[[0, 2], :3].mean(axis=0)
    assert spread(holes, b) == spread(filled, b)
    holes[1, :15] = np.nan
    assert spread(holes, b) is None
    assert runs_test(holes, b).reason == "missing"
