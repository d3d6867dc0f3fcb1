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
    from tellapart.counts import Counts

OPEN, CLOSE = "open-board", "close-board"
"""The remarks by which an organiser shows or hides the names"""
MOST_VALUES: Final = 30
"""A label with more values does not tell parts of the items apart"""
_NUMBERS: Final = range(100, 1000)


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """Some of the items: those whose label has a value; without a label, all of them."""

    label: str = ""
    value: str = ""

    def __str__(self) -> str:
        return f"{self.label}: {self.value}" if self.label else "all items"

    def of(self, counts: Counts) -> Counts:
        """Return the counts of these items."""
        return counts.where({self.label: self.value}) if self.label else counts


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
            f"{told} Every look is a chance to be lucky: of many versions of a system the one that "
            f"is kept may owe its place to chance. A gain that is first seen at look {self.number} "
            f"is sure at {alpha:g} for the whole series only if its p is at most {level}."
        )


@dataclass(frozen=True, slots=True)
class Board:
    """What was found about some of the items, up to a submission and a decision."""

    version: tuple[int, int]
    part: Part
    result: Comparison | None
    """None if there is nothing to compare; `problem` says why"""
    problem: str
    progress: Progress
    """How many questions were open then"""
    parts: tuple[tuple[Part, int], ...]
    """All parts that there are, and how many items are in each"""


def parts_of(counts: Counts) -> list[tuple[Part, int]]:
    """Return all items, and then those of each value of a label that tells parts apart.

    >>> from tellapart.counts import Counts
    >>> labels = {"topic": ["law", "art", "law", "law"], "id": ["1", "2", "3", "4"]}
    >>> [str(p) for p, _ in parts_of(Counts.from_arrays({"A": [1, 0, 1, 1]}, labels=labels))]
    ['all items', 'topic: art', 'topic: law']
    """
    found = [(Part(), len(counts.items))]
    for label, texts in counts.labels.items():
        numbers = Counter(text for text in texts if text)
        if 2 <= len(numbers) <= min(MOST_VALUES, len(texts) - 1):
            found += [(Part(label, value), numbers[value]) for value in sorted(numbers)]
    return found


def compare_part(settings: Settings, counts: Counts, part: Part) -> Comparison:
    """Return the comparison of all pairs on some of the items."""
    from tellapart.result import compare

    return compare(part.of(counts), metrics=settings.metric or None, alpha=settings.alpha).record


def board_of(desk: Desk, part: Part) -> Board:
    """Return the board by what is decided now; `problem` says why there is nothing to compare."""
    with desk.unchanged():
        version, counts = desk.counts()
        progress = desk.progress("")
    parts = tuple(parts_of(counts))
    board = Board(version, part, None, "", progress, parts)
    if part not in dict(parts):
        return replace(board, problem="there are no such items")
    if len(counts.names) < 2:
        return replace(board, problem="there is one system so far; a board needs two to compare")
    try:
        result = compare_part(desk.settings, replace(counts, texts=None), part)
    except TellapartError as problem:
        return replace(board, problem=str(problem))
    return replace(board, result=result)


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
