"""Sequential evaluation: a test of paired differences that may be looked at after every item.

Against "the mean difference is m or less" a gambler bets on each item before it comes. Differences
lie in [-1, 1], and one of x pays 1 - stake + stake × (1 + x) / (1 + m) for each unit of money: fair
if the mean is m, a losing game if it is less. So the capital, 1 at the start, ever comes to
1 / error with a chance of `error` at most, however often one looks (Ville's inequality). The money
is spread evenly over all stakes between 0 and 1, each left to its bets: a mixture of martingales.
On right and wrong items, m = 0, that is Robbins' mixture; ties neither win nor lose. (Waudby-Smith
and Ramdas 2023, Journal of the Royal Statistical Society B 86; the mixture is Cover's universal
portfolio. The even spread was chosen by simulation: see docs/plan.md.)

The means against which the capital stays below 1 / error are a confidence sequence: at all times
together it holds the true mean with a chance of 1 - error. Since the payment falls with m for every
stake, they are all those above one end.

What the bets need is that the expected difference, given the items before, is on the same side of
m: their order must not depend on the outcomes.

The mean is that of items. Those of a cluster come together: of w items, as a share of the largest
cluster that can come, whose differences add up to x of it, the gambler gets 1 + stake × (x - m × w)
/ (1 + m). How large a cluster can be must be known before, as the bounds of scores must be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import DataError, UsageError
from tellapart.options import ALPHA, COUNT, MARGIN
from tellapart.stats.intervals import crossing
from tellapart.stats.result import Floats

_STAKES = 128  # Gauss's points for the even spread: exact on 255 items that differ, valid on any


@cache
def _stakes() -> tuple[Floats, Floats]:
    """Return the stakes, and the logarithm of the money on each."""
    points, weights = np.polynomial.legendre.leggauss(_STAKES)
    return (1 + points) / 2, np.log(weights / 2)


def _total(logarithms: Floats) -> Floats:
    """Return the logarithm of the whole capital; the last axis runs over stakes."""
    return np.asarray(np.logaddexp.reduce(logarithms, axis=-1))


class Capital:
    """The capital of bets that a mean is above a supposed one, item by item.

    `shape` is that of several sequences side by side, as simulations have them.

    >>> capital = Capital(0.0)
    >>> for difference in (1, 1, 0, 1, -1):
    ...     capital.bet(difference)
    >>> round(math.exp(capital.now), 4)  # the integral of (1 + s)^3 (1 - s) over s from 0 to 1
    1.3
    >>> round(math.exp(capital.most), 4)  # after three wins
    3.75
    """

    def __init__(self, supposed: float, shape: tuple[int, ...] = ()) -> None:
        self.supposed = supposed
        self._logarithms = np.broadcast_to(_stakes()[1], (*shape, _STAKES)).copy()
        self.most: Floats = np.zeros(shape)
        """The logarithm of the largest capital so far"""

    def bet(self, differences: ArrayLike, weights: ArrayLike = 1.0) -> None:
        """Bet on the next item, or cluster, of every sequence: its difference and its weight.

        Both are shares of the largest cluster that can come.
        """
        x, w = (np.asarray(values, np.float64)[..., None] for values in (differences, weights))
        self._logarithms += np.log1p(_stakes()[0] * ((x - self.supposed * w) / (1 + self.supposed)))
        self.most = np.maximum(self.most, self.now)

    @property
    def now(self) -> Floats:
        """The logarithm of the capital."""
        return _total(self._logarithms)


def lower_end(differences: ArrayLike, error: float, weights: ArrayLike = 1.0) -> float:
    """Return the least mean that the differences so far leave possible, in a one-sided sequence.

    Differences and weights are those of `Capital.bet`.

    >>> round(lower_end([0.0] * 200, 0.05), 4), round(lower_end([1.0] * 20, 0.05), 4)
    (-0.0223, 0.6023)
    """
    rows = np.stack(np.broadcast_arrays(differences, weights), axis=1).astype(np.float64)
    (values, shares), times = (part.T for part in np.unique(rows, axis=0, return_counts=True))
    stakes, spread = _stakes()

    def excess(supposed: float) -> float:
        gains = (values - supposed * shares) / (1 + supposed)
        return float(_total(spread + times @ np.log1p(stakes * gains[:, None]))) + math.log(error)

    least, mean = -1 + 1e-12, float(times @ values / (times @ shares))
    if mean <= least or excess(least) < 0:
        return -1.0
    return -crossing(lambda supposed: excess(-supposed), -mean, -least, xtol=1e-12)


@dataclass(frozen=True, slots=True)
class Look:
    """What a sequential evaluation shows after some items; differences are first - second.

    >>> evaluation = Sequential("new", "old")
    >>> evaluation.add(1, 0)
    False
    >>> evaluation.look().leader
    'new'
    """

    items: int
    """Items, or clusters of them, that have counted"""
    difference: float | None
    """The mean difference; None before the first item"""
    interval: tuple[float, float] | None
    """Of the confidence sequence: all of its intervals together hold the true difference"""
    p: float
    """The anytime-valid p; with a margin, against a loss of the margin or more"""
    leader: str | None
    """The system that is ahead; None if none is"""
    settled: bool
    settled_at: int | None
    """After how many items it was settled"""
    better: str | None
    """The system that is shown to be better; with a margin, None"""
    no_worse: bool | None
    """Whether the second is shown to lose less than the margin (True) or more (False); None if
    neither is, or without a margin"""


class Sequential:
    """Paired items as they come in, with a test that may be looked at after each of them.

    Args:
        first: the name of the one system.
        second: that of the other.
        alpha: the level of the question which is better; with a margin, of each side.
        margin: asks instead whether the second is no worse than the first by so much.
        bounds: the least and the most that an item can score; what is outside is refused.
        cluster_size: the most items that a cluster can have; a larger one is refused.
        higher_is_better: whether high scores are good.

    >>> evaluation = Sequential("new", "old")
    >>> for _ in range(9):
    ...     settled = evaluation.add(1, 0)
    >>> settled, evaluation.settled_at
    (True, 8)
    >>> look = evaluation.look()
    >>> look.better, round(look.p, 4), round(look.interval[0], 3)
    ('new', 0.0196, 0.126)

    """

    def __init__(
        self,
        first: str = "first",
        second: str = "second",
        *,
        alpha: float = 0.05,
        margin: float | None = None,
        bounds: Sequence[float] = (0.0, 1.0),
        cluster_size: int = 1,
        higher_is_better: bool = True,
    ) -> None:
        self.names = str(first), str(second)
        self.alpha: float = ALPHA.checked(alpha, "alpha")
        self.bounds = checked_bounds(bounds)
        self.cluster_size: int = COUNT.checked(cluster_size, "cluster_size")
        self.higher_is_better = bool(higher_is_better)
        self.margin: float | None = None if margin is None else MARGIN.checked(margin, "margin")
        low, high = self.bounds
        if self.margin is not None and self.margin >= high - low:
            raise UsageError(
                f"a margin of {self.margin:g} leaves nothing to show between {low:g} and {high:g}"
            )
        self._width = (high - low) * (1 if self.higher_is_better else -1)
        # The first system is above a mean of this, or below it.
        at = 0.0 if self.margin is None else self.margin / (high - low)
        self._above, self._below = Capital(at), Capital(-at)
        self._differences: list[float] = []  # in units of a whole cluster, as the weights
        self._weights: list[float] = []
        self._side = 0  # 1 once the first is shown to be above what is supposed, -1 if below
        self.settled_at: int | None = None
        """After how many items the question was answered; it stays so"""

    def __len__(self) -> int:
        """Return how many items, or clusters of them, have counted."""
        return len(self._differences)

    @property
    def error(self) -> float:
        """The error of each side, which the ends of the interval have, too."""
        return self.alpha / 2 if self.margin is None else self.alpha

    @property
    def settled(self) -> bool:
        """Whether the question is answered."""
        return self.settled_at is not None

    def add(self, first: ArrayLike, second: ArrayLike) -> bool:
        """Count an item by its two scores, or a cluster by those of its items; return `settled`.

        The items of a cluster come all at once; each counts as much as any other item.
        """
        difference, weight = self._counted(first, second)
        self._differences.append(difference)
        self._weights.append(weight)
        self._above.bet(difference, weight)
        self._below.bet(-difference, weight)
        if not self.settled:
            enough = -math.log(self.error)
            self._side = int(self._above.most >= enough) - int(self._below.most >= enough)
            self.settled_at = len(self) if self._side else None
        return self.settled

    def look(self) -> Look:
        """Return what the items so far show."""
        side, margin = self._side, self.margin
        total, weight = math.fsum(self._differences), math.fsum(self._weights)
        mean = total / weight if weight else None
        return Look(
            items=len(self),
            difference=None if mean is None else mean * self._width,
            interval=self._interval(),
            p=self._p(),
            leader=self.names[0 if mean > 0 else 1] if mean else None,
            settled=self.settled,
            settled_at=self.settled_at,
            better=self.names[0 if side > 0 else 1] if side and margin is None else None,
            no_worse=side < 0 if side and margin is not None else None,
        )

    def _counted(self, first: ArrayLike, second: ArrayLike) -> tuple[float, float]:
        """Return how much better the first is, and the number of items, of the largest cluster."""
        one, other = map(self._scores, self.names, (first, second))
        if len(one) != len(other):
            raise DataError(
                f"a cluster has {len(one)} scores of {self.names[0]} and {len(other)} of "
                f"{self.names[1]}; both need all of its items"
            )
        if len(one) > self.cluster_size:
            raise UsageError(
                f"a cluster has {len(one)} items, and {self.cluster_size} at most were supposed: "
                f"begin again with --cluster-size {len(one)}, or more"
            )
        return math.fsum(one - other) / self.cluster_size / self._width, len(
            one
        ) / self.cluster_size

    def _scores(self, name: str, given: ArrayLike) -> Floats:
        try:
            values = np.atleast_1d(np.asarray(given, np.float64))
        except (TypeError, ValueError):
            raise DataError(f"{given!r} is no score of {name}; give a number") from None
        if values.ndim != 1 or not len(values):
            raise DataError(f"a score of {name} is a number, or the list of a cluster's")
        low, high = self.bounds
        outside = values[~((values >= low) & (values <= high))]
        if len(outside):
            raise DataError(
                f"{name} scores {outside[0]:g}, and scores must lie between {low:g} and {high:g}: "
                "give other bounds"
            )
        return values

    def _p(self) -> float:
        above, below = float(self._above.most), float(self._below.most)
        if self.margin is None:
            return min(1.0, 2 * math.exp(-max(above, below)))
        return min(1.0, math.exp(-below))

    def _interval(self) -> tuple[float, float] | None:
        """Return the means that are left, on the scale of scores; what was ruled out stays so."""
        if not self._differences:
            return None
        values, error = np.array(self._differences), self.error
        low = lower_end(values, error, self._weights)
        high = -lower_end(-values, error, self._weights)
        if self._side > 0:
            low = max(low, self._above.supposed)
        elif self._side < 0:
            high = min(high, -self._below.supposed)
        ends = sorted((low * self._width, high * self._width))
        return ends[0], ends[1]


def checked_bounds(bounds: Sequence[float]) -> tuple[float, float]:
    """Return the least and the most that an item can score, or refuse what is no such pair.

    >>> checked_bounds([1, 10])
    (1.0, 10.0)
    """
    try:
        low, high = (float(end) for end in bounds)
    except (TypeError, ValueError):
        raise UsageError(f"bounds are two numbers, such as 0 and 1, not {bounds!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(
            f"bounds are the least and the most, both finite, not {low:g} and {high:g}"
        )
    return low, high
