"""The decisions of a campaign about fills and pairings, as the scorer looks them up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.campaign.questions import KINDS
from tellapart.campaign.settings import FILE
from tellapart.errors import DataError, UsageError
from tellapart.files import check_folder, open_bytes
from tellapart.formats.templates.decision_texts import Spellings, change_of, outcome_of, question_of
from tellapart.formats.templates.decisions import logged_in
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import Change, Fill, History, Subject, agree
from tellapart.formats.templates.history_files import LispError
from tellapart.formats.templates.history_store import OvertakenError
from tellapart.words import several

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tellapart.campaign.database import Database
    from tellapart.campaign.log import Decision, Opinions


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
    judge = logged_in() if judge is None else judge
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
    _opinions: Opinions = field(default_factory=_opinions)
    """What stands in the log, as far as it was read"""
    _spellings: Spellings = field(default_factory=Spellings)

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

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the decisions, though they can be worked on."""
        conflicts = len(self._opinions.conflicts())
        if not conflicts:
            return ()
        return (
            f"{self.database.folder}: people differ about {several(conflicts, 'question')}, which "
            "count as undecided until somebody rules",
        )

    def write(self, plan: Callable[[History], Sequence[Change]], *, own: bool = True) -> None:
        """Make the changes that a plan makes of the history as it is now; on disk on return.

        What is not the person's `own` has a note that says so.
        """
        if not self.database.exists:
            self.refresh()
        with self.database.writing() as connection:
            self._catch_up(connection)
            changes = plan(self.history)
            for change in changes:
                self._add(connection, change, "" if own else "merged from another history")
            added = self._rows(connection)
        if changes:
            self._take(added)

    def undo(self) -> Subject | None:
        """Take back the person's last decision, wherever it was made; return what it was about."""
        from tellapart.campaign.log import Log

        self.refresh()
        if not self.database.exists:
            return None
        made = Log(self.database).undo(self.judge)
        if made is None:
            return None
        subject = change_of(self.design, made.kind, made.subject, None).subject
        before = self.history.decided(subject)
        self.refresh()
        now = self.history.decided(subject)
        if now is not None and agree(now, before):
            raise OvertakenError(now)  # by somebody else, and goes on to hold
        return subject

    def _add(self, connection: Connection, change: Change, note: str) -> None:
        """Add a decision to the log, which replaces the person's own about the same thing.

        Where it is to hold instead of what others decided, it is a ruling: theirs are not touched.
        """
        from tellapart.campaign.log import add_decision

        about = change.subject
        question = question_of(self._spellings.first(about) if isinstance(about, Fill) else about)
        standing = self._opinions.of(question)
        own = [each.number for each in standing if each.person == self.judge]
        taken_back = change.after is None
        if taken_back and not own:
            raise UsageError("this was decided by somebody else, who alone can take it back")
        add_decision(
            connection,
            self.judge,
            question,
            outcome=None if change.after is None else outcome_of(change.after),
            replaces=own[-1] if own else None,
            undoes=own[-1] if taken_back else None,
            ruling=not taken_back and change.before is not None and len(standing) > len(own),
            note=note,
        )

    def _rows(self, connection: Connection) -> list[Decision]:
        """Return the rows after those that were read."""
        from tellapart.campaign.log import rows_since

        return rows_since(connection, self._opinions.last, kinds=KINDS["fills"])

    def _catch_up(self, connection: Connection) -> None:
        self._take(self._rows(connection))

    def _take(self, rows: Sequence[Decision]) -> None:
        """Let hold what rows of the log make of the questions that they are about."""
        for kind, subject in self._opinions.add(rows):
            outcome = self._opinions.holds((kind, subject))
            try:
                change = change_of(self.design, kind, subject, outcome)
                if isinstance(change.subject, Fill):
                    self._spellings.learn(change.subject)
                self.history.carry_out(change)
            except (ValueError, TypeError, LookupError, LispError) as problem:
                number = max(each.number for each in rows if each.question == (kind, subject))
                raise DataError(
                    f"{self.database.label}: decision {number} cannot be read ({problem}); is it "
                    "of another --slots? or restore the database from a copy"
                ) from None
