"""Several runs of one system: averaged item by item, or asked whether one or all of k are right.

pass@k and pass^k: with c of the n runs of an item right, the unbiased estimators are
1 - C(n-c, k) / C(n, k) and C(c, k) / C(n, k): the share of all sets of k runs in which one is
right, or all are. Each becomes a column of its own, whose mean over items is the score; so every
test of means applies.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.fixed_point import LIMIT, Grid, mean_of_runs, put_on_grid
from tellapart.errors import DataError, Notice, UsageError
from tellapart.metrics.registry import PASS, is_pass
from tellapart.words import listed, plural, several


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
    numbers = [len(own) for own in aligned.values()]
    columns = []
    for c, column in enumerate(first.columns):
        grids = [
            [Grid(run.values[:, :, c], run.scales[c], run.exact[c]) for run in own]
            for own in aligned.values()
        ]
        columns.append(mean_of_runs(grids, column))
    kept = (
        np.stack([run.values[0] / np.array(run.scales, np.float64) for run in own])
        for own in aligned.values()
    )
    told = runs_averaged([(number, number) for number in numbers], first.kind)
    return replace(
        first,
        names=tuple(runs),
        values=np.stack([column.values for column in columns], axis=2),
        scales=tuple(column.scale for column in columns),
        exact=tuple(column.exact for column in columns),
        notices=(*first.notices, Notice("repeats", f"{told}.", tuple(runs))),
        texts=first.texts and _texts(first.texts, aligned),
        regions={},
        runs=tuple(kept) if max(numbers) > 1 else (),
        cells=tuple((("", ""),) * number for number in numbers) if repeats else (),
    )


def _texts(first: ItemTexts, runs: Mapping[str, Sequence[Counts]]) -> ItemTexts:
    """Return the texts of the items; a system's outputs stand below each other, run by run."""
    outputs = {}
    for name, repeats in runs.items():
        texts = [run.texts.outputs.get(run.names[0], ()) for run in repeats if run.texts]
        if texts and all(texts):
            outputs[name] = tuple("\n".join(each) for each in zip(*texts, strict=True))
    return ItemTexts(first.inputs, first.golds, outputs)


def runs_averaged(numbers: Collection[tuple[int, int]], kind: str, noun: str = "runs") -> str:
    """Return in words how many runs were averaged; per system the fewest and most of an item.

    >>> runs_averaged([(3, 3), (1, 2)], "item")
    '1 to 3 runs per item were averaged first'
    """
    least, most = min(min(ends) for ends in numbers), max(max(ends) for ends in numbers)
    number = str(most) if least == most else f"{least} to {most}"
    return f"{number} {noun} per {kind} were averaged first"


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


def with_passes(counts: Counts, names: Sequence[object] | None) -> Counts:
    """Return the counts with a column for each pass@k and pass^k among the names of metrics.

    >>> from tellapart.metrics.runs import average_runs
    >>> runs = [Counts.from_arrays({"A": run}) for run in ([1, 0], [0, 0], [1, 1])]
    >>> counts = with_passes(average_runs({"A": runs}), ["pass@2", "pass^2"])
    >>> [(counts.column(name) / counts.scales[c]).round(3).tolist()
    ...     for c, name in enumerate(counts.columns) if is_pass(name)]
    [[[1.0, 0.667]], [[0.333, 0.0]]]
    """
    wanted = [str(name) for name in names or () if is_pass(name) and name not in counts.columns]
    if not wanted:
        return counts
    if counts.cluster is not None:
        raise UsageError(f"{wanted[0]} is of the runs of items, and these rows are sums of them")
    tried, right = _tries(counts, wanted[0])
    grids = [_grid(counts, name, tried, right) for name in wanted]
    new, scored = np.stack([grid.values for grid in grids], axis=2), counts.scored
    return replace(
        counts,
        columns=(*counts.columns, *wanted),
        values=np.concatenate([counts.values, new], axis=2),
        scales=(*counts.scales, *(grid.scale for grid in grids)),
        exact=(*counts.exact, *(grid.exact for grid in grids)),
        scored=scored
        if scored is None
        else np.concatenate([scored, np.ones(new.shape, np.bool_)], axis=2),
    )


