"""A campaign's server as tests start it: `tellapart serve` in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette


@dataclass
class Served:
    """A running server."""

    process: subprocess.Popen[str]
    address: str
    """http://127.0.0.1:PORT, without a slash at the end"""
    links: dict[str, str] = field(default_factory=dict)
    """Those that it has printed, by name"""

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; return the status and what was said on standard error."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said


@contextmanager
def serving(folder: str, *more: str, changed: str = "") -> Iterator[Served]:
    """Serve a campaign at a free port, until the end of the block or a signal.

    `changed` is a program that is run first in the server's process.
    """
    words = [sys.executable, "-m", "tellapart", "serve", folder, "--port", "0", *more]
    if changed:
        program = f"{changed}; from tellapart.cli import main; sys.exit(main())"
        words[1:3] = ["-c", f"import sys; {program}"]
    process = subprocess.Popen(
        [word for word in words if word], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        served = Served(process, "")
        for line in process.stdout:
            name, _, address = line.strip().rpartition(": ")
            if "/enter/" in address:
                served.links[name] = address
            elif re.fullmatch(r"https?://\S+/", address):
                served.address = address.rstrip("/")
            elif line.startswith("Ctrl-C"):
                break
        else:
            _, said = process.communicate()
            raise AssertionError(f"the server did not start: {said}")
        yield served
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@contextmanager
def served_here(app: Starlette) -> Iterator[str]:
    """Serve an application in a thread of this process; yield its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
