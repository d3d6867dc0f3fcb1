"""Pairs of systems from which test sets are drawn, with a true difference that can be chosen.

An item has outcomes: right for both systems, for one, for neither; a gold thing that both find; a
spurious one; or it is, as a whole, an item of a pilot. Outcomes are counts that are seen through a
metric, so that the true score of a population, the spread of its items and the test sets drawn from
it all come from the same place, an `ItemModel`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.limits import SHARE
from tellapart.metrics.projection import Bound, BoundRatio, Projection, project
from tellapart.significance.bootstrap_tests import scores
from tellapart.significance.power import Spread

_STEP = 1e-4  # of an item, for derivatives
_SMALL = 0.01  # precision and recall stay above this


@dataclass(frozen=True, slots=True)
class Clustering:
    """Items that come in clusters of equal size and are alike within one.

    An item repeats what its cluster is like with a chance of √icc, so that two items of a cluster
    are correlated by icc in whatever is measured on them. Items that do not depend on each other
    are clusters of one: what is drawn, exchanged and counted below is always clusters.

    >>> Clustering(10, 0.1).design_effect
    1.9
    """

    size: int = 1
    icc: float = 0.0

    @property
    def design_effect(self) -> float:
        """How many items of this kind are worth one independent item."""
        return 1 + (self.size - 1) * self.icc


INDEPENDENT: Final = Clustering()


@dataclass(frozen=True, slots=True)
class ItemModel:
    """The outcomes that an item of two systems can have, and how often each comes."""

    bound: Bound
    forms: NDArray[np.int64]  # forms × the two systems × outcomes
    rates: NDArray[np.float64]  # how many of each outcome an item has, on average
    poisson: bool = False
    """Whether an item has any number of each outcome; otherwise it has exactly one of them"""
    clustering: Clustering = INDEPENDENT
    scale: int = 1
    """Over how many items a score is taken, for metrics to which that matters (smoothed ones)"""

    @property
    def difference(self) -> float:
        """The true difference, first minus second."""
        first, second = scores(self.bound, self.scale * self._expected())
        return float(first - second)

    def spread(self) -> Spread:
        """Return how clusters spread around the true difference."""
        parts = self._contributions()
        variance = float(self.rates @ parts**2)
        if not self.poisson:
            variance -= float(self.rates @ parts) ** 2
        size = self.clustering.size
        deviation = math.sqrt(max(variance, 0.0) * self.clustering.design_effect / size)
        steps = self._numerator_steps()
        if steps is None:
            return Spread(abs(self.difference), deviation)
        sizes = np.unique(np.abs(steps[(steps != 0) & (self.rates > 0)]))
        alike = size == 1 or self.clustering.icc == 1  # a cluster is one item, once or many times
        grain = self._step_worth() * math.gcd(*sizes.tolist()) / (1 if alike else size)
        wins = losses = None
        if len(sizes) == 1 and alike and not self.poisson:
            wins, losses = float(self.rates[steps > 0].sum()), float(self.rates[steps < 0].sum())
        return Spread(abs(self.difference), deviation, grain, wins, losses)

    def draw(self, generator: np.random.Generator, sets: int, clusters: int) -> NDArray[np.int64]:
        """Return drawn test sets: forms × (two systems of every set in turn) × clusters."""
        size, number = self.clustering.size, sets * clusters
        drawn = self._draw_items(generator, number)
        if size > 1:
            # An item repeats the first one of its cluster, or is drawn by itself.
            repeats = generator.binomial(size, math.sqrt(self.clustering.icc), number)
            drawn = drawn * repeats + self._draw_sums(generator, size - repeats)
        by_set = drawn.reshape(len(self.forms), 2, sets, clusters).swapaxes(1, 2)
        return np.ascontiguousarray(by_set.reshape(len(self.forms), 2 * sets, clusters))

    def _draw_items(self, generator: np.random.Generator, count: int) -> NDArray[np.int64]:
        if self.poisson:
            times = generator.poisson(self.rates, (count, len(self.rates))).T
            return np.asarray(self.forms @ times, np.int64)
        steps = np.cumsum(self.rates)
        chosen = np.searchsorted(steps[:-1] / steps[-1], generator.random(count), side="right")
        return self.forms[:, :, chosen]

    def _draw_sums(
        self, generator: np.random.Generator, numbers: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the drawn sums of so many items each, without drawing every item."""
        if self.poisson:
            times = generator.poisson(numbers[:, None] * self.rates)
        else:
            times = generator.multinomial(numbers, self.rates / self.rates.sum())
        return np.asarray(self.forms @ times.T, np.int64)

    def _expected(self) -> NDArray[np.float64]:
        """Return the forms of an average item: systems × forms."""
        return np.asarray((self.forms @ self.rates).T)

    def _contributions(self) -> NDArray[np.float64]:
        """Return how much one more of each outcome moves the difference, per item."""
        expected = self._expected()
        moved = []
        for system in (0, 1):
            step = _STEP * self.forms[:, system, :].T
            up, down = (
                scores(self.bound, self.scale * (expected[system] + sign * step))
                for sign in (1, -1)
            )
            moved.append((up - down) / (2 * _STEP))
        return np.asarray(moved[0] - moved[1])

    def _numerator_steps(self) -> NDArray[np.int64] | None:
        """Return the differences of numerators, where no denominator differs."""
        if not isinstance(self.bound, BoundRatio):
            return None
        denominators = self.forms[self.bound.denominator]
        if not np.array_equal(denominators[0], denominators[1]):
            return None
        numerators = self.forms[self.bound.numerator]
        return np.asarray(numerators[0] - numerators[1])

    def _step_worth(self) -> float:
        """Return what one step of the numerator of a single item is worth, in score."""
        assert isinstance(self.bound, BoundRatio)
        return float(self.bound.factor) / float(self._expected()[0, self.bound.denominator])


