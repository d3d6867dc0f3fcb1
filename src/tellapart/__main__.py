"""The program `tellapart`, which is also `python -m tellapart`."""

from __future__ import annotations

import io
import os
import signal
import sys

TYPE_CHECKING = False  # typing would take longer to load than all that is here
if TYPE_CHECKING:
    from typing import NoReturn


def entry() -> NoReturn:
    """Run as the program `tellapart`."""
    end_at_once("tellapart")
    # Only now, so that Ctrl-C while modules are loaded is one sentence.
    from tellapart.cli import main

    status = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done, and Python is about to end
    sys.exit(status)


def end_at_once(program: str) -> None:
    """Let Ctrl-C end a program with a sentence, whatever threads still work, and warnings be quiet.

    An exception would wait for the threads, and other packages could take it for theirs.
    """

    def end(*_: object) -> None:
        try:
            os.write(2, f"\n{program}: interrupted\n".encode())
        finally:
            os._exit(128 + signal.SIGINT)

    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # as a shell starts background jobs
        signal.signal(signal.SIGINT, end)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what the terminal's encoding lacks
    if not os.environ.get("TELLAPART_DEBUG"):
        import warnings

        warnings.simplefilter("ignore")  # of libraries, which only programmers can use


if __name__ == "__main__":
    entry()
