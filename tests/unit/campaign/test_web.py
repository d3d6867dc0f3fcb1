"""The pages of a campaign, as programs see them: who gets what, and what is refused."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from campaign_files import (
    JSON,
    RIGHT,
    SUMS,
    WRONG,
    answers,
    asked,
    csrf_of,
    nobody,
    program,
    rated,
    separate,
    visitor,
)
from table_files import Capture
from tellapart.campaign.campaign import ROLES, Campaign
from tellapart.campaign.judging import desk_of
from tellapart.campaign.opinions import OPEN
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import Settings
from tellapart.campaign.web.app import LOOPBACK, POLICY, make_app
from tellapart.campaign.web.judging import handle_of
from tellapart.campaign.web.visits import FORM_BYTES
from tellapart.errors import DatabaseError


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return rated(tmp_path, dict(zip(("Alpha", "Beta"), SUMS, strict=True)))


def send(client: TestClient, path: str, **fields: str) -> Response:
    """Send what the script of the page would send."""
    found: Response = client.post(path, json=fields, headers={**JSON, "x-csrf": csrf_of(client)})
    return found


def test_without_a_token_there_is_only_the_login_page(campaign: Campaign) -> None:
    client = nobody(campaign)
    for path in ("/", "/judge", "/nowhere", "/enter/wrong"):
        found = client.get(path)
        assert found.status_code == 401, path
        assert "<h1>Log in</h1>" in found.text
        assert "Alpha" not in found.text
        assert campaign.settings.title not in found.text
    refused = client.get("/judge", headers=JSON)
    assert refused.status_code == 401
    assert set(refused.json()) == {"error"}
    assert client.get("/static/style.css").status_code == 200
    assert client.get("/static/../app.py").status_code in (401, 404)


def test_a_link_logs_in_and_the_token_is_in_no_cookie_nor_page(campaign: Campaign) -> None:
    token = campaign.add_person("ann", "judge")
    client = nobody(campaign, follow_redirects=False)
    found = client.post("/enter", data={"token": token})
    assert (found.status_code, found.headers["location"]) == (303, "/")
    assert token not in str(found.headers)
    cookie = found.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    page = client.get("/judge")
    assert page.status_code == 200
    assert token not in page.text
    behind_https = TestClient(make_app(campaign, https=True), follow_redirects=False)
    cookie = behind_https.post("/enter", data={"token": token}).headers["set-cookie"]
    assert cookie.startswith("__Host-")
    assert "Secure" in cookie


def test_every_answer_has_the_headers(campaign: Campaign) -> None:
    client = visitor(campaign)
    for path in ("/", "/judge", "/nowhere", "/static/style.css", "/enter/wrong"):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] in ("same-origin", "no-referrer")
    assert client.get("/judge").headers["cache-control"] == "no-store"


def test_names_of_other_sites_are_refused_on_loopback(campaign: Campaign) -> None:
    client = TestClient(make_app(campaign, hosts=LOOPBACK))
    for host, status in (
        ("localhost:8000", 401), ("127.0.0.1", 401), ("[::1]:8000", 401),
        ("evil.example:8000", 421), ("", 421),
    ):  # fmt: skip
        assert client.get("/", headers={"host": host}).status_code == status, host


class Forms(HTMLParser):
    """The forms of a page: where each goes, its hidden fields, and the values of its buttons."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str], list[str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note forms and what is in them."""
        told = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append((told["action"], {}, []))
        elif tag == "input" and told.get("type") == "hidden":
            self.found[-1][1][told["name"]] = told["value"]
        elif tag == "button" and told.get("name") == "outcome":
            self.found[-1][2].append(told["value"])

    def to(self, action: str) -> tuple[dict[str, str], list[str]]:
        """Return fields and values of the form that goes somewhere."""
        return next((fields, values) for path, fields, values in self.found if path == action)


def test_without_a_script_forms_do_everything(campaign: Campaign) -> None:
    client = visitor(campaign)
    for _ in range(5):
        fields, outcomes = Forms(client.get("/judge").text).to("/judge/answer")
        assert RIGHT in outcomes
        page = client.post("/judge/answer", data={**fields, "outcome": RIGHT})
        assert page.status_code == 200
    assert "All questions are answered" in page.text
    assert [row.outcome for row in campaign.log.since()] == [RIGHT] * 5
    last = campaign.log.since()[-1]
    undo, _ = Forms(page.text).to("/judge/undo")
    page = client.post("/judge/undo", data=undo)
    fields, _ = Forms(page.text).to("/judge/answer")
    assert fields["question"] == handle_of(campaign.settings.seed, "ann", last.question)
    assert "4 of 5" in re.sub(r"<.*?>", "", page.text)


