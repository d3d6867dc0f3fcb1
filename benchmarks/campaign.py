"""A campaign under load: 30 judges at the real server, on SQLite and on PostgreSQL.

They make 10 decisions per second together for two minutes, about made-up answers of 17 systems to
100 questions, and then as many as are left. In the middle the database is gone for five seconds;
who is told so sends the same again. What is timed is what a judge waits for while it is there: from
sending an answer until the next question comes.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import hostile, postgres_server
from benchmarks.measure import goal, heading
from tellapart.campaign.bounds import Bounds
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judging import desk_of
from tellapart.campaign.settings import Settings

DATA = Path(os.environ.get("TELLAPART_DATA", Path(__file__).parents[2] / "shared" / "data"))
JUDGES, PER_SECOND, SECONDS = 30, 10.0, 120.0
AWAY_S = 5.0
"""For how long the database is gone in the middle"""
SYSTEMS, MESSAGES = 17, 100
LIMIT_MS = 200.0
DECISIONS = 20
"""After each of which the bounds are timed"""


@dataclass
class Load:
    """What the judges have met with."""

    answered: list[float] = field(default_factory=list)
    """Seconds from an answer to the next question, while the database was there"""
    made: int = 0
    """Answers that were acknowledged"""
    late: list[float] = field(default_factory=list)
    """Seconds by which an answer was sent later than planned, since the last one took so long"""
    problems: list[str] = field(default_factory=list)
    again: int = 0
    """Requests that were sent again, since the database was gone"""
    away: bool = False
    """Whether it is gone just now, or was a moment ago"""
    server_s: float = 0.0
    """CPU seconds of the server while it answered"""


def of_muc4(folder: str, database: str) -> Campaign:
    """Make a campaign of the official evaluation of 1992, with no decision made yet."""
    data = DATA / "muc4" / "tst3"
    files = [(role, f"{role}.txt", (data / name).read_bytes())
             for role, name in (("gold", "key.txt"), ("texts", "texts.txt"))]  # fmt: skip
    settings = Settings("MUC-4", "muc", judging="fills", database=database, seed="1")
    made = Campaign.create(folder, settings, files)
    for path in sorted((data / "responses").glob("*.txt")):
        made.submit(path.stem, path.name, path.read_bytes())
    return made


def made_up(folder: str, database: str) -> Campaign:
    """Make a campaign of short answers, many of which are alike."""
    rng = random.Random(1)
    made = Campaign.create(folder, Settings("Answers", "items", database=database, seed="1"))
    for system in range(SYSTEMS):
        rows = [
            {"id": f"m{k:03}", "input": f"What is {k}?", "output": f"answer {rng.randint(1, 20)}",
             "score": 0} for k in range(MESSAGES)
        ]  # fmt: skip
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        made.submit(f"s{system:02}", f"s{system:02}.jsonl", content)
    return made


@contextmanager
def serving(folder: str) -> Iterator[tuple[int, str, int]]:
    """Start `tellapart serve`, and stop it at the end; gives its process, host and port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tellapart", "serve", folder, "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        address = next(line for line in process.stdout if "http://" in line)
        host, _, port = address.strip().rstrip("/").rpartition("//")[2].partition(":")
        yield process.pid, host, int(port)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


class Judge(threading.Thread):
    """Somebody who answers a question every other second."""

    def __init__(self, where: tuple[str, int], token: str, number: int, load: Load) -> None:
        super().__init__()
        self.connection = http.client.HTTPConnection(*where, timeout=60)
        self.headers = {
            "authorization": f"Bearer {token}", "accept": "application/json",
            "content-type": "application/json",
        }  # fmt: skip
        self.rng, self.number, self.load = random.Random(number), number, load
        self.made = 0

    def ask(self, method: str, path: str, **sent: str) -> Any:
        """Send a request, and return the question that comes with the answer."""
        while True:
            self.connection.request(method, path, json.dumps(sent) if sent else None, self.headers)
            response = self.connection.getresponse()
            content = response.read()
            if response.status != 503 or not self.load.away:
                break
            self.load.again += 1
            time.sleep(0.5)
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {response.status} {content[:200]!r}")
        return json.loads(content)["question"]

    def run(self) -> None:
        """Answer until the time is over."""
        step = JUDGES / PER_SECOND
        try:
            question = self.ask("GET", "/judge")
            due = time.monotonic() + step * (self.number / JUDGES)
            end = due + SECONDS
            while question is not None:  # when the time is over, what is left without a pause
                if due < end:
                    time.sleep(max(0.0, due - time.monotonic()))
                    self.load.late.append(time.monotonic() - due)
                question = self.answer(question, timed=due < end)
                due += step
        except Exception as problem:
            self.load.problems.append(f"{type(problem).__name__}: {problem}")

    def answer(self, question: Any, *, timed: bool) -> Any:
        """Answer a question at random; return the next one."""
        about = {"question": question["question"]}
        outcome = self.rng.choice(question["answers"])["outcome"] if question["answers"] else None
        start, away = time.perf_counter(), self.load.away
        if outcome is None:
            return self.ask("POST", "/judge/skip", **about)
        found = self.ask(
            "POST", "/judge/answer", **about, outcome=outcome, request=secrets.token_hex(8)
        )
        self.made += 1
        if timed and not away and not self.load.away:
            self.load.answered.append(time.perf_counter() - start)
        return found


