"""Progress of long work: what it reports to, and a line on standard error after two seconds."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Protocol

from tellapart.console import settings

DELAY_S = 2.0
_REFRESH_S = 0.1
_BAR = 40  # columns


class Progress(Protocol):
    """What long work reports to: how much is done of how much; 0 if that is not known."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Note how much is done; called from the thread that started the work."""


def no_progress(what: str, done: int, total: int) -> None:
    """Report to nobody."""


class DelayedProgress:
    """A line on standard error that appears once the work has gone on for a while.

    >>> with DelayedProgress() as progress:
    ...     progress("shuffles", 1, 2)
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._written: float | None = None  # when the line was written last

    def __enter__(self) -> DelayedProgress:
        return self

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show how much is done, if it is time to and someone sees it."""
        now = time.monotonic()
        early = now - self._started < DELAY_S if self._written is None else (
            now - self._written < _REFRESH_S and done < total
        )  # fmt: skip
        unseen = not sys.stderr.isatty() or os.environ.get("TERM") == "dumb"
        if early or unseen or settings.quiet:
            return
        self._written = now
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{progress_line(what, done, total)[:width]}")
        sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self._written is not None:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def progress_line(what: str, done: int, total: int) -> str:
    """Return how much is done, as a bar and in per cent; of a total that is not known, how much.

    >>> progress_line("shuffles", 1, 4)
    'shuffles [##########..............................]  25 %'
    >>> progress_line("segments", 40_000, 0)
    'segments: 40,000'
    """
    if not total:
        return f"{what}: {done:,}"
    share = min(1.0, done / total)
    return f"{what} [{'#' * int(_BAR * share):.<{_BAR}}] {100 * share:3.0f} %"
