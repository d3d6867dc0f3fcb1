"""The page of the board: a picture first, then the table, for all items or some of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.responses import Response

from tellapart.campaign.board import (
    CLOSE,
    OPEN,
    Board,
    Part,
    board_of,
    is_open,
    looks,
    names_for,
    renamed,
)
from tellapart.campaign.bounds import Bounds, Outlook
from tellapart.campaign.campaign import Campaign, Person
from tellapart.campaign.desk import Progress
from tellapart.campaign.headline import Headline, headline_of
from tellapart.campaign.judging import desk_of
from tellapart.campaign.web.site import HERE, templates
from tellapart.campaign.web.visits import ORGANISERS, Page, Visit
from tellapart.comparison.ranking import places, ranking
from tellapart.comparison.record import Comparison
from tellapart.console import say
from tellapart.errors import UsageError
from tellapart.report.figures.layout import WIDTH
from tellapart.report.figures.systems import systems_figure
from tellapart.report.method import method
from tellapart.report.notices import notice_sentences
from tellapart.report.sentences import better_direction, ranks_words, verdict
from tellapart.report.text import between, percent, plain

CLOSED: Final = "the board opens when no question is open any more"


@dataclass(frozen=True, slots=True)
class Row:
    """A system on the board."""

    name: str
    own: bool
    score: str
    interval: str
    rank: str
    """The places that it may truly hold: 1–3"""
    group: str
    """The letters of the groups that it is in: those with a common letter are tied"""
    looks: int


@dataclass(frozen=True, slots=True)
class Seen:
    """The board as somebody sees it: under the names that they may know."""

    result: Comparison
    metric: str
    rows: tuple[Row, ...]
    stands: Headline
    """What may be said by now"""
    figure: Markup
    caption: str
    interval: str
    """The head of the column of intervals"""
    method: str
    notices: list[str]
    hidden: bool
    """Whether some systems have numbers instead of names"""


def seen_by(
    campaign: Campaign, person: Person | None, board: Board, metric: str, outlook: Outlook | None
) -> Seen:
    """Return a board with a result by one metric as a person sees it, or (None) the public."""
    assert board.result is not None
    names, looked = names_for(campaign, person), looks(campaign)
    own = {names[each] for each in campaign.own_systems(person)}
    shown = renamed(board.result, names)
    level, ranks = shown.confidence_level, places(shown, metric)
    if board.part.label:
        outlook = None  # bounds are of all items
    called = {each.name: names.get(each.name, each.name) for each in board.result.systems}
    by_name = {names.get(name, name): number for name, number in looked.by_system.items()}
    rows = tuple(
        Row(
            each.name,
            each.name in own,
            f"{each.scores[metric]:.3f}",
            between(each.intervals.get(metric), plain),
            _places(*ranks[each.name]),
            shown.letters.get(metric, {}).get(each.name, ""),
            by_name.get(each.name, 0),
        )
        for each in ranking(shown, metric)
    )
    return Seen(
        shown,
        metric,
        rows,
        headline_of(
            campaign.settings, board.progress, outlook, (metric, verdict(shown, metric)), called
        ),
        _figure(systems_figure(shown, metric, re.sub(r"\W", "-", f"board-{metric}"))),
        f"{ranks_words(shown).capitalize()}. Systems with a common letter are tied: they are not "
        f"shown to differ. By {metric}, {better_direction(shown, metric)}.",
        "" if level is None else f"{percent(level)} interval",
        method(shown),
        notice_sentences(shown),
        any(name != each for each, name in names.items()),
    )


def _places(best: int, worst: int) -> str:
    return f"{best}" if best == worst else f"{best}–{worst}"


def _figure(svg: str) -> Markup:
    """Return a figure for a page; one that is too wide for a phone can be moved sideways."""
    width = float(svg.split(' width="', 1)[1].split('"', 1)[0])
    if width <= WIDTH:
        return Markup(f'<div class="drawing">{svg}</div>')
    return Markup(
        f'<div class="drawing wide scroll" tabindex="0" role="group" aria-label="Wide figure">{svg}'
        "</div>"
    )


def part_of(query: Mapping[str, str]) -> Part:
    """Return the part of the items that an address names: label, a blank line's worth, value."""
    label, _, value = query.get("part", "").partition("\t")
    return Part(label, value) if label else Part()


def part_key(part: Part) -> str:
    """Return how an address names a part.

    >>> part_of({"part": part_key(Part("topic", "law"))}) == Part("topic", "law")
    True
    """
    return f"{part.label}\t{part.value}" if part.label else ""


def show_board(visit: Visit) -> Response:
    """Show the board; an older one while it is brought up to date."""
    part = part_of(visit.query)
    board, fresh = _board(visit)
    seen = None
    if board is not None and board.result is not None:
        metric = visit.query.get("metric", "")
        metric = metric if metric in board.result.metrics else next(iter(board.result.metrics))
        seen = seen_by(visit.campaign, visit.person, board, metric, visit.site.outlook)
    return visit.render(
        "board.html",
        seen=seen,
        problem=_problem(visit, board),
        fresh=fresh,
        part=part,
        parts=[(part_key(each), str(each), n) for each, n in board.parts] if board else [],
        part_key=part_key(part),
        looked=looks(visit.campaign).sentence(visit.campaign.settings.alpha),
        is_open=is_open(visit.campaign),
        api=f"/api/board?{urlencode({'part': part_key(part)})}",
    )


