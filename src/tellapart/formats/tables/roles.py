"""What the columns of tables are: item, system, run, task, labels, texts and values.

All rows are there when this is asked, those of several files below each other, so that `decide`
settles every column once, in the order of this file: what names the systems, what names the items,
what tells attempts at an item apart, the values, and last what the other columns say of items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.arrays import ITEM_COLUMNS, KNOWN_COLUMNS, SYSTEM_COLUMNS
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.align import mixed_radix
from tellapart.formats.contract import Sources
from tellapart.formats.problems import Findings
from tellapart.formats.records import UNNAMED
from tellapart.formats.tables.columns import (
    CONDITION_COLUMNS,
    EVERYDAY,
    GOLDS,
    INDEX,
    INPUTS,
    LEVELS,
    METRIC_COLUMNS,
    NUMBERING,
    OTHER_ITEMS,
    OUTPUTS,
    REPEAT_COLUMNS,
    ROW_NUMBERS,
    RUN_COLUMNS,
    SCORE_OBJECTS,
    TASK_COLUMNS,
    TOTALS,
    VERDICTS,
    Column,
    Numbers,
    Table,
    first_of,
    numbers,
    small_name,
)
from tellapart.formats.tables.format import TableOptions
from tellapart.metrics.registry import DEFINITIONS, OPTIONAL, ends_in_measure, is_cost, is_measure
from tellapart.words import listed

Codes = NDArray[Any]
"""A number per row"""
# What an item is called whose column is called like its number.
_KINDS: Final = {"qid": "question", "doc": "document"}
_NOUNS: Final = frozenset({
    "answer", "article", "call", "case", "chapter", "clause", "clip", "conversation", "dialogue",
    "document", "email", "event", "example", "image", "instance", "instruction", "message",
    "page", "paragraph", "passage", "patient", "problem", "prompt", "query", "question", "record",
    "request", "response", "review", "sample", "section", "segment", "sentence", "slot", "story",
    "task", "template", "test", "text", "ticket", "topic", "turn", "tweet", "unit", "utterance",
    "verse", "window", "word",
})  # fmt: skip
_NO_SCORES: Final = "--columns names them; for outputs, write 1 where one is right, 0 where wrong"
_NEARLY_ALL: Final = 0.9  # of the rows have numbers of their own
_SMALL: Final = 1 << 20  # numbers that may be counted by an array of them
_FAR: Final = 10  # beyond which no share lies, whatever it is a share of
TEXTS: Final = frozenset({*INPUTS, *GOLDS, *OUTPUTS})
_AXES: Final = {"run": RUN_COLUMNS, "repeat": REPEAT_COLUMNS, "condition": CONDITION_COLUMNS}


@dataclass(frozen=True, slots=True, eq=False)
class TableFile:
    """One file: the argument that named it, the name that it was given, and which run it is."""

    table: Table
    source: int
    system: str
    """What its system is called where no column says so"""
    named: bool
    run: str = ""

    def has(self, name: str) -> bool:
        """Return whether it has a column."""
        return name in self.table.columns


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JoinedTable(Table):
    """The rows of all files, below each other; a column that a file lacks is empty there."""

    files: tuple[TableFile, ...]
    owners: NDArray[np.int32]
    """The file of each row"""
    sources: Sources
    options: TableOptions
    """What the user says of columns; None is for "tell it from the table"."""
    problems: Findings
    """Collects what is wrong with cells"""

    def place(self, row: int) -> str:
        """Return the file and the line of a row."""
        file = self.files[self.owners[row]].table
        return f"{shown(file.path)}{file.counted}{self.lines[row]}"

    def take(self, rows: NDArray[np.intp], names: Iterable[str] | None = None) -> JoinedTable:
        """Return some rows of all columns, or of those named."""
        chosen = self.columns if names is None else names
        columns = {name: self.columns[name].take(rows) for name in chosen}
        return replace(self, columns=columns, lines=self.lines[rows], owners=self.owners[rows])

    def numbers(self, name: str, *, counts: bool = False, gaps: bool = True) -> Numbers:
        """Return the numbers of a column."""
        return numbers(self.columns[name], counts=counts, comma=self.decimal_comma, gaps=gaps)

    def existing(self, name: str, option: str) -> str:
        """Return the name of a column that an option names, if it is there."""
        there = name if name in self.columns else small_name(name)
        if there not in self.columns:
            raise self.lacks(name, option)
        return there

    @property
    def asked_columns(self) -> tuple[str, ...] | None:
        """The values that `--columns` names, as columns are called here: `TP` is tp."""
        if self.options.columns is None:
            return None
        asked = self.options.columns
        return tuple(own if own in self.columns else small_name(own) for own in asked)

    def lacks(self, name: str, option: str) -> DataError:
        """Return the error of a column that is not there, and that an option names."""
        return self.refusal(f"there is no column {name!r} ({option}); the table has {self.names()}")

    def names(self) -> str:
        """Return the names of the columns, for messages."""
        return listed(tuple(self.columns))

    def refusal(self, problem: str) -> DataError:
        """Return the error of a problem of the table as a whole."""
        return DataError(f"{shown(self.path)}: {problem}")

    @property
    def is_one(self) -> bool:
        """Whether there is one file, which was given no name."""
        return len(self.files) == 1 and not self.files[0].named


@dataclass(frozen=True, slots=True)
class Values:
    """Which columns say how well systems did."""

    columns: Mapping[str, str]
    """Column in the files → name in the counts"""
    form: str = "items"
    optional: tuple[str, ...] = ()
    """Columns that are metrics if systems differ in them, or are called so"""
    metric: str | None = None
    """The column that names the metric of a row"""
    wide: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By system: name in the counts → its column"""
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """What every column is."""

    item: str | None
    """None: items are known by their rows"""
    kind: str
    values: Values
    systems: tuple[str, ...] = ()
    """The columns that name the systems together; none: files do, or the columns are systems"""
    run: str | None = None
    repeat: str | None = None
    condition: str | None = None
    task: str | None = None
    """The column that tells items of the same id apart"""
    metrics: tuple[str, ...] = ()
    """The optional values that are metrics"""
    labels: tuple[str, ...] = ()
    input: str | None = None
    gold: str | None = None
    output: str | None = None
    notices: tuple[Notice, ...] = ()

    def sentence(self) -> str:
        """Return in a line what was decided."""
        roles = {
            "item": "/".join(filter(None, (self.task, self.item))) or "the row",
            "system": "+".join(self.systems) or ("the columns" if self.values.wide else "the file"),
            "run": self.run,
            "repeat": self.repeat,
            "condition": self.condition,
            "values": ", ".join((*self.values.columns, *self.metrics)),
            "labels": ", ".join(self.labels),
        }
        return "; ".join(f"{role}: {name}" for role, name in roles.items() if name)


