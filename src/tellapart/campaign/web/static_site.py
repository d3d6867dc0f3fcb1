"""The board as static pages: a folder that any web server, or a browser from disk, can show.

It shows what the public may see: numbers instead of names unless the organiser has opened the
board, and nobody's file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from tellapart.campaign.board import (
    Board,
    Part,
    compare_part,
    looks,
    parts_of,
)
from tellapart.campaign.bounds import Bounds
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.desk import Desk
from tellapart.campaign.judging import load_judging
from tellapart.campaign.web.board import seen_by
from tellapart.campaign.web.site import HERE, templates
from tellapart.comparison.record import Comparison
from tellapart.errors import UsageError
from tellapart.report.figures.collection import safe_name, unique_name
from tellapart.report.figures.layout import standalone
from tellapart.report.figures.systems import systems_figure
from tellapart.words import several

FIRST = "index"
"""The page of all items by the first score"""


@dataclass(frozen=True, slots=True)
class _Choice:
    """One of the pages: which items, by which score, and how its file is called."""

    part: Part
    items: int
    metric: str
    stem: str


def site_files(campaign: Campaign) -> dict[str, str]:
    """Return the pages, figures and styles of a campaign's board, by their names in a folder."""
    desk = Desk(campaign, load_judging)
    version, counts = desk.counts()
    if len(counts.names) < 2:
        raise UsageError("there is one system in this campaign; a board needs two")
    progress = desk.progress("")
    parts = parts_of(counts)
    found = {part: compare_part(campaign.settings, counts, part) for part, _ in parts}
    looked = looks(campaign)
    outlook = Bounds(desk).update() if progress.decided < progress.total else None
    choices = list(_choices(parts, found))
    page = templates().get_template("static_board.html")
    files = {
        name: (HERE / "static" / name).read_text(encoding="utf-8")
        for name in ("style.css", "board.css", "board.js")
    }
    submissions = sum(each.accepted for each in campaign.submissions())
    decisions = len(campaign.log.since())
    for each in choices:
        board = Board(version, each.part, found[each.part], "", progress, tuple(parts))
        seen = seen_by(campaign, None, board, each.metric, outlook)
        files[f"figures/{each.stem}.svg"] = standalone(
            systems_figure(seen.result, each.metric, each.stem)
        )
        files[f"{each.stem}.html"] = page.render(
            title=campaign.settings.title,
            seen=seen,
            part=each.part,
            looked=looked.sentence(campaign.settings.alpha),
            stem=each.stem,
            parts=[
                (f"{other.stem}.html", f"{other.part} ({other.items:,})", other is each)
                for other in choices
                if other.metric == each.metric
            ],
            metrics=[
                (f"{other.stem}.html", other.metric, other is each)
                for other in choices
                if other.part == each.part
            ],
            made=f"{several(submissions, 'submission')} and {several(decisions, 'decision')}",
        )
    return files


def _choices(parts: list[tuple[Part, int]], found: dict[Part, Comparison]) -> Iterator[_Choice]:
    taken = {FIRST}
    first = FIRST
    for (part, items), metric in product(parts, next(iter(found.values())).metrics):
        name = "-".join(safe_name(word) for word in (part.label, part.value, metric) if word)
        yield _Choice(part, items, metric, first or unique_name(name, taken))
        first = ""
