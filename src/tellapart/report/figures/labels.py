"""Names beside points, moved until none covers another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from tellapart.report.figures.pieces import fitted, name_text, text_width
from tellapart.report.svg import FAINT, INK, line

Box = tuple[float, float, float, float]

_ROOM = 120.0  # for a name
_HIGH = 13.0  # a line of words
_RINGS = (10.0, 18.0, 28.0, 40.0, 54.0, 70.0, 90.0)
_TURNS = tuple(math.radians(45 * k) for k in (0, 7, 1, 6, 2, 4, 3, 5))  # to the right first


def beside(
    points: Sequence[tuple[str, float, float]],
    frame: Box,
    suffixes: Mapping[str, str] | None = None,
    radius: float = 7,
) -> Iterator[str]:
    """Write the name of each point inside a frame, with a thin line where it had to go far.

    A suffix, such as the letters of groups, stands after the name, less marked.
    """
    suffixes = suffixes or {}
    taken: list[Box] = [(x - radius, y - radius, x + radius, y + radius) for _, x, y in points]
    names = fitted((name for name, _, _ in points), _ROOM)
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
            yield line(x, y, *near, stroke=FAINT, stroke_width=0.8)
        after = f' <tspan fill="{FAINT}">{escape(suffix)}</tspan>' if suffix else ""
        yield name_text(left, bottom - 2, name, names[name], after, fill=INK)


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
