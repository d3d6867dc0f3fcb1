"""What people read: text on standard output, remarks on standard error.

Names and texts come from files, and a terminal obeys what it is sent. All that is printed goes
through here, so that no file can move the cursor, hide a line or turn text around.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from tellapart.words import plain


def show(text: str, *, coloured: bool = False) -> None:
    r"""Write text to standard output as it is, but for what a terminal would obey.

    `coloured` text may set weight and colour.

    >>> show("a name with \x1b]0;a new title\x07\n")
    a name with ?]0;a new title?
    """
    sys.stdout.write(plain(text, coloured=coloured))


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
    sys.stdout.flush()
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        stream = io.BytesIO()
        yield stream
        sys.stdout.write(stream.getvalue().decode())
        sys.stdout.flush()
        return
    yield stream
    stream.flush()


def remark(text: str) -> None:
    """Print a line on standard error that is no part of the result."""
    sys.stderr.write(f"{plain(text)}\n")


def say(text: str, program: str = "tellapart") -> None:
    """Print a warning or a complaint on standard error, in a line that names the program."""
    remark(f"{program}: {text}")
