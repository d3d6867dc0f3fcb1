"""Parts of a table in a folder of Parquet files: some items in a row, which are read alone.

A wide table has a row per item; a long one has the rows of an item, one per system, next to each
other. Items stand in the order of their ids over all files, in the order of the files' names: so
duplicates show, and an item's place is the same however the rows are cut into files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.fixed_point import (
    LIMIT,
    binary_exponent,
    decimals_needed,
    refuse_too_close,
    refuse_too_small,
    scale_row,
    too_large,
)
from tellapart.counts.ordering import natural_order
from tellapart.counts.partitioned import ColumnFacts, PartitionedCounts, PartMap
from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.tables.layout import Wanted
from tellapart.formats.tables.likeness import Range, odd_columns, refusal_of_unlike, unlike
from tellapart.formats.tables.parquet_folder import (
    FolderTable,
    find_table,
    plain,
    query,
    quoted,
    rows_of,
    some_files,
    types_of,
)
from tellapart.words import listed, several

_STEP: Final = 1 << 16  # where parts may end: at the ends of the blocks that share random numbers
_VALUES: Final = 1 << 21  # of a part: 16 MB
_HEAD: Final = 1_000  # values that tell, as a rule, what the others are like

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ParquetPart:
    """Some items in a row of one file; the file is opened where the part is read."""

    path: str
    row: int
    """Its first row in the file"""
    first: int
    """The place of its first item among all"""
    size: int
    """How many items it has"""
    table: FolderTable
    grid: tuple[ColumnFacts, ...] = ()
    """Of each column, once all parts have been seen"""

    def values(self) -> Ints:
        """Return systems × items × columns, on the grid that all parts share."""
        found = np.empty((len(self.grid), len(self.table.names), self.size), np.int64)
        for column, rows, facts in zip(found, self.read(), self.grid, strict=True):
            for out, row in zip(column, rows, strict=True):
                scale_row(row, facts.scale, out)
        return found.transpose(1, 2, 0)

    def read(self) -> list[list[NDArray[Any]]]:
        """Return the values as they are in the file: columns × systems, an array each."""
        return self.by_system(self.fetch(self.table.cells))

    def by_system(self, cells: Sequence[NDArray[Any]]) -> list[list[NDArray[Any]]]:
        """Return the cells of its rows as columns × systems, an array each."""
        if self.table.layout.wide:
            return [[plain(each) for each in cells]]
        *values, places = cells
        shaped = np.ma.filled(places, 0).reshape(self.size, -1)
        rows = [plain(each).reshape(shaped.shape) for each in values]
        order = np.argsort(shaped[0])
        if (shaped == shaped[0]).all():
            return [[np.ascontiguousarray(each[:, k]) for k in order] for each in rows]
        each_order = np.argsort(shaped, axis=1)
        return [list(np.take_along_axis(each, each_order, axis=1).T.copy()) for each in rows]

    def clusters(self, label: str) -> tuple[list[str], Ints, Ints]:
        """Return the values of a label by first appearance, and sums and numbers of their items."""
        table, types = self.table, types_of(self.path)
        used = {*table.words, table.layout.item, table.layout.system}
        if label not in types or label in used:
            known = listed([name for name in types if name not in used])
            raise UsageError(f"there is no label {label!r}; labels are: {known or 'none'}")
        texts = np.ma.filled(self.fetch([f"{quoted(label)}::VARCHAR"])[0], "")
        shaped = texts.astype(object).reshape(self.size, -1)
        lost = np.flatnonzero((shaped == "").any(axis=1) | (shaped != shaped[:, :1]).any(axis=1))
        if len(lost):
            raise DataError(
                f"{self.place(int(lost[0]))}: this {table.layout.kind} has no {label!r}, or more "
                "than one; all need one for that"
            )
        names, codes = _codes(shaped[:, 0].tolist())
        values = self.values().transpose(1, 0, 2)  # items × systems × columns
        sums = np.zeros((len(names), *values.shape[1:]), np.int64)
        np.add.at(sums, codes, values)
        return names, sums, np.bincount(codes, minlength=len(names)).astype(np.int64)

    def place(self, item: int) -> str:
        """Return the file and the row of an item, as messages name them."""
        return f"{shown(self.path)}, row {self.row + item * self.table.rows_per_item + 1}"

    def cell(self, item: int, systems: Sequence[int]) -> tuple[str, int]:
        """Return file and row of an item's first value of some systems, and whose it is."""
        if self.table.layout.wide:
            return self.place(item), systems[0]
        each = self.table.rows_per_item
        one = replace(self, row=self.row + item * each, first=self.first + item, size=1)
        codes = one.fetch([self.table.place_of_system])[0].tolist()
        row = next(k for k, code in enumerate(codes) if code - 1 in systems)
        return f"{shown(self.path)}, row {one.row + row + 1}", codes[row] - 1

    def fetch(self, words: Sequence[str]) -> list[NDArray[Any]]:
        """Return some expressions of its rows, in the order of the file."""
        named = ", ".join(f"{each} AS c{k}" for k, each in enumerate(words))
        end = self.row + self.size * self.table.rows_per_item
        found = query(
            f"SELECT {named} FROM read_parquet(?, file_row_number = true) "
            "WHERE file_row_number >= ? AND file_row_number < ?",
            [self.path, self.row, end],
            self.path,
        )
        return [found[f"c{k}"] for k in range(len(words))]


