"""The tasks of a suite: which value of each is compared, and how they are summed up to one score.

A metric that all tasks have is one column. Where tasks have different ones, the column is made of
the value that the harness reports first for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

import numpy as np

from tellapart.counts.suites import TASK, Block, Suite
from tellapart.errors import DataError, Notice, UsageError
from tellapart.formats.logs.log import Key, Log, Sample
from tellapart.formats.logs.metric_names import Spelling, find_columns, rejoined
from tellapart.metrics.registry import counts_errors
from tellapart.words import listed, nearest, several, typed

MAIN: Final = "main score"
"""What the column is called that is made of a different value for each task"""
GROUP: Final = "group"
_LISTED: Final = 6


@dataclass(frozen=True, slots=True)
class TaskColumns:
    """The columns of a suite: by name, the value that each task has for it."""

    columns: Mapping[str, Mapping[str, Key]]
    lower: tuple[str, ...] = ()
    """Columns of which less is better, as the logs say"""
    scores: Mapping[str, str] = field(default_factory=dict)
    """What the main score of each task is called, where these differ"""
    notices: tuple[Notice, ...] = ()


def tasks_of(logs: Sequence[Log]) -> dict[str, list[Log]]:
    """Return the logs of each task, in order of first appearance."""
    found: dict[str, list[Log]] = {}
    for log in logs:
        found.setdefault(log.task, []).append(log)
    return found


def choose_task_columns(
    logs: Sequence[Log], wanted: Sequence[str] | None, spelling: Spelling
) -> TaskColumns:
    """Return the values of tasks to compare: the main one of each, or those that are named.

    A name is that of a value (of all tasks that have it), `TASK/VALUE`, or a task; a group stands
    for its tasks.
    """
    tasks = tasks_of(logs)
    keys = {task: _keys(some) for task, some in tasks.items()}
    if not any(keys.values()):
        faults = [fault for log in logs for fault in log.faults.values()]
        raise DataError(faults[0] if faults else "no item of these logs has a score")
    mains = {task: _main(some, keys[task]) for task, some in tasks.items() if keys[task]}
    if not wanted:
        return _main_columns(tasks, keys, mains, spelling)
    columns: dict[str, dict[str, Key]] = {}
    every = list(dict.fromkeys(key for some in keys.values() for key in some))
    groups: dict[str, list[str]] = {task: [task] for task in tasks}
    for task, some in tasks.items():
        for group in dict.fromkeys(log.group for log in some if log.group not in ("", *tasks)):
            groups.setdefault(group, []).append(task)
    for name in rejoined(wanted, every, spelling, tuple(groups)):
        for column, by_task in _named(name, keys, mains, groups, spelling).items():
            columns.setdefault(column, {}).update(by_task)
    return TaskColumns(columns, tuple(n for n, some in columns.items() if _less(tasks, some)))


def _keys(logs: Sequence[Log]) -> list[Key]:
    """Return the values that a task has for any system, those that are numbers first."""
    return list(dict.fromkeys(key for log in logs for key in log.value_keys()))


def _main(logs: Sequence[Log], keys: Sequence[Key]) -> Key:
    """Return the value that the harness reports first for a task."""
    named = (log.main for log in logs if log.main is not None and log.main in keys)
    return next(named, keys[0])


def _means(logs: Sequence[Log], keys: Sequence[Key]) -> list[Key]:
    """Return the values that are means over items, and can be summed up with those of others."""
    return [key for key in keys if not any(key in log.aggregates for log in logs)]


def _less(tasks: Mapping[str, Sequence[Log]], column: Mapping[str, Key]) -> bool:
    return any(key in log.lower for task, key in column.items() for log in tasks[task])


def _main_columns(
    tasks: Mapping[str, Sequence[Log]],
    keys: Mapping[str, Sequence[Key]],
    mains: Mapping[str, Key],
    spelling: Spelling,
) -> TaskColumns:
    """Return the one column of the main scores, and what is not in it."""
    if len(set(mains.values())) > 1:
        mains = {
            task: plain[0]
            for task, main in mains.items()
            if (plain := _means(tasks[task], [main, *keys[task]]))
        }
    less = {t: _less(tasks, {t: key}) or counts_errors("/".join(key)) for t, key in mains.items()}
    lower = all(less.values())
    chosen = {task: key for task, key in mains.items() if lower or not less[task]}
    every = list(dict.fromkeys(key for some in keys.values() for key in some))
    names = dict(zip(every, spelling.short(every), strict=True))
    alike = len(set(chosen.values())) == 1
    name = names[next(iter(chosen.values()))] if alike else MAIN
    scores = {} if alike else {task: names[key] for task, key in chosen.items()}
    notices = []
    if not alike:
        by_name: dict[str, list[str]] = {}
        for task, each in scores.items():
            by_name.setdefault(each, []).append(task)
        parts = [f"{each} of {listed(some, _LISTED)}" for each, some in by_name.items()]
        text = f"The tasks have different scores; the {MAIN} is {'; '.join(parts)}."
        notices.append(Notice("main-scores", text, tuple(scores)))
    left = [task for task in tasks if task not in chosen]
    if left:
        text = f"Not in the verdict, having no score: {listed(left, _LISTED)}."
        if left[0] not in mains and keys[left[0]]:
            text = (
                f"Not in the verdict, having no scores of items: {listed(left, _LISTED)}; --metric "
                f"{left[0]}/{names[keys[left[0]][0]]} compares that one."
            )
        elif left[0] in mains:
            text = (
                "Not in the verdict, since less is better there and more elsewhere: "
                f"{listed(left, _LISTED)}; --metric "
                f"{typed(f'{left[0]}/{names[mains[left[0]]]}')} compares "
                "that one."
            )
        notices.append(Notice("task-left-out", text, tuple(left)))
    others = list(dict.fromkeys(
        names[key]
        for task, some in keys.items()
        for key in some
        if chosen.get(task) != key and task in chosen
    ))  # fmt: skip
    if others:
        text = (
            f"Not in the verdict: {listed(others, _LISTED)}; --metric {typed(others[0])} "
            "compares it on the tasks that have it, --metric TASK/NAME one task alone."
        )
        notices.append(Notice("not-compared", text, tuple(others)))
    return TaskColumns(
        {name: chosen}, (name,) if lower and _less(tasks, chosen) else (), scores, tuple(notices)
    )


def _named(
    name: str,
    keys: Mapping[str, Sequence[Key]],
    mains: Mapping[str, Key],
    groups: Mapping[str, Sequence[str]],
    spelling: Spelling,
) -> dict[str, dict[str, Key]]:
    """Return the columns of one name; `groups` are the tasks that a name before the value is of."""
    if name == MAIN:
        return {name: dict(mains)}
    columns: dict[str, dict[str, Key]] = {}
    if name in groups:
        for task in groups[name]:
            for value, key in find_columns(None, keys[task], spelling).items():
                columns.setdefault(f"{name}/{value}", {})[task] = key
        return columns
    group = next((g for g in sorted(groups, key=len)[::-1] if name.startswith(f"{g}/")), None)
    value = name if group is None else name.removeprefix(f"{group}/")
    refusals: list[UsageError] = []
    for task in keys if group is None else groups[group]:
        try:
            found = _of_task(value, task, keys, mains, spelling)
        except UsageError as problem:
            refusals.append(problem)
            continue
        for column, key in found.items():
            columns.setdefault(column if group is None else f"{group}/{column}", {})[task] = key
    if columns:
        return columns
    if group is not None:
        raise refusals[0]
    every = list(dict.fromkeys(key for some in keys.values() for key in some))
    if any("could be" in str(problem) for problem in refusals):
        raise refusals[0]
    known = [*spelling.short(every), *groups]
    raise UsageError(f"no value is named {name!r}; {nearest(name, known)}")


def _of_task(
    name: str,
    task: str,
    keys: Mapping[str, Sequence[Key]],
    mains: Mapping[str, Key],
    spelling: Spelling,
) -> dict[str, Key]:
    """Return the values of one task that a name stands for; of several, the main one if it does."""
    try:
        return find_columns([name], keys[task], spelling)
    except UsageError:
        main = mains.get(task)
        if main is not None and any(name in names for names in spelling.levels(main)):
            return {name: main}
        raise


def with_tasks(systems: Mapping[str, Sequence[Log]], chosen: TaskColumns) -> dict[str, list[Log]]:
    """Return logs of which items are `task/item` and values the columns; others are left out."""
    return {
        name: [found for log in logs if (found := _of_columns(log, chosen)).samples]
        for name, logs in systems.items()
    }


def _of_columns(log: Log, chosen: TaskColumns) -> Log:
    labels = {TASK: log.task, **({GROUP: log.group} if log.group else {})}
    keys: dict[Key, Key] = {
        (name,): some[log.task] for name, some in chosen.columns.items() if log.task in some
    }
    if not keys:
        return replace(log, samples=())
    aggregates = {new: log.aggregates[key] for new, key in keys.items() if key in log.aggregates}
    wanted = {new: key for new, key in keys.items() if new not in aggregates}
    wanted.update(
        ((*new, part), (*keys[new], part))
        for new, each in aggregates.items()
        for part in each.parts
    )

    def of_task(sample: Sample) -> Sample:
        values = {new: sample.values[key] for new, key in wanted.items() if key in sample.values}
        item = f"{log.task}/{sample.item}"
        return replace(sample, item=item, values=values, labels={**sample.labels, **labels})

    return replace(
        log,
        samples=tuple(map(of_task, log.samples)),
        order=tuple(f"{log.task}/{item}" for item in log.order),
        faults={new: log.faults[key] for new, key in keys.items() if key in log.faults},
        lower=tuple((name,) for name in chosen.lower),
        aggregates=aggregates,
    )


def with_common_tasks(
    systems: Mapping[str, Sequence[Log]], missing: str
) -> tuple[dict[str, list[Log]], list[Notice]]:
    """Return the logs that count where systems lack whole tasks, and what is left out.

    Tasks that not every system has are refused, or dropped if items without a partner are to be.
    """
    tasks = dict.fromkeys(log.task for logs in systems.values() for log in logs)
    lacking = {
        name: [task for task in tasks if task not in {log.task for log in logs}]
        for name, logs in systems.items()
    }
    every = {name: list(logs) for name, logs in systems.items()}
    dropped = [task for task in tasks if any(task in some for some in lacking.values())]
    if not dropped or missing not in ("error", "drop"):
        return every, []
    common = len(tasks) - len(dropped)
    if missing == "error" or not common:
        remedy = (
            f"--missing drop compares the {several(common, 'task')} that all have"
            if common
            else "the systems have no task in common"
        )
        name, some = next((name, some) for name, some in lacking.items() if some)
        raise DataError(
            f"{name} has no log of {listed(some, _LISTED)}, which others have; {remedy}"
        )
    who = [name for name, some in lacking.items() if some]
    items = {
        (log.task, sample.item)
        for logs in systems.values()
        for log in logs
        if log.task in dropped
        for sample in log.samples
    }
    text = (
        f"Dropped for all systems: {listed(dropped, _LISTED)} ({several(len(items), 'item')}), "
        f"not having been run by {listed(who, _LISTED)}."
    )
    kept = {name: [log for log in logs if log.task not in dropped] for name, logs in every.items()}
    return kept, [Notice("task-left-out", text, tuple(dropped))]


def suite_of(
    systems: Mapping[str, Sequence[Log]],
    tasks: Sequence[str],
    weights: str,
    scores: Mapping[str, str],
) -> Suite:
    """Return how the tasks are summed up; `tasks` has the one of every item.

    By ``groups``, a group of tasks counts as much as a task of none; within it, items or tasks
    count the same, as the harness has it.
    """
    logs = {log.task: log for some in systems.values() for log in some}
    blocks = _blocks({task: logs[task] for task in dict.fromkeys(tasks)}, weights)
    place = {block: k for k, block in enumerate(dict.fromkeys(blocks.values()))}
    codes = np.array([place[blocks[task]] for task in tasks], np.int64)
    return Suite(tuple(place), codes, TASK, scores=dict(scores))


def _blocks(logs: Mapping[str, Log], weights: str) -> dict[str, Block]:
    """Return the block that each task is in."""
    if weights == "items":
        return dict.fromkeys(logs, Block("", len(logs)))
    if weights == "tasks":
        return {task: Block(task) for task in logs}
    members: dict[str, list[str]] = {}
    for task, log in logs.items():
        members.setdefault(log.group, []).append(task)
    found = {}
    for task, log in logs.items():
        number = len(members[log.group])
        if not log.group:
            found[task] = Block(task)
        elif log.group_weights == "items":
            found[task] = Block(log.group, number)
        else:
            found[task] = Block(task, share=Fraction(1, number))
    return found
