"""What a judge of two outputs likes beside the answer: the first place, or the longer text."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats.result import Flags, Floats, Ints, sample, t_p

_NOTHING = 1e-12  # below which a mean, or its error, is there by rounding alone


@dataclass(frozen=True, slots=True)
class Bias:
    """How often something other than the system won, and whether that is chance."""

    rate: float
    """The share of judgments that it won, ties as half; 1/2 if the judge does not care"""
    p: float | None
    """Two-sided, by t over units; None where one unit is all there is"""
    n: int
    """Units, such as prompts, that tell"""


def position_bias(
    units: ArrayLike, first: ArrayLike, second: ArrayLike, points: ArrayLike
) -> Bias | None:
    """Return how often the first place won, whoever stood there; None where no pair tells.

    A system's points in the first place are held against its points in the second, pair by pair, so
    that a better system that was shown first more often does not count for the place.

    Args:
        units: what is independent, such as the prompt, of each judgment.
        first: the system in the first place.
        second: the one in the second place.
        points: of the first: 1 if it was preferred, 1/2 for a tie, 0 if the second was.

    >>> position_bias([0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 0], [1, 1, 1, 0.5]).rate
    0.875

    """
    prompts, one, two, won = _judgments(units, first, second, points)
    a, b = np.minimum(one, two), np.maximum(one, two)
    a_first = one == a
    of_a = np.where(a_first, won, 1 - won)
    pair = np.unique(np.stack([a, b]), axis=1, return_inverse=True)[1].reshape(-1)
    # pairs × orders: how often each was shown, and a's mean points there
    cell = 2 * pair + ~a_first
    n_cells = 2 * (int(pair.max(initial=-1)) + 1)
    times = np.bincount(cell, minlength=n_cells)
    means = (np.bincount(cell, of_a, n_cells) / np.maximum(times, 1)).reshape(-1, 2)
    shown = times.reshape(-1, 2)
    weights = shown.prod(axis=1) / np.maximum(shown.sum(axis=1), 1)
    if not weights.any():
        return None
    weights = weights / weights.sum()
    excess = float(weights @ (means[:, 0] - means[:, 1])) / 2
    residuals = np.where(a_first, 1, -1) * (of_a - means.reshape(-1)[cell]) / times[cell]
    return _bias(excess, prompts, weights[pair] * residuals / 2, weights[pair] > 0)


def length_bias(units: ArrayLike, points: ArrayLike, lengths: ArrayLike) -> Bias | None:
    """Return how often the longer of two outputs won; None where none is known to be longer.

    Args:
        units: what is independent, such as the prompt, of each judgment.
        points: of the first: 1 if it was preferred, 1/2 for a tie, 0 if the second was.
        lengths: judgments × 2: those of the two outputs, NaN where they are not known.

    >>> length_bias([0, 1, 2], [1, 0, 1], [[9, 5], [4, 8], [3, 6]]).rate
    0.6666666666666666

    """
    prompts, won = np.asarray(units, np.int64), sample(points, "points").astype(np.float64)
    one, two = np.asarray(lengths, np.float64).reshape(-1, 2).T
    if not len(prompts) == len(won) == len(one):
        raise UsageError("units, points and lengths must have an entry for each judgment")
    known = (one < two) | (one > two)  # neither is so where one is not a number
    if not known.any():
        return None
    longer = np.where(one > two, won, 1 - won) - 0.5
    excess = float(longer[known].mean())
    moves = np.where(known, longer - excess, 0.0) / np.count_nonzero(known)
    return _bias(excess, prompts, moves, known)


def _judgments(
    units: ArrayLike, first: ArrayLike, second: ArrayLike, points: ArrayLike
) -> tuple[Ints, Ints, Ints, Floats]:
    prompts, one, two = (np.asarray(values, np.int64) for values in (units, first, second))
    won = sample(points, "points").astype(np.float64)
    if not len(prompts) == len(one) == len(two) == len(won):
        raise UsageError("units, first, second and points must have an entry for each judgment")
    return prompts, one, two, won


def _bias(excess: float, units: Ints, moves: Floats, tells: Flags) -> Bias:
    """Return the bias by what each judgment adds to the error of its excess over 1/2, by t."""
    unit = np.unique(units[tells], return_inverse=True)[1].reshape(-1)
    sums = np.bincount(unit, moves[tells])
    n, p = len(sums), None
    error = math.sqrt(float(sums @ sums) * n / (n - 1)) if n > 1 else 0.0
    if error > _NOTHING:
        p = t_p(excess / error, n - 1)
    elif n > 1 and abs(excess) <= _NOTHING:
        p = 1.0
    return Bias(0.5 + excess, p, n)
