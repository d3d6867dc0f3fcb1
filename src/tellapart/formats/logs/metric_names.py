"""What the values of logs are called: short where that is clear, and found by any clear name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tellapart.errors import DataError, Notice, UsageError
from tellapart.formats.logs.samples import Key, Log
from tellapart.words import listed, nearest

Columns: TypeAlias = dict[str, Key]
"""The columns to make, by their names"""


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a format names its values."""

    short: Callable[[Sequence[Key]], list[str]]
    """The names to print, one for each value"""
    levels: Callable[[Key], list[set[str]]]
    """What a value may be called, the surest names first"""
    group: Callable[[Key], str]
    """A name that stands for several values: a scorer, or a task"""


def choose_columns(
    logs: Sequence[Log], asked: Sequence[str] | None, spelling: Spelling
) -> tuple[Columns, tuple[Notice, ...]]:
    """Choose the values to compare; those that are nowhere numbers are left out, and told."""
    asked = [asked] if isinstance(asked, str) else asked
    numbers = dict.fromkeys(key for log in logs for key in log.keys())  # noqa: SIM118  (no dict)
    faults: dict[Key, str] = {}
    for log in logs:
        faults = {**log.faults, **faults}
    known = {**numbers, **dict.fromkeys(faults)} if asked or not numbers else numbers
    columns = find_columns(asked, known, spelling)
    for key in columns.values():
        if key in faults:
            raise DataError(faults[key])
    others = [key for key in faults if key not in numbers]
    if asked or not others:
        return columns, ()
    names = spelling.short([*numbers, *others])[len(numbers) :]
    text = f"Left out, being no numbers: {listed(names, 6)}."
    return columns, (Notice("not-numbers", text, tuple(names)),)


def find_columns(asked: Sequence[str] | None, keys: Iterable[Key], spelling: Spelling) -> Columns:
    """Choose the values that were asked for, named as they were asked for; all if none was.

    >>> keys = [("pond", "acc", "none"), ("pond", "acc_norm", "none")]
    >>> find_columns(None, keys, LM_EVAL)
    {'acc': ('pond', 'acc', 'none'), 'acc_norm': ('pond', 'acc_norm', 'none')}
    >>> find_columns(["acc", "none"], keys, LM_EVAL)
    {'acc,none': ('pond', 'acc', 'none')}
    """
    known = list(keys)
    if not asked:
        return _named(known, spelling)
    columns: Columns = {}
    for name in _rejoined(asked, known, spelling):
        columns.update(_found(name, known, spelling))
    return columns


def _named(keys: Sequence[Key], spelling: Spelling) -> Columns:
    names = spelling.short(keys)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise DataError(f"two values would be called {twice[0]!r}; rename a scorer in the logs")
    return dict(zip(names, keys, strict=True))


def _found(name: str, keys: Sequence[Key], spelling: Spelling) -> Columns:
    """Find the values of one name: an only one, or all of a group."""
    depth = max(len(spelling.levels(key)) for key in keys)
    for level in range(depth):
        fitting = [key for key in keys if name in _level(key, level, spelling)]
        if len(fitting) > 1:
            told = " or ".join(_named(fitting, spelling))
            raise UsageError(f"{name!r} could be {told}; name one of these")
        if fitting:
            return {name: fitting[0]}
    members = [key for key in keys if spelling.group(key) == name]
    if members:
        return _named(members, spelling)
    if name == "mean" and len(keys) == 1:
        return {name: keys[0]}
    raise UsageError(f"no value is named {name!r}; {nearest(name, spelling.short(keys))}")


def _level(key: Key, level: int, spelling: Spelling) -> set[str]:
    levels = spelling.levels(key)
    return levels[level] if level < len(levels) else set()


def _rejoined(asked: Sequence[str], keys: Sequence[Key], spelling: Spelling) -> list[str]:
    """Put `acc` and `none` together again, where `acc,none` was split as if it were two names."""
    known = {name for key in keys for names in spelling.levels(key) for name in names}
    names: list[str] = []
    for name in asked:
        if names and name not in names and f"{names[-1]},{name}" in known:
            names[-1] += f",{name}"
        else:
            names.append(name)
    return names


def _inspect_short(keys: Sequence[Key]) -> list[str]:
    """Name a scorer's values: by the scorer, or by a key of its values where that is unique."""
    times = Counter(key[-1] for key in keys)
    return [
        key[-1]
        if len(key) == 1 or (times[key[-1]] == 1 and not key[-1].isdigit())
        else _dotted(key)
        for key in keys
    ]


def _dotted(key: Key) -> str:
    return ".".join(key)


def _inspect_levels(key: Key) -> list[set[str]]:
    return [{_dotted(key)}, {key[-1]}]


def _lm_eval_short(keys: Sequence[Key]) -> list[str]:
    """Name a metric, with its task and its filter where there are several of them."""
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


def _lm_eval_levels(key: Key) -> list[set[str]]:
    task, metric, filtered = key
    end = {f"{metric}/{filtered}", f"{metric},{filtered}"}
    return [{f"{task}/{name}" for name in end}, {f"{task}/{metric}"}, end, {metric}, {filtered}]


INSPECT = Spelling(_inspect_short, _inspect_levels, lambda key: key[0])
LM_EVAL = Spelling(_lm_eval_short, _lm_eval_levels, lambda key: key[0])
