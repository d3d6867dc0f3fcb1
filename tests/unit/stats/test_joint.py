"""Pairs adjusted under shared shuffles: step-down maxT and the randomized Tukey test."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm, studentized_range

from tellapart.stats.joint import max_t, tukey
from tellapart.stats.signed_sums import sign_flip

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def all_pairs(scores: NDArray[np.generic]) -> Floats:
    """Return the differences of all pairs of systems: pairs × items."""
    return np.array([scores[a] - scores[b] for a, b in combinations(range(len(scores)), 2)], float)


def contrasts(systems: int) -> Floats:
    """Return the weights of systems in the differences of all pairs: pairs × systems."""
    return all_pairs(np.eye(systems))


def small_counts(seed: int, systems: int = 3, items: int = 6) -> Ints:
    return np.random.default_rng(seed).integers(0, 5, (3, systems, items)) + 1


def step_down(null: list[list[Fraction]]) -> list[float]:
    """Adjust by the definition, on squares over mean squares: no roots, no rounding."""
    pairs = range(len(null[0]))
    mean = [sum(row[j] ** 2 for row in null) for j in pairs]
    squares = [[row[j] ** 2 / mean[j] if mean[j] else Fraction(0) for j in pairs] for row in null]
    order = sorted(pairs, key=lambda j: -squares[0][j])
    adjusted, running = [0.0] * len(order), 0.0
    for place, j in enumerate(order):
        count = sum(max(row[k] for k in order[place:]) >= squares[0][j] for row in squares)
        running = max(running, count / len(null))
        adjusted[j] = running
    return adjusted


@pytest.mark.parametrize("seed", range(4))
def test_flips_of_signs_are_those_of_the_definition(seed: int) -> None:
    """All 2^6 signs, by fractions."""
    terms = all_pairs(small_counts(seed)[0])
    null = [[Fraction(int(row @ signs)) for row in terms] for signs in product((1, -1), repeat=6)]
    assert max_t(terms).p.tolist() == step_down(null)


@given(st.integers(0, 10**6), st.sampled_from(["two-sided", "greater", "less"]))
def test_adjusted_p_are_at_least_the_pairs_own(seed: int, alternative: str) -> None:
    """Exactly so, and equal for a pair alone; the order of pairs and items does not matter."""
    rng = np.random.default_rng(seed)
    terms = all_pairs(rng.integers(0, 6, (4, 7)) / 10)
    own = np.array([sign_flip(row, alternative=alternative).p for row in terms])
    found = max_t(terms, alternative=alternative).p
    assert ((found >= own - 1e-12) & (found <= 1)).all()
    assert [max_t([row], alternative=alternative).p[0] for row in terms] == own.tolist()
    places = rng.permutation(len(terms))
    mixed = terms[places][:, rng.permutation(7)]
    assert max_t(mixed, alternative=alternative).p.tolist() == found[places].tolist()
    if alternative == "two-sided":
        assert max_t(-terms).p.tolist() == found.tolist()


def test_tukey_comes_near_all_permutations() -> None:
    """Three systems, six items: 6^6 permutations."""
    scores = np.random.default_rng(6).integers(0, 5, (3, 6)) + np.array([[0], [1], [3]])
    orders = list(permutations(range(3)))
    sums = np.zeros((1, 3), np.int64)
    for item in scores.T:
        permuted = np.array([item[list(order)] for order in orders])
        sums = (sums[:, None, :] + permuted[None, :, :]).reshape(-1, 3)
    ranges = sums.max(axis=1) - sums.min(axis=1)
    apart = np.abs(all_pairs(scores.sum(axis=1)))
    exact = np.array([(ranges >= difference).mean() for difference in apart])
    found = tukey(scores, n_resamples=20_000)
    sd = np.sqrt(exact * (1 - exact) / 20_000)
    assert (np.abs(found.p - exact) <= 4.5 * sd + 1 / 20_000).all()


def test_how_often_the_interval_of_one_pair_may_miss() -> None:
    """All pairs of five systems by the studentized range; copies of one pair as that pair alone."""
    scores = np.random.default_rng(8).normal(0, 1, (5, 400)).round(3)
    found = max_t(all_pairs(scores), n_resamples=20_000).simultaneous_error
    largest = studentized_range.ppf(0.95, 5, np.inf) / np.sqrt(2)
    assert found == pytest.approx(2 * norm.sf(largest), rel=0.1)
    for alternative in ("two-sided", "greater"):
        copies = max_t([scores[0]] * 4, alternative=alternative)
        assert copies.simultaneous_error == pytest.approx(0.05, rel=0.1)
