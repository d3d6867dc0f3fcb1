"""What the columns of a table are: systems, items, counts, ready values or labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tellapart.counts.arrays import KNOWN_COLUMNS
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.tables.cells import is_truth, looks_like_number, looks_numeric
from tellapart.formats.tables.files import ALIASES, ITEM_COLUMNS, Batch, Cells, if_text
from tellapart.words import listed

CODE: Final = "odd-column"
_FAR: Final = 10  # times as large as the largest of all others


def odd_columns(extremes: Mapping[str, float]) -> Iterator[Notice]:
    """Yield warnings of columns that are far from all others, by their values farthest from 0.

    Small ones tell something only where several others agree.

    >>> [notice.text for notice in odd_columns({"A": 1.0, "B": 0.75, "length": 412.0})]
    ["The column 'length' has values as far as 412, all others stay within 1: if it is a label and \
no system, --labels length says so."]
    >>> list(odd_columns({"A": 1.0, "B": 9.5}))
    []
    """
    if len(extremes) < 2:
        return
    sizes = sorted(map(abs, extremes.values()))
    for name, extreme in extremes.items():
        size = abs(extreme)
        least = sizes[1] if size == sizes[0] else sizes[0]  # of all others
        most = sizes[-2] if size == sizes[-1] else sizes[-1]
        if size > _FAR * most > 0:
            finding = f"has values as far as {extreme:g}, all others stay within {most:g}"
        elif len(sizes) > 2 and least > _FAR * size > 0:
            finding = f"stays within {size:g}, all others have values as far as {least:g}"
        else:
            continue
        remedy = f"if it is a label and no system, --labels {name} says so"
        yield Notice(CODE, f"The column {name!r} {finding}: {remedy}.", (name,))


# Names that a column of texts may have as well; only numbers make it a count.
_EVERYDAY: Final = frozenset({"sys", "gold", "match", *ALIASES})
# Of these, true and false can only mean right and wrong.
_VERDICTS: Final = ("correct", "match")
# How tools mark a number that is not there: no help in telling numbers from labels.
_NOTHING: Final = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "inf", "-inf"})


@dataclass(slots=True)
class ColumnCells:
    """What the cells of a column look like, as far as they were seen.

    >>> cells = ColumnCells()
    >>> cells.add(["", "n/a", None])
    >>> cells.is_numeric, cells.is_truth
    (False, False)
    >>> cells.add(["0.7", "high"])
    >>> cells.is_numeric, cells.is_truth
    (True, False)
    """

    first_is_number: bool = False
    filled: int = 0
    numbers: int = 0
    truths: int = 0

    def add(self, cells: Cells) -> None:
        """Look at some more cells."""
        if self.first_is_number:  # which says all that will be asked
            return
        if isinstance(cells, np.ndarray):
            seen: Iterable[tuple[Any, int]] = [(cells[0], len(cells))]
        else:
            seen = _times(cells)
        for cell, times in seen:
            if cell is None or str(cell).strip().lower() in _NOTHING:
                continue
            if not self.filled and looks_numeric(cell):
                self.first_is_number = True
                return
            self.filled += times
            self.numbers += times * looks_like_number(cell)
            self.truths += times * is_truth(cell)

    @property
    def is_numeric(self) -> bool:
        """Whether these are numbers: the first is one, or most look like one."""
        return self.first_is_number or 2 * self.numbers > self.filled

    @property
    def is_truth(self) -> bool:
        """Whether all are true or false."""
        return 0 < self.filled == self.truths


def _times(cells: Sequence[Any]) -> Iterable[tuple[Any, int]]:
    """Return different cells, in order, and how often each is there."""
    try:
        return Counter(cells).items()
    except TypeError:  # lists and objects, which are refused later
        return [(cell, 1) for cell in cells]


@dataclass(slots=True)
class Columns:
    """The columns of a table, and what their cells look like; add batch after batch."""

    path: str
    cells: dict[str, ColumnCells] = field(default_factory=dict)

    def add(self, batch: Batch, known: Collection[str | None] = ()) -> None:
        """Look at some more rows; there is no need to in columns that are known."""
        for name, cells in batch.columns.items():
            if name not in known:
                self.cells.setdefault(name, ColumnCells()).add(cells)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of the file."""
        return tuple(self.cells)

    def is_numeric(self, name: str) -> bool:
        """Return whether a column holds numbers."""
        return self.cells[name].is_numeric

    def is_truth(self, name: str) -> bool:
        """Return whether a column says true or false."""
        return self.cells[name].is_truth


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user says about the tables; None is for "tell it from the table"."""

    item: str | None = None
    columns: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """What the columns of one file are."""

    item: str
    values: dict[str, str]  # column in the file → name in the counts (wide: the system's name)
    labels: tuple[str, ...]
    form: str  # "counts" or "items"
    wide: bool = False
    system: str | None = None
    run: str | None = None
    metric: str | None = None
    ignored: bool = False  # a column `score` stands beside the count columns that were taken


def find_layout(table: Columns, wanted: Wanted) -> Layout:
    """Return what the columns are, by the rows that were seen and by what the user says."""
    item = _item_column(table, wanted.item)
    rest = [name for name in table.names if name != item]
    values = _value_columns(table, rest, wanted.columns)
    if not values:
        return _wide_layout(table, item, rest, wanted.labels)
    items = tuple(values.values()) == ("score",)
    metric = "metric" if items and "metric" in rest else None
    taken = {"system", "run", metric, *values}
    labels = tuple(name for name in rest if name not in taken)
    ignored = not items and wanted == Wanted(wanted.item) and "score" in labels
    if wanted.labels is not None:
        labels = tuple(name for name in wanted.labels if name in labels)
    elif ignored:
        labels = tuple(name for name in labels if name not in ("score", "metric"))
    elif wanted.columns is not None:  # what else is counted was not asked for
        labels = tuple(name for name in labels if name != "score" and not _is_count(table, name))
    return Layout(
        item,
        values,
        labels,
        "items" if items else "counts",
        system="system" if "system" in rest else None,
        run="run" if "run" in rest else None,
        metric=metric,
        ignored=ignored,
    )


def _item_column(table: Columns, wanted: str | None) -> str:
    if wanted is not None:
        if wanted not in table.cells:
            raise _no_column(table, wanted, "--item")
        return wanted
    for name in ITEM_COLUMNS:
        if name in table.cells:
            return name
    raise DataError(
        f"{shown(table.path)}: no item column ({', '.join(ITEM_COLUMNS)}) among the columns "
        f"{listed(table.names)}; name it with --item{if_text(table.path)}"
    )


def _value_columns(
    table: Columns, rest: list[str], wanted: tuple[str, ...] | None
) -> dict[str, str]:
    """Return the value columns of a long table with their names in the counts; {} if it is wide."""
    if wanted is not None:
        return {_spelled(table, rest, name): name for name in wanted}
    known: dict[str, str] = {}
    for column in rest:
        name = ALIASES.get(column, column)
        if _is_count(table, column):
            if name in known.values():
                raise DataError(
                    f"{shown(table.path)}: the columns {name!r} and its other spelling are both "
                    "there; rename one, or name the value columns with --columns"
                )
            known[column] = name
    # One everyday word beside a score, as in "item, score, match", is no table of counts.
    if "score" in rest and len(known) < 2:
        return {"score": "score"}
    # Nor is one alone, as in "item, correct": that is a score of 0 or 1.
    if len(known) == 1 and _EVERYDAY.issuperset(known):
        return dict.fromkeys(known, "score")
    if not known and (verdict := _verdict(table, rest)) is not None:
        return {verdict: "score"}
    if not known and "system" in rest:
        raise DataError(
            f"{shown(table.path)}: no count columns and no 'score' among the columns "
            f"{listed(table.names)}; name count columns with --columns, or give ready "
            "values in a column 'score' (with a column 'metric' where there are several)"
        )
    return known


def _is_count(table: Columns, column: str) -> bool:
    return ALIASES.get(column, column) in KNOWN_COLUMNS and (
        column not in _EVERYDAY or table.is_numeric(column)
    )


def _verdict(table: Columns, rest: list[str]) -> str | None:
    """Return the column that says true or false of what each system did."""
    truths = [name for name in rest if table.is_truth(name)]
    for name in _VERDICTS:
        if name in truths:
            return name
    others = set(rest).difference(("system", "run"), truths)
    alone = "system" in rest and len(truths) == 1
    return truths[0] if alone and not any(table.is_numeric(name) for name in others) else None


def _spelled(table: Columns, rest: list[str], name: str) -> str:
    spellings = (name, *(alias for alias, known in ALIASES.items() if known == name))
    for spelling in spellings:
        if spelling in rest:
            return spelling
    raise _no_column(table, name, "--columns")


def _wide_layout(
    table: Columns, item: str, rest: list[str], wanted: tuple[str, ...] | None
) -> Layout:
    values = {name for name in rest if table.is_numeric(name)}
    if not values or wanted is not None:  # beside numbers, true and false are more likely labels
        values |= {name for name in rest if table.is_truth(name)}
    values -= set(wanted or ())
    labels = tuple(name for name in rest if name not in values)
    systems = {name: name for name in rest if name in values}
    if len(systems) == 1:  # scores of one system, which is called like its file
        return Layout(item, dict.fromkeys(systems, "score"), labels, "items")
    if not systems:
        raise DataError(
            f"{shown(table.path)}: no count columns, no 'score' and no numeric column per system "
            f"among the columns {listed(table.names)}; name the value columns with "
            "--columns"
        )
    return Layout(item, systems, labels, "items", wide=True)


def _no_column(table: Columns, name: str, option: str) -> DataError:
    return DataError(
        f"{shown(table.path)}: there is no column {name!r} ({option}); the table has "
        f"{listed(table.names)}"
    )
