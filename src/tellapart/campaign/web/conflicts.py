"""The page on which an organiser rules about what people differ about."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from tellapart.campaign.web.judging import about, by_handle, handle, named_question
from tellapart.campaign.web.visits import ORGANISERS, Page, Visit


def show_conflicts(visit: Visit) -> Response:
    """Show the first question that people differ about, or one that is asked for."""
    shown: dict[str, Any] = {"question": None, "waiting": 0, "undo": False}
    if visit.site.has_systems:
        desk = visit.desk
        desk.refresh()
        waiting = desk.conflicts()
        shown |= {"waiting": len(waiting), "undo": _last_is_ruling(visit)}
        question = by_handle(visit, visit.query.get("question", "")) or next(iter(waiting), None)
        if question is not None:
            is_ruled = desk.opinions.ruling(question.id) is not None
            shown |= {"opinions": desk.said(question), "is_ruled": is_ruled}
            shown |= about(visit, question)
    return visit.render("conflicts.html", **shown)


def rule(visit: Visit) -> Response:
    """Settle a question: from now on this answer holds, whatever people have said."""
    visit.desk.answer(
        visit.person.name, named_question(visit).id, visit.form.get("outcome", ""),
        request=visit.form.get("request") or None, ruling=True,
    )  # fmt: skip
    return visit.redirect("/conflicts")


def take_back(visit: Visit) -> Response:
    """Take back the last ruling, and show its question again."""
    if not _last_is_ruling(visit):
        return visit.redirect("/conflicts")
    question = visit.desk.undo(visit.person.name)
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
