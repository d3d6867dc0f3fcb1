"""The database of a campaign: its tables, and how it is opened for reading and for writing.

It is a log. A decision is a row that is never changed: who decided, when, what, and which decision
it replaces; taking one back is a row as well. What holds is the log, read from its beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    event,
    func,
    insert,
    inspect,
    select,
    types,
    update,
)
from sqlalchemy import schema as ddl
from sqlalchemy.exc import DBAPIError

from tellapart.campaign.postgres import Postgres
from tellapart.campaign.sqlite_file import SqliteFile
from tellapart.errors import DataError, UsageError

VERSION: Final = 2
"""Of the tables below; whoever changes them raises it, and upgrades older databases"""


class Text(types.TypeDecorator[str]):
    """Text as both databases can keep it; what they cannot is shown as a question mark in a box."""

    impl = types.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:  # noqa: ARG002 (the same for both)
        """Replace what is no text."""
        return None if value is None else storable(value)


def storable(value: str) -> str:
    r"""Return a text without what a database cannot keep: the character 0, halves of characters.

    >>> storable("a\0b \udcff ü")
    'a�b ? ü'
    """
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


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
    UniqueConstraint("kind", "subject").ddl_if(dialect="sqlite"),
)
# PostgreSQL has no index of long texts, and outputs of systems may be long.
Index("one_per_subject", questions.c.kind, func.md5(questions.c.subject), unique=True).ddl_if(
    dialect="postgresql"
)
Index("by_subject", questions.c.subject, postgresql_using="hash").ddl_if(dialect="postgresql")
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
    """Let the database itself refuse to change a log."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(
            "CREATE OR REPLACE FUNCTION never_changed() RETURNS trigger LANGUAGE plpgsql AS $$ "
            "BEGIN RAISE EXCEPTION '%% are never changed, only added', TG_TABLE_NAME; END $$"
        )
        connection.exec_driver_sql(
            f"CREATE TRIGGER no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table.name} "
            "FOR EACH STATEMENT EXECUTE FUNCTION never_changed()"
        )
        return
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
            told = str(ddl.CreateColumn(column).compile(dialect=connection.dialect))
            for key in column.foreign_keys:
                told += f" REFERENCES {key.column.table.name} ({key.column.name})"
            connection.exec_driver_sql(f"ALTER TABLE {column.table.name} ADD COLUMN {told}")
        TABLES.create_all(connection)
        for index in (*decisions.indexes, *people.indexes):
            index.create(connection, checkfirst=True)
    connection.execute(update(schema).values(version=VERSION))


@dataclass(frozen=True, slots=True)
class Database:
    """The database of a campaign: SQLite in its folder, or PostgreSQL by `url`; it may be new.

    A file is opened anew every time, and closed at the end, so that a copy of it is a whole copy. A
    server has no time for that: see `kept_open`.
    """

    folder: str
    url: str = field(default="", repr=False)
    """Of PostgreSQL, as SQLAlchemy writes it: postgresql+psycopg://user@host/name"""
    lasting: bool = False
    """Whether it is kept open between uses, until `close`"""

    @property
    def _place(self) -> SqliteFile | Postgres:
        return Postgres(self.url) if self.url else SqliteFile(self.folder, self.lasting)

    @property
    def path(self) -> Path:
        """SQLite's file, which there is if there is no `url`."""
        return SqliteFile(self.folder).path

    @property
    def label(self) -> str:
        """What messages call it: the file, or the address without its password."""
        return self._place.label

    @property
    def exists(self) -> bool:
        """Whether anything was ever written."""
        return self._place.exists

    def kept_open(self) -> Database:
        """Return the same database for a program that runs on; it is to `close` it at its end."""
        return replace(self, lasting=True)

    def close(self) -> None:
        """Close what was kept open."""
        self._place.close()

    def snapshot(self) -> bytes:
        """Return the whole of SQLite's database as a file would have it, at any time."""
        try:
            return self._place.snapshot()
        except DBAPIError as problem:
            raise self._place.unreadable(problem) from None

    @contextmanager
    def reading(self) -> Iterator[Connection | None]:
        """Open it to read; None if there is nothing in it. What goes wrong is a DataError."""
        place = self._place
        try:
            with place.reading() as connection:
                version = self._version(connection)
                if version in (0, VERSION):
                    yield connection if version else None
                    return
            self._bring_up_to_date(version)
            with place.reading() as connection:
                yield connection
        except DBAPIError as problem:
            raise place.unreadable(problem) from None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open it to read and write; all that is written is on disk at the end, or none of it.

        One writes after the other: the numbers of rows grow in the order in which they are seen.
        """
        place = self._place
        try:
            with place.writing() as connection:
                version = self._version(connection)
                if not version:
                    TABLES.create_all(connection)
                    connection.execute(insert(schema).values(version=VERSION))
                elif version < VERSION:
                    _upgrade(connection, version)
                yield connection
        except DBAPIError as problem:
            raise place.unwritable(problem) from None

    def _bring_up_to_date(self, version: int) -> None:
        try:
            with self.writing():
                pass
        except UsageError as problem:
            reason = str(problem).removeprefix(f"{self.label}: ")
            raise DataError(
                f"{self.label}: the tables are those of an older tellapart (version {version}), "
                f"and must be brought up to date first: {reason}"
            ) from None

    def _version(self, connection: Connection) -> int:
        """Return the version of its tables, 0 if there are none; refuse one that is none of ours.

        One that is too new is refused as well.
        """
        if not connection.info.get("ours"):  # which a connection that is kept open remembers
            there = inspect(connection).get_table_names()
            if not there:
                return 0
            if schema.name not in there:
                raise self._another()
        version = connection.execute(select(schema.c.version)).scalar()
        if not isinstance(version, int):
            raise self._another()
        if version > VERSION:
            raise DataError(
                f"{self.label}: the database was written by a newer tellapart (tables of version "
                f"{version}, and this one knows {VERSION}); update tellapart"
            )
        connection.info["ours"] = True
        return version

    def _another(self) -> DataError:
        other = "another database" if self.url else "another folder"
        return DataError(f"{self.label}: this is no database of decisions; give {other}")
