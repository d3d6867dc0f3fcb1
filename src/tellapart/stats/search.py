"""Where a monotone function crosses zero: the searches behind intervals, power and plans.

SciPy has them, too, but importing `scipy.optimize` takes longer than a whole comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tellapart.stats.result import Flags, Ints


def crossing(function: Callable[[float], float], low: float, high: float, *, xtol: float) -> float:
    """Return where an increasing function turns from below 0 to 0 or above, to within `xtol`.

    By inverse quadratic interpolation where three values allow it, else by halves (Chandrupatla
    1997). An end is returned where the function does not cross zero between them.

    >>> round(crossing(lambda x: x**3 - 2, 0.0, 2.0, xtol=1e-9), 6)
    1.259921
    """
    a, b, at_a, at_b = low, high, function(low), function(high)
    if at_a >= 0:
        return low
    if at_b < 0:
        return high
    xtol = max(xtol, 4 * math.ulp(max(abs(low), abs(high))))  # no closer than numbers lie
    share = 0.5
    while abs(b - a) > xtol:
        share = min(max(share, 0.5 * xtol / abs(b - a)), 1 - 0.5 * xtol / abs(b - a))
        x = a + share * (b - a)
        value = function(x)
        if (value < 0) == (at_a < 0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, value  # the newest; b lies on the other side of 0, and c on the same as a
        place, height = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        share = 0.5
        if height**2 < place and (1 - height) ** 2 < 1 - place:
            share = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            share += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
    return max(a, b)


def least_wins(reaches: Callable[[Ints, Ints], Flags], losses: Ints, most: Ints) -> Ints:
    """Return, for each number of losses, the least wins with which a result reaches its limit.

    `reaches` grows with the wins; where not even the `most` wins reach it, they are one more.
    """
    low, high = np.zeros_like(losses), most + 1
    while (low < high).any():
        middle = (low + high) // 2
        reached = reaches(middle, losses)
        low, high = (
            np.where(reached, low, np.minimum(middle + 1, high)),
            np.where(reached, middle, high),
        )
    return low
