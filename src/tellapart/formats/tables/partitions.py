"""Parquet files of one data set, partitioned by item: read part by part, or as a whole if small.

A wide table has a row per item; a long one has the rows of an item, one per system, next to each
other. Items stand in the order of their ids over all files, in the order of the files' names: so
duplicates show, and an item's place is the same however the rows are cut into files.
"""

from __future__ import annotations

import glob
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.arrays import ITEM_COLUMNS
from tellapart.counts.fixed_point import (
    LIMIT,
    binary_exponent,
    decimals_needed,
    refuse_too_close,
    too_large,
    widen,
)
from tellapart.counts.ordering import natural_order, natural_sorted
from tellapart.counts.partitioned import ColumnFacts, PartitionedCounts, PartMap
from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.head import files_below
from tellapart.formats.tables.files import Batch, known_in_small_letters
from tellapart.formats.tables.layout import Columns, Layout, Wanted, find_layout
from tellapart.words import listed, several

MOST_IN_MEMORY: Final = 20_000_000
"""Values, of all systems and columns, up to which a data set is read as a whole"""

_HEAD: Final = 1_000  # rows that tell what the columns are
_STEP: Final = 1 << 16  # where parts may end: at the ends of the blocks that share random numbers
_VALUES: Final = 1 << 21  # of a part: 16 MB
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+]*://", re.IGNORECASE)
_MEMORY: Final = "512MB"  # of DuckDB, for each part that is read
_INTEGERS: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")

Ints = NDArray[np.int64]


def parquet_files(source: str) -> list[str]:
    """Return the Parquet files of a folder, a pattern or an address, in natural order; [] if none.

    >>> parquet_files("no-such-folder")
    []
    """
    if _ADDRESS.match(source):
        pattern = source if "*" in source or source.endswith(".parquet") else f"{source}/**"
        rows = _query("SELECT file FROM glob(?)", [pattern], source)["file"].tolist()
        found = [str(path) for path in rows]
    elif os.path.isdir(source):
        found = files_below(source)
    elif "*" in source and not os.path.exists(source):
        found = glob.glob(source, recursive=True)
    else:
        return []
    return natural_sorted([path for path in found if path.endswith(".parquet")])


def is_data_set(source: str, item: str | None = None) -> bool:
    """Return whether a source is a table in several files: Parquet with a column of items."""
    files = parquet_files(source)
    if not files:
        return False
    types = _types(files[0])
    return not {name.lower() for name in types}.isdisjoint(ITEM_COLUMNS) or item in types


@dataclass(frozen=True, slots=True)
class PartTable:
    """What all parts of a data set share: which columns are read, and the grid of their values."""

    layout: Layout
    names: tuple[str, ...]
    words: Mapping[str, str]
    """By column of the file, how it is read"""
    facts: tuple[ColumnFacts, ...] = ()

    @property
    def rows_per_item(self) -> int:
        """How many rows an item has."""
        return 1 if self.layout.wide else len(self.names)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values."""
        return ("score",) if self.layout.wide else tuple(self.layout.values.values())


@dataclass(frozen=True, slots=True)
class ParquetPart:
    """Some items in a row of one file; the file is opened where the part is read."""

    path: str
    row: int
    """Its first row in the file"""
    first: int
    size: int
    table: PartTable

    def values(self) -> Ints:
        """Return systems × items × columns, on the grid that all parts share."""
        columns = [
            np.stack([_on_grid(row, facts) for row in rows], axis=0)
            for rows, facts in zip(self.read(), self.table.facts, strict=True)
        ]
        return np.stack(columns, axis=2)

    def read(self) -> list[list[NDArray[Any]]]:
        """Return the values as they are in the file: columns × systems, an array each."""
        table = self.table
        if table.layout.wide:
            found = self.fetch(table.words.values())
            return [[_plain(found[f"c{k}"]) for k in range(len(table.names))]]
        found = self.fetch([*table.words.values(), _place_of_system(table)])
        codes = np.ma.filled(found.pop(f"c{len(table.words)}"), 0).reshape(self.size, -1)
        order = np.argsort(codes, axis=1)
        rows = [_plain(found[f"c{k}"]).reshape(codes.shape) for k in range(len(table.words))]
        return [list(np.take_along_axis(each, order, axis=1).T) for each in rows]

    def clusters(self, label: str) -> tuple[list[str], Ints, Ints]:
        """Return the values of a label by first appearance, and sums and numbers of their items."""
        table, types = self.table, _types(self.path)
        used = {*table.words, table.layout.item, table.layout.system}
        if label not in types or label in used:
            known = listed([name for name in types if name not in used])
            raise UsageError(f"there is no label {label!r}; labels are: {known or 'none'}")
        texts = np.ma.filled(self.fetch([f"{_quoted(label)}::VARCHAR"])["c0"], "")
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
        codes = one.fetch([_place_of_system(self.table)])["c0"].tolist()
        row = next(k for k, code in enumerate(codes) if code - 1 in systems)
        return f"{shown(self.path)}, row {one.row + row + 1}", codes[row] - 1

    def fetch(self, words: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return some expressions of its rows as c0, c1, …, in the order of the file."""
        listed_words = ", ".join(f"{each} AS c{k}" for k, each in enumerate(words))
        end = self.row + self.size * self.table.rows_per_item
        return _query(
            f"SELECT {listed_words} FROM read_parquet(?, file_row_number = true) "
            "WHERE file_row_number >= ? AND file_row_number < ?",
            [self.path, self.row, end],
            self.path,
        )


