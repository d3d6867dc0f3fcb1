"""Exact sums over items, which do not depend on how the items are cut into parts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LIMB = 17  # bits: products of two, summed over a quarter of a million items, are exact in doubles
_CHUNK = 1 << 18
_MANTISSA = 53
_HALF = 26  # bits of the lower half of a mantissa, whose sums over a chunk are exact in doubles

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def sums_of_products(rows: Ints) -> NDArray[Any]:
    """Return the sums of products of all pairs of rows, as integers of any size.

    Numbers are cut into limbs that are small enough for a matrix product of doubles.

    >>> sums_of_products(np.array([[1 << 40, 3], [-5, 1]])).tolist()
    [[1208925819614629174706185, -5497558138877], [-5497558138877, 26]]
    """
    largest = int(np.abs(rows).max(initial=0))
    limbs = max(1, -(-largest.bit_length() // _LIMB))
    found = np.zeros((len(rows), len(rows)), object)
    for start in range(0, rows.shape[1], _CHUNK):
        rest, cut = rows[:, start : start + _CHUNK], []
        for _ in range(limbs - 1):
            cut.append((rest & ((1 << _LIMB) - 1)).astype(np.float64))
            rest = rest >> _LIMB
        cut.append(rest.astype(np.float64))
        for i, one in enumerate(cut):
            for k, other in enumerate(cut):
                exact = (one @ other.T).astype(np.int64).astype(object)
                found += exact * (1 << (_LIMB * (i + k)))
    return found


def sum_of_cubes(row: Ints) -> int:
    """Return the sum of cubes.

    >>> sum_of_cubes(np.array([1 << 40, -2, 3])) == (1 << 120) - 8 + 27
    True
    """
    largest = int(np.abs(row).max(initial=0))
    chunk = (1 << 62) // max(1, largest**3)
    if chunk < 256:
        return int(sum(each**3 for each in row.tolist()))
    starts = np.arange(0, len(row), chunk) if len(row) else np.zeros(0, np.int64)
    return sum(np.add.reduceat(row**3, starts).tolist()) if len(row) else 0


def sum_of_floats(values: Floats) -> Fraction:
    """Return the sum of finite floats, without any rounding.

    >>> sum_of_floats(np.array([1e100, 1.0, -1e100, 2.0**-60])) == 1 + Fraction(1, 1 << 60)
    True
    """
    total = Fraction(0)
    for start in range(0, len(values), _CHUNK):
        fractions, exponents = np.frexp(values[start : start + _CHUNK])
        whole = np.ldexp(fractions, _MANTISSA).astype(np.int64)
        least = int(exponents.min())
        high, low = (
            np.bincount(exponents - least, weights=half.astype(np.float64)).tolist()
            for half in (whole >> _HALF, whole & ((1 << _HALF) - 1))
        )
        mantissas = (
            ((int(top) << _HALF) + int(rest)) << k
            for k, (top, rest) in enumerate(zip(high, low, strict=True))
        )
        total += sum(mantissas) * Fraction(2) ** (least - _MANTISSA)
    return total
