"""`read` and `example`: files of any format, or the data of the package, as counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, overload

from tellapart.counts import Counts
from tellapart.counts.frames import is_lazy
from tellapart.counts.large import LargeTable, read_folder
from tellapart.counts.suites import TASK, Block, Suite
from tellapart.errors import UsageError, in_python_words
from tellapart.files import check_name, reading_once
from tellapart.formats.contract import WEIGHTS
from tellapart.formats.registry import (
    TABLES,
    Format,
    Sources,
    format_of,
    guess_format,
    parquet_folder,
)
from tellapart.formats.sources import expanded
from tellapart.options import make_options, names_in, one_or_several
from tellapart.words import nearest

Paths = str | Path | Sequence[str | Path]


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
    polars, pyarrow or another library that
    narwhals knows, a data set of Hugging Face, a dictionary of columns and a list of rows are read
    as a table is; frames or arrays by system, as a table of each.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "counts.csv"
    ...     _ = table.write_text("system,item,score\nA,q1,1\nB,q1,0\n")
    ...     read(table)
    <Counts: 2 systems × 1 item × 1 column>
    """
    texts = {"form": form, "item": item, "missing": missing, "weights": weights}
    for name, value in texts.items():
        if not isinstance(value, str | None):
            raise UsageError(f"{name} is a text, not {value!r}")
    large = _large(sources, item, options)
    if large is not None:
        beside = {"gold": gold, "metrics": metrics, "item_labels": item_labels, "human": human}
        _refuse_beside_large({**texts, **beside, **options})
        return large
    several = {
        "metrics": tuple(one_or_several(metrics, str, "metrics", "name")),
        "costs": tuple(one_or_several(cost, str, "cost", "name")),
        "human": tuple(map(str, one_or_several(human, str | Path, "human", "name"))),
        "item_labels": tuple(paths_of_argument(item_labels, "item_labels")),
    }
    return _into_memory(sources, gold, several, texts, options)


def _into_memory(
    sources: Any,
    gold: Paths,
    several: Mapping[str, tuple[Any, ...]],
    texts: Mapping[str, str | None],
    options: Mapping[str, Any],
) -> Counts:
    """Return the counts of files, frames or arrays; the others are the arguments of `read`."""
    tables = None if _are_paths(sources) else _tables_in(sources)
    system = options.get("system")
    if isinstance(system, str) and "," in system and not _is_column(system, tables):
        options = {**options, "system": system.split(",")}  # as on the command line
    if tables is None and isinstance(sources, Mapping):
        beside = {name: several[name] for name in ("item_labels", "human")}
        return _by_system(sources, {**texts, "gold": gold, **beside, **options})
    systems = [] if tables is not None else paths_of_argument(sources, "sources")
    golds = paths_of_argument(gold, "gold")
    if not systems and tables is None:
        raise UsageError("there is nothing to read; name at least one file")
    if tables is not None:
        chosen = _format_of_frames(tables, texts["form"])
    elif texts["form"] is not None:
        chosen = format_of(texts["form"])
    else:
        chosen = guess_format(systems, golds)
    asked: dict[str, Any] = {**texts, **several, "missing": texts["missing"] or chosen.missing}
    return read_counts(
        chosen,
        Sources(tuple(systems), tuple(golds), **asked),
        make_options(chosen.options, options, f"the format {chosen.name!r}"),
    )


def _are_paths(sources: Any) -> bool:
    named = [sources] if isinstance(sources, str | Path) else sources
    return isinstance(named, list | tuple) and all(isinstance(path, str | Path) for path in named)


def _tables_in(sources: Any) -> dict[str, Any] | None:
    from tellapart.formats.tables.frames import tables_in

    return tables_in(sources)


def _is_column(name: str, tables: Mapping[str, Any] | None) -> bool:
    """Return whether a frame has a column of that name."""
    return any(name in getattr(table, "columns", table) for table in (tables or {}).values())


def _large(sources: Any, item: str | None, options: Mapping[str, Any]) -> LargeTable | None:
    """Return a table that stays where it is, of a lazy frame or a folder of Parquet files."""
    system = options.get("system")
    if isinstance(sources, str | Path):
        folder = parquet_folder([str(sources)])
        return None if folder is None else read_folder(folder, item, system)
    return LargeTable.of(sources, item, system) if is_lazy(sources) else None


def _refuse_beside_large(given: Mapping[str, Any]) -> None:
    """Refuse what is not done where a table stays where it is: nothing is ignored in silence."""
    for name, value in given.items():
        if name not in ("item", "system") and value not in (None, (), "error"):
            raise UsageError(f"{name}: a table that stays where it is has no such thing; load it")


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


def _by_system(arrays: Mapping[str, Any], given: Mapping[str, Any]) -> Counts:
    """Return the counts of arrays by system, which have no columns that options could name."""
    for name, value in given.items():
        if value is not None and value != ():
            raise UsageError(
                f"{name}: arrays have no such thing; give a table with ids"
            )
    return Counts.from_arrays(arrays)


def check_weights(weights: str | None) -> None:
    """Refuse what is no way to sum up tasks.

    >>> check_weights("tasks")
    """
    if weights is not None and weights not in WEIGHTS:
        raise UsageError(f"weights is {', '.join(WEIGHTS)}, not {weights!r}")


def read_counts(chosen: Format, sources: Sources, options: Any) -> Counts:
    """Return what a format reads of the systems and items that are wanted, with all labels."""
    check_weights(sources.weights)
    if sources.human:
        from tellapart.formats.judged import read_judged

        counts = read_judged(chosen, replace(sources, where={}, only=()), options)
        return _wanted(counts, sources, sources.where)
    counts = chosen.read(sources, options)
    if sources.item_labels:
        from tellapart.formats.item_labels import with_item_labels

        counts = with_item_labels(counts, sources.item_labels)
    if sources.weights is not None and counts.suite is None:
        counts = replace(counts, suite=_suite(counts, sources.weights))
    where = sources.where
    if TABLES in chosen.names and not sources.item_labels:
        # Rows were chosen by their columns, which need not be labels of items.
        where = {name: values for name, values in where.items() if name in counts.labels}
    return _wanted(counts, sources, where).read_from(sources.files(options))


def _wanted(counts: Counts, sources: Sources, where: Mapping[str, Collection[str]]) -> Counts:
    """Return the items with some labels, and the systems that are named, in that order."""
    counts = counts.where(where) if where else counts
    chosen: list[str] = []
    for text in sources.only:
        parts = names_in(text)
        while parts:  # names may hold commas themselves
            ends = range(len(parts), 0, -1)
            end = next((k for k in ends if ",".join(parts[:k]) in counts.names), 1)
            chosen.append(",".join(parts[:end]))
            parts = parts[end:]
    return counts.systems[tuple(chosen)] if chosen else counts


def _suite(counts: Counts, weights: str) -> Suite | None:
    """Return how tasks are summed up that a label of the items tells apart."""
    if TASK not in counts.labels:
        raise UsageError(f"--weights {weights}: there is one task; name several in {TASK!r}")
    if weights == "groups":
        raise UsageError("--weights groups is for logs that know groups of tasks; use tasks")
    tasks = counts.labels[TASK]
    return Suite.of(tasks) if weights == "tasks" else suite_by_items(tasks)


def suite_by_items(tasks: Sequence[str]) -> Suite:
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
    with as_file(files("tellapart") / "data" / f"{name}.csv") as path:
        return read(path)
