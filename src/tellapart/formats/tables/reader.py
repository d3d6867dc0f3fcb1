"""Tables of counts or ready scores, long or wide, as `Counts`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import reading_once, shown
from tellapart.formats.align import Attempts, Axis, align, check_policy
from tellapart.formats.contract import Sources, called_twice, default_name, parse_source
from tellapart.formats.problems import Findings, findings_of
from tellapart.formats.tables.columns import (
    CONDITION_COLUMNS,
    GOLDS,
    INPUTS,
    NUMBERING,
    OUTPUTS,
    Column,
    Table,
    complain_of,
    first_of,
    read_table,
)
from tellapart.formats.tables.format import TableOptions
from tellapart.formats.tables.roles import (
    TEXTS,
    JoinedTable,
    Roles,
    TableFile,
    are_named_by_files,
    combined,
    decide,
    first_filled,
    items_of,
)
from tellapart.words import listed

_ANSWERED: Final = "answered"
FRAME = "the frame"
"""What messages call a table that stands in no file"""


@reading_once()
def read_tables(
    sources: Sources,
    options: TableOptions,
    tables: Mapping[str, Table] | None = None,
    problems: Findings | None = None,
) -> Counts:
    r"""Read tables (CSV, TSV, JSON, Parquet; `.gz`, `.zst`; `-` is standard input) as `Counts`.

    A long table has one row per system and item: columns that name system and item, and counts, the
    named `columns` (which are ready values if the `form` is items), or numbers that say how well a
    system did. Other columns are labels of the item (only those named by `labels`, if given) or
    texts. A file without a column of systems holds one, called `NAME` in `NAME=path`, or like the
    file. A wide table has a column per system, or several (`ours_tp`, `ours_fp`). `system` names
    the columns that name a system together, or several that are systems. Rows are matched by item
    id; by their order only where there are no ids, which a notice says. `where` chooses rows by
    what they have in columns, or labels that are given `labelled_elsewhere`.

    Repeats of an item (`epoch`, `trial`) are averaged within it; runs (`run`, `seed`, or
    `NAME=run1.csv,run2.csv`) and conditions (`prompt`) are averaged, and kept. `missing` says what
    becomes of items that not every system has: "error", "zero" (they count 0), "drop" (dropped for
    all), or "own" (each system has its own). `tables` stand in no file: by the name of the system.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "counts.csv")
    ...     _ = path.write_text("system,item,tp,fp,fn\nA,i1,3,1,0\nB,i1,2,2,1\n")
    ...     read_tables(Sources((path,)), TableOptions())
    <Counts: 2 systems × 1 item × 3 columns>
    """
    if not sources.systems and not tables:
        raise UsageError("name at least one file")
    missing = sources.missing or "error"
    sources = replace(sources, missing=missing)
    check_policy(missing)
    problems = problems or Findings()
    files = list(_files(sources, problems) if tables is None else _frames(tables))
    problems.raise_all()
    joined = _filtered(_joined(files, sources, options, problems))
    for label in joined.options.labels or ():
        joined.existing(label, "--labels")
    table, roles = decide(joined)
    _check_columns(table, roles)
    attempts = _attempts(table, roles)
    problems.raise_all()
    counts = align(
        attempts,
        missing=missing,
        kind=roles.kind,
        form=roles.values.form,
        where=f"{shown(files[0].table.path)}: " if len(files) == 1 else "",
        problems=problems,
    )
    notices = (*problems.notices(), *roles.notices, *counts.notices)
    return replace(counts, notices=notices, about=roles.sentence())


def read_answers(sources: Sequence[str | Path], *, item: str | None = None) -> Counts:
    r"""Return what systems wrote, to be judged by people: texts of counts that say who answered.

    A table has a column of items, and one of outputs (output, response, prediction …); it may have
    inputs, gold answers and labels. Scores are not looked at.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "answers.csv")
    ...     _ = path.write_text("id,question,output\nq1,2+2?,4\n")
    ...     read_answers([f"A={path}"]).texts
    ItemTexts(inputs=('2+2?',), golds=(), outputs={'A': ('4',)})
    """
    problems, asked = Findings(), Sources(tuple(sources), item=item, form="items", missing="own")
    options = TableOptions(columns=(_ANSWERED,))
    table = _joined(list(_files(asked, problems)), asked, options, problems)
    problems.raise_all()
    output = first_of(OUTPUTS, table.columns)
    if output is None:
        remedy = "name one output or answer"
        raise table.refusal(f"there is no column of outputs among {table.names()}; {remedy}")
    table = table.take(np.flatnonzero(table.columns[output].filled))
    if not len(table):
        raise table.refusal(f"there is no text in the column {output!r}")
    answered = Column.of_values(np.ones(len(table), np.int64))
    table = replace(table, columns={**table.columns, _ANSWERED: answered})
    table, roles = decide(table)
    if roles.item is None:
        raise table.refusal(f"there is no column of items among {table.names()}; --item names it")
    shown_anyway = {*GOLDS, *INPUTS, *NUMBERING}
    labels = tuple(name for name in roles.labels if name not in shown_anyway)
    roles = replace(roles, run=None, repeat=None, labels=labels)
    attempts = _attempts(table, roles)
    problems.raise_all()
    return align(attempts, missing="own", problems=problems)


def findings(systems: Sequence[str], _: Sequence[str], options: TableOptions) -> list[Finding]:
    """Return all that is wrong with tables: row by row, and what keeps them from being joined."""

    def read_alone(source: str, problems: Findings) -> None:
        alone = Findings()
        try:
            read_tables(Sources((source,)), options, problems=alone)
        except DataError:
            if not alone.fatal:
                raise
        finally:
            problems.found.extend(alone.found)

    def compare() -> Iterator[Notice]:
        notices = read_tables(Sources(tuple(systems)), options).notices
        return (each for each in notices if each.code != "paired-by-row")  # told for each by itself

    return findings_of(systems, read_alone, compare)


def _files(sources: Sources, problems: Findings) -> Iterator[TableFile]:
    for number, text in enumerate(sources.systems):
        source = parse_source(text)
        for run, path in enumerate(source.paths, 1):
            yield TableFile(
                read_table(path, problems),
                number,
                source.name or default_name(path),
                source.name is not None,
                str(run) if len(source.paths) > 1 else "",
            )


def _frames(tables: Mapping[str, Table]) -> Iterator[TableFile]:
    for number, (name, table) in enumerate(tables.items()):
        yield TableFile(table, number, name, name != FRAME)


# Rows of all files, below each other


def _joined(
    files: Sequence[TableFile], sources: Sources, options: TableOptions, problems: Findings
) -> JoinedTable:
    tables = [file.table for file in files]
    names = dict.fromkeys(name for table in tables for name in table.columns)
    columns = {
        name: _concatenated([(table.columns.get(name), len(table)) for table in tables])
        for name in names
    }
    return JoinedTable(
        tables[0].path,
        columns,
        tables[0].lines if len(tables) == 1 else np.concatenate([each.lines for each in tables]),
        decimal_comma=all(table.decimal_comma for table in tables),
        files=tuple(files),
        owners=np.repeat(np.arange(len(tables), dtype=np.int32), [*map(len, tables)]),
        sources=sources,
        options=options,
        problems=problems,
    )


def _concatenated(parts: Sequence[tuple[Column | None, int]]) -> Column:
    if len(parts) == 1 and parts[0][0] is not None:
        return parts[0][0]
    values = [column.values for column, _ in parts if column is not None]
    if len(values) == len(parts) and all(own is not None for own in values):
        return Column.of_values(np.concatenate([own for own in values if own is not None]))
    place: dict[str, int] = {}
    codes = []
    for column, rows in parts:
        texts = ("",) if column is None else column.texts
        numbers = np.array([place.setdefault(text, len(place)) for text in texts], np.int32)
        codes.append(numbers[np.zeros(rows, np.int32) if column is None else column.codes])
    return Column((np.concatenate(codes), tuple(place)))


def _filtered(table: JoinedTable) -> JoinedTable:
    """Return the rows that have what is wanted in some columns."""
    kept = np.ones(len(table), np.bool_)
    known = []
    for name, texts in table.sources.where.items():
        if name in table.columns or not table.sources.item_labels:
            column = table.columns[table.existing(name, "--where")]
            kept &= np.array([text in texts for text in column.texts], np.bool_)[column.codes]
            known.append(f"{name} is {listed(column.texts, 8)}")
    if not kept.any():
        raise table.refusal(f"no row has what --where asks for: {'; '.join(known)}")
    return table if kept.all() else table.take(np.flatnonzero(kept))


# Attempts of systems at items


def _attempts(table: JoinedTable, roles: Roles) -> Attempts:
    items = _item_axis(table, roles)
    files = Axis(tuple(file.system for file in table.files), table.owners)
    attempts = Attempts(
        files,
        items,
        {},
        table.place,
        _column_axis(table, roles.condition),
        _run_axis(table, roles),
        _column_axis(table, roles.repeat),
        labels={name: _by_item(table.columns[name], items) for name in roles.labels},
        remedy=lambda row, first: _remedy_of_twice(table, roles, row, first),
    )
    if roles.values.wide:
        attempts = _wide(attempts, table, roles)
    else:
        values = _values(table, roles)
        systems = _system_axis(table, roles, files)
        attempts = replace(attempts, systems=systems, values=values)
    texts = _texts(table, roles, attempts, items)
    if roles.values.metric is not None:
        attempts = _by_metric(table, roles.values.metric, roles.kind, attempts)
    return replace(attempts, texts=texts)


def _item_axis(table: JoinedTable, roles: Roles) -> Axis:
    if roles.item is None:
        codes = items_of(table, None, None)
        return Axis(tuple(map(str, range(1, int(codes.max()) + 2))), codes.astype(np.int32))
    _complain_of_empty(table, roles.item)
    return _axis_of(table, [name for name in (roles.task, roles.item) if name is not None])


def _axis_of(table: JoinedTable, names: Sequence[str]) -> Axis:
    """Return the axis of what columns say together."""
    columns = [table.columns[name] for name in names]
    if len(columns) == 1:
        return _axis(columns[0].codes, list(map(str.strip, columns[0].texts)))
    codes = combined(*(column.codes for column in columns))
    first = np.zeros(int(codes.max()) + 1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    cells = ([column[row].strip() for column in columns] for row in first.tolist())
    return _axis(codes, ["/".join(filter(None, texts)) for texts in cells])


def _axis(codes: NDArray[Any], texts: Sequence[str]) -> Axis:
    """Return an axis of the texts that are used; those that are the same are one."""
    there = np.zeros(len(texts), np.bool_)
    there[codes] = True
    if there.all() and len(texts) == len(set(texts)):
        return Axis(tuple(texts), np.asarray(codes, np.int32))
    place: dict[str, int] = {}
    used, first = np.unique(codes, return_index=True)
    numbers = np.zeros(len(texts), np.int32)
    for code in used[np.argsort(first)].tolist():
        numbers[code] = place.setdefault(texts[code], len(place))
    return Axis(tuple(place), numbers[codes])


def _complain_of_empty(table: JoinedTable, name: str) -> None:
    for row in np.flatnonzero(~table.columns[name].filled).tolist():
        table.problems.complain(f"{table.place(row)}: the {name!r} of the row is empty")


def _check_columns(table: JoinedTable, roles: Roles) -> None:
    """Refuse files of which one lacks the items or the values of another."""
    for name in filter(None, (roles.item, *roles.values.columns)):
        other = next(file for file in table.files if file.has(name))
        for file in table.files:
            if not file.has(name):
                raise DataError(
                    f"{shown(file.table.path)}: there is no column {name!r}, which "
                    f"{shown(other.table.path)} has, but {listed([*file.table.columns], 6)}; call "
                    "the columns of both files alike"
                )


def _values(table: JoinedTable, roles: Roles) -> dict[str, NDArray[Any]]:
    gaps, counted = table.sources.missing != "error", roles.values.form == "counts"
    remedy = "give a number, or name other columns with --columns"
    values: dict[str, NDArray[Any]] = {}
    for column, name in roles.values.columns.items():
        values[name], faults = table.numbers(column, counts=counted, gaps=gaps)
        complain_of(table, column, faults, remedy, table.problems)
    for column in roles.metrics:
        values[column] = table.numbers(column).values
    return values


def _system_axis(table: JoinedTable, roles: Roles, files: Axis) -> Axis:
    """Return the systems of rows: as columns name them, or their files."""
    if are_named_by_files(table, roles.systems):
        owners: dict[str, TableFile] = {}
        for file in table.files:
            other = owners.setdefault(file.system, file)
            if other.source != file.source:
                raise called_twice(file.system, file.table.path, other.table.path)
        _refuse_several(table, roles)
        return _axis(files.codes, files.names)
    for name in roles.systems:
        _complain_of_empty(table, name)
    return _axis_of(table, roles.systems)


def _refuse_several(table: JoinedTable, roles: Roles) -> None:
    """Refuse files as systems where the rows of one name several."""
    for number, file in enumerate(table.files):
        if roles.systems and all(map(file.has, roles.systems)):
            rows = table.owners == number
            if len(np.unique(combined(*(table.columns[c].codes[rows] for c in roles.systems)))) > 1:
                name = f"they cannot all be {file.system}="
                if not file.named:
                    name = "give the other files that column, too"
                raise DataError(
                    f"{shown(file.table.path)}: {roles.systems[0]!r} names several systems: {name}"
                )


def _column_axis(table: JoinedTable, name: str | None) -> Axis | None:
    if name is None:
        return None
    column = table.columns[name]
    return _axis(column.codes, column.texts)


def _run_axis(table: JoinedTable, roles: Roles) -> Axis | None:
    """Return the runs of rows: by a column, and by which of a system's files they stand in."""
    column = _column_axis(table, roles.run)
    if not any(file.run for file in table.files):
        return column
    files = Axis(tuple(file.run for file in table.files), table.owners)
    if column is None:
        return _axis(files.codes, files.names)
    codes = files.codes * len(column.names) + column.codes
    names = [f"{run} {own}".strip() for run in files.names for own in column.names]
    return _axis(codes, names)


