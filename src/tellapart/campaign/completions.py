"""What unfinished judging leaves possible: bounds of the exact p over all ways to complete it.

A system's counts on an item are one of several, as long as something about it is undecided. For a
pair of systems the p-value of the exact randomization test then lies between two bounds, whatever
is decided: one where the first system gets the worst of its counts and the second the best, and one
the other way round. A pair is settled if the bounds allow one conclusion only.

With f the difference that an exchange of items leaves, minus the measured difference, the one-sided
p of "the first is better" is the share of exchanges with f >= 0. On exchanged items f falls with
the first system's counts and rises with the second's; on the others the same count stands on
both sides and all but cancels. What does not cancel, since the exchange has changed the
denominators, is bounded by a slack that depends on the exchanged denominators alone. So the bounds
take one lattice each, with another threshold. Where all denominators are the same, as for means,
there is no slack: the bounds are attained.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.stats.corrections import adjust
from tellapart.stats.exchange import RatioPair
from tellapart.stats.lattice import lattice_tail
from tellapart.stats.result import Test

Conclusion: TypeAlias = Literal["first", "second", "neither"]
"""Which system of a pair has the higher score, if the test tells them apart"""

ROUNDING: Final = 1e-9
"""How close to the level a p must not come, relative to it, so that rounding decides nothing"""
SMALLEST: Final = 5e-324
MAX_UPDATES: Final = 2e9
"""Cells of a lattice that are worked out for a pair: a second or two"""
WORTH: Final = 3.0
"""A rough p so many times beyond any level spares the exact work: it could settle nothing"""


@dataclass(frozen=True, slots=True)
class Reachable:
    """The sums that systems can still have on each item.

    >>> known, open_ = [[2, 2], [2, 2]], [[0, 2], [2, 2]]
    >>> Reachable.of([[known, known], [open_, known]]).widths.tolist()
    [[False, False], [True, False]]
    """

    points: NDArray[np.int64]
    """Systems × items × points × (numerator, denominator); what is possible lies between them"""
    same: NDArray[np.int64]
    """Systems × items: those with the same number on an item have the same counts on it for sure"""

    @classmethod
    def of(
        cls,
        points: Sequence[Sequence[Sequence[Sequence[int]]]],
        same: Sequence[Sequence[int]] | None = None,
    ) -> Reachable:
        """Return what is possible, given lists of points of any lengths."""
        most = max((len(each) for row in points for each in row), default=1)
        padded = [[[*each, *[each[0]] * (most - len(each))] for each in row] for row in points]
        array = np.array(padded, np.int64).reshape(len(points), -1, most, 2)
        if (array[..., 1] < 0).any():
            raise UsageError("denominators must be counts, 0 or more")
        if same is None:
            systems, items = array.shape[:2]
            return cls(array, np.repeat(np.arange(systems)[:, None], items, axis=1))
        return cls(array, np.array(same, np.int64))

    @property
    def widths(self) -> NDArray[np.bool_]:
        """Systems × items: whether more than one point is possible."""
        return np.asarray((self.points != self.points[:, :, :1]).any(axis=(2, 3)))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of systems, in the order of `compare`."""
        return list(itertools.combinations(range(len(self.points)), 2))


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and the largest p of a pair that any completion can have.

    >>> Bounds(0.01, 0.04, "first", certain=False).low
    0.01
    """

    low: float
    high: float
    leans: Conclusion
    """Which system has the higher score where p is at its upper bound; neither: it varies"""
    certain: bool
    """Whether nothing is open, so that both are the p of the test"""


def pair_bounds(
    reachable: Reachable, a: int, b: int, alpha: float = 1.0, family: int = 1
) -> Bounds:
    """Return the bounds of the two-sided exact p of two systems.

    With the level and the number of comparisons a bound is left trivial, 0 or 1, where a rough look
    says that it could settle nothing; without them every bound is worked out.

    >>> open_, right, wrong = [[0, 1], [1, 1]], [[1, 1]], [[0, 1]]
    >>> a, b = [right] * 7 + [open_], [wrong] * 8
    >>> found = pair_bounds(Reachable.of([a, b]), 0, 1)
    >>> found.low, found.high
    (0.0078125, 0.015625)
    """
    first, second = _Corner.of(reachable, a, b), _Corner.of(reachable, b, a)
    if first.certain:
        low, high = _ends(first.exact(0))
        leans: Conclusion = "neither"
        if first.difference != 0:
            leans = "first" if first.difference > 0 else "second"
        known = low > 0
        return Bounds(high if known else 0.0, high, leans, certain=known)
    # The corner that is worst for a system bounds the p of "it is better" from above, and that
    # of "the other one is better" from below.
    leans, high, low = "neither", 1.0, 1.0
    for corner, who in ((first, "first"), (second, "second")):
        if corner.difference > 0 and corner.rough <= WORTH * alpha:
            found = 2 * corner.largest()
            if found < 1:
                leans, high = ("first", found) if who == "first" else ("second", found)
        if corner.difference < corner.doubt:
            wanted = alpha == 1.0 or corner.rough >= alpha / family / WORTH
            least = 0.0 if alpha == 1.0 else alpha / family / WORTH
            low = min(low, 2 * corner.mirrored_smallest(least) if wanted else 0.0)
    return Bounds(min(low, high), high, leans, certain=False)


@dataclass(frozen=True, slots=True)
class _Corner:
    """A pair where one system has the worst of its counts and the other one the best."""

    worst: NDArray[np.int64]  # items × (numerator, denominator)
    best: NDArray[np.int64]
    score: float
    """The score by which a numerator is set off against a denominator"""
    slack: _Slack
    certain: bool
    widths: tuple[NDArray[np.float64], NDArray[np.float64]]
    """How far the counts of each system on each of its own items can be off, set off alike"""

    @classmethod
    def of(cls, reachable: Reachable, a: int, b: int) -> _Corner:
        """Return the corner that is worst for `a` and best for `b`."""
        points_a, points_b = reachable.points[a], reachable.points[b]
        middle = (points_a.sum(axis=(0, 1)) + points_b.sum(axis=(0, 1))).astype(float)
        score = float(middle[0] / middle[1]) if middle[1] else 0.0
        shared = reachable.same[a] == reachable.same[b]
        worst, a_parts = _extreme(points_a, score, 1)
        best, b_parts = _extreme(points_b, score, -1)
        best = np.where(shared[:, None], worst, best)
        own = ~shared
        slack = _Slack(
            *(_Width.of(parts, kept) for parts, kept in
              ((a_parts, own), (b_parts, own), (a_parts, shared)))
        )  # fmt: skip
        widths = np.where(own, a_parts[0], 0.0), np.where(own, b_parts[0], 0.0)
        return cls(worst, best, score, slack, slack.total == 0, widths)

    @property
    def dx(self) -> NDArray[np.int64]:
        return np.asarray(self.best[:, 0] - self.worst[:, 0])

    @property
    def dy(self) -> NDArray[np.int64]:
        return np.asarray(self.best[:, 1] - self.worst[:, 1])

    def pair(self, sign: int = 0) -> RatioPair:
        return RatioPair.of(np.stack([self.worst.T, self.best.T], axis=1), 0, 1, sign)

    def exact(self, sign: int) -> Test | None:
        """Return the exact test at the corner itself; None if it takes too much work."""
        return self.pair(sign).exact(self.worst.T, self.best.T, MAX_UPDATES)

    @property
    def difference(self) -> float:
        """The score of the one with the worst counts, minus the other's."""
        return float(self.pair().difference)

    @property
    def doubt(self) -> float:
        """How far the difference can lie below the corner's: by denominators and shared counts."""
        pair, slack = self.pair(), self.slack
        own = slack.own(pair)
        if any(den <= off for den, off in own):
            return math.inf
        (low_a, high_a), (low_b, high_b) = ((1 / (den + off), 1 / (den - off)) for den, off in own)
        shared = slack.shared.numerator * max(high_a - low_b, high_b - low_a)
        nums = pair.num_a, pair.num_b
        drifts = (_drift(self.score, n, *each) for n, each in zip(nums, own, strict=True))
        return math.fsum((shared, *drifts))

    @property
    def without_slack(self) -> bool:
        """Whether all denominators are the same, so that the corner itself is the bound."""
        return not self.dy.any() and not self.slack.denominators

    @property
    def rough(self) -> float:
        """About the two-sided p at the corner, by a normal distribution."""
        pair, parts = self.pair(), self.dx - self.score * self.dy
        total = pair.den_a + pair.den_b
        spread = 2 * math.sqrt(float(parts @ parts))
        return math.erfc(abs(self.difference) * total / spread / math.sqrt(2)) if spread else 1.0

    def largest(self) -> float:
        """Return the largest p of "the first is better", the first having the worst counts."""
        pair = self.pair()
        if self.without_slack:
            return _ends(self.exact(1))[1]
        p = self._tail(pair, self.dx, self.dy, _Threshold.of(pair, self.score, self.slack, 1))
        return 1.0 if p is None else p

    def mirrored_smallest(self, least: float = 0.0) -> float:
        """Return the smallest p of "the second is better", the second having the best counts.

        Where a rough look finds it far below half of `least`, it is taken as 0.
        """
        if self.without_slack:
            return _ends(self.exact(-1))[0]
        # As one looks at it from the second system: the exchanges that favour it.
        pair = self.pair()
        flipped = RatioPair(pair.num_b, pair.den_b, pair.num_a, pair.den_a)
        slack = _Slack(self.slack.b, self.slack.a, self.slack.shared)
        threshold = _Threshold.of(flipped, self.score, slack, -1)
        p = self._tail(flipped, -self.dx, -self.dy, threshold, least / 2 / WORTH)
        return 0.0 if p is None else p

    def _tail(
        self,
        pair: RatioPair,
        dx: NDArray[np.int64],
        dy: NDArray[np.int64],
        threshold: _Threshold,
        worth: float = 0.0,
    ) -> float | None:
        """Return the probability of exchanges beyond a threshold; None if it is not worth the work.

        What items that stay can add is put on the lattice, item by item, as far as whole numbers
        go: about half of them stay.
        """
        widths = self.widths if threshold.sign > 0 else self.widths[::-1]
        adds = threshold.keep[0] * widths[0] + threshold.keep[1] * widths[1]
        whole = np.rint(adds / 2).astype(np.int64)
        rest = float(np.maximum(0.0, adds - 2 * whole).sum())
        moved = threshold.sign * int(whole.sum())
        start = pair.num_a - pair.num_b + 2 * moved, pair.den_a - pair.den_b
        far = float(1 << 62)

        def least(d: NDArray[np.int64]) -> NDArray[np.float64]:
            return threshold.least(d) - threshold.sign * rest

        def first(d: NDArray[np.int64], c0: int, step: int) -> NDArray[np.int64]:
            return np.ceil((least(d) - c0) / (2 * step)).clip(-far, far).astype(np.int64)

        dx = dx - threshold.sign * whole
        if worth:
            parts = dx - self.score * dy
            spread = math.sqrt(2 * float(parts @ parts))
            z = float(least(np.zeros(1, np.int64))[0]) - moved
            if not spread or math.erfc(z / spread) / 2 < worth:
                return None
        return lattice_tail(dx, dy, start, first, MAX_UPDATES)


