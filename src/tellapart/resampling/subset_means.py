"""The mean difference over a random set of items: its distribution, exactly or from shuffles.

Each item is in the set with probability one half. The probability that the mean over the set is at
most s is the one-sided p of the paired randomization test against a true difference of s or less,
so that intervals and p-values for any shift can be read off this distribution.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

MAX_CELLS = 1 << 16
"""The most pairs of sum and size that the sets of items may have for an exact distribution."""
MAX_WORK = 1 << 21
"""The most pairs that may be added up on the way there."""

_CLOSE = 1e-9  # sizes nearer than this are equal: quotients of whole numbers are that exact
_EVEN = 1e-12  # probabilities that differ by a smaller part are equal
_NEGLIGIBLE = 1e-19  # a million cells as light as this can be left out
_FEW_SUMS = 16  # which mostly have no common divisor already
_FEW = 4096  # candidates that are sorted rather than halved
_REACH = 7.5  # standard deviations beyond which less than 1e-13 lies

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DrawnMeans:
    """Sums and sizes of random sets, four to a shuffle: two sets and their complements."""

    sums: Floats
    sizes: Floats
    shuffles: int

    @property
    def scale(self) -> Fraction:
        """The worth of a mean of 1."""
        return Fraction(1)

    def mirrored(self) -> DrawnMeans:
        """Return the same for the second system's lead over the first."""
        return replace(self, sums=-self.sums)

    def chance(self, shift: float) -> float:
        """Return the p against a difference of `shift` or less; the data themselves count."""
        found = int(np.count_nonzero(self.sums <= shift * self.sizes + abs(shift) * _CLOSE))
        return (found + 2) / (4 * self.shuffles + 4)

    def ends(self, q: float) -> tuple[Fraction | None, Fraction | None]:
        """Return the ends of these means and of the mirrored ones, which are sorted once."""
        place = self._place(q)
        if place < 1 or not self.sizes.all():
            return self.end(q), self.mirrored().end(q)
        means = self.sums / self.sizes
        place = min(place, len(means))
        parted = np.partition(means, sorted({place - 1, len(means) - place}))
        low, high = parted[place - 1], parted[len(means) - place]
        return (
            _smallest_set(self.sums, self.sizes, means == low),
            -_smallest_set(self.sums, self.sizes, means == high),
        )

    def _place(self, q: float) -> int:
        return math.floor(q * (4 * self.shuffles + 4) + _CLOSE) - 1

    def end(self, q: float) -> Fraction | None:
        """Return the smallest shift whose p exceeds q; None if there is none."""
        place = self._place(q)
        if place < 1:
            return None
        means = self._means()
        place = min(place, len(means))
        mean = np.partition(means, place - 1)[place - 1]
        if np.isinf(mean):
            return None
        return _smallest_set(self.sums, self.sizes, means == mean)

    def _means(self) -> Floats:
        """Return all means; a set without items bounds nothing and comes first."""
        empty = self.sizes == 0
        return np.asarray(np.where(empty, -np.inf, self.sums / np.where(empty, 1, self.sizes)))


def _smallest_set(sums: Floats, sizes: Floats, among: NDArray[np.bool_]) -> Fraction:
    """Return the mean of the smallest of some sets, so that it does not hang on their order."""
    places = np.flatnonzero(among)
    place = places[np.argmin(sizes[places])]
    return Fraction(int(sums[place]), int(sizes[place]))


