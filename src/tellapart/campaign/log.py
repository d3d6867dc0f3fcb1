"""The log of a campaign: who decided what, when, and what it replaced; nothing is overwritten.

A decision stands until a later row replaces it. Where all that stand about a question agree, or an
organiser has ruled, that is what holds; where they differ there is a conflict, and nothing holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, insert, select

from tellapart.campaign.database import decisions, people, questions, remarks, storable

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tellapart.campaign.database import Database

QuestionId = tuple[str, str]
"""Kind and subject"""


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
    note: str = ""
    undoes: int | None = None
    ruling: bool = False
    request: str | None = None

    @property
    def question(self) -> QuestionId:
        """What it is about."""
        return self.kind, self.subject


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a person noted beside a question, or about the campaign."""

    number: int
    question: QuestionId | None
    person: str
    made_at: str
    kind: str
    """skip, flag, unflag, note; open-board, close-board"""
    text: str


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


@dataclass(frozen=True, slots=True)
class Log:
    """Reads and adds to the log; what was added is on disk when a function returns."""

    database: Database

    def since(self, number: int = 0) -> list[Decision]:
        """Return all decisions after a row, in order."""
        with self.database.reading() as connection:
            return [] if connection is None else rows_since(connection, number)

    def decide(
        self,
        person: str,
        question: QuestionId,
        outcome: str,
        *,
        note: str = "",
        request: str | None = None,
        ruling: bool = False,
    ) -> Decision:
        """Add a decision, which replaces the person's own about the same question.

        One with the `request` of an earlier one is that one: nothing is added.
        """
        with self.database.writing() as connection:
            known = _of_request(connection, person, request)
            if known is not None:
                return known
            before = [d for d in _standing(connection, question) if d.person == person]
            return add_decision(
                connection, person, question, outcome=outcome, note=note, request=request,
                ruling=ruling, replaces=before[-1].number if before else None,
            )  # fmt: skip

    def of_request(self, person: str, request: str | None) -> Decision | None:
        """Return the decision that a client has sent before under the same name, if any."""
        with self.database.reading() as connection:
            return None if connection is None else _of_request(connection, person, request)

    def decide_all(self, person: str, outcomes: Mapping[QuestionId, str]) -> int:
        """Add a person's decisions, all of them or none; return how many were not theirs yet."""
        with self.database.writing() as connection:
            who = _person(connection, person)
            own = Opinions()
            own.add(rows_since(connection, 0, decisions.c.person == who))
            standing = {question: own.by(person, question) for question in outcomes}
            new = {
                question: outcome
                for question, outcome in outcomes.items()
                if (known := standing[question]) is None or known.outcome != outcome
            }
            numbers = _questions(connection, new)
            rows = [
                {
                    "question": numbers[question],
                    "person": who,
                    "made_at": now(),
                    "outcome": outcome,
                    "replaces": None if (known := standing[question]) is None else known.number,
                }
                for question, outcome in new.items()
            ]
            if rows:
                connection.execute(insert(decisions), rows)
        return len(rows)

    def undo(self, person: str, request: str | None = None) -> Decision | None:
        """Take back the person's last decision that is not taken back yet; None if there is none.

        What they had decided about the same question before holds again, a ruling as a ruling.
        """
        with self.database.writing() as connection:
            known = _of_request(connection, person, request)
            if known is not None:
                return known
            log = Opinions()
            rows = rows_since(connection, 0, decisions.c.person == _person(connection, person))
            log.add(rows)
            own = [each for each in log.own.get(person, {}).values() if each.outcome is not None]
            if not own:
                return None
            last = own[-1]
            earlier = {each.number: each for each in rows}.get(last.replaces or 0)
            stands = log.by(person, last.question)
            return add_decision(
                connection, person, last.question, request=request, undoes=last.number,
                outcome=None if earlier is None else earlier.outcome,
                ruling=earlier is not None and earlier.ruling,
                replaces=None if stands is None else stands.number,
            )  # fmt: skip

    def remark(self, person: str, question: QuestionId | None, kind: str, text: str = "") -> None:
        """Add a remark: skip, flag, unflag or note; about the campaign, open- or close-board."""
        with self.database.writing() as connection:
            row = {
                "question": None if question is None else _question(connection, question),
                "person": _person(connection, person),
                "made_at": now(),
                "kind": kind,
                "text": text,
            }
            connection.execute(insert(remarks).values(row))

    def last_remark(self, kinds: Sequence[str]) -> Remark | None:
        """Return the last remark of some kinds, if there is one."""
        asked = select(func.max(remarks.c.id)).where(remarks.c.kind.in_(kinds))
        with self.database.reading() as connection:
            last = None if connection is None else connection.execute(asked).scalar()
        return None if last is None else self.remarks(last - 1)[0]

    def remarks(self, after: int = 0) -> list[Remark]:
        """Return all remarks after a row, in order."""
        with self.database.reading() as connection:
            return [] if connection is None else remarks_since(connection, after)


