"""Pairs adjusted under shared shuffles: step-down maxT and the randomized Tukey test."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from known_answers.golden import golden_columns, golden_pairs, needs_golden
from tellapart.stats.joint import max_t, tukey

Floats = NDArray[np.float64]


def all_pairs(scores: NDArray[np.generic]) -> Floats:
    """Return the differences of all pairs of systems: pairs × items."""
    return np.array([scores[a] - scores[b] for a, b in combinations(range(len(scores)), 2)], float)


def contrasts(systems: int) -> Floats:
    """Return the weights of systems in the differences of all pairs: pairs × systems."""
    return all_pairs(np.eye(systems))


@needs_golden
@pytest.mark.parametrize("case", ["five-maxt", "five-tukey"])
def test_golden_answers(case: str) -> None:
    scores = golden_columns("five_systems")
    values = np.array(list(scores.values()))
    found = tukey(values) if case == "five-tukey" else max_t(values, contrasts(5))
    answers = golden_pairs(case)
    for p, pair in zip(found.p, combinations(scores, 2), strict=True):
        expected = answers[pair]["p_adjusted"]
        assert abs(p - expected) <= 4.5 * math.sqrt(2 * expected / 9_999) + 1.5 / 9_999
