"""How the benchmarks measure and print."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import time
from collections.abc import Callable


def best(work: Callable[[], object], repeat: int = 5) -> float:
    """Return the best of some wall-clock times, in seconds: the least disturbed one."""
    times = []
    for _ in range(repeat):
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def heading(text: str) -> None:
    print(f"\n{text}")


def line(what: str, seconds: float, ours: float | None = None) -> None:
    """Print a time, and how many times ours it is."""
    ratio = "" if ours is None else f"   {seconds / ours:10.1f} × ours"
    print(f"  {what:<58}{seconds:10.4f} s{ratio}")


def goal(what: str, value: float, limit: float, item: str = "") -> None:
    """Print a figure beside the limit that it should keep."""
    verdict = "kept" if value <= limit else "MISSED"
    print(f"  goal: {what}: {value:.3g}{item}, at most {limit:.3g}{item}: {verdict}")


# VmHWM, not getrusage: the latter's peak starts from that of the process which started this one.
_MEMORY = """
import numpy, scipy.special, scipy.fft
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
before = peak()
{code}
print((peak() - before) / 1024)
"""


def cpu_seconds(code: str, repeat: int = 3) -> float:
    """Return the CPU time of a fresh interpreter that runs some code, start included: the best."""
    times = []
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def peak_megabytes(code: str) -> float:
    """Run code in a fresh interpreter and return how much its peak grew beyond the imports.

    Reads what Linux keeps about a process.
    """
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY.format(code=code)],
        capture_output=True,
        check=True,
        text=True,
    )
    return float(done.stdout.split()[-1])
