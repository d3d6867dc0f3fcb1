"""What users hand over in Python: arrays, which are checked, and frames and series of any library.

narwhals knows pandas, polars, pyarrow and others, and what is the same in all of them; here it is
imported only for what may be of such a library.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.fixed_point import is_number, widen
from tellapart.errors import DataError, UsageError
from tellapart.words import listed, several

if TYPE_CHECKING:
    import narwhals as nw


_ORDERS = range(1, 10)
# What the scorer of texts counts, with the largest orders that it knows.
_TEXT_COLUMNS = frozenset(
    {"hyp_len", "ref_len", "nist_ref_len", "ter_edits", "ter_ref_len"}
    | {f"{what}_{n}" for what in ("match", "total", "nist_info", "nist_total") for n in _ORDERS}
    | {
        f"chrf{pluses}_{what}_{kind}{n}"
        for pluses in ("", "+", "++")
        for what in ("hyp", "ref", "match")
        for kind in ("", "w")
        for n in _ORDERS
    }
)
# Columns that are known to be counts: never negative, and enough to tell a table of counts.
KNOWN_COLUMNS: Final = frozenset(
    {"tp", "fp", "fn", "tn"}
    | {"pos", "act", "cor", "par", "inc", "icr", "ipa", "spu", "mis", "non", "pie"}
    | {"sys", "gold", "match"}
    | _TEXT_COLUMNS
)

# What columns are called that name the items; it is the first of these that is there.
ITEM_COLUMNS: Final = (
    "unit", "item", "id", "item_id", "question_id", "sample_id", "instance_id", "prompt_id",
    "example_id", "query_id", "qid", "problem_id", "case_id", "test_id", "message", "message_id",
    "segment", "segment_id", "sentence", "sentence_id", "query", "doc_id", "task_id", "uid", "uuid",
    "idx", "index",
)  # fmt: skip
SYSTEM_COLUMNS: Final = (
    "system", "system_name", "system_id", "model", "model_name", "model_id", "run_name",
)  # fmt: skip


AS_TABLE: Final = "give a table: {'item': [1, 2, …], name: array, …}"
"""What does for arrays what only tables can"""

Names: TypeAlias = tuple[str, ...]
Columns: TypeAlias = dict[str, list[NDArray[Any]]]
"""By column, a row of integers or float64 per system, all of them finite"""


def checked_arrays(
    arrays: Mapping[str, Any],
    columns: Sequence[str] | None,
    items: Sequence[str] | None,
    labels: Mapping[str, Sequence[str]] | None,
    form: str | None,
) -> tuple[Names, Names, Columns, dict[str, Names], str]:
    """Return systems, items, columns, labels and form of what `Counts.from_arrays` was given."""
    systems = tuple(arrays)
    if not systems or not all(isinstance(name, str) and name.strip() for name in systems):
        raise DataError("every system needs a name that is not empty")
    shaped = {name: _shaped(name, array) for name, array in arrays.items()}
    n_items, n_columns = shaped[systems[0]].shape
    for name, array in shaped.items():
        if len(array) != n_items:
            finding = f"{name!r} has {several(len(array), 'item')}, {systems[0]!r} has {n_items}"
            raise DataError(f"{finding}: they are paired by their order; give the same items")
        if array.shape[1] != n_columns:
            raise DataError(
                f"the array of {name!r} has the shape {array.shape}, that of {systems[0]!r} "
                f"{(n_items, n_columns)}"
            )
    ids = _ids(items, n_items)
    names = _column_names(columns, n_columns)
    if form is None:
        form = "items" if len(names) == 1 and names[0] not in KNOWN_COLUMNS else "counts"
    if form not in ("counts", "items"):
        raise UsageError(f"the form is 'counts' or 'items', not {form!r}")
    cut = {
        column: [_numbers(array[:, c], name, ids, column) for name, array in shaped.items()]
        for c, column in enumerate(names)
    }
    for column, rows in cut.items():
        if form == "counts" or column in KNOWN_COLUMNS:
            _check_negative(rows, systems, ids, column)
    return systems, ids, cut, _labels(labels, n_items), form


def _shaped(name: str, array: Any) -> NDArray[Any]:
    """Return an array of items × columns."""
    try:
        shaped = np.asarray(array)
    except ValueError:
        raise DataError(f"the rows of {name!r} are of different lengths") from None
    if shaped.ndim == 1:
        shaped = shaped[:, np.newaxis]
    if shaped.ndim != 2:
        raise DataError(f"the array of {name!r} has {shaped.ndim} axes, not items × columns")
    if shaped.shape[0] == 0:
        raise DataError(f"the array of {name!r} has no items")
    return shaped


def _ids(items: Sequence[str] | None, n_items: int) -> tuple[str, ...]:
    if items is None:
        return tuple(map(str, range(1, n_items + 1)))
    ids = tuple(map(str, items))
    if len(ids) != n_items:
        raise DataError(f"there are {len(ids)} item ids for {n_items} rows")
    item, times = Counter(ids).most_common(1)[0]
    if times > 1 or not all(map(str.strip, ids)):
        finding = f"{item!r} appears twice" if times > 1 else "one is empty"
        raise DataError(f"item ids must be unique and not empty: {finding}")
    return ids


def _column_names(columns: Sequence[str] | None, n_columns: int) -> tuple[str, ...]:
    if columns is None:
        if n_columns != 1:
            raise DataError(f"the arrays have {n_columns} columns; name them with columns=[…]")
        return ("score",)
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    if len(names) != n_columns:
        raise DataError(f"{len(names)} columns are named, the arrays have {n_columns}")
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        raise DataError(f"column names must be unique and not empty: {', '.join(names)}")
    return names


def _labels(labels: Mapping[str, Sequence[str]] | None, n_items: int) -> dict[str, tuple[str, ...]]:
    checked = {name: tuple(map(str, texts)) for name, texts in (labels or {}).items()}
    for name, texts in checked.items():
        if len(texts) != n_items:
            raise DataError(f"label {name!r} has {len(texts)} values for {n_items} items")
    return checked


def _numbers(
    values: NDArray[Any], system: str, items: tuple[str, ...], column: str
) -> NDArray[Any]:
    """Return one column of one system as integers or float64."""
    if values.dtype.kind in "iub":
        return values.astype(np.int64) if values.dtype.kind == "b" else values
    if values.dtype.kind != "f":
        values = np.array(
            [_number(value, system, items[i], column) for i, value in enumerate(values.tolist())]
        )
    finite = np.isfinite(values)
    if not finite.all():
        at = int(np.flatnonzero(~finite)[0])
        raise _not_a_number(values[at], system, items[at], column)
    return widen(values)


def _number(value: Any, system: str, item: str, column: str) -> float:
    # Below 2^51 grid steps a float has room for every decimal text: nothing is lost here.
    if isinstance(value, str) and is_number(value):
        return float(value)
    if isinstance(value, int | float | Decimal) or hasattr(value, "__float__"):
        try:
            return float(value)
        except (OverflowError, ValueError):
            pass
    raise _not_a_number(value, system, item, column)


def _check_negative(
    rows: list[NDArray[Any]], systems: tuple[str, ...], items: tuple[str, ...], column: str
) -> None:
    for system, row in zip(systems, rows, strict=True):
        negative = np.flatnonzero(row < 0)
        if negative.size:
            at = int(negative[0])
            place = f"system {system!r}, item {items[at]!r}, column {column!r}"
            raise DataError(f"{place}: {row[at]} is negative; ready scores are form='items'")


def _not_a_number(value: object, system: str, item: str, column: str) -> DataError:
    place = f"system {system!r}, item {item!r}, column {column!r}"
    gap = value is None or str(value) == "nan"
    remedy = f"; to leave it out, {AS_TABLE}, missing='drop'" if gap else ""
    shown = repr(value) if isinstance(value, str) else str(value)
    return DataError(f"{place}: {shown} is not a finite number{remedy}")


_OWN = (str, Path, Sequence, Mapping, np.ndarray, type(None))
"""What is of Python or NumPy, and no frame"""


def _of_library(data: Any, kind: str) -> Any:
    """Return data of a library as narwhals' `DataFrame`, `LazyFrame` or `Series`, if it is one."""
    if isinstance(data, _OWN):
        return None
    import narwhals as nw

    try:
        found = nw.from_native(data, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise DataError("two columns of the frame have the same name; rename one") from None
    return found if isinstance(found, getattr(nw, kind)) else None


def as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame of any library, or a data set of Hugging Face; None: it is neither.

    >>> as_frame([1, 2]) is None
    True
    """
    datasets = sys.modules.get("datasets")  # who has a data set has loaded the library
    if datasets is not None and isinstance(data, datasets.DatasetDict):
        raise UsageError(f"this data set has the splits {listed(list(data))}: give one of them")
    if datasets is not None and isinstance(data, datasets.Dataset):
        data = data.with_format("arrow")[:]
    frame: nw.DataFrame[Any] | None = _of_library(data, "DataFrame")
    return frame


def is_lazy(data: Any) -> bool:
    """Return whether this is a frame that is not loaded, which narwhals takes lazily.

    >>> is_lazy([1, 2])
    False
    """
    return _of_library(data, "LazyFrame") is not None


def series_as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return a series of any library as the column `score` of a frame; None: it is none."""
    found = _of_library(data, "Series")
    return None if found is None else found.rename("score").to_frame()


def holds_frames(arrays: object) -> bool:
    """Return whether this is a frame, or some of the values by system are frames or series.

    >>> holds_frames({"A": [1, 0], "B": [0, 0]})
    False
    """
    if not isinstance(arrays, Mapping):
        return as_frame(arrays) is not None
    return any(
        as_frame(each) is not None or series_as_frame(each) is not None for each in arrays.values()
    )
