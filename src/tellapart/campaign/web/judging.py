"""The page on which a person judges, and what its buttons are sent to.

All of it works as plain forms. The script of the page sends the same forms and is answered with
JSON, in which the next question is a piece of the page; programs that judge use the same.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import asdict
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from tellapart.campaign.database import digest_of
from tellapart.campaign.desk import Progress
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Question
from tellapart.campaign.web.visits import JUDGES, Page, Visit


def show_home(visit: Visit) -> Response:
    """Lead a person to the first of their pages; an organiser sees how far the campaign is."""
    pages = visit.site.navigation(visit)
    if visit.person.role != "organiser" and pages:
        return visit.redirect(pages[0].path)
    progress = visit.desk.progress(visit.person.name) if visit.site.has_systems else None
    return visit.render("home.html", pages=pages, progress=progress)


def show_judging(visit: Visit) -> Response:
    """Show the next question, or one that is asked for."""
    if not visit.site.has_systems:
        return _shown(visit, Progress(), "No system has been submitted yet.")
    question = by_handle(visit, visit.query.get("question", ""))
    return _state(visit, question or visit.desk.next_for(visit.person.name))


def take_answer(visit: Visit) -> Response:
    """Keep an answer, and show the next question."""
    outcome, request = _field(visit, "outcome"), visit.form.get("request") or None
    if request is not None and not visit.wants_json:
        # The same page may be sent again with another answer, which is another decision.
        request = digest_of(request, outcome)
    asked, name = named_question(visit).id, visit.person.name
    if not visit.desk.is_theirs(name, asked, visit.campaign.log.last_seen()):
        raise HTTPException(409, "this question is no longer yours")
    visit.desk.answer(name, asked, outcome, request=request)
    return _next(visit)


def take_back(visit: Visit) -> Response:
    """Take back the last decision, and show its question again."""
    name, request = visit.person.name, visit.form.get("request") or None
    last = visit.desk.opinions.last_of(name)
    if last is not None and last.number <= visit.campaign.log.last_seen():
        raise HTTPException(409, "a board was seen with it; only a ruling changes it")
    question = visit.desk.undo(name, request)
    return _next(visit, question)


def put_off(visit: Visit) -> Response:
    """Put a question off, and show the next one."""
    asked = named_question(visit).id
    visit.desk.skip(visit.person.name, asked)
    return _next(visit)


PAGES = (
    Page("/", show_home),
    Page("/judge", show_judging, JUDGES, label="Judge"),
    Page("/judge/answer", take_answer, JUDGES, "POST"),
    Page("/judge/undo", take_back, JUDGES, "POST"),
    Page("/judge/skip", put_off, JUDGES, "POST"),
)


def _next(visit: Visit, question: Question | None = None) -> Response:
    """Answer a form: with the next question, or with one that is to be shown again."""
    if not visit.wants_json:
        return visit.redirect(
            "/judge" if question is None else f"/judge?question={handle(visit, question.id)}"
        )
    return _state(visit, question or visit.desk.next_for(visit.person.name))


def _state(visit: Visit, question: Question | None) -> Response:
    """Return a question with all that belongs to it, or why there is none."""
    progress = visit.desk.progress(visit.person.name, blind=visit.person.role != "organiser")
    return _shown(visit, progress, progress.left_words, question)


def _shown(
    visit: Visit, progress: Progress, reason: str, question: Question | None = None
) -> Response:
    """Return the page, or all of it as JSON."""
    # What can still change depends on what others said: judges are not told.
    outlook = visit.site.outlook if visit.person.role == "organiser" else None
    shown: dict[str, Any] = {
        "question": None, "progress": progress, "reason": reason, "outlook": outlook,
    }  # fmt: skip
    if question is not None:
        shown |= about(visit, question)
    if not visit.wants_json:
        return visit.render("judge.html", **shown)
    html = visit.fragment("question.html", **shown)
    told: dict[str, Any] = {"progress": asdict(progress), "question": None, "html": html}
    if question is not None:
        told["question"] = {
            "question": handle(visit, question.id), "kind": question.kind, "item": question.item,
            # That of a pairing names a system.
            "subject": None if question.kind == "pairing" else question.subject,
            "label": question.label, "affects": len(question.systems), "title": shown["view"].title,
            "answers": [asdict(each) for each in question.answers],
        }  # fmt: skip
    return JSONResponse(told)


def about(visit: Visit, question: Question) -> dict[str, Any]:
    """Return what pages show of a question, and what its form sends back."""
    return {
        "question": question, "handle": handle(visit, question.id),
        "view": visit.desk.judging.view(question), "request": secrets.token_urlsafe(12),
    }  # fmt: skip


def named_question(visit: Visit) -> Question:
    """Return the question that a form is about: one that this person was shown."""
    question = by_handle(visit, _field(visit, "question"))
    if question is None:
        raise HTTPException(400, "there is no such question any more")
    return question


def _field(visit: Visit, name: str) -> str:
    value = visit.form.get(name)
    if not value:
        raise HTTPException(400, f"the field {name} is missing")
    return value


def handle(visit: Visit, question: QuestionId) -> str:
    """Return by what a person names a question.

    It tells nothing of the systems, and only who was shown a question knows what it is called:
    nobody chooses what they judge.
    """
    name = handle_of(visit.campaign.settings.seed, visit.person.name, question)
    visit.site.handles[name] = question
    return name


def handle_of(seed: str, person: str, question: QuestionId) -> str:
    """Return by what somebody names a question in a campaign of this seed."""
    about = "\n".join((person, *question)).encode("utf-8", "surrogatepass")
    return hmac.digest(seed.encode(), about, hashlib.sha256).hex()[:32]


def by_handle(visit: Visit, name: str) -> Question | None:
    """Return the question that a person names so; None if there is none, nor was ever shown."""
    desk, known = visit.desk, visit.site.handles
    if name and name not in known:  # what was shown before a server started anew
        for question in (*desk.questions, *list(desk.shown)):
            handle(visit, question)
    asked = known.get(name)
    if asked is None or handle(visit, asked) != name:  # or it is another person's
        return None
    return desk.questions.get(asked) or desk.shown.get(asked)