def _codes(texts: Sequence[str]) -> tuple[list[str], Ints]:
    places: dict[str, int] = {}
    codes = [places.setdefault(text, len(places)) for text in texts]
    return list(places), np.array(codes, np.int64)


def open_partitions(
    source: str,
    *,
    item: str | None = None,
    columns: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    system: Sequence[str] | None = None,
    ready: bool = False,
    part_map: PartMap | None = None,
) -> PartitionedCounts:
    """Open a folder of Parquet files, a pattern such as ``runs/*.parquet``, or an address.

    Every part is read once, to check its ids and to find the grid that all values share;
    `part_map` may do that on a cluster. The other arguments are those of `tellapart.read`.

    >>> import duckdb, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> rows = "SELECT i AS item, i % 2 AS A, i % 3 AS B FROM range(100) t(i)"
    >>> _ = duckdb.execute(f"COPY ({rows}) TO '{folder}/part-0.parquet'")
    >>> open_partitions(folder)
    <PartitionedCounts: 2 systems × 100 items × 1 column in 1 part>
    """
    files = some_files(source)
    named = (_names(columns), _names(labels), _names(system))
    wanted = Wanted(item, *named, ready, alone=True)
    table, left_out = find_table(files, wanted)
    parts = tuple(_cut(files, table))
    found: list[_PartFacts] = list((part_map or _here)(_part_facts, None, parts))
    for before, part, facts in zip(found[:-1], parts[1:], found[1:], strict=True):
        _check_border(before, part, facts)
    odd = _odd_columns(source, table, found) if wanted.system is None else ()
    grid = tuple(
        _column_facts(name, [each.columns[k] for each in found])
        for k, name in enumerate(table.columns)
    )
    return PartitionedCounts(
        table.names,
        dict(zip(table.columns, grid, strict=True)),
        parts[-1].first + parts[-1].size,
        tuple(replace(part, grid=grid) for part in parts),
        table.layout.kind,
        table.layout.form,
        source,
        (*odd, *_left_out(left_out)),
    )


def _here(function: Callable[[Any, Any], Any], payload: Any, parts: Sequence[Any]) -> Iterable[Any]:
    return (function(payload, each) for each in parts)


def _names(given: Sequence[str] | None) -> tuple[str, ...] | None:
    return ((given,) if isinstance(given, str) else tuple(given)) if given else None


def _left_out(names: tuple[str, ...]) -> Iterator[Notice]:
    if names:
        yield Notice("columns", f"Columns that were not read: {listed(names)}; --columns names "
                     "those to compare by.", names)  # fmt: skip


def _odd_columns(
    source: str, table: FolderTable, parts: Sequence[_PartFacts]
) -> tuple[Notice, ...]:
    """Return warnings of columns that may be no systems; those that can hardly be are refused."""
    if not table.layout.wide:
        return ()
    ranges = dict.fromkeys(table.names, Range())
    for part in parts:
        for name, own in zip(table.names, part.columns[0].ranges, strict=True):
            ranges[name] = ranges[name].with_range(own)
    if unlike(ranges):
        raise refusal_of_unlike(source, ranges)
    return tuple(odd_columns({name: each.extreme for name, each in ranges.items()}))


