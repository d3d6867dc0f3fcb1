"""Costs: intervals of ratios of means, and claims of "same quality within the margin, cheaper"."""

from __future__ import annotations

from functools import partial

import numpy as np

import tellapart as ta
from benchmarks.validity import Setting

_ALPHA, _MARGIN, _RATIO = 0.05, 0.05, 0.6


def praised(items: int, loss: float, share: float, sets: int, seed: int) -> float:
    """Return how often a new system is called as good for less: it loses, or costs a share."""
    rng, wrong = np.random.default_rng(seed), 0
    for _ in range(sets):
        old = rng.random(items) < 0.8
        new = np.where(rng.random(items) < loss / 0.8, False, old)
        cost = rng.lognormal(0, 0.5, items)
        # The mean of a lognormal is exp(variance / 2): costs are equal where the share is 1.
        other = share * cost * rng.lognormal(-0.02, 0.2, items)
        rows = {"old": (old, cost), "new": (new, other)}
        counts = ta.Counts.from_arrays(
            {name: np.stack([each[0], each[1].round(4)], axis=1) for name, each in rows.items()},
            columns=["accuracy", "cost"],
            form="items",
        )
        costs = ta.compare(counts, margin=_MARGIN, intervals=False).record.costs
        wrong += costs is not None and any(each.system == "new" for each in costs.savings)
    return wrong / sets


SETTINGS = (
    Setting(
        "loses the margin, costs .6: same quality for less",
        partial(praised, 60, _MARGIN, 0.6),
        most=0.06,
        small=100,
    ),
    Setting(
        "loses the margin, costs the same: same quality for less",
        partial(praised, 60, _MARGIN, 1.0),
        most=0.06,
    ),
    Setting(
        "loses nothing, costs the same: same quality for less",
        partial(praised, 300, 0.0, 1.0),
        most=0.06,
    ),
)
