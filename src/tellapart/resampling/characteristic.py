"""The tail of a sum with random signs from its characteristic function, for very many terms.

That function is a product of cosines, a power of one for all terms of a size. It belongs to a
distribution with jumps, whose tail no finite number of its values gives. So a little normal noise
is added to the sum: with it, the tail is a short series; without it, the tail lies between those of
the noisy sum a little below and a little above. Both are worked out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOVED = 2e-4
"""Standard deviations of the sum between what is asked and where the noisy sum is looked at"""
ERROR = 1e-12
"""A bound for all that is left out: noise beyond that, sums that are wrapped around, rounding"""

_NOISE = MOVED / 7.5  # its standard deviation: it is further than MOVED in six of 10^14 cases
_STEP = math.pi / 8.7  # sums beyond 8.7 standard deviations (1e-16) are wrapped around
_POINTS = int(8 / _NOISE / _STEP)  # beyond, the noise's own characteristic function is below 1e-14
_FAR = 8.0  # standard deviations: from there on Hoeffding's bound, 1e-14, says enough
_NEGLIGIBLE = -45.0  # the logarithm of what is not worth adding up
_GRID = 1 << 22  # on which sizes are put to see where that is so: four times as fine as the points
_BLOCK = 1 << 17  # sines that are worked out at a time
_MOST_SINES = 1 << 24  # half a second
_APART = 0.02  # of a bound may the other one be apart
_FINEST = 1 << 14  # steps in the size of a usual term, where sizes are rounded
_MOST_KINDS = 1 << 16  # before they are
_CHANCE = 1e-15  # that rounding moves a sum further than is said
_UPDATES_PER_SINE = 16  # one takes as long as so many updates of a lattice cell
_USUAL_POINTS = 64  # at which all sines are worked out
_SPENT = 10_000  # updates for each term: what two hundred thousand shuffles take

LEAST_UPDATES = 1e8
"""What it takes, whatever the terms, in updates of a lattice cell"""
FEWEST_TERMS = math.ceil(LEAST_UPDATES / _SPENT)
"""Of fewer, shuffles are cheaper"""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SignedTerms:
    """The sizes of terms whose signs are random, and how many there are of each."""

    sizes: Floats
    times: NDArray[np.int64]
    moved: float = 0.0
    """How far the sum, or what it is asked to reach, may be off"""

    @classmethod
    def of(cls, terms: Floats, times: NDArray[np.int64] | None = None) -> SignedTerms:
        """Return terms by their size, which is rounded where too many are different.

        `times` is how many there are of each; one, unless it is said.
        """
        moving = terms != 0
        sizes, own = np.abs(terms[moving]), None if times is None else times[moving]
        found = cls(*_kinds(sizes, own))
        if len(found.sizes) <= _MOST_KINDS:
            return found
        sizes, own = found.sizes, found.times
        step = math.sqrt(float(own @ np.square(sizes)) / int(own.sum())) / _FINEST
        steps = np.rint(sizes / step)
        errors = float(own @ np.square(sizes - step * steps))
        kinds, own = _kinds(steps, own)
        moved = math.sqrt(2 * math.log(2 / _CHANCE) * errors)
        return cls(step * kinds[kinds > 0], own[kinds > 0], moved)

    @property
    def updates(self) -> float:
        """The work of `tail` in updates of a lattice cell; infinite if shuffles are cheaper."""
        updates = LEAST_UPDATES + _UPDATES_PER_SINE * _USUAL_POINTS * len(self.sizes)
        return updates if updates <= _SPENT * int(self.times.sum()) else math.inf

    def tail(self, reach: float) -> tuple[float, float] | None:
        """Return bounds for the chance that the sum is at least `reach`: the upper, the lower one.

        None where a few terms are so much larger than all others that it takes too much work, or
        that bounds are far apart, as sums lie in heaps about those of the few.

        >>> ones = SignedTerms(np.array([1.0]), np.array([100_000]))
        >>> [round(bound, 9) for bound in ones.tail(200.0)]  # as for 200 more heads than tails
        [0.264578647, 0.264578647]
        """
        if not len(self.sizes):
            return None
        spread, reach = math.sqrt(float(self.times @ np.square(self.sizes))), self._between(reach)
        x, away = reach / spread, MOVED + self.moved / spread
        missed = _CHANCE if self.moved else 0.0
        most = min(1.0, math.exp(-(max(0.0, x - away) ** 2) / 2) + missed)
        least = max(0.0, 1.0 - math.exp(-(min(0.0, x + away) ** 2) / 2) - missed)
        if abs(x) > _FAR:
            return most, least
        found = self._characteristic(self.sizes * (_STEP / spread))
        if found is None:
            return None
        upper, lower = (_noisy_tail(*found, at) for at in (x - away, x + away))
        upper, lower = min(upper + ERROR, most), max(lower - ERROR, least)
        return (upper, lower) if upper - lower <= _APART * upper + 3 * ERROR else None

    def _between(self, reach: float) -> float:
        """Return the middle between the least sum that reaches and the one below it.

        Such are known of whole numbers alone, whose sums are two common steps apart.
        """
        step, total = common_step(self.sizes), float(self.times @ self.sizes)
        if step is None or self.moved or total >= 1 << 53:
            return reach
        return total + 2 * step * math.ceil((reach - total) / (2 * step)) - step

    def _numbers(self, angles: Floats) -> Floats:
        """Return the numbers of the points at which the characteristic function may matter.

        The logarithm of |cos x| is at most (cos 2x - 1) / 4. Of sizes on a grid, one Fourier
        transform has the sums of these cosines at all points, but for what the grid rounds away.
        """
        places = angles * (_GRID / math.pi)
        whole = np.rint(places)
        off = float(self.times @ np.abs(places - whole)) * (2 * math.pi / _GRID)
        held = np.bincount((whole % _GRID).astype(np.int64), self.times, _GRID)
        numbers = np.arange(1.0, _POINTS + 1)
        cosines = np.fft.rfft(held).real[1 : _POINTS + 1] + off * numbers
        logs = np.minimum(cosines - int(self.times.sum()), 0.0) / 4 + _noise(numbers)
        return numbers[logs > _NEGLIGIBLE]

    def _characteristic(self, angles: Floats) -> tuple[Floats, Floats] | None:
        """Return the numbers of points that matter, and the characteristic function there.

        None where it takes too much work.
        """
        order = np.argsort(-self.times * np.square(angles), kind="stable")  # what shrinks it most
        numbers, start, left = self._numbers(angles), 0, _MOST_SINES
        logs, negative = _noise(numbers), np.zeros(len(numbers), np.bool_)
        while start < len(order):
            some = order[start : start + max(1, _BLOCK // max(1, len(numbers)))]
            left -= len(some) * len(numbers)
            if left < 0:
                return None
            times, turned = self.times[some], np.outer(angles[some], numbers)
            turns = np.floor(turned[times % 2 == 1] / math.pi + 0.5)
            negative ^= turns.sum(axis=0) % 2 == 1  # after an odd number, a cosine is below 0
            # Not log(cos): where the cosine is near 1, n times its rounding error would count.
            squares = np.square(np.sin(turned, out=turned), out=turned)
            with np.errstate(divide="ignore"):
                np.log1p(-np.minimum(squares, 1.0, out=squares), out=squares)
            logs += times / 2 @ squares
            start += len(some)
            kept = logs > _NEGLIGIBLE
            numbers, logs, negative = numbers[kept], logs[kept], negative[kept]
        return numbers, np.where(negative, -np.exp(logs), np.exp(logs))


def _noise(numbers: Floats) -> Floats:
    """Return the logarithm of the noise's characteristic function."""
    return -np.square(_NOISE * _STEP * numbers) / 2


def _kinds(sizes: Floats, times: NDArray[np.int64] | None) -> tuple[Floats, NDArray[np.int64]]:
    if times is None:
        return np.unique(sizes, return_counts=True)
    kinds, places = np.unique(sizes, return_inverse=True)
    return kinds, np.bincount(places.reshape(-1), weights=times).astype(np.int64)


def common_step(sizes: Floats) -> float | None:
    """Return the largest number that all whole numbers are multiples of; None for others.

    >>> common_step(np.array([4.0, 6.0])), common_step(np.array([0.5, 1.0]))
    (2.0, None)
    """
    if sizes.max() >= 1 << 53 or (sizes != np.rint(sizes)).any():
        return None
    return float(np.gcd.reduce(sizes.astype(np.int64)))


def _noisy_tail(numbers: Floats, values: Floats, x: float) -> float:
    """Return the chance that the noisy sum is at least x standard deviations: a Fourier series."""
    series = math.fsum((values * np.sin(_STEP * x * numbers) / numbers).tolist())
    return min(1.0, max(0.0, 0.5 - x * _STEP / (2 * math.pi) - series / math.pi))
