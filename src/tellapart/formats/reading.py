"""`read` and `example`: files of any format, or the data of the package, as counts.

Tables may add labels of the items (`--item-labels`), so that clusters, slices and `--where` work as
if the labels had stood in the outputs; and people may have scored a part of them (`--human`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

from tellapart.counts import Counts, errors
from tellapart.counts.arrays import AS_TABLE, ITEM_COLUMNS, is_lazy
from tellapart.counts.large import LargeTable, read_folder
from tellapart.counts.suites import TASK, Block, Suite
from tellapart.errors import DataError, Notice, UsageError, in_python_words
from tellapart.files import check_name, reading_once, shown
from tellapart.formats.contract import WEIGHTS, Format, Sources, expanded
from tellapart.formats.registry import (
    TABLES,
    format_of,
    guess_format,
    parquet_folder,
)
from tellapart.options import make_options, names_among, one_or_several
from tellapart.words import listed, nearest, several

if TYPE_CHECKING:
    from tellapart.formats.tables.columns import Table

Paths = str | Path | Sequence[str | Path]
_SHOWN: Final = 5
OF_ARRAYS: Final = ("columns", "items", "labels", "kind", "form")
"""What reading takes of arrays by system; of these `form` says whether they are counts"""
_OF_FILES: Final = ("form", "item", "missing", "weights", "gold", "item_labels", "human")
_OF_GAPS: Final = frozenset({"missing", "no-score", "failed", "labels-differ", "fewer-items"})
"""Remarks on items without a score, which beside a judge are those that nobody looked at"""


@overload
def read(sources: Paths, gold: Paths = (), **options: Any) -> Counts: ...
@overload
def read(sources: Any, gold: Paths = (), **options: Any) -> Any: ...
@in_python_words()
@reading_once()
def read(
    sources: Paths | Any,
    gold: Paths = (),
    *,
    form: str | None = None,
    metrics: str | Sequence[str] | None = None,
    item: str | None = None,
    missing: str | None = None,
    weights: str | None = None,
    item_labels: Paths = (),
    cost: str | Sequence[str] | None = None,
    human: Paths = (),
    **options: Any,
) -> Any:
    r"""Read what systems left behind: a file, a pattern such as ``runs/*.eval``, or several.

    Every format is told by what is in the files, or by `form`, which is what `--as` names. `gold`
    is what outputs are held against, where the format has gold files; `metrics` chooses scores that
    reading works out or picks; `item` says what an item is. `missing` says what becomes of items
    that a system lacks: "error" (the default, but a query that a run of TREC lacks counts 0),
    "zero" or "drop". `weights` says what counts the same in the overall score of several tasks:
    "items", "tasks" or "groups" (by default as the harness has it). `item_labels` are tables with
    labels of the items, one row each; `cost` names values that systems spend, which are read beside
    those of `metrics`. `human` names people's scores of a part of the items, by which those of a
    judge are corrected: a value in the same files, or files of their own. `options` are those of
    the format, named as on the command line: ``columns`` and ``labels`` of tables, ``scheme`` of
    tags, ``history`` of templates, and so on. A folder of Parquet files and a lazy frame (DuckDB,
    Polars, Dask) stay where they are: what is returned loads nothing. A data frame of pandas,
    polars, pyarrow or another library that narwhals knows, a data set of Hugging Face, a dictionary
    of columns and a list of rows are read as a table is; frames or arrays by system, as a table of
    each.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "counts.csv"
    ...     _ = table.write_text("system,item,score\nA,q1,1\nB,q1,0\n")
    ...     read(table)
    <Counts: 2 systems × 1 item × 1 column>
    """
    texts: dict[str, Any] = {"form": form, "item": item, "missing": missing, "weights": weights}
    for name, value in texts.items():
        if not isinstance(value, str | None):
            raise UsageError(f"{name} is a text, not {value!r}")
    large = _large(sources, item, options)
    if large is not None:
        beside = {"gold": gold, "metrics": metrics, "item_labels": item_labels, "human": human}
        others = {name: options[name] for name in options if name != "system"}
        given = {**texts, "item": None, **beside, **others}
        _refuse(given, "a table that stays where it is has no such thing; load it")
        return large
    asked = Sources(
        (),
        tuple(paths_of_argument(gold, "gold")),
        metrics=tuple(one_or_several(metrics, str, "metrics", "name")),
        costs=tuple(one_or_several(cost, str, "cost", "name")),
        human=tuple(map(str, one_or_several(human, str | Path, "human", "name"))),
        item_labels=tuple(paths_of_argument(item_labels, "item_labels")),
        **texts,
    )
    return _into_memory(sources, asked, options)


def _into_memory(sources: Any, asked: Sources, options: Mapping[str, Any]) -> Counts:
    """Return the counts of files, frames or arrays."""
    from tellapart.formats.tables.frames import tables_in

    tables = None if _are_paths(sources) else tables_in(sources)
    if tables is not None:
        chosen = _format_of_frames(tables, asked.form)
    elif isinstance(sources, Mapping):
        given = {**{name: getattr(asked, name) for name in _OF_FILES}, **options}
        own = {name: given.pop(name) for name in OF_ARRAYS if given.get(name) is not None}
        _refuse(given, f"arrays have no such thing; {AS_TABLE}")
        return Counts.from_arrays(sources, **own)
    elif _are_arrays(sources):
        raise UsageError("give two arrays: ta.compare(a, b), or arrays by system: {name: array}")
    else:
        asked = replace(asked, systems=tuple(paths_of_argument(sources, "sources")))
        if not asked.systems:
            raise UsageError("name at least one file")
        if asked.form is None:
            chosen = guess_format(asked.systems, asked.gold)
        else:
            chosen = format_of(asked.form)
    options = make_options(chosen.options, options, f"the format {chosen.name!r}")
    return read_counts(chosen, replace(asked, missing=asked.missing or chosen.missing), options)


def _are_paths(sources: Any) -> bool:
    named = [sources] if isinstance(sources, str | Path) else sources
    return isinstance(named, list | tuple) and all(isinstance(path, str | Path) for path in named)


def _are_arrays(sources: Any) -> bool:
    """Return whether these are bare scores, without the name of a system."""
    if isinstance(sources, list | tuple):
        return bool(sources) and not any(isinstance(each, str | Path) for each in sources)
    return hasattr(sources, "__array__")


def _large(sources: Any, item: str | None, options: Mapping[str, Any]) -> LargeTable | None:
    """Return a table that stays where it is, of a lazy frame or a folder of Parquet files."""
    system = options.get("system")
    if isinstance(sources, str | Path):
        folder = parquet_folder([str(sources)])
        return None if folder is None else read_folder(folder, item, system)
    return LargeTable.of(sources, item, system) if is_lazy(sources) else None


def _refuse(given: Mapping[str, Any], problem: str) -> None:
    """Refuse arguments that have no place in what is read: nothing is ignored in silence."""
    for name, value in given.items():
        if value not in (None, (), "error"):
            raise UsageError(f"{name}: {problem}")


def _format_of_frames(tables: Mapping[str, Any], form: str | None) -> Format:
    """Return the format of tables that stand in no file."""
    from tellapart.formats.preferences.format import is_judged_frame, read_frame
    from tellapart.formats.tables.format import read as read_tables

    kind, judged = format_of(TABLES), format_of("preferences")
    known = (*kind.names, *judged.names)
    if form is not None and form not in known:
        raise UsageError(f"a data frame is a table ({' or '.join(known)}), not {form!r}")
    frame = next(iter(tables.values()))
    if form in judged.names or (form is None and len(tables) == 1 and is_judged_frame(frame)):
        return replace(judged, read=partial(read_frame, frame=frame))
    return replace(kind, read=partial(read_tables, tables=tables))


def read_counts(chosen: Format, sources: Sources, options: Any) -> Counts:
    """Return what a format reads of the systems and items that are wanted, with all labels."""
    chosen.check(sources)
    if sources.weights not in (None, *WEIGHTS):
        raise UsageError(f"weights is {', '.join(WEIGHTS)}, not {sources.weights!r}")
    if sources.human:
        counts = _read_judged(chosen, replace(sources, where={}, only=()), options)
        return _wanted(counts, sources, sources.where)
    counts = chosen.read(sources, options)
    for path in sources.item_labels:
        counts = _with_item_labels(counts, str(path))
    if counts.suite is None:
        tables = TABLES in chosen.names and counts.form == "items"
        counts = replace(counts, suite=_suite(counts, sources.weights, tables))
    where = sources.where
    if TABLES in chosen.names and not sources.item_labels:
        # Rows were chosen by their columns, which need not be labels of items.
        where = {name: values for name, values in where.items() if name in counts.labels}
    return _wanted(counts, sources, where).read_from(sources.files(options))


def _wanted(counts: Counts, sources: Sources, where: Mapping[str, Collection[str]]) -> Counts:
    """Return the items with some labels, and the systems that are named, in that order."""
    counts = counts.where(where) if where else counts
    chosen = names_among(sources.only, counts.names)
    return counts.systems[tuple(chosen)] if chosen else counts


def _suite(counts: Counts, weights: str | None, tables: bool) -> Suite | None:
    """Return how tasks are summed up that a label tells apart: in tables, all items count alike."""
    tasks = counts.labels.get(TASK, ())
    if weights is None:
        return _by_items(tasks) if tables and len(set(tasks)) > 1 and "" not in tasks else None
    if not tasks:
        raise UsageError(f"--weights {weights}: there is one task; name several in {TASK!r}")
    if weights == "groups":
        raise UsageError("--weights groups is for logs that know groups of tasks; use tasks")
    return Suite.of(tasks) if weights == "tasks" else _by_items(tasks)


def _by_items(tasks: Sequence[str]) -> Suite:
    """Return how tasks are summed up if every item counts the same."""
    suite = Suite.of(tasks)
    return replace(suite, blocks=(Block("", len(suite.blocks)),), codes=0 * suite.codes)


def paths_of_argument(given: Paths, argument: str) -> list[str | Path]:
    """Return the files of an argument; patterns become the files that fit them."""
    named = one_or_several(given, str | Path, argument, "path")
    for path in named:
        check_name(path)
    return [path for name in named for path in _expanded(name)]


def _expanded(source: str | Path) -> list[str | Path]:
    """Return the files of a pattern, unless it names a system."""
    text = str(source)
    return [source] if "=" in text else list(expanded(text))


EXAMPLES = ("muc4", "quiz")


def example(name: str = "muc4") -> Counts:
    """Return built-in data.

    ``muc4`` has 17 systems on the 100 messages of MUC-4's test set, ``quiz`` two models on 60
    questions of general knowledge.

    >>> example("quiz")
    <Counts: 2 systems × 60 questions × 1 column>
    """
    if name not in EXAMPLES:
        raise UsageError(f"there is no example {name!r}; {nearest(str(name), EXAMPLES)}")
    with as_file(resources("tellapart") / "data" / f"{name}.csv") as path:
        return read(path)


# Labels of items from a file of their own


def _with_item_labels(counts: Counts, path: str) -> Counts:
    r"""Return counts with the labels that a table gives to their items.

    The key of a table is the column called as items are called (``message``, ``item``, ``id``, …),
    or as a label that all items have, such as the message of a slot; otherwise the first column.
    Every item needs a row. Rows of other items are left out, and a notice says how many.

    >>> import tempfile
    >>> counts = Counts.from_arrays({"A": [1, 0, 1]}, items=["q1", "q2", "q3"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "labels.csv"
    ...     _ = table.write_text("item,event\nq1,e1\nq2,e1\nq3,e2\n")
    ...     _with_item_labels(counts, str(table)).labels
    {'event': ('e1', 'e1', 'e2')}
    """
    from tellapart.formats.problems import Findings
    from tellapart.formats.tables.columns import read_table

    table = read_table(path, Findings(strict=True))
    key = _key(counts, table)
    own = counts.labels.get(key, counts.items)
    rows: dict[str, int] = {}  # the first of each item
    for row in range(len(table)):
        item = table.columns[key][row].strip()
        first = rows.setdefault(item, row)
        if any(column[row].strip() != column[first].strip() for column in table.columns.values()):
            raise DataError(
                f"{table.place(row)}: {item!r} has other labels than on {table.place(first)}"
            )
    lacking = [name for name in dict.fromkeys(own) if name not in rows]
    if lacking:
        raise DataError(
            f"{shown(path)}: there is no row for {several(len(lacking), counts.kind)} of "
            f"{len(set(own))}: {listed(lacking, _SHOWN)}"
        )
    labels = {
        name: tuple(column[rows[item]].strip() for item in own)
        for name, column in table.columns.items()
        if name != key
    }
    for name, values in labels.items():
        if counts.labels.get(name, values) != values:
            raise DataError(f"{shown(path)}: {name!r} has other values already; rename the column")
    notices = counts.notices
    known = set(own)
    unused = tuple(name for name in rows if name not in known)
    if unused:
        text = f"Rows of {shown(path)} about no {counts.kind} here: {listed(unused, _SHOWN)}."
        notices = (*notices, Notice("unused-labels", text, unused))
    return replace(counts, labels={**counts.labels, **labels}, notices=notices)


def _key(counts: Counts, table: Table) -> str:
    """Return the column that names the items: called as they are, or as one of their labels."""
    candidates = (counts.kind, *ITEM_COLUMNS, *counts.labels)
    return next((name for name in candidates if name in table.columns), next(iter(table.columns)))


# What a judge says of all items, and what people say of some


def _read_judged(chosen: Format, sources: Sources, options: Any) -> Counts:
    """Return the scores of a judge, and those of people, which `sources.human` names."""
    from tellapart.counts.judged import join_people
    from tellapart.metrics import metric as metric_of

    if len(sources.metrics) > 1:
        raise UsageError(f"--human goes with one --metric, not {listed(sources.metrics)}")
    judge_name = next(iter(sources.metrics), None)
    own, human = sources.human_files, sources.human
    sources = replace(sources, human=())
    judge = _of_value(chosen, sources, options, judge_name)
    if own:
        people = _of_files(own, sources)
    elif len(human) == 1:
        alone = replace(sources, missing="own", item_labels=())
        people = replace(_of_value(chosen, alone, options, human[0]), notices=())
    else:
        raise UsageError(f"there are {len(human)} names of people's scores; name one, or files")
    beside = None if own else people.columns[0]
    column = judge.columns[0] if judge_name is not None else _judge_column(judge, beside)
    notices = tuple(each for each in judge.notices if beside not in each.affected)
    counts = join_people(replace(judge, notices=notices), people, column)
    (name,), lower = counts.columns, bool(set(counts.lower) & set(counts.columns))
    if own:  # a file may call its only value a score, whoever gave it
        name = "judge" if name == "score" else name
        people_name = "human" if counts.people_name == "score" else counts.people_name
        counts = replace(counts, columns=(name,), people_name=people_name)
    by_name = (metric_of(each, (each,), items=True) for each in (name, counts.people_name))
    lower = lower or not all(metric.higher_is_better for metric in by_name)
    return errors(counts, lower)


def _of_value(chosen: Format, sources: Sources, options: Any, name: str | None) -> Counts:
    """Return the counts of one value: a column of a table, or a score of a log."""
    if name is None:
        return read_counts(chosen, sources, options)
    sources = replace(sources, metrics=(name,))
    if any(each.name == "columns" for each in fields(options)):
        sources, options = replace(sources, form="items"), replace(options, columns=(name,))
    return read_counts(chosen, sources, options)


def _of_files(human: Sequence[str], sources: Sources) -> Counts:
    """Return people's scores from files of their own, whatever format these have."""
    chosen = guess_format(human, ())
    own = Sources(tuple(human), item=sources.item, missing="own")
    people = read_counts(chosen, own, chosen.options())
    kept = tuple(each for each in people.notices if each.code not in _OF_GAPS)
    return replace(people, notices=kept)


def _judge_column(judge: Counts, people: str | None) -> str:
    """Return the judge's value, which nobody named: the only one beside people's."""
    others = [name for name in judge.columns if name != people]
    if len(others) > 1:
        raise UsageError(f"the files hold {listed(others)}: name the judge's value with --metric")
    if not others:
        raise UsageError(f"the files hold {people!r} alone: there is no value of a judge")
    return others[0]
