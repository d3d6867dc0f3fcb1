"""Several runs of two systems: equal ones are seldom called different, and different ones found.

Right and wrong answers; runs, items and systems on items have effects on the logit scale.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.validity import Setting
from tellapart.counts import Counts
from tellapart.metrics.projection import project
from tellapart.significance.exact_tests import exact_test
from tellapart.significance.questions import Question
from tellapart.significance.varying_runs import noise_of_values

ALPHA = 0.05
_CELLS = 2**20  # answers drawn at once


def _drawn(
    rng: np.random.Generator, sets: int, runs: int, items: int, spread: float, gain: float
) -> NDArray[np.float64]:
    """Return answers, sets × systems × runs × items; the first system gains on the logit scale."""
    logit = rng.normal(0.5, 1.0, (sets, 1, 1, items)) + rng.normal(0, 0.5, (sets, 2, 1, items))
    logit = logit + rng.normal(0, 1, (sets, 2, runs, 1)) * spread
    logit[:, 0] += gain
    return (rng.random(logit.shape) < 1 / (1 + np.exp(-logit))).astype(np.float64)


def _these_runs(answers: NDArray[np.float64]) -> float:
    """Return p of these very runs, by the exact test of their sums."""
    sums = answers.sum(axis=1).astype(np.int64)
    projection = project(Counts.from_arrays({"A": sums[0], "B": sums[1]}))
    found = exact_test(projection, Question(projection.metrics[0], 0, 1, "two"))
    assert found is not None
    return found.p


def _rejects(answers: NDArray[np.float64]) -> bool:
    """Return whether two systems are called different; answers are systems × runs × items."""
    first, second = answers
    p = noise_of_values(float(first.mean() - second.mean()), (first, second)).p("two")
    return p <= ALPHA and _these_runs(answers) <= ALPHA


def called_different(
    sets: int, seed: int, *, runs: int, items: int, spread: float, gain: float = 0.0
) -> float:
    """Return the share of sets in which the systems are called different."""
    rng, found, left = np.random.default_rng(seed), 0, sets
    while left:
        some = min(left, max(1, _CELLS // (2 * runs * items)))
        found += sum(map(_rejects, _drawn(rng, some, runs, items, spread, gain)))
        left -= some
    return found / sets


def relative_power(sets: int, seed: int, *, runs: int, items: int, gain: float) -> float:
    """Return how often a real difference is found, over how often the test of items alone does.

    Both see the same sets, in which runs do not differ.
    """
    rng = np.random.default_rng(seed)
    answers = _drawn(rng, sets, runs, items, 0.0, gain)
    by_items = sum(_these_runs(each) <= ALPHA for each in answers)
    return sum(map(_rejects, answers)) / by_items


SETTINGS: tuple[Setting, ...] = (
    *(
        Setting(
            f"equal systems, {runs} runs of spread {spread:g}, {items:,} items: called different",
            partial(called_different, runs=runs, items=items, spread=spread),
            most=0.075,
            small=400 if items == 50 else 0,
        )
        for runs in (2, 3, 5)
        for spread in (0.0, 0.2, 0.4)
        for items in (50, 200, 1000)
    ),
    *(
        Setting(
            f"a real difference, {runs} runs without spread, 200 items: power over that of items",
            partial(relative_power, runs=runs, items=200, gain=0.45),
            least=0.85,
            small=300,
        )
        for runs in (3, 5)
    ),
)
