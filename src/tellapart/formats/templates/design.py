"""The slot table: which slots a template has, and how each is read, compared and summed.

It is data (JSON), so that another template design is another file. A table has `slots` (each with
`number`, `label`, `also`, `name`, `kind`, `xref`, `fills`), `premodifiers`, `subtotals` (each with
`name` and `slots`) and `pairing_condition`. In `fills` a text is a leaf and a list a parent with
its children. It may have `totals` (`template_id`, `slots`, `rows`, as in `Summing`) and `forbidden`
(each with `slot`, `fill` and the `slots` that stay empty where that slot has that fill).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, TypeAlias

from tellapart.errors import DataError
from tellapart.files import open_text
from tellapart.formats.records import parse_json
from tellapart.formats.templates.matchers import Matcher
from tellapart.formats.templates.model import plain_text
from tellapart.formats.templates.values import Text, Value, texts, upper_case

_BLANKS = " \t\n"
MUC4 = "muc4"
BUILT_IN = (MUC4, "muc3")
_UNSCORED = ("identifier", "template-number")
KINDS = (*_UNSCORED, "date", "location", "set", "string", "number")


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot: how its line begins, what it is called in reports, and what may fill it."""

    number: int
    label: str
    name: str
    kind: str
    refers_to: tuple[str, ...] = ()
    """The slots whose fills its tags name, in order of look-up"""
    size: int = 0
    """How many fills its set has; 0 for slots that are no sets"""
    below: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The narrower fills of each fill of a hierarchical set, at any depth"""
    also: tuple[str, ...] = ()
    """Other spellings of the label"""
    members: frozenset[str] = frozenset()
    """The fills of its set"""
    matcher: Matcher | None = None
    """How its fills are compared; None: by the rules of 1992"""
    weight: int = 1
    """How many times each of its fills counts"""

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


ROWS = (
    "matched-missing", "matched-spurious", "matched-only", "all-templates", "set-fills",
    "string-fills",
)  # fmt: skip
"""The summary rows, in the order of the reports of 1992"""


@dataclass(frozen=True, slots=True)
class Summing:
    """How the slots of a design are summed in a report."""

    template_id: bool = False
    """Whether the row of templates is part of the totals"""
    slots: str = "all-templates"
    """The summary row whose templates the rows of single slots count"""
    rows: tuple[str, ...] = ROWS
    """The summary rows that the report has, in its order"""

    @property
    def official(self) -> str:
        """The summary row that systems are compared by: that of the rows of single slots."""
        return self.slots


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Slots that have to be empty where another slot has a certain fill."""

    slot: str
    fill: str
    slots: tuple[str, ...]


@dataclass(frozen=True)
class Design:
    """A template design, of a slot table or of a schema: how slots are grouped, summed, paired."""

    name: str
    slots: tuple[Slot, ...]
    premodifiers: tuple[str, ...]
    subtotals: tuple[tuple[str, tuple[str, ...]], ...]
    condition: Condition | None
    """When templates may be paired, those that agree best first; None: so that they earn most"""
    summing: Summing = Summing()
    forbidden: tuple[Forbidden, ...] = ()
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
    def _any_premodifier(self) -> re.Pattern[str]:
        either = "|".join(map(re.escape, self.premodifiers)) or "(?!)"
        return re.compile(f"(?:{either})[{_BLANKS}]", re.IGNORECASE)

    @cached_property
    def _texts(self) -> dict[str, Text]:
        return {}

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
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = Text(text, self._stripped(text))
        return known

    def _stripped(self, text: str) -> str:
        # The scorer of 1992 deleted plain substrings, not words: `CANAL` loses nothing, but
        # `PANAMA CANAL` becomes `PANAMCANAL`, and dates lose digits. All its scores have this.
        if self._any_premodifier.search(text) is None:
            return text
        for word in self.premodifiers:
            if word.lower() in text.lower():
                text = without(word, text)
        return text

    def words(self, values: Sequence[Value]) -> set[str]:
        """Return the words of all texts inside values, without quotes and premodifiers."""
        return {
            word
            for value in values
            for text in texts(value)
            for word in self._stripped(text.text.replace('"', "")).split()
        }


def without(word: str, text: str) -> str:
    """Return a text without a word and the blanks after it, wherever they stand.

    The leftmost such word is deleted until there is none, so that `TTHE HE MEN` without `THE` is
    `MEN`. One pass does that: what a deletion brings together ends at the next letter.

    >>> without("the", "THE MEN OF THE  TTHE HE NORTH")
    'MEN OF NORTH'
    """
    kept: list[str] = []
    size, wanted = len(word) + 1, word.lower()
    deleted = False
    for letter in text:
        blank = letter in _BLANKS
        if deleted and blank:
            continue
        kept.append(letter)
        deleted = blank and "".join(kept[-size:-1]).lower() == wanted
        if deleted:
            del kept[-size:]
    return "".join(kept)


def load_design(name: str = MUC4) -> Design:
    """Return a slot table: a built-in one (`muc4`, `muc3`) or that of a JSON file.

    >>> design = load_design()
    >>> len(design.slots), design.slots[4].prefix, design.slots[4].size
    (25, '4.  INCIDENT: TYPE', 7)
    """
    if name in BUILT_IN:
        content = (files("tellapart") / "data" / f"{name}_slots.json").read_text(encoding="utf-8")
    else:
        with open_text(name) as stream:
            content = stream.read()
    table = parse_json(content, name, "give a slot table", line=1)
    try:
        return _design(name, table)
    except ValueError as problem:
        raise DataError(
            f"{name}: this is no slot table ({problem}); it needs slots, premodifiers, subtotals "
            "and pairing_condition, as the built-in ones have"
        ) from None


