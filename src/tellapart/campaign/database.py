"""The database of a campaign: its tables, and how it is opened to read and to write.

It is SQLite in the campaign's folder, or PostgreSQL by an address; nothing beyond the connection
differs. Rows are added and never changed, but for links and visits of people: a decision that
replaces another, or takes it back, is a row as well. What holds is the log, read from its
beginning. Who writes keeps out all others, in whatever program, from the first look on: what was
counted or looked up still holds when it is written.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    URL,
    Boolean,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    create_engine,
    event,
    false,
    insert,
    inspect,
    make_url,
    select,
    types,
)
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import NullPool

from tellapart.errors import DatabaseError, DataError, UsageError

FILE: Final = "campaign.sqlite"
VERSION: Final = 6
"""Of the tables below; whoever changes them raises it"""
PATIENCE_S: Final = 10
"""How long one waits for another who is writing, and for a server that does not answer"""
_EXAMPLE: Final = "postgresql+psycopg://user@host/name"


def storable(value: str) -> str:
    r"""Return a text without what a database cannot keep: the character 0, halves of characters.

    >>> storable("a\0b \udcff ü")
    'a�b ? ü'
    """
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


class Text(types.TypeDecorator[str]):
    """Text as every database can keep it."""

    impl = types.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:  # noqa: ARG002 (the same for all)
        """Replace what is no text."""
        return None if value is None else storable(value)


TABLES: Final = MetaData()
schema = Table("schema", TABLES, Column("version", Integer, nullable=False))
people = Table(
    "people",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False, server_default="judge"),
    Column("token_hash", Text, unique=True),  # none: decides at a terminal, or was revoked
    Column("looks", Text, unique=True),  # the name as it looks; none: never had a link
    Column("ends_at", Text),  # until when the link is good; none: until it is revoked
)
visits = Table(
    "visits",
    TABLES,
    Column("secret_hash", Text, primary_key=True),  # of what the browser keeps
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("ends_at", Text, nullable=False),
)
decisions = Table(
    "decisions",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),  # JSON; the same question is the same text
    Column("digest", Text, nullable=False, index=True),  # of both, which may be long for an index
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("made_at", Text, nullable=False),  # in UTC, as 2026-11-16T12:00:00.000000+00:00
    Column("outcome", Text),  # JSON; none for one that only takes back what it replaces
    Column("replaces", ForeignKey("decisions.id")),  # which no longer stands
    Column("undoes", ForeignKey("decisions.id")),  # what it takes back, if that is all it does
    Column("ruling", Boolean, nullable=False, server_default=false()),  # it settles a conflict
    Column("request", Text),  # what a client calls it, so that sending it twice makes one row
    sqlite_autoincrement=True,
)
Index("one_per_request", decisions.c.person, decisions.c.request, unique=True)
remarks = Table(
    "remarks",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("person", ForeignKey("people.id")),  # none: on the command line
    Column("made_at", Text, nullable=False),
    Column("kind", Text, nullable=False),  # skip, deed, and what opinions.py names
    Column("text", Text, nullable=False, server_default=""),
    sqlite_autoincrement=True,
)
files = Table(
    "files",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("role", Text, nullable=False),  # gold, texts, submission, or an option of the format
    Column("name", Text, nullable=False),  # as it was called where it came from; never a path
    Column("content", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)
submissions = Table(
    "submissions",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("system", Text, nullable=False, index=True),
    Column("person", ForeignKey("people.id")),  # none: added on the command line
    Column("file", ForeignKey("files.id")),  # none if it was refused
    Column("made_at", Text, nullable=False),
    Column("accepted", Boolean, nullable=False),  # the last accepted one of a system counts
    Column("findings", Text, nullable=False, server_default="[]"),  # JSON, as its sender sees them
    sqlite_autoincrement=True,
)


def digest_of(kind: str, subject: str) -> str:
    """Return by what a question is found in its table."""
    return hashlib.sha256(storable(f"{kind}\n{subject}").encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Database:
    """The database of a campaign: SQLite in its folder, or PostgreSQL by `address`."""

    folder: str
    address: str = field(default="", repr=False)
    """As SQLAlchemy writes it, or env: and the name of a variable that holds it"""

    @property
    def path(self) -> Path:
        """SQLite's file, which there is if there is no `address`."""
        return Path(self.folder, FILE)

    @property
    def _url(self) -> URL:
        if self.address:
            return url_of(self.address)
        # Of a file that is not there, SQLite would make an empty one.
        existing = {"mode": "rw", "uri": "true"}
        return URL.create("sqlite", database=self.path.absolute().as_uri(), query=existing)

    @property
    def label(self) -> str:
        """What messages call it: the file, or the address without what is secret."""
        return self._url.set(query={}).render_as_string() if self.address else str(self.path)

    def create(self) -> None:
        """Make the tables, where there are none; those of a file are for nobody else to read."""
        if not self.address:
            with suppress(OSError):  # SQLite says why; its files beside it get the same mode
                self.path.touch(0o600)
        with self._problems("written"), _engine(self._url).begin() as connection:
            if inspect(connection).get_table_names():
                raise UsageError(
                    f"{self.label}: there is something in this database; give an empty one"
                )
            TABLES.create_all(connection)
            connection.execute(insert(schema).values(version=VERSION))

    def close(self) -> None:
        """Close what was kept open."""
        _engine(self._url).dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open it to read; what goes wrong is a DatabaseError."""
        with self._problems("read"), _engine(self._url).connect() as connection:
            yield connection

    def check(self) -> None:
        """Refuse a database that is none of ours."""
        with self.reading() as connection:
            self._check_version(connection)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open it to read and write; all that is written is on disk at the end, or none of it.

        One writes after the other: the numbers of rows grow in the order in which they are seen.
        """
        with self._problems("written"), _in_turn():
            engine = _engine(self._url).execution_options(writes=True)
            with engine.begin() as connection:
                self._check_version(connection)
                yield connection

    def _check_version(self, connection: Connection) -> None:
        """Refuse a database that is none of ours; who writes waits here for others who do."""
        asked = select(schema.c.version)
        if connection.get_execution_options().get("writes"):
            asked = asked.with_for_update()
        version = connection.execute(asked).scalar()
        if version != VERSION:
            raise DataError(
                f"{self.label}: the tables are of version {version}, and this tellapart knows "
                f"{VERSION}; use the one that wrote them"
            )

    @contextmanager
    def _problems(self, done: str) -> Iterator[None]:
        """Turn what goes wrong into a sentence."""
        try:
            yield
        except DBAPIError as problem:
            lines = [line.strip() for line in str(problem.orig).splitlines() if line.strip()]
            reason = (lines or ["no reason"])[-1].rpartition("FATAL:")[2].strip(" -.:")
            raise DatabaseError(
                f"{self.label}: the database cannot be {done} ({reason}); see to that, then try "
                "again"
            ) from None
        except PoolTimeoutError:
            raise DatabaseError(
                f"{self.label}: the database has been busy for {PATIENCE_S} seconds; try again"
            ) from None


