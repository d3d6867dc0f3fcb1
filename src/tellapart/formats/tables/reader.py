"""Tables of counts or ready scores, long or wide, as `Counts`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import reading_once
from tellapart.formats.missing import check_policy
from tellapart.formats.problems import Findings
from tellapart.formats.sources import Source, default_name, parse_source
from tellapart.formats.tables import splitting
from tellapart.formats.tables.cells import encode, given, not_absent, numbers
from tellapart.formats.tables.files import Batch, Batches, Cells, read_batches
from tellapart.formats.tables.frames import FRAME, named_index, table_batches
from tellapart.formats.tables.joining import (
    JoinedTables,
    MetricsError,
    OtherNameError,
    Part,
    TableFile,
)
from tellapart.formats.tables.layout import Columns, Layout, Wanted, find_layout
from tellapart.formats.tables.likeness import Range, odd_columns, refusal_of_unlike, unlike
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.formats.tables.frames import Table

_read_packed: Batches = partial(read_batches, packed=True)


@reading_once()
def read_tables(
    sources: Sequence[str | Path],
    *,
    item: str | None = None,
    columns: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    system: Sequence[str] | None = None,
    ready: bool = False,
    missing: str = "error",
    tables: Mapping[str, Table] | None = None,
) -> Counts:
    r"""Read tables (CSV, TSV, JSON, Parquet; `.gz`, `.zst`; `-` is standard input) as `Counts`.

    A long table has one row per system and item: a column that names the system, one that names
    the item, and known count columns, the named `columns` (which are ready values if so said by
    `ready`), or numbers that say how well a system did. Other columns are labels of the item (only
    those named by `labels`, if given) or texts. A file without a column of systems holds one,
    called `NAME` in `NAME=path`, or like the file. A wide table has an item column and one numeric
    column per system. `system` names the column of systems, or several that are systems. Rows are
    matched by item id, never by order.

    Several runs of a system (a column `run`, or `NAME=run1.csv,run2.csv`) are averaged item by
    item. `missing` says what becomes of items that not every system has: "error", "zero" (they
    count 0), "drop" (dropped for all), or "own" (each system has its own, for an unpaired test or
    labels of a part; then a row without a value is an item that the system lacks). `tables` stand
    in no file: frames and the like, by the name of their system; the index of pandas names the
    items where no column does.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "counts.csv")
    ...     _ = path.write_text("system,item,tp,fp,fn\nA,i1,3,1,0\nB,i1,2,2,1\n")
    ...     read_tables([path])
    <Counts: 2 systems × 1 item × 3 columns>
    """
    if not sources and not tables:
        raise UsageError("there is no table to read; name at least one file")
    given_sources = [parse_source(source) for source in sources]
    open_table: Batches = _read_packed
    if tables is not None:
        given_sources = [Source((name,), None if name == FRAME else name) for name in tables]
        item = named_index(tables) if item is None else item
        open_table = table_batches(tables, item, long=len(_names(system) or ()) == 1)
    alone = len(given_sources) == len(given_sources[0].paths) == 1 and not given_sources[0].name
    wanted = Wanted(
        item,
        _names(columns),
        _names(labels),
        _names(system) or None,
        ready,
        alone=alone,
    )
    return _counts(given_sources, wanted, missing, open_table)


def _counts(
    sources: Sequence[Source], wanted: Wanted, missing: str, open_table: Batches = _read_packed
) -> Counts:
    check_policy(missing)
    wanted = replace(wanted, gaps=missing != "error")
    layouts: dict[str, Layout] = {}
    while not isinstance(tables := _joined(sources, wanted, layouts, open_table), JoinedTables):
        wanted = tables or wanted
    if wanted.item is None and missing != "own" and (own := tables.own_ids()):
        again = replace(wanted, own_ids=(*wanted.own_ids, *own))
        return _counts(sources, again, missing, open_table)
    for label in wanted.labels or ():
        if label not in tables.labels:
            raise DataError(
                f"no table has the column {label!r} (--labels); they have the labels "
                f"{listed(tuple(tables.labels)) or 'none'}"
            )
    return tables.counts(missing, wanted.labels or ())


def _names(given_names: Sequence[str] | None) -> tuple[str, ...] | None:
    if given_names is None:
        return None
    return (given_names,) if isinstance(given_names, str) else tuple(given_names)


def _joined(
    sources: Sequence[Source], wanted: Wanted, layouts: dict[str, Layout], open_table: Batches
) -> JoinedTables | Wanted | None:
    """Return the rows of all tables; None if one has another layout than its first rows had.

    What the columns are is decided by all rows. The first thousand nearly always say the same, so
    that a table need not be read twice; where they do not, `layouts` gets what all rows say. Where
    the tables together tell more than each alone, that is returned as what is wanted.
    """
    tables = JoinedTables()
    for number, source in enumerate(sources):
        for run, path in enumerate(source.paths, 1):
            file = TableFile(path, number, str(run) if len(source.paths) > 1 else "")
            try:
                whole = _collect(tables, file, wanted, layouts.get(path), open_table)
                with _in_doubt():
                    tables.end(file, source.name)
            except (MetricsError, OtherNameError) as finding:
                layouts.clear()
                return _told(wanted, finding)
            except _DoubtError as doubt:
                if path in layouts or not _differs(path, wanted, layouts, open_table):
                    raise doubt.problem from None
                return None
            if whole is not None:
                layouts[path] = whole
                return None
    return tables


class _DoubtError(DataError):
    """Rows do not fit a layout that may be a wrong guess."""

    def __init__(self, problem: DataError) -> None:
        super().__init__(str(problem))
        self.problem = problem


@contextmanager
def _in_doubt() -> Iterator[None]:
    try:
        yield
    except DataError as problem:
        raise _DoubtError(problem) from None


def _differs(path: str, wanted: Wanted, layouts: dict[str, Layout], open_table: Batches) -> bool:
    """Find out what all rows say, where the first ones led to an error; whether that differs."""
    table, first = Columns(path), None
    for number, batch in enumerate(open_table(path, Findings())):
        table.add(batch)
        if number == 0:
            with suppress(DataError):
                first = find_layout(table, wanted)
    layouts[path] = find_layout(table, wanted)
    return layouts[path] != first


def _collect(
    tables: JoinedTables,
    file: TableFile,
    wanted: Wanted,
    known: Layout | None,
    open_table: Batches = _read_packed,
) -> Layout | None:
    """Add the rows of one file to those of the others; the layout of all rows if it is another."""
    table = Columns(file.path)
    layout: Layout | None = None
    for batch in open_table(file.path, tables.problems):
        if known is None:
            table.add(batch, () if layout is None else (layout.item, layout.system, layout.run))
        with _in_doubt():
            if layout is None:
                layout = known or find_layout(table, wanted)
                if layout.wide:
                    file.own(layout.values)
                elif layout.system is None:
                    file.own([default_name(file.path)])
                file.counted = batch.counted
                tables.begin(file, layout)
            batch = _with_all_columns(batch, layout)
            rows = _with_values(batch, layout) if wanted.gaps and not layout.wide else batch
            tables.parts += _all_parts(tables, file, rows, layout, wanted)
    if layout is None:  # an empty table is refused before this
        return None
    if known is None and (whole := find_layout(table, wanted)) != layout:
        return whole
    if layout.wide and wanted.system is None:
        ranges = _ranges(tables.parts[file.start :], layout)
        if unlike(ranges):
            if not wanted.alone:
                raise MetricsError
            raise refusal_of_unlike(file.path, ranges)
        tables.warn(odd_columns({name: each.extreme for name, each in ranges.items()}))
    return None


def _all_parts(
    tables: JoinedTables, file: TableFile, batch: Batch, layout: Layout, wanted: Wanted
) -> list[Part]:
    """Return a batch as codes and numbers.

    What is wrong is told some rows at a time, so that it does not depend on the size of a batch.
    """
    if len(batch) > splitting.ROWS:
        with suppress(DataError):
            problems = Findings(strict=True)
            parts = list(_parts(tables, file, batch, layout, wanted, problems))
            if not problems.found:
                return parts
    return [
        _sound(part)
        for rows in batch.small()
        for part in _parts(tables, file, rows, layout, wanted, tables.problems)
    ]


def _parts(
    tables: JoinedTables,
    file: TableFile,
    batch: Batch,
    layout: Layout,
    wanted: Wanted,
    problems: Findings,
) -> Iterator[Part]:
    """Yield a batch as codes and numbers: one part, or one per system if the table is wide."""
    items = encode(batch, layout.item, tables.items, problems)
    labels = {
        name: encode(batch, name, tables.labels[name], problems)
        for name in (*layout.labels, *layout.maybe)
    }
    if layout.wide:
        bare = Part(file, batch.lines, items, 0, 0, tables.metrics.code("score"), {}, labels)
        for system, column in enumerate(layout.values):
            rows = given(batch.columns[column], words=wanted.gaps)
            some = bare if rows is None else _rows(bare, rows)
            remedy = f"if {column!r} is a label, name the label columns with --labels"
            own = batch if rows is None else _chosen(batch, rows, (column,))
            values = numbers(own, column, layout.spelling(column), remedy, problems)
            yield replace(some, systems=system, values={"score": values})
        return
    metrics: NDArray[np.int32] | int = 0
    if layout.metric is not None:
        metrics = _one(encode(batch, layout.metric, tables.metrics, problems))
    elif "score" in layout.values.values():
        metrics = tables.metrics.code("score")
    remedy = "give a number, or name other columns with --columns"
    yield Part(
        file,
        batch.lines,
        items,
        0 if layout.system is None else _one(encode(batch, layout.system, file.systems, problems)),
        0 if layout.run is None else _one(encode(batch, layout.run, file.runs, problems)),
        metrics,
        {
            name: numbers(batch, column, layout.spelling(column), remedy, problems)
            for column, name in layout.values.items()
        },
        labels,
        _maybe(batch, layout),
    )


def _one(codes: NDArray[np.int32]) -> NDArray[np.int32] | int:
    """Return the code that all rows have, if they have the same."""
    return int(codes[0]) if len(codes) and codes[0] >= 0 and not np.ptp(codes) else codes


def _with_values(batch: Batch, layout: Layout) -> Batch:
    """Return the rows that have a value, where others are of items that the system lacks."""
    kept = np.zeros(len(batch), dtype=bool)
    for name in layout.values or layout.maybe:
        kept |= not_absent(batch.columns[name])
    return batch if kept.all() else _chosen(batch, np.flatnonzero(kept), tuple(batch.columns))


def _with_all_columns(batch: Batch, layout: Layout) -> Batch:
    """Return a batch with all columns of its file, empty where its rows lack one, as JSON may."""
    used = (layout.item, layout.system, layout.run, layout.metric)
    names = (*used, *layout.values, *layout.labels, *layout.maybe)
    absent = {name: [None] * len(batch) for name in names if name and name not in batch.columns}
    return replace(batch, columns={**batch.columns, **absent}) if absent else batch


def _chosen(batch: Batch, rows: NDArray[np.intp], columns: Sequence[str]) -> Batch:
    """Return some rows of a batch, with some columns."""
    cells: dict[str, Cells] = {}
    for name in columns:
        own = batch.columns[name]
        cells[name] = own[rows] if isinstance(own, np.ndarray) else [own[i] for i in rows]
    return Batch(batch.path, batch.lines[rows], cells, batch.counted)


def _maybe(batch: Batch, layout: Layout) -> dict[str, NDArray[Any]]:
    """Return the columns that may be metrics, if they are numbers; NaN where there is nothing."""
    found = {}
    for name in layout.maybe:
        problems = Findings()
        rows = given(batch.columns[name], words=True)
        own = batch if rows is None else _chosen(batch, rows, (name,))
        values = numbers(own, name, layout.spelling(name), "", problems)
        if problems.fatal:
            continue
        if rows is None:
            found[name] = values
        else:
            found[name] = np.full(len(batch), np.nan)
            found[name][rows] = values
    return found


def _sound(part: Part) -> Part:
    """Return the rows of a part that name item, system, run and metric."""
    bad = np.asarray(part.items < 0)
    for codes in (part.systems, part.runs, part.metrics):
        bad = bad | (np.asarray(codes) < 0)
    if any((codes < 0).any() for codes in part.labels.values()):
        labels = {name: np.maximum(codes, 0) for name, codes in part.labels.items()}
        part = replace(part, labels=labels)
    if not bad.any():
        return part
    return _rows(part, np.flatnonzero(~bad))


def _rows(part: Part, kept: NDArray[np.intp]) -> Part:
    """Return some rows of a part."""

    def chosen(codes: NDArray[np.int32] | int) -> NDArray[np.int32] | int:
        return codes if isinstance(codes, int) else codes[kept]

    return replace(
        part,
        lines=part.lines[kept],
        items=part.items[kept],
        systems=chosen(part.systems),
        runs=chosen(part.runs),
        metrics=chosen(part.metrics),
        values={name: values[kept] for name, values in part.values.items()},
        labels={name: codes[kept] for name, codes in part.labels.items()},
        maybe={name: values[kept] for name, values in part.maybe.items()},
    )


def _ranges(parts: Sequence[Part], layout: Layout) -> dict[str, Range]:
    """Return what the values of each system are like."""
    found = dict.fromkeys(layout.values, Range())
    names = list(layout.values)
    for part in parts:
        values = part.values["score"]
        if len(values) and isinstance(part.systems, int):
            name = names[part.systems]
            found[name] = found[name].with_values(values)
    return found


def findings(
    sources: Sequence[str],
    columns: Sequence[str] | None,
    labels: Sequence[str] | None,
    system: Sequence[str] | None = None,
) -> list[Finding]:
    """Return all that is wrong with tables: row by row, and what keeps them from being joined."""
    given_sources = [parse_source(text) for text in sources]
    wanted = Wanted(None, _names(columns), _names(labels), _names(system) or None)
    while isinstance(found := _findings(given_sources, wanted), Wanted):
        wanted = found
    return found.as_read(
        lambda: read_tables(sources, columns=columns, labels=labels, system=system).notices
    )


def _findings(sources: Sequence[Source], wanted: Wanted) -> Findings | Wanted:
    problems = Findings()
    tables, whole = JoinedTables(problems), True
    for number, source in enumerate(sources):
        for run, path in enumerate(source.paths, 1):
            file = TableFile(path, number, str(run) if len(source.paths) > 1 else "")
            try:
                layout = _layout(path, wanted)
                _collect(tables, file, wanted, layout)
                tables.end(file, source.name)
            except (MetricsError, OtherNameError) as finding:
                return _told(wanted, finding)
            except DataError as problem:
                whole = False
                problems.complain(str(problem))
    if whole and tables.parts:
        tables.check(wanted.labels or ())
    return problems


def _told(wanted: Wanted, finding: MetricsError | OtherNameError) -> Wanted:
    """Return what is wanted, with what several tables together tell."""
    if isinstance(finding, MetricsError):
        return replace(wanted, one_system=True)
    return replace(wanted, one_name=True)


def _layout(path: str, wanted: Wanted) -> Layout | None:
    """Return what the columns of a table are by all rows that can be read, if any can."""
    table = Columns(path)
    for batch in _read_packed(path, Findings()):
        table.add(batch)
    return find_layout(table, wanted) if table.cells else None
