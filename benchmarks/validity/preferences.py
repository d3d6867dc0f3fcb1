"""Preferences on one scale: levels and intervals, also beside a system that always won.

All systems meet on every prompt. What a prompt does to a system ties its judgments together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import tellapart as ta
from benchmarks.validity import Setting
from tellapart.stats.bradley_terry import Matches, put_on_scale

Floats = NDArray[np.float64]


def _judged(strengths: Floats, prompts: int, moods: float, rng: np.random.Generator) -> Matches:
    """Return one judgment of every pair on every prompt."""
    a, b = np.triu_indices(len(strengths), 1)
    own = rng.normal(0, moods, (prompts, len(strengths))) + strengths
    won = rng.random((prompts, len(a))) < 1 / (1 + np.exp(own[:, b] - own[:, a]))
    units = np.repeat(np.arange(prompts), len(a))
    return Matches.of(np.tile(a, prompts), np.tile(b, prompts), won.ravel().astype(float), units)


def missed(strengths: Sequence[float], prompts: int, moods: float, sets: int, seed: int) -> float:
    """Return how often the 95 % interval of a difference leaves out the true one.

    Asked are differences that have an interval: of systems of which neither always won.
    """
    rng, truth = np.random.default_rng(seed), np.array(strengths)
    outside = asked = 0
    for _ in range(sets):
        matches = _judged(truth, prompts, moods, rng)
        above, added = matches.dominance(), put_on_scale(matches).contributions
        for a, b in zip(*np.triu_indices(len(truth), 1), strict=True):
            if not (above[a, b] or above[b, a]):
                apart = added[:, a] - added[:, b]
                reach = stats.t.ppf(0.975, prompts - 1) * apart.std(ddof=1) / math.sqrt(prompts)
                outside += abs(apart.mean() - truth[a] + truth[b]) > reach
                asked += 1
    return outside / max(1, asked)


def told_apart_by_places(first: float, prompts: int, sets: int, seed: int) -> float:
    """Return how often equal systems get a Yes without a condition from a judge of places.

    The judge takes the first place in 80 %, which one system has in so many of the prompts.
    """
    rng, wrong = np.random.default_rng(seed), 0
    for _ in range(sets):
        swapped = rng.random(prompts) >= first
        rows = [
            {"id": f"q{k}", "model_a": "yx"[not other], "model_b": "xy"[not other],
             "winner": "A" if rng.random() < 0.8 else "B"}
            for k, other in enumerate(swapped)
        ]  # fmt: skip
        (answer,) = ta.compare(ta.read(rows), intervals=False, workers=1).answers.values()
        wrong += answer.answer == "Yes" and not answer.conditions
    return wrong / sets


SETTINGS = (
    *(
        Setting(f"preferences, four equal systems, {prompts} prompts, sd {moods:g}: a pair differs",
                partial(missed, (0.0,) * 4, prompts, moods), most=0.055, sets=1000,
                small=150 * (prompts == 15))
        for prompts in (15, 40, 100) for moods in (0.0, 1.5)
    ),
    *(
        Setting(f"preferences, four systems that differ, {prompts} prompts: a difference missed",
                partial(missed, (0.3, 0.3, 1.0, -0.8), prompts, 0.0), most=0.055, sets=1000)
        for prompts in (15, 40, 100)
    ),
    *(
        Setting(f"one of {len(strengths)} always won, {prompts} prompts: others missed",
                partial(missed, strengths, prompts, 0.0), most=0.07, sets=1000,
                small=300 * (prompts == 10))
        for strengths, prompts in (((4, 0.5, 0, -0.5), 10), ((4, 0.5, 0, -0.5), 20),
                                   ((5, 1, 0), 15))
    ),
    *(
        Setting(f"a judge that likes the first place, one is first in {first:.0%}: Yes",
                partial(told_apart_by_places, first, 60), most=0.03, sets=300)
        for first in (0.5, 0.8, 0.95)
    ),
)  # fmt: skip
