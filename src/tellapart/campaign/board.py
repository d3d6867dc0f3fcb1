"""The board of a campaign: the systems compared, in words that claim no more than is known.

Systems that cannot be told apart share their places: a rank is the set of places that a system may
truly hold. The sentence of a finished comparison is said when nothing is open. Before that, what
counts is what is settled however the open questions are answered; scores are as judged so far.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tellapart.campaign.desk import Desk, Progress
from tellapart.campaign.judging import compared
from tellapart.errors import TellapartError, UsageError
from tellapart.words import listed, several

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
    try:
        if len(counts.names) < 2:
            raise UsageError("there is one system so far; a board needs two")
        return Board(version, compared(desk.settings, counts), "", progress)
    except TellapartError as problem:
        return Board(version, None, str(problem), progress)


@dataclass(frozen=True, slots=True)
class Finding:
    """What is certain about a pair of systems, whatever is answered to the open questions."""

    a: str
    b: str
    better: str | None
    """The one that is told to be better; None if they cannot be told apart, or that is open"""
    settled: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the open questions can still change.

    >>> Outlook((3, 9), 1927, 214, 0.05, ()).words
    'Of 1,927 open questions 214 can still change a conclusion at .05.'
    >>> Outlook((3, 9), 8, 0, 0.05, (), pairs_templates=True).words.partition(", ")[2]
    'unless templates are paired by hand.'
    """

    version: tuple[int, int]
    """Up to which submission and decision it goes"""
    open: int
    """Questions without all opinions that they need, or in conflict"""
    can_change: int
    """Of them those that can change a conclusion"""
    alpha: float
    findings: tuple[Finding, ...]
    pairs_templates: bool = False
    """Whether people may pair templates by hand in ways that are not offered, and not looked at"""

    @property
    def may_stop(self) -> bool:
        """Whether no answer can change a conclusion any more."""
        return self.can_change == 0 and all(each.settled for each in self.findings)

    @property
    def words(self) -> str:
        """What a page says of it."""
        if not self.open:
            return "All questions are answered."
        asked = several(self.open, "open question")
        conclusion = f"a conclusion at {f'{self.alpha:g}'.removeprefix('0')}"
        if self.may_stop:
            but = ", unless templates are paired by hand" if self.pairs_templates else ""
            return f"You may stop: {asked} cannot change {conclusion}{but}."
        return f"Of {asked} {self.can_change:,} can still change {conclusion}."


SO_FAR: Final = {
    judging: "Figures are as judged so far: what has no answer, or answers that differ, counts "
    f"{how}."
    for judging, how in (
        ("rating", "as the lowest rating"),
        ("fills", "as the scorer has it"),
        ("keys", "as if both were right"),
    )
}
"""How figures are to be read while questions are open, by what is judged"""


@dataclass(frozen=True, slots=True)
class Headline:
    """What may be said of the systems now."""

    words: str
    figures: str
    """How scores and intervals are to be read while questions are open; empty if none is"""
    settled: tuple[str, ...] = ()
    """What holds of which pairs however the open questions are answered"""


def headline_of(
    progress: Progress, outlook: Outlook | None, verdict: str, judging: str = "rating"
) -> Headline:
    """Return what may be said of systems; `verdict` is the sentence when nothing is open.

    >>> progress = Progress(total=9, decided=0, conflicts=0, yours=0)
    >>> headline_of(progress, None, "").words
    '9 of 9 questions open.'
    """
    if not progress.open:
        return Headline(verdict, "")
    so_far = SO_FAR[judging]
    if outlook is None:
        return Headline(f"{progress.open:,} of {several(progress.total, 'question')} open.", so_far)
    known = [each for each in outlook.findings if each.settled]
    head = outlook.words
    if known and len(outlook.findings) > 1:
        head += f" {len(known):,} of {several(len(outlook.findings), 'pair')} settled."
    return Headline(head, so_far, tuple(_sentences(known)))


def _sentences(findings: Collection[Finding]) -> list[str]:
    """Return who is better than whom, and who cannot be told apart, a sentence for each system."""
    better: dict[str, list[str]] = {}
    alike: dict[str, list[str]] = {}
    for each in findings:
        if each.better is None:
            alike.setdefault(each.a, []).append(each.b)
        else:
            worse = each.b if each.better == each.a else each.a
            better.setdefault(each.better, []).append(worse)
    order = sorted(better, key=lambda name: (-len(better[name]), name))
    return [
        *(f"{name} is better than {listed(sorted(better[name]), 99)}" for name in order),
        *(f"{name} cannot be told from {listed(sorted(alike[name]), 99)}" for name in alike),
    ]
