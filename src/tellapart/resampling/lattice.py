"""The exact null distribution of ratio metrics, by adding up two-point distributions on a lattice.

Each discordant item is exchanged or not, and moves the numerators by dx and the denominators by dy.
The weights of all sums follow item by item: each cell plus the cell one shift back. The last few
items, which would widen the lattice most, are not put on it: their subsets are walked instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.resampling.ratios import RatioPair

MAX_CELLS = 20_000_000
MAX_UPDATES = 2_000_000_000
"""Limits of the lattice: cells held at a time, and cells updated in all (a second or two)."""

MAX_ROWS = 1 << 22
"""Denominators whose thresholds are worked out."""

_RESCALE_EVERY = 512  # as in the native code
_EXTRAS = 10  # items whose 2^10 subsets are walked

First: TypeAlias = Callable[[NDArray[np.int64], int, int], NDArray[np.int64]]
"""From denominator differences, c0 and the step of x: the smallest x whose numerators count"""


def exact_p(
    pair: RatioPair, dx: NDArray[np.int64], dy: NDArray[np.int64], patience: float = 1.0
) -> float | None:
    """Return the exact p of a pair of ratios whose items move the sums by dx and dy if exchanged.

    dx and dy are what system b has more than a on each item, in numerator and denominator. None if
    the sums spread over too many cells; `patience` multiplies how many cell updates it may take.

    >>> pair = RatioPair(num_a=3, den_a=4, num_b=0, den_b=4)
    >>> exact_p(pair, np.array([-1, -1, -1]), np.array([0, 0, 0]))
    0.25
    """
    if pair.tail == "two" and pair.difference == 0:
        return 1.0
    lattice = _Lattice.of(dx, dy)
    # Asked before any threshold is worked out: sums may spread over 2^50 denominators.
    if lattice.updates > patience * MAX_UPDATES:
        return None
    tails = 2 if pair.tail == "two" else 1
    p = tails * lattice.tail(pair, partial(_first_counting, pair))
    # The measured arrangement is one of those that count; two-sided, its mirror image, too.
    least = math.ldexp(1.0, max(tails - 1 - lattice.items, -1074))
    return min(1.0, max(p, least))


def exact_updates(dx: NDArray[np.int64], dy: NDArray[np.int64]) -> float:
    """Return the work of `exact_p` in updates of a cell; infinite where there are too many cells.

    >>> exact_updates(np.array([-1, -1, -1, 0]), np.array([0, 0, 0, 0]))
    5.0
    """
    return _Lattice.of(dx, dy).updates


def exact_tail(
    pair: RatioPair,
    dx: NDArray[np.int64],
    dy: NDArray[np.int64],
    least: Callable[[NDArray[np.int64]], NDArray[np.float64]],
) -> float | None:
    """Return the probability of an exchange that leaves the numerators at least so far apart.

    `least` tells how far they must be apart, given how far the denominators are (first minus
    second); the other arguments are those of `exact_p`. None if there are too many cells.

    >>> pair = RatioPair(num_a=3, den_a=4, num_b=0, den_b=4)
    >>> exact_tail(pair, np.array([-1, -1, -1]), np.array([0, 0, 0]), lambda d: d + 1.0)
    0.5
    """
    lattice = _Lattice.of(dx, dy)
    if lattice.updates > MAX_UPDATES:
        return None

    def first(d: NDArray[np.int64], c0: int, x_step: int) -> NDArray[np.int64]:
        limit = float(1 << 62)
        return np.ceil((least(d) - c0) / (2 * x_step)).clip(-limit, limit).astype(np.int64)

    return min(1.0, lattice.tail(pair, first))


@dataclass(frozen=True, slots=True)
class _Lattice:
    """What the exchange of each discordant item adds to the sums, in steps of the lattice.

    Exchanging an item or leaving it are equally likely, so that a shift may be counted from either
    end: here from the one that leaves denominators as they are or makes them larger.
    """

    shifts: NDArray[np.int64]  # (dx, dy) × items, dy >= 0, small items first
    steps: tuple[int, int]
    """What one step of x and of y is worth"""
    start: tuple[int, int]
    """What the items that are counted from their exchanged end have added, in steps"""

    @classmethod
    def of(cls, dx: NDArray[np.int64], dy: NDArray[np.int64]) -> _Lattice:
        """Return the lattice of items; those that shift nothing are left out."""
        moved = (dx != 0) | (dy != 0)
        shifts = np.stack([dx[moved], dy[moved]])
        steps = tuple(max(1, int(np.gcd.reduce(row))) if row.size else 1 for row in shifts)
        shifts //= np.array(steps)[:, None]
        downwards = (shifts[1] < 0) | ((shifts[1] == 0) & (shifts[0] < 0))
        start_x, start_y = shifts[:, downwards].sum(axis=1).tolist()
        shifts = np.where(downwards, -shifts, shifts)
        # Small ones first keep the lattice small for longest.
        spread = np.abs(shifts).sum(axis=1, keepdims=True).clip(min=1)
        order = np.argsort((np.abs(shifts) / spread).sum(axis=0), kind="stable")
        return cls(shifts[:, order], (steps[0], steps[1]), (start_x, start_y))

    @property
    def items(self) -> int:
        """The number of discordant items."""
        return int(self.shifts.shape[1])

    @property
    def _on_lattice(self) -> NDArray[np.int64]:
        """The shifts of all items but the last few, whose subsets are walked."""
        return self.shifts[:, : self.items - min(_EXTRAS, self.items // 2)]

    @property
    def updates(self) -> float:
        """The number of cell updates; infinite where there are too many cells."""
        widths, heights = np.abs(self._on_lattice).cumsum(axis=1) + 1
        if not len(widths):
            return 0.0
        too_wide = float(widths[-1]) * float(heights[-1]) > MAX_CELLS
        if too_wide or int(self.shifts[1].sum()) >= MAX_ROWS:
            return math.inf
        return float(widths.astype(np.float64) @ heights)

    def tail(self, pair: RatioPair, first: First) -> float:
        """Return the probability of sums whose numerators are `first` or above.

        The sums start from those of a pair.
        """
        (x_step, y_step), (start_x, start_y) = self.steps, self.start
        c0 = pair.num_a - pair.num_b + 2 * start_x * x_step
        d0 = pair.den_a - pair.den_b + 2 * start_y * y_step
        d = d0 + 2 * y_step * np.arange(int(self.shifts[1].sum()) + 1)
        counting = first(d, c0, x_step)
        shifts = np.ascontiguousarray(self._on_lattice)
        extras = np.ascontiguousarray(self.shifts[:, shifts.shape[1] :])
        if path.active() == "numpy":
            mass = _mass(shifts, extras, counting)
        else:
            assert path.native is not None
            mass = float(path.native.lattice_mass(shifts, extras, counting))
        rescaled = _RESCALE_EVERY * (shifts.shape[1] // _RESCALE_EVERY)
        return math.ldexp(mass, rescaled - self.items)


def _first_counting(
    pair: RatioPair, d: NDArray[np.int64], c0: int, x_step: int
) -> NDArray[np.int64]:
    """Return, per denominator difference d, the smallest x whose C = c0 + 2 x_step x counts.

    By symmetry only the upper tail is needed: a difference of at least t, where t is the measured
    difference, its absolute value, or its negative.
    """
    difference = pair.difference
    t = {"two": abs(difference), "greater": difference, "less": -difference}[pair.tail]
    tn, td = pair.num_a + pair.num_b, pair.den_a + pair.den_b
    p, q = t.numerator, t.denominator
    step = 4 * q * td * x_step
    largest = 2 * q * abs(tn) * td + abs(p) * td * td + abs(c0) * 2 * q * td + step
    slow, found = np.ones(len(d), np.bool_), np.empty(len(d), np.int64)
    if td > 0 and largest < 1 << 61:
        # C Td >= Tn D + (P/Q) (Td² - D²) / 2, solved for x in 64-bit integers
        need = 2 * q * tn * d + p * (td * td - d * d) - 2 * q * td * c0
        found = -((-need) // step)
        slow = np.abs(d) >= td
    limit = 1 << 62
    for k in np.flatnonzero(slow):
        x = _first_counting_one(pair, t, int(d[k]), c0, x_step)
        found[k] = max(-limit, min(limit, x))
    return np.asarray(found, np.int64)


def _first_counting_one(pair: RatioPair, t: Fraction, d: int, c0: int, x_step: int) -> int:
    tn, td = pair.num_a + pair.num_b, pair.den_a + pair.den_b
    never, always = 1 << 62, -(1 << 62)
    if td == 0:
        return always if t <= 0 else never
    if abs(d) < td:
        least_c = (2 * tn * d + t * (td * td - d * d)) / Fraction(2 * td)
    elif d == td:  # system b is undefined: (Tn + C) / 2 Td - undefined >= t
        least_c = 2 * td * (t + pair.undefined) - tn
    else:  # system a is undefined: undefined - (Tn - C) / 2 Td >= t
        least_c = tn - 2 * td * (pair.undefined - t)
    return math.ceil((least_c - c0) / (2 * x_step))


def _mass(shifts: NDArray[np.int64], extras: NDArray[np.int64], first: NDArray[np.int64]) -> float:
    """Return what the native `lattice_mass` does, with every addition in the same order."""
    cells, x0 = _convolved(shifts)
    height, width = cells.shape
    suffix = np.zeros((height, width + 1))
    suffix[:, :-1] = np.cumsum(cells[:, ::-1], axis=1)[:, ::-1]
    mass, rows = np.zeros(height), np.arange(height)
    for subset in range(1 << extras.shape[1]):
        chosen = [k for k in range(extras.shape[1]) if subset >> k & 1]
        dx, dy = extras[:, chosen].sum(axis=1).tolist()
        mass += suffix[rows, (first[rows + dy] - dx - x0).clip(0, width)]
    return float(np.cumsum(mass)[-1])


def _convolved(shifts: NDArray[np.int64]) -> tuple[NDArray[np.float64], int]:
    """Return the weights of all sums, y × x, and the lowest x."""
    x0, x1, y1 = 0, 0, 0  # of the sums so far
    lowest = int(np.minimum(shifts[0], 0).sum())
    width, height = (np.abs(shifts).sum(axis=1) + 1).tolist()
    cells = np.zeros((height, width))
    cells[0, -lowest] = 1.0
    for step, (dx, dy) in enumerate(shifts.T.tolist()):
        before = cells[: y1 + 1, x0 - lowest : x1 + 1 - lowest].copy()
        cells[dy : dy + y1 + 1, x0 + dx - lowest : x1 + dx + 1 - lowest] += before
        x0, x1, y1 = x0 + min(dx, 0), x1 + max(dx, 0), y1 + dy
        if (step + 1) % _RESCALE_EVERY == 0:
            cells *= 2.0**-_RESCALE_EVERY
    return cells, lowest
