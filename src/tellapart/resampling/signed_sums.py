"""The null distribution of a sum whose terms have random signs.

Few terms have all their signs walked. More of them are put on a grid of equal steps: rounding moves
a sum by no more than a bound that is known. Of very many terms the characteristic function gives
bounds. Every sum that might reach the threshold counts, so that p errs to the larger side only, and
how far at most is said beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.resampling.characteristic import (
    FEWEST_TERMS,
    LEAST_UPDATES,
    SignedTerms,
    common_step,
)
from tellapart.resampling.lattice import MAX_UPDATES
from tellapart.resampling.ratios import sign_of

WALKED = 30
"""Up to so many terms, all signs are walked, half of the terms against the other half."""
ROUNDING = 1e-3
"""Standard deviations of the sum by which rounding onto the grid may move it"""
_CHANCE = 1e-15  # that rounding moves a sum further than its bound
_FINER = 2  # times finer than the grid may whole numbers be, to spare them the rounding
_RESCALE_EVERY = 512  # terms, before counts leave the range of a double

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SignedSum:
    """How likely a sum with random signs is to reach the measured one."""

    p: float
    error: float = 0.0
    """How much smaller the probability may be"""
    exceeding: int | None = None
    """How many of the 2^m signs count, where they were walked"""
    arrangements: int | None = None


def signed_sum_test(
    terms: Floats, threshold: float, tail: str, patience: float = 1.0
) -> SignedSum | None:
    """Return p of a sum: the share of all signs of its terms that take it to the threshold.

    The threshold is the measured sum (its absolute value for two tails), less what counts as tied.
    Whole numbers are on the grid as they are, where that is not too fine; everything else is
    rounded, or bounded where the grid would take too much work. None where that does, too;
    `patience` multiplies how much it may be.

    >>> signed_sum_test(np.array([0.5, 0.25, 0.25, 0.5]), 1.5, "two")
    SignedSum(p=0.125, error=0.0, exceeding=2, arrangements=16)
    """
    reach = -threshold if sign_of(tail) < 0 else threshold
    if tail == "two" and reach <= 0:
        return SignedSum(1.0)
    if np.count_nonzero(terms) <= WALKED:
        return _walked(_sizes(terms), reach, tail == "two")
    way = _way(terms, patience)
    if way.updates > patience * MAX_UPDATES:
        return None
    if isinstance(way, _Grid):
        return _on_grid(way, reach, tail == "two")
    return inverted(way, reach, tail == "two")


def signed_updates(terms: Floats, most: float = math.inf) -> float:
    """Return the work of `signed_sum_test` in updates of a cell; infinite if more than `most`.

    >>> signed_updates(np.arange(1.0, 101.0))
    126250.0
    """
    n = int(np.count_nonzero(terms))
    if n <= WALKED:
        return float(1 << n // 2 << 4)
    least = _least_updates(n)
    if most < (least if least <= MAX_UPDATES else LEAST_UPDATES):
        return math.inf
    # Most pairs of a usual test set: their terms need not be sorted and added up exactly for that.
    if n < FEWEST_TERMS and _least_of_reals(terms, n) > MAX_UPDATES:
        return math.inf
    return _way(terms).updates


def _way(terms: Floats, patience: float = 1.0) -> _Grid | SignedTerms:
    """Return what a sum is counted by: a grid, or kinds of terms where it takes too much work."""
    if _least_updates(int(np.count_nonzero(terms))) <= patience * MAX_UPDATES:
        grid = _Grid.of(_sizes(terms))
        if grid.updates <= patience * MAX_UPDATES:
            return grid
    return SignedTerms.of(terms)


def _least_updates(n: int) -> float:
    """Return what a grid takes at least: whatever it is, n terms spread over so many cells."""
    return min(n * n / 4, 600 * n * math.sqrt(n))


def _least_of_reals(terms: Floats, n: int) -> float:
    """Return what the grid of terms takes at least; 0 for whole numbers, which may have a coarser.

    Sums are rounded here, and a part in 10^9 is more than that.
    """
    if (terms == np.rint(terms)).all():
        return 0.0
    spread, total = math.sqrt(float(terms @ terms)), float(np.abs(terms).sum())
    return (1 - 1e-9) * total * _moved_by_steps(n) / (ROUNDING * spread) * n / 4


def inverted(terms: SignedTerms, reach: float, doubled: bool) -> SignedSum | None:
    """Return p by bounds of the tail of very many terms; None where that takes too much work."""
    bounds = terms.tail(reach)
    if bounds is None:
        return None
    p, low = (min(1.0, (2 if doubled else 1) * each) for each in bounds)
    least = math.ldexp(1.0, max(int(doubled) - int(terms.times.sum()), -1074))
    # Without the digits that depend on how a machine's vector units add up, and rounded up: the
    # ninth digit is at least 1e-9 of a number, and rounding takes at most half of ten times that.
    p = min(1.0, float(f"{max(p, least) * (1 + 6e-9):.9g}"))
    return SignedSum(p, float(f"{max(0.0, p - low):.9g}"))


def _sizes(terms: Floats) -> Floats:
    # In the order of their size, so that neither the order nor the signs of items matter.
    return np.sort(np.abs(terms[terms != 0]))


def _walked(sizes: Floats, reach: float, doubled: bool) -> SignedSum:
    """Return p from all signs: each of one half of the terms meets all those of the other half."""
    first, second = _all_sums(sizes[::2]), np.sort(_all_sums(sizes[1::2]))
    count = int((len(second) - np.searchsorted(second, reach - first)).sum())
    total = 1 << len(sizes)
    count = min(total, 2 * count if doubled else count)
    return SignedSum(count / total, 0.0, count, total)


def _all_sums(sizes: Floats) -> Floats:
    sums = np.zeros(1)
    for size in sizes.tolist():
        sums = np.concatenate([sums + size, sums - size])
    return sums


@dataclass(frozen=True, slots=True)
class _Grid:
    """The steps in which terms are counted."""

    sizes: Floats
    step: float
    whole: bool
    """Whether all terms are multiples of the step"""
    spread: float
    updates: float

    @classmethod
    def of(cls, sizes: Floats) -> _Grid:
        """Return the grid of the sizes of terms: as fine as need be, or that of whole numbers."""
        spread, total = math.sqrt(math.fsum((sizes * sizes).tolist())), math.fsum(sizes.tolist())
        step = _short(ROUNDING * spread / _moved_by_steps(len(sizes)))
        whole = common_step(sizes)
        if whole and whole >= step / _FINER:
            step = whole
        return cls(sizes, step, step == whole, spread, total / step * len(sizes) / 4)


def _on_grid(grid: _Grid, reach: float, doubled: bool) -> SignedSum:
    sizes, step, spread = grid.sizes, grid.step, grid.spread
    steps = np.rint(sizes / step).astype(np.int64)
    lattice = _Lattice.of(steps)
    if grid.whole:
        p = low = lattice.tail(reach / step)
    else:
        likely, sure = (each + 1e-12 * spread for each in _moved(sizes - step * steps))
        p, low = (lattice.tail((reach + each) / step) for each in (-likely, likely))
        # Two bounds, either of which holds.
        p = min(p + _CHANCE, lattice.tail((reach - sure) / step))
        low = max(low - _CHANCE, lattice.tail((reach + sure) / step))
    p, low = (min(1.0, (2 if doubled else 1) * each) for each in (p, low))
    least = math.ldexp(1.0, max(int(doubled) - len(sizes), -1074))
    # Without the last digits, which depend on how a machine's vector units add up.
    p, error = (float(f"{each:.12g}") for each in (max(p, least), max(0.0, p - low)))
    return SignedSum(p, error)


def _short(step: float) -> float:
    """Return a step of a few binary digits, the same on every machine."""
    mantissa, exponent = math.frexp(step)
    return math.ldexp(math.floor(16 * mantissa), exponent - 4)


def _moved(errors: Floats) -> tuple[float, float]:
    """Return how far errors of terms move a sum with random signs, but for a tiny chance; and ever.

    No further than all of them together, and (Hoeffding) hardly further than a few times the root
    of their squares.
    """
    likely = math.sqrt(2 * math.log(2 / _CHANCE) * math.fsum((errors * errors).tolist()))
    sure = math.fsum(np.abs(errors).tolist())
    return min(likely, sure), sure


def _moved_by_steps(n: int) -> float:
    """Return how far n terms are likely to move a sum in steps of 1, if no term is near to one.

    Those are rounded by the root of 1/12.
    """
    error = math.sqrt(1 / 12)
    return min(math.sqrt(2 * math.log(2 / _CHANCE) * (n * (error * error))), n * error)


@dataclass(frozen=True, slots=True)
class _Lattice:
    """The distribution of sums of subsets of whole numbers, as two halves that are independent.

    Two lattices of half of the numbers each take half of the work of a single one.
    """

    first: Floats
    """The probability of each sum of the one half"""
    above: Floats
    """The probability of each sum of the other half, or a larger one; 0 at the end"""
    total: int
    """Of all numbers"""

    @classmethod
    def of(cls, steps: NDArray[np.int64]) -> _Lattice:
        """Return the lattice of numbers in ascending order."""
        first, second = (_subset_sums(steps[k::2]) for k in (0, 1))
        above = np.append(np.cumsum(second[::-1])[::-1], 0.0)
        return cls(first, above, int(steps.sum()))

    def tail(self, reach: float) -> float:
        """Return the probability that the sum with random signs is at least `reach`."""
        # With the sum x of the terms that are added, the signed sum is 2 x - total.
        least = math.ceil((self.total + reach) / 2)
        low = max(0, least - len(self.above) + 1)  # below, the other half cannot make up for it
        high = max(low, min(len(self.first), least + 1))  # from there on, it need not
        partners = self.above[least - high + 1 : least - low + 1][::-1]
        rest = self.first[high:].sum() * self.above[0]
        return min(1.0, float((self.first[low:high] * partners).sum() + rest))


def _subset_sums(steps: NDArray[np.int64]) -> Floats:
    """Return the probability of each sum of a random subset, small numbers being added first."""
    if path.active() != "numpy":
        assert path.native is not None
        cells = np.empty(int(steps.sum()) + 1)
        path.native.subset_weights(np.ascontiguousarray(steps), cells)
        cells *= 2.0 ** -(len(steps) % _RESCALE_EVERY)
        return cells
    cells, top = np.zeros(int(steps.sum()) + 1), 0
    cells[0], before = 1.0, np.empty_like(cells)
    for k, step in enumerate(steps.tolist()):
        before[: top + 1] = cells[: top + 1]
        cells[step : top + step + 1] += before[: top + 1]
        top += step
        if (k + 1) % _RESCALE_EVERY == 0:
            cells *= 2.0**-_RESCALE_EVERY
    cells *= 2.0 ** -(len(steps) % _RESCALE_EVERY)
    return cells
