"""What other libraries do to read a table as an array of systems × items.

Each reads the table, matches rows by item and leaves one array of float64; ours is `Counts`, which
holds integers. One process for each, so that CPU time and memory are of this alone.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np


def tellapart(path: Path) -> Any:
    import tellapart as ta

    return ta.read(path).values


def duckdb(path: Path) -> Any:
    import duckdb as library

    duckdb: Any = library

    table = {".csv": "read_csv", ".jsonl": "read_json", ".parquet": "read_parquet"}[path.suffix]
    source = f"{table}('{path}')"
    if path.stem.startswith("wide"):
        columns = duckdb.sql(f"from {source}").fetchnumpy()
        return np.stack([columns[name] for name in columns if name != "item"])
    names = [name for (name,) in duckdb.sql(f"select distinct system from {source}").fetchall()]
    values = ", ".join(f"max(score) filter (system = '{name}')" for name in sorted(names))
    columns = duckdb.sql(f"select {values} from {source} group by item").fetchnumpy()
    return np.stack(list(columns.values()))


def polars(path: Path) -> Any:
    import polars as pl

    read: Any = {".csv": pl.read_csv, ".jsonl": pl.read_ndjson, ".parquet": pl.read_parquet}
    table = read[path.suffix](path)
    if not path.stem.startswith("wide"):
        table = table.pivot(on="system", index="item", values="score")
    return np.stack([table[name].to_numpy() for name in table.columns if name != "item"])


def main() -> None:
    """Read, and print seconds of CPU, the peak of memory in MB, the shape and the sum."""
    library, path = sys.argv[1], Path(sys.argv[2])
    found = globals()[library](path)
    spent = resource.getrusage(resource.RUSAGE_SELF)
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print(spent.ru_utime + spent.ru_stime, peak / 1024, *found.shape[:2])


if __name__ == "__main__":
    main()
