"""The exact null distribution of two sums under random exchanges, on a lattice.

Each differing item is exchanged or not, and so moves the difference of the numerators by twice dx
and that of the denominators by twice dy. The weights of all pairs of sums follow item by item: each
cell plus the cell one shift back. The last few items, which would widen the lattice most, are not
put on it: their subsets are walked instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from tellapart import engine
from tellapart.stats.result import Floats, Ints

MAX_CELLS = 20_000_000
MAX_UPDATES = 4e10
"""Limits of a lattice: cells held at a time, and cells updated in all (half a minute)"""

_MAX_ROWS = 1 << 22  # denominators whose thresholds are worked out
RESCALE_EVERY = 512
"""Items, as in the native code, before counts leave the range of a double"""
_WALKED = 10  # items whose 2^10 subsets are walked

First: TypeAlias = Callable[[Ints, int, int], Ints]
"""From denominator differences d, a start c0 and a step: the smallest x for which numerators that
are c0 + 2 step x apart count"""


def lattice_tail(
    dx: Ints, dy: Ints, start: tuple[int, int], first: First, max_updates: float = MAX_UPDATES
) -> float | None:
    """Return the chance of an exchange that leaves the sums as far apart as `first` says.

    dx and dy are what the second system has more than the first on each item, in numerator and
    denominator; `start` are the observed differences of the sums. None if there are too many cells.

    >>> dx, dy = np.array([-1, -1, -1]), np.array([0, 0, 0])
    >>> lattice_tail(dx, dy, (3, 0), lambda d, c0, step: -((c0 - 3) // (2 * step)) + 0 * d)
    0.125
    """
    moved = (dx != 0) | (dy != 0)
    shifts = np.stack([dx[moved], dy[moved]])
    x_step, y_step = (max(1, int(np.gcd.reduce(row))) if row.size else 1 for row in shifts)
    shifts //= np.array([[x_step], [y_step]])
    # Exchanging an item or leaving it are equally likely, so that a shift may be counted from
    # either end: here from the one that makes denominators no smaller.
    downwards = (shifts[1] < 0) | ((shifts[1] == 0) & (shifts[0] < 0))
    x, y = shifts[:, downwards].sum(axis=1).tolist()
    shifts = _by_size(np.where(downwards, -shifts, shifts))
    used = shifts.shape[1] - min(_WALKED, shifts.shape[1] // 2)
    on_lattice, walked = (np.ascontiguousarray(part) for part in np.split(shifts, [used], axis=1))
    rows = int(shifts[1].sum()) + 1
    if rows > _MAX_ROWS or _updates(on_lattice) > max_updates:
        return None
    c0, d0 = start[0] + 2 * x * x_step, start[1] + 2 * y * y_step
    counting = first(d0 + 2 * y_step * np.arange(rows), c0, x_step)
    scale = RESCALE_EVERY * (used // RESCALE_EVERY) - shifts.shape[1]
    return min(1.0, math.ldexp(_mass(on_lattice, walked, counting), scale))


def _by_size(shifts: Ints) -> Ints:
    """Return items by size: small ones first keep the lattice small for longest."""
    spread = np.abs(shifts).sum(axis=1, keepdims=True).clip(min=1)
    order = np.argsort((np.abs(shifts) / spread).sum(axis=0), kind="stable")
    return shifts[:, order]


def _updates(shifts: Ints) -> float:
    """Return how many cells are updated; infinite where there are too many of them."""
    widths, heights = (np.abs(shifts).cumsum(axis=1) + 1).astype(np.float64)
    too_many = shifts.shape[1] and widths[-1] * heights[-1] > MAX_CELLS
    return math.inf if too_many else float(widths @ heights)


def _mass(shifts: Ints, walked: Ints, first: Ints) -> float:
    """Return the weight of the sums that count: from x = first[y] on, for each y."""
    if engine.active() == "numpy":
        return _mass_by_numpy(shifts, walked, first)
    assert engine.native is not None
    return float(engine.native.lattice_mass(shifts, walked, first))


def _mass_by_numpy(shifts: Ints, walked: Ints, first: Ints) -> float:
    """Return what the native code does, with every addition in the same order."""
    cells, lowest = convolved(shifts)
    height, width = cells.shape
    suffix = np.zeros((height, width + 1))
    suffix[:, :-1] = np.cumsum(cells[:, ::-1], axis=1)[:, ::-1]
    mass, rows = np.zeros(height), np.arange(height)
    for subset in range(1 << walked.shape[1]):
        chosen = [k for k in range(walked.shape[1]) if subset >> k & 1]
        dx, dy = walked[:, chosen].sum(axis=1).tolist()
        mass += suffix[rows, (first[rows + dy] - dx - lowest).clip(0, width)]
    return float(np.cumsum(mass)[-1])


def convolved(shifts: Ints) -> tuple[Floats, int]:
    """Return the weights of all sums of random subsets, y × x, and the lowest x.

    They are how many subsets there are, over 2^`RESCALE_EVERY` for as many shifts.

    >>> convolved(np.array([[1, 2, 2], [0, 0, 0]]))
    (array([[1., 1., 2., 2., 1., 1.]]), 0)
    """
    x0, x1, y1 = 0, 0, 0  # of the sums so far
    lowest = int(np.minimum(shifts[0], 0).sum())
    width, height = (np.abs(shifts).sum(axis=1) + 1).tolist()
    cells = np.zeros((height, width))
    cells[0, -lowest] = 1.0
    for step, (dx, dy) in enumerate(shifts.T.tolist()):
        before = cells[: y1 + 1, x0 - lowest : x1 + 1 - lowest].copy()
        cells[dy : dy + y1 + 1, x0 + dx - lowest : x1 + dx + 1 - lowest] += before
        x0, x1, y1 = x0 + min(dx, 0), x1 + max(dx, 0), y1 + dy
        if (step + 1) % RESCALE_EVERY == 0:
            cells *= 2.0**-RESCALE_EVERY
    return cells, lowest
