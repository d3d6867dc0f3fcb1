"""All 2^m exchanges of m discordant units, each once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_UNITS = 20
"""Up to a million arrangements are walked; beyond that there are better ways."""


def all_subset_sums(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sums of all subsets of the last axis: forms × units to forms × 2^units.

    Bit k of a subset's number tells whether unit k is in it.

    >>> all_subset_sums(np.array([[1, 10, 100]])).tolist()
    [[0, 1, 10, 11, 100, 101, 110, 111]]
    """
    sums = np.zeros((len(values), 1), np.int64)
    for unit in values.T:
        sums = np.concatenate([sums, sums + unit[:, None]], axis=1)
    return sums


def all_subsets(units: int) -> NDArray[np.bool_]:
    """Return all subsets of a few units as rows of flags, in the order of `all_subset_sums`.

    >>> all_subsets(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    numbers = np.arange(1 << units)[:, None]
    return (numbers >> np.arange(units) & 1).astype(np.bool_)
