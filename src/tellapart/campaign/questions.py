"""What people are asked: a question, its answers, and the evidence that is shown beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from tellapart.counts import Counts

KINDS: Final = {
    "fills": ("fill", "pairing"), "keys": ("slot", "template"), "rating": ("rating",),
}  # fmt: skip
"""By what is judged: the kinds of questions"""
SIDES: Final = ("Key", "Response")
"""What two templates that stand side by side are, in the words of 1992"""


def canonical(value: object) -> str:
    """Return the one way to write a subject or an outcome, so that equal ones are equal texts.

    >>> canonical({"output": "4", "item": "q1"})
    '{"item": "q1", "output": "4"}'
    """
    return json.dumps(value, sort_keys=True)


def outcome_words(outcome: str, sides: tuple[str, str] = SIDES) -> str:
    """Return an outcome that is none of the answers to choose from, such as one typed by hand.

    >>> outcome_words('{"pairs": [["1", "2"], ["2", null]]}')
    'Key 1 with response 2; alone: key 2'
    """
    told = json.loads(outcome)
    if "pairs" in told:
        return pairs_words(told["pairs"], sides)
    return " ".join((told["status"], *told["keys"]))


def pairs_words(
    pairs: Iterable[tuple[str | None, str | None]], sides: tuple[str, str] = SIDES
) -> str:
    """Return how templates are paired, as people read it.

    >>> pairs_words([("1", "2"), ("2", None), (None, "1")])
    'Key 1 with response 2; alone: key 2, response 1'
    """
    together, alone = list[str](), list[str]()
    for key, response in pairs:
        names = [f"{sides[0].lower()} {key}"] if key else []
        names += [f"{sides[1].lower()} {response}"] if response else []
        (together if len(names) > 1 else alone).append(" with ".join(names))
    told = [", ".join(together)] if together else []
    told += [f"alone: {', '.join(alone)}"] if alone else []
    text = "; ".join(told)
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the answers to choose from."""

    key: str
    """The single key that gives it: m, p, x, 1, 2, …"""
    label: str
    """What its button says"""
    outcome: str
    """What the log keeps of it: JSON, by `canonical`"""


@dataclass(frozen=True, slots=True)
class Question:
    """Something that no program decides; the same one for all systems that gave the same answer."""

    kind: str
    """fill, pairing, slot, template or rating"""
    subject: str
    """What it is about: JSON, by `canonical`; with the kind, this is the question"""
    item: str
    """The message or item"""
    label: str
    """By what agreement is told: the slot, the task; may be empty"""
    systems: tuple[str, ...]
    """Whose scores the decision affects"""
    answers: tuple[Answer, ...]
    """What there are buttons for; a judging may accept others"""

    @property
    def id(self) -> tuple[str, str]:
        """What tells it from all others."""
        return self.kind, self.subject


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to read, with the parts that matter marked."""

    title: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """Begin and end of each part, in order, none overlapping"""

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """Yield the text in pieces, each with whether it is marked.

        >>> list(Passage("Message", "two MEN left", ((4, 7),)).pieces())
        [('two ', False), ('MEN', True), (' left', False)]
        """
        at = 0
        for begin, end in self.marks:
            yield self.text[at:begin], False
            yield self.text[begin:end], True
            at = end
        yield self.text[at:], False


@dataclass(frozen=True, slots=True)
class Row:
    """A slot of two templates side by side."""

    name: str
    key: tuple[str, ...]
    response: tuple[str, ...]
    asked: bool = False
    """Whether the question is about this one"""


@dataclass(frozen=True, slots=True)
class View:
    """What a person needs to see to decide; it names no system."""

    title: str
    """The question in a sentence: Is "MEN" the same as "PEASANTS"?"""
    passages: tuple[Passage, ...] = ()
    rows: tuple[Row, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)
    """More to know, by name: the slot, the task …"""
    sides: tuple[str, str] = SIDES
    """What the two templates of the rows are"""


class Judging(Protocol):
    """What the submissions of a campaign leave to people, given what is decided so far."""

    systems: tuple[str, ...]
    """The systems"""
    items: tuple[str, ...]
    """The messages or items, in order"""

    def questions_at(self, item: str) -> Sequence[Question]:
        """Return all questions at an item, those that are decided among them.

        A decision may raise others, or make some idle, at the same item only.
        """

    def hold(self, kind: str, subject: str, outcome: str | None) -> str | None:
        """Let an outcome hold from now on, or nothing (None); return the item that it touches.

        None if the question is about nothing in this campaign.
        """

    def accepts(self, question: Question, outcome: str) -> bool:
        """Return whether an outcome answers a question."""
        return outcome in {each.outcome for each in question.answers}

    def pairing_question(self, item: str, system: str) -> Question | None:  # noqa: ARG002
        """Return how templates are paired, whether or not that is open; None if there are none."""
        return None

    def view(self, question: Question) -> View:
        """Return what to show beside a question."""

    def counts(self) -> Counts:
        """Return the scores of all systems by what holds now."""
