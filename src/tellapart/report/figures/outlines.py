"""Outlines around points: what joins the systems of a significance group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from tellapart.report.figures.layout import PALETTE, Point, element, number

_DASHES = (None, "7 4", "2 4", "9 3 2 3")


def style(group: int) -> dict[str, object]:
    """Return how the outline of a group is drawn: no two neighbours alike, by colour or dashes."""
    colour = PALETTE[group % (len(PALETTE) - 1)]
    return {"fill": colour, "fill_opacity": 0.07, "stroke": colour, "stroke_width": 1.8,
            "stroke_dasharray": _DASHES[group % len(_DASHES)]}  # fmt: skip


def hull(points: Sequence[Point]) -> list[Point]:
    """Return the corners of the convex hull, going round.

    >>> hull([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2)])
    [(0, 0), (2, 0), (2, 2), (0, 2)]
    """
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    corners: list[Point] = []
    for walk in (ordered, ordered[::-1]):
        half: list[Point] = []
        for point in walk:
            while len(half) > 1 and _turn(half[-2], half[-1], point) <= 0:
                half.pop()
            half.append(point)
        corners += half[:-1]
    return corners


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def around(points: Sequence[Point], room: float, **attributes: object) -> str:
    """Return the hull of some points with so much room around it, its corners rounded.

    >>> around([(5, 5)], 2, fill="none")
    '<circle cx="5" cy="5" r="2" fill="none"/>'
    >>> around([(0, 0), (10, 0)], 2)
    '<path d="M0 -2L10 -2A2 2 0 0 1 10 2L0 2A2 2 0 0 1 0 -2z"/>'
    """
    corners = hull(points)
    if len(corners) == 1:
        x, y = corners[0]
        return element("circle", cx=float(x), cy=float(y), r=float(room), **attributes)
    sides = []
    for a, b in pairwise([*corners, corners[0]]):
        length = math.dist(a, b)
        dx, dy = room * (b[1] - a[1]) / length, room * (a[0] - b[0]) / length
        sides.append(f"{_at(a[0] + dx, a[1] + dy)}L{_at(b[0] + dx, b[1] + dy)}")
    arc = _arc(room)
    path = arc.join(sides) + arc + sides[0].partition("L")[0]
    return element("path", d=f"M{path}z", **attributes)


def ribbon(points: Sequence[Point], room: float, **attributes: object) -> str:
    """Return a smooth band along points from left to right, with so much room on both sides."""
    if len(points) == 1:
        return around(points, room, **attributes)
    above: list[Point] = []
    below: list[Point] = []
    for i, (x, y) in enumerate(points):
        (x1, y1), (x2, y2) = points[max(0, i - 1)], points[min(len(points) - 1, i + 1)]
        length = math.hypot(x2 - x1, y2 - y1)
        dx, dy = room * (y2 - y1) / length, room * (x2 - x1) / length
        above.append((x + dx, y - dy))
        below.insert(0, (x - dx, y + dy))
    first, last = _at(*above[0]), _at(*below[0])
    path = f"M{first}{_curve(above)}{_arc(room)}{last}{_curve(below)}{_arc(room)}{first}z"
    return element("path", d=path, **attributes)


def _curve(points: Sequence[Point]) -> str:
    """Return a smooth path through points (Catmull and Rom's curve, as Bézier's)."""
    path = ""
    for i, (a, b) in enumerate(pairwise(points)):
        before, after = points[max(0, i - 1)], points[min(len(points) - 1, i + 2)]
        first = a[0] + (b[0] - before[0]) / 6, a[1] + (b[1] - before[1]) / 6
        second = b[0] - (after[0] - a[0]) / 6, b[1] - (after[1] - a[1]) / 6
        path += f"C{_at(*first)} {_at(*second)} {_at(*b)}"
    return path


def _arc(room: float) -> str:
    return f"A{number(room)} {number(room)} 0 0 1 "


def _at(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"
