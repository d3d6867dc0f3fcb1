"""Series and frames of pandas and polars as arrays, matched by what they say of their rows.

A frame may have a column of ids, and a pandas object names its rows by its index. Rows are matched
by these names: by a column of ids where there is one, since an index of bare numbers may only tell
where rows once stood. What has none is matched by position.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.arrays import ITEM_COLUMNS, KNOWN_COLUMNS
from tellapart.errors import DataError
from tellapart.words import listed, several

_SHOWN = 3
_BY_POSITION = "pass .to_numpy() to pair them by position"


def is_frame(data: object) -> TypeGuard[Any]:
    """Return whether this is a data frame of pandas or polars."""
    return _is(data, "DataFrame")


def is_series(data: object) -> TypeGuard[Any]:
    """Return whether this is a series of pandas or polars."""
    return _is(data, "Series")


def _is(data: object, kind: str) -> bool:
    # Who has such an object has loaded its library; there is no need to do so here.
    libraries = (sys.modules.get(name) for name in ("pandas", "polars"))
    return any(
        library is not None and isinstance(data, getattr(library, kind)) for library in libraries
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """The values of one system, and the names of its rows."""

    values: Any
    ids: tuple[str, ...] | None = None
    counted: bool = False
    """Whether the names only count the rows"""
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Aligned:
    """Arrays whose rows are in one order, with what frames say of rows and columns."""

    arrays: dict[str, Any]
    items: Sequence[str] | None
    columns: Sequence[str] | None
    labels: Mapping[str, Sequence[str]] | None
    form: str | None = None
    """What the columns are that frames have named: ready values, if none is a known count"""


def align(
    arrays: Mapping[str, Any],
    columns: Sequence[str] | None,
    items: Sequence[str] | None,
    labels: Mapping[str, Sequence[str]] | None,
) -> Aligned:
    """Return arrays with their rows in one order: by index or id where they have one.

    Systems that do not have the same items are refused, and so is one with ids beside one without.
    """
    if is_frame(arrays):
        arrays = dict(_columns_of(arrays))
    labelled = [each for each in (labels or {}).values() if is_series(each)]
    if not any(is_series(each) or is_frame(each) for each in arrays.values()) and not labelled:
        return Aligned(dict(arrays), items, columns, labels)
    arrays = {name: _with_ids_as_column(each) for name, each in arrays.items()}
    shared = _shared_ids([each for each in arrays.values() if is_frame(each)])
    rows = {name: _rows(each, columns, shared) for name, each in arrays.items()}
    form = None
    if columns is None:
        columns = next((each.columns for each in rows.values() if each.columns), None)
        form = "items" if columns and KNOWN_COLUMNS.isdisjoint(columns) else None
    if all(each.counted or each.ids is None for each in rows.values()):
        first = next(iter(rows.values()))
        values = {name: each.values for name, each in rows.items()}
        own = first.ids if all(each.ids == first.ids for each in rows.values()) else None
        return Aligned(values, items or own, columns, labels, form)
    order = _order(rows, items)
    found = {name: _taken(name, each, order) for name, each in rows.items()}
    matched = {
        name: _label(name, each, order) if is_series(each) else each
        for name, each in (labels or {}).items()
    }
    return Aligned(found, order, columns, matched, form)


def _columns_of(frame: Any) -> Iterator[tuple[str, Any]]:
    """Yield the columns of a wide frame, one per system, each with the names of the rows."""
    ids = _id_column(frame, _shared_ids([frame]))
    for name in frame.columns:
        if name not in _id_columns(frame).values():
            yield str(name), frame[[ids, name]] if ids is not None else frame[name]


def _with_ids_as_column(data: Any) -> Any:
    """Return a frame whose index is called like a column of ids with that column."""
    if not is_frame(data) or not _has_index(data) or data.index.nlevels > 1:
        return data
    name = data.index.name
    known = str(name).lower() in ITEM_COLUMNS and name not in data.columns
    return data.reset_index() if known else data


def _id_columns(frame: Any) -> dict[str, Any]:
    """Return the columns that may name the rows, the likeliest first, by names in small letters."""
    small = {str(name).lower(): name for name in reversed(list(frame.columns))}
    return {name: small[name] for name in ITEM_COLUMNS if name in small}


def _shared_ids(frames: Sequence[Any]) -> str | None:
    """Return the column by which rows of all frames can be matched, "" for the index; None: none.

    It is the first in which all have the same ids, once each.
    """
    found = [_id_columns(frame) for frame in frames]
    for name in ITEM_COLUMNS:
        if found and all(name in columns for columns in found):
            pairs = zip(frames, found, strict=True)
            if _are_same([_texts(frame[columns[name]]) for frame, columns in pairs]):
                return name
    if frames and all(_has_index(frame) and _tells_rows(frame.index) for frame in frames):
        return "" if _are_same([_texts(frame.index) for frame in frames]) else None
    return None


def _are_same(ids: Sequence[tuple[str, ...]]) -> bool:
    first = set(ids[0])
    return all(len(each) == len(first) and set(each) == first for each in ids)


def _id_column(frame: Any, shared: str | None) -> Any:
    """Return the column that names the rows of a frame; None: that is left to the index."""
    columns = _id_columns(frame)
    if shared == "":
        return None
    return columns.get(shared or "", next(iter(columns.values()), None))


def _rows(data: Any, columns: Sequence[str] | None, shared: str | None) -> _Rows:
    """Return the values of a system, items × columns, and the names of its rows."""
    if not is_series(data) and not is_frame(data):
        return _Rows(data)
    ids, counted, names = None, False, None
    if is_frame(data):
        column = _id_column(data, shared)
        if column is not None:
            ids = _texts(data[column])
        others = set(_id_columns(data).values())  # ids are no measure of anything, either
        numeric = (
            name
            for name in data.columns
            if name not in others and _is_numeric(data[name].to_numpy())
        )
        kept = [name for name in columns or numeric if name != column]
        absent = [name for name in kept if name not in data.columns]
        if absent:
            known = listed(list(map(str, data.columns)))
            raise DataError(f"there is no column {absent[0]!r} in the frame; it has {known}")
        names = tuple(map(str, kept))
        if not kept:
            raise DataError("a frame has no column of numbers; name the values with columns=[…]")
        values = np.column_stack([data[name].to_numpy() for name in kept])
    else:
        values = data.to_numpy()
    if ids is None and _has_index(data):
        ids, counted = _texts(data.index), _counts_rows(data.index)
    return _Rows(values, ids, counted, names)


def _is_numeric(cells: NDArray[Any]) -> bool:
    if cells.dtype.kind == "O":
        return all(isinstance(cell, int | float | np.number) for cell in cells)
    return cells.dtype.kind in "iufb"


def _has_index(data: Any) -> bool:
    return hasattr(data, "index") and hasattr(data.index, "to_list")


def _counts_rows(index: Any) -> bool:
    """Return whether an index of pandas only counts the rows from 0, as it does by default."""
    counts = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return counts and index.name is None


def _tells_rows(index: Any) -> bool:
    """Return whether an index of pandas is more than bare numbers: it has a name, or texts."""
    return any(name is not None for name in index.names) or index.dtype.kind not in "iuf"


def _texts(cells: Iterable[Any]) -> tuple[str, ...]:
    return tuple(
        "/".join(map(str, cell)) if isinstance(cell, tuple) else str(cell) for cell in cells
    )


def _order(rows: Mapping[str, _Rows], items: Sequence[str] | None) -> tuple[str, ...]:
    """Return the items that all systems must have, in the order of the first one's or as given."""
    (first, owner), *others = rows.items()
    for name, each in rows.items():
        if each.ids is None:
            known = next(other for other, its in rows.items() if its.ids is not None)
            raise DataError(
                f"the values of {known!r} have ids and those of {name!r} have none; give ids to "
                f"both, or {_BY_POSITION}"
            )
        _refuse_twice(name, each.ids)
    order = owner.ids or ()
    named = () if items is None else (("items", _Rows(None, tuple(map(str, items)))),)
    for name, each in (*others, *named):
        ids = each.ids or ()
        if set(ids) != set(order):
            lacking, extra = _without(order, ids), _without(ids, order)
            raise DataError(
                f"{first!r} and {name!r} do not have the same items: "
                f"{' and '.join(filter(None, (_only(first, lacking), _only(name, extra))))}; give "
                f"both the same ids, or {_BY_POSITION}"
            )
    return order if items is None else tuple(map(str, items))