@dataclass(frozen=True, slots=True)
class ExactMeans:
    """All sets of items, by the sum and size of their discordant items, and the size of the rest.

    Sums and sizes are whole numbers, divided by their common divisors.
    """

    sums: Floats
    sizes: Floats
    weights: Floats
    rest: Floats
    """Probabilities that the concordant items of a set have size `first`, `first` + 1, …"""
    first: int
    concordant: int
    """The size of all concordant items; the sizes of their sets lie evenly about its half"""
    centre: float
    """The mean over all items"""
    spread: float
    """Roughly the standard deviation of the means"""
    span: tuple[float, float]
    """The smallest and the largest mean of an item"""
    scale: Fraction
    """What a mean of 1 is worth"""

    def mirrored(self) -> ExactMeans:
        """Return the same for the second system's lead over the first."""
        low, high = self.span
        return replace(self, sums=-self.sums, centre=-self.centre, span=(-high, -low))

    def chance(self, shift: float) -> float:
        """Return the probability that the mean over a set is at most `shift`."""
        if shift == 0:
            return float(self.weights[self.sums <= 0].sum())
        return _sum(self.weights, self._tail()[self._reaching(shift, self.sums, self.sizes)])

    def ends(self, q: float) -> tuple[Fraction | None, Fraction | None]:
        """Return the ends of these means and of the mirrored ones."""
        return self.end(q), self.mirrored().end(q)

    def end(self, q: float) -> Fraction | None:
        """Return the smallest shift whose p exceeds q; None if there is none."""
        q *= 1 + _EVEN
        negative = self.sums < 0
        below = float(self.weights[negative].sum())
        empty = self._empty()
        if below + empty > q:
            return None if empty > q else self._search(q, -1, negative, empty)
        positive = self.sums > 0
        up_to_0 = below + float(self.weights[~(negative | positive)].sum())
        return Fraction(0) if up_to_0 > q else self._search(q, 1, positive, up_to_0)

    def _empty(self) -> float:
        """Return the probability of the set without items, which bounds nothing."""
        none = float(self.weights[self.sizes == 0].sum())
        return none * float(self.rest[0]) if self.first == 0 else 0.0

    def _tail(self) -> Floats:
        """Return the probabilities that the rest is at least as large, from `first` on."""
        return np.append(np.cumsum(self.rest[::-1])[::-1], 0.0)

    def _reaching(self, shift: float, sums: Floats, sizes: Floats) -> Integers:
        """Return from which size of the rest on the mean is at most a shift above 0.

        Counted from `first`. With a shift below 0 it is at most that up to some size; the sizes are
        then counted down from the largest, which is as likely.
        """
        with np.errstate(over="ignore"):
            needed = sums / shift
        if shift > 0:
            index = np.ceil(needed - _CLOSE) - sizes - self.first
        else:
            index = self.concordant + sizes - np.floor(needed + _CLOSE) - self.first
        return np.asarray(index.clip(0, len(self.rest)).astype(np.int64))

    def _search(self, q: float, sign: int, among: NDArray[np.bool_], settled: float) -> Fraction:
        """Return the first mean of a sign at which the distribution exceeds q.

        A cell is settled once the same sizes of the rest bring it to both shifts between which the
        end lies; what remains gets fewer as these approach each other.
        """
        sums, sizes, weights = self.sums[among], self.sizes[among], self.weights[among]
        tail, probes = self._tail(), self._probes(q)
        low, high = (0.0, self.span[1] + 1) if sign > 0 else (self.span[0] - 1, 0.0)
        at_low = np.full(len(sums), len(self.rest))
        at_high = np.zeros(len(sums), np.int64)
        while int((at_low - at_high).sum()) > _FEW:
            middle = next((probe for probe in probes if low < probe < high), (low + high) / 2)
            if not low < middle < high:
                break
            reaching = self._reaching(middle, sums, sizes)
            if settled + _sum(weights, tail[reaching]) > q:
                high, at_high = middle, reaching
            else:
                low, at_low = middle, reaching
            moving = at_low != at_high
            settled += _sum(weights[~moving], tail[at_low[~moving]])
            sums, sizes, weights = sums[moving], sizes[moving], weights[moving]
            at_low, at_high = at_low[moving], at_high[moving]
        settled += _sum(weights, tail[at_low])
        number = at_low - at_high
        cells = np.repeat(np.arange(len(sums)), number)
        place = np.arange(len(cells)) - np.repeat(np.cumsum(number) - number, number)
        place += at_high[cells]
        rest = place + self.first if sign > 0 else self.concordant - self.first - place
        totals = sizes[cells] + rest
        means = sums[cells] / totals
        order = np.argsort(means, kind="stable")
        reached = settled + np.cumsum((weights[cells] * self.rest[place])[order])
        found = min(int(np.searchsorted(reached, q, side="right")), len(order) - 1)
        return _smallest_set(sums[cells], totals, means == means[order[found]])

    def _probes(self, q: float) -> Iterator[float]:
        """Yield shifts around the one that would be the end if means were normal."""
        guess = self.centre + NormalDist().inv_cdf(q) * self.spread
        yield guess
        for k in range(6):
            yield guess - 0.05 * 4**k * self.spread
            yield guess + 0.05 * 4**k * self.spread


def _sum(weights: Floats, values: Floats) -> float:
    # Not by BLAS, which shares out long sums to threads.
    return float((weights * values).sum())


