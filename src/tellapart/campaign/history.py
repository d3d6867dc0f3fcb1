"""Histories of 1992 as stores of decisions: what a file says is what somebody decided.

A file says what was decided and not by whom; so its decisions are those of whoever brings it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tellapart.campaign.opinions import Decision, News, Opinions, QuestionId, Remark
from tellapart.errors import DataError, UsageError
from tellapart.formats.templates.decision_texts import (
    Spellings,
    change_of,
    outcome_of,
    question_of,
)
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import Change, Fill, History, agree, described
from tellapart.formats.templates.history_files import LispError
from tellapart.formats.templates.history_store import HistoryFile

NOBODY: Final = "history"
"""Whose decisions those of a history file are, unless it is said"""


def rows_of(history: History, person: str = NOBODY, made_at: str = "") -> list[Decision]:
    """Return the decisions of a history as rows of a log.

    Of two entries about the same fill the first one counts, as where histories are read.
    """
    spellings, rows = Spellings(), dict[QuestionId, str]()
    for subject, outcome in history.decisions():
        known = spellings.first(subject) if isinstance(subject, Fill) else subject
        rows.setdefault(question_of(known), outcome_of(outcome))
    return [
        Decision(number, *question, person, made_at, outcome)
        for number, (question, outcome) in enumerate(rows.items(), 1)
    ]


def history_of(rows: Iterable[Decision], design: Design, place: str) -> History:
    """Return what holds by the rows of a log, as a history; write it with `history_content`."""
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
    """A history file to decide in, which may be new; several programs may write to it at once."""

    file: HistoryFile
    person: str = NOBODY
    _rows: list[Decision] = field(default_factory=list)
    """All that was ever seen in the file, as a log"""
    _standing: dict[QuestionId, Decision] = field(default_factory=dict)
    _remarks: list[Remark] = field(default_factory=list)
    """What was skipped: a history keeps no remarks"""
    _made: list[Change] = field(default_factory=list)
    """What was decided in this sitting, and can be taken back"""

    def news(self, decision: int = 0, remark: int = 0) -> News:
        """Return what is new since a decision and a remark."""
        self.file.refresh()
        self._read()
        return News(0, self._rows[decision:], self._remarks[remark:])

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
        note: str = "",  # noqa: ARG002
        request: str | None = None,  # noqa: ARG002
        ruling: bool = False,  # noqa: ARG002
    ) -> Decision:
        """Write a decision; nobody's is overwritten that the person has not seen."""
        wanted = change_to(self.file.design, question, outcome, self.file.path)
        seen = self.file.history.decided(wanted.subject)
        self._made += self._write(replace(wanted, before=seen))
        return self._standing.get(question, Decision(0, *question, "", "", outcome))

    def undo(self, person: str, request: str | None = None) -> Decision | None:  # noqa: ARG002
        """Take back the last decision of this sitting."""
        if not self._made:
            return None
        last = self._made.pop().undone()
        self._write(last)
        question = question_of(last.subject)
        return self._standing.get(question, Decision(0, *question, "", "", None))

    def _write(self, change: Change) -> list[Change]:
        """Make a change and return it, unless somebody else has decided the same, or otherwise."""
        made: list[Change] = []

        def plan(history: History) -> Sequence[Change]:
            now = history.decided(change.subject)
            if agree(now, change.after):
                return made
            if not agree(now, change.before):
                how = "taken it back" if now is None else f"decided: {described(now)}"
                raise UsageError(f"another sitting has meanwhile {how}; that is kept")
            made.append(change)
            return made

        self.file.write(plan)
        self._read()
        return made

    def remark(self, person: str, question: QuestionId | None, kind: str, text: str = "") -> None:
        """Remember what was skipped in this sitting."""
        if kind != "skip":
            raise UsageError("a history keeps no notes and flags; use a campaign")
        self._remarks.append(Remark(len(self._remarks) + 1, question, person, "", kind, text))
