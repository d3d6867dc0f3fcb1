"""The template design: which slots a template has, and how each is read, compared and summed.

Those of the conferences are data (`data/muc4_slots.json`): `slots` (each with `number`, `label`,
`also`, `name`, `kind`, `xref`, `fills`, where a list is a parent and its children), `premodifiers`,
`subtotals`, `pairing_condition`, and `totals` (`template_id`, `row`, `rows`). That of JSON is made
of its schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any, TypeAlias

from tellapart.formats.templates.matchers import Matcher, Prepared
from tellapart.formats.templates.model import plain_text
from tellapart.formats.templates.tally import ALL, ROWS
from tellapart.formats.templates.values import Text, Value, texts, upper_case

KeyPath: TypeAlias = tuple[str, ...]
"""The keys on the way to a value of JSON, from the outside in"""

_BLANKS = " \t\n"
MUC4 = "muc4"
_UNSCORED = ("identifier", "template-number")


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot: where it stands in a file, what it is called in reports, and what may fill it."""

    number: int
    label: str
    name: str
    kind: str
    refers_to: tuple[str, ...] = ()
    """The slots whose fills its tags name, in order of look-up"""
    below: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The narrower fills of each fill of a hierarchical set, at any depth"""
    also: tuple[str, ...] = ()
    """Other spellings of the label"""
    values: tuple[str, ...] = ()
    """What it may be filled with, if that is a closed set"""
    key: KeyPath = ()
    """Where it stands in a template of JSON"""
    matcher: Matcher | None = None
    """How its fills are compared; None: by the rules of 1992"""
    weight: int = 1
    """How many times each of its fills counts"""

    @property
    def size(self) -> int:
        """How many fills its set has; 0 for slots that are no sets."""
        return len(self.values)

    @property
    def is_set(self) -> bool:
        """Whether the slot takes fills of a closed set."""
        return self.kind == "set"

    @property
    def prefix(self) -> str:
        """How the slot's line begins in a template."""
        return f"{self.number}.".ljust(4) + self.label

    def label_end(self, line: str, stop: str = r"\.") -> int | None:
        """Return where the label ends with which a line begins; None if it is not the slot's.

        >>> load_design().slots[4].label_end("4. Incident: Type  BOMBING")
        17
        """
        found = _beginning(self.number, (self.label, *self.also), stop).match(line)
        return None if found is None else found.end()

    def prepared(self, fill: Value) -> Prepared:
        """Return a fill as the slot's matcher compares it."""
        return (self.matcher or Matcher()).prepared(fill)

    def narrower(self, key: Value, response: Value) -> bool:
        """Return whether the key's fill stands strictly below the response's in the hierarchy."""
        return (
            isinstance(key, Text)
            and isinstance(response, Text)
            and key.text in self.below.get(response.text, ())
        )


