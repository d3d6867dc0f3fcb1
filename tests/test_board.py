"""The board of a campaign: ties instead of false ranks, parts of the items, and who sees names."""

from __future__ import annotations

import html
import re
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

import tellapart as ta
from campaign_files import contest, judge_all, log_in, quality
from campaign_server import served_here
from tellapart.campaign.board import (
    OPEN,
    Board,
    Part,
    board_of,
    compare_part,
    names_for,
    numbered,
    renamed,
)
from tellapart.campaign.bounds import Finding, Outlook
from tellapart.campaign.campaign import Campaign, Person
from tellapart.campaign.judging import desk_of, load_judging
from tellapart.campaign.web.app import make_app
from tellapart.campaign.web.board import site_files
from tellapart.campaign.web.site import Site
from tellapart.cli import main
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
    return board_of(desk_of(campaign), Part())


def visitor(campaign: Campaign, person: Person) -> TestClient:
    client = TestClient(make_app(campaign), base_url="http://localhost", follow_redirects=True)
    token = campaign.add_person(person.name, person.role)
    log_in(client, token)
    return client


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
    rows = table(visitor(campaign, OLGA).get("/board").text)
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


def test_parts_of_the_items_are_compared_by_themselves(campaign: Campaign) -> None:
    board = found_in(campaign)
    assert [(str(part), n) for part, n in board.parts] == [
        ("all items", 40), ("topic: art", 14), ("topic: law", 26),
    ]  # fmt: skip
    olga = visitor(campaign, OLGA)
    page = olga.get("/board", params={"part": "topic\tart"}).text
    art = [f"{sum(k < right for k in range(0, 40, 3)) / 14:.3f}" for _, right in SYSTEMS.values()]
    assert sorted(cells[1] for cells in table(page).values()) == sorted(art)
    assert "Board: topic: art" in page
    odd = olga.get("/board", params={"part": "topic\t<script>"}).text
    assert "There are no such items" in odd
    assert "<script>" not in re.sub(r"<script src=[^>]*>", "", odd)


# Names


def test_a_participant_sees_own_names_alone_until_the_board_is_open(campaign: Campaign) -> None:
    paul = visitor(campaign, PAUL)
    for path in ("/board", "/api/board", "/board?part=topic%09law", "/submissions"):
        page = paul.get(path).text
        assert [name for name in SYSTEMS if name in page] == ["alder"], path
    rows = table(paul.get("/board").text)
    assert len(rows) == 5
    assert sum(name.startswith("System ") for name in rows) == 4
    assert [name for name in SYSTEMS if name in visitor(campaign, JANE).get("/board").text] == []
    olga = visitor(campaign, OLGA)
    token = re.findall(r'name="csrf" value="(\w+)"', olga.get("/board").text)[0]
    assert paul.post("/board/open", data={"csrf": token}).status_code == 403
    page = olga.post("/board/open", data={"csrf": token}).text
    assert "Hide the names" in page
    assert set(table(paul.get("/board").text)) == set(SYSTEMS)
    olga.post("/board/close", data={"csrf": token})
    assert len(set(table(paul.get("/board").text)) & set(SYSTEMS)) == 1


def test_nobody_can_take_the_number_of_another(campaign: Campaign) -> None:
    """A system called as another is hidden makes that other one get another number."""
    hidden = names_for(campaign, PAUL)["elm"]
    campaign.submit(hidden, "x.jsonl", quality("x", 40, 5), "paul")
    seen = names_for(campaign, PAUL)
    assert seen[hidden] == hidden
    assert len(set(seen.values())) == len(seen)


def test_a_renamed_comparison_holds_no_hidden_name(campaign: Campaign) -> None:
    counts = load_judging(campaign).counts()
    result = compare_part(campaign.settings, counts, Part())
    names = numbered(campaign.settings, list(SYSTEMS))
    shown = renamed(result, names)
    assert not [name for name in SYSTEMS if name in shown.to_json()]
    assert not [name for name in SYSTEMS if name in str(shown)]
    assert {p.p for p in shown.pairs} == {p.p for p in result.pairs}


def test_a_system_is_its_first_senders(campaign: Campaign) -> None:
    assert campaign.own_systems(QUIN) == ["birch", "cedar"]
    campaign.submit("birch", "b.jsonl", quality("birch", 40, 3), "olga")
    assert campaign.own_systems(QUIN) == ["birch", "cedar"]
    assert campaign.own_systems(None) == []


# Kept up to date


