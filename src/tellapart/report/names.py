"""Names as reports show them: without what all of them begin and end with.

`meadow/eval-2026-birch-v2-final` and `meadow/eval-2026-cedar-v2-final` are shown as `birch` and
`cedar`, and one line says what was left out. Records and tables for programs have the whole names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar, cast

from tellapart.comparison.record import Comparison
from tellapart.report.text import common_start

Value = TypeVar("Value")
MAX_FULL_NAMES: Final = 5
"""Systems that keep their whole names: so few are better known by them"""
LEAST_SHARED: Final = 8
"""Letters that must be shared before anything is left out"""

_NAMING: Final = {
    "Comparison": "systems pairs groups letters ranks answers notices baseline runs slices suite "
    "costs preferences judged",
    "System": "name",
    "Pair": "a b favours",
    "Slice": "a b",
    "Answer": "about shown",
    "Notice": "about numbers",
    "RunsInfo": "runs",
    "Task": "scores",
    "SuiteTable": "tasks",
    "CostRatio": "a b cheaper",
    "Saving": "system than",
    "Costs": "ratios savings dominated",
    "HeadToHead": "a b",
    "Preferences": "head_to_head reference cycles place_or_system",
    "JudgedSystem": "name",
    "JudgedPair": "a b judge_favours favoured",
    "Judged": "systems pairs",
    "Details": "planes pairs",
    "Plane": "points groups letters",
    "PlanePoint": "system",
    "PairDetails": "reasons",
    "Reasons": "a b",
}
"""The fields of each record that name systems, themselves or in other records"""
_BY_OTHERS: Final = ("Comparison", "Notice")
"""Whose own dictionaries are by metric or code, although a system may have the name of one"""


@dataclass(frozen=True, slots=True)
class DisplayNames:
    """What systems are called in a report."""

    shown: Mapping[str, str]
    """By their whole names; empty if these are shown"""
    head: str = ""
    tail: str = ""
    """What the whole names begin and end with, beside what is shown"""

    @property
    def words(self) -> str:
        """A sentence on what was left out; empty if nothing was."""
        parts = [("begins with", self.head), ("ends with", self.tail)]
        told = " and ".join(f"{verb} {part}" for verb, part in parts if part)
        return f"Every system's whole name {told}." if told else ""

    def applied(self, record: Comparison) -> Comparison:
        """Return a record with all names of systems as they are shown."""
        if not self.shown:
            return record
        names = dict(self.shown)
        for pair in record.pairs:  # which answers and notices name, too
            for a, b in ((pair.a, pair.b), (pair.b, pair.a)):
                whole, short = f"{a} - {b}", f"{names[a]} - {names[b]}"
                names |= {whole: short, f"{whole}, {pair.metric}": f"{short}, {pair.metric}"}
        return renamed(record, names)


def renamed(value: Value, names: Mapping[str, str]) -> Value:
    """Return a record, or what it holds, with names of systems replaced."""
    return cast(Value, _renamed(value, names))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple | list):
        return type(value)([_renamed(each, names) for each in value])
    if isinstance(value, dict):  # letters are no names
        return {
            names.get(key, key): content if isinstance(content, str) else _renamed(content, names)
            for key, content in value.items()
        }
    kind = type(value).__name__
    changed = {}
    for field in _NAMING.get(kind, "").split():
        content = getattr(value, field)
        if kind in _BY_OTHERS and isinstance(content, dict):
            changed[field] = {key: _renamed(own, names) for key, own in content.items()}
        else:
            changed[field] = _renamed(content, names)
    return replace(value, **changed) if changed else value


def display_names(record: Comparison) -> DisplayNames:
    """Return what systems are called in a report of a comparison."""
    return shortened_names([system.name for system in record.systems])


def shortened_names(names: Sequence[str]) -> DisplayNames:
    """Return names without what all of them begin and end with, whole words alone.

    >>> names = [f"lab/eval-2026-{tree}-final" for tree in ("alder", "birch", "cedar", "oak")]
    >>> shortened_names([*names, "lab/eval-2026-fir-final", "lab/eval-2026-elm-final"]).words
    "Every system's whole name begins with lab/eval-2026- and ends with -final."
    """
    if len(names) <= MAX_FULL_NAMES:
        return DisplayNames({})
    head = _shared(names)
    tail = _shared([name[head:][::-1] for name in names])
    shown = {name: name[head : len(name) - tail] for name in names}
    while head and not all(any(map(str.isalpha, short)) for short in shown.values()):
        head = _before_word(names[0][:head])  # tree-07 is a name, 07 is none
        shown = {name: name[head : len(name) - tail] for name in names}
    if head + tail < LEAST_SHARED:
        return DisplayNames({})
    first = names[0]
    return DisplayNames(shown, first[:head], first[len(first) - tail :])


def _shared(names: Sequence[str]) -> int:
    """Return the length of what all names begin with, up to its last mark; something is left."""
    return _before_word(names[0][: common_start(names)] + "x")


def _before_word(text: str) -> int:
    """Return where the last word of a text begins, with any marks after it.

    >>> _before_word("lab/eval-20"), _before_word("lab/eval-")
    (9, 4)
    """
    return len(re.sub(r"[^\W_]+[\W_]*$", "", text))
