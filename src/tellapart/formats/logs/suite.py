"""The logs of all files together: folders, names of systems, repeated runs, several tasks."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from tellapart.counts import Counts
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import reading_once, shown
from tellapart.formats.contract import (
    Source,
    Sources,
    called_twice,
    default_name,
    parse_source,
    paths_of,
)
from tellapart.formats.head import heads_below, read_head
from tellapart.formats.logs.columns import MAIN, choose_columns
from tellapart.formats.logs.counting import count_logs
from tellapart.formats.logs.log import Harness, Log
from tellapart.formats.problems import Findings, findings_of
from tellapart.metrics import metric
from tellapart.metrics.registry import is_pass
from tellapart.metrics.runs import with_passes
from tellapart.options import NoOptions
from tellapart.words import encodable, listed

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)
_LISTED: Final = 4
_SEEDS: Final = re.compile(r"(.*[._])?(random_)?(seed|run|run_?(id|idx)|trial)")
_SAMPLING: Final = re.compile(r"(.*[._])?(temperature|top_p|top_k|min_p|do_sample)")


@dataclass(slots=True, eq=False)
class _LoadedLog:
    """A log, and the argument that it came by."""

    log: Log
    source: Source
    path: str
    """The path of the argument, which may be a folder"""
    name: str = ""
    """What its system is called"""


@contextmanager
def _no_collection() -> Iterator[None]:
    """Look for no cycles among objects, of which JSON makes many and no cycle; also a decorator."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@_no_collection()
@reading_once()
def read_suite(harness: Harness, sources: Sources, _: NoOptions) -> Counts:
    """Return the scores of all systems in files and folders of one harness.

    Several tasks of a system are joined: an item is then `task/item`, and has the label `task`.
    """
    remarks: list[Notice] = []
    problems = Findings(strict=True)
    loaded = list(_read_all(harness, sources.systems, problems, remarks))
    _set_unknown_tasks(loaded)
    loaded = _finished(_without_superseded(loaded, remarks), remarks)
    harness.check_logs([each.log for each in loaded])
    systems = _by_system(loaded, remarks)
    logs = [log for own in systems.values() for _, log in own]
    wanted = [name for name in sources.metrics if not is_pass(name)]
    if sources.metrics and not wanted and len({log.task for log in logs}) == 1:
        wanted = [MAIN]  # what pass@k is of where it is named alone
    chosen = choose_columns(logs, wanted, harness, sources.costs)
    remarks += [*chosen.notices, *problems.notices()]
    weights = sources.weights or harness.weights
    counts = count_logs(systems, chosen, sources.missing or "error", weights, remarks)
    return _scored_as_named(counts, sources.metrics)


def _scored_as_named(counts: Counts, named: Sequence[str]) -> Counts:
    """Return counts that carry the metrics that were named: values by their columns, passes."""
    if not named:
        return counts
    passes = [name for name in named if is_pass(name)]
    own = {each.name: each for each in counts.metrics}
    values = (own or counts.columns) if len(passes) < len(named) else ()
    counts = with_passes(counts, passes)
    metrics = tuple(
        own.get(name) or metric(name, counts.columns, items=True) for name in (*values, *passes)
    )
    return replace(counts, metrics=metrics)


def suite_findings(
    harness: Harness, sources: Sequence[str], _: Sequence[str], options: NoOptions
) -> list[Finding]:
    """Return the problems of files, each by itself and all together."""
    folders = _folders_of_logs(harness, paths_of(sources))

    def read(path: str, problems: Findings) -> None:
        for file in _files_of(harness, path, folders)[0]:
            with problems.of_file():
                harness.read_file(file, problems)

    def compare() -> Iterable[Notice]:
        return read_suite(harness, Sources(tuple(sources)), options).notices

    return findings_of(paths_of(sources), read, compare)


# Files


def _read_all(
    harness: Harness, systems: Sequence[str | Path], problems: Findings, remarks: list[Notice]
) -> Iterator[_LoadedLog]:
    """Yield the logs of all arguments, in order."""
    folders = _folders_of_logs(harness, paths_of(systems))
    for source in map(parse_source, systems):
        for path in source.paths:
            files, others = _files_of(harness, path, folders if source.name is None else ())
            if others:
                names = [os.path.relpath(other, path) for other in others]
                text = f"Skipped in {shown(path)} (not {harness.files}): {listed(names, _LISTED)}."
                remarks.append(Notice("bystanders", text, (path,)))
            logs = [log for file in files for log in harness.read_file(file, problems)]
            for log in _joined_parts(logs):
                yield _LoadedLog(log, source, path)


def _folders_of_logs(harness: Harness, paths: Iterable[str]) -> set[str]:
    return {os.path.dirname(path) for path in paths if harness.recognises(read_head(path))}


