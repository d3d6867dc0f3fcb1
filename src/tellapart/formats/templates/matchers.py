"""Matchers: whether one fill stands for another, wholly, in part or not at all.

A slot of a schema has one matcher. Fills are prepared once (normalised, parsed, cut into words) and
then compared; what is equal when prepared is right for every matcher.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from tellapart.formats.templates.pairing import CORRECT, PARTIAL, WRONG
from tellapart.formats.templates.values import (
    Reference,
    Text,
    Value,
    equal,
    inner,
    mentions,
    readings,
)

Prepared: TypeAlias = tuple[Hashable, ...]
"""The mentions of a fill, ready to be compared"""

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "text": (),
    "exact": (),
    "number": ("tolerance", "relative"),
    "date": ("tolerance",),
    "tokens": ("correct", "partial"),
}
"""The matchers by name, and what may be set for each"""

_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_MOST_DIGITS: Final = 400
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH: Final = "|".join(f"{name[:3]}(?:{name[3:]}|{name[3:4]})?" for name in _MONTHS)
_ISO: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_IN_WORDS: Final = (
    re.compile(rf"(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th)? )?(?:of )?(?P<m>{_MONTH}) (?P<y>\d{{4}})"),
    re.compile(rf"(?P<m>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<y>\d{{4}})"),
)


@dataclass(frozen=True, slots=True)
class Matcher:
    """A way to compare fills: by name, with what it takes for right and for partly right.

    >>> from tellapart.formats.templates.model import fill_of
    >>> tokens = Matcher("tokens")
    >>> a, b = (tokens.prepared(fill_of(text)) for text in ("the car bomb", "a bomb"))
    >>> tokens.level(a, b), tokens.level(a, a)
    (1, 2)
    """

    name: str = "text"
    correct: Fraction = Fraction(1)
    partial: Fraction = Fraction(1, 2)
    """The least likeness that is partly right"""
    tolerance: Fraction = Fraction(0)
    relative: Fraction = Fraction(0)

    def __hash__(self) -> int:
        """Return a hash of the name alone: those of fractions take long."""
        return hash(self.name)

    def prepared(self, fill: Value) -> Prepared:
        """Return a fill as it is compared; mentions that come out the same are one."""
        return _prepared(self.name, fill)

    def level(self, gold: Prepared, system: Prepared) -> int:
        """Return what a fill is worth, wrong, partly right or right: the best of its mentions."""
        if any(mention in gold for mention in system):
            return CORRECT
        compare = _COMPARE.get(self.name)
        return WRONG if compare is None else max(compare(self, a, b) for a in gold for b in system)

    def level_of(self, key: Value, response: Value) -> int:
        """Return what a fill is worth with its tag: with a wrong one, no more than a half.

        >>> from tellapart.formats.templates.model import fill_of
        >>> hurt, ann, bo = fill_of("hurt"), fill_of("Ann"), fill_of("Bo")
        >>> Matcher().level_of(Reference(hurt, ann), Reference(hurt, bo))
        1
        """
        level = self.level(self.prepared(key), self.prepared(response))
        ours, theirs = inner(key), inner(response)
        if not isinstance(ours, Reference) or level == WRONG:
            return level
        same = isinstance(theirs, Reference) and any(
            equal(ours.tag, tag) for tag in readings(theirs.tag)
        )
        return level if same else PARTIAL


@lru_cache(maxsize=1 << 16)
def _prepared(name: str, fill: Value) -> Prepared:
    return tuple(dict.fromkeys(map(_PREPARE[name], mentions(fill))))


def _text(mention: Text) -> str:
    return mention.bare


def _number(mention: Text) -> Hashable:
    found = as_number(mention.text)
    if found is None:
        return _text(mention)
    # Whole numbers are hashed and compared much faster, and are equal to their fractions.
    return found.numerator if found.denominator == 1 else found


def _date(mention: Text) -> Hashable:
    found = as_date(mention.text)
    return _text(mention) if found is None else found


def _tokens(mention: Text) -> Hashable:
    return tuple(sorted(_text(mention).split()))


_PREPARE: Final[Mapping[str, Callable[[Text], Hashable]]] = {
    "text": _text,
    "exact": lambda mention: mention.text,
    "number": _number,
    "date": _date,
    "tokens": _tokens,
}


def _graded(matcher: Matcher, like: int, of: int) -> int:
    """Return what a likeness of `like / of` is worth; compared as fractions, so that ties count."""
    like, of = (like, of) if of else (1, 1)
    for least, level in ((matcher.correct, CORRECT), (matcher.partial, PARTIAL)):
        if like * least.denominator >= least.numerator * of:
            return level
    return WRONG


def _compare_numbers(matcher: Matcher, a: Any, b: Any) -> int:
    if isinstance(a, str) or isinstance(b, str):
        return WRONG
    widest = max(matcher.tolerance, matcher.relative * max(abs(a), abs(b)))
    return CORRECT if abs(a - b) <= widest else WRONG


def _compare_dates(matcher: Matcher, a: Any, b: Any) -> int:
    if not isinstance(a, Date) or not isinstance(b, Date):
        return WRONG
    apart = a.days_to(b)
    if apart is None:
        return PARTIAL if a.covers(b) or b.covers(a) else WRONG
    return CORRECT if apart <= matcher.tolerance else WRONG


def _compare_tokens(matcher: Matcher, a: Any, b: Any) -> int:
    shared = i = j = 0
    while i < len(a) and j < len(b):  # both are sorted
        if a[i] == b[j]:
            shared, i, j = shared + 1, i + 1, j + 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return _graded(matcher, 2 * shared, len(a) + len(b))


_COMPARE: Final[Mapping[str, Callable[[Matcher, Any, Any], int]]] = {
    "number": _compare_numbers,
    "date": _compare_dates,
    "tokens": _compare_tokens,
}


# Numbers and dates that are written as text.


@lru_cache(maxsize=1 << 16)
def as_number(text: str) -> Fraction | None:
    """Return the number that a text is, exactly; None if it is none.

    >>> as_number("15,000"), as_number("-2.50"), as_number("1e3"), as_number("about 3")
    (Fraction(15000, 1), Fraction(-5, 2), Fraction(1000, 1), None)
    """
    text = text.strip()
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    if len(text) > _MOST_DIGITS or not _NUMBER.fullmatch(text):
        return None
    try:
        return Fraction(Decimal(text))
    except InvalidOperation:
        return None


class Date(NamedTuple):
    """A day, a month or a year."""

    year: int
    month: int | None = None
    day: int | None = None

    def covers(self, other: Date) -> bool:
        """Return whether the other says the same, more precisely.

        >>> Date(1989, 11).covers(Date(1989, 11, 16)), Date(1989, 11).covers(Date(1989, 12))
        (True, False)
        """
        known = [part for part in self if part is not None]
        return known == [*other][: len(known)]

    def days_to(self, other: Date) -> int | None:
        """Return the distance in days; None where one is no day."""
        if None in (*self, *other):
            return None
        first, second = (date(d.year, d.month or 1, d.day or 1) for d in (self, other))
        return abs((first - second).days)


@lru_cache(maxsize=1 << 16)
def as_date(text: str) -> Date | None:
    """Return the date that a text is: in digits, year first, or in English words.

    What can be read in two ways, as 3/4/1989, is no date here; a time of the day is passed over.

    >>> as_date("1989-11-16"), as_date("Nov. 16, 1989") == as_date("16 November 1989")
    (Date(year=1989, month=11, day=16), True)
    >>> as_date("1989-11"), as_date("3/4/1989")
    (Date(year=1989, month=11, day=None), None)
    """
    text = text.strip()
    if len(text) > 40:
        return None
    if found := _ISO.fullmatch(text):
        return _checked(*(int(part) if part else None for part in found.groups()))
    words = " ".join(re.sub(r"[.,]", " ", text.lower()).split())
    for pattern in _IN_WORDS:
        if found := pattern.fullmatch(words):
            month = 1 + [name[:3] for name in _MONTHS].index(found["m"][:3])
            return _checked(int(found["y"]), month, int(found["d"]) if found["d"] else None)
    try:
        day = datetime.fromisoformat(text)
    except ValueError:
        return None
    return Date(day.year, day.month, day.day)


def _checked(year: int | None, month: int | None, day: int | None) -> Date | None:
    try:
        date(year or 0, month or 1, day or 1)
    except ValueError:
        return None
    return Date(year or 0, month, day)
