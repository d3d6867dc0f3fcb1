"""Large data, reduced in their own engine: distinct rows of the used values, and how often each.

A test of sums needs no more than that, and every data engine can count. A lazy frame (DuckDB,
Polars, Dask: what narwhals takes lazily) or a folder of Parquet files is grouped where it is: by
cluster where there are clusters, then by the used values. What comes back is `Counts` whose rows
stand for many items (`Counts.times`), and takes the ordinary path.

In a wide frame a row is an item: ids are not checked, and a notice says so. A long frame is grouped
by item, and duplicates and gaps are found there. Values with more distinct rows than fit are
rounded to decimals; what that may move is part of the test (`Counts.rounded`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.arrays import ITEM_COLUMNS, KNOWN_COLUMNS, SYSTEM_COLUMNS
from tellapart.counts.counts import Counts
from tellapart.errors import DataError, Notice, UsageError
from tellapart.words import listed, nearest, several

if TYPE_CHECKING:
    import narwhals as nw

MOST_ROWS: Final = 1 << 21
"""Distinct rows that are brought into memory"""
_FINENESS: Final = 1e-4  # of a standard deviation, to which values are rounded where that is needed
_ITEMS: Final = (*ITEM_COLUMNS, "example", "question", "doc", "document")
_TIMES, _SIZE, _CELL = "tellapart_times", "tellapart_size", "tellapart_{}_{}"


@dataclass(frozen=True, slots=True, eq=False)
class LargeTable:
    """A table that stays where it is: which column has which role; nothing is loaded.

    Wide: a row is an item, and each of `systems` a column. Long: a row is a system on an item, and
    `columns` are its values.
    """

    frame: nw.LazyFrame[Any]
    item: str | None
    system: str | None
    """The column that names systems; None of a wide table"""
    systems: tuple[str, ...]
    columns: tuple[str, ...]
    """The values of a long table; ``score`` of a wide one"""
    labels: tuple[str, ...]
    files: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, data: Any, item: str | None = None, system: str | None = None,
        files: Sequence[str] = (),
    ) -> LargeTable:  # fmt: skip
        """Return a lazy frame with the roles of its columns, told from names and types."""
        import narwhals as nw

        frame = data if isinstance(data, nw.LazyFrame) else nw.from_native(data)
        schema = frame.collect_schema()
        names = list(schema.names())
        for named, option in ((item, "item"), (system, "system")):
            if named is not None and named not in names:
                raise UsageError(f"{option}: there is no column {named!r}; {nearest(named, names)}")
        small = {"_".join(name.lower().split()): name for name in reversed(names)}
        item = item or next((small[known] for known in _ITEMS if known in small), None)
        system = system or next((small[known] for known in SYSTEM_COLUMNS if known in small), None)
        rest = [name for name in names if name not in (item, system)]
        numeric = [name for name in rest if schema[name].is_numeric() or schema[name] == nw.Boolean]
        labels = tuple(name for name in rest if name not in numeric)
        if system is None:
            if len(numeric) < 2:
                raise DataError("there are no two columns of numbers, and no column 'system'")
            return cls(frame, item, None, tuple(numeric), ("score",), labels, tuple(files))
        if item is None:
            raise DataError(f"no column names the items: name one of {listed(names)} with item")
        if not numeric:
            raise DataError(f"there is no column of numbers beside {item} and {system}")
        known = _columns(frame.select(nw.col(system)).unique())[system]
        systems = tuple(sorted(str(name) for name in known))
        return cls(frame, item, system, systems, tuple(numeric), labels, tuple(files))

    def __repr__(self) -> str:
        kind = "wide" if self.system is None else "long"
        return f"<LargeTable: {kind}, {len(self.systems)} systems, not loaded>"

    def where(self, conditions: Mapping[str, Collection[str]]) -> LargeTable:
        """Return the rows whose labels are as wanted; nothing is loaded."""
        import narwhals as nw

        frame = self.frame
        for label, values in conditions.items():
            if label not in self.labels:
                raise UsageError(f"there is no label {label!r}; {nearest(label, self.labels)}")
            frame = frame.filter(nw.col(label).is_in(list(values)))
        return replace(self, frame=frame)

    def _with_label(self, name: str) -> LargeTable:
        """Return the table with a column of numbers as a label, which was named as one."""
        of_values = "systems" if self.system is None else "columns"
        values: Any = getattr(self, of_values)
        if name not in values:
            raise UsageError(f"there is no label {name!r}; {nearest(name, self.labels)}")
        rest: Any = tuple(each for each in values if each != name)
        return replace(self, labels=(*self.labels, name), **{of_values: rest})

    def counts(self, columns: Collection[str] | None = None, cluster: str | None = None) -> Counts:
        """Return the distinct rows of the used columns as `Counts`, and how often each occurs."""
        if cluster is not None and cluster not in self.labels:
            return self._with_label(cluster).counts(columns, cluster)
        used = tuple(c for c in self.columns if columns is None or c in columns) or self.columns
        frame, notices = self._by_item(used, cluster)
        cells = [_CELL.format(s, c) for s in range(len(self.systems)) for c in range(len(used))]
        sizes: list[str] = []
        if cluster is not None:
            frame, sizes = _by_cluster(frame, cluster, cells), [_SIZE]
        rows, rounded = _distinct(frame, cells, sizes)
        if not len(rows[_TIMES]):
            raise DataError("there are no rows, or none with these labels")
        self._check_values(rows, cells, used)
        if rounded and len(self.systems) > 2:
            raise UsageError(f"{len(self.systems)} systems have too many different values: compare "
                             "two at a time with --systems")  # fmt: skip
        if rounded:
            text = f"Values were rounded to {rounded:g} before they were counted."
            notices = [*notices, Notice("values-rounded", text)]
        columns = {name: [rows[cell] for cell in cells[c :: len(used)]]
                   for c, name in enumerate(used)}  # fmt: skip
        form = "counts" if set(used) & KNOWN_COLUMNS else "items"
        names = tuple(f"row {k + 1}" for k in range(len(rows[_TIMES])))
        counts = Counts.from_columns(self.systems, names, columns, {}, "item", form)
        return replace(
            counts,
            sizes=counts.sizes if cluster is None else rows[_SIZE].astype(np.int64),
            times=rows[_TIMES].astype(np.int64),
            cluster=cluster,
            notices=tuple(notices),
            files=self.files,
            rounded=rounded / 2,
        )

    def _by_item(
        self, used: Sequence[str], cluster: str | None
    ) -> tuple[nw.LazyFrame[Any], list[Notice]]:
        """Return a row for each item, with a column for each system and value."""
        import narwhals as nw

        kept = [] if cluster is None else [nw.col(cluster)]
        if self.system is None:
            cells = [nw.col(name).alias(_CELL.format(s, 0)) for s, name in enumerate(self.systems)]
            why = "a row is an item" if self.item is None else f"{self.item} was not checked"
            text = f"Rows were counted where they are: {why}, and repeated items would count."
            return self.frame.select(*cells, *kept), [Notice("rows-are-items", text)]
        own = [(s, nw.when(nw.col(self.system) == name)) for s, name in enumerate(self.systems)]
        made = {_CELL.format(s, c): when.then(nw.col(column)).otherwise(0)
                for s, when in own for c, column in enumerate(used)}  # fmt: skip
        given = ~nw.any_horizontal(*(nw.col(c).is_null() for c in used), ignore_nulls=True)
        seen = {f"tellapart_n_{s}": nw.when((nw.col(self.system) == name) & given).then(1)
                .otherwise(0) for s, name in enumerate(self.systems)}  # fmt: skip
        assert self.item is not None
        labels = [cluster] if cluster is not None else []
        frame = self.frame.with_columns(**made, **seen)
        sums = [nw.col(name).sum() for name in (*made, *seen)]
        grouped = frame.group_by(self.item, *labels).agg(*sums)
        self._check_items(grouped, list(seen))
        return grouped.select(*(nw.col(name) for name in (*made, *labels))), []

    def _check_items(self, grouped: nw.LazyFrame[Any], seen: Sequence[str]) -> None:
        """Refuse items that a system lacks, or has twice, naming some."""
        import narwhals as nw

        odd = nw.any_horizontal(*(nw.col(name) != 1 for name in seen), ignore_nulls=True)
        assert self.item is not None
        rows = _columns(grouped.filter(odd).select(self.item, *seen).head(5))
        for k, item in enumerate(rows[self.item].tolist()):
            for name, system in zip(seen, self.systems, strict=True):
                times = int(rows[name][k])
                if times != 1:
                    found = "has no value" if times == 0 else f"has {times} rows"
                    raise DataError(f"item {str(item)!r} {found} of {system!r}; each needs one")

    def _check_values(
        self, rows: Mapping[str, NDArray[Any]], cells: Sequence[str], used: Sequence[str]
    ) -> None:
        """Refuse rows without a value, naming their system."""
        for k, name in enumerate(cells):
            lacking = int(rows[_TIMES][~np.isfinite(rows[name])].sum())
            if lacking:
                system, column = self.systems[k // len(used)], used[k % len(used)]
                rows_lacking = several(lacking, "row")
                raise DataError(f"{rows_lacking} of {system!r} without a number in {column!r}")


def read_folder(folder: Path, item: str | None = None, system: str | None = None) -> LargeTable:
    """Return the Parquet files of a folder as one table, which DuckDB reads when it is needed."""
    try:
        import duckdb
    except ImportError:
        raise UsageError("Parquet needs DuckDB: pip install 'tellapart[parquet]'") from None
    files = sorted(str(path) for path in folder.rglob("*.parquet"))
    if not files:
        raise DataError(f"{folder}: there is no Parquet file in this folder")
    return LargeTable.of(duckdb.read_parquet(files), item, system, files)


def _by_cluster(frame: nw.LazyFrame[Any], cluster: str, cells: Sequence[str]) -> nw.LazyFrame[Any]:
    """Return a row for each cluster: the sums of its items, and how many there are."""
    import narwhals as nw

    frame = frame.with_columns(nw.lit(1).alias(_SIZE))
    given = {name: f"{name}_n" for name in cells}
    counts = [nw.col(name).count().alias(given[name]) for name in cells]
    sums = frame.group_by(cluster).agg(nw.col(*cells, _SIZE).sum(), *counts)
    whole = {name: nw.when(nw.col(given[name]) == nw.col(_SIZE)).then(nw.col(name))
             for name in cells}  # fmt: skip
    return sums.with_columns(**whole).select(cluster, *cells, _SIZE)


def _distinct(
    frame: nw.LazyFrame[Any], cells: Sequence[str], sizes: Sequence[str]
) -> tuple[dict[str, NDArray[Any]], float]:
    """Return distinct rows and how often each occurs, and what values were rounded to, or 0."""
    import narwhals as nw

    def counted(values: nw.LazyFrame[Any]) -> dict[str, NDArray[Any]] | None:
        grouped = values.group_by(*cells, *sizes).agg(nw.len().alias(_TIMES))
        rows = _columns(grouped.head(MOST_ROWS + 1))
        return _sorted(rows, [*cells, *sizes]) if len(rows[_TIMES]) <= MOST_ROWS else None

    if (rows := counted(frame)) is not None:
        return rows, 0.0
    spreads = _columns(frame.select(*(nw.col(name).std() for name in cells)))
    finest = min(float(spread[0]) for spread in spreads.values() if spread[0] > 0)
    for fineness in (_FINENESS, 10 * _FINENESS, 100 * _FINENESS):
        decimals = max(0, math.ceil(-math.log10(fineness * finest)))
        coarse = frame.with_columns(*(nw.col(name).round(decimals) for name in cells))
        if (rows := counted(coarse)) is not None:
            return rows, 10.0**-decimals
    raise UsageError("there are too many different values, even rounded: sum them up by --cluster")


def _sorted(rows: Mapping[str, NDArray[Any]], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return rows in the order of their values: an engine may return them in any order."""
    order = np.lexsort([rows[name] for name in reversed(names)])
    return {name: np.ascontiguousarray(column[order]) for name, column in rows.items()}


