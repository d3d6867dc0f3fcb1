"""A folder of Parquet files that hold one table: which files there are, and what their columns are.

What a part of it is, and how it is read, `partitions` says; a small one is read as a whole.
"""

from __future__ import annotations

import glob
import os
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.arrays import ITEM_COLUMNS
from tellapart.counts.fixed_point import widen
from tellapart.counts.ordering import natural_sorted
from tellapart.errors import DataError, UsageError
from tellapart.files import shown
from tellapart.formats.head import files_below
from tellapart.formats.tables.files import Batch, known_in_small_letters
from tellapart.formats.tables.layout import Columns, Layout, Wanted, find_layout
from tellapart.words import listed

MOST_IN_MEMORY: Final = 20_000_000
"""Values, of all systems and columns, up to which a data set is read as a whole"""

_HEAD: Final = 1_000  # rows that tell what the columns are
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+]*://", re.IGNORECASE)
_MEMORY: Final = "512MB"  # of DuckDB, for each part that is read
_OWN: Final = threading.local()
_AS_THEY_ARE: Final = frozenset({
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "DOUBLE", "FLOAT",
})  # fmt: skip


def parquet_files(source: str) -> list[str]:
    """Return the Parquet files of a folder, a pattern or an address, in natural order; [] if none.

    >>> parquet_files("no-such-folder")
    []
    """
    if _ADDRESS.match(source):
        pattern = source if "*" in source or source.endswith(".parquet") else f"{source}/**"
        rows = query("SELECT file FROM glob(?)", [pattern], source)["file"].tolist()
        found = [str(path) for path in rows]
    elif os.path.isdir(source):
        found = files_below(source)
    elif "*" in source and not os.path.exists(source):
        found = glob.glob(source, recursive=True)
    else:
        return []
    return natural_sorted([path for path in found if path.endswith(".parquet")])


def some_files(source: str) -> list[str]:
    """Return the Parquet files of a source; that there are none is told with what to do."""
    files = parquet_files(source)
    if files:
        return files
    if os.path.isdir(source):
        told = "there is no Parquet file (.parquet) in this folder; name the one that has them"
    elif "*" in source or _ADDRESS.match(source):
        told = "no Parquet file (.parquet) is called like this; check the pattern and the folder"
    elif os.path.exists(source):
        told = "this is no folder, and parts are of a folder of Parquet files; name it"
    else:
        told = "there is no such folder; check the name"
    raise UsageError(f"{shown(source)}: {told}")


def is_data_set(source: str, item: str | None = None) -> bool:
    """Return whether a source is a table in several files: Parquet with a column of items."""
    files = parquet_files(source)
    if not files:
        return False
    names = types_of(files[0])
    return not {name.lower() for name in names}.isdisjoint(ITEM_COLUMNS) or item in names


def rows_of(files: Sequence[str]) -> list[int]:
    """Return how many rows each file has."""
    found = query(
        "SELECT file_name, num_rows FROM parquet_file_metadata(?)", [list(files)], files[0]
    )
    rows = dict(zip(found["file_name"].tolist(), found["num_rows"].tolist(), strict=True))
    return [int(rows[path]) for path in files]


def values_in(source: str) -> int:
    """Return how many values a data set has: rows times columns that are no texts."""
    files = parquet_files(source)
    numeric = sum(kind != "VARCHAR" for kind in types_of(files[0]).values())
    return sum(rows_of(files)) * max(1, numeric)


def whole_table(source: str) -> dict[str, Any]:
    """Return all rows of a small data set as columns, for the reader of frames."""
    files = parquet_files(source)
    found = query("SELECT * FROM read_parquet(?, union_by_name = true)", [files], source)
    return {name: _listed(cells) for name, cells in {**found, **_mixed_floats(files)}.items()}