def _both_right(first: float, second: float, correlation: float) -> float:
    """Return how often both are right; a correlation that the scores do not allow is cut down."""
    spread = math.sqrt(first * (1 - first) * second * (1 - second))
    wanted = first * second + correlation * spread
    return min(first, second, max(0.0, first + second - 1, wanted))


def highest_correlation(first: float, second: float) -> float:
    """Return how far two systems of given accuracies can be correlated over items.

    >>> highest_correlation(0.7, 0.7), round(highest_correlation(0.7, 0.9), 3)
    (1.0, 0.509)
    """
    spread = math.sqrt(first * (1 - first) * second * (1 - second))
    return min(1.0, (min(first, second) - first * second) / spread) if spread else 1.0


# Right for both, for the first only, for the second only, for neither.
_ANSWERS: Final = {"first": [1, 1, 0, 0], "second": [1, 0, 1, 0]}
# Gold things found by both, first, second, neither; spurious ones of both, first, second.
_DETECTIONS: Final = {
    "first": [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 0, 0]],
    "second": [[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0], [0, 1, 0]],
}


@cache
def _answers() -> Projection:
    return project(Counts.from_arrays(_ANSWERS))


def answer_forms() -> tuple[BoundRatio, NDArray[np.int64]]:
    """Return the mean of items that are right for both, the first, the second or neither system."""
    found = _answers()
    bound = found.metrics[0]
    assert isinstance(bound, BoundRatio)
    return bound, found.forms


@cache
def _detections() -> Projection:
    return project(Counts.from_arrays(_DETECTIONS, columns=["tp", "fp", "fn"]), ["f1"])


@dataclass(frozen=True, slots=True)
class RightOrWrong:
    """Two systems whose items are right or wrong: the first as assumed, the second chosen.

    How alike they are is a correlation over items, or the share of items on which they agree.

    >>> pair = RightOrWrong(0.70, 0.75, correlation=0.5)
    >>> round(pair.largest, 2), round(pair.spread(0.05).deviation, 3)
    (0.3, 0.446)
    """

    first: float
    second: float
    correlation: float | None = 0.5
    agreement: float | None = None
    clustering: Clustering = INDEPENDENT

    def __post_init__(self) -> None:
        for score in (self.first, self.second):
            check_share("a score", score)
        if self.agreement is None:
            check_correlation(self.correlation or 0.0, self.first, self.second)
            return
        check_share("--agreement", self.agreement)
        least = max(1 - 2 * min(self.first, 1 - self.first), abs(self.first - self.second))
        if self.agreement < least - 1e-9:
            raise UsageError(
                f"--agreement {self.agreement:g}: systems with these scores agree on "
                f"{least:.2f} of the items or more"
            )
        if self.agreement > 1 - abs(self.first - self.second) + 1e-9:
            raise UsageError(
                f"--agreement {self.agreement:g}: systems that differ by "
                f"{abs(self.first - self.second):g} agree on less than that; give at most "
                f"{1 - abs(self.first - self.second):g}"
            )

    @property
    def upward(self) -> bool:
        """Whether the second is the better one."""
        return self.second > self.first or (self.second == self.first < 1)

    @property
    def largest(self) -> float:
        """The largest difference: until the second is always right, or always wrong."""
        room = 1 - self.first if self.upward else self.first
        if self.agreement is None:
            return room
        # The items on which they do not agree all go to one system, as far as there is room.
        disagreement = 1 - self.agreement
        return min(disagreement, 2 * room - disagreement)

    def spread(self, difference: float) -> Spread:
        """Return how clusters spread if that is the true difference."""
        return self.at(difference).spread()

    def at(self, difference: float) -> ItemModel:
        """Return the items of the pair whose second system differs by so much."""
        size = min(difference, self.largest)
        second = min(1.0, max(0.0, self.first + (size if self.upward else -size)))
        if self.agreement is None:
            both = _both_right(self.first, second, self.correlation or 0.0)
        else:
            both = (self.first + second - (1 - self.agreement)) / 2
        cells = [both, self.first - both, second - both, 1 - self.first - second + both]
        rates = np.clip(np.array(cells), 0.0, 1.0)
        bound, forms = answer_forms()
        return ItemModel(bound, forms, rates, clustering=self.clustering)