@cache
def _beginning(number: int, labels: tuple[str, ...], stop: str) -> re.Pattern[str]:
    """Return how a slot's line begins: labels stand in column 4, or after one blank as in print."""
    either = "|".join(map(re.escape, labels))
    return re.compile(rf"{number}{stop}[ \t]*(?:{either})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Condition:
    """When templates may be paired: slots and nested conditions, all or one of which must hold."""

    every: bool
    terms: tuple[Condition | str, ...]


@dataclass(frozen=True)
class Design:
    """A template design, of a conference or of a schema: how slots are grouped, summed, paired."""

    name: str
    slots: tuple[Slot, ...]
    premodifiers: tuple[str, ...]
    subtotals: tuple[tuple[str, tuple[str, ...]], ...]
    condition: Condition | None
    """When templates may be paired, those that agree best first; None: so that they earn most"""
    template_id: bool = False
    """Whether the row of templates is part of the totals"""
    row: str = ALL
    """The summary row whose templates the rows of single slots count; systems are compared by it"""
    rows: Sequence[str] = tuple(ROWS)
    """The summary rows that the report has, in its order"""
    type_slot: str | None = None
    """The slot of the type, in a design that is made of a schema and has types"""

    @cached_property
    def message_slot(self) -> Slot:
        """The slot that names the message."""
        return next(slot for slot in self.slots if slot.kind == "identifier")

    @cached_property
    def number_slot(self) -> Slot:
        """The slot that numbers the template."""
        return next(slot for slot in self.slots if slot.kind == "template-number")

    @cached_property
    def scored(self) -> tuple[Slot, ...]:
        """The slots that are scored and summed."""
        return tuple(slot for slot in self.slots if slot.kind not in _UNSCORED)

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each scored slot stands among them."""
        return {slot.name: i for i, slot in enumerate(self.scored)}

    @cached_property
    def unfilled(self) -> tuple[tuple[Value, ...], ...]:
        """The scored slots of a template that nothing fills."""
        return ((),) * len(self.scored)

    @property
    def of_schema(self) -> bool:
        """Whether it is made of a schema, whose slots have matchers."""
        return self.condition is None

    def text(self, text: str) -> Text:
        """Return a text with the form in which it is compared: without its premodifiers.

        >>> load_design().text('"TWO OF THE MEN"').bare, load_design().text("02 FEB 90").bare
        ('"MEN"', '0FEB 90')
        """
        if self.of_schema:
            return plain_text(text)
        return Text(text, _stripped(text, self.premodifiers))

    def words(self, values: Sequence[Value]) -> set[str]:
        """Return the words of all texts inside values, without quotes and premodifiers."""
        return {
            word
            for value in values
            for text in texts(value)
            for word in self.text(text.text.replace('"', "")).bare.split()
        }


@lru_cache(maxsize=1 << 16)
def _stripped(text: str, premodifiers: tuple[str, ...]) -> str:
    # The scorer of 1992 deleted plain substrings, not words: `CANAL` loses nothing, but
    # `PANAMA CANAL` becomes `PANAMCANAL`, and dates lose digits. All its scores have this.
    for word in premodifiers:
        if word.lower() in text.lower():
            text = without(word, text)
    return text


def without(word: str, text: str) -> str:
    """Return a text without a word and the blanks after it, wherever they stand.

    The leftmost such word is deleted until there is none, so that `TTHE HE MEN` without `THE` is
    `MEN`.

    >>> without("the", "THE MEN OF THE  TTHE HE NORTH")
    'MEN OF NORTH'
    """
    found = re.compile(f"{re.escape(word)}[{_BLANKS}]+", re.IGNORECASE)
    while (shorter := found.sub("", text, count=1)) != text:
        text = shorter
    return text


@cache
def load_design(name: str = MUC4) -> Design:
    """Return the template design of a conference: `muc4` or `muc3`.

    >>> design = load_design()
    >>> len(design.slots), design.slots[4].prefix, design.slots[4].size
    (25, '4.  INCIDENT: TYPE', 7)
    """
    table = json.loads((files("tellapart") / "data" / f"{name}_slots.json").read_text("utf-8"))
    return Design(
        name,
        tuple(map(_slot, table["slots"])),
        tuple(table["premodifiers"]),
        tuple((row["name"], tuple(row["slots"])) for row in table["subtotals"]),
        _condition(table["pairing_condition"]),
        **table.get("totals", {}),
    )


def _slot(row: Mapping[str, Any]) -> Slot:
    nodes = [node for tree in row.get("fills") or () for node in _nodes(tree)]
    return Slot(
        row["number"],
        row["label"],
        row["name"],
        row["kind"],
        tuple(row.get("xref") or ()),
        {fill: frozenset(narrower) for fill, narrower in nodes if narrower},
        tuple(row.get("also") or ()),
        tuple(fill for fill, _ in nodes),
    )


def _nodes(tree: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield every fill of a hierarchy, in capitals, with all that stand below it."""
    if isinstance(tree, str):
        yield upper_case(tree), []
        return
    children = [node for child in tree[1:] for node in _nodes(child)]
    yield upper_case(tree[0]), [fill for fill, _ in children]
    yield from children


def _condition(row: Mapping[str, Any]) -> Condition:
    terms = tuple(term if isinstance(term, str) else _condition(term) for term in row["args"])
    return Condition(row["op"] == "and", terms)
