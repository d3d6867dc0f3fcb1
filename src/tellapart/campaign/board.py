"""The board of a campaign: scores, intervals and ties of all systems, and who may see it.

Systems that cannot be told apart share their places: a rank is the set of places that a system may
truly hold. Until an organiser opens the board, and while questions are open, nobody else sees it.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from tellapart.campaign.campaign import Campaign
from tellapart.campaign.desk import Desk, Progress
from tellapart.errors import TellapartError
from tellapart.words import p_text, several

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison

OPEN, CLOSE = "open-board", "close-board"
"""The remarks by which an organiser shows it to others, or hides it"""
RESTS: Final = 4.0
"""How long a board is left as it is, in times of what it took: people come before it"""
WAITING: Final = 4
"""So many may wait for the first board; more would take judges' threads"""


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


@dataclass(slots=True)
class LatestBoard:
    """The board, worked out in the background when somebody looks, and kept until it is old."""

    version: Callable[[], tuple[int, int]]
    """Up to which submission and decision the campaign is now"""
    work: Callable[[], Board]
    _known: Board | None = None
    _busy: threading.Event | None = None
    _rests_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(WAITING)
    )

    def look(self, patience_s: float = 20.0) -> tuple[Board | None, bool]:
        """Return what is known, and whether it is up to date.

        If nothing is, wait for it, but not for ever; None if that takes longer.
        """
        version = self.version()
        with self._lock:
            if self._known is not None and self._known.version == version:
                return self._known, True
            busy = self._busy
            if busy is None and time.monotonic() >= self._rests_until:
                busy = self._busy = threading.Event()
                threading.Thread(target=self._work_out, args=(busy,), daemon=True).start()
        if self._known is None and busy is not None and self._waiting.acquire(blocking=False):
            try:
                busy.wait(patience_s)
            finally:
                self._waiting.release()
        known = self._known
        return known, known is not None and known.version == version

    def _work_out(self, busy: threading.Event) -> None:
        began = time.monotonic()
        try:
            version = self.version()
            try:
                self._known = self.work()
            except TellapartError as problem:
                self._known = Board(version, None, str(problem), Progress())
        finally:
            with self._lock:
                self._busy = None
                self._rests_until = time.monotonic() + RESTS * (time.monotonic() - began)
            busy.set()


def is_open(campaign: Campaign) -> bool:
    """Return whether an organiser has opened the board to everybody."""
    return campaign.log.last_remark((OPEN, CLOSE)) == OPEN


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
