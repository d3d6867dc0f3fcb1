"""Power by simulation: test sets are drawn with a planted difference, and tested.

A figure of the formula (`tellapart.significance.power`) stands where simulated test sets bear it
out.
Where they do not, the answer is searched for by simulating more; one that fresh test sets do not
bear out is withheld.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.planning.pilot import Pilot
from tellapart.planning.populations import ItemModel
from tellapart.progress import Progress, no_progress
from tellapart.resampling.streams import SHARD
from tellapart.significance.power import Population, PowerCurve, fewest_items, probit
from tellapart.significance.questions import Question, as_tested
from tellapart.significance.sequential import robbins_settled
from tellapart.significance.shuffle_tests import ShuffleJob, count_shards

ROUNDS = (1, 4, 16)
"""Shards of shuffles: each round goes on with the pairs that the one before left undecided."""

_CHUNK = 250_000  # clusters drawn at a time
_STREAM = 7  # apart from the streams of shuffles and resamples


@dataclass(frozen=True, slots=True)
class Check:
    """How often a planted difference was found in simulated test sets."""

    clusters: int
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

    def agrees(self, errors: float, slack: float = 0.0) -> bool:
        """Return whether the share is within so many standard errors of the expected one.

        `slack` comes on top: by so much a formula may be wrong.
        """
        most = errors * standard_error(self.expected, self.sets) + slack
        return abs(self.share - self.expected) <= most


def standard_error(share: float, sets: int) -> float:
    """Return the standard error of a share of so many.

    >>> standard_error(0.8, 1600)
    0.01
    """
    return round(math.sqrt(max(share * (1 - share), 0.0) / sets), 12)


@dataclass(frozen=True, slots=True)
class Simulation:
    """What to simulate: test sets of so many clusters, each tested at a level."""

    clusters: int
    level: float
    sets: int
    seed: tuple[int, ...]
    """The user's seed, and numbers that keep one simulation of a plan apart from another"""


def count_found(model: ItemModel, simulation: Simulation, progress: Progress = no_progress) -> int:
    """Return in how many drawn test sets the randomization test finds a difference."""
    width = len(model.rates) if model.clustering.size > 1 or model.poisson else 1
    step = max(1, _CHUNK // (simulation.clusters * max(1, width // 8)))
    found = 0
    for start in range(0, simulation.sets, step):
        progress("simulated test sets", start, simulation.sets)
        keys = (_STREAM, *simulation.seed[1:], start)
        sequence = np.random.SeedSequence(simulation.seed[0], spawn_key=keys)
        generator = np.random.Generator(np.random.SFC64(sequence))
        forms = model.draw(generator, min(step, simulation.sets - start), simulation.clusters)
        found += int(rejected(model.bound, forms, simulation.level, simulation.seed[0]).sum())
    progress("simulated test sets", simulation.sets, simulation.sets)
    return found


def rejected(bound: Bound, forms: NDArray[np.int64], level: float, seed: int) -> NDArray[np.bool_]:
    """Return which pairs of systems (0 and 1, 2 and 3, …) differ at a level.

    The test is that of `auto`, by shuffles. They go on until the decision is the one of the exact
    test, but for an error of 0.001.
    """
    pairs = forms.shape[1] // 2
    reached, drawn, first = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64), 0
    undecided = np.arange(pairs)
    for shards in ROUNDS:
        both = np.stack([2 * undecided, 2 * undecided + 1], axis=1).ravel()
        part = np.ascontiguousarray(forms[:, both, :])
        projection = Projection(_no_counts(), part, part.sum(axis=2), (bound,))
        questions = [Question(bound, 2 * k, 2 * k + 1, "two") for k in range(len(undecided))]
        questions = as_tested(projection, questions, "auto")
        job = ShuffleJob.of(projection, questions, seed)
        counts = count_shards(job, [(first + k, SHARD) for k in range(shards)])
        reached[undecided] += counts.sum(axis=0)
        drawn[undecided] += shards * SHARD
        first += shards
        undecided = undecided[~robbins_settled(drawn[undecided], reached[undecided], level)]
        if not len(undecided):
            break
    return np.asarray((reached + 1) / (drawn + 1) <= level)


