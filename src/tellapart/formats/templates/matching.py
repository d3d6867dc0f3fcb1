"""Matching one response value against several key fills, without asking anybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from tellapart.formats.templates.design import Slot
from tellapart.formats.templates.history import Entry, History, Status
from tellapart.formats.templates.values import (
    Alternatives,
    Location,
    Reference,
    Text,
    Value,
    equal,
    inner,
    members,
    untagged,
)

TagStatus: TypeAlias = Literal["direct", "direct-alt", "by-match", "by-partial", "vetoed"]


class Credit(NamedTuple):
    """What a response earns, and the key fills it uses up; None stands for all that are left."""

    status: Status
    interactive: bool = False
    fills: tuple[Value, ...] | None = None


FAILED: Final = Credit("fail")


@dataclass(frozen=True, slots=True)
class KeyDecisions:
    """The key template whose slots are being matched, and the decisions known about it."""

    history: History
    message: str
    number: str

    def find(self, slot: str, response: Value) -> Entry | None:
        """Return the decision about a response value of a slot, if there is one."""
        return self.history.find((self.message, self.number, slot), response)


class Tagged(NamedTuple):
    """A key fill whose tag corresponds to the response's, and how that is known."""

    fill: Value
    status: TagStatus


def corresponding(
    decisions: KeyDecisions, slot: Slot, keys: Sequence[Value], response: Value
) -> list[Tagged]:
    """Return the key fills whose tags correspond to the response's tag, the last one first."""
    reference = inner(response)
    if not isinstance(reference, Reference):
        return []
    found = []
    for fill in reversed(keys):
        key = inner(fill)
        if isinstance(key, Reference) and key.tag is not None:
            status = _tag_status(decisions, slot, key.tag, reference.tag)
            if status == "vetoed":  # a person has said that the response's tag is wrong
                return []
            if status is not None:
                found.append(Tagged(fill, status))
    return found


def _tag_status(decisions: KeyDecisions, slot: Slot, key: Value, tag: Value) -> TagStatus | None:
    if equal(key, tag):
        by_one_of_several = isinstance(key, Alternatives) != isinstance(tag, Alternatives)
        return "direct-alt" if by_one_of_several else "direct"
    for other in slot.refers_to:
        entry = decisions.find(other, tag)
        if entry is None:
            continue
        if entry.status == "fail":
            return "vetoed"
        if any(equal(value, key) for value in entry.keys):
            return "by-match" if entry.status == "match" else "by-partial"
    return None


def match(
    decisions: KeyDecisions, slot: Slot, keys: Sequence[Value], response: Value
) -> Credit | None:
    """Return what a response earns from the key fills left: by tag, by history, by partial credit.

    None says that nothing is known about it, so that a person would be asked.
    """
    tagged = corresponding(decisions, slot, keys, response)
    if tagged:
        credit = _by_tag(slot, tagged, response)
        if credit is not None:
            return credit
        if len(tagged) < len(keys):
            return FAILED
    return _by_history(decisions, slot, keys, response) or _by_partial_credit(slot, keys, response)


def _by_tag(slot: Slot, tagged: Sequence[Tagged], response: Value) -> Credit | None:
    """Return how value and tag agree; the tag that counts is that of the last key fill."""
    found, same = _by_value(slot, tagged, untagged(inner(response)))
    if found is None:
        return None
    status = tagged[0].status
    if len(tagged) == 1:
        correct = status != "by-partial" if same else status == "by-match"
        return Credit("match" if correct else "partial", fills=(found,))
    if status == "direct":
        return Credit("match" if same else "partial", fills=(found,))
    return Credit("match", interactive=True, fills=(tagged[0].fill,))


def _by_value(slot: Slot, tagged: Sequence[Tagged], value: Value) -> tuple[Value, bool]:
    """Return the first fill with the same value, else with a narrower one, and which it was."""
    for fits in (equal, slot.narrower):
        for fill, _ in tagged:
            if fits(untagged(inner(fill)), value):
                return fill, fits is equal
    return None, False


def _by_history(
    decisions: KeyDecisions, slot: Slot, keys: Sequence[Value], response: Value
) -> Credit | None:
    entry = decisions.find(slot.name, response)
    if entry is None:
        return None
    if entry.status == "fail":
        return FAILED
    if len(entry.keys) == 1 and len(keys) <= 1:
        if equal(keys[0] if keys else None, entry.keys[0]):
            return Credit(entry.status, interactive=True)
        return None
    fills = tuple(next((key for key in keys if equal(key, each)), None) for each in entry.keys)
    return None if None in fills else Credit(entry.status, interactive=True, fills=fills)


def _by_partial_credit(slot: Slot, keys: Sequence[Value], response: Value) -> Credit | None:
    """Return the credit for a place in the right country, or a set fill broader than the key's."""
    if slot.kind == "location":
        country = response.country if isinstance(response, Location) else response
        if not isinstance(response, Location | Text):
            return None
        found = next((key for key in keys if _lies_in(key, country)), None)
    else:
        found = next((key for key in keys if slot.narrower(key, response)), None)
    return None if found is None else Credit("partial", fills=(found,))


def _lies_in(key: Value, country: Value) -> bool:
    return any(isinstance(m, Location) and equal(m.country, country) for m in members(key))


def offered_fills(slot: Slot, keys: Sequence[Value], response: Value) -> tuple[Value, ...]:
    """Return the fills of the key that people may match a response with.

    They are all of its slot, whichever of them a system has found by other fills: so the question
    is the same for all systems. Of a closed set they are those that only the tags tell from the
    response.
    """
    alike = [f for f in keys if match_set_fill(slot, inner(f), inner(response)) == "ask"]
    return tuple(alike if slot.is_set and alike else keys)


def match_set_fill(slot: Slot, key: Value, response: Value) -> Credit | Literal["ask"] | None:
    """Return how a response matches a key fill that has a tag; "ask" if only the tags disagree."""
    if not isinstance(key, Reference):
        return None
    value = untagged(response)
    same = equal(key.value, value)
    if same and isinstance(response, Reference):
        return "ask"
    return Credit("partial", fills=(key,)) if same or slot.narrower(key.value, value) else None
