"""How far several people agree who answered the same questions: raw, kappa, Krippendorff's alpha.

Any number of people, each with any part of the questions; a question that fewer than two answered
tells nothing, and is left out. Kappa and alpha are 1 - (disagreement) / (disagreement by chance).

Cohen's kappa takes chance from how often each person gives each answer. Of more than two people,
every pair of answers to a question counts, and chance is that of its two people; for two people it
is the kappa that Cohen (1960) defined. Alpha (Krippendorff 2004) takes chance from all answers
together, and may weigh a disagreement by the square of the distance on a scale.

Intervals are Wilson's of the mean disagreement, where questions of one item may belong together;
what chance would make of it is taken as known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from operator import ne
from typing import Any

import numpy as np

from tellapart.stats.intervals import clustered_wilson

Said = Mapping[str, Hashable]
"""Who answered what to a question"""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of agreement with its interval."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class InterRater:
    """Agreement on the questions that two or more people answered."""

    questions: int = 0
    same: int = 0
    """Questions to which all gave the same answer"""
    share: Figure | None = None
    """Of pairs of answers to one question that are the same"""
    kappa: Figure | None = None
    """Cohen's kappa; None where people gave one answer only, so that chance explains everything"""
    alpha: Figure | None = None
    """Krippendorff's alpha; None as kappa"""


def interrater(
    answers: Sequence[Said],
    *,
    scale: Mapping[Any, float] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> InterRater:
    """Return the agreement of people: of each question who answered what.

    `scale` says what the answers are worth, for alpha; `clusters` which questions belong together.

    >>> both = [("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no"), ("yes", "yes")]
    >>> found = interrater([{"ann": a, "bob": b} for a, b in both])
    >>> found.questions, found.same, round(found.kappa.value, 4), round(found.alpha.value, 4)
    (5, 4, 0.6154, 0.64)
    """
    of = range(len(answers)) if clusters is None else clusters
    kept = [(cluster, said) for cluster, said in zip(of, answers, strict=True) if len(said) > 1]
    if not kept:
        return InterRater()
    given: dict[str, Counter[Hashable]] = {}
    for _, said in kept:
        for person, answer in said.items():
            given.setdefault(person, Counter())[answer] += 1
    totals = sum(given.values(), Counter[Hashable]())
    worth = [] if scale is None else [scale[answer] for answer in totals]
    widest = max(worth) - min(worth) if worth else 0.0

    def distance(one: Hashable, other: Hashable) -> float:
        """Return how far answers are apart, at most 1."""
        if scale is None or not widest:
            return float(one != other)
        return ((scale[one] - scale[other]) / widest) ** 2

    @cache
    def by_chance(one: str, other: str) -> float:
        """Return how often two people would differ if each drew from their own answers."""
        both = sum(times * given[other][answer] for answer, times in given[one].items())
        return 1 - both / (given[one].total() * given[other].total())

    pairs = [
        (by_chance(one, other), 1 / (len(said) - 1))
        for _, said in kept
        for one, other in combinations(said, 2)
    ]
    chance = float(np.average([c for c, _ in pairs], weights=[w for _, w in pairs]))
    apart = math.fsum(a * b * distance(x, y) for x, a in totals.items() for y, b in totals.items())
    expected = apart / (totals.total() * (totals.total() - 1))
    same = sum(len(set(said.values())) == 1 for _, said in kept)
    return InterRater(
        len(kept), same, _figure(kept, ne, 1.0), _figure(kept, ne, chance),
        _figure(kept, distance, expected),
    )  # fmt: skip


def _figure(
    kept: Sequence[tuple[Hashable, Said]],
    distance: Callable[[Hashable, Hashable], float],
    chance: float,
) -> Figure | None:
    """Return 1 - (mean distance of answers) / chance; None if chance explains everything."""
    if chance <= 1e-12:
        return None
    near: dict[Hashable, float] = {}
    sizes: dict[Hashable, float] = {}
    for cluster, said in kept:
        m = len(said)
        apart = math.fsum(distance(one, other) for one, other in combinations(said.values(), 2))
        sizes[cluster] = sizes.get(cluster, 0.0) + m / 2
        near[cluster] = near.get(cluster, 0.0) + m / 2 - apart / (m - 1)
    sums, weights = (np.array(list(each.values())) for each in (near, sizes))
    ends = clustered_wilson(sums, weights)
    share = float(sums.sum() / weights.sum())
    assert ends.low is not None
    assert ends.high is not None
    low, value, high = (1 - (1 - near) / chance for near in (ends.low, share, ends.high))
    return Figure(value, (low, high))
