"""The board of a campaign: ties instead of false ranks, and who sees it."""

from __future__ import annotations

import html
import re
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tellapart as ta
from campaign_files import contest, csrf_of, judge_all, quality, visitor
from campaign_server import served_here
from small_counts import some_counts
from tellapart.campaign.board import Board, Finding, Outlook, board_of
from tellapart.campaign.campaign import Campaign, Person
from tellapart.campaign.completions import pair_bounds, settled
from tellapart.campaign.judging import compared, desk_of
from tellapart.campaign.opinions import OPEN
from tellapart.campaign.settings import Settings
from tellapart.campaign.web.app import make_app
from tellapart.campaign.web.site import Site
from tellapart.counts import Counts

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAUL, QUIN = Person("paul", "participant"), Person("quin", "participant")
OLGA, JANE = Person("olga", "organiser"), Person("jane", "judge")
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


def found_in(campaign: Campaign) -> Board:
    return board_of(desk_of(campaign))


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
    assert default.p is not None
    assert pair.p is not None
    assert (default.p <= 0.05) != (pair.p <= 0.05)


def test_preferences_and_what_has_no_exact_test_are_compared_all_the_same() -> None:
    preferred = Settings("T", "items", judging="preference", metric="f1")
    assert compared(preferred, some_counts(12, "AB"), intervals=False).test == "auto"
    rng = np.random.default_rng(3)
    many = {name: rng.integers(0, 60, (5000, 3)) for name in "AB"}
    counts = Counts.from_arrays(many, columns=["tp", "fp", "fn"])
    fills = Settings("T", "muc", judging="fills")
    assert compared(fills, counts, intervals=False).test == "auto"


def table(page: str) -> dict[str, list[str]]:
    """Return the rows of the board by the name of the system."""
    found = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", page.partition("<tbody>")[2], re.DOTALL):
        cells = [
            html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        found[re.sub(r"\s+yours$", "", cells.pop(1))] = cells
    return found


def test_ties_are_ties_and_no_ranks(campaign: Campaign) -> None:
    """Systems that differ by one answer of forty share their places; the last one has its own."""
    rows = table(visitor(campaign, OLGA.name, OLGA.role).get("/board").text)
    assert list(rows) == ["alder", "birch", "cedar", "Douglas", "elm"]
    assert [cells[0] for cells in rows.values()] == ["1–2", "1–2", "3–4", "3–4", "5"]
    groups = [cells[3] for cells in rows.values()]
    assert groups[0] == groups[1] != groups[2] == groups[3] != groups[4]
    assert [cells[1] for cells in rows.values()] == ["0.950", "0.925", "0.300", "0.275", "0.000"]


def test_figures_are_those_of_compare(campaign: Campaign) -> None:
    scores = {name: [1] * right + [0] * (40 - right) for name, (_, right) in SYSTEMS.items()}
    known = ta.compare(Counts.from_arrays(scores))
    found = found_in(campaign).result
    assert found is not None
    assert [each.scores["rating"] for each in found.systems] == [
        next(iter(each.scores.values())) for each in known.systems
    ]
    assert [(p.a, p.b, p.p, p.different) for p in found.pairs] == [
        (p.a, p.b, p.p, p.different) for p in known.pairs
    ]


# Who sees it


def test_others_see_the_board_once_it_is_open(campaign: Campaign) -> None:
    paul, jane, olga = (
        visitor(campaign, person.name, person.role) for person in (PAUL, JANE, OLGA)
    )
    token = csrf_of(olga, "/board")
    assert paul.post("/board/open", data={"csrf": token}).status_code == 403
    for action, seen in (("open", True), ("close", False)):
        for client, own in ((paul, ["alder"]), (jane, [])):
            for path in ("/board", "/submissions"):
                page = client.get(path).text
                named = [name for name in SYSTEMS if name in page]
                assert named == (own if path == "/submissions" and client is paul else []), path
        olga.post(f"/board/{action}", data={"csrf": token})
        assert set(table(paul.get("/board").text)) == (set(SYSTEMS) if seen else set())
        olga.post("/board/close", data={"csrf": token})


def test_a_system_is_its_first_senders(campaign: Campaign) -> None:
    assert campaign.own_systems(QUIN) == ["birch", "cedar"]
    campaign.submit("birch", "b.jsonl", quality("birch", 40, 3), "olga")
    assert campaign.own_systems(QUIN) == ["birch", "cedar"]


# Kept up to date


def test_the_page_says_what_is_settled(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    lead = Finding("alder", "elm", "alder", settled=True)
    names = [*SYSTEMS, "fir"]
    open_ = [pair for pair in combinations(names, 2) if pair != ("alder", "elm")]
    others = (Finding(*pair, None, settled=False) for pair in open_)
    campaign.submit("fir", "f.jsonl", quality("fir", 40, 20), "paul")
    outlook = Outlook(campaign.version(), 40, 3, 0.05, (lead, *others))
    monkeypatch.setattr(Site, "outlook", property(lambda _: outlook))
    olga = visitor(campaign, OLGA.name, OLGA.role)
    page = olga.get("/board").text
    assert "3 can still change a conclusion at .05. 1 of 15 pairs settled." in page
    assert "<li>alder is better than elm</li>" in page
    campaign.submit("gum", "g.jsonl", quality("gum", 40, 20), "paul")  # of which it says nothing
    assert "pairs settled" not in olga.get("/board").text


def test_hostile_names_are_text_on_the_board(tmp_path: Path) -> None:
    script = "<script>alert(1)</script>"
    made = contest(tmp_path, {script: ("paul", 9), "<b>&amp;": ("paul", 1)}, items=12)
    made.log.remark("olga", None, OPEN)
    page = visitor(made, PAUL.name, PAUL.role).get("/board").text
    assert "<script>alert" not in page
    assert "<b>" not in page
    assert set(table(page)) == {script, "<b>&amp;"}


@pytest.mark.slow
def test_a_participant_sends_a_file_and_finds_it_on_the_board(
    campaign: Campaign, tmp_path: Path, browser: Browser
) -> None:
    """In a real browser, from the form to the board."""
    campaign.log.remark("olga", None, OPEN)
    mine = tmp_path / "fir.jsonl"
    mine.write_bytes(quality("fir", 40, 39))
    with served_here(make_app(campaign)) as address:
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.goto(f"{address}/enter/{campaign.add_person('paul', 'participant')}")
        page.get_by_role("button", name="Log in").click()
        page.goto(f"{address}/board")
        assert page.locator("tbody tr").count() == 5
        page.get_by_label("Find a system").fill("ALD")
        assert page.locator("tbody tr:visible").count() == 1
        page.get_by_role("link", name="Submissions").click()
        page.get_by_label("Name of the system").fill("fir")
        page.get_by_label("File").set_input_files(mine)
        page.get_by_role("button", name="Send").click()
        page.wait_for_selector(".submissions .new")
        assert "accepted, counts" in page.locator(".submissions .new").inner_text()
        judge_all(campaign)  # until then there is no board with it
        page.goto(f"{address}/board")
        page.wait_for_selector("tr.own >> text=fir")
        assert page.locator("tbody tr").count() == 6
