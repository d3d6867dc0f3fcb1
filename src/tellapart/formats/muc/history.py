"""The history: what people decided about fills that did not match, and how they paired templates.

The file is one Lisp expression, messages > key templates > slots > entries; an entry is a response
value, a status, and the key value (or several, `all-of`) that it was matched with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

from tellapart.files import write_atomically
from tellapart.formats.muc.findings import Finding
from tellapart.formats.muc.lisp import (
    Atom,
    Item,
    LispError,
    List,
    expression,
    is_nil,
    list_of,
    string_of,
)
from tellapart.formats.muc.reading import ENCODING, read_whole
from tellapart.formats.muc.slots import Design
from tellapart.formats.muc.values import (
    Alternatives,
    Between,
    Location,
    Optional,
    Qualified,
    Range,
    Reference,
    Text,
    Value,
    equal,
    parts,
)

Status: TypeAlias = Literal["fail", "match", "partial"]
STATUSES: Final = ("fail", "match", "partial")
MAP: Final = ":MAP"
Place: TypeAlias = tuple[str, str, str]
"""Message, number of the key template, short name of the slot"""
Pairs: TypeAlias = tuple[tuple[str | None, str | None], ...]
"""Numbers of key and response templates; None for one without a partner"""

_HEADS: dict[type, str] = {
    Alternatives: "or", Optional: "optional", Reference: "xref", Range: "range",
    Qualified: "qualified", Location: "location", Between: "between",
}  # fmt: skip
_PAIRED = {"xref": Reference, "range": Range, "qualified": Qualified, "between": Between}


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision: a response value, its status, and the key values it was credited with."""

    response: Value
    status: Status
    keys: tuple[Value, ...] = ()


@dataclass(slots=True)
class History:
    """All decisions, in the order in which they were made, and the pairings done by hand.

    >>> from tellapart.formats.muc.slots import load_design
    >>> text, place = load_design().text, ("M1", "1", "hum-tgt-desc")
    >>> history = History()
    >>> history.record(place, Entry(text('"MEN"'), "match", (text('"PEASANTS"'),)))
    >>> history.find(place, text('"THE MEN"')).status
    'match'
    """

    entries: dict[str, dict[str, dict[str, list[Entry]]]] = field(default_factory=dict)
    pairings: dict[str, dict[str | None, Pairs]] = field(default_factory=dict)
    """Per message and system (None: any system)"""

    def at(self, place: Place) -> list[Entry]:
        """Give the entries for a slot of a key template."""
        message, number, slot = place
        return self.entries.get(message, {}).get(number, {}).get(slot, [])

    def find(self, place: Place, response: Value) -> Entry | None:
        """Find the first entry whose response value the given one is equal to."""
        for entry in self.at(place):
            if equal(response, entry.response):
                return entry
        return None

    def record(self, place: Place, entry: Entry) -> None:
        """Add an entry, or overwrite the one that its response value finds."""
        message, number, slot = place
        known = self.entries.setdefault(message, {}).setdefault(number, {}).setdefault(slot, [])
        for i, other in enumerate(known):
            if equal(entry.response, other.response):
                known[i] = Entry(other.response, entry.status, entry.keys)
                return
        known.append(entry)

    def forget(self, place: Place, response: Value) -> None:
        """Take an entry out, and what is empty without it."""
        message, number, slot = place
        entries = [each for each in self.at(place) if not equal(response, each.response)]
        self.entries[message][number][slot] = entries
        if not entries:
            del self.entries[message][number][slot]
        if not self.entries[message][number]:
            del self.entries[message][number]
        if not self.entries[message]:
            del self.entries[message]

    def forget_pairing(self, message: str, system: str) -> None:
        """Take a pairing done by hand out."""
        del self.pairings[message][system]
        if not self.pairings[message]:
            del self.pairings[message]

    def pairing(self, message: str, system: str) -> Pairs | None:
        """Give the pairing that was done by hand for a system, or for all."""
        stored = self.pairings.get(message, {})
        return stored.get(system, stored.get(None))

    def places(self) -> Iterator[Place]:
        """Give all slots that have entries, in order."""
        for message, templates in self.entries.items():
            for number, slots in templates.items():
                for slot in slots:
                    yield message, number, slot