def meaning(decision: Decision) -> str | None:
    """Return the outcome so that two that come to the same are equal: the order of keys is none."""
    if decision.kind != "fill" or decision.outcome is None:
        return decision.outcome
    told = json.loads(decision.outcome)
    return json.dumps([told["status"], sorted(told["keys"])])


def now() -> str:
    """Return the time as the log has it, in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


_ROWS: Final = (
    select(
        decisions.c.id, questions.c.kind, questions.c.subject, people.c.name,
        decisions.c.made_at, decisions.c.outcome, decisions.c.replaces, decisions.c.note,
        decisions.c.undoes, decisions.c.ruling, decisions.c.request,
    )
    .join(questions, questions.c.id == decisions.c.question)
    .join(people, people.c.id == decisions.c.person)
    .order_by(decisions.c.id)
)  # fmt: skip


def rows_since(
    connection: Connection, number: int, *conditions: Any, kinds: Sequence[str] = ()
) -> list[Decision]:
    """Return the decisions after a row, in order; of some kinds of questions only."""
    if kinds:
        conditions = (*conditions, questions.c.kind.in_(kinds))
    asked = _ROWS.where(decisions.c.id > number, *conditions)
    return [
        Decision(n, kind, subject, person, at, outcome, old, note or "", undoes, bool(rule), req)
        for n, kind, subject, person, at, outcome, old, note, undoes, rule, req in (
            connection.execute(asked)
        )
    ]


def remarks_since(connection: Connection, after: int) -> list[Remark]:
    """Return the remarks after a row, in order."""
    asked = (
        select(
            remarks.c.id, questions.c.kind.label("asked"), questions.c.subject, people.c.name,
            remarks.c.made_at, remarks.c.kind, remarks.c.text,
        )
        .join(people, people.c.id == remarks.c.person)
        .outerjoin(questions, questions.c.id == remarks.c.question)
        .where(remarks.c.id > after)
        .order_by(remarks.c.id)
    )  # fmt: skip
    return [
        Remark(n, None if asked is None else (asked, subject), person, at, kind, text)
        for n, asked, subject, person, at, kind, text in connection.execute(asked)
    ]


def _standing(connection: Connection, question: QuestionId) -> list[Decision]:
    log = Opinions()
    kind, subject = question
    asked = questions.c.kind == kind, questions.c.subject == subject
    log.add(rows_since(connection, 0, *asked))
    return log.of(question)


def _of_request(connection: Connection, person: str, request: str | None) -> Decision | None:
    """Return the decision that a client has sent before under the same name."""
    if request is None:
        return None
    who = people.c.name == person
    found = rows_since(connection, 0, who, decisions.c.request == request)
    return found[0] if found else None


def add_decision(
    connection: Connection, person: str, question: QuestionId, *, outcome: str | None,
    replaces: int | None = None, note: str = "", undoes: int | None = None, ruling: bool = False,
    request: str | None = None,
) -> Decision:  # fmt: skip
    """Add a row to the log; return it."""
    note, request = storable(note), None if request is None else storable(request)
    row = {
        "question": _question(connection, question), "person": _person(connection, person),
        "made_at": now(), "outcome": outcome, "replaces": replaces, "note": note or None,
        "undoes": undoes, "ruling": int(ruling), "request": request,
    }  # fmt: skip
    number = inserted(connection, decisions, row)
    return Decision(
        number, *question, person, str(row["made_at"]), outcome, replaces, note, undoes, ruling,
        request,
    )  # fmt: skip


def _question(connection: Connection, question: QuestionId) -> int:
    kind, subject = question
    return _row(connection, questions, kind=kind, subject=subject)


def _questions(connection: Connection, wanted: Iterable[QuestionId]) -> dict[QuestionId, int]:
    """Return the numbers of many questions, which are made where there are none."""
    asked = select(questions.c.kind, questions.c.subject, questions.c.id)
    known = {(kind, subject): number for kind, subject, number in connection.execute(asked)}
    new = [
        {"kind": kind, "subject": subject}
        for kind, subject in wanted
        if (kind, subject) not in known
    ]
    if new:
        connection.execute(insert(questions), new)
        known = {(kind, subject): number for kind, subject, number in connection.execute(asked)}
    return known


def _person(connection: Connection, name: str) -> int:
    return _row(connection, people, name=name)


def _row(connection: Connection, table: Any, **values: str) -> int:
    """Return the number of the row that has some values, which is made if there is none."""
    known = connection.execute(select(table.c.id).filter_by(**values)).scalar()
    if known is not None:
        return int(known)
    return inserted(connection, table, values)


def inserted(connection: Connection, table: Any, values: Mapping[str, Any]) -> int:
    """Add a row to a table, and return its number."""
    key: Any = connection.execute(insert(table).values(dict(values))).inserted_primary_key
    return int(key[0])
