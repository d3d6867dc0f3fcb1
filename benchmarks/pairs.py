"""All pairs of the built-in example at once."""

from __future__ import annotations

import tellapart as ta
from benchmarks.measure import best, goal, heading, line
from tellapart import engine as path
from tellapart.counts import Counts

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


def run() -> None:
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