def decide(table: JoinedTable) -> tuple[JoinedTable, Roles]:
    """Return what every column is, and the table without rows that sum up others."""
    # The word Average below 1, 2, 3, … would hide that these are the items.
    first = next(iter(table.columns))
    shorter, notices = _without_totals(table, first, most=1)
    systems = _system_columns(shorter)
    item = _item_column(shorter, systems)
    if item == first or not notices:
        shorter, notices = _without_totals(table, item)
    table = shorter
    task = _task_column(table, item)
    items = items_of(table, item, task)
    systems, axes = _axes(table, systems, items, (item, task))
    taken = {item, *systems, *axes.values(), _row_number(table, item), INDEX}
    rest = [name for name in table.columns if name not in taken]
    values = _find_values(table, rest, systems)
    kind = "row" if item is None else _kind_of_items(item)
    _refuse_order(table, item)
    if item is None:
        text = "No column names the items: rows were paired by their order; --item names a column."
        notices.append(Notice("paired-by-row", text))
    notices += values.notices
    roles = Roles(item, kind, values, systems, task=task, notices=tuple(notices), **axes)
    return table, _with_labels(table, roles, rest)


# Numbers of rows


def combined(*codes: NDArray[Any]) -> Codes:
    """Return one number per row for several numbers of it, in order of first appearance."""
    if len(codes) == 1 or not len(codes[0]):
        return codes[0]
    _, first, inverse = np.unique(mixed_radix(codes), return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.reshape(-1)]


