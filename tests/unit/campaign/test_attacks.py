"""What an attacker got through once: each attack, which does nothing any more."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from campaign_files import (
    JSON,
    RIGHT,
    WRONG,
    answer,
    answers,
    asked,
    contest,
    judge_all,
    log_in,
    nobody,
    program,
    quality,
    sums,
    visitor,
)
from tellapart.campaign import submissions
from tellapart.campaign.bounds import Background
from tellapart.campaign.campaign import ROLES, Campaign, Person, Taken, TooMany
from tellapart.campaign.demo import demo_campaign
from tellapart.campaign.judging import desk_of
from tellapart.campaign.opinions import DEED, OPEN, moment
from tellapart.campaign.settings import Settings
from tellapart.campaign.submissions import receive
from tellapart.campaign.web.app import REQUESTS, all_pages, make_app
from tellapart.campaign.web.judging import handle_of
from tellapart.campaign.web.site import UPLOADS
from tellapart.errors import UsageError

GOOD = answers({"q1": "4", "q2": "5", "q3": "6"})


# 1: a hiccup of the database


def test_what_can_still_change_is_known_again_when_the_database_was_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was known is dropped, so that no question is hidden by it, and why is said."""
    monkeypatch.setattr("tellapart.campaign.bounds.FIRST_DELAY_S", 0.02)
    monkeypatch.setattr("tellapart.campaign.bounds.WAIT_S", 0.02)
    campaign = sums(tmp_path)
    desk = desk_of(campaign)
    background = Background(desk)

    def wait_for(is_so: Callable[[], object]) -> None:
        latest = time.monotonic() + 30
        while not is_so():
            assert time.monotonic() < latest
            time.sleep(0.02)

    background.start()
    wait_for(lambda: background.outlook)
    desk.priorities = dict.fromkeys(desk.questions, 1)
    away = campaign.database.path.rename(tmp_path / "away")
    wait_for(lambda: background.problem)
    assert background.outlook is None
    assert desk.priorities == {}
    away.rename(campaign.database.path)
    wait_for(lambda: background.outlook)
    wait_for(lambda: not background.problem)
    assert desk.next_for("ann") is not None
    background.stop()


def test_organisers_are_told_that_nothing_is_known_just_now(tmp_path: Path) -> None:
    campaign = sums(tmp_path)
    app = make_app(campaign)
    site, olga = app.state.site, program(campaign, "olga", "organiser", app)
    site.background = Background(site.desk)
    for problem, told in (("", False), ("OSError: gone", True)):
        site.background.problem = problem
        assert ("being tried again: OSError: gone" in olga.get("/").text) is told


# 3: what others said, and whose output it is


def test_no_scores_are_shown_while_questions_are_open(tmp_path: Path) -> None:
    campaign = contest(tmp_path, {"alder": ("paul", 9), "birch": ("quin", 1)}, items=12)
    app = make_app(campaign)
    people = {role: program(campaign, role, role, app) for role in ROLES}
    for role, client in people.items():  # it is not open to others yet
        assert ("<table" in client.get("/board").text) is (role == "organiser")
    campaign.log.remark("organiser", OPEN)
    for client in people.values():
        assert "<table" in client.get("/board").text
    campaign.submit("alder", "a.jsonl", quality("alder", 12, 10), "paul")
    for open_questions in (1, 0):
        if not open_questions:
            judge_all(campaign)
        fresh = make_app(campaign)
        for role in ROLES:
            client = program(campaign, role, role, fresh)
            seen = role == "organiser" or not open_questions
            page = client.get("/board").text
            assert ("<table" in page) is seen, role
            assert ("closed until no question is open" in page) is not seen


