"""How CPU time and memory grow with systems, items, metrics and shuffles: measured exponents.

An exponent is the slope of logarithms over a few sizes, each run in an interpreter of its own, less
what the smallest of comparisons takes. Beside it stands what it may be: that of what there is to
do. Sizes are such that what grows is most of the time.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace

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
asked = dict(workers=1, intervals=False, test={test!r}, shuffles={drawn!r})
ta.compare(counts(2, 10, 1), **asked)
table = counts({systems}, {items}, {metrics})
before, start = peak(), time.process_time()
ta.compare(table, **asked)
print(time.process_time() - start, (peak() - before) / 1024)
"""
_LEAST = 5.0  # MB: what grows by less than that is not told
_NOISE = 0.15  # of an exponent
_RUNS = 3  # of each size, in turns, of which the best counts


@dataclass(frozen=True)
class Size:
    """A comparison of all pairs of systems, right or wrong."""

    systems: int = 30
    items: int = 1_000
    metrics: int = 1
    shuffles: int = 9_999


def run() -> None:
    heading("growth: exponents of CPU time and of peak memory, all pairs, by shuffles")
    # Pairs are the square of systems; so are what is told of them, and tests.
    slopes("shuffle", "systems", (60, 120, 240), Size(), time=2, memory=2)
    slopes("shuffle", "items", (50_000, 100_000, 200_000), Size(systems=10), time=1, memory=1)
    slopes("shuffle", "metrics", (4, 8, 16), Size(systems=60), time=1, memory=1)
    many = Size(systems=10, items=20_000)
    slopes("shuffle", "shuffles", (250_000, 500_000, 1_000_000), many, time=1, memory=0)
    heading("the same by auto, which is exact here")
    slopes("auto", "systems", (60, 120, 240), Size(), time=2, memory=2)
    slopes("auto", "items", (50_000, 100_000, 200_000), Size(systems=10), time=1, memory=1)
    slopes("auto", "metrics", (4, 8, 16), Size(systems=60), time=1, memory=1)


def slopes(
    test: str, what: str, sizes: tuple[int, ...], others: Size, time: float, memory: float
) -> None:
    """Print how time and memory grow with one size, the others being what they are."""
    turns = [
        [_measured(test, replace(others, **{what: size})) for size in sizes] for _ in range(_RUNS)
    ]
    seconds, megabytes = (tuple(each.tolist()) for each in np.min(turns, axis=0).T)
    told = ", ".join(f"{size:,}: {s:.2f} s, {m:.0f} MB" for size, (s, m) in
                     zip(sizes, zip(seconds, megabytes, strict=True), strict=True))  # fmt: skip
    print(f"  {what}: {told}")
    _verdict("CPU time", exponent(sizes, seconds), time)
    if max(megabytes) < _LEAST:
        print(f"    memory: below {_LEAST:g} MB: kept")
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
    kept = "kept" if found <= most + _NOISE else "MISSED"
    print(f"    {what}: exponent {found:.2f}, at most {most:g}: {kept}", flush=True)


def _measured(test: str, size: Size) -> tuple[float, float]:
    """Return CPU seconds and megabytes of one comparison in an interpreter of its own."""
    code = _CODE.format(
        test=test,
        systems=size.systems,
        items=size.items,
        metrics=size.metrics,
        drawn=size.shuffles if test == "shuffle" else None,
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    seconds, megabytes = map(float, done.stdout.split())
    return seconds, megabytes
