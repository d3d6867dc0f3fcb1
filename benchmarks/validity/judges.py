"""A judge corrected by people: how often intervals hold, whatever the judge does.

Two systems answer the same items; people's scores are right or wrong, grades, or fine; a judge
repeats them with errors, and may favour the first system; people label some items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchmarks.validity import Setting
from tellapart.stats.ppi import Judged, powered_difference, powered_mean
from tellapart.stats.result import Interval

Floats = NDArray[np.float64]
_ALIKE = 0.6  # of the variance of an item's difficulty that both systems share
_ENDLESS = 400_000  # items to know the truth by


@dataclass(frozen=True, slots=True)
class Judging:
    """How people and judge score: `grades` 2 is right or wrong, 0 fine scores."""

    labels: int
    accuracy: float
    items: int = 500
    base: float = 0.6
    gap: float = 0.05
    favour: float = 0.0
    grades: int = 2
    cluster_size: int = 1
    apart: bool = False
    """Whether people see other items of each system"""

    def scores(self, rng: np.random.Generator, items: int) -> list[tuple[Floats, Floats]]:
        """Return for each system the scores of people and judge."""
        clusters = -(-items // self.cluster_size)
        shared = np.repeat(rng.normal(size=clusters), self.cluster_size)[:items]
        if self.cluster_size > 1:
            shared = np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.normal(size=items)
        found = []
        for system, share in enumerate((self.base + self.gap / 2, self.base - self.gap / 2)):
            own = rng.normal(size=items)
            ability = ndtri(share) - np.sqrt(_ALIKE) * shared - np.sqrt(1 - _ALIKE) * own
            people = self._graded(ability)
            judge = self._judge(rng, people, favoured=system == 0)
            found.append((people, judge))
        return found

    def _graded(self, ability: Floats) -> Floats:
        if self.grades == 2:
            return (ability > 0).astype(np.float64)
        if self.grades:
            middle = (1 + self.grades) / 2
            return np.clip(np.round(middle + 1.2 * ability), 1, self.grades)
        return ability

    def _judge(self, rng: np.random.Generator, people: Floats, favoured: bool) -> Floats:
        errs = rng.random(len(people)) > self.accuracy
        kind = favoured * (rng.random(len(people)) < self.favour)
        if self.grades == 2:
            return np.where(kind, 1.0, np.where(errs, 1 - people, people))
        if self.grades:
            moved = people + np.where(errs, rng.choice([-2, -1, 1, 2], len(people)), 0) + kind
            return np.clip(moved, 1, self.grades)
        noise = np.sqrt(1 - self.accuracy**2) * rng.normal(size=len(people))
        judge: Floats = self.accuracy * people + noise + self.favour * favoured
        return judge

    def truth(self) -> tuple[float, float]:
        """Return the mean difference, and the mean of the first system."""
        if self.grades == 2:
            return self.gap, self.base + self.gap / 2
        if not self.grades:
            first, second = (ndtri(self.base + half) for half in (self.gap / 2, -self.gap / 2))
            return float(first - second), float(first)
        means = [people.mean() for people, _ in self.scores(np.random.default_rng(0), _ENDLESS)]
        return float(means[0] - means[1]), float(means[0])

    def drawn(self, sets: int, seed: int) -> Iterator[tuple[Judged, Judged]]:
        """Yield the two systems of each set."""
        rng = np.random.default_rng(seed)
        clusters = np.arange(self.items) // self.cluster_size if self.cluster_size > 1 else None
        for _ in range(sets):
            scores = self.scores(rng, self.items)
            seen = self._seen(rng)
            found = []
            for people, judge in scores:
                found.append(Judged.of(judge, np.where(seen, people, np.nan), clusters))
                seen = self._seen(rng) if self.apart else seen
            yield found[0], found[1]

    def _seen(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        seen = np.zeros(self.items, dtype=bool)
        if self.cluster_size > 1:  # whole clusters, as people read whole documents
            clusters = self.items // self.cluster_size
            chosen = rng.choice(clusters, self.labels // self.cluster_size, replace=False)
            seen = np.isin(np.arange(self.items) // self.cluster_size, chosen)
        else:
            seen[rng.choice(self.items, self.labels, replace=False)] = True
        return seen


def difference_held(judging: Judging, sets: int, seed: int) -> float:
    """Return in which share of sets the 95 % interval of the difference holds the truth."""
    truth, held = judging.truth()[0], 0
    for first, second in judging.drawn(sets, seed):
        held += _holds(powered_difference(first, second).interval(), truth)
    return held / sets


def score_held(judging: Judging, sets: int, seed: int) -> float:
    """Return in which share of sets the 95 % interval of the first score holds the truth."""
    truth, held = judging.truth()[1], 0
    for first, _ in judging.drawn(sets, seed):
        found = powered_mean(first)
        ends = found.interval()
        held += _holds(ends, truth)
    return held / sets


def called_different(judging: Judging, sets: int, seed: int) -> float:
    """Return in which share of sets two equal systems are called different at 5 %."""
    found = (powered_difference(*pair).test().p for pair in judging.drawn(sets, seed))
    return sum(p is not None and p <= 0.05 for p in found) / sets


def worth(judging: Judging, sets: int, seed: int) -> tuple[float, float]:
    """Return the labels that all are said to be worth (the median), and what they are worth.

    They are worth as many labels as people alone would need for the variance that is found.
    """
    said, both, alone = [], [], []
    for pair in judging.drawn(sets, seed):
        one = powered_difference(*pair)
        other = powered_difference(*(each.people_alone for each in pair))
        said.append(judging.labels * other.bare_variance / one.bare_variance)
        both.append(one.value)
        alone.append(other.value)
    return float(np.median(said)), judging.labels * float(np.var(alone) / np.var(both))


def failures_held(rate: float, labels: int, sets: int, seed: int) -> float:
    """Return how often the interval holds a mean of 5s and rare 1s that the judge misses."""
    rng, held = np.random.default_rng(seed), 0
    for _ in range(sets):
        people = np.where(rng.random(300) < rate, 1.0, 5.0)
        judge = np.append(np.where(rng.random(299) < 0.1, 4.0, 5.0), 1.0)
        seen = np.where(np.arange(300) < labels, people, np.nan)
        held += _holds(powered_mean(Judged.of(judge, seen)).interval(), 5 - 4 * rate)
    return held / sets


def _holds(interval: Interval, truth: float) -> bool:
    low, high = interval.ends
    return low is not None and high is not None and low <= truth <= high


def _rows() -> Iterator[Setting]:
    judges: dict[str, dict[str, Any]] = {
        "a judge right in 97 %": {"accuracy": 0.97},
        "a judge right in 85 % who favours one": {"accuracy": 0.85, "favour": 0.1},
        "a judge right in half": {"accuracy": 0.5},
    }
    kinds: dict[str, dict[str, Any]] = {
        "right or wrong, .6": {"base": 0.6},
        "right or wrong, .95": {"base": 0.95, "gap": 0.03},
        "1 to 5": {"grades": 5},
        "fine scores": {"grades": 0},
    }
    for kind, scale in kinds.items():
        for name, judge in judges.items():
            for labels, items in ((20, 500), (60, 500), (60, 5000), (200, 2000)):
                made = Judging(labels, **judge, **scale, items=items)
                small = 200 if labels == 20 and "favours" in name and ".95" in kind else 0
                yield Setting(
                    f"{kind}, {name}, {labels} labels of {items:,}: difference",
                    partial(difference_held, made),
                    least=0.93,
                    sets=1000,
                    small=small,
                )
                if "right" in kind or labels > 20:
                    yield Setting(
                        f"{kind}, {name}, {labels} labels of {items:,}: score",
                        partial(score_held, made),
                        least=0.92,
                        sets=1000,
                        small=small,
                    )
    others: dict[str, dict[str, Any]] = {
        "30 documents of 5": {"labels": 150, "items": 1500, "cluster_size": 5},
        "other items of each system": {"labels": 60, "apart": True},
    }
    for name, setting in others.items():
        made = Judging(accuracy=0.85, favour=0.1, **setting)
        yield Setting(
            f"right or wrong, {name}: difference",
            partial(difference_held, made),
            least=0.93,
            sets=1000,
            small=200,
        )
    for rate in (0.02, 0.05, 0.1):
        for labels in (20, 30, 60):
            yield Setting(
                f"1 to 5, {100 * rate:g} % failures that the judge misses, {labels} labels: score",
                partial(failures_held, rate, labels),
                least=0.93,
                sets=1000,
                small=60 if labels == 20 else 0,
            )
    for labels in (20, 60):
        equal = Judging(labels, accuracy=0.85, gap=0.0, favour=0.1)
        yield Setting(
            f"equal systems of which the judge favours one, {labels} labels: called different",
            partial(called_different, equal),
            most=0.06,
            small=200 if labels == 20 else 0,
        )


SETTINGS: tuple[Setting, ...] = tuple(_rows())