def test_a_judge_does_not_learn_that_another_differs(tmp_path: Path) -> None:
    """Who answers, looks, takes back and answers again sees the same each time."""
    campaign = sums(tmp_path, second_opinions=1.0)
    app = make_app(campaign)
    ann, bob = (program(campaign, name, "judge", app) for name in ("ann", "bob"))
    first = asked(ann)
    answer(ann, RIGHT)
    while (same := asked(bob))["subject"] != first["subject"]:
        bob.post("/judge/skip", json={"question": same["question"]})
    seen = []
    for outcome in (RIGHT, WRONG):
        seen.append(answer(bob, outcome, same["question"]).json()["progress"])
        bob.post("/judge/undo", json={"request": outcome})
    assert seen[0] == seen[1]


def test_errors_tell_no_places(tmp_path: Path) -> None:
    campaign = Campaign.create(str(tmp_path / "c"), Settings("T", form="items"))
    found = program(campaign, "ann").post("/judge/undo", json={})
    assert found.json()["error"].startswith("there is no system in this campaign")


def test_a_judge_is_sent_no_name_of_a_system(tmp_path: Path) -> None:
    """Not even in what the page hides: a pairing is of one system."""
    demo = demo_campaign(str(tmp_path / "demo"))
    cyd = program(demo.campaign, "cyd", "judge")
    desk = desk_of(demo.campaign)
    (pairing,) = [each for each in desk.questions if each[0] == "pairing"]
    for each in (next(iter(desk.questions)), pairing):
        name = handle_of(demo.campaign.settings.seed, "cyd", each)
        told = cyd.get(f"/judge?question={name}")
        assert told.json()["question"]["kind"] == each[0]
        assert not any(name in told.text for name in desk.judging.systems)
    question = told.json()["question"]
    assert question["subject"] is None
    outcome = question["answers"][1]["outcome"]
    assert answer(cyd, outcome, question["question"]).status_code == 200
    desk.refresh()
    assert [each.outcome for each in desk.opinions.of(pairing)][-1] == outcome


def test_nobody_changes_an_answer_once_a_board_was_seen_with_it(tmp_path: Path) -> None:
    """A judge who could would compare two boards, and know whose output it is."""
    campaign = sums(tmp_path)
    app = make_app(campaign)
    people = (("ann", "judge"), ("paul", "participant"))
    ann, paul = (program(campaign, *who, app) for who in people)
    first = asked(ann)["question"]
    assert answer(ann, RIGHT).status_code == 200
    answer(ann, WRONG, first)  # while no board was seen
    while asked(ann):
        answer(ann, RIGHT)
    assert ann.post("/judge/undo", json={}).status_code == 200
    last = asked(ann)["question"]
    assert answer(ann, RIGHT).status_code == 200
    campaign.log.remark("ann", OPEN)
    assert "<table" in paul.get("/board").text
    campaign.submit("cedar", "c.jsonl", answers({"q1": "4", "q2": "5", "q3": "nine"}))
    ann = program(campaign, "ann")  # of a server that was started anew
    assert ann.post("/judge/undo", json={}).status_code == 409
    for question in (first, last):
        assert answer(ann, RIGHT, question).status_code == 409
    assert answer(ann, RIGHT).json()  # the question of the new system
    assert ann.post("/judge/undo", json={}).status_code == 200


# 4: who judges what


def test_nobody_chooses_by_putting_off_what_they_do_not_want(tmp_path: Path) -> None:
    campaign = sums(tmp_path)
    ann = program(campaign, "ann")
    shown = []
    for _ in range(5):
        shown.append(asked(ann)["question"])
        ann.post("/judge/skip", json={"question": shown[-1]})
    theirs = asked(ann)["question"]
    assert len(set(shown)) == 5
    for name in shown:
        assert answer(ann, RIGHT, name).status_code == (200 if name == theirs else 409)
        if name == theirs:
            break
    assert len(campaign.log.since()) == 1


def test_what_was_put_off_stays_so_when_the_server_starts_again(tmp_path: Path) -> None:
    campaign = sums(tmp_path)
    ann = program(campaign, "ann")
    first = asked(ann)["question"]
    second = ann.post("/judge/skip", json={"question": first}).json()["question"]["question"]
    again = nobody(Campaign.open(campaign.folder), headers=ann.headers)
    assert asked(again)["question"] == second
    assert answer(again, RIGHT, first).status_code == 409
    assert answer(again, RIGHT, second).status_code == 200