def _n_distinct(*codes: NDArray[Any]) -> int:
    mixed = mixed_radix(codes)
    if mixed.max(initial=0) > 4 * len(mixed) + _SMALL:
        return len(np.unique(mixed))
    there = np.zeros(mixed.max(initial=0) + 1, np.bool_)
    there[mixed] = True
    return int(np.count_nonzero(there))


def items_of(table: JoinedTable, item: str | None, task: str | None) -> Codes:
    """Return the number of each row's item."""
    if item is None:
        return np.arange(len(table)) - _starts(table)[table.owners]
    return combined(*(table.columns[name].codes for name in (task, item) if name is not None))


def _starts(table: JoinedTable) -> Codes:
    """Return the first row of each file, and the end of the last."""
    return np.searchsorted(table.owners, np.arange(len(table.files) + 1, dtype=np.int32))


def are_named_by_files(table: JoinedTable, systems: Sequence[str]) -> bool:
    """Return whether a file is a system: some have a name, or no column that names systems."""
    return not systems or any(f.named or not all(map(f.has, systems)) for f in table.files)


def _owners(table: JoinedTable, systems: Sequence[str]) -> Codes:
    """Return a number per row for its system."""
    if are_named_by_files(table, systems):
        return np.array([file.source for file in table.files], np.int64)[table.owners]
    return combined(*(table.columns[name].codes for name in systems))


def first_filled(column: Column, items: Codes) -> Codes:
    """Return by item the code of its first text; -1 where it has none."""
    first = np.full(int(items.max(initial=-1)) + 1, -1, np.int64)
    rows = np.flatnonzero(column.filled)[::-1]
    first[items[rows]] = column.codes[rows]  # the first row, being the last here, counts
    return first


def _rows_that_differ(column: Column, items: Codes) -> NDArray[np.intp]:
    """Return the rows that give an item another text than its first row did."""
    if column.values is not None:
        first = np.full(int(items.max(initial=-1)) + 1, np.nan)
        first[items[::-1]] = column.values[::-1]
        return np.flatnonzero((column.values != first[items]) & column.filled)
    return np.flatnonzero((column.codes != first_filled(column, items)[items]) & column.filled)


# Systems and items


def _system_columns(table: JoinedTable) -> tuple[str, ...]:
    """Return the columns that name the systems together; none where files or columns do."""
    if table.options.system is not None:
        asked = tuple(table.existing(name, "--system") for name in table.options.system)
        are_systems = len(asked) > 1 and all(_is_value(table, name) for name in asked)
        return () if are_systems else asked
    named = first_of(SYSTEM_COLUMNS, table.columns)
    run = first_of(("run", "run_id"), table.columns)
    if named is None and run is not None and table.is_one and not table.columns[run].look.numeric:
        named = run
    return () if named is None else (named,)


