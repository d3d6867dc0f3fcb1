"""What unfinished judging leaves possible: bounds of the exact p over all ways to complete it.

A system's counts on an item are one of several, as long as something about it is undecided. With N
and D the sums of both systems' numerators and denominators, and r = N / D, an item has the term
w = (numerator - r denominator) of the first system, minus that of the second. An exchange of items
leaves a difference as large as the measured one if and only if the terms of the exchanged items sum
to at most half of (1 - (D² - d²) / (D² - d₀²)) times the sum of all terms: d is how far apart the
denominators are after the exchange, d₀ before. That sum grows with every term; so the p of "the
first is better" is largest where each term is as small as it can become, and smallest where each is
as large. Where all denominators are the same, as for means, d and d₀ are 0 and the bounds are
attained; else they are a little wider. A pair is settled if its bounds allow one conclusion only.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.stats.corrections import adjust
from tellapart.stats.exchange import RatioSums, exchange_ratios
from tellapart.stats.result import SMALLEST_P
from tellapart.stats.signed_sums import SignedSum, common_step

Conclusion: TypeAlias = Literal["first", "second", "neither"]
"""Which system of a pair has the higher score, if the test tells them apart"""
Cells: TypeAlias = Sequence[Sequence[tuple[int, int]]]
"""By item the numerators and denominators between which a system's counts lie"""
Floats: TypeAlias = NDArray[np.float64]

ROUNDING: Final = 1e-9
"""How close to the level a p must not come, relative to it, so that rounding decides nothing"""
PARTS: Final = 4
"""The range of r is looked at in so many parts: the terms of each vary less"""
CHANCE: Final = 1e-6
"""That an exchange leaves denominators further apart than is looked at; p is larger by that"""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and the largest p of a pair that any completion can have."""

    low: float
    high: float
    leans: Conclusion
    """Which system has the higher score where p is at its upper bound; neither: it varies"""
    certain: bool
    """Whether nothing is open, so that both are the p of the test"""


UNKNOWN: Final = Bounds(0.0, 1.0, "neither", certain=False)


def pair_bounds(
    first: Cells,
    second: Cells,
    shared: Sequence[bool] | None = None,
) -> Bounds:
    """Return the bounds of the two-sided exact p of two systems.

    On `shared` items both have the same counts, whatever these are.

    >>> open_, right, wrong = [(0, 1), (1, 1)], [(1, 1)], [(0, 1)]
    >>> found = pair_bounds([right] * 7 + [open_], [wrong] * 8)
    >>> found.low, found.high
    (0.0078125, 0.015625)
    """
    a, b = _padded(first), _padded(second)
    same = np.zeros(len(a), bool) if shared is None else np.array(shared, bool)
    if (a == a[:, :1]).all() and (b == b[:, :1]).all():
        return _known(a[:, 0], b[:, 0])
    sums = _Sums.of(a, b, same)
    if sums is None:
        return UNKNOWN
    low, high = 1.0, dict.fromkeys(("first", "second"), 0.0)
    for least, most in _terms(a, b, same, sums.pooled):
        for who, (worst, best) in (("first", (least, most)), ("second", (-most, -least))):
            high[who] = max(high[who], 2 * sums.largest(worst, best))
            if best.sum() > 0:
                low = min(low, 2 * sums.smallest(best))
    leans: Conclusion = "first" if high["first"] < 1 else "second" if high["second"] < 1 else (
        "neither"
    )  # fmt: skip
    largest = min(1.0, *high.values())
    return Bounds(min(low, largest), largest, leans, certain=False)


def _padded(cells: Cells) -> NDArray[np.int64]:
    """Return items × points × (numerator, denominator); what is possible lies between points."""
    most = max(map(len, cells), default=1)
    padded = [[*each, *[each[0]] * (most - len(each))] for each in cells]
    return np.array(padded, np.int64).reshape(-1, most, 2)


def _known(a: NDArray[np.int64], b: NDArray[np.int64]) -> Bounds:
    """Return the p of the test where nothing is open."""
    test = exchange_ratios(a.T, b.T, 0)
    if test is None or test.p is None:
        return UNKNOWN
    difference = RatioSums.of(a.T, b.T).difference
    leans: Conclusion = "neither"
    if difference != 0:
        leans = "first" if difference > 0 else "second"
    return Bounds(test.p, test.p, leans, certain=True)


def _terms(
    a: NDArray[np.int64], b: NDArray[np.int64], same: NDArray[np.bool_], pooled: tuple[float, float]
) -> list[tuple[Floats, Floats]]:
    """Return the least and the most that each item's term can be, for parts of the range of r."""
    ends = np.linspace(*pooled, 1 + (1 if pooled[0] == pooled[1] else PARTS))
    at_ends = []
    for r in ends:
        ours, theirs = (each[..., 0] - r * each[..., 1] for each in (a, b))
        least = np.where(same, 0.0, ours.min(axis=1) - theirs.max(axis=1))
        most = np.where(same, 0.0, ours.max(axis=1) - theirs.min(axis=1))
        at_ends.append((least, most))
    # Least terms are concave in r, and most convex: they are extreme at the ends of a part.
    return [
        (np.minimum(one[0], other[0]), np.maximum(one[1], other[1]))
        for one, other in itertools.pairwise(at_ends)
    ]


