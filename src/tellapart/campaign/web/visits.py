"""A visit to a page: who comes, what they sent, and how they are answered.

A page is a plain function of a visit, run in a thread of its own. Who may see it, how large a
body may be and that a form is really ours is checked before it is called.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import Message

from tellapart.campaign.campaign import ROLES, Campaign, Person, TooMany
from tellapart.campaign.opinions import DEED
from tellapart.console import say
from tellapart.errors import DatabaseError, TellapartError

if TYPE_CHECKING:
    from tellapart.campaign.desk import Desk
    from tellapart.campaign.web.site import Site

ORGANISERS: Final = ("organiser",)
JUDGES: Final = ("organiser", "judge")
EVERYBODY: Final = ROLES
FORM_BYTES: Final = 100_000
"""The largest form that is no upload"""
WAITS_S: Final = 30.0
"""How long what somebody sends is waited for ..."""
SLOWEST: Final = 50_000.0
"""... and a second more for so many bytes that have come"""


@dataclass(frozen=True, slots=True)
class Visit:
    """Somebody at a page."""

    site: Site
    person: Person
    token: str
    path: str = "/"
    wants_json: bool = False
    """Whether a program asks, and not a page: errors and answers are JSON then"""
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    """The fields of a form, or of a JSON object"""
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    """What came with a form: names, which are texts and never paths, and contents"""

    @property
    def campaign(self) -> Campaign:
        """The campaign."""
        return self.site.campaign

    @property
    def desk(self) -> Desk:
        """Its desk; a UsageError, which is shown as a sentence, while no system was submitted."""
        return self.site.desk

    @property
    def csrf(self) -> str:
        """What every form of ours must send back."""
        return csrf_of(self.token)

    def render(self, template: str, **values: Any) -> Response:
        """Return a page from a template; all that it is given is escaped."""
        return HTMLResponse(self.fragment(template, **values))

    def fragment(self, template: str, **values: Any) -> str:
        """Return a template as text, for a part of a page."""
        return self.site.filled(template, visit=self, **values)

    def redirect(self, path: str) -> Response:
        """Return the way to another page, after a form."""
        return RedirectResponse(path, 303)


@dataclass(frozen=True, slots=True)
class Page:
    """A page, or what a form is sent to: a path, a function, and who may go there."""

    path: str
    show: Callable[[Visit], Response]
    roles: tuple[str, ...] = EVERYBODY
    method: str = "GET"
    label: str = ""
    """What the navigation calls it; none: it is not there"""
    uploads: bool = False
    """Whether submissions are sent to it, of which a day allows so many, so large"""


def csrf_of(token: str) -> str:
    """Return what shows that a form was made for the owner of a token.

    >>> csrf_of("a") == csrf_of("a"), csrf_of("a") == csrf_of("b")
    (True, False)
    """
    return hmac.digest(token.encode(), b"form", hashlib.sha256).hex()


async def answered(site: Site, page: Page, request: Request) -> Response:
    """Return what a page says to a request, whatever happens."""
    visit = None
    try:
        secret, by_cookie = sent(site, request)
        who = site.campaign.visitor if by_cookie else site.campaign.person_of
        person = await run_in_threadpool(who, secret) if secret else None
        if person is None:
            raise HTTPException(401, "this is for people with a link")
        request.state.person = person.name
        visit = Visit(
            site, person, secret, page.path, _wants_json(request),
            request.query_params,
        )  # fmt: skip
        if person.role not in page.roles:
            raise HTTPException(403, "this page is not for you")
        if page.uploads:
            return await _with_upload(visit, page, request, by_cookie)
        if page.method == "POST":
            visit = await _with_form(visit, request, by_cookie, FORM_BYTES)
        response = await run_in_threadpool(page.show, visit)
        if page.method == "POST" and page.roles == ORGANISERS:
            await run_in_threadpool(_note_deed, visit)
        return response
    except Exception as problem:
        return failed(site, visit, request, problem)


async def _with_upload(visit: Visit, page: Page, request: Request, by_cookie: bool) -> Response:
    """Take a submission; who may not send one, or comes among too many, is refused unread."""
    await run_in_threadpool(visit.campaign.check_turns, visit.person.name)
    if not visit.site.uploads.acquire(blocking=False):
        raise HTTPException(429, "others are just sending; send yours in a minute")
    try:
        most = int(visit.campaign.settings.megabytes * 1_000_000) + FORM_BYTES
        visit = await _with_form(visit, request, by_cookie, most)
        return await run_in_threadpool(page.show, visit)
    finally:
        visit.site.uploads.release()


def _note_deed(visit: Visit) -> None:
    told = ", ".join(f"{k} {v}" for k, v in visit.form.items() if k not in ("csrf", "request"))
    visit.campaign.log.remark(visit.person.name, DEED, f"{visit.path}: {told}"[:1000])


def check_origin(request: Request) -> None:
    """Refuse what the page of another site sends."""
    origin = request.headers.get("origin")
    host = origin.partition("://")[2] if origin is not None else None
    foreign = host is not None and host != request.headers.get("host")
    if foreign or request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        raise HTTPException(403, "this came from another site; nothing was changed")


async def read_body(request: Request, most: int) -> bytes:
    """Return what was sent; what is too large or too slow is refused, and read no further."""
    parts, size, began = [], 0, asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(WAITS_S) as limit:
            async for part in request.stream():
                size += len(part)
                limit.reschedule(began + WAITS_S + size / SLOWEST)
                if size > most:
                    raise HTTPException(413, f"this is too large; send {most / 1e6:g} MB at most")
                parts.append(part)
    except TimeoutError:
        raise HTTPException(408, "what was sent did not come in; send it again") from None
    except ClientDisconnect:  # nobody will read this
        raise HTTPException(400, "the connection was lost") from None
    return b"".join(parts)


async def read_form(
    request: Request, most: int
) -> tuple[dict[str, str], dict[str, tuple[str, bytes]]]:
    """Return the fields and the files of a form, or the texts of a JSON object."""
    body = await read_body(request, most)
    fields, files = dict[str, str](), dict[str, tuple[str, bytes]]()
    if request.headers.get("content-type", "").partition(";")[0] == "application/json":
        try:
            fields = json.loads(body)
        except (ValueError, RecursionError):
            raise HTTPException(400, "this is no JSON") from None
        if not isinstance(fields, dict) or not all(isinstance(v, str) for v in fields.values()):
            raise HTTPException(400, "an object of texts is needed here, in JSON")
        return fields, files

    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    try:
        form = await Request(request.scope, receive).form()
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                files[name] = value.filename or "", await value.read()
            else:
                fields[name] = value
        await form.close()
    except (KeyError, ValueError):
        raise HTTPException(400, "this form cannot be read") from None
    return fields, files


def sent(site: Site, request: Request) -> tuple[str, bool]:
    """Return what tells who comes: a visit's secret by a cookie (True), or a program's token."""
    token = _token(request)
    return (request.cookies.get(site.cookie, ""), True) if token is None else (token, False)


def _token(request: Request) -> str | None:
    """Return a program's token; what a proxy is sent to let people through is none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def _wants_json(request: Request) -> bool:
    """Return whether a program asks, and not a page."""
    return _token(request) is not None or "application/json" in request.headers.get("accept", "")