def _ends(test: Test | None) -> tuple[float, float]:
    """Return between what the exact p lies: anywhere, where there is no test."""
    return (0.0, 1.0) if test is None or test.p is None else (test.p - test.error, test.p)


def _extreme(
    points: NDArray[np.int64], score: float, sign: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the worst point of each item (the best for a sign of -1), and how far others are off.

    What is off are numerators set off against denominators, and denominators.
    """
    worth = points[..., 0] - score * points[..., 1]
    at = (sign * worth).argmin(axis=1)
    chosen = points[np.arange(len(points)), at]
    off = np.abs(worth - worth[np.arange(len(points)), at][:, None]).max(axis=1)
    denominators = np.abs(points[..., 1] - chosen[:, 1:]).max(axis=1)
    return chosen, np.stack([off, denominators.astype(float)])


@dataclass(frozen=True, slots=True)
class _Width:
    """How far the sums of a system can be off those at a corner."""

    numerator: float
    """Set off against denominators"""
    denominator: float

    @classmethod
    def of(cls, parts: NDArray[np.float64], kept: NDArray[np.bool_]) -> _Width:
        numerator, denominator = parts[:, kept].sum(axis=1).tolist()
        return cls(numerator, denominator)


@dataclass(frozen=True, slots=True)
class _Slack:
    """How far the sums of both systems can be off a corner, on their own items and on shared."""

    a: _Width
    b: _Width
    shared: _Width

    @property
    def total(self) -> float:
        return math.fsum(w.numerator + w.denominator for w in (self.a, self.b, self.shared))

    @property
    def denominators(self) -> float:
        return math.fsum(each.denominator for each in (self.a, self.b, self.shared))

    def own(self, pair: RatioPair) -> list[tuple[float, float]]:
        """Return the denominator of each system, and how far it can be off."""
        dens = (pair.den_a, self.a), (pair.den_b, self.b)
        return [(den, each.denominator + self.shared.denominator) for den, each in dens]


@dataclass(frozen=True, slots=True)
class _Threshold:
    """From where on an exchange counts, whatever is decided (sign -1) or for some decision (1)."""

    pair: RatioPair
    score: float
    slack: _Slack
    sign: int
    keep: tuple[float, float] = (0.0, 0.0)
    """By how much a count of each system that stays may move the numerators, item by item"""

    @classmethod
    def of(cls, pair: RatioPair, score: float, slack: _Slack, sign: int) -> _Threshold:
        """Return the threshold; what stays is weighed as in the middle of all exchanges."""
        half, v, own = (pair.den_a + pair.den_b) / 2, slack.denominators, slack.own(pair)
        if half <= 2 * v or any(den <= 2 * off for den, off in own):
            return cls(pair, score, slack, sign)
        keep = [float(_excess(np.array(half), v, *each)) * half for each in own]
        return cls(pair, score, slack, sign, (keep[0], keep[1]))

    def least(self, d: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how far apart the numerators must be, for denominators that are d apart."""
        pair, s = self.pair, self.slack
        tn, td = pair.num_a + pair.num_b, pair.den_a + pair.den_b
        v = s.denominators
        ends = [(td + d) / 2, (td - d) / 2]  # the denominators after the exchange, at the corner
        own = s.own(pair)
        far = float(1 << 62)
        open_end = np.full(len(d), -far if self.sign > 0 else far)
        if any(den <= 2 * off for den, off in own):
            return open_end
        fine = (ends[0] > 2 * v) & (ends[1] > 2 * v)
        one, other = (np.where(fine, end, 4 * v + 1) for end in ends)
        # What a count on an item that is not exchanged can change: it stands on both sides.
        # As much of it as `keep` is counted item by item.
        each = 1 / (2 * one) + 1 / (2 * other)  # what a step of the numerators is worth
        kept = [k * w.numerator for k, w in zip(self.keep, (s.a, s.b), strict=True)]
        slack = np.maximum(0.0, s.a.numerator * _excess(one, v, *own[0]) - kept[0] * each)
        slack += np.maximum(0.0, s.b.numerator * _excess(other, v, *own[1]) - kept[1] * each)
        slack += s.shared.numerator * _gap((one, v), (other, v), *own)
        slack += math.fsum(
            _drift(self.score, num, *each)
            for num, each in zip((pair.num_a, pair.num_b), own, strict=True)
        )
        # f = (tn + c) / 2 one - (tn - c) / 2 other - difference, and what the denominators' own
        # ranges add: |score - score after the exchange| × v / (denominator - v), on both sides.
        least = []
        weights = [v / (one - v), v / (other - v)]
        for signs in itertools.product((1, -1), repeat=2):
            up = [k * self.sign * w for k, w in zip(signs, weights, strict=True)]
            constant = (1 - up[0]) * tn / (2 * one) - (1 + up[1]) * tn / (2 * other)
            constant += self.score * (up[0] + up[1])
            slope = (1 - up[0]) / (2 * one) + (1 + up[1]) / (2 * other)
            lost = math.fsum(kept) * np.maximum(0.0, each - slope)
            need = float(pair.difference) - self.sign * (slack + lost) - constant
            least.append(need / slope)
        found = np.min(least, axis=0) if self.sign > 0 else np.max(least, axis=0)
        found = found - self.sign * ROUNDING * np.maximum(1.0, np.abs(found))
        return np.where(fine, found, open_end)


def _drift(score: float, num: float, den: float, off: float) -> float:
    """Return how far the range of a denominator alone can move a ratio."""
    return abs(score - num / den) * off / (den - off)


def _excess(
    exchanged: NDArray[np.float64], v: float, den: float, off: float
) -> NDArray[np.float64]:
    """Return by how much a count can be worth more after an exchange than before."""
    return np.maximum(0.0, 1 / (exchanged - v) - 1 / (den + off))


def _gap(
    one: tuple[NDArray[np.float64], float],
    other: tuple[NDArray[np.float64], float],
    a: tuple[float, float],
    b: tuple[float, float],
) -> NDArray[np.float64]:
    """Return by how much a count that both systems have can be worth more to one of them."""
    (one_low, one_high), (other_low, other_high), (a_low, a_high), (b_low, b_high) = (
        (1 / (den + off), 1 / (den - off)) for den, off in (one, other, a, b)
    )
    up = one_high - other_low - a_low + b_high
    down = one_low - other_high - a_high + b_low
    return np.asarray(np.maximum(np.abs(up), np.abs(down)))


def settled(
    bounds: Sequence[Bounds], alpha: float = 0.05, correction: str = "holm"
) -> list[Conclusion | None]:
    """Return the conclusion of each pair that every completion leads to; None where it is open.

    All corrections give no smaller p where any of the p-values is larger, so that the corrected
    bounds are bounds of what is corrected.

    >>> settled([Bounds(0.01, 0.02, "first", False), Bounds(0.03, 0.4, "neither", False)])
    ['first', None]
    """
    if not bounds:
        return []
    most = adjust([max(SMALLEST, each.high) for each in bounds], correction)
    least = adjust([max(SMALLEST, each.low) for each in bounds], correction)
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
