"""The exact test: against enumeration where that is possible, and where it is not."""

from __future__ import annotations

import itertools
import os
from fractions import Fraction
from functools import partial
from unittest.mock import patch

import numpy as np

import tellapart as ta
from benchmarks.data import alike, busy
from benchmarks.measure import best_cpu, goal, heading, line
from tellapart.comparison.options import Options
from tellapart.comparison.scored import score_metrics
from tellapart.counts import Counts
from tellapart.metrics.scores import RatioScores
from tellapart.stats.exchange import exchange_ratios


def ours(counts: Counts, metrics: list[str]) -> ta.Result:
    return ta.compare(counts, metrics=metrics, test="exact", workers=1, intervals=False)


def p_values(counts: Counts, metrics: list[str]) -> list[float]:
    """Return the exact p-values of all pairs, without the record."""
    found = []
    for scored in score_metrics(counts, metrics, Options(test="exact")):
        scores = scored.scores
        assert isinstance(scores, RatioScores)
        for a, b in itertools.combinations(range(len(scores.systems)), 2):
            columns = scores.columns[:, a], scores.columns[:, b]
            test = exchange_ratios(*columns, 0, scores.undefined)
            assert test is not None
            assert test.p is not None
            found.append(test.p)
    return found


def enumerated(counts: Counts) -> Fraction:
    """Walk all exchanges with Python's own fractions."""
    a, b = (system.tolist() for system in counts.values)

    def f1(rows: list[list[int]]) -> Fraction:
        tp, fp, fn = (sum(column) for column in zip(*rows, strict=True))
        return Fraction(2 * tp, 2 * tp + fp + fn)

    measured = abs(f1(a) - f1(b))
    reached = 0
    for coins in itertools.product((False, True), repeat=len(a)):
        first = [y if heads else x for x, y, heads in zip(a, b, coins, strict=True)]
        second = [x if heads else y for x, y, heads in zip(a, b, coins, strict=True)]
        reached += abs(f1(first) - f1(second)) >= measured
    return Fraction(reached, 2 ** len(a))


def run() -> None:
    small = busy(14)
    heading("exact F1, 14 items: 16,384 arrangements, CPU time")
    mine = best_cpu(lambda: ours(small, ["f1"]))
    line("tellapart compare", mine)
    line("enumeration with fractions", best_cpu(lambda: enumerated(small), 1), mine)
    assert ours(small, ["f1"]).pairs[0].p == float(enumerated(small))

    for items in (2_000, 20_000):
        counts = alike(items)
        m = int((counts.values[0] != counts.values[1]).any(axis=1).sum())
        heading(f"exact F1, {items:,} items, {m:,} of them discordant: 2^{m:,} arrangements")
        mine = best_cpu(partial(ours, counts, ["f1"]), 2)
        line("tellapart compare", mine)
        shuffled = partial(ta.compare, test="shuffle", shuffles=1 << 20, intervals=False)
        line(
            "tellapart, a million shuffles instead",
            best_cpu(partial(shuffled, counts, metrics="f1"), 1),
            mine,
        )

    counts = alike(1_000_000)
    heading("F1, a million items: auto, and what remains of compare, CPU time")
    goal("compare", best_cpu(lambda: ta.compare(counts, metrics="f1"), 1), 2, " s")

    counts, metrics = ta.example("muc4"), ["recall", "precision", "f1"]
    heading("all 408 exact p-values of MUC-4: 136 pairs by recall, precision and F1, CPU time")
    alone = best_cpu(partial(p_values, counts, metrics), 2)
    line("the tests alone", alone)
    line("tellapart compare, with the record", best_cpu(partial(ours, counts, metrics), 1), alone)
    f1_alone = best_cpu(partial(p_values, counts, ["f1"]), 1)
    with patch.dict(os.environ, TELLAPART_PATH="numpy"):
        line("NumPy path, F1", best_cpu(partial(p_values, counts, ["f1"]), 1), f1_alone)
    print(f"  smallest p of F1: {np.min(p_values(counts, ['f1'])):.3g}")
