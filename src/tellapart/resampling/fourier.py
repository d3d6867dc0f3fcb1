"""The exact null distribution by its characteristic function, for lattices too large to walk.

Each item adds its shift or nothing, so that the characteristic function of the sums about their
centre is a product of cosines, and items with equal shifts are powers of one cosine. The inverse
Fourier transform on a grid wider than the sums are likely to reach gives the weights.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MAX_CELLS = 1 << 22
"""Grid cells: a few hundred bytes of working memory for every ten of them."""

WRAPPED = 1e-16
"""The probability that may fall outside the grid and be wrapped around it."""

ERROR = 1e-12
"""A bound for the wrapped probability and the rounding of the transform together."""

_UPDATES_PER_COSINE = 16  # one cosine of one cell takes as long as so many cell updates


def fourier_mass(
    shifts: NDArray[np.int64], hi: NDArray[np.int64], hi_y0: int
) -> tuple[float, float] | None:
    """Return the probability at or above the thresholds, and a bound for its error.

    `shifts` is (dx, dy) × items; row y counts from x = hi[y - hi_y0] on. None if the grid would be
    too large.
    """
    size = grid(shifts)
    if size is None:
        return None
    (low_x, n_x), (low_y, n_y) = size
    weights = np.roll(_weights(shifts, n_x, n_y), (-low_y % n_y, -low_x % n_x), axis=(0, 1))
    # Row k of `weights` is now y = low_y + k, column k is x = low_x + k.
    rows = np.arange(low_y, low_y + n_y)
    inside = (rows >= hi_y0) & (rows < hi_y0 + len(hi))
    first = np.full(n_y, n_x)
    first[inside] = (hi[rows[inside] - hi_y0] - low_x).clip(0, n_x)
    mass = math.fsum(
        math.fsum(row[start:]) for row, start in zip(weights, first.tolist(), strict=True)
    )
    return max(mass, 0.0), ERROR


def grid(shifts: NDArray[np.int64]) -> list[tuple[int, int]] | None:
    """Return lowest sum and number of sums on the grid, for x and for y; None if it is too large.

    A sum falls further than t from its centre with probability at most 2 exp(-2 t² / squares).
    """
    sides = []
    for row in shifts:
        low, high = int(np.minimum(row, 0).sum()), int(np.maximum(row, 0).sum())
        squares = float((row.astype(np.float64) ** 2).sum())
        reach = math.sqrt(squares * math.log(4 / WRAPPED) / 2)
        centre = (low + high) / 2
        low, high = max(low, math.floor(centre - reach)), min(high, math.ceil(centre + reach))
        # irfft2 wants an even number of columns
        sides.append((low, 2 * fast_length((high - low + 2) // 2)))
    return sides if sides[0][1] * sides[1][1] <= MAX_CELLS else None


def fast_length(least: int) -> int:
    """Return the next length whose transform is quick: it has no factors but 2, 3 and 5.

    >>> fast_length(7), fast_length(241)
    (8, 243)
    """
    best = 1 << (least - 1).bit_length()
    fives = 1
    while fives < best:
        odd = fives
        while odd < best:
            best = min(best, odd << (-(-least // odd) - 1).bit_length())
            odd *= 3
        fives *= 5
    return best


def fourier_updates(shifts: NDArray[np.int64]) -> float:
    """Return the work of the transform in updates of a lattice cell; infinite if out of reach."""
    sides = grid(shifts)
    if sides is None:
        return math.inf
    kinds = np.unique(shifts, axis=1).shape[1]
    return float(_UPDATES_PER_COSINE * (kinds + 8) * sides[0][1] * sides[1][1])


def _weights(shifts: NDArray[np.int64], n_x: int, n_y: int) -> NDArray[np.float64]:
    """Return the weights of all sums modulo the grid, y × x."""
    from scipy.fft import irfft2

    distinct, times = np.unique(shifts, axis=1, return_counts=True)
    t = 2 * np.pi * np.arange(n_x // 2 + 1) / n_x
    v = 2 * np.pi * np.arange(n_y) / n_y
    log_size = np.zeros((n_y, len(t)))
    negative = np.zeros((n_y, len(t)), np.bool_)
    with np.errstate(divide="ignore"):
        for (x, y), n in zip(distinct.T.tolist(), times.tolist(), strict=True):
            sin_x, cos_x = np.sin(x * t / 2), np.cos(x * t / 2)
            sin_y, cos_y = np.sin(y * v / 2), np.cos(y * v / 2)
            if n % 2:  # the sign of cos((x t + y v) / 2), by the addition theorem
                negative ^= np.outer(cos_y, cos_x) < np.outer(sin_y, sin_x)
            sine = np.outer(sin_y, cos_x)
            sine += np.outer(cos_y, sin_x)
            # Not log(cos): where the cosine is near 1, n times its rounding error would count.
            np.square(sine, out=sine)
            log_size += (n / 2) * np.log1p(-np.minimum(sine, 1.0, out=sine))
    size = np.where(negative, -np.exp(log_size), np.exp(log_size))
    centre_x, centre_y = shifts.sum(axis=1) / 2
    phase = np.exp(-1j * centre_y * v)[:, None] * np.exp(-1j * centre_x * t)[None, :]
    return np.asarray(irfft2(size * phase, s=(n_y, n_x)))
