"""Progress of long work: what it reports to, and a bar on standard error after two seconds."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

DELAY_S = 2.0


class Progress(Protocol):
    """What long work reports to: how much is done of how much."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Take note; called from the thread that asked for the work."""


def no_progress(what: str, done: int, total: int) -> None:
    """Report to nobody."""


class DelayedProgress:
    """Takes note of progress, and shows a bar once the work has gone on for a while.

    >>> with DelayedProgress() as progress:
    ...     progress("shuffles", 1, 2)
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> DelayedProgress:
        return self

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show how much is done, if it is time to."""
        if self._bar is None:
            if time.monotonic() - self._started < DELAY_S or not sys.stderr.isatty():
                return
            self._open()
        assert self._bar is not None
        assert self._task is not None
        self._bar.update(self._task, description=what, completed=done, total=total)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=None)
        self._bar.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
