"""The values that fill slots, and when two of them count as equal.

A null value is None. Fills are compared by `equal`, which follows the scorer of 1992; two fills
with the same text are still different fills, told apart by identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product, starmap
from math import prod
from typing import Final, TypeAlias

# Upper case within Latin-1, so that what is read can be written again byte for byte.
_UPPER = {
    code: upper
    for code in range(256)
    if len(upper := chr(code).upper()) == 1 and ord(upper) < 256 and upper != chr(code)
}

MOST_READINGS: Final = 256

Span: TypeAlias = tuple[str, int, int]
"""A window of the document if it has several, start and end, the end not included"""


@dataclass(frozen=True, slots=True)
class Text:
    """A text as written, and `bare`, the form of it that is compared.

    In files of 1992 that is the text without its premodifiers, in JSON its normal form.
    """

    text: str
    bare: str = field(compare=False)
    span: Span | None = field(default=None, compare=False)
    """Where it stands in the document, if that is known"""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Any one of several values."""

    members: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that costs nothing when it is left out."""

    content: Value


@dataclass(frozen=True, slots=True)
class Reference:
    """A value with a tag that names the fill of another slot it belongs to."""

    value: Value
    tag: Value


@dataclass(frozen=True, slots=True)
class _OfTwo:
    first: Value
    second: Value


class Range(_OfTwo):
    """From one date or number to another; either end may be null."""


class Qualified(_OfTwo):
    """A place with its type, `LIMA (CITY)`."""


class Between(_OfTwo):
    """Somewhere between two places."""


@dataclass(frozen=True, slots=True)
class Location:
    """A country and places in it."""

    parts: tuple[Value, ...]

    @property
    def country(self) -> Value:
        """The country."""
        return self.parts[0]


Value: TypeAlias = (
    Text | Alternatives | Optional | Reference | Range | Qualified | Between | Location | None
)


def upper_case(text: str) -> str:
    """Return a text in capitals, as all fills are kept."""
    return text.translate(_UPPER)


def inner(value: Value) -> Value:
    """Return the value without its mark of being optional."""
    return value.content if isinstance(value, Optional) else value


def untagged(value: Value) -> Value:
    """Return the value without its tag."""
    return value.value if isinstance(value, Reference) else value


def parts(value: Value) -> tuple[Value, ...]:
    """Return what a value is made of, in order.

    >>> parts(Range(None, Text("15 OCT 89", "15 OCT 89")))
    (None, Text(text='15 OCT 89', bare='15 OCT 89', span=None))
    """
    match value:
        case Alternatives(members):
            return members
        case Optional(content):
            return (content,)
        case Reference(first, second) | _OfTwo(first, second):
            return first, second
        case Location(places):
            return places
        case _:
            return ()


def equal(a: Value, b: Value) -> bool:
    """Return whether two values count as equal; the order of the arguments matters.

    A reference is not equal to an optional one, though the optional one is equal to it; a null
    value is equal to anything optional.

    >>> men, women = Text("THE MEN", "MEN"), Text("WOMEN", "WOMEN")
    >>> equal(men, Alternatives((women, Text("MEN", "MEN"))))
    True
    >>> tagged = Reference(men, women)
    >>> equal(tagged, Optional(tagged)), equal(Optional(tagged), tagged)
    (False, True)
    """
    kind = type(a)
    if kind is Text:
        if type(b) is Text:
            return a.bare == b.bare  # type: ignore[union-attr]
        return isinstance(b, Optional | Alternatives) and equal(b, a)
    if a is None:
        if isinstance(b, Optional | Alternatives):
            return equal(b, a)
        return b is None or (isinstance(b, Text) and b.text == "")
    if isinstance(a, Alternatives):
        if isinstance(b, Alternatives):
            return _covers(a, b) and _covers(b, a)
        return any(equal(b, member) for member in a.members)
    if isinstance(a, Optional):
        return b is None or equal(a.content, inner(b))
    if kind is not type(b):
        return False
    own, other = parts(a), parts(b)
    return len(own) == len(other) and all(map(equal, own, other))


def _covers(a: Alternatives, b: Alternatives) -> bool:
    return all(any(equal(member, other) for other in b.members) for member in a.members)


def readings(response: Value) -> tuple[Value, ...]:
    """Return all that a response may stand for: one with alternatives earns what the best does.

    What could be read in more than `MOST_READINGS` ways is taken as it is.

    >>> men, women = Text("MEN", "MEN"), Text("WOMEN", "WOMEN")
    >>> [shown(each) for each in readings(Optional(Reference(Alternatives((men, women)), men)))]
    ['MEN: MEN', 'WOMEN: MEN']
    """
    value = inner(response)
    if isinstance(value, Text | None) or _n_readings(value) > MOST_READINGS:
        return (value,)
    if isinstance(value, Alternatives):
        return tuple(reading for member in value.members for reading in readings(member))
    ways = product(*map(readings, parts(value)))
    return tuple(map(Location, ways) if isinstance(value, Location) else starmap(type(value), ways))


def _n_readings(value: Value) -> int:
    numbers = map(_n_readings, parts(value))
    return sum(numbers) if isinstance(value, Alternatives) else prod(numbers)


def texts(value: Value) -> Iterator[Text]:
    """Yield all texts inside a value.

    >>> [each.text for each in texts(Optional(Alternatives((Text("A", "A"), Text("B", "B")))))]
    ['A', 'B']
    """
    if isinstance(value, Text):
        yield value
    else:
        for part in parts(value):
            yield from texts(part)


def members(value: Value) -> tuple[Value, ...]:
    """Return the alternatives that a value has, or the value alone."""
    return value.members if isinstance(value, Alternatives) else (value,)


def one_of(values: Iterable[Value]) -> Value:
    """Return a fill that any of several values stands for; alternatives do not nest."""
    found = tuple(member for value in values for member in members(value))
    return found[0] if len(found) == 1 else Alternatives(found)


def mentions(value: Value) -> tuple[Text, ...]:
    """Return the texts that stand for a fill, without its tag.

    >>> men, women = Text("MEN", "MEN"), Text("WOMEN", "WOMEN")
    >>> [each.text for each in mentions(Optional(Reference(Alternatives((men, women)), men)))]
    ['MEN', 'WOMEN']
    """
    value = untagged(inner(value))
    return (value,) if isinstance(value, Text) else tuple(texts(value))


def names(value: Value) -> tuple[str, ...]:
    """Return the texts that stand for a fill, in the form in which they are compared."""
    return tuple([text.bare for text in mentions(value)])


def shown(value: Value) -> str:
    """Return a value the way a template writes it.

    >>> lima = Qualified(Text("LIMA", "LIMA"), Text("CITY", "CITY"))
    >>> shown(Optional(Location((Text("PERU", "PERU"), lima))))
    '? PERU: LIMA (CITY)'
    """
    match value:
        case None:
            return ""
        case Text(text):
            return text
        case Optional(content):
            return f"? {shown(content)}"
        case Alternatives(members):
            return " / ".join(_grouped(member) for member in members)
        case Reference(first, tag):
            return f"{shown(first)}: {shown(tag)}"
        case Range(low, high):
            return f"{_grouped(low)} - {_grouped(high)}".strip()
        case Qualified(name, kind):
            return f"{shown(name)} ({shown(kind)})"
        case Between(first, second):
            return f"{shown(first)} - {shown(second)}"
        case Location(places):
            return ": ".join(_grouped(place) for place in places)


def _grouped(value: Value) -> str:
    """Return a part of a value as written, in brackets where it would run into its neighbours."""
    if isinstance(value, Location | Range | Alternatives):
        return f"({shown(value)})"
    return shown(value)
