"""Families of ten systems with equal means: the randomized Tukey test, and maxT beside it.

Tukey's test permutes all systems within an item. That supposes that they vary alike, not only that
their means are equal: a report warns where they do not, and maxT holds there, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.validity import Setting
from tellapart.comparison.notices import unequal_spreads
from tellapart.counts import Counts
from tellapart.metrics.projection import Projection, project
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.diagnostics import error_terms, standard_error
from tellapart.significance.joint_corrections import joint_adjusted
from tellapart.significance.questions import Question

SYSTEMS, ITEMS = 10, 50
SHUFFLES = 99  # so that p = .05 is five of a hundred
ALIKE = (1.0,) * SYSTEMS
NOISY = (3.0, 3.0, *ALIKE[2:])
"""Standard deviations of the systems"""


def _drawn(spreads: tuple[float, ...], sets: int, seed: int) -> Iterator[Projection]:
    generator = np.random.default_rng(seed)
    for _ in range(sets):
        item = generator.normal(0, 1, ITEMS)
        noise = generator.normal(0, 1, (SYSTEMS, ITEMS)) * np.array(spreads)[:, None]
        values = np.rint(100 * (20 + item + noise)).astype(int)
        arrays = {f"s{k}": row for k, row in enumerate(values)}
        yield project(Counts.from_arrays(arrays))


def _pairs() -> list[tuple[int, int]]:
    return [(a, b) for a in range(SYSTEMS) for b in range(a + 1, SYSTEMS)]


def familywise_error(correction: str, spreads: tuple[float, ...], sets: int, seed: int) -> float:
    """Return in which share of sets at least one of all pairs is called different."""
    pool, wrong = WorkerPool(), 0
    for projection in _drawn(spreads, sets, seed):
        questions = [Question(projection.metrics[0], a, b, "two") for a, b in _pairs()]
        found = joint_adjusted(projection, questions, correction, SHUFFLES, seed, pool)
        wrong += bool((found.p_values <= 0.05).any())
    return wrong / sets


def warned(spreads: tuple[float, ...], sets: int, seed: int) -> float:
    """Return in which share of sets a report says that the systems do not vary alike."""
    count = 0
    for projection in _drawn(spreads, sets, seed):
        terms = error_terms(projection, projection.metrics[0])
        errors = [standard_error(terms, a, b) for a, b in _pairs()]
        count += unequal_spreads(errors) is not None
    return count / sets


SETTINGS = (
    Setting(
        "tukey, ten systems that vary alike: any called different",
        partial(familywise_error, "tukey", ALIKE),
        small=200,
        most=0.06,
    ),
    Setting(
        "maxt, two noisy among eight quiet systems: any called different",
        partial(familywise_error, "maxt", NOISY),
        small=200,
        most=0.06,
    ),
    Setting(
        "tukey, the same: any called different, which is not promised",
        partial(familywise_error, "tukey", NOISY),
        small=0,
    ),
    Setting(
        "tukey, the same: the report warns of unequal spreads",
        partial(warned, NOISY),
        small=200,
        least=0.99,
    ),
    Setting(
        "tukey, ten systems that vary alike: the report warns",
        partial(warned, ALIKE),
        small=200,
        most=0.1,
    ),
)
