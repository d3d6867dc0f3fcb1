"""The board of a campaign: ties instead of false ranks, and who sees it."""

from __future__ import annotations

import html
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from campaign_files import contest, csrf_of, quality, rated, separate, visitor
from small_counts import some_counts
from table_files import Capture
from tellapart.campaign.board import Finding, Outlook
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.completions import pair_bounds, settled
from tellapart.campaign.judging import compared, desk_of
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import Settings
from tellapart.campaign.web.site import Site
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.report.sentences import verdict

OLGA = "olga", "organiser"
SYSTEMS = {
    "alder": ("paul", 38),
    "birch": ("quin", 37),
    "cedar": ("quin", 12),
    "Douglas": (None, 11),
    "elm": (None, 0),
}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return contest(tmp_path, SYSTEMS)


@pytest.mark.parametrize(("seed", "concluded"), [(31, "second"), (202, "neither")])
def test_the_verdict_is_by_the_test_that_the_bounds_hold_for(seed: int, concluded: str) -> None:
    """On these counts the default test says something else at .05."""
    counts = some_counts(12, "AB", seed)
    (pair,) = compared(Settings("T", "muc", judging="fills"), counts).pairs
    cells = [
        [[(2 * tp, 2 * tp + fp + fn)] for tp, fp, fn in each.tolist()] for each in counts.values
    ]
    bounds = pair_bounds(cells[0], cells[1])
    assert pair.p == pytest.approx(bounds.high)
    assert settled([bounds]) == [concluded]
    (default,) = ta.compare(counts, metrics="f1").pairs
    assert (default.p <= 0.05) != (pair.p <= 0.05)


def test_what_has_no_exact_test_is_compared_all_the_same() -> None:
    rng = np.random.default_rng(3)
    many = {name: rng.integers(0, 60, (5000, 3)) for name in "AB"}
    counts = Counts.from_arrays(many, columns=["tp", "fp", "fn"])
    fills = Settings("T", "muc", judging="fills")
    assert compared(fills, counts, intervals=False).test == "auto"


def test_who_is_judged_first_is_not_better_for_that(tmp_path: Path, capsys: Capture) -> None:
    """All of A is right and none of B is judged: with B's counted as wrong, A would be ahead."""
    campaign = rated(tmp_path, separate(12, *"AB"))
    desk = desk_of(campaign)
    for question in list(desk.questions.values()):
        if question.systems == ("A",):
            desk.answer("ann", question.id, canonical({"rating": "right"}))
    assert "A is" in verdict(compared(desk.settings, desk.judging.counts()), "rating")
    assert main(["campaign", "status", campaign.folder]) == 0
    said = capsys.readouterr().out
    assert "Of 12 open questions 12 can still change a conclusion at .05." in said
    assert "better" not in said
    assert "So far, by rating: A 1.000, B 0.000" in said


def table(page: str) -> dict[str, list[str]]:
    """Return the rows of the board by the name of the system."""
    found = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", page.partition("<tbody>")[2], re.DOTALL):
        cells = [
            html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        found[cells.pop(0)] = cells
    return found


def test_ties_are_ties_and_no_ranks(campaign: Campaign) -> None:
    """Systems that differ by one answer of forty share their places; the last one has its own."""
    rows = table(visitor(campaign, *OLGA).get("/board").text)
    assert list(rows) == ["alder", "birch", "cedar", "Douglas", "elm"]
    assert [cells[2] for cells in rows.values()] == ["1-2", "1-2", "3-4", "3-4", "5"]
    groups = [cells[3] for cells in rows.values()]
    assert groups[0] == groups[1] != groups[2] == groups[3] != groups[4]
    assert [cells[0] for cells in rows.values()] == ["0.950", "0.925", "0.300", "0.275", "0.000"]


def test_one_system_has_no_board(tmp_path: Path) -> None:
    made = contest(tmp_path, {"alder": ("paul", 9)}, items=12)
    assert "one system so far; a board needs two" in visitor(made, *OLGA).get("/board").text


def test_others_see_the_board_once_it_is_open(campaign: Campaign) -> None:
    paul, olga = (visitor(campaign, *who) for who in (("paul", "participant"), OLGA))
    token = csrf_of(olga, "/board")
    for action, seen in (("close", set()), ("open", {*SYSTEMS}), ("close", set())):
        olga.post(f"/board/{action}", data={"csrf": token})
        page = paul.get("/board").text
        assert set(table(page)) == seen
        assert seen or not any(name in page for name in SYSTEMS)


def test_the_page_says_what_is_settled(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    lead = Finding("alder", "elm", "alder", settled=True)
    names = [*SYSTEMS, "fir"]
    open_ = [pair for pair in combinations(names, 2) if pair != ("alder", "elm")]
    others = (Finding(*pair, None, settled=False) for pair in open_)
    campaign.submit("fir", "f.jsonl", quality("fir", 40, 20), "paul")
    outlook = Outlook(desk_of(campaign).version, 40, 3, 0.05, (lead, *others))
    monkeypatch.setattr(Site, "outlook", property(lambda _: outlook))
    olga = visitor(campaign, *OLGA)
    page = olga.get("/board").text
    assert "3 can still change a conclusion at .05. 1 of 15 pairs settled." in page
    assert "<li>alder is better than elm</li>" in page
    campaign.submit("gum", "g.jsonl", quality("gum", 40, 20), "paul")  # of which it says nothing
    assert "pairs settled" not in olga.get("/board").text
