"""The page of the board: a picture first, then the table.

While questions are open only organisers have one: who compares two could read off what another
judge said, or whose output it was. The others have it once an organiser has opened it to them.
"""

from __future__ import annotations

from typing import Any, Final

from markupsafe import Markup
from starlette.responses import Response

from tellapart.campaign.board import Board, headline_of
from tellapart.campaign.opinions import CLOSE, OPEN, SEEN
from tellapart.campaign.web.visits import ORGANISERS, Page, Visit
from tellapart.report.document import conclusion, system_table
from tellapart.report.figures.systems import systems_figure
from tellapart.report.method import method
from tellapart.report.notices import notice_sentences

CLOSED: Final = "the board is closed until no question is open and it is opened"


def show_board(visit: Visit) -> Response:
    """Show the board, or why there is none."""
    board = _board(visit)
    result, values = board.result, dict[str, Any](result=board.result)
    if result is not None:
        metric = next(iter(result.metrics))
        outlook = visit.site.outlook
        if outlook is not None and outlook.version != board.version:
            outlook = None
        values |= {
            "table": system_table(result, metric),
            "stands": headline_of(
                board.progress, outlook, conclusion(result, metric), visit.campaign.settings.judging
            ),
            "method": method(result), "notices": notice_sentences(result),
            "figure": Markup(systems_figure(result, metric, "board")),
        }  # fmt: skip
    return visit.render(
        "board.html",
        problem=_problem(visit, board),
        is_open=visit.campaign.log.board_is_open(),
        **values,
    )


def _board(visit: Visit) -> Board:
    """Return the board as somebody may see it."""
    if not visit.site.has_systems:
        return Board((0, 0), None, "no system was submitted yet")
    if visit.person.role == "organiser":
        return visit.site.board()
    log, closed = visit.campaign.log, Board((0, 0), None, CLOSED)
    if visit.desk.progress("").open or not log.board_is_open():
        return closed
    board = visit.site.board()
    if board.progress.open:  # something was sent in meanwhile
        return closed
    if board.version[1] > log.last_seen():
        log.remark(visit.person.name, SEEN, str(board.version[1]))
    return board


def _problem(visit: Visit, board: Board) -> str:
    known = visit.site.has_systems and visit.person.role == "organiser"
    unread = visit.desk.problem if known else ""
    told = f"the newest submissions could not be read: {unread}" if unread else board.problem
    return visit.site.without_places(told)


def open_or_close(visit: Visit) -> Response:
    """Let everybody see the board, as long as no question is open, or organisers alone."""
    visit.campaign.log.remark(visit.person.name, OPEN if visit.path == "/board/open" else CLOSE)
    return visit.redirect("/board")


PAGES = (
    Page("/board", show_board, label="Board"),
    Page("/board/open", open_or_close, ORGANISERS, "POST"),
    Page("/board/close", open_or_close, ORGANISERS, "POST"),
)
