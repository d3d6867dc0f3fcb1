"""Data frames of pandas and polars as batches of columns, as if they were tables in files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tellapart.formats.problems import Findings
from tellapart.formats.tables.files import Batch, Batches, Cells, known_in_small_letters


def frame_batches(frame: Any) -> Batches:
    """Return what yields the rows of a frame, whatever table is asked for."""

    def open_frame(path: str, _: Findings) -> Iterator[Batch]:
        columns = dict(_columns(frame))
        names = known_in_small_letters(list(columns))
        lines = np.arange(1, len(frame) + 1, dtype=np.int32)
        yield Batch(path, lines, dict(zip(names, columns.values(), strict=True)), ", row ")

    return open_frame


def _columns(frame: Any) -> Iterator[tuple[str, Cells]]:
    """Yield the columns by name; the index of pandas is one, unless it only counts the rows."""
    index = getattr(frame, "index", None)
    if index is not None and type(index).__name__ != "RangeIndex":
        for level, name in enumerate(index.names):
            cells = index.get_level_values(level)
            yield str(name) if name is not None else "item", _cells(cells.to_numpy())
    for name in frame.columns:
        yield str(name), _cells(frame[name].to_numpy())


def _cells(values: Any) -> Cells:
    """Return numbers as an array and anything else as texts; what is missing is None."""
    if values.dtype.kind in "iu" or (values.dtype.kind == "f" and not np.isnan(values).any()):
        return np.asarray(values)
    return [_cell(value) for value in values.tolist()]


def _cell(value: Any) -> Any:
    if value is None or value != value or str(value) in ("<NA>", "NaT"):
        return None
    return value if isinstance(value, bool | list | dict) else str(value)
