"""Decisions that survive: a server that is killed again and again, and people at page and terminal.

The server is `tellapart serve` in a process of its own, killed with SIGKILL while judges decide as
fast as they can: once, and 20 times among the slow tests.
"""

from __future__ import annotations

import random
import secrets
import sqlite3
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from campaign_files import rated
from campaign_server import serving

ITEMS = 16
"""For each time that the server is started"""
PATIENCE_S = 120.0
"""How long anybody tries to reach a server"""


@dataclass
class Place:
    """Where the server is just now, if it is anywhere."""

    address: str = ""


@dataclass(eq=False)
class Client(threading.Thread):
    """A judge who answers until nothing is left, and sends again what nobody acknowledged."""

    name_: str
    token: str
    place: Place
    seed: int
    http: httpx.Client = field(init=False)
    acknowledged: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Subject and outcome by request"""
    interrupted: int = 0
    problem: str = ""

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.random = random.Random(self.seed)

    def run(self) -> None:
        """Answer all that is asked."""
        try:
            self._answer()
        except Exception as problem:
            self.problem = f"{type(problem).__name__}: {problem}"

    def _answer(self) -> None:
        headers = {"authorization": f"Bearer {self.token}", "accept": "application/json"}
        with httpx.Client(
            headers=headers, verify=False, trust_env=False, timeout=PATIENCE_S
        ) as self.http:
            while (asked := self._send("GET", "/judge")["question"]) is not None:
                outcome = self.random.choice(asked["answers"])["outcome"]
                request = secrets.token_hex(8)
                fields = {"question": asked["question"], "outcome": outcome}
                self._send("POST", "/judge/answer", {**fields, "request": request})
                self.acknowledged[request] = asked["subject"], outcome

    def _send(self, method: str, path: str, fields: dict[str, str] | None = None) -> dict:  # type: ignore[type-arg]
        """Send until there is an answer: the same again, wherever the server is then."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                found = self.http.request(method, f"{self.place.address}{path}", json=fields)
                assert found.status_code == 200, found.text
                told: dict[str, object] = found.json()
            except (httpx.TransportError, httpx.UnsupportedProtocol):
                self.interrupted += bool(self.place.address)
                time.sleep(0.02)
            else:
                return told
        raise TimeoutError("there was no server for too long")


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_a_server_that_is_killed_again_and_again_loses_nothing(
    tmp_path: Path, kills: int, database_url: str
) -> None:
    """Every decision that was acknowledged is there after the restart, and none appears twice."""
    seed = random.randrange(10**6)  # pytest shows it where the test fails
    chance = random.Random(seed)
    outputs = {"A": {f"q{k}": str(k) for k in range(ITEMS * (kills + 1))}}
    campaign = rated(tmp_path, outputs, second_opinions=0.5, database=database_url)
    place = Place()
    judges = [
        Client(name, campaign.add_person(name, "judge"), place, seed + k)
        for k, name in enumerate(("ann", "bob", "cid", "dan"))
    ]
    for judge in judges:
        judge.start()
    for kill in range(kills + 1):
        with serving(campaign.folder) as served:
            before = sum(len(judge.acknowledged) for judge in judges)
            place.address = served.address
            if kill == kills:
                for judge in judges:
                    judge.join(300)
                break
            wanted = before + chance.randint(1, ITEMS // 2)
            while sum(len(judge.acknowledged) for judge in judges) < wanted:
                assert not any(judge.problem for judge in judges), [j.problem for j in judges]
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.03))
            served.process.kill()
            served.process.communicate(timeout=60)
    assert [judge.problem for judge in judges if judge.problem] == []
    assert not any(judge.is_alive() for judge in judges)
    assert sum(judge.interrupted for judge in judges) >= kills

    rows = campaign.log.since()
    sent = {
        (judge.name_, request): about
        for judge in judges
        for request, about in judge.acknowledged.items()
    }
    kept = {(row.person, str(row.request)): (row.subject, row.outcome) for row in rows}
    assert kept == sent  # as it was acknowledged, and nothing else: all was sent until it was
    assert len(rows) == len(sent)
    assert max(Counter((row.person, row.subject) for row in rows).values()) == 1
    assert len({row.question for row in rows}) == ITEMS * (kills + 1)
    if not database_url:
        with sqlite3.connect(campaign.database.path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    campaign.database.close()