def _board(visit: Visit) -> tuple[Board | None, bool]:
    """Return the board for somebody, None while it is worked out, and whether it is up to date.

    While questions are open only organisers have one: who compares two could read off what another
    judge said, or whose output it was.
    """
    board, fresh = _whole_board(visit)
    if board is not None and board.progress.open and visit.person.role != "organiser":
        return Board((0, 0), Part(), None, CLOSED, Progress(), ()), fresh
    return board, fresh


def _whole_board(visit: Visit) -> tuple[Board | None, bool]:
    nothing = Board((0, 0), Part(), None, "no system was submitted yet", Progress(), ())
    if not visit.site.has_systems:
        return nothing, True
    part = part_of(visit.query)
    whole, fresh = visit.site.boards.look(Part())
    if isinstance(whole, str):
        return replace(nothing, problem=whole), fresh
    if whole is None or part == Part():
        return whole, fresh
    if part not in dict(whole.parts):  # addresses can name any part: nothing is kept for one
        return replace(whole, part=part, result=None, problem="there are no such items"), True
    found, fresh = visit.site.boards.look(part)
    return (replace(nothing, problem=found) if isinstance(found, str) else found), fresh


def _problem(visit: Visit, board: Board | None) -> str:
    if board is None:
        return ""
    unread = visit.desk.problem if board.parts and visit.person.role == "organiser" else ""
    told = f"the newest submissions could not be read: {unread}" if unread else board.problem
    names = names_for(visit.campaign, visit.person)
    if any(name in told for name, shown in names.items() if name != shown):
        return "the board cannot be worked out just now; the organiser can see why"
    return visit.site.without_places(told)


def board_as_data(visit: Visit) -> Response:
    """Give the board to a program, under the names that its owner may see."""
    board, fresh = _board(visit)
    told: dict[str, Any] = {"up_to_date": fresh, "metrics": {}}
    if board is not None:
        told |= {"submission": board.version[0], "decision": board.version[1]}
        told |= {"problem": _problem(visit, board), "open_questions": board.progress.open}
        told["parts"] = [{"part": str(each), "items": n} for each, n in board.parts]
    if board is not None and board.result is not None:
        looked = looks(visit.campaign)
        for metric in board.result.metrics:
            seen = seen_by(visit.campaign, visit.person, board, metric, visit.site.outlook)
            told["metrics"][metric] = {
                "verdict": seen.stands.words,
                "figures": seen.stands.figures,
                "settled": seen.stands.settled,
                "systems": list(_records(seen)),
            }
        told["looks"] = {"number": looked.number, "participants": looked.participants}
    return visit.json(told)


def _records(seen: Seen) -> Any:
    for system, row in zip(ranking(seen.result, seen.metric), seen.rows, strict=True):
        ends = system.intervals.get(seen.metric, (None, None))
        yield {
            "system": row.name,
            "own": row.own,
            "score": system.scores[seen.metric],
            "interval": list(ends),
            "rank": row.rank,
            "groups": row.group,
            "looks": row.looks,
        }


def show_names(visit: Visit) -> Response:
    """Let everybody see the names of all systems."""
    visit.campaign.log.remark(visit.person.name, None, OPEN)
    return visit.redirect("/board")


def hide_names(visit: Visit) -> Response:
    """Let participants see the names of their own systems alone."""
    visit.campaign.log.remark(visit.person.name, None, CLOSE)
    return visit.redirect("/board")


def site_files(campaign: Campaign) -> dict[str, str]:
    """Return the board of all items as a page that needs no server, as the public may see it."""
    desk = desk_of(campaign)
    board = board_of(desk, Part())
    if board.result is None:
        raise UsageError(board.problem)
    outlook = None
    if board.progress.open:
        say(
            "warning: questions are open; who compares this page with a later one may read off "
            "what a judge said: publish it when all are decided"
        )
        outlook = Bounds(desk).update()
    seen = [seen_by(campaign, None, board, each, outlook) for each in board.result.metrics]
    page = (
        templates()
        .get_template("static_board.html")
        .render(
            title=campaign.settings.title,
            boards=seen,
            looked=looks(campaign).sentence(campaign.settings.alpha),
            submissions=board.version[0],
            decisions=board.version[1],
        )
    )
    styles = {
        name: (HERE / "static" / name).read_text(encoding="utf-8")
        for name in ("style.css", "board.css")
    }
    return {"index.html": page, **styles}


PAGES = (
    Page("/board", show_board, label="Board"),
    Page("/board/open", show_names, ORGANISERS, "POST"),
    Page("/board/close", hide_names, ORGANISERS, "POST"),
    Page("/api/board", board_as_data),
)
