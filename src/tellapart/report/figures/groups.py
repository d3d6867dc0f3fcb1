"""Figure: significance groups, encircled as Chinchor (1992, figures 7 to 11) drew them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tellapart.comparison.ranking import ranking
from tellapart.comparison.record import Comparison
from tellapart.report.figures import outlines
from tellapart.report.figures.axes import (
    Scale,
    horizontal_grid,
    name_left,
    spread,
    tick_texts,
    ticks_left,
)
from tellapart.report.figures.names import (
    column_angle,
    fitted,
    group_letters,
    hover,
    name_text,
    system_names,
    text_width,
)
from tellapart.report.figures.svg import FAINT, GRID, INK, WIDTH, element, figure, number, text

_TOP, _HIGHEST = 24, 300
MOST = 60
"""Groups that are drawn; more could not be told apart"""
_ROOM = 110.0  # for a name
_WIDEST, _LEAST = 100.0, 15.0  # from system to system


def draw(result: Comparison, metric: str, name: str) -> str:
    """Return the groups of one metric as SVG, the best score left; nothing without groups."""
    groups = result.groups.get(metric, [])
    if not groups:
        return ""
    order = ranking(result, metric)
    names = [system.name for system in order]
    scores = [system.scores[metric] for system in order]
    bottom = _TOP + min(_HIGHEST, 120 + 20 * len(order))
    y = Scale(*spread(scores, 0.09), bottom, _TOP)
    left = 30 + max(map(text_width, tick_texts(y).values()))
    width = max(WIDTH, left + _LEAST * len(order) + 8)
    right = width - 8
    step = min(_WIDEST, (right - left) / len(order))
    first = (left + right - step * (len(order) - 1)) / 2
    points = {
        system.name: (first + step * i, y(system.scores[metric])) for i, system in enumerate(order)
    }
    short = system_names(result, _ROOM)
    angle, below, _ = column_angle(short.values(), step)
    drawn = groups[:MOST]
    named = group_letters(drawn, result.letters[metric])
    parts = [
        *_axis(y, metric, left, right),
        _feet(list(points.values()), left, right, bottom),
        *(_outline(k, named[k], group, points, names) for k, group in enumerate(drawn)),
        *_marks(points, scores, step),
        *_names(points, short, bottom, angle),
        *_letters(named, drawn, points),
    ]
    if len(groups) > MOST:
        words = f"the first {MOST} of {len(groups):,} groups"
        parts.append(text(right, _TOP - 8, words, text_anchor="end", fill=FAINT))
    title = f"Groups of systems that are not shown to differ in {metric}"
    return figure(width, bottom + 20 + below, title, sentence(result, metric), parts, name)


def sentence(result: Comparison, metric: str) -> str:
    """Return the groups with the scores of their members, in words."""
    scores = {system.name: system.scores[metric] for system in result.systems}
    groups = result.groups.get(metric, [])
    named = group_letters(groups, result.letters.get(metric, {}))
    shown = "; ".join(
        f"{letter}: " + ", ".join(f"{name} {scores[name]:.3f}" for name in group)
        for letter, group in zip(named, groups, strict=True)
    )
    return f"Systems not shown to differ in {metric} (level {result.alpha:g}), by group: {shown}."


def _axis(y: Scale, metric: str, left: float, right: float) -> Iterator[str]:
    ticks = tick_texts(y)
    yield horizontal_grid(y, ticks, left, right)
    yield ticks_left(y, ticks, left - 6)
    yield name_left(y, fitted([metric], y.start - y.end)[metric], 15)


def _feet(points: Sequence[outlines.Point], left: float, right: float, bottom: float) -> str:
    lines = "".join(f"M{number(x)} {number(y)}V{number(bottom)}" for x, y in points)
    base = f"M{number(left)} {number(bottom)}H{number(right)}"
    return element("path", d=lines, stroke=GRID, stroke_dasharray="2 3") + element(
        "path", d=base, stroke=FAINT
    )


def room_of(group: int) -> float:
    """Return how wide an outline is: neighbours that share systems do not run into each other."""
    return 9 + 3.5 * (group % 3)


def _outline(
    k: int,
    letter: str,
    group: Sequence[str],
    points: dict[str, outlines.Point],
    names: Sequence[str],
) -> str:
    room = room_of(k)
    path = outlines.ribbon(waypoints(group, points, names, room), room, **outlines.style(k))
    title = hover(f"{letter}: {', '.join(group)}")
    return element("g", title + path, class_="group")


def waypoints(
    group: Sequence[str],
    points: dict[str, outlines.Point],
    names: Sequence[str],
    room: float,
) -> list[outlines.Point]:
    """Return the way from member to member, around systems that are not in the group."""
    places = sorted(names.index(name) for name in group)
    way = []
    for i in range(places[0], places[-1] + 1):
        x, y = points[names[i]]
        if i not in places:
            before = max(place for place in places if place < i)
            after = min(place for place in places if place > i)
            (x1, y1), (x2, y2) = points[names[before]], points[names[after]]
            straight = y1 + (y2 - y1) * (x - x1) / (x2 - x1)
            clear = room + 8
            y = max(straight, y + clear) if straight >= y else min(straight, y - clear)
        way.append((x, y))
    return way


def _marks(
    points: dict[str, outlines.Point], scores: Sequence[float], step: float
) -> Iterator[str]:
    for (name, (x, y)), score in zip(points.items(), scores, strict=True):
        title = hover(f"{name}: {score:.3f}")
        radius = min(4.5, step / 3)
        yield element("circle", title, cx=x, cy=y, r=radius, fill=INK, class_="mark")


def _names(
    points: dict[str, outlines.Point], short: dict[str, str], bottom: float, angle: int
) -> Iterator[str]:
    for name, (x, _) in points.items():
        if angle:
            at = f"{number(x + 4)} {number(bottom + 14)}"
            yield name_text(x + 4, bottom + 14, name, short[name], text_anchor="end", fill=INK,
                            transform=f"rotate(-{angle} {at})")  # fmt: skip
        else:
            yield name_text(x, bottom + 20, name, short[name], text_anchor="middle", fill=INK)


def _letters(
    named: Sequence[str], groups: Sequence[Sequence[str]], points: dict[str, outlines.Point]
) -> Iterator[str]:
    """Yield each group's letter above the middle of its outline, clear of those before it."""
    taken: list[outlines.Point] = []
    for k, (letter, group) in enumerate(zip(named, groups, strict=True)):
        # Over the member in the middle, or over what lies between two.
        middle = [points[group[(len(group) - 1) // 2]], points[group[len(group) // 2]]]
        x = math.fsum(place[0] for place in middle) / 2 + room_of(k) * 0.6
        y = math.fsum(place[1] for place in middle) / 2 - room_of(k) - 6
        while any(abs(x - other[0]) < 12 and abs(y - other[1]) < 12 for other in taken):
            x, y = x + 6, y - 9
        taken.append((x, y))
        yield text(x, y, letter, text_anchor="middle", font_weight=600)
