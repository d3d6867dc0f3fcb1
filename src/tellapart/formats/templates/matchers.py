"""Matchers: whether one fill stands for another, wholly, in part or not at all.

A slot of a schema has one matcher. Fills are prepared once (normalised, parsed, cut into words) and
then compared; what is equal when prepared is right for every matcher.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from tellapart.formats.templates.pairing import CORRECT, PARTIAL, WRONG
from tellapart.formats.templates.quantities import Date, as_date, as_number
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

THRESHOLDS: Final = ("correct", "partial")
TOLERANCES: Final = ("tolerance", "relative", "partial_tolerance", "partial_relative")
DAYS: Final = ("tolerance", "partial_tolerance")

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "text": (),
    "exact": (),
    "number": TOLERANCES,
    "date": DAYS,
    "tokens": THRESHOLDS,
}
"""The matchers by name, and what may be set for each"""


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
    partial_tolerance: Fraction = Fraction(0)
    partial_relative: Fraction = Fraction(0)

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
    apart, size = abs(a - b), max(abs(a), abs(b))
    if apart <= max(matcher.tolerance, matcher.relative * size):
        return CORRECT
    widest = max(matcher.partial_tolerance, matcher.partial_relative * size)
    return PARTIAL if apart <= widest else WRONG


def _compare_dates(matcher: Matcher, a: Any, b: Any) -> int:
    if not isinstance(a, Date) or not isinstance(b, Date):
        return WRONG
    apart = a.days_to(b)
    if apart is None:
        return PARTIAL if a.covers(b) or b.covers(a) else WRONG
    if apart <= matcher.tolerance:
        return CORRECT
    return PARTIAL if apart <= matcher.partial_tolerance else WRONG


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
