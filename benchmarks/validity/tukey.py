"""Families of ten systems with equal means: the randomized Tukey test, and maxT beside it.

Tukey's test permutes all systems within an item. That supposes that they vary alike, not only that
their means are equal: a report warns where they do not, and maxT holds there, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.validity import Setting
from tellapart.comparison.notices import unequal_spreads
from tellapart.stats import max_t, tukey

SYSTEMS, ITEMS = 10, 50
SHUFFLES = 99  # so that p = .05 is five of a hundred
ALIKE = (1.0,) * SYSTEMS
NOISY = (3.0, 3.0, *ALIKE[2:])
"""Standard deviations of the systems"""


def _drawn(spreads: tuple[float, ...], sets: int, seed: int) -> Iterator[NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    for _ in range(sets):
        item = generator.normal(0, 1, ITEMS)
        noise = generator.normal(0, 1, (SYSTEMS, ITEMS)) * np.array(spreads)[:, None]
        yield np.rint(100 * (20 + item + noise)).astype(np.int64)


def _pairs() -> list[tuple[int, int]]:
    return [(a, b) for a in range(SYSTEMS) for b in range(a + 1, SYSTEMS)]


def familywise_error(correction: str, spreads: tuple[float, ...], sets: int, seed: int) -> float:
    """Return in which share of sets at least one of all pairs is called different."""
    wrong = 0
    for values in _drawn(spreads, sets, seed):
        if correction == "tukey":
            found = tukey(values, _pairs(), n_resamples=SHUFFLES, rng=seed)
        else:
            a, b = np.array(_pairs()).T
            found = max_t(values[a] - values[b], n_resamples=SHUFFLES, rng=seed)
        wrong += bool((found.p <= 0.05).any())
    return wrong / sets


def warned(spreads: tuple[float, ...], sets: int, seed: int) -> float:
    """Return in which share of sets a report says that the systems do not vary alike."""
    count = 0
    for values in _drawn(spreads, sets, seed):
        errors = [float((values[a] - values[b]).std(ddof=1)) for a, b in _pairs()]
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
