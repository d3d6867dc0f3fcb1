"""The log in a campaign's database: who decided what, when, and what it replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, insert, select

from tellapart.campaign.database import (
    decisions,
    digest_of,
    people,
    questions,
    remarks,
    storable,
    submissions,
)
from tellapart.campaign.opinions import CLOSE, OPEN, SEEN, SKIP, Decision, Opinions, QuestionId, now
from tellapart.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tellapart.campaign.database import Database


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a person noted beside a question, or about the campaign."""

    number: int
    question: QuestionId | None
    person: str
    made_at: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Log:
    """Reads and adds to the log; what was added is on disk when a function returns."""

    database: Database

    def news(self, decision: int = 0) -> tuple[int, list[Decision]]:
        """Return the number of the last submission, and all after a decision, often looked for."""
        with self.database.reading() as connection:
            submission, last = last_numbers(connection)
            return submission, rows_since(connection, decision) if last > decision else []

    def since(self, number: int = 0) -> list[Decision]:
        """Return all decisions after a row, in order."""
        with self.database.reading() as connection:
            return rows_since(connection, number)

    def remarks(self) -> list[Remark]:
        """Return all remarks, in order."""
        with self.database.reading() as connection:
            return [
                Remark(n, None if asked is None else (asked, subject), person, at, kind, text)
                for n, asked, subject, person, at, kind, text in connection.execute(_REMARKS)
            ]

    def skipped(self) -> list[tuple[str, QuestionId]]:
        """Return who has put off which question, in order."""
        return [(e.person, e.question) for e in self.remarks() if e.kind == SKIP and e.question]

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

        One with the `request` of an earlier one is that one, and nothing is added; if it says
        something else, it is refused.
        """
        with self.database.writing() as connection:
            known = _of_request(connection, person, request)
            if known is not None:
                sent = digest_of(*question), storable(outcome), storable(note), ruling, None
                kept = digest_of(*known.question), known.outcome, known.note, known.ruling
                if (*kept, known.undoes) != sent:
                    raise UsageError(_OTHER_REQUEST)
                return known
            log = Opinions()
            log.add(rows_since(connection, 0, questions.c.digest == digest_of(*question)))
            before = log.by(person, question)
            replaces = None if before is None else before.number
            made = Decision(
                0, *question, person, now(), outcome, replaces, note, ruling=ruling, request=request
            )
            return add_decision(connection, made)

    def undo(self, person: str, request: str | None = None) -> Decision | None:
        """Take back the person's last decision that is not taken back yet; None if there is none.

        What they had decided about the same question before holds again, a ruling as a ruling.
        """
        with self.database.writing() as connection:
            known = _of_request(connection, person, request)
            if known is not None:
                if known.undoes is None:
                    raise UsageError(_OTHER_REQUEST)
                return known
            log = Opinions()
            rows = rows_since(connection, 0, people.c.name == person)
            log.add(rows)
            last = log.last_of(person)
            if last is None:
                return None
            earlier = {each.number: each for each in rows}.get(last.replaces or 0)
            stands = log.by(person, last.question)
            made = Decision(
                0, *last.question, person, now(), None if earlier is None else earlier.outcome,
                None if stands is None else stands.number, undoes=last.number,
                ruling=earlier is not None and earlier.ruling, request=request,
            )  # fmt: skip
            return add_decision(connection, made)

    def remark(self, person: str, question: QuestionId | None, kind: str, text: str = "") -> None:
        """Add a remark; those about the campaign itself have no question."""
        with self.database.writing() as connection:
            row = {
                "question": None if question is None else _question(connection, question),
                "person": _person(connection, person),
                "made_at": now(),
                "kind": kind,
                "text": text,
            }
            connection.execute(insert(remarks).values(row))

    def board_is_open(self) -> bool:
        """Return whether an organiser has opened the board to everybody."""
        asked = select(remarks.c.kind).where(remarks.c.kind.in_((OPEN, CLOSE)))
        with self.database.reading() as connection:
            return connection.execute(asked.order_by(remarks.c.id.desc())).scalar() == OPEN

    def last_seen(self) -> int:
        """Return the last decision in a board that somebody else than an organiser has seen."""
        asked = select(remarks.c.text).where(remarks.c.kind == SEEN)
        with self.database.reading() as connection:
            return max(map(int, connection.execute(asked).scalars()), default=0)


_OTHER_REQUEST: Final = (
    "something else was sent under the same request before; load the page, and send it again"
)
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
_REMARKS: Final = (
    select(
        remarks.c.id, questions.c.kind.label("asked"), questions.c.subject, people.c.name,
        remarks.c.made_at, remarks.c.kind, remarks.c.text,
    )
    .join(people, people.c.id == remarks.c.person)
    .outerjoin(questions, questions.c.id == remarks.c.question)
    .order_by(remarks.c.id)
)  # fmt: skip
_LAST: Final = select(
    *(select(func.max(table.c.id)).scalar_subquery() for table in (submissions, decisions))
)


def last_numbers(connection: Connection) -> tuple[int, int]:
    """Return the numbers of the last submission and decision."""
    submission, decision = connection.execute(_LAST).one()
    return submission or 0, decision or 0


def rows_since(connection: Connection, number: int, *conditions: Any) -> list[Decision]:
    """Return the decisions after a row, in order."""
    found = connection.execute(_ROWS.where(decisions.c.id > number, *conditions))
    return [
        Decision(n, kind, subject, person, at, outcome, old, note, undoes, bool(ruling), request)
        for n, kind, subject, person, at, outcome, old, note, undoes, ruling, request in found
    ]


def _of_request(connection: Connection, person: str, request: str | None) -> Decision | None:
    """Return the decision that a client has sent before under the same name."""
    if request is None:
        return None
    same = people.c.name == person, decisions.c.request == storable(request)
    return next(iter(rows_since(connection, 0, *same)), None)


def add_decision(connection: Connection, made: Decision) -> Decision:
    """Add a decision to the log; return it with the number that it has there."""
    row = asdict(made) | {
        "question": _question(connection, made.question),
        "person": _person(connection, made.person),
        "ruling": int(made.ruling),
    }
    for name in ("number", "kind", "subject"):
        del row[name]
    number = inserted(connection, decisions, row)
    return next(iter(rows_since(connection, number - 1, decisions.c.id == number)))


def _question(connection: Connection, question: QuestionId) -> int:
    kind, subject = question
    return _row(connection, questions, "digest", digest_of(*question), kind=kind, subject=subject)


def _person(connection: Connection, name: str) -> int:
    return _row(connection, people, "name", name)


def _row(connection: Connection, table: Any, key: str, value: str, **more: str) -> int:
    """Return the number of the row that has a value, which is made if there is none."""
    known = connection.execute(select(table.c.id).where(table.c[key] == value)).scalar()
    return inserted(connection, table, {key: value, **more}) if known is None else int(known)


def inserted(connection: Connection, table: Any, values: Mapping[str, Any]) -> int:
    """Add a row to a table, and return its number."""
    key: Any = connection.execute(insert(table).values(dict(values))).inserted_primary_key
    return int(key[0])
