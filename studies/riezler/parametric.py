"""Randomization and bootstrap beside the t test, where its assumptions are met and where not.

Sets of differences are drawn with and without a true difference, and each test says whether there
is one. What is drawn once is put to all tests, so that these are compared on the same sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studies.core import p_values_side_by_side, scores_of
from studies.riezler.null_pairs import RANDOMIZATION, SIGNED
from tellapart.counts import Counts

T: Final = "t"
COMPARED: Final = (T, RANDOMIZATION, SIGNED)
ITEMS: Final = 20
SETS: Final = 1_000
LEVEL: Final = 0.05
_RESAMPLES: Final = 999
_GRID: Final = 1_000  # steps of a unit: scores are kept as whole numbers
_STREAM: Final = 7

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class World:
    """How differences are spread round their mean, and a true mean that is sometimes found."""

    name: str
    met: bool
    """Whether the t test assumes this"""
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats]
    effect: float


WORLDS: Final = (
    World("normal", True, lambda g, size: g.standard_normal(size), 0.6),
    World("long tails", False, lambda g, size: g.standard_t(2, size), 1.2),
    World("skewed", False, lambda g, size: g.standard_exponential(size) - 1.0, 0.6),
)


@dataclass(frozen=True, slots=True)
class Rates:
    """How often each test finds a difference in one world: where there is none, and where one."""

    world: World
    sets: int
    level: dict[str, float]
    power: dict[str, float]
    gain: float
    """Power of randomization less that of t"""
    gain_error: float
    """The standard error of that gain: sets on which only one of the two is right"""


def simulate(seed: int, sets: int | None = None) -> tuple[Rates, ...]:
    """Return the rates of all worlds."""
    return tuple(_rates(number, world, seed, sets or SETS) for number, world in enumerate(WORLDS))


def _rates(number: int, world: World, seed: int, sets: int) -> Rates:
    sequence = np.random.SeedSequence(seed, spawn_key=(_STREAM, number))
    drawn = world.draw(np.random.Generator(np.random.SFC64(sequence)), (sets, ITEMS))
    null, shifted = (_found(drawn + effect, seed) for effect in (0.0, world.effect))
    gains = shifted[RANDOMIZATION].astype(np.int64) - shifted[T]
    return Rates(
        world,
        sets,
        {test: float(found.mean()) for test, found in null.items()},
        {test: float(found.mean()) for test, found in shifted.items()},
        float(gains.mean()),
        math.sqrt(float((gains != 0).mean()) / sets),
    )


def _found(differences: Floats, seed: int) -> dict[str, NDArray[np.bool_]]:
    """Return by test on which sets a difference is found; each is a pair of systems."""
    whole = np.rint(_GRID * differences).astype(np.int64)
    both = {f"{k}{side}": row * (side == "a") for k, row in enumerate(whole) for side in "ab"}
    scores = scores_of(Counts.from_arrays(both))
    return {
        test: p_values_side_by_side(scores, test, _RESAMPLES, seed) <= LEVEL for test in COMPARED
    }
