"""Several runs of one system, averaged item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.fixed_point import Grid, mean_of_runs
from tellapart.errors import DataError, Notice
from tellapart.words import listed, plural


def average_runs(runs: Mapping[str, Sequence[Counts]], *, repeats: bool = False) -> Counts:
    """Return the means of several runs of each system, item by item; `Counts.runs` keeps the runs.

    With `repeats`, they are repeats of the items (epochs, trials, samples) in one run.

    Each run is the counts of one system. Means are exact, also where the numbers of runs differ:
    the scales are multiplied by the least common multiple of these numbers.

    >>> once, again = Counts.from_arrays({"A": [1, 0]}), Counts.from_arrays({"A": [1, 1]})
    >>> counts = average_runs({"A": [once, again], "B": [again]})
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
        texts=_texts(aligned),
        regions={},
        runs=_kept_runs(aligned),
        cells=tuple((("", ""),) * len(own) for own in aligned.values()) if repeats else (),
    )


def _kept_runs(runs: Mapping[str, Sequence[Counts]]) -> tuple[NDArray[np.float64], ...]:
    """Return each system's runs as real numbers, runs × items × columns, if one has several."""
    if max(map(len, runs.values())) < 2:
        return ()
    return tuple(
        np.stack([run.values[0] / np.array(run.scales, np.float64) for run in repeats])
        for repeats in runs.values()
    )


def _texts(runs: Mapping[str, Sequence[Counts]]) -> ItemTexts | None:
    """Return the texts of the items; a system's outputs stand below each other, run by run."""
    first = next(run for repeats in runs.values() for run in repeats)
    if first.texts is None:
        return None
    outputs = {}
    for name, repeats in runs.items():
        texts = [run.texts.outputs.get(run.names[0], ()) for run in repeats if run.texts]
        if texts and all(texts):
            outputs[name] = tuple("\n".join(each) for each in zip(*texts, strict=True))
    return ItemTexts(first.texts.inputs, first.texts.golds, outputs)


def runs_averaged(numbers: Mapping[str, tuple[int, int]], kind: str, noun: str = "runs") -> str:
    """Return in words how many runs were averaged; per system the fewest and most of an item.

    >>> runs_averaged({"A": (3, 3), "B": (3, 3)}, "item")
    '3 runs per item were averaged first'
    >>> runs_averaged({"A": (3, 3), "B": (1, 2), "C": (3, 3)}, "item")
    '1 to 3 runs per item were averaged first (3 of A, C; 1 to 2 of B)'
    """
    least, most = min(low for low, _ in numbers.values()), max(top for _, top in numbers.values())
    text = f"{_range(least, most)} {noun} per {kind} were averaged first"
    owners: dict[str, list[str]] = {}
    for name, ends in numbers.items():
        owners.setdefault(_range(*ends), []).append(name)
    if len(owners) == 1:
        return text
    return f"{text} ({'; '.join(f'{n} of {listed(names, 6)}' for n, names in owners.items())})"


def _range(least: int, most: int) -> str:
    return str(most) if least == most else f"{least} to {most}"


def _repeats(runs: Mapping[str, Sequence[Counts]]) -> Notice:
    """Return a notice of how many runs were averaged."""
    first = next(run for repeats in runs.values() for run in repeats)
    numbers = {name: (len(repeats), len(repeats)) for name, repeats in runs.items()}
    return Notice("repeats", f"{runs_averaged(numbers, first.kind)}.", tuple(runs))


def _aligned(run: Counts, first: Counts, name: str) -> Counts:
    """Return a run with its items in the order of the first run."""
    if len(run.names) != 1 or run.columns != first.columns or run.form != first.form:
        raise DataError(f"a run of {name!r} is not one system with the columns of the others")
    if run.items == first.items:
        return run
    position = {item: i for i, item in enumerate(run.items)}
    if position.keys() != set(first.items):
        raise DataError(f"the runs of {name!r} do not have the same {plural(first.kind)}")
    return run.keep(np.array([position[item] for item in first.items]))


def averaged(
    single: Counts, files: Mapping[str, Sequence[str]], notices: Sequence[Notice]
) -> Counts:
    """Return the means of each system's runs; `single` has one system per file, see `run_names`."""
    if len(single.names) == len(files):
        return replace(single, notices=tuple(notices))
    names = iter(single.names)
    runs_of = {name: tuple(next(names) for _ in paths) for name, paths in files.items()}
    counts = average_runs(
        {name: [single.systems[(run,)] for run in runs] for name, runs in runs_of.items()}
    )
    return replace(counts, notices=(*counts.notices, *notices), views=None)
