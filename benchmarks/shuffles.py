"""A million shuffles of F1 on 2,000 items that all differ, on one thread."""

from __future__ import annotations

import os
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import tellapart as ta
from benchmarks.data import busy
from benchmarks.measure import best_cpu, goal, heading, line, two_workers
from tellapart import engine as path
from tellapart.counts import Counts

SHUFFLES = 1 << 20
FEW = 10_000  # for peers that would take minutes


def ours(counts: Counts, shuffles: int, workers: int = 1) -> float:
    result = ta.compare(
        counts, metrics="f1", test="shuffle", shuffles=shuffles, workers=workers, intervals=False
    )
    return result.pairs[0].p or 1.0


def f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1] + sums[..., 2]))


def matrix_product(counts: Counts, shuffles: int, batch: int = 8_192) -> float:
    """Do the same by a plain NumPy matrix product of coins and differences."""
    a, b = counts.values.astype(np.float32)
    total, delta = a.sum(axis=0), b - a
    measured = abs(f1(total) - f1(b.sum(axis=0)))
    rng, reached = np.random.default_rng(0), 0
    for start in range(0, shuffles, batch):
        n = min(batch, shuffles - start)
        coins = rng.integers(0, 2, (n, len(a)), dtype=np.uint8).astype(np.float32)
        first = (total + coins @ delta).astype(np.float64)
        second = (total + b.sum(axis=0) - first).astype(np.float64)
        reached += int((np.abs(f1(first) - f1(second)) >= measured - 1e-12).sum())
    return (reached + 1) / (shuffles + 1)


def scipy_test(counts: Counts, shuffles: int) -> float:
    """Do the same by scipy's permutation_test, vectorized."""
    from scipy.stats import permutation_test

    a, b = counts.values
    rows = np.stack([a, b])

    def statistic(
        x: NDArray[np.int64], y: NDArray[np.int64], axis: int = -1
    ) -> NDArray[np.float64]:
        first = np.stack([rows[x, np.arange(len(a)), k].sum(axis=axis) for k in range(3)], axis=-1)
        second = np.stack([rows[y, np.arange(len(a)), k].sum(axis=axis) for k in range(3)], axis=-1)
        return np.asarray(np.abs(f1(first) - f1(second)))

    which = np.zeros(len(a), np.int64), np.ones(len(a), np.int64)
    found = permutation_test(
        which,
        statistic,
        permutation_type="samples",
        vectorized=True,
        n_resamples=shuffles,
        batch=1_000,
        alternative="greater",
        rng=0,
    )
    return float(found.pvalue)


def run() -> None:
    counts = busy()
    items = len(counts.items)
    heading(f"F1, {items:,} items, all discordant, {SHUFFLES:,} shuffles, one thread, CPU time")
    print(f"  engine: {path.describe()}")
    mine = best_cpu(lambda: ours(counts, SHUFFLES), 5)
    line("tellapart compare, as a user calls it", mine)
    product = best_cpu(lambda: matrix_product(counts, SHUFFLES), repeat=1)
    line("NumPy matrix product", product, mine)
    with patch.dict(os.environ, TELLAPART_PATH="numpy"):
        line("tellapart, NumPy path", best_cpu(lambda: ours(counts, SHUFFLES), repeat=1), mine)
    numpy_bits = best_cpu(lambda: np.random.SFC64(0).random_raw(SHUFFLES * items // 64))
    line("drawing the random bits, NumPy's SFC64", numpy_bits, mine)
    goal("of the matrix product's time", mine / product, 1 / 20)

    heading(f"{16 * SHUFFLES:,} shuffles, one worker and two")
    two_workers(lambda workers: ours(counts, 16 * SHUFFLES, workers))

    heading(f"the same with {FEW:,} shuffles")
    mine = best_cpu(lambda: ours(counts, FEW))
    line("tellapart compare", mine)
    line("scipy.stats.permutation_test", best_cpu(lambda: scipy_test(counts, FEW), repeat=1), mine)
