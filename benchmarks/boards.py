"""Boards: sixty systems with their page and figures, all pairs of 80 and 200, and a thousand."""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

import tellapart as ta
from benchmarks.data import board
from benchmarks.measure import best_cpu, cpu_seconds, goal, heading, line, peak_megabytes
from benchmarks.pairs import t_tests


def run() -> None:
    heading("a board of 60 systems × 300 items")
    with tempfile.TemporaryDirectory() as folder:
        table, page = Path(folder) / "board.csv", Path(folder) / "board.html"
        write_table(table)
        start = time.process_time()
        result = ta.compare(ta.read(table))
        alone = time.process_time() - start
        result.save_html(page)
        seconds = time.process_time() - start
        line("reading and comparing, CPU time", alone)
        line("with its page", seconds, alone)
        goal("page", page.stat().st_size / 1e6, 2, " MB")
    goal("lines on the first screen", len(str(result).splitlines()), 30)
    large()
    thousand()


def large() -> None:
    heading("all 19,900 pairs of 200 systems × 1,000 items by auto, with intervals, CPU time")
    counts = board(systems=200)
    mine = best_cpu(partial(ta.compare, counts, workers=1), 1)
    line("tellapart compare", mine)
    peer = best_cpu(partial(t_tests, counts), 1)
    line("scipy.stats.ttest_rel and Holm, p-values alone", peer, mine)


_THOUSAND = """
from tellapart.cli import main
main(["compare", {table!r}, "--json", {record!r}, "--html", {page!r}])
"""


def thousand() -> None:
    heading("a thousand systems × 500 items: the best, its neighbours, ranks; record and page")
    with tempfile.TemporaryDirectory() as folder:
        table, record, page = (Path(folder) / name for name in ("board.csv", "r.json", "p.html"))
        write_table(table, 1000, 500)
        code = _THOUSAND.format(table=str(table), record=str(record), page=str(page))
        goal("CPU time, reading and writing included", cpu_seconds(code, 1), 10, " s")
        goal("peak memory", peak_megabytes(code), 1500, " MB")
        goal("page", page.stat().st_size / 1e6, 5, " MB")
        print(f"  record: {record.stat().st_size / 1e6:.0f} MB")


def write_table(path: Path, systems: int = 60, items: int = 300) -> None:
    """Write right and wrong answers of systems whose long names share their ends."""
    rng = np.random.default_rng(0)
    ability, difficulty = np.linspace(1.2, -1.2, systems), rng.normal(0, 1, items)
    right = rng.random((systems, items)) < 1 / (1 + np.exp(difficulty - ability[:, None]))
    trees = ("birch", "cedar", "alder", "willow", "rowan")
    with path.open("w") as stream:
        stream.write("item,system,correct\n")
        for k, row in enumerate(right):
            name = f"meadow-lab/evaluation-2026-{trees[k % 5]}-{k:04d}-instruct-v2.1-final"
            stream.writelines(f"q{i:03d},{name},{int(each)}\n" for i, each in enumerate(row))


if __name__ == "__main__":  # python -m benchmarks.boards board.csv 1000 500
    write_table(Path(sys.argv[1]), *map(int, sys.argv[2:]))
