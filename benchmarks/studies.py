"""Reproduced studies from start to last line, beside the exact tests that the first is made of."""

from __future__ import annotations

import subprocess
import sys

import tellapart as ta
from benchmarks.measure import best, goal, heading, line

_LIMITS = {"muc3": 20, "muc4": 20, "yeh": 60, "riezler": 60, "nuggets": 60}


def run() -> None:
    heading("published studies, each as a command of its own")
    exact = best(_exact_tests, 1)
    line("680 exact tests of MUC-4 alone (five metrics)", exact)
    for study, limit in _LIMITS.items():
        seconds = _command(study)
        line(f"python -m studies {study}", seconds)
        print(f"  {seconds / exact:.1f} × the exact tests alone")
        goal("time", seconds, limit, " s")


def _exact_tests() -> ta.Result:
    metrics = ["recall", "precision", "f1", "f0.5", "f2"]
    return ta.compare(ta.example("muc4"), metrics=metrics, test="exact", intervals=False)


def _command(study: str) -> float:
    words = [sys.executable, "-m", "studies", study]
    return best(lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL), 1)
