"""Pairing the response templates of a message with its key templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tellapart.formats.templates.design import Condition, Design
from tellapart.formats.templates.history import Adjudicator, History, Numbers, Pairs
from tellapart.formats.templates.matching import KeyDecisions
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.pairing import CORRECT, PairValue, most_valuable
from tellapart.formats.templates.slot_scoring import SlotScorer, slot_fit
from tellapart.formats.templates.tally import percent


class Pair(NamedTuple):
    """A key template and its response; None for the one that is not there."""

    key: Template | None
    response: Template | None

    @property
    def numbers(self) -> Numbers:
        """The numbers of its templates."""
        key, response = (side.number if side else None for side in self)
        return key, response

    @property
    def relevant(self) -> Pair:
        """The pair without a template that only says that there is nothing."""
        return Pair(*(side if side and side.relevant else None for side in self))


class Candidate(NamedTuple):
    """Two templates that may be paired, and how well they agree, in percent."""

    score: int
    key: Template
    response: Template


def best_pairs(
    candidates: Iterable[Candidate], keys: Sequence[Template], responses: Sequence[Template]
) -> list[Pair]:
    """Return the pairs that the first candidates make: keys in order, then unused responses."""
    partner: dict[int, Template] = {}
    used: set[int] = set()
    for _, key, response in candidates:
        if id(key) not in partner and id(response) not in used:
            partner[id(key)] = response
            used.add(id(response))
    pairs = [Pair(key, partner.get(id(key))) for key in keys]
    return pairs + [Pair(None, each) for each in responses if id(each) not in used]


@dataclass(frozen=True, slots=True)
class Aligner:
    """Pairs templates by content: those that agree best, where the pairing condition allows it."""

    design: Design
    history: History

    def align(self, keys: Sequence[Template], responses: Sequence[Template]) -> list[Pair]:
        """Return the pairs of a message's templates: keys in order, then unused responses.

        Those of a schema are the pairs that earn most.
        """
        if not self.design.of_schema:
            return best_pairs(self.candidates(keys, responses), keys, responses)
        relevant = ([t for t in side if t.relevant] for side in (keys, responses))
        pairs = self._pairs_by_worth(*relevant)
        pairs += [(k, r) for k in keys for r in responses if not (k.relevant and r.relevant)]
        return best_pairs((Candidate(0, *pair) for pair in pairs), keys, responses)

    def candidates(
        self, keys: Sequence[Template], responses: Sequence[Template]
    ) -> list[Candidate]:
        """Return the templates that may be paired, those that agree best first; ties in order."""
        candidates = (
            Candidate(self.score(key, response), key, response)
            for key in keys
            for response in responses
            if self.allowed(key, response)
        )
        return sorted(candidates, key=lambda each: -each.score)

    def allowed(
        self, key: Template, response: Template, adjudicator: Adjudicator | None = None
    ) -> bool:
        """Return whether the content of two templates lets them be paired.

        What nobody has decided does not, unless there is an adjudicator who decides it.
        """
        if not key.relevant or not response.relevant or self.design.condition is None:
            return True
        decisions, condition = self._decisions(key), self.design.condition

        def holds(scorer: SlotScorer) -> bool:
            def hit(name: str) -> tuple[set[bool], bool]:
                at = self.design.position[name]
                tally = scorer.score(self.design.scored[at], key.fills[at], response.fills[at])
                return {tally.cor > 0 or tally.par > 0}, tally.non > 0

            return True in possible_outcomes(condition, hit)

        if holds(SlotScorer(self.design, decisions, loose=True)):
            return True
        asking = SlotScorer(self.design, decisions, response.number, adjudicator)
        return adjudicator is not None and holds(asking)

    def score(
        self, key: Template, response: Template, adjudicator: Adjudicator | None = None
    ) -> int:
        """Return the recall of a response for a key template, in percent; 100 if it has no fill.

        What nobody has decided counts nothing, unless there is an adjudicator who decides it.
        """
        scorer = SlotScorer(self.design, self._decisions(key), response.number, adjudicator)
        cor = par = pos = 0
        for slot, ours, theirs in zip(self.design.scored, key.fills, response.fills, strict=True):
            if ours:  # without a key fill nothing is possible or correct
                tally = scorer.score(slot, ours, theirs)
                if not tally.non:
                    cor, par, pos = cor + tally.cor, par + tally.par, pos + tally.pos
        found = percent(cor, par, pos)
        return 100 if found is None else found

    def _pairs_by_worth(
        self, keys: Sequence[Template], responses: Sequence[Template]
    ) -> list[tuple[Template, Template]]:
        """Return the pairs of templates that earn most.

        Templates that have nothing in common are no pair, but for two that are alone and have no
        types: these are two answers to the same question.
        """
        if len(keys) == len(responses) == 1 and self.design.type_slot is None:
            return [(keys[0], responses[0])]
        keys, responses = sorted(keys, key=self._content), sorted(responses, key=self._content)
        values = [[self._worth(key, response) for response in responses] for key in keys]
        return [(keys[i], responses[j]) for i, j in most_valuable(values)]

    def _content(self, template: Template) -> str:
        """Return what is in a template, so that the order in the file decides nothing."""
        slots = zip(self.design.scored, template.fills, strict=True)
        return repr([[*map(slot.prepared, fills)] for slot, fills in slots])

    def _worth(self, key: Template, response: Template) -> PairValue | None:
        """Return what two templates have in common."""
        decisions = self._decisions(key)
        credit = correct = compared = 0
        for slot, ours, theirs in zip(self.design.scored, key.fills, response.fills, strict=True):
            if ours and theirs:
                compared += min(len(ours), len(theirs))
                levels = [level for _, _, level in slot_fit(slot, ours, theirs, decisions)]
                credit += sum(levels)
                correct += levels.count(CORRECT)
        return PairValue(credit, correct, compared) if credit else None

    def _decisions(self, key: Template) -> KeyDecisions:
        return KeyDecisions(self.history, key.message, key.number)


def possible_outcomes(
    condition: Condition, hit: Callable[[str], tuple[set[bool], bool]]
) -> set[bool]:
    """Return whether a pairing condition can hold, and whether it can fail to."""
    outcomes, empty = [], not condition.every
    for term in condition.terms:
        if isinstance(term, str):
            found, without = hit(term)
            empty = empty and without
        else:
            found, empty = possible_outcomes(term, hit), False
        outcomes.append(found)
    if condition.every:
        able, unable = all(True in each for each in outcomes), any(False in e for e in outcomes)
    else:
        able = any(True in each for each in outcomes) or empty
        unable = all(False in each for each in outcomes) and not empty
    return {kind for kind, can in ((True, able), (False, unable)) if can}


def given_pairs(
    pairs: Pairs, keys: Sequence[Template], responses: Sequence[Template]
) -> list[Pair] | None:
    """Return the pairs that were made by hand; None if a number is not there, or there twice.

    Templates that are not named are left out.
    """
    ours, theirs = ({each.number: each for each in side} for side in (keys, responses))
    found = []
    for key, response in pairs:
        pair = Pair(ours.pop(key or "", None), theirs.pop(response or "", None))
        if pair.numbers != (key, response) or pair.numbers == (None, None):
            return None
        found.append(pair)
    return found


def completed(
    pairs: Sequence[Numbers],
    keys: Sequence[Template],
    responses: Sequence[Template],
) -> Pairs:
    """Return a pairing in the usual order, with the templates it does not name, each alone.

    Numbers that are not there stay at the end.
    """
    partner = {key: response for key, response in pairs if key is not None}
    named = set(partner.values())
    alone = [(None, each.number) for each in responses if each.number not in named]
    known = {key.number for key in keys}
    rest = [(key, response) for key, response in partner.items() if key not in known]
    return (*((key.number, partner.get(key.number)) for key in keys), *alone, *rest)