@cache
def _no_counts() -> Counts:
    """Return a stand-in for the counts of a projection: the shuffle test needs only its forms."""
    return Counts.from_arrays({"first": [0], "second": [0]})


_ATTEMPTS = 3  # at an answer that fresh test sets bear out
_PROBES = 6  # values looked at before each new attempt
_PART = 0.4  # of the test sets of an attempt are enough for a value on the way there
_NEAR = 0.8  # probits around the wanted power in which it is taken for a straight line
_AT_ONCE, _AFTERWARDS = 1.5, 2.5  # standard errors within which an answer is borne out
_NOISE = 0.1  # of the clusters: a guess from simulations this near the formula says no more than it
_EXACT = 3.0  # the same for what is exact
_ROUGHLY = 0.04  # of a power, by which the formula for a pilot may be wrong


@dataclass(frozen=True, slots=True)
class SearchRange:
    """Where an answer is searched for: among differences, or (whole) numbers of clusters."""

    guess: float
    low: float
    high: float
    whole: bool = False

    def scaled(self, value: float) -> float:
        """Return the scale on which the probit of the power is nearly a straight line."""
        return math.sqrt(value) if self.whole else value

    def unscaled(self, scaled: float) -> float:
        """Return the value at a point of that scale, within bounds."""
        found = min(self.high, max(self.low, scaled * scaled if self.whole else scaled))
        return min(self.high, float(math.ceil(found - 1e-6))) if self.whole else found


@dataclass(frozen=True, slots=True)
class Answer:
    """A difference or a number of clusters that fresh test sets bear out; None if there is none."""

    value: float | None
    found: int = 0
    sets: int = 0
    expected: float = 0.0
    impossible: bool = False
    """Whether there is none because no difference, however large, is found so often"""


@dataclass(frozen=True, slots=True)
class _Probe:
    value: float
    scaled: float
    sets: int
    share: float  # with half a set of either kind added: never 0 or 1

    @property
    def probit(self) -> float:
        return probit(self.share)

    @property
    def weight(self) -> float:
        return self.sets * NormalDist().pdf(self.probit) ** 2 / (self.share * (1 - self.share))


