"""The exact null distribution of ratio metrics, by adding up two-point distributions on a lattice.

Each discordant item is exchanged or not, and moves the numerators by dx and the denominators by dy.
The weights of all sums follow item by item: each cell plus the cell one shift back. The last few
items, which would widen the lattice most, are not put on it: their subsets are walked instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path
from tellapart.resampling.fourier import fourier_mass, fourier_updates, grid
from tellapart.resampling.ratios import RatioPair

MAX_CELLS = 20_000_000
MAX_UPDATES = 2_000_000_000
"""Limits of the lattice: cells held at a time, and cells updated in all (a second or two)."""
CHEAP_UPDATES = 100_000_000
"""Up to here no other method is worth a thought."""

MAX_ROWS = 1 << 22
"""Denominators whose thresholds are worked out, whatever part of them a lattice keeps."""

WINDOW_LOSS = 1e-30
"""The probability that the windows of a large lattice may leave out, all items together."""

_RESCALE_EVERY = 512  # as in the native code
_EXTRAS = 10  # items whose 2^10 subsets are walked


First: TypeAlias = Callable[[NDArray[np.int64], int, int], NDArray[np.int64]]
"""From denominator differences, c0 and the step of x: the smallest x whose numerators count"""


@dataclass(frozen=True, slots=True)
class ExactP:
    """An exact p-value, and how it was worked out."""

    p: float
    method: str
    """``dense``, ``windowed`` or ``fourier``"""
    error: float
    """A bound for what the method left out; 0 for a dense lattice."""


def exact_p(
    pair: RatioPair, dx: NDArray[np.int64], dy: NDArray[np.int64], patience: float = 1.0
) -> ExactP | None:
    """Return the exact p of a pair of ratios whose items move the sums by dx and dy if exchanged.

    dx and dy are what system b has more than a on each item, in numerator and denominator. None if
    the sums spread over more cells than any method may take; `patience` multiplies how many cell
    updates it may take.

    >>> pair = RatioPair(num_a=3, den_a=4, num_b=0, den_b=4)
    >>> exact_p(pair, np.array([-1, -1, -1]), np.array([0, 0, 0])).p
    0.25
    """
    if pair.tail == "two" and pair.difference == 0:
        return ExactP(1.0, "dense", 0.0)
    steps = Steps.of(dx, dy)
    # Asked before any threshold is worked out: sums may spread over 2^50 denominators.
    work = steps.work()
    if work.updates > patience * MAX_UPDATES:
        return None
    problem = Problem.of(pair, steps)
    if work.plan is None:
        found = fourier_mass(problem.shifts, problem.hi, problem.hi_y0)
        return None if found is None else problem.result(*found, "fourier")
    plan = work.plan.balanced(steps.shifts, problem.shifts)
    return problem.result(plan.mass(problem), plan.loss, "windowed" if plan.loss else "dense")


def exact_updates(dx: NDArray[np.int64], dy: NDArray[np.int64]) -> float:
    """Return the work of `exact_p` in updates of a cell; infinite where no method may do it.

    >>> exact_updates(np.array([-1, -1, -1, 0]), np.array([0, 0, 0, 0]))
    5.0
    """
    return Steps.of(dx, dy).work().updates


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
    steps = Steps.of(dx, dy)
    work = steps.work()
    if work.plan is None or work.updates > MAX_UPDATES:
        return None

    def first(d: NDArray[np.int64], c0: int, x_step: int) -> NDArray[np.int64]:
        limit = float(1 << 62)
        return np.ceil((least(d) - c0) / (2 * x_step)).clip(-limit, limit).astype(np.int64)

    problem = Problem.starting_at(pair, steps, first)
    plan = work.plan.balanced(steps.shifts, problem.shifts)
    return problem.result(plan.mass(problem), 0.0, "dense", least=0.0).p


def _reduced(shifts: NDArray[np.int64]) -> tuple[NDArray[np.int64], int, int]:
    """Return numerator and denominator shifts divided by their common divisors."""
    x_step, y_step = (max(1, int(np.gcd.reduce(row))) if row.size else 1 for row in shifts)
    return shifts // np.array([[x_step], [y_step]]), x_step, y_step


def _by_size(shifts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return items by size: small ones first keep the lattice small for longest."""
    spread = np.abs(shifts).sum(axis=1, keepdims=True).clip(min=1)
    order = np.argsort((np.abs(shifts) / spread).sum(axis=0), kind="stable")
    return shifts[:, order]


