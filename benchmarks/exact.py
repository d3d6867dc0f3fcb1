"""The exact test: against enumeration where that is possible, and where it is not."""

from __future__ import annotations

import itertools
import tempfile
from fractions import Fraction
from functools import partial

import numpy as np

import tellapart as ta
from benchmarks.data import alike, busy
from benchmarks.measure import best, best_cpu, cpu_seconds, goal, heading, line, two_workers
from tellapart import engine as path
from tellapart.comparison.analysis import make_analysis
from tellapart.counts import Counts
from tellapart.resampling.workers import open_pool
from tellapart.significance.dispatch import EXACT_PATIENCE, Execution
from tellapart.significance.exact_tests import exact_tests
from tellapart.significance.options import Options


def ours(counts: Counts, metrics: list[str], workers: int = 1) -> ta.Comparison:
    return ta.compare(counts, metrics, test="exact", workers=workers, intervals=False)


def tests_alone(counts: Counts, metrics: list[str], workers: int) -> None:
    with open_pool(workers) as pool:
        analysis = make_analysis(counts, metrics, Options(test="exact"), Execution(pool))
        exact_tests(analysis.projection, analysis.questions, pool, patience=EXACT_PATIENCE)


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


_COMPARE = """
from tellapart.cli import main
main(["compare", {table!r}, "--metric", "f1"])
"""


def near_level(items: int) -> Counts:
    """Make two systems whose F1 differs by nearly two standard errors: p is about .05."""
    counts = alike(items)
    values = counts.values.copy()

    def z(more: int) -> float:
        own = values.copy()
        own[0, :more, 0] += 1
        hits, all_ = 2.0 * own[:, :, 0], own @ np.array([2.0, 1.0, 1.0])
        pooled, totals = hits.sum() / all_.sum(), all_.sum(axis=1, keepdims=True)
        terms = np.subtract(*((hits - pooled * all_) / totals))
        return float(terms.sum() / np.linalg.norm(terms))

    low, high = 0, items // 100
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if z(middle) < 1.96 else (low, middle)
    values[0, :low, 0] += 1
    return ta.Counts.from_arrays(dict(zip("AB", values, strict=True)), columns=counts.columns)


def from_parquet(counts: Counts, what: str) -> None:
    """Measure the command on a long table of two systems: reading, test, interval and report."""
    import duckdb

    items = len(counts.items)
    columns = {
        "item": np.repeat(np.arange(items), 2),
        "system": np.tile(["A", "B"], items),
        **{
            name: counts.values[:, :, k].T.reshape(-1).astype(np.int32)
            for k, name in enumerate(counts.columns)
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        table, connection = f"{folder}/counts.parquet", duckdb.connect()
        connection.register("columns", columns)
        connection.execute(f"COPY (SELECT * FROM columns) TO '{table}'")
        heading(f"F1, {items:,} items of two systems{what}, from Parquet to the verdict, CPU time")
        goal("tellapart compare", cpu_seconds(_COMPARE.format(table=table)), 4, " s")


def run() -> None:
    small = busy(14)
    heading("exact F1, 14 items: 16,384 arrangements")
    mine = best(lambda: ours(small, ["f1"]))
    line("tellapart compare", mine)
    line("enumeration with fractions", best(lambda: enumerated(small), 1), mine)
    assert ours(small, ["f1"]).pairs[0].p == float(enumerated(small))

    for items in (2_000, 20_000, 50_000):
        counts = alike(items)
        m = int((counts.values[0] != counts.values[1]).any(axis=1).sum())
        heading(f"exact F1, {items:,} items, {m:,} of them discordant: 2^{m:,} arrangements")
        mine = best(partial(ours, counts, ["f1"]), 3)
        line("tellapart compare", mine)
        million = partial(ta.compare, test="shuffle", shuffles=1 << 20, workers=1, intervals=False)
        shuffled = best(partial(million, counts, ["f1"]), 1)
        line("tellapart, a million shuffles instead", shuffled, mine)
        if items == 20_000:
            goal("exact F1 on 20,000 items", mine, 2, " s")

    counts = alike(1_000_000)
    heading("F1, a million items: auto, and what remains of compare, CPU time")
    mine = best_cpu(lambda: ta.compare(counts, ["f1"], workers=1))
    goal("compare", mine, 2, " s")

    from_parquet(alike(2_000_000), "")
    from_parquet(near_level(2_000_000), ", p about .05")

    counts = ta.example("muc4")
    heading("exact, all 136 pairs of the example by recall, precision and F1")
    mine = best(lambda: ours(counts, ["recall", "precision", "f1"]), 3)
    heading("the tests of these pairs alone, without the record, which workers do not share")
    two_workers(lambda workers: tests_alone(counts, ["recall", "precision", "f1"], workers), 5)
    with path.using("numpy"):
        numpy_path = best(lambda: ours(counts, ["recall", "precision", "f1"], 2), 1)
    line("tellapart, NumPy path, two workers", numpy_path, mine)
    chances = np.array([pair.p for pair in ours(counts, ["f1"]).pairs])
    print(f"  smallest p of F1: {chances.min():.3g}")
