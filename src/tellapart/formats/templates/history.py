"""The history: what people decided about fills that did not match, and how they paired templates.

Histories are merged so that every system gets the benefit of a decision made for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from tellapart.formats.templates.values import (
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


@dataclass(frozen=True, slots=True)
class Fill:
    """What a decision is about: a response value, at a slot of a key template."""

    place: Place
    response: Value


@dataclass(frozen=True, slots=True)
class Pairing:
    """What a decision is about: how the templates of a message are paired for a system."""

    message: str
    system: str | None
    """None: any system"""


Subject: TypeAlias = Fill | Pairing
Outcome: TypeAlias = Entry | Pairs


@dataclass(frozen=True, slots=True)
class Change:
    """A decision: what held about a subject before it, and what holds after it; None is nothing."""

    subject: Subject
    before: Outcome | None
    after: Outcome | None

    def undone(self) -> Change:
        """Return the change that takes this one back."""
        return Change(self.subject, self.after, self.before)


@dataclass(slots=True)
class History:
    """All decisions, in the order in which they were made, and the pairings done by hand.

    >>> from tellapart.formats.templates.design import load_design
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

    def decided(self, subject: Subject) -> Outcome | None:
        """Return what was decided about a subject, if anything was."""
        if isinstance(subject, Fill):
            return self.find(subject.place, subject.response)
        return self.pairings.get(subject.message, {}).get(subject.system)

    def carry_out(self, change: Change) -> None:
        """Let hold what a change makes of its subject.

        >>> history = History()
        >>> change = Change(Pairing("M1", "GE"), None, (("1", "2"),))
        >>> history.carry_out(change)
        >>> history.pairing("M1", "GE")
        (('1', '2'),)
        >>> history.carry_out(change.undone())
        >>> history == History()
        True
        """
        match change.subject, change.after:
            case Fill(place), Entry() as entry:
                self.record(place, entry)
            case Fill(place, response), None:
                self._forget(place, response)
            case Pairing(message, system), None:
                self.pairings.get(message, {}).pop(system, None)
                if not self.pairings.get(message):
                    self.pairings.pop(message, None)
            case Pairing(message, system), tuple() as pairs:
                self.pairings.setdefault(message, {})[system] = pairs
            case _:
                raise ValueError(f"{change.after} cannot be decided about {change.subject}")

    def _forget(self, place: Place, response: Value) -> None:
        """Remove the entry that a response value finds, and what is empty without it."""
        message, number, slot = place
        known = self.at(place)
        found = next((i for i, e in enumerate(known) if equal(response, e.response)), None)
        if found is None:
            return
        del known[found]
        if not known:
            del self.entries[message][number][slot]
        if not self.entries[message][number]:
            del self.entries[message][number]
        if not self.entries[message]:
            del self.entries[message]

    def copy(self) -> History:
        """Return a history of its own with the same decisions."""
        return History(
            {
                message: {
                    number: {slot: list(entries) for slot, entries in slots.items()}
                    for number, slots in templates.items()
                }
                for message, templates in self.entries.items()
            },
            {message: dict(systems) for message, systems in self.pairings.items()},
        )

    def become(self, other: History) -> None:
        """Hold the decisions of another history instead, for all who look things up in this one."""
        self.entries, self.pairings = other.entries, other.pairings

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

    def decisions(self) -> Iterator[tuple[Subject, Outcome]]:
        """Yield all that was decided, in order: the fills, then the pairings."""
        for place in self.places():
            for entry in self.at(place):
                yield Fill(place, entry.response), entry
        for message, systems in self.pairings.items():
            for system, pairs in systems.items():
                yield Pairing(message, system), pairs


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two histories that disagree; what was there first is kept."""

    subject: Subject
    kept: Outcome
    other: Outcome

    def __str__(self) -> str:
        kept, other = described(self.kept), described(self.other)
        return f"{_where(self.subject)}: kept {kept}; the other history has {other}"


@dataclass(frozen=True, slots=True)
class Merger:
    """What one history gains from another, and where they disagree."""

    gains: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]


def merge(history: History, other: History) -> Merger:
    """Add to a history what another one has and it has not; what it has stays as it is.

    >>> from tellapart.formats.templates.design import load_design
    >>> text, place = load_design().text, ("M1", "1", "hum-tgt-desc")
    >>> ours, theirs = History(), History()
    >>> ours.record(place, Entry(text('"MEN"'), "fail"))
    >>> theirs.record(place, Entry(text('"MEN"'), "match", (text('"PEASANTS"'),)))
    >>> merger = merge(ours, theirs)
    >>> len(merger.gains), str(merger.conflicts[0])
    (0, 'M1, key 1, hum-tgt-desc, "MEN": kept mismatch; the other history has match "PEASANTS"')
    """
    gains, conflicts = [], []
    for subject, outcome in other.decisions():
        known = history.decided(subject)
        if known is None:
            gains.append(Change(subject, None, outcome))
            history.carry_out(gains[-1])
        elif not agree(known, outcome):
            conflicts.append(Conflict(subject, known, outcome))
    return Merger(tuple(gains), tuple(conflicts))


def agree(first: Outcome | None, second: Outcome | None) -> bool:
    """Return whether two decisions come to the same."""
    if isinstance(first, Entry) and isinstance(second, Entry):
        return first.status == second.status and set(first.keys) == set(second.keys)
    return first == second


def described(outcome: Outcome) -> str:
    """Return what was decided, in words."""
    if not isinstance(outcome, Entry):
        return shown_pairs(outcome)
    if outcome.status == "fail":
        return "mismatch"
    several = "all of " if len(outcome.keys) > 1 else ""
    return f"{outcome.status} {several}{', '.join(map(shown, outcome.keys))}"


def shown_pairs(pairs: Pairs) -> str:
    """Return a pairing as it is typed.

    >>> shown_pairs((("1", "2"), ("2", None), (None, "1")))
    '1-2 2- -1'
    """
    return " ".join(f"{key or ''}-{response or ''}" for key, response in pairs)


def _where(subject: Subject) -> str:
    if isinstance(subject, Pairing):
        return f"{subject.message}, pairing of {subject.system or 'all systems'}"
    message, key, slot = subject.place
    return f"{message}, key {key}, {slot}, {shown(subject.response)}"
