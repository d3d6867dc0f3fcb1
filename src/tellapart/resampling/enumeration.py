"""All 2^m exchanges of m discordant items: each once, or counted in whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tellapart.resampling.lattice import Problem, Steps
from tellapart.resampling.ratios import RatioPair

MAX_ITEMS = 20
"""Up to a million arrangements are walked; beyond that there are better ways."""


def all_subset_sums(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sums of all subsets of the last axis: forms × items to forms × 2^items.

    Bit k of a subset's number tells whether item k is in it.

    >>> all_subset_sums(np.array([[1, 10, 100]])).tolist()
    [[0, 1, 10, 11, 100, 101, 110, 111]]
    """
    sums = np.zeros((len(values), 1), np.int64)
    for item in values.T:
        sums = np.concatenate([sums, sums + item[:, None]], axis=1)
    return sums


def all_subsets(items: int) -> NDArray[np.bool_]:
    """Return all subsets of a few items as rows of flags, in the order of `all_subset_sums`.

    >>> all_subsets(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    numbers = np.arange(1 << items)[:, None]
    return (numbers >> np.arange(items) & 1).astype(np.bool_)


def exact_count(pair: RatioPair, dx: NDArray[np.int64], dy: NDArray[np.int64]) -> tuple[int, int]:
    """Return the number of arrangements that count, and of all, as whole numbers.

    The lattice is one long integer whose digits are the cells, so that a shift of all cells is a
    shift of that integer.

    >>> pair = RatioPair(num_a=3, den_a=4, num_b=0, den_b=4)
    >>> exact_count(pair, np.array([-1, -1, -1]), np.array([0, 0, 0]))
    (2, 8)
    """
    items = int(((dx != 0) | (dy != 0)).sum())
    if pair.tail == "two" and pair.difference == 0:
        return 2**items, 2**items
    problem = Problem.of(pair, Steps.of(dx, dy))
    x0, y0 = (int(low) for low in np.minimum(problem.shifts, 0).sum(axis=1))
    x1, y1 = (int(high) for high in np.maximum(problem.shifts, 0).sum(axis=1))
    width, digit = x1 - x0 + 1, -(-(items + 1) // 8)  # bytes per cell
    lattice = 1 << (8 * digit * (-y0 * width - x0))
    for x, y in problem.shifts.T.tolist():
        places = 8 * digit * (y * width + x)
        lattice += lattice << places if places >= 0 else lattice >> -places
    cells = np.frombuffer(
        lattice.to_bytes((y1 - y0 + 1) * width * digit, "little"), np.uint8
    ).reshape(y1 - y0 + 1, width, digit)
    first = (problem.hi[y0 - problem.hi_y0 :] - x0).clip(0, width).tolist()
    counting = sum(_digits_sum(row[start:]) for row, start in zip(cells, first, strict=True))
    return (2 * counting if problem.doubled else counting), 2**items


def _digits_sum(digits: NDArray[np.uint8]) -> int:
    """Return the sum of numbers given by their bytes, lowest first: numbers × bytes."""
    by_place = digits.sum(axis=0, dtype=np.int64).tolist()
    return sum(total << (8 * place) for place, total in enumerate(by_place))