class Search:
    """A search for the value from which on a difference is found as often as wanted.

    `draw` draws fresh test sets at a value, all of them or a part, and returns how many were told
    apart, and of how many.

    >>> line = lambda value, part: (round(1000 * NormalDist().cdf(value)), 1000)
    >>> found = Search(line, SearchRange(3.0, 0.1, 9.0), 0.8, 0.05).answer()
    >>> abs(NormalDist().cdf(found.value) - 0.8) < 0.03
    True
    """

    def __init__(
        self,
        draw: Callable[[float, float], tuple[int, int]],
        bounds: SearchRange,
        wanted: float,
        level: float,
    ) -> None:
        self.draw, self.bounds, self.wanted = draw, bounds, wanted
        self.target, self.critical = probit(wanted), -probit(level / 2)
        self.probes: list[_Probe] = []

    def answer(self) -> Answer:
        """Return the guess, or what the search closes in on, if fresh test sets bear it out."""
        value, expected = self.bounds.guess, self.wanted
        for attempt in range(_ATTEMPTS):
            found, sets = self._probe(value)
            errors = _AFTERWARDS if attempt else _AT_ONCE
            if Check(0, value, sets, found, expected).agrees(errors):
                return Answer(value, found, sets, expected)
            if attempt < _ATTEMPTS - 1:
                self._close_in()
                answer = self._fitted()
                if answer is None:
                    return Answer(None, impossible=self._impossible())
                value, expected = answer
        return Answer(None)

    def _probe(self, value: float, part: float = 1.0) -> tuple[int, int]:
        found, sets = self.draw(value, part)
        share = (found + 0.5) / (sets + 1)
        self.probes.append(_Probe(value, self.bounds.scaled(value), sets, share))
        return found, sets

    def _below(self) -> _Probe | None:
        short = [each for each in self.probes if each.share < self.wanted]
        return max(short, key=lambda each: each.scaled, default=None)

    def _above(self) -> _Probe | None:
        enough = [each for each in self.probes if each.share >= self.wanted]
        return min(enough, key=lambda each: each.scaled, default=None)

    def _impossible(self) -> bool:
        below = self._below()
        if below is None or self.bounds.whole or below.value < self.bounds.high:
            return False
        return below.share + 2 * standard_error(below.share, below.sets) < self.wanted

    def _close_in(self) -> None:
        """Try more values, until some lie on either side of the answer and near it."""
        for _ in range(_PROBES):
            value = self._next()
            if sum(each.value == value for each in self.probes) > 1:
                return
            self._probe(value, _PART)
            near = [each for each in self.probes if abs(each.probit - self.target) < _NEAR / 2]
            if self._below() and self._above() and len(near) > 2:
                return

    def _next(self) -> float:
        below, above = self._below(), self._above()
        if below is None or above is None:
            last = below or above
            assert last is not None
            step = (self.target + self.critical) / max(0.5, last.probit + self.critical)
            step = min(2.5, 1.1 * step) if below else max(0.4, 0.9 * step)
            return self.bounds.unscaled(last.scaled * step)
        if above.scaled <= below.scaled:
            return self.bounds.unscaled((above.scaled + below.scaled) / 2)
        part = (self.target - below.probit) / (above.probit - below.probit)
        part = min(0.85, max(0.15, part))
        return self.bounds.unscaled(below.scaled + part * (above.scaled - below.scaled))

    def _fitted(self) -> tuple[float, float] | None:
        """Return where a line through what was found near the answer has the wanted power."""
        above = self._above()
        if above is None:
            return None
        if above.value <= self.bounds.low or (self.bounds.whole and self._is_fewest(above.value)):
            return above.value, above.share
        near = [each for each in self.probes if abs(each.probit - self.target) < _NEAR]
        if not near:
            return None
        x, z, weights = np.array([(each.scaled, each.probit, each.weight) for each in near]).T
        x0, z0 = float(np.average(x, weights=weights)), float(np.average(z, weights=weights))
        spread = float(np.average((x - x0) ** 2, weights=weights))
        slope = (z0 + self.critical) / x0  # of a test whose power goes up as it should
        if spread > (0.02 * x0) ** 2:
            slope = float(np.average((x - x0) * (z - z0), weights=weights)) / spread
        if slope <= 0:
            return None
        value = self.bounds.unscaled(x0 + (self.target - z0) / slope)
        scaled = self.bounds.scaled(value)
        return value, NormalDist().cdf(
            z0 + slope * (scaled - x0)
        ) if self.bounds.whole else self.wanted

    def _is_fewest(self, value: float) -> bool:
        """Return whether one cluster less is too few, and that clearly."""
        return any(
            each.value == value - 1 and each.probit < self.target - _NEAR / 2
            for each in self.probes
        )


