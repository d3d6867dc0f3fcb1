"""What every figure is made of: elements of SVG, colours and marks, scales and axes, names.

Figures are text: they open offline, print, scale, and read aloud. On a page their colours are
custom properties with a fallback, so that they follow light and dark; a file of its own has the
fallbacks (`standalone`). Nothing depends on colour alone. They are drawn for a phone: at three
quarters of their size words can still be read. Only many systems take more width than that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from typing import Final

from tellapart.comparison.record import Ends
from tellapart.report.text import columns, has_ends, short_names
from tellapart.words import clean

# Okabe and Ito's palette, safe for the colour-blind; one mark for each colour.
PALETTE: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999")
_CORNERS: Final = {
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "triangle": ((0, -1.1), (1.05, 0.8), (-1.05, 0.8)),
    "diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    "wedge": ((0, 1.1), (1.05, -0.8), (-1.05, -0.8)),
}
MARKS: Final = ("circle", *_CORNERS)
INK: Final = "var(--ink, #1a1a1a)"
FAINT: Final = "var(--faint, #666666)"
GRID: Final = "var(--grid, #d9d9d9)"
PAPER: Final = "var(--paper, #ffffff)"
BETTER: Final = "var(--better, #0072B2)"
WORSE: Final = "var(--worse, #D55E00)"
WIDTH: Final = 460
"""Of a figure, unless many systems need more"""
SIZE: Final = 13
"""Of all words"""
_VARIABLE: Final = re.compile(r"var\(--\w+, (#\w+)\)")
_SAID: Final = re.compile("<g[^>]*><title>(.*?)</title>")
_CAP: Final = 5  # pixels up and down at the end of an interval
_SPELLED: Final = 40  # marks that a text alternative lists

Point = tuple[float, float]
Box = tuple[float, float, float, float]


# Elements


def element(name: str, content: str = "", /, **attributes: object) -> str:
    """Return one element; values are escaped, `_` in names stands for `-`, None is left out.

    >>> element("text", "a &lt; b", x=1.50, text_anchor="middle")
    '<text x="1.5" text-anchor="middle">a &lt; b</text>'
    >>> element("path", d="M0 0", class_="bar")
    '<path d="M0 0" class="bar"/>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="'
        f'{number(value) if isinstance(value, float) else printable(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def number(value: float) -> str:
    """Return a coordinate with two decimals at most.

    >>> number(12.0), number(1 / 3), number(-0.001)
    ('12', '0.33', '0')
    """
    short = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if short in ("-0", "") else short


def at(x: float, y: float) -> str:
    """Return a place of a path."""
    return f"{number(x)} {number(y)}"


def polyline(points: Iterable[Point]) -> str:
    """Return the path from point to point.

    >>> polyline([(0, 1), (2.5, 3)])
    'M0 1L2.5 3'
    """
    return f"M{'L'.join(at(*point) for point in points)}"


def printable(words: str) -> str:
    r"""Return words in one line, escaped, without the characters that no XML may hold.

    >>> printable("bell\x07 <and>\nline")
    'bell? &lt;and&gt; line'
    """
    return escape(clean(words))


def text(x: float, y: float, words: str, /, **attributes: object) -> str:
    """Return words at a place, escaped."""
    look = {"x": round(x, 1), "y": round(y, 1), "fill": INK, **attributes}
    return element("text", printable(words), **look)


def line(x1: float, y1: float, x2: float, y2: float, /, **attributes: object) -> str:
    """Return a straight line."""
    look = {"stroke": INK, **attributes}
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **look)


