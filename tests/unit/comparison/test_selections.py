"""Selections of slots: the level and the power of their test, by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from tellapart.comparison.options import Options
from tellapart.comparison.selections import compare_selections
from tellapart.counts.selections import SelectedSlots

MESSAGES = 40


def drawn_slots(rng: np.random.Generator, mixed: float, loss: float) -> SelectedSlots:
    """Draw slots of messages that are easier or harder; some messages have slots of both kinds.

    `mixed` is the share of such messages, `loss` how much harder selected slots are.
    """
    message = np.repeat(np.arange(MESSAGES), rng.integers(1, 5, MESSAGES))
    kind = rng.random(MESSAGES)[message]
    own = rng.random(len(message))
    selected = np.where((rng.random(MESSAGES) < mixed)[message], own, kind) < 0.5
    right = rng.random(len(message)) < rng.beta(2, 2, MESSAGES)[message] - loss * selected
    values = np.stack([2 * right, *np.full((2, len(message)), 2)], axis=1).astype(np.int64)
    return SelectedSlots("harder", "GE", values, selected, tuple(map(str, message)))


@pytest.mark.parametrize("mixed", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    ("times", "least", "most"),
    # So many of 250 are within 3.3 standard errors of .05; of 2,000, what is promised.
    [(250, 0.005, 0.095), pytest.param(2000, 0.02, 0.07, marks=pytest.mark.slow)],
)
def test_level_and_power(mixed: float, times: int, least: float, most: float) -> None:
    """At .05, with and without mixed messages; the effect is that of figure 14 (1993)."""

    def rejected(loss: float, times: int) -> float:
        hits = 0
        for k in range(times):
            slots = drawn_slots(np.random.default_rng([7, k]), mixed, loss)
            (found,) = compare_selections([slots], Options(shuffles=99, seed=k))
            hits += (found.p["f1"] or 0.0) <= 0.05
        return hits / times

    assert least <= rejected(0.0, times) <= most
    assert rejected(0.35, times // 8) > 0.5
