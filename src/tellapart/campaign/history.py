"""Histories of 1992 as stores of decisions: what a file says is what somebody decided.

A file says what was decided and not by whom; so its decisions are those of whoever brings it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tellapart.campaign.opinions import Decision, Opinions, QuestionId
from tellapart.errors import DataError
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import Change, Fill, History
from tellapart.formats.templates.history_files import (
    HistoryFile,
    LispError,
    Spellings,
    change_of,
    outcome_of,
    question_of,
)

NOBODY: Final = "history"
"""Whose decisions those of a history file are, unless it is said"""


def rows_of(history: History, person: str = NOBODY) -> list[Decision]:
    """Return the decisions of a history as rows of a log.

    Of two entries about the same fill the first one counts, as where histories are read.
    """
    spellings, rows = Spellings(), dict[QuestionId, str]()
    for subject, outcome in history.decisions():
        known = spellings.first(subject) if isinstance(subject, Fill) else subject
        rows.setdefault(question_of(known), outcome_of(outcome))
    return [
        Decision(number, *question, person, "", outcome)
        for number, (question, outcome) in enumerate(rows.items(), 1)
    ]


def history_of(rows: Iterable[Decision], design: Design, place: str) -> History:
    """Return what holds by the rows of a log, as a history; write it with `history_text`."""
    log, history = Opinions(), History()
    for kind, subject in log.add(rows):
        if log.holds((kind, subject)) is not None:
            history.carry_out(change_to(design, (kind, subject), log.holds((kind, subject)), place))
    return history


def change_to(design: Design, question: QuestionId, outcome: str | None, place: str) -> Change:
    """Return what a decision changes in a history; one that cannot be read is a DataError."""
    try:
        return change_of(design, *question, outcome)
    except (ValueError, TypeError, LookupError, AttributeError, LispError) as problem:
        raise DataError(
            f"{place}: a decision about {question[1][:200]} cannot be read ({str(problem)[:200]}); "
            "is it of other slots?"
        ) from None


@dataclass(slots=True)
class HistoryStore:
    """A history file to decide in, which may be new."""

    file: HistoryFile
    person: str = NOBODY
    _rows: list[Decision] = field(default_factory=list)
    """All that was ever seen in the file, as a log"""
    _standing: dict[QuestionId, Decision] = field(default_factory=dict)
    _made: list[Change] = field(default_factory=list)
    """What takes back each decision of this sitting"""

    def news(self, decision: int = 0) -> tuple[int, list[Decision]]:
        """Return the number of the last submission (there is none), and all after a decision."""
        self._read()
        return 0, self._rows[decision:]

    def _read(self) -> None:
        now = {each.question: each for each in rows_of(self.file.history)}
        for question in dict.fromkeys((*self._standing, *now)):
            before = self._standing.get(question)
            outcome = now[question].outcome if question in now else None
            if outcome != (None if before is None else before.outcome):
                number = len(self._rows) + 1
                replaces = None if before is None else before.number
                row = Decision(number, *question, self.person, "", outcome, replaces)
                self._rows.append(row)
                self._standing[question] = row

    def decide(
        self,
        person: str,  # noqa: ARG002 (a history does not say who decided)
        question: QuestionId,
        outcome: str,
        *,
        request: str | None = None,  # noqa: ARG002
        ruling: bool = False,  # noqa: ARG002
    ) -> Decision:
        """Write a decision."""
        wanted = change_to(self.file.design, question, outcome, self.file.path)
        before = self.file.history.decided(wanted.subject)
        self._write(wanted)
        self._made.append(Change(wanted.subject, before))
        return self._standing.get(question, Decision(0, *question, "", "", outcome))

    def undo(self, person: str, request: str | None = None) -> Decision | None:  # noqa: ARG002
        """Take back the last decision of this sitting."""
        if not self._made:
            return None
        last = self._made.pop()
        self._write(last)
        question = question_of(last.subject)
        return self._standing.get(question, Decision(0, *question, "", "", None))

    def remark(self, person: str, kind: str, text: str) -> None:
        """Keep nothing: a history has no place for what is no decision."""

    def skipped(self) -> list[tuple[str, QuestionId]]:
        """Return nothing: who puts a fill off is asked about it again in the next sitting."""
        return []

    def _write(self, change: Change) -> None:
        self.file.write([change])
        self._read()
