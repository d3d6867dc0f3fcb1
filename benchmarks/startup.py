"""Start-up: CPU time of help and of a small comparison, beside an interpreter that does nothing."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from benchmarks.measure import cpu_seconds, goal, heading

_HELP = """
from tellapart.cli import main
main(["--help"])
"""
_SMALL = """
from tellapart.cli import main
main(["compare", {table!r}])
"""


def run() -> None:
    heading("start-up, CPU time of fresh processes")
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "small.csv"
        rows = [f"{k},{int(rng.random() < 0.7)},{int(rng.random() < 0.5)}" for k in range(60)]
        table.write_text("item,A,B\n" + "\n".join(rows) + "\n")
        work = {
            "python -c pass": "pass",
            "python -c 'import numpy'": "import numpy",
            "python -c 'import scipy.special'": "import scipy.special",
            "tellapart --help": _HELP,
            "tellapart compare small.csv": _SMALL.format(table=str(table)),
        }
        seconds = {what: cpu_seconds(code, repeat=7) for what, code in work.items()}
    for what, each in seconds.items():
        print(f"  {what:<58}{1000 * each:10.0f} ms")
    nothing, numpy = seconds["python -c pass"], seconds["python -c 'import numpy'"]
    goal("help, beyond an import of NumPy", 1000 * (seconds["tellapart --help"] - numpy), 0, " ms")
    small = seconds["tellapart compare small.csv"] - seconds["python -c 'import scipy.special'"]
    goal("a small comparison, beyond an import of scipy.special", 1000 * small, 500, " ms")
    goal("help, beyond the interpreter", 1000 * (seconds["tellapart --help"] - nothing), 150, " ms")
