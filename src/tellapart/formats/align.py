"""The one place that pairs items: attempts of systems at items become `Counts`.

An attempt is one row: a system, an item, and values of which NaN says "not scored". Repeats of an
item are averaged within the item; runs and conditions are kept as axes. What becomes of items that
not every system has is the same for all formats: `--missing error | zero | drop | bounds | own`.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.fixed_point import LIMIT, Grid, put_on_grid
from tellapart.counts.ordering import natural_sorted
from tellapart.errors import DataError, Notice, UsageError
from tellapart.formats.problems import Findings
from tellapart.metrics.runs import runs_averaged
from tellapart.words import listed, plural, several

POLICIES: Final = ("error", "zero", "drop", "bounds", "own")
"""What `--missing` takes; "bounds" keeps what a system lacks as open, "own" keeps each system's own
items, for an unpaired test"""

_SYSTEMS_SHOWN: Final = 6
_IDS_SHOWN: Final = 5
MOST_CELLS: Final = 1 << 31  # systems × entries × items × columns: 16 GiB
MOST_TOLD: Final = 1_000
"""Of more rows that appear twice, the first are named"""
_LARGEST_SCALE: Final = 1 << 62
_CHARACTERS_OF_ERROR: Final = 100
_VALUES_NAMED: Final = 4


class Axis(NamedTuple):
    """Names, and for each attempt the number of its name.

    >>> Axis.of(["b", "a", "b"])
    Axis(names=('b', 'a'), codes=array([0, 1, 0], dtype=int32))
    """

    names: tuple[str, ...]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Axis:
        """Return the axis of the names of all attempts, in order of first appearance."""
        place: dict[str, int] = {}
        codes = [place.setdefault(text, len(place)) for text in texts]
        return cls(tuple(place), np.array(codes, np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Attempts:
    """Attempts of systems at items, one row each; all arrays have an element per row."""

    systems: Axis
    items: Axis
    values: Mapping[str, NDArray[Any]]
    """By column; NaN where the attempt was not scored"""
    place: Callable[[int], str]
    """Where a row stands, as messages name it"""
    conditions: Axis | None = None
    runs: Axis | None = None
    repeats: Axis | None = None
    """Which repeat of its item (epoch, trial, sample) a row is"""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By item"""
    texts: ItemTexts | None = None
    errors: Mapping[int, str] = field(default_factory=dict)
    """What went wrong in an attempt, by its row"""
    remedy: Callable[[int, int], str] = lambda *_: "give each attempt its own id"
    """What to do about two rows of the same system and item"""

    def __post_init__(self) -> None:
        """Refuse labels of rows, which would be told of the wrong items; one run is no axis."""
        for name in ("conditions", "runs", "repeats"):
            axis = getattr(self, name)
            if axis is not None and len(axis.names) < 2:
                object.__setattr__(self, name, None)
        for name, texts in self.labels.items():
            if not isinstance(texts, tuple) or len(texts) != len(self.items.names):
                raise ValueError(f"label {name!r}: a tuple with a text for each of `items.names`")

    def axes(self) -> list[Axis]:
        """Return what tells rows apart: system, condition, run, repeat and item."""
        axes = (self.systems, self.conditions, self.runs, self.repeats, self.items)
        return [axis for axis in axes if axis is not None]

    def numbered(self) -> Axis:
        """Return rows of the same system, condition, run and item as repeats, in their order."""
        cells = mixed_radix([axis.codes for axis in self.axes()])
        order = np.argsort(cells, kind="stable")
        starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
        sizes = np.diff(starts, append=len(cells))
        codes = np.empty(len(cells), np.int32)
        codes[order] = np.arange(len(cells)) - np.repeat(starts, sizes)
        return Axis(tuple(map(str, range(1, int(sizes.max(initial=1)) + 1))), codes)

    def of_rows(self, rows: NDArray[Any]) -> Attempts:
        """Return some of the attempts, by their rows."""
        axes: dict[str, Any] = {
            name: Axis(axis.names, axis.codes[rows])
            for name in ("systems", "items", "conditions", "runs", "repeats")
            if (axis := getattr(self, name)) is not None
        }
        kept = enumerate(rows.tolist()) if self.errors else ()
        errors = {k: self.errors[row] for k, row in kept if row in self.errors}
        return replace(
            self,
            values={name: column[rows] for name, column in self.values.items()},
            place=lambda row: self.place(int(rows[row])),
            remedy=lambda row, first: self.remedy(int(rows[row]), int(rows[first])),
            errors=errors,
            **axes,
        )