def _item_column(table: JoinedTable, systems: Sequence[str]) -> str | None:
    """Return the column that names the items; None where rows are all that is known."""
    if table.sources.item is not None:
        return table.existing(table.sources.item, "--item")
    names = [name for name in table.columns if name not in (*systems, INDEX)]
    owners = _owners(table, systems)
    n_systems = _n_distinct(owners)
    by_index = INDEX in table.columns
    others = [name for name in OTHER_ITEMS if name != "task" or not by_index]  # has many items
    known = [name for name in (*ITEM_COLUMNS, *others) if name in names]
    if len(known) > 1 and n_systems > 1 and table.sources.missing != "own":
        # An id that no two systems share names rows, not items, if there is one that they do.
        known = [n for n in known if _systems_per_text(table.columns[n], owners) > 1] or known
    if known:
        return known[0]
    if len(table) == len(table.files) and (systems or n_systems > 1):
        remedy = "give a table with a row per item, or how many are right by `--totals`"
        raise DataError(f"{shown(table.path)} cannot be compared item by item: {remedy}")
    no_items = {*RUN_COLUMNS, *REPEAT_COLUMNS, *(OUTPUTS if n_systems > 1 else ())}
    unique = [n for n in names if n not in no_items and _tells_rows(table.columns[n], owners)]
    texts = [name for name in unique if not _is_value(table, name)]
    numbered = [n for n in unique if n not in texts and _may_number(table, n)]
    if n_systems > 1:  # what most systems have
        numbered.sort(key=lambda name: name == UNNAMED)  # which pandas wrote
        shares = {n: _systems_per_text(table.columns[n], owners) for n in (*texts, *numbered)}
        likely = [name for name, share in shares.items() if 2 * share > n_systems + 1]
        texts = likely or [name for name in texts if shares[name] > 1 or not by_index]
    elif names and names[0] in numbered and _counts_rows(table, names[0]):
        texts.append(names[0])
    if not texts and systems and not by_index:
        raise table.refusal(f"no item column among {table.names()}; name it with --item")
    return next(iter(texts), INDEX if by_index else None)


def _systems_per_text(column: Column, owners: Codes) -> float:
    """Return how many systems have a text of a column, on average."""
    filled = column.filled
    codes = column.codes[filled]
    return _n_distinct(codes, owners[filled]) / max(1, _n_distinct(codes))


def _tells_rows(column: Column, owners: Codes) -> bool:
    """Return whether a column is filled, and different in all rows of a system."""
    is_filled = len(column) > 1 and column.filled.all()
    return bool(is_filled) and _n_distinct(column.codes, owners) == len(column)


def _may_number(table: JoinedTable, name: str) -> bool:
    """Return whether a column of whole numbers, beside other values, measures nothing known."""
    asked = (*(table.asked_columns or ()), *(table.options.labels or ()), *table.sources.metrics)
    known = (*VERDICTS, *EVERYDAY, *KNOWN_COLUMNS, "score", "value", INDEX, *asked)
    if is_measure(name) or name in known or name in NUMBERING - ROW_NUMBERS:
        return False
    others = any(n not in (name, INDEX) and _is_value(table, n) for n in table.columns)
    return table.columns[name].look.numeric and others and _whole_numbers(table, name)


def _counts_rows(table: JoinedTable, name: str) -> bool:
    """Return whether a column says 0, 1, 2 … or 1, 2, 3 …, which no values of a system do."""
    values = table.numbers(name).values
    counted = np.arange(len(values))
    return len(values) > 2 and any(np.array_equal(values, counted + first) for first in (0, 1))


def _kind_of_items(column: str) -> str:
    """Return what an item is called in reports, by the column that names it.

    >>> _kind_of_items("question_id"), _kind_of_items("id"), _kind_of_items("Frage Nr.")
    ('question', 'item', 'item')
    """
    plain = small_name(column).removesuffix("_id")
    return _KINDS.get(plain, plain if plain in _NOUNS else "item")


def _without_totals(
    table: JoinedTable, item: str | None, most: int | None = None
) -> tuple[JoinedTable, list[Notice]]:
    """Return the table without last rows such as Average or Total, and what was left out."""
    if item is None:
        return table, []
    column = table.columns[item]
    totals = list[int]()
    for start, end in pairwise(_starts(table)):
        rows = range(int(start), int(end))[::-1][:most]
        sums = takewhile(lambda row: column[row].strip().strip(":").lower() in TOTALS, rows)
        totals += [*sums][::-1]
    if not totals or len(totals) == len(table):
        return table, []
    named = listed([f"{column[row].strip()} in {table.place(row)}" for row in totals], 6)
    text = f"Left out, since it sums up the other rows: {named}."
    kept = np.setdiff1d(np.arange(len(table)), totals)
    return table.take(kept), [Notice("total-row", text)]


