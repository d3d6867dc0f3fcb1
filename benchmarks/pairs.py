"""All pairs of the built-in example at once."""

from __future__ import annotations

from functools import partial

import numpy as np

import tellapart as ta
from benchmarks.data import board
from benchmarks.measure import best, best_cpu, goal, heading, line
from tellapart import engine as path
from tellapart.comparison.analysis import make_analysis
from tellapart.counts import Counts
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.dispatch import Execution
from tellapart.significance.dispatch import run as tested
from tellapart.significance.options import Options

METRICS = ["recall", "precision", "f1", "f0.5", "f2"]


def all_at_once(counts: Counts, shuffles: int) -> None:
    ta.compare(counts, METRICS, test="shuffle", shuffles=shuffles, workers=1, intervals=False)


def one_by_one(counts: Counts, shuffles: int) -> None:
    names = counts.names
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            all_at_once(counts.systems[a, b], shuffles)


def all_signs(counts: Counts, test: str) -> None:
    ta.compare(counts, METRICS[:3], test=test, workers=1, intervals=False)


def p_values(counts: Counts, test: str, shuffles: int | None = None) -> None:
    """Test all pairs, and leave it at that: no intervals, diagnostics or record."""
    options = Options(test=test, shuffles=shuffles)
    asked = make_analysis(counts, None, options, Execution(WorkerPool()))
    tested(asked.projection, asked.questions, asked.settings, asked.execution)


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
    heading("all 3,160 pairs of 80 systems, 1,000 items, 9,999 shuffles, CPU time, p-values alone")
    for name, digits in (("right and wrong", 0), ("four decimals", 4)):
        counts = board(digits=digits)
        mine = best_cpu(partial(p_values, counts, "shuffle", 9_999))
        line(f"tellapart, {name}", mine)
        peer = best_cpu(partial(product_of_signs, counts, 9_999))
        line("NumPy product of signs", peer, mine)
        goal("of the time of the product", mine / peer, 1)
    heading("the same by auto: exact where that is cheap, shuffled until settled where not")
    for name, digits in (("right and wrong", 0), ("two decimals", 2), ("four decimals", 4)):
        counts = board(digits=digits)
        mine = best_cpu(partial(p_values, counts, "auto"))
        line(f"tellapart, {name}", mine)
        line("scipy's t test of each pair, and Holm", best_cpu(partial(t_tests, counts), 1), mine)


def run() -> None:
    boards()
    counts = ta.example("muc4")
    heading("all 136 pairs of 17 systems, 100 messages, 5 metrics, 9,999 shuffles, one thread")
    mine = best(lambda: all_at_once(counts, 9_999))
    line("tellapart compare, all pairs at once", mine)
    line("tellapart compare, pair by pair", best(lambda: one_by_one(counts, 9_999), 1), mine)
    with path.using("numpy"):
        line("tellapart, NumPy path", best(lambda: all_at_once(counts, 9_999), 1), mine)
    goal("all pairs", mine, 0.1, " s")
    heading("the default test of all 136 pairs by recall, precision and F1, all signs counted")
    equal_scores = best(lambda: all_signs(counts, "auto"), 2)
    line("equal scores, with the exchange test beside (auto)", equal_scores)
    exchanged = best(lambda: all_signs(counts, "exact"), 2)
    line("the exchange test alone, which auto once was (exact)", exchanged, equal_scores)
    goal("auto, of the time of exact", equal_scores / exchanged, 1.5, " times")
    heading("the same with 1,048,576 shuffles")
    line("tellapart compare, all pairs at once", best(lambda: all_at_once(counts, 1 << 20), 1))