def test_a_form_that_is_sent_twice_is_one_decision_and_another_answer_is_another(
    campaign: Campaign,
) -> None:
    client = visitor(campaign)
    fields, _ = Forms(client.get("/judge").text).to("/judge/answer")
    for outcome in (RIGHT, RIGHT, WRONG):
        client.post("/judge/answer", data={**fields, "outcome": outcome})
    assert [row.outcome for row in campaign.log.since()] == [RIGHT, WRONG]


def test_what_is_no_answer_is_refused_in_a_sentence(campaign: Campaign) -> None:
    client = visitor(campaign)
    where = {"question": asked(client)["question"]}
    # Only who was shown a question can name it: nobody chooses what to judge.
    seed = campaign.settings.seed
    others = [handle_of(seed, "bob", key) for key in desk_of(campaign).questions]
    assert asked(program(campaign, "bob", app=client.app))["question"] in others
    for fields in (
        {**where, "outcome": "null"}, {**where, "outcome": '{"rating": "superb"}'}, where,
        *({"question": other, "outcome": RIGHT} for other in others),
    ):  # fmt: skip
        refused = send(client, "/judge/answer", **fields)
        assert refused.status_code == 400
        assert set(refused.json()) == {"error"}
    assert send(client, "/judge/skip", question="{}").status_code == 400  # which it does not make
    assert campaign.log.since() == []
    assert campaign.log.skipped() == []


def test_forms_of_others_change_nothing(campaign: Campaign) -> None:
    client = visitor(campaign)
    fields, _ = Forms(client.get("/judge").text).to("/judge/answer")
    fields["outcome"] = RIGHT
    forged: list[tuple[dict[str, str], dict[str, str]]] = [
        ({**fields, "csrf": ""}, {}),
        ({**fields, "csrf": "0" * 64}, {}),
        ({**fields, "csrf": "é"}, {}),
        (fields, {"origin": "http://evil.example"}),
        (fields, {"origin": "null"}),
        (fields, {"sec-fetch-site": "cross-site"}),
    ]
    for data, headers in forged:
        assert client.post("/judge/answer", data=data, headers=headers).status_code == 403
    assert campaign.log.since() == []
    own = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}
    assert client.post("/judge/answer", data=fields, headers=own).status_code == 200
    assert len(campaign.log.since()) == 1


def test_what_is_too_large_or_cannot_be_read_is_refused(campaign: Campaign) -> None:
    client = program(campaign, "ann")

    def status(content: Any, kind: str) -> int:
        found: Response = client.post(
            "/judge/answer", content=content, headers={"content-type": kind}
        )
        return found.status_code

    assert status(b"x" * (FORM_BYTES + 1), "application/json") == 413
    for kind, content in (
        ("application/json", b"{"), ("application/json", b"[1]"), ("application/json", b"[" * 9999),
        ("application/json", b'{"kind": 1}'), ("application/x-www-form-urlencoded", b"\xff=1"),
        ("multipart/form-data", b"x"), ("multipart/form-data; boundary=b", b"--b\r\n\r\n"),
        ("multipart/form-data; boundary=b", b"--b\r\nx: y\r\n\r\nz\r\n--b--"), ("text/x", b""),
    ):  # fmt: skip
        assert status(content, kind) == 400, (kind, content)


def test_texts_and_names_are_text_on_every_page(tmp_path: Path) -> None:
    """Titles, people, systems, files, items, outputs and findings."""
    script = "<script>alert(1)</script>"
    hostile = f"{script}\"'><img src=x onerror=alert(1)>{{{{ 7 * 19000003 }}}}"
    settings = Settings(hostile, form="items", second_opinions=0.0)
    made = Campaign.create(str(tmp_path / "c"), settings)
    app = make_app(made)
    people = {role: visitor(made, f"{role} {hostile}", role, app) for role in ROLES}
    for system in (script, "<b>&amp;"):
        sent = {"system": system, "csrf": csrf_of(people["participant"], "/submissions")}
        for name, output in ((f"{script[:-9]}.jsonl", hostile), ('"><img>.jsonl', None)):
            rows = answers({hostile: output}) if output else b"{oops\n"
            file = {"file": (name, rows)}
            page = people["participant"].post("/submissions", data=sent, files=file).text
            assert ("refused" if output is None else "accepted, counts") in page
            assert "<img" not in page
    made.log.remark("olga", OPEN)
    assert people["judge"].get("/judge").text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 4
    for decided in (False, True):  # the board is shown when nothing is open
        for key in desk_of(made).questions if decided else ():
            made.log.decide("ann", key, RIGHT)
        for client in people.values():
            for each in app.state.site.pages:
                if each.method == "GET" and "{" not in each.path:
                    page = client.get(each.path).text
                    assert not re.search("<script>alert|<img|<b>|133000021", page), each.path
    for path in ("/board", "/submissions"):
        assert "&lt;b&gt;&amp;amp;" in people["participant"].get(path).text


