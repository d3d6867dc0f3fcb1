"""A history file that several sittings write to at the same time."""

from __future__ import annotations

import errno
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tellapart.errors import DataError, UsageError
from tellapart.files import STANDARD, check_writable
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import Change, History
from tellapart.formats.templates.history_files import (
    has_comments,
    history_content,
    parse_history,
    write_history,
)
from tellapart.formats.templates.muc_reader import read_whole

PATIENCE_S: Final = 10.0
"""How long a sitting waits for another that is writing; a write takes milliseconds"""


@dataclass(slots=True)
class HistoryFile:
    """The decisions in a history file, which may be new.

    It is read again, under a lock, before every write, and only what was decided here is changed.
    """

    path: str
    design: Design
    history: History = field(default_factory=History)
    warnings: list[str] = field(default_factory=list)
    """What is wrong with the file as it was found, though it can be worked on"""
    _content: str | None = None
    """What was last read or written; None while there is no file"""

    def __post_init__(self) -> None:
        if self.path == STANDARD:
            raise UsageError("decisions are kept in a file, which is read again: give its name")
        check_writable(self.path)
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise UsageError(f"{self.path}: this is no file that can be read again; name a file")
        self.refresh()
        if self._content and has_comments(self._content):
            self.warnings.append(
                f"{self.path}: its comments (;) are lost when a decision is written; keep a copy"
            )

    def refresh(self) -> None:
        """Look again at what holds: others may have decided something."""
        if not os.path.exists(self.path):
            if self._content is not None:
                raise DataError(
                    f"{self.path}: the history was there when this sitting began, and is gone; "
                    "put it back"
                )
            return
        content = read_whole(self.path)
        if content != self._content:
            problems = Findings(strict=True)
            history = parse_history(content, self.path, self.design, problems)
            if self._content is None:
                self.warnings += [problem.text for problem in problems.found]
            self._hold(history, content)

    def write(self, plan: Callable[[History], Sequence[Change]]) -> None:
        """Make the changes that a plan makes of the history as it is now; on disk on return."""
        with locked(self.path):
            self.refresh()
            changes = plan(self.history)
            if changes:
                history = self.history.copy()
                for change in changes:
                    history.carry_out(change)
                write_history(self.path, history)
                self._hold(history, history_content(history))

    def _hold(self, history: History, content: str) -> None:
        self.history.become(history)
        self._content = content


@contextmanager
def locked(path: str, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Keep other sittings from writing a file meanwhile; the lock dies with its process.

    The lock is on a file beside it, since the file itself is replaced. Whoever has the lock removes
    that file at the end; so one who gets it looks whether it is still the one that others see.
    """
    target = Path(os.path.realpath(path))
    name = os.fsdecode(os.fsencode(target.name)[:200])  # file names have at most 255 bytes
    lock = target.with_name(f".{name}.lock")
    deadline = time.monotonic() + patience_s
    try:
        while (handle := _locked_handle(lock)) is None:
            if time.monotonic() > deadline:
                raise UsageError(
                    f"{path}: another program has been writing the history for {patience_s:g} "
                    "seconds; is it stopped? end it, and decide again"
                )
            time.sleep(random.uniform(0.001, 0.02))
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise UsageError(
            f"{path}: the history cannot be locked, and so not be written ({reason}); keep it on "
            "a disk of this machine, in a folder that is writable"
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        os.close(handle)


def _locked_handle(lock: Path) -> int | None:
    """Return an open file that is locked; None if another has the lock, or just gave it up."""
    handle = os.open(lock, _OPENED | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        if _try_to_lock(handle) and os.path.samestat(os.fstat(handle), os.stat(lock)):
            return handle
    except FileNotFoundError:
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


if sys.platform == "win32":
    import msvcrt

    _OPENED = os.O_CREAT | os.O_RDWR

    def _try_to_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as problem:
            if problem.errno in (errno.EACCES, errno.EDEADLK):
                return False
            raise
        return True

else:
    import fcntl

    # Locks need no right to write: another person's sitting that was killed may have left the file.
    _OPENED = os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC

    def _try_to_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
