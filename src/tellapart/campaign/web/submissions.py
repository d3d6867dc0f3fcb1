"""The pages on which participants send in what their systems wrote, and see what became of it."""

from __future__ import annotations

from datetime import datetime

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from tellapart.campaign.campaign import TRIES, TooMany
from tellapart.campaign.submissions import receive
from tellapart.campaign.web.visits import Page, Visit
from tellapart.formats.registry import format_of

SENDERS = ("organiser", "participant")


def send(visit: Visit) -> Response:
    """Take a submission; a form is answered with the page, where what is wrong stands."""
    name, content = visit.files.get("file", ("", b""))
    if not name and not content:
        raise HTTPException(400, "there is no file; choose the one to send")
    made = receive(visit.campaign, visit.person, visit.form.get("system", ""), name, content)
    if visit.wants_json:
        told = {"number": made.number, "system": made.system, "accepted": made.accepted}
        return JSONResponse(
            {**told, "findings": list(made.findings)}, 201 if made.accepted else 422
        )
    return visit.redirect(f"/submissions?made={made.number}")


def show_submissions(visit: Visit) -> Response:
    """Show somebody their own submissions, organisers all of them, and the form for another."""
    campaign, name = visit.campaign, visit.person.name
    made, counting = campaign.submissions()[::-1], campaign.systems()
    own = [each for each in made if each.person == name]
    rows = [
        {
            "made": each,
            "at": datetime.fromisoformat(each.made_at).strftime("%d %b %Y, %H:%M"),
            "withdrawn": each.accepted and each.file is None,
            "counts": counting.get(each.system) == each,
        }
        for each in (made if visit.person.role == "organiser" else own)
    ]
    return visit.render(
        "submissions.html",
        rows=rows,
        made=visit.query.get("made", ""),
        systems=list(dict.fromkeys(each.system for each in own if each.accepted)),
        left=_left(visit),
        about=format_of(campaign.settings.form).about,
        attempts=TRIES * campaign.settings.per_day,
    )


def _left(visit: Visit) -> int:
    """Return how many submissions somebody may still make today."""
    try:
        return visit.campaign.check_turns(visit.person.name)
    except TooMany:
        return 0


PAGES = (
    Page("/submissions", show_submissions, SENDERS, label="Submissions"),
    Page("/submissions", send, SENDERS, "POST", uploads=True),
)
