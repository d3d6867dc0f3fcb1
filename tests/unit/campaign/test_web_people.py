"""The pages about people: conflicts and rulings, agreement, and links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from httpx import Response
from starlette.testclient import TestClient

from campaign_files import csrf_of, log_in, rated, separate, visitor
from campaign_server import served_here
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.questions import canonical
from tellapart.campaign.web.app import make_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser

JSON = {"accept": "application/json"}


def outcome(grade: str) -> str:
    return canonical({"rating": grade})


def question(k: int, system: str) -> tuple[str, str]:
    return "rating", canonical({"item": f"q{k}", "output": f"{system} {k}"})


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Two systems of 12 items; of 24 outputs ann and bob judge each, and differ about three."""
    folder = tmp_path_factory.mktemp("people")
    made = rated(folder, separate(12, "Alpha", "Beta"), second_opinions=1.0)
    for system in ("Alpha", "Beta"):
        for k in range(12):
            ann = "right" if system == "Alpha" or k % 3 == 0 else "wrong"
            bob = "partly" if system == "Alpha" and k < 3 else ann
            made.log.decide("ann", question(k, system), outcome(ann))
            note = "<b>half</b> of it" if ann != bob else ""
            made.log.decide("bob", question(k, system), outcome(bob), note=note)
    return made


def send(client: TestClient, path: str, program: bool = False, **fields: str) -> Response:
    csrf = csrf_of(client, "/people")
    headers = {**(JSON if program else {}), "x-csrf": csrf}
    found: Response = client.post(path, data=fields | {"csrf": csrf}, headers=headers)
    return found


def test_an_organiser_rules_on_conflicts_one_after_the_other(campaign: Campaign) -> None:
    client = visitor(campaign, "olga", "organiser")
    page = client.get("/conflicts").text
    assert "<strong>3</strong> conflicts wait" in page
    assert "<strong>right</strong>" in page
    assert "<strong>partly</strong>" in page
    assert "&lt;b&gt;half&lt;/b&gt; of it" in page
    for hidden in ("ann", "bob", "Beta"):
        assert hidden not in page  # who said what, and whose output it is
    asked = {"question": re.findall(r'name="question" value="(\w+)"', page)[0]}
    left = send(client, "/conflicts/rule", **asked, outcome=outcome("wrong")).text
    assert "<strong>2</strong> conflicts wait" in left
    site = client.app.state.site
    assert site.desk.opinions.holds(question(0, "Alpha")) == outcome("wrong")
    ruling = campaign.log.since()[-1]
    assert (ruling.person, ruling.ruling) == ("olga", True)
    refused = send(client, "/conflicts/rule", **asked, outcome=outcome("splendid"))
    assert refused.status_code == 400
    assert "no answer to that question" in refused.text
    page = client.get("/conflicts").text
    assert "1 is ruled" in page
    back = send(client, "/conflicts/undo").text
    assert "<strong>3</strong> conflicts wait" in back
    assert "disabled" in back  # there is no other ruling to take back
    assert site.desk.opinions.is_conflict(question(0, "Alpha"))


def test_notes_are_listed_as_text(campaign: Campaign) -> None:
    client = visitor(campaign, "olga", "organiser")
    campaign.log.remark("ann", question(5, "Beta"), "note", "<script>alert(1)</script>")
    page = client.get("/conflicts").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    (link,) = re.findall(r'<a href="([^"]+)">[^<]*</a> <span class="faint">q5<', page)
    shown = client.get(link).text
    assert "Beta 5" in shown
    assert "What people said" in shown


def test_a_new_link_is_shown_once_and_logs_in_and_can_be_revoked(campaign: Campaign) -> None:
    client = visitor(campaign, "olga", "organiser")
    page = send(client, "/people/add", name="dora", role="judge").text
    (link,) = re.findall(r'value="(http://localhost/enter/[^"]+)"', page)
    assert link not in client.get("/people").text
    other = TestClient(client.app, base_url="http://localhost")
    log_in(other, link)
    assert other.get("/judge").status_code == 200
    told = send(client, "/people/add", True, name="dora", role="judge")
    assert told.status_code == 201
    assert other.get("/judge").status_code == 401  # a new link ends the one before
    log_in(other, told.json()["link"])
    assert send(client, "/people/revoke", name="dora").status_code == 200
    assert other.get("/judge").status_code == 401


@pytest.mark.parametrize("name", ["", "a\nb", "a\0", "olga"])
def test_names_that_cannot_be_given_are_refused(campaign: Campaign, name: str) -> None:
    client = visitor(campaign, "olga", "organiser")
    found = send(client, "/people/add", name=name, role="judge")
    assert found.status_code == 400
    assert "no file" not in found.text
    assert client.get("/people").status_code == 200  # the organiser is still one


@pytest.mark.slow
def test_single_keys_rule_and_take_back(browser: Browser, campaign: Campaign) -> None:
    with served_here(make_app(campaign)) as address:
        page = browser.new_context().new_page()
        page.goto(f"{address}/enter/{campaign.add_person('olga', 'organiser')}")
        page.get_by_role("button", name="Log in").click()
        page.goto(f"{address}/conflicts")
        page.keyboard.press("3")
        page.wait_for_selector("text=2 conflicts wait")
        page.keyboard.press("u")
        page.wait_for_selector("text=3 conflicts wait")
        page.context.close()
