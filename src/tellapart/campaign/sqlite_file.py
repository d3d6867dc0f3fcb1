"""SQLite's file in the folder of a campaign: how it is opened to read and to write.

A program that ends soon opens it anew each time, and closes it: then a copy of the file is a whole
copy. A server keeps it open, and lets its threads write one after the other.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import NullPool, QueuePool

from tellapart.errors import DataError, UsageError

FILE: Final = "campaign.sqlite"
PATIENCE_S: Final = 10.0
"""How long one waits for another who is writing"""

_NO_PLACE: Final = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_FULL")


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """The file in a folder, both of which may be new."""

    folder: str
    lasting: bool = False
    """Whether it is kept open between uses"""

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder, FILE)

    @property
    def label(self) -> str:
        """What messages call it."""
        return str(self.path)

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
    def reading(self) -> Iterator[Connection]:
        """Open it to read."""
        with self._opened_to_read() as connection:
            self._check_same_file(connection)
            yield connection

    def _opened_to_read(self) -> Connection:
        # Who may write also clears away what SQLite keeps beside the file while it is open.
        ours = all(os.access(path, os.W_OK) for path in (self.folder, self.path))
        try:
            connection = self._engine("mode=rw" if ours else "mode=ro").connect()
            try:
                connection.execute(text("SELECT count(*) FROM sqlite_master"))
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
        """Open it to write; nobody else writes until the end, when all is on disk."""
        try:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            reason = problem.strerror or str(problem)
            raise UsageError(
                f"{self.folder}: the folder cannot be made ({reason}); give another"
            ) from None
        try:
            with self._engine("mode=rwc").begin() as connection:
                self._check_same_file(connection)
                yield connection
        except PoolTimeoutError:
            raise self._busy() from None

    def _engine(self, how: str) -> Engine:
        uri = f"{self.path.absolute().as_uri()}?{how}"
        return _engine(uri, writes=how == "mode=rwc", lasting=self.lasting)

    def close(self) -> None:
        """Close what was kept open; the last one to do so leaves one whole file."""
        for how in ("mode=rw", "mode=ro", "mode=rwc"):  # a writer last: it clears away
            self._engine(how).dispose()

    def _check_same_file(self, connection: Connection) -> None:
        """Refuse to work on a file that was kept open, and is no longer the one of its name."""
        if not self.lasting:
            return
        found = None
        with suppress(OSError):
            found = _identity(self.path)
        if connection.info.setdefault("file", found) != found or found is None:
            raise DataError(
                f"{self.path}: the database was removed or replaced while this program had it "
                "open; stop the program, put the right file in place, and start it again"
            )

    def snapshot(self) -> bytes:
        """Return the database as the bytes of one whole file, though others may be writing."""
        copy = sqlite3.connect(":memory:")
        try:
            with self.reading() as connection:
                driver: Any = connection.connection.driver_connection
                driver.backup(copy)
            return copy.serialize()
        finally:
            copy.close()

    # What goes wrong

    def unreadable(self, problem: DBAPIError) -> DataError:
        """Return what to tell of a problem while reading."""
        return DataError(
            f"{self.path}: the database cannot be read ({problem.orig}); check its permissions, or "
            "restore it from a copy"
        )

    def unwritable(self, problem: DBAPIError) -> DataError | UsageError:
        """Return what to tell of a problem while writing."""
        if _name_of(problem) in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
            return self.unreadable(problem)
        if _name_of(problem).startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return self._busy()
        return UsageError(
            f"{self.path}: the database cannot be written ({problem.orig}); make room, or give a "
            "folder that is writable"
        )

    def _busy(self) -> UsageError:
        return UsageError(
            f"{self.path}: another program has been writing for {PATIENCE_S:g} seconds; is it "
            "stopped? end it, and decide again"
        )

    def _can_be_taken_as_it_is(self, problem: DBAPIError) -> bool:
        """Return whether there is just no place for what readers keep beside it for writers.

        That is so on a full disk and in a read-only folder, where nobody else can write, either.
        """
        left = self.path.with_name(f"{FILE}-wal")
        closed = not left.exists() or left.stat().st_size == 0
        return closed and _name_of(problem).startswith(_NO_PLACE)


@lru_cache(maxsize=32)
def _engine(uri: str, *, writes: bool, lasting: bool) -> Engine:
    """Return what opens a file; kept, since it also keeps how it translated what was asked."""

    def connect() -> sqlite3.Connection:
        # Transactions are begun below, and not by Python's module. A connection that is kept goes
        # from one thread to the next, never to two at once.
        opened = sqlite3.connect(
            uri, uri=True, timeout=PATIENCE_S, isolation_level=None, check_same_thread=not lasting
        )
        if writes:
            _write_ahead(opened)
        opened.execute("PRAGMA foreign_keys = ON")
        opened.execute("PRAGMA synchronous = FULL")
        return opened

    kept: dict[str, Any] = {"poolclass": NullPool}
    if lasting:
        # One who writes: the others stand in line here. SQLite would let them sleep and try again.
        size = {"pool_size": 1, "max_overflow": 0} if writes else {"pool_size": 4}
        kept = {"poolclass": QueuePool, "pool_timeout": PATIENCE_S, "max_overflow": 64, **size}
    engine = create_engine("sqlite://", creator=connect, **kept)
    # Who is going to write locks at once: what it reads first must still be so when it writes.
    begin = "BEGIN IMMEDIATE" if writes else "BEGIN"
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


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