def _tries(counts: Counts, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of runs, and of right ones, of every system and item."""
    if counts.form != "items":
        raise UsageError(
            f"{name} is of answers that are right or wrong, and these are counts: "
            f"{listed(counts.columns)}"
        )
    runs = counts.runs or tuple(
        system[None] / np.array(counts.scales, np.float64) for system in counts.values
    )
    place = _right_or_wrong(counts, runs, name)
    known = [~np.isnan(system[:, :, place]) for system in runs]
    ones = [system[:, :, place] == 1 for system in runs]
    tried = np.stack([each.sum(axis=0) for each in known])
    return tried.astype(np.int64), np.stack([each.sum(axis=0) for each in ones]).astype(np.int64)


def _right_or_wrong(counts: Counts, runs: Sequence[NDArray[np.float64]], name: str) -> int:
    """Return the place of the only column of right and wrong answers, or refuse."""
    values = [c for c in range(runs[0].shape[2]) if not is_pass(counts.columns[c])]
    graded = {c: _graded(counts, runs, c) for c in values}
    fitting = [c for c in values if graded[c] is None]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(
            f"{name} is of one value, and here are "
            f"{listed([counts.columns[c] for c in fitting])}: name it with --metric, too"
        )
    raise DataError(f"{name} needs answers that are right or wrong, 1 or 0: {graded[values[0]]}")


def _graded(counts: Counts, runs: Sequence[NDArray[np.float64]], column: int) -> str | None:
    """Return where a value is neither 1 nor 0, if one is so."""
    for name, system in zip(counts.names, runs, strict=True):
        values = system[:, :, column]
        odd = np.argwhere(~np.isnan(values) & (values != 0) & (values != 1))
        if len(odd):
            run, item = odd[0]
            return f"{counts.kind} {counts.items[item]} of {name} has {values[run, item]:g}"
    return None


def _grid(counts: Counts, name: str, tried: NDArray[np.int64], right: NDArray[np.int64]) -> Grid:
    """Return the values of one metric: exact fractions where the integers allow it."""
    found = PASS.fullmatch(name)
    assert found is not None
    one_is_enough, k = found[1] == "@", int(found[2])
    if k < 1:
        raise UsageError(f"{name} is of no try at all: k is 1 or more")
    few = np.argwhere(tried < k)
    if len(few):
        system, item = few[0]
        raise DataError(
            f"{name} needs {several(k, 'run')} of every {counts.kind}, and {counts.names[system]} "
            f"has {tried[system, item]} of {counts.items[item]}"
        )
    cells = list(zip(tried.ravel().tolist(), right.ravel().tolist(), strict=True))
    rates = {cell: pass_rate(*cell, k, one_is_enough=one_is_enough) for cell in set(cells)}
    scale = math.lcm(*(rate.denominator for rate in rates.values()))
    if scale * tried.shape[1] < LIMIT:
        whole = np.array([int(rates[cell] * scale) for cell in cells], np.int64)
        return Grid(whole.reshape(tried.shape), scale, True)
    return put_on_grid(list(np.array([float(rates[c]) for c in cells]).reshape(tried.shape)), name)


def pass_rate(n: int, c: int, k: int, *, one_is_enough: bool) -> Fraction:
    """Return the share of the sets of k of n runs, c of them right, in which one or all are right.

    >>> pass_rate(4, 1, 2, one_is_enough=True), pass_rate(4, 3, 2, one_is_enough=False)
    (Fraction(1, 2), Fraction(1, 2))
    """
    if one_is_enough:
        return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))
    return Fraction(math.comb(c, k), math.comb(n, k))
