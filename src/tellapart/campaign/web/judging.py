"""The page on which a person judges, and what its buttons are sent to."""

from __future__ import annotations

from starlette.responses import Response

from tellapart.campaign.web.visits import JUDGES, Page, Visit


def show_home(visit: Visit) -> Response:
    """Show a person what there is to do."""
    return visit.render("home.html", pages=visit.site.navigation(visit))


def show_judging(visit: Visit) -> Response:
    """Show the next question."""
    question = visit.desk.next_for(visit.person.name)
    view = None if question is None else visit.desk.view(visit.person.name, question)
    progress = visit.desk.progress(visit.person.name)
    return visit.render("judge.html", question=question, view=view, progress=progress)


PAGES = (Page("/", show_home), Page("/judge", show_judging, JUDGES, label="Judge"))
