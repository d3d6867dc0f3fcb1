"""Questions about fills that nothing decides, and the history: what people answered.

Histories are merged so that every system gets the benefit of a decision made for one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from tellapart.formats.templates.design import Slot
from tellapart.formats.templates.values import Optional, Value, equal, inner, shown

Status: TypeAlias = Literal["fail", "match", "partial"]
STATUSES: Final = ("fail", "match", "partial")
Place: TypeAlias = tuple[str, str, str]
"""Message, number of the key template, short name of the slot"""
Numbers: TypeAlias = tuple[str | None, str | None]
"""Those of a key and a response template; None for one without a partner"""
Pairs: TypeAlias = tuple[Numbers, ...]


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
    """A decision: what holds about a subject after it; None is nothing."""

    subject: Subject
    after: Outcome | None


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

    entries: dict[Place, list[Entry]] = field(default_factory=dict)
    pairings: dict[Pairing, Pairs] = field(default_factory=dict)

    def find(self, place: Place, response: Value) -> Entry | None:
        """Return the first entry whose response value the given one is equal to."""
        for entry in self.entries.get(place, ()):
            if equal(response, entry.response):
                return entry
        return None

    def record(self, place: Place, entry: Entry) -> None:
        """Add an entry, or overwrite the one that its response value finds."""
        known = self.entries.setdefault(place, [])
        for i, other in enumerate(known):
            if equal(entry.response, other.response):
                known[i] = Entry(other.response, entry.status, entry.keys)
                return
        known.append(entry)

    def decided(self, subject: Subject) -> Outcome | None:
        """Return what was decided about a subject, if anything was."""
        if isinstance(subject, Fill):
            return self.find(subject.place, subject.response)
        return self.pairings.get(subject)

    def carry_out(self, change: Change) -> None:
        """Let hold what a change makes of its subject.

        >>> history = History()
        >>> history.carry_out(Change(Pairing("M1", "GE"), (("1", "2"),)))
        >>> history.pairing("M1", "GE")
        (('1', '2'),)
        >>> history.carry_out(Change(Pairing("M1", "GE"), None))
        >>> history == History()
        True
        """
        match change.subject, change.after:
            case Fill(place), Entry() as entry:
                self.record(place, entry)
            case Fill(place, response), None:
                known = self.entries.get(place, [])
                self.entries[place] = [e for e in known if not equal(response, e.response)]
                if not self.entries[place]:
                    del self.entries[place]
            case Pairing() as pairing, None:
                self.pairings.pop(pairing, None)
            case Pairing() as pairing, tuple() as pairs:
                self.pairings[pairing] = pairs

    def copy(self, message: str | None = None) -> History:
        """Return a history of its own with the same decisions, or those about one message."""
        return History(
            {
                place: list(entries)
                for place, entries in self.entries.items()
                if message in (None, place[0])
            },
            {
                pairing: pairs
                for pairing, pairs in self.pairings.items()
                if message in (None, pairing.message)
            },
        )

    def pairing(self, message: str, system: str) -> Pairs | None:
        """Return the pairing that was done by hand for a system, or for all."""
        for_all = self.pairings.get(Pairing(message, None))
        return self.pairings.get(Pairing(message, system), for_all)

    def decisions(self) -> Iterator[tuple[Subject, Outcome]]:
        """Yield all that was decided, in order: the fills, then the pairings."""
        for place, entries in self.entries.items():
            for entry in entries:
                yield Fill(place, entry.response), entry
        yield from self.pairings.items()


def merge(history: History, other: History) -> tuple[list[Change], list[str]]:
    """Return what a history gains from another one, and in words where the two disagree.

    >>> from tellapart.formats.templates.design import load_design
    >>> text, place = load_design().text, ("M1", "1", "hum-tgt-desc")
    >>> ours, theirs = History(), History()
    >>> ours.record(place, Entry(text('"MEN"'), "fail"))
    >>> theirs.record(place, Entry(text('"MEN"'), "match", (text('"PEASANTS"'),)))
    >>> merge(ours, theirs)
    ([], ['M1, key 1, hum-tgt-desc, "MEN": kept mismatch; the other has match "PEASANTS"'])
    """
    merged, gains, conflicts = history.copy(), [], []
    for subject, outcome in other.decisions():
        known = merged.decided(subject)
        if known is None:
            gains.append(Change(subject, outcome))
            merged.carry_out(gains[-1])
        elif not agree(known, outcome):
            both = f"kept {described(known)}; the other has {described(outcome)}"
            conflicts.append(f"{where(subject)}: {both}")
    return gains, conflicts


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


def where(subject: Subject) -> str:
    """Return what a decision is about, in words."""
    if isinstance(subject, Pairing):
        return f"{subject.message}, pairing of {subject.system or 'all systems'}"
    message, key, slot = subject.place
    return f"{message}, key {key}, {slot}, {shown(subject.response)}"


@dataclass(frozen=True, slots=True)
class Question:
    """Is this response right after all? `offered` are the key fills it could be matched with."""

    message: str
    key: str
    response_template: str
    slot: Slot
    turn: int
    """How many questions came before it about this slot of this pair"""
    offered: tuple[Value, ...]
    response: Value

    @property
    def place(self) -> Place:
        """Where the history keeps the answer."""
        return self.message, self.key, self.slot.name


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; `chosen` are positions among the offered fills, none if it failed."""

    status: Status
    chosen: tuple[int, ...] = ()


Adjudicator: TypeAlias = Callable[[Question], Reply]
"""A person or a rule that answers questions"""


def by_guidelines(history: History, question: Question) -> Reply:
    """Return the answer of a finished history or, where that is silent, of the guidelines."""
    if not question.offered:
        return Reply("fail")
    entry = history.find(question.place, question.response)
    if entry is not None:
        if entry.status == "fail":
            return Reply("fail")
        chosen = _recorded(question.offered, entry)
        if chosen is not None:
            return Reply(entry.status, chosen)
    # The right set fill with a wrong tag is half right.
    return Reply("partial", (0,)) if question.slot.is_set else Reply("fail")


def noting(history: History, asked: list[Fill], question: Question) -> Reply:
    """Return the answer by the guidelines, and note what people would be asked."""
    if question.offered and history.find(question.place, question.response) is None:
        asked.append(Fill(question.place, question.response))
    return by_guidelines(history, question)


def _recorded(offered: Sequence[Value], entry: Entry) -> tuple[int, ...] | None:
    """Return which offered fill each key value of an entry is; None if one is not there."""
    chosen: list[int] = []
    for value in entry.keys:
        left = [i for i in range(len(offered)) if i not in chosen]
        ways: tuple[Callable[[Value, Value], bool], ...] = (operator.eq, equal, _optional_equal)
        same = (i for way in ways for i in left if way(offered[i], value))
        if (position := next(same, None)) is None:
            return None
        chosen.append(position)
    return tuple(chosen)


def _optional_equal(fill: Value, recorded: Value) -> bool:
    return isinstance(fill, Optional) and equal(fill.content, inner(recorded))