def align(
    attempts: Attempts,
    *,
    missing: str = "error",
    kind: str = "item",
    form: str = "items",
    where: str = "",
    problems: Findings | None = None,
) -> Counts:
    """Return the counts of attempts, systems paired by item; `where` begins errors.

    >>> attempts = Attempts(
    ...     Axis.of("AABB"), Axis.of(["q1", "q2", "q1", "q2"]),
    ...     {"score": np.array([1.0, 0.0, 1.0, 0.5])}, "row {}".format,
    ... )
    >>> counts = align(attempts)
    >>> counts, counts.scales
    (<Counts: 2 systems × 2 items × 1 column>, (10,))
    """
    check_policy(missing)
    attempts, notices = _under_common_conditions(attempts, missing, where)
    entries, named = _entries(attempts)
    shape = len(attempts.systems.names), max(map(len, named)), len(attempts.items.names)
    _check_size(shape, len(attempts.values), where, kind)
    cells = np.multiply(attempts.systems.codes, shape[1], dtype=np.int64)
    cells += entries
    cells *= shape[2]
    cells += attempts.items.codes
    _refuse_twice(attempts, cells, math.prod(shape), kind, problems or Findings())
    values = {name: _spread_out(column, cells, shape) for name, column in attempts.values.items()}
    # Systems × items
    there = {name: np.asarray((~np.isnan(array)).any(axis=1)) for name, array in values.items()}
    _check_columns(attempts, there, where)
    scored, remarks = _settle(attempts, there, missing, kind, where)
    kept = np.flatnonzero(np.any([mask.any(axis=0) for mask in scored.values()], axis=0))
    if missing == "bounds":  # also what no system has
        kept = np.arange(shape[2])
    if len(kept) < shape[2]:
        values = {name: array[..., kept] for name, array in values.items()}
        scored = {name: mask[:, kept] for name, mask in scored.items()}
    masks = list(scored.values())
    same = all(np.array_equal(mask, masks[0]) for mask in masks[1:])
    runs = _kept_entries(values, named)
    grids = [_averaged(array, name) for name, array in values.items()]
    arrays = [grid.values for grid in grids]
    return Counts(
        names=attempts.systems.names,
        items=_kept(attempts.items.names, kept),
        columns=tuple(values),
        values=arrays[0][:, :, None] if len(arrays) == 1 else np.stack(arrays, axis=2),
        scales=tuple(grid.scale for grid in grids),
        exact=tuple(grid.exact for grid in grids),
        sizes=np.ones(len(kept), dtype=np.int64),
        labels={name: _kept(texts, kept) for name, texts in attempts.labels.items()},
        kind=kind,
        form=form,
        notices=(*notices, *remarks, *_repeats_notice(attempts, values, kind, named)),
        present=masks[0] if same and not masks[0].all() else None,
        texts=None if attempts.texts is None else attempts.texts.of_items(kept.tolist()),
        scored=None if same else np.stack(masks, axis=2),
        runs=runs,
        cells=named if runs else (),
    )


def _kept(texts: tuple[str, ...], kept: NDArray[np.intp]) -> tuple[str, ...]:
    return texts if len(kept) == len(texts) else tuple(map(texts.__getitem__, kept.tolist()))