def exact_means(sums: Integers, sizes: Integers, tolerance: float = 0.0) -> ExactMeans | None:
    """Return the means over all sets of items, given sums and sizes of each; None if too many.

    A sum within the tolerance counts as 0.

    >>> means = exact_means(np.array([1, 1, 1, 0]), np.array([1, 1, 1, 1]))
    >>> means.chance(0), means.chance(0.5), means.end(0.2)
    (0.125, 0.3125, Fraction(1, 2))
    """
    if surely_too_many(sums[None], sizes)[0]:
        return None
    discordant = sums != 0
    x_step = max(1, int(np.gcd.reduce(sums[discordant], initial=0)))
    n_step = max(1, int(np.gcd.reduce(sizes)))
    x, n = sums[discordant] // x_step, sizes // n_step
    apart = _cells(_kinds(x, n[discordant]))
    if apart is None:
        return None
    rest = _cells(_kinds(np.zeros_like(n[~discordant]), n[~discordant]))
    if rest is None or np.ptp(rest.sizes) > MAX_WORK:
        return None
    first = int(rest.sizes.min())
    total, size = int(x.sum()), int(n.sum())
    residuals = sums // x_step - total / size * n
    ratios = x / n[discordant]
    return ExactMeans(
        sums=np.where(np.abs(apart.sums) <= tolerance / x_step, 0.0, apart.sums),
        sizes=apart.sizes,
        weights=apart.weights,
        rest=_added_up((rest.sizes - first).astype(np.int64), rest.weights),
        first=first,
        concordant=int(n[~discordant].sum()),
        centre=total / size,
        spread=math.sqrt(_sum(residuals, residuals)) / size,
        span=(float(ratios.min(initial=0)), float(ratios.max(initial=0))),
        scale=Fraction(x_step, n_step),
    )


def _kinds(sums: Integers, sizes: Integers) -> list[list[int]]:
    """Return the items by sum and size, small sums first: sum, size and number."""
    if len(sizes) and sizes.min() == sizes.max():
        values, times = np.unique(sums, return_counts=True)
        pairs = np.stack([values, np.full_like(values, sizes[0])])
    else:
        pairs, times = np.unique(np.stack([sums, sizes]), axis=1, return_counts=True)
    order = np.argsort(np.abs(pairs[0]), kind="stable")
    kinds: list[list[int]] = np.stack([*pairs, times])[:, order].T.tolist()
    return kinds


@dataclass(frozen=True, slots=True)
class _Cells:
    """Sums and sizes of sets of items, with their probabilities; a pair may come more than once."""

    sums: Floats
    sizes: Floats
    weights: Floats

    def with_items(self, each_sum: int, each_size: int, times: int) -> _Cells:
        """Return the cells with a number of equal items added."""
        chosen, chances = _binomial(times)
        more = len(chosen) - 1
        x0, n0 = int(self.sums.min()), int(self.sizes.min())
        width, height = int(self.sums.max()) - x0 + 1, int(self.sizes.max()) - n0 + 1
        box = height + each_size * more, width + abs(each_sum) * more
        if math.prod(box) >= len(self.sums) * len(chosen):
            sums = (self.sums[:, None] + each_sum * chosen).ravel()
            sizes = (self.sizes[:, None] + each_size * chosen).ravel()
            weights = (self.weights[:, None] * chances).ravel()
            kept = weights > _NEGLIGIBLE
            return _Cells(sums[kept], sizes[kept], weights[kept])
        # Many would be the same: add them up on a lattice of sizes × sums.
        keys = ((self.sizes - n0) * width + self.sums - x0).astype(np.int64)
        before = _added_up(keys, self.weights, width * height).reshape(height, width)
        after = np.zeros(box)
        for k, chance in enumerate(chances.tolist()):
            row, column = each_size * k, each_sum * k if each_sum >= 0 else -each_sum * (more - k)
            after[row : row + height, column : column + width] += chance * before
        rows, columns = np.nonzero(after > _NEGLIGIBLE)
        first, last = int(chosen[0]), int(chosen[-1])
        return _Cells(
            (columns + x0 + min(each_sum * first, each_sum * last)).astype(np.float64),
            (rows + n0 + each_size * first).astype(np.float64),
            after[rows, columns],
        )


def _added_up(keys: Integers, weights: Floats, length: int = 0) -> Floats:
    return np.bincount(keys, weights, length).astype(np.float64, copy=False)


