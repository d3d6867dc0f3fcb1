"""Student's t, central or not: tails and quantiles.

T is (Z + shift) / S, where Z is normal and S the root of a chi-square over its degrees of freedom;
so that its tail is a mean of normal tails over S. Taken over the logarithm of S, the integrand
falls off on both sides so fast that a plain sum over equal steps has all digits of a double.

SciPy has t as well, but takes as long to import as a small comparison takes to make.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_DEPTH = 42.0  # e to this power less than the peak, nothing is left that a double could show
_STEP, _LARGEST_STEP = 0.5, 0.1  # of widths of the peak, and of the logarithm
_CLOSE = 1e-15
_ITERATIONS = 50
_LEAST_CHANCE = 1e-290  # of less, quantiles are out of reach
_BEYOND = 1e150  # squares of more are too large for a double


def t_tail(t: float, df: float, shift: float = 0.0) -> float:
    """Return the chance that t is larger than so much; with a shift, that of the noncentral t.

    >>> round(t_tail(2.228, 10), 4), round(t_tail(2.228, 10, shift=3.0), 4)
    (0.025, 0.7714)
    """
    if abs(t) > _BEYOND:
        return 0.0 if t > 0 else 1.0
    if t < 0:  # where a sum over S would need many steps
        return 1.0 - _tail_and_density(-t, df, -shift)[0]
    return _tail_and_density(t, df, shift)[0]


@lru_cache(maxsize=256)
def t_quantile(share: float, df: float) -> float:
    """Return what t exceeds in all but a share of cases.

    >>> round(t_quantile(0.975, 10), 4), t_quantile(0.5, 3)
    (2.2281, 0.0)
    """
    if share < 0.5:
        return -_exceeded(share, df)
    return _exceeded(1 - share, df) if share > 0.5 else 0.0


def _exceeded(chance: float, df: float) -> float:
    """Return which t is exceeded with a chance below one half."""
    if chance < _LEAST_CHANCE:
        return math.inf
    t = -NormalDist().inv_cdf(chance)
    for _ in range(_ITERATIONS):
        tail, density = _tail_and_density(t, df, 0.0)
        # The logarithm of the tail is concave in that of t, so that this gets there from anywhere.
        move = math.log(tail / chance) * tail / (t * density)
        t *= math.exp(move)
        if abs(move) < _CLOSE:
            break
    return t


def _tail_and_density(t: float, df: float, shift: float) -> tuple[float, float]:
    """Return the chance beyond t, and the density at t."""
    peak = 1.0  # the S that adds most: the usual one, but in a tail a smaller one
    if t > max(shift, 0.0):
        both, square = shift * t, df + t * t
        peak = (both + math.sqrt(both * both + 4 * df * square)) / (2 * square)
    steepest = max(abs(t) * peak, abs(shift))  # of the normal tail, in the logarithm of S
    step = min(_STEP / math.hypot(math.sqrt(2 * df), steepest), _LARGEST_STEP)
    depth = _DEPTH / df
    left = math.sqrt(3 * depth) if 3 * depth < 1 else depth + 0.5
    centre, tail, density, whole = math.log(peak), 0.0, 0.0, 0.0
    for k in range(-math.ceil(left / step), math.ceil(math.sqrt(depth) / step) + 1):
        away = k * step
        whole += math.exp(df * (away - math.expm1(2 * away) / 2))
        at = centre + away
        weight, s = math.exp(df * (at - math.expm1(2 * at) / 2)), math.exp(at)
        z = t * s - shift
        tail += weight * math.erfc(z / math.sqrt(2))
        density += weight * s * math.exp(-z * z / 2)
    return tail / (2 * whole), density / (whole * math.sqrt(2 * math.pi))
