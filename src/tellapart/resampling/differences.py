"""How far systems lie apart, item by item, for all pairs at once: what an exact test would cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart import engine as path

DIFFERENCE = np.dtype([(name, np.int64) for name in ("items", "total", "largest", "step")])
"""Mirrors `struct Difference` of the native code"""

_AT_ONCE = 1 << 22  # differences that NumPy holds at a time

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Differences:
    """The sizes of the differences of some pairs, each an array over the pairs."""

    items: Integers
    """On how many items they differ"""
    total: Integers
    """What the differences add up to, signs left out"""
    largest: Integers
    step: Integers
    """The largest number that all are multiples of; 0 where nothing differs"""

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Whether all items that differ do so by the same amount, as right and wrong answers do."""
        return np.asarray(self.total == self.items * self.largest)


def pair_differences(values: Integers, first: Integers, second: Integers) -> Differences:
    """Return how far two rows of values (systems × items) lie apart, for each pair of rows.

    >>> values = np.array([[1, 0, 5], [3, 0, 1]])
    >>> found = pair_differences(values, np.array([0]), np.array([1]))
    >>> found.items, found.total, found.largest, found.step
    (array([2]), array([6]), array([4]), array([2]))
    """
    found = np.empty(len(first), DIFFERENCE)
    if path.active() == "numpy":
        size = max(1, _AT_ONCE // max(1, values.shape[1]))
        for start in range(0, len(first), size):
            some = slice(start, start + size)
            sizes = np.abs(values[second[some]] - values[first[some]])
            found["items"][some] = np.count_nonzero(sizes, axis=1)
            found["total"][some] = sizes.sum(axis=1)
            found["largest"][some] = sizes.max(axis=1, initial=0)
            found["step"][some] = np.gcd.reduce(sizes, axis=1)
    else:
        assert path.native is not None
        rows = np.ascontiguousarray(values)
        pairs = np.ascontiguousarray(first), np.ascontiguousarray(second)
        path.native.pair_differences(rows, *pairs, found.view(np.uint8))
    return Differences(*(found[name] for name in DIFFERENCE.names or ()))
