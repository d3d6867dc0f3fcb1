"""Labels of items from a file of their own: `--item-labels FILE`, for every format.

Raw outputs seldom say which items are on the same event, how long a text is or where it comes from.
A table says it: one row per item, a column that names the item, and a column per label. Clusters,
slices and `--where` then work as if the labels had stood in the outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tellapart.counts import Counts
from tellapart.counts.arrays import ITEM_COLUMNS
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.tables.files import Batch, read_batches
from tellapart.words import listed, plural, several

_SHOWN = 5


def with_item_labels(counts: Counts, paths: Sequence[str | Path]) -> Counts:
    r"""Return counts with the labels that tables give to their items.

    The key of a table is the column called as items are called (``message``, ``item``, ``id``, …),
    or as a label that all items have, such as the message of a slot; otherwise the first column.
    Every item needs a row. Rows of other items are left out, and a notice says how many.

    >>> import tempfile
    >>> counts = Counts.from_arrays({"A": [1, 0, 1]}, items=["q1", "q2", "q3"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "labels.csv"
    ...     _ = table.write_text("item,event\nq1,e1\nq2,e1\nq3,e2\n")
    ...     with_item_labels(counts, [table]).labels
    {'event': ('e1', 'e1', 'e2')}
    """
    for path in paths:
        counts = _labelled(counts, str(path))
    return counts


def _labelled(counts: Counts, path: str) -> Counts:
    key, rows = _rows(counts, path)
    own = counts.labels.get(key, counts.items)
    lacking = [name for name in dict.fromkeys(own) if name not in rows]
    if lacking:
        raise DataError(
            f"{shown(path)}: {several(len(lacking), counts.kind)} of "
            f"{len(set(own))} {'has' if len(lacking) == 1 else 'have'} no row: "
            f"{listed(lacking, _SHOWN)}; give each one a row, with empty labels if need be"
        )
    names = list(next(iter(rows.values())))
    labels = {name: tuple(rows[item][name] for item in own) for name in names}
    for name, values in labels.items():
        if counts.labels.get(name, values) != values:
            raise DataError(
                f"{shown(path)}: the {plural(counts.kind)} have a label {name!r} already, with "
                "other values; rename the column"
            )
    unused = [name for name in rows if name not in set(own)]
    notices = counts.notices
    if unused:
        verb = "is" if len(unused) == 1 else "are"
        text = (
            f"{several(len(unused), 'row')} of {shown(path)} {verb} about no {counts.kind} here: "
            f"{listed(unused, _SHOWN)}."
        )
        notices = (*notices, Notice("unused-labels", text, tuple(unused)))
    return replace(counts, labels={**counts.labels, **labels}, notices=notices)


def _rows(counts: Counts, path: str) -> tuple[str, dict[str, dict[str, str]]]:
    """Return the name of the key column, and by key the labels of each row."""
    key, found, places = "", dict[str, dict[str, str]](), dict[str, str]()
    for batch in read_batches(path):
        key = key or _key(counts, batch)
        names = [name for name in batch.columns if name != key]
        if not names:
            raise DataError(
                f"{shown(path)}: the table has one column, {key!r}; give one more per label"
            )
        for k in range(len(batch)):
            item, place = _text(batch.columns[key][k]), batch.place(k)
            odd = [
                name for name in batch.columns if isinstance(batch.columns[name][k], list | dict)
            ]
            if odd:
                raise DataError(
                    f"{place}: the {odd[0]!r} of the row is not a text or number; give every row "
                    "one"
                )
            labels = {name: _text(batch.columns[name][k]) for name in names}
            if not item:
                raise DataError(f"{place}: the row names no {counts.kind} under {key!r}")
            if found.setdefault(item, labels) != labels:
                raise DataError(
                    f"{place}: {item!r} has other labels than on {places[item]}; give it one row"
                )
            places.setdefault(item, place)
    return key, found


def _key(counts: Counts, batch: Batch) -> str:
    """Return the column that names the items."""
    candidates = (counts.kind, *ITEM_COLUMNS, *counts.labels)
    named = [name for name in candidates if name in batch.columns]
    # Of several columns with a known name, the key is the one that knows the items here.
    for name in named:
        own: Mapping[str, None] = dict.fromkeys(counts.labels.get(name, counts.items))
        if any(_text(cell) in own for cell in batch.columns[name]):
            return name
    return named[0] if named else next(iter(batch.columns))


def _text(cell: object) -> str:
    """Return a cell as text; true and false are spelled as in JSON."""
    if cell is None:
        return ""
    return str(cell).strip() if not isinstance(cell, bool) else str(cell).lower()
