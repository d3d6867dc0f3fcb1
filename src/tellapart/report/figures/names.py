"""Names in figures: how wide they are, shortened to fit, and placed so that none covers another."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape

from tellapart.comparison.record import Comparison
from tellapart.report.figures.svg import FAINT, INK, PAPER, SIZE, element, line, printable
from tellapart.report.terminal_text import columns, short_names
from tellapart.words import clean

_UPRIGHT = 19  # pixels from name to name; with less, slanted names would touch
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMW@%<>=+~#&")


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
    """Return names shortened to the room there is, in their middle, so that no two become alike.

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
    """Return the names of all systems, shortened to the room there is."""
    return fitted((system.name for system in result.systems), room)


def name_text(
    x: float, y: float, name: str, short: str, after: str = "", **attributes: object
) -> str:
    """Return a name as short as there is room, with all of it on hover; `after` is more SVG.

    >>> name_text(0, 9, "a-rather-long-name", "a-ra…name")
    '<text x="0" y="9">a-ra…name<title>a-rather-long-name</title></text>'
    """
    full = "" if short == clean(name) else hover(name)
    return element(
        "text", escape(printable(short)) + after + full, x=float(x), y=float(y), **attributes
    )


def hover(words: str) -> str:
    """Return what is shown on hover.

    >>> hover("A & B")
    '<title>A &amp; B</title>'
    """
    return element("title", escape(printable(words)))


def column_angle(names: Collection[str], pitch: float) -> tuple[int, int, int]:
    """Return how names of columns stand: the angle, and how far they reach up and to the side.

    >>> column_angle(["alder", "birch"], 60), column_angle(["alder", "birch"], 12)[0]
    ((0, 12, 0), 90)
    """
    longest = max(map(text_width, names))
    if longest + 8 <= pitch:
        return 0, 12, 0
    if pitch < _UPRIGHT:
        return upright(names)
    return 45, math.ceil(0.72 * longest) + 8, math.ceil(0.72 * longest)


def upright(names: Iterable[str]) -> tuple[int, int, int]:
    """Return how far names reach that stand upright, as `column_angle` does."""
    return 90, math.ceil(max(map(text_width, names))), 4


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


Box = tuple[float, float, float, float]
_ROOM = 120.0  # for a name
_HIGH = 13.0  # a line of words
_RINGS = (10.0, 18.0, 28.0, 40.0, 54.0, 70.0, 90.0)
_TURNS = tuple(math.radians(45 * k) for k in (0, 7, 1, 6, 2, 4, 3, 5))  # to the right first


def label_points(
    points: Sequence[tuple[str, float, float]],
    frame: Box,
    suffixes: Mapping[str, str] | None = None,
    radius: float = 7,
) -> Iterator[str]:
    """Yield the name of each point inside a frame, with a thin line where it had to go far.

    A suffix, such as the letters of groups, stands after the name, less marked. Behind each name
    is paper, so that no outline and no line to another name runs through it.
    """
    suffixes = suffixes or {}
    taken: list[Box] = [(x - radius, y - radius, x + radius, y + radius) for _, x, y in points]
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
        papers.append(_paper(place))
        after = f' <tspan fill="{FAINT}">{escape(suffix)}</tspan>' if suffix else ""
        words.append(name_text(left, bottom - 2, name, names[name], after, fill=INK))
    yield from (*lines, *papers, *words)


def _paper(box: Box) -> str:
    """Return paper behind a name; what is below shows through a little, so that it has no gap."""
    left, top, right, bottom = box
    return element("rect", x=left - 1, y=top - 1, width=right - left + 2, height=bottom - top + 3,
                   rx=3, fill=PAPER, fill_opacity=0.85)  # fmt: skip


def _free(x: float, y: float, width: float, taken: Sequence[Box], frame: Box) -> Box | None:
    for ring in _RINGS:
        for turn in _TURNS:
            dx, dy = math.cos(turn), -math.sin(turn)
            # The point of the box that is nearest lies on the ring.
            left = x + ring * dx - width * (0.5 - 0.5 * _sign(dx))
            top = y + ring * dy - _HIGH / 2 * (1 + _sign(-dy))
            box = (left, top, left + width, top + _HIGH)
            inside = box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2]
            if inside and box[3] <= frame[3] and not any(_overlap(box, other) for other in taken):
                return box
    return None


def _sign(value: float) -> int:
    return 0 if abs(value) < 1e-9 else 1 if value > 0 else -1


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
