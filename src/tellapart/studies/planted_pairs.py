"""Differences of a known size, planted into pairs that have none.

On some units, chosen at random, the better of the two outputs is given to the first pseudo-system.
The outputs stay what they were; a size is a multiple of the standard error of the difference.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tellapart.projection import Bound
from tellapart.significance.bootstrap import scores
from tellapart.studies.null_pairs import Pairs


def unit_effects(bound: Bound, pairs: Pairs) -> NDArray[np.float64]:
    """Return what each unit's outputs, as they are dealt, do to the difference: pairs × units.

    It is the difference between two systems that are alike but for this one unit; the standard
    error of the difference under random exchanges is the root of the sum of the squares.
    """
    middle = (pairs.first + pairs.second).sum(axis=2, keepdims=True) / 2
    apart = (pairs.first - pairs.second) / 2
    high, low = (np.moveaxis(sums, 0, -1) for sums in (middle + apart, middle - apart))
    return scores(bound, high) - scores(bound, low)


def plant(bound: Bound, pairs: Pairs, size: float) -> tuple[Pairs, bool]:
    """Make the first of each pair score higher by so many standard errors, on average.

    Also tells whether some pair cannot be made that different: even where the higher output of
    every unit goes to the first.
    """
    effects = unit_effects(bound, pairs)
    error = np.sqrt((effects**2).sum(axis=1))
    reach = np.abs(effects).sum(axis=1)
    share = np.divide(size * error, reach, out=np.zeros_like(reach), where=reach > 0)
    turned = (pairs.lean < share[:, None]) & (effects < 0)
    first = np.where(turned, pairs.second, pairs.first)
    second = np.where(turned, pairs.first, pairs.second)
    return replace(pairs, first=first, second=second), bool((share > 1).any())


def mean_difference(bound: Bound, pairs: Pairs) -> float:
    """Return the mean difference in score over pairs, first minus second."""
    first, second = (scores(bound, half.sum(axis=2).T) for half in (pairs.first, pairs.second))
    return float((first - second).mean())
