"""Test sets drawn with a planted difference, and how many of them the test tells apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.projection import Bound, Projection
from tellapart.resampling.streams import SHARD
from tellapart.resampling.workers import Progress, no_progress
from tellapart.significance.randomization import Question, ShuffleJob, count_shards
from tellapart.significance.sequential import robbins_settled
from tellapart.studies.atoms import Atoms

ROUNDS = (1, 4, 16)
"""Shards of shuffles: each round asks only what the one before left open."""

_CHUNK = 250_000  # items drawn at a time
_STREAM = 7  # apart from the streams of shuffles and resamples


@dataclass(frozen=True, slots=True)
class Check:
    """How often a planted difference was found in simulated test sets."""

    units: int
    difference: float
    sets: int
    found: int
    expected: float
    """The share that the plan says"""

    @property
    def share(self) -> float:
        """The share of sets in which it was found."""
        return self.found / self.sets

    @property
    def error(self) -> float:
        """The standard error of that share."""
        return standard_error(self.share, self.sets)

    def agrees(self, errors: float = 2.0) -> bool:
        """Tell whether the share is within so many standard errors of the expected one."""
        return abs(self.share - self.expected) <= errors * standard_error(self.expected, self.sets)


def standard_error(share: float, sets: int) -> float:
    """Return the standard error of a share of so many.

    >>> standard_error(0.8, 1600)
    0.01
    """
    return round(math.sqrt(max(share * (1 - share), 0.0) / sets), 12)


@dataclass(frozen=True, slots=True)
class Trial:
    """What is simulated: test sets of so many units, each tested at a level."""

    units: int
    level: float
    sets: int
    seed: tuple[int, ...]
    """The user's seed, and numbers that tell one simulation of a plan from another"""


def count_found(atoms: Atoms, trial: Trial, progress: Progress = no_progress) -> int:
    """Draw test sets, test each by randomization, and count those that are told apart."""
    step = max(1, _CHUNK // (trial.units * atoms.clusters.size))
    found = 0
    for start in range(0, trial.sets, step):
        progress("simulated test sets", start, trial.sets)
        keys = (_STREAM, *trial.seed[1:], start)
        sequence = np.random.SeedSequence(trial.seed[0], spawn_key=keys)
        generator = np.random.Generator(np.random.SFC64(sequence))
        forms = atoms.draw(generator, min(step, trial.sets - start), trial.units)
        found += int(rejected(atoms.bound, forms, trial.level, trial.seed[0]).sum())
    progress("simulated test sets", trial.sets, trial.sets)
    return found


def rejected(bound: Bound, forms: NDArray[np.int64], level: float, seed: int) -> NDArray[np.bool_]:
    """Tell which pairs of systems (0 and 1, 2 and 3, …) differ at a level, by the shuffle test.

    Shuffles go on until the decision is the one of the exact test, but for an error of 0.001.
    """
    pairs = forms.shape[1] // 2
    reached, drawn, first = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64), 0
    open_ = np.arange(pairs)
    for shards in ROUNDS:
        both = np.stack([2 * open_, 2 * open_ + 1], axis=1).ravel()
        part = np.ascontiguousarray(forms[:, both, :])
        projection = Projection(_no_counts(), part, part.sum(axis=2), (bound,))
        questions = [Question(bound, 2 * k, 2 * k + 1, "two") for k in range(len(open_))]
        job = ShuffleJob.of(projection, questions, seed)
        counts = count_shards(job, [(first + k, SHARD) for k in range(shards)])
        reached[open_] += counts.sum(axis=0)
        drawn[open_] += shards * SHARD
        first += shards
        open_ = open_[~robbins_settled(drawn[open_], reached[open_], level)]
        if not len(open_):
            break
    return np.asarray((reached + 1) / (drawn + 1) <= level)


@cache
def _no_counts() -> Counts:
    """Stand in for the counts of a projection, of which the shuffle test asks only the forms."""
    return Counts.from_arrays({"first": [0], "second": [0]})