def box(x: float, y: float, width: float, height: float, **attributes: object) -> str:
    """Return a rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, **attributes)


def hover(words: str) -> str:
    """Return what is shown when a pointer rests on a mark."""
    return element("title", printable(words))


def marked(words: str, *parts: str, **attributes: object) -> str:
    """Return parts of a figure that belong together, with what is said of them on hover."""
    return element("g", hover(words) + "".join(parts), **attributes)


def mark(kind: str, x: float, y: float, size: float, colour: str) -> str:
    """Return one of the marks of `MARKS`, centred.

    >>> mark("circle", 1, 2, 4, "#000")
    '<circle cx="1" cy="2" r="4" fill="#000"/>'
    """
    if kind == "circle":
        return element("circle", cx=x, cy=y, r=size, fill=colour)
    corners = _CORNERS[kind]
    outline = polyline((x + size * dx, y + size * dy) for dx, dy in corners)
    return element("path", d=f"{outline}z", fill=colour)


def point(words: str, x: float, y: float, kind: str, colour: str) -> str:
    """Return the mark of a system, with what is said of it on hover."""
    return marked(words, mark(kind, x, y, 4.5, colour), class_="mark")


def figure(
    width: float, height: float, title: str, words: str, parts: Iterable[str], name: str
) -> str:
    """Return parts as one SVG; `name` keeps ids apart on a page.

    Its text alternative are the words, which are its caption, and in a second line what is said of
    its marks, of the first forty.
    """
    drawn = "".join(parts)
    said = "; ".join(_SAID.findall(drawn)[:_SPELLED])
    described = printable(words) + (f"\n{said}." if said else "")
    head = element("title", printable(title), id=f"{name}-title")
    head += element("desc", described, id=f"{name}-words")
    return element(
        "svg",
        head + drawn,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        role="img",
        aria_labelledby=f"{name}-title {name}-words",
        font_family="system-ui, sans-serif",
        font_size=SIZE,
    )


def caption_of(svg: str) -> str:
    """Return the words of a figure, escaped.

    >>> caption_of(figure(10, 10, "A & B", "B > A.", [marked("A: 1")], "x"))
    'B &gt; A.'
    """
    return svg.partition('-words">')[2].partition("</desc>")[0].partition("\n")[0]


def standalone(svg: str) -> str:
    """Return a figure as a file of its own: on white paper, in colours that every viewer knows.

    >>> standalone('<svg xmlns="x"><g fill="var(--ink, #1a1a1a)"/></svg>').splitlines()[-1]
    '<svg xmlns="x"><rect width="100%" height="100%" fill="#ffffff"/><g fill="#1a1a1a"/></svg>'
    """
    head, rest = svg.split(">", 1)
    paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
    drawn = _VARIABLE.sub(lambda colour: colour[1], rest)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}>{paper}{drawn}\n'


# Scales and axes


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
        reach = self.high - self.low
        share = (value - self.low) / reach if reach else 0.5
        return self.start + share * (self.end - self.start)

    def span(self, ends: Ends) -> tuple[float, float]:
        """Return the places of both ends; an interval without one reaches to that of the axis."""
        low, high = ends
        return self.start if low is None else self(low), self.end if high is None else self(high)

    def ticks(self, signs: bool = False) -> dict[float, str]:
        """Return round values with their words, as many as there is room for.

        >>> list(Scale(0, 1, 0, 300).ticks()), list(Scale(0, 1, 0, 90).ticks())
        ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 0.5, 1.0])
        """
        ticks: dict[float, str] = {}
        for most in (6, 5, 4, 3, 2, 1):
            values, decimals = round_values(self.low, self.high, most)
            ticks = {v: f"{v:{'+' if signs and v > 0 else ''}.{decimals}f}" for v in values}
            gap = abs(self(values[1]) - self(values[0])) if len(values) > 1 else math.inf
            if gap >= 6 + max(map(text_width, ticks.values()), default=0):
                return ticks
        least = min(ticks, key=abs)
        return {least: ticks[least]}


def spread(values: Iterable[float | None], share: float = 0.05) -> tuple[float, float]:
    """Return the range of values with some room on both sides.

    >>> spread([1.0, None, 3.0], 0.1)
    (0.8, 3.2)
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = (high - low) * share or abs(high) * share or 0.1
    return low - room, high + room


def round_values(low: float, high: float, most: int = 6) -> tuple[list[float], int]:
    """Return the multiples of 1, 2 or 5 times a power of ten between two values, and decimals.

    >>> round_values(-0.013, 0.052)
    ([-0.01, 0.0, 0.01, 0.02, 0.03, 0.04, 0.05], 2)
    """
    reach = high - low
    if not reach > 0 or not math.isfinite(reach):
        return [low], 2
    power = math.floor(math.log10(reach / most))
    for step, exponent in ((1, power), (2, power), (5, power), (1, power + 1)):
        size, decimals = step * 10.0**exponent, max(0, -exponent)
        first, last = math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9)
        if last - first <= most:  # of the last step at the latest
            break
    return [round(k * size, decimals) + 0.0 for k in range(first, last + 1)], decimals