@dataclass(frozen=True, slots=True)
class _Budget:
    """How much simulating a figure is worth: fewer large test sets, and none beyond a size."""

    clusters: int
    fewest: int
    most: int
    largest: int

    def sets(self, clusters: int, main: bool) -> int:
        """Return the number of sets of so many clusters; for large ones the formula will do."""
        if clusters > self.largest:
            return 0
        return max(self.fewest, min(self.most, self.clusters // clusters) // (1 if main else 2))


_RATIOS = _Budget(clusters=400_000, fewest=300, most=1_500, largest=10_000)
_FUNCTIONS = _Budget(clusters=100_000, fewest=150, most=400, largest=1_000)
"""Metrics that are no ratios, which take far longer to shuffle"""


class Drawable(Population, Protocol):
    """A population from which test sets can be drawn."""

    def at(self, difference: float) -> ItemModel:
        """Return the items of a pair whose true difference is so much."""


class Simulator:
    """Answers by formula where simulated test sets bear that out, and else by simulating more.

    `main_sets` is the number of test sets for the main figures of a plan: None for the default,
    0 for no simulation of any figure.
    """

    def __init__(
        self, level: float, wanted: float, main_sets: int | None, seed: int, progress: Progress
    ) -> None:
        self.level, self.wanted, self.main_sets = level, wanted, main_sets
        self.seed, self.progress, self.drawn = seed, progress, 0

    def detectable(self, population: Drawable, clusters: int, *, main: bool = False) -> Answer:
        """Return the smallest difference that so many clusters show."""
        curve, largest = PowerCurve(population, self.level), population.largest
        guess = curve.detectable(clusters, self.wanted)
        sets = self.sets(population, clusters, main=main)
        if not sets or self._by_formula(population, guess or largest, clusters):
            if guess is None:
                return Answer(None, impossible=True)
            return self._exact(population, clusters, guess, guess, sets)

        def draw(difference: float, part: float) -> tuple[int, int]:
            count = math.ceil(part * sets)
            return self.draw(population, clusters, difference, count), count

        bounds = SearchRange(guess or largest, largest * 1e-3, largest)
        return Search(draw, bounds, self.wanted, self.level).answer()

    def needed(
        self,
        population: Drawable,
        difference: float,
        *,
        main: bool = False,
        guess: int | None = None,
    ) -> Answer:
        """Return from how many clusters on a difference is found so often, near a guess if any."""
        formula = PowerCurve(population, self.level).needed(difference, self.wanted)
        if formula is None:
            return Answer(None, impossible=True)
        exact = self._by_formula(population, difference, formula)
        near = guess is None or abs(guess - formula) <= _NOISE * formula
        start = formula if guess is None or near or exact else guess
        sets = self.sets(population, start, main=main)
        if not sets or exact:
            return self._exact(population, formula, difference, formula, sets)

        def draw(clusters: float, part: float) -> tuple[int, int]:
            count = math.ceil(part * (self.sets(population, int(clusters), main=main) or sets))
            return self.draw(population, int(clusters), difference, count), count

        bounds = SearchRange(start, fewest_items(self.level), 8 * start + 50, whole=True)
        return Search(draw, bounds, self.wanted, self.level).answer()

    def _by_formula(self, population: Drawable, difference: float, clusters: int) -> bool:
        """Return whether the formula stands: it is exact, or also what reports of the pilot say."""
        if isinstance(population, Pilot):
            return True
        return population.spread(difference).counted(clusters)

    def _exact(
        self, population: Drawable, clusters: int, difference: float, answer: float, sets: int
    ) -> Answer:
        """Return a figure of the formula, checked twice if chance speaks against it."""
        power = PowerCurve(population, self.level).power(clusters, difference)
        exact = population.spread(difference).counted(clusters)
        for _ in range(2 if sets else 0):
            found = self.draw(population, clusters, difference, sets)
            check = Check(clusters, difference, sets, found, power)
            if check.agrees(_EXACT, 0.0 if exact else _ROUGHLY):
                return Answer(answer, found, sets, power)
        return Answer(None if sets else answer)

    def sets(self, population: Drawable, clusters: int, *, main: bool = False) -> int:
        """Return on how many test sets of so many clusters a figure is checked."""
        if self.main_sets == 0 or (main and self.main_sets is not None):
            return self.main_sets
        ratio = isinstance(population.at(population.largest / 2).bound, BoundRatio)
        return (_RATIOS if ratio else _FUNCTIONS).sets(clusters, main)

    def draw(self, population: Drawable, clusters: int, difference: float, sets: int) -> int:
        """Return in how many fresh test sets a difference is found."""
        self.drawn += 1
        simulation = Simulation(clusters, self.level, sets, (self.seed, self.drawn))
        if isinstance(population, Pilot):
            difference = population.without_steps(difference, clusters)
        return count_found(population.at(difference), simulation, self.progress)
