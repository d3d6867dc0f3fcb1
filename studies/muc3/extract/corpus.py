"""Messages and keys for training, and templates as a file: what the three systems share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import load_design
from tellapart.formats.templates.muc_reader import read_templates
from tellapart.formats.templates.texts import read_texts
from tellapart.formats.templates.values import Reference, Value, shown, texts

DESIGN = load_design("muc4")
TYPE, STAGE, LOCATION, DATE = "inc-type", "inc-stage", "inc-loc", "inc-date"
STRINGS = tuple(slot.name for slot in DESIGN.slots if slot.kind == "string")
SETS = tuple(slot.name for slot in DESIGN.slots if slot.kind == "set" and slot.name != TYPE)
"""Slots whose fills are one of a few, but for the type of the incident"""
REFERS_TO = {slot.name: slot.refers_to for slot in DESIGN.slots}
_DATELINE = re.compile(r"(\d{1,2}) (JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\w* (\d\d)\b")
_WORD = re.compile(r"[A-Z0-9][A-Z0-9'-]*")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z\"\[(])")

Filled = dict[str, list[str]]
"""A template: the fills of each slot, as a file writes them"""


def words(text: str) -> list[str]:
    """Return the words of a text.

    >>> words("The FMLN's men fled.")
    ['THE', "FMLN'S", 'MEN', 'FLED']
    """
    return _WORD.findall(text.upper())


@dataclass(frozen=True)
class Message:
    """A message and its parts."""

    name: str
    text: str

    @cached_property
    def paragraphs(self) -> list[str]:
        """The paragraphs, each on one line."""
        return [" ".join(own.split()) for own in re.split(r"\n\s*\n", self.text) if own.strip()]

    @cached_property
    def sentences(self) -> list[tuple[int, str]]:
        """The sentences, each with the number of its paragraph."""
        return [
            (number, sentence)
            for number, paragraph in enumerate(self.paragraphs)
            for sentence in _SENTENCE.split(paragraph)
        ]

    @property
    def date(self) -> str | None:
        """The date of the dateline, as keys write it.

        >>> Message("1", "BOGOTA, 3 JAN 90 -- [TEXT] A BOMB").date
        '03 JAN 90'
        """
        found = _DATELINE.search(self.text[:300])
        return None if found is None else f"{int(found[1]):02d} {found[2]} {found[3]}"


@dataclass(frozen=True)
class Fact:
    """A fill of a key: its slot, what may be written for it, and to what it belongs."""

    slot: str
    values: tuple[str, ...]
    """A set fill, or the strings that are right, without quotation marks"""
    owners: tuple[str, ...] = ()
    """The strings of the fill that a set fill refers to"""


@dataclass(frozen=True)
class Example:
    """A message of the training corpus with the facts of each template of its key."""

    message: Message
    templates: list[list[Fact]] = field(default_factory=list)

    def kinds(self) -> set[str]:
        """Return the types of its incidents."""
        return {f.values[0] for own in self.templates for f in own if f.slot == TYPE}


def facts(slot: str, fill: Value) -> Fact:
    """Return a fill as a fact."""
    value, owners = (fill.value, _plain(fill.tag)) if isinstance(fill, Reference) else (fill, ())
    if slot == LOCATION:
        return Fact(slot, (shown(value),))
    return Fact(slot, _plain(value), owners)


def _plain(value: Value) -> tuple[str, ...]:
    return tuple(text.text.strip('"') for text in texts(value))


def read_examples(keys: Sequence[Path], texts_of: Sequence[Path]) -> list[Example]:
    """Return the messages of keys, in order, with what is to be found in them."""
    found = {}
    for key in keys:
        for name, templates in read_templates(str(key), DESIGN, Findings()).messages.items():
            relevant = [own for own in templates if own.relevant]
            found[name] = [
                [facts(s, fill) for s, k in DESIGN.position.items() for fill in own.fills[k]]
                for own in relevant
            ]
    messages = read_messages(texts_of, found)
    return [Example(messages[name], own) for name, own in found.items() if name in messages]


def read_messages(paths: Sequence[Path], names: Mapping[str, object]) -> dict[str, Message]:
    """Return messages by name."""
    known: dict[str, Message] = {}
    for path in paths:
        texts = read_texts(str(path), list(names), Findings(strict=True))
        known |= {name: Message(name, text) for name, text in texts.items()}
    return known


def quoted(text: str, owner: str | None = None) -> str:
    """Return a set fill with the string that it belongs to.

    >>> quoted("BOMB", "A CAR BOMB")
    'BOMB: "A CAR BOMB"'
    """
    return text if owner is None else f'{text}: "{owner}"'


def in_file(templates: Mapping[str, Sequence[Filled]]) -> str:
    """Return templates by message as a response file of 1992."""
    return "\n".join(
        line
        for message, own in templates.items()
        for number, filled in enumerate(own or [None], 1)
        for line in _lines(message, number, filled)
    )


def _lines(message: str, number: int, filled: Filled | None) -> Iterator[str]:
    for slot in DESIGN.slots:
        fills = ["*"] if filled is None else filled.get(slot.name, ["-"])
        if slot is DESIGN.message_slot:
            fills = [message]
        elif slot is DESIGN.number_slot:
            fills = ["*" if filled is None else str(number)]
        for k, fill in enumerate(fills):
            yield f"{slot.prefix if k == 0 else '':<34} {fill}"
    yield ""
