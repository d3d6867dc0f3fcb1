"""What all pages of a campaign share: its desk, its templates, its cookie and its errors."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jinja2

from tellapart.campaign.board import Board, Outlook, board_of
from tellapart.campaign.bounds import Background
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.desk import Desk
from tellapart.campaign.judging import desk_of
from tellapart.campaign.opinions import QuestionId

if TYPE_CHECKING:
    from tellapart.campaign.web.visits import Page, Visit

HERE = Path(__file__).parent
UPLOADS: Final = 4
"""So many submissions may come at a time: each is in memory"""


@dataclass(slots=True)
class Site:
    """A campaign on the web."""

    campaign: Campaign
    hosts: tuple[str, ...] = ()
    """By which names it may be called; none: by any"""
    https: bool = False
    """Whether people reach it over https, so that cookies are sent over nothing else"""
    pages: Sequence[Page] = ()
    background: Background | None = None
    """Works out what can still change"""
    uploads: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(UPLOADS)
    )
    """Who is just sending a submission"""
    handles: dict[str, QuestionId] = field(default_factory=dict)
    """By what questions were called to somebody"""
    _board: Board | None = None
    _desk: Desk | None = None
    works: bool = False
    """Whether to work in the background"""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _comparing: threading.Lock = field(default_factory=threading.Lock)

    def board(self) -> Board:
        """Return the board by what is decided now: worked out once, by whoever comes first."""
        with self._comparing:
            self.desk.refresh()
            if self._board is None or self._board.version != self.desk.version:
                self._board = board_of(self.desk)
            return self._board

    @property
    def desk(self) -> Desk:
        """The desk, once there is a system; a UsageError before."""
        with self._lock:
            if self._desk is None:
                self._desk = desk_of(self.campaign)
            if self.works and self.background is None:
                self.background = Background(self._desk)
                self.background.start()
            return self._desk

    @property
    def has_systems(self) -> bool:
        """Whether there is anything to judge, and so a desk."""
        return self._desk is not None or bool(self.campaign.systems())

    def start(self) -> None:
        """Read the submissions now, and not for the first page; work on in the background."""
        self.works = True
        if self.has_systems:
            assert self.desk is not None

    def stop(self) -> None:
        """End what works in the background."""
        self.works, ended, self.background = False, self.background, None
        if ended is not None:
            ended.stop()

    @property
    def outlook(self) -> Outlook | None:
        """What the open questions can still change; None if nothing is known of it (yet)."""
        return None if self.background is None else self.background.outlook

    @property
    def cookie(self) -> str:
        """The name of the cookie: of this campaign, since all ports of a machine share cookies."""
        seed = self.campaign.settings.seed.encode()
        name = f"tellapart-{hashlib.sha256(seed).hexdigest()[:8]}"
        return f"__Host-{name}" if self.https else name

    def filled(self, template: str, **values: Any) -> str:
        """Return a template with its values; `visit` is None where nobody is logged in."""
        values.setdefault("visit", None)
        return templates().get_template(template).render(site=self, **values)

    def navigation(self, visit: Visit) -> list[Page]:
        """Return the pages that the navigation shows to somebody."""
        return [page for page in self.pages if page.label and visit.person.role in page.roles]

    def without_places(self, sentence: str) -> str:
        """Return a sentence of an error without the places on this machine that it begins with."""
        for place in (self.campaign.database.label, self.campaign.folder):
            sentence = sentence.removeprefix(f"{place}: ")
        return sentence


@cache
def templates() -> jinja2.Environment:
    """Return what fills templates; all that they are given is escaped."""
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["thousands"] = lambda number: f"{number:,}"
    return environment
