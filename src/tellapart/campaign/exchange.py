"""Decisions in and out of a campaign: JSON, CSV, and other campaigns.

What is brought in keeps its author and its time. Nothing appears twice if it is brought in again,
and nothing that is there is replaced: where both sides differ there is a conflict.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, Final

from sqlalchemy import select

from tellapart.campaign.campaign import ROLES, Campaign
from tellapart.campaign.database import decisions, people, questions, remarks
from tellapart.campaign.items import OUTCOME
from tellapart.campaign.log import (
    Decision,
    Opinions,
    QuestionId,
    Remark,
    inserted,
    meaning,
    now,
    rows_since,
)
from tellapart.campaign.questions import BETTER, KINDS, canonical
from tellapart.campaign.settings import FILE as SETTINGS
from tellapart.campaign.settings import settings_text
from tellapart.counts.tables import table_content
from tellapart.errors import DataError, UsageError
from tellapart.files import STANDARD

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tellapart.campaign.questions import Judging
    from tellapart.files import Content


MARK: Final = "tellapart-campaign"
VERSION: Final = 1
COLUMNS: Final = (
    "number", "made_at", "person", "kind", "subject", "outcome", "replaces", "undoes", "ruling",
    "note", "request",
)  # fmt: skip
_NEEDED: Final = ("person", "kind", "subject", "outcome")
_ABOUT_QUESTIONS: Final = ("skip", "flag", "unflag", "note")


@dataclass(frozen=True, slots=True)
class Brought:
    """What comes from elsewhere, the decisions in the order in which they were made."""

    place: str
    """How messages call it"""
    decisions: Sequence[Decision]
    remarks: Sequence[Remark] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    """By person"""


@dataclass(frozen=True, slots=True)
class Joined:
    """What bringing in has done."""

    added: int
    known: int
    """Decisions that were there"""
    conflicts: int
    """Questions about which people differ now, and did not before"""
    overruled: int
    """Rulings that differ from one that is there, and are opinions now"""


# Out


def log_json(campaign: Campaign) -> str:
    """Return all decisions and remarks, and who made them, as JSON; no links."""
    held = {
        "format": MARK,
        "version": VERSION,
        "title": campaign.settings.title,
        "judging": campaign.settings.judging,
        "people": [{"name": each.name, "role": each.role} for each in campaign.people()],
        "decisions": [_as_row(each) for each in campaign.log.since()],
        "remarks": [
            {
                "made_at": each.made_at,
                "person": each.person,
                "question": None if each.question is None else _as_question(each.question),
                "kind": each.kind,
                "text": each.text,
            }
            for each in campaign.log.remarks()
        ],
    }
    return json.dumps(held, indent=1, ensure_ascii=False) + "\n"


def _as_question(question: QuestionId) -> dict[str, Any]:
    return {"kind": question[0], "subject": json.loads(question[1])}


def _as_row(each: Decision) -> dict[str, Any]:
    """Return a decision with what it is about and its outcome as values, not as texts of JSON."""
    return {
        "number": each.number,
        "made_at": each.made_at,
        "person": each.person,
        **_as_question(each.question),
        "outcome": None if each.outcome is None else json.loads(each.outcome),
        "replaces": each.replaces,
        "undoes": each.undoes,
        "ruling": each.ruling,
        "note": each.note,
        "request": each.request,
    }


def log_csv(campaign: Campaign) -> str:
    """Return all decisions as a table; what they are about and their outcomes are JSON."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for each in campaign.log.since():
        values = (
            each.number, each.made_at, each.person, each.kind, each.subject, each.outcome or "",
            each.replaces or "", each.undoes or "", int(each.ruling), each.note, each.request or "",
        )  # fmt: skip
        table.writerow(values)
    return text.getvalue()


