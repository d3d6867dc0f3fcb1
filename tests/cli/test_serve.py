"""`tellapart serve`: where it listens, whom it lets in, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import stat
from pathlib import Path

import httpx
import pytest

from campaign_files import answers
from campaign_server import serving
from table_files import Capture
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import Settings
from tellapart.cli import main

PATIENCE_S = 60.0
"""How long an answer may take on a machine that has other things to do"""


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    made = Campaign.create(str(tmp_path / "c"), Settings("Sums", form="items"))
    made.submit("S", "s.jsonl", answers({f"q{k}": str(k) for k in range(3)}))
    return made


def test_a_new_campaign_gives_the_organiser_a_link_and_keeps_what_is_decided(
    campaign: Campaign,
) -> None:
    with serving(campaign.folder) as served:
        link = served.links["organiser"]
        assert served.address.startswith("http://127.0.0.1:")
        assert link.startswith(f"{served.address}/enter/")
        with httpx.Client(follow_redirects=True, timeout=PATIENCE_S) as client:
            assert "Log in as organiser" in client.get(link).text
            token = link.rpartition("/")[2]
            welcome = client.post(f"{served.address}/enter", data={"token": token})
            assert "Welcome, organiser" in welcome.text
        headers = {"authorization": f"Bearer {token}", "accept": "application/json"}
        asked = httpx.get(f"{served.address}/judge", headers=headers, timeout=PATIENCE_S).json()[
            "question"
        ]
        fields = {"question": asked["question"]}
        fields["outcome"] = canonical({"rating": "right"})
        sent = httpx.post(
            f"{served.address}/judge/answer", json=fields, headers=headers, timeout=PATIENCE_S
        )
        assert sent.status_code == 200
        status, said = served.end(signal.SIGTERM)
    assert status == 143
    assert "tellapart campaign people" in said
    assert "Traceback" not in said
    log = Path(campaign.folder, "requests.log")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    requests = log.read_text()
    assert re.search(r"^\d{4}-\d\d-\d\dT[\d:]+Z organiser POST /judge/answer 200$", requests, re.M)
    assert token not in said + requests
    assert [row.outcome for row in campaign.log.since()] == [fields["outcome"]]
    with serving(campaign.folder) as served:
        assert served.links == {}  # there is an organiser, whose link is as good as before
        assert (
            httpx.get(f"{served.address}/judge", headers=headers, timeout=PATIENCE_S).status_code
            == 200
        )
        status, said = served.end(signal.SIGINT)
    assert status == 130
    assert "tellapart campaign people" in said


def test_an_organiser_is_made_though_a_judge_is_called_so(campaign: Campaign) -> None:
    token = campaign.add_person("organiser", "judge")
    (new,) = campaign.first_organiser().values()
    roles = [each and each.role for each in map(campaign.person_of, (token, new))]
    assert roles == ["judge", "organiser"]
    assert not campaign.first_organiser()


def test_the_demo_is_gone_when_its_terminal_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serving("", "--demo") as served:
        assert list(served.links) == ["olga", "ann", "bob", "team heron"]
        assert served.end(signal.SIGHUP)[0] == 143
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n",
        b"GET /static/style.css HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\n",
        b"POST /enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\ntoken=",
        b"POST /judge/answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{",
    ],
)
def test_who_says_little_is_not_waited_for_for_ever(campaign: Campaign, begun: bytes) -> None:
    hurry = (
        "from tellapart.campaign.web import serving, visits; "
        "serving.ASKS_WITHIN_S = visits.WAITS_S = 0.2"
    )
    with serving(campaign.folder, changed=hurry) as served:
        port = int(served.address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(begun)
            told = b""
            while more := slow.recv(65_536):  # until the server closes it
                told += more
        assert (b" 408 " in told) == begun.startswith(b"POST /enter")
        assert httpx.get(f"{served.address}/", timeout=PATIENCE_S).status_code == 401


def test_behind_a_proxy_links_and_cookies_are_those_of_the_proxy(campaign: Campaign) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ["--proxy", "https://judge.example.org/", "--port", str(port)]
    with serving(campaign.folder, *words) as served:
        place, token = served.links["organiser"].split("/enter/")
        assert place == "https://judge.example.org"
        sent = httpx.post(
            f"http://127.0.0.1:{port}/enter", data={"token": token}, timeout=PATIENCE_S,
            headers={"host": "judge.example.org"},
        )  # fmt: skip
        assert sent.headers["set-cookie"].startswith("__Host-")


def test_a_place_that_is_none_is_one_sentence(campaign: Campaign, capsys: Capture) -> None:
    assert main(["serve", campaign.folder, "--host", "no such host"]) == 2
    assert "no such host" in capsys.readouterr().err
