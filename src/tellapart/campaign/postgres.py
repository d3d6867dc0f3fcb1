"""A campaign's database on a PostgreSQL server: its address, and how it is opened.

Whoever writes takes a lock of the database first. So the numbers of the log grow in the order in
which they are seen by others, who read on from the last one they know.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from tellapart.campaign.sqlite_file import PATIENCE_S
from tellapart.errors import DataError, UsageError

VARIABLE: Final = "TELLAPART_DATABASE"
"""Of the environment; the address `env:TELLAPART_DATABASE` is what stands in it"""
LOCK: Final = 0x7E11A9A7
"""Taken by whoever writes; a number of ours, which no other program uses by chance"""

_DRIVER: Final = "postgresql+psycopg"
_SECRET: Final = re.compile(r"pass|secret|sslkey", re.IGNORECASE)
_EXAMPLE: Final = "postgresql+psycopg://user@host/name"


def url_of(address: str) -> URL:
    """Return the parts of an address, which may stand in the environment.

    >>> url_of("postgresql://ann:s3cret@example.org/campaign").password
    's3cret'
    """
    where = "the address of the database"
    if address.startswith("env:"):
        name = address.removeprefix("env:") or VARIABLE
        where, address = f"{name} in the environment", os.environ.get(name, "")
        if not address:
            raise UsageError(
                f"the address of the database is to stand in the environment, and {name} is not "
                f"set; set it to {_EXAMPLE}"
            )
    # What SQLAlchemy says of an address that it cannot read may hold the password.
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise UsageError(f"{where} cannot be read; write it as {_EXAMPLE}") from None
    if url.drivername not in (_DRIVER, "postgresql", "postgres"):
        raise UsageError(
            f"{where} begins with {url.drivername}://, and only PostgreSQL is known; write it as "
            f"{_EXAMPLE}"
        )
    if "@" in (url.host or ""):
        raise UsageError(f"{where} has two @; write that of the password as %40")
    if not url.database:
        raise UsageError(f"{where} does not name a database; write it as {_EXAMPLE}")
    return url.set(drivername=_DRIVER)


def has_password(address: str) -> bool:
    """Return whether an address holds what nobody else should read.

    >>> [has_password(f"postgresql://{who}@host/name") for who in ("ann", "ann:secret")]
    [False, True]
    """
    if not address or address.startswith("env:"):
        return False
    url = url_of(address)
    return url.password is not None or any(map(_SECRET.search, url.query))


@dataclass(frozen=True, slots=True)
class Postgres:
    """A database on a server; it must be there, and may be empty."""

    address: str = field(repr=False)
    """As SQLAlchemy writes it, or env: and the name of a variable"""

    @property
    def label(self) -> str:
        """What messages call it: the address without what is secret."""
        url = url_of(self.address)
        shown = url.difference_update_query([key for key in url.query if _SECRET.search(key)])
        return shown.set(password=None).render_as_string()

    @property
    def exists(self) -> bool:
        """Whether there is anything in it."""
        try:
            with self.reading() as connection:
                return bool(inspect(connection).get_table_names())
        except DBAPIError as problem:
            raise self.unreadable(problem) from None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open it to read; all that is read is as it was at one moment."""
        options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"}
        options["postgresql_readonly"] = True
        with self._patient(), self._engine().connect() as connection:
            yield connection.execution_options(**options)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open it to write; nobody else writes until the end, when all is on disk."""
        with self._patient(), self._engine().begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            yield connection

    @contextmanager
    def _patient(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeoutError:
            raise UsageError(
                f"{self.label}: all connections of this program have been busy for {PATIENCE_S:g} "
                "seconds; try again"
            ) from None

    def _engine(self) -> Engine:
        return _engine(url_of(self.address))

    def close(self) -> None:
        """Close what was kept open."""
        self._engine().dispose()

    def snapshot(self) -> bytes:
        """Refuse: that is what PostgreSQL's own program is for."""
        raise UsageError(f"{self.label}: copy a PostgreSQL database with `pg_dump`")

    # What goes wrong

    def unreadable(self, problem: DBAPIError) -> DataError:
        """Return what to tell of a problem while reading."""
        return DataError(f"{self.label}: the database cannot be read ({self._reason(problem)}")

    def unwritable(self, problem: DBAPIError) -> DataError | UsageError:
        """Return what to tell of a problem while writing."""
        if type(problem.orig).__name__ == "LockNotAvailable":
            return UsageError(
                f"{self.label}: another program has been writing for {PATIENCE_S:g} seconds; is it "
                "stopped? end it, and decide again"
            )
        return UsageError(f"{self.label}: the database cannot be written ({self._reason(problem)}")

    def _reason(self, problem: DBAPIError) -> str:
        """Return what PostgreSQL says, in a line, and what to do about it."""
        said = [each.strip() for each in str(problem.orig).splitlines() if each.strip()]
        # The first line says what; where a server has several addresses, the last one says it.
        told = said[-1] if said and said[0].startswith("Multiple") else (said or ["no reason"])[0]
        refused = "FATAL:" in told
        told = told.rpartition("FATAL:")[2].strip().removeprefix("- ").rstrip(".:")
        if "privilege" in type(problem.orig).__name__.lower():
            remedy = "let this user own the database, or give them the rights"
        elif refused or getattr(problem.orig, "sqlstate", None):
            remedy = "check user, password and database, and try again"
        else:
            remedy = "is the server running, and its address right? then try again"
        return f"{told}); {remedy}"


@lru_cache(maxsize=16)
def _engine(url: URL) -> Engine:
    """Return what opens a database, and keeps some connections for those who come next."""
    try:
        # A connection that the server has closed meanwhile is noticed, and opened again.
        engine = create_engine(
            url, pool_pre_ping=True, pool_size=4, pool_timeout=PATIENCE_S, max_overflow=16,
            connect_args={"connect_timeout": round(PATIENCE_S), "client_encoding": "utf8"},
        )  # fmt: skip
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != "psycopg":
            raise
        raise UsageError(
            "a database on a PostgreSQL server needs psycopg: pip install 'tellapart[postgres]'"
        ) from None
    except ImportError:
        raise UsageError(
            "psycopg is installed without PostgreSQL's library: pip install 'tellapart[postgres]'"
        ) from None

    def prepare(opened: Any, _about: Any) -> None:
        opened.execute(f"SET lock_timeout = {round(PATIENCE_S * 1000)}")
        opened.execute("SET client_min_messages = warning")
        opened.commit()

    event.listen(engine, "connect", prepare)
    return engine