@dataclass(frozen=True, slots=True)
class Detections:
    """Two systems that look for things in items, scored by F1: the first as assumed.

    The number of gold things in an item, and of spurious ones that a system adds, are Poisson.
    Correlation is that of the systems over gold things, and of their spurious ones over items.
    For other differences the second moves, in precision and recall alike.

    >>> pair = Detections((0.8, 0.82), (0.6, 0.65), gold_per_item=2.0)
    >>> round(pair.assumed, 3), round(pair.spread(0.04).deviation, 3)
    (0.039, 0.273)
    """

    precision: tuple[float, float]
    recall: tuple[float, float]
    gold_per_item: float = 1.0
    correlation: float = 0.5
    clustering: Clustering = INDEPENDENT

    def __post_init__(self) -> None:
        for name, pair in (("precision", self.precision), ("recall", self.recall)):
            for value in pair:
                check_share(name, value)
                if not value:
                    raise UsageError(f"a {name} of 0 leaves nothing to plan; give more than 0")
        if not self.gold_per_item > 0:
            raise UsageError(
                f"--gold-per-item must be above 0, not {self.gold_per_item:g}: F1 needs things "
                "to find"
            )
        check_correlation(self.correlation, *self.recall)

    @property
    def upward(self) -> bool:
        """Whether the second is the better one."""
        first, second = self._scores()
        return second > first or (math.isclose(first, second) and first < 1)

    @property
    def assumed(self) -> float:
        """The difference of the two systems as they were assumed."""
        first, second = self._scores()
        return 0.0 if math.isclose(first, second) else abs(first - second)

    @property
    def largest(self) -> float:
        """The largest difference, at the end of what precision and recall can be."""
        step = 1.0 if self.upward else -1.0
        return abs(_f1(*self._moved(step)) - self._scores()[0])

    def spread(self, difference: float) -> Spread:
        """Return how clusters spread if that is the true difference."""
        return self.at(difference).spread()

    def at(self, difference: float) -> ItemModel:
        """Return the items of the pair whose second system differs by so much."""
        sign, (first, _) = (1 if self.upward else -1), self._scores()
        low, high = -1.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            reached = sign * (_f1(*self._moved(sign * middle)) - first) >= difference
            low, high = (low, middle) if reached else (middle, high)
        precision, recall = self._moved(sign * high)
        found = _detections()
        rates = self._rates((self.precision[0], precision), (self.recall[0], recall))
        return ItemModel(
            found.metrics[0], found.forms, rates, poisson=True, clustering=self.clustering
        )

    def _scores(self) -> tuple[float, float]:
        first, second = (_f1(self.precision[k], self.recall[k]) for k in (0, 1))
        return first, second

    def _moved(self, step: float) -> tuple[float, float]:
        """Return the second system's precision and recall, moved as far as they go."""
        precision, recall = self.precision[1] + step, self.recall[1] + step
        return min(1.0, max(_SMALL, precision)), min(1.0, max(_SMALL, recall))

    def _rates(
        self, precision: tuple[float, float], recall: tuple[float, float]
    ) -> NDArray[np.float64]:
        first, second = recall
        both = _both_right(first, second, self.correlation)
        gold = [both, first - both, second - both, 1 - first - second + both]
        spurious = [r * (1 - p) / p for r, p in zip(recall, precision, strict=True)]
        common = self.correlation * math.sqrt(spurious[0] * spurious[1])
        shared = max(0.0, min(*spurious, common))
        added = [shared, spurious[0] - shared, spurious[1] - shared]
        return np.asarray(self.gold_per_item * np.clip(np.array([*gold, *added]), 0.0, None))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


def check_share(name: str, value: float) -> None:
    """Refuse what is no share.

    >>> check_share("--icc", 0.1)
    """
    SHARE.checked(value, name)


def check_correlation(correlation: float, first: float, second: float) -> None:
    """Refuse a correlation over items that two shares cannot have."""
    highest = highest_correlation(first, second)
    if not -1 <= correlation <= highest + 1e-9:
        limit = "" if highest == 1 else f" for scores of {first:g} and {second:g}"
        raise UsageError(
            f"--correlation must lie between -1 and {highest:.3g}{limit}, not {correlation:g}"
        )