def open_partitions(
    source: str,
    *,
    item: str | None = None,
    columns: Sequence[str] | None = None,
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
    files = parquet_files(source)
    if not files:
        raise UsageError(f"{shown(source)}: {_no_files(source)}")
    wanted = Wanted(item, tuple(columns) if columns else None, (), _names(system), ready)
    table = _table(files[0], wanted)
    left_out, types = list(table.layout.maybe), _types(files[0])
    for path in files[1:]:
        left_out += _check_columns(path, table, wanted, files[0], types)
    parts = tuple(_cut(files, table))
    found: list[_PartFacts] = list((part_map or _here)(_part_facts, table, parts))
    for before, part, facts in zip(found[:-1], parts[1:], found[1:], strict=True):
        _check_border(before, part, facts)
    grids = tuple(
        _column_facts(name, [each.columns[k] for each in found])
        for k, name in enumerate(table.columns)
    )
    table = PartTable(table.layout, table.names, table.words, grids)
    return PartitionedCounts(
        table.names,
        dict(zip(table.columns, grids, strict=True)),
        parts[-1].first + parts[-1].size,
        tuple(ParquetPart(p.path, p.row, p.first, p.size, table) for p in parts),
        table.layout.kind,
        table.layout.form,
        source,
        tuple(_left_out(tuple(dict.fromkeys(left_out)))),
    )


def _no_files(source: str) -> str:
    """Return why there are no Parquet files, and what to do."""
    if os.path.isdir(source):
        return "there is no Parquet file (.parquet) in this folder; name the one that has them"
    if "*" in source or _ADDRESS.match(source):
        return "no Parquet file (.parquet) is called like this; check the pattern and the folder"
    if os.path.exists(source):
        return "this is no folder, and parts are of a folder of Parquet files; name it"
    return "there is no such folder; check the name"


def whole_table(source: str) -> dict[str, Any]:
    """Return all rows of a small data set as columns, for the reader of frames."""
    files = parquet_files(source)
    found = _query("SELECT * FROM read_parquet(?, union_by_name = true)", [files], source)
    return {name: _listed(cells) for name, cells in {**found, **_mixed_floats(files)}.items()}


def _mixed_floats(files: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return columns of short floats that are other numbers in some files, as parts read them.

    DuckDB would make them long by their bits: 0.1 would be 0.10000000149.
    """
    kinds = _query(
        "SELECT name FROM parquet_schema(?) GROUP BY name "
        "HAVING count(DISTINCT type) > 1 AND bool_or(type = 'FLOAT')", [list(files)], files[0]
    )["name"].tolist()  # fmt: skip
    types = {path: _types(path) for path in files} if kinds else {}
    found: dict[str, NDArray[Any]] = {}
    for name in kinds:
        own = [types[path].get(name) for path in files]
        if any(kind is not None and not _is_number(kind) for kind in own):
            continue
        cells = []
        for path, kind in zip(files, own, strict=True):
            word = "NULL::DOUBLE" if kind is None else _read_as(path, name, kind)
            rows = _query(f"SELECT {word} AS c0 FROM read_parquet(?)", [path], path)["c0"]
            cells.append((_plain(rows).astype(np.float64), np.ma.getmaskarray(rows)))
        numbers, lost = (np.concatenate(each) for each in zip(*cells, strict=True))
        found[name] = np.ma.masked_array(numbers, lost)
    return found


def _is_number(kind: str) -> bool:
    return kind in (*_INTEGERS, "BOOLEAN", "DOUBLE", "FLOAT", "UBIGINT") or kind[:7] == "DECIMAL"


def values_in(source: str) -> int:
    """Return how many values a data set has: rows times columns that are no texts."""
    files = parquet_files(source)
    rows = _query("SELECT sum(num_rows) AS n FROM parquet_file_metadata(?)", [files], source)["n"]
    numeric = sum(kind != "VARCHAR" for kind in _types(files[0]).values())
    return int(rows[0]) * max(1, numeric)


def _place_of_system(table: PartTable) -> str:
    """Return the words for the place of a row's system among all, from 1 on."""
    return f"list_position({_texts(table.names)}, {_quoted(table.layout.system or '')})"


def _codes(texts: Sequence[str]) -> tuple[list[str], Ints]:
    places: dict[str, int] = {}
    codes = [places.setdefault(text, len(places)) for text in texts]
    return list(places), np.array(codes, np.int64)


def _table(path: str, wanted: Wanted) -> PartTable:
    """Return what is read of the files, by the first rows and by what the user says."""
    types, layout = _types(path), _layout(path, wanted)
    if layout is None:
        raise DataError(f"{shown(path)}: the first file has no rows; remove empty files")
    _refuse_layout(path, layout)
    names = tuple(layout.values.values()) if layout.wide else _systems(path, layout)
    words = {name: _read_as(path, name, types[name]) for name in layout.values}
    return PartTable(layout, names, words)


def _layout(path: str, wanted: Wanted) -> Layout | None:
    """Return what the columns of a file are, by its first rows; None if it has none."""
    head = _query("SELECT * FROM read_parquet(?) LIMIT ?", [path, _HEAD], path)
    cells = {name: _listed(each) for name, each in head.items()}
    spelled = dict(zip(known_in_small_letters(list(cells)), cells, strict=True))
    seen = Columns(path)
    rows = np.arange(1, len(next(iter(cells.values()))) + 1, dtype=np.int32)
    if not len(rows):
        return None
    seen.add(Batch(path, rows, {name: cells[own] for name, own in spelled.items()}, ", row "))
    return _in_file(find_layout(seen, wanted), spelled)


def _in_file(layout: Layout, spelled: Mapping[str, str]) -> Layout:
    """Return a layout by the names that columns have in the files."""
    values = {spelled[name]: own for name, own in layout.values.items()}
    system = None if layout.system is None else spelled[layout.system]
    return replace(layout, item=spelled[layout.item], values=values, system=system)


def _refuse_layout(path: str, layout: Layout) -> None:
    """Refuse tables whose parts cannot be summed alone."""
    place = shown(path)
    if layout.run is not None or layout.metric is not None:
        what = layout.run or layout.metric
        raise DataError(
            f"{place}: the column {what!r} gives an item several rows of a system, and parts have "
            "one: average or pivot them first, or drop the column"
        )
    if not layout.wide and layout.system is None:
        raise DataError(
            f"{place}: no column names the systems, and none is called like one: name them with "
            "--system (one that names them, or several that are systems)"
        )
    if not layout.values:
        raise DataError(
            f"{place}: several columns may be scores ({listed(layout.maybe)}); name them with "
            "--columns"
        )


def _systems(path: str, layout: Layout) -> tuple[str, ...]:
    """Return the systems in the order of the first item's rows."""
    both = f"{_quoted(layout.item)} AS item, {_quoted(layout.system or '')} AS system"
    head = _query(f"SELECT {both} FROM read_parquet(?) LIMIT ?", [path, _HEAD], path)
    items, systems = head["item"].tolist(), head["system"].tolist()
    own = [str(name) for item, name in zip(items, systems, strict=True) if item == items[0]]
    if len(own) != len(set(own)):
        raise DataError(
            f"{shown(path)}, row 1: {layout.kind} {str(items[0])!r} appears twice for system "
            f"{own[0]!r}; give each row its own id"
        )
    if len(own) < 2:
        raise DataError(
            f"{shown(path)}, row 1: {layout.kind} {str(items[0])!r} has one row, of system "
            f"{own[0]!r}, before the next one comes: the rows of an item, one per system, must "
            f"stand together; sort the rows by {layout.item} and {layout.system}"
        )
    return tuple(own)


def _read_as(path: str, name: str, kind: str) -> str:
    """Return the words that read a column as numbers."""
    if kind == "BOOLEAN":
        return f"{_quoted(name)}::TINYINT"
    if kind in (*_INTEGERS, "DOUBLE", "FLOAT"):
        return _quoted(name)
    if kind == "UBIGINT":
        return f"{_quoted(name)}::BIGINT"
    if kind.startswith("DECIMAL"):
        return f"{_quoted(name)}::DOUBLE"
    raise DataError(
        f"{shown(path)}: column {name!r} holds {kind}, not numbers: write it as integers, decimals "
        "or booleans, or name the columns of values with --columns"
    )


def _left_out(names: tuple[str, ...]) -> Iterator[Notice]:
    if names:
        yield Notice("columns", f"Columns that were not read: {listed(names)}; --columns names "
                     "those to compare by.", names)  # fmt: skip


def _cut(files: Sequence[str], table: PartTable) -> Iterator[ParquetPart]:
    """Yield parts of all files, which end where blocks of items or files do."""
    found = _query(
        "SELECT file_name, num_rows FROM parquet_file_metadata(?)", [list(files)], files[0]
    )
    rows = dict(zip(found["file_name"].tolist(), found["num_rows"].tolist(), strict=True))
    each = table.rows_per_item
    step = _STEP * max(1, _VALUES // (len(table.names) * len(table.columns) * _STEP))
    place = 0
    for path in files:
        items, rest = divmod(int(rows[path]), each)
        end = place + items
        while place < end:
            size = min(end, (place // step + 1) * step) - place
            part = ParquetPart(path, (items - (end - place)) * each, place, size, table)
            if rest:
                _ids(part)  # which names the first item that is not whole
            yield part
            place += size
        if rest:
            raise _cut_item(ParquetPart(path, items * each, place, 1, table), rest)
    if place == 0:
        raise DataError(f"{shown(files[0])}: the files have no rows")


def _cut_item(part: ParquetPart, rows: int) -> DataError:
    """Return what is wrong with the last rows of a file, which are fewer than an item has."""
    layout, names = part.table.layout, part.table.names
    own = str(part.fetch([_quoted(layout.item)])["c0"][0])
    return DataError(
        f"{part.place(0)}: {layout.kind} {own!r} has {several(rows, 'row')} at the end of the file "
        f"and not one of each system ({listed(names)}): add those that are missing, or move them "
        "here from the next file"
    )


def _check_columns(
    path: str, table: PartTable, wanted: Wanted, first: str, first_types: Mapping[str, str]
) -> tuple[str, ...]:
    """Refuse a file that has not the values of the first one; return what else may be values."""
    types, layout = _types(path), table.layout
    for name in (layout.item, layout.system, *table.words):
        if name is not None and name not in types:
            raise DataError(
                f"{shown(path)}: there is no column {name!r}, which {shown(first)} has; give all "
                "files the same columns"
            )
    for name in table.words:
        _read_as(path, name, types[name])
    own = None if types == first_types else _layout(path, wanted)
    if own is None:  # nothing else, or no rows
        return ()
    for name in own.values:
        if name not in table.words:
            what, option = ("a system", "--system") if layout.wide else ("a value", "--columns")
            raise DataError(
                f"{shown(path)}: column {name!r} is {what} here and none in {shown(first)}; give "
                f"all files the same columns, or name those to compare with {option}"
            )
    return own.maybe


@dataclass(frozen=True, slots=True)
class _RawColumn:
    """What is known of a column of a part before the grid is."""

    whole: bool
    decimals: int | None
    totals: tuple[float, ...]
    """By system, the sum of absolute values"""
    smallest: float
    """Of the values that are not 0"""
    largest: float
    apart: float
    """The largest difference between two systems on an item"""


@dataclass(frozen=True, slots=True)
class _PartFacts:
    first: Any
    last: Any
    columns: tuple[_RawColumn, ...]


def _part_facts(table: PartTable, part: ParquetPart) -> _PartFacts:
    """Return what the grid depends on; ids must ascend, and values be numbers."""
    ids = _ids(part)
    _check_order(ids, table, part.place)
    found = tuple(_raw(part, k, rows) for k, rows in enumerate(part.read()))
    return _PartFacts(ids[0], ids[-1], found)


def _ids(part: ParquetPart) -> NDArray[Any]:
    """Return the ids of a part's items; each must have one, and a row of each system."""
    layout, each = part.table.layout, part.table.rows_per_item
    ids = part.fetch([_quoted(layout.item)])["c0"]
    if np.ma.is_masked(ids):
        row = part.row + int(np.flatnonzero(np.ma.getmaskarray(ids))[0]) + 1
        raise DataError(
            f"{shown(part.path)}, row {row}: there is no {layout.item}; give each an id"
        )
    shaped = np.ma.getdata(ids).reshape(part.size, each)
    if not layout.wide:
        _check_systems(part, shaped)
    return shaped[:, 0]


def _check_systems(part: ParquetPart, ids: NDArray[Any]) -> None:
    """Refuse items that lack a system, have one twice, or have one that others lack."""
    table = part.table
    codes = np.ma.filled(part.fetch([_place_of_system(table)])["c0"], 0).reshape(ids.shape)
    wrong = (ids != ids[:, :1]).any(axis=1)
    wrong |= (np.sort(codes, axis=1) != np.arange(1, len(table.names) + 1)).any(axis=1)
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise DataError(
            f"{part.place(k)}: {table.layout.kind} {str(ids[k, 0])!r} has not one row of each "
            f"system ({listed(table.names)}): one is missing, or twice, or rows of an item do not "
            f"stand together; sort them by {table.layout.item}"
        )


def _check_border(before: _PartFacts, part: ParquetPart, facts: _PartFacts) -> None:
    """Refuse a part whose ids do not go on where those of the one before end."""
    _check_order(np.array([before.last, facts.first]), part.table, lambda k: part.place(k - 1))


def _check_order(ids: NDArray[Any], table: PartTable, place: Callable[[int], str]) -> None:
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


def _raw(part: ParquetPart, k: int, rows: list[NDArray[Any]]) -> _RawColumn:
    """Return what is known of a column, which must have finite numbers; counts are 0 or more."""
    layout = part.table.layout
    remedy = f"give every {layout.kind} a number for each system"
    _refuse_cells(part, k, rows, lambda row: ~np.isfinite(row), remedy)
    if layout.form == "counts":
        _refuse_cells(part, k, rows, lambda row: row < 0, "counts are 0 or more")
    whole = all(row.dtype.kind in "iu" for row in rows)
    nonzero = [row[row != 0] for row in rows]
    smallest = min((float(row.min()) for row in nonzero if len(row)), default=0.0)
    largest = max((float(np.abs(row).max()) for row in nonzero if len(row)), default=0.0)
    reals = [row.astype(np.float64, copy=False) for row in rows]
    totals = tuple(float(np.abs(row).sum()) for row in reals)
    decimals = 0 if whole else decimals_needed(reals)
    apart = float((np.maximum.reduce(reals) - np.minimum.reduce(reals)).max())
    return _RawColumn(whole, decimals, totals, smallest, largest, apart)


def _refuse_cells(
    part: ParquetPart,
    k: int,
    rows: Sequence[NDArray[Any]],
    is_wrong: Callable[[NDArray[Any]], NDArray[np.bool_]],
    remedy: str,
) -> None:
    """Refuse values of a column by what is wrong with the first of them."""
    wrong = [np.flatnonzero(is_wrong(row)) for row in rows]
    item = min((int(found[0]) for found in wrong if len(found)), default=None)
    if item is None:
        return
    place, at = part.cell(item, [s for s, found in enumerate(wrong) if item in found[:1]])
    value, names = rows[at][item], list(part.table.words)
    if np.isnan(value):
        finding = f"there is no {part.table.columns[k]} of system {part.table.names[at]!r}"
    else:
        kind = "not a finite number" if np.isinf(value) else "negative"
        column = names[at] if part.table.layout.wide else names[k]
        finding = f"{str(value)!r} in column {column!r} is {kind}"
    raise DataError(f"{place}: {finding}; {remedy}")


def _column_facts(name: str, parts: Sequence[_RawColumn]) -> ColumnFacts:
    """Return the grid of a column: that of the shortest decimals, or else a binary one."""
    total = max(map(math.fsum, zip(*(each.totals for each in parts), strict=True)))
    largest = max(each.largest for each in parts)
    smallest = min((each.smallest for each in parts if each.largest), default=0.0)
    decimals = [each.decimals for each in parts]
    needed = None if None in decimals else max(each or 0 for each in decimals)
    if needed is not None and total * 10.0**needed < LIMIT * (1 - 1e-9):
        scale, exact = 10**needed, True
    elif all(each.whole for each in parts):
        raise too_large(name)
    else:
        scale, exact = 1 << _exponent(name, total, largest, parts), False
    two_valued = exact and smallest == largest
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


def _on_grid(row: NDArray[Any], facts: ColumnFacts) -> Ints:
    if row.dtype.kind in "iu":
        return row.astype(np.int64) * facts.scale
    return np.asarray(np.rint(row * float(facts.scale)), np.int64)


def _plain(cells: NDArray[Any]) -> NDArray[Any]:
    """Return integers or float64; what is missing is not a number."""
    if np.ma.is_masked(cells):
        return np.ma.filled(cells.astype(np.float64), np.nan)
    data = np.ma.getdata(cells)
    return data if data.dtype.kind in "iu" else widen(data)


def _listed(cells: NDArray[Any]) -> Any:
    """Return a column as the reader of tables takes it: numbers as an array, else a list."""
    if np.ma.is_masked(cells):
        return [None if lost else cell for cell, lost in zip(
            np.ma.getdata(cells).tolist(), np.ma.getmaskarray(cells).tolist(), strict=True
        )]  # fmt: skip
    data = np.ma.getdata(cells)
    return data if data.dtype.kind in "iuf" else data.tolist()


def _names(given: Sequence[str] | None) -> tuple[str, ...] | None:
    return ((given,) if isinstance(given, str) else tuple(given)) if given else None


def _here(function: Callable[[Any, Any], Any], payload: Any, parts: Sequence[Any]) -> Iterable[Any]:
    return (function(payload, each) for each in parts)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _texts(names: Sequence[str]) -> str:
    return "[" + ", ".join("'" + name.replace("'", "''") + "'" for name in names) + "]"


def _types(path: str) -> dict[str, str]:
    """Return the columns of a file and their types."""
    found = _query(
        "SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(?))", [path], path
    )
    return dict(zip(found["column_name"].tolist(), found["column_type"].tolist(), strict=True))


def _query(words: str, values: list[Any], source: str) -> dict[str, NDArray[Any]]:
    """Return what DuckDB finds, as arrays by name; the order of rows is that of the files."""
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "folders of Parquet files are read by DuckDB: pip install 'tellapart[parquet]'"
        ) from None
    try:
        with duckdb.connect(config={"threads": 1, "memory_limit": _MEMORY}) as connection:
            if _ADDRESS.match(source):
                _reach_out(connection, source)
            found: dict[str, NDArray[Any]] = connection.execute(words, values).fetchnumpy()
            return found
    except duckdb.Error as problem:
        files = values[0] if values and isinstance(values[0], list) else []
        for path in files if len(files) > 1 else []:
            _query("SELECT count(*) FROM parquet_schema(?)", [[path]], path)  # names it, if damaged
        place = files[0] if len(files) == 1 else source
        reason = next(iter(str(problem).splitlines()), type(problem).__name__)
        reason = (reason.partition("Error: ")[2] or reason).removesuffix(".")
        remedy = "write it again, or remove it"
        if isinstance(problem, duckdb.OutOfMemoryException):
            remedy = f"write it in smaller groups of rows, which fit in {_MEMORY}"
        elif _ADDRESS.match(source):
            remedy = "check the address"
        raise DataError(
            f"{shown(place)}: this cannot be read as Parquet ({reason}); {remedy}"
        ) from None


def _reach_out(connection: Any, source: str) -> None:
    """Load what reads addresses; it is no part of DuckDB itself."""
    import duckdb

    try:
        connection.execute("LOAD httpfs")
    except duckdb.Error:
        raise UsageError(
            f"{source}: addresses are read by DuckDB's extension httpfs, which is not here: run "
            "INSTALL httpfs in duckdb, here and on all workers, or copy the files to a folder"
        ) from None
