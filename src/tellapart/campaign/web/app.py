"""The web application of a campaign: its addresses, and how one logs in and out.

A link leads to a page that says who it is for; its button begins a visit, so that no link on
another site puts somebody into another's place. The cookie holds the visit's secret, of which the
database knows a hash: who leaves, or whose link is revoked or over, is out at the next request.
Tokens are drawn from 2^192: nobody finds one by trying, so that trying locks nobody out.

**To add a page**, write a module `web/<subject>.py` with plain functions of a `Visit`, and a list:

    def show_board(visit: Visit) -> Response:
        return visit.render("board.html", rows=rows_of(visit.desk))

    def rename(visit: Visit) -> Response:
        visit.campaign.log.remark(visit.person.name, "open-board")
        return visit.redirect("/board")

    PAGES = (
        Page("/board", show_board, label="Board"),               # in the navigation, for all
        Page("/board/open", rename, ORGANISERS, method="POST"),  # of a form
    )

and name the module in `all_pages` below. Functions run in threads, several at once.

* **Roles**: `ORGANISERS`, `JUDGES` (organisers are judges, too) or `EVERYBODY`, all of whom are
  logged in; others get the login page. A function is only called for those who may.
* **Templates** are in `web/templates`: `{% extends "base.html" %}`, blocks `title` and `main`; the
  first heading of `main` is an `<h1>`. They know `visit` (visit.person.name, .role) and `site`. All
  values are escaped. No inline script or style (not even a style attribute): the policy forbids it.
  Style goes to `static/style.css`, whose variables (--ink, --faint, …) know light and dark.
* **Forms** are `method="post"` and begin with
  `<input type="hidden" name="csrf" value="{{ visit.csrf }}">`; scripts send it as `X-CSRF`.
  Programs send `Authorization: Bearer TOKEN` instead of a cookie, and need none. Fields are in
  `visit.form` (of a JSON object, too), files in `visit.files`. A body is
  limited to FORM_BYTES, or to a submission where `Page.uploads`. What is posted to a page
  of `ORGANISERS` is kept among the deeds of organisers.
* **Errors**: raise a TellapartError (400) or starlette's HTTPException (any status) with one
  sentence that begins in lower case; it is shown as a page, or as `{"error": sentence}` to whom
  accepts application/json (`visit.wants_json`). After a form, `visit.redirect(path)`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import (
    BaseHTTPMiddleware,
    DispatchFunction,
    RequestResponseEndpoint,
)
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tellapart.campaign.campaign import VISIT_DAYS, Campaign
from tellapart.campaign.web.site import HERE, Site
from tellapart.campaign.web.visits import (
    Page,
    Visit,
    answered,
    check_origin,
    failed,
    read_form,
    sent,
    without_token,
)

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # To other sites nothing is told; a form of ours must tell from where it is.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
REQUESTS: Final = logging.getLogger("tellapart.requests")
"""Who asked for what, and what came of it; the time is its handler's to add"""
LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")


def make_app(campaign: Campaign, *, hosts: tuple[str, ...] = (), https: bool = False) -> Starlette:
    """Return the application; `hosts` are the names by which it may be called, if not by any."""
    pages = all_pages()
    site = Site(campaign, hosts, https, pages)
    routes: list[Route | Mount] = [
        Mount("/static", StaticFiles(directory=HERE / "static")),
        Route("/enter/{token}", open_to_all(site, entrance), methods=["GET"]),
        Route("/enter", open_to_all(site, let_in), methods=["POST"]),
        Route("/leave", open_to_all(site, leave), methods=["POST"]),
        Route("/healthz", open_to_all(site, health), methods=["GET"]),
        *(_route(site, page) for page in pages),
        _route(site, Page("/{path:path}", _nowhere)),
    ]
    guard = Middleware(BaseHTTPMiddleware, dispatch=_guard(site))
    app = Starlette(routes=routes, middleware=[guard])
    app.state.site = site
    return app


def all_pages() -> tuple[Page, ...]:
    """Return all pages, in the order of the navigation."""
    from tellapart.campaign.web import board, conflicts, judging, submissions

    pages = (judging.PAGES, submissions.PAGES, board.PAGES, conflicts.PAGES)
    return tuple(page for some in pages for page in some)


def _route(site: Site, page: Page) -> Route:
    async def endpoint(request: Request) -> Response:
        return await answered(site, page, request)

    everything = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    methods = everything if page.show is _nowhere else [page.method]
    return Route(page.path, endpoint, methods=methods)


def _nowhere(visit: Visit) -> Response:  # noqa: ARG001 (as all pages)
    raise HTTPException(404, "there is no such page")


def _guard(site: Site) -> DispatchFunction:
    """Return what refuses calls by names that are not ours, and puts the headers on all answers."""

    async def guarded(request: Request, answer: RequestResponseEndpoint) -> Response:
        host = request.headers.get("host", "")
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if site.hosts and name.lower() not in site.hosts:
            # Another site's name that points here: its pages could read ours.
            response: Response = PlainTextResponse("This address is not known here.\n", 421)
        else:
            response = await answer(request)
        who = request.scope.get("state", {}).get("person", "-")
        path = without_token(request.scope["path"])
        REQUESTS.info("%s %s %s %d", who, request.method, path, response.status_code)
        for header, value in HEADERS.items():
            response.headers.setdefault(header, value)
        return response

    return guarded


# Logging in by a link, and out again

WRONG: Final = "this link does not work (any more); ask for a new one"
Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]


async def entrance(site: Site, request: Request) -> Response:
    """Answer a link: a page that says who one will be, with a button."""
    token = request.path_params["token"]
    person = await run_in_threadpool(site.campaign.person_of, token)
    if person is None:
        raise HTTPException(401, WRONG)
    secret, _ = sent(site, request)
    now = await run_in_threadpool(site.campaign.visitor, secret)
    return HTMLResponse(site.filled("enter.html", person=person, now=now, token=token))


async def let_in(site: Site, request: Request) -> Response:
    """Answer that button, and the form with a pasted link."""
    check_origin(request)
    token = (await read_form(request, 10_000))[0].get("token", "")
    token = token.strip().rpartition("/")[2]  # the whole link may be pasted, too
    secret = await run_in_threadpool(site.campaign.enter, token)
    if secret is None:
        raise HTTPException(401, WRONG)
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
    await run_in_threadpool(site.campaign.database.check)
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
