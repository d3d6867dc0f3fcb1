"""Samples of lm-eval, `samples_TASK_TIME.jsonl`, as counts.

A file alone, or all files of a folder, which then names the system; a row for each document and
filter.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from tellapart.counts import Counts
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.logs.counting import assemble
from tellapart.formats.logs.lm_eval_results import contradictions
from tellapart.formats.logs.log import (
    NOT_EMPTY,
    Key,
    Log,
    Sample,
    as_text,
    in_order,
    number,
    parse_log,
    scalar_labels,
)
from tellapart.formats.logs.metric_names import Columns, Spelling, choose_columns
from tellapart.formats.logs.recognition import refuse_other_files
from tellapart.formats.missing import check_policy
from tellapart.formats.problems import Findings, warn_of_lacking
from tellapart.formats.sources import called_twice, default_name, parse_source, paths_of
from tellapart.read_once import reading_once
from tellapart.words import encodable, listed, several

_NAME: Final = re.compile(
    r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(\.gz)?"
)
_FIELDS: Final = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    | {"doc_hash", "prompt_hash", "target_hash"}
)

_RATES: Final = frozenset({"acc", "acc_norm", "exact_match"})


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A file of samples: its task, if the name tells, and when it was written."""

    path: str
    task: str
    time: str

    @property
    def folder(self) -> str:
        """Where it is, which is also what the system is called."""
        return str(Path(self.path).resolve().parent) if os.path.isfile(self.path) else self.path


_Files = dict[str, list[TaskFile]]


class _TaskLog(NamedTuple):
    task: str
    log: Log


