"""Decisions as texts: rows of a campaign's log, and the journal beside a history file.

A history of 1992 tells neither who decided nor in which order. So each person who decides in one
has a small journal beside it, from which their decisions can be taken back, the last one first,
also when the program was ended and started again meanwhile.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
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
from tellapart.formats.templates.history_files import LispError, parse_value, value_text
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


def journal_of(history: str, person: str) -> Path:
    """Return the path of a person's journal beside a history file.

    >>> journal_of("muc4/history.txt", "ann").name
    '.history.txt.ann.undo'
    """
    target = Path(os.path.realpath(history))
    name = os.fsdecode(os.fsencode(target.name)[:150])  # file names have at most 255 bytes
    who = re.sub(r"[^A-Za-z0-9_-]", "_", person)[:60]
    return target.with_name(f".{name}.{who}.undo")


def read_journal(path: Path, design: Design) -> list[Change]:
    """Return what a person decided and has not taken back, in order.

    One that cannot be read is empty: nothing can be taken back, and nothing is lost.
    """
    try:
        steps = json.loads(path.read_text(encoding="ascii"))
        return [_step(design, *each) for each in steps]
    except (OSError, ValueError, TypeError, LookupError, LispError):
        return []


def _step(design: Design, kind: str, subject: str, before: str | None, after: str | None) -> Change:
    made = change_of(design, kind, subject, after)
    return Change(made.subject, change_of(design, kind, subject, before).after, made.after)


def journal_text(steps: Sequence[Change]) -> str:
    """Return a journal as its file holds it.

    >>> journal_text([Change(Pairing("M1", "GE"), None, (("1", "2"),))]).count("pairing")
    1
    """
    rows = [
        (*question_of(each.subject), *(o and outcome_of(o) for o in (each.before, each.after)))
        for each in steps
    ]
    return "[" + ",\n ".join(map(json.dumps, rows)) + "]\n"
