"""A campaign: a folder with its settings and its database, which holds files, people and decisions.

Files live in the database, so that a backup is one file and nothing that a client sends is ever a
path. For reading they are laid out in a temporary folder, under names of our own.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from tellapart.campaign.database import (
    Database,
    files,
    people,
    submissions,
    visits,
)
from tellapart.campaign.log import Log, inserted, person_row
from tellapart.campaign.opinions import moment, now
from tellapart.campaign.settings import FILE, Settings, read_settings, write_settings
from tellapart.errors import UsageError
from tellapart.files import check_writable, make_folder
from tellapart.words import several

if TYPE_CHECKING:
    from sqlalchemy import Connection

ROLES: Final = ("organiser", "judge", "participant")
MOST_LETTERS: Final = 100
"""Of a person's name"""
VISIT_DAYS: Final = 30.0
"""How long a browser remembers who logged in"""
TRIES: Final = 4
"""So many times the submissions of a day may be sent and refused: nobody probes for ever"""
GOLD, TEXTS, SUBMISSION = "gold", "texts", "submission"
_ALIKE: Final = str.maketrans(
    "авгеікмнорстухһјѕԁԛԝ" + "αβεηικμνορτυχζ",
    "abreikmhopctyxhjsdqw" + "abehikmvoptyxz",
)
"""Letters of Cyrillic and Greek, and the Latin ones that they, or their capitals, look like"""


class TooMany(UsageError):  # noqa: N818 (read as a sentence where it is caught)
    """A participant has sent as much as a day allows."""