def scores(judging: Judging) -> Content:
    """Return what the systems have by what holds now, as a table that `compare` reads."""
    counts = judging.counts()
    met = counts.judgments
    if met is None:
        return table_content(counts, STANDARD)
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("id", "model_a", "model_b", "winner"))
    rows = zip(met.items, met.first, met.second, met.points.tolist(), strict=True)
    for item, first, second, points in rows:
        won = {1.0: "model_a", 0.5: "tie", 0.0: "model_b"}[points]
        table.writerow((counts.items[item], met.names[first], met.names[second], won))
    return text.getvalue()


def backup(campaign: Campaign) -> Callable[[IO[bytes]], object]:
    """Return what writes settings and database as one archive; unpacked, it is the campaign."""
    if campaign.settings.database:
        raise UsageError(
            f"{campaign.folder}: the database of this campaign is PostgreSQL's: copy it with "
            f"pg_dump, and {SETTINGS} with it"
        )
    if not campaign.database.exists:
        raise DataError(f"{campaign.database.path}: the database is empty")
    content = campaign.database.snapshot()

    def write(stream: IO[bytes]) -> None:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in (
                (SETTINGS, settings_text(campaign.settings)),
                (campaign.database.path.name, content),
            ):
                # Without the time: the same campaign makes the same file.
                entry = zipfile.ZipInfo(name)
                entry.external_attr = 0o600 << 16
                archive.writestr(entry, text, zipfile.ZIP_DEFLATED)

    return write


# In


