"""Whether verdicts keep their promises, by simulation: `python -m benchmarks validity`.

A setting makes data of which the truth is known, asks tellapart, and counts how often the answer
was wrong (or an interval right). Each section of settings is a module with a tuple `SETTINGS`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from os import cpu_count

SECTIONS: tuple[str, ...] = (
    "anytime",
    "best",
    "intervals",
    "judges",
    "margins",
    "nulls",
    "people",
    "power",
    "preferences",
    "ratios",
    "runs",
    "tukey",
    "words",
    "calibrate",
)
SEED = 20260729


@dataclass(frozen=True, slots=True)
class Setting:
    """One row: how data are made, and the rates between which the measured one has to lie.

    `measure` takes a number of data sets and a seed, and returns the share of sets that count. It
    is a function of a module, or a `partial` of one, since worker processes get it pickled.
    """

    name: str
    measure: Callable[[int, int], float]
    most: float = 1.0
    least: float = 0.0
    sets: int = 2000
    small: int = 0
    """How many sets `make test` draws; 0 where it leaves the row to the benchmark"""

    @property
    def promised(self) -> str:
        """The bound in words."""
        if self.least == 0:
            return f"at most {self.most:g}"
        return f"at least {self.least:g}" if self.most >= 1 else f"{self.least:g} to {self.most:g}"


@dataclass(frozen=True, slots=True)
class Measured:
    """The rate that a setting was found to have, with the simulation's own standard error."""

    setting: Setting
    rate: float
    sets: int

    @property
    def error(self) -> float:
        """The standard error of the rate, not 0 where none or all sets counted."""
        return math.sqrt(max(self.rate * (1 - self.rate), 1 / self.sets) / self.sets)

    def kept(self, errors: float = 2) -> bool:
        """Return whether the rate passes its bound by no more than so many standard errors."""
        slack = errors * self.error
        return self.setting.least - slack <= self.rate <= self.setting.most + slack


def measured(setting: Setting, sets: int) -> Measured:
    """Return what a setting gives; the seed is the same wherever and in whatever order it runs."""
    return Measured(setting, float(setting.measure(sets, SEED)), sets)


def settings(section: str) -> tuple[Setting, ...]:
    """Return the rows of one section."""
    found: tuple[Setting, ...] = import_module(f"benchmarks.validity.{section}").SETTINGS
    return found


def run(sections: Sequence[str] = SECTIONS) -> None:
    """Print the table: setting, promised, measured, the simulation's error, kept or not."""
    start, missed, rows = time.perf_counter(), 0, 0
    print(f"{'setting':<74} {'promised':>13} {'measured':>9} {'±':>6}")
    with ProcessPoolExecutor(cpu_count()) as pool:
        for section in sections:
            print(f"\n{section}")
            for each in pool.map(_whole, settings(section)):
                rows, missed = rows + 1, missed + (not each.kept())
                verdict = "" if each.kept() else "   MISSED"
                print(
                    f"  {each.setting.name:<72} {each.setting.promised:>13} {each.rate:9.4f} "
                    f"{each.error:6.4f}{verdict}",
                    flush=True,
                )
    kept = f"{rows - missed} of {rows} promises kept"
    print(f"\n{kept}, {time.perf_counter() - start:.0f} s")


def _whole(setting: Setting) -> Measured:
    return measured(setting, setting.sets)
