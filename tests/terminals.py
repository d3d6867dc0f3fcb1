"""The program in a pseudo-terminal, for tests of its dialogues."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time


class Terminal:
    """The program in a pseudo-terminal: type lines, wait for what it shows."""

    def __init__(self, arguments: list[str]) -> None:
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.environ.update(COLUMNS="90", TERM="dumb")
            os.execv(sys.executable, [sys.executable, "-m", "tellapart", *arguments])
        self.shown = ""

    def wait_for(self, pattern: str, seconds: float = 20) -> str:
        """Read until a pattern is shown; return all that came since the last call."""
        found = ""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, found):
            ready, _, _ = select.select([self.master], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(f"{pattern!r} was never shown; there was {found!r}")
            try:
                more = os.read(self.master, 4096).decode()
            except OSError:
                more = ""
            assert more, f"the program ended without {pattern!r}: {found!r}"
            found += more.replace("\r\n", "\n")
        return found

    def type(self, line: str, pattern: str) -> str:
        """Type a line and wait for a pattern."""
        os.write(self.master, f"{line}\n".encode())
        return self.wait_for(pattern)

    def interrupt(self, pattern: str) -> None:
        """Press Ctrl-C until a pattern is shown; one just before a read begins would be lost."""
        for _ in range(20):
            os.write(self.master, b"\x03")
            try:
                self.wait_for(pattern, 1)
            except TimeoutError:
                continue
            return
        raise TimeoutError(pattern)

    def status(self) -> int:
        """Wait for the end and return the exit status."""
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """End the program, if it has not ended."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)