def read_brought(path: str, content: bytes) -> Brought | None:
    """Return the decisions in a file, JSON or CSV as exported; None if it is neither."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(
            f"{path}: the file is no text in UTF-8; give JSON, CSV or a history"
        ) from None
    if text.lstrip().startswith("{"):
        return _from_json(path, text)
    return _from_csv(path, text) if _is_table(text) else None


def brought_from(other: Campaign) -> Brought:
    """Return what another campaign has."""
    roles = {each.name: each.role for each in other.people()}
    return Brought(other.folder, other.log.since(), other.log.remarks(), roles)


def _from_json(path: str, text: str) -> Brought:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise DataError(f"{path}: this is no JSON ({problem})") from None
    if told.get("format") != MARK or not isinstance(told.get("decisions"), list):
        raise DataError(
            f"{path}: these are no decisions of a campaign; give what `tellapart campaign export "
            "--json` writes"
        )
    if told.get("version") != VERSION:
        raise DataError(f"{path}: the file was written by a newer tellapart; update this one")
    with _readable(path, "JSON"):
        found = [_decision(row, k) for k, row in enumerate(told["decisions"], 1)]
        noted = [_remark(row, k) for k, row in enumerate(told.get("remarks", ()), 1)]
        roles = {str(row["name"]): str(row["role"]) for row in told.get("people", ())}
    return Brought(path, found, noted, roles)


def _is_table(text: str) -> bool:
    first = next(iter(text.splitlines()), "")
    return set(_NEEDED) <= {cell.strip() for cell in first.split(",")}


def _from_csv(path: str, text: str) -> Brought:
    found = []
    with _readable(path, "CSV"):
        table = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        for k, row in enumerate(table, 1):
            if None in row or None in row.values():
                raise ValueError(f"row {k} has more or fewer cells than the header")
            values: dict[str, Any] = {name: cell or None for name, cell in row.items()}
            for name in ("number", "replaces", "undoes"):
                values[name] = int(values[name]) if values.get(name) else None
            for name in ("subject", "outcome"):
                values[name] = json.loads(values[name]) if values[name] else None
            values["ruling"] = values.get("ruling") in ("1", "true", "True")
            found.append(_decision(values, k))
    return Brought(path, found)


@contextmanager
def _readable(path: str, kind: str) -> Iterator[None]:
    """Make what cannot be read of a file one sentence."""
    try:
        yield
    except KeyError as problem:
        raise DataError(f"{path}: a row has no {problem}; export it again") from None
    except (ValueError, TypeError, AttributeError, csv.Error) as problem:
        raise DataError(f"{path}: the {kind} cannot be read ({problem}); export it again") from None


def _decision(row: Mapping[str, Any], number: int) -> Decision:
    person, kind = row["person"], row["kind"]
    if not isinstance(person, str) or not person.strip() or not isinstance(kind, str):
        raise ValueError(f"decision {number} has no person or no kind")
    if not isinstance(row["subject"], dict):
        raise ValueError(f"decision {number} has no subject")
    outcome = row["outcome"]
    if outcome is not None and not isinstance(outcome, dict):
        raise ValueError(f"the outcome of decision {number} is {outcome!r}")
    return Decision(
        int(row.get("number") or number),
        kind,
        canonical(row["subject"]),
        person,
        _time(row.get("made_at")),
        None if outcome is None else canonical(outcome),
        row.get("replaces"),
        str(row.get("note") or ""),
        row.get("undoes"),
        bool(row.get("ruling")),
        row.get("request"),
    )


def _time(told: Any) -> str:
    """Return a time as it is; what is none is refused, and where there is none it is now."""
    if not told:
        return now()
    if datetime.fromisoformat(told).tzinfo is None:
        raise ValueError(f"the time {told!r} has no zone")
    return str(told)


def _remark(row: Mapping[str, Any], number: int) -> Remark:
    asked = row["question"]
    question = None if asked is None else (str(asked["kind"]), canonical(asked["subject"]))
    told = (str(row["person"]), _time(row["made_at"]), str(row["kind"]), str(row["text"]))
    return Remark(number, question, *told)


def bring_in(campaign: Campaign, brought: Brought) -> Joined:
    """Add what comes from elsewhere to the log: all of it, or nothing if it does not fit."""
    check(campaign, brought)
    if campaign.settings.judging == "fills":
        brought = _respelled(campaign, brought)
    with campaign.database.writing() as connection:
        log = Opinions()
        rows = rows_since(connection, 0)
        log.add(rows)
        before = set(log.conflicts())
        joining = _Joining(connection, log, {_identity(row): row.number for row in rows})
        for each in brought.decisions:
            joining.add(each, brought.roles)
        joining.add_remarks(brought.remarks, brought.roles)
        log.add(rows_since(connection, log.last))
    new = len(set(log.conflicts()) - before)
    return Joined(joining.added, joining.known, new, joining.overruled)


def _respelled(campaign: Campaign, brought: Brought) -> Brought:
    """Return what is brought about the questions as they are here: equal fills are one question."""
    from tellapart.campaign.histories import known_as

    asked: list[Decision | Remark] = [*brought.decisions, *brought.remarks]
    known = known_as(campaign, [each.question for each in asked if each.question is not None])
    made = [
        replace(each, kind=known[each.question][0], subject=known[each.question][1])
        for each in brought.decisions
    ]
    noted = [
        each if each.question is None else replace(each, question=known[each.question])
        for each in brought.remarks
    ]
    return replace(brought, decisions=made, remarks=noted)


def _identity(each: Decision) -> tuple[str, ...]:
    """Return by what a decision is known again, whichever number it has; a ruling may be none."""
    return (*each.question, each.person, each.made_at, meaning(each) or "")


@dataclass(slots=True)
class _Joining:
    """Adds decisions to a log, with the numbers of their own."""

    connection: Connection
    log: Opinions
    numbers: dict[tuple[str, ...], int]
    """By identity"""
    added: int = 0
    known: int = 0
    overruled: int = 0
    _new: dict[int, int] = field(default_factory=dict)
    """By the number that a decision had there, the one that it has here"""
    _people: dict[str, int] = field(init=False)
    _questions: dict[QuestionId, int] = field(init=False)
    _requests: set[tuple[int, str]] = field(init=False)

    def __post_init__(self) -> None:
        run = self.connection.execute
        self._people = {name: n for n, name in run(select(people.c.id, people.c.name))}
        asked = select(questions.c.id, questions.c.kind, questions.c.subject)
        self._questions = {(kind, about): n for n, kind, about in run(asked)}
        asked_for = select(decisions.c.person, decisions.c.request)
        self._requests = {(person, told) for person, told in run(asked_for) if told is not None}

    def add(self, each: Decision, roles: Mapping[str, str]) -> None:
        """Add a decision, unless it is there."""
        known = self.numbers.get(_identity(each))
        if known is not None:
            self._new[each.number] = known
            self.known += 1
            return
        person = self._person(each.person, roles)
        ours = self.log.ruling(each.question)
        overruled = each.ruling and ours is not None and meaning(ours) != meaning(each)
        request = each.request
        if request is not None and (person, request) in self._requests:
            request = None  # what a client called something else here
        row = {
            "question": self._question(each.question),
            "person": person,
            "made_at": each.made_at,
            "outcome": each.outcome,
            "replaces": self._new.get(each.replaces or 0),
            "undoes": self._new.get(each.undoes or 0),
            "ruling": int(each.ruling and not overruled),
            "note": each.note,
            "request": request,
        }
        number = inserted(self.connection, decisions, row)
        self._new[each.number] = self.numbers[_identity(each)] = number
        if request is not None:
            self._requests.add((person, request))
        self.added += 1
        self.overruled += overruled

    def add_remarks(self, brought: Iterable[Remark], roles: Mapping[str, str]) -> None:
        """Add what people noted beside questions, unless it is there; nothing about the board."""
        run = self.connection.execute
        columns = ("question", "person", "made_at", "kind", "text")
        there = {tuple(row) for row in run(select(*(remarks.c[name] for name in columns)))}
        for each in brought:
            if each.question is None or each.kind not in _ABOUT_QUESTIONS:
                continue
            question, person = self._question(each.question), self._person(each.person, roles)
            row = (question, person, each.made_at, each.kind, each.text)
            if row not in there:
                there.add(row)
                inserted(self.connection, remarks, dict(zip(columns, row, strict=True)))

    def _person(self, name: str, roles: Mapping[str, str]) -> int:
        """Return somebody's number; who is new gets the role that they have there, and no link."""
        if name not in self._people:
            row = {"name": name, "role": roles.get(name, "judge")}
            self._people[name] = inserted(self.connection, people, row)
        return self._people[name]

    def _question(self, question: QuestionId) -> int:
        if question not in self._questions:
            kind, subject = question
            row = {"kind": kind, "subject": subject}
            self._questions[question] = inserted(self.connection, questions, row)
        return self._questions[question]