def _files_of(harness: Harness, path: str, folders: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the files of a harness in a folder, and those of others; a file is what it is.

    One without scores is passed over beside logs, in `folders`: a shell lists all that is there.
    """
    if not os.path.isdir(path):
        head = read_head(path)
        refusal = None if harness.recognises(head) else harness.refuses(head)
        if refusal is None:
            return [path], []
        if os.path.dirname(path) in folders:
            return [], []
        raise refusal
    heads = list(heads_below(path))
    files = [head.path for head in heads if harness.recognises(head)]
    refused = {head.path: harness.refuses(head) for head in heads if head.path not in files}
    if not files:
        raise next(
            (refusal for refusal in refused.values() if refusal is not None),
            DataError(
                f"{shown(path)}: there are no {harness.files} in this folder; name the one that "
                "has them"
            ),
        )
    return files, [path for path, refusal in refused.items() if refusal is None]


def _joined_parts(logs: Sequence[Log]) -> Iterator[Log]:
    """Yield logs, of which those that are parts of one run, a file for each item, are one."""
    yield from (log for log in logs if not log.part_of)
    parts = (log for log in logs if log.part_of)
    for own in _grouped(parts, lambda log: (log.system, log.task, log.part_of)).values():
        samples = tuple(sample for log in own for sample in log.samples)
        yield replace(own[0], samples=samples, path=own[0].part_of)


def _set_unknown_tasks(loaded: Sequence[_LoadedLog]) -> None:
    """Set the task of logs that tell none: the only one there is."""
    tasks = list(dict.fromkeys(each.log.task for each in loaded if each.log.task))
    for each in loaded if tasks else ():
        if not each.log.task and len(tasks) > 1:
            raise DataError(
                f"{shown(each.log.path)}: nothing tells the task of this file, of "
                f"{listed(tasks, _LISTED)}; call it as the harness does"
            )
        each.log = replace(each.log, task=each.log.task or tasks[0])


def _without_superseded(loaded: Sequence[_LoadedLog], remarks: list[Notice]) -> list[_LoadedLog]:
    """Return the logs that count: of several attempts at one run, the last whole one."""
    known = [each for each in loaded if each.log.identity]
    superseded: list[_LoadedLog] = []
    for own in _grouped(known, lambda each: (each.log.identity, each.source.name)).values():
        latest = max(reversed(own), key=lambda each: (not each.log.problem, each.log.time))
        superseded += [each for each in own if each is not latest]
    if superseded:
        paths = [each.log.path for each in superseded]
        text = f"Skipped, since a later run took their place: {listed(paths, _LISTED)}."
        remarks.append(Notice("superseded", text, tuple(paths)))
    return [each for each in loaded if each not in superseded]


def _finished(loaded: Sequence[_LoadedLog], remarks: list[Notice]) -> list[_LoadedLog]:
    """Return the logs of finished runs; others in a folder are left out, a file is refused."""
    failed = [each for each in loaded if each.log.problem]
    kept = [each for each in loaded if not each.log.problem]
    named = [each for each in failed if each.path == each.log.path]
    if named or (failed and not kept):
        raise DataError("; ".join(each.log.problem for each in (named or failed)[:_LISTED]))
    for each in failed:
        text = f"Left out, being no finished run: {each.log.problem}."
        remarks.append(Notice("unfinished", text, (each.log.path,)))
    return kept


# Systems and their runs


def _grouped(values: Iterable[_T], key: Callable[[_T], _K]) -> dict[_K, list[_T]]:
    """Return values by their keys, both in order of first appearance."""
    groups: dict[_K, list[_T]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


def _by_system(
    loaded: Sequence[_LoadedLog], remarks: list[Notice]
) -> dict[str, list[tuple[str, Log]]]:
    """Return the logs of each system with their runs, by its name."""
    unnamed = _unnamed_systems(loaded)
    for each in loaded:
        each.name = encodable(each.log.system) or unnamed[each.path, each.log.path]
    named = [each for each in loaded if each.source.name is not None]
    for own in _grouped(named, lambda each: (each.source, each.path)).values():
        _check_one_system(own)
    _pool_seeds(loaded)
    _name_by_settings(loaded)
    _name_by_place(loaded)
    systems: dict[str, list[tuple[str, Log]]] = {}
    merged: dict[str, list[_LoadedLog]] = {}
    for (name, _), own in _grouped(loaded, lambda each: (each.name, each.log.task)).items():
        for each in own:
            if each.source is not own[0].source:
                raise called_twice(name, each.log.path, own[0].log.path)
        for copies in _grouped(own, lambda each: _stem(each.log.path, ".")).values():
            first, last = copies[0].log.path, copies[-1].log.path
            if first != last:  # one run in a folder in two formats
                raise DataError(
                    f"{shown(last)}: this holds the same of {name} as {shown(first)}; give one of "
                    "them"
                )
        systems.setdefault(name, []).extend((str(k), each.log) for k, each in enumerate(own, 1))
        if len(own) > 1 and own[0].source.name is None:
            merged.setdefault(name, own)
    if merged:
        remarks.append(_merged_notice(merged))
    return systems


def _pool_seeds(loaded: Sequence[_LoadedLog]) -> None:
    """Make one argument of logs of a system with seeds of their own.

    So a shell that lists what is in a folder gives the systems that the folder has. Logs of one
    system alone stay apart: they were given to be compared.
    """
    systems = _grouped(loaded, lambda each: each.name)
    for own in systems.values() if len(systems) > 1 else ():
        plain = [each for each in own if each.source.name is None]
        keys = _differing_settings(plain)
        runs = {(each.log.task, *map(each.log.settings.get, keys)) for each in plain}
        if any(map(_SEEDS.fullmatch, keys)) and len(runs) == len(plain):
            pool = Source(tuple(dict.fromkeys(each.path for each in plain)))
            for each in plain:
                each.source = pool


def _name_by_settings(loaded: Sequence[_LoadedLog]) -> None:
    """Name systems as given, or by the model and what differs in it.

    Where an argument holds several logs of a system and task that differ in a seed, in their date
    or in how answers were sampled alone, these are runs of it.
    """
    systems = _grouped([e for e in loaded if e.source.name is None], lambda each: each.name)
    for own in systems.values():
        keys = _differing_settings(own)
        if len(_grouped(own, lambda each: (each.log.task, each.source))) < len(own):
            # Of one model alone, its ways of sampling are compared.
            ignored = (_SEEDS, _SAMPLING) if len(systems) > 1 else (_SEEDS,)
            keys = [key for key in keys if not any(kind.fullmatch(key) for kind in ignored)]
        for each in own:
            each.name = _name_with(each, keys)
    for each in loaded:
        each.name = each.source.name or each.name


def _name_with(each: _LoadedLog, keys: Sequence[str]) -> str:
    parts = [f"{key}={each.log.settings.get(key, 'none')}" for key in keys]
    return f"{each.name} ({', '.join(parts)})" if parts else each.name


def _differing_settings(loaded: Iterable[_LoadedLog]) -> list[str]:
    """Return the settings in which logs of one system and task differ."""
    differing: dict[str, None] = {}
    for own in _grouped(loaded, lambda each: (each.name, each.log.task)).values():
        settings = [each.log.settings for each in own]
        keys = dict.fromkeys(key for held in settings for key in held)
        differing |= dict.fromkeys(key for key in keys if len({h.get(key) for h in settings}) > 1)
    return list(differing)


def _unnamed_systems(loaded: Sequence[_LoadedLog]) -> dict[tuple[str, str], str]:
    """Return what systems are called whose logs name none, by argument and file.

    A file is called by its name. A folder is one system, called by its name, unless it holds
    several files of a task: each of them is then a system by its file's name, or where these are
    alike by that of its folder.
    """
    names = {(each.path, each.log.path): default_name(each.path) for each in loaded}
    unnamed = [each for each in loaded if not each.log.system and os.path.isdir(each.path)]
    for folder, own in _grouped(unnamed, lambda each: each.path).items():
        whole = encodable(Path(folder).resolve().name)
        runs = {(each.log.task, each.log.path) for each in own}
        for naming in (lambda _: "", os.path.basename, os.path.dirname, str):
            called = {path: encodable(naming(_stem(path, folder))) or whole for _, path in runs}
            if len({(called[path], task) for task, path in runs}) == len(runs):
                break
        names.update({(folder, path): name for path, name in called.items()})
    return names


def _stem(path: str, folder: str) -> str:
    """Return a path within a folder, without suffix."""
    return os.path.relpath(os.path.join(os.path.dirname(path), default_name(path)), folder)


def _check_one_system(loaded: Sequence[_LoadedLog]) -> None:
    """Refuse one name for several systems of a path, of which settings differ within a file."""
    names: dict[str, None] = {}
    for own in _grouped(loaded, lambda each: each.log.path).values():
        names |= dict.fromkeys(_name_with(each, _differing_settings(own)) for each in own)
    if len(names) > 1:
        raise UsageError(
            f"{shown(loaded[0].path)}: this holds the systems {listed(tuple(names))}; "
            f"give it without {loaded[0].source.name}="
        )


def _name_by_place(loaded: Sequence[_LoadedLog]) -> None:
    """Add the name of the file or folder to that of a system that several arguments have."""
    places: dict[_LoadedLog, str] = {}
    for own in _grouped(loaded, lambda each: (each.name, each.log.task)).values():
        sources = {each.source: _place_name(each.path) for each in own}
        if len(sources) == len(set(sources.values())) > 1 and not any(s.name for s in sources):
            places |= {each: sources[each.source] for each in loaded if each.source in sources
                       and each.name == own[0].name}  # fmt: skip
    for each, place in places.items():
        each.name = f"{each.name} ({place})"


def _place_name(path: str) -> str:
    place = Path(path).resolve()
    return encodable(place.name) if place.is_dir() else default_name(path)


def _merged_notice(merged: Mapping[str, Sequence[_LoadedLog]]) -> Notice:
    """Return that several logs are runs of one system, and how to keep them apart."""
    keys = _differing_settings(next(iter(merged.values())))
    numbers = ", ".join(f"{len(own)} of {system}" for system, own in merged.items())
    why = f"differ in {listed(keys)} alone" if keys else "differ in their date alone"
    text = (
        f"Logs that {why} were taken as runs of one system ({numbers}); to compare them with each "
        "other, give each a name: A=LOG B=LOG."
    )
    return Notice("merged-runs", text, tuple(merged))
