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


def board(systems: int = 80, items: int = 1_000, digits: int = 0, seed: int = 0) -> ta.Counts:
    """Make systems of unequal quality: right and wrong answers, or scores with some digits."""
    rng = np.random.default_rng(seed)
    skill, ease = rng.normal(0, 0.3, systems)[:, None], rng.normal(0, 1, items)
    if digits:
        noise = rng.normal(0, 0.15, (systems, items))
        values = np.round(np.clip(0.5 + 0.1 * skill + 0.15 * ease + noise, 0, 1), digits)
    else:
        values = (rng.random((systems, items)) < 1 / (1 + np.exp(-skill - ease))).astype(np.int64)
    return ta.Counts.from_arrays({f"system-{k:03}": row for k, row in enumerate(values)})


def alike(items: int, share: float = 0.085, seed: int = 0) -> ta.Counts:
    """Make two systems that differ on a small share of the items."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 5, (items, 3))
    b = a.copy()
    differs = rng.random(items) < share
    b[differs] = np.maximum(b[differs] + rng.integers(-1, 2, (int(differs.sum()), 3)), 0)
    return ta.Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fp", "fn"])