def _by_metric(table: JoinedTable, column: str, kind: str, attempts: Attempts) -> Attempts:
    """Return attempts with a column for each metric that a column of the table names."""
    _complain_of_empty(table, column)
    metrics = _axis(table.columns[column].codes, table.columns[column].texts)
    cells = combined(*(axis.codes for axis in attempts.axes()))
    rows, first = np.unique(cells, return_index=True)
    values = {}
    for metric, called in enumerate(metrics.names):
        own = np.flatnonzero(metrics.codes == metric)
        again = own[np.setdiff1d(np.arange(len(own)), np.unique(cells[own], return_index=True)[1])]
        for row in again.tolist():
            item = attempts.items.names[attempts.items.codes[row]]
            table.problems.complain(
                f"{table.place(row)}: {kind} {item!r} appears twice by {called!r}"
            )
        values[called] = np.full(len(rows), np.nan)
        values[called][cells[own]] = attempts.values["score"][own]
    return replace(attempts.of_rows(first), values=values)


def _wide(attempts: Attempts, table: JoinedTable, roles: Roles) -> Attempts:
    """Return the attempts of a table with a row for each item, and columns for each system."""
    gaps, counted = table.sources.missing != "error", roles.values.form == "counts"
    parts: list[NDArray[np.intp]] = []
    values: dict[str, list[NDArray[Any]]] = {}
    for columns in roles.values.wide.values():
        tried = np.any([table.columns[name].filled for name in columns.values()], axis=0)
        rows = np.flatnonzero(tried)
        parts.append(rows)
        part = table if tried.all() else table.take(rows, columns.values())
        for value, name in columns.items():
            own, faults = part.numbers(name, counts=counted, gaps=gaps)
            remedy = f"if {name!r} is a label, name the label columns with --labels"
            complain_of(part, name, faults, remedy, table.problems)
            values.setdefault(value, []).append(own)
    systems = np.repeat(np.arange(len(parts)), [len(rows) for rows in parts]).astype(np.int32)
    return replace(
        attempts.of_rows(np.concatenate(parts)),
        systems=Axis(tuple(roles.values.wide), systems),
        values={value: np.concatenate(own) for value, own in values.items()},
    )