class Taken(UsageError):  # noqa: N818
    """A system is somebody else's."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a name in a campaign."""

    name: str
    role: str
    active: bool = True
    """Whether their link is good"""
    ends_at: str | None = None
    """Until when it is; None: until it is revoked"""


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
    file_name: str = ""
    """How it was called where it came from"""
    ours: bool = False
    """Whether an organiser gave it: inputs, gold answers and labels are theirs"""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that somebody sent, under the name that messages give it."""

    system: str
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Laid:
    """The files of a campaign on disk, for as long as they are needed."""

    gold: tuple[Path, ...]
    systems: Mapping[str, Path]
    """The last accepted submission of each system"""
    options: Mapping[str, Path]
    """Files that are options of the format, texts among them, by name"""
    trusted: frozenset[str] = frozenset()
    """The systems whose files organisers gave"""


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
        Person(name='ann', role='judge', active=True, ends_at=None)
        """
        if Path(folder, FILE).exists():
            raise UsageError(f"{folder}: there is a campaign here; give another folder")
        if not settings.seed:
            settings = replace(settings, seed=secrets.token_hex(8))
        campaign = Campaign(folder, settings, Database(folder, settings.database))
        make_folder(folder, private=True)  # it holds the gold answers, and who judged what
        check_writable(Path(folder, FILE))
        campaign.database.create()
        with campaign.database.writing() as connection:
            for role, name, content in contents:
                inserted(connection, files, {"role": role, "name": name, "content": content})
        write_settings(folder, settings)
        return campaign

    @staticmethod
    def open(folder: str) -> Campaign:
        """Return the campaign in a folder."""
        settings = read_settings(folder)
        campaign = Campaign(folder, settings, Database(folder, settings.database))
        campaign.database.check()
        return campaign

    @property
    def log(self) -> Log:
        """Who decided what."""
        return Log(self.database)

    # People

    def add_person(self, name: str, role: str, days: float | None = None) -> str:
        """Give a person a role and a new link, perhaps for some days; return its token.

        The token is kept nowhere. A link that they had before is good for nothing from now on.
        """
        if role not in ROLES:
            raise UsageError(f"a role is {', '.join(ROLES)}, not {role!r}")
        name, token = checked_name(name, MOST_LETTERS), secrets.token_urlsafe(24)
        values = {
            "looks": looks_of(name), "role": role, "token_hash": _hash(token),
            "ends_at": None if days is None else moment(days),
        }  # fmt: skip
        with self.database.writing() as connection:
            number = person_row(connection, name)
            try:
                connection.execute(update(people).where(people.c.id == number).values(values))
            except IntegrityError:
                raise UsageError(
                    f"there is somebody whose name looks like {name!r}; give another"
                ) from None
            connection.execute(delete(visits).where(visits.c.person == number))
        return token

    def first_organiser(self) -> dict[str, str]:
        """Make an organiser if there is none with a link; return the name with its token."""
        people = self.people()
        if any(each.active and each.role == "organiser" for each in people):
            return {}
        others = {each.name for each in people if each.active}
        names = chain(["organiser"], (f"organiser {k}" for k in count(2)))
        name = next(name for name in names if name not in others)
        return {name: self.add_person(name, "organiser")}

    def revoke(self, name: str) -> None:
        """Let a person's link be good for nothing; their decisions stay."""
        ended = update(people).where(people.c.name == name).values(token_hash=None)
        with self.database.writing() as connection:
            if not connection.execute(ended).rowcount:
                raise UsageError(f"there is nobody called {name!r} in this campaign")

    def people(self) -> list[Person]:
        """Return everybody who has a link or has decided something."""
        asked = select(people.c.name, people.c.role, people.c.token_hash, people.c.ends_at)
        with self.database.reading() as connection:
            rows = connection.execute(asked).all()
        found = [
            Person(name, role, hashed is not None and (end is None or end > now()), end)
            for name, role, hashed, end in rows
        ]
        # Sorted here: databases differ in the order of capitals.
        return sorted(found, key=lambda person: person.name)

    def person_of(self, token: str) -> Person | None:
        """Return whose link a token is; None if it is nobody's, revoked or over."""
        with self.database.reading() as connection:
            return _with_link(connection, people.c.token_hash == _hash(token))

    def enter(self, token: str) -> str | None:
        """Begin a visit by a link; return its secret, which a browser keeps, None if it is wrong.

        It is over after VISIT_DAYS, when the visitor leaves, and when the link is.
        """
        person, secret = self.person_of(token), secrets.token_urlsafe(24)
        if person is None:
            return None
        with self.database.writing() as connection:
            row = {"person": person_row(connection, person.name), "ends_at": moment(VISIT_DAYS)}
            connection.execute(insert(visits).values(secret_hash=_hash(secret), **row))
            connection.execute(delete(visits).where(visits.c.ends_at < now()))
        return secret

    def visitor(self, secret: str) -> Person | None:
        """Return whose visit a secret is; None if it is over."""
        theirs = select(visits.c.person).where(
            visits.c.secret_hash == _hash(secret), visits.c.ends_at > now()
        )
        with self.database.reading() as connection:
            return _with_link(connection, people.c.id.in_(theirs))

    def leave(self, secret: str) -> None:
        """End a visit, if it is one: strangers write nothing."""
        if self.visitor(secret) is not None:
            with self.database.writing() as connection:
                connection.execute(delete(visits).where(visits.c.secret_hash == _hash(secret)))

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
        with self.database.writing() as connection:
            called = _owned(connection, system, person)
            row = {"role": SUBMISSION, "name": Path(name).name, "content": content}
            number = inserted(connection, files, row)
            return self._submitted(connection, called, person, number, True, findings)

    def refuse(self, system: str, findings: Sequence[str], person: str | None = None) -> Submission:
        """Keep that a submission was refused, and why; its content is not kept."""
        with self.database.writing() as connection:
            return self._submitted(connection, system, person, None, False, findings)

    def check_turns(self, person: str) -> int:
        """Refuse more submissions of a participant than a day allows; return how many are left."""
        with self.database.reading() as connection:
            return self._turns_left(connection, person_row(connection, person))

    def _turns_left(self, connection: Connection, person: int | None) -> int:
        role = connection.execute(select(people.c.role).where(people.c.id == person)).scalar()
        most = self.settings.per_day
        left = most - _turn(connection, person, accepted=True)
        tries = TRIES * most - _turn(connection, person, accepted=False)
        if role == "participant" and min(left, tries) <= 0:
            made = several(most, "submission") if left <= 0 else f"{TRIES * most} that were refused"
            raise TooMany(
                f"you have made {made} today, as many as this campaign takes; send the next one "
                "tomorrow (UTC)"
            )
        return left

    def withdraw(self, system: str) -> Submission:
        """Let a system count no longer, by a row of its own; a new submission brings it back."""
        with self.database.writing() as connection:
            counting = _counting(_submissions(connection))
            if system not in counting:
                raise UsageError(f"there is no system {system!r} in this campaign")
            if len(counting) == 1:
                raise UsageError(f"{system} is the only system; add another first")
            return self._submitted(connection, system, None, None, True, ("withdrawn",))

    def _submitted(
        self,
        connection: Connection,
        system: str,
        person: str | None,
        file: int | None,
        accepted: bool,
        findings: Sequence[str],
    ) -> Submission:
        number = person_row(connection, person)
        self._turns_left(connection, number)
        row = {
            "system": system, "person": number, "file": file, "made_at": now(),
            "accepted": accepted, "findings": json.dumps(list(findings)),
        }  # fmt: skip
        inserted(connection, submissions, row)
        return _submissions(connection)[-1]

    def submissions(self) -> list[Submission]:
        """Return all submissions, in order."""
        with self.database.reading() as connection:
            return _submissions(connection)

    def systems(self) -> dict[str, Submission]:
        """Return the submission that counts of each system, in the order in which they came."""
        return _counting(self.submissions())

    @contextmanager
    def laid_out(self, more: Sequence[Upload] = ()) -> Iterator[Laid]:
        """Put the files into a temporary folder, and `more`, which were not accepted yet."""
        with tempfile.TemporaryDirectory() as folder:
            with self.database.reading() as connection:
                counting = _counting(_submissions(connection))
                wanted = [each.file for each in counting.values()]
                asked = select(files).where((files.c.role != SUBMISSION) | files.c.id.in_(wanted))
                rows = connection.execute(asked.order_by(files.c.id)).all()
            gold, options, written = list[Path](), dict[str, Path](), dict[int | None, Path]()
            for row in rows:
                own = row.role if row.role not in (SUBMISSION, GOLD) else f"file-{row.id}"
                path = written[row.id] = Path(folder, f"{own}{_ending(row.name)}")
                path.write_bytes(row.content)
                if row.role == GOLD:
                    gold.append(path)
                elif row.role != SUBMISSION:
                    options[row.role] = path
            systems = {system: written[each.file] for system, each in counting.items()}
            for k, upload in enumerate(more):
                path = systems[upload.system] = Path(folder, f"more-{k}{_ending(upload.name)}")
                path.write_bytes(upload.content)
            trusted = frozenset(system for system, each in counting.items() if each.ours)
            yield Laid(tuple(gold), systems, options, trusted)


