"""A data set in parts: time, memory of every process, and that all ways give the same record.

`python -m benchmarks.partitions --rows 1e8 --folder DIR` keeps its files in a folder of one's own;
`--case right` takes one of the cases alone, with all rows that were asked for.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import goal, heading

ROWS = 10_000_000
ROWS_PER_FILE = 4_000_000
SAMPLE = 300_000
LIMIT_MB = 2_000


@dataclass(frozen=True)
class Case:
    """A table of systems, as SQL makes its rows of numbers i, and what it is compared by."""

    name: str
    what: str
    columns: str
    rows_per_item: int = 1
    metric: str | None = None
    most: int = 10**9
    """No more items beside other cases, so that it takes no longer than these"""
    systems: int = 2


CASES = (
    Case(
        "right",
        "right and wrong",
        "i AS item, (hash(i) % 1000 < 730)::TINYINT AS old, "
        "(hash(7 * i + 1) % 1000 < 730)::TINYINT AS new",
    ),
    Case(
        "decimals",
        "scores of three decimals",
        "i AS item, hash(3 * i) % 1001 / 1000 AS old, hash(5 * i) % 1001 / 1000 AS new",
    ),
    Case(
        "f1",
        "F1 of counts, a row per item and system",
        "i // 2 AS item, CASE i % 2 WHEN 0 THEN 'old' ELSE 'new' END AS system, "
        "(hash(3 * i) % 4)::TINYINT AS tp, (hash(5 * i) % (2 + i % 2))::TINYINT AS fp, "
        "(hash(7 * i) % 3)::TINYINT AS fn",
        rows_per_item=2,
        metric="f1",
        most=10**7,
    ),
    Case(
        "bleu",
        "BLEU of counts, a row per item and system",
        "i // 2 AS item, CASE i % 2 WHEN 0 THEN 'old' ELSE 'new' END AS system, "
        "20::TINYINT AS hyp_len, (15 + hash(i // 2) % 10)::TINYINT AS ref_len, "
        + ", ".join(
            f"(hash({n + 2} * i) % {20 - 4 * n})::TINYINT AS match_{n}, "
            f"{21 - n}::TINYINT AS total_{n}"
            for n in range(1, 5)
        ),
        rows_per_item=2,
        metric="bleu",
        most=10**6,
    ),
    Case(
        "fifty",
        "right and wrong, all pairs",
        "i AS item, "
        + ", ".join(
            f"(hash({2 * k + 3} * i + {k}) % 1000 < {700 + k})::TINYINT AS system_{k}"
            for k in range(50)
        ),
        most=10**6,
        systems=50,
    ),
)

_DRIVER = """
import json, os, signal, sys, time
import tellapart as ta
folder, metric, options, victim = json.loads(sys.argv[1])
seen = []
def progress(what, done, total):
    seen.append(done)
    # In the third pass over the parts, that of the shuffles.
    if victim and what == "parts" and seen.count(0) >= 3 and done == max(1, total // 3):
        os.kill(victim, signal.SIGKILL)
start = time.time()
from tellapart.comparison.partitioned import open_part_map
from tellapart.significance.options import Options
with open_part_map(Options(**options), progress) as part_map:
    data = ta.open_partitions(folder, part_map=part_map)
opened = time.time() - start, time.process_time()
result = ta.compare(data, metric, progress=progress, **options)
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({"seconds": time.time() - start, "opened": opened[0], "peak": int(peak) / 1024,
                  "cpu": time.process_time(), "cpu_opened": opened[1],
                  "p": result.pairs[0].p, "shuffles": result.pairs[0].shuffles,
                  "record": result.to_json()}))
