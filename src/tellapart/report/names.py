"""Names as reports show them: without what all of them begin and end with.

`meadow/eval-2026-birch-v2-final` and `meadow/eval-2026-cedar-v2-final` are shown as `birch` and
`cedar`, and one line says what was left out. Records and tables for programs have the whole names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tellapart.comparison import record as records
from tellapart.comparison.record import Comparison

MAX_FULL_NAMES: Final = 5
"""Systems that keep their whole names: so few are better known by them"""
LEAST_SHARED: Final = 8
"""Letters that must be shared before anything is left out"""

_NAMING: Final[dict[type, tuple[str, ...]]] = {
    Comparison: (
        "systems", "pairs", "groups", "letters", "ranks", "answers", "notices", "baseline", "runs",
        "slices", "suite", "costs", "preferences", "judged",
    ),
    records.System: ("name",),
    records.Pair: ("a", "b", "favours"),
    records.Slice: ("a", "b"),
    records.Answer: ("about", "shown"),
    records.Notice: ("about", "numbers"),
    records.RunsInfo: ("runs",),
    records.Task: ("scores",),
    records.SuiteTable: ("tasks",),
    records.CostRatio: ("a", "b", "cheaper"),
    records.Saving: ("system", "than"),
    records.Costs: ("ratios", "savings", "dominated"),
    records.HeadToHead: ("a", "b"),
    records.Preferences: ("head_to_head", "reference", "cycles", "place_or_system"),
    records.JudgedSystem: ("name",),
    records.JudgedPair: ("a", "b", "judge_favours", "favoured"),
    records.Judged: ("systems", "pairs"),
}  # fmt: skip
"""Where records name systems, themselves or in other records"""
_BY_OTHERS: Final = ("groups", "letters", "ranks", "answers", "suite", "numbers")
"""Of these, the dictionaries by metric or code, although a system may have the name of one"""


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
                short = f"{names[a]} - {names[b]}"
                names |= {
                    f"{a} - {b}": short,
                    f"{a} - {b}, {pair.metric}": f"{short}, {pair.metric}",
                }
        renamed: Comparison = _renamed(record, names)
        return renamed


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple | list):
        return type(value)([_renamed(each, names) for each in value])
    if isinstance(value, dict):
        return {
            names.get(key, key): each if isinstance(each, str) else _renamed(each, names)
            for key, each in value.items()
        }
    if type(value) in _NAMING:
        fields = {name: getattr(value, name) for name in _NAMING[type(value)]}
        changed = {
            name: {key: _renamed(each, names) for key, each in content.items()}
            if name in _BY_OTHERS else _renamed(content, names)
            for name, content in fields.items()
        }  # fmt: skip
        return replace(value, **changed)
    return value


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
    while head and not all(map(_has_letter, (name[head : len(name) - tail] for name in names))):
        head = _before_word(names[0][:head])  # tree-07 is a name, 07 is none
    if head + tail < LEAST_SHARED:
        return DisplayNames({})
    first = names[0]
    shown = {name: name[head : len(name) - tail] for name in names}
    return DisplayNames(shown, first[:head], first[len(first) - tail :])


def _shared(names: Sequence[str]) -> int:
    """Return the length of what all names begin with, up to its last mark."""
    low, high = min(names), max(names)
    most = min(map(len, names)) - 1  # something must be left
    shared = 0
    while shared < most and low[shared] == high[shared]:
        shared += 1
    return _before_word(low[:shared] + "x")


def _before_word(text: str) -> int:
    """Return where the last word of a text begins, with any marks after it.

    >>> _before_word("lab/eval-20"), _before_word("lab/eval-")
    (9, 4)
    """
    return len(re.sub(r"[^\W_]+[\W_]*$", "", text))


def _has_letter(name: str) -> bool:
    return any(letter.isalpha() for letter in name)