@reading_once()
def read_logs(
    sources: Sequence[str | Path],
    *,
    metrics: Sequence[str] | None = None,
    missing: str = "error",
) -> Counts:
    """Return the scores of lm-eval's samples: files, or folders with samples of several tasks.

    A source is a path, `NAME=path` or `NAME=run1,run2`; the default name is the folder's. Every
    metric and filter of one task is a column; `metrics` chooses some, and with them the task.
    `missing` says what becomes of documents that not every system has, as in `read_tables`.
    Scalars of the documents become labels.

    >>> import json, tempfile
    >>> row = {"doc_id": 0, "doc": {}, "resps": [["4"]], "filter": "none", "metrics": ["acc"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "samples_sums.jsonl")
    ...     _ = path.write_text(json.dumps({**row, "acc": 1.0}))
    ...     counts = read_logs([f"alder={path}"], metrics=["sums/acc"])
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
        name: [_TaskLog(f.task or tasks[0], read_log(f.path, f.task or tasks[0])) for f in files]
        for name, files in systems.items()
    }
    every = [each.log for runs in logs.values() for each in runs]
    columns, left_out = choose_columns(every, metrics, SPELLING)
    return assemble(_of_one_task(logs, columns), columns, missing, left_out)


def _of_one_task(logs: Mapping[str, Sequence[_TaskLog]], columns: Columns) -> dict[str, list[Log]]:
    """Return the logs of the task that the columns are of."""
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


def _named_files(sources: Sequence[str | Path]) -> _Files:
    """Return the files of each system; those of one folder that differ in task belong together."""
    systems: _Files = {}
    for source in map(parse_source, sources):
        files = [file for path in source.paths for file in task_files(path)]
        name = source.name or _system_name(source.paths[0])
        known = systems.get(name, [])
        for file in files:
            same = next((other for other in known if other.task == file.task), None)
            if same is not None or (known and known[0].folder != file.folder):
                raise _second_of_a_name(name, file, same or known[0])
        systems[name] = [*known, *files]
    return systems


def _second_of_a_name(name: str, file: TaskFile, other: TaskFile) -> DataError:
    if file.folder == other.folder and file.task:
        return DataError(
            f"{shown(file.path)}: a system called {name!r} is already there, from "
            f"{shown(other.path)}, which is of the same task; give the newest, or average both as "
            f"{name}={other.path},{file.path}"
        )
    return called_twice(name, file.path, other.path)


def _tasks(systems: _Files) -> list[str]:
    """Return the tasks; files whose names tell none are of the only one there is."""
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
        held = ", ".join(
            f"{name} has {listed([f.task for f in systems[name]], 3)}" for name in names
        )
        return DataError(f"the systems have no task in common: {held}; give samples of one task")
    return DataError(
        f"the files hold {len(tasks)} tasks, whose documents differ: {listed(tasks, 8)}; compare "
        f"one at a time, such as --metric {common[0]}"
    )


def _has(files: Sequence[TaskFile], task: str) -> bool:
    return any(file.task == task for file in files)


def _short_names(keys: Sequence[Key]) -> list[str]:
    """Return the names of metrics, with task and filter where there are several of them."""
    several_tasks = len({task for task, _, _ in keys}) > 1
    filters = Counter((task, metric) for task, metric, _ in keys)
    names = []
    for task, metric, filtered in keys:
        parts = [task] if several_tasks else []
        parts.append(metric)
        if filters[task, metric] > 1:
            parts.append(filtered)
        names.append("/".join(parts))
    return names


def _levels(key: Key) -> list[set[str]]:
    task, metric, filtered = key
    end = {f"{metric}/{filtered}", f"{metric},{filtered}"}
    return [{f"{task}/{name}" for name in end}, {f"{task}/{metric}"}, end, {metric}, {filtered}]


SPELLING: Final = Spelling(_short_names, _levels, lambda key: key[0])


def task_file(path: str) -> TaskFile:
    """Return a file with the task and time that its name tells.

    >>> task_file("alder/samples_pond_mc_2026-11-15T19-23-21.059782.jsonl").task
    'pond_mc'
    """
    match = _NAME.fullmatch(Path(path).name)
    return TaskFile(path, match["task"], match["time"] or "") if match else TaskFile(path, "", "")


def task_files(path: str) -> list[TaskFile]:
    """Return a file, or the newest samples of each task in a folder."""
    if not os.path.isdir(path):
        refuse_other_files(path, "lm-eval")
        return [task_file(path)]
    found = sorted(map(str, Path(path).glob("samples_*.jsonl*")))
    newest: dict[str, TaskFile] = {}
    for file in map(task_file, found):
        known = newest.get(file.task)
        if file.task and (known is None or file.time >= known.time):
            newest[file.task] = file
    if not newest:
        raise DataError(f"{path}: there are no samples_*.jsonl in this folder; {_remedy(path)}")
    return list(newest.values())


def _remedy(path: str) -> str:
    below = sorted({str(file.parent) for file in Path(path).glob("*/samples_*.jsonl*")})
    if below:
        return f"name the folder of one system: {listed(below, 4)}"
    return "run lm-eval with --log_samples and --output_path"


def _system_name(path: str) -> str:
    """Return the name of a system: that of the folder of its files."""
    if not os.path.isfile(path) and not os.path.isdir(path):  # a pipe
        return default_name(path)
    place = Path(path).resolve()
    return encodable((place if os.path.isdir(path) else place.parent).name) or "unnamed"


def read_log(path: str, task: str = "", problems: Findings | None = None) -> Log:
    """Return the samples of one file; rows that `problems` lets pass are left out."""
    noted = problems or Findings(strict=True)
    found, empty, file = _TaskRows(), True, task_file(path)
    with open_text(path) as stream:
        for line_no, line in enumerate(stream, 1):
            if line.strip():
                empty, place = False, f"{shown(path)}:{line_no}"
                with noted.of_file():
                    found.add(_checked_row(line, place), task, place)
    samples = in_order(found.samples.values())
    if empty:
        noted.complain(f"{shown(path)}: the file is empty; give the samples of a finished run")
    elif not (noted.fatal or found.faults or any(sample.values for sample in samples)):
        noted.complain(
            f"{shown(path)}: none of {several(len(samples), 'document')} has a score; give "
            "the samples of a finished run"
        )
    for finding in found.odd:
        noted.warn(finding)
    warn_of_lacking(found.keys, "label", noted, NOT_EMPTY)
    for problem in contradictions(path, file.task, file.time, samples):
        noted.warn(f"{shown(path)}: {problem}")
    # Whoever hands in where to note problems has them there.
    return Log(
        path, samples, notices=noted.notices() if problems is None else (), faults=found.faults
    )


@dataclass(slots=True)
class _TaskRows:
    """The samples of one file, and what is wrong with values that are no scores."""

    samples: dict[str, Sample] = field(default_factory=dict)
    faults: dict[Key, str] = field(default_factory=dict)
    seen: set[tuple[str, str]] = field(default_factory=set)
    odd: list[str] = field(default_factory=list)
    """Values that are unlike what lm-eval writes"""
    keys: list[tuple[str, Collection[str]]] = field(default_factory=list)
    """By the place of each row, what its document has"""

    def add(self, row: Mapping[str, Any], task: str, place: str) -> None:
        """Add one row; a further filter of a document adds to its values."""
        document = str(row["doc_id"])
        filtered = str(row.get("filter") or "none")
        if (document, filtered) in self.seen:
            raise DataError(
                f"{place}: document {document!r} is there twice with the filter {filtered!r}; "
                "keep one of the rows"
            )
        self.seen.add((document, filtered))
        if isinstance(row.get("doc"), dict):
            self.keys.append((place, row["doc"].keys()))
        values = self._values(row, (task, filtered), place)
        known = self.samples.get(document)
        if known is None:
            self.samples[document] = _as_sample(row, values, place)
        else:
            self.samples[document] = replace(known, values={**known.values, **values})

    def _values(self, row: Mapping[str, Any], of: tuple[str, str], place: str) -> dict[Key, float]:
        named = row.get("metrics")  # before lm-eval named them, they were all that is no field
        values: dict[Key, float] = {}
        for name in named if isinstance(named, list) else row:
            if not isinstance(name, str) or name in _FIELDS:
                continue
            key = (of[0], name, of[1])
            raw = row.get(name)
            value = number(raw, {})
            if value is not None and not math.isnan(value):
                values[key] = value
                if isinstance(raw, str) or (name in _RATES and not 0 <= value <= 1):
                    finding = "written as a text" if isinstance(raw, str) else "not between 0 and 1"
                    self.odd.append(
                        f"{place}: the value of {name!r} is {as_text(raw)[:60]!r}, {finding}; it "
                        f"was taken for {value:g}"
                    )
            elif raw is not None:
                finding = (
                    f"{place}: the value of {name!r} is {as_text(raw)[:60]!r}, which is no score "
                    "of a single document; choose another metric with --metric"
                )
                self.faults.setdefault(key, finding)
        return values


def _checked_row(line: str, place: str) -> dict[str, Any]:
    """Return the row of one line."""
    row = parse_log(line, place)
    document = row.get("doc_id") if isinstance(row, dict) else None
    if not isinstance(document, str | int) or isinstance(document, bool):
        raise DataError(
            f"{place}: this is no sample of lm-eval (it has no `doc_id`); give samples_*.jsonl"
        )
    return dict(row)


def _as_sample(row: Mapping[str, Any], values: Mapping[Key, float], place: str) -> Sample:
    """Return the sample of a row."""
    requests = _requests(row.get("arguments"))
    prompt = as_text(requests[0][0]) if requests and requests[0] else ""
    target = row.get("target")
    gold = "" if target is None else as_text(target)
    continuations = [as_text(request[1]) for request in requests if len(request) > 1]
    chosen = _likelihoods(row.get("resps"))
    choice = len(chosen) > 1 and len(set(continuations)) == len(chosen)
    return Sample(
        item=str(row["doc_id"]),
        values=values,
        place=place,
        input=prompt,
        gold=_choice(gold, continuations) if choice else gold,
        output=continuations[chosen.index(max(chosen))] if choice else _responses(row),
        labels=scalar_labels(row.get("doc"), "doc"),
        prompt_print=str(row.get("prompt_hash") or prompt),
        gold_print=str(row.get("target_hash") or gold),
        document_print=str(row.get("doc_hash") or ""),
    )


def _requests(arguments: Any) -> list[list[Any]]:
    """Return what the model was asked: a list for each request, as dicts or lists hold them."""
    requests = list(arguments.values()) if isinstance(arguments, dict) else arguments
    if not isinstance(requests, list):
        return []
    return [
        list(each.values()) if isinstance(each, dict) else each
        for each in requests
        if isinstance(each, dict | list)
    ]


def _likelihoods(responses: Any) -> list[float]:
    """Return the likelihood of each choice, where these are what the model answered."""
    found = []
    for response in responses if isinstance(responses, list) else ():
        pair = response
        while isinstance(pair, list) and len(pair) == 1:
            pair = pair[0]
        if not isinstance(pair, list) or len(pair) != 2:
            return []
        value = number(pair[0], {})
        if value is None or math.isnan(value):
            return []
        found.append(value)
    return found


def _choice(gold: str, continuations: Sequence[str]) -> str:
    """Return the text of the right choice, where the target is its number."""
    numbers = [str(number) for number in range(len(continuations))]
    return continuations[numbers.index(gold)] if gold in numbers else gold


def _responses(row: Mapping[str, Any]) -> str:
    """Return what the model wrote: its responses, a line each."""
    texts: list[str] = []
    responses = row.get("resps")
    for response in responses if isinstance(responses, list) else ():
        texts += response if isinstance(response, list) else [response]
    if texts and all(isinstance(text, str) for text in texts):
        return "\n".join(texts)
    filtered = row.get("filtered_resps")
    return "" if filtered is None else as_text(filtered)


def findings(sources: Sequence[str]) -> list[Finding]:
    """Return the problems of every row of samples, and of all files together."""
    problems = Findings()
    for path in paths_of(sources):
        with problems.of_file():
            for file in task_files(path):
                log = read_log(file.path, "", problems)
                numbers = log.keys()
                for key, fault in log.faults.items():
                    # What is nowhere a number is left out where scores are compared.
                    (problems.complain if key in numbers else problems.warn)(fault)
    return problems.as_read(lambda: _remarks(sources), listed=("not-numbers",))


def _remarks(sources: Sequence[str]) -> tuple[Notice, ...]:
    """Return what reading remarks; files of several tasks are compared one task at a time."""
    return () if len(_tasks(_named_files(sources))) > 1 else read_logs(sources).notices
