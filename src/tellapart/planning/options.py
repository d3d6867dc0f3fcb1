"""The numbers that planning, calibration and convergence take, for the command line and Python.

The bounds are where answers stop to be right, to be of use, or to come within a day.
"""

from __future__ import annotations

from typing import Final

from tellapart.errors import UsageError
from tellapart.limits import SHARE, Number

_SLOW: Final = "that many would take days"

ITEMS: Final = Number(whole=True, least=1, most=10**9)
DIFFERENCE: Final = Number(above=0, least=1e-9, most=1e9)
POWER: Final = Number(between=(0, 1), most=1 - 1e-6)
PLANNED_PAIRS: Final = Number(whole=True, least=1, most=10**6)
CLUSTER_SIZE: Final = Number(whole=True, least=1, most=10**6)
SIMULATED_SETS: Final = Number(whole=True, least=0, most=10**6, why=_SLOW)
GOLD_PER_ITEM: Final = Number(above=0, least=1e-6, most=10**4)
CORRELATION: Final = Number(least=-1, most=1)
SCORE = AGREEMENT = ICC = SHARE

NULL_PAIRS: Final = Number(whole=True, least=1, most=10**6, why=_SLOW)
RESAMPLES: Final = Number(whole=True, least=99, most=10**7, why=_SLOW)
MOST_DRAWS: Final = 10**11
"""Shuffles or resamples of all pairs of a calibration"""


def check_draws(pairs: int, draws: int) -> None:
    """Refuse shuffles of so many pairs that they would take days.

    >>> check_draws(2_000, 9_999)
    """
    if pairs * draws > MOST_DRAWS:
        raise UsageError(
            f"{draws:,} shuffles of each of {pairs:,} pairs would take days: make at most "
            f"{MOST_DRAWS // pairs:,} of so many pairs"
        )
