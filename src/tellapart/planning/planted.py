"""Test sets drawn with a planted difference, and how many of them the test tells apart."""

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
from tellapart.planning.atoms import Atoms
from tellapart.planning.power import Population, PowerCurve, fewest_items, probit
from tellapart.progress import Progress, no_progress
from tellapart.resampling.streams import SHARD
from tellapart.significance.randomization import Question, ShuffleJob, count_shards
from tellapart.significance.sequential import robbins_settled

ROUNDS = (1, 4, 16)
"""Shards of shuffles: each round asks only what the one before left open."""

_CHUNK = 250_000  # items drawn at a time
_STREAM = 7  # apart from the streams of shuffles and resamples


@dataclass(frozen=True, slots=True)
class Check:
    """How often a planted difference was found in simulated test sets."""

    items: int
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

    def agrees(self, errors: float) -> bool:
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
    """What is simulated: test sets of so many items, each tested at a level."""

    items: int
    level: float
    sets: int
    seed: tuple[int, ...]
    """The user's seed, and numbers that tell one simulation of a plan from another"""


def count_found(atoms: Atoms, trial: Trial, progress: Progress = no_progress) -> int:
    """Draw test sets, test each by randomization, and count those that are told apart."""
    width = len(atoms.rates) if atoms.clusters.size > 1 or atoms.poisson else 1
    step = max(1, _CHUNK // (trial.items * max(1, width // 8)))
    found = 0
    for start in range(0, trial.sets, step):
        progress("simulated test sets", start, trial.sets)
        keys = (_STREAM, *trial.seed[1:], start)
        sequence = np.random.SeedSequence(trial.seed[0], spawn_key=keys)
        generator = np.random.Generator(np.random.SFC64(sequence))
        forms = atoms.draw(generator, min(step, trial.sets - start), trial.items)
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


_ATTEMPTS = 3  # at an answer that fresh test sets bear out
_PROBES = 6  # places looked at before each new attempt
_PART = 0.4  # of the test sets of an attempt are enough for a place on the way
_NEAR = 0.8  # probits around the wanted power in which it is taken for a straight line
_AT_ONCE, _AFTERWARDS = 1.5, 2.5  # standard errors within which an answer is borne out
_NOISE = 0.1  # of the items: a guess from simulations this near the formula says no more than it
_EXACT = 3.0  # the same for what is exact


@dataclass(frozen=True, slots=True)
class Span:
    """Where an answer is looked for: a difference, or (whole) a number of items."""

    guess: float
    low: float
    high: float
    whole: bool = False

    def scaled(self, place: float) -> float:
        """Return the scale on which the probit of the power is nearly a straight line."""
        return math.sqrt(place) if self.whole else place

    def place(self, scaled: float) -> float:
        """Return the place of a value on that scale, within bounds."""
        found = min(self.high, max(self.low, scaled * scaled if self.whole else scaled))
        return min(self.high, float(math.ceil(found - 1e-6))) if self.whole else found


@dataclass(frozen=True, slots=True)
class Settled:
    """An answer that fresh test sets bear out, or None; then it may be that there is none."""

    place: float | None
    found: int = 0
    sets: int = 0
    expected: float = 0.0
    impossible: bool = False


@dataclass(frozen=True, slots=True)
class _Probe:
    place: float
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
    """Looks for the place from which on a difference is found as often as wanted.

    `draw` draws fresh test sets at a place, all that it should or a part, and returns how many
    were told apart, and of how many.

    >>> line = lambda place, part: (round(1000 * NormalDist().cdf(place)), 1000)
    >>> found = Search(line, Span(3.0, 0.1, 9.0), 0.8, 0.05).settled()
    >>> abs(NormalDist().cdf(found.place) - 0.8) < 0.03
    True
    """

    def __init__(
        self,
        draw: Callable[[float, float], tuple[int, int]],
        span: Span,
        wanted: float,
        level: float,
    ) -> None:
        self.draw, self.span, self.wanted = draw, span, wanted
        self.target, self.critical = probit(wanted), -probit(level / 2)
        self.probes: list[_Probe] = []

    def settled(self) -> Settled:
        """Try the guess; where it is not borne out, close in on the answer and try again."""
        place, expected = self.span.guess, self.wanted
        for attempt in range(_ATTEMPTS):
            found, sets = self._probe(place)
            errors = _AFTERWARDS if attempt else _AT_ONCE
            if Check(0, place, sets, found, expected).agrees(errors):
                return Settled(place, found, sets, expected)
            if attempt < _ATTEMPTS - 1:
                self._close_in()
                answer = self._fitted()
                if answer is None:
                    return Settled(None, impossible=self._impossible())
                place, expected = answer
        return Settled(None)

    def _probe(self, place: float, part: float = 1.0) -> tuple[int, int]:
        found, sets = self.draw(place, part)
        share = (found + 0.5) / (sets + 1)
        self.probes.append(_Probe(place, self.span.scaled(place), sets, share))
        return found, sets

    def _below(self) -> _Probe | None:
        short = [each for each in self.probes if each.share < self.wanted]
        return max(short, key=lambda each: each.scaled, default=None)

    def _above(self) -> _Probe | None:
        enough = [each for each in self.probes if each.share >= self.wanted]
        return min(enough, key=lambda each: each.scaled, default=None)

    def _impossible(self) -> bool:
        below = self._below()
        if below is None or self.span.whole or below.place < self.span.high:
            return False
        return below.share + 2 * standard_error(below.share, below.sets) < self.wanted

    def _close_in(self) -> None:
        """Look at more places, until some lie on either side of the answer and near it."""
        for _ in range(_PROBES):
            place = self._next()
            if sum(each.place == place for each in self.probes) > 1:
                return
            self._probe(place, _PART)
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
            return self.span.place(last.scaled * step)
        if above.scaled <= below.scaled:
            return self.span.place((above.scaled + below.scaled) / 2)
        part = (self.target - below.probit) / (above.probit - below.probit)
        part = min(0.85, max(0.15, part))
        return self.span.place(below.scaled + part * (above.scaled - below.scaled))

    def _fitted(self) -> tuple[float, float] | None:
        """Put a line through what was found near the answer; tell the place and its power."""
        above = self._above()
        if above is None:
            return None
        if above.place <= self.span.low or (self.span.whole and self._beside(above.place)):
            return above.place, above.share
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
        place = self.span.place(x0 + (self.target - z0) / slope)
        scaled = self.span.scaled(place)
        return place, NormalDist().cdf(
            z0 + slope * (scaled - x0)
        ) if self.span.whole else self.wanted

    def _beside(self, place: float) -> bool:
        """Whether one item less is too few, and that clearly."""
        return any(
            each.place == place - 1 and each.probit < self.target - _NEAR / 2
            for each in self.probes
        )


@dataclass(frozen=True, slots=True)
class _Effort:
    """How much simulating a figure is worth: fewer sets of larger ones, and none beyond a size."""

    items: int
    fewest: int
    most: int
    largest: int

    def sets(self, items: int, first: bool) -> int:
        """Return the number of sets of so many items; large ones need no check of the formula."""
        if items > self.largest:
            return 0
        return max(self.fewest, min(self.most, self.items // items) // (1 if first else 2))


_RATIOS = _Effort(items=400_000, fewest=300, most=1_500, largest=10_000)
_FUNCTIONS = _Effort(items=100_000, fewest=150, most=400, largest=1_000)
"""Metrics that are no ratios, which take far longer to shuffle"""


class Drawable(Population, Protocol):
    """A population from which test sets can be drawn."""

    def at(self, difference: float) -> Atoms:
        """Make the true difference so much."""


class Simulator:
    """Answers by formula where simulated test sets bear that out, and else by simulating more.

    `asked` is the number of test sets for figures that come `first`: None for some, 0 for none.
    """

    def __init__(
        self, level: float, wanted: float, options: int | None, seed: int, progress: Progress
    ) -> None:
        self.level, self.wanted, self.options = level, wanted, options
        self.seed, self.progress, self.drawn = seed, progress, 0

    def detectable(self, population: Drawable, items: int, *, first: bool = False) -> Settled:
        """Find the smallest difference that so many items show."""
        curve, largest = PowerCurve(population, self.level), population.largest
        guess = curve.detectable(items, self.wanted)
        sets = self.sets(population, items, first=first)
        if not sets or population.spread(guess or largest).counted(items):
            if guess is None:
                return Settled(None, impossible=True)
            return self._exact(population, items, guess, guess, sets)

        def draw(difference: float, part: float) -> tuple[int, int]:
            count = math.ceil(part * sets)
            return self.draw(population, items, difference, count), count

        span = Span(guess or largest, largest * 1e-3, largest)
        return Search(draw, span, self.wanted, self.level).settled()

    def needed(
        self,
        population: Drawable,
        difference: float,
        *,
        first: bool = False,
        guess: int | None = None,
    ) -> Settled:
        """Find from how many items on a difference is found so often, near a guess if given."""
        formula = PowerCurve(population, self.level).needed(difference, self.wanted)
        if formula is None:
            return Settled(None, impossible=True)
        exact = population.spread(difference).counted(formula)
        near = guess is None or abs(guess - formula) <= _NOISE * formula
        start = formula if guess is None or near or exact else guess
        sets = self.sets(population, start, first=first)
        if not sets or exact:
            return self._exact(population, formula, difference, formula, sets)

        def draw(items: float, part: float) -> tuple[int, int]:
            count = math.ceil(part * (self.sets(population, int(items), first=first) or sets))
            return self.draw(population, int(items), difference, count), count

        span = Span(start, fewest_items(self.level), 8 * start + 50, whole=True)
        return Search(draw, span, self.wanted, self.level).settled()

    def _exact(
        self, population: Drawable, items: int, difference: float, answer: float, sets: int
    ) -> Settled:
        """Check a figure that is exact, twice if chance speaks against it; or do not check it."""
        power = PowerCurve(population, self.level).power(items, difference)
        for _ in range(2 if sets else 0):
            found = self.draw(population, items, difference, sets)
            if Check(items, difference, sets, found, power).agrees(_EXACT):
                return Settled(answer, found, sets, power)
        return Settled(None if sets else answer)

    def sets(self, population: Drawable, items: int, *, first: bool = False) -> int:
        """Return on how many test sets of so many items a figure is checked."""
        if self.options == 0 or (first and self.options is not None):
            return self.options
        ratio = isinstance(population.at(population.largest / 2).bound, BoundRatio)
        return (_RATIOS if ratio else _FUNCTIONS).sets(items, first)

    def draw(self, population: Drawable, items: int, difference: float, sets: int) -> int:
        """Count in how many fresh test sets a difference is found."""
        self.drawn += 1
        trial = Trial(items, self.level, sets, (self.seed, self.drawn))
        return count_found(population.at(difference), trial, self.progress)
