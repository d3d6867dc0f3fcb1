"""The page of the board: a picture first, then the table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup
from starlette.responses import Response

from tellapart.campaign.board import CLOSE, OPEN, Board, is_open, looks
from tellapart.campaign.desk import Progress
from tellapart.campaign.headline import Headline, headline_of
from tellapart.campaign.web.visits import ORGANISERS, Page, Visit
from tellapart.comparison.ranking import places, ranking
from tellapart.comparison.record import Comparison
from tellapart.report.figures.layout import WIDTH
from tellapart.report.figures.systems import systems_figure
from tellapart.report.method import method
from tellapart.report.notices import notice_sentences
from tellapart.report.sentences import better_direction, ranks_words, verdict
from tellapart.report.text import between, percent, plain

CLOSED: Final = "the board is closed until no question is open, and an organiser opens it"


@dataclass(frozen=True, slots=True)
class Seen:
    """The board by one metric as somebody sees it."""

    result: Comparison
    metric: str
    systems: list[dict[str, Any]]
    """As `/api/board` has them: the rank is the places that one may truly hold, such as 1–3; those
    with a common letter among their groups are tied"""
    stands: Headline
    """What may be said by now"""

    @property
    def intervals(self) -> dict[str, str]:
        """By system, as the table has them."""
        return {
            each.name: between(each.intervals.get(self.metric), plain)
            for each in self.result.systems
        }


def seen_by(visit: Visit, board: Board, metric: str) -> Seen:
    """Return a board that has a result."""
    assert board.result is not None
    result, campaign = board.result, visit.campaign
    own, looked = campaign.own_systems(visit.person), looks(campaign).by_system
    ranks, letters = places(result, metric), result.letters.get(metric, {})
    systems = [
        {
            "system": each.name, "own": each.name in own, "score": each.scores[metric],
            "interval": list(each.intervals.get(metric, (None, None))),
            "rank": _places(*ranks[each.name]), "groups": letters.get(each.name, ""),
            "looks": looked.get(each.name, 0),
        }
        for each in ranking(result, metric)
    ]  # fmt: skip
    said, names = (metric, verdict(result, metric)), [each.name for each in result.systems]
    stands = headline_of(campaign.settings, board.progress, visit.site.outlook, said, names)
    return Seen(result, metric, systems, stands)


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


def show_board(visit: Visit) -> Response:
    """Show the board; an older one while it is brought up to date."""
    board, fresh = _board(visit)
    values: dict[str, Any] = {"seen": None}
    if board is not None and board.result is not None:
        metric = visit.query.get("metric", "")
        metric = metric if metric in board.result.metrics else next(iter(board.result.metrics))
        seen = seen_by(visit, board, metric)
        shown = seen.result
        values = {
            "seen": seen, "method": method(shown), "notices": notice_sentences(shown),
            "figure": _figure(systems_figure(shown, metric, re.sub(r"\W", "-", f"board-{metric}"))),
            "caption": f"{ranks_words(shown).capitalize()}. Systems with a common letter are tied: "
            f"they are not shown to differ. By {metric}, {better_direction(shown, metric)}.",
            "level": shown.confidence_level and percent(shown.confidence_level),
        }  # fmt: skip
    return visit.render(
        "board.html",
        problem=_problem(visit, board),
        fresh=fresh,
        looked=looks(visit.campaign).sentence(visit.campaign.settings.alpha),
        is_open=is_open(visit.campaign),
        **values,
    )


def _board(visit: Visit) -> tuple[Board | None, bool]:
    """Return the board for somebody, None while it is worked out, and whether it is up to date.

    While questions are open only organisers have one: who compares two could read off what another
    judge said, or whose output it was. The others have it once it was opened to them.
    """
    if not visit.site.has_systems:
        return Board((0, 0), None, "no system was submitted yet", Progress()), True
    board, fresh = visit.site.board.look()
    if board is not None and visit.person.role != "organiser":
        if board.progress.open or not is_open(visit.campaign):
            return Board((0, 0), None, CLOSED, Progress()), fresh
        visit.desk.note_board(visit.person.name, board.version[1])
    return board, fresh


def _problem(visit: Visit, board: Board | None) -> str:
    if board is None:
        return ""
    known = visit.site.has_systems and visit.person.role == "organiser"
    unread = visit.desk.problem if known else ""
    told = f"the newest submissions could not be read: {unread}" if unread else board.problem
    return visit.site.without_places(told)


def board_as_data(visit: Visit) -> Response:
    """Give the board to a program."""
    board, fresh = _board(visit)
    told: dict[str, Any] = {"up_to_date": fresh, "metrics": {}}
    if board is not None:
        told |= {"submission": board.version[0], "decision": board.version[1]}
        told |= {"problem": _problem(visit, board), "open_questions": board.progress.open}
    if board is not None and board.result is not None:
        looked = looks(visit.campaign)
        for metric in board.result.metrics:
            seen = seen_by(visit, board, metric)
            told["metrics"][metric] = {
                "verdict": seen.stands.words,
                "figures": seen.stands.figures,
                "settled": seen.stands.settled,
                "systems": seen.systems,
            }
        told["looks"] = {"number": looked.number, "participants": looked.participants}
    return visit.json(told)


def open_board(visit: Visit) -> Response:
    """Let everybody see the board, as long as no question is open."""
    visit.campaign.log.remark(visit.person.name, None, OPEN)
    return visit.redirect("/board")


def close_board(visit: Visit) -> Response:
    """Let organisers alone see the board."""
    visit.campaign.log.remark(visit.person.name, None, CLOSE)
    return visit.redirect("/board")


PAGES = (
    Page("/board", show_board, label="Board"),
    Page("/board/open", open_board, ORGANISERS, "POST"),
    Page("/board/close", close_board, ORGANISERS, "POST"),
    Page("/api/board", board_as_data),
)
