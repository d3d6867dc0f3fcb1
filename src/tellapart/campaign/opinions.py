"""Who decided what: decisions, which of them stand, and what holds.

A decision stands until a later one replaces it. Where all that stand about a question agree, or an
organiser has ruled, that is what holds; where they differ there is a conflict, and nothing holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

QuestionId = tuple[str, str]
"""Kind and subject"""
OPEN, CLOSE, SEEN, SKIP, DEED = "open-board", "close-board", "board-seen", "skip", "deed"
"""Kinds of remarks: an organiser shows the board to others, or hides it; somebody else has seen it,
with all decisions up to the one that the text names; somebody puts off the question that it names;
and what an organiser did, in words"""


@dataclass(frozen=True, slots=True)
class Decision:
    """A row of the log."""

    number: int
    kind: str
    subject: str
    person: str
    made_at: str
    outcome: str | None
    replaces: int | None = None
    undoes: int | None = None
    ruling: bool = False
    request: str | None = None

    @property
    def question(self) -> QuestionId:
        """What it is about."""
        return self.kind, self.subject


@dataclass(slots=True)
class Opinions:
    """All decisions of the log, and which of them stand.

    >>> log = Opinions()
    >>> def decided(number, person, outcome, replaces=None):
    ...     return Decision(number, "rating", "q1", person, "", outcome, replaces)
    >>> log.add([decided(1, "ann", "right"), decided(2, "bob", "wrong")])
    [('rating', 'q1')]
    >>> log.is_conflict(("rating", "q1")), log.holds(("rating", "q1"))
    (True, None)
    >>> _ = log.add([decided(3, "bob", "right", replaces=2)])
    >>> log.holds(("rating", "q1"))
    'right'
    """

    standing: dict[QuestionId, dict[int, Decision]] = field(default_factory=dict)
    """Per question the decisions that stand, by number, in order"""
    own: dict[str, dict[int, Decision]] = field(default_factory=dict)
    """Per person what they could take back, by number, in order"""
    last: int = 0
    """The last row that was read"""

    def add(self, rows: Iterable[Decision]) -> list[QuestionId]:
        """Read on; return the questions that were touched, in order."""
        touched: dict[QuestionId, None] = {}
        for row in rows:
            stand = self.standing.setdefault(row.question, {})
            if row.replaces is not None:
                stand.pop(row.replaces, None)
            if row.outcome is not None:
                stand[row.number] = row
            if row.undoes is not None:
                self.own.get(row.person, {}).pop(row.undoes, None)
            else:
                self.own.setdefault(row.person, {})[row.number] = row
            self.last = row.number
            touched[row.question] = None
        return list(touched)

    def of(self, question: QuestionId) -> list[Decision]:
        """Return the decisions about a question that stand, rulings among them."""
        return list(self.standing.get(question, {}).values())

    def by(self, person: str, question: QuestionId) -> Decision | None:
        """Return what stands of a person's opinion, which may be a ruling."""
        found = [each for each in self.of(question) if each.person == person]
        return found[-1] if found else None

    def last_of(self, person: str) -> Decision | None:
        """Return the last decision that a person could take back; None if there is none."""
        made = self.made_by(person)
        return made[-1] if made else None

    def made_by(self, person: str) -> list[Decision]:
        """Return all decisions of a person that were not taken back, rulings among them."""
        return [each for each in self.own.get(person, {}).values() if each.outcome is not None]

    def ruling(self, question: QuestionId) -> Decision | None:
        """Return the ruling about a question, if there is one."""
        found = [each for each in self.of(question) if each.ruling]
        return found[-1] if found else None

    def holds(self, question: QuestionId) -> str | None:
        """Return the outcome that holds: the ruling, or what all say; None if there is none."""
        ruling = self.ruling(question)
        if ruling is not None:
            return ruling.outcome
        standing = self.of(question)
        return standing[0].outcome if len({meaning(each) for each in standing}) == 1 else None

    def is_conflict(self, question: QuestionId) -> bool:
        """Return whether people differ about a question, and nobody has ruled."""
        if self.ruling(question) is not None:
            return False
        return len({meaning(each) for each in self.of(question)}) > 1

    def conflicts(self) -> list[QuestionId]:
        """Return all questions that people differ about."""
        return [each for each in self.standing if self.is_conflict(each)]


def meaning(decision: Decision) -> str | None:
    """Return the outcome so that two that come to the same are equal: the order of keys is none."""
    if decision.kind != "fill" or decision.outcome is None:
        return decision.outcome
    told = json.loads(decision.outcome)
    return json.dumps([told["status"], sorted(told["keys"])])


def now() -> str:
    """Return the time as the log has it, in UTC."""
    return moment(0.0)


def moment(days: float) -> str:
    """Return the time that is some days from now."""
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="microseconds")
