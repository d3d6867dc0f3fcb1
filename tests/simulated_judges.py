"""Judges over HTTP who decide as a history does, and what they are given to judge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from httpx import Response
from starlette.testclient import TestClient

from campaign_files import log_in
from tellapart.campaign.campaign import GOLD, TEXTS, Campaign
from tellapart.campaign.desk import Desk
from tellapart.campaign.exchange import design_of
from tellapart.campaign.history import history_of
from tellapart.campaign.judging import desk_of
from tellapart.campaign.settings import Settings
from tellapart.campaign.web.app import make_app
from tellapart.campaign.web.judging import handle_of
from tellapart.formats.reading import read
from tellapart.formats.templates.evaluation import Evaluation, read_evaluation
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.history import Entry, Fill, Pairing
from tellapart.formats.templates.history_files import (
    change_of,
    outcome_of,
    question_of,
    write_history,
)
from tellapart.formats.templates.scoring import Task
from tellapart.formats.templates.values import equal

JSON = {"accept": "application/json"}


@dataclass(frozen=True)
class Material:
    """A key, the responses of systems, and the history of decisions about them, as files."""

    key: Path
    responses: Sequence[Path]
    history: Path
    texts: Path | None = None

    def campaign(self, folder: Path, **settings: Any) -> Campaign:
        """Make a campaign in which nothing is decided."""
        contents = [(GOLD, "key.txt", self.key.read_bytes())]
        contents += [] if self.texts is None else [(TEXTS, "texts.txt", self.texts.read_bytes())]
        chosen = Settings("Templates", form="muc", judging="fills", seed="1", **settings)
        campaign = Campaign.create(str(folder), chosen, contents)
        for path in self.responses:
            campaign.submit(path.stem, path.name, path.read_bytes())
        return campaign

    def evaluation(self) -> Evaluation:
        """Read all of it, the history included."""
        return read_evaluation(
            str(self.key), self.responses, TemplateOptions(history=str(self.history))
        )


@dataclass
class Judge:
    """Somebody who knows a history, and skips what it does not decide."""

    known: Evaluation
    client: TestClient
    csrf: str
    name: str
    seed: str
    """That of the campaign, without which nobody knows whose templates are to be paired"""
    decided: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    """What was put off, and how much of the campaign was decided then"""
    asked: dict[str, Any] | None = None
    """The question on the page"""
    done: int = 0
    """How many questions are decided, as the page says"""

    def look(self) -> None:
        """Open the page."""
        self._show(self.client.get("/judge", headers=JSON))

    def act(self) -> bool:
        """Answer what is on the page, or put it off; return whether there was anything to do."""
        if self.asked is None or self.skipped.get(self._id) == self.done:
            return False
        outcome = self._outcome()
        if outcome is not None and self._send("/judge/answer", outcome=outcome):
            self.decided += 1
            return True
        assert outcome is None
        self.skipped[self._id] = self.done
        assert self._send("/judge/skip")
        return True

    @property
    def _id(self) -> str:
        assert self.asked is not None
        return str(self.asked["question"])

    def _send(self, path: str, **fields: str) -> bool:
        """Send a form; return whether it was taken."""
        sent = {"question": self._id, **fields}
        found = self.client.post(path, json=sent, headers={**JSON, "x-csrf": self.csrf})
        if found.status_code == 200:
            self._show(found)
        return bool(found.status_code == 200)

    def _show(self, response: Response) -> None:
        told = response.json()
        self.asked, self.done = told["question"], told["progress"]["decided"]

    def _outcome(self) -> str | None:
        """Return what the history says, with the key's own words, or how it pairs templates."""
        assert self.asked is not None
        if self.asked["kind"] == "pairing":
            message = self.asked["item"]
            task = self._whose(message)
            pairs = task.align_message(message, self.known.history)
            return outcome_of(
                tuple(
                    (p.key.number if p.key else None, p.response.number if p.response else None)
                    for p in pairs
                )
            )
        about = change_of(self.known.design, "fill", self.asked["subject"], None).subject
        assert isinstance(about, Fill)
        entry = self.known.history.find(about.place, about.response)
        return None if entry is None else outcome_of(self._respelled(about, entry))

    def _whose(self, message: str) -> Task:
        """Return whose templates are to be paired, which the page does not tell."""
        (found,) = [
            task
            for name, task in self.known.tasks.items()
            if handle_of(self.seed, self.name, question_of(Pairing(message, name))) == self._id
        ]
        return found

    def _respelled(self, about: Fill, entry: Entry) -> Entry:
        message, number, slot = about.place
        (key,) = [t for t in self.known.key.messages[message] if t.number == number]
        fills = key.fills[self.known.design.position[slot]]
        keys = tuple(
            value if value in fills else next(each for each in fills if equal(each, value))
            for value in entry.keys
        )
        return Entry(entry.response, entry.status, keys)


def judged(campaign: Campaign, known: Evaluation, names: Sequence[str]) -> list[Judge]:
    """Let people judge in turn until nobody can decide anything more."""
    app = make_app(campaign)
    with ExitStack() as until_the_end:
        judges = []
        for name in names:
            # Entered, a client has one event loop, and not one for each request.
            client = until_the_end.enter_context(TestClient(app, base_url="http://localhost"))
            page = log_in(client, campaign.add_person(name, "judge"))
            assert page.status_code == 200
            (csrf,) = set(re.findall(r'data-csrf="(\w+)"', client.get("/judge").text))
            judges.append(Judge(known, client, csrf, name, campaign.settings.seed))
        working = True
        while working:
            working = False
            for judge in judges:
                judge.look()
                while judge.act():
                    working = True
                    if judge.decided % 25 == 0:
                        break  # another one's turn
    return judges


def with_the_same_counts(material: Material, campaign: Campaign, folder: Path) -> Desk:
    """Check that a campaign has the counts that a history leads to: all columns of all systems."""
    desk = desk_of(campaign)
    found = desk.judging.counts()
    sources = [str(path) for path in material.responses]
    wanted = read(sources, str(material.key), form="muc", history=str(material.history))
    assert found.names == wanted.names
    assert found.items == wanted.items
    assert found.columns == wanted.columns
    assert np.array_equal(found.values, wanted.values)
    again = folder / "exported.txt"
    write_history(str(again), history_of(campaign.log.since(), design_of(campaign), ""))
    other = read(sources, str(material.key), form="muc", history=str(again))
    assert np.array_equal(other.values, wanted.values)
    return desk
