"""Names as reports show them: without what all of them begin and end with.

`meadow/eval-2026-birch-v2-final` and `meadow/eval-2026-cedar-v2-final` are shown as `birch` and
`cedar`, and one line says what was left out. Records and tables for programs have the whole names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final, TypeVar

from tellapart.comparison.items import ShownItem
from tellapart.comparison.record import Comparison
from tellapart.words import clean

MOST_WHOLE: Final = 5
"""Systems that keep their whole names: so few are better known by them"""
LEAST_SHARED: Final = 8
"""Letters that must be shared before anything is left out"""

_Tree = TypeVar("_Tree")


@dataclass(frozen=True, slots=True)
class DisplayNames:
    """What systems are called in a report."""

    shown: Mapping[str, str]
    """By their whole names; empty if these are shown"""
    head: str = ""
    tail: str = ""
    """What the whole names begin and end with, beside what is shown"""

    @property
    def whole(self) -> dict[str, str]:
        """The whole names, by what is shown of them."""
        return {short: name for name, short in self.shown.items()}

    @property
    def words(self) -> str:
        """A sentence on what was left out; empty if nothing was."""
        parts = [("begins with", self.head), ("ends with", self.tail)]
        told = " and ".join(f"{verb} {clean(part)}" for verb, part in parts if part)
        return f"Every system's whole name {told}." if told else ""

    def applied(self, value: _Tree) -> _Tree:
        """Return a record with all names of systems as they are shown, in sentences, too."""
        if not self.shown:
            return value
        # Longer names first: one may begin with another.
        ordered = sorted(self.shown, key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, ordered)))
        renamed: _Tree = _Renaming(self.shown, pattern, self.head or self.tail).of(value)
        return renamed


def display_names(result: Comparison) -> DisplayNames:
    """Return what systems are called in a report of a comparison."""
    return shortened_names([system.name for system in result.systems])


def shortened_names(names: Sequence[str]) -> DisplayNames:
    """Return names without what all of them begin and end with, whole words alone.

    >>> names = [f"lab/eval-2026-{tree}-final" for tree in ("alder", "birch", "cedar", "oak")]
    >>> shortened_names([*names, "lab/eval-2026-fir-final", "lab/eval-2026-elm-final"]).words
    "Every system's whole name begins with lab/eval-2026- and ends with -final."
    """
    if len(names) <= MOST_WHOLE:
        return DisplayNames({})
    head = _shared(names)
    tail = _shared([name[head:][::-1] for name in names])
    while head and not all(map(_tells, (name[head : len(name) - tail] for name in names))):
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


def _tells(name: str) -> bool:
    return any(letter.isalpha() for letter in name)


@dataclass(frozen=True, slots=True)
class _Renaming:
    """What replaces names in records, whatever they are made of."""

    names: Mapping[str, str]
    pattern: re.Pattern[str]
    hint: str
    """What every name holds"""

    def of(self, value: Any) -> Any:
        """Return a value with other names; the very value where it has none."""
        if isinstance(value, str):
            if self.hint not in value:
                return value
            return self.pattern.sub(lambda match: self.names[match[0]], value)
        if isinstance(value, tuple | list):
            found = [self.of(each) for each in value]
            same = all(new is old for new, old in zip(found, value, strict=True))
            return value if same else type(value)(found)
        if isinstance(value, dict):
            return {self.of(key): self.of(each) for key, each in value.items()}
        if isinstance(value, ShownItem) and value.view is not None:
            return replace(value, view=value.view.renamed(self.names))
        # What systems were asked and answered stays, and evidence is no part of a report.
        if is_dataclass(value) and not isinstance(value, type | ShownItem):
            old = {each.name: getattr(value, each.name) for each in fields(value)}
            new = {
                name: each if name == "evidence" else self.of(each) for name, each in old.items()
            }
            changes = {name: each for name, each in new.items() if each is not old[name]}
            return replace(value, **changes) if changes else value
        return value
