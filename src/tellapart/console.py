"""What people read: text on standard output, remarks on standard error.

Names and texts come from files, and a terminal obeys what it is sent. All that is printed goes
through here, so that no file can move the cursor, hide a line or turn text around.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import IO, Final, TextIO

from tellapart.errors import UsageError
from tellapart.words import plain

INTERRUPTED: Final = 128 + signal.SIGINT
"""The status of a program that Ctrl-C ended"""
COLOURS: Final = ("auto", "always", "never")
"""What `--color` takes; auto: on a terminal whose user does not refuse colour (NO_COLOR)"""
_STYLES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


@dataclass(frozen=True, slots=True)
class ConsoleOptions:
    """Whether to write in colour, and whether to leave out remarks and progress."""

    colour: str = "auto"
    quiet: bool = False


_options: Final = ContextVar("console options", default=ConsoleOptions())  # noqa: B039


@contextmanager
def console_options(options: ConsoleOptions) -> Iterator[None]:
    """Write as the options say for a while."""
    token = _options.set(options)
    try:
        yield
    finally:
        _options.reset(token)


def is_quiet() -> bool:
    """Return whether remarks and progress are unwanted.

    >>> with console_options(ConsoleOptions(quiet=True)):
    ...     is_quiet()
    True
    """
    return _options.get().quiet


def in_colour(stream: TextIO) -> bool:
    """Return whether to write to a stream in colour: as asked, or as its reader can see it.

    >>> with console_options(ConsoleOptions(colour="always")):
    ...     in_colour(io.StringIO())
    True
    """
    wish = _options.get().colour
    if wish != "auto":
        return wish == "always"
    refused = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not refused


def terminal_width() -> int:
    """Return how many columns standard output has; 80 where it is no terminal."""
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size((80, 24)).columns if on_terminal else 80


def styled(text: str, *styles: str) -> str:
    r"""Return text with weight and colour, for `show(…, coloured=True)` where `in_colour` says so.

    >>> styled("Yes.", "bold", "green")
    '\x1b[1;32mYes.\x1b[0m'
    """
    return f"\x1b[{';'.join(_STYLES[each] for each in styles)}m{text}\x1b[0m"


def show(text: str, *, coloured: bool = False) -> None:
    r"""Write text to standard output as it is, but for what a terminal would obey.

    `coloured` text may set weight and colour.

    >>> show("a name with \x1b]0;a new title\x07\n")
    a name with ?]0;a new title?
    """
    with _writing_output():
        sys.stdout.write(plain(text, coloured=coloured))
        sys.stdout.flush()


def send(text: str) -> None:
    """Write a table for programs to standard output: UTF-8, whatever its encoding is else."""
    with standard_output() as stream:
        stream.write(plain(text).encode())


def ask(prompt: str) -> str | None:
    """Return the next line that is typed; None at the end of the input, or if there is none."""
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.errors != "replace":
        with suppress(OSError):  # too late: somebody has read from it
            sys.stdin.reconfigure(errors="replace")  # what is not text is no decision
    try:
        return input(plain(prompt)).strip()
    except UnicodeError:
        return "\N{REPLACEMENT CHARACTER}"
    except (EOFError, OSError, RuntimeError, ValueError):  # at its end, gone, or never there
        show("\n")
        return None


@contextmanager
def standard_output() -> Iterator[IO[bytes]]:
    r"""Open standard output for UTF-8, also where it takes text alone, as in notebooks.

    >>> with standard_output() as stream:
    ...     _ = stream.write("Šidák\n".encode())
    Šidák
    """
    with _writing_output():
        sys.stdout.flush()
        stream = getattr(sys.stdout, "buffer", None) or io.BytesIO()
        yield stream
        stream.flush()
        if isinstance(stream, io.BytesIO) and not hasattr(sys.stdout, "buffer"):
            sys.stdout.write(stream.getvalue().decode())
            sys.stdout.flush()


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
            raise UsageError(
                f"standard output cannot be written ({reason}); the report is not whole"
            ) from None


def remark(text: str) -> None:
    """Print a line on standard error that is no part of the result, unless that is unwanted."""
    if not is_quiet():
        _print_line(text)


def say(text: str, program: str = "tellapart") -> None:
    """Print a warning or a complaint on standard error, in a line that names the program."""
    _print_line(f"{program}: {text}")


def _print_line(text: str) -> None:
    with suppress(OSError, AttributeError):  # where nobody can read it
        sys.stderr.write(f"{plain(text)}\n")
        sys.stderr.flush()


@contextmanager
def interruptions_raised() -> Iterator[None]:
    """Let Ctrl-C be a KeyboardInterrupt, for a verb that has something of its own to say then."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where no signal arrives, nor can its handler be set
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
