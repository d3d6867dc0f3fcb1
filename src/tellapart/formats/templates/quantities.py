"""Numbers and dates that are written as text."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

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
