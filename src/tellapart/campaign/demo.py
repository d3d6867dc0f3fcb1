"""A campaign to try things out: twelve invented messages, four invented systems, two judges.

The messages of the conferences are not ours to ship; so these were written for this purpose, in the
same format, with the mistakes that systems make.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from tellapart.campaign.campaign import GOLD, TEXTS, Campaign
from tellapart.campaign.exchange import join
from tellapart.campaign.judging import load_judging
from tellapart.campaign.opinions import Decision, QuestionId
from tellapart.campaign.questions import Question
from tellapart.campaign.settings import Settings
from tellapart.formats.templates.design import load_design
from tellapart.formats.templates.muc_reader import IRRELEVANT

PEOPLE: Final = {
    "olga": "organiser",
    "ann": "judge",
    "bob": "judge",
    "team heron": "participant",
}
DECIDED: Final = 20
"""How many questions the judges have answered already"""


@dataclass(frozen=True, slots=True)
class Demo:
    """A campaign that is under way."""

    campaign: Campaign
    tokens: Mapping[str, str]
    """By name what is in each person's link"""


def demo_campaign(folder: str) -> Demo:
    """Make the campaign in a folder, with some questions decided and one in conflict.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     demo = demo_campaign(folder)
    ...     print(demo.campaign.systems(), *demo.tokens)
    ['Heron', 'Ibis', 'Kestrel', 'Plover'] olga ann bob team heron
    """
    messages = _messages()
    settings = Settings(
        "Demo: twelve invented messages", form="muc", judging="fills", metric="f1", seed="demo2"
    )
    campaign = Campaign.create(
        folder,
        settings,
        [
            (GOLD, "key.txt", _file((each["id"], each["key"]) for each in messages)),
            (TEXTS, "texts.txt", _texts(messages)),
        ],
    )
    for system in messages[0]["responses"]:
        content = _file((each["id"], _response(each, system)) for each in messages)
        campaign.submit(system, f"{system.lower()}.txt", content)
    tokens = {name: campaign.add_person(name, role) for name, role in PEOPLE.items()}
    _decide_some(campaign)
    return Demo(campaign, tokens)


@contextmanager
def temporary_demo() -> Iterator[Demo]:
    """Make the campaign in a temporary folder, which is gone at the end."""
    with tempfile.TemporaryDirectory() as folder:
        yield demo_campaign(folder)


def _messages() -> list[dict[str, Any]]:
    content = (files("tellapart") / "data" / "demo_templates.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(content)
    return found


def _texts(messages: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(f"{each['id']}\n\n{each['text']}\n\n" for each in messages).encode("latin-1")


def _response(message: Mapping[str, Any], system: str) -> list[dict[str, Any]]:
    """Return a system's templates: those of the key but for what it has otherwise, or whole."""
    found = []
    for k, told in enumerate(message["responses"][system]):
        if told is not None:
            own = message["key"][k] if k < len(message["key"]) else {}
            found.append({**own, **told})
    return found


def _file(messages: Iterable[tuple[str, Sequence[Mapping[str, Any]]]]) -> bytes:
    """Return templates as a file has them; a message without any is said to be irrelevant."""
    design = load_design()
    lines = []
    for message, templates in messages:
        numbered = [*((str(k), each) for k, each in enumerate(templates, 1))]
        for number, told in numbered or [(IRRELEVANT, {})]:
            given = {**told, design.message_slot.name: message, design.number_slot.name: number}
            for slot in design.slots:
                fills = given.get(slot.name) or "-"
                first, *more = [fills] if isinstance(fills, str) else fills
                lines += [f"{slot.prefix:<35}{first}", *(f"{'':35}{each}" for each in more)]
            lines.append("")
    return "\n".join(lines).encode("latin-1")


def _decide_some(campaign: Campaign) -> None:
    """Let Ann answer some questions, and Bob those of them that need a second opinion."""
    fills = load_judging(campaign)
    some: dict[QuestionId, Question] = {}
    first: dict[QuestionId, str] = {}
    for item in fills.items:
        while len(some) < DECIDED:
            asked = (q for q in fills.questions_at(item) if q.kind == "fill" and q.id not in some)
            question = next(asked, None)
            if question is None:
                break
            some[question.id], first[question.id] = question, _opinion(question)
            fills.hold(*question.id, first[question.id])
    needed = campaign.settings.opinions_needed
    second = {key: outcome for key, outcome in first.items() if needed(*key) > 1}
    # They differ about one of them: what is a part of it to Ann is all of it to Bob.
    key = next(key for key, told in second.items() if json.loads(told)["status"] == "partial")
    second[key] = some[key].answers[0].outcome
    for person, said in (("ann", first), ("bob", second)):
        rows = [Decision(0, *question, person, "", outcome) for question, outcome in said.items()]
        join(campaign, rows, campaign.folder)


def _opinion(question: Question) -> str:
    """Return what somebody might say who only looks for the same words."""
    said = _words(json.loads(question.subject)["response"])
    best, chosen = 0, question.answers[-1].outcome
    for answer in question.answers:
        told = json.loads(answer.outcome)
        shared = max((len(said & _words(key)) for key in told["keys"]), default=0)
        if told["status"] == "partial" and shared > best:
            best, chosen = shared, answer.outcome
    return chosen


def _words(value: str) -> set[str]:
    return set(re.findall(r"\w+", value))
