"""The board of a campaign: scores, intervals and ties of all systems, and who may see which names.

Systems that cannot be told apart share their places: a rank is the set of places that a system may
truly hold. Until an organiser opens the board everybody sees their own systems by name, and the
others by numbers that tell nothing about who they are or when they came.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tellapart.campaign.campaign import Campaign, Person
from tellapart.campaign.desk import Desk, Progress
from tellapart.campaign.settings import Settings
from tellapart.errors import TellapartError, UsageError
from tellapart.words import p_text, several

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison

OPEN, CLOSE = "open-board", "close-board"
"""The remarks by which an organiser shows or hides the names"""
_NUMBERS: Final = range(100, 1000)


@dataclass(frozen=True, slots=True)
class Looks:
    """How often the test set was looked at: every submission of a participant that was scored."""

    number: int
    participants: int
    by_system: Mapping[str, int]

    def sentence(self, alpha: float) -> str:
        """Return how often that is, and what it means.

        >>> print(Looks(0, 0, {}).sentence(0.05))
        No participant has looked at the test set yet.
        """
        from tellapart.stats.corrections import level_of_look

        if not self.number:
            return "No participant has looked at the test set yet."
        times = "once" if self.number == 1 else f"{self.number:,} times"
        told = f"The test set was looked at {times} by {several(self.participants, 'participant')}."
        if self.number == 1:
            return told
        level = p_text(level_of_look(alpha, self.number), alpha)
        return (
            f"{told} Every look is a chance to be lucky: a gain that is first seen at look "
            f"{self.number} is sure at {alpha:g} only if its p is at most {level}."
        )


@dataclass(frozen=True, slots=True)
class Board:
    """What was found, up to a submission and a decision."""

    version: tuple[int, int]
    result: Comparison | None
    """None if there is nothing to compare; `problem` says why"""
    problem: str
    progress: Progress
    """How many questions were open then"""


def board_of(desk: Desk) -> Board:
    """Return the board by what is decided now."""
    from tellapart.result import compare

    with desk.unchanged():
        version, counts = desk.counts()
        progress = desk.progress("")
    if len(counts.names) < 2:
        alone = "there is one system so far; a board needs two to compare"
        return Board(version, None, alone, progress)
    settings, bare = desk.settings, replace(counts, texts=None)
    try:
        result = compare(bare, metrics=settings.metric or None, alpha=settings.alpha).record
    except TellapartError as problem:
        return Board(version, None, str(problem), progress)
    return Board(version, result, "", progress)


# Who sees which names


def is_open(campaign: Campaign) -> bool:
    """Return whether everybody sees the names of all systems."""
    return campaign.log.last_remark((OPEN, CLOSE)) == OPEN


def numbered(settings: Settings, systems: Sequence[str]) -> dict[str, str]:
    """Return what systems are called while the board is closed, for systems in the order they came.

    A system keeps its number when others come, and the number tells nothing about it.

    >>> settings = Settings("T", "items", seed="1")
    >>> some, more = numbered(settings, ["A", "B"]), numbered(settings, ["A", "B", "C"])
    >>> some.items() <= more.items(), len(set(more.values()))
    (True, 3)
    """
    taken = {name.casefold() for name in systems}
    found = {}
    for name in systems:
        k = int(settings.draw("system", name) * len(_NUMBERS))
        while (alias := f"System {_NUMBERS[k % len(_NUMBERS)]}").casefold() in taken:
            k += 1
            if k > 2 * len(_NUMBERS):
                raise UsageError("there are more systems than numbers to hide them; open the board")
        taken.add(alias.casefold())
        found[name] = alias
    return found


def names_for(campaign: Campaign, person: Person | None) -> dict[str, str]:
    """Return what somebody (None: the public) sees of each system instead of its name."""
    made = [each for each in campaign.submissions() if each.accepted]
    systems = list(dict.fromkeys(each.system for each in made))
    if is_open(campaign) or (person is not None and person.role == "organiser"):
        return {name: name for name in systems}
    hidden = numbered(campaign.settings, systems)
    return hidden | {name: name for name in campaign.own_systems(person)}


def looks(campaign: Campaign) -> Looks:
    """Return how often participants looked at the test set."""
    participants = {each.name for each in campaign.people() if each.role == "participant"}
    made = [
        each
        for each in campaign.submissions()
        if each.accepted and each.file is not None and each.person in participants
    ]
    by_system = Counter(each.system for each in made)
    return Looks(len(made), len({each.person for each in made}), by_system)


def renamed(result: Comparison, names: Mapping[str, str]) -> Comparison:
    """Return a comparison under the names that somebody may see.

    Notices that still name a system which is hidden, in the words of a reader, are left out.
    """
    from tellapart.comparison.record import encoded
    from tellapart.report.text import DisplayNames
    from tellapart.words import json_text

    seen = {each.name: names.get(each.name, each.name) for each in result.systems}
    hidden = "|".join(re.escape(name) for name, shown in seen.items() if name != shown)
    if not hidden:
        return result
    tells = re.compile(rf"(?<!\w)({hidden})(?!\w)")
    found = DisplayNames(seen).applied(result)
    kept = (each for each in found.notices if not tells.search(json_text(encoded(each))))
    return replace(found, notices=tuple(kept))