def _task_column(table: JoinedTable, item: str | None) -> str | None:
    """Return the column of tasks, if items of several tasks have the same ids."""
    task = first_of(TASK_COLUMNS, [name for name in table.columns if name != item])
    if task is None or item is None:
        return None
    return (
        task if len(_rows_that_differ(table.columns[task], items_of(table, item, None))) else None
    )


def _row_number(table: JoinedTable, item: str | None) -> str | None:
    """Return the column without a name, if it is an index that pandas wrote and no item."""
    if UNNAMED not in table.columns or item == UNNAMED:
        return None
    if not table.columns[UNNAMED].look.numeric or not _whole_numbers(table, UNNAMED):
        raise table.refusal("column 1 has no name; name it or leave it out")
    return UNNAMED


def _refuse_order(table: JoinedTable, item: str | None) -> None:
    """Refuse to pair rows of files by their order: one has more than another, or they have ids."""
    sizes = np.bincount(table.owners, minlength=len(table.files))
    for name, column in table.columns.items() if len(sizes) > 1 and item in (None, INDEX) else ():
        distinct = _n_distinct(column.codes, table.owners)
        if distinct >= _NEARLY_ALL * len(table) and _may_number(table, name):
            raise table.refusal(
                f"the numbers in {name!r} look like ids, which the files do not share or have "
                f"twice; --item {name} takes them for that, --columns names the values"
            )
    if item is None and len(set(sizes.tolist())) > 1 and table.sources.missing != "own":
        (small, large) = (table.files[k].table.path for k in (sizes.argmin(), sizes.argmax()))
        raise DataError(
            f"{shown(large)} has {sizes.max()} rows and {shown(small)} has {sizes.min()}; name the "
            f"column of items among {table.names()} with --item"
        )


# What tells attempts at an item apart


