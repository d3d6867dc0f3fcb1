"""How logs become counts: systems paired by item, runs averaged, items without a score settled.

Scores that are made of sums over items become columns, and metrics that read them (`with_parts`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts.fixed_point import LIMIT, Grid, put_on_grid
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.logs.item_texts import (
    Systems,
    first_samples,
    item_labels,
    item_texts,
    prompts_notice,
)
from tellapart.formats.logs.log import Key, Log, Sample
from tellapart.formats.logs.metric_names import Columns
from tellapart.formats.missing import MissingItems, find_missing
from tellapart.metrics import Metric, metric
from tellapart.metrics.aggregates import aggregate, part_names
from tellapart.metrics.runs import runs_averaged
from tellapart.words import listed, several, typed

KIND: Final = "item"
_LARGEST_SCALE: Final = 1 << 62
_SHOWN: Final = 100  # characters of an error message
_VALUES: Final = 4  # named in a sentence


def assemble(
    systems: Systems, columns: Columns, missing: str, remarks: Sequence[Notice] = ()
) -> Counts:
    """Return the counts of logs; `columns` names the values, `missing` is a policy for items."""
    systems, columns, metrics = with_parts(systems, columns)
    first = first_samples(systems)
    order = [name for logs in systems.values() for log in logs for name in log.order]
    items = tuple(item for item in dict.fromkeys([*order, *first]) if item in first)
    values = _values(systems, items, columns)
    there = np.asarray((~np.isnan(values)).any(axis=2))  # columns × systems × items
    _check_columns(systems, columns, there)
    scored, notices = _settle(systems, items, columns, there, missing)
    kept = np.flatnonzero(scored.any(axis=(0, 1)))
    values, scored, items = values[..., kept], scored[..., kept], tuple(items[i] for i in kept)
    labels, differing = item_labels(systems, items)
    further = [differing, prompts_notice(systems, first)]
    further.append(_repeats_notice(values, tuple(columns), tuple(systems), KIND))
    notices += [notice for notice in further if notice is not None]
    logged = dict.fromkeys(n for logs in systems.values() for log in logs for n in log.notices)
    grids = [averaged(values[c], name) for c, name in enumerate(columns)]
    same = bool((scored == scored[0]).all())
    return Counts(
        names=tuple(systems),
        items=items,
        columns=tuple(columns),
        values=np.stack([grid.values for grid in grids], axis=2),
        scales=tuple(grid.scale for grid in grids),
        exact=tuple(grid.exact for grid in grids),
        sizes=np.ones(len(items), dtype=np.int64),
        labels=labels,
        kind=KIND,
        form="items",
        notices=(*logged, *remarks, *notices),
        present=scored[0] if same and not scored.all() else None,
        lower=_lower(systems, columns),
        texts=item_texts(systems, first, items),
        **_kept_runs(values, systems),
        scored=None if same else np.moveaxis(scored, 0, 2),
        metrics=metrics,
    )


def _lower(systems: Systems, columns: Columns) -> tuple[str, ...]:
    """Return the columns of which less is better, as the logs say."""
    less = {key for logs in systems.values() for log in logs for key in log.lower}
    return tuple(name for name, key in columns.items() if key in less)


def _settle(
    systems: Systems,
    items: Sequence[str],
    columns: Columns,
    there: NDArray[np.bool_],
    missing: str,
) -> tuple[NDArray[np.bool_], list[Notice]]:
    """Return which values count, columns × systems × items, and what became of those that lack.

    An item that has other values but not this one, for any system, is none of this value's items.
    What only some systems lack is settled as `missing` says, for each value by itself. To lack one
    value of several is no failure of an item: it is then none of this value's items either, rather
    than an error.
    """
    nowhere = ~there.any(axis=(0, 1))  # what has no value at all, every column must answer for
    alike: dict[bytes, list[int]] = {}
    for c in range(len(columns)):
        alike.setdefault(there[c].tobytes(), []).append(c)
    names, keys = list(columns), list(columns.values())
    attempts = {name: _attempts(logs) for name, logs in systems.items()}
    whole = np.asarray(there.any(axis=0))  # systems × items that did not fail
    for s, made in enumerate(attempts.values()):
        whole[s] &= [not any(sample.error for sample in made.get(item, ())) for item in items]
    scored = np.zeros_like(there)
    notices: list[Notice] = []
    for members in alike.values():
        own = there[members[0]]  # systems × items
        whose = np.flatnonzero(own.any(axis=0) | nowhere)
        if missing == "error" and (own | whole)[:, whose].all() and own.all(axis=0).any():
            whose = np.flatnonzero(own.all(axis=0))
        some = tuple(items[i] for i in whose.tolist())
        by = f" by {listed([names[c] for c in members], _VALUES)}" if len(alike) > 1 else ""
        if len(some) < len(items):
            somewhere = own.any(axis=0)
            lacking = [n for n, row in zip(systems, own, strict=True) if not row[somewhere].all()]
            known = lacking if len(some) < int(somewhere.sum()) else []
            notices.append(_fewer_items([names[c] for c in members], some, len(items), known))
        mine = {names[c]: keys[c] for c in members}
        kinds = set(some)
        unscored = [
            _find_unscored(name, {item: each for item, each in made.items() if item in kinds}, mine)
            for name, made in attempts.items()
        ]
        counting, others = own[:, whose], list[Notice]()
        if not counting.all() and missing != "own":
            absent = _find(counting)
            noted = {each.system: each.items for each in unscored}
            where = f"{by.strip()}: " if by else ""
            others = absent.settle(
                missing, where + _refusal(unscored), KIND, tuple(systems), some, noted
            )
            counting = np.zeros_like(counting)
            counting[:, absent.common if missing == "drop" else slice(None)] = True
        left = int(counting.any(axis=0).sum())
        notices += [*_unscored_notices(unscored, missing, left, by), *others]
        for c in members:
            scored[c][:, whose] = counting
    return scored, notices


def _fewer_items(
    names: Sequence[str], items: Sequence[str], of: int, lacking: Sequence[str]
) -> Notice:
    verb = "is" if len(names) == 1 else "are"
    text = f"{listed(names, _VALUES)} {verb} of {several(len(items), KIND)} of {of:,}"
    text += f": the others have no such value{f' of {listed(lacking)}' if lacking else ''}."
    return Notice("fewer-items", text, tuple(names))


def _kept_runs(values: NDArray[np.float64], systems: Systems) -> dict[str, Any]:
    """Return the replicates of each system, if one has several: a log is a run, epochs repeats."""
    made = np.asarray((~np.isnan(values)).any(axis=(0, 3)))  # systems × replicates
    if made.sum(axis=1).max() < 2:
        return {}
    runs = np.moveaxis(values, 0, 3)  # systems × replicates × items × columns
    none = np.isnan(runs).all(axis=1, keepdims=True)  # such items count as 0, if they do count
    slots = [_slots(logs)[1] for logs in systems.values()]
    kept = zip(np.where(none, 0.0, runs), made, slots, strict=True)
    found = [(own[there], [("", run) for run, is_there in zip(names, there, strict=False)
                           if is_there]) for own, there, names in kept]  # fmt: skip
    return {"runs": tuple(own for own, _ in found), "cells": tuple(tuple(c) for _, c in found)}


def _values(systems: Systems, items: Sequence[str], columns: Columns) -> NDArray[np.float64]:
    """Return all scores as columns × systems × runs × items; NaN where there is none."""
    position = {item: u for u, item in enumerate(items)}
    replicates = max(len(_slots(logs)[1]) for logs in systems.values())
    values = np.full((len(columns), len(systems), replicates, len(items)), np.nan)
    for s, logs in enumerate(systems.values()):
        for log, first in zip(logs, _slots(logs)[0], strict=True):
            seen = Counter[str]()
            for sample in log.samples:
                slot = first + seen[sample.item]
                seen[sample.item] += 1
                for c, key in enumerate(columns.values()):
                    values[c, s, slot, position[sample.item]] = sample.values.get(key, np.nan)
    return values


def _slots(logs: Sequence[Log]) -> tuple[list[int], list[str]]:
    """Return at which replicate each log of a system begins, and which run each replicate is of.

    Logs with the same items are runs; logs with other items, of another task, are of the same run.
    One that repeats items takes several replicates.
    """
    times, before, numbers = Counter[int](), Counter[str](), []
    for log in logs:
        own = Counter(sample.item for sample in log.samples)
        number = max((before[item] for item in own), default=0)
        before |= Counter(dict.fromkeys(own, number + 1))
        times[number] = max(times[number], *own.values(), 0)
        numbers.append(number)
    starts = [sum(times[k] for k in range(number)) for number in numbers]
    return starts, [str(number) for number in sorted(times) for _ in range(times[number])]


def _attempts(logs: Sequence[Log]) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for log in logs:
        for sample in log.samples:
            found.setdefault(sample.item, []).append(sample)
    return found


def _check_columns(systems: Systems, columns: Columns, there: NDArray[np.bool_]) -> None:
    """Refuse values that a system has nowhere."""
    common = [name for c, name in enumerate(columns) if there[c].any(axis=1).all()]
    remedy = "give logs with the same scores"
    if common:
        remedy = f"--metric {typed(common[0])} compares what all have"
    for c, name in enumerate(columns):
        for s, (system, logs) in enumerate(systems.items()):
            if not there[c, s].any():
                raise DataError(
                    f"{shown(logs[0].path)}: no item of {system} has a value of {name!r}; {remedy}"
                )


def _find(there: NDArray[np.bool_]) -> MissingItems:
    """Return which of systems × items are missing."""
    return find_missing(np.flatnonzero(there), there.shape[0], there.shape[1], 1)


def averaged(runs: NDArray[np.float64], column: str) -> Grid:
    """Return the means of systems × runs × items over the runs; NaN is a run without a score.

    Means are exact rationals where the integers allow it, also where the numbers of runs differ.
    An item without any run is 0.

    >>> averaged(np.array([[[1.0, 0.5], [0.0, np.nan], [0.0, np.nan]]]), "f1")
    Grid(values=array([[10, 15]]), scale=30, exact=True)
    """
    scored = ~np.isnan(runs)
    filled = np.where(scored, runs, 0.0)
    items = runs.shape[2]
    grid = put_on_grid(list(filled.reshape(-1, items)), column)
    sums = grid.values.reshape(filled.shape).sum(axis=1)  # systems × items
    numbers = np.maximum(scored.sum(axis=1), 1)
    common = math.lcm(*np.unique(numbers).tolist())
    factors = common // numbers
    # In floats first: the product of integers could overflow.
    largest = float((np.abs(sums).astype(np.float64) * factors).sum(axis=1).max())
    if largest < LIMIT and grid.scale * common < _LARGEST_SCALE:
        return Grid(sums * factors, grid.scale * common, grid.exact)
    return put_on_grid(list(np.sort(filled, axis=1).sum(axis=1) / numbers), column)


def _repeats_notice(
    values: NDArray[np.float64], columns: Sequence[str], systems: Sequence[str], kind: str
) -> Notice | None:
    """Return a notice of how many runs were averaged, and how far their scores lie apart.

    `values` are columns × systems × runs × items. The spread is the standard deviation of the
    score over the runs, which no test on items sees.
    """
    numbers = (~np.isnan(values)).any(axis=0).sum(axis=1)  # systems × items: runs with a score
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
    return Notice("repeats", f"{runs_averaged(ranges, kind)}{apart}.", tuple(systems))


def _spread(runs: NDArray[np.float64]) -> float | None:
    """Return the standard deviation of the scores of runs (runs × items), if there are two."""
    scored = ~np.isnan(runs)
    numbers = scored.sum(axis=1)
    some = numbers > 0
    if some.sum() < 2:
        return None
    means = np.where(scored, runs, 0.0).sum(axis=1)[some] / numbers[some]
    return float(np.std(np.sort(means), ddof=1))


@dataclass(slots=True)
class _Unscored:
    """The items and runs of one system that have no score: they failed, or were not scored."""

    system: str
    failed: dict[str, str] = field(default_factory=dict)
    """Items without a score that ended in an error, and which"""
    unscored: list[str] = field(default_factory=list)
    """Items that were run but have no score"""
    failed_runs: list[str] = field(default_factory=list)
    """The item of each failed run, where other runs of the item have a score"""
    unscored_runs: list[str] = field(default_factory=list)

    @property
    def items(self) -> tuple[str, ...]:
        """All items of the log that have no score."""
        return (*self.failed, *self.unscored)


def _find_unscored(
    system: str, attempts: Mapping[str, Sequence[Sample]], columns: Columns
) -> _Unscored:
    """Return what has no score; `attempts` are the runs of each item."""
    found = _Unscored(system)
    for item, samples in attempts.items():
        lacking = [s for s in samples if any(key not in s.values for key in columns.values())]
        if any(all(key not in s.values for s in samples) for key in columns.values()):
            error = next((s.error for s in lacking if s.error), "")
            if error:
                found.failed[item] = error
            else:
                found.unscored.append(item)
        else:
            found.failed_runs += [item for s in lacking if s.error]
            found.unscored_runs += [item for s in lacking if not s.error]
    return found


def _refusal(unscored: Sequence[_Unscored]) -> str:
    """Return how the refusal begins: which items were run, and why they have no score."""
    text = ""
    for each in unscored:
        name = listed([each.system])
        if each.failed:
            reason = " ".join(next(iter(each.failed.values())).split())[:_SHOWN]
            text += f"{several(len(each.failed), KIND)} failed in {name} ({reason}); "
        if each.unscored:
            number = several(len(each.unscored), KIND)
            text += f"{number} of {name} {_have(each.unscored)} no score; "
    return text


def _unscored_notices(
    unscored: Sequence[_Unscored], missing: str, left: int, by: str = ""
) -> Iterator[Notice]:
    """Yield what became of items and runs without a score; `left` items remain."""
    done = {
        "drop": f"dropped for all systems, not counted as wrong ({left} left)",
        "own": "left out, not counted as wrong",
        "zero": "counted as 0, as asked",
    }
    for each in unscored:
        name = listed([each.system])
        for code, found, items in (
            ("failed", "failed", tuple(each.failed)),
            ("no-score", f"{_have(each.unscored)} no score", tuple(each.unscored)),
        ):
            if items and missing in done:
                text = f"{several(len(items), KIND)} {found} in {name}{by}; {_were(items)}"
                yield Notice(code, f"{text} {done[missing]}.", items)
        for code, found, runs in (
            ("failed", "failed", each.failed_runs),
            ("no-score", f"{_have(each.unscored_runs)} no score", each.unscored_runs),
        ):
            if runs:
                items = tuple(dict.fromkeys(runs))
                text = f"{several(len(runs), 'run')} of {several(len(items), KIND)} {found} in "
                text += f"{name}{by}; {_were(runs)} left out of the means, not counted as wrong."
                yield Notice(code, text, items)


def _have(things: Sequence[str]) -> str:
    return "has" if len(things) == 1 else "have"


def _were(things: Sequence[str]) -> str:
    return "it was" if len(things) == 1 else "they were"


def with_parts(systems: Systems, columns: Columns) -> tuple[Systems, Columns, tuple[Metric, ...]]:
    """Return logs and columns in which such scores are resolved into what they are made of.

    The metrics are those of all columns, or none if every column is a plain value.
    """
    found = _parts(systems, columns)
    if not found:
        return systems, columns, ()
    resolved: Columns = {}
    metrics: list[Metric] = []
    for name, key in columns.items():
        if name not in found:
            resolved[name] = key
            metrics.append(metric(name, [name], items=True))
            continue
        kind, parts = found[name]
        named = {part: f"{name} {part}" for part in parts}
        resolved.update((named[part], (*key, part)) for part in parts)
        metrics.append(aggregate(kind, name, named))
    whole = {columns[name]: parts for name, (_, parts) in found.items()}
    completed = {name: [_completed(log, whole) for log in logs] for name, logs in systems.items()}
    return completed, resolved, tuple(metrics)


def _parts(systems: Systems, columns: Columns) -> dict[str, tuple[str, Sequence[str]]]:
    """Return the scores among the columns that are made of sums: how, and of which parts."""
    found: dict[str, tuple[str, Sequence[str]]] = {}
    for name, key in columns.items():
        each = [
            log.aggregates[key]
            for logs in systems.values()
            for log in logs
            if key in log.aggregates
        ]
        if each:
            seen = dict.fromkeys(part for one in each for part in one.parts)
            found[name] = each[0].kind, part_names(each[0].kind, list(seen))
    return found


def _completed(log: Log, whole: dict[Key, Sequence[str]]) -> Log:
    """Return a log whose samples have all parts of a score if they have one: what is absent is 0.

    A class that one system never chose is among its parts where another one did.
    """

    def complete(sample: Sample) -> Sample:
        absent = {
            (*key, part): 0.0
            for key, parts in whole.items()
            if any((*key, part) in sample.values for part in parts)
            for part in parts
            if (*key, part) not in sample.values
        }
        return replace(sample, values={**sample.values, **absent}) if absent else sample

    return replace(log, samples=tuple(map(complete, log.samples)))
