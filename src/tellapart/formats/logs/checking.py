"""All that is wrong with logs, for `tellapart validate`."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.logs.inspect_files import read_log
from tellapart.formats.logs.lm_eval_files import expanded
from tellapart.formats.logs.lm_eval_rows import TaskRows, checked_row
from tellapart.words import several

_WARNING = "warning:"


def inspect_problems(paths: Sequence[str]) -> list[str]:
    """List the problems of Inspect's logs; items without a score are warnings."""
    problems: list[str] = []
    for path in paths:
        try:
            log = read_log(path).log
        except DataError as problem:
            problems.append(str(problem))
            continue
        problems += log.faults.values()
        failed = [sample for sample in log.samples if not sample.values]
        if failed:
            told = several(len(failed), "sample")
            first = failed[0]
            why = f" ({' '.join(first.error.split())[:100]})" if first.error else ""
            verb = "has" if len(failed) == 1 else "have"
            problems.append(f"{_WARNING} {first.place}: no score{why}; {told} {verb} none")
        problems += [f"{_WARNING} {notice.text}" for notice in log.notices]
    return problems


def lm_eval_problems(paths: Sequence[str]) -> list[str]:
    """List the problems of every row of lm-eval's samples."""
    problems: list[str] = []
    for path in paths:
        try:
            for file in expanded(path):
                problems += _row_problems(file.path)
        except DataError as problem:
            problems.append(str(problem))
    return problems


def _row_problems(path: str) -> list[str]:
    found, problems, empty = TaskRows(), list[str](), True
    with open_text(path) as stream:
        for line_no, line in enumerate(stream, 1):
            if not line.strip():
                continue
            empty, place = False, f"{shown(path)}:{line_no}"
            try:
                found.add(checked_row(line, place), "", place)
            except DataError as problem:
                problems.append(str(problem))
    problems += found.faults.values()
    if empty:
        problems.append(f"{shown(path)}: the file is empty")
    elif not problems and not any(sample.values for sample in found.samples.values()):
        problems.append(f"{shown(path)}: no document has a score")
    return problems