def cpu_seconds(process: int) -> float:
    """Return how long a process has used a core, as Linux keeps it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def without_file(campaign: Campaign) -> Iterator[None]:
    """Take SQLite's file away, when nobody is writing to it."""
    place = campaign.database.path
    away = place.with_suffix(".away")
    with campaign.database.writing():
        place.rename(away)
    try:
        yield
    finally:
        away.rename(place)


def judged(
    campaign: Campaign, without: Callable[[], AbstractContextManager[None]] | None = None
) -> Load:
    """Let all judges work, and check that the log has exactly what they were told that it has.

    `without` takes the database away for as long as its block lasts.
    """
    tokens = [campaign.add_person(f"judge {k}", "judge") for k in range(JUDGES)]
    load = Load()
    with serving(campaign.folder) as (process, host, port):
        judges = [Judge((host, port), token, k, load) for k, token in enumerate(tokens)]
        before = cpu_seconds(process)
        for judge in judges:
            judge.start()
        if without is not None:
            time.sleep(SECONDS / 2)
            load.away = True
            with without():
                time.sleep(AWAY_S)
            time.sleep(2.0)  # those who were told so come again
            load.away = False
        for judge in judges:
            judge.join()
            load.made += judge.made
        load.server_s = cpu_seconds(process) - before
    kept = len(campaign.log.since())
    if kept != load.made:
        load.problems.append(f"{load.made} decisions made, {kept} kept")
    desk = desk_of(campaign)
    waiting = sum(desk.standing(each).waits for each in desk.questions)
    if waiting:
        load.problems.append(f"{waiting} questions were asked of nobody")
    return load


def report(name: str, load: Load) -> None:
    told = np.percentile(np.array(load.answered or [np.nan]) * 1000, (50, 95, 99, 100))
    figures = "".join(f"{each:9.1f}" for each in told)
    late = 1000 * max(load.late, default=0.0)
    core = 1000 * load.server_s / max(1, load.made)
    print(
        f"  {name:<12}{load.made:9}{figures}{late:9.1f}{core:9.1f}{load.again:8}"
        f"{len(load.problems):8}"
    )


def bounds_updated(campaign: Campaign) -> list[tuple[float, float]]:
    """Return how long after some decisions it is known what can still change; and in CPU time.

    The desk and the bounds are those of the server, here without anybody else at it.
    """
    desk, rng = desk_of(campaign), random.Random(1)
    bounds = Bounds(desk)
    bounds.update()
    times: list[tuple[float, float]] = []
    while len(times) < DECISIONS:
        question = desk.next_for("judge")
        if question is None:
            break
        if not question.answers:
            desk.skip("judge", question.id)
            continue
        desk.answer("judge", question.id, rng.choice(question.answers).outcome)
        start = time.perf_counter(), time.process_time()
        bounds.update()
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return times


def run() -> None:
    hostile.run()
    heading(
        f"a campaign under load: {JUDGES} judges, {PER_SECOND:g} decisions per second for "
        f"{SECONDS:g} s, {SYSTEMS} systems × {MESSAGES} messages; no database for {AWAY_S:g} s"
    )
    reason = postgres_server.missing()
    with (
        tempfile.TemporaryDirectory() as folder,
        nullcontext() if reason else postgres_server.started() as socket,
    ):
        places = {"SQLite": ""}
        if socket is not None:
            places["PostgreSQL"] = postgres_server.address(socket, "postgres")
        else:
            print(f"  {reason}")
        loads = {}
        for name, address in places.items():
            campaign = made_up(str(Path(folder, name)), address)
            stopped = partial(postgres_server.stopped, socket) if socket and address else None
            loads[name] = judged(campaign, stopped or partial(without_file, campaign))
            campaign.database.close()
    print(f"  milliseconds{'answers':>9}{'50 %':>9}{'95 %':>9}{'99 %':>9}{'most':>9}{'late':>9}"
          f"{'CPU each':>9}{'again':>8}{'errors':>8}")  # fmt: skip
    for name, load in loads.items():
        report(name, load)
    for name, load in loads.items():
        goal(f"95 % of answers on {name}", float(np.percentile(load.answered, 95)) * 1000,
             LIMIT_MS, " ms")  # fmt: skip
        goal(f"errors on {name}", len(load.problems), 0)
        for problem in sorted(set(load.problems)):
            print(f"    {problem}")
    pairs = SYSTEMS * (SYSTEMS - 1) // 2
    for make, what in ((made_up, "made up"), (of_muc4, "MUC-4")):
        if make is of_muc4 and not (DATA / "muc4" / "tst3").is_dir():
            continue
        with tempfile.TemporaryDirectory() as folder:
            campaign = make(f"{folder}/c", "")
            times = bounds_updated(campaign)
            campaign.database.close()
        middle, most = np.median(times, axis=0), np.max(times, axis=0)
        print(f"  bounds of {pairs} pairs after a decision ({what}): median {middle[0]:.2f} s, "
              f"of it {middle[1]:.2f} CPU; most {most[0]:.2f}, CPU {most[1]:.2f} s")  # fmt: skip
        goal(f"all bounds up to date ({what})", float(most[0]), 1.0, " s")
