"""Where a monotone function crosses zero: the one search behind intervals, power and plans.

SciPy has better ones, but importing `scipy.optimize` takes longer than a whole comparison.
"""

from __future__ import annotations

from collections.abc import Callable


def crossing(function: Callable[[float], float], low: float, high: float, *, xtol: float) -> float:
    """Return where an increasing function turns from below 0 to 0 or above, to within `xtol`.

    False position (the Illinois rule) where that converges, halving where it does not, as at steps.
    An end is returned where the function does not cross zero between them.

    >>> round(crossing(lambda x: x**3 - 2, 0.0, 2.0, xtol=1e-9), 6)
    1.259921
    """
    at_low, at_high = function(low), function(high)
    if at_low >= 0:
        return low
    if at_high < 0:
        return high
    halve = False
    while high - low > xtol:
        width = high - low
        x = low + width * (0.5 if halve else min(max(at_low / (at_low - at_high), 0.01), 0.99))
        value = function(x)
        if value < 0:
            low, at_low, at_high = x, value, at_high / 2
        else:
            high, at_high, at_low = x, value, at_low / 2
        halve = high - low > 0.6 * width
    return high
