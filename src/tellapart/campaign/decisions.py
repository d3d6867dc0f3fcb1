"""The decisions of a campaign about fills and pairings, as the scorer looks them up."""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from tellapart.errors import DataError, UsageError
from tellapart.files import open_bytes
from tellapart.formats.muc.history import (
    STATUSES,
    Change,
    Entry,
    Fill,
    History,
    Outcome,
    Pairing,
    Status,
    Subject,
)
from tellapart.formats.muc.history_files import LispError, parse_value, value_text
from tellapart.formats.muc.slots import Design
from tellapart.writing import check_folder, note_written

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tellapart.campaign.database import Database


def open_campaign(
    folder: str, design: Design, *, judge: str | None = None, new: bool = False
) -> CampaignStore:
    """Return the decisions in a folder; `new` ones may be made in it, in the name of `judge`."""
    try:
        from tellapart.campaign.database import Database
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != "sqlalchemy":
            raise
        raise UsageError(
            f"{folder}: decisions in a folder need SQLAlchemy: pip install 'tellapart[campaign]', "
            "or keep them in a history file"
        ) from None
    database = Database(folder)
    if new:
        check_folder(folder)
    elif not database.exists:
        raise DataError(
            f"{folder}: there are no decisions in this folder (no {database.path.name}); name the "
            "folder that `adjudicate --history` keeps them in, or a history file"
        )
    else:
        with open_bytes(database.path):
            pass  # so that reports have its checksum
    store = CampaignStore(database, design, _name(judge) if new else "")
    store.refresh()
    return store


def _name(judge: str | None) -> str:
    """Return who decides: the one named, or else who is logged in."""
    if judge is None:
        with suppress(KeyError, OSError, ImportError):
            judge = getpass.getuser()
    if not judge or not judge.strip():
        raise UsageError("the decisions are kept with who made them: give --judge NAME")
    try:
        judge.encode()
    except UnicodeEncodeError:
        raise UsageError(f"--judge {judge!r} is not text; give another name") from None
    return judge.strip()


@dataclass(slots=True)
class CampaignStore:
    """The decisions in the database of a campaign, whoever made them."""

    database: Database
    design: Design
    judge: str
    history: History = field(default_factory=History)
    warnings: tuple[str, ...] = ()
    _seen: int = 0
    """The last row of the log that the history has"""

    def refresh(self) -> None:
        """Look again at what holds: others may have decided something."""
        if self.database.exists:
            with self.database.reading() as connection:
                if connection is not None:
                    self._catch_up(connection)
        elif self._seen:
            raise DataError(
                f"{self.database.path}: the database was there when this sitting began, and is "
                "gone; put it back"
            )

    def write(self, plan: Callable[[History], Sequence[Change]]) -> None:
        """Make the changes that a plan makes of the history as it is now; on disk on return."""
        if not self.database.exists:
            self.refresh()
        seen = self._seen
        with self.database.writing() as connection:
            self._catch_up(connection)
            changes = plan(self.history)
            person = _person(connection, self.judge) if changes else 0
            for change in changes:
                seen = _added(connection, change, person)
        if changes:
            note_written(self.database.path)
            for change in changes:
                self.history.carry_out(change)
            self._seen = seen

    def _catch_up(self, connection: Connection) -> None:
        """Read the log on from where it was read to."""
        from sqlalchemy import select

        from tellapart.campaign.database import decisions, questions

        rows = connection.execute(
            select(decisions.c.id, questions.c.kind, questions.c.subject, decisions.c.outcome)
            .join_from(decisions, questions)
            .where(decisions.c.id > self._seen)
            .where(questions.c.kind.in_(("fill", "pairing")))
            .order_by(decisions.c.id)
        )
        for number, kind, subject, outcome in rows:
            try:
                self.history.carry_out(self._change(kind, subject, outcome))
            except (ValueError, TypeError, LookupError, LispError) as problem:
                raise DataError(
                    f"{self.database.path}: decision {number} cannot be read ({problem}); is it of "
                    "another --slots? or restore the database from a copy"
                ) from None
            self._seen = number

    def _change(self, kind: str, subject: str, outcome: str | None) -> Change:
        about, found = json.loads(subject), json.loads(outcome or "null")
        if kind == "pairing":
            pairing = Pairing(about["message"], about["system"])
            pairs = tuple((key, response) for key, response in found["pairs"]) if found else None
            return Change(pairing, None, pairs)
        if about["slot"] not in self.design.position:
            raise ValueError(f"there is no slot {about['slot']!r}")
        fill = Fill(
            (about["message"], about["key"], about["slot"]),
            parse_value(about["response"], self.design),
        )
        if not found:
            return Change(fill, None, None)
        if found["status"] not in STATUSES:
            raise ValueError(f"a decision is {', '.join(STATUSES)}")
        keys = tuple(parse_value(key, self.design) for key in found["keys"])
        return Change(fill, None, Entry(fill.response, cast(Status, found["status"]), keys))


def _added(connection: Connection, change: Change, person: int) -> int:
    """Add a decision to the log, and return its number."""
    from sqlalchemy import func, insert, select

    from tellapart.campaign.database import decisions

    question = _question(connection, change.subject)
    last = select(func.max(decisions.c.id)).where(decisions.c.question == question)
    row = {
        "question": question,
        "person": person,
        "made_at": datetime.now(UTC).isoformat(timespec="microseconds"),
        "outcome": None if change.after is None else _json(_told(change.after)),
        "replaces": connection.execute(last).scalar(),
    }
    return _key(connection.execute(insert(decisions).values(row)))


def _question(connection: Connection, subject: Subject) -> int:
    from tellapart.campaign.database import questions

    if isinstance(subject, Pairing):
        about = {"message": subject.message, "system": subject.system}
        return _row(connection, questions, kind="pairing", subject=_json(about))
    message, key, slot = subject.place
    response = value_text(subject.response)
    about = {"message": message, "key": key, "slot": slot, "response": response}
    return _row(connection, questions, kind="fill", subject=_json(about))


def _person(connection: Connection, name: str) -> int:
    from tellapart.campaign.database import people

    return _row(connection, people, name=name)


def _row(connection: Connection, table: Any, **values: str) -> int:
    """Return the number of the row that has some values, which is made if there is none."""
    from sqlalchemy import insert, select

    known = connection.execute(select(table.c.id).filter_by(**values)).scalar()
    return known if known is not None else _key(connection.execute(insert(table).values(values)))


def _key(inserted: Any) -> int:
    return int(inserted.inserted_primary_key[0])


def _told(outcome: Outcome) -> dict[str, object]:
    if isinstance(outcome, Entry):
        return {"status": outcome.status, "keys": [value_text(key) for key in outcome.keys]}
    return {"pairs": outcome}


def _json(value: object) -> str:
    """Return the one way to write something as JSON, in ASCII."""
    return json.dumps(value, sort_keys=True)
