"""What fits best in templates of a schema: the fills of a slot, and the templates of a document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.history import Entry, History
from tellapart.formats.templates.matchers import Matcher, Prepared
from tellapart.formats.templates.matching import KeyDecisions
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.pairing import (
    CORRECT,
    PARTIAL,
    WRONG,
    Fit,
    PairValue,
    best_fit,
    best_pairs,
)
from tellapart.formats.templates.values import Reference, Value, equal, inner


def slot_fit(
    slot: Slot, keys: Sequence[Value], responses: Sequence[Value], decisions: KeyDecisions
) -> Fit:
    """Return the pairs of fills that are worth most, by the slot's matcher and by decisions."""
    matcher = slot.matcher or Matcher()
    decided = [decisions.find(slot.name, response) for response in responses]
    if not any(decided) and not any(isinstance(inner(key), Reference) for key in keys):
        ours, theirs = (tuple(map(matcher.prepared, side)) for side in (keys, responses))
        return _plain_fit(matcher, ours, theirs)
    return best_fit(
        [
            [
                _decided_level(matcher.level_of(key, response), key, entry)
                for response, entry in zip(responses, decided, strict=True)
            ]
            for key in keys
        ]
    )


@lru_cache(maxsize=1 << 16)
def _plain_fit(
    matcher: Matcher, keys: tuple[Prepared, ...], responses: tuple[Prepared, ...]
) -> Fit:
    return best_fit([[matcher.level(key, response) for response in responses] for key in keys])


def _decided_level(level: int, key: Value, entry: Entry | None) -> int:
    """Return what a response is worth that people have decided about, or may have."""
    if entry is None or level == CORRECT:
        return level
    if entry.status == "fail" or not any(equal(key, other) for other in entry.keys):
        return WRONG
    return CORRECT if entry.status == "match" else PARTIAL


def template_pairs(
    design: Design, history: History, keys: Sequence[Template], responses: Sequence[Template]
) -> list[tuple[Template, Template]]:
    """Return the pairs of templates that earn most.

    Templates that have nothing in common are no pair, but for two that are alone and have no
    types: these are two answers to the same question.
    """
    if not keys or not responses:
        return []
    if len(keys) == len(responses) == 1 and design.type_slot is None:
        return [(keys[0], responses[0])]
    keys, responses = (_sorted(design, side) for side in (keys, responses))
    values = [[_value(design, history, key, response) for response in responses] for key in keys]
    return [(keys[i], responses[j]) for i, j in best_pairs(values)]


def _sorted(design: Design, templates: Sequence[Template]) -> Sequence[Template]:
    """Return templates by what is in them, so that their order in the file decides nothing."""

    def content(template: Template) -> str:
        slots = zip(design.scored, template.fills, strict=True)
        return repr([[*map((slot.matcher or Matcher()).prepared, some)] for slot, some in slots])

    return sorted(templates, key=content) if len(templates) > 1 else templates


def _value(design: Design, history: History, key: Template, response: Template) -> PairValue | None:
    """Return what two templates have in common."""
    decisions = KeyDecisions(history, key.message, key.number)
    credit = correct = compared = 0
    for slot, ours, theirs in zip(design.scored, key.fills, response.fills, strict=True):
        if ours and theirs:
            compared += min(len(ours), len(theirs))
            fit = slot_fit(slot, ours, theirs, decisions)
            credit += 2 * fit.correct + fit.partial
            correct += fit.correct
    return PairValue(credit, correct, compared) if credit else None