# What fits


def check(campaign: Campaign, brought: Brought) -> None:
    """Refuse decisions that this campaign could not take from its own people."""
    settings = campaign.settings
    for name, role in brought.roles.items():
        if role not in ROLES:
            raise DataError(f"{brought.place}: {name!r} is {role!r}; a role is {', '.join(ROLES)}")
    kinds = KINDS[settings.judging]
    asked: list[Decision | Remark] = [*brought.decisions, *brought.remarks]
    for question in [each.question for each in asked]:
        kind = kinds[0] if question is None else question[0]
        if kind not in kinds:
            raise DataError(
                f"{brought.place}: there is a decision about a {kind}, and this campaign asks for "
                f"a {' or a '.join(kinds)}; they cannot be joined"
            )
    for problem in _misfits(campaign, brought.decisions):
        raise DataError(f"{brought.place}: {problem}")


def _misfits(campaign: Campaign, brought: Sequence[Decision]) -> Iterator[str]:
    """Yield what is wrong with outcomes."""
    settings = campaign.settings
    if settings.judging == "fills":
        from tellapart.campaign.histories import design_of
        from tellapart.formats.templates.decision_texts import change_of
        from tellapart.formats.templates.history_files import LispError

        design = design_of(campaign)
        for each in brought:
            try:
                change_of(design, each.kind, each.subject, each.outcome)
            except (ValueError, TypeError, LookupError, LispError) as problem:
                yield f"decision {each.number} cannot be read ({problem}); is it of other slots?"
        return
    known = settings.scale if settings.judging == "rating" else BETTER
    outcomes = {canonical({OUTCOME[settings.judging]: name}) for name in known}
    for each in brought:
        if each.outcome is not None and each.outcome not in outcomes:
            yield (
                f"decision {each.number} is {each.outcome}, and the answers of this campaign are "
                f"{', '.join(known)}; join campaigns of one scale"
            )
