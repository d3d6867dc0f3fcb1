"""Serving the application in this process, until a signal ends it."""

from __future__ import annotations

import asyncio
import contextvars
import ipaddress
import logging
import os
import signal
import socket
import sys
import time
from logging.handlers import RotatingFileHandler
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from tellapart.campaign.web.app import REQUESTS
from tellapart.console import say
from tellapart.errors import UsageError

_PATIENCE_S: Final = 10
"""How long those are waited for who are just being answered when a signal comes"""
ASKS_WITHIN_S: Final = 30.0
"""How long a connection may be open without a whole request"""


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a host.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; of port 0, at any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, UnicodeError) as problem:
        reason = str(getattr(problem, "strerror", problem)).partition(" (")[0]
        raise UsageError(
            f"cannot listen at {host}, port {port} ({reason}); give another --port, or --host"
        ) from None


def address_of(listening: socket.socket) -> str:
    """Return the address at which a browser of this machine finds a socket."""
    host, port = listening.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = socket.gethostname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def end_by_signals() -> None:
    """Make a signal that ends this process a SystemExit."""

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, leave)
    # A terminal that is closed ends it as SIGTERM does, unless `nohup` lets it go on.
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def serve(app: Starlette, listening: socket.socket, *, proxied: bool = False) -> None:
    """Serve until a signal comes, which uvicorn raises again once all are answered.

    With `proxied`, the address of a client is the one that the proxy on this machine tells.
    """
    config = uvicorn.Config(
        app, http=_Hurried, lifespan="off", log_config=None, access_log=False, server_header=False,
        proxy_headers=proxied, timeout_graceful_shutdown=_PATIENCE_S, ws="none",
    )  # fmt: skip
    # While one thread computes, such as a board, another that comes back from the database would
    # wait 5 ms for its turn, at each of some twenty steps of an answer.
    sys.setswitchinterval(0.0005)
    # In a context of its own: what reads files must not remember them for as long as this runs.
    contextvars.Context().run(uvicorn.Server(config).run, sockets=[listening])


def log_requests(folder: str) -> None:
    """Keep who asked for what, when, and what came of it, in a campaign's folder."""
    path = os.path.join(folder, "requests.log")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_APPEND, 0o600))
        kept = RotatingFileHandler(path, maxBytes=10_000_000, backupCount=3, encoding="utf-8")
    except OSError as problem:
        say(f"warning: {path}: requests are not logged ({problem.strerror})")
        return
    formatter = logging.Formatter("%(asctime)sZ %(message)s", "%Y-%m-%dT%H:%M:%S")
    formatter.converter = time.gmtime
    kept.setFormatter(formatter)
    REQUESTS.handlers, REQUESTS.propagate = [kept], False
    REQUESTS.setLevel(logging.INFO)


class _Hurried(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection that is closed if no request comes: many that say little keep others out."""

    _last: Any = None
    """The request that was there when it was last looked at"""
    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._due = self.loop.call_later(ASKS_WITHIN_S, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._due is not None:
            self._due.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        request = self.cycle
        if request is self._last and (request is None or request.response_complete):
            self.transport.close()
            return
        self._last = request
        self._due = self.loop.call_later(ASKS_WITHIN_S, self._look)
