"""What several figures share: names that fit, axes, the words for items and groups.

Figures are drawn for a phone: at three quarters of their size words can still be read, and a
computer's screen has room for them as they are. Only many systems take more width than that.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from html import escape
from typing import Final

from tellapart.comparison.record import Comparison, Ends
from tellapart.report import svg
from tellapart.report.fitting import clean, columns, short_names
from tellapart.report.svg import GRID, Scale, element, number, printable, tick_text

WIDTH: Final = 460
"""Of a figure, unless many systems need more"""
SIZE: Final = 13
"""Of all words"""

_UPRIGHT = 19  # pixels from name to name; with less, slanted names would touch
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMW@%<>=+~#&")


figure = partial(svg.figure, size=SIZE)


def text_width(words: str) -> float:
    """Estimate how wide words are, rather too wide than too narrow.

    >>> text_width("ill") < text_width("ABC") < text_width("漢字漢")
    True
    """
    return SIZE * sum(map(_share, words))


def _share(character: str) -> float:
    if character in _NARROW:
        return 0.34
    if character in _WIDE or character.isupper():
        return 0.92 if character in _WIDE else 0.7
    return 1.0 if ord(character) > 0x2E7F else 0.58


def fitted(names: Iterable[str], room: float) -> dict[str, str]:
    """Shorten names to the room there is, from their middle, so that no two become alike.

    >>> fitted(["alder", "birch"], 80)
    {'alder': 'alder', 'birch': 'birch'}
    >>> list(fitted(["llama-3-8b-instruct", "llama-3-70b-instruct"], 70).values())
    ['…8b…', '…70b…']
    """
    return dict(_fitted(tuple(names), room))


@lru_cache(maxsize=64)
def _fitted(names: tuple[str, ...], room: float) -> Mapping[str, str]:
    longest = max((columns(clean(name)) for name in names), default=0)
    for width in range(min(longest, int(room / 4)), 4, -1):
        short = short_names(names, width)
        if all(text_width(each) <= room for each in short.values()):
            return short
    return short_names(names, 4)


def system_names(result: Comparison, room: float) -> dict[str, str]:
    """Shorten the names of all systems to the room there is."""
    return fitted((system.name for system in result.systems), room)


def name_text(
    x: float, y: float, name: str, short: str, after: str = "", **attributes: object
) -> str:
    """Write a name as short as there is room, with all of it on hover; `after` is more SVG.

    >>> name_text(0, 9, "a-rather-long-name", "a-ra…name")
    '<text x="0" y="9">a-ra…name<title>a-rather-long-name</title></text>'
    """
    full = "" if short == clean(name) else hover(name)
    return element(
        "text", escape(printable(short)) + after + full, x=float(x), y=float(y), **attributes
    )


def hover(words: str) -> str:
    """Write what is shown on hover.

    >>> hover("A & B")
    '<title>A &amp; B</title>'
    """
    return element("title", escape(printable(words)))


def lean(names: Collection[str], pitch: float) -> tuple[int, int, int]:
    """Say how names of columns stand: the angle, and how far they reach up and to the side.

    >>> lean(["alder", "birch"], 60), lean(["alder", "birch"], 12)[0]
    ((0, 12, 0), 90)
    """
    longest = max(map(text_width, names))
    if longest + 8 <= pitch:
        return 0, 12, 0
    if pitch < _UPRIGHT:
        return upright(names)
    return 45, math.ceil(0.72 * longest) + 8, math.ceil(0.72 * longest)


def upright(names: Iterable[str]) -> tuple[int, int, int]:
    """Say how far names reach that stand upright, as `lean` does."""
    return 90, math.ceil(max(map(text_width, names))), 4


def ticks_below(scale: Scale, y: float, signs: bool = False) -> str:
    """Write the values of an axis; `signs` for differences."""
    values = tick_values(scale, signs)
    return "".join(
        f'<text x="{scale(value):.0f}" y="{number(y)}">{_tick(value, values, signs)}</text>'
        for value in values
    )


def tick_values(scale: Scale, signs: bool = False) -> list[float]:
    """Give round values for an axis, as many as can stand beside each other.

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
    """Draw a line up from each value of an axis, as one path."""
    lines = "".join(
        f"M{number(scale(value))} {number(top)}V{number(bottom)}"
        for value in tick_values(scale, signs)
    )
    return element("path", d=lines, stroke=GRID, fill="none")


def rough_signed(value: float) -> str:
    """Write a difference with two digits at most, for an axis.

    >>> rough_signed(1.0), rough_signed(-2 / 3), rough_signed(98.765), rough_signed(-1234.5)
    ('+1', '-0.67', '+99', '-1,234')
    >>> rough_signed(0.0)
    '0'
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


def level_words(result: Comparison) -> str:
    """Name the intervals: `95 % interval`."""
    return f"{100 * (result.interval_level or 1 - result.alpha):g} % interval"


def ends_words(ends: Ends | None, form: str = "+.3f") -> str:
    """Write an interval in words; an end that is not known is open.

    >>> ends_words((0.0381, 0.375)), ends_words((0.1, None)), ends_words(None)
    ('+0.038 to +0.375', '+0.100 and more', '')
    """
    low, high = ends or (None, None)
    shown_low, shown_high = (
        "" if end is None else format(end, form if end else ".3f") for end in (low, high)
    )
    if low is None or high is None:
        return f"{shown_low} and more" if shown_low else f"{shown_high} and less" * bool(shown_high)
    return f"{shown_low} to {shown_high}"


def item_kind(result: Comparison) -> str:
    """Return the word for what is exchanged: the items, or their clusters."""
    kind: str = (result.units["clusters"] or result.units)["kind"]
    return kind


def group_letters(groups: Sequence[Sequence[str]], letters: Mapping[str, str]) -> list[str]:
    """Return the letter of each group, from those of its members.

    No group is part of another, so all members of a group have just one letter in common.

    >>> group_letters([["A", "B"], ["B", "C"]], {"A": "a", "B": "ab", "C": "b"})
    ['a', 'b']
    """
    spaced = any(" " in own for own in letters.values())
    own = {name: set(text.split() if spaced else text) for name, text in letters.items()}
    return [
        min(set.intersection(*(own.get(name, set()) for name in group)), default="")
        for group in groups
    ]
