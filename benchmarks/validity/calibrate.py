"""Whether `calibrate` sees what tests cannot stand: items that depend on each other."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.validity import Setting
from tellapart.comparison.calibrate import TOO_OFTEN, calibrate
from tellapart.counts import Counts

_PAIRS = 400


def failing(by_item: bool, sets: int, seed: int) -> float:
    """Return how often a test is said to reject too often where items come in clusters of 6."""
    rng, wrong = np.random.default_rng(seed), 0
    labels = {"document": [f"d{k // 6}" for k in range(240)]}
    for k in range(sets):
        counts = _answers(rng, 40, 6, 1.5, labels)
        found = calibrate(counts, pairs=_PAIRS, seed=k, cluster="document", workers=1)
        by_cluster, ignoring = found.rejections
        wrong += (ignoring if by_item else by_cluster).verdict == TOO_OFTEN
    return wrong / sets


def _answers(
    rng: np.random.Generator, clusters: int, size: int, spread: float, labels: dict[str, list[str]]
) -> Counts:
    ease = np.repeat(rng.normal(0, spread, (2, clusters)), size, axis=1)
    right = (rng.random(ease.shape) < 1 / (1 + np.exp(-ease))).astype(int)
    return Counts.from_arrays({"A": right[0], "B": right[1]}, labels=labels)


SETTINGS = (
    Setting("40 clusters of 6 items: the test of single items said to reject too often",
            partial(failing, True), least=0.95, sets=100, small=6),
    Setting("40 clusters of 6 items: the test of whole clusters said to reject too often",
            partial(failing, False), 0.03, sets=100, small=6),
)  # fmt: skip
