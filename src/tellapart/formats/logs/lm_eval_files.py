"""lm-eval's files: samples_TASK_TIME.jsonl, alone or all of a folder, which names the system."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown
from tellapart.formats.logs.detection import refuse_others
from tellapart.formats.logs.lm_eval_rows import TaskRows, rows
from tellapart.formats.logs.samples import Log
from tellapart.words import listed, several

_NAME: Final = re.compile(
    r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(\.gz)?"
)


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A file of samples: its task, if the name tells, and when it was written."""

    path: str
    task: str
    time: str

    @property
    def folder(self) -> str:
        """Where it is, which is also what the system is called."""
        return "" if self.path == STANDARD else str(Path(self.path).resolve().parent)


def task_file(path: str) -> TaskFile:
    """Tell the task of a file from its name.

    >>> task_file("alder/samples_pond_mc_2026-11-15T19-23-21.059782.jsonl").task
    'pond_mc'
    """
    match = _NAME.fullmatch(Path(path).name)
    return TaskFile(path, match["task"], match["time"] or "") if match else TaskFile(path, "", "")


def expanded(path: str) -> list[TaskFile]:
    """Return a file, or the newest samples of each task in a folder."""
    if path == STANDARD or not Path(path).is_dir():
        refuse_others(path, "a samples file of lm-eval")
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


def system_name(path: str) -> str:
    """Name a system after the folder of its files."""
    if path == STANDARD:
        return "stdin"
    place = Path(path).resolve()
    return (place if place.is_dir() else place.parent).name or "unnamed"


def read_task(file: TaskFile, task: str) -> Log:
    """Read one file of samples."""
    found = TaskRows()
    for place, row in rows(file.path):
        found.add(row, task, place)
    samples = tuple(found.samples.values())
    if not found.faults and not any(sample.values for sample in samples):
        raise DataError(
            f"{shown(file.path)}: none of {several(len(samples), 'document')} has a score; give "
            "the samples of a finished run"
        )
    return Log(file.path, samples, faults=found.faults)
