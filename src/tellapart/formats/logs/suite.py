"""The logs of all files together: folders, names of systems, superseded runs, several tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tellapart.counts import Counts
from tellapart.counts.suites import TASK
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Sources
from tellapart.formats.head import read_head
from tellapart.formats.logs.counting import assemble
from tellapart.formats.logs.harness import Harness, scored_as_named
from tellapart.formats.logs.log import Log
from tellapart.formats.logs.metric_names import choose_columns
from tellapart.formats.logs.tasks import check_tasks, choose_task_columns, suite_of, with_tasks
from tellapart.formats.missing import check_policy
from tellapart.formats.problems import Findings
from tellapart.formats.sources import Source, called_twice, default_name, parse_source
from tellapart.metrics.passes import is_pass
from tellapart.read_once import reading_once
from tellapart.words import encodable, listed

_LISTED: Final = 4


@dataclass(frozen=True, slots=True)
class _Given:
    """A log, and the argument that it came by."""

    log: Log
    source: Source
    run: int
    """Which of the paths of the argument"""


@reading_once()
def read_suite(harness: Harness, sources: Sources) -> Counts:
    """Return the scores of all systems in files and folders of one harness.

    Several tasks of a system are joined: an item is then `task/item`, and has the label `task`.
    """
    missing = sources.missing or "error"
    check_policy(missing)
    if not sources.systems:
        raise UsageError("there is no log to read; name at least one file")
    remarks: list[Notice] = []
    problems = Findings(strict=True)
    given = list(_read_all(harness, sources.systems, problems, remarks))
    systems = _by_system(_without_superseded(given, remarks))
    every = [log for logs in systems.values() for log in logs]
    values = [name for name in sources.metrics if not is_pass(name)]
    if len({log.task for log in every}) < 2:
        columns, left_out = choose_columns(every, values or None, harness.spelling)
        remarks += [*left_out, *problems.notices()]
        return scored_as_named(assemble(systems, columns, missing, remarks), sources.metrics)
    check_tasks(systems, missing)
    chosen = choose_task_columns(every, values or None, harness.spelling)
    remarks += [*chosen.notices, *problems.notices()]
    logs = with_tasks(systems, chosen)
    counts = assemble(logs, {name: (name,) for name in chosen.columns}, missing, remarks)
    weights = sources.weights or harness.weights
    suite = suite_of(logs, counts.labels[TASK], weights, chosen.scores)
    return scored_as_named(replace(counts, suite=suite), sources.metrics)


def suite_findings(harness: Harness, sources: Sequence[str]) -> list[Finding]:
    """Return the problems of files, each by itself and all together."""
    problems = Findings()
    for path in (path for each in sources for path in parse_source(each).paths):
        with problems.of_file():
            for file in files_of(harness, path)[0]:
                with problems.of_file():
                    for log in harness.read_file(file, problems):
                        numbers = log.keys()
                        for key, fault in log.faults.items():
                            (problems.complain if key in numbers else problems.warn)(fault)
    return problems.as_read(
        lambda: read_suite(harness, Sources(tuple(sources))).notices, listed=("not-numbers",)
    )


def _read_all(
    harness: Harness, systems: Sequence[str | Path], problems: Findings, remarks: list[Notice]
) -> Iterator[_Given]:
    """Yield the logs of all arguments, in order."""
    for source in map(parse_source, systems):
        for run, path in enumerate(source.paths):
            files, others = files_of(harness, path)
            if others:
                text = f"Passed over in {shown(path)}, being no {harness.files}: "
                names = [os.path.relpath(other, path) for other in others]
                remarks.append(Notice("bystanders", f"{text}{listed(names, _LISTED)}.", (path,)))
            for file in files:
                for log in harness.read_file(file, problems):
                    yield _Given(log, source, run)


def files_of(harness: Harness, path: str) -> tuple[list[str], list[str]]:
    """Return the files of a harness in a folder, and the others; a file is what it is."""
    if not os.path.isdir(path):
        return [path], []
    found: list[str] = []
    others: list[str] = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                file = os.path.join(folder, name)
                (found if harness.recognises(read_head(file)) else others).append(file)
    if not found:
        raise DataError(f"{shown(path)}: there are no {harness.files} in this folder")
    return found, others


def _without_superseded(given: Sequence[_Given], remarks: list[Notice]) -> list[_Given]:
    """Return the logs that count: of several attempts at one run, the last whole one."""
    last: dict[tuple[str, str, str], _Given] = {}
    for each in sorted(given, key=lambda each: each.log.time):
        key = each.log.identity or each.log.path, each.log.system, each.log.task
        if key not in last or not each.log.problem or last[key].log.problem:
            last[key] = each
    kept = [each for each in given if any(each is other for other in last.values())]
    for each in kept:
        if each.log.problem:
            raise DataError(each.log.problem)
    skipped = [each.log.path for each in given if all(each is not other for other in kept)]
    if skipped:
        text = f"Passed over, since a later run took their place: {listed(skipped, _LISTED)}."
        remarks.append(Notice("superseded", text, tuple(skipped)))
    return kept


def _by_system(given: Sequence[_Given]) -> dict[str, list[Log]]:
    """Return the logs of each system, by its name."""
    names = _names(given)
    systems: dict[str, list[Log]] = {}
    places: dict[tuple[str, str], tuple[Source, str]] = {}
    for each, name in zip(given, names, strict=True):
        known = places.setdefault((name, each.log.task), (each.source, each.log.path))
        if known[0] is not each.source:
            raise called_twice(name, each.log.path, known[1])
        systems.setdefault(name, []).append(each.log)
    return systems


def _names(given: Sequence[_Given]) -> list[str]:
    """Return what the system of each log is called: as named, by model, by what differs, by file.

    The models of one argument that names its system must be one.
    """
    for each in given:
        if each.source.name is not None:
            models = dict.fromkeys(o.log.system for o in given if o.source is each.source)
            if len(models) > 1 and len(each.source.paths) == 1:
                raise UsageError(
                    f"{shown(each.log.path)}: this holds the systems {listed(tuple(models))}; "
                    f"give it without {each.source.name}="
                )
    differing = _differing_settings([each.log for each in given if each.source.name is None])
    names = []
    for each in given:
        log = each.log
        own = encodable(log.system) or default_name(each.source.paths[0])
        told = [f"{key}={log.settings[key]}" for key in differing if key in log.settings]
        names.append(each.source.name or (f"{own} ({', '.join(told)})" if told else own))
    return names


def _differing_settings(logs: Sequence[Log]) -> list[str]:
    """Return the settings that differ between logs of one model on one task."""
    values: dict[tuple[str, str, str], set[str]] = {}
    for log in logs:
        for key, value in log.settings.items():
            values.setdefault((log.system, log.task, key), set()).add(value)
    return list(dict.fromkeys(key for (_, _, key), found in values.items() if len(found) > 1))
