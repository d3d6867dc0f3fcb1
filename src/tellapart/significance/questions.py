"""One test to make and its outcome: two systems under one metric, whichever the test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tellapart.metrics.projection import Bound
from tellapart.significance.varying_runs import RunNoise


@dataclass(frozen=True, slots=True)
class Question:
    """One test to make: a metric, two systems, and the tail in terms of first minus second."""

    bound: Bound
    a: int
    b: int
    tail: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A p-value and how it came about."""

    p: float | None
    """None where the test is undefined; the note says why."""
    method: str
    """``exact``, ``enumeration``, ``shuffles``, ``sequential`` or the test's name"""
    how: str | None = None
    shuffles: int | None = None
    exceedances: int | None = None
    arrangements: int | None = None
    error: float = 0.0
    exact: bool = False
    settled: bool | None = None
    statistic: float | None = None
    df: float | None = None
    n: int | None = None
    assumption: str | None = None
    note: str | None = None
    wins: float | None = None
    direction: int | None = None
    """Which way the test leans (1: first minus second is up), where the score does not tell"""
    noise: RunNoise | None = None
    """What the difference varies by, where items and runs both could be others"""
    p_these_runs: float | None = None
    """The p of these very runs, beside the one of runs that could be others"""


def flipped(tail: str) -> str:
    """Return the tail with greater and less exchanged, as where lower is better."""
    return {"greater": "less", "less": "greater"}.get(tail, tail)


def smallest_p(discordant: int, tail: str) -> float:
    """Return the smallest p that any outcome on so many discordant items could have.

    >>> smallest_p(5, "two")
    0.0625
    """
    return (
        math.ldexp(1.0, max((1 if tail == "two" else 0) - discordant, -1074)) if discordant else 1.0
    )


def tie_tolerance(*scores: float) -> float:
    """Return how far below the threshold a difference of floats still counts as tied."""
    return max(1e-12, 64 * float(np.finfo(float).eps) * max(abs(score) for score in scores))
