"""The grammar of fills: one line of a slot becomes one value.

A fill is a list of items separated by `/`: quoted strings, bare texts, groups in parentheses. Each
kind of slot has characters of its own that put items together: `:` before a tag, `-` in a range,
`:`, `(` and `-` in a location. Of a fill that is not well formed, what can be read counts, and a
remark says what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
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
    parts,
    upper_case,
)

NOTHING = ("-", "*")
"""The bare texts that say that a slot is not filled"""

NO_TAG: Final = "no tag follows the colon"
"""The remark on a value with a colon and nothing after it, which counts as it would without"""

MOST_JOINTS: Final = 200
"""How many brackets, or dashes, a fill may have: each may nest its parts deeper"""

_GRAMMARS = {"date": "-", "location": ":(-", "number": ":"}
QUOTED: Final = re.compile(r'"(?:\\"|[^"\n])*"')
"""A text in quotation marks"""
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
    value, remark = read_fill(line, kind, design)
    if remark is not None and remark != NO_TAG:
        raise FillError(remark)
    return value


def read_fill(line: str, kind: str, design: Design) -> tuple[Value, str | None]:
    """Return what can be read of a fill, and what is wrong with it, if anything is.

    >>> from tellapart.formats.templates.design import load_design
    >>> from tellapart.formats.templates.values import shown
    >>> value, remark = read_fill('INJURY: "MEN" THERE', "set", load_design())
    >>> shown(value), remark
    ('INJURY: "MEN"', "'THERE' follows where only / or the end may")
    """
    text = upper_case(line).strip(_BLANK)
    if text in NOTHING:
        return None, None
    optional = text.startswith("?")
    remarks: list[str] = []
    if sum(map(text.count, "([{")) > MOST_JOINTS or text.count("-") > MOST_JOINTS:
        return None, f"there are more than {MOST_JOINTS} brackets or dashes"
    value = _of_kind(text[1:].lstrip(_BLANK) if optional else text, kind, design, remarks)
    if _has_empty_alternative(value):
        remarks.append("an alternative is empty")
    remark = remarks[0] if remarks else None
    if value is None or (isinstance(value, Text) and value.text in NOTHING):
        return None, remark
    return (Optional(value) if optional else value), remark


def _has_empty_alternative(value: Value) -> bool:
    if isinstance(value, Alternatives) and None in value.members:
        return True
    return any(map(_has_empty_alternative, parts(value)))


def _of_kind(text: str, kind: str, design: Design, remarks: list[str]) -> Value:
    value = _Parser(design, _GRAMMARS.get(kind, ":"), remarks).parse(text)
    if kind == "number" and not isinstance(value, Reference | Alternatives):
        return _Parser(design, "-", remarks).parse(text.rstrip(_BLANK + ":"))
    return value


@dataclass(frozen=True, slots=True)
class _Parser:
    """Parses texts of one grammar, which its structural characters name."""

    design: Design
    structural: str
    remarks: list[str] = field(default_factory=list)
    """What is wrong with the text, to be added to"""

    def parse(self, text: str) -> Value:
        segments = self._segments(text)
        if not self.structural:
            return _joined(segments[0])
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
                kind, at = _Parser(self.design, "", self.remarks)._group(text, at)
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
                self.remarks.append("a quoted string is not closed")
                return self.design.text(text[at:] + '"'), len(text)
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
        self.remarks.append("a parenthesis is not closed")
        return self.parse(text[at + 1 :]), len(text)

    def _ended(self, text: str, at: int) -> int:
        """Return where an item that is complete ends; what should not follow it is passed over."""
        at = end = _skip(text, at)
        while end < len(text) and text[end] != "/" and text[end] not in self.structural:
            end += 1
        if end > at:
            # Not all of it: there may be as many remarks as the fill has alternatives.
            self.remarks.append(f"{text[at : at + 60]!r} follows where only / or the end may")
        return end

    def _reference(self, segments: Sequence[Sequence[Value]]) -> Value:
        """Return a value with its tag; a reference cannot be an alternative."""
        if len(segments) == 1:
            value = _joined(segments[0])
            if not _atomic(value) and not isinstance(value, Reference):
                self.remarks.append("a fill with a tag cannot be one of several alternatives")
                return segments[0][0]
            return value
        value, tag = _joined(segments[0]), _joined(segments[1])
        if len(segments) > 2 or not _atomic(value) or not _atomic(tag):
            self.remarks.append("a fill has one value and one tag, with one colon between them")
            value, tag = segments[0][0], segments[1][0]
            if not _atomic(value) or not _atomic(tag):
                return value
        if tag is None:
            self.remarks.append(NO_TAG)
            return value
        return Reference(value, tag)

    def _range(self, segments: Sequence[Sequence[Value]]) -> Value:
        """Return the ranges; what no dash takes stays an alternative of the whole."""
        rest: list[Value] = []
        items = list(segments[0])
        for following in segments[1:]:
            start, end = _trailing(items), _leading(following)
            if start == len(items) or end == 0:
                self.remarks.append(
                    "a dash needs a plain date or number, or nothing, on either side"
                )
                rest += items
            else:
                low, high = _joined(items[start:]), _joined(following[:end])
                rest += items[:start]
                rest += [] if low is None and high is None else [Range(low, high)]
            items = list(following[end:])
        whole = rest + items
        return _joined(whole) if whole else None

    def _qualify(self, items: list[Value], kind: Value) -> None:
        """Join places, back to the last structure, and the type in parentheses after them."""
        start = _trailing(items)
        if _DASH in items[start:]:
            start = len(items) - items[::-1].index(_DASH)
        if start == len(items):
            self.remarks.append("parentheses qualify the name of a place")
        else:
            items[start:] = [Qualified(_joined(items[start:]), kind)]

    def _between(self, items: Sequence[Value]) -> list[Value]:
        """Return the two places on either side of each dash as one."""
        done: list[Value] = []
        pending = False
        for item in items:
            if item is _DASH:
                pending = True
            elif pending:
                pending = False
                if done[-1] is not None and item is not None:
                    done[-1] = Between(done[-1], item)
                elif done[-1] is not None or item is not None:
                    self.remarks.append("a dash in a location stands between two places")
                    done[-1] = done[-1] if item is None else item
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
            if isinstance(items[-1], Between):
                start -= 1  # a country with a dash in its name
            elif isinstance(items[-1], Qualified):
                self.remarks.append("a country has no kind in parentheses")
                start, items[-1] = start - 1, items[-1].name
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
        return _joined(whole) if whole else None

    def _finished(self, places: list[list[Value]]) -> list[Value]:
        """Return one location, followed by the alternatives that its last segment leaves over."""
        last = places[-1]
        split = next((i for i, item in enumerate(last) if isinstance(item, Location)), len(last))
        if _leading(last) == 0:
            # After a finished place, a plain name is a country of its own.
            split = next((i for i, item in enumerate(last[:split]) if _atomic(item)), split)
        parts = [*places[:-1], last[:split]]
        if not all(parts) or any(isinstance(p, Location) for part in parts for p in part):
            self.remarks.append("a location is a country and places, with a colon between them")
            plain: list[list[Value]] = [
                [place for place in part if not isinstance(place, Location)] for part in parts
            ]
            parts = [part for part in plain if part] if plain[0] else []
        found: list[Value] = [Location(tuple(_joined(part) for part in parts))] if parts else []
        return [*found, *last[split:]]


_DASH = Text("-", "-")  # stands between the two items of a location that a dash joins


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _BLANK:
        at += 1
    return at


def _atomic(value: Value) -> bool:
    if isinstance(value, Alternatives):
        return all(map(_atomic, value.members))
    return value is None or isinstance(value, Text)


def _joined(values: Sequence[Value]) -> Value:
    """Return several alternatives as one value, without nesting."""
    members: list[Value] = []
    for value in values:
        members.extend(value.members if isinstance(value, Alternatives) else (value,))
    return members[0] if len(members) == 1 else Alternatives(tuple(members))


def _leading(items: Sequence[Value]) -> int:
    """Return how many atoms an operand to the right may take."""
    return next((i for i, item in enumerate(items) if not _atomic(item)), len(items))


def _trailing(items: Sequence[Value]) -> int:
    """Return where the atoms begin that an operand to the left may take."""
    return len(items) - _leading(items[::-1])
