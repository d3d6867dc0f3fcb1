"""Data frames of pandas and polars as batches of columns, as if they were tables in files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tellapart.counts.arrays import ITEM_COLUMNS
from tellapart.formats.problems import Findings
from tellapart.formats.tables.files import Batch, Batches, Cells, known_in_small_letters
from tellapart.formats.tables.names import (
    KNOWN_NAMES,
    OTHER_ITEMS,
    RUN_COLUMNS,
    SYSTEM_COLUMNS,
    first_of,
)

_QUESTIONS: Final = tuple(name for name in OTHER_ITEMS if name != "task")  # which has many items


def frame_batches(frame: Any, item: str | None = None, *, long: bool = False) -> Batches:
    """Return what yields the rows of a frame, whatever table is asked for.

    `item` is the column that the user says names the items. With `long`, one names the systems.
    """

    def open_frame(path: str, _: Findings) -> Iterator[Batch]:
        columns = dict(_columns(frame, item, long))
        names = known_in_small_letters(list(columns))
        lines = np.arange(1, len(frame) + 1, dtype=np.int32)
        yield Batch(path, lines, dict(zip(names, columns.values(), strict=True)), ", row ")

    return open_frame


def named_index(frame: Any) -> str | None:
    """Return the name of the index of pandas, if nothing else can name the items."""
    names = [name for name in getattr(getattr(frame, "index", None), "names", ()) if name]
    there = _small_names(frame)
    known = first_of((*ITEM_COLUMNS, *OTHER_ITEMS), there)
    if len(names) != 1 or known or str(names[0]).lower() in KNOWN_NAMES:
        return None
    return str(names[0])


def _small_names(frame: Any) -> set[str]:
    """Return the names of columns, and of levels of the index that have one, in small letters."""
    levels = getattr(getattr(frame, "index", None), "names", ())
    return {str(name).lower() for name in (*levels, *frame.columns) if name is not None}


def _columns(frame: Any, item: str | None, long: bool) -> Iterator[tuple[str, Cells]]:
    """Yield the columns by name, those of the index of pandas among them."""
    for name, values in _index(frame, item, long):
        yield name, _cells(values.to_numpy())
    for name in frame.columns:
        yield str(name), _cells(frame[name].to_numpy())


def _index(frame: Any, item: str | None, long: bool) -> Iterator[tuple[str, Any]]:
    """Yield what an index says of the rows.

    Bare numbers may only tell where rows once stood, before frames were sorted, filtered or put
    below each other: a column of ids goes before them. The row itself is an item where a column
    for each system is all there is.
    """
    there = _small_names(frame)
    named = first_of(ITEM_COLUMNS, there) is not None or item in (*frame.columns, *there)
    asked = named or first_of(_QUESTIONS, there) is not None
    long = long or first_of((*SYSTEM_COLUMNS, *RUN_COLUMNS), there) is not None
    index = getattr(frame, "index", None)
    if index is None:
        if not asked and not long:
            yield "item", frame.with_row_index("item")["item"]
        return
    for level, name in enumerate(index.names):
        cells = index.get_level_values(level)
        bare = cells.dtype.kind in "iuf"
        if name is not None:
            yield str(name), cells
        elif (asked and bare) or (long and type(cells).__name__ == "RangeIndex"):
            continue
        elif named or level < index.nlevels - 1:
            yield f"level_{level}" if index.nlevels > 1 else "index", cells  # as pandas calls it
        else:
            yield "item", cells


def _cells(values: Any) -> Cells:
    """Return numbers as an array and anything else as texts; what is missing is None."""
    if values.dtype.kind in "iu" or (values.dtype.kind == "f" and not np.isnan(values).any()):
        return np.asarray(values)
    return [_cell(value) for value in values.tolist()]


def _cell(value: Any) -> Any:
    if value is None or value != value or str(value) in ("<NA>", "NaT"):
        return None
    return value if isinstance(value, bool | list | dict) else str(value)