def _cut(files: Sequence[str], table: FolderTable) -> Iterator[ParquetPart]:
    """Yield parts of all files, which end where blocks of items or files do."""
    each = table.rows_per_item
    step = _STEP * max(1, _VALUES // (len(table.names) * len(table.columns) * _STEP))
    place = 0
    for path, rows in zip(files, rows_of(files), strict=True):
        items, rest = divmod(rows, each)
        end = place + items
        while place < end:
            size = min(end, (place // step + 1) * step) - place
            part = ParquetPart(path, (items - (end - place)) * each, place, size, table)
            if rest:  # to name the first item that is not whole
                _ids(part, *part.fetch([quoted(table.layout.item), table.place_of_system]))
            yield part
            place += size
        if rest:
            raise _cut_item(ParquetPart(path, items * each, place, 1, table), rest)
    if place == 0:
        raise DataError(f"{shown(files[0])}: the files have no rows")


def _cut_item(part: ParquetPart, rows: int) -> DataError:
    """Return what is wrong with the last rows of a file, which are fewer than an item has."""
    layout, names = part.table.layout, part.table.names
    own = str(part.fetch([quoted(layout.item)])[0][0])
    return DataError(
        f"{part.place(0)}: {layout.kind} {own!r} has {several(rows, 'row')} at the end of the file "
        f"and not one of each system ({listed(names)}): add those that are missing, or move them "
        "here from the next file"
    )


@dataclass(frozen=True, slots=True)
class _PartFacts:
    first: Any
    last: Any
    columns: tuple[_RawColumn, ...]


@dataclass(frozen=True, slots=True)
class _RawColumn:
    """What is known of a column of a part before the grid is."""

    whole: bool
    """Whether all are integers in the file"""
    decimals: int | None
    """How many they need; None if too many"""
    totals: tuple[float, ...]
    """By system, the sum of absolute values"""
    ranges: tuple[Range, ...]
    """By system"""
    two_valued: bool
    """Whether all are 0 or the largest one"""
    apart: float
    """The largest difference between two systems on an item"""

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return max(abs(each.extreme) for each in self.ranges)


def _part_facts(_: None, part: ParquetPart) -> _PartFacts:
    """Return what the grid depends on; ids must ascend, and values be numbers."""
    given, *cells = part.fetch([quoted(part.table.layout.item), *part.table.cells])
    ids = _ids(part, given, cells[-1])
    _check_order(ids, part.table, part.place)
    found = tuple(_raw(part, k, rows) for k, rows in enumerate(part.by_system(cells)))
    return _PartFacts(ids[0], ids[-1], found)


def _ids(part: ParquetPart, ids: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """Return the ids of a part's items; each must have one, and a row of each system.

    `places` are those of the rows' systems, if a row is of one.
    """
    layout, each = part.table.layout, part.table.rows_per_item
    if np.ma.is_masked(ids):
        row = part.row + int(np.flatnonzero(np.ma.getmaskarray(ids))[0]) + 1
        raise DataError(
            f"{shown(part.path)}, row {row}: there is no {layout.item}; give each an id"
        )
    shaped = np.ma.getdata(ids).reshape(part.size, each)
    if not layout.wide:
        _check_systems(part, shaped, np.ma.filled(places, 0).reshape(shaped.shape))
    return shaped[:, 0]


def _check_systems(part: ParquetPart, ids: NDArray[Any], places: NDArray[Any]) -> None:
    """Refuse items that lack a system, have one twice, or have one that others lack."""
    table = part.table
    ordered = places[:1] if (places == places[0]).all() else places
    wrong = (ids[:, 1:] != ids[:, :1]).any(axis=1)
    wrong |= (np.sort(ordered, axis=1) != np.arange(1, len(table.names) + 1)).any(axis=1)
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise DataError(
            f"{part.place(k)}: {table.layout.kind} {str(ids[k, 0])!r} has not one row of each "
            f"system ({listed(table.names)}): one is missing, or twice, or rows of an item do not "
            f"stand together; sort them by {table.layout.item}"
        )


def _check_order(ids: NDArray[Any], table: FolderTable, place: Callable[[int], str]) -> None:
    """Refuse ids that do not ascend: they would not be found twice, nor in another order.

    `place` tells where an id stands.
    """
    ranks: NDArray[Any] = ids
    if ids.dtype.kind not in "iu":
        ranks = np.empty(len(ids), np.int64)
        ranks[natural_order([str(each) for each in ids.tolist()])] = np.arange(len(ids))
    wrong = np.flatnonzero((ranks[1:] <= ranks[:-1]) | (ids[1:] == ids[:-1]))
    if not len(wrong):
        return
    k, kind = int(wrong[0]) + 1, table.layout.kind
    before, own = str(ids[k - 1]), str(ids[k])
    if own == before:
        raise DataError(f"{place(k)}: {kind} {own!r} appears twice; give each its own id")
    raise DataError(
        f"{place(k)}: {kind} {own!r} comes after {before!r}: sort the rows by {table.layout.item} "
        "over all files, numbers as numbers, so that their order is known without having all of "
        "them in memory"
    )


def _check_border(before: _PartFacts, part: ParquetPart, facts: _PartFacts) -> None:
    """Refuse a part whose ids do not go on where those of the one before end."""
    _check_order(np.array([before.last, facts.first]), part.table, lambda k: part.place(k - 1))


def _raw(part: ParquetPart, k: int, rows: list[NDArray[Any]]) -> _RawColumn:
    """Return what is known of a column, which must have finite numbers; counts are 0 or more."""
    layout = part.table.layout
    ends = [(float(row.min()), float(row.max())) for row in rows]
    if not np.isfinite(ends).all():
        remedy = f"give every {layout.kind} a number for each system"
        raise _wrong_cell(part, k, rows, [~np.isfinite(row) for row in rows], remedy)
    if layout.form == "counts" and min(ends)[0] < 0:
        raise _wrong_cell(part, k, rows, [row < 0 for row in rows], "counts are 0 or more")
    decimals = [0 if row.dtype.kind in "iu" else decimals_needed([row]) for row in rows]
    ranges = tuple(
        Range(max(low, high, key=abs), needed == 0, low < 0)
        for (low, high), needed in zip(ends, decimals, strict=True)
    )
    largest = max(abs(each.extreme) for each in ranges)
    apart = np.subtract(reduce(np.maximum, rows), reduce(np.minimum, rows), dtype=np.float64)
    return _RawColumn(
        all(row.dtype.kind in "iu" for row in rows),
        None if None in decimals else max(each or 0 for each in decimals),
        tuple(
            float((row if low >= 0 else np.abs(row.astype(np.float64))).sum(dtype=np.float64))
            for row, (low, _) in zip(rows, ends, strict=True)
        ),
        ranges,
        all(_has_only(row, largest) for row in rows),
        float(apart.max()),
    )


def _has_only(row: NDArray[Any], value: float) -> bool:
    """Return whether all are 0 or one value; of other numbers the first ones tell."""
    return all(bool(((some == 0) | (some == value)).all()) for some in (row[:_HEAD], row[_HEAD:]))


def _wrong_cell(
    part: ParquetPart,
    k: int,
    rows: Sequence[NDArray[Any]],
    wrong: Sequence[NDArray[np.bool_]],
    remedy: str,
) -> DataError:
    """Return what is wrong with the first of a column's values that are."""
    item = min(int(np.argmax(each)) for each in wrong if each.any())
    place, at = part.cell(item, [s for s, each in enumerate(wrong) if each[item]])
    value, names = rows[at][item], list(part.table.words)
    if np.isnan(value):
        finding = f"there is no {part.table.columns[k]} of system {part.table.names[at]!r}"
    else:
        kind = "not a finite number" if np.isinf(value) else "negative"
        column = names[at] if part.table.layout.wide else names[k]
        finding = f"{str(value)!r} in column {column!r} is {kind}"
    return DataError(f"{place}: {finding}; {remedy}")


def _column_facts(name: str, parts: Sequence[_RawColumn]) -> ColumnFacts:
    """Return the grid of a column: that of the shortest decimals, or else a binary one."""
    total = max(map(math.fsum, zip(*(each.totals for each in parts), strict=True)))
    largest = max(each.largest for each in parts)
    refuse_too_small(name, largest)
    decimals = [each.decimals for each in parts]
    needed = None if None in decimals else max(each or 0 for each in decimals)
    if needed is not None and total * 10.0**needed < LIMIT * (1 - 1e-9):
        scale, exact = 10**needed, True
    elif all(each.whole for each in parts):
        raise too_large(name)
    else:
        scale, exact = 1 << _exponent(name, total, largest, parts), False
    two_valued = exact and all(each.two_valued and each.largest in (0, largest) for each in parts)
    return ColumnFacts(scale, exact, round(largest * scale), two_valued)


def _exponent(name: str, total: float, largest: float, parts: Sequence[_RawColumn]) -> int:
    """Return the exponent of a binary grid; values that it cannot tell apart are refused."""
    exponent = binary_exponent(name, total, largest)
    if math.ldexp(total, exponent) >= LIMIT:
        exponent -= 1
    if exponent < 0:
        raise too_large(name)
    refuse_too_close(name, max(each.apart for each in parts), exponent)
    return exponent
