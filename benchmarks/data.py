"""Made-up counts for the benchmarks."""

from __future__ import annotations

import numpy as np

import tellapart as ta


def busy(units: int = 2_000, seed: int = 0) -> ta.Counts:
    """Make two systems that differ on every unit."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 9, (units, 3))
    b = a + rng.integers(1, 4, (units, 3)) * rng.choice([-1, 1], (units, 3))
    return ta.Counts.from_arrays({"A": a, "B": np.abs(b)}, columns=["tp", "fp", "fn"])


def alike(units: int, share: float = 0.085, seed: int = 0) -> ta.Counts:
    """Make two systems that differ on a small share of the units."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 5, (units, 3))
    b = a.copy()
    differs = rng.random(units) < share
    b[differs] = np.maximum(b[differs] + rng.integers(-1, 2, (int(differs.sum()), 3)), 0)
    return ta.Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fp", "fn"])
