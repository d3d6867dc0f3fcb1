"""What several figures share: names that fit, axes, the words for units and groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from tellapart.comparison import Comparison, Ends
from tellapart.report.svg import GRID, Scale, element, number, printable, tick_text

WIDTH = 720
"""Of figures with a row or a column per system"""
PAIR_WIDTH = 640
"""Of figures of one pair"""

_UPRIGHT = 19  # pixels from name to name; with less, slanted names would touch
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMW@%<>=+~#&")


def text_width(words: str, size: float = 12) -> float:
    """Estimate how wide words are, rather too wide than too narrow.

    >>> text_width("ill") < text_width("ABC") < text_width("漢字漢")
    True
    """
    return size * sum(map(_share, words))


def _share(character: str) -> float:
    if character in _NARROW:
        return 0.34
    if character in _WIDE or character.isupper():
        return 0.92 if character in _WIDE else 0.7
    return 1.0 if ord(character) > 0x2E7F else 0.58


def cut(words: str, room: float, size: float = 12) -> str:
    """Shorten words to the room there is.

    >>> cut("a-rather-long-name", 70)
    'a-rather-l…'
    """
    if text_width(words, size) <= room:
        return words
    kept = len(words)
    while kept > 1 and text_width(words[:kept] + "…", size) > room:
        kept -= 1
    return words[:kept] + "…"


def name_text(
    x: float, y: float, words: str, room: float, after: str = "", **attributes: object
) -> str:
    """Write a name that may be too long: cut, with all of it on hover; `after` is more SVG.

    >>> name_text(0, 9, "a-rather-long-name", 70)
    '<text x="0" y="9">a-rather-l…<title>a-rather-long-name</title></text>'
    """
    words = printable(words)
    short = cut(words, room)
    full = "" if short == words else hover(words)
    return element("text", escape(short) + after + full, x=float(x), y=float(y), **attributes)


def hover(words: str) -> str:
    """Write what is shown on hover.

    >>> hover("A & B")
    '<title>A &amp; B</title>'
    """
    return element("title", escape(printable(words)))


def lean(names: Iterable[str], pitch: float, most: float) -> tuple[int, int, int]:
    """Say how names of columns stand: the angle, and how far they reach up and to the side.

    >>> lean(["alder", "birch"], 60, 110), lean(["alder", "birch"], 12, 110)[0]
    ((0, 12, 0), 90)
    """
    longest = min(most, max(map(text_width, names)))
    if longest + 10 <= pitch:
        return 0, 12, 0
    if pitch < _UPRIGHT:
        return 90, math.ceil(longest), 4
    return 45, math.ceil(0.72 * longest) + 8, math.ceil(0.72 * longest)


def ticks_below(scale: Scale, y: float, most: int = 6, signs: bool = False) -> str:
    """Write the values of an axis; `signs` for differences."""
    values = scale.ticks(most)
    return "".join(
        f'<text x="{scale(value):.0f}" y="{number(y)}">{_tick(value, values, signs)}</text>'
        for value in values
    )


def _tick(value: float, values: Sequence[float], signs: bool) -> str:
    words = tick_text(value, values)
    return f"+{words}" if signs and value > 0 else words


def grid(scale: Scale, top: float, bottom: float, most: int = 6) -> str:
    """Draw a line up from each value of an axis, as one path."""
    lines = "".join(
        f"M{number(scale(value))} {number(top)}V{number(bottom)}" for value in scale.ticks(most)
    )
    return element("path", d=lines, stroke=GRID, fill="none")


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


def unit_kind(result: Comparison) -> str:
    """Return the word for what is exchanged: the units, or their clusters."""
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
