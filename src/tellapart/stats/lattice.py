"""The exact null distribution of two sums under random exchanges, on a lattice.

Each differing item is exchanged or not, and so moves the difference of the numerators by twice dx
and that of the denominators by twice dy. The weights of all pairs of sums follow item by item: each
cell plus the cell one shift back. The last few items, which would widen the lattice most, are not
put on it: their subsets are walked instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tellapart import engine
from tellapart.stats.result import Floats, Ints

MAX_CELLS = 20_000_000
MAX_UPDATES = 4e10
"""Limits of a lattice: cells held at a time, and cells updated in all (half a minute)"""

_MAX_ROWS = 1 << 22  # denominators whose thresholds are worked out
_RESCALE_EVERY = 512  # items, as in the native code
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
    shifts = _balanced(_by_size(shifts // np.array([[x_step], [y_step]])))
    if int(np.abs(shifts[1]).sum()) >= _MAX_ROWS:
        return None
    lattice = _Lattice.of(shifts)
    if lattice.width * lattice.height > MAX_CELLS or lattice.updates > max_updates:
        return None
    # Exchanging an item or leaving it are equally likely: a flipped item is counted from its other
    # end, and the starting point moves there.
    raw = np.stack([dx[moved].sum(), dy[moved].sum()]) // np.array([x_step, y_step])
    ends = (raw - shifts.sum(axis=1)) // 2 * np.array([x_step, y_step])
    c0, d0 = start[0] + 2 * int(ends[0]), start[1] + 2 * int(ends[1])
    y0, y1 = int(np.minimum(shifts[1], 0).sum()), int(np.maximum(shifts[1], 0).sum())
    counting = first(d0 + 2 * y_step * np.arange(y0, y1 + 1), c0, x_step)
    mass, on_lattice = lattice.mass(counting, y0), lattice.boxes.shape[0]
    scale = _RESCALE_EVERY * (on_lattice // _RESCALE_EVERY) - shifts.shape[1]
    return min(1.0, math.ldexp(mass, scale))


def _by_size(shifts: Ints) -> Ints:
    """Return items by size: small ones first keep the lattice small for longest."""
    spread = np.abs(shifts).sum(axis=1, keepdims=True).clip(min=1)
    order = np.argsort((np.abs(shifts) / spread).sum(axis=0), kind="stable")
    return shifts[:, order]


def _balanced(shifts: Ints) -> Ints:
    """Return items flipped so that the centre of the sums stays near the origin."""
    weight_x, weight_y = (
        (1.0 / float(total)) ** 2 for total in np.abs(shifts).sum(axis=1).clip(min=1)
    )
    signs, centre_x, centre_y = [], 0, 0
    for x, y in zip(*shifts.tolist(), strict=True):
        sign = -1 if centre_x * x * weight_x + centre_y * y * weight_y > 0 else 1
        signs.append(sign)
        centre_x, centre_y = centre_x + sign * x, centre_y + sign * y
    return shifts * np.array(signs, np.int64)


@dataclass(frozen=True, slots=True)
class _Lattice:
    """Which cells there are after each item that is put on the lattice."""

    shifts: Ints  # (dx, dy) × items
    walked: Ints  # (dx, dy) of the items whose subsets are walked
    boxes: Ints  # items × (x0, x1, y0, y1)
    x0: int
    y0: int
    width: int
    height: int
    updates: float

    @classmethod
    def of(cls, shifts: Ints) -> _Lattice:
        """Return the lattice of items, small ones first."""
        used = shifts.shape[1] - min(_WALKED, shifts.shape[1] // 2)
        low = np.minimum(shifts[:, :used], 0).cumsum(axis=1)
        high = low + np.abs(shifts[:, :used]).cumsum(axis=1)
        boxes = np.stack([low[0], high[0], low[1], high[1]], axis=1)
        (x0, _, y0, _), (_, x1, _, y1) = boxes.min(axis=0, initial=0), boxes.max(axis=0, initial=0)
        sides = (boxes[:, 1] - boxes[:, 0] + 1) * (boxes[:, 3] - boxes[:, 2] + 1).astype(np.float64)
        own, rest = np.ascontiguousarray(shifts[:, :used]), np.ascontiguousarray(shifts[:, used:])
        size = int(x1 - x0) + 1, int(y1 - y0) + 1
        return cls(own, rest, boxes, int(x0), int(y0), *size, float(sides.sum()))

    def mass(self, first: Ints, first_y0: int) -> float:
        """Return the weight of the cells that count: from first[y - first_y0] on, for each y."""
        if engine.active() == "numpy":
            return self._mass(first, first_y0)
        assert engine.native is not None
        origin = np.array([self.x0, self.y0])
        return float(
            engine.native.lattice_mass(
                self.shifts, self.boxes, origin, self.width, self.height, self.walked, first,
                first_y0,
            )
        )  # fmt: skip

    def _mass(self, first: Ints, first_y0: int) -> float:
        """Return what the native code does, with every addition in the same order."""
        cells = self._cells()
        x0, x1, y0, y1 = self.boxes[-1].tolist() if len(self.boxes) else (0, 0, 0, 0)
        rows = np.arange(y0, y1 + 1)
        suffix = np.zeros((len(rows), x1 - x0 + 2))
        kept = self._part(cells, x0, x1, y0, y1)
        suffix[:, :-1] = np.cumsum(kept[:, ::-1], axis=1)[:, ::-1]
        mass = np.zeros(len(rows))
        for subset in range(1 << self.walked.shape[1]):
            chosen = [k for k in range(self.walked.shape[1]) if subset >> k & 1]
            dx, dy = self.walked[:, chosen].sum(axis=1).tolist()
            counting = (first[rows + dy - first_y0] - dx - x0).clip(0, x1 - x0 + 1)
            mass += suffix[rows - y0, counting]
        return float(np.cumsum(mass)[-1])

    def _cells(self) -> Floats:
        cells = np.zeros((self.height, self.width))
        cells[-self.y0, -self.x0] = 1.0
        box = (0, 0, 0, 0)
        for step, (dx, dy) in enumerate(self.shifts.T.tolist()):
            source = self._part(cells, *box).copy()
            self._part(cells, box[0] + dx, box[1] + dx, box[2] + dy, box[3] + dy)[...] += source
            x0, x1, y0, y1 = (int(end) for end in self.boxes[step])
            box = (x0, x1, y0, y1)
            if (step + 1) % _RESCALE_EVERY == 0:
                cells *= 2.0**-_RESCALE_EVERY
        return cells

    def _part(self, cells: Floats, x0: int, x1: int, y0: int, y1: int) -> Floats:
        return cells[y0 - self.y0 : y1 - self.y0 + 1, x0 - self.x0 : x1 - self.x0 + 1]