_writing: Final = threading.Lock()


@contextmanager
def _in_turn() -> Iterator[None]:
    """Let the threads of this program write one after the other: SQLite would let them sleep."""
    if not _writing.acquire(timeout=PATIENCE_S):
        raise PoolTimeoutError
    try:
        yield
    finally:
        _writing.release()


def url_of(address: str) -> URL:
    """Return the parts of an address, which may stand in the environment.

    >>> url_of("postgresql://ann:s3cret@example.org/campaign").password
    's3cret'
    """
    where, given = "the address of the database", address
    if address.startswith("env:"):
        name = address.removeprefix("env:")
        where, given = f"{name} in the environment", os.environ.get(name, "")
    # What SQLAlchemy says of an address that it cannot read may hold the password.
    with suppress(ArgumentError, ValueError):
        url = make_url(given)
        ours = url.drivername in ("postgresql+psycopg", "postgresql", "postgres")
        if ours and url.database and "@" not in (url.host or ""):
            return url.set(drivername="postgresql+psycopg")
    raise UsageError(f"{where} is not {_EXAMPLE}; write an @ of the password as %40")


@lru_cache(maxsize=32)
def _engine(url: URL) -> Engine:
    """Return what opens a database: a file anew each time, a server by connections that are kept.

    Who is going to write locks at once: what it reads first must still be so when it writes.
    """
    if url.get_backend_name() != "sqlite":
        options = f"-c lock_timeout={PATIENCE_S * 1000} -c client_min_messages=warning"
        try:
            return create_engine(
                url, pool_pre_ping=True, pool_timeout=PATIENCE_S, max_overflow=16,
                connect_args={"connect_timeout": PATIENCE_S, "options": options},
            )  # fmt: skip
        except ImportError:
            raise UsageError(
                "a database on a PostgreSQL server needs psycopg: pip install 'tellapart[postgres]'"
            ) from None
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": PATIENCE_S})

    @event.listens_for(engine, "connect")
    def prepare(opened: Any, _about: Any) -> None:
        opened.isolation_level = None  # transactions are begun below, and not by Python's module
        opened.execute("PRAGMA foreign_keys = ON")
        opened.execute("PRAGMA synchronous = FULL")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
