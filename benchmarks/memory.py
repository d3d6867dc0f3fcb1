"""Peak memory beyond the interpreter and its libraries."""

from __future__ import annotations

from benchmarks.measure import goal, heading, peak_megabytes

_WORK = {
    "a million shuffles of F1, 2,000 items": """
from benchmarks.data import busy
import tellapart as ta
ta.compare(busy(), metrics="f1", test="shuffle", shuffles=1 << 20)
""",
    "exact, all pairs of the example": """
import tellapart as ta
ta.compare(ta.example("muc4"), metrics=["recall", "precision", "f1"], test="exact")
""",
    "exact F1, 20,000 items": """
from benchmarks.data import alike
import tellapart as ta
ta.compare(alike(20_000), metrics="f1", test="exact")
""",
    "all pairs, five metrics, 9,999 shuffles": """
import tellapart as ta
ta.compare(ta.example("muc4"), metrics=["recall", "precision", "f1", "f0.5", "f2"], test="shuffle")
""",
}


def run() -> None:
    heading("peak memory beyond the interpreter")
    for what, code in _WORK.items():
        goal(what, peak_megabytes(code), 300, " MB")
