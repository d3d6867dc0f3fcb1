"""How the benchmarks measure and print."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context


def best(work: Callable[[], object], repeat: int = 5) -> float:
    """Return the best of some wall-clock times, in seconds: the least disturbed one."""
    times = []
    for _ in range(repeat):
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def best_cpu(work: Callable[[], object], repeat: int = 3) -> float:
    """Return the least CPU time of some runs, of all threads together, in seconds."""
    times = []
    for _ in range(repeat):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def two_workers(work: Callable[[int], object], repeat: int = 5) -> None:
    """Print the wall time of one worker and of two, taken in turns, and what the second gains.

    Beside it stands what two processes gain that share nothing but the machine.
    """
    one = two = apart = float("inf")
    for _ in range(repeat):
        one, two = min(one, best(lambda: work(1), 1)), min(two, best(lambda: work(2), 1))
        apart = min(apart, best(lambda: _two_processes(work), 1))
    line("one worker", one)
    line("two workers", two, one)
    line("two processes of one worker, each with all of the work", apart, one)
    print(f"  load of this machine: {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores")
    gain, possible = one / two, 2 * one / apart
    print(f"  gain of the second worker: {gain:.2f} times; of a second process: {possible:.2f}")
    goal("time of two workers, of that of one", two / one, 1 / 1.7)
    goal("the same, where one core is worth what a process gains", possible / gain, 2 / 1.7)


def _two_processes(work: Callable[[int], object]) -> None:
    both = [get_context("fork").Process(target=work, args=(1,)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()


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
    """Return the CPU time of a fresh interpreter that runs some code, start included: the best.

    As on the machines of users, only the first run compiles modules.
    """
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=variables)
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
