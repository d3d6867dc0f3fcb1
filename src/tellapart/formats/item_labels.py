"""Labels of items from a file of their own: `--item-labels FILE`, for every format.

Raw outputs seldom say which items are on the same event, how long a text is or where it comes from.
A table says it: one row per item, a column that names the item, and a column per label. Clusters,
slices and `--where` then work as if the labels had stood in the outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tellapart.counts import Counts
from tellapart.counts.arrays import ITEM_COLUMNS
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.tables.columns import Table, read_table
from tellapart.words import listed, several

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
            f"{shown(path)}: there is no row for {several(len(lacking), counts.kind)} of "
            f"{len(set(own))}: {listed(lacking, _SHOWN)}"
        )
    names = list(next(iter(rows.values())))
    labels = {name: tuple(rows[item][name] for item in own) for name in names}
    for name, values in labels.items():
        if counts.labels.get(name, values) != values:
            raise DataError(f"{shown(path)}: {name!r} has other values already; rename the column")
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
    table = read_table(path, Findings(strict=True))
    key = _key(counts, table)
    names = [name for name in table.columns if name != key]
    if not names:
        raise DataError(
            f"{shown(path)}: the table has one column, {key!r}; give one more per label"
        )
    labels_by_item, rows = dict[str, dict[str, str]](), dict[str, int]()
    for row in range(len(table)):
        item = table.columns[key][row].strip()
        labels = {name: table.columns[name][row].strip() for name in names}
        if not item:
            raise DataError(f"{table.place(row)}: the row names no {counts.kind} under {key!r}")
        if labels_by_item.setdefault(item, labels) != labels:
            first = table.place(rows[item])
            raise DataError(f"{table.place(row)}: {item!r} has other labels than on {first}")
        rows.setdefault(item, row)
    return key, labels_by_item


def _key(counts: Counts, table: Table) -> str:
    """Return the column that names the items."""
    candidates = (counts.kind, *ITEM_COLUMNS, *counts.labels)
    named = [name for name in candidates if name in table.columns]
    # Of several columns with a known name, the key is the one that knows the items here.
    for name in named:
        own = set(counts.labels.get(name, counts.items))
        if any(text.strip() in own for text in table.columns[name].texts):
            return name
    return named[0] if named else next(iter(table.columns))