def test_a_mishap_tells_nothing_of_the_machine(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    client = visitor(campaign)

    def broken(*_: object) -> None:
        raise RuntimeError("secret at /root/x")

    monkeypatch.setattr("tellapart.campaign.desk.Desk.next_for", broken)
    found = client.get("/judge")
    assert found.status_code == 500
    assert "secret" not in found.text
    assert "Traceback" not in found.text
    assert "RuntimeError: secret" in capsys.readouterr().err
    told = client.get("/judge", headers=JSON)
    assert set(told.json()) == {"error"}


def test_a_database_that_fails_is_no_fault_of_what_was_sent(
    campaign: Campaign, capsys: Capture
) -> None:
    """Status 503: the page keeps the answer and sends it again; the reason is for organisers."""
    people = {role: visitor(campaign, role, role) for role in ROLES}
    fields = {"question": asked(people["judge"])["question"], "outcome": RIGHT}
    csrf = csrf_of(people["judge"])
    token = campaign.add_person("paul", "participant")
    place = Path(campaign.folder, "campaign.sqlite")
    kept = place.read_bytes()
    capsys.readouterr()

    def refuse(*_: object) -> Any:
        raise DatabaseError(f"{campaign.database.label}: the disk is full")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tellapart.campaign.database.Database.writing", refuse)
        headers = {**JSON, "x-csrf": csrf}
        full = people["judge"].post("/judge/answer", json=fields, headers=headers)
        headers = {"authorization": f"Bearer {token}"}
        sent = people["participant"].post(
            "/submissions", data={"system": "Pine"}, files={"file": b" "}, headers=headers
        )
        assert (full.status_code, sent.status_code) == (503, 503)
    place.write_bytes(b"something else" * 1000)
    gone = [people["organiser"].get("/board"), people["judge"].get("/enter/some-token")]
    for found in (full, sent, *gone):
        assert found.status_code == 503
        assert str(campaign.folder) not in found.text
        assert found.headers["content-security-policy"] == POLICY
    assert f"{place}: " in capsys.readouterr().err
    place.write_bytes(kept)
    assert send(people["judge"], "/judge/answer", **fields).status_code == 200


def test_the_page_says_what_can_still_change_and_when_to_stop(tmp_path: Path) -> None:
    """Two systems that differ at one of eight items: no answer there can tell them apart.

    Judges are not told: it depends on what others said.
    """
    outputs = {f"q{k}": "4" for k in range(8)}
    made = rated(tmp_path, {"Alpha": outputs, "Beta": {**outputs, "q1": "5"}})
    app = make_app(made)
    judge, organiser = (program(made, role, role, app) for role in ("judge", "organiser"))
    assert "You may stop" not in organiser.get("/judge").json()["html"]
    app.state.site.start()
    try:
        while app.state.site.outlook is None:
            time.sleep(0.01)
        told = organiser.get("/judge").json()
        assert "You may stop: 9 open questions cannot change a conclusion" in told["html"]
        assert "You may stop" not in judge.get("/judge").json()["html"]
    finally:
        app.state.site.stop()
    assert app.state.site.outlook is None


def test_an_organiser_rules_on_conflicts_one_after_the_other(tmp_path: Path) -> None:
    campaign = rated(tmp_path, separate(4, "Alpha", "Beta"), second_opinions=1.0)
    asked = [("rating", canonical({"item": f"q{k}", "output": f"Alpha {k}"})) for k in range(3)]
    for each in asked:
        for who, outcome in (("ann", WRONG), ("bob", RIGHT)):
            campaign.log.decide(who, each, outcome)
    client = visitor(campaign, "olga", "organiser")
    page = client.get("/conflicts").text
    assert "<strong>3</strong> conflicts wait" in page
    # Not in the order in which they said it.
    assert page.index("<strong>right</strong>") < page.index("<strong>wrong</strong>")
    for hidden in ("ann", "bob", "Beta"):
        assert hidden not in page  # who said what, and whose output it is
    fields, _ = Forms(page).to("/conflicts/rule")
    refused = client.post("/conflicts/rule", data={**fields, "outcome": '{"rating": "splendid"}'})
    assert refused.status_code == 400
    assert "no answer to that question" in refused.text
    left = client.post("/conflicts/rule", data={**fields, "outcome": WRONG}).text
    assert "<strong>2</strong> conflicts wait" in left
    site = client.app.state.site
    assert site.desk.opinions.holds(asked[0]) == WRONG
    ruling = campaign.log.since()[-1]
    assert (ruling.person, ruling.ruling) == ("olga", True)
    undone = client.post("/conflicts/undo", data={"csrf": fields["csrf"]}).text
    assert "<strong>3</strong> conflicts wait" in undone
    assert "disabled" in undone  # there is no other ruling to take back
    assert site.desk.opinions.is_conflict(asked[0])
