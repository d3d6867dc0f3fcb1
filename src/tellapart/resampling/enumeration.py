"""All 2^m exchanges of m discordant items, each once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