def _cells(kinds: list[list[int]]) -> _Cells | None:
    """Return the sums and sizes of all sets of items of some kinds; None if too many."""
    if not _affordable(kinds):
        return None
    cells = _Cells(np.zeros(1), np.zeros(1), np.ones(1))
    for each_sum, each_size, times in kinds:
        cells = cells.with_items(each_sum, each_size, times)
    return cells


def _affordable(kinds: list[list[int]]) -> bool:
    """Return whether the sets of items have few enough sums and sizes, by how far these spread."""
    cells, work = 1.0, 0.0
    all_x = all_n = squares_x = squares_n = 0
    for each_sum, each_size, times in kinds:
        all_x, all_n = all_x + times * abs(each_sum), all_n + times * each_size
        squares_x, squares_n = squares_x + times * each_sum**2, squares_n + times * each_size**2
        width = min(all_x, _REACH * math.sqrt(squares_x)) + 1
        height = min(all_n, _REACH * math.sqrt(squares_n)) + 1
        grown = cells * (min(times, _REACH * math.sqrt(times)) + 1)
        cells, work = min(grown, width * height), work + grown
        if cells > MAX_CELLS or work > MAX_WORK:
            return False
    return True


def surely_too_many(sums: Integers, sizes: Integers) -> NDArray[np.bool_]:
    """Return for which rows of items there is surely no exact distribution: rows × items at once.

    Each kind of items multiplies the cells, up to how far sums and sizes spread by then; so, in
    logarithms, the last number is the least of all that start from such a spread. Here items whose
    sums are as large are taken for one kind, and what it adds itself is left out: it is too little.

    >>> surely_too_many(np.array([[1, 1, 2], [0, 0, 0]]), np.array([1, 1, 1]))
    array([False, False])
    """
    ordered = np.sort(np.abs(sums), axis=1)
    x = ordered / np.maximum(1, _common_divisors(ordered))[:, None]
    # Ordered by sums, not by sizes: all are taken to be as small as the least.
    least = float(sizes.min()) / max(1, int(np.gcd.reduce(sizes)))
    n = np.where(x > 0, least, 0.0)
    width = np.minimum(np.cumsum(x, axis=1), _REACH * np.sqrt(np.cumsum(x**2, axis=1)))
    height = np.minimum(np.cumsum(n, axis=1), _REACH * np.sqrt(np.cumsum(n**2, axis=1)))
    spread = np.zeros(x.shape)  # of the items before each one
    spread[:, 1:] = np.log((width[:, :-1] + 1) * (height[:, :-1] + 1))
    starts = np.ones(x.shape, np.bool_)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    places = np.flatnonzero(starts)
    times = np.diff(places, append=x.size)
    grown = np.zeros(x.size)
    grown[places] = np.log(np.minimum(times, _REACH * np.sqrt(times)) + 1)
    after = np.where(x > 0, grown.reshape(x.shape), 0.0)
    after = after.sum(axis=1, keepdims=True) - np.cumsum(after, axis=1)
    return np.asarray(
        np.where(starts, spread + after, np.inf).min(axis=1) > math.log(2 * MAX_CELLS)
    )


def _common_divisors(sums: Integers) -> Integers:
    """Return the greatest common divisor of each row; most are settled by a few of the largest."""
    found = np.gcd.reduce(sums[:, -_FEW_SUMS:], axis=1)
    some = found > 1
    found[some] = np.gcd.reduce(sums[some], axis=1)
    return np.asarray(found)


def _binomial(times: int) -> tuple[Floats, Floats]:
    """Return how many of some items a set has, and the probabilities; far tails are left out."""
    if times <= 60:
        counts = [math.comb(times, k) for k in range(times + 1)]
        return np.arange(times + 1.0), np.array(counts) / 2.0**times
    half = math.ceil(_REACH * math.sqrt(times) / 2)
    low, high = max(0, times // 2 - half), min(times, (times + 1) // 2 + half)
    chosen = np.arange(low, high + 1.0)
    # Neighbours have the ratio (times - k) / (k + 1): upwards from the middle, and mirrored.
    upper = np.arange((times + 1) // 2, high)
    rising = np.cumprod(np.append(1.0, (times - upper) / (upper + 1.0)))
    weights = np.append(rising[::-1], rising[1 - times % 2 :])
    return chosen, weights / weights.sum()
