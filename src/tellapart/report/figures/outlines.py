"""Outlines around points: what joins the systems of a group in a scatterplot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from tellapart.report.figures.svg import PALETTE, element, number

Point = tuple[float, float]

DASHES = (None, "7 4", "2 4", "9 3 2 3")
"""One for each of four neighbouring groups, so that colour is never alone"""


def style(group: int) -> dict[str, object]:
    """Return how the outline of a group is drawn: no two neighbours alike."""
    colour = PALETTE[group % (len(PALETTE) - 1)]
    return {
        "fill": colour,
        "fill_opacity": 0.07,
        "stroke": colour,
        "stroke_width": 1.8,
        "stroke_dasharray": DASHES[group % len(DASHES)],
    }


def hull(points: Sequence[Point]) -> list[Point]:
    """Return the corners of the convex hull, going round.

    >>> hull([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2)])
    [(0, 0), (2, 0), (2, 2), (0, 2)]
    """
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    halves: list[list[Point]] = []
    for walk in (ordered, ordered[::-1]):
        half: list[Point] = []
        for point in walk:
            while len(half) > 1 and _turn(half[-2], half[-1], point) <= 0:
                half.pop()
            half.append(point)
        halves.append(half[:-1])
    return halves[0] + halves[1]


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
    pieces = []
    for a, b in pairwise([*corners, corners[0]]):
        length = math.dist(a, b)
        dx, dy = room * (b[1] - a[1]) / length, room * (a[0] - b[0]) / length
        pieces.append((_at(a[0] + dx, a[1] + dy), _at(b[0] + dx, b[1] + dy)))
    arc = f"A{number(room)} {number(room)} 0 0 1 "
    path = f"M{pieces[0][0]}L{pieces[0][1]}"
    for start, end in pieces[1:]:
        path += f"{arc}{start}L{end}"
    return element("path", d=f"{path}{arc}{pieces[0][0]}z", **attributes)


def ribbon(points: Sequence[Point], room: float, **attributes: object) -> str:
    """Return a smooth band along points from left to right, with so much room on both sides."""
    if len(points) == 1:
        return around(points, room, **attributes)
    above, below = [], []
    for i, (x, y) in enumerate(points):
        (x1, y1), (x2, y2) = points[max(0, i - 1)], points[min(len(points) - 1, i + 1)]
        length = math.hypot(x2 - x1, y2 - y1)
        dx, dy = room * (y2 - y1) / length, room * (x2 - x1) / length
        above.append((x + dx, y - dy))
        below.append((x - dx, y + dy))
    below.reverse()
    arc = f"A{number(room)} {number(room)} 0 0 1 "
    path = f"M{_at(*above[0])}{_curve(above)}{arc}{_at(*below[0])}{_curve(below)}"
    return element("path", d=f"{path}{arc}{_at(*above[0])}z", **attributes)


def _curve(points: Sequence[Point]) -> str:
    """Return a smooth path through points (Catmull and Rom's curve, as Bézier's)."""
    path = ""
    for i in range(len(points) - 1):
        a, b = points[i], points[i + 1]
        before, after = points[max(0, i - 1)], points[min(len(points) - 1, i + 2)]
        first = a[0] + (b[0] - before[0]) / 6, a[1] + (b[1] - before[1]) / 6
        second = b[0] - (after[0] - a[0]) / 6, b[1] - (after[1] - a[1]) / 6
        path += f"C{_at(*first)} {_at(*second)} {_at(*b)}"
    return path


def _at(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"
