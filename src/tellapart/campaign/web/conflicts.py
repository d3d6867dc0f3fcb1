"""The page on which an organiser rules about what people differ about."""

from __future__ import annotations

import secrets
from typing import Any

from starlette.responses import Response

from tellapart.campaign.web.judging import by_handle, handle, named_question, pieces
from tellapart.campaign.web.visits import ORGANISERS, Page, Visit


def show_conflicts(visit: Visit) -> Response:
    """Show the first question that people differ about, or one that is asked for."""
    if not visit.site.has_systems:
        return visit.render("conflicts.html", question=None, waiting=0, undo=False)
    desk = visit.desk
    desk.refresh()
    waiting = desk.conflicts()
    question = by_handle(visit, visit.query.get("question", "")) or next(iter(waiting), None)
    shown: dict[str, Any] = {
        "question": question, "waiting": len(waiting), "undo": _last_is_ruling(visit),
    }  # fmt: skip
    if question is not None:
        shown |= {
            "handle": handle(visit, question.id), "view": desk.judging.view(question),
            "answers": question.answers,
            "opinions": desk.said(question), "pieces": pieces,
            "is_ruled": desk.opinions.ruling(question.id) is not None,
            "request": secrets.token_urlsafe(12),
        }  # fmt: skip
    return visit.render("conflicts.html", **shown)


def rule(visit: Visit) -> Response:
    """Settle a question: from now on this answer holds, whatever people have said."""
    visit.desk.answer(
        visit.person.name, named_question(visit).id, visit.form.get("outcome", ""),
        request=visit.form.get("request") or None, ruling=True,
    )  # fmt: skip
    visit.site.notice()
    return visit.redirect("/conflicts")


def take_back(visit: Visit) -> Response:
    """Take back the last ruling, and show its question again."""
    if not _last_is_ruling(visit):
        return visit.redirect("/conflicts")
    question = visit.desk.undo(visit.person.name)
    visit.site.notice()
    shown = "" if question is None else f"?question={handle(visit, question.id)}"
    return visit.redirect(f"/conflicts{shown}")


def _last_is_ruling(visit: Visit) -> bool:
    """Return whether the last thing that the organiser could take back is a ruling."""
    made = visit.desk.opinions.last_of(visit.person.name)
    return made is not None and made.ruling


PAGES = (
    Page("/conflicts", show_conflicts, ORGANISERS, label="Conflicts"),
    Page("/conflicts/rule", rule, ORGANISERS, "POST"),
    Page("/conflicts/undo", take_back, ORGANISERS, "POST"),
)
