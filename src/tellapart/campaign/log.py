"""The log in a campaign's database: who decided what, when, and what it replaced."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, insert, select

from tellapart.campaign.database import (
    decisions,
    digest_of,
    people,
    remarks,
    storable,
    submissions,
)
from tellapart.campaign.opinions import (
    CLOSE,
    OPEN,
    SEEN,
    SKIP,
    Decision,
    Opinions,
    QuestionId,
    now,
)
from tellapart.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tellapart.campaign.database import Database


@dataclass(frozen=True, slots=True)
class Log:
    """Reads and adds to the log; what was added is on disk when a function returns."""

    database: Database

    def news(self, decision: int = 0) -> tuple[int, list[Decision]]:
        """Return the number of the last submission, and all after a decision, often looked for."""
        with self.database.reading() as connection:
            submission, last = (number or 0 for number in connection.execute(_LAST).one())
            return submission, rows_since(connection, decision) if last > decision else []

    def since(self, number: int = 0) -> list[Decision]:
        """Return all decisions after a row, in order."""
        return self.news(number)[1]

    def remarks(self, *kinds: str) -> Sequence[Any]:
        """Return remarks of some kinds, in order, each with a name; nobody: the command line."""
        asked = select(remarks.c.kind, remarks.c.made_at, people.c.name, remarks.c.text)
        asked = asked.select_from(remarks).outerjoin(people).order_by(remarks.c.id)
        with self.database.reading() as connection:
            return connection.execute(asked.where(remarks.c.kind.in_(kinds))).all()

    def skipped(self) -> list[tuple[str, QuestionId]]:
        """Return who has put off which question, in order."""
        return [(each.name, (*json.loads(each.text),)) for each in self.remarks(SKIP)]

    def decided(self) -> dict[str, int]:
        """Return how many questions each person has decided, what was taken back left out."""
        log = Opinions()
        log.add(self.since())
        return {name: len({each.question for each in log.made_by(name)}) for name in log.own}

    def decide(
        self,
        person: str,
        question: QuestionId,
        outcome: str,
        *,
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
                kept = known.question, known.outcome, known.ruling, known.undoes
                if kept != (question, storable(outcome), ruling, None):
                    raise UsageError(_OTHER_REQUEST)
                return known
            log = Opinions()
            log.add(rows_since(connection, 0, decisions.c.digest == digest_of(*question)))
            before = log.by(person, question)
            replaces = None if before is None else before.number
            made = Decision(
                0, *question, person, now(), outcome, replaces, ruling=ruling, request=request
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

    def remark(self, person: str | None, kind: str, text: str = "") -> None:
        """Add a remark; what is done on the command line is nobody's."""
        with self.database.writing() as connection:
            number = person_row(connection, person)
            row = {"person": number, "made_at": now(), "kind": kind, "text": text}
            connection.execute(insert(remarks).values(row))

    def board_is_open(self) -> bool:
        """Return whether an organiser has opened the board to everybody."""
        return [each.kind for each in self.remarks(OPEN, CLOSE)][-1:] == [OPEN]

    def last_seen(self) -> int:
        """Return the last decision in a board that somebody else than an organiser has seen."""
        return max((int(each.text) for each in self.remarks(SEEN)), default=0)


_OTHER_REQUEST: Final = "something else was sent under the same request before; load the page again"
_ROWS: Final = (
    select(  # as a Decision has them
        decisions.c.id, decisions.c.kind, decisions.c.subject, people.c.name,
        decisions.c.made_at, decisions.c.outcome, decisions.c.replaces,
        decisions.c.undoes, decisions.c.ruling, decisions.c.request,
    )
    .join(people, people.c.id == decisions.c.person)
    .order_by(decisions.c.id)
)  # fmt: skip
_LAST: Final = select(
    *(select(func.max(table.c.id)).scalar_subquery() for table in (submissions, decisions))
)


def rows_since(connection: Connection, number: int, *conditions: Any) -> list[Decision]:
    """Return the decisions after a row, in order."""
    found = connection.execute(_ROWS.where(decisions.c.id > number, *conditions))
    return list(starmap(Decision, found))


def _of_request(connection: Connection, person: str, request: str | None) -> Decision | None:
    """Return the decision that a client has sent before under the same name."""
    if request is None:
        return None
    same = people.c.name == person, decisions.c.request == storable(request)
    return next(iter(rows_since(connection, 0, *same)), None)


def add_decision(connection: Connection, made: Decision) -> Decision:
    """Add a decision to the log; return it with the number that it has there."""
    row = {
        "kind": made.kind, "subject": made.subject, "digest": digest_of(*made.question),
        "person": person_row(connection, made.person), "made_at": made.made_at,
        "outcome": made.outcome, "replaces": made.replaces, "undoes": made.undoes,
        "ruling": made.ruling, "request": made.request,
    }  # fmt: skip
    return replace(made, number=inserted(connection, decisions, row))


def person_row(connection: Connection, name: str | None) -> int | None:
    """Return the number of a person, who is somebody new if nobody has the name; None: nobody."""
    if name is None:
        return None
    known = connection.execute(select(people.c.id).where(people.c.name == name)).scalar()
    return inserted(connection, people, {"name": name}) if known is None else int(known)


def inserted(connection: Connection, table: Any, values: Mapping[str, Any]) -> int:
    """Add a row to a table, and return its number."""
    key: Any = connection.execute(insert(table).values(dict(values))).inserted_primary_key
    return int(key[0])
