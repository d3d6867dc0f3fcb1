"""lm-eval's samples of several systems as counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.files import shown
from tellapart.formats.logs.assembly import assemble
from tellapart.formats.logs.lm_eval_files import TaskFile, expanded, read_task, system_name
from tellapart.formats.logs.metric_names import LM_EVAL, Columns, choose_columns
from tellapart.formats.logs.samples import Log
from tellapart.formats.missing import check_policy
from tellapart.formats.sources import parse_source
from tellapart.words import listed

_Files = dict[str, list[TaskFile]]


class _TaskLog(NamedTuple):
    task: str
    log: Log


def read_lm_eval(
    sources: Sequence[str | Path],
    *,
    metrics: Sequence[str] | None = None,
    missing: str = "error",
) -> Counts:
    """Read samples of lm-eval: files, or folders with the samples of several tasks.

    A source is a path, `NAME=path` or `NAME=run1,run2`; the default name is the folder's. Every
    metric and filter of one task is a column; `metrics` chooses some, and with them the task.
    `missing` says what becomes of documents that not every system has, as in `read_tables`.
    Scalars of the documents become labels.

    >>> import json, tempfile
    >>> row = {"doc_id": 0, "doc": {}, "resps": [["4"]], "filter": "none", "metrics": ["acc"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "samples_sums.jsonl")
    ...     _ = path.write_text(json.dumps({**row, "acc": 1.0}))
    ...     counts = read_lm_eval([f"alder={path}"], metrics=["sums/acc"])
    >>> counts, counts.columns
    (<Counts: 1 system × 1 item × 1 column>, ('sums/acc',))
    """
    check_policy(missing)
    if not sources:
        raise UsageError("there are no samples to read; name at least one file or folder")
    systems = _named_files(sources)
    tasks = _tasks(systems)
    if not metrics and len(tasks) > 1:
        raise _several_tasks(systems, tasks)
    logs = {
        name: [_TaskLog(task, read_task(file, task)) for file, task in _with_tasks(files, tasks)]
        for name, files in systems.items()
    }
    every = [each.log for runs in logs.values() for each in runs]
    columns, left_out = choose_columns(every, metrics, LM_EVAL)
    return assemble(_of_one_task(logs, columns), columns, missing, left_out)


def _of_one_task(logs: Mapping[str, Sequence[_TaskLog]], columns: Columns) -> dict[str, list[Log]]:
    """Keep the logs of the task that the columns are of."""
    tasks = list(dict.fromkeys(task for task, _, _ in columns.values()))
    if len(tasks) > 1:
        raise UsageError(
            f"{listed(tuple(columns), 4)} are of different documents, those of "
            f"{listed(tasks, 4)}; ask for the metrics of one task at a time"
        )
    kept = {name: [x.log for x in runs if x.task == tasks[0]] for name, runs in logs.items()}
    for name, runs in kept.items():
        if not runs:
            raise DataError(
                f"{shown(logs[name][0].log.path)}: {name} has no samples of the task {tasks[0]!r}; "
                f"give samples_{tasks[0]}_*.jsonl of every system"
            )
    return kept


def _with_tasks(files: Sequence[TaskFile], tasks: Sequence[str]) -> Iterator[tuple[TaskFile, str]]:
    for file in files:
        yield file, file.task or tasks[0]


def _named_files(sources: Sequence[str | Path]) -> _Files:
    """Find the files of each system; files of one folder that differ in task belong together."""
    systems: _Files = {}
    for source in map(parse_source, sources):
        files = [file for path in source.paths for file in expanded(path)]
        name = source.name or system_name(source.paths[0])
        known = systems.get(name, [])
        for file in files:
            same = next((other for other in known if other.task == file.task), None)
            if same is not None or (known and known[0].folder != file.folder):
                raise DataError(_called_twice(name, file, same or known[0]))
        systems[name] = [*known, *files]
    return systems


def _called_twice(name: str, file: TaskFile, other: TaskFile) -> str:
    finding = f"{shown(file.path)}: a system called {name!r} is already there, from "
    if file.folder == other.folder and file.task:
        return (
            f"{finding}{shown(other.path)}, which is of the same task; give the newest, or average "
            f"both as {name}={other.path},{file.path}"
        )
    return f"{finding}{shown(other.path)}; tell them apart with NAME=path"


def _tasks(systems: _Files) -> list[str]:
    """List the tasks; files whose names tell none are of the only one there is."""
    tasks = list(dict.fromkeys(f.task for files in systems.values() for f in files if f.task))
    unnamed = next((f for files in systems.values() for f in files if not f.task), None)
    if unnamed is not None and len(tasks) > 1:
        raise DataError(
            f"{shown(unnamed.path)}: the name does not tell the task, and there are "
            f"{listed(tasks)}; call it samples_TASK.jsonl"
        )
    return tasks or ["samples"]


def _several_tasks(systems: _Files, tasks: Sequence[str]) -> DataError:
    common = [task for task in tasks if all(_has(files, task) for files in systems.values())]
    if not common:
        names = list(systems)
        told = ", ".join(
            f"{name} has {listed([f.task for f in systems[name]], 3)}" for name in names
        )
        return DataError(f"the systems have no task in common: {told}; give samples of one task")
    return DataError(
        f"the files hold {len(tasks)} tasks, whose documents differ: {listed(tasks, 8)}; compare "
        f"one at a time, such as --metric {common[0]}"
    )


def _has(files: Sequence[TaskFile], task: str) -> bool:
    return any(file.task == task for file in files)
