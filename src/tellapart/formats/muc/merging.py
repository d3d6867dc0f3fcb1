"""Merging histories, so that every system gets the benefit of a decision made for one."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.formats.muc.history import Entry, History, Pairs, Place
from tellapart.formats.muc.values import shown


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two histories that disagree; what was there first is kept."""

    where: str
    kept: str
    other: str

    def __str__(self) -> str:
        return f"{self.where}: kept {self.kept}; the other history has {self.other}"


def merge(history: History, other: History) -> tuple[int, list[Conflict]]:
    """Add to a history what another one has more; return how much, and what they disagree on.

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
    """Say what was decided."""
    if entry.status == "fail":
        return "mismatch"
    several = "all of " if len(entry.keys) > 1 else ""
    return f"{entry.status} {several}{', '.join(map(shown, entry.keys))}"


def shown_pairs(pairs: Pairs) -> str:
    """Write a pairing as it is typed.

    >>> shown_pairs((("1", "2"), ("2", None), (None, "1")))
    '1-2 2- -1'
    """
    return " ".join(f"{key or ''}-{response or ''}" for key, response in pairs)


def _agree(first: Entry, second: Entry) -> bool:
    return first.status == second.status and set(first.keys) == set(second.keys)


def _where(place: Place, entry: Entry) -> str:
    message, key, slot = place
    return f"{message}, key {key}, {slot}, {shown(entry.response)}"
