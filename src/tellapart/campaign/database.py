"""The database of a campaign: its tables, and how it is opened for reading and for writing.

It is a log. A decision is a row that is never changed: who decided, when, what, and which decision
it replaces; taking one back is a row as well. What holds is the log, read from its beginning.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy import schema as ddl
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from tellapart.errors import DataError, UsageError

FILE: Final = "campaign.sqlite"
VERSION: Final = 2
"""Of the tables below; whoever changes them raises it, and upgrades older databases"""
PATIENCE_S: Final = 10.0
"""How long one waits for another who is writing"""

_NO_PLACE: Final = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_FULL")

TABLES: Final = MetaData()
schema = Table("schema", TABLES, Column("version", Integer, nullable=False))
people = Table(
    "people",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False, server_default="judge"),
    Column("token_hash", Text),  # none: decides at a terminal, and cannot log in
    Column("revoked_at", Text),  # since when the token is good for nothing
)
questions = Table(
    "questions",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),  # JSON; the same question is the same text
    UniqueConstraint("kind", "subject"),
)
decisions = Table(
    "decisions",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("question", ForeignKey("questions.id"), nullable=False, index=True),
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("made_at", Text, nullable=False),  # in UTC, as 2026-11-16T12:00:00.000000+00:00
    Column("outcome", Text),  # JSON; none for one that only takes back what it replaces
    Column("replaces", ForeignKey("decisions.id")),  # which no longer stands
    Column("note", Text),
    Column("undoes", ForeignKey("decisions.id")),  # what it takes back, if that is all it does
    Column("ruling", Integer, nullable=False, server_default="0"),  # 1: it settles a conflict
    Column("request", Text),  # what a client calls it, so that sending it twice makes one row
    sqlite_autoincrement=True,
)
Index("one_per_token", people.c.token_hash, unique=True)
Index("one_per_request", decisions.c.person, decisions.c.request, unique=True)
remarks = Table(
    "remarks",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("question", ForeignKey("questions.id"), index=True),  # none: about the campaign itself
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("made_at", Text, nullable=False),
    Column("kind", Text, nullable=False),  # skip, flag, unflag, note; open-board, close-board
    Column("text", Text, nullable=False, server_default=""),
    sqlite_autoincrement=True,
)
files = Table(
    "files",
    TABLES,
    Column("id", Integer, primary_key=True),
    Column("role", Text, nullable=False),  # gold, texts, submission, or an option of the format
    Column("name", Text, nullable=False),  # as it was called where it came from; never a path
    Column("sha256", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("added_at", Text, nullable=False),
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
    Column("accepted", Integer, nullable=False),  # the last accepted one of a system counts
    Column("findings", Text, nullable=False, server_default="[]"),  # JSON, as its sender sees them
    sqlite_autoincrement=True,
)
LOGS: Final = (decisions, remarks, files, submissions)
"""Tables to which rows are added and in which nothing is ever changed"""


def _guard(table: Table, connection: Connection, **_about: Any) -> None:
    """Let SQLite itself refuse to change a log."""
    for what in ("UPDATE", "DELETE"):
        name = f"no_{what.lower()}" if table is decisions else f"no_{what.lower()}_{table.name}"
        connection.exec_driver_sql(
            f"CREATE TRIGGER {name} BEFORE {what} ON {table.name} "
            f"BEGIN SELECT RAISE(ABORT, '{table.name} are never changed, only added'); END"
        )


for _log in LOGS:
    event.listen(_log, "after_create", _guard)


def _upgrade(connection: Connection, version: int) -> None:
    """Bring the tables of an older tellapart up to date."""
    if version < 2:
        columns = [people.c.role, people.c.token_hash, people.c.revoked_at]
        columns += [decisions.c.undoes, decisions.c.ruling, decisions.c.request]
        for column in columns:
            told = ddl.CreateColumn(column).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {column.table.name} ADD COLUMN {told}")
        TABLES.create_all(connection)
        for index in (*decisions.indexes, *people.indexes):
            index.create(connection, checkfirst=True)
    connection.execute(update(schema).values(version=VERSION))


@dataclass(frozen=True, slots=True)
class Database:
    """The database of a campaign: SQLite in its folder, or PostgreSQL by `url`; it may be new.

    Every time it is opened anew and closed at the end. So a copy of SQLite's file is a whole copy,
    but for what somebody is just writing.
    """

    folder: str
    url: str = ""
    """Of PostgreSQL, as SQLAlchemy writes it: postgresql+psycopg://user@host/name"""

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder, FILE)

    @property
    def exists(self) -> bool:
        """Whether anything was ever written."""
        try:
            return self.path.stat().st_size > 0
        except FileNotFoundError:
            return False
        except OSError as problem:
            reason = problem.strerror or str(problem)
            raise DataError(f"{self.path}: the database cannot be read ({reason})") from None

    @contextmanager
    def reading(self) -> Iterator[Connection | None]:
        """Open it to read; None if there is nothing in it. What goes wrong is a DataError."""
        try:
            with self._opened_to_read() as connection:
                version = self._version(connection)
            if version and version < VERSION:
                with self.writing():
                    pass  # which brings it up to date
            with self._opened_to_read() as connection:
                yield connection if version else None
        except DBAPIError as problem:
            raise self._unreadable(problem) from None

    def _opened_to_read(self) -> Connection:
        # Who may write also clears away what SQLite keeps beside the file while it is open.
        ours = all(os.access(path, os.W_OK) for path in (self.folder, self.path))
        try:
            connection = self._engine("mode=rw" if ours else "mode=ro").connect()
            try:
                self._version(connection)
            except BaseException:
                connection.close()
                raise
        except DBAPIError as problem:
            if not self._can_be_taken_as_it_is(problem):
                raise
            connection = self._engine("mode=ro&immutable=1").connect()
        return connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open it to read and write; all that is written is on disk at the end, or none of it."""
        try:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
            with self._engine("mode=rwc").begin() as connection:
                version = self._version(connection)
                if not version:
                    TABLES.create_all(connection)
                    connection.execute(insert(schema).values(version=VERSION))
                elif version < VERSION:
                    _upgrade(connection, version)
                yield connection
        except DBAPIError as problem:
            if _name_of(problem) in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
                raise self._unreadable(problem) from None
            if _name_of(problem).startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise UsageError(
                    f"{self.path}: another program has been writing for {PATIENCE_S:g} seconds; is "
                    "it stopped? end it, and decide again"
                ) from None
            raise UsageError(
                f"{self.path}: the database cannot be written ({problem.orig}); make room, or give "
                "a folder that is writable"
            ) from None
        except OSError as problem:
            reason = problem.strerror or str(problem)
            raise UsageError(
                f"{self.folder}: the folder cannot be made ({reason}); give another"
            ) from None

    def _engine(self, how: str) -> Engine:
        return _engine(f"{self.path.absolute().as_uri()}?{how}", writes=how == "mode=rwc")

    def _version(self, connection: Connection) -> int:
        """Return the version of its tables, 0 if there are none; refuse one that is none of ours.

        One that is too new is refused as well.
        """
        there = inspect(connection).get_table_names()
        if not there:
            return 0
        version = None
        if schema.name in there:
            version = connection.execute(select(schema.c.version)).scalar()
        if not isinstance(version, int):
            raise DataError(f"{self.path}: this is no database of decisions; give another folder")
        if version > VERSION:
            raise DataError(
                f"{self.path}: the database was written by a newer tellapart (tables of version "
                f"{version}, and this one knows {VERSION}); update tellapart"
            )
        return version

    def _can_be_taken_as_it_is(self, problem: DBAPIError) -> bool:
        """Return whether there is just no place for what readers keep beside it for writers.

        That is so on a full disk and in a read-only folder, where nobody else can write, either.
        """
        left = self.path.with_name(f"{FILE}-wal")
        closed = not left.exists() or left.stat().st_size == 0
        return closed and _name_of(problem).startswith(_NO_PLACE)

    def _unreadable(self, problem: DBAPIError) -> DataError:
        return DataError(
            f"{self.path}: the database cannot be read ({problem.orig}); check its permissions, or "
            "restore it from a copy"
        )


@lru_cache(maxsize=16)
def _engine(uri: str, *, writes: bool) -> Engine:
    """Return what opens a file; kept, since it also keeps how it translated what was asked."""

    def connect() -> sqlite3.Connection:
        # Transactions are begun below, and not by Python's module.
        opened = sqlite3.connect(uri, uri=True, timeout=PATIENCE_S, isolation_level=None)
        if writes:
            _write_ahead(opened)
        opened.execute("PRAGMA foreign_keys = ON")
        opened.execute("PRAGMA synchronous = FULL")
        return opened

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    # Who is going to write locks at once: what it reads first must still be so when it writes.
    begin = "BEGIN IMMEDIATE" if writes else "BEGIN"
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


def _name_of(problem: DBAPIError) -> str:
    """Return SQLite's name of an error."""
    return str(getattr(problem.orig, "sqlite_errorname", ""))


def _write_ahead(opened: sqlite3.Connection) -> None:
    """Set the mode in which people read while another writes; the database remembers it."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            mode: Any = opened.execute("PRAGMA journal_mode").fetchone()[0]
            if mode != "wal":
                opened.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as problem:
            # SQLite does not wait here as it does elsewhere.
            if problem.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return
