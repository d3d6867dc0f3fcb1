"""How CPU time and memory grow with systems, items, metrics and shuffles: measured exponents.

An exponent is the slope of logarithms over a few sizes, each run in an interpreter of its own, less
what the smallest of comparisons takes. Beside it stands what it may be.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from benchmarks.measure import heading

_CODE = """
import time, numpy, scipy.special
import tellapart as ta
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
rng = numpy.random.default_rng(0)
def counts(systems, items, metrics):
    ability, hard = numpy.linspace(1, -1, systems)[:, None, None], rng.normal(0, 1, (items, 1))
    right = rng.random((systems, items, metrics)) < 1 / (1 + numpy.exp(hard - ability))
    names = [f"m{{k}}" for k in range(metrics)]
    rows = {{f"s{{k}}": row for k, row in enumerate(right.astype(int))}}
    return ta.Counts.from_arrays(rows, names, form="items")
asked = dict(workers=1, intervals=False, test={test!r}, shuffles={shuffles!r})
ta.compare(counts(2, 10, 1), **asked)
table = counts({systems}, {items}, {metrics})
before, start = peak(), time.process_time()
ta.compare(table, **asked)
print(time.process_time() - start, (peak() - before) / 1024)
"""
_STANDARD = {"systems": 30, "items": 1_000, "metrics": 1, "shuffles": 9_999}
_LEAST = 5.0  # MB: what grows by less than that is not told


def run() -> None:
    heading("growth: exponents of CPU time and of peak memory, all pairs, by shuffles")
    slopes("systems", (60, 120, 240), "shuffle", time=2, memory=2)
    slopes("items", (20_000, 40_000, 80_000), "shuffle", time=1, memory=1)
    slopes("metrics", (2, 4, 8), "shuffle", time=1, memory=1)
    slopes("shuffles", (100_000, 200_000, 400_000), "shuffle", time=1, memory=0)
    heading("the same by auto")
    slopes("systems", (100, 200, 400), "auto", time=2, memory=2)
    slopes("items", (1_000, 2_000, 4_000), "auto", time=1, memory=1)


def slopes(what: str, sizes: tuple[int, ...], test: str, time: float, memory: float) -> None:
    """Print how time and memory grow with one size, the others being as usual."""
    found = [_measured(test, **{**_STANDARD, what: size}) for size in sizes]
    seconds, megabytes = zip(*found, strict=True)
    told = ", ".join(f"{size:,}: {s:.2f} s, {m:.0f} MB" for size, (s, m) in
                     zip(sizes, found, strict=True))  # fmt: skip
    print(f"  {what}: {told}")
    _verdict("CPU time", exponent(sizes, seconds), time)
    if max(megabytes) < _LEAST:
        print(f"    memory: below {_LEAST:g} MB")
    else:
        _verdict("memory", exponent(sizes, megabytes), memory)


def exponent(sizes: tuple[int, ...], figures: tuple[float, ...]) -> float:
    """Return the slope of a line through logarithms.

    >>> round(exponent((1, 2, 4), (3.0, 12.0, 48.0)), 6)
    2.0
    """
    least = [max(figure, 1e-3) for figure in figures]
    return float(np.polyfit(np.log(sizes), np.log(least), 1)[0])


def _verdict(what: str, found: float, most: float) -> None:
    kept = "kept" if found <= most + 0.15 else "MISSED"  # a tenth is noise
    print(f"    {what}: exponent {found:.2f}, at most {most:g}: {kept}")


def _measured(
    test: str, systems: int, items: int, metrics: int, shuffles: int
) -> tuple[float, float]:
    """Return CPU seconds and megabytes of one comparison in an interpreter of its own."""
    drawn = shuffles if test == "shuffle" else None
    code = _CODE.format(test=test, systems=systems, items=items, metrics=metrics, shuffles=drawn)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    seconds, megabytes = map(float, done.stdout.split())
    return seconds, megabytes
