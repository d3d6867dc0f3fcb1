"""One door for every kind of file: names and patterns become counts."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.scorers.tables import read_tables


def read(
    sources: str | Path | Sequence[str | Path],
    *,
    unit: str | None = None,
    columns: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    missing: str = "error",
) -> Counts:
    r"""Read tables of counts or scores: a file, a pattern such as ``runs/*.csv``, or several.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "counts.csv"
    ...     _ = table.write_text("system,item,score\nA,q1,1\nB,q1,0\n")
    ...     read(table)
    <Counts: 2 systems × 1 item × 1 column>
    """
    given = [sources] if isinstance(sources, str | Path) else list(sources)
    paths = [path for source in given for path in _expanded(source)]
    return read_tables(paths, unit=unit, columns=columns, labels=labels, missing=missing)


def _expanded(source: str | Path) -> list[str | Path]:
    """Expand a pattern, unless it is the name of a file."""
    text = str(source)
    if "=" in text or Path(text).exists() or not glob.has_magic(text):
        return [source]
    found = sorted(glob.glob(text))
    if not found:
        raise DataError(f"no file fits the pattern {text!r}; check the folder")
    return list(found)