def _columns(frame: nw.LazyFrame[Any]) -> dict[str, NDArray[Any]]:
    """Return what a lazy frame holds, computed by its engine."""
    native = frame.to_native()
    if hasattr(native, "fetchnumpy"):  # DuckDB, which would need another library for frames
        found = {name: _unmasked(column) for name, column in native.fetchnumpy().items()}
    else:
        collected = frame.collect()
        found = {name: collected[name].to_numpy() for name in collected.columns}
    return {name: _plain(column) for name, column in found.items()}


def _unmasked(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column whose missing numbers are NaN, and whose missing texts are None."""
    if not np.ma.is_masked(column):
        return np.ma.getdata(column)
    if column.dtype.kind in "biuf":
        return np.ma.filled(column.astype(np.float64), np.nan)
    return np.ma.filled(column.astype(object), None)


def _plain(column: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as int64 or float64; DuckDB's sums arrive as decimals or wide floats."""
    if column.dtype.kind in "biu":
        return column.astype(np.int64)
    if column.dtype.kind == "f":
        whole = bool((column == np.rint(column)).all()) and bool((np.abs(column) < 2**53).all())
        return column.astype(np.int64) if whole and len(column) else column.astype(np.float64)
    try:
        return _plain(column.astype(np.float64))
    except (TypeError, ValueError):
        return column
