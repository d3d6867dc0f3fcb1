"""`tellapart serve`: where it listens, whom it lets in, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from campaign_server import serving
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import Settings
from tellapart.cli import main

PATIENCE_S = 60.0
"""How long an answer may take on a machine that has other things to do"""


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    made = Campaign.create(str(tmp_path / "c"), Settings("Sums", form="items"))
    rows = [{"id": f"q{k}", "input": "2 + 2", "output": str(k), "score": 0} for k in range(3)]
    made.submit("S", "s.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
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
    assert "all that was decided is kept" in said
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
        assert served.end(signal.SIGINT)[0] == 130


def test_an_organiser_is_made_though_a_judge_is_called_so(campaign: Campaign) -> None:
    token = campaign.add_person("organiser", "judge")
    with serving(campaign.folder) as served:
        ((name, link),) = served.links.items()
    made = campaign.person_of(link.rpartition("/")[2])
    assert made is not None
    assert (made.name, made.role) == (name, "organiser")
    known = campaign.person_of(token)
    assert known is not None
    assert (known.name, known.role) == ("organiser", "judge")


def test_the_demo_has_links_for_everybody_and_is_gone_at_the_end() -> None:
    with serving("", "--demo") as served:
        assert list(served.links) == ["olga", "ann", "bob", "team heron"]
        with httpx.Client(follow_redirects=True, timeout=PATIENCE_S) as client:
            token = served.links["ann"].rpartition("/")[2]
            client.post(f"{served.address}/enter", data={"token": token})
            page = client.get(f"{served.address}/judge").text
        assert "DEMO-00" in page
        assert "yours 20" in page
        assert "Heron" not in page
        status, said = served.end(signal.SIGTERM)
    assert status == 143
    assert "Traceback" not in said


@pytest.mark.parametrize("words", [["serve"], ["serve", "--demo", "answers"]])
def test_there_is_one_campaign_to_serve(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert "name the folder of a campaign, or give --demo" in capsys.readouterr().err


def test_what_is_too_large_is_refused_and_kept_nowhere(campaign: Campaign) -> None:
    token = campaign.add_person("ann", "judge")

    def much() -> Iterator[bytes]:
        for _ in range(1000):
            yield b"x" * 65_536

    with serving(campaign.folder) as served:
        before = most_memory(served.process.pid)
        for headers in ({"authorization": f"Bearer {token}"}, {}):
            headers["content-type"] = "application/json"
            sent = httpx.post(
                f"{served.address}/judge/answer",
                content=much(),
                headers=headers,
                timeout=PATIENCE_S,
            )
            assert sent.status_code == (413 if "authorization" in headers else 401)
        assert most_memory(served.process.pid) < before + 30_000_000


def most_memory(process: int) -> int:
    """Return the bytes that a process has had at most; 0 where that cannot be told."""
    path = Path(f"/proc/{process}/status")
    if not path.exists():
        return 0
    (told,) = [line for line in path.read_text().splitlines() if line.startswith("VmHWM")]
    return int(told.split()[1]) * 1000


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
    with serving(campaign.folder, "--proxy", "https://judge.example.org/") as served:
        assert served.address == "https://judge.example.org"
        link = served.links["organiser"]
        assert link.startswith("https://judge.example.org/enter/")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "no campaign in this folder"),
        (["DIR", "--port", "65536"], "between 0 and 65,535"),
        (["DIR", "--host", "no such host"], "there is no host"),
        (["DIR", "--proxy", "judge.example.org"], "is no address"),
        (["DIR", "--proxy", "http://["], "is no address"),
        (["DIR", "--proxy", "https://x/judge"], "is no address"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(
    words: list[str], told: str, campaign: Campaign, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *(campaign.folder if each == "DIR" else each for each in words)]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


def test_without_the_extra_the_sentence_says_how_to_get_it(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tellapart.campaign import web

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "tellapart.campaign.web.serving", raising=False)
    monkeypatch.delattr(web, "serving", raising=False)
    assert main(["serve", campaign.folder]) == 2
    said = capsys.readouterr().err
    assert "uvicorn: pip install 'tellapart[campaign]'" in said
    assert said.count("\n") == 1
