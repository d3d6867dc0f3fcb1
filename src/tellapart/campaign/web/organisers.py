"""The pages of organisers: what people differ about or noted, how far they agree, who they are."""

from __future__ import annotations

import secrets
from typing import Any, Final

from starlette.responses import Response

from tellapart.campaign.agreement import NAMED, agreement_of
from tellapart.campaign.campaign import ROLES
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.web.judging import by_handle, handle, named_question, note_of, pieces
from tellapart.campaign.web.visits import ORGANISERS, Page, Visit
from tellapart.errors import UsageError

MOST_SHOWN: Final = 200
"""Questions with notes, and deeds"""


def show_conflicts(visit: Visit) -> Response:
    """Show the first question that people differ about, or one that is asked for."""
    if not visit.site.has_systems:
        return visit.render("conflicts.html", question=None, waiting=0, ruled=0, remarked=[],
                            undo=False)  # fmt: skip
    desk, name = visit.desk, visit.person.name
    desk.refresh()
    waiting = desk.conflicts()
    question = by_handle(visit, visit.query.get("question", "")) or next(iter(waiting), None)
    ruled = len([each for each in list(desk.questions) if desk.opinions.ruling(each)])
    shown: dict[str, Any] = {
        "question": question, "waiting": len(waiting), "ruled": ruled,
        "remarked": remarked_at(visit), "undo": _last_is_ruling(visit),
    }  # fmt: skip
    if question is not None:
        shown |= {
            "handle": handle(visit, question.id), "view": desk.view(name, question),
            "answers": desk.answers(name, question),
            "opinions": desk.said(name, question), "pieces": pieces,
            "is_ruled": desk.opinions.ruling(question.id) is not None,
            "request": secrets.token_urlsafe(12),
        }  # fmt: skip
    return visit.render("conflicts.html", **shown)


def rule(visit: Visit) -> Response:
    """Settle a question: from now on this answer holds, whatever people have said."""
    visit.desk.answer(
        visit.person.name, named_question(visit).id, visit.form.get("outcome", ""),
        note=note_of(visit), request=visit.form.get("request") or None, ruling=True,
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


def remarked_at(visit: Visit) -> list[dict[str, Any]]:
    """Return the questions that have notes."""
    desk = visit.desk
    notes: dict[QuestionId, list[str]] = {}
    for remark in visit.campaign.log.remarks():
        if remark.question is not None and remark.text:
            notes.setdefault(remark.question, []).append(remark.text)
    for key in list(desk.questions):
        notes.setdefault(key, []).extend(e.note for e in desk.opinions.of(key) if e.note)
    found: list[dict[str, Any]] = [
        {
            "item": question.item, "title": desk.judging.view(question).title,
            "handle": handle(visit, key), "notes": list(dict.fromkeys(notes[key])),
        }
        for key, question in list(desk.questions.items())
        if notes[key]
    ]  # fmt: skip
    return found[:MOST_SHOWN]


def _last_is_ruling(visit: Visit) -> bool:
    """Return whether the last thing that the organiser could take back is a ruling."""
    made = visit.desk.opinions.last_of(visit.person.name)
    return made is not None and made.ruling


def show_people(visit: Visit) -> Response:
    """Show everybody, and the form that gives a new person a link."""
    return _people(visit)


def add_person(visit: Visit) -> Response:
    """Give somebody a link, and show it: this once, since only its hash is kept."""
    name, role = visit.form.get("name", "").strip(), visit.form.get("role", "")
    _refuse_oneself(visit, name)
    known = {each.name for each in visit.campaign.people()}
    days = visit.form.get("days", "").strip()
    if days and not (days.isdecimal() and 0 < int(days) < 10_000):
        raise UsageError("a link is good for a whole number of days, or without an end")
    token = visit.campaign.add_person(name, role, int(days) if days else None)
    link = f"{visit.address}/enter/{token}"
    if visit.wants_json:
        return visit.json({"name": name, "role": role, "link": link}, 201)
    return _people(visit, link=link, name=name, again=name in known)


def revoke(visit: Visit) -> Response:
    """Let a link be good for nothing; what its owner decided stays."""
    name = visit.form.get("name", "")
    _refuse_oneself(visit, name)
    visit.campaign.revoke(name)
    return visit.redirect("/people")


def _refuse_oneself(visit: Visit, name: str) -> None:
    if name == visit.person.name:
        raise UsageError(
            "your own link stays as it is while you use it; another organiser may change it, or "
            "`tellapart campaign people`"
        )


def _people(visit: Visit, *, link: str = "", name: str = "", again: bool = False) -> Response:
    found = agreement_of(visit.campaign.log.since(), visit.campaign.settings)
    return visit.render(
        "people.html", people=visit.campaign.people(), judges=found.judges, roles=ROLES[::-1],
        link=link, name=name, again=again, deeds=visit.campaign.deeds()[:MOST_SHOWN],
    )  # fmt: skip


def show_agreement(visit: Visit) -> Response:
    """Show how far people agree, by label, and what was taken for what."""
    questions = dict(visit.desk.questions) if visit.site.has_systems else {}
    campaign = visit.campaign
    found = agreement_of(campaign.log.since(), campaign.settings, questions)
    return visit.render("agreement.html", found=found, named=NAMED)


PAGES = (
    Page("/conflicts", show_conflicts, ORGANISERS, label="Conflicts"),
    Page("/conflicts/rule", rule, ORGANISERS, "POST"),
    Page("/conflicts/undo", take_back, ORGANISERS, "POST"),
    Page("/agreement", show_agreement, ORGANISERS, label="Agreement"),
    Page("/people", show_people, ORGANISERS, label="People"),
    Page("/people/add", add_person, ORGANISERS, "POST"),
    Page("/people/revoke", revoke, ORGANISERS, "POST"),
)
