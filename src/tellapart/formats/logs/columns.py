"""Which values of logs are compared, by which names, and how those of several tasks are joined.

Of one task, all values are columns. Of several, the column is made of the value that the harness
reports first for each, unless values are named.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from tellapart.errors import DataError, Notice, UsageError
from tellapart.formats.logs.log import Harness, Key, Log
from tellapart.words import listed, nearest

MAIN: Final = "main score"
"""What the column is called that is made of a different value for each task"""
_LISTED: Final = 6

Column: TypeAlias = Mapping[str, Key]
"""By task, the value that it has for the column"""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The columns to make: by name, the value that each task has for it."""

    columns: Mapping[str, Column]
    lower: tuple[str, ...] = ()
    """Columns of which less is better, as the logs say"""
    scores: Mapping[str, str] = field(default_factory=dict)
    """What the main score of each task is called, where these differ"""
    notices: tuple[Notice, ...] = ()


class _Tasks:
    """The values of each task, those that are numbers first."""

    def __init__(self, logs: Sequence[Log], harness: Harness) -> None:
        self.harness = harness
        self.logs: dict[str, list[Log]] = {}
        for log in logs:
            self.logs.setdefault(log.task, []).append(log)
        self.keys = {
            task: list(dict.fromkeys(key for log in own for key in log.value_keys()))
            for task, own in self.logs.items()
        }
        self.faults = {key: fault for log in logs[::-1] for key, fault in log.faults.items()}
        self.mains = {task: self._main(task) for task in self.logs if self.keys[task]}
        self.every = list(dict.fromkeys(key for keys in self.keys.values() for key in keys))
        self.names = dict(zip(self.every, self.short(self.every), strict=True))

    def _main(self, task: str) -> Key:
        """Return the value that the harness reports first for a task."""
        named = (log.main for log in self.logs[task] if log.main in self.keys[task])
        return next(named, None) or self.keys[task][0]

    def short(self, keys: Sequence[Key]) -> list[str]:
        """Return the names to print: the plain part where it is unique and no number, or all."""
        plain = [key[self.harness.plain] for key in keys]
        return [
            name if plain.count(name) == 1 and not name.isdigit() else self.whole(key)
            for name, key in zip(plain, keys, strict=True)
        ]

    def whole(self, key: Key) -> str:
        """Return the full name of a value."""
        return self.harness.separator.join(key)

    def called(self, name: str, task: str) -> list[Key]:
        """Return the values of a task that may be called so, by the surest names that any has."""
        keys = dict.fromkeys((*self.keys[task], *self.faults))
        for names in (self.whole, lambda key: key[self.harness.plain], lambda key: key[-1]):
            fitting = [key for key in keys if name == names(key)]
            if fitting:
                return fitting
        return []

    def less(self, column: Column) -> bool:
        """Return whether less is better, as logs say."""
        return any(key in log.lower for task, key in column.items() for log in self.logs[task])

    def groups(self) -> dict[str, list[str]]:
        """Return the tasks that a task's or a group's name stands for."""
        groups: dict[str, list[str]] = {task: [task] for task in self.logs}
        for task, own in self.logs.items():
            for group in dict.fromkeys(log.group for log in own if log.group not in self.logs):
                if group:
                    groups.setdefault(group, []).append(task)
        return groups


def choose_columns(
    logs: Sequence[Log], wanted: Sequence[str], harness: Harness, costs: Sequence[str]
) -> Chosen:
    """Return the values to compare: those that are named, else all of one task, or the main ones.

    A name is that of a value (of all tasks that have it) or `TASK/VALUE`; a group stands for its
    tasks. Costs that are named are compared beside either.
    """
    tasks = _Tasks(logs, harness)
    if not tasks.every:
        raise DataError(next(iter(tasks.faults.values()), "no item of these logs has a score"))
    if wanted:
        chosen = _named_columns(tasks, tuple(dict.fromkeys((*wanted, *costs))))
    else:
        chosen = _columns_of_task(tasks) if len(tasks.logs) == 1 else _main_column(tasks)
        spent = _named_columns(tasks, [name for name in costs if name in tasks.names.values()])
        columns = {**chosen.columns, **spent.columns}
        notices = (*chosen.notices, *_not_compared(tasks, columns.values()))
        chosen = replace(chosen, columns=columns, notices=notices)
    for key in (key for column in chosen.columns.values() for key in column.values()):
        if key in tasks.faults:
            raise DataError(tasks.faults[key])
    lower = tuple(name for name, column in chosen.columns.items() if tasks.less(column))
    return replace(chosen, lower=lower)


def _not_compared(tasks: _Tasks, columns: Iterable[Column]) -> Iterator[Notice]:
    """Yield a notice of the values that are there and were not taken."""
    compared = {key for column in columns for key in column.values()}
    others = [tasks.names[key] for key in tasks.every if key not in compared]
    if others:
        where = " on the tasks that have it, --metric TASK/NAME one task alone"
        text = f"Not in the verdict: {listed(others, _LISTED)}; --metric {shlex.quote(others[0])} "
        text += f"compares it{where if len(tasks.logs) > 1 else ''}."
        yield Notice("not-compared", text, tuple(others))