def read_history(path: str, design: Design) -> tuple[History, list[Finding]]:
    """Read a history; if it does not parse, that is the one finding."""
    content, unread = read_whole(path)
    if unread:
        return History(), unread
    try:
        return _Reader(design).history(expression(content)), []
    except LispError as problem:
        line = content.count("\n", 0, problem.at) + 1
        text = f"the history does not parse: {problem}; restore it from a copy, or start a new one"
        return History(), [Finding(path, line, text, fatal=True)]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns Lisp lists into a history."""

    design: Design

    def history(self, top: List) -> History:
        history = History()
        for message in top.items:
            name, *templates = list_of(message, 1).items
            for template in templates:
                self._template(history, string_of(name), list_of(template, 1))
        return history

    def _template(self, history: History, message: str, template: List) -> None:
        head, *slots = template.items
        if isinstance(head, Atom) and not head.quoted and head.text.upper() == MAP:
            system, pairs = _pairing(slots)
            history.pairings.setdefault(message, {})[system] = pairs
            return
        known = history.entries.setdefault(message, {}).setdefault(string_of(head), {})
        for slot in slots:
            name, *entries = list_of(slot, 1).items
            if not isinstance(name, Atom) or name.text not in self.design.position:
                raise LispError("here should be the name of a slot", name.at)
            known.setdefault(name.text, []).extend(self._entry(entry) for entry in entries)

    def _entry(self, item: Item) -> Entry:
        response, status, *key = list_of(item, 2).items
        if not isinstance(status, Atom) or status.text not in STATUSES:
            raise LispError(f"a decision is {', '.join(STATUSES)}", status.at)
        if (status.text == "fail") != (not key) or len(key) > 1:
            raise LispError("a match names one key value, a failure none", item.at)
        return Entry(
            self._value(response),
            cast(Status, status.text),
            self._keys(key[0]) if key else (),
        )

    def _keys(self, item: Item) -> tuple[Value, ...]:
        if isinstance(item, List) and item.items and getattr(item.items[0], "text", "") == "all-of":
            return tuple(self._value(each) for each in item.items[1:])
        return (self._value(item),)

    def _value(self, item: Item) -> Value:
        if is_nil(item):
            return None
        if isinstance(item, Atom):
            return self.design.text(string_of(item))
        head, *rest = list_of(item, 2).items
        values = [self._value(each) for each in rest]
        name = head.text if isinstance(head, Atom) else ""
        if name in _PAIRED and len(values) == 2:
            return cast(Value, _PAIRED[name](*values))
        if name == "or":
            return Alternatives(tuple(values))
        if name == "location":
            return Location(tuple(values))
        if name == "optional" and len(values) == 1:
            return Optional(values[0])
        raise LispError("this is no value", item.at)


def _pairing(items: list[Item]) -> tuple[str | None, Pairs]:
    """Read the pairs `("1" . "2")` of a message, after the system's name if there is one."""
    system = None
    if items and isinstance(items[0], Atom):
        system, items = string_of(items[0]), items[1:]
    pairs = []
    for item in items:
        key, *rest = list_of(item, 1).items
        response = [each for each in rest if not (isinstance(each, Atom) and each.text == ".")]
        if len(response) > 1:
            raise LispError("here should be a pair of template numbers", item.at)
        other = None if not response or is_nil(response[0]) else string_of(response[0])
        pairs.append((None if is_nil(key) else string_of(key), other))
    return system, tuple(pairs)


def write_history(path: str, history: History) -> None:
    """Write a history, whole or not at all."""
    with write_atomically(path) as stream:
        stream.write(history_text(history).encode(ENCODING, "replace"))


def history_text(history: History) -> str:
    r"""Return a history as it is kept in a file.

    >>> print(history_text(History(pairings={"M1": {"GE": (("1", "2"), (None, "1"))}})), end="")
    (("M1"
      (:MAP "GE" ("1" . "2") (nil . "1"))))
    """
    messages = []
    for message in dict.fromkeys([*history.entries, *history.pairings]):
        lines = [
            _map_text(system, pairs) for system, pairs in history.pairings.get(message, {}).items()
        ]
        for number, slots in history.entries.get(message, {}).items():
            rows = [
                f"\n   ({slot}" + "".join(f"\n    {_entry_text(e)}" for e in entries) + ")"
                for slot, entries in slots.items()
            ]
            lines.append(f"\n  ({_quoted(number)}{''.join(rows)})")
        messages.append(f"({_quoted(message)}{''.join(lines)})")
    return "(" + "\n ".join(messages) + ")\n"


def _map_text(system: str | None, pairs: Pairs) -> str:
    name = "" if system is None else f" {_quoted(system)}"
    shown = "".join(f" ({_number(key)} . {_number(response)})" for key, response in pairs)
    return f"\n  ({MAP}{name}{shown})"


def _number(number: str | None) -> str:
    return "nil" if number is None else _quoted(number)


def _entry_text(entry: Entry) -> str:
    if entry.status == "fail":
        return f"({_lisp(entry.response)} fail)"
    keys = [_lisp(key) for key in entry.keys]
    key = keys[0] if len(keys) == 1 else f"(all-of {' '.join(keys)})"
    return f"({_lisp(entry.response)} {entry.status} {key})"


def _lisp(value: Value) -> str:
    if value is None:
        return "nil"
    if isinstance(value, Text):
        return _quoted(value.text)
    return f"({_HEADS[type(value)]} {' '.join(map(_lisp, parts(value)))})"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
