"""Wide Parquet that need not fit in memory, beside one query of DuckDB over the same files.

`python -m benchmarks.large 1e8` says how many rows; the default is ten million.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.measure import cpu_seconds, goal, heading, line, peak_megabytes

_MAKE = """
import duckdb
duckdb.connect().execute(
    "copy (select i as item, (hash(i) % 100 < 60)::int as alder, "
    "(hash(i * 3 + 1) % 100 < 61)::int as birch from range({rows}) t(i)) "
    "to '{folder}' (format parquet, per_thread_output true, overwrite_or_ignore true)"
)
"""
_QUERY = """
import duckdb
duckdb.connect().execute(
    "select count(*), sum(alder), sum(birch), sum(alder * alder), sum(birch * birch), "
    "sum(alder * birch) from read_parquet('{folder}/*.parquet')"
).fetchall()
"""
_COMPARE = """
from tellapart.cli import main
main(["compare", {folder!r}])
"""


def run(rows: int = 10_000_000) -> None:
    heading(f"{rows:,} rows × 2 systems, wide Parquet, CPU time of whole processes")
    with tempfile.TemporaryDirectory() as place:
        folder = str(Path(place) / "answers")
        Path(folder).mkdir()
        cpu_seconds(_MAKE.format(rows=rows, folder=folder), 1)
        query = cpu_seconds(_QUERY.format(folder=folder), 2)
        code = _COMPARE.format(folder=folder)
        mine = cpu_seconds(code, 2)
        line("tellapart compare", mine)
        print(
            f"  DuckDB: count, sums, squares and product{query:28.2f} s   {query / mine:.2f} × ours"
        )
        goal("times the query", mine / query, 4)
        goal("peak memory beyond the imports", peak_megabytes(code), 1_000, " MB")


if __name__ == "__main__":
    run(int(float(sys.argv[1]))) if len(sys.argv) > 1 else run()
