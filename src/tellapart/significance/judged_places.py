"""What a judge likes beside the answer: the first place, or the longer text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.judgments import Judgments

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Liking:
    """How often something other than the system won, and whether that is chance."""

    rate: float
    """The share of judgments that it won, ties as half; 1/2 if the judge does not care"""
    p: float | None
    """Two-sided, by t over prompts; None where one prompt is all there is"""
    prompts: int


def liking_of_first_place(judgments: Judgments) -> Liking | None:
    """Return how often the first place won, whoever stood there; None where that cannot be told.

    A system's points in the first place are held against its points in the second, pair by pair, so
    that a better system that was shown first more often does not count for the place.

    >>> seen = Judgments(("A", "B"), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]),
    ...                  np.array([1, 0, 1, 0]), np.array([1.0, 1.0, 1.0, 0.5]), ordered=True)
    >>> liking_of_first_place(seen).rate
    0.875
    """
    if not judgments.ordered:
        return None
    size = len(judgments.names)
    a = np.minimum(judgments.first, judgments.second)
    b = np.maximum(judgments.first, judgments.second)
    is_first = judgments.first == a
    points = np.where(is_first, judgments.points, 1 - judgments.points)  # of a
    _, pair = np.unique(a * size + b, return_inverse=True)
    n_pairs = int(pair.max()) + 1 if len(pair) else 0
    counts = [np.bincount(pair[side], minlength=n_pairs) for side in (is_first, ~is_first)]
    comparable = (counts[0] > 0) & (counts[1] > 0)
    if not comparable.any():
        return None
    n1, n2 = (np.maximum(each, 1) for each in counts)
    m1 = np.bincount(pair[is_first], points[is_first], n_pairs) / n1
    m2 = np.bincount(pair[~is_first], points[~is_first], n_pairs) / n2
    weights = np.where(comparable, n1 * n2 / (n1 + n2), 0.0)
    weights /= weights.sum()
    lean = float((weights * (m1 - m2)).sum()) / 2
    parts = np.where(is_first, (points - m1[pair]) / n1[pair], -(points - m2[pair]) / n2[pair])
    moves: Array = np.bincount(judgments.items, weights[pair] * parts / 2).astype(np.float64)
    there = np.unique(judgments.items[comparable[pair]])
    return Liking(0.5 + lean, _p(lean, moves[there]), len(there))


def p_in_even_places(
    judgments: Judgments, units: NDArray[np.int64], pairs: Sequence[tuple[int, int]]
) -> list[float | None]:
    """Return the p of each pair with both places weighed alike; None where that cannot be told.

    By least squares, the points of a judgment are what the first system is worth less what the
    second is, and what the place adds: of two systems, that is the mean of the two orders. `units`
    are what is independent, such as prompts, by the judgment; p is two-sided, by t over them.
    Residuals are those of a fit without the judgment itself, as an order that is hardly there would
    otherwise seem to be known exactly.

    >>> seen = Judgments(("A", "B"), np.arange(6), np.array([0, 0, 0, 0, 1, 1]),
    ...                  np.array([1, 1, 1, 1, 0, 0]), np.array([1, 1, 1, 0, 1, 0.5]), True)
    >>> p_in_even_places(seen, seen.items, [(0, 1)])
    [1.0]
    """
    from scipy.special import stdtr

    size = len(judgments.names)
    first, second = judgments.first, judgments.second
    cells = (judgments.items * size + first) * size + second
    _, cell, times = np.unique(cells, return_inverse=True, return_counts=True)
    weights = 1 / times[cell]  # several judges of one prompt and order count as one
    sides = ((first, 1.0), (second, -1.0), (np.full(len(first), size), 1.0))
    crossed = [(i, j, s * t) for i, s in sides for j, t in sides]
    square, total = np.zeros((size + 1, size + 1)), np.zeros(size + 1)
    for i, j, sign in crossed:
        np.add.at(square, (i, j), sign * weights)
    for i, sign in sides:
        np.add.at(total, i, sign * weights * (judgments.points - 0.5))
    inverse = np.linalg.pinv(square, rcond=1e-10, hermitian=True)
    worth = inverse @ total
    fitted = worth[first] - worth[second] + worth[size]
    leverage = np.zeros(len(first))
    for i, j, sign in crossed:
        leverage += sign * weights * inverse[i, j]
    alone = leverage > 1 - 1e-9  # fitted whatever it is: taken to be as far off as points can be
    residuals = (judgments.points - 0.5 - fitted) / np.where(alone, 1, 1 - leverage)
    residuals = np.where(alone, 1, residuals)
    _, unit = np.unique(units, return_inverse=True)
    n = int(unit.max()) + 1
    moves = np.zeros((n, size + 1))
    for i, sign in sides:
        np.add.at(moves, (unit, i), sign * weights * residuals)
    spread = inverse @ (moves.T @ moves) @ inverse
    freedom = max(float(weights.sum()) - np.linalg.matrix_rank(square, hermitian=True), 1.0)
    usual = float((weights * (judgments.points - 0.5 - fitted) ** 2).sum()) / freedom
    told = square @ inverse
    found: list[float | None] = []
    for a, b in pairs:
        contrast = np.zeros(size + 1)
        contrast[[a, b]] = 1, -1
        if n < 2 or np.abs(told @ contrast - contrast).max() > 1e-6:  # the place, or the system
            found.append(None)
            continue
        lead = float(contrast @ worth)
        # A few judgments in one order may agree by chance: they vary as others do, or more.
        least = usual * float(contrast @ inverse @ contrast)
        error = math.sqrt(max(float(contrast @ spread @ contrast), least))
        if abs(lead) <= 1e-12:
            found.append(1.0)
        else:
            found.append(float(2 * stdtr(n - 1, -abs(lead) / error)) if error > 1e-12 else 0.0)
    return found


def liking_of_length(judgments: Judgments) -> Liking | None:
    """Return how often the longer of two outputs won; None where lengths are not known or alike."""
    if judgments.lengths is None:
        return None
    one, other = judgments.lengths.T
    known = ~(np.isnan(one) | np.isnan(other)) & (one != other)
    if not known.any():
        return None
    longer = np.where(one > other, judgments.points, 1 - judgments.points)[known]
    lean = float(longer.mean()) - 0.5
    items = judgments.items[known]
    moves: Array = np.bincount(items, longer - 0.5 - lean) / len(longer)
    there = np.unique(items)
    return Liking(0.5 + lean, _p(lean, moves[there]), len(there))


def _p(lean: float, moves: Array) -> float | None:
    """Return the two-sided p of a mean by what each prompt adds to it, by t."""
    n = len(moves)
    if n < 2:
        return None
    error = math.sqrt(float((moves**2).sum()) * n / (n - 1))
    if error <= 1e-12:
        return 1.0 if abs(lean) <= 1e-12 else None
    from scipy.special import stdtr

    return float(2 * stdtr(n - 1, -abs(lean) / error))
