"""What the values of logs are called: short where that is clear, and found by any clear name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tellapart.errors import DataError, Notice, UsageError
from tellapart.formats.logs.log import Key, Log
from tellapart.words import listed, nearest, typed

Columns: TypeAlias = dict[str, Key]
"""The columns to make, by their names"""


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a harness names its values."""

    short: Callable[[Sequence[Key]], list[str]]
    """The names to print, one for each value"""
    levels: Callable[[Key], list[set[str]]]
    """What a value may be called, the surest names first"""
    group: Callable[[Key], str]
    """A name that stands for several values: a scorer, or a task"""


def _plainest(keys: Sequence[Key]) -> list[str]:
    """Return the last part of each key where that is unique and no number, else all parts."""
    times = Counter(key[-1] for key in keys)
    return [
        key[-1]
        if len(key) == 1 or (times[key[-1]] == 1 and not key[-1].isdigit())
        else ".".join(key)
        for key in keys
    ]


DOTTED: Final = Spelling(_plainest, lambda key: [{".".join(key)}, {key[-1]}], lambda key: key[0])
"""Names of most harnesses: the metric, or `scorer.key` where the key alone is not unique"""


def choose_columns(
    logs: Sequence[Log], wanted: Sequence[str] | None, spelling: Spelling
) -> tuple[Columns, tuple[Notice, ...]]:
    """Return the values to compare, and notices of those that are not.

    What is nowhere a number is left out unless it is named, and so are times and costs.
    """
    wanted = [wanted] if isinstance(wanted, str) else wanted
    numbers = dict.fromkeys(key for log in logs for key in log.value_keys())
    faults: dict[Key, str] = {}
    for log in logs:
        faults = {**log.faults, **faults}
    costs = [key for key in numbers if any(key in log.costs for log in logs)]
    if not wanted and len(costs) < len(numbers):
        numbers = {key: None for key in numbers if key not in costs}
    known = {**numbers, **dict.fromkeys(faults)} if wanted or not numbers else numbers
    columns = find_columns(wanted, known, spelling)
    for key in columns.values():
        if key in faults:
            raise DataError(faults[key])
    others = [key for key in faults if key not in numbers]
    notices = []
    if others and not wanted:
        names = spelling.short([*numbers, *others])[len(numbers) :]
        text = f"Left out, being no numbers: {listed(names, 6)}."
        notices.append(Notice("not-numbers", text, tuple(names)))
    spared = [key for key in costs if key not in numbers]
    if spared:
        names = spelling.short([*numbers, *spared])[len(numbers) :]
        text = f"Not in the verdict: {listed(names, 6)}; --metric {typed(names[0])} compares it."
        notices.append(Notice("not-compared", text, tuple(names)))
    return columns, tuple(notices)


def find_columns(wanted: Sequence[str] | None, keys: Iterable[Key], spelling: Spelling) -> Columns:
    """Return the values that are wanted, under the names they are wanted by; all if none is.

    >>> from tellapart.formats.logs.lm_eval import SPELLING
    >>> keys = [("acc", "none"), ("acc_norm", "none")]
    >>> find_columns(None, keys, SPELLING)
    {'acc': ('acc', 'none'), 'acc_norm': ('acc_norm', 'none')}
    >>> find_columns(["acc,none"], keys, SPELLING)
    {'acc,none': ('acc', 'none')}
    """
    known = list(keys)
    if not wanted:
        return _named(known, spelling)
    columns: Columns = {}
    for name in rejoined(wanted, known, spelling):
        columns.update(_found(name, known, spelling))
    return columns


def _named(keys: Sequence[Key], spelling: Spelling) -> Columns:
    names = spelling.short(keys)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise DataError(f"two values would be called {twice[0]!r}; rename a scorer in the logs")
    return dict(zip(names, keys, strict=True))


def _found(name: str, keys: Sequence[Key], spelling: Spelling) -> Columns:
    """Return the values of one name: an only one, or all of a group."""
    depth = max(len(spelling.levels(key)) for key in keys)
    for level in range(depth):
        fitting = [key for key in keys if name in _level(key, level, spelling)]
        if len(fitting) > 1:
            names = " or ".join(_named(fitting, spelling))
            raise UsageError(f"{name!r} could be {names}; name one of these")
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


def rejoined(
    wanted: Sequence[str], keys: Sequence[Key], spelling: Spelling, tasks: Sequence[str] = ()
) -> list[str]:
    """Return names with `acc` and `none` joined again, where `acc,none` was split as if two.

    Before a name may stand one of the tasks.
    """
    known = {name for key in keys for names in spelling.levels(key) for name in names}
    known.update([f"{task}/{name}" for task in tasks for name in known])
    names: list[str] = []
    for name in wanted:
        if names and name not in names and f"{names[-1]},{name}" in known:
            names[-1] += f",{name}"
        else:
            names.append(name)
    return names
