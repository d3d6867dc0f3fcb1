"""Data frames, dictionaries of columns and lists of rows, as if they were tables in files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tellapart.counts.arrays import (
    ITEM_COLUMNS,
    SYSTEM_COLUMNS,
    as_frame,
    holds_frames,
    series_as_frame,
)
from tellapart.counts.fixed_point import is_number
from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.records import Record, checked_names
from tellapart.formats.tables.columns import (
    INDEX,
    KNOWN_NAMES,
    OTHER_ITEMS,
    REPEAT_COLUMNS,
    RUN_COLUMNS,
    Column,
    Table,
    cell_text,
    first_of,
    known_names,
    small_name,
    table_of_rows,
)
from tellapart.formats.tables.reader import FRAME

if TYPE_CHECKING:
    import narwhals as nw

    Frame = nw.DataFrame[Any] | Mapping[str, Any]
    """The columns by name"""

_QUESTIONS: Final = tuple(name for name in OTHER_ITEMS if name != "task")  # which has many items


def tables_in(data: Any) -> dict[str, Frame] | None:
    """Return the tables that data are, by the name of the one system in each; None: they are none.

    A table that names its systems itself is called `FRAME`. It is a frame, a list of rows, or a
    dictionary of columns, one of which names items or systems, as in a file, or holds texts.

    >>> tables_in({"item": ["q1"], "A": [1], "B": [0]})
    {'the frame': {'item': ['q1'], 'A': [1], 'B': [0]}}
    >>> tables_in([{"id": 1, "A": 1}, {"id": 2, "A": 0}])
    {'the frame': {'id': ['1', '2'], 'A': ['1', '0']}}
    >>> tables_in({"A": [1], "B": [0]}) is None
    True
    """
    if (frame := as_frame(data)) is not None:
        return {FRAME: frame}
    if isinstance(data, Mapping):
        named = _small_names(data) & {*ITEM_COLUMNS, *SYSTEM_COLUMNS}
        if named or any(map(_begins_with_text, data.values())):
            return {FRAME: data}
        by_system = holds_frames(data)
        return {str(name): _own_table(each) for name, each in data.items()} if by_system else None
    rows = isinstance(data, Sequence) and data and all(isinstance(row, Mapping) for row in data)
    return {FRAME: _columns_of_rows(data)} if rows else None


def _begins_with_text(values: Any) -> bool:
    """Return whether this is a column whose first cell is a text, and no number."""
    is_column = isinstance(values, list | tuple) or len(getattr(values, "shape", ())) == 1
    first = next((cell for cell in values if cell is not None), None) if is_column else None
    return isinstance(first, str) and not is_number(first)


def _own_table(data: Any) -> Frame:
    """Return the table of one system: a frame, or a series or array of its scores."""
    frame = as_frame(data)
    if frame is None:
        frame = series_as_frame(data)
    return {"score": data} if frame is None else frame


def _columns_of_rows(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, list[str]]:
    records = [Record(f"{FRAME}, row {k}", dict(row)) for k, row in enumerate(rows, 1)]
    table = table_of_rows(FRAME, records, Findings(strict=True))
    return {name: list(map(column.__getitem__, range(len(rows))))
            for name, column in table.columns.items()}  # fmt: skip


def as_tables(frames: Mapping[str, Frame], item: str | None, *, long: bool) -> dict[str, Table]:
    """Return frames as tables: `item` names the items; if `long`, a column names the systems."""
    return {name: _as_table(name, frame, item, long) for name, frame in frames.items()}


def _as_table(path: str, frame: Frame, item: str | None, long: bool) -> Table:
    columns = [*_index_columns(frame, item, long)]
    columns += [(_spelled(name), _as_column(own)) for name, own in _columns(frame, path)]
    names = checked_names(known_names([name.strip() for name, _ in columns]), path)
    cells = dict(zip(names, (own for _, own in columns), strict=True))
    return Table(path, cells, np.arange(1, _size(path, cells) + 1), ", row ")


def _size(path: str, columns: Mapping[str, Column]) -> int:
    """Return how many rows there are; columns of a dictionary may differ in that."""
    (first, size), *others = ((name, len(cells)) for name, cells in columns.items())
    for name, own in others:
        if own != size:
            raise DataError(f"{path}: column {first!r} has {size} values and {name!r} has {own}")
    if not size:
        raise DataError(f"{path}: the table has no rows")
    return size


def _columns(table: Frame, path: str) -> Iterator[tuple[Any, Any]]:
    """Yield the columns; a dictionary may have series of any library, or arrays, as columns."""
    if not isinstance(table, Mapping):
        yield from ((series.name, series) for series in table.iter_columns())
        return
    for name, values in table.items():
        if getattr(values, "ndim", 1) != 1 or not hasattr(values, "__len__"):
            raise DataError(f"{path}: column {name!r} is no list of values")
        series = series_as_frame(values)
        yield name, values if series is None else series["score"]


def _names(table: Frame) -> list[str]:
    return list(map(_spelled, table if isinstance(table, Mapping) else table.columns))


def _spelled(name: Any) -> str:
    """Return the name of a column, also one of several levels."""
    return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _index(table: Frame) -> Any:
    """Return the index of a frame of pandas; None of other tables."""
    if isinstance(table, Mapping):
        return None
    import narwhals as nw

    return nw.maybe_get_index(table)


def named_index(tables: Mapping[str, Frame]) -> str | None:
    """Return the name of the index of pandas, if all have the same and nothing else names items."""
    found = {_named_index(table) for table in tables.values()}
    return found.pop() if len(found) == 1 else None


def _named_index(table: Frame) -> str | None:
    names = [name for name in getattr(_index(table), "names", ()) if name]
    known = first_of((*ITEM_COLUMNS, *OTHER_ITEMS), _small_names(table))
    if len(names) != 1 or known or small_name(str(names[0])) in KNOWN_NAMES:
        return None
    return str(names[0])


def _small_names(table: Frame) -> set[str]:
    """Return the names of columns, and of levels of the index that have one, in small letters."""
    levels = [name for name in getattr(_index(table), "names", ()) if name is not None]
    return set(map(small_name, map(_spelled, (*levels, *_names(table)))))


def _index_columns(table: Frame, item: str | None, long: bool) -> Iterator[tuple[str, Column]]:
    """Yield what an index says of the rows; without a name, it names the items if no column does.

    Whole numbers may only tell where rows once stood, before frames were sorted, filtered or put
    below each other: they are the `INDEX`.
    """
    index = _index(table)
    if index is None:
        return
    there = _small_names(table)
    known = first_of((*ITEM_COLUMNS, *_QUESTIONS), there) or item in (*_names(table), *there)
    long = long or first_of((*SYSTEM_COLUMNS, *RUN_COLUMNS, *REPEAT_COLUMNS), there) is not None
    for level, name in enumerate(index.names):
        values = index.get_level_values(level)
        if name is not None:
            yield str(name), _as_column(values)
        elif level < index.nlevels - 1:
            yield f"level_{level}", _as_column(values)  # as pandas calls it
        elif not known and not (long and type(values).__name__ == "RangeIndex"):
            yield INDEX if values.dtype.kind in "iu" else "item", _as_column(values)


def _as_column(values: Any) -> Column:
    """Return numbers as values and anything else as texts; what is missing is empty.

    >>> _as_column([0.5, 1]).values, _as_column(["a", None, 2, True]).texts
    (array([0.5, 1. ]), ('a', '', '2', 'true'))
    """
    if isinstance(values, Sequence):
        cells = list(values)
        plain = all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)
        array = np.array(cells) if plain and cells else np.empty(0, object)
    else:
        array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
        cells = values.to_list() if hasattr(values, "to_list") else array.tolist()
    if array.dtype.kind in "iuf":
        return Column.of_values(array)
    return Column.of(map(_cell, cells))


def _cell(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return cell_text(value.tolist())
    if isinstance(value, bool | str | list | dict):
        return cell_text(value)
    return "" if value is None or value != value or str(value) in ("<NA>", "NaT") else str(value)
