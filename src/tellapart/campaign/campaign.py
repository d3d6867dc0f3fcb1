"""A campaign: a folder with its settings and its database, which holds files, people and decisions.

Files live in the database, so that a backup is one file and nothing that a client sends is ever a
path. For reading they are laid out in a temporary folder, under names of our own.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select, update

from tellapart.campaign.database import Database, files, people, submissions
from tellapart.campaign.log import Log, inserted, last_numbers
from tellapart.campaign.opinions import now
from tellapart.campaign.settings import FILE, Settings, read_settings, write_settings
from tellapart.errors import UsageError
from tellapart.files import check_name, check_writable, make_folder

if TYPE_CHECKING:
    from sqlalchemy import Connection

ROLES: Final = ("organiser", "judge", "participant")
MOST_LETTERS: Final = 100
"""Of a person's name"""
GOLD, TEXTS, SUBMISSION = "gold", "texts", "submission"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a name in a campaign."""

    name: str
    role: str
    active: bool = True
    """Whether their link is good"""


@dataclass(frozen=True, slots=True)
class Submission:
    """What somebody sent in for a system, accepted or refused."""

    number: int
    system: str
    person: str | None
    """None: the organiser, on the command line"""
    made_at: str
    accepted: bool
    findings: tuple[str, ...]
    file: int | None
    """None if it was refused, or takes back what was accepted before"""


@dataclass(frozen=True, slots=True)
class Laid:
    """The files of a campaign on disk, for as long as they are needed."""

    gold: tuple[Path, ...]
    systems: Mapping[str, Path]
    """The last accepted submission of each system"""
    options: Mapping[str, Path]
    """Files that are options of the format, texts among them, by name"""


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign in a folder."""

    folder: str
    settings: Settings
    database: Database

    @staticmethod
    def create(
        folder: str, settings: Settings, contents: Sequence[tuple[str, str, bytes]] = ()
    ) -> Campaign:
        """Make a campaign in a folder that has none; `contents` are role, name and bytes of files.

        >>> with tempfile.TemporaryDirectory() as folder:
        ...     campaign = Campaign.create(folder, Settings("Answers", form="items"))
        ...     token = campaign.add_person("ann", "judge")
        ...     campaign.person_of(token)
        Person(name='ann', role='judge', active=True)
        """
        if Path(folder, FILE).exists():
            raise UsageError(f"{folder}: there is a campaign in this folder; give another")
        if not settings.seed:
            settings = replace(settings, seed=secrets.token_hex(8))
        campaign = Campaign(folder, settings, Database(folder, settings.database))
        if settings.database and campaign.database.exists:
            raise UsageError(
                f"{campaign.database.label}: there is something in this database; give an empty one"
            )
        make_folder(folder, private=True)  # it holds the gold answers, and who judged what
        check_writable(Path(folder, FILE))
        campaign.database.create()
        with campaign.database.writing() as connection:
            for role, name, content in contents:
                _store(connection, role, name, content)
        write_settings(folder, settings)
        return campaign

    @staticmethod
    def open(folder: str) -> Campaign:
        """Return the campaign in a folder."""
        settings = read_settings(folder)
        return Campaign(folder, settings, Database(folder, settings.database))

    @property
    def log(self) -> Log:
        """Who decided what."""
        return Log(self.database)

    # People

    def add_person(self, name: str, role: str) -> str:
        """Give a person a role and a new link; return its token, which is kept nowhere.

        A link that they had before is good for nothing from now on.
        """
        if role not in ROLES:
            raise UsageError(f"a role is {', '.join(ROLES)}, not {role!r}")
        name = name.strip()
        if not 0 < len(name) <= MOST_LETTERS or not name.isprintable():
            raise UsageError(
                f"a person has a name of up to {MOST_LETTERS} letters in one line, not {name!r}"
            )
        token = secrets.token_urlsafe(24)
        with self.database.writing() as connection:
            values = {"role": role, "token_hash": _hash(token)}
            known = connection.execute(select(people.c.id).where(people.c.name == name)).scalar()
            if known is None:
                inserted(connection, people, {"name": name, **values})
            else:
                connection.execute(update(people).where(people.c.id == known).values(values))
        return token

    def revoke(self, name: str) -> None:
        """Let a person's link be good for nothing; their decisions stay."""
        with self.database.writing() as connection:
            known = update(people).where(people.c.name == name)
            if not connection.execute(known.values(token_hash=None)).rowcount:
                raise UsageError(f"there is nobody called {name!r} in this campaign")

    def people(self) -> list[Person]:
        """Return everybody who has a link or has decided something."""
        asked = select(people.c.name, people.c.role, people.c.token_hash)
        with self.database.reading() as connection:
            rows = connection.execute(asked).all()
        # Sorted here: databases differ in the order of capitals.
        return sorted(
            (Person(name, role, hashed is not None) for name, role, hashed in rows),
            key=lambda person: person.name,
        )

    def person_of(self, token: str) -> Person | None:
        """Return whose link a token is; None if it is nobody's, or revoked."""
        hashed, found = _hash(token), None
        asked = select(people.c.name, people.c.role, people.c.token_hash).where(
            people.c.token_hash.is_not(None)
        )
        with self.database.reading() as connection:
            rows = connection.execute(asked).all()
        for name, role, known in rows:  # all of them, so that time tells nothing
            if hmac.compare_digest(known, hashed):
                found = Person(name, role)
        return found

    # Files and submissions

    def submit(
        self,
        system: str,
        name: str,
        content: bytes,
        person: str | None = None,
        findings: Sequence[str] = (),
    ) -> Submission:
        """Keep a submission that was accepted; from now on it is the one of its system."""
        check_name(system)
        with self.database.writing() as connection:
            number = _store(connection, SUBMISSION, name, content)
            return _submitted(connection, system, person, number, True, findings)

    def refuse(self, system: str, findings: Sequence[str], person: str | None = None) -> Submission:
        """Keep that a submission was refused, and why; its content is not kept."""
        with self.database.writing() as connection:
            return _submitted(connection, system, person, None, False, findings)

    def withdraw(self, system: str, person: str | None = None) -> Submission:
        """Let a system count no longer, by a row of its own; a new submission brings it back."""
        with self.database.writing() as connection:
            counting = _counting(_submissions(connection))
            if system not in counting:
                raise UsageError(f"there is no system {system!r} in this campaign")
            if len(counting) == 1:
                raise UsageError(f"{system} is the only system of this campaign; add another first")
            return _submitted(connection, system, person, None, True, ("withdrawn",))

    def submissions(self) -> list[Submission]:
        """Return all submissions, in order."""
        with self.database.reading() as connection:
            return _submissions(connection)

    def counting(self) -> dict[str, int]:
        """Return the number of the file that counts of each system, in order."""
        return _counting(self.submissions())

    def systems(self) -> list[str]:
        """Return the systems that have a submission which was accepted, in order."""
        return list(self.counting())

    def file_names(self) -> dict[int, str]:
        """Return how all files were called where they came from, by number."""
        with self.database.reading() as connection:
            rows = connection.execute(select(files.c.id, files.c.name))
            return {int(number): name for number, name in rows}

    def content(self, file: int) -> tuple[str, bytes]:
        """Return name and bytes of a file."""
        asked = select(files.c.name, files.c.content).where(files.c.id == file)
        with self.database.reading() as connection:
            row = connection.execute(asked).one_or_none()
        if row is None:
            raise UsageError(f"there is no file {file} in this campaign")
        return row.name, row.content

    def version(self) -> tuple[int, int]:
        """Return the numbers of the last submission and the last decision: what is new is seen."""
        with self.database.reading() as connection:
            submission, decision, _ = last_numbers(connection)
        return submission, decision

    @contextmanager
    def laid_out(
        self,
        more: Mapping[str, tuple[str, bytes]] | None = None,
        only: Collection[str] | None = None,
    ) -> Iterator[Laid]:
        """Put the files into a temporary folder, those of all systems or `only` of some.

        `more` are systems that were not accepted yet: how a file was called, and what is in it.
        """
        with tempfile.TemporaryDirectory() as folder:
            with self.database.reading() as connection:
                wanted = {
                    number: system
                    for system, number in _counting(_submissions(connection)).items()
                    if only is None or system in only
                }
                shared = files.c.role != SUBMISSION
                asked = select(files.c.id, files.c.role, files.c.name, files.c.content)
                rows = connection.execute(asked.where(shared | files.c.id.in_(wanted))).all()
            gold, options, systems = [], {}, {}
            for number, role, name, content in sorted(rows):
                path = Path(folder, f"file-{number}{_ending(name)}")  # a name of our own
                path.write_bytes(content)
                if role == SUBMISSION:
                    systems[wanted[number]] = path
                elif role == GOLD:
                    gold.append(path)
                else:
                    options[role] = path
            systems = {system: systems[system] for system in wanted.values()}
            for k, (system, (name, content)) in enumerate((more or {}).items()):
                systems[system] = Path(folder, f"more-{k}{_ending(name)}")
                systems[system].write_bytes(content)
            yield Laid(tuple(gold), systems, options)


