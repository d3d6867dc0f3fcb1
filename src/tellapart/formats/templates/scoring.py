"""Scoring a whole response: pairing all messages, then scoring pair after pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

from tellapart.formats.templates.alignment import Aligner, Pair, completed, given_pairs
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import Adjudicator, History, Pairs, by_guidelines
from tellapart.formats.templates.matching import KeyDecisions
from tellapart.formats.templates.muc_reader import Template, TemplateFile
from tellapart.formats.templates.slot_scoring import SlotScorer
from tellapart.formats.templates.tally import ZERO, Tally

TemplateStatus: TypeAlias = Literal["matched", "missing", "spurious", "optional", "irrelevant"]

_TEMPLATE_TALLIES: dict[TemplateStatus, Tally] = {
    "matched": Tally(pos=1, act=1, cor=1),
    "missing": Tally(pos=1, mis=1),
    "spurious": Tally(act=1, spu=1),
    "irrelevant": Tally(non=1),
}


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A pair of templates with its status and the tallies of its scored slots.

    `slots` is empty for irrelevant pairs and for an optional template without a partner, of
    which no slot counts.
    """

    message: str
    key: str | None
    response: str | None
    status: TemplateStatus
    template: Tally
    slots: tuple[Tally, ...]


class Relevance(NamedTuple):
    """Whether a message is relevant by key and response; where the key leaves it open, as it is."""

    key: bool
    response: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One system's scored pairs in order, and the relevance of every message of the key."""

    system: str
    design: Design
    pairs: tuple[ScoredPair, ...]
    relevance: Mapping[str, Relevance]


Alignment: TypeAlias = dict[str, list[Pair]]


@dataclass(frozen=True, slots=True)
class Task:
    """A key and one system's response to it."""

    design: Design
    key: TemplateFile
    response: TemplateFile
    system: str

    def align(self, history: History, pairings: Mapping[str, Pairs] | None = None) -> Alignment:
        """Return the pairs of every message; given pairings go before those of the history."""
        return {
            message: self.align_message(message, history, (pairings or {}).get(message))
            for message in self.key.messages
        }

    def align_message(
        self, message: str, history: History, given: Pairs | None = None
    ) -> list[Pair]:
        """Return the pairs of one message."""
        keys, responses = self.sides(message)
        by_hand = given
        if given is None and (stored := history.pairing(message, self.system)):
            by_hand = completed(stored, keys, responses)
        found = None if by_hand is None else given_pairs(by_hand, keys, responses)
        return Aligner(self.design, history).align(keys, responses) if found is None else found

    def sides(self, message: str) -> tuple[list[Template], list[Template]]:
        """Return the templates of key and response at a message, each in order."""
        return self.key.sorted(message), self.response.sorted(message)

    def fits(self, message: str, pairs: Pairs) -> bool:
        """Return whether a pairing by hand names templates of a message, and each once."""
        return given_pairs(pairs, *self.sides(message)) is not None

    def relevance(self) -> dict[str, Relevance]:
        """Return whether key and response hold each message to be relevant."""
        found = {}
        for message, templates in self.key.messages.items():
            needed = [not each.optional for each in templates if each.relevant]
            given = any(each.relevant for each in self.response.messages.get(message, []))
            found[message] = Relevance(any(needed) or (bool(needed) and given), given)
        return found


def score_pair(
    task: Task, pair: Pair, history: History, adjudicator: Adjudicator | None
) -> ScoredPair:
    """Return one pair with its status, and the scores of its slots if they count."""
    message = next(each.message for each in pair if each)
    status = _status(task, pair, message)
    key, response = pair.numbers
    slots: tuple[Tally, ...] = ()
    template_tally = _TEMPLATE_TALLIES.get(status, ZERO)
    if status == "optional" and pair.key and pair.response:
        slots = (ZERO,) * len(task.design.scored)
    elif status == "optional":  # it is shown as it would have counted
        template_tally = _TEMPLATE_TALLIES["missing" if pair.key else "spurious"]
    elif status != "irrelevant":
        decisions = KeyDecisions(history, message, key or "")
        scorer = SlotScorer(task.design, decisions, response or "", adjudicator)
        keys, responses = (
            task.design.unfilled if side is None else side.fills for side in pair.relevant
        )
        slots = tuple(map(scorer.score, task.design.scored, keys, responses))
    return ScoredPair(message, key, response, status, template_tally, slots)


def _status(task: Task, pair: Pair, message: str) -> TemplateStatus:
    key, response = pair.relevant
    if key is None and response is None:
        return "irrelevant"
    if key is not None and response is not None:
        return "matched"
    alone = key or response
    if alone is not None and alone.optional:
        return "irrelevant" if _all_left_open(task, pair, message) else "optional"
    return "spurious" if key is None else "missing"


def _all_left_open(task: Task, pair: Pair, message: str) -> bool:
    """Return whether the message as a whole need not be answered, and its first key stands here."""
    keys, responses = task.sides(message)
    everything = keys + responses
    return (
        keys[0] is pair.key
        and all(each.optional or not each.relevant for each in everything)
        and any(each.optional for each in everything)
    )


def score_statically(
    task: Task, history: History, pairings: Mapping[str, Pairs] | None = None
) -> Run:
    """Return the scores of a response with a history that is only looked up."""
    # What a schema's matchers and the history leave open is wrong, whoever is asked.
    adjudicator = None if task.design.of_schema else partial(by_guidelines, history)
    pairs = tuple(
        score_pair(task, pair, history, adjudicator)
        for of_message in task.align(history, pairings).values()
        for pair in of_message
    )
    return Run(task.system, task.design, pairs, task.relevance())
