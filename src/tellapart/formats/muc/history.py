"""The history: what people decided about fills that did not match, and how they paired templates.

Histories are merged so that every system gets the benefit of a decision made for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from tellapart.formats.muc.values import (
    Value,
    equal,
    shown,
)

Status: TypeAlias = Literal["fail", "match", "partial"]
STATUSES: Final = ("fail", "match", "partial")
Place: TypeAlias = tuple[str, str, str]
"""Message, number of the key template, short name of the slot"""
Pairs: TypeAlias = tuple[tuple[str | None, str | None], ...]
"""Numbers of key and response templates; None for one without a partner"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision: a response value, its status, and the key values it was credited with."""

    response: Value
    status: Status
    keys: tuple[Value, ...] = ()


@dataclass(slots=True)
class History:
    """All decisions, in the order in which they were made, and the pairings done by hand.

    >>> from tellapart.formats.muc.slots import load_design
    >>> text, place = load_design().text, ("M1", "1", "hum-tgt-desc")
    >>> history = History()
    >>> history.record(place, Entry(text('"MEN"'), "match", (text('"PEASANTS"'),)))
    >>> history.find(place, text('"THE MEN"')).status
    'match'
    """

    entries: dict[str, dict[str, dict[str, list[Entry]]]] = field(default_factory=dict)
    pairings: dict[str, dict[str | None, Pairs]] = field(default_factory=dict)
    """Per message and system (None: any system)"""

    def at(self, place: Place) -> list[Entry]:
        """Return the entries for a slot of a key template."""
        message, number, slot = place
        return self.entries.get(message, {}).get(number, {}).get(slot, [])

    def find(self, place: Place, response: Value) -> Entry | None:
        """Return the first entry whose response value the given one is equal to."""
        for entry in self.at(place):
            if equal(response, entry.response):
                return entry
        return None

    def record(self, place: Place, entry: Entry) -> None:
        """Add an entry, or overwrite the one that its response value finds."""
        message, number, slot = place
        known = self.entries.setdefault(message, {}).setdefault(number, {}).setdefault(slot, [])
        for i, other in enumerate(known):
            if equal(entry.response, other.response):
                known[i] = Entry(other.response, entry.status, entry.keys)
                return
        known.append(entry)

    def forget(self, place: Place, response: Value) -> None:
        """Remove an entry, and what is empty without it."""
        message, number, slot = place
        entries = [each for each in self.at(place) if not equal(response, each.response)]
        self.entries[message][number][slot] = entries
        if not entries:
            del self.entries[message][number][slot]
        if not self.entries[message][number]:
            del self.entries[message][number]
        if not self.entries[message]:
            del self.entries[message]

    def forget_pairing(self, message: str, system: str) -> None:
        """Remove a pairing done by hand."""
        del self.pairings[message][system]
        if not self.pairings[message]:
            del self.pairings[message]

    def pairing(self, message: str, system: str) -> Pairs | None:
        """Return the pairing that was done by hand for a system, or for all."""
        stored = self.pairings.get(message, {})
        return stored.get(system, stored.get(None))

    def places(self) -> Iterator[Place]:
        """Yield all slots that have entries, in order."""
        for message, templates in self.entries.items():
            for number, slots in templates.items():
                for slot in slots:
                    yield message, number, slot


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two histories that disagree; what was there first is kept."""

    where: str
    kept: str
    other: str

    def __str__(self) -> str:
        return f"{self.where}: kept {self.kept}; the other history has {self.other}"


def merge(history: History, other: History) -> tuple[int, list[Conflict]]:
    """Return how much a history gains from another one, which is added to it, and their conflicts.

    >>> from tellapart.formats.muc.slots import load_design
    >>> text, place = load_design().text, ("M1", "1", "hum-tgt-desc")
    >>> ours, theirs = History(), History()
    >>> ours.record(place, Entry(text('"MEN"'), "fail"))
    >>> theirs.record(place, Entry(text('"MEN"'), "match", (text('"PEASANTS"'),)))
    >>> added, conflicts = merge(ours, theirs)
    >>> added, str(conflicts[0])
    (0, 'M1, key 1, hum-tgt-desc, "MEN": kept mismatch; the other history has match "PEASANTS"')
    """
    added = 0
    conflicts = []
    for place in other.places():
        for entry in other.at(place):
            known = history.find(place, entry.response)
            if known is None:
                history.record(place, entry)
                added += 1
            elif not _agree(known, entry):
                where = _where(place, entry)
                conflicts.append(Conflict(where, described(known), described(entry)))
    for message, systems in other.pairings.items():
        for system, pairs in systems.items():
            stored = history.pairings.setdefault(message, {}).setdefault(system, pairs)
            if stored is pairs:
                added += 1
            elif stored != pairs:
                where = f"{message}, pairing of {system or 'all systems'}"
                conflicts.append(Conflict(where, shown_pairs(stored), shown_pairs(pairs)))
    return added, conflicts


def described(entry: Entry) -> str:
    """Return what was decided, in words."""
    if entry.status == "fail":
        return "mismatch"
    several = "all of " if len(entry.keys) > 1 else ""
    return f"{entry.status} {several}{', '.join(map(shown, entry.keys))}"


def shown_pairs(pairs: Pairs) -> str:
    """Return a pairing as it is typed.

    >>> shown_pairs((("1", "2"), ("2", None), (None, "1")))
    '1-2 2- -1'
    """
    return " ".join(f"{key or ''}-{response or ''}" for key, response in pairs)


def _agree(first: Entry, second: Entry) -> bool:
    return first.status == second.status and set(first.keys) == set(second.keys)


def _where(place: Place, entry: Entry) -> str:
    message, key, slot = place
    return f"{message}, key {key}, {slot}, {shown(entry.response)}"
