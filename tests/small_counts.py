"""Small counts that several test modules compare."""

from __future__ import annotations

import numpy as np

from tellapart.counts import Counts


def some_counts(units: int = 30, systems: str = "ABCD", seed: int = 0) -> Counts:
    rng = np.random.default_rng(seed)
    values = {name: rng.integers(0, 5 + k, (units, 3)) for k, name in enumerate(systems)}
    labels = {"doc": [f"d{k // 3}" for k in range(units)], "hash": [str(k) for k in range(units)]}
    return Counts.from_arrays(values, columns=["tp", "fp", "fn"], labels=labels, kind="sentence")


def some_items(units: int = 25, seed: int = 1) -> Counts:
    rng = np.random.default_rng(seed)
    return Counts.from_arrays({name: rng.integers(0, 2, units) for name in "AB"})
