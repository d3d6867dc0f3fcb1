"""Writing `Counts` as a long table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from tellapart.errors import UsageError
from tellapart.files import STANDARD

if TYPE_CHECKING:
    from tellapart.counts.counts import Counts

Row = dict[str, str | int | float]
_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}


def table_content(counts: Counts, path: str | Path) -> str:
    """Return the long table, in the format that the path's suffix names."""
    delimiter = _DELIMITERS[table_format(path)]
    _check_names(counts)
    # csv leaves a lone carriage return bare, which readers would take for a line's end.
    texts = [counts.names, counts.items, counts.columns, *counts.labels.values()]
    bare = any("\r" in cell for column in texts for cell in column)
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if bare else csv.QUOTE_MINIMAL
    table = io.StringIO(newline="")
    writer = csv.writer(table, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    for number, row in enumerate(_rows(counts)):
        if number == 0:
            writer.writerow(row)
        writer.writerow(row.values())
    return table.getvalue()


def table_format(path: str | Path) -> str:
    """Return the suffix of a table to be written, which says its format.

    >>> table_format("counts.TSV"), table_format("-")
    ('.tsv', '.csv')
    """
    suffix = ".csv" if str(path) == STANDARD else Path(path).suffix.lower()
    if suffix not in _DELIMITERS:
        raise UsageError(f"{path}: the name of a table ends in .csv or .tsv; rename it")
    return suffix


def _check_names(counts: Counts) -> None:
    if counts.cluster is not None:
        raise UsageError(f"rows summed by {counts.cluster!r} are no items; write them before")
    judgments = counts.judgments
    if judgments is not None and judgments.reference is None:
        raise UsageError("preferences have a table of their own already: drop --save-counts")
    values = () if counts.form == "items" else counts.columns
    # The reader takes these names for more than labels.
    names = ["system", "run", "metric", "score", counts.kind, *counts.labels, *values]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two columns of the table would be called {name!r}; rename the label")


def _rows(counts: Counts) -> Iterator[Row]:
    """Yield the rows of the long table: one per system and item (and metric, for ready values)."""
    if counts.judgments is not None:  # prompts, which tables do not know for items
        counts = replace(counts, kind="item")
    labels = list(zip(*counts.labels.values(), strict=True)) or [()] * len(counts.items)
    heads = [
        {counts.kind: item, **dict(zip(counts.labels, texts, strict=True))}
        for item, texts in zip(counts.items, labels, strict=True)
    ]
    if counts.runs and not any(np.isnan(runs).any() for runs in counts.runs):
        yield from _run_rows(counts, heads)
        return
    everywhere = [True] * len(counts.items)
    for k, (name, system) in enumerate(zip(counts.names, counts.values, strict=True)):
        present = everywhere if counts.present is None else counts.present[k].tolist()
        for head, row in compress(zip(heads, system, strict=True), present):
            # Division is exact enough: below 2^51 the shortest form of the float is the decimal.
            values = [
                value if scale == 1 else value / scale
                for value, scale in zip(row.tolist(), counts.scales, strict=True)
            ]
            yield from _item_rows(counts, {"system": name, **head}, values)


def _run_rows(counts: Counts, heads: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows of every run, so that they are known to be runs when they are read back."""
    columns = counts.columns[: counts.runs[0].shape[2]]
    whole = [
        all((runs[:, :, c] % 1 == 0).all() for runs in counts.runs) for c in range(len(columns))
    ]
    for name, runs in zip(counts.names, counts.runs, strict=True):
        for r, run in enumerate(runs):
            for head, row in zip(heads, run.tolist(), strict=True):
                values = [int(x) if is_whole else x for x, is_whole in zip(row, whole, strict=True)]
                yield from _item_rows(counts, {"system": name, "run": str(r + 1), **head}, values)


def _item_rows(counts: Counts, start: Row, values: Sequence[int | float]) -> Iterator[Row]:
    """Yield the row of an item, or one for each of its ready values."""
    columns = counts.columns[: len(values)]
    if counts.form == "counts":
        yield {**start, **dict(zip(columns, values, strict=True))}
    elif columns == ("score",):
        yield {**start, "score": values[0]}
    else:
        for column, value in zip(columns, values, strict=True):
            yield {**start, "metric": column, "score": value}
