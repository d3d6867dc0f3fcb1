"""The pages about people: who they are, what they did, and how far they agree."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from tellapart.campaign.agreement import NAMED, agreement_of
from tellapart.campaign.campaign import ROLES
from tellapart.campaign.web.visits import ORGANISERS, Page, Visit
from tellapart.errors import UsageError

MOST_DEEDS: Final = 200


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
        link=link, name=name, again=again, deeds=visit.campaign.deeds()[:MOST_DEEDS],
    )  # fmt: skip


def show_agreement(visit: Visit) -> Response:
    """Show how far people agree, by label, and what was taken for what."""
    questions = dict(visit.desk.questions) if visit.site.has_systems else {}
    campaign = visit.campaign
    found = agreement_of(campaign.log.since(), campaign.settings, questions)
    return visit.render("agreement.html", found=found, named=NAMED)


PAGES = (
    Page("/agreement", show_agreement, ORGANISERS, label="Agreement"),
    Page("/people", show_people, ORGANISERS, label="People"),
    Page("/people/add", add_person, ORGANISERS, "POST"),
    Page("/people/revoke", revoke, ORGANISERS, "POST"),
)
