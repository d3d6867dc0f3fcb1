"""The decisions of a campaign about fills and pairings, as the scorer looks them up."""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import FILE
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
    Place,
    Status,
    Subject,
)
from tellapart.formats.muc.history_files import LispError, parse_value, value_text
from tellapart.formats.muc.slots import Design
from tellapart.formats.muc.values import equal
from tellapart.writing import check_folder, note_written

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tellapart.campaign.database import Database
    from tellapart.campaign.log import Opinions


def open_campaign(
    folder: str, design: Design, *, judge: str | None = None, new: bool = False
) -> CampaignStore:
    """Return the decisions in a folder; `new` ones may be made in it, in the name of `judge`."""
    with extra_needed(folder):
        from tellapart.campaign.campaign import Campaign
        from tellapart.campaign.database import Database
    database = Campaign.open(folder).database if is_campaign(folder) else Database(folder)
    if new:
        check_folder(folder)
    elif not database.exists:
        raise DataError(
            f"{folder}: there are no decisions in this folder (no {database.path.name}); name the "
            "folder that `adjudicate --history` keeps them in, or a history file"
        )
    elif not database.url:
        with open_bytes(database.path):
            pass  # so that reports have its checksum
    store = CampaignStore(database, design, judge_name(judge) if new else "")
    store.refresh()
    return store


def is_campaign(folder: str) -> bool:
    """Return whether a folder has the settings of a campaign, and not decisions alone."""
    return Path(folder, FILE).is_file()


@contextmanager
def extra_needed(folder: str) -> Iterator[None]:
    """Turn a missing SQLAlchemy into a sentence."""
    try:
        yield
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != "sqlalchemy":
            raise
        raise UsageError(
            f"{folder}: decisions in a folder need SQLAlchemy: pip install 'tellapart[campaign]', "
            "or keep them in a history file"
        ) from None


def judge_name(judge: str | None) -> str:
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


def _opinions() -> Opinions:
    from tellapart.campaign.log import Opinions

    return Opinions()


@dataclass(slots=True)
class CampaignStore:
    """The decisions in the database of a campaign, whoever made them."""

    database: Database
    design: Design
    judge: str
    history: History = field(default_factory=History)
    warnings: tuple[str, ...] = ()
    _opinions: Opinions = field(default_factory=_opinions)
    """What stands in the log, as far as it was read"""

    def refresh(self) -> None:
        """Look again at what holds: others may have decided something."""
        if self.database.exists:
            with self.database.reading() as connection:
                if connection is not None:
                    self._catch_up(connection)
        elif self._opinions.last:
            raise DataError(
                f"{self.database.label}: the database was there when this sitting began, and is "
                "gone; put it back"
            )

    def write(self, plan: Callable[[History], Sequence[Change]]) -> None:
        """Make the changes that a plan makes of the history as it is now; on disk on return."""
        from tellapart.campaign.log import rows_since

        if not self.database.exists:
            self.refresh()
        with self.database.writing() as connection:
            self._catch_up(connection)
            changes = plan(self.history)
            for change in changes:
                self._add(connection, change)
            added = rows_since(connection, self._opinions.last, kinds=("fill", "pairing"))
        if changes:
            note_written(self.database.label)
            for change in changes:
                self.history.carry_out(change)
            self._opinions.add(added)

    def _add(self, connection: Connection, change: Change) -> None:
        """Add a decision to the log; it replaces the last one about the same thing."""
        from tellapart.campaign.log import add_decision

        question = question_of(change.subject)
        standing = self._opinions.of(question)
        add_decision(
            connection,
            self.judge,
            question,
            outcome=None if change.after is None else outcome_of(change.after),
            replaces=standing[-1].number if standing else None,
        )

    def _catch_up(self, connection: Connection) -> None:
        """Read the log on from where it was read to."""
        from tellapart.campaign.log import rows_since

        rows = rows_since(connection, self._opinions.last, kinds=("fill", "pairing"))
        for kind, subject in self._opinions.add(rows):
            outcome = self._opinions.holds((kind, subject))
            try:
                self.history.carry_out(change_of(self.design, kind, subject, outcome))
            except (ValueError, TypeError, LookupError, LispError) as problem:
                number = max(each.number for each in rows if each.question == (kind, subject))
                raise DataError(
                    f"{self.database.label}: decision {number} cannot be read ({problem}); is it "
                    "of another --slots? or restore the database from a copy"
                ) from None