# 7: links, uploads, two servers, requests, odd headers


def test_a_link_from_elsewhere_changes_nobody_s_visit(tmp_path: Path) -> None:
    campaign = sums(tmp_path)
    client = visitor(campaign)
    token = campaign.add_person("<b>eve", "participant")
    page = client.get(f"/enter/{token}")
    assert "set-cookie" not in page.headers
    assert "Log in as &lt;b&gt;eve" in page.text
    assert "You are logged in as <strong>ann" in page.text
    assert "ann, judge" in client.get("/judge").text
    forged = client.post("/enter", data={"token": token}, headers={"origin": "http://evil.example"})
    assert forged.status_code == 403
    assert "ann, judge" in client.get("/judge").text
    log_in(client, token)
    assert "eve, participant" in client.get("/submissions").text


def test_who_may_send_no_more_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = sums(tmp_path, per_day=1)
    app = make_app(campaign)
    paul, quin = (program(campaign, name, "participant", app) for name in ("paul", "quin"))
    campaign.submit("pine", "a.jsonl", GOOD, "paul")
    for _ in range(UPLOADS):
        app.state.site.uploads.acquire()

    async def unread(*_: object) -> list[bytes]:
        raise AssertionError("the body was read")

    monkeypatch.setattr("tellapart.campaign.web.visits.read_body", unread)
    for client, why in ((paul, "1 submission today"), (quin, "in a minute")):
        found = client.post("/submissions", content=GOOD)
        assert found.status_code == 429
        assert why in found.json()["error"]


