"""Several runs of an item as one exact mean, over those that were scored."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tellapart.bundling import runs_told
from tellapart.fixed_point import LIMIT, Grid, put_on_grid
from tellapart.notices import Notice

_LARGEST_SCALE = 1 << 62


def averaged(runs: NDArray[np.float64], column: str) -> Grid:
    """Average systems × runs × units over the runs; NaN is a run that was not scored.

    Means are exact rationals where the integers allow it, also where the numbers of runs differ.
    A unit without any run is 0.

    >>> averaged(np.array([[[1.0, 0.5], [0.0, np.nan], [0.0, np.nan]]]), "f1")
    Grid(values=array([[10, 15]]), scale=30, exact=True)
    """
    scored = ~np.isnan(runs)
    filled = np.where(scored, runs, 0.0)
    units = runs.shape[2]
    grid = put_on_grid(list(filled.reshape(-1, units)), column)
    sums = grid.values.reshape(filled.shape).sum(axis=1)  # systems × units
    numbers = np.maximum(scored.sum(axis=1), 1)
    common = math.lcm(*np.unique(numbers).tolist())
    factors = common // numbers
    # In floats first: the product of integers could overflow.
    largest = float((np.abs(sums).astype(np.float64) * factors).sum(axis=1).max())
    if largest < LIMIT and grid.scale * common < _LARGEST_SCALE:
        return Grid(sums * factors, grid.scale * common, grid.exact)
    return put_on_grid(list(filled.sum(axis=1) / numbers), column)


def repeats_notice(
    values: NDArray[np.float64], columns: Sequence[str], systems: Sequence[str], kind: str
) -> Notice | None:
    """Tell how many runs were averaged, and how far the scores of single runs lie apart.

    `values` are columns × systems × runs × units. The spread is the standard deviation of the
    score over the runs, which no test on units sees.
    """
    numbers = (~np.isnan(values)).any(axis=0).sum(axis=1)  # systems × units: runs with a score
    if numbers.max() < 2:
        return None
    ranges = {
        name: (int(row[row > 0].min()), int(row.max()))
        for name, row in zip(systems, numbers, strict=True)
        if row.any()
    }
    spreads = []
    for name, column in zip(columns, values, strict=True):
        each = [
            f"{spread:.3f} for {system}"
            for system, runs in zip(systems, column, strict=True)
            if (spread := _spread(runs)) is not None
        ]
        by = f" by {name}" if len(columns) > 1 else ""
        if each:
            spreads.append(f"{', '.join(each)}{by}")
    apart = f"; run-to-run spread is {'; '.join(spreads)}" if spreads else ""
    return Notice("repeats", f"{runs_told(ranges, kind)}{apart}.", tuple(systems))


def _spread(runs: NDArray[np.float64]) -> float | None:
    """Return the standard deviation of the scores of runs (runs × units), if there are two."""
    scored = ~np.isnan(runs)
    numbers = scored.sum(axis=1)
    some = numbers > 0
    if some.sum() < 2:
        return None
    means = np.where(scored, runs, 0.0).sum(axis=1)[some] / numbers[some]
    return float(np.std(means, ddof=1))
