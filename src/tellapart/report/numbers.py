"""Numbers as text: scores, differences, intervals and p-values, written alike in all reports."""

from __future__ import annotations

import math
from collections.abc import Callable

from tellapart.comparison.pair_record import PairResult
from tellapart.words import p_text as p_text

SAME = 1e-11
"""No report shows differences below this one: they are rounding errors"""

_TINY = 5e-7  # less has an exponent
_LARGE, _HUGE = 1e6, 1e9  # from here on without decimals, and with an exponent


def plain(value: float | None) -> str:
    """Return a score as text; one that is very large with fewer digits, a tiny one with two.

    >>> plain(0.2083), plain(0.000312), plain(1234567.8), plain(1.5e12), plain(None)
    ('0.208', '0.00031', '1234568', '1.5e+12', '-')
    >>> plain(3.14e-9), plain(1e-15)
    ('3.1e-09', '0.000')
    """
    if value is None:
        return "-"
    if abs(value) >= _LARGE:
        return _large(value)
    if abs(value) < _TINY:
        return "0.000" if abs(value) < SAME else f"{value:.1e}"
    return f"{value:.{_decimals(value, 2)}f}"


def signed(value: float | None) -> str:
    """Return a difference with its sign, and one near 0 with the digit that tells its side.

    >>> signed(0.2083), signed(-0.00042), signed(3.14e-9), signed(-1e-15), signed(None)
    ('+0.208', '-0.0004', '+3e-09', '0.000', '-')
    """
    if value is None:
        return "-"
    if abs(value) < _TINY:
        return "0.000" if abs(value) < SAME else f"{value:+.0e}"
    if abs(value) >= _LARGE:
        return f"{'+' if value > 0 else ''}{_large(value)}"
    return f"{value:+.{_decimals(value, 1)}f}"


def _decimals(value: float, digits: int) -> int:
    """Return three decimals, or as many as show some digits where three would show none."""
    return 3 if abs(value) >= 0.0005 else digits - 1 - math.floor(math.log10(abs(value)))


def _large(value: float) -> str:
    return f"{value:.0f}" if abs(value) < _HUGE else f"{value:.6g}"


def size(value: float) -> str:
    """Return how large a difference is, whatever its sign.

    >>> size(-0.2083), size(0.00042)
    ('0.208', '0.0004')
    """
    return signed(value).lstrip("+-")


def ends(interval: tuple[float | None, float | None] | None) -> tuple[str, str]:
    """Return both ends of an interval of differences; one without a bound is infinite.

    >>> ends((-0.1, 0.25)), ends((0.05, None)), ends(None)
    (('-0.100', '+0.250'), ('+0.050', 'inf'), ('-', '-'))
    """
    low, high = interval or (None, None)
    if low is None and high is None:
        return "-", "-"
    return "-inf" if low is None else signed(low), "inf" if high is None else signed(high)


def range_words(interval: tuple[float | None, float | None]) -> str:
    """Return an interval of differences in words.

    >>> range_words((-0.1, 0.25)), range_words((0.05, 0.25))
    ('-0.100 to +0.250', '0.050 to 0.250')
    >>> range_words((0.05, None)), range_words((None, -0.05))
    ('+0.050 or more', '-0.050 or less')
    """
    low, high = interval
    if low is None or high is None:
        first, last = ends(interval)
        return f"{last} or less" if low is None else f"{first} or more"
    write = signed if low <= -SAME else size
    return f"{write(low)} to {write(high)}"


def pair_p(pair: PairResult, alpha: float) -> str:
    """Return the p of a pair as text, with the digits that its shuffles leave it."""
    return p_text(pair.p, alpha, _drawing_error(pair))


def pair_adjusted(pair: PairResult, alpha: float) -> str:
    """Return the adjusted p of a pair as text, with the digits that its shuffles leave it."""
    stretched = pair.p_adjusted / pair.p if pair.p and pair.p_adjusted else 1.0
    return p_text(pair.p_adjusted, alpha, _drawing_error(pair) * stretched)


def _drawing_error(pair: PairResult) -> float:
    """Return the standard error that the drawing of shuffles gives to p; 0 where none were."""
    if not pair.shuffles or pair.p is None:
        return 0.0
    return math.sqrt(pair.p * (1 - pair.p) / pair.shuffles)


def two_digits(value: float) -> str:
    """Return a number that is known to two digits at most.

    >>> two_digits(0.2305), two_digits(0.0599), two_digits(12.34)
    ('0.23', '0.060', '12')
    """
    return f"{value:#.2g}".rstrip(".") if value < 100 else f"{value:.0f}"


def ends_words(
    interval: tuple[float | None, float | None] | None, write: Callable[[float], str] = signed
) -> str:
    """Return an interval in words; an end that is not known is open.

    >>> ends_words((0.0381, 0.375)), ends_words((0.1, None)), ends_words(None)
    ('+0.038 to +0.375', '+0.100 and more', '')
    >>> ends_words((-0.0002, 0.042)), ends_words((0.1, 0.25), plain)
    ('-0.0002 to +0.042', '0.100 to 0.250')
    """
    low, high = interval or (None, None)
    shown_low, shown_high = ("" if end is None else write(end) for end in (low, high))
    if low is None or high is None:
        return f"{shown_low} and more" if shown_low else f"{shown_high} and less" * bool(shown_high)
    return f"{shown_low} to {shown_high}"
