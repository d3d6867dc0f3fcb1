"""Several runs of one system, averaged unit by unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.fixed_point import Grid, mean_of_runs, spread_of_runs
from tellapart.notices import Notice
from tellapart.words import plural


def bundle(runs: Mapping[str, Sequence[Counts]]) -> Counts:
    """Average several runs of each system unit by unit, so that a unit's runs stay together.

    Each run is the counts of one system. Means are exact, also where the numbers of runs differ:
    the scales are multiplied by the least common multiple of these numbers.

    >>> once, again = Counts.from_arrays({"A": [1, 0]}), Counts.from_arrays({"A": [1, 1]})
    >>> counts = bundle({"A": [once, again], "B": [again]})
    >>> (counts.values[:, :, 0] / counts.scales[0]).tolist()
    [[1.0, 0.5], [1.0, 1.0]]
    """
    first = next(run for repeats in runs.values() for run in repeats)
    aligned = {name: [_aligned(run, first, name) for run in runs[name]] for name in runs}
    columns = []
    for c, column in enumerate(first.columns):
        grids = [
            [Grid(run.values[:, :, c], run.scales[c], run.exact[c]) for run in repeats]
            for repeats in aligned.values()
        ]
        columns.append(mean_of_runs(grids, column))
    return replace(
        first,
        names=tuple(runs),
        values=np.stack([column.values for column in columns], axis=2),
        scales=tuple(column.scale for column in columns),
        exact=tuple(column.exact for column in columns),
        notices=(*first.notices, _repeats(aligned)),
        items=None,
        regions={},
    )


def _repeats(runs: Mapping[str, Sequence[Counts]]) -> Notice:
    """Tell how many runs were averaged and, of ready scores, how far their means lie apart."""
    first = next(run for repeats in runs.values() for run in repeats)
    numbers = sorted({len(repeats) for repeats in runs.values()})
    told = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    spreads = []
    for c, column in enumerate(first.columns if first.form == "items" else ()):
        by = f" by {column}" if len(first.columns) > 1 else ""
        for name, repeats in runs.items():
            grids = [Grid(run.values[:, :, c], run.scales[c], run.exact[c]) for run in repeats]
            spread = spread_of_runs(grids)
            spreads += [] if spread is None else [f"{spread:.3f} for {name}{by}"]
    apart = f"; run-to-run spread is {', '.join(spreads)}" if spreads else ""
    text = f"{told} runs per {first.kind} were averaged first{apart}."
    return Notice("repeats", text, tuple(runs))


def _aligned(run: Counts, first: Counts, name: str) -> Counts:
    """Put the units of a run in the order of the first run."""
    if len(run.names) != 1 or run.columns != first.columns or run.form != first.form:
        raise DataError(f"a run of {name!r} is not one system with the columns of the others")
    if run.units == first.units:
        return run
    position = {unit: i for i, unit in enumerate(run.units)}
    if position.keys() != set(first.units):
        raise DataError(f"the runs of {name!r} do not have the same {plural(first.kind)}")
    return run.keep(np.array([position[unit] for unit in first.units]))
