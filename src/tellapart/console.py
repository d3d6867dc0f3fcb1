"""What people read: text on standard output; remarks, warnings and errors on standard error.

Names and texts come from files, and a terminal obeys what it is sent. All that is printed goes
through here, so that no file can move the cursor, hide a line or turn text around.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final, TextIO

from tellapart.errors import UsageError
from tellapart.words import plain

INTERRUPTED: Final = 128 + signal.SIGINT
"""The status of a program that Ctrl-C ended"""
COLOURS: Final = ("auto", "always", "never")
"""What `--color` takes; auto: on a terminal whose user does not refuse colour (NO_COLOR)"""
_STYLES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


@dataclass(slots=True)
class Settings:
    """How the program speaks: in colour or not, and with remarks and warnings or errors alone."""

    colour: str = "auto"
    quiet: bool = False


settings: Final = Settings()
"""What `--color` and `--quiet` said"""


@contextmanager
def speaking(colour: str, *, quiet: bool) -> Iterator[None]:
    """Speak as `--color` and `--quiet` say, in the block."""
    before = settings.colour, settings.quiet
    settings.colour, settings.quiet = colour, quiet
    try:
        yield
    finally:
        settings.colour, settings.quiet = before


def in_colour(stream: TextIO) -> bool:
    """Return whether to write to a stream in colour: as asked, or as its reader can see it."""
    if settings.colour != "auto":
        return settings.colour == "always"
    refused = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not refused


def terminal_width() -> int:
    """Return how many columns to write for: those of standard output; 80 where it is no terminal.

    In fewer than 60, tables cannot be read; in more than 160, lines cannot.
    """
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    columns = shutil.get_terminal_size((80, 24)).columns if on_terminal else 80
    return min(max(columns, 60), 160)


def styled(text: str, *styles: str) -> str:
    r"""Return text with weight and colour, for `show(…, coloured=True)` where `in_colour` says so.

    >>> styled("Yes.", "bold", "green")
    '\x1b[1;32mYes.\x1b[0m'
    """
    return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{text}\x1b[0m"


def show(text: str, *, coloured: bool = False) -> None:
    r"""Write text to standard output as it is, but for what a terminal would obey.

    `coloured` text may set weight and colour.

    >>> show("a name with \x1b]0;a new title\x07\n")
    a name with ?]0;a new title?
    """
    with _writing_output():
        sys.stdout.write(plain(text, coloured=coloured))
        sys.stdout.flush()


def send(content: str | bytes) -> None:
    """Write what programs read to standard output: UTF-8, whatever its encoding is else."""
    data = plain(content).encode() if isinstance(content, str) else content
    with _writing_output():
        sys.stdout.flush()
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.buffer.write(data)
        else:  # as in notebooks
            sys.stdout.write(data.decode())
        sys.stdout.flush()


def ask(prompt: str) -> str | None:
    """Return the next line that is typed; None at the end of the input, or if there is none."""
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.errors != "replace":
        with suppress(OSError):  # too late: somebody has read from it
            sys.stdin.reconfigure(errors="replace")  # what is not text is no decision
    try:
        return input(plain(prompt)).strip()
    except (EOFError, OSError, RuntimeError, ValueError):  # at its end, gone, or never there
        show("\n")
        return None


@contextmanager
def _writing_output() -> Iterator[None]:
    """Go on where whoever reads our output has enough (`| head`); refuse a full disk."""
    if sys.stdout is None:
        raise UsageError("standard output is closed; write to a file with --json or --html")
    try:
        yield
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(problem, BrokenPipeError):
            reason = problem.strerror or str(problem)
            raise UsageError(f"standard output cannot be written ({reason})") from None


def remark(text: str) -> None:
    """Print a line on standard error that is no part of the result, unless `--quiet` is given."""
    if not settings.quiet:
        _print_line(text)


def warn(text: str) -> None:
    """Print a warning on standard error, unless `--quiet` is given."""
    remark(f"tellapart: warning: {text}")


def say(text: str, program: str = "tellapart") -> None:
    """Print on standard error what must be read: an error, or what a check found."""
    _print_line(f"{program}: {text}")


def _print_line(text: str) -> None:
    with suppress(OSError, AttributeError):  # where nobody can read it
        sys.stderr.write(f"{plain(text)}\n")
        sys.stderr.flush()


def until_interrupted(work: Callable[[], bool]) -> bool | None:
    """Return what some work returns; None if Ctrl-C ended it, and the verb has more to say."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return work()
    except KeyboardInterrupt:
        return None
    finally:
        signal.signal(signal.SIGINT, before)


# Progress of long work: what it reports to, and a line on standard error after two seconds.

DELAY_S = 2.0
_REFRESH_S = 0.1
_BAR = 40  # columns


Progress = Callable[[str, int, int], None]
"""What long work reports to: what is done, how much, and of how much; 0 if that is not known"""


def no_progress(what: str, done: int, total: int) -> None:
    """Report to nobody."""


class DelayedProgress:
    """A line on standard error that appears once the work has gone on for a while.

    >>> with DelayedProgress() as progress:
    ...     progress("shuffles", 1, 2)
    """

    def __init__(self) -> None:
        self._due = time.monotonic() + DELAY_S  # when the line is written next
        self._is_written = False

    def __enter__(self) -> DelayedProgress:
        return self

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show how much is done, if it is time to and someone sees it."""
        now, is_end = time.monotonic(), self._is_written and done >= total
        unseen = not sys.stderr.isatty() or os.environ.get("TERM") == "dumb"
        if (now < self._due and not is_end) or unseen or settings.quiet:
            return
        self._due, self._is_written = now + _REFRESH_S, True
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{progress_line(what, done, total)[:width]}")
        sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self._is_written:
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
