"""What a test of one pair under one metric gives, whichever test it was."""

from __future__ import annotations

from dataclasses import dataclass


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
