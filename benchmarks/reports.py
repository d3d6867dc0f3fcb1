"""From files to a verdict and a page: time, size and memory, beside plain reading of the file."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import tellapart as ta
from benchmarks.measure import best, goal, heading, line
from tellapart.counts import ItemTexts

_MILLION = 1_000_000
_SMALL = "system,item,score\n" + "".join(f"{s},q{k},{(k * 7 + 3 * len(s)) % 5}\n"
                                         for s in ("old", "newer") for k in range(50))  # fmt: skip
# VmHWM is what Linux keeps about the peak of a process.
_RUN = """
import sys
from tellapart.cli import main
status = main(sys.argv[1:])
with open("/proc/self/status") as lines:
    print(next(line.split()[1] for line in lines if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(status)
"""


def run() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _pages(folder)
        _start(folder)
        _million(folder)


def _pages(folder: Path) -> None:
    heading("comparison and HTML report")
    for what, counts, seconds, megabytes in (
        ("17 systems × 100 messages, three metrics", ta.example("muc4"), 3, 1),
        ("10 systems × 10,000 items with texts", _items(), 10, 2),
        ("10 systems × 10,000 items, Chinese", _items("一", 20_000), 10, 2),
    ):
        page = folder / "report.html"

        def compare(counts: ta.Counts = counts) -> ta.Result:
            return ta.compare(counts)

        def report(counts: ta.Counts = counts, page: Path = page) -> None:
            ta.compare(counts).save_html(page)

        alone, whole = best(compare, 2), best(report, 2)
        line(f"{what}: comparison alone", alone)
        line(f"{what}: with its page", whole)
        print(f"  {whole / alone:.2f} × the comparison alone")
        goal("time", whole, seconds, " s")
        goal("size", page.stat().st_size / 1e6, megabytes, " MB")


def _items(first: str = "a", letters: int = 26) -> ta.Counts:
    """Make graded answers of ten systems to ten thousand questions, with texts hard to pack."""
    rng = np.random.default_rng(1)
    items, easy = 10_000, rng.random(10_000)

    def texts(length: int) -> tuple[str, ...]:
        codes = rng.integers(ord(first), ord(first) + letters, (items, length))
        codes[rng.random(codes.shape) < 0.17] = ord(" ")
        return tuple("".join(map(chr, row)) for row in codes.tolist())

    scores = {
        f"model-{k}": np.clip(easy + rng.normal(0.003 * k, 0.2, items), 0, 1).round(3)
        for k in range(10)
    }
    labels = {"topic": [f"t{k % 8}" for k in range(items)]}
    counts = ta.Counts.from_arrays(scores, labels=labels, kind="item")
    outputs = {name: texts(100) for name in scores}
    return replace(counts, texts=ItemTexts(texts(120), texts(20), outputs))


def _start(folder: Path) -> None:
    heading("from start to answer")
    small = folder / "small.csv"
    small.write_text(_SMALL)
    bare = best(lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True), 3)
    line("python -c 'import numpy'", bare)
    for what, words, limit in (
        ("tellapart --help", ["--help"], 0.4),
        ("tellapart compare of a small table", ["compare", str(small)], 1.5),
    ):
        seconds = best(partial(_command, words), 3)
        line(what, seconds)
        print(f"  {seconds / bare:.2f} × importing numpy alone")
        goal("time", seconds, limit, " s")


def _million(folder: Path) -> None:
    heading("2 systems × 1,000,000 items")
    rng = np.random.default_rng(2)
    right = [(rng.random(_MILLION) < share).astype(int) for share in (0.7, 0.702)]
    table = folder / "wide.csv"
    with table.open("w") as stream:
        stream.write("item,old,new\n")
        rows = zip(range(_MILLION), *right, strict=True)
        stream.writelines(f"item{k},{a},{b}\n" for k, a, b in rows)
    plain = best(lambda: _read_plainly(table), 1)
    line("csv.reader alone, nothing kept", plain)
    columnar = folder / "long.parquet"
    ta.read(table).to_table(columnar)
    for path in (table, columnar):
        start = time.perf_counter()
        megabytes = _command(["compare", str(path)])
        seconds = time.perf_counter() - start
        line(f"{path.name} to verdict", seconds)
        print(f"  {seconds / plain:.1f} × csv.reader alone")
        goal("time", seconds, 30, " s")
        goal("memory", megabytes, 2_000, " MB")


def _read_plainly(table: Path) -> int:
    with table.open(newline="") as stream:
        return sum(1 for _ in csv.reader(stream))


def _command(words: Sequence[str]) -> float:
    """Run a command in an interpreter of its own; gives its peak of memory in megabytes."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *words], capture_output=True, text=True, check=False
    )
    return float(done.stderr.split()[-1]) / 1024 if done.stderr.strip() else 0.0
