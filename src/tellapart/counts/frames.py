"""Data frames and series of any library, as narwhals has them.

narwhals knows pandas, polars, pyarrow and others, and what is the same in all of them; here it is
imported only for what may be of such a library.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.errors import DataError, UsageError
from tellapart.words import listed

if TYPE_CHECKING:
    import narwhals as nw

_OWN = (str, Path, Sequence, Mapping, np.ndarray, type(None))
"""What is of Python or NumPy, and no frame"""


def as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame of any library, or a data set of Hugging Face; None: it is neither.

    >>> as_frame([1, 2]) is None
    True
    """
    datasets = sys.modules.get("datasets")  # who has a data set has loaded the library
    if datasets is not None and isinstance(data, datasets.DatasetDict):
        raise UsageError(
            f"this data set has the splits {listed(list(data))}; give one of them, as in "
            f"data[{next(iter(data), 'train')!r}]"
        )
    if isinstance(data, _OWN):
        return None
    import narwhals as nw

    if datasets is not None and isinstance(data, datasets.Dataset):
        data = data.with_format("arrow")[:]
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise DataError("two columns of the frame have the same name; rename one") from None
    return frame if isinstance(frame, nw.DataFrame) else None


def is_lazy(data: Any) -> bool:
    """Return whether this is a frame that is not loaded, which narwhals takes lazily.

    >>> is_lazy([1, 2])
    False
    """
    if isinstance(data, _OWN):
        return False
    import narwhals as nw

    try:
        return isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)
    except nw.exceptions.DuplicateError:  # which `as_frame` refuses
        return False


def series_as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return a series of any library as the column `score` of a frame; None: it is none."""
    if isinstance(data, _OWN):
        return None
    import narwhals as nw

    found = nw.from_native(data, allow_series=True, pass_through=True)
    return found.rename("score").to_frame() if isinstance(found, nw.Series) else None


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
