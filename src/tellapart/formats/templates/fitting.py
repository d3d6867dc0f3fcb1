"""What fits best in templates of a schema: the fills of a slot, and the templates of a document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.history import Entry, History
from tellapart.formats.templates.matchers import Matcher, Prepared, Signs, signs
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

_Prepared: TypeAlias = tuple[tuple[Prepared, ...], ...]
"""The fills of each slot of a template"""


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
    if keys[0].message in history.entries:
        values = [[_decided_value(design, history, k, r) for r in responses] for k in keys]
        return [(keys[i], responses[j]) for i, j in best_pairs(values)]
    rows, columns = (_sorted(design, side) for side in (keys, responses))
    matchers = [slot.matcher or Matcher() for slot in design.scored]
    column_signs = [_signs(matchers, fills) for _, fills in columns]
    values = []
    for _, ours in rows:
        own = _signs(matchers, ours)
        values.append(
            [
                _value(matchers, ours, theirs, own, other)
                for (_, theirs), other in zip(columns, column_signs, strict=True)
            ]
        )
    return [(rows[i][0], columns[j][0]) for i, j in best_pairs(values)]


def _sorted(design: Design, templates: Sequence[Template]) -> list[tuple[Template, _Prepared]]:
    """Return templates by what is in them, so that their order in the file decides nothing."""
    prepared = [
        (
            template,
            tuple(
                tuple(map((slot.matcher or Matcher()).prepared, fills)) if fills else ()
                for slot, fills in zip(design.scored, template.fills, strict=True)
            ),
        )
        for template in templates
    ]
    return sorted(prepared, key=lambda each: repr(each[1])) if len(prepared) > 1 else prepared


def _signs(matchers: Sequence[Matcher], fills: _Prepared) -> list[Signs]:
    return [signs(matcher.needs, some) for matcher, some in zip(matchers, fills, strict=True)]


def _value(
    matchers: Sequence[Matcher],
    keys: _Prepared,
    responses: _Prepared,
    key_signs: Sequence[Signs],
    response_signs: Sequence[Signs],
) -> PairValue | None:
    credit = correct = compared = 0
    for matcher, ours, theirs, x, y in zip(
        matchers, keys, responses, key_signs, response_signs, strict=True
    ):
        if ours and theirs:
            compared += len(ours) if len(ours) < len(theirs) else len(theirs)
            # Most fills of most templates have nothing in common, and need not be compared.
            if x is not None and y is not None and x.isdisjoint(y):
                continue
            fit = _plain_fit(matcher, ours, theirs)
            credit += 2 * fit.correct + fit.partial
            correct += fit.correct
    return PairValue(credit, correct, compared) if credit else None


def _decided_value(
    design: Design, history: History, key: Template, response: Template
) -> PairValue | None:
    """Return what two templates have in common where people have decided about the document."""
    decisions = KeyDecisions(history, key.message, key.number)
    credit = correct = compared = 0
    for slot, ours, theirs in zip(design.scored, key.fills, response.fills, strict=True):
        if ours and theirs:
            compared += min(len(ours), len(theirs))
            fit = slot_fit(slot, ours, theirs, decisions)
            credit += 2 * fit.correct + fit.partial
            correct += fit.correct
    return PairValue(credit, correct, compared) if credit else None
