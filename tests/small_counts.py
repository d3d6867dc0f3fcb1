"""Small counts that several test modules compare."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tellapart.counts import Counts
from tellapart.metrics.runs import average_runs


def some_counts(items: int = 30, systems: str = "ABCD", seed: int = 0) -> Counts:
    rng = np.random.default_rng(seed)
    values = {name: rng.integers(0, 5 + k, (items, 3)) for k, name in enumerate(systems)}
    labels = {"doc": [f"d{k // 3}" for k in range(items)], "hash": [str(k) for k in range(items)]}
    return Counts.from_arrays(values, columns=["tp", "fp", "fn"], labels=labels, kind="sentence")


def in_runs(systems: Mapping[str, Any], *, repeats: bool = False, **labels: list[str]) -> Counts:
    """Return systems by what they scored, runs × items."""
    runs = {
        name: [Counts.from_arrays({name: run}, labels=labels or None) for run in own]
        for name, own in systems.items()
    }
    return average_runs(runs, repeats=repeats)


def some_items(items: int = 25, seed: int = 1) -> Counts:
    rng = np.random.default_rng(seed)
    return Counts.from_arrays({name: rng.integers(0, 2, items) for name in "AB"})


def spread(rate: float, *numbers: int) -> float:
    """Return the standard error of a difference of rates, each measured on so many pairs."""
    return math.sqrt(rate * (1 - rate) * sum(1 / number for number in numbers))


def some_scores(items: int = 40, seed: int = 2) -> Counts:
    rng = np.random.default_rng(seed)
    return Counts.from_arrays({name: rng.integers(0, 11, items) for name in "AB"})