def _columns_of_task(tasks: _Tasks) -> Chosen:
    """Return all values of the only task but times and costs, and what is no number."""
    (task, logs), *_ = tasks.logs.items()
    costs = {key for log in logs for key in log.costs}
    keys = [key for key in tasks.every if key not in costs] or tasks.every
    notices = []
    others = [key for key in tasks.faults if key not in tasks.every]
    if others:
        names = tasks.short([*keys, *others])[len(keys) :]
        text = f"Left out, being no numbers: {listed(names, _LISTED)}."
        notices.append(Notice("not-numbers", text, tuple(names)))
    columns = {tasks.names[key]: {task: key} for key in keys}
    return Chosen(columns, notices=tuple(notices))


def _main_column(tasks: _Tasks) -> Chosen:
    """Return the one column of the main scores, and what is not in it."""
    from tellapart.metrics.registry import counts_errors

    mains = tasks.mains
    if len(set(mains.values())) > 1:  # a score that is no mean over items cannot be averaged
        mains = {
            task: means[0]
            for task, main in mains.items()
            if (means := [key for key in (main, *tasks.keys[task])
                          if not any(key in log.perplexities for log in tasks.logs[task])])
        }  # fmt: skip
    less = {t: tasks.less({t: key}) or counts_errors("/".join(key)) for t, key in mains.items()}
    lower = all(less.values())
    chosen = {task: key for task, key in mains.items() if lower or not less[task]}
    alike = len(set(chosen.values())) == 1
    name = tasks.names[next(iter(chosen.values()))] if alike else MAIN
    scores = {} if alike else {task: tasks.names[key] for task, key in chosen.items()}
    notices = []
    if not alike:
        by_name: dict[str, list[str]] = {}
        for task, score in scores.items():
            by_name.setdefault(score, []).append(task)
        parts = [f"{score} of {listed(own, _LISTED)}" for score, own in by_name.items()]
        text = f"The tasks have different scores; the {MAIN} is {'; '.join(parts)}."
        notices.append(Notice("main-scores", text, tuple(scores)))
    left = [task for task in tasks.logs if task not in chosen]
    if left:
        text = "Not in the verdict, having no score to average with others"
        scored = [f"{t}/{tasks.names[tasks.mains[t]]}" for t in left if t in tasks.mains]
        remedy = f"; --metric {shlex.quote(scored[0])} compares that one" if scored else ""
        text = f"{text}: {listed(left, _LISTED)}{remedy}."
        notices.append(Notice("task-left-out", text, tuple(left)))
    return Chosen({name: chosen}, scores=scores, notices=tuple(notices))


def _named_columns(tasks: _Tasks, wanted: Sequence[str]) -> Chosen:
    """Return the columns of names, and which value a name of several was taken for."""
    groups, columns = tasks.groups(), dict[str, Column]()
    notices: list[Notice] = []
    for name in _rejoined(wanted, tasks):
        group = next(
            (g for g in sorted(groups, key=len)[::-1] if g and name.startswith(f"{g}/")), None
        )
        value = name if group is None else name.removeprefix(f"{group}/")
        members = list(tasks.keys) if group is None else groups[group]
        column = dict(tasks.mains) if name == MAIN else _named(value, members, tasks, notices)
        columns[value if len(tasks.logs) == 1 else name] = column
    return Chosen(columns, notices=tuple(notices))


def _rejoined(wanted: Sequence[str], tasks: _Tasks) -> list[str]:
    """Return names, of which `acc` and `none` are one: lm-eval writes `acc,none`, which was split.

    Before a name may stand one of the tasks.
    """
    separator = tasks.harness.separator
    parts = {(tasks.whole(key[:-1]), key[-1]) for key in (*tasks.every, *tasks.faults)}
    names: list[str] = []
    for name in wanted:
        if names and (names[-1].rpartition("/")[2], name) in parts:
            names[-1] += f"{separator}{name}"
        else:
            names.append(name)
    return names


def _named(name: str, members: Sequence[str], tasks: _Tasks, notices: list[Notice]) -> Column:
    """Return the value of a name in each task that has it; the main one, if it could be several."""
    column: dict[str, Key] = {}
    unclear: list[Key] = []
    for task in members:
        keys = tasks.called(name, task)
        main = tasks.mains.get(task)
        if len(keys) == 1:
            column[task] = keys[0]
        elif main in keys and len(tasks.logs) > 1:
            column[task] = main
            other = next(key for key in keys if key != main)
            full, else_named = tasks.whole(main), tasks.whole(other)
            text = f"{name} of {task} is {full}, which the harness reports first; --metric "
            text += f"{shlex.quote(else_named)} compares the other."
            notices.append(Notice("metric-chosen", text, (name,)))
        else:
            unclear += keys
    if not column and unclear:
        named = " or ".join(tasks.short(list(dict.fromkeys(unclear))))
        raise UsageError(f"{name!r} could be {named}; name one of these")
    if not column:
        known = dict.fromkeys(tasks.names[key] for task in members for key in tasks.keys[task])
        of_group = "" if len(members) == len(tasks.logs) else f" of {listed(members, _LISTED)}"
        raise UsageError(f"no value{of_group} is named {name!r}; {nearest(name, list(known))}")
    return column