def axis_below(scale: Scale, top: float, bottom: float, name: str = "") -> str:
    """Return a horizontal axis: a line up from each value, the values, and its name below."""
    ticks = scale.ticks()
    lines = "".join(f"M{at(scale(v), top)}V{number(bottom)}" for v in ticks)
    drawn = element("path", d=lines, stroke=GRID) + values_below(scale, ticks, bottom + 18)
    if name:
        words = shortened(name, scale.end - scale.start)
        drawn += text((scale.start + scale.end) / 2, bottom + 40, words, text_anchor="middle")
    return drawn


def values_below(scale: Scale, ticks: Mapping[float, str], y: float) -> str:
    """Return the values of a horizontal axis."""
    words = "".join(text(scale(value), y, word, fill=None) for value, word in ticks.items())
    return element("g", words, fill=FAINT, text_anchor="middle")


def axis_left(scale: Scale, left: float, right: float, name: str) -> str:
    """Return a vertical axis: a line across from each value, the values, and its name upwards."""
    ticks = scale.ticks()
    lines = "".join(f"M{at(left, scale(v))}H{number(right)}" for v in ticks)
    words = "".join(text(left - 8, scale(v) + 4, word, fill=None) for v, word in ticks.items())
    turned = f"translate(14 {number((scale.start + scale.end) / 2)}) rotate(-90)"
    said = shortened(name, abs(scale.end - scale.start))
    return (
        element("path", d=lines, stroke=GRID)
        + element("g", words, fill=FAINT, text_anchor="end")
        + text(0, 0, said, text_anchor="middle", transform=turned)
    )


def interval_path(scale: Scale, ends: Ends | None, y: float) -> str:
    """Return the path of an interval; one without an end reaches to the end of the axis.

    >>> interval_path(Scale(0, 1, 0, 100), (0.2, None), 10)
    'M20 10H100M20 5v10'
    """
    if ends is None or not has_ends(ends):
        return ""
    places = scale.span(ends)
    capped = (x for x, end in zip(places, ends, strict=True) if end is not None)
    caps = "".join(f"M{at(x, y - _CAP)}v{2 * _CAP}" for x in capped)
    return f"M{at(places[0], y)}H{number(places[1])}{caps}"


# Names


_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMW@%<>=+~#&…")
_UPRIGHT = 19  # pixels from name to name; with less, slanted names would touch


def text_width(words: str) -> float:
    """Return how wide words are, in pixels; rather too wide than too narrow.

    >>> text_width("ill") < text_width("ABC") < text_width("漢字漢")
    True
    """
    return SIZE * math.fsum(map(_share, words))


def _share(character: str) -> float:
    if character in _NARROW:
        return 0.34
    if character in _WIDE or character.isupper():
        return 0.92 if character in _WIDE else 0.7
    return 1.0 if ord(character) > 0x2E7F else 0.58


def fitted(names: Iterable[str], room: float) -> dict[str, str]:
    """Return names shortened to the room there is, so that no two become alike.

    >>> fitted(["alder", "birch"], 80)
    {'alder': 'alder', 'birch': 'birch'}
    """
    names = list(names)
    longest = max((columns(clean(name)) for name in names), default=0)
    for width in range(min(longest, int(room / 4)), 4, -1):
        short = short_names(names, width)
        if all(text_width(words) <= room for words in short.values()):
            return short
    return short_names(names, 4)


def shortened(words: str, room: float) -> str:
    """Return words cut to the room there is."""
    return fitted([words], room)[words]


def name_text(
    x: float, y: float, name: str, short: str, after: str = "", **attributes: object
) -> str:
    """Return a name as short as there is room, with all of it on hover; `after` is more SVG.

    >>> name_text(0, 9, "a-rather-long-name", "a-ra…name", fill="red")
    '<text x="0" y="9" fill="red">a-ra…name<title>a-rather-long-name</title></text>'
    """
    full = "" if short == clean(name) else hover(name)
    look = {"fill": INK, **attributes}
    return element("text", printable(short) + after + full, x=x, y=y, **look)


def column_angle(names: Collection[str], pitch: float) -> tuple[int, int, int]:
    """Return how names of columns stand: the angle, and how far they reach up and to the side.

    >>> column_angle(["alder", "birch"], 60), column_angle(["alder", "birch"], 12)[0]
    ((0, 12, 0), 90)
    """
    longest = max(map(text_width, names))
    if longest + 8 <= pitch:
        return 0, 12, 0
    if pitch < _UPRIGHT:
        return 90, math.ceil(longest), 4
    return 45, math.ceil(0.72 * longest) + 8, math.ceil(0.72 * longest)


