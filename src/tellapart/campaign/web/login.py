"""Logging in by a link, and out again.

A link leads to a page that says who it is for; its button begins a visit, so that no link on
another site puts somebody into another's place. The cookie holds the visit's secret, of which the
database knows a hash: who leaves, or whose link is revoked or over, is out at the next request.
Tokens are drawn from 2^192: nobody finds one by trying, so that trying locks nobody out.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tellapart.campaign.campaign import VISIT_DAYS
from tellapart.campaign.web.site import Site
from tellapart.campaign.web.visits import check_origin, failed, read_form, sent

WRONG: Final = "this link does not work (any more); ask for a new one"
Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]


async def entrance(site: Site, request: Request) -> Response:
    """Answer a link: a page that says who one will be, with a button."""
    token = request.path_params["token"]
    person = await run_in_threadpool(site.campaign.person_of, token)
    if person is None:
        return site.login(WRONG)
    secret, _ = sent(site, request)
    now = await run_in_threadpool(site.campaign.visitor, secret)
    return HTMLResponse(site.filled("enter.html", person=person, now=now, token=token))


async def let_in(site: Site, request: Request) -> Response:
    """Answer that button, and the form with a pasted link."""
    try:
        check_origin(request)
        token = (await read_form(request, 10_000))[0].get("token", "")
    except HTTPException as problem:
        return site.login(problem.detail, status=problem.status_code)
    token = token.strip().rpartition("/")[2]  # the whole link may be pasted, too
    secret = await run_in_threadpool(site.campaign.enter, token)
    if secret is None:
        return site.login(WRONG)
    response = RedirectResponse("/", 303)
    response.set_cookie(
        site.cookie, secret, int(VISIT_DAYS * 86_400), secure=site.https, httponly=True,
        samesite="lax",
    )  # fmt: skip
    return response


async def leave(site: Site, request: Request) -> Response:
    """Answer the button to log out."""
    check_origin(request)
    secret, _ = sent(site, request)
    await run_in_threadpool(site.campaign.leave, secret)
    response = RedirectResponse("/", 303)
    response.delete_cookie(site.cookie, secure=site.https, httponly=True, samesite="lax")
    return response


async def health(site: Site, _request: Request) -> Response:
    """Tell a monitor whether pages can be served: 200, or 503 without a database."""
    await run_in_threadpool(site.campaign.version)
    return Response("ok\n", media_type="text/plain")


def open_to_all(
    site: Site, answer: Callable[[Site, Request], Coroutine[Any, Any, Response]]
) -> Endpoint:
    """Return what answers those who are not logged in, too, whatever happens."""

    async def answered(request: Request) -> Response:
        try:
            return await answer(site, request)
        except Exception as problem:
            return failed(site, None, request, problem)

    return answered
