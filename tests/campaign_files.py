"""Small campaigns for tests: answers to sums, and templates."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muc_files import attack
from table_files import json_lines
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judging import desk_of
from tellapart.campaign.log import add_decision
from tellapart.campaign.opinions import Decision, now
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import Settings

SUMS = ({"q1": "4", "q2": "five", "q3": "6"}, {"q1": "4", "q2": "5", "q3": "six"})
"""What two systems wrote: five questions, since one answer is the same"""


def answers(outputs: Mapping[str, str], **more: str) -> bytes:
    """Return a table of what a system wrote, as lines of JSON."""
    return json_lines(
        {"id": item, "input": f"{item}?", "output": output, "score": 0, **more}
        for item, output in outputs.items()
    ).encode()


def rated(
    folder: Path, outputs: Mapping[str, Mapping[str, str]], name: str = "c", **settings: Any
) -> Campaign:
    """Return a campaign about what systems wrote; everybody's decision holds at once."""
    chosen = {"second_opinions": 0.0, "seed": "1", **settings}
    made = Campaign.create(str(folder / name), Settings("Sums", "items", **chosen))
    for system, texts in outputs.items():
        made.submit(system, f"{system}.jsonl", answers(texts))
    return made


def separate(n: int, *systems: str) -> dict[str, dict[str, str]]:
    """Return outputs that all differ."""
    return {name: {f"q{k}": f"{name} {k}" for k in range(n)} for name in systems}


def sums(folder: Path, **settings: Any) -> Campaign:
    """Return a campaign with three items and two systems of the organiser."""
    chosen = {"second_opinions": 0.0, "seed": "7", **settings}
    made = Campaign.create(str(folder / "c"), Settings("Sums", form="items", **chosen))
    for name, outputs in zip(("alder", "birch"), SUMS, strict=True):
        made.submit(name, f"{name}.jsonl", answers(outputs, target="GOLD-4"))
    return made


def quality(name: str, items: int, right: int) -> bytes:
    """Return answers of which some are right; each is in one of two topics."""
    return json_lines(
        {"id": f"q{k}", "topic": "law" if k % 3 else "art", "output": f"{name}-{k < right}-{k}"}
        for k in range(items)
    ).encode()


def contest(
    folder: Path, systems: Mapping[str, tuple[str | None, int]], items: int = 40
) -> Campaign:
    """Return a campaign in which everything is judged; systems have an owner and right answers."""
    settings = Settings("Contest", form="items", second_opinions=0.0, seed="7", per_day=99)
    made = Campaign.create(str(folder / "c"), settings)
    made.add_person("olga", "organiser")
    for person in dict.fromkeys(owner for owner, _ in systems.values() if owner):
        made.add_person(person, "participant")
    for name, (owner, right) in systems.items():
        made.submit(name, f"{name}.jsonl", quality(name, items, right), owner)
    judge_all(made)
    return made


def judge_all(campaign: Campaign) -> None:
    """Decide all questions of a contest, as a judge who knows what is right."""
    desk = desk_of(campaign)
    with campaign.database.writing() as connection:
        for question in desk.questions.values():
            right = "-True-" in json.loads(question.subject)["output"]
            outcome = canonical({"rating": "right" if right else "wrong"})
            if desk.opinions.holds(question.id) is None:
                made = Decision(0, *question.id, "jane", now(), outcome)
                add_decision(connection, made)


def log_in(client: Any, token: str) -> Any:
    """Log in as the button on the page of a link does; return the page that follows."""
    found = client.post("/enter", data={"token": token})
    assert found.status_code in (200, 303), found.text
    return found


def nobody(campaign: Campaign, app: Any = None, **more: Any) -> Any:
    """Return the browser of somebody who has not logged in."""
    from starlette.testclient import TestClient

    from tellapart.campaign.web.app import make_app

    return TestClient(app or make_app(campaign), base_url="http://localhost", **more)


def visitor(campaign: Campaign, name: str = "ann", role: str = "judge", app: Any = None) -> Any:
    """Return the browser of somebody who has logged in."""
    client = nobody(campaign, app)
    log_in(client, campaign.add_person(name, role))
    return client


JSON = {"accept": "application/json"}
RIGHT, PARTLY, WRONG = (canonical({"rating": name}) for name in ("right", "partly", "wrong"))


def program(campaign: Campaign, name: str, role: str = "judge", app: Any = None) -> Any:
    """Return a program that comes with the token of somebody."""
    token = campaign.add_person(name, role)
    return nobody(campaign, app, headers={**JSON, "authorization": f"Bearer {token}"})


def asked(client: Any) -> Any:
    """Return the question that somebody is asked, if any."""
    return client.get("/judge", headers=JSON).json()["question"]


def answer(client: Any, outcome: str, question: str = "", **more: str) -> Any:
    """Answer the question that is asked, or another one; return what the server says."""
    sent = {"question": question or asked(client)["question"], "outcome": outcome, **more}
    return client.post("/judge/answer", json=sent)


def csrf_of(client: Any, page: str = "/judge") -> str:
    """Return what the forms of a page send back."""
    found = re.search(r'(?:name="csrf" value|data-csrf)="(\w+)"', client.get(page).text)
    assert found is not None
    return found[1]


# Templates


def event(message: str, number: str = "1", **fills: str | Sequence[str]) -> str:
    """Write a template that may be paired with all others of its message."""
    return attack(message, number, perp_ind_id='"GUERRILLAS"', **fills)


def templates(
    folder: Path,
    systems: Mapping[str, tuple[str, ...]],
    key: tuple[str, ...],
    texts: str | None = None,
    **settings: Any,
) -> Campaign:
    """Return a campaign of templates; everybody's decision holds at once."""
    contents = [("gold", "key.txt", "".join(key).encode("latin-1"))]
    if texts is not None:
        contents.append(("texts", "texts.txt", texts.encode("latin-1")))
    chosen = {"second_opinions": 0.0, "seed": "1", **settings}
    campaign = Campaign.create(
        str(folder / "campaign"), Settings("Templates", form="muc", judging="fills", **chosen),
        contents,
    )  # fmt: skip
    for name, written in systems.items():
        campaign.submit(name, f"{name}.txt", "".join(written).encode("latin-1"))
    return campaign
