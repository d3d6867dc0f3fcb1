"""The pages of a campaign, as programs see them: who gets what, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tellapart.campaign.campaign import Campaign
from tellapart.campaign.settings import Settings
from tellapart.campaign.web.app import LOOPBACK, POLICY, make_app
from tellapart.campaign.web.login import WRONG_TOKENS


def answers(outputs: dict[str, str]) -> bytes:
    rows = [
        {"id": item, "input": f"{item}?", "target": "4", "output": output, "score": 0}
        for item, output in outputs.items()
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    made = Campaign.create(str(tmp_path / "c"), Settings("Sums", form="items", second_opinions=0.0))
    made.submit("Alpha", "a.jsonl", answers({"q1": "4", "q2": "five", "q3": "6"}))
    made.submit("Beta", "b.jsonl", answers({"q1": "4", "q2": "5", "q3": "six"}))
    return made


def visitor(campaign: Campaign, name: str = "ann", role: str = "judge") -> TestClient:
    client = TestClient(make_app(campaign), base_url="http://localhost", follow_redirects=True)
    assert client.get(f"/enter/{campaign.add_person(name, role)}").status_code == 200
    return client


def test_without_a_token_there_is_only_the_login_page(campaign: Campaign) -> None:
    client = TestClient(make_app(campaign), base_url="http://localhost")
    for path in ("/", "/judge", "/nowhere", "/enter/wrong"):
        found = client.get(path)
        assert found.status_code == 401, path
        assert "<h1>Log in</h1>" in found.text
        assert "Alpha" not in found.text
    refused = client.get("/judge", headers={"accept": "application/json"})
    assert refused.status_code == 401
    assert set(refused.json()) == {"error"}
    assert client.get("/static/style.css").status_code == 200
    assert client.get("/static/../app.py").status_code in (401, 404)


def test_a_link_logs_in_and_the_token_is_in_no_address_nor_page(campaign: Campaign) -> None:
    token = campaign.add_person("ann", "judge")
    client = TestClient(make_app(campaign), base_url="http://localhost", follow_redirects=False)
    found = client.get(f"/enter/{token}")
    assert (found.status_code, found.headers["location"]) == (303, "/")
    assert found.headers["referrer-policy"] == "no-referrer"
    cookie = found.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    page = client.get("/judge")
    assert page.status_code == 200
    assert token not in page.text


def test_behind_https_the_cookie_is_secure(campaign: Campaign) -> None:
    token = campaign.add_person("ann", "judge")
    client = TestClient(make_app(campaign, https=True), follow_redirects=False)
    cookie = client.get(f"/enter/{token}").headers["set-cookie"]
    assert cookie.startswith("__Host-")
    assert "Secure" in cookie


def test_the_whole_link_may_be_pasted(campaign: Campaign) -> None:
    token = campaign.add_person("ann", "judge")
    client = TestClient(make_app(campaign), base_url="http://localhost")
    found = client.post("/enter", data={"token": f" http://localhost/enter/{token}\n"})
    assert "Welcome, ann" in found.text


def test_a_revoked_link_is_good_for_nothing_at_the_next_request(campaign: Campaign) -> None:
    client = visitor(campaign)
    assert client.get("/judge").status_code == 200
    campaign.revoke("ann")
    found = client.get("/judge")
    assert found.status_code == 401
    assert "<h1>Log in</h1>" in found.text


def test_a_role_sees_its_pages_only(campaign: Campaign) -> None:
    client = visitor(campaign, "eve", "participant")
    assert client.get("/judge").status_code == 403
    assert 'href="/judge"' not in client.get("/").text
    assert 'href="/judge"' in visitor(campaign, "ann", "judge").get("/").text


def test_every_answer_has_the_headers(campaign: Campaign) -> None:
    client = visitor(campaign)
    for path in ("/", "/judge", "/nowhere", "/static/style.css", "/enter/wrong"):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] in ("same-origin", "no-referrer")
    assert client.get("/judge").headers["cache-control"] == "no-store"


def test_pages_have_no_script_or_style_of_their_own(campaign: Campaign) -> None:
    client = visitor(campaign, "olga", "organiser")
    paths = dict.fromkeys(re.findall(r'href="(/[^"?]*)"', client.get("/").text))
    assert "/judge" in paths
    for path in paths:
        page = client.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", page)


def test_names_of_other_sites_are_refused_on_loopback(campaign: Campaign) -> None:
    client = TestClient(make_app(campaign, hosts=LOOPBACK))
    for host, status in (
        ("localhost:8000", 401), ("127.0.0.1", 401), ("[::1]:8000", 401),
        ("evil.example:8000", 421), ("", 421),
    ):  # fmt: skip
        assert client.get("/", headers={"host": host}).status_code == status, host


def test_wrong_links_cannot_be_tried_on_and_on(campaign: Campaign) -> None:
    token = campaign.add_person("ann", "judge")
    client = TestClient(make_app(campaign), base_url="http://localhost")
    found = [client.get(f"/enter/{k}").status_code for k in range(WRONG_TOKENS + 1)]
    assert found == [401] * WRONG_TOKENS + [429]
    assert client.get(f"/enter/{token}").status_code == 429