def without_token(path: str) -> str:
    """Return a path as a log may have it.

    >>> without_token("/enter/s3cret")
    '/enter/…'
    """
    return "/enter/…" if path.startswith("/enter/") else quote(path)


async def _with_form(visit: Visit, request: Request, by_cookie: bool, most: int) -> Visit:
    """Return a visit with what was sent, which is ours: no other site's page sent it."""
    check_origin(request)
    fields, files = await read_form(request, most)
    visit = replace(visit, form=fields, files=files)
    given = visit.form.get("csrf") or request.headers.get("x-csrf", "")
    shown = given.encode("utf-8", "surrogatepass")
    # Who names the token in a header is a program, which no other page can make do things.
    if by_cookie and not hmac.compare_digest(shown, visit.csrf.encode()):
        raise HTTPException(403, "this form is of another page; load the page again")
    return visit


def failed(site: Site, visit: Visit | None, request: Request, problem: Exception) -> Response:
    """Return an error as one sentence, without internals: as a page, or as JSON."""
    if isinstance(problem, HTTPException):
        status, sentence = problem.status_code, problem.detail
    elif isinstance(problem, TellapartError):
        # Places in the sentences are folders and databases of the machine.
        status = 429 if isinstance(problem, TooMany) else 400
        sentence = site.without_places(str(problem))
        if isinstance(problem, DatabaseError):
            # Not what was sent is wrong: pages keep it, and send it again.
            say(str(problem))
            status, sentence = 503, "the database cannot be used just now; try again in a while"
    else:
        path = without_token(request.scope["path"])
        say(f"{request.method} {path}: {type(problem).__name__}: {problem}")
        status, sentence = 500, "something went wrong here; ask the organiser"
    if _wants_json(request):
        return JSONResponse({"error": sentence}, status)
    told = sentence[:1].upper() + sentence[1:].rstrip(".")
    template = "login.html" if status == 401 else "error.html"
    return HTMLResponse(site.filled(template, visit=visit, sentence=told), status)
