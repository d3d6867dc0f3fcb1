"""Numbers as text: scores, differences, intervals, p-values and shares, alike in all reports."""

from __future__ import annotations

import math
from collections.abc import Callable

from tellapart.comparison.record import Ends, Pair
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


def two_digits(value: float) -> str:
    """Return a number that is known to two digits at most.

    >>> two_digits(0.2305), two_digits(0.0599), two_digits(12.34)
    ('0.23', '0.060', '12')
    """
    return f"{value:#.2g}".rstrip(".") if value < 100 else f"{value:.0f}"


def ends(interval: Ends | None, write: Callable[[float], str] = signed) -> tuple[str, str]:
    """Return both ends of an interval; one without a bound is infinite.

    >>> ends((-0.1, 0.25)), ends((0.05, None)), ends(None), ends((0.1, 0.25), plain)
    (('-0.100', '+0.250'), ('+0.050', 'inf'), ('-', '-'), ('0.100', '0.250'))
    """
    low, high = interval or (None, None)
    if low is None and high is None:
        return "-", "-"
    return "-inf" if low is None else write(low), "inf" if high is None else write(high)


def range_words(interval: Ends) -> str:
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


def percent(share: float) -> str:
    """Return a level in per cent, with the digits that tell it from others.

    >>> percent(0.9), percent(1 - 0.1 / 3), percent(0.9975)
    ('90 %', '96.67 %', '99.75 %')
    """
    return f"{100 * share:.4g} %"


def whole_percent(share: float) -> str:
    """Return a share in whole per cent; what is neither never nor always does not look like it.

    >>> whole_percent(0.536), whole_percent(0.0004), whole_percent(0.9999), whole_percent(1)
    ('54 %', '<1 %', '>99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def pair_p(pair: Pair, alpha: float) -> str:
    """Return the p of a pair as text, with the digits that shuffles, or its bounds, leave it.

    Where it is an upper bound of which even the first digit is unsure, it begins with `≤`.
    """
    return _with_error(pair, pair.p, alpha)


def pair_adjusted(pair: Pair, alpha: float) -> str:
    """Return the adjusted p of a pair as text, like `pair_p`."""
    return _with_error(pair, pair.p_adjusted, alpha)


def _with_error(pair: Pair, p: float | None, alpha: float) -> str:
    if p is None or not pair.p:
        return p_text(p, alpha)
    drawing_error = math.sqrt(pair.p * (1 - pair.p) / pair.shuffles) if pair.shuffles else 0.0
    text = p_text(p, alpha, max(drawing_error, pair.error) * p / pair.p)
    return f"≤{text}" if pair.error > pair.p / 10 else text


def short_p(p: float | None, alpha: float) -> str:
    """Return p as short as the cell of a matrix needs; a tiny one has a single digit, none is 0.

    >>> short_p(0.0284, 0.05), short_p(4.6e-8, 0.05), short_p(1.0, 0.05), short_p(None, 0.05)
    ('.0284', '5e-8', '1', '-')
    """
    if p is None or not 1e-300 <= p < min(1e-4, alpha):
        return p_text(p, alpha)
    digit, _, power = f"{p:.0e}".partition("e-")
    return f"{digit}e-{int(power)}"
