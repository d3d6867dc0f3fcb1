"""What a comparison may be asked for."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tellapart.errors import UsageError
from tellapart.resampling.ratios import sign_of
from tellapart.significance.registry import CORRECTIONS, INTERVALS, JOINT, RANDOMIZATION, TESTS
from tellapart.words import nearest

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for; the names are those of the command line's options."""

    test: str = "auto"
    shuffles: int | None = None
    seed: int = 0
    alpha: float = 0.05
    tail: str = "two"
    correction: str = "holm"
    family: str = "metric"
    baseline: str | None = None
    min_confidence: float | None = None
    margin: float | None = None
    intervals: bool | str = True
    checks: bool = False
    batch: int | None = None
    force: bool = False

    @classmethod
    def of(cls, **given: Any) -> Options:
        """Make options of what was given, numbers of any kind turned into plain ones."""
        for name in ("shuffles", "seed", "batch"):
            if given[name] is not None or name == "seed":
                given[name] = _number(name, given[name], operator.index)
        for name in ("alpha", "margin", "min_confidence"):
            if given[name] is not None:
                given[name] = _number(name, given[name], float)
        options = cls(**given)
        options.check()
        return options

    def check(self) -> None:
        """Refuse what makes no sense, in one sentence."""
        _one_of("test", self.test, TESTS)
        _one_of("correction", self.correction, CORRECTIONS)
        _one_of("family", self.family, ("metric", "all"))
        sign_of(self.tail)
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha must lie between 0 and 1, not {self.alpha}")
        if self.shuffles is not None and self.shuffles < 1:
            raise UsageError(f"the number of shuffles must be at least 1, not {self.shuffles}")
        if self.seed < 0:
            raise UsageError(f"the seed must be 0 or more, not {self.seed}")
        if self.margin is not None and not (math.isfinite(self.margin) and self.margin > 0):
            raise UsageError(f"the margin must be above 0, not {self.margin}")
        if self.margin is not None and self.tail != "two":
            raise UsageError(
                f"a margin has one-sided tests of its own: drop --tail {self.tail}, or --margin"
            )
        if self.min_confidence is not None and not 0 < self.min_confidence <= 1:
            raise UsageError(f"the confidence must be in (0, 1], not {self.min_confidence}")
        if self.min_confidence is not None and self.test not in RANDOMIZATION:
            raise UsageError(
                "a confidence is about what the exact randomization test would say: use "
                f"--min-confidence with --test {', '.join(RANDOMIZATION)}, not {self.test}"
            )
        if self.correction in JOINT and self.test not in RANDOMIZATION:
            raise UsageError(
                f"--correction {self.correction} goes with exchanges of items: use it with --test "
                f"{', '.join(RANDOMIZATION)}, not {self.test}"
            )
        if self.correction == "tukey" and self.family == "all":
            raise UsageError("the randomized Tukey test is about one metric: drop --family all")
        if self.batch is not None and self.batch < 1:
            raise UsageError(f"the batch size must be at least 1, not {self.batch}")
        if isinstance(self.intervals, str):
            _one_of("interval method", self.intervals, INTERVALS)


def _number(name: str, value: Any, kind: Callable[[Any], _Number]) -> _Number:
    try:
        if isinstance(value, str):
            raise TypeError
        return kind(value)
    except (TypeError, ValueError):
        wanted = "whole number" if kind is operator.index else "number"
        raise UsageError(f"{name} must be a {wanted}, not {value!r}") from None


def _one_of(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"there is no {what} {value!r}; {nearest(value, known)}")
