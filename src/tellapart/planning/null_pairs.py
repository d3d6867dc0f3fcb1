"""Pairs of pseudo-systems made of systems' own outputs: with no difference, or a planted one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.metrics import Ratio
from tellapart.metrics.kinds import ITEMS
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.significance.bootstrap_tests import scores
from tellapart.significance.options import Options
from tellapart.significance.varying_runs import asked_of_runs, linear_parts, noise_of_values

_STREAM = 100  # the engine's own streams have small numbers
_MOST_TILTED = 3.0  # against the better system; more of it leaves a few items alone
_STILL_COUNT = 0.4  # of the items must go on to count
_CELLS, _COLUMNS = 1 << 22, 512  # of a batch: what a worker has in memory at a time


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of pseudo-systems: what each has on each item, form by form."""

    first: NDArray[np.int64]  # forms × pairs × items
    second: NDArray[np.int64]
    uniforms: NDArray[np.float64]
    """Pairs × items: uniform random numbers, by which differences are planted"""
    runs: int = 0
    """How many of the forms, the last ones, are single runs"""

    @property
    def discordant(self) -> NDArray[np.int64]:
        """The number of items on which each pair differs."""
        return np.asarray((self.first != self.second).any(axis=0).sum(axis=-1))


@dataclass(frozen=True, slots=True)
class PairSource(ABC):
    """A way to make pairs without a difference."""

    forms: NDArray[np.int64]  # forms × systems, or runs of all systems × items

    @property
    def items(self) -> int:
        """How many items a pair has."""
        return int(self.forms.shape[2])

    @property
    def runs(self) -> int:
        """How many of the forms, the last ones, are single runs."""
        return 0

    @abstractmethod
    def pair(
        self, number: int, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return one pair: forms × items of the first and of the second."""


def make_pairs(source: PairSource, seed: int, numbers: range) -> Pairs:
    """Return the pairs of some numbers; a pair depends on the seed and its number alone.

    >>> forms = np.array([[[1, 2, 3], [4, 5, 6]]])
    >>> pairs = make_pairs(SwappedOutputs(forms), seed=0, numbers=range(2))
    >>> (pairs.first + pairs.second).tolist()
    [[[5, 7, 9], [5, 7, 9]]]
    """
    first = np.empty((len(source.forms), len(numbers), source.items), np.int64)
    second = np.empty_like(first)
    uniforms = np.empty((len(numbers), source.items))
    for k, number in enumerate(numbers):
        sequence = np.random.SeedSequence(seed, spawn_key=(_STREAM, number))
        generator = np.random.Generator(np.random.SFC64(sequence))
        first[:, k], second[:, k] = source.pair(number, generator)
        uniforms[k] = generator.random(source.items)
    return Pairs(first, second, uniforms, source.runs)


def pair_batches(source: PairSource, pairs: int, items: int | None = None) -> list[range]:
    """Return the numbers of pairs in batches; their size does not depend on who works on them.

    `items` is how many are held for a pair, where that is more than the source has.

    >>> pair_batches(SwappedOutputs(np.zeros((2, 3, 10), np.int64)), pairs=200)
    [range(0, 128), range(128, 200)]
    """
    forms, _, own = source.forms.shape
    most = max(1, min(_COLUMNS // (2 * forms), _CELLS // (2 * forms * (items or own))))
    return [range(start, min(start + most, pairs)) for start in range(0, pairs, most)]


def item_effects(bound: Bound, pairs: Pairs) -> NDArray[np.float64]:
    """Return what each item's outputs, as they are dealt, do to the difference: pairs × items.

    It is the difference between two systems that are alike but for this one item; the standard
    error of the difference under random exchanges is the root of the sum of the squares.
    """
    middle = (pairs.first + pairs.second).sum(axis=2, keepdims=True) / 2
    half = (pairs.first - pairs.second) / 2
    high, low = (np.moveaxis(sums, 0, -1) for sums in (middle + half, middle - half))
    return scores(bound, high) - scores(bound, low)


def plant(bound: Bound, pairs: Pairs, size: float) -> tuple[Pairs, bool]:
    """Return pairs of which the first scores higher by so many standard errors, on average.

    Also returned is whether some pair cannot be made that different: even where the higher output
    of every item goes to the first.
    """
    effects = item_effects(bound, pairs)
    error = np.sqrt((effects**2).sum(axis=1))
    largest = np.abs(effects).sum(axis=1)
    share = np.divide(size * error, largest, out=np.zeros_like(largest), where=largest > 0)
    turned = (pairs.uniforms < share[:, None]) & (effects < 0)
    first = np.where(turned, pairs.second, pairs.first)
    second = np.where(turned, pairs.first, pairs.second)
    return replace(pairs, first=first, second=second), bool((share > 1).any())


def mean_difference(bound: Bound, pairs: Pairs) -> float:
    """Return the mean difference in score over pairs, first minus second.

    >>> from tellapart.counts import Counts
    >>> from tellapart.metrics.projection import project
    >>> found = project(Counts.from_arrays({"A": [1, 1, 1, 0], "B": [0, 1, 0, 0]}))
    >>> first, second = found.forms[:, :1], found.forms[:, 1:]
    >>> mean_difference(found.metrics[0], Pairs(first, second, np.zeros((1, 4))))
    0.5
    """
    first, second = (scores(bound, half.sum(axis=2).T) for half in (pairs.first, pairs.second))
    return float((first - second).mean())


@dataclass(frozen=True, slots=True)
class SwappedOutputs(PairSource):
    """Pairs of two systems, drawn anew for each, whose outputs are exchanged by coins."""

    clusters: NDArray[np.intp] | None = None
    """The cluster of each item, where a coin decides on whole clusters"""

    def pair(
        self,
        number: int,  # noqa: ARG002  (pairs are drawn, not numbered)
        generator: np.random.Generator,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return one pair."""
        a, b = generator.choice(self.forms.shape[1], 2, replace=False)
        coins = self.items if self.clusters is None else int(self.clusters.max()) + 1
        exchanged = generator.random(coins) < 0.5
        if self.clusters is not None:
            exchanged = exchanged[self.clusters]
        one, other = self.forms[:, a], self.forms[:, b]
        return np.where(exchanged, other, one), np.where(exchanged, one, other)


@dataclass(frozen=True, slots=True)
class EqualScores(PairSource):
    """Pairs of two systems on items drawn again, with chances under which their scores are equal.

    Outputs stay who they were: one system may answer more often, or vary more, than the other.
    """

    pairs: tuple[tuple[int, int], ...]
    """The systems that can be made equal so"""
    chances: NDArray[np.float64]  # pairs × items

    @classmethod
    def of(cls, projection: Projection, terms: NDArray[np.float64]) -> EqualScores | None:
        """Return the pairs of systems that can be made equal; None if none can.

        Chances are tilted against the system that is ahead, by as little as will do (an exponential
        family along what each item does to the difference, `terms`: systems × items).
        """
        systems = range(len(terms))
        found = {}
        for a, b in combinations(systems, 2):
            chances = _equalising(projection, a, b, terms[a] - terms[b])
            if chances is not None:
                found[a, b] = chances
        if not found:
            return None
        return cls(projection.forms, tuple(found), np.stack(list(found.values())))

    def pair(
        self,
        number: int,  # noqa: ARG002  (pairs are drawn, not numbered)
        generator: np.random.Generator,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return one pair."""
        which = int(generator.integers(len(self.pairs)))
        steps = np.cumsum(self.chances[which])
        drawn = np.searchsorted(steps[:-1] / steps[-1], generator.random(self.items), side="right")
        a, b = self.pairs[which]
        return self.forms[:, a, drawn], self.forms[:, b, drawn]


def _equalising(
    projection: Projection, a: int, b: int, effects: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the chances of items with which two systems score the same, if there are such."""
    bound, items = projection.metrics[0], projection.forms.shape[2]
    size = float(np.sqrt(np.mean(effects**2)))
    if size <= 0:
        return None

    def weights(tilt: float) -> NDArray[np.float64]:
        logarithms = -tilt * effects / size
        found = np.exp(logarithms - logarithms.max())
        return np.asarray(found / found.sum())

    def lead(tilt: float) -> float:
        sums = items * (projection.forms[:, [a, b]] @ weights(tilt)).T
        first, second = scores(bound, sums)
        return float(first - second)

    low, high = (0.0, _MOST_TILTED) if lead(0.0) >= 0 else (-_MOST_TILTED, 0.0)
    if lead(high) > 0 or lead(low) < 0:
        return None
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if lead(middle) > 0 else (low, middle)
    found = weights((low + high) / 2)
    return found if 1 / float((found**2).sum()) >= _STILL_COUNT * items else None


@dataclass(frozen=True, slots=True)
class SplitItems(PairSource):
    """Pairs of one system, drawn anew for each, on two random halves of the items."""

    @property
    def items(self) -> int:
        """How many items a pair has; an odd one out is left out."""
        return int(self.forms.shape[2]) // 2

    def pair(
        self,
        number: int,  # noqa: ARG002  (pairs are drawn, not numbered)
        generator: np.random.Generator,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return one pair."""
        system = self.forms[:, generator.integers(self.forms.shape[1])]
        order = generator.permutation(self.forms.shape[2])
        return system[:, order[: self.items]], system[:, order[self.items : 2 * self.items]]


@dataclass(frozen=True, slots=True)
class SplitRuns(PairSource):
    """Pairs of two halves of a system's runs, on the same items."""

    systems: tuple[tuple[int, ...], ...]
    """The places of each system's runs"""
    splits: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] | None
    """All there are; None where they are too many, and are drawn"""

    @classmethod
    def of(cls, projection: Projection, runs: Mapping[str, Sequence[str]], most: int) -> SplitRuns:
        """Return the pairs of systems with several runs: all splits if there are at most `most`."""
        names = projection.counts.names
        systems = tuple(tuple(map(names.index, own)) for own in runs.values() if len(own) > 1)
        splits = None
        if sum(count_splits(len(own)) for own in systems) <= most:
            splits = tuple(split for own in systems for split in _splits(own))
        return cls(projection.forms, systems, splits)

    @property
    def size(self) -> int:
        """The factor by which sums over half of the runs are multiplied, to be whole means."""
        return math.lcm(*(len(own) // 2 for own in self.systems))

    def pair(
        self, number: int, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return one pair."""
        if self.splits is not None:
            one, other = self.splits[number]
        else:
            own = self.systems[generator.integers(len(self.systems))]
            order = generator.permutation(own).tolist()
            half = len(own) // 2
            one, other = tuple(order[:half]), tuple(order[half : 2 * half])
        times = self.size // len(one)
        first, second = (times * self.forms[:, list(half)].sum(axis=1) for half in (one, other))
        return first, second

    def rescaled(self, bound: Bound) -> Bound:
        """Return the metric as it reads sums that are `size` times the mean over runs."""
        if isinstance(bound, BoundRatio):
            return replace(bound, top=bound.top / self.size, bottom=bound.bottom / self.size)
        return replace(bound, scales=bound.scales * self.size)


def count_splits(runs: int) -> int:
    """Return in how many ways runs fall into two equal halves; an odd one out is left out.

    >>> [count_splits(runs) for runs in (1, 2, 3, 4, 5, 10)]
    [0, 1, 3, 3, 15, 126]
    """
    even = runs - runs % 2
    return (runs if runs % 2 else 1) * math.comb(even, even // 2) // 2 if runs > 1 else 0


def _splits(runs: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    if len(runs) % 2:
        for k in range(len(runs)):
            yield from _splits([*runs[:k], *runs[k + 1 :]])
        return
    for chosen in combinations(runs[1:], len(runs) // 2 - 1):
        one = (runs[0], *chosen)  # the first run's half comes first, so that no split comes twice
        yield one, tuple(run for run in runs if run not in one)


_STEPS = 1e6  # of a standard deviation: scores are whole numbers of such steps


def runs_vary(counts: Counts) -> bool:
    """Return whether the default test of these systems is the one over items and runs."""
    asked = asked_of_runs(counts, Options())
    return asked is not None and asked.asked == "vary"


@dataclass(frozen=True, slots=True)
class NoisyRuns(PairSource):
    """Pairs of two systems, drawn anew for each, made equal: items and runs are drawn again.

    Every run is moved to the same mean, items are drawn again, the same for both systems, and a
    normal effect of the spread that was measured between the system's runs is added to each run.
    Forms are the sum over the runs, 1, and the runs, each as its linear part in the score.
    """

    spreads: NDArray[np.float64]
    """The standard deviation of a system's runs as wholes"""

    @classmethod
    def of(cls, projection: Projection) -> NoisyRuns | None:
        """Return the pairs of systems with several runs; None where fewer than two have them.

        All get as many runs as the system with the fewest.
        """
        own = [s for s, runs in enumerate(projection.counts.runs) if len(runs) > 1]
        if len(own) < 2 or not runs_vary(projection.counts):
            return None
        parts = linear_parts(projection, projection.metrics[0], tuple(own))
        if parts is None:
            return None
        spreads = np.array([(noise_of_values(0.0, (z,)).runs * len(z)) ** 0.5 for z in parts])
        level = [z - z.mean(axis=1, keepdims=True) for z in parts]
        size = max(float(z.std()) for z in level) or float(spreads.max()) or 1.0
        fewest = min(map(len, level))
        runs = np.stack([np.rint(z[:fewest] * (_STEPS / size)) for z in level]).astype(np.int64)
        means = np.stack([runs.sum(axis=1), np.ones_like(runs[:, 0])])
        return cls(np.concatenate([means, runs.swapaxes(0, 1)]), spreads * (_STEPS / size))

    @property
    def runs(self) -> int:
        """How many runs each of a pair has."""
        return len(self.forms) - 2

    def pair(
        self,
        number: int,  # noqa: ARG002  (pairs are drawn, not numbered)
        generator: np.random.Generator,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return one pair."""
        both = generator.choice(self.forms.shape[1], 2, replace=False)
        drawn = generator.integers(self.items, size=self.items)
        found = []
        for system in both:
            forms = self.forms[:, system, drawn]
            effects = np.rint(generator.normal(0.0, self.spreads[system], self.runs))
            forms[2:] += effects.astype(np.int64)[:, None]
            forms[0] = forms[2:].sum(axis=0)
            found.append(forms)
        return found[0], found[1]

    def bound(self, bound: Bound) -> BoundRatio:
        """Return a mean over items of the same name, that reads these forms."""
        one = Fraction(1)
        mean = Ratio(bound.metric.name, (("score", one),), ((ITEMS, one),))
        return BoundRatio(mean, 0, 1, one, one, exact=False)