_Kinds: TypeAlias = Mapping[str, type]


def _checked(
    row: Any, what: str, needed: _Kinds, more: _Kinds, passed_over: Collection[str] = ()
) -> Mapping[str, Any]:
    """Return an object of a slot table that has the keys it needs, and none that means nothing."""
    if not isinstance(row, dict):
        raise ValueError(f"{what} is {row!r:.60}, and should be an object")
    kinds = {**needed, **more}
    for key, value in row.items():
        if key not in kinds and key not in passed_over:
            raise ValueError(f"{what} has the key {key!r}; it takes {', '.join(kinds)}")
        if key in kinds and type(value) is not kinds[key] and not (value is None and key in more):
            raise ValueError(f"{key!r} of {what} is {value!r:.60}, not a {kinds[key].__name__}")
    for key in needed:
        if key not in row:
            raise ValueError(f"{what} lacks {key!r}")
    return row


def _texts(row: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a list of texts that an object may have."""
    found = row.get(key) or []
    for each in found:
        if not isinstance(each, str):
            raise ValueError(f"{key!r} has {each!r:.60}, which is no text")
    return tuple(found)


def _design(name: str, content: Any) -> Design:
    table = _checked(
        content,
        "the table",
        {"slots": list, "premodifiers": list, "subtotals": list, "pairing_condition": dict},
        {"totals": dict, "forbidden": list},
        # What the published table says beside, for people.
        ("description", "set_fill_slots", "string_fill_slots", "options"),
    )
    slots = tuple(_slot(row) for row in table["slots"])
    subtotals = tuple(map(_subtotal, table["subtotals"]))
    condition = _condition(table["pairing_condition"])
    forbidden = tuple(map(_forbidden, table.get("forbidden") or ()))
    for kind in _UNSCORED:
        if sum(slot.kind == kind for slot in slots) != 1:
            raise ValueError(f"it needs one slot of the kind {kind}")
    for what in ("name", "prefix"):
        (often, times), *_ = Counter(getattr(slot, what) for slot in slots).most_common(1)
        if times > 1:
            raise ValueError(f"there are {times} slots {often!r}")
    named = {s for _, group in subtotals for s in group} | set(_names(condition))
    named |= {other for slot in slots for other in slot.refers_to}
    named |= {name for each in forbidden for name in (each.slot, *each.slots)}
    if missing := sorted(named - {slot.name for slot in slots if slot.kind not in _UNSCORED}):
        raise ValueError(f"{missing[0]!r} is none of its slots that are scored")
    return Design(
        name,
        slots,
        _texts(table, "premodifiers"),
        subtotals,
        condition,
        _summing(table.get("totals") or {}),
        forbidden,
    )


def _summing(row: Any) -> Summing:
    _checked(row, "'totals'", {}, {"template_id": bool, "slots": str, "rows": list})
    usual = Summing()
    found = Summing(
        row.get("template_id", usual.template_id),
        row.get("slots", usual.slots),
        _texts(row, "rows") or usual.rows,
    )
    if unknown := [name for name in (found.slots, *found.rows) if name not in ROWS]:
        raise ValueError(f"there is no row {unknown[0]!r}")
    return found


def _subtotal(row: Any) -> tuple[str, tuple[str, ...]]:
    _checked(row, "a subtotal", {"name": str, "slots": list}, {})
    return row["name"], _texts(row, "slots")


def _forbidden(row: Any) -> Forbidden:
    _checked(row, "a rule of 'forbidden'", {"slot": str, "fill": str, "slots": list}, {})
    return Forbidden(row["slot"], upper_case(row["fill"]), _texts(row, "slots"))


def _slot(row: Any) -> Slot:
    _checked(
        row,
        "a slot",
        {"number": int, "label": str, "name": str, "kind": str},
        {"xref": list, "fills": list, "also": list},
        ("line_prefix", "fill_count", "hierarchical"),
    )
    if row["kind"] not in KINDS:
        raise ValueError(f"slot {row['name']!r} has the kind {row['kind']!r}")
    nodes = [node for tree in row.get("fills") or () for node in _nodes(tree)]
    below = {fill: frozenset(others) for fill, others in nodes if others}
    return Slot(
        row["number"],
        row["label"],
        row["name"],
        row["kind"],
        _texts(row, "xref"),
        len(nodes),
        below,
        _texts(row, "also"),
        frozenset(fill for fill, _ in nodes),
    )


def _nodes(tree: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield every fill of a hierarchy, in capitals, with all that stand below it."""
    if isinstance(tree, str):
        yield upper_case(tree), []
        return
    if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
        raise ValueError(f"'fills' has {tree!r:.60}; it takes texts, and lists that begin with one")
    children = [node for child in tree[1:] for node in _nodes(child)]
    yield upper_case(tree[0]), [fill for fill, _ in children]
    yield from children


def _condition(row: Any) -> Condition:
    _checked(row, "a pairing condition", {"op": str, "args": list}, {})
    if row["op"] not in ("and", "or"):
        raise ValueError(f"a pairing condition is 'and' or 'or', not {row['op']!r}")
    terms = tuple(term if isinstance(term, str) else _condition(term) for term in row["args"])
    return Condition(row["op"] == "and", terms)


def _names(condition: Condition) -> Iterator[str]:
    for term in condition.terms:
        if isinstance(term, str):
            yield term
        else:
            yield from _names(term)
