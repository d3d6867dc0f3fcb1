"""The logs of all files together: folders, names of systems, superseded runs, several tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tellapart.counts import Counts
from tellapart.counts.suites import TASK
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Sources
from tellapart.formats.head import Head, heads_below, lies_beside, read_head
from tellapart.formats.logs.counting import assemble
from tellapart.formats.logs.harness import Harness, scored_as_named
from tellapart.formats.logs.log import Log
from tellapart.formats.logs.metric_names import choose_columns
from tellapart.formats.logs.tasks import (
    choose_task_columns,
    suite_of,
    with_common_tasks,
    with_tasks,
)
from tellapart.formats.logs.totals import TotalsError
from tellapart.formats.missing import check_policy
from tellapart.formats.problems import Findings
from tellapart.formats.registry import formats
from tellapart.formats.sources import Source, called_twice, default_name, parse_source
from tellapart.metrics.passes import is_pass
from tellapart.files import reading_once
from tellapart.words import encodable, listed, several, typed

_LISTED: Final = 4


@dataclass(frozen=True, slots=True)
class _Given:
    """A log, and the argument that it came by."""

    log: Log
    source: Source
    run: int
    """Which of the paths of the argument"""

    @property
    def path(self) -> str:
        """The path of the argument, which may be a folder."""
        return self.source.paths[self.run]


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
    given = _with_known_tasks(list(_read_all(harness, sources.systems, problems, remarks)))
    systems = _by_system(_finished(_without_superseded(given, remarks), remarks), remarks)
    every = [log for logs in systems.values() for log in logs]
    values = [name for name in sources.metrics if not is_pass(name)]
    _check_data(every)
    if len({log.task for log in every}) < 2:
        values = values or (_main(every, harness) if sources.metrics else [])
        columns, left_out = choose_columns(
            every, _of_only_task(values, every[0].task), harness.spelling
        )
        remarks += [*left_out, *problems.notices()]
        return scored_as_named(assemble(systems, columns, missing, remarks), sources.metrics)
    systems, lacking = with_common_tasks(systems, missing)
    remarks += lacking
    every = [log for logs in systems.values() for log in logs]
    chosen = choose_task_columns(every, values or None, harness.spelling)
    remarks += [*chosen.notices, *problems.notices()]
    logs = with_tasks(systems, chosen)
    counts = assemble(logs, {name: (name,) for name in chosen.columns}, missing, remarks)
    weights = sources.weights or harness.weights
    suite = suite_of(logs, counts.labels[TASK], weights, chosen.scores)
    return scored_as_named(replace(counts, suite=suite), sources.metrics)


def _main(logs: Sequence[Log], harness: Harness) -> list[str]:
    """Return what pass@k is of where it is named alone: the value that is reported first."""
    mains = {log.main for log in logs}
    main = next(iter(mains))
    return [] if main is None or len(mains) > 1 else [min(harness.spelling.levels(main)[0])]


def _check_data(logs: Sequence[Log]) -> None:
    """Refuse logs of one task that are not of the same data."""
    first: dict[str, Log] = {}
    for log in logs:
        known = first.setdefault(log.task, log)
        if log.dataset and known.dataset and log.dataset != known.dataset:
            raise DataError(
                f"{shown(log.path)}: the data set is {log.dataset!r}, but {known.dataset!r} in "
                f"{shown(known.path)}; compare logs of one data set"
            )


def _of_only_task(names: Sequence[str], task: str) -> list[str] | None:
    """Return the names of values without the task, which may stand before them or for all."""
    if names == [task]:
        return None
    return [name.removeprefix(f"{task}/") for name in names] or None


def suite_findings(harness: Harness, sources: Sequence[str]) -> list[Finding]:
    """Return the problems of files, each by itself and all together."""
    problems = Findings()
    codes = {"not-numbers"}
    given = list(map(parse_source, sources))
    beside = _beside_logs(harness, given)
    for path in (path for each in given if each not in beside for path in each.paths):
        with problems.of_file():
            for file in files_of(harness, path)[0]:
                with problems.of_file():
                    for log in harness.read_file(file, problems):
                        _list_problems(log, problems)
                        codes.update(notice.code for notice in log.notices)
    return problems.as_read(lambda: read_suite(harness, Sources(tuple(sources))).notices, codes)


def _list_problems(log: Log, problems: Findings) -> None:
    """Note what is wrong with the values of a log, and what it remarks itself."""
    numbers = log.value_keys()
    for key, fault in log.faults.items():
        # What is nowhere a number, or what nobody asked for, is left out where scores are compared.
        scored = key in numbers and key not in log.costs
        (problems.complain if scored else problems.warn)(fault)
    failed = [sample for sample in log.samples if not sample.values]
    if failed and numbers:
        first = failed[0]
        why = f" ({' '.join(first.error.split())[:100]})" if first.error else ""
        have = f"{several(len(failed), 'sample')} {'has' if len(failed) == 1 else 'have'}"
        problems.warn(f"{first.place}: no score{why}; {have} none")
    known = {finding.text for finding in problems.found}
    for notice in log.notices:
        if notice.text.removesuffix(".") not in known:
            problems.warn(notice.text.removesuffix("."))


def _read_all(
    harness: Harness, systems: Sequence[str | Path], problems: Findings, remarks: list[Notice]
) -> Iterator[_Given]:
    """Yield the logs of all arguments, in order."""
    sources = list(map(parse_source, systems))
    beside = _beside_logs(harness, sources)
    strange = [source.paths[0] for source, told in beside.items() if told]
    if strange:
        text = f"Passed over, being no {harness.files}: {listed(strange, _LISTED)}."
        remarks.append(Notice("bystanders", text, tuple(strange)))
    for source in (source for source in sources if source not in beside):
        for run, path in enumerate(source.paths):
            files, others = files_of(harness, path)
            if others:
                text = f"Passed over in {shown(path)}, being no {harness.files}: "
                names = [os.path.relpath(other, path) for other in others]
                remarks.append(Notice("bystanders", f"{text}{listed(names, _LISTED)}.", (path,)))
            for file in files:
                for log in harness.read_file(file, problems):
                    yield _Given(log, source, run)


def _beside_logs(harness: Harness, sources: Sequence[Source]) -> dict[Source, bool]:
    """Return the files without scores that were given along with logs of the same folder.

    So it is where a shell lists all that a folder has. With each is whether that is to be told.
    """
    if harness.refuses is None:
        return {}
    plain = [each for each in sources if each.name is None and len(each.paths) == 1]
    heads = {source: read_head(source.paths[0]) for source in plain}
    logs = [head.path for head in heads.values() if harness.recognises(head)]
    return {
        source: _is_bystander(harness, head)
        for source, head in heads.items()
        if lies_beside(head, logs) and not harness.recognises(head) and harness.refuses(head)
    }


def _is_bystander(harness: Harness, head: Head) -> bool:
    """Return whether a file is of no use; totals and the like are read beside the logs."""
    refusal = None if harness.refuses is None else harness.refuses(head)
    return not isinstance(refusal, TotalsError)


def files_of(harness: Harness, path: str) -> tuple[list[str], list[str]]:
    """Return the files of a harness in a folder, and those of others; a file is what it is."""
    if not os.path.isdir(path):
        _refuse_other_files(harness, path)
        return [path], []
    found: list[str] = []
    others: list[str] = []
    for head in heads_below(path):
        if harness.recognises(head):
            found.append(head.path)
        elif _is_bystander(harness, head):
            others.append(head.path)
    if not found:
        for head in heads_below(path):
            _refuse_totals(head)
        raise DataError(
            f"{shown(path)}: there are no {harness.files} in this folder; name the one that has "
            "them"
        )
    return found, others


def _refuse_other_files(harness: Harness, path: str) -> None:
    """Refuse a file that holds only totals, or that is evidently of another harness."""
    head = read_head(path)
    if harness.recognises(head):
        return
    _refuse_totals(head)
    other = next((each for each in formats() if each.folders and each.recognises(head)), None)
    if other is not None:
        raise DataError(
            f"{shown(path)}: this looks like {other.about}, not like {harness.files}; give files "
            "of one format"
        )


def _refuse_totals(head: Head) -> None:
    for each in formats():
        refusal = None if each.refuses is None else each.refuses(head)
        if refusal is not None:
            raise refusal


def _with_known_tasks(given: Sequence[_Given]) -> list[_Given]:
    """Return logs that have their tasks; what tells none is of the only one there is."""
    tasks = list(dict.fromkeys(each.log.task for each in given if each.log.task))
    unnamed = next((each.log.path for each in given if not each.log.task), None)
    if unnamed is None or not tasks:
        return list(given)
    if len(tasks) > 1:
        raise DataError(
            f"{shown(unnamed)}: nothing tells the task of this file, and there are "
            f"{listed(tasks, _LISTED)}; call it as the harness does, by its task"
        )
    return [replace(each, log=replace(each.log, task=tasks[0])) for each in given]


def _without_superseded(given: Sequence[_Given], remarks: list[Notice]) -> list[_Given]:
    """Return the logs that count: of several attempts at one run, the last whole one."""
    last: dict[tuple[str | None, ...], _Given] = {}
    for each in sorted(given, key=lambda each: each.log.time):
        log = each.log
        # One log under two names is two systems, on purpose.
        key = log.identity or log.path, log.system, log.task, each.source.name
        if key not in last or not log.problem or last[key].log.problem:
            last[key] = each
    counted = {id(each) for each in last.values()}
    kept = [each for each in given if id(each) in counted]
    skipped = [each.log.path for each in given if id(each) not in counted]
    if skipped:
        text = f"Passed over, since a later run took their place: {listed(skipped, _LISTED)}."
        remarks.append(Notice("superseded", text, tuple(skipped)))
    return kept


def _finished(given: Sequence[_Given], remarks: list[Notice]) -> list[_Given]:
    """Return the logs of finished runs; others in a folder are passed over, a file is refused."""
    kept = [each for each in given if not each.log.problem]
    failed = [each.log for each in given if each.log.problem]
    named = next((each.log for each in given if each.log.problem and each.path == each.log.path),
                 None)  # fmt: skip
    if named is not None or (failed and not kept):
        raise DataError((named or failed[0]).problem)
    for log in failed:
        text = f"Left out, being no finished run: {log.problem.partition(';')[0]}."
        remarks.append(Notice("unfinished", text, (log.path,)))
    return kept


def _by_system(given: Sequence[_Given], remarks: list[Notice]) -> dict[str, list[Log]]:
    """Return the logs of each system, by its name; of several of a task in a folder, the newest."""
    found: dict[tuple[str, str, int], list[_Given]] = {}
    holds: dict[str, set[str]] = {}
    for each, name in zip(given, _names(given), strict=True):
        found.setdefault((name, each.log.task, each.run), []).append(each)
        holds.setdefault(each.log.path, set()).add(name)
    shared = {path for path, some in holds.items() if len(some) > 1}
    systems: dict[str, list[Log]] = {}
    for (name, _, _), some in found.items():
        for other in some:
            if other.source is not some[0].source:
                raise called_twice(name, other.log.path, some[0].log.path)
        logs = [each.log for each in some]
        systems.setdefault(name, []).extend(_newest(name, logs, shared, remarks))
    return systems


def _newest(name: str, logs: Sequence[Log], shared: set[str], remarks: list[Notice]) -> list[Log]:
    """Return what counts of the logs of one system, task and run: those of the newest file.

    `shared` are files of several systems, which cannot be given as runs of one.
    """
    times = {log.path: log.time for log in logs}
    newest = [path for path, time in times.items() if time == max(times.values())]
    if len(newest) > 1:
        one, other = newest[:2]
        text = (
            f"{shown(other)}: this holds the same of {name} as {shown(one)}, and nothing tells "
            "which is newer; give one of them"
        )
        if _stem(one) != _stem(other) and shared.isdisjoint(newest) and "," not in one + other:
            called = name.replace("=", ":")  # a name ends at its first `=`
            text += f", or average both as {typed(f'{called}={one},{other}')}"
        raise DataError(text)
    older = tuple(path for path in times if path != newest[0])
    if older:
        text = f"Passed over, since {shown(newest[0])} is newer: {listed(older, _LISTED)}."
        remarks.append(Notice("superseded", text, older))
    return [log for log in logs if log.path == newest[0]]


def _stem(path: str) -> str:
    """Return a path without suffix: what has the same is one run, written in several formats."""
    return os.path.join(os.path.dirname(path), default_name(path))


def _names(given: Sequence[_Given]) -> list[str]:
    """Return what the system of each log is called: as named, by model, by what differs, by file.

    What one argument names must be one system.
    """
    unnamed = _unnamed_systems(given)
    owns = [encodable(each.log.system) or unnamed[each.path, each.log.path] for each in given]
    for source in dict.fromkeys(each.source for each in given if each.source.name is not None):
        _check_one_system(source, [
            (each, own) for each, own in zip(given, owns, strict=True) if each.source is source
        ])  # fmt: skip
    differing = _differing_settings(
        [(own, e.log) for e, own in zip(given, owns, strict=True) if e.source.name is None]
    )
    names = [
        each.source.name or _with_settings(own, each.log, differing)
        for each, own in zip(given, owns, strict=True)
    ]
    return _told_apart(given, names)


def _unnamed_systems(given: Sequence[_Given]) -> dict[tuple[str, str], str]:
    """Return what systems are called whose logs name none, by argument and file.

    A file is called by its name. A folder is one system, called by its name, unless it holds
    several runs of a task: each of them is then a system by its file's name, or where these are
    alike by that of its folder.
    """
    found: dict[tuple[str, str], str] = {}
    folders: dict[str, list[Log]] = {}
    for each in given:
        found[each.path, each.log.path] = default_name(each.path)
        if not each.log.system and os.path.isdir(each.path):
            folders.setdefault(each.path, []).append(each.log)
    for folder, logs in folders.items():
        stems = {log.path: os.path.relpath(_stem(log.path), folder) for log in logs}
        whole = encodable(Path(folder).resolve().name)
        namings: list[dict[str, str]] = [
            dict.fromkeys(stems, whole),
            {path: os.path.basename(stem) for path, stem in stems.items()},
            {path: encodable(os.path.dirname(stem)) or whole for path, stem in stems.items()},
            {path: encodable(stem) for path, stem in stems.items()},
        ]
        # Of runs that tell when they were, the newest counts.
        runs = [(log.task, log.path, "" if log.time else stems[log.path]) for log in logs]
        naming = next(
            each
            for each in namings
            if len({(each[path], task, run) for task, path, run in runs})
            == len({(each[path], task) for task, path, _ in runs})
        )
        found.update({(folder, path): name for path, name in naming.items()})
    return found


def _check_one_system(source: Source, given: Sequence[tuple[_Given, str]]) -> None:
    """Refuse one name for several systems: for the models of a path, or settings in a file."""
    for run, path in enumerate(source.paths):
        files: dict[str, list[tuple[str, Log]]] = {}
        for each, own in given:
            if each.run == run:
                files.setdefault(each.log.path, []).append((own, each.log))
        held = [dict.fromkeys(own for some in files.values() for own, _ in some)]
        for some in files.values():
            differing = _differing_settings(some)
            held.append(dict.fromkeys(_with_settings(own, log, differing) for own, log in some))
        several_held = next((tuple(names) for names in held if len(names) > 1), None)
        if several_held is not None:
            raise UsageError(
                f"{shown(path)}: this holds the systems {listed(several_held)}; "
                f"give it without {source.name}="
            )


def _with_settings(name: str, log: Log, differing: Mapping[str, Sequence[str]]) -> str:
    told = [f"{key}={log.settings.get(key, 'none')}" for key in differing.get(name, ())]
    return f"{name} ({', '.join(told)})" if told else name


def _differing_settings(logs: Sequence[tuple[str, Log]]) -> dict[str, list[str]]:
    """Return by system the settings in which logs of one task differ."""
    values: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for name, log in logs:
        values.setdefault((name, log.task), []).append(log.settings)
    differing: dict[str, list[str]] = {}
    for (system, _), settings in values.items():
        known = differing.setdefault(system, [])
        for key in dict.fromkeys(key for each in settings for key in each):
            if key not in known and len({each.get(key) for each in settings}) > 1:
                known.append(key)
    return differing


def _told_apart(given: Sequence[_Given], names: Sequence[str]) -> list[str]:
    """Return the names with those of files or folders where several arguments have the same one."""
    sources: dict[tuple[str, str], dict[Source, str]] = {}
    for each, name in zip(given, names, strict=True):
        place = Path(each.path).resolve()
        own = encodable(place.name) if place.is_dir() else default_name(each.path)
        sources.setdefault((name, each.log.task), {})[each.source] = own
    alike = {
        name: some
        for (name, _), some in sources.items()
        if len(some) == len(set(some.values())) > 1 and all(each.name is None for each in some)
    }
    return [
        f"{name} ({alike[name][each.source]})" if each.source in alike.get(name, ()) else name
        for each, name in zip(given, names, strict=True)
    ]
