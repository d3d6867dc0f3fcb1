"""Logging in by a link, and out again.

The cookie holds the person's token itself, of which the database knows a hash: so there are no
sessions to keep, and a link that is revoked is good for nothing at the very next request. A token
is in no address but that of the link, which leads elsewhere at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tellapart.campaign.web.site import Site
from tellapart.campaign.web.visits import check_origin, failed, fields_of, read_body

WRONG_TOKENS: Final = 20
"""So many a client may try ..."""
WITHIN_S: Final = 60.0
"""... in so many seconds"""
STAYS_S: Final = 90 * 86_400
"""How long a browser remembers who logged in"""


@dataclass(slots=True)
class Doorkeeper:
    """Counts wrong tokens of each client, and lets none of them try on and on."""

    clock: Callable[[], float] = time.monotonic
    _wrong: dict[str, list[float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def is_tired_of(self, client: str) -> bool:
        """Return whether a client has tried too often.

        >>> keeper = Doorkeeper(clock=lambda: 0.0)
        >>> for _ in range(WRONG_TOKENS):
        ...     keeper.note(["10.0.0.1"][0])
        >>> keeper.is_tired_of("10.0.0.1"), keeper.is_tired_of("10.0.0.2")
        (True, False)
        """
        with self._lock:
            since = self.clock() - WITHIN_S
            self._wrong = {
                name: recent
                for name, times in self._wrong.items()
                if (recent := [at for at in times if at > since])
            }
            return len(self._wrong.get(client, ())) >= WRONG_TOKENS

    def note(self, client: str) -> None:
        """Note that a client came with a wrong token."""
        with self._lock:
            self._wrong.setdefault(client, []).append(self.clock())


Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]


def entrance(site: Site) -> Endpoint:
    """Return what a link leads to, and what the form with a pasted token is sent to."""
    keeper = Doorkeeper()

    async def enter(request: Request) -> Response:
        try:
            return await let_in(request)
        except Exception as problem:
            return failed(site, None, request, problem)

    async def let_in(request: Request) -> Response:
        client = request.client.host if request.client else ""
        if keeper.is_tired_of(client):
            return site.login("too many wrong links; wait a minute, then try again", status=429)
        try:
            token = request.path_params.get("token", "")
            if request.method == "POST":
                check_origin(request)
                token = fields_of(await read_body(request, 10_000)).get("token", "")
                token = token.strip().rpartition("/")[2]  # the whole link may be pasted, too
        except HTTPException as problem:
            return site.login(problem.detail, status=problem.status_code)
        if await run_in_threadpool(site.campaign.person_of, token) is None:
            keeper.note(client)
            return site.login("this link does not work (any more); ask for a new one")
        response = RedirectResponse("/", 303)
        response.set_cookie(
            site.cookie, token, STAYS_S, secure=site.https, httponly=True, samesite="lax"
        )
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    return enter


def exit_from(site: Site) -> Endpoint:
    """Return what the button to log out is sent to."""

    async def leave(request: Request) -> Response:
        try:
            check_origin(request)
        except HTTPException as problem:
            return site.error(problem.status_code, problem.detail)
        response = RedirectResponse("/", 303)
        response.delete_cookie(site.cookie, secure=site.https, httponly=True, samesite="lax")
        return response

    return leave