def column_names(
    places: Mapping[str, float],
    short: Mapping[str, str],
    y: float,
    angle: int,
    *,
    below: bool = False,
) -> Iterator[str]:
    """Yield the names of columns above or below them, turned where they would not fit."""
    for name, x in places.items():
        across, down = x + (4.5 if angle == 90 else 0), y
        if below:
            across, down = (x + 4, y + 14) if angle else (x, y + 20)
        turn = f"rotate(-{angle} {at(across, down)})" if angle else None
        anchor = "middle" if not angle else "end" if below else None
        yield name_text(across, down, name, short[name], text_anchor=anchor, transform=turn)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Systems beside each other at the right of a vertical axis."""

    left: float
    width: float
    """Of the whole figure"""
    places: Mapping[str, float]
    short: Mapping[str, str]
    angle: int
    reach: int
    """How far the names reach down"""

    @classmethod
    def of(cls, systems: Sequence[str], axis: Scale) -> SideBySide:
        """Return systems as close as their number demands; few stand in the middle."""
        left = 32 + max(map(text_width, axis.ticks().values()))
        width = max(WIDTH, left + 18 * len(systems) + 8)
        step = min(100.0, (width - 8 - left) / len(systems))
        first = (left + width - 8 - step * (len(systems) - 1)) / 2
        short = fitted(systems, 110.0)
        angle, reach, _ = column_angle(short.values(), step)
        places = {system: first + step * k for k, system in enumerate(systems)}
        return cls(left, width, places, short, angle, reach)

    def names_below(self, y: float) -> Iterator[str]:
        """Yield the names below the systems."""
        return column_names(self.places, self.short, y, self.angle, below=True)


_ROOM, _HIGH = 120.0, 13.0  # for a name beside a point, and a line of words
_RINGS = (10.0, 18.0, 28.0, 40.0, 54.0, 70.0, 90.0)
_SIDES = ((1, 0), (1, 1), (1, -1), (0, 1), (0, -1), (-1, 0), (-1, -1), (-1, 1))  # right first


def label_points(
    points: Sequence[tuple[str, float, float]],
    frame: Box,
    suffixes: Mapping[str, str],
) -> Iterator[str]:
    """Yield the name of each point inside a frame, with a thin line where it had to go far.

    A suffix, such as the letters of groups, stands after the name, less marked. Behind each name
    is paper, so that no outline and no line to another name runs through it.
    """
    taken: list[Box] = [(x - 7, y - 7, x + 7, y + 7) for _, x, y in points]
    names = fitted((name for name, _, _ in points), _ROOM)
    lines, papers, words = [], [], []
    for name, x, y in points:
        suffix = suffixes.get(name, "")
        width = text_width(names[name]) + (text_width(suffix) + 3 if suffix else 0)
        place = _free(x, y, width, taken, frame)
        if place is None:  # nowhere: beside the point all the same
            left = min(x + _RINGS[0], frame[2] - width)
            place = (left, y - _HIGH / 2, left + width, y + _HIGH / 2)
        taken.append(place)
        left, top, right, bottom = place
        near = min(max(x, left), right), min(max(y, top), bottom)
        if math.dist(near, (x, y)) > _RINGS[0] + 2:
            lines.append(line(x, y, *near, stroke=FAINT, stroke_width=0.8))
        papers.append(box(left - 1, top - 1, right - left + 2, bottom - top + 3, rx=3, fill=PAPER,
                          fill_opacity=0.85))  # fmt: skip
        after = f" {element('tspan', printable(suffix), fill=FAINT)}" if suffix else ""
        words.append(name_text(left, bottom - 2, name, names[name], after))
    yield from (*lines, *papers, *words)


def _free(x: float, y: float, width: float, taken: Sequence[Box], frame: Box) -> Box | None:
    """Return the first place around a point where words cover nothing."""
    for ring, (right, down) in product(_RINGS, _SIDES):
        # The point of the box that is nearest lies on the ring.
        reach = ring / math.hypot(right, down)
        left = x + reach * right - width * (1 - right) / 2
        top = y + reach * down - _HIGH * (1 - down) / 2
        place = (left, top, left + width, top + _HIGH)
        inside = left >= frame[0] and top >= frame[1] and place[2] <= frame[2]
        if inside and place[3] <= frame[3] and not any(_overlap(place, t) for t in taken):
            return place
    return None


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