"""


def make(case: Case, folder: Path, items: int) -> None:
    """Write the data set of a case."""
    duckdb: Any = importlib.import_module("duckdb")
    folder.mkdir(parents=True)
    with duckdb.connect(config={"threads": 1, "memory_limit": "1GB"}) as connection:
        for k, first in enumerate(range(0, items, ROWS_PER_FILE)):
            ends = (
                case.rows_per_item * each for each in (first, min(items, first + ROWS_PER_FILE))
            )
            rows = f"SELECT {case.columns} FROM range({', '.join(map(str, ends))}) t(i)"
            connection.execute(f"COPY ({rows}) TO '{folder}/part-{k:05}.parquet'")


def measured(folder: Path, case: Case, options: dict[str, Any], victim: int = 0) -> dict[str, Any]:
    """Compare in a process of its own."""
    words = json.dumps([str(folder), case.metric, options, victim])
    done = subprocess.run(
        [sys.executable, "-c", _DRIVER, words], capture_output=True, check=True, text=True
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


class Workers:
    """A Dask scheduler and workers of one thread each, as processes."""

    def __init__(self, folder: Path, count: int) -> None:
        self._file = folder / f"scheduler-{time.time()}.json"
        self._folder = folder
        self._processes = [self._start("scheduler", "--host", "127.0.0.1", "--port", "0",
                                       "--no-dashboard", "--no-jupyter")]  # fmt: skip
        self.workers = [
            self._start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
            for _ in range(count)
        ]
        self._processes += self.workers
        distributed: Any = importlib.import_module("distributed")
        with distributed.Client(scheduler_file=str(self._file), timeout="60s") as client:
            client.wait_for_workers(count, timeout=120)
            self.address: str = client.scheduler.address

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        begin = f"from distributed.cli.dask_{what} import main\nmain()"
        command = [sys.executable, "-c", begin, "--scheduler-file", str(self._file), *options]
        return subprocess.Popen(
            command, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def peaks(self) -> list[float]:
        """Return the peak memory of the workers that live, in megabytes."""
        return [_peak(each.pid) for each in self.workers if each.poll() is None]

    def cpu(self) -> float:
        """Return the CPU seconds of the workers that live."""
        live = [each.pid for each in self.workers if each.poll() is None]
        ticks = [Path(f"/proc/{pid}/stat").read_text().rsplit(") ")[1].split() for pid in live]
        return sum(int(each[11]) + int(each[12]) for each in ticks) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End all processes."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()


def _peak(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def _line(what: str, found: dict[str, Any], rows: int, workers: Workers | None = None) -> None:
    peaks = [found["peak"], *(workers.peaks() if workers is not None else ())]
    cpu = found["cpu"] + (workers.cpu() if workers is not None else 0.0)
    memory = " + ".join(f"{each:,.0f}" for each in peaks)
    print(
        f"  {what:<34}{found['seconds']:8.1f} s{cpu:9.1f} s of CPU{rows / cpu:12,.0f} rows per "
        f"CPU s   {memory} MB",
        flush=True,
    )


def run(rows: int = ROWS, place: Path | None = None, only: str | None = None) -> None:
    """Compare by all ways, and print what each takes."""
    with ExitStack() as stack:
        top = place or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for case in CASES:
            if only in (None, case.name):
                _run_case(top, case, min(rows, case.most) if only is None else rows)


def _run_case(top: Path, case: Case, rows: int) -> None:
    folder, sample = (top / f"{case.name}-{each}" for each in (rows, SAMPLE))
    for each, items in ((folder, rows), (sample, min(SAMPLE, rows))):
        if not each.exists():
            make(case, each, items)
    size = sum(each.stat().st_size for each in folder.iterdir())
    heading(
        f"{case.what}: {rows:,} items of {case.systems} systems, {size / 1e6:,.0f} MB of Parquet"
    )
    options: dict[str, Any] = {"test": "shuffle", "workers": 1}
    first = measured(folder, case, options)
    _line("9,999 shuffles, one thread", first, rows)
    print(f"    {first['cpu_opened']:.1f} s of CPU to check ids and find the grid", flush=True)
    _line("auto, one thread", measured(folder, case, {"workers": 1}), rows)
    worst = float(first["peak"])
    for count, killed in ((1, False), (2, False), (2, True)):
        workers = Workers(top, count)
        try:
            there = {**options, "cluster_address": workers.address}
            victim = workers.workers[0].pid if killed else 0
            found = measured(folder, case, there, victim)
            name = f"{count} Dask worker{'s' if count > 1 else ''}"
            _line(f"{name}, one of them killed" if killed else name, found, rows, workers)
            dead = sum(each.poll() is not None for each in workers.workers)
            assert dead == int(killed), "the wrong workers died"
            print(f"    same record: {found['record'] == first['record']}")
            worst = max(worst, found["peak"], *workers.peaks())
        finally:
            workers.close()
    goal("memory of the largest process", worst, LIMIT_MB, " MB")
    _as_in_memory(sample, case)


def _as_in_memory(sample: Path, case: Case) -> None:
    """Compare a sample that fits both ways."""
    import tellapart as ta

    parts, whole = (
        ta.compare(data, case.metric, test="shuffle").pairs[0]
        for data in (ta.open_partitions(str(sample)), ta.read(str(sample)))
    )
    same = all(
        getattr(parts, name) == getattr(whole, name)
        for name in ("p", "exceedances", "difference", "exact_difference")
    )
    print(f"    a sample of {SAMPLE:,} items as in memory: {same} (p = {parts.p:.4f})", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=ROWS)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--case", choices=[each.name for each in CASES])
    given = parser.parse_args()
    if given.folder is not None:
        os.makedirs(given.folder, exist_ok=True)
    run(int(given.rows), given.folder, given.case)
