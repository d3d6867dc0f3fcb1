"""The board of a campaign: scores, intervals and ties of all systems by what is decided now.

Systems that cannot be told apart share their places: a rank is the set of places that a system may
truly hold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tellapart.campaign.campaign import Campaign
from tellapart.campaign.desk import Desk, Progress
from tellapart.campaign.judging import compared
from tellapart.errors import TellapartError
from tellapart.words import p_text

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison


@dataclass(frozen=True, slots=True)
class Board:
    """What was found, up to a submission and a decision."""

    version: tuple[int, int]
    result: Comparison | None
    """None if there is nothing to compare; `problem` says why"""
    problem: str = ""
    progress: Progress = field(default_factory=Progress)
    """How many questions were open then"""


def board_of(desk: Desk) -> Board:
    """Return the board by what is decided now."""
    with desk.unchanged():
        desk.refresh()
        version, progress, counts = desk.version, desk.progress(""), desk.judging.counts()
    if len(counts.names) < 2:
        alone = "there is one system so far; a board needs two to compare"
        return Board(version, None, alone, progress)
    try:
        result = compared(desk.settings, replace(counts, texts=None))
    except TellapartError as problem:
        return Board(version, None, str(problem), progress)
    return Board(version, result, "", progress)


def looks(campaign: Campaign) -> Counter[str]:
    """Return how often participants looked at the test set: by system, what was scored."""
    participants = {each.name for each in campaign.people() if each.role == "participant"}
    return Counter(
        each.system
        for each in campaign.submissions()
        if each.accepted and each.file is not None and each.person in participants
    )


def looks_words(number: int, alpha: float) -> str:
    """Return how often the test set was looked at, and what it means.

    >>> print(looks_words(0, 0.05))
    The test set was looked at by nobody yet.
    """
    from tellapart.stats.corrections import level_of_look

    if number < 2:
        times = "once" if number else "by nobody yet"
        return f"The test set was looked at {times}."
    level = p_text(level_of_look(alpha, number), alpha)
    return (
        f"The test set was looked at {number:,} times: a gain that is first seen at look {number} "
        f"is sure at {alpha:g} only if its p is at most {level}."
    )
