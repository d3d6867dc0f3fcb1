"""Real values as scaled integers, so that sums and ties are exact.

A value given as 0.7 is seven tenths: it becomes 7 with scale 10. Only where the decimals are too
long for the integers that the tests work with do values go on a binary grid instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError

# Sums of absolute scaled values stay below this, so that the sums of two systems, doubled, are
# still exact as float64.
LIMIT: Final = 1 << 51
_MOST_DECIMALS: Final = 18  # the last power of ten that fits an int64
_FINEST_EXPONENT: Final = 62  # the last power of two that fits an int64
_SMALLEST: Final = 1e-9  # that the largest value may be: scores within 1e-12 count as tied
_FEWEST_STEPS_APART: Final = 1 << 14  # of a grid, between the two systems that differ most
_SLACK: Final = 1 + 1e-9  # the float sum may be off in its last bits; that of integers is not
_SAMPLE: Final = 1000  # values that tell how many decimals to try first
_BLOCK: Final = 1 << 15  # values that stay in the cache
_NUMBER: Final = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Grid:
    """A column on its grid: real value = values / scale."""

    values: NDArray[np.int64]  # systems × items
    scale: int
    exact: bool  # False if values had to be rounded


def is_number(text: str) -> bool:
    """Return whether a text is a decimal number as people write them (no NaN, no underscores).

    >>> [is_number(text) for text in ("0.7", "-1e-3", "nan", "1_000", "")]
    [True, True, False, False, False]
    """
    return _NUMBER.fullmatch(text) is not None


def put_on_grid(rows: Sequence[NDArray[Any]] | NDArray[Any], column: str) -> Grid:
    """Return one column (a finite integer or float64 array per system) on a common grid.

    Below 2^51 scaled values lie further apart than floats do, so that at most one decimal of that
    length is read as a given float: dividing back decides whether there is one.

    >>> put_on_grid([np.array([0.7, 1.0]), np.array([0.25, 0.0])], "score")
    Grid(values=array([[ 70, 100],
           [ 25,   0]]), scale=100, exact=True)
    """
    if all(row.dtype.kind in "iu" for row in rows):
        if max(map(_size, rows)) >= LIMIT:
            raise too_large(column)
        return Grid(np.stack(list(rows)).astype(np.int64, copy=False), 1, True)
    reals = [row.astype(np.float64, copy=False) for row in rows]
    if 0 < max(float(np.abs(row).max(initial=0.0)) for row in reals) < _SMALLEST:
        raise DataError(f"column {column!r}: all values are below 1e-9; multiply them")
    total = max(float(np.abs(row).sum()) for row in reals)
    for decimals in range(_MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if total * scale > LIMIT * _SLACK:
            break
        parts = [row[:_SAMPLE] for row in reals], reals  # the first values tell, as a rule
        if all(_are_multiples(row, scale) for part in parts for row in part):
            values = np.empty((len(reals), len(reals[0])), np.int64)
            for own, row in zip(values, reals, strict=True):
                own[:] = np.rint(row * scale)
            if max(map(_size, values)) < LIMIT:
                return Grid(values, 10**decimals, True)
            break
    return _binary_grid(reals, column)


def _are_multiples(row: NDArray[np.float64], scale: float) -> bool:
    blocks = (row[start : start + _BLOCK] for start in range(0, len(row), _BLOCK))
    return all(bool((np.rint(some * scale) / scale == some).all()) for some in blocks)


def mean_of_runs(systems: Sequence[Sequence[Grid]], column: str) -> Grid:
    """Return the mean of the runs of each system, per item: exact if the integers allow it.

    Each system is a sequence of runs; a run is a grid of one row.

    >>> two, one = Grid(np.array([[7]]), 10, True), Grid(np.array([[1]]), 1, True)
    >>> mean_of_runs([[two, one], [one]], "score")
    Grid(values=array([[17],
           [20]]), scale=20, exact=True)
    """
    runs = [run for system in systems for run in system]
    exact = all(run.exact for run in runs)
    scale = math.lcm(*(run.scale for run in runs))
    common = math.lcm(*(len(system) for system in systems))
    # Runs, and what multiplies their integers to be on the one grid of scale scale × common.
    weighed = [
        [(run.values, scale // run.scale * (common // len(system))) for run in system]
        for system in systems
    ]
    largest = max(sum(_size(values) * by for values, by in own) for own in weighed)
    if largest < LIMIT and scale * common < 1 << _FINEST_EXPONENT:
        rows = [sum((values[0] * by for values, by in own), np.int64(0)) for own in weighed]
        return Grid(np.stack(rows).astype(np.int64, copy=False), scale * common, exact)
    # In the order of their sizes: sums of floats must not depend on that of the runs.
    means = [
        np.sort([run.values[0] / float(run.scale * len(system)) for run in system], axis=0).sum(0)
        for system in systems
    ]
    return _binary_grid(means, column)


def widen(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return short floats as float64 by their shortest decimal form: 0.7 stays 0.7.

    >>> widen(np.array([0.7, 1 / 3], dtype=np.float32)).tolist()
    [0.7, 0.33333334]
    """
    wide = values.astype(np.float64, copy=False)
    if values.dtype.itemsize >= 8:
        return wide
    result = wide.copy()
    rest = np.flatnonzero(np.isfinite(wide))
    for decimals in range(_MOST_DECIMALS + 1):
        nearest = np.rint(wide[rest] * 10.0**decimals) / 10.0**decimals
        hit = nearest.astype(values.dtype) == values[rest]
        result[rest[hit]] = nearest[hit]
        rest = rest[~hit]
        if rest.size == 0:
            break
    return result


def _binary_grid(rows: Sequence[NDArray[np.float64]], column: str) -> Grid:
    """Return values that are no short decimals, rounded onto the finest grid that there can be."""
    largest = max(float(np.abs(row).max(initial=0.0)) for row in rows)
    if not largest < 2.0 * LIMIT:  # of which even the sum may be more than a float holds
        raise too_large(column)
    total = max(math.fsum(np.abs(row)) for row in rows)  # whatever the order of the items
    if not total < 2.0 * LIMIT:
        raise too_large(column)
    # Tests are about differences: large values that differ by little would lose them in rounding.
    apart = float(np.ptp(np.stack(rows), axis=0).max(initial=0.0))
    for exponent in range(min(_FINEST_EXPONENT, 52 - int(np.frexp(total)[1])), -1, -1):
        values = np.stack([np.rint(row * 2.0**exponent).astype(np.int64) for row in rows])
        if max(map(_size, values)) >= LIMIT:
            continue
        if 0 < apart * 2.0**exponent < _FEWEST_STEPS_APART:
            raise DataError(
                f"column {column!r}: systems differ by {apart:.3g} at most, too little beside "
                "such values; subtract the same number from all"
            )
        return Grid(values, 1 << exponent, False)
    raise too_large(column)


def _size(row: NDArray[Any]) -> int:
    """Return the sum of absolute values: exact below 2^52, and at least 2^52 otherwise."""
    largest = max(int(row.max(initial=0)), -int(row.min(initial=0)))
    if largest >= 2 * LIMIT:
        return 2 * LIMIT
    if largest * len(row) >= 1 << 63 and float(np.abs(row.astype(np.float64)).sum()) >= 2.0 * LIMIT:
        return 2 * LIMIT
    return int(np.abs(row.astype(np.int64, copy=False)).sum())


def too_large(column: str) -> DataError:
    """Return the error of values whose sums are not exact."""
    return DataError(f"column {column!r}: the sum of the values is too large; divide them")