def looks_of(name: str) -> str:
    """Return a name so that two which look alike are equal.

    >>> looks_of("Ａlder"), looks_of("АLDER")  # a wide A, and one of Cyrillic
    ('alder', 'alder')
    """
    return unicodedata.normalize("NFKC", name).casefold().translate(_ALIKE)


def checked_name(given: str, most: int, *, without: str = "") -> str:
    """Return a name as it is kept; what cannot be one is a UsageError."""
    odd = next((c for c in given.strip() if not c.isprintable() or c in without), None)
    if odd is not None:
        raise UsageError(f"a name cannot have {odd!r} in it; give another")
    name = " ".join(unicodedata.normalize("NFC", given).split())
    if not 0 < len(name) <= most:
        raise UsageError(f"a name has from 1 to {most} characters, not {len(name):,}")
    return name


def _hash(token: str) -> str:
    # Tokens are drawn at random, so that a plain hash cannot be guessed back.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _with_link(connection: Connection, condition: Any) -> Person | None:
    """Return the person of whom something is true, if their link is good."""
    good = or_(people.c.ends_at.is_(None), people.c.ends_at > now())
    asked = select(people.c.name, people.c.role, people.c.ends_at)
    row = connection.execute(
        asked.where(condition, good, people.c.token_hash.is_not(None))
    ).one_or_none()
    return None if row is None else Person(row.name, row.role, True, row.ends_at)


def _owned(connection: Connection, system: str, person: str | None) -> str:
    """Return how a system is spelled that somebody may send: it is of whoever was first."""
    looks, made = looks_of(system), _submissions(connection)
    first = next((e for e in made if e.accepted and looks_of(e.system) == looks), None)
    if first is None:
        return system
    asked = select(people.c.role).where(people.c.name == person)
    if person not in (None, first.person) and connection.execute(asked).scalar() != "organiser":
        raise Taken(f"there is a system {system!r} of somebody else; give yours another name")
    return first.system


def _turn(connection: Connection, person: int | None, accepted: bool) -> int:
    """Return how many submissions somebody has made today that were accepted, or refused."""
    own = submissions.c.person == person, submissions.c.accepted == accepted
    asked = select(func.count()).where(*own, submissions.c.made_at >= now()[:10])
    return int(connection.execute(asked).scalar_one())


def _submissions(connection: Connection) -> list[Submission]:
    asked = (
        select(
            submissions.c.id, submissions.c.system, people.c.name, submissions.c.made_at,
            submissions.c.accepted, submissions.c.findings, submissions.c.file, files.c.name,
            people.c.role,
        )
        .outerjoin(people, people.c.id == submissions.c.person)
        .outerjoin(files, files.c.id == submissions.c.file)
        .order_by(submissions.c.id)
    )  # fmt: skip
    return [
        Submission(
            n, system, person, at, accepted, tuple(json.loads(told)), file, name or "",
            role in (None, "organiser"),
        )
        for n, system, person, at, accepted, told, file, name, role in connection.execute(asked)
    ]  # fmt: skip


def _ending(name: str) -> str:
    """Return the ending of a file's name, since formats look at it."""
    return Path(name).suffix[:13]


def _counting(made: Sequence[Submission]) -> dict[str, Submission]:
    last = {each.system: each for each in made if each.accepted}
    return {system: each for system, each in last.items() if each.file is not None}
