"""Made-up counts for the benchmarks."""

from __future__ import annotations

import numpy as np

import tellapart as ta


def busy(items: int = 2_000, seed: int = 0) -> ta.Counts:
    """Make two systems that differ on every item."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 9, (items, 3))
    b = a + rng.integers(1, 4, (items, 3)) * rng.choice([-1, 1], (items, 3))
    return ta.Counts.from_arrays({"A": a, "B": np.abs(b)}, columns=["tp", "fp", "fn"])


def alike(items: int, share: float = 0.085, seed: int = 0) -> ta.Counts:
    """Make two systems that differ on a small share of the items."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 5, (items, 3))
    b = a.copy()
    differs = rng.random(items) < share
    b[differs] = np.maximum(b[differs] + rng.integers(-1, 2, (int(differs.sum()), 3)), 0)
    return ta.Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fp", "fn"])