def test_what_is_settled_already_is_said_and_stays_so(campaign: Campaign) -> None:
    """Whoever is better however open questions are answered is so when they are answered."""
    content = quality("alder", 40, 38).replace(b"-True-1", b"-True-x1")
    campaign.submit("alder", "a.jsonl", content, "paul")  # answers that nobody has judged
    page = site_files(campaign)["index.html"]
    names = numbered(campaign.settings, list(SYSTEMS))
    leads = re.search(r"<summary>What is settled</summary>(.*?)</details>", page, re.DOTALL)
    assert leads is not None
    lines = re.findall(r"<li>(.*?)</li>", leads[1])
    found = {tuple(line.split(" is better than ")) for line in lines if "better" in line}
    alike = {tuple(line.split(" cannot be told from ")) for line in lines if "cannot" in line}
    assert len(found) + len(alike) == len(lines)
    assert alike
    assert (
        names["birch"],
        ", ".join(sorted(names[n] for n in ("cedar", "Douglas", "elm"))),
    ) in found
    assert "is better than every other system" not in page
    judge_all(campaign)
    result = found_in(campaign).result
    assert result is not None
    back = {alias: name for name, alias in names.items()}
    for winner, beaten in found:
        for loser in beaten.split(", "):
            pair = result.pair(back[winner], back[loser])
            assert pair.different
            assert pair.difference > 0
    for one, others in alike:
        assert not any(result.pair(back[one], back[each]).different for each in others.split(", "))


def test_the_page_says_what_is_settled(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    lead = Finding("alder", "elm", "alder", settled=True)
    names = [*SYSTEMS, "fir"]
    open_ = [pair for pair in combinations(names, 2) if pair != ("alder", "elm")]
    others = (Finding(*pair, None, settled=False) for pair in open_)
    outlook = Outlook(40, 3, 0.05, (lead, *others))
    monkeypatch.setattr(Site, "outlook", property(lambda _: outlook))
    campaign.submit("fir", "f.jsonl", quality("fir", 40, 20), "paul")
    page = visitor(campaign, OLGA).get("/board").text
    assert "40 of 240 questions are open, and 3 can still change a conclusion at .05." in page
    assert "Of 15 pairs 1 is settled" in page
    assert "<li>alder is better than elm</li>" in page


def test_a_program_gets_the_board_as_data(campaign: Campaign) -> None:
    found = visitor(campaign, OLGA).get("/api/board").json()
    assert found["up_to_date"] is True
    systems = found["metrics"]["rating"]["systems"]
    assert [each["system"] for each in systems][:2] == ["alder", "birch"]
    assert systems[0]["score"] == 38 / 40
    assert systems[0]["interval"][0] < 38 / 40 < systems[0]["interval"][1]


def test_hostile_names_are_text_on_the_board(tmp_path: Path) -> None:
    script = "<script>alert(1)</script>"
    made = contest(tmp_path, {script: ("paul", 9), "<b>&amp;": ("paul", 1)}, items=12)
    page = visitor(made, PAUL).get("/board").text
    assert "<script>alert" not in page
    assert "<b>" not in page
    assert set(table(page)) == {script, "<b>&amp;"}


@pytest.mark.slow
def test_a_participant_sends_a_file_and_finds_it_on_the_board(
    campaign: Campaign, tmp_path: Path, browser: Browser
) -> None:
    """In a real browser, from the form to the newer board that the page announces."""
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
        if page.locator("tbody tr").count() < 6:  # an older one, until the new one is announced
            page.get_by_role("link", name="Show it").click(timeout=60_000)
        page.wait_for_selector("tr.own >> text=fir")
        assert page.locator("tbody tr").count() == 6


# As static pages


def test_export_writes_the_pages_or_nothing(
    campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "site"
    assert main(["campaign", "export", campaign.folder, "--site", str(out)]) == 0
    assert (out / "index.html").read_text().startswith("<!doctype html>")
    for file in out.iterdir():
        text = file.read_text()
        assert [system for system in SYSTEMS if system in text] == [], file.name
        assert "paul" not in text
        assert "-True-" not in text  # nobody's answers
    hidden = numbered(campaign.settings, list(SYSTEMS)).values()
    assert set(table((out / "index.html").read_text())) == {*hidden}
    campaign.log.remark("olga", None, OPEN)
    assert set(table(site_files(campaign)["index.html"])) == set(SYSTEMS)
    for name in ("birch", "cedar", "Douglas", "elm"):
        campaign.withdraw(name, "olga")
    assert main(["campaign", "export", campaign.folder, "--site", str(tmp_path / "no")]) == 2
    assert "a board needs two" in capsys.readouterr().err
    assert not (tmp_path / "no").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark")])
def test_static_pages_open_from_disk(
    campaign: Campaign, tmp_path: Path, browser: Browser, width: int, scheme: Any
) -> None:
    """In a real browser, without a server: no error, nothing fetched elsewhere, axe is content."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert main(["campaign", "export", campaign.folder, "--site", str(tmp_path / "site")]) == 0
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    errors: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "site" / "index.html").as_uri())
    rows = page.locator("tbody tr:visible")
    assert rows.count() == 5
    assert page.locator("figure svg circle").count() == 5
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert errors == []
    assert all(url.startswith(("file:", "data:")) for url in asked)
    assert axe.run(page).response["violations"] == []
    context.close()