def question_of(subject: Subject) -> tuple[str, str]:
    """Return the kind and the subject by which the log knows what a decision is about.

    >>> question_of(Pairing("TST3-MUC4-0001", "GE"))
    ('pairing', '{"message": "TST3-MUC4-0001", "system": "GE"}')
    """
    if isinstance(subject, Pairing):
        return "pairing", canonical({"message": subject.message, "system": subject.system})
    message, key, slot = subject.place
    response = value_text(subject.response)
    about = {"message": message, "key": key, "slot": slot, "response": response}
    return "fill", canonical(about)


def outcome_of(outcome: Outcome) -> str:
    """Return what the log keeps of an outcome.

    >>> outcome_of((("1", "2"), ("2", None)))
    '{"pairs": [["1", "2"], ["2", null]]}'
    """
    if isinstance(outcome, Entry):
        keys = [value_text(key) for key in outcome.keys]
        return canonical({"status": outcome.status, "keys": keys})
    return canonical({"pairs": outcome})


def change_of(design: Design, kind: str, subject: str, outcome: str | None) -> Change:
    """Return what a row of the log changes in a history: what holds from then on, or nothing.

    >>> from tellapart.formats.muc.slots import load_design
    >>> change_of(load_design(), "pairing", '{"message": "M1", "system": "GE"}', None)
    Change(subject=Pairing(message='M1', system='GE'), before=None, after=None)
    """
    about, found = json.loads(subject), json.loads(outcome or "null")
    if kind == "pairing":
        pairing = Pairing(about["message"], about["system"])
        pairs = tuple((key, response) for key, response in found["pairs"]) if found else None
        return Change(pairing, None, pairs)
    if about["slot"] not in design.position:
        raise ValueError(f"there is no slot {about['slot']!r}")
    place = about["message"], about["key"], about["slot"]
    fill = Fill(place, parse_value(about["response"], design))
    if not found:
        return Change(fill, None, None)
    if found["status"] not in STATUSES:
        raise ValueError(f"a decision is {', '.join(STATUSES)}")
    keys = tuple(parse_value(key, design) for key in found["keys"])
    return Change(fill, None, Entry(fill.response, cast(Status, found["status"]), keys))


@dataclass(slots=True)
class Spellings:
    """The fills that people decide about, each as it was first spelled.

    Two fills that count as equal are one question, and a log knows it by one spelling.

    >>> from tellapart.formats.muc.slots import load_design
    >>> text, place = load_design().text, ("M1", "1", "hum-tgt-desc")
    >>> known = Spellings()
    >>> known.first(Fill(place, text('"THE MEN"'))).response.text
    '"THE MEN"'
    >>> known.first(Fill(place, text('"MEN"'))).response.text
    '"THE MEN"'
    """

    _at: dict[Place, list[Fill]] = field(default_factory=dict)
    _in_log: set[Fill] = field(default_factory=set)

    def learn(self, fill: Fill) -> None:
        """Take down how the log spells a fill, which goes before how others would."""
        if fill not in self._in_log:
            self._in_log.add(fill)
            known = [each for each in self._at.get(fill.place, []) if each != fill]
            logged = [each for each in known if each in self._in_log]
            others = [each for each in known if each not in self._in_log]
            self._at[fill.place] = [*logged, fill, *others]

    def first(self, fill: Fill) -> Fill:
        """Return a fill in the spelling that is known, which is its own if none is."""
        known = self._at.setdefault(fill.place, [])
        for each in known:
            if equal(fill.response, each.response):
                return each
        known.append(fill)
        return fill