def _under_common_conditions(
    attempts: Attempts, missing: str, where: str
) -> tuple[Attempts, list[Notice]]:
    """Return the attempts under conditions that all systems have; a system with one has its own."""
    axis, systems = attempts.conditions, attempts.systems
    if axis is None or missing == "own":
        return attempts, []
    there = np.zeros((len(systems.names), len(axis.names)), np.bool_)
    there[systems.codes, axis.codes] = True
    lacking = ~there & there.any(axis=0)
    if there.sum(axis=1).max() < 2 or not lacking.any():
        return attempts, []
    common = int(there.all(axis=0).sum())
    dropped = tuple(axis.names[k] for k in np.flatnonzero(lacking.any(axis=0)).tolist())
    those = [n for n, row in zip(systems.names, lacking, strict=True) if row.any()]
    if missing != "drop" or not common:
        remedy = (
            f"--missing drop compares the {several(common, 'condition')} that all have"
            if common
            else "the systems have no condition in common"
        )
        lacking_ones = f"{listed(dropped, _VALUES_NAMED)} (missing in {listed(those)})"
        raise DataError(f"{where}not all systems have the conditions {lacking_ones}; {remedy}")
    rows = np.flatnonzero(np.asarray(there.all(axis=0))[axis.codes])
    text = f"Dropped, since not all systems have these conditions: {listed(dropped)}."
    return attempts.of_rows(rows), [Notice("missing", text, dropped)]


Cells: TypeAlias = tuple[tuple[tuple[str, str], ...], ...]
"""Per system and entry: its condition and its run; entries with the same are repeats"""


def _entries(attempts: Attempts) -> tuple[NDArray[np.int64], Cells]:
    """Return which run, condition and repeat of its system a row is, numbered from 0."""
    n_systems = len(attempts.systems.names)
    named = (attempts.conditions, attempts.runs)
    codes = [axis.codes for axis in attempts.axes()[:-1]]
    if len(codes) == 1:
        zeros = np.zeros(len(attempts.systems.codes), np.int64)
        return zeros, ((("", ""),),) * n_systems
    _, first, inverse = np.unique(mixed_radix(codes), return_index=True, return_inverse=True)
    owners = attempts.systems.codes[first]
    numbers = np.empty(len(first), np.int64)
    cells: list[list[tuple[str, str]]] = [[] for _ in range(n_systems)]
    for key in np.argsort(first).tolist():  # in order of first appearance
        row, system = int(first[key]), int(owners[key])
        numbers[key] = len(cells[system])
        condition, run = ("" if axis is None else axis.names[axis.codes[row]] for axis in named)
        cells[system].append((condition, run))
    return numbers[inverse], tuple(map(tuple, cells))