def _without(ids: Sequence[str], others: Sequence[str]) -> list[str]:
    there = set(others)
    return [each for each in ids if each not in there]


def _only(name: str, ids: Sequence[str]) -> str:
    if not ids:
        return ""
    return f"{several(len(ids), 'item')} only in {name!r} ({listed(ids, _SHOWN)})"


def _refuse_twice(name: str, ids: Sequence[str]) -> None:
    seen = set[str]()
    for each in ids:
        if each in seen:
            raise DataError(
                f"the values of {name!r} have the id {each!r} twice; give each row its own, or "
                f"{_BY_POSITION}"
            )
        seen.add(each)


def _taken(name: str, rows: _Rows, order: Sequence[str]) -> Any:
    """Return the values of a system in an order of items."""
    place = {each: k for k, each in enumerate(rows.ids or ())}
    values = np.asarray(rows.values)
    if len(values) != len(place):
        raise DataError(f"the values of {name!r} are {len(values)}, its ids {len(place)}")
    return values[[place[each] for each in order]]


def _label(name: str, series: Any, order: Sequence[str]) -> Sequence[str]:
    """Return a label in an order of items, by its index."""
    if not _has_index(series):
        return list(series)
    place = dict(zip(_texts(series.index), series, strict=True))
    absent = [each for each in order if each not in place]
    if absent:
        raise DataError(f"the label {name!r} has no value for the item {absent[0]!r}")
    return [place[each] for each in order]
