"""Matchers: whether one fill stands for another, wholly, in part or not at all.

A slot of a schema has one matcher. Fills are prepared once (normalised, parsed, cut into words) and
then compared; what is equal when prepared is right for every matcher.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

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
_IN_WORDS: Final = re.compile(r"(?:(\d\d?) )?([a-z]{3,9}) (?:(\d\d?) )?(\d{4})", re.ASCII)
_ISO: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ]\d.*)?)?)?", re.ASCII)
_BASIC: Final = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII)


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


def _number(mention: Text) -> Hashable:
    found = as_number(mention.text)
    if found is None:
        return mention.bare
    # Whole numbers are hashed and compared much faster, and are equal to their fractions.
    return found.numerator if found.denominator == 1 else found


def _date(mention: Text) -> Hashable:
    return as_date(mention.text) or mention.bare


_PREPARE: Final[Mapping[str, Callable[[Text], Hashable]]] = {
    "text": lambda mention: mention.bare,
    "exact": lambda mention: mention.text,
    "number": _number,
    "date": _date,
    "tokens": lambda mention: tuple(sorted(mention.bare.split())),
}


def _compare_numbers(matcher: Matcher, a: Any, b: Any) -> int:
    if isinstance(a, str) or isinstance(b, str):
        return WRONG
    widest = max(matcher.tolerance, matcher.relative * max(abs(a), abs(b)))
    return CORRECT if abs(a - b) <= widest else WRONG


def _compare_dates(matcher: Matcher, a: Any, b: Any) -> int:
    if isinstance(a, str) or isinstance(b, str):
        return WRONG
    if len(a) == len(b) == 3:
        return CORRECT if abs(date(*a) - date(*b)).days <= matcher.tolerance else WRONG
    known = min(len(a), len(b))  # one may say the same, more precisely
    return PARTIAL if a[:known] == b[:known] else WRONG


def _compare_tokens(matcher: Matcher, a: Any, b: Any) -> int:
    # A fraction, so that what is just reached counts; two without words are equal.
    like = Fraction(2 * (Counter(a) & Counter(b)).total(), len(a) + len(b))
    return CORRECT if like >= matcher.correct else PARTIAL if like >= matcher.partial else WRONG


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
    return Fraction(Decimal(text))


@lru_cache(maxsize=1 << 16)
def as_date(text: str) -> tuple[int, ...] | None:
    """Return year, month and day of a text in ISO 8601 or English, or year and month, or year.

    >>> as_date("1989-11-16T12:00"), as_date("Nov. 1989"), as_date("3/4/1989")
    ((1989, 11, 16), (1989, 11), None)
    """
    if found := _ISO.fullmatch(_as_iso(text.strip())):
        known = tuple(int(part) for part in found.groups() if part)
        with suppress(ValueError):
            date(*(*known, 1, 1)[:3])
            return known
    return None


def _as_iso(text: str) -> str:
    """Return a date in English as ISO 8601 has it, and any other text as it is.

    >>> _as_iso("16th of November 1989"), _as_iso("Nov. 6, 1989"), _as_iso("May 1989")
    ('1989-11-16', '1989-11-06', '1989-05')
    """
    words = re.sub(r"(?<=\d)(st|nd|rd|th)\b|\bof\b|[.,]", " ", text.lower()).split()
    found = _IN_WORDS.fullmatch(" ".join(words))
    if found is None:
        return _BASIC.sub(r"\1-\2-\3", text) if _BASIC.fullmatch(text) else text
    before, month, after, year = found.groups()
    named = [k for k, name in enumerate(_MONTHS, 1) if name.startswith(month)]
    if not named:
        return text
    parts = [str(named[0]), *filter(None, (before, after))]
    return "-".join([year, *(part.zfill(2) for part in parts)])
