"""Reading tables, beside DuckDB and polars doing the same work.

Ten million rows of a long table and so on, system by system and in any order; goals are about
the long tables. `TELLAPART_ROWS=1000000` makes it a tenth of that.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import goal, heading

_ROWS = int(os.environ.get("TELLAPART_ROWS", 10_000_000))
_SYSTEMS = 10
_PEERS = ("duckdb", "polars")
_TIMES, _MEMORY = 1.5, 1.2


def run() -> None:
    heading(f"reading tables: seconds of CPU and MB, whole processes, best of 3 ({_ROWS:,} rows)")
    with tempfile.TemporaryDirectory() as folder:
        for what, path in _files(Path(folder)).items():
            found = {name: _best(name, path) for name in ("tellapart", *_PEERS)}
            seconds, megabytes = found.pop("tellapart")
            print(f"  {what:<44}{'tellapart':>10} {seconds:7.2f} s {megabytes:7.0f} MB")
            for name, (its, memory) in found.items():
                print(f"  {'':<44}{name:>10} {its:7.2f} s {memory:7.0f} MB")
            if not what.startswith("long"):
                continue
            its, memory = min(found.values())
            goal(f"{what}, times the fastest", seconds / its, _TIMES)
            goal(f"{what}, times its memory", megabytes / memory, _MEMORY)


def _best(library: str, path: Path, repeat: int = 3) -> tuple[float, float]:
    """Return the least seconds of CPU, and the least peak of memory, of some fresh processes."""
    command = [sys.executable, "-m", "benchmarks.reading_peers", library, str(path)]
    found = []
    for _ in range(repeat):
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        found.append(tuple(map(float, done.stdout.split()[:2])))
    return min(s for s, _ in found), min(m for _, m in found)


def _files(folder: Path) -> dict[str, Path]:
    """Write the tables: scores with three decimals, and ids as people number them."""
    import duckdb

    n = _ROWS // _SYSTEMS
    scores = np.random.default_rng(1).integers(0, 1001, (_SYSTEMS, n)) / 1000
    long, wide, lines = (folder / name for name in ("long.csv", "wide.csv", "lines.jsonl"))
    with long.open("w") as text:
        text.write("system,item,score\n")
        for k, row in enumerate(scores):
            text.writelines(f"system {k},item{i},{x}\n" for i, x in enumerate(row.tolist()))
    with wide.open("w") as text:
        text.write(f"item,{','.join(f'system {k}' for k in range(_SYSTEMS))}\n")
        for i, cells in enumerate(scores.T.tolist()):
            text.write(f"item{i},{','.join(map(str, cells))}\n")
    with lines.open("w") as text:
        for k, row in enumerate(scores[:2, : n // 2]):
            text.writelines(
                f'{{"system": "system {k}", "item": "item{i}", "score": {x}}}\n'
                for i, x in enumerate(row.tolist())
            )
    packed, shuffled = folder / "long.parquet", folder / "shuffled.parquet"
    table = duckdb.read_csv(str(long))
    table.write_parquet(str(packed))
    table.order("hash(system || item)").write_parquet(str(shuffled))
    return {
        f"long CSV, {_ROWS:,} rows": long,
        f"long Parquet, {_ROWS:,} rows": packed,
        f"long Parquet, {_ROWS:,} rows in any order": shuffled,
        f"wide CSV, {n:,} × {_SYSTEMS} systems": wide,
        f"JSONL, {n:,} rows": lines,
    }
