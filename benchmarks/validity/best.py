"""A wrong "Yes, it is the best": systems that depend on each other, spread unlike, and are tied.

The best score is held against every other system by the two-sided test of each pair, uncorrected:
"the best of all" is shown where the largest of these p-values is at most alpha.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import ndtri

from benchmarks.validity import Setting
from tellapart.stats import sign_flip
from tellapart.stats.result import Floats
from tellapart.stats.signed_sums import coin_tails

ALPHA = 0.05


def right_or_wrong(
    sets: int, seed: int, *, rates: tuple[float, ...], items: int, shared: float
) -> float:
    """Return how often the best of right and wrong answers is shown to be it.

    `shared` is the correlation that the difficulty of items gives to any two systems.
    """
    rng, shown = np.random.default_rng(seed), 0
    limits = ndtri(np.array(rates))[:, None]
    for _ in range(sets):
        difficulty = np.sqrt(shared) * rng.normal(size=items)
        own = np.sqrt(1 - shared) * rng.normal(size=(len(rates), items))
        right = difficulty + own < limits
        best = int(right.sum(axis=1).argmax())
        others = np.delete(right, best, axis=0)
        won, lost = (right[best] & ~others).sum(axis=1), (~right[best] & others).sum(axis=1)
        shown += bool((coin_tails(won + lost, won - lost, 0) <= ALPHA).all() and (won > lost).all())
    return shown / sets


def graded(
    sets: int, seed: int, *, means: tuple[float, ...], spreads: tuple[float, ...], items: int
) -> float:
    """Return how often the best of graded scores with unlike spreads is shown to be it."""
    rng, shown = np.random.default_rng(seed), 0
    for _ in range(sets):
        scores = rng.normal(size=items) + np.array(means)[:, None]
        scores = scores + np.array(spreads)[:, None] * rng.normal(size=(len(means), items))
        shown += _is_shown(scores)
    return shown / sets


def _is_shown(scores: Floats) -> bool:
    order = np.argsort(-scores.mean(axis=1))  # the next is the likeliest to leave it open
    tests = (sign_flip(scores[order[0]], scores[k]) for k in order[1:])
    return all(test.p is not None and test.p <= ALPHA for test in tests)


def _answers(name: str, rates: tuple[float, ...], items: int, shared: float) -> Setting:
    """Return a row in which nothing is the best, so that each "Yes" is wrong."""
    measure = partial(right_or_wrong, rates=rates, items=items, shared=shared)
    return Setting(f"best: {name}", measure, most=0.055, sets=4000)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "best: two tied on top of three, right/wrong, 100 items",
        partial(right_or_wrong, rates=(0.7, 0.7, 0.4), items=100, shared=0.4),
        most=0.055,
        sets=4000,
        small=2000,
    ),
    _answers("two tied on top of 10, independent", (0.7,) * 2 + (0.5,) * 8, 200, 0.0),
    _answers("two tied on top of 10, much alike", (0.7,) * 2 + (0.5,) * 8, 200, 0.8),
    _answers("two tied on top of 30, near them the rest", (0.7,) * 2 + (0.65,) * 28, 400, 0.4),
    _answers("three tied on top of 10", (0.7,) * 3 + (0.5,) * 7, 200, 0.4),
    _answers("30 alike", (0.6,) * 30, 200, 0.4),
    Setting(
        "best: two tied on top of 5, one of them three times as noisy, graded",
        partial(graded, means=(1.0, 1.0, 0, 0, 0), spreads=(0.5, 1.5, 1, 1, 1), items=40),
        most=0.055,
    ),
    Setting(
        "best: three tied on top of 3, spreads 0.3, 1 and 3, graded",
        partial(graded, means=(0.0, 0.0, 0.0), spreads=(0.3, 1.0, 3.0), items=30),
        most=0.055,
    ),
    Setting(
        "best: one ahead of nine that are level is found",
        partial(right_or_wrong, rates=(0.7,) + (0.6,) * 9, items=400, shared=0.5),
        least=0.5,
        small=300,
    ),
    Setting(
        "best: the first of a staircase of eight is found",
        partial(right_or_wrong, rates=tuple(0.9 - 0.1 * k for k in range(8)), items=200,
                shared=0.5),
        least=0.85,
    ),
)  # fmt: skip