def _remedy_of_twice(table: JoinedTable, roles: Roles, row: int, first: int) -> str:
    """Return what may help where an item appears twice: the columns that tell the rows apart."""
    remedy = "give each row its own id"
    if roles.values.wide:
        return remedy
    if table.owners[row] != table.owners[first]:
        return f"{remedy}; NAME=FILE tells the systems of two files apart"
    values = {*roles.values.columns, *roles.values.optional, *TEXTS} - {*CONDITION_COLUMNS}
    apart = [
        name
        for name, column in table.columns.items()
        if column[row] != column[first] and name not in values and not column.look.numeric
    ]
    if not apart:
        return f"{remedy}, or a column 'run' where a system ran more than once"
    named = ",".join((*roles.systems, apart[0]))
    return (
        f"the rows differ in {listed(apart, 6)}: --system {named} makes systems of that, "
        f"--condition {apart[0]} averages over it"
    )


# What is said of items


def _by_item(column: Column, items: Axis) -> tuple[str, ...]:
    codes = first_filled(column, items.codes.astype(np.int64))
    texts = (*column.texts, "")
    return tuple(texts[code] for code in codes.tolist())


def _texts(table: JoinedTable, roles: Roles, attempts: Attempts, items: Axis) -> ItemTexts | None:
    """Return the texts behind the items, the outputs of runs below each other."""
    inputs, golds = (
        () if name is None else _by_item(table.columns[name], items)
        for name in (roles.input, roles.gold)
    )
    outputs: dict[str, tuple[str, ...]] = {}
    if roles.output is not None and not roles.values.wide:
        column, systems = table.columns[roles.output], attempts.systems
        for number, name in enumerate(systems.names):
            lines: list[list[str]] = [[] for _ in items.names]
            for row in np.flatnonzero(systems.codes == number).tolist():
                lines[items.codes[row]].append(column[row])
            outputs[name] = tuple("\n".join(own) for own in lines)
    return ItemTexts(inputs, golds, outputs) if inputs or golds or outputs else None
