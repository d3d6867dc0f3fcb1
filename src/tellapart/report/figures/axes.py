"""The axes of figures: scales, round values and their ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tellapart.report.figures.names import text_width
from tellapart.report.figures.svg import FAINT, GRID, INK, element, line, number, text


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from `low` to `high` on pixels from `start` to `end`.

    >>> Scale(0, 1, 100, 300)(0.5)
    200.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        spread = self.high - self.low
        share = (value - self.low) / spread if spread else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Return round values for an axis, at most so many.

        >>> Scale(0.38, 0.86, 0, 1).ticks()
        [0.4, 0.5, 0.6, 0.7, 0.8]
        """
        return round_values(self.low, self.high, most)


def round_values(low: float, high: float, most: int = 6) -> list[float]:
    """Return the multiples of 1, 2 or 5 times a power of ten between two values.

    >>> round_values(-0.013, 0.052)
    [-0.01, 0.0, 0.01, 0.02, 0.03, 0.04, 0.05]
    """
    spread = high - low
    if not spread > 0 or not math.isfinite(spread):
        return [low]
    power = math.floor(math.log10(spread / most))
    for step, exponent in ((1, power), (2, power), (5, power), (1, power + 1), (2, power + 1)):
        size = step * 10.0**exponent
        first, last = math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9)
        if last - first < most + 1:
            return [round(k * size, max(0, 2 - exponent)) + 0.0 for k in range(first, last + 1)]
    return [low, high]


def tick_text(value: float, ticks: Sequence[float]) -> str:
    """Return a tick with as many decimals as its neighbours need.

    >>> tick_text(0.4, [0.4, 0.45]), tick_text(20, [0, 20])
    ('0.40', '20')
    """
    gaps = [abs(b - a) for a, b in pairwise(ticks) if b != a]
    decimals = max(0, -math.floor(math.log10(min(gaps)) + 1e-9)) if gaps else 2
    if gaps and round(min(gaps), decimals) != round(min(gaps), 12):
        decimals += 1
    return f"{value:.{decimals}f}"


def ticks_below(scale: Scale, y: float, signs: bool = False) -> str:
    """Return the values of a horizontal axis, under it; `signs` for differences."""
    return element("g", bare_ticks(scale, y, signs), fill=FAINT, text_anchor="middle")


def bare_ticks(scale: Scale, y: float, signs: bool = False) -> str:
    """Return the values of a horizontal axis, in the colour of what they are put into."""
    values = tick_values(scale, signs)
    return "".join(
        f'<text x="{scale(value):.0f}" y="{number(y)}">{_tick(value, values, signs)}</text>'
        for value in values
    )


def tick_values(scale: Scale, signs: bool = False) -> list[float]:
    """Return round values for an axis, as many as there is room for.

    >>> tick_values(Scale(0, 1, 0, 300)), tick_values(Scale(0, 1, 0, 90))
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 0.5, 1.0])
    """
    values: list[float] = []
    for most in (6, 5, 4, 3, 2, 1):
        values = scale.ticks(most)
        widest = max((text_width(_tick(value, values, signs)) for value in values), default=0)
        if len(values) < 2 or abs(scale(values[1]) - scale(values[0])) >= widest + 6:
            return values
    return values[:1]


def _tick(value: float, values: Sequence[float], signs: bool) -> str:
    words = tick_text(value, values)
    return f"+{words}" if signs and value > 0 else words


def grid(scale: Scale, top: float, bottom: float, signs: bool = False) -> str:
    """Return a line up from each value of an axis, as one path."""
    lines = "".join(
        f"M{number(scale(value))} {number(top)}V{number(bottom)}"
        for value in tick_values(scale, signs)
    )
    return element("path", d=lines, stroke=GRID, fill="none")


def horizontal_grid(scale: Scale, values: Iterable[float], left: float, right: float) -> str:
    """Return a line across for each value of a vertical axis, as one path."""
    lines = "".join(f"M{number(left)} {number(scale(value))}H{number(right)}" for value in values)
    return element("path", d=lines, stroke=GRID)


def ticks_left(scale: Scale, words: Mapping[float, str], right: float) -> str:
    """Return the values of a vertical axis, which end at its left."""
    ticks = "".join(
        f'<text x="{number(right)}" y="{number(scale(value) + 4)}">{written}</text>'
        for value, written in words.items()
    )
    return element("g", ticks, fill=FAINT, text_anchor="end")


def name_left(scale: Scale, words: str, x: float) -> str:
    """Return the name of a vertical axis, written upwards."""
    turned = f"translate({number(x)} {number((scale.start + scale.end) / 2)}) rotate(-90)"
    return text(0, 0, words, text_anchor="middle", transform=turned)


def interval_path(
    scale: Scale, ends: tuple[float | None, float | None] | None, y: float, cap: int = 0
) -> str:
    """Return the path of an interval; one without an end reaches to the end of the axis.

    >>> interval_path(Scale(0, 1, 0, 100), (0.2, None), 10)
    'M20 10H100'
    """
    low, high = ends or (None, None)
    if low is None and high is None:
        return ""
    x1 = scale.start if low is None else scale(low)
    x2 = scale.end if high is None else scale(high)
    caps = "".join(
        f"M{number(x)} {number(y - cap)}v{2 * cap}"
        for x, end in ((x1, low), (x2, high))
        if cap and end is not None
    )
    return f"M{number(x1)} {number(y)}H{number(x2)}{caps}"


def lines_to_axes(x: float, y: float, left: float, bottom: float) -> str:
    """Return the dashed lines from a place on a curve to both axes."""
    dashes = {"stroke": INK, "stroke_dasharray": "5 3"}
    return line(left, y, x, y, **dashes) + line(x, y, x, bottom, **dashes)


def tick_texts(scale: Scale) -> dict[float, str]:
    """Return the round values of an axis with their words.

    >>> tick_texts(Scale(0.38, 0.62, 0, 1))
    {0.4: '0.40', 0.45: '0.45', 0.5: '0.50', 0.55: '0.55', 0.6: '0.60'}
    """
    values = scale.ticks()
    return {value: tick_text(value, values) for value in values}


def two_digits_signed(value: float) -> str:
    """Return a difference with two digits at most, for an axis.

    >>> [two_digits_signed(value) for value in (1.0, -2 / 3, 98.765, -1234.5, 0.0)]
    ['+1', '-0.67', '+99', '-1,234', '0']
    """
    if not value:
        return "0"
    decimals = max(0, 1 - math.floor(math.log10(abs(value))))
    words = f"{value:+,.{decimals}f}" if decimals < 7 else f"{value:+.1e}"
    return words.rstrip("0").rstrip(".") if decimals and decimals < 7 else words


def spread(values: Iterable[float | None], share: float = 0.05) -> tuple[float, float]:
    """Return the range of values with some room on both sides.

    >>> spread([1.0, None, 3.0], 0.1)
    (0.8, 3.2)
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = (high - low) * share or abs(high) * share or 0.1
    return low - room, high + room