def _mixed_floats(files: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return columns of short floats that are other numbers in some files, as parts read them.

    DuckDB would make them long by their bits: 0.1 would be 0.10000000149.
    """
    kinds = query(
        "SELECT name FROM parquet_schema(?) GROUP BY name "
        "HAVING count(DISTINCT type) > 1 AND bool_or(type = 'FLOAT')", [list(files)], files[0]
    )["name"].tolist()  # fmt: skip
    types = [types_of(path) for path in files] if kinds else []
    found: dict[str, NDArray[Any]] = {}
    for name in kinds:
        words = [_as_number(name, own[name]) if name in own else "NULL::DOUBLE" for own in types]
        if None in words:
            continue
        cells = []
        for path, word in zip(files, words, strict=True):
            rows = query(f"SELECT {word} AS c0 FROM read_parquet(?)", [path], path)["c0"]
            cells.append((plain(rows).astype(np.float64), np.ma.getmaskarray(rows)))
        numbers, lost = (np.concatenate(each) for each in zip(*cells, strict=True))
        found[name] = np.ma.masked_array(numbers, lost)
    return found


@dataclass(frozen=True, slots=True)
class FolderTable:
    """What all files of a table share: its layout, its systems, and how columns are read."""

    layout: Layout
    names: tuple[str, ...]
    """Of the systems"""
    words: Mapping[str, str]
    """By column of the files, the SQL that reads it"""

    @property
    def rows_per_item(self) -> int:
        """How many rows an item has."""
        return 1 if self.layout.wide else len(self.names)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values."""
        return ("score",) if self.layout.wide else tuple(self.layout.values.values())

    @property
    def cells(self) -> tuple[str, ...]:
        """The SQL of a row's values and, if it is of one system, of that system's place."""
        return (*self.words.values(), *(() if self.layout.wide else (self.place_of_system,)))

    @property
    def place_of_system(self) -> str:
        """The SQL for the place of a row's system among all, from 1 on."""
        texts = ", ".join("'" + name.replace("'", "''") + "'" for name in self.names)
        return f"list_position([{texts}], {quoted(self.layout.system or '')})"


def find_table(files: Sequence[str], wanted: Wanted) -> tuple[FolderTable, tuple[str, ...]]:
    """Return what is read of the files, and what else may be values; all must have the same ones.

    The first rows of the first file tell, and what the user says.
    """
    first, *others = files
    types, layout = types_of(first), _layout(first, wanted)
    if layout is None:
        raise DataError(f"{shown(first)}: the first file has no rows; remove empty files")
    for label in wanted.labels or ():
        if label not in types:
            raise DataError(
                f"{shown(first)}: there is no column {label!r} (--labels); the table has "
                f"{listed(tuple(types))}"
            )
    _refuse_layout(first, layout)
    names = tuple(layout.values.values()) if layout.wide else _systems(first, layout)
    words = {name: _read_as(first, name, types[name]) for name in layout.values}
    table = FolderTable(layout, names, words)
    left_out = dict.fromkeys(layout.maybe)
    for path in others:
        left_out |= dict.fromkeys(_check_columns(path, table, wanted, first, types))
    return table, tuple(left_out)


def _layout(path: str, wanted: Wanted) -> Layout | None:
    """Return what the columns of a file are, by its first rows; None if it has none."""
    head = query("SELECT * FROM read_parquet(?) LIMIT ?", [path, _HEAD], path)
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
    both = f"{quoted(layout.item)} AS item, {quoted(layout.system or '')} AS system"
    head = query(f"SELECT {both} FROM read_parquet(?) LIMIT ?", [path, _HEAD], path)
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


def _check_columns(
    path: str, table: FolderTable, wanted: Wanted, first: str, first_types: Mapping[str, str]
) -> tuple[str, ...]:
    """Refuse a file that has not the values of the first one; return what else may be values."""
    types, layout = types_of(path), table.layout
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


def _read_as(path: str, name: str, kind: str) -> str:
    """Return the SQL that reads a column as numbers, which it must hold."""
    words = _as_number(name, kind)
    if words is None:
        raise DataError(
            f"{shown(path)}: column {name!r} holds {kind}, not numbers: write it as integers, "
            "decimals or booleans, or name the columns of values with --columns"
        )
    return words


def _as_number(name: str, kind: str) -> str | None:
    """Return the SQL that reads a column of some type as numbers; None if it holds none."""
    if kind in _AS_THEY_ARE:
        return quoted(name)
    cast = {"BOOLEAN": "TINYINT", "UBIGINT": "BIGINT", "DECIMAL": "DOUBLE"}
    own = cast.get(kind.partition("(")[0])
    return None if own is None else f"{quoted(name)}::{own}"


def plain(cells: NDArray[Any]) -> NDArray[Any]:
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


def quoted(name: str) -> str:
    """Return the name of a column as SQL spells it."""
    return '"' + name.replace('"', '""') + '"'


def types_of(path: str) -> dict[str, str]:
    """Return the columns of a file and their types."""
    found = query(
        "SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(?))", [path], path
    )
    return dict(zip(found["column_name"].tolist(), found["column_type"].tolist(), strict=True))


def query(words: str, values: list[Any], source: str) -> dict[str, NDArray[Any]]:
    """Return what DuckDB finds, as arrays by name; the order of rows is that of the files."""
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "folders of Parquet files are read by DuckDB: pip install 'tellapart[parquet]'"
        ) from None
    try:
        connection = _connection()
        if _ADDRESS.match(source):
            _reach_out(connection, source)
        found: dict[str, NDArray[Any]] = connection.execute(words, values).fetchnumpy()
        return found
    except duckdb.Error as problem:
        _OWN.opened = None
        files = values[0] if values and isinstance(values[0], list) else []
        for path in files if len(files) > 1 else []:
            query("SELECT count(*) FROM parquet_schema(?)", [[path]], path)  # names it, if damaged
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


def _connection() -> Any:
    """Return the connection of this thread, which is kept: to open one takes as long as a part."""
    import duckdb

    key = os.getpid(), _MEMORY
    if getattr(_OWN, "opened", None) != key:
        # Files are read from the start again, and must not be kept from one part to the next.
        settings: dict[str, Any] = {
            "threads": 1,
            "memory_limit": _MEMORY,
            "enable_external_file_cache": False,
        }
        _OWN.connection, _OWN.opened = duckdb.connect(config=settings), key
    return _OWN.connection


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
