"""Levels of independent tests and of all of them together (Šidák), as the paper's tables have."""

from __future__ import annotations

import math


def experimentwise_error(level: float, k: int) -> float:
    """Return the chance of at least one false rejection in k independent tests at a level.

    >>> round(experimentwise_error(0.05, 105), 4)
    0.9954
    """
    return -math.expm1(k * math.log1p(-level))


def per_comparison_level(experimentwise: float, k: int) -> float:
    """Return the level of each of k independent tests for a wanted experimentwise error.

    >>> round(per_comparison_level(0.05, 5), 5)
    0.01021
    """
    return -math.expm1(math.log1p(-experimentwise) / k)