def _balanced(shifts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return items flipped so that the centre of the sums stays near the origin.

    Exchanging an item or leaving it are equally likely, so that a shift may be counted from either
    end. That moves the cells which a lattice keeps, not their number.
    """
    weight_x, weight_y = (
        (1.0 / float(total)) ** 2 for total in np.abs(shifts).sum(axis=1).clip(min=1)
    )
    signs, centre_x, centre_y = [], 0, 0
    for x, y in zip(*shifts.tolist(), strict=True):
        sign = -1 if centre_x * x * weight_x + centre_y * y * weight_y > 0 else 1
        signs.append(sign)
        centre_x, centre_y = centre_x + sign * x, centre_y + sign * y
    return shifts * np.array(signs, np.int64)


def _extras(items: int) -> int:
    return min(_EXTRAS, items // 2)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which cells the lattice keeps after each item."""

    boxes: NDArray[np.int64]  # items × (x0, x1, y0, y1)
    x0: int
    y0: int
    width: int
    height: int
    loss: float
    updates: float

    @classmethod
    def of(cls, boxes: NDArray[np.int64], loss: float) -> _Plan:
        """Return the lattice that holds all boxes."""
        (x0, _, y0, _), (_, x1, _, y1) = boxes.min(axis=0, initial=0), boxes.max(axis=0, initial=0)
        sides = (boxes[:, 1] - boxes[:, 0] + 1) * (boxes[:, 3] - boxes[:, 2] + 1).astype(np.float64)
        width, height = int(x1 - x0) + 1, int(y1 - y0) + 1
        return cls(boxes, int(x0), int(y0), width, height, loss, float(sides.sum()))

    def balanced(self, shifts: NDArray[np.int64], flipped: NDArray[np.int64]) -> _Plan:
        """Return the plan of items some of which were flipped: its boxes are elsewhere."""
        moved = ((shifts - flipped) // 2)[:, : len(self.boxes)].cumsum(axis=1)
        return _Plan.of(self.boxes - moved[[0, 0, 1, 1]].T, self.loss)

    def mass(self, problem: Problem) -> float:
        """Return the weight at or above the thresholds, before it is scaled to a probability."""
        steps = len(self.boxes)
        shifts = np.ascontiguousarray(problem.shifts[:, :steps])
        extras = np.ascontiguousarray(problem.shifts[:, steps:])
        if path.active() == "numpy":
            return _mass(self, shifts, extras, problem.hi, problem.hi_y0)
        assert path.native is not None
        origin = np.array([self.x0, self.y0])
        return float(
            path.native.lattice_mass(
                shifts, self.boxes, origin, self.width, self.height, extras, problem.hi,
                problem.hi_y0,
            )
        )  # fmt: skip


def _plan(shifts: NDArray[np.int64]) -> _Plan | None:
    """Return the dense lattice or windows, whichever updates fewer cells; None if neither fits."""
    used = shifts[:, : shifts.shape[1] - _extras(shifts.shape[1])]
    items = used.shape[1]
    low = np.minimum(used, 0).cumsum(axis=1)
    high = low + np.abs(used).cumsum(axis=1)
    plan = _Plan.of(_boxes(low, high), 0.0)
    # Sums beyond t from their centre have probability at most 2 exp(-2 t² / sum of squares).
    times = math.log(4 * max(items, 1) / WINDOW_LOSS) / 2
    if items > 3.9 * times:  # of fewer, no sum is beyond: half of all sizes is less than t
        centre = used.cumsum(axis=1) / 2
        squares = (used.astype(np.float64) ** 2).cumsum(axis=1)
        reach = np.sqrt(squares * times)
        kept_low = np.maximum(low, np.ceil(centre - reach)).astype(np.int64)
        kept_high = np.minimum(high, np.floor(centre + reach)).astype(np.int64)
        windowed = _Plan.of(_boxes(kept_low, kept_high), WINDOW_LOSS)
        # A window must pay for what it gives up: full relative accuracy of the smallest p.
        spared = 4 if plan.updates <= MAX_UPDATES else 1
        plan = windowed if spared * windowed.updates < plan.updates else plan
    return plan if plan.width * plan.height <= MAX_CELLS else None


def _boxes(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.stack([low[0], high[0], low[1], high[1]], axis=1)


@dataclass(frozen=True, slots=True)
class _Work:
    """What an exact test takes."""

    updates: float
    """Of lattice cells, or as long as these would take; infinite if there is no way"""
    plan: _Plan | None = None
    """The lattice; None if it is by a Fourier transform"""


@dataclass(frozen=True, slots=True)
class Steps:
    """What the exchange of each discordant item adds to the sums, in steps of the lattice."""

    shifts: NDArray[np.int64]  # (dx, dy) × items, divided by the steps, small items first
    x_step: int
    y_step: int

    @classmethod
    def of(cls, dx: NDArray[np.int64], dy: NDArray[np.int64]) -> Steps:
        """Return the reduced shifts of items; those that shift nothing are left out."""
        moved = (dx != 0) | (dy != 0)
        shifts, x_step, y_step = _reduced(np.stack([dx[moved], dy[moved]]))
        return cls(_by_size(shifts), x_step, y_step)

    def work(self) -> _Work:
        """Return what the cheaper one of the methods takes."""
        rows = int(np.abs(self.shifts[1]).sum()) + 1
        if rows > MAX_ROWS:
            return _Work(math.inf)
        plan = _plan(self.shifts)
        walking = math.inf if plan is None else plan.updates
        if walking <= CHEAP_UPDATES:
            return _Work(walking, plan)
        transforming = math.inf
        if grid(self.shifts) is not None:
            transforming = fourier_updates(_balanced(self.shifts))
        return _Work(walking, plan) if walking <= transforming else _Work(transforming)


@dataclass(frozen=True, slots=True)
class Problem:
    """Shifts of the items, and from which numerator on a cell counts, per denominator."""

    shifts: NDArray[np.int64]  # (dx, dy) × items, reduced, balanced
    hi: NDArray[np.int64]  # the first x that counts, for y = hi_y0, hi_y0 + 1, …
    hi_y0: int
    doubled: bool

    @classmethod
    def of(cls, pair: RatioPair, steps: Steps) -> Problem:
        """Return the problem of the discordant items of a pair."""
        found = cls.starting_at(pair, steps, partial(_first_counting, pair))
        return replace(found, doubled=pair.tail == "two")

    @classmethod
    def starting_at(cls, pair: RatioPair, steps: Steps, first: First) -> Problem:
        """Return the problem of items that are exchanged, starting from the sums of a pair."""
        shifts, x_step, y_step = _balanced(steps.shifts), steps.x_step, steps.y_step
        # Flipped items were counted from their exchanged end: move the starting point there.
        start_x, start_y = (
            (int(raw.sum()) - int(flipped.sum())) // 2 * step
            for raw, flipped, step in zip(steps.shifts, shifts, (x_step, y_step), strict=True)
        )
        y0, y1 = int(np.minimum(shifts[1], 0).sum()), int(np.maximum(shifts[1], 0).sum())
        c0 = pair.num_a - pair.num_b + 2 * start_x
        d0 = pair.den_a - pair.den_b + 2 * start_y
        d = d0 + 2 * y_step * np.arange(y0, y1 + 1)
        return cls(shifts, first(d, c0, x_step), y0, doubled=False)

    def result(self, mass: float, error: float, method: str, least: float | None = None) -> ExactP:
        """Return p from the weight at or above the thresholds, and no less than the `least`."""
        items = self.shifts.shape[1]
        steps = items - _extras(items)
        if method != "fourier":
            mass = math.ldexp(mass, _RESCALE_EVERY * (steps // _RESCALE_EVERY) - items)
        p = (2 * mass if self.doubled else mass) + error
        if least is None:
            # The measured arrangement is one of those that count; two-sided, its mirror image, too.
            least = math.ldexp(1.0, max(int(self.doubled) - items, -1074))
        return ExactP(min(1.0, max(p, least)), method, error)


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


def _mass(
    plan: _Plan,
    shifts: NDArray[np.int64],
    extras: NDArray[np.int64],
    hi: NDArray[np.int64],
    hi_y0: int,
) -> float:
    """Return what the native `lattice_mass` does, with every addition in the same order."""
    cells = _convolved(plan, shifts)
    x0, x1, y0, y1 = plan.boxes[-1].tolist() if len(plan.boxes) else (0, 0, 0, 0)
    rows = np.arange(y0, y1 + 1)
    kept = cells[y0 - plan.y0 : y1 + 1 - plan.y0, x0 - plan.x0 : x1 + 1 - plan.x0]
    suffix = np.zeros((len(rows), x1 - x0 + 2))
    suffix[:, :-1] = np.cumsum(kept[:, ::-1], axis=1)[:, ::-1]
    mass = np.zeros(len(rows))
    for subset in range(1 << extras.shape[1]):
        chosen = [k for k in range(extras.shape[1]) if subset >> k & 1]
        dx, dy = extras[:, chosen].sum(axis=1).tolist()
        first = (hi[rows + dy - hi_y0] - dx - x0).clip(0, x1 - x0 + 1)
        mass += suffix[rows - y0, first]
    return float(np.cumsum(mass)[-1])


def _convolved(plan: _Plan, shifts: NDArray[np.int64]) -> NDArray[np.float64]:
    cells = np.zeros((plan.height, plan.width))
    cells[-plan.y0, -plan.x0] = 1.0
    box = (0, 0, 0, 0)
    for step, (dx, dy) in enumerate(shifts.T.tolist()):
        x0, x1, y0, y1 = (int(end) for end in plan.boxes[step])
        left, right = max(x0, box[0] + dx), min(x1, box[1] + dx)
        low, high = max(y0, box[2] + dy), min(y1, box[3] + dy)
        source = _view(plan, cells, left - dx, right - dx, low - dy, high - dy).copy()
        _view(plan, cells, left, right, low, high)[...] += source
        kept = _view(plan, cells, x0, x1, y0, y1).copy()
        _view(plan, cells, *box)[...] = 0.0
        _view(plan, cells, x0, x1, y0, y1)[...] = kept
        box = (x0, x1, y0, y1)
        if (step + 1) % _RESCALE_EVERY == 0:
            cells *= 2.0**-_RESCALE_EVERY
    return cells


def _view(
    plan: _Plan, cells: NDArray[np.float64], x0: int, x1: int, y0: int, y1: int
) -> NDArray[np.float64]:
    rows = slice(y0 - plan.y0, max(y1 - plan.y0 + 1, y0 - plan.y0))
    columns = slice(x0 - plan.x0, max(x1 - plan.x0 + 1, x0 - plan.x0))
    return cells[rows, columns]