def _hash(token: str) -> str:
    # Tokens are drawn at random, so that a plain hash cannot be guessed back.
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _store(connection: Connection, role: str, name: str, content: bytes) -> int:
    row = {"role": role, "name": Path(name).name, "content": content}
    return inserted(connection, files, row)


def _submitted(
    connection: Connection,
    system: str,
    person: str | None,
    file: int | None,
    accepted: bool,
    findings: Sequence[str],
) -> Submission:
    row: dict[str, Any] = {
        "system": system,
        "person": None,
        "file": file,
        "made_at": now(),
        "accepted": int(accepted),
        "findings": json.dumps(list(findings)),
    }
    if person is not None:
        asked = select(people.c.id).where(people.c.name == person)
        row["person"] = connection.execute(asked).scalar_one()
    number = inserted(connection, submissions, row)
    return Submission(number, system, person, row["made_at"], accepted, tuple(findings), file)


def _submissions(connection: Connection) -> list[Submission]:
    asked = (
        select(
            submissions.c.id, submissions.c.system, people.c.name, submissions.c.made_at,
            submissions.c.accepted, submissions.c.findings, submissions.c.file,
        )
        .outerjoin(people, people.c.id == submissions.c.person)
        .order_by(submissions.c.id)
    )  # fmt: skip
    return [
        Submission(n, system, person, at, bool(accepted), tuple(json.loads(findings)), file)
        for n, system, person, at, accepted, findings, file in connection.execute(asked)
    ]


def _ending(name: str) -> str:
    """Return the ending of a file's name, since formats look at it; nothing of it is a path."""
    ending = "".join(c for c in Path(name).suffix if c.isalnum() and c.isascii())[:12]
    return f".{ending}" if ending else ""


def _counting(made: Sequence[Submission]) -> dict[str, int]:
    """Return the file that counts of each system, in the order in which they came."""
    last = {each.system: each.file for each in made if each.accepted}
    return {system: file for system, file in last.items() if file is not None}
