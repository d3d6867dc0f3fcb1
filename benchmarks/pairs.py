"""All pairs at once: of the built-in example, and of boards, the record included."""

from __future__ import annotations

import os
from functools import partial
from unittest.mock import patch

import numpy as np

import tellapart as ta
from benchmarks.data import board
from benchmarks.measure import best_cpu, goal, heading, line
from tellapart.counts import Counts

METRICS = ["recall", "precision", "f1", "f0.5", "f2"]


def all_at_once(counts: Counts, shuffles: int) -> None:
    ta.compare(
        counts, metrics=METRICS, test="shuffle", shuffles=shuffles, workers=1, intervals=False
    )


def one_by_one(counts: Counts, shuffles: int) -> None:
    names = counts.names
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            all_at_once(counts.systems[a, b], shuffles)


def product_of_signs(counts: Counts, shuffles: int, batch: int = 1_000) -> None:
    """Do the same in NumPy: signs times scores, differences of all pairs, comparisons."""
    scores = counts.values[:, :, 0].astype(np.float32).T
    first, second = np.triu_indices(scores.shape[1], 1)
    measured = np.abs(scores.sum(axis=0)[first] - scores.sum(axis=0)[second])
    rng, reached = np.random.default_rng(0), np.zeros(len(first), np.int64)
    for start in range(0, shuffles, batch):
        n = min(batch, shuffles - start)
        signs = 2 * rng.integers(0, 2, (n, len(scores)), dtype=np.int8).astype(np.float32) - 1
        sums = signs @ scores
        reached += (np.abs(sums[:, first] - sums[:, second]) >= measured).sum(axis=0)


def t_tests(counts: Counts) -> None:
    """Do what most would: a t test of each pair, and Holm."""
    from scipy.stats import ttest_rel

    scores = counts.values[:, :, 0].astype(np.float64)
    first, second = np.triu_indices(len(scores), 1)
    found = [ttest_rel(scores[a], scores[b]).pvalue for a, b in zip(first, second, strict=True)]
    order = np.argsort(found)
    np.maximum.accumulate(np.array(found)[order] * np.arange(len(found), 0, -1))


def boards() -> None:
    heading("all 11,175 pairs of 150 systems × 800 items, 9,999 shuffles, the record included")
    for name, digits in (("right and wrong", 0), ("four decimals", 4)):
        counts = board(150, 800, digits)
        asked = partial(ta.compare, test="shuffle", shuffles=9_999, intervals=False, workers=1)
        mine = best_cpu(partial(asked, counts), 2)
        line(f"tellapart compare, {name}, CPU time", mine)
        peer = best_cpu(partial(product_of_signs, counts, 9_999), 2)
        line("NumPy product of signs, p-values alone", peer, mine)
        goal("of the time of the product", mine / peer, 1)
    heading("all 3,160 pairs of 80 systems × 1,000 items by auto, with intervals, CPU time")
    for name, digits, limit in (("right and wrong", 0, 1), ("two decimals", 2, 4)):
        counts = board(digits=digits)
        mine = best_cpu(partial(ta.compare, counts, workers=1), 2)
        line(f"tellapart compare, {name}", mine)
        line("scipy's t test of each pair, and Holm", best_cpu(partial(t_tests, counts), 1), mine)
        goal(f"80 × 1,000, {name}", mine, limit, " s")


def run() -> None:
    boards()
    counts = ta.example("muc4")
    heading("all 136 pairs of 17 systems, 100 messages, 5 metrics, 9,999 shuffles, CPU time")
    mine = best_cpu(lambda: all_at_once(counts, 9_999))
    line("tellapart compare, all pairs at once", mine)
    line("tellapart compare, pair by pair", best_cpu(lambda: one_by_one(counts, 9_999), 1), mine)
    with patch.dict(os.environ, TELLAPART_PATH="numpy"):
        line("tellapart, NumPy path", best_cpu(lambda: all_at_once(counts, 9_999), 1), mine)
