"""The grammar of fills: one line of a slot becomes one value.

A fill is a list of items separated by `/`: quoted strings, bare texts, groups in parentheses. Each
kind of slot has characters of its own that put items together: `:` before a tag, `-` in a range,
`:`, `(` and `-` in a location.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tellapart.formats.templates.design import Design
from tellapart.formats.templates.values import (
    Alternatives,
    Between,
    Location,
    Optional,
    Qualified,
    Range,
    Reference,
    Text,
    Value,
    one_of,
    parts,
    upper_case,
)

NOTHING = ("-", "*")
"""The bare texts that say that a slot is not filled"""

MOST_JOINTS: Final = 200
"""How many brackets, or dashes, a fill may have: each may nest its parts deeper"""

_GRAMMARS = {"date": "-", "location": ":(-", "number": ":"}
QUOTED: Final = re.compile(r'"(?:\\"|[^"\n])*"')
"""A text in quotation marks"""
_AFTER_QUOTE: Final = re.compile(rf"({QUOTED.pattern}|\))[^/:()-]*")
"""What is complete, and all that may not follow it"""
_NO_LOCATION: Final = "a location is COUNTRY: PLACE (KIND)"
_BLANK = " \t"


class FillError(Exception):
    """A fill that does not follow the grammar of its slot; says what is wrong with it."""


def parse_fill(line: str, kind: str, design: Design) -> Value:
    """Return the value of one fill of a slot of some kind; None if it says that there is none.

    >>> from tellapart.formats.templates.design import load_design
    >>> from tellapart.formats.templates.values import shown
    >>> value = parse_fill('? gun / rifle: "M-16"', "set", load_design())
    >>> type(value).__name__, shown(value)
    ('Optional', '? GUN / RIFLE: "M-16"')
    """
    text = upper_case(line).strip(_BLANK)
    if text in NOTHING:
        return None
    optional = text.startswith("?")
    if sum(map(text.count, "([{")) > MOST_JOINTS or text.count("-") > MOST_JOINTS:
        raise FillError(f"there are more than {MOST_JOINTS} brackets or dashes")
    value = _of_kind(text[1:].lstrip(_BLANK) if optional else text, kind, design)
    if _has_empty_alternative(value):
        raise FillError("an alternative is empty")
    if value is None or (isinstance(value, Text) and value.text in NOTHING):
        return None
    return Optional(value) if optional else value


def readable(line: str, kind: str, design: Design) -> Value:
    """Return what can be read of a fill that is not well formed; None if nothing can.

    >>> from tellapart.formats.templates.design import load_design
    >>> from tellapart.formats.templates.values import shown
    >>> shown(readable('INJURY: ("MEN" HERE / "BOYS": 2', "set", load_design()))
    'INJURY: "MEN" / "BOYS"'
    """
    for _ in range(9):  # each time without what stands behind the last mark
        line += '"' * QUOTED.sub("", line).count('"')
        unquoted = QUOTED.sub("", line)
        line += ")" * (unquoted.count("(") - unquoted.count(")"))
        with suppress(FillError):
            return parse_fill(_AFTER_QUOTE.sub(r"\1", line), kind, design)
        line = line[: max(map(line.rfind, "/:(-"))]
    return None


def _has_empty_alternative(value: Value) -> bool:
    if isinstance(value, Alternatives) and None in value.members:
        return True
    return any(map(_has_empty_alternative, parts(value)))


def _of_kind(text: str, kind: str, design: Design) -> Value:
    value = _Parser(design, _GRAMMARS.get(kind, ":")).parse(text)
    if kind == "number" and not isinstance(value, Reference | Alternatives):
        return _Parser(design, "-").parse(text.rstrip(_BLANK + ":"))
    return value


@dataclass(frozen=True, slots=True)
class _Parser:
    """Parses texts of one grammar, which its structural characters name."""

    design: Design
    structural: str

    def parse(self, text: str) -> Value:
        segments = self._segments(text)
        if not self.structural:
            return one_of(segments[0])
        if self.structural == "-":
            return self._range(segments)
        if self.structural == ":":
            return self._reference(segments)
        return self._location(segments)

    def _segments(self, text: str) -> list[list[Value]]:
        """Return the segments between structural characters: each is a list of items.

        Segments alternate with `:` or `-`, which for a location are kept apart by `_DASH`.
        """
        segments: list[list[Value]] = [[]]
        at = 0
        while True:
            item, at = self._item(text, at)
            segments[-1].append(item)
            while text[at : at + 1] == "(":
                # The kind of a place is a name: a dash or a colon in it joins nothing.
                kind, at = _Parser(self.design, "")._group(text, at)
                at = self._ended(text, at)
                self._qualify(segments[-1], kind)
            mark, at = text[at : at + 1], at + 1
            if not mark:
                return segments
            if mark == "-" and self.structural != "-":
                segments[-1].append(_DASH)
            elif mark != "/":
                segments.append([])

    def _item(self, text: str, at: int) -> tuple[Value, int]:
        """Return one item, read with the blanks around it."""
        at = _skip(text, at)
        if text[at : at + 1] == "(":
            content, at = self._group(text, at)
            return content, self._ended(text, at)
        if text[at : at + 1] == '"':
            quoted = QUOTED.match(text, at)
            if quoted is None:
                raise FillError("a quoted string is not closed")
            return self.design.text(quoted[0]), self._ended(text, quoted.end())
        end = at
        while end < len(text) and text[end] != "/" and text[end] not in self.structural:
            end += 1
        bare = text[at:end].rstrip(_BLANK)
        return (self.design.text(bare) if bare else None), end

    def _group(self, text: str, at: int) -> tuple[Value, int]:
        """Return a group in parentheses; brackets of all kinds nest, quotes do not hide them."""
        depth = 0
        for end in range(at, len(text)):
            depth += (text[end] in "([{") - (text[end] in ")]}")
            if depth == 0:
                return self.parse(text[at + 1 : end]), end + 1
        raise FillError("a parenthesis is not closed")

    def _ended(self, text: str, at: int) -> int:
        """Return where an item that is complete ends."""
        at = _skip(text, at)
        if at < len(text) and text[at] != "/" and text[at] not in self.structural:
            raise FillError(f"{text[at : at + 60]!r} follows where only / or the end may")
        return at

    def _reference(self, segments: Sequence[Sequence[Value]]) -> Value:
        """Return a value with its tag; a reference cannot be an alternative."""
        if len(segments) == 1:
            value = one_of(segments[0])
            if not _atomic(value) and not isinstance(value, Reference):
                raise FillError("a fill with a tag is no alternative")
            return value
        value, tag = one_of(segments[0]), one_of(segments[1])
        if len(segments) > 2 or not _atomic(value) or not _atomic(tag):
            raise FillError("one colon joins a value and its tag")
        return value if tag is None else Reference(value, tag)

    def _range(self, segments: Sequence[Sequence[Value]]) -> Value:
        """Return the ranges; what no dash takes stays an alternative of the whole."""
        rest: list[Value] = []
        items = list(segments[0])
        for following in segments[1:]:
            start, end = _trailing(items), _leading(following)
            if start == len(items) or end == 0:
                raise FillError("a dash joins plain dates or numbers")
            low, high = one_of(items[start:]), one_of(following[:end])
            rest += items[:start]
            rest += [] if low is None and high is None else [Range(low, high)]
            items = list(following[end:])
        whole = rest + items
        return one_of(whole) if whole else None

    def _qualify(self, items: list[Value], kind: Value) -> None:
        """Join places, back to the last structure, and the type in parentheses after them."""
        start = _trailing(items)
        if _DASH in items[start:]:
            start = len(items) - items[::-1].index(_DASH)
        if start == len(items):
            raise FillError(_NO_LOCATION)
        items[start:] = [Qualified(one_of(items[start:]), kind)]

    def _between(self, items: Sequence[Value]) -> list[Value]:
        """Return the two places on either side of each dash as one."""
        done: list[Value] = []
        pending = False
        for item in items:
            if item is _DASH:
                pending = True
            elif pending:
                pending = False
                if done[-1] is None or item is None:
                    raise FillError(_NO_LOCATION)
                done[-1] = Between(done[-1], item)
            else:
                done.append(item)
        return done

    def _location(self, segments: Sequence[Sequence[Value]]) -> Value:
        """Return the locations: a country, then places, after each a colon.

        Where a segment holds finished places and then plain names, the names are the country of
        the next location: `PERU: A (CITY) / PERU: B (TOWN)`.
        """
        whole: list[Value] = []
        items = self._between(segments[0])
        start = len(items) if len(segments) == 1 else _trailing(items)
        if start == len(items) and len(segments) > 1:
            if isinstance(items[-1], Qualified):
                raise FillError(_NO_LOCATION)
            start -= isinstance(items[-1], Between)  # a country with a dash in its name
        whole += items[:start]
        places = [items[start:]]
        for following in segments[1:-1]:
            items = self._between(following)
            start = _trailing(items)
            if 0 < start < len(items):
                whole += self._finished([*places, items[:start]])
                places = [items[start:]]
            else:
                places.append(items)
        if len(segments) > 1:
            whole += self._finished([*places, self._between(segments[-1])])
        return one_of(whole) if whole else None

    def _finished(self, places: list[list[Value]]) -> list[Value]:
        """Return one location, followed by the alternatives that its last segment leaves over."""
        last = places[-1]
        split = next((i for i, item in enumerate(last) if isinstance(item, Location)), len(last))
        if _leading(last) == 0:
            # After a finished place, a plain name is a country of its own.
            split = next((i for i, item in enumerate(last[:split]) if _atomic(item)), split)
        parts = [*places[:-1], last[:split]]
        if not all(parts) or any(isinstance(p, Location) for part in parts for p in part):
            raise FillError(_NO_LOCATION)
        return [Location(tuple(map(one_of, parts))), *last[split:]]


_DASH = Text("-", "-")  # stands between the two items of a location that a dash joins


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _BLANK:
        at += 1
    return at


def _atomic(value: Value) -> bool:
    if isinstance(value, Alternatives):
        return all(map(_atomic, value.members))
    return value is None or isinstance(value, Text)


def _leading(items: Sequence[Value]) -> int:
    """Return how many atoms an operand to the right may take."""
    return next((i for i, item in enumerate(items) if not _atomic(item)), len(items))


def _trailing(items: Sequence[Value]) -> int:
    """Return where the atoms begin that an operand to the left may take."""
    return len(items) - _leading(items[::-1])
