"""The pages of a campaign in a real browser: several people at once, by keys, on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from campaign_files import PARTLY, RIGHT, WRONG
from campaign_server import served_here
from table_files import json_lines
from tellapart.campaign.agreement import agreement_of
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judging import desk_of
from tellapart.campaign.settings import Settings
from tellapart.campaign.web.app import make_app
from tellapart.campaign.web.judging import handle_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route, ViewportSize

PHONE: ViewportSize = {"width": 390, "height": 844}
COMPUTER: ViewportSize = {"width": 1280, "height": 900}
LONG = "The mayor of San Salvador was attacked on Tuesday by armed men who fled on foot. " * 12


def submission(outputs: list[str]) -> bytes:
    return json_lines(
        {"id": f"q{k}", "input": f"{LONG}How many is {k} + {k}?", "target": str(2 * k),
         "output": output, "score": 0}
        for k, output in enumerate(outputs, 1)
    ).encode()  # fmt: skip


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    settings = Settings("Sums of two", form="items", second_opinions=1.0, seed="7")
    made = Campaign.create(str(tmp_path / "c"), settings)
    made.submit("Alpha", "a.jsonl", submission(["2", "4", "6", "eight"]))
    made.submit("Beta", "b.jsonl", submission(["two", "4", "5", "8"]))
    return made


@pytest.fixture
def address(campaign: Campaign) -> Iterator[str]:
    with served_here(make_app(campaign)) as found:
        yield found


class Sitting:
    """Somebody at the judging page."""

    def __init__(self, page: Page, address: str, campaign: Campaign, name: str) -> None:
        self.page, self.address, self.campaign, self.name = page, address, campaign, name

    @property
    def asked(self) -> tuple[str, str]:
        """The question that is on the page, by the name that it has for this person."""
        name = self.page.locator("form.bar [name=question]").input_value()
        seed, questions = self.campaign.settings.seed, desk_of(self.campaign).questions
        return next(each for each in questions if handle_of(seed, self.name, each) == name)

    def press(self, key: str) -> None:
        """Press a key, and wait for what comes of it."""
        self.page.keyboard.press(key)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is on its way."""
        self.page.wait_for_selector("#judging:not([aria-busy])")

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to judge."""
        return self.page.locator("#nothing").count() == 1


def enter(page: Page, address: str, token: str) -> Page:
    """Come by a link."""
    page.goto(f"{address}/enter/{token}")
    page.get_by_role("button", name="Log in").click()
    return page


def sit_down(browser: Browser, campaign: Campaign, address: str, name: str, **more: Any) -> Sitting:
    """Let a judge come by a new link, in a browser of their own."""
    page = browser.new_context(**more).new_page()
    enter(page, address, campaign.add_person(name, "judge"))
    assert page.url == f"{address}/judge"
    if more.get("java_script_enabled", True):
        page.wait_for_selector("html[data-ready]")
    return Sitting(page, address, campaign, name)


@pytest.mark.slow
def test_two_judges_at_once_and_a_third_settles_what_they_differ_about(
    browser: Browser, campaign: Campaign, address: str
) -> None:
    ann, bob = (sit_down(browser, campaign, address, name) for name in ("ann", "bob"))
    expected: dict[tuple[str, str], dict[str, str]] = {}
    keys = {"1": RIGHT, "2": PARTLY, "3": WRONG}
    for turn in range(7):
        pressed = {"ann": "1233112"[turn], "bob": "3"}
        for name, sitting in (("ann", ann), ("bob", bob)):
            # Each has an order of their own, and what bob says depends on the question alone.
            if name == "bob":
                pressed["bob"] = "1" if "5" not in sitting.asked[1] else "3"
            expected.setdefault(sitting.asked, {})[name] = keys[pressed[name]]
        ann.page.keyboard.press(pressed["ann"])  # neither waits for the other
        bob.page.keyboard.press(pressed["bob"])
        ann.settle()
        bob.settle()
    assert ann.is_done
    assert bob.is_done
    log = campaign.log.since()
    found: dict[tuple[str, str], dict[str, str | None]] = {}
    for row in log:
        found.setdefault(row.question, {})[row.person] = row.outcome
    assert found == expected
    assert len(log) == 14
    differing = {asked for asked, by in expected.items() if len(set(by.values())) == 2}
    assert 1 < len(differing) < 7
    ann.page.reload()
    # That they differ is the organiser's to know.
    assert "All questions are answered" in ann.page.locator("#nothing").inner_text()

    agreed = agreement_of(log, campaign.settings).kinds["rating"]["all"]
    assert (agreed.questions, agreed.same) == (7, 7 - len(differing))

    page = browser.new_context().new_page()
    enter(page, address, campaign.add_person("olga", "organiser"))
    page.goto(f"{address}/conflicts")
    for left in range(len(differing), 0, -1):
        assert f"{left} conflict" in page.locator(".progress").inner_text()
        page.click("button:has-text('partly')")
        page.wait_for_load_state()
    assert page.locator("h1").inner_text() == "No conflicts"
    rulings = campaign.log.since(log[-1].number)
    assert {row.question for row in rulings} == differing
    assert all(row.ruling and row.person == "olga" and row.outcome == PARTLY for row in rulings)
    ann.page.reload()
    assert "All questions are answered" in ann.page.locator("#nothing").inner_text()


def test_the_keyboard_alone_does_everything(
    browser: Browser, campaign: Campaign, address: str
) -> None:
    ann = sit_down(browser, campaign, address, "ann")
    first = ann.asked
    ann.press("2")
    second = ann.asked
    assert second != first
    assert ann.page.evaluate("document.activeElement.id") == "title"
    ann.press("u")
    assert ann.asked == first
    ann.press("Backspace")  # nothing is left to take back
    assert ann.asked == first
    ann.press("1")
    assert ann.asked == second
    ann.press("s")
    assert ann.asked not in (first, second)
    for _ in range(5):
        ann.press("3")
    assert ann.asked == second  # what was skipped comes last
    ann.page.keyboard.press("?")
    assert ann.page.locator("#help").get_attribute("open") is not None
    # By Tab and Enter, without single keys
    ann.page.locator("#single-keys").focus()
    ann.page.keyboard.press("Space")
    ann.page.locator("#title").focus()
    ann.press("1")
    assert ann.asked == second
    for _ in range(30):
        ann.page.keyboard.press("Tab")
        if ann.page.evaluate("document.activeElement.dataset.key") == "1":
            break
    ann.press("Enter")
    assert ann.is_done
    log = campaign.log.since()
    assert [(row.outcome, row.undoes is not None) for row in log] == [
        (PARTLY, False), (None, True), (RIGHT, False), *[(WRONG, False)] * 5, (RIGHT, False),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("how", ["unheard", "answer lost", "server back"])
def test_what_the_server_did_not_hear_is_kept_and_sent_once(
    browser: Browser, campaign: Campaign, address: str, how: str
) -> None:
    ann = sit_down(browser, campaign, address, "ann")

    def lose(route: Route) -> None:
        if how == "answer lost":
            route.fetch()
        route.abort()

    ann.page.route("**/judge/answer", lose)
    asked = ann.asked
    ann.page.keyboard.press("1")
    ann.page.wait_for_selector("#gone:not([hidden])")
    assert "Your answer “right” is kept here" in ann.page.locator("#gone").inner_text()
    ann.page.keyboard.press("3")  # it is answered already
    if how == "server back":
        assert campaign.log.since() == []
        ann.page.unroute("**/judge/answer")
        ann.settle()
        assert ann.page.locator("#gone").is_hidden()
        assert [row.outcome for row in campaign.log.since()] == [RIGHT]
        return
    # The page is closed; the next one sends what is left.
    again = Sitting(ann.page.context.new_page(), address, campaign, "ann")
    ann.page.close()
    again.page.goto(f"{address}/judge")
    again.page.wait_for_selector("html[data-ready]")
    again.settle()
    again.press("2")
    log = campaign.log.since()
    assert [row.outcome for row in log] == [RIGHT, PARTLY]
    assert log[0].question == asked


@pytest.mark.slow
def test_a_revoked_link_keeps_the_answer_until_there_is_a_new_one(
    browser: Browser, campaign: Campaign, address: str
) -> None:
    ann = sit_down(browser, campaign, address, "ann")
    campaign.revoke("ann")
    ann.page.keyboard.press("1")
    ann.page.wait_for_selector("#gone:not([hidden])")
    assert "You are logged out" in ann.page.locator("#gone").inner_text()
    assert campaign.log.since() == []
    enter(ann.page, address, campaign.add_person("ann", "judge"))
    ann.page.wait_for_selector("html[data-ready]")
    ann.settle()
    assert [row.outcome for row in campaign.log.since()] == [RIGHT]


@pytest.mark.slow
def test_single_keys_rule_and_take_back(browser: Browser, campaign: Campaign, address: str) -> None:
    judge_some(campaign)
    page = browser.new_context().new_page()
    enter(page, address, campaign.add_person("olga", "organiser"))
    page.goto(f"{address}/conflicts")
    waiting = len(desk_of(campaign).conflicts())
    for key, left in (("3", waiting - 1), ("u", waiting)):
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press(key)
        page.wait_for_selector(f"text={left} conflict")
    page.context.close()


@pytest.mark.slow
def test_on_a_phone_the_answers_are_at_the_thumb(
    browser: Browser, campaign: Campaign, address: str
) -> None:
    ann = sit_down(browser, campaign, address, "ann", viewport=PHONE, has_touch=True)
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    boxes = [each.bounding_box() for each in ann.page.locator(".answers button").all()]
    assert len(boxes) == 3
    for box in boxes:
        assert box["height"] >= 44
        assert box["y"] > PHONE["height"] / 2
        assert box["y"] + box["height"] <= PHONE["height"]
    ann.page.tap(".answers button")
    ann.settle()
    assert len(campaign.log.since()) == 1


@pytest.mark.slow
def test_on_a_phone_the_board_is_whole_or_says_that_there_is_more(
    browser: Browser, campaign: Campaign, address: str
) -> None:
    page = browser.new_context(viewport=PHONE).new_page()
    enter(page, address, campaign.add_person("olga", "organiser"))
    wide, right = ".scroll:has(table.board)", {}
    for name in ("Beta", "-".join(["Beta", "with", "a", "name", "x" * 40])):
        campaign.submit(name, "b.jsonl", submission(["two", "4", "5", "8"]))
        page.goto(f"{address}/board")
        right[name] = [
            page.locator(each).first.evaluate("each => each.getBoundingClientRect().right")
            for each in (".board thead th:last-child", ".board caption")
        ]
        shadows = page.locator(wide).evaluate("each => getComputedStyle(each).backgroundImage")
        assert shadows.count("linear-gradient") == 4
    assert max(right["Beta"]) <= PHONE["width"]
    assert right[name][1] <= PHONE["width"]
    page.context.close()


AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def complaints(page: Page) -> list[str]:
    """Return what axe-core finds on a page: the rule, and where it is broken."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{page.url} {rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def judge_some(campaign: Campaign) -> None:
    """Let two people answer, and differ, so that every page has something to show."""
    desk = desk_of(campaign)
    for k, question in enumerate(list(desk.questions)[:-1]):
        for name in ("ann", "bob"):
            said = RIGHT if name == "ann" or k % 3 else (WRONG, PARTLY)[k // 3 % 2]
            campaign.log.decide(name, question, said)


LOOKS: tuple[tuple[Literal["light", "dark"], ViewportSize], ...] = (
    ("light", PHONE), ("dark", COMPUTER),
)  # fmt: skip
STILL = """
const soon = setTimeout;
window.setTimeout = (what, ms, ...more) => (ms < 1000 ? soon(what, ms, ...more) : 0);
"""
"""Lets no page load itself anew while it is looked at"""


@pytest.mark.slow
@pytest.mark.parametrize("role", ["organiser", "judge", "participant", ""])
def test_axe_finds_nothing_on_any_page(
    browser: Browser, campaign: Campaign, address: str, role: str
) -> None:
    token = campaign.add_person("pat", role) if role else "x"
    judge_some(campaign)
    pages = make_app(campaign).state.site.pages
    paths = [page.path for page in pages if page.method == "GET" and "{" not in page.path]
    assert "/judge" in paths
    page = browser.new_context().new_page()
    page.add_init_script(STILL)
    enter(page, address, token)
    found, refused = [], 0
    for path in [*paths, "/nowhere"] if role else ["/"]:
        answer = page.goto(address + path)
        refused += answer.status == 403
        if answer.status == 403 and refused > 1:
            continue  # the same page for all that others may see
        assert page.locator("[style], style, script:not([src])").count() == 0
        assert page.locator("h1").count() == 1, path
        for scheme, size in LOOKS:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size(size)
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], path
            found += complaints(page)
    page.context.close()
    assert found == []