def test_two_servers_give_no_name_twice_and_pass_no_limit(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both look before either writes: what holds is the database's to say."""
    campaign = sums(tmp_path, per_day=1, database=database_url)
    servers = [Campaign.open(campaign.folder) for _ in range(2)]
    for name in ("paul", "quin"):
        campaign.add_person(name, "participant")
    both = threading.Barrier(2)

    def wait(*_given: object, **_limits: object) -> list[tuple[str, bool]]:
        both.wait(10)
        return []

    monkeypatch.setattr(submissions, "in_own_process", wait)
    monkeypatch.setattr(submissions, "_checking", threading.BoundedSemaphore(2))
    monkeypatch.setattr("tellapart.campaign.database._in_turn", nullcontext)
    for people, systems in ((("paul", "quin"), ("pine", "PINE")), (("paul", "paul"), ("a", "b"))):
        made: list[object] = []

        def send(k: int, who: str, system: str, made: list[object] = made) -> None:
            try:
                person = Person(who, "participant")
                made.append(receive(servers[k], person, system, "a.jsonl", GOOD).accepted)
            except TooMany as problem:
                made.append(problem)

        with campaign.database.writing() as connection:  # a day later
            connection.exec_driver_sql("UPDATE submissions SET made_at = '1999'")
        threads = [
            threading.Thread(target=send, args=(k, who, system))
            for k, (who, system) in enumerate(zip(people, systems, strict=True))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(each is True for each in made) == 1, made
    campaign.database.close()


def test_another_answer_under_the_same_request_is_not_acknowledged(tmp_path: Path) -> None:
    campaign = sums(tmp_path)
    ann = program(campaign, "ann")
    first = asked(ann)["question"]
    for outcome, status in ((RIGHT, 200), (RIGHT, 200), (WRONG, 400)):
        assert answer(ann, outcome, first, request="1").status_code == status
    assert answer(ann, RIGHT, request="1").status_code == 400  # of the next question
    assert ann.post("/judge/undo", json={"request": "1"}).status_code == 400
    assert len(campaign.log.since()) == 1


@pytest.mark.parametrize("name", ["origin", "host", "referer"])
@pytest.mark.parametrize("value", ["http://[", "[", "http://]:x"])
def test_odd_headers_are_no_mishap(tmp_path: Path, name: str, value: str) -> None:
    campaign = sums(tmp_path)
    client = program(campaign, "ann")
    for answered in (
        client.get("/judge", headers={name: value}),
        client.get("/nowhere", headers={name: value}),
        client.post("/judge/undo", json={}, headers={name: value}),
        client.post("/enter", data={"token": "x"}, headers={name: value}),
    ):
        assert answered.status_code < 500, answered.text


@pytest.mark.parametrize("token", [r"\ud800", r"\udc80", r"\u0000"])
def test_half_a_character_is_no_link(tmp_path: Path, token: str) -> None:
    client = nobody(sums(tmp_path))
    sent = f'{{"token": "{token}"}}'
    found = client.post("/enter", content=sent, headers={"content-type": "application/json"})
    assert found.status_code == 401


def test_who_passes_a_proxy_by_a_password_sees_pages(tmp_path: Path) -> None:
    client = visitor(sums(tmp_path))
    for kind, shown in (("Basic dXNlcjpwYXNz", "text/html"), ("Bearer x", "application/json")):
        found = client.get("/judge", headers={"authorization": kind})
        assert found.headers["content-type"].startswith(shown)
        assert found.status_code == (200 if kind.startswith("Basic") else 401)


# 8: how visits and links end, and names that look alike


def test_a_visit_ends_with_logout_and_with_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = sums(tmp_path)
    token = campaign.add_person("ann", "judge")
    client = nobody(campaign)
    log_in(client, token)
    (kept,) = client.cookies.items()
    assert client.post("/leave", headers={"origin": "http://evil.example"}).status_code == 403
    assert client.get("/judge").status_code == 200
    client.post("/leave")
    thief = nobody(campaign, cookies=dict([kept]))
    assert thief.get("/judge").status_code == 401
    log_in(client, token)
    assert client.get("/judge").status_code == 200
    later = moment(31.0)
    monkeypatch.setattr("tellapart.campaign.campaign.now", lambda: later)
    assert client.get("/judge").status_code == 401


def test_a_link_ends_and_is_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = sums(tmp_path)
    token = campaign.add_person("ann", "judge", 2.0)
    ann = nobody(campaign)
    log_in(ann, token)
    later = moment(3.0)
    with monkeypatch.context() as patch:
        patch.setattr("tellapart.campaign.campaign.now", lambda: later)
        assert ann.get("/judge").status_code == 401
        assert campaign.person_of(token) is None
        assert campaign.enter(token) is None
        assert [each.active for each in campaign.people()] == [False]
    assert ann.get("/judge").status_code == 200
    renewed = campaign.add_person("ann", "judge")
    assert ann.get("/judge").status_code == 401  # a new link ends the visits by the one before
    log_in(ann, renewed)
    assert campaign.person_of(token) is None


def test_wrong_links_lock_nobody_out(tmp_path: Path) -> None:
    campaign = sums(tmp_path)
    client = nobody(campaign)
    for k in range(30):
        assert client.post("/enter", data={"token": f"wrong-{k}"}).status_code == 401
    token = campaign.add_person("ann", "judge")
    log_in(client, token)
    assert token.encode() not in campaign.database.path.read_bytes()


@pytest.mark.parametrize("name", ["АDA", "Аda", "АDА", "\uff21da", "ada", "ΑDA"])
def test_names_that_look_alike_are_refused(tmp_path: Path, name: str) -> None:
    """Some of these A are Cyrillic or Greek, and one is wide."""
    campaign = sums(tmp_path)
    campaign.add_person("ADA", "judge")
    with pytest.raises(UsageError, match="looks like"):
        campaign.add_person(name, "organiser")
    campaign.submit("ADA", "a.jsonl", GOOD)
    campaign.add_person("paul", "participant")
    with pytest.raises(Taken):
        campaign.submit(name, "a.jsonl", GOOD, "paul")


def test_honest_names_are_taken(tmp_path: Path) -> None:
    campaign = sums(tmp_path)
    for name in ("Анна", "β-VAE", "モデルA", "Zoë", "GPT 4", "Ольга Smith"):
        campaign.add_person(name, "judge")
    assert len(campaign.people()) == 6


# 9: traces, and who may do what


def test_requests_are_logged_without_tokens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    campaign = sums(tmp_path)
    client = nobody(campaign)
    token = campaign.add_person("ann", "judge")
    with caplog.at_level(logging.INFO, logger=REQUESTS.name):
        client.get(f"/enter/{token}")
        client.get(f"/enter/{token}/x")
        log_in(client, token)
        client.get("/conflicts")
        client.get("/a%0Aann GET /forged 200")
    lines = [record.getMessage() for record in caplog.records if record.name == REQUESTS.name]
    assert lines[0] == "- GET /enter/… 200"
    assert "- POST /enter 303" in lines
    assert "ann GET /judge 200" in lines
    assert "ann GET /conflicts 403" in lines
    assert not any(token in line or "\n" in line for line in lines)


def test_health_is_told_to_everybody(tmp_path: Path) -> None:
    campaign = sums(tmp_path)
    client = nobody(campaign)
    assert client.get("/healthz").text == "ok\n"
    campaign.database.path.rename(tmp_path / "gone")
    found = client.get("/healthz")
    assert found.status_code == 503
    assert str(tmp_path) not in found.text


def test_what_organisers_do_is_listed(tmp_path: Path) -> None:
    campaign = sums(tmp_path)
    olga, ann = (program(campaign, *who) for who in (("olga", "organiser"), ("ann", "judge")))
    question = asked(olga)["question"]
    for client in (olga, ann):
        client.post("/board/open", json={})
        client.post("/conflicts/rule", json={"question": question, "outcome": RIGHT})
    done = [(each.name, each.text) for each in campaign.log.remarks(DEED)[::-1]]
    assert done == [
        ("olga", f"/conflicts/rule: question {question}, outcome {RIGHT}"),
        ("olga", "/board/open: "),
    ]


def documented(path: str) -> tuple[str, ...]:
    """Return who may use a route by the table of docs/campaigns.md."""
    docs = Path(__file__).parents[3] / "docs" / "campaigns.md"
    rows = re.findall(r"^\| (\w+) \|.*\| (.*) \|$", docs.read_text("utf-8"), re.MULTILINE)
    routes = {role: re.findall(r"`(.*?)`", told) for role, told in rows}
    routes["organiser"] += routes["judge"] + routes["participant"]
    return tuple(
        role
        for role in ROLES
        if path in ("/", *routes[role])
        or any(route[-1] == "…" and path.startswith(route[:-1]) for route in routes[role])
    )


def test_the_table_of_permissions_is_what_the_server_does(tmp_path: Path) -> None:
    """Every route, asked for by everybody: who has no link, had one, and has one of each role."""
    campaign = sums(tmp_path)
    app = make_app(campaign)
    clients = {role: program(campaign, role, role, app) for role in ROLES}
    clients["revoked"] = program(campaign, "revoked", "organiser", app)
    campaign.revoke("revoked")
    clients["nobody"] = nobody(campaign, app, headers=JSON)
    everybody = [
        ("GET", path) for path in ("/static/style.css", "/enter/{token}", "/healthz")
    ] + [("POST", path) for path in ("/enter", "/leave")]  # fmt: skip
    allowed: dict[tuple[str, str], tuple[str, ...]] = dict.fromkeys(everybody, tuple(clients))
    allowed |= {(page.method, page.path): documented(page.path) for page in all_pages()}
    there = {
        (method, route.path)
        for route in app.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
        if route.path != "/{path:path}"  # all that is not there
    }
    assert set(allowed) == there | {("GET", "/static/style.css")}
    for (method, route), roles in allowed.items():
        path = route.replace("{token}", "x")
        for who, client in clients.items():
            sent: dict[str, Any] = {"json": {}} if method == "POST" else {}
            answered = client.request(method, path, follow_redirects=False, **sent)
            if path.startswith("/enter"):
                assert answered.status_code == 401  # a wrong link, to anybody
            else:
                refused = answered.status_code in (401, 403)
                assert refused is (who not in roles), (route, who, answered.text)
