"""Start-up: CPU time of help and of small comparisons, beside interpreters that do less."""

from __future__ import annotations

import math
import random
import tempfile
from pathlib import Path

from benchmarks.measure import cpu_seconds, goal, heading

_MAIN = """
from tellapart.cli import main
main({arguments!r})
"""
_ROUNDS = 7
_NOTHING, _NUMPY, _SCIPY = "pass", "import numpy", "import scipy.special"


def run() -> None:
    heading("start-up, CPU time of fresh processes")
    with tempfile.TemporaryDirectory() as place:
        compared = {f"tellapart compare {each.name}": each for each in _tables(Path(place))}
        work = {f"python -c '{code}'": code for code in (_NOTHING, _NUMPY, _SCIPY)}
        work["tellapart --help"] = _MAIN.format(arguments=["--help"])
        work["tellapart compare --help"] = _MAIN.format(arguments=["compare", "--help"])
        for what, table in compared.items():
            work[what] = _MAIN.format(arguments=["compare", str(table)])
        seconds = dict.fromkeys(work, math.inf)
        for _ in range(_ROUNDS):  # in turns, so that what disturbs one disturbs all
            for what, code in work.items():
                seconds[what] = min(seconds[what], cpu_seconds(code, repeat=1))
    for what, each in seconds.items():
        print(f"  {what:<58}{1000 * each:10.0f} ms")
    nothing, numpy = (seconds[f"python -c '{code}'"] for code in (_NOTHING, _NUMPY))
    goal("help, beyond the interpreter", 1000 * (seconds["tellapart --help"] - nothing), 150, " ms")
    goal("help, beyond an import of NumPy", 1000 * (seconds["tellapart --help"] - numpy), 0, " ms")
    help_of_verb = seconds["tellapart compare --help"]
    goal("help of a verb, beyond the interpreter", 1000 * (help_of_verb - nothing), 200, " ms")
    slowest = max(seconds[what] for what in compared)
    goal("a small comparison, beyond an import of NumPy", 1000 * (slowest - numpy), 350, " ms")


def _tables(place: Path) -> list[Path]:
    """Write small tables of the common kinds: right or wrong answers, scores, counts."""
    rng = random.Random(0)
    rows: dict[str, list[list[object]]] = {
        "answers": [["item", "A", "B"]],
        "scores": [["item", "A", "B"]],
        "three": [["item", "A", "B", "C"]],
        "counts": [["system", "item", "tp", "fp", "fn"]],
    }
    for k in range(100):
        rows["answers"].append([k, *(int(rng.random() < rate) for rate in (0.7, 0.5))])
        rows["scores"].append([k, *(round(rng.random(), 3) for _ in "AB")])
        rows["three"].append([k, *(rng.random() for _ in "ABC")])
        rows["counts"] += [[name, k, *(rng.randint(0, 4) for _ in range(3))] for name in "AB"]
    for name, each in rows.items():
        lines = (",".join(map(str, row)) for row in each)
        (place / f"{name}.csv").write_text("\n".join([*lines, ""]))
    return [place / f"{name}.csv" for name in rows]
