"""Writing `Counts` as a long table."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Literal

import numpy as np

from tellapart.errors import UsageError
from tellapart.files import STANDARD

if TYPE_CHECKING:
    from tellapart.counts.counts import Counts
    from tellapart.counts.judgments import Judgments

Row = dict[str, str | int | float]
_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}


def table_rows(counts: Counts) -> Iterator[Row]:
    """Return the rows of the long table: one per system and item (and metric, for ready values)."""
    _check_names(counts)
    return _rows(counts)


def table_content(counts: Counts, path: str | Path) -> Callable[[IO[bytes]], None]:
    """Return what writes the long table to a stream, in the format that the path's suffix names."""
    delimiter = _DELIMITERS[table_format(path)]
    _check_names(counts)

    def write(stream: IO[bytes]) -> None:
        text = io.TextIOWrapper(stream, "utf-8", "backslashreplace", newline="")
        _write_delimited(counts, text, delimiter)
        text.flush()
        text.detach()

    return write


def table_format(path: str | Path) -> str:
    """Return the suffix of a table to be written, which says its format.

    >>> table_format("counts.TSV"), table_format("-")
    ('.tsv', '.csv')
    """
    suffix = ".csv" if str(path) == STANDARD else Path(path).suffix.lower()
    if suffix not in _DELIMITERS:
        raise UsageError(f"{path}: the format is told by the suffix .csv or .tsv; rename the file")
    return suffix


def _check_names(counts: Counts) -> None:
    if counts.cluster is not None:
        raise UsageError(
            f"rows summed by {counts.cluster!r} have no place in a table of items; write the "
            "counts before they are summed"
        )
    values = () if counts.form == "items" else counts.columns
    # The reader takes these names for more than labels.
    taken = ["system", "run", "metric", "score", counts.kind]
    if counts.judgments is not None:
        taken = ["item", "system_a", "system_b", "preference", "order"]
    names = [*taken, *counts.labels, *values]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two columns of the table would be called {name!r}; rename the label")


def _rows(counts: Counts) -> Iterator[Row]:
    judgments = counts.judgments
    if judgments is not None and judgments.reference is None and counts.form == "items":
        yield from _judgment_rows(counts, judgments)
        return
    if judgments is not None:  # prompts, which tables do not know for items
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


def _judgment_rows(counts: Counts, judgments: Judgments) -> Iterator[Row]:
    """Yield a row for each judgment, as tables of preferences have them: 1 to 2, as they lean."""
    names = judgments.names
    if judgments.agreement:  # which a table cannot ask for: what came of it is written
        pairs = judgments.of_pairs()
        found = zip(pairs.items, pairs.a, pairs.b, pairs.points, strict=True)
    else:
        found = zip(
            judgments.items, judgments.first, judgments.second, judgments.points, strict=True
        )
    for item, first, second, points in found:
        row: Row = {
            "item": counts.items[item],
            **{label: texts[item] for label, texts in counts.labels.items()},
            "system_a": names[first],
            "system_b": names[second],
            "preference": round(2 - float(points), 12),
        }
        if judgments.agreement or not judgments.ordered:
            row["order"] = "unknown"
        yield row


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


def _write_delimited(counts: Counts, text: IO[str], delimiter: str) -> None:
    # csv leaves a lone carriage return bare, which readers would take for a line's end.
    texts = [counts.names, counts.items, counts.columns, *counts.labels.values()]
    bare = any("\r" in cell for column in texts for cell in column)
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if bare else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    for number, row in enumerate(_rows(counts)):
        if number == 0:
            writer.writerow(row)
        writer.writerow(row.values())
