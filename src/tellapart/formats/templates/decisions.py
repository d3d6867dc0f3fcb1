"""Where decisions are kept: a history file or the database of a campaign, behind one interface.

Several people may decide at the same time. So nothing is written that was not looked at again: a
store shows its history as it is now, and only then takes down the changes to it. Both happen under
one lock, and the changes are on disk, all of them or none, when `write` returns.
"""

from __future__ import annotations

import getpass
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from tellapart import plugins
from tellapart.errors import DataError
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import Change, History, Merger, Subject, agree, merge
from tellapart.formats.templates.history_files import read_history
from tellapart.formats.templates.history_store import HistoryFile, OvertakenError
from tellapart.formats.templates.problems import Problem, unreadable

Plan: TypeAlias = Callable[[History], Sequence[Change]]
"""Which changes to make to a history, now that it is known how it is"""


class DecisionStore(Protocol):
    """Keeps the decisions of all people who work on the same questions."""

    @property
    def history(self) -> History:
        """All decisions that hold, as they were last looked at; always the same object."""

    @property
    def warnings(self) -> Sequence[str]:
        """What is wrong with what was found there, though it can be worked on."""

    def refresh(self) -> None:
        """Look again at what holds: others may have decided something."""

    def write(self, plan: Plan, *, own: bool = True) -> None:
        """Make the changes that a plan makes of the history as it is now; on disk on return.

        Those of the person's `own` can be taken back.
        """

    def undo(self) -> Subject | None:
        """Take back the person's last decision, of this sitting or of an earlier one.

        Returns what it was about; None if there is nothing. One that somebody else has replaced
        since is past: an OvertakenError, and nothing is changed.
        """


def decide(store: DecisionStore, change: Change) -> bool:
    """Keep a decision, or take one back; return False if others have done just that meanwhile.

    Nobody's decision is overwritten unseen: if what holds is no longer what the change says that
    held before it, it is an OvertakenError, and nothing is changed.
    """
    made = False

    def plan(history: History) -> Sequence[Change]:
        nonlocal made
        now = history.decided(change.subject)
        made = agree(now, change.before)
        if not made and not agree(now, change.after):
            raise OvertakenError(now)
        return [change] if made else []

    store.write(plan)
    return made


def merge_into(store: DecisionStore, other: History) -> Merger:
    """Add the decisions of another history that a store does not have; return what was done."""
    merger = Merger((), ())

    def plan(history: History) -> Sequence[Change]:
        nonlocal merger
        merger = merge(history.copy(), other)
        return merger.gains

    store.write(plan, own=False)
    return merger


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Let Ctrl-C wait until decisions are on disk and counted, so that what is said is true."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    # Not by blocking the signal, which another thread would then take.
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)
        if came:
            signal.raise_signal(signal.SIGINT)


def is_folder(path: str) -> bool:
    """Return whether decisions are kept in a folder, with a database in it, and not in a file."""
    return os.path.isdir(path) or path.endswith(("/", os.sep))


def open_store(path: str, design: Design, judge: str | None = None) -> DecisionStore:
    """Return the decisions of a history file, or of a folder, to work on; either may be new.

    A folder keeps with each decision who made it: `judge`, or else who is logged in.
    """
    if is_folder(path):
        return _folder(path, design, judge=judge, new=True)
    return HistoryFile(path, design, judge or logged_in() or "")


def _folder(path: str, design: Design, **options: Any) -> DecisionStore:
    """Return the decisions of a folder: a store that stands above formats, found by entry point."""
    open_folder = plugins.find(plugins.STORES, "folder")
    assert open_folder is not None  # this package's own
    store: DecisionStore = open_folder(path, design, **options)
    return store


def logged_in() -> str | None:
    """Return the name of who is logged in, if it can be told."""
    with suppress(KeyError, OSError, ImportError):
        return getpass.getuser()
    return None


def read_decisions(path: str, design: Design) -> tuple[History, list[Problem]]:
    """Return the decisions of a history file or a folder, and what is wrong with it."""
    if not is_folder(path) or not Path(path).exists():
        return read_history(path, design)
    try:
        store = _folder(path, design)
    except DataError as problem:
        return History(), [unreadable(problem)]
    return store.history, [Problem("", None, text) for text in store.warnings]