def mixed_radix(codes: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return one number per row for several numbers of it.

    >>> mixed_radix([np.array([0, 1, 1]), np.array([2, 0, 2])])
    array([2, 3, 5])
    """
    mixed = codes[0]
    for more in codes[1:]:
        mixed = np.multiply(mixed, int(more.max(initial=0)) + 1, dtype=np.int64)
        mixed += more
    return mixed


def _check_size(shape: tuple[int, int, int], columns: int, where: str, kind: str) -> None:
    n_cells = math.prod(shape) * max(1, columns)
    if n_cells > MOST_CELLS:
        cells = f"{shape[0] * shape[1]:,} systems × {shape[2]:,} {plural(kind)}"
        raise DataError(f"{where}{cells} are more than can be compared")


def _refuse_twice(
    attempts: Attempts, cells: NDArray[np.int64], n_cells: int, kind: str, problems: Findings
) -> None:
    """Refuse rows of the same system, entry and item."""
    seen = np.zeros(n_cells, np.bool_)
    seen[cells] = True
    if int(np.count_nonzero(seen)) == len(cells):
        return
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    again = order[np.flatnonzero(np.diff(ordered) == 0) + 1]
    for row in np.sort(again)[:MOST_TOLD].tolist():
        first = int(order[np.searchsorted(ordered, cells[row])])
        item = attempts.items.names[attempts.items.codes[row]]
        system = attempts.systems.names[attempts.systems.codes[row]]
        problems.complain(
            f"{attempts.place(row)}: {kind} {item!r} appears twice for system {system!r}, first in "
            f"{attempts.place(first)}; {attempts.remedy(row, first)}"
        )
    problems.raise_all()


def _spread_out(
    column: NDArray[Any], cells: NDArray[np.int64], shape: tuple[int, int, int]
) -> NDArray[np.float64]:
    size = math.prod(shape)
    if len(cells) == size and (cells[1:] > cells[:-1]).all():  # they stand in this order already
        return np.asarray(column, np.float64).reshape(shape)
    flat = np.full(size, np.nan)
    flat[cells] = column
    return flat.reshape(shape)


def _check_columns(attempts: Attempts, there: Mapping[str, NDArray[np.bool_]], where: str) -> None:
    """Refuse values that a system has nowhere."""
    common = [name for name, mask in there.items() if mask.any(axis=1).all()]
    remedy = "give files with the same scores"
    if common:
        remedy = f"--metric {shlex.quote(common[0])} compares what all have"
    for name, mask in there.items():
        for system, row in zip(attempts.systems.names, mask, strict=True):
            if not row.any():
                raise DataError(f"{where}no item of {system} has a value of {name!r}; {remedy}")


# Items that not every system has, or that have no score


def check_policy(missing: str) -> None:
    """Refuse what is no policy for missing items.

    >>> check_policy("drop")
    """
    if missing not in POLICIES:
        raise UsageError(f"missing is {', '.join(POLICIES)}, not {missing!r}")


def settle_missing(
    there: NDArray[np.bool_],
    policy: str,
    systems: Sequence[str],
    items: Sequence[str],
    kind: str,
    where: str = "",
) -> tuple[NDArray[np.intp], list[Notice]]:
    """Return the items to compare and what was done, or raise the error that lists what lacks.

    `there` says which system has which items; `where` begins the error.

    >>> there = np.array([[True, True], [False, True]])
    >>> kept, (notice,) = settle_missing(there, "drop", ["A", "B"], ["q1", "q2"], "item")
    >>> kept.tolist(), notice.text
    ([1], 'Dropped for all systems: 1 item that not every system has; 1 left.')
    """
    common = np.flatnonzero(there.all(axis=0))
    missing = {
        name: natural_sorted([items[k] for k in np.flatnonzero(~row).tolist()])
        for name, row in zip(systems, there, strict=True)
        if not row.all()
    }
    if policy == "error" or not (policy == "zero" or common.size):
        raise DataError(where + _who_lacks_what(there, systems, missing, common.size, kind))
    ids = tuple(dict.fromkeys(item for lacking in missing.values() for item in lacking))
    if policy == "zero":
        numbers = ", ".join(f"{len(lacking)} of {listed([n])}" for n, lacking in missing.items())
        text = f"Missing {plural(kind)} were counted as 0: {numbers}."
        return np.arange(len(items)), [Notice("missing", text, ids)]
    text = f"Dropped for all systems: {several(len(ids), kind)} that not every system has; "
    return common, [Notice("missing", f"{text}{common.size} left.", ids)]


def _who_lacks_what(
    there: NDArray[np.bool_],
    systems: Sequence[str],
    missing: Mapping[str, Sequence[str]],
    n_common: int,
    kind: str,
) -> str:
    named = systems if len(systems) <= _SYSTEMS_SHOWN else list(missing)[:_SYSTEMS_SHOWN]
    numbers = [int(there[systems.index(name)].sum()) for name in named]
    has = [f"{listed([name])} has {n}" for name, n in zip(named, numbers, strict=True)]
    has[0] = f"{listed(named[:1])} has {several(numbers[0], kind)}"
    if len(named) < len(systems):
        has.append(f"all together have {there.shape[1]}")
    lists = [
        f"missing in {listed([name])}: {listed(ids, _IDS_SHOWN)}"
        for name, ids in list(missing.items())[: _SYSTEMS_SHOWN if n_common else 2]
    ]
    remedy = (
        f"--missing drop compares the {several(n_common, 'common ' + kind)}, "
        f"--missing zero counts a missing {kind} as 0, --missing bounds tries whatever it may be"
        if n_common
        else f"they have no {kind} in common: check the ids and --item, or give one test set"
    )
    return f"{', '.join(has)}; {'; '.join(lists)}; {remedy}"


def _settle(
    attempts: Attempts,
    there: Mapping[str, NDArray[np.bool_]],
    missing: str,
    kind: str,
    where: str,
) -> tuple[dict[str, NDArray[np.bool_]], list[Notice]]:
    """Return which values count, systems × items, and what became of those that lack.

    An item that has other values but not this one, for any system, is none of this value's items.
    What only some systems lack is settled as `missing` says, for each value by itself. To lack one
    value of several is no failure of an item: it is then none of this value's items either, rather
    than an error.
    """
    if all(mask.all() for mask in there.values()) and not attempts.errors:
        return dict(there), []
    items = attempts.items.names
    any_value = np.any(list(there.values()), axis=0)  # systems × items
    nowhere = ~any_value.any(axis=0)  # what has no value at all, every column must answer for
    whole = any_value.copy()
    for row in attempts.errors:
        whole[attempts.systems.codes[row], attempts.items.codes[row]] = False
    alike: dict[bytes, list[str]] = {}
    for name, mask in there.items():
        alike.setdefault(mask.tobytes(), []).append(name)
    scored: dict[str, NDArray[np.bool_]] = {}
    notices: list[Notice] = []
    for columns in alike.values():
        mask = there[columns[0]]
        asked = np.flatnonzero(mask.any(axis=0) | nowhere)
        if missing == "error" and (mask | whole)[:, asked].all() and mask.all(axis=0).any():
            asked = np.flatnonzero(mask.all(axis=0))
        if len(asked) < len(items):
            verb = "has" if len(columns) == 1 else "have"
            text = f"{listed(columns, _VALUES_NAMED)} {verb} values for {len(asked):,} of "
            text += f"{several(len(items), kind)}."
            notices.append(Notice("fewer-items", text, tuple(columns)))
        by = f" by {listed(columns, _VALUES_NAMED)}" if len(alike) > 1 else ""
        lost = _lost(attempts, columns, mask, asked, kind)
        notices += [Notice(each.code, f"{each.text}{by}.", each.affected) for each in lost]
        counting = mask[:, asked]
        if not counting.all() and missing not in ("bounds", "own"):
            kept, others = settle_missing(
                counting,
                missing,
                attempts.systems.names,
                [items[i] for i in asked.tolist()],
                kind,
                where + (f"{by.strip()}: " if by else "") + "".join(f"{n.text}; " for n in lost),
            )
            notices += others
            counting = np.zeros_like(counting)
            counting[:, kept] = True
        settled = np.zeros_like(mask)
        settled[:, asked] = counting
        scored |= dict.fromkeys(columns, settled)
    return {name: scored[name] for name in there}, notices


def _lost(
    attempts: Attempts,
    columns: Sequence[str],
    mask: NDArray[np.bool_],
    asked: NDArray[np.intp],
    kind: str,
) -> list[Notice]:
    """Return what each system tried and has no score of; `mask` says which items have one."""
    systems, items = attempts.systems, attempts.items
    lacking = np.any([np.isnan(attempts.values[name]) for name in columns], axis=0)
    alike: dict[tuple[int, str, bool], list[int]] = {}
    for row in np.flatnonzero(lacking & np.isin(items.codes, asked)).tolist():
        system, code = int(systems.codes[row]), "failed" if row in attempts.errors else "no-score"
        again = bool(mask[system, items.codes[row]])
        alike.setdefault((system, code, again), []).append(row)
    notices = []
    for (system, code, again), rows in sorted(alike.items()):
        names = tuple(dict.fromkeys(items.names[items.codes[row]] for row in rows))
        number = several(len(names), kind)
        if again:
            number = f"{several(len(rows), 'run')} of {number}"
        ended = "failed" if code == "failed" else "got no score"
        text = f"{number} {ended} in {listed([systems.names[system]])}"
        reason = " ".join(attempts.errors.get(rows[0], "").split())[:_CHARACTERS_OF_ERROR]
        text += f" ({reason})" if reason else ""
        text += ", left out of the means" if again else ""
        notices.append(Notice(code, text, names))
    return notices


# Runs, conditions and repeats


def _averaged(entries: NDArray[np.float64], column: str) -> Grid:
    """Return the means of systems × entries × items over the entries; NaN is one without a score.

    Means are exact rationals where the integers allow it, also where the numbers of entries
    differ. An item without any is 0.

    >>> _averaged(np.array([[[1.0, 0.5], [0.0, np.nan], [0.0, np.nan]]]), "f1")
    Grid(values=array([[10, 15]]), scale=30, exact=True)
    """
    scored = ~np.isnan(entries)
    filled = entries if scored.all() else np.where(scored, entries, 0.0)
    items = entries.shape[2]
    grid = put_on_grid(filled.reshape(-1, items), column)
    if entries.shape[1] == 1:
        return grid
    sums = grid.values.reshape(filled.shape).sum(axis=1)  # systems × items
    numbers = np.maximum(scored.sum(axis=1), 1)
    common = math.lcm(*np.unique(numbers).tolist())
    factors = common // numbers
    # In floats first: the product of integers could overflow.
    largest = float((np.abs(sums).astype(np.float64) * factors).sum(axis=1).max())
    if largest < LIMIT and grid.scale * common < _LARGEST_SCALE:
        return Grid(sums * factors, grid.scale * common, grid.exact)
    return put_on_grid(list(np.sort(filled, axis=1).sum(axis=1) / numbers), column)


def _kept_entries(
    values: Mapping[str, NDArray[np.float64]], cells: Cells
) -> tuple[NDArray[np.float64], ...]:
    """Return the entries of each system, if one has several."""
    if max(map(len, cells)) < 2:
        return ()
    runs = np.stack(list(values.values()), axis=3)  # systems × entries × items × columns
    none = np.isnan(runs).all(axis=1, keepdims=True)  # such items count as 0, if they do count
    runs = np.where(none, 0.0, runs)
    return tuple(own[: len(entries)] for own, entries in zip(runs, cells, strict=True))


def _repeats_notice(
    attempts: Attempts, values: Mapping[str, NDArray[np.float64]], kind: str, cells: Cells
) -> list[Notice]:
    """Return a notice of how many runs, conditions or repeats were averaged."""
    if max(map(len, cells)) < 2:
        return []
    numbers = np.any([~np.isnan(array) for array in values.values()], axis=0).sum(axis=1)
    if numbers.max(initial=0) < 2:
        return []
    systems = attempts.systems.names
    ranges = [(int(row[row > 0].min()), int(row.max())) for row in numbers if row.any()]
    noun = "runs"
    if all(len(set(own)) == 1 for own in cells):  # no run can be lucky as a whole
        noun = "repeats"
    elif len({condition for own in cells for condition, _ in own}) > 1:
        alone = attempts.runs is None and attempts.repeats is None
        noun = "conditions" if alone else "combinations of condition and run"
    return [Notice("repeats", f"{runs_averaged(ranges, kind, noun)}.", systems)]