@dataclass(frozen=True, slots=True)
class _Sums:
    """What the sums of both systems' counts can be, and the bounds of tails by that."""

    pooled: tuple[float, float]
    """Least and most of r"""
    gain: float
    """The most that 1 - (D² - d²) / (D² - d₀²) can be, but for exchanges of a small chance"""
    loss: float
    """The least, as a number above 0"""
    chance: float

    @classmethod
    def of(
        cls, a: NDArray[np.int64], b: NDArray[np.int64], same: NDArray[np.bool_]
    ) -> _Sums | None:
        """Return the sums; None where a denominator may become 0, and a score undefined."""
        (a_least, b_least), (a_most, b_most) = (
            [end(each, axis=1).astype(float) for each in (a, b)] for end in (np.min, np.max)
        )
        (num_least, den_least), (num_most, den_most) = (
            (a_least + b_least).sum(axis=0).tolist(), (a_most + b_most).sum(axis=0).tolist()
        )  # fmt: skip
        apart = np.stack([a_least - b_most, a_most - b_least])[..., 1]
        apart[:, same] = 0.0
        sizes = np.abs(apart).max(axis=0)
        before = apart.sum(axis=1)
        nearest = max(0.0, before[0], -before[1]) ** 2
        farthest = float(np.abs(before).max()) ** 2
        reach, chance = float(sizes.sum()), 0.0
        likely = math.sqrt(2 * math.log(2 / CHANCE) * float(sizes @ sizes))  # Hoeffding
        if likely < reach:
            reach, chance = likely, CHANCE
        if den_least <= reach or den_least**2 <= farthest:
            return None
        ratios = [n / d for n in (num_least, num_most) for d in (den_least, den_most)]
        pooled = (min(ratios), max(ratios)) if reach else (0.0, 0.0)
        gain = max((reach**2 - nearest) / (d**2 - nearest) for d in (den_least, den_most))
        return cls(pooled, gain, farthest / (den_least**2 - farthest), chance)

    def largest(self, worst: Floats, best: Floats) -> float:
        """Return the largest p of "it is better"."""
        total = float(worst.sum())
        if total <= 0:
            return 1.0
        reach = total - max(self.gain * total, self.gain * float(best.sum()))
        return _tail(worst, reach, upper=True) + self.chance

    def smallest(self, best: Floats) -> float:
        """Return the smallest p of "it is better"."""
        reach = float(best.sum()) * (1 + self.loss)
        return max(0.0, _tail(best, reach, upper=False) - self.chance)


def _tail(terms: Floats, reach: float, *, upper: bool) -> float:
    """Return a bound of the chance that terms with random signs sum to `reach` or more."""
    sums = SignedSum.of(terms)
    slack = 0.0 if common_step(np.abs(terms)) else ROUNDING * sums.total
    test = sums.test(reach if upper else reach + 2 * slack, 1, slack)
    if test is None or test.p is None:
        return 1.0 if upper else 0.0
    if upper:
        return test.p
    return 0.0 if reach + slack > sums.total else test.p - test.error


def settled(bounds: Sequence[Bounds], alpha: float = 0.05) -> list[Conclusion | None]:
    """Return the conclusion of each pair that every completion leads to; None where it is open.

    Holm's correction gives no smaller p where any of the p-values is larger, so that the corrected
    bounds are bounds of what is corrected.

    >>> settled([Bounds(0.01, 0.02, "first", False), Bounds(0.03, 0.4, "neither", False)])
    ['first', None]
    """
    if not bounds:
        return []
    most = adjust([max(SMALLEST_P, each.high) for each in bounds], "holm")
    least = adjust([max(SMALLEST_P, each.low) for each in bounds], "holm")
    all_certain = all(each.certain for each in bounds)
    margin = 0.0 if all_certain else ROUNDING * alpha
    found: list[Conclusion | None] = []
    for each, high, low in zip(bounds, most.tolist(), least.tolist(), strict=True):
        if high <= alpha - margin and each.leans != "neither":
            found.append(each.leans)
        elif low > alpha + margin:
            found.append("neither")
        else:
            found.append("neither" if all_certain else None)
    return found
