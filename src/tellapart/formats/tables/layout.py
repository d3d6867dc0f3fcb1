"""What the columns of a table are: systems, items, counts, ready values or labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from tellapart.counts.arrays import ITEM_COLUMNS, KNOWN_COLUMNS, SYSTEM_COLUMNS
from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.tables.cells import (
    Spelling,
    is_truth,
    is_verdict,
    looks_like_number,
    looks_numeric,
)
from tellapart.formats.tables.files import Batch, Cells, if_text
from tellapart.formats.tables.likeness import refuse_several_measures
from tellapart.formats.tables.names import (
    ALIASES,
    EVERYDAY,
    GOLDS,
    INPUTS,
    METRIC_COLUMNS,
    NUMBERING,
    OTHER_ITEMS,
    OUTPUTS,
    RUN_COLUMNS,
    SHARED,
    VERDICTS,
    first_of,
    kind_of_items,
)
from tellapart.formats.tables.splitting import PackedCells
from tellapart.metrics.directions import is_measure
from tellapart.metrics.registry import DEFINITIONS, OPTIONAL
from tellapart.words import listed

# How tools mark a number that is not there: no help in telling numbers from labels.
_NOTHING: Final = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "inf", "-inf", "error"})


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
    >>> cells = ColumnCells()
    >>> cells.add(["PASS", "FAIL"])
    >>> cells.is_truth, cells.is_verdict
    (False, True)
    """

    first_is_number: bool = False
    filled: int = 0
    numbers: int = 0
    truths: int = 0
    verdicts: int = 0
    answers: int = 0

    def add(self, cells: Cells) -> None:
        """Look at some more cells."""
        if self.first_is_number:  # which says all that will be asked
            return
        if isinstance(cells, np.ndarray):
            seen: Iterable[tuple[Any, int]] = [(cells[0], len(cells))]
        elif isinstance(cells, PackedCells):
            seen = cells.distinct()
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
            if is_verdict(cell, answers=True):
                self.answers += times
                self.truths += times * is_truth(cell)
                self.verdicts += times * is_verdict(cell)

    @property
    def is_numeric(self) -> bool:
        """Whether these are numbers: the first is one, or most look like one."""
        return self.first_is_number or 2 * self.numbers > self.filled

    @property
    def is_truth(self) -> bool:
        """Whether all are true or false."""
        return 0 < self.filled == self.truths

    @property
    def is_verdict(self) -> bool:
        """Whether all say right or wrong, as true and false or pass and fail do."""
        return 0 < self.filled == self.verdicts

    @property
    def is_answer(self) -> bool:
        """Whether all are such words, or yes and no, which also answer questions."""
        return 0 < self.filled == self.answers

    @property
    def has_words(self) -> bool:
        """Whether some are such words, among which any other must be a mistake."""
        return self.answers > 0 and not self.is_numeric


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

    def is_value(self, name: str) -> bool:
        """Return whether a column may say how well systems did: numbers, or right and wrong."""
        if name in _TEXTS:
            return False
        cells = self.cells[name]
        judges = name in VERDICTS or is_measure(name)
        worded = cells.is_answer or (name in VERDICTS and cells.has_words)
        return cells.is_numeric or cells.is_verdict or (judges and worded)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user says about the tables; None is for "tell it from the table"."""

    item: str | None = None
    columns: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    system: tuple[str, ...] | None = None
    """The column that names the systems, or several columns that are systems"""
    ready: bool = False
    """Whether the named columns are ready values, not counts"""
    alone: bool = False
    """Whether there is one file, which was given no name"""
    one_system: bool = False
    """Whether each file without a column of systems holds one system"""
    one_name: bool = False
    """Whether the only value of each file is called `score`, their names being different"""
    own_ids: tuple[str, ...] = ()
    """Columns of ids that name rows, not items: no systems share them, and another they do"""
    gaps: bool = False
    """Whether a row without a value is an item that the system lacks"""


@dataclass(frozen=True, slots=True)
class Layout:
    """What the columns of one file are."""

    item: str
    kind: str  # what an item is called
    values: dict[str, str]  # column in the file → name in the counts (wide: the system's name)
    labels: tuple[str, ...]  # or texts, or numbers of `maybe`: that is told by all rows together
    form: str  # "counts" or "items"
    wide: bool = False
    system: str | None = None
    run: str | None = None
    metric: str | None = None
    maybe: tuple[str, ...] = ()  # metrics if systems differ in them or they are called so
    words: frozenset[str] = frozenset()  # values that are written as words: pass and fail
    ignored: bool = False  # a column `score` stands beside the count columns that were taken

    def spelling(self, column: str) -> Spelling:
        """Return how the numbers of a column may be written."""
        return Spelling(negative=self.form == "items", words=column in self.words)


_TEXTS: Final = frozenset({*INPUTS, *GOLDS, *OUTPUTS})


def find_layout(table: Columns, wanted: Wanted) -> Layout:
    """Return what the columns are, by the rows that were seen and by what the user says."""
    item = _item_column(table, wanted)
    kind = item if wanted.item is not None else kind_of_items(item)
    rest = [name for name in table.names if name != item]
    if wanted.system is not None and len(wanted.system) > 1:
        systems = {_existing(table, name, "--system"): name for name in wanted.system}
        others = tuple(name for name in rest if name not in systems)
        words = _in_words(table, systems)
        return Layout(item, kind, systems, others, "items", wide=True, words=words)
    system, run = _system_and_run(table, rest, wanted)
    rest = [name for name in rest if name not in (system, run)]
    counted = _count_columns(table, rest, wanted)
    if counted:
        layout = _counts(table, rest, counted, wanted)
    elif wanted.columns is not None:
        named = {_spelled(table, rest, name): name for name in wanted.columns}
        layout = _ready(table, rest, named, wanted, [])
    else:
        layout = _values(table, rest, wanted, system)
    values = (*layout.values, *layout.maybe) if layout.form == "items" else ()
    words = _in_words(table, values)
    return replace(layout, item=item, kind=kind, system=system, run=run, words=words)


def _in_words(table: Columns, names: Iterable[str]) -> frozenset[str]:
    """Return the columns that say right and wrong in words."""
    return frozenset(name for name in names if table.cells[name].has_words)


def _item_column(table: Columns, wanted: Wanted) -> str:
    if wanted.item is not None:
        return _existing(table, wanted.item, "--item")
    names = [name for name in table.cells if name not in wanted.own_ids]
    found = first_of((*ITEM_COLUMNS, *OTHER_ITEMS), names)
    if found is not None:
        return found
    raise DataError(
        f"{shown(table.path)}: no item column (such as id, item or question_id) among the columns "
        f"{listed(table.names)}; name it with --item{if_text(table.path)}"
    )


def _system_and_run(
    table: Columns, rest: list[str], wanted: Wanted
) -> tuple[str | None, str | None]:
    """Return the columns that name the systems and their runs.

    The runs of a single table that names no systems are the systems, unless they are numbers.
    """
    run = first_of(RUN_COLUMNS, rest)
    if wanted.system is not None:
        named = _existing(table, wanted.system[0], "--system")
        return named, first_of([name for name in RUN_COLUMNS if name != named], rest)
    system = first_of(SYSTEM_COLUMNS, rest)
    alone = wanted.alone and run in ("run", "run_id")
    if system is None and run is not None and alone and not table.is_numeric(run):
        return run, None
    return system, run


def _count_columns(table: Columns, rest: list[str], wanted: Wanted) -> dict[str, str]:
    """Return the columns of counts with their names; {} if the table has ready values."""
    if wanted.columns is not None:
        measured = wanted.ready or all(map(is_measure, wanted.columns))
        if wanted.columns == ("score",) or (
            measured and not KNOWN_COLUMNS.issuperset(wanted.columns)
        ):
            return {}
        return {_spelled(table, rest, name): name for name in wanted.columns}
    known: dict[str, str] = {}
    answered = first_of(OUTPUTS, rest) is not None  # so that `gold` is the right answer
    for column in rest:
        name = ALIASES.get(column, column)
        if _is_count(table, column) and not (answered and column == "gold"):
            if name in known.values():
                raise DataError(
                    f"{shown(table.path)}: the columns {name!r} and its other spelling are both "
                    "there; rename one, or name the value columns with --columns"
                )
            known[column] = name
    # Everyday words that make no metric, as "item, correct" or "gold, correct", are no counts.
    lonely = EVERYDAY.issuperset(known) and not _make_a_metric(known.values())
    return {} if lonely or ("score" in rest and len(known) < 2) else known


def _make_a_metric(counts: Collection[str]) -> bool:
    """Return whether these columns are enough for some metric."""
    forms = (form for forms in DEFINITIONS.values() for form in forms)
    return any((above.keys() | below.keys()) - OPTIONAL <= set(counts) for above, below in forms)


def _is_count(table: Columns, column: str) -> bool:
    return ALIASES.get(column, column) in KNOWN_COLUMNS and (
        column not in EVERYDAY or table.is_numeric(column)
    )


def _counts(table: Columns, rest: list[str], values: dict[str, str], wanted: Wanted) -> Layout:
    labels = tuple(name for name in rest if name not in values)
    ignored = wanted.columns is None and wanted.labels is None and "score" in labels
    if wanted.labels is not None:
        labels = tuple(name for name in wanted.labels if name in labels)
    elif ignored:
        labels = tuple(name for name in labels if name not in ("score", "metric"))
    elif wanted.columns is not None:  # what else is counted was not asked for
        labels = tuple(name for name in labels if name != "score" and not _is_count(table, name))
    return Layout("", "", values, labels, "counts", ignored=ignored)


def _values(table: Columns, rest: list[str], wanted: Wanted, system: str | None) -> Layout:
    """Return the layout of ready values: those of one system or of several, long or wide."""
    metric = first_of(METRIC_COLUMNS, rest)
    scored = first_of(("score", "value"), rest)
    if metric is not None and scored is not None:
        layout = _ready(table, rest, {scored: "score"}, wanted, [])
        labels = tuple(name for name in layout.labels if name != metric)
        return replace(layout, labels=labels, metric=metric)
    named = (*(wanted.labels or ()), *ITEM_COLUMNS)  # further ids measure nothing
    values = [name for name in rest if name not in named and table.is_value(name)]
    measures = [name for name in values if name not in NUMBERING]
    main = "score" if "score" in rest else first_of(VERDICTS, measures)
    one = system is not None or wanted.one_system or main is not None
    if one or any(map(is_measure, measures)):
        return _one_system(table, rest, measures, main, wanted)
    return _wide(table, rest, values, wanted)


def _one_system(
    table: Columns, rest: list[str], measures: list[str], main: str | None, wanted: Wanted
) -> Layout:
    """Return the layout of a table whose numbers all are about the system of the row."""
    if main is None:
        good = [name for name in measures if is_measure(name)]
        main = next(iter(good or measures), None)
        if not good and len(measures) > 1:
            main = None  # those in which systems differ, once all rows are read
    if main is None and not measures:
        raise DataError(
            f"{shown(table.path)}: no counts, scores or other numbers that tell how well a system "
            f"did among the columns {listed(table.names)}; --columns names them"
        )
    named = {} if main is None else {main: "score" if wanted.one_name else main}
    others = [name for name in measures if name != main and name not in SHARED]
    return _ready(table, rest, named, wanted, others)


def _ready(
    table: Columns, rest: list[str], values: dict[str, str], wanted: Wanted, maybe: list[str]
) -> Layout:
    labels = tuple(name for name in rest if name not in values)
    if wanted.labels is not None:
        labels = tuple(name for name in wanted.labels if name in labels)
    if wanted.columns is not None:  # what else was measured was not asked for
        labels = tuple(name for name in labels if name != "score" and not table.is_value(name))
    return Layout("", "", values, labels, "items", maybe=tuple(maybe))


def _wide(table: Columns, rest: list[str], values: list[str], wanted: Wanted) -> Layout:
    """Return the layout of a column per system; a single one is called like its file."""
    numbers = {name for name in values if table.is_numeric(name)}
    # Beside numbers, true and false are more likely labels.
    chosen = set(values) if wanted.labels is not None or not numbers else numbers
    systems = [name for name in rest if name in chosen]
    labels = tuple(name for name in rest if name not in chosen)
    if len(systems) == 1:
        return Layout("", "", {systems[0]: "score"}, labels, "items")
    if not systems:
        raise DataError(
            f"{shown(table.path)}: no counts, no 'score' and no numeric column per system "
            f"among the columns {listed(table.names)}; name the value columns with --columns"
        )
    if wanted.alone:
        refuse_several_measures(table.path, systems)
    return Layout("", "", {name: name for name in systems}, labels, "items", wide=True)


def _spelled(table: Columns, rest: list[str], name: str) -> str:
    spellings = (name, *(alias for alias, known in ALIASES.items() if known == name))
    for spelling in spellings:
        if spelling in rest:
            return spelling
    raise _no_column(table, name, "--columns")


def _existing(table: Columns, name: str, option: str) -> str:
    if name not in table.cells:
        raise _no_column(table, name, option)
    return name


def _no_column(table: Columns, name: str, option: str) -> DataError:
    return DataError(
        f"{shown(table.path)}: there is no column {name!r} ({option}); the table has "
        f"{listed(table.names)}"
    )