def _axes(
    table: JoinedTable, systems: tuple[str, ...], items: Codes, taken: Collection[str | None]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the columns of systems, and those of runs, repeats and conditions by these words.

    Only what differs between the attempts of a system at an item is such an axis. A prompt is a
    condition beside a column of systems; where there is none, it is the system.
    """
    axes: dict[str, str] = {}
    if table.options.condition is not None:
        axes["condition"] = table.existing(table.options.condition, "--condition")
    known = {*systems, *taken}
    there = [n for names in _AXES.values() for n in names if n in table.columns and n not in known]
    if not there:
        return systems, axes
    attempts = combined(_owners(table, systems), items)
    apart = [n for n in there if _differs_within(table.columns[n].codes, attempts, items)]
    if not systems and table.is_one and "prompt" in apart:
        return _axes(table, ("prompt",), items, known)
    for role, names in _AXES.items():
        name = first_of(names, apart)
        if name is not None:
            axes.setdefault(role, name)
    return systems, axes


def _differs_within(codes: NDArray[Any], attempts: Codes, items: Codes) -> bool:
    """Return whether a column differs between rows of a group, and is the same in several items."""
    if _n_distinct(attempts, codes) == _n_distinct(attempts):
        return False
    return _n_distinct(codes, items) > _n_distinct(codes) or _n_distinct(items) == 1


# Values


def _is_value(table: JoinedTable, name: str) -> bool:
    """Return whether a column may say how well systems did: numbers, or right and wrong."""
    if name in TEXTS:
        return False
    look = table.columns[name].look
    judges = name in VERDICTS or is_measure(name) or name.lower().startswith("score")
    worded = look.answer or look.grades or (name in VERDICTS and look.words)
    return look.numeric or look.verdict or (judges and worded)


def _find_values(table: JoinedTable, rest: Sequence[str], systems: Sequence[str]) -> Values:
    """Return which columns are counts or ready values, and of which systems."""
    if table.options.system is not None and not systems:
        return Values({}, wide={name: {"score": name} for name in table.options.system})
    if table.asked_columns is None and not systems and table.is_one:
        grouped = _by_system(table, rest)
        if grouped is not None:
            return grouped
    for name in table.asked_columns or ():
        if name not in rest:
            flag = "--metric or --human" if name in table.sources.metrics else "--columns"
            raise table.lacks(name, flag)
    if table.asked_columns is not None:
        form = "counts" if _are_counts(table, table.asked_columns) else "items"
        return Values({name: name for name in table.asked_columns}, form)
    counted = _count_columns(table, rest)
    if counted:
        return Values({name: name for name in counted}, "counts")
    metric, scored = first_of(METRIC_COLUMNS, rest), first_of(("score", "value"), rest)
    if metric is not None and scored is not None:
        return Values({scored: "score"}, metric=metric)
    return _ready_values(table, rest, systems)


def _by_system(table: JoinedTable, rest: Sequence[str]) -> Values | None:
    """Return values of a wide table with several columns per system, such as ours_tp, ours_fp."""
    wide: dict[str, dict[str, str]] = {}
    for name in rest:
        split = _system_and_value(name)
        if (
            split is not None
            and _is_value(table, name)
            and name not in (table.options.labels or ())
        ):
            system, value = split
            wide.setdefault(system, {})[value] = name
    systems = list(wide.values())
    if len({frozenset(own) for own in systems}) > 1:
        counted = [own for own in systems if len(KNOWN_COLUMNS.intersection(own)) > 1]
        if len(counted) > 1:
            columns = "; ".join(listed([*own.values()]) for own in counted)
            raise table.refusal(f"give every system the same counts, with numbers: here {columns}")
        return None
    if len(systems) < 2 or len(systems[0]) < 2:
        return None
    if _make_a_metric(systems[0]):
        return Values({}, "counts", wide=wide)
    order = sorted(systems[0], key=is_cost)
    return Values({}, wide={s: {value: own[value] for value in order} for s, own in wide.items()})


def _system_and_value(name: str) -> tuple[str, str] | None:
    """Return the system and the count or measure that the name of a column is made of.

    >>> _system_and_value("ours_tp"), _system_and_value("fp ours"), _system_and_value("old")
    (('ours', 'tp'), ('ours', 'fp'), None)
    """
    for mark in "_./: -":
        for system, value in (name.rpartition(mark)[::2], name.partition(mark)[::-2]):
            if system and value.lower() in KNOWN_COLUMNS:
                return system.strip(), value.lower()
    return ends_in_measure(name)


def _make_a_metric(names: Collection[str]) -> bool:
    """Return whether columns of these names are enough for some metric."""
    forms = (form for forms in DEFINITIONS.values() for form in forms)
    return any((above.keys() | below.keys()) - OPTIONAL <= set(names) for above, below in forms)


def _are_counts(table: JoinedTable, columns: Sequence[str]) -> bool:
    """Return whether columns that were asked for are counts: some metric sums them."""
    if KNOWN_COLUMNS.issuperset(columns) or table.sources.form is not None:
        return table.sources.form != "items"
    named = {name.lower() for name in columns}
    asked = {name.lower() for name in table.sources.metrics} - {"mean"}
    return not all(map(is_measure, columns)) and (not asked <= named or _make_a_metric(named))


def _count_columns(table: JoinedTable, rest: Sequence[str]) -> list[str]:
    """Return the columns of counts; none if the table has ready values."""
    answered = first_of(OUTPUTS, rest) is not None  # so that `gold` is the right answer
    counted = [
        name
        for name in rest
        if name in KNOWN_COLUMNS
        and (name not in EVERYDAY or table.columns[name].look.numeric)
        and not (answered and name == "gold")
    ]
    # Everyday words that make no metric, as "gold, match", are no counts.
    lonely = EVERYDAY.issuperset(counted) and not _make_a_metric(counted)
    return [] if lonely or ("score" in rest and len(counted) < 2) else counted


def _ready_values(table: JoinedTable, rest: Sequence[str], systems: Sequence[str]) -> Values:
    """Return the ready values: those of the system of each row, or a column per system."""
    no_values = {*(table.options.labels or ()), *ITEM_COLUMNS}  # further ids measure nothing
    values = [name for name in rest if name not in no_values and _is_value(table, name)]
    values = [
        name for name in values if name in table.sources.metrics or not _is_inside(name)
    ] or values
    values = values or [n for n in rest if n not in no_values and _is_answer(table, n)]
    measures = [name for name in values if name not in NUMBERING]
    sided = {name.lower() for name in rest} >= {"left", "right"}  # where right is no verdict
    verdicts = [name for name in measures if not (sided and name == "right")]
    main = "score" if "score" in rest else first_of(VERDICTS, verdicts)
    one = bool(systems) or main is not None or any(map(is_measure, measures))
    if one or _same_in_all(table, values):
        return _of_one_system(table, measures, main)
    return _wide(table, values)


def _is_inside(name: str) -> bool:
    """Return whether a number stands in an object of raw results that keeps no scores."""
    parts = name.lower().split(".")
    return len(parts) > 1 and not SCORE_OBJECTS.intersection(parts[:-1]) and name.islower()


def _is_answer(table: JoinedTable, name: str) -> bool:
    """Return whether a column says yes and no, or C and I, which are right and wrong or a label."""
    look = table.columns[name].look
    return name not in TEXTS and (look.answer or look.grades)


def _same_in_all(table: JoinedTable, values: Sequence[str]) -> bool:
    """Return whether the values of files are metrics, as they are of files with a name.

    Values that no two files share are systems.
    """
    if any(file.named for file in table.files):
        return True
    return any(len({f.source for f in table.files if f.has(name)}) > 1 for name in values)


def _of_one_system(table: JoinedTable, measures: Sequence[str], main: str | None) -> Values:
    """Return the values of a table whose numbers all are about the system of the row."""
    if main is None and not measures:
        raise table.refusal(f"no counts or scores among {table.names()}; {_NO_SCORES}")
    if main is None:
        known = [name for name in measures if is_measure(name)]
        asked = [name for name in measures if name in table.sources.metrics]
        if len(measures) == 1 or asked or known:
            main = next(iter(asked or sorted(known or measures, key=is_cost)))
    named = {} if main is None else {main: main}  # None: those in which systems differ
    others = sorted((n for n in measures if n not in named and n not in TASK_COLUMNS), key=is_cost)
    return Values(named, optional=tuple(others))


def _wide(table: JoinedTable, values: Sequence[str]) -> Values:
    """Return the values of a column per system; a single one is called like its file."""
    numeric = [name for name in values if table.columns[name].look.numeric]
    # Beside numbers, true and false are more likely labels.
    chosen = list(values) if table.options.labels is not None or not numeric else numeric
    if not chosen:
        raise table.refusal(f"no counts or scores among {table.names()}; {_NO_SCORES}")
    if len(chosen) == 1:
        return Values({chosen[0]: "score"})
    kept, notices = _without_levels(table, chosen)
    return Values({}, wide={name: {"score": name} for name in kept}, notices=notices)


def _whole_numbers(table: JoinedTable, name: str) -> bool:
    values = table.numbers(name).values
    return bool((values[np.isfinite(values)] % 1 == 0).all())


def _is_level(table: JoinedTable, name: str) -> bool | None:
    """Return whether numbers are such as no share is: levels 1 to 5, lengths; None if all are 0."""
    values = table.numbers(name).values
    values = values[np.isfinite(values)]
    if not values.any():
        return None
    farthest = float(abs(values).max())
    counted = farthest > 2 or (farthest > 1 and float(values.min()) >= 1)
    return farthest > _FAR or (counted and _whole_numbers(table, name))


def _without_levels(
    table: JoinedTable, names: Sequence[str]
) -> tuple[list[str], tuple[Notice, ...]]:
    """Return the columns that may be systems: levels and lengths beside shares are labels."""
    levels, shares = (
        [name for name in names if _is_level(table, name) is kind] for kind in (True, False)
    )
    odd = [] if len(levels) == len(shares) else min(levels, shares, key=len)
    odd += [name for name in names if name.lower() in LEVELS and name not in odd]
    kept = [name for name in names if name not in odd]
    if not odd or len(kept) < 2:
        return list(names), ()
    text = f"Taken for labels, not systems: {listed(odd)}; --system names the systems."
    return kept, (Notice("labels-not-systems", text, tuple(odd)),)


# What the other columns say of items


def _with_labels(table: JoinedTable, roles: Roles, rest: Sequence[str]) -> Roles:
    """Return the roles with labels, texts and further metrics.

    A label is the same for all systems. Numbers in which systems differ are metrics, and outputs
    are what the systems wrote.
    """
    values = roles.values
    may_be = _may_be_labels(table, values, rest)
    others = [name for name in rest if name in may_be or name in values.optional]
    empty = tuple(name for name in others if not table.columns[name].filled.any())
    others = [name for name in others if name not in empty]
    several_systems = _n_distinct(_owners(table, roles.systems)) > 1
    items = items_of(table, roles.item, roles.task)
    named = set(table.options.labels or ())
    metrics, labels, texts = list[str](), list[str](), list[str]()
    left_out, gaps = list[str](), list[str]()
    for name in others:
        differs = bool(len(_rows_that_differ(table.columns[name], items)))
        is_number = name in values.optional and name not in named
        if is_number and (is_measure(name) or (differs and several_systems)):
            (metrics if _is_complete(table, name, items) else gaps).append(name)
        elif name in OUTPUTS and name not in named and (differs or name not in GOLDS):
            texts.append(name)
        elif not differs:
            labels.append(name)
        elif name in named:
            raise table.refusal(f"{name!r} (--labels) is no label: items have several values of it")
        elif name not in INPUTS:  # of which that of the first system is shown
            left_out.append(name)
    output = first_of(OUTPUTS, texts)
    left_out += [name for name in texts if name != output]
    if not values.columns and not values.wide and not metrics:
        shared = listed(values.optional)
        raise table.refusal(f"systems do not differ in {shared}; --columns names the values")
    notices = list(roles.notices)
    if empty:
        notices.append(Notice("ignored", f"Empty, and left out: {listed(empty, 6)}.", empty))
    if left_out:
        text = f"No labels, since they differ between systems or runs: {listed(left_out, 6)}."
        notices.append(Notice("labels-differ", text, tuple(left_out)))
    measures = tuple(name for name in gaps if is_measure(name))
    if measures:
        text = f"Not compared, since not all systems have a number there: {listed(measures, 6)}."
        notices.append(Notice("no-score", text, measures))
    kept = [name for name in labels if name in may_be]
    return replace(
        roles,
        metrics=tuple(name for name in values.optional if name in metrics),
        labels=tuple(kept),
        input=first_of(INPUTS, [*others, *([roles.item] if roles.item in INPUTS else [])]),
        gold=first_of(GOLDS, kept),
        output=output,
        notices=tuple(notices),
    )


def _may_be_labels(table: JoinedTable, values: Values, rest: Sequence[str]) -> list[str]:
    """Return the columns that are no values: those named, if some are; none that were not asked."""
    wide = {column for own in values.wide.values() for column in own.values()}
    others = [n for n in rest if n not in (*wide, *values.columns, values.metric)]
    if table.options.labels is not None and not wide:
        others = [name for name in others if name in table.options.labels]
    if table.asked_columns is not None:
        unasked = {name for name in others if name == "score" or _is_value(table, name)}
        others = [
            name for name in others if name not in unasked or name in (table.options.labels or ())
        ]
    return others


def _is_complete(table: JoinedTable, name: str, items: Codes) -> bool:
    """Return whether all cells of a column are numbers or gaps, and some item has no gap."""
    values, faults = table.numbers(name)
    if faults or not all(file.has(name) for file in table.files):
        return False
    return _n_distinct(items[np.isnan(values)]) < _n_distinct(items)
