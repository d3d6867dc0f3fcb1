"""Decisions about templates as texts: the rows of a log."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import cast

from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import (
    STATUSES,
    Change,
    Entry,
    Fill,
    Outcome,
    Pairing,
    Place,
    Status,
    Subject,
)
from tellapart.formats.templates.history_files import parse_value, value_text
from tellapart.formats.templates.values import equal


def question_of(subject: Subject) -> tuple[str, str]:
    """Return the kind and the subject by which a log knows what a decision is about.

    >>> question_of(Pairing("TST3-MUC4-0001", "GE"))
    ('pairing', '{"message": "TST3-MUC4-0001", "system": "GE"}')
    """
    if isinstance(subject, Pairing):
        return "pairing", _canonical({"message": subject.message, "system": subject.system})
    message, key, slot = subject.place
    response = value_text(subject.response)
    about = {"message": message, "key": key, "slot": slot, "response": response}
    return "fill", _canonical(about)


def outcome_of(outcome: Outcome) -> str:
    """Return what a log keeps of an outcome.

    >>> outcome_of((("1", "2"), ("2", None)))
    '{"pairs": [["1", "2"], ["2", null]]}'
    """
    if isinstance(outcome, Entry):
        keys = [value_text(key) for key in outcome.keys]
        return _canonical({"status": outcome.status, "keys": keys})
    return _canonical({"pairs": outcome})


def change_of(design: Design, kind: str, subject: str, outcome: str | None) -> Change:
    """Return what a row of a log changes in a history: what holds from then on, or nothing.

    >>> from tellapart.formats.templates.design import load_design
    >>> change_of(load_design(), "pairing", '{"message": "M1", "system": "GE"}', None)
    Change(subject=Pairing(message='M1', system='GE'), before=None, after=None)
    """
    about, found = json.loads(subject), json.loads(outcome or "null")
    if not all(isinstance(text, str) for text in about.values()):
        raise ValueError("what it is about is told by texts")
    if kind == "pairing":
        pairing = Pairing(about["message"], about["system"])
        pairs = None if found is None else tuple((key, own) for key, own in found["pairs"])
        return Change(pairing, None, pairs)
    if about["slot"] not in design.position:
        raise ValueError(f"there is no slot {about['slot']!r}")
    place = about["message"], about["key"], about["slot"]
    fill = Fill(place, parse_value(about["response"], design))
    if found is None:
        return Change(fill, None, None)
    if found["status"] not in STATUSES:
        raise ValueError(f"a decision is {', '.join(STATUSES)}")
    keys = tuple(parse_value(key, design) for key in found["keys"])
    return Change(fill, None, Entry(fill.response, cast(Status, found["status"]), keys))


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


@dataclass(slots=True)
class Spellings:
    """The fills that people decide about, each as it was first spelled.

    Two fills that count as equal are one question, and a log knows it by one spelling.

    >>> from tellapart.formats.templates.design import load_design
    >>> text, place = load_design().text, ("M1", "1", "hum-tgt-desc")
    >>> known = Spellings()
    >>> known.first(Fill(place, text('"THE MEN"'))).response.text
    '"THE MEN"'
    >>> known.first(Fill(place, text('"MEN"'))).response.text
    '"THE MEN"'
    """

    _at: dict[Place, list[Fill]] = field(default_factory=dict)
    _in_log: set[Fill] = field(default_factory=set)

    def learn(self, fill: Fill) -> None:
        """Take down how the log spells a fill, which goes before how others would."""
        if fill not in self._in_log:
            self._in_log.add(fill)
            known = [each for each in self._at.get(fill.place, []) if each != fill]
            logged = [each for each in known if each in self._in_log]
            others = [each for each in known if each not in self._in_log]
            self._at[fill.place] = [*logged, fill, *others]

    def first(self, fill: Fill) -> Fill:
        """Return a fill in the spelling that is known, which is its own if none is."""
        known = self._at.setdefault(fill.place, [])
        for each in known:
            if equal(fill.response, each.response):
                return each
        known.append(fill)
        return fill
