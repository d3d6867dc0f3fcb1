"""Figures of systems by one score: with intervals, or with groups encircled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tellapart.comparison.ranking import ranking
from tellapart.comparison.record import Comparison, System
from tellapart.report.document import letters_of
from tellapart.report.figures.layout import (
    BETTER,
    FAINT,
    GRID,
    INK,
    WIDTH,
    Point,
    Scale,
    at,
    axis_below,
    axis_left,
    column_angle,
    column_names,
    element,
    figure,
    fitted,
    group_letters,
    interval_path,
    marked,
    name_text,
    number,
    outline_style,
    ribbon,
    shortened,
    spread,
    text,
    text_width,
    values_below,
)
from tellapart.report.sentences import better_direction
from tellapart.report.text import between, percent, plain

ROW, TOP = 26, 10
MOST_GROUPS = 60
"""Groups that are encircled; more could not be told apart"""
_MANY = 12  # systems: the axis is written at both ends
_NAME, _AXIS = 130.0, 140.0  # room for a name, and for intervals at least

Group = tuple[str, list[str]]
"""A letter, and the systems that have it, in order of rank"""


def systems_figure(record: Comparison, metric: str, name: str) -> str:
    """Return the systems by one metric, the best first, with intervals and letters of groups."""
    ordered = ranking(record, metric)
    top = TOP + (20 if len(ordered) > _MANY else 0)
    bottom = top + ROW * len(ordered)
    names = fitted([system.name for system in ordered], _NAME)
    letters = [letters_of(record, metric, system.name) for system in ordered]
    grouped = any(letters)
    left = 16 + max(map(text_width, names.values()))
    aside = 14 + max(map(text_width, letters)) if grouped else 0
    digits = 14 + max(text_width(plain(system.scores[metric])) for system in ordered)
    width = max(WIDTH, left + _AXIS + digits + aside + 10)
    right = width - 10 - aside
    ends = [end for system in ordered for end in system.intervals.get(metric, ())]
    scores = [system.scores[metric] for system in ordered]
    scale = Scale(*spread([*ends, *scores], 0.03), left, right - digits)
    parts = [_stripes(top, len(ordered), width), axis_below(scale, top, bottom)]
    for k, (system, own) in enumerate(zip(ordered, letters, strict=True)):
        y = top + ROW * (k + 0.5)
        parts.append(_row(system, metric, y, scale, right, names[system.name]))
        parts.append(text(right + 14, y + 4.5, own))
    if len(ordered) > _MANY:
        parts.append(values_below(scale, scale.ticks(), top - 9))
    said = _axis_words(record, metric)
    words = shortened(metric, width - 16 - text_width(said)) + said
    half = text_width(words) / 2
    middle = min(max((scale.start + scale.end) / 2, 8 + half), width - 8 - half)
    parts.append(text(middle, bottom + 37, words, text_anchor="middle"))
    height = bottom + 46
    if grouped:
        height += 20
        shared = "a letter in common: not shown to differ"
        parts.append(text(width - 8, height - 10, shared, text_anchor="end", fill=FAINT))
    return figure(
        width, height, f"Systems by {metric}", f"{metric}{said}, best first.", parts, name
    )


def lettered(record: Comparison, metric: str) -> list[Group]:
    """Return the groups of a metric with their letters."""
    groups = record.groups.get(metric, [])
    return list(zip(group_letters(groups, record.letters.get(metric, {})), groups, strict=True))


def _score_words(system: System, metric: str) -> str:
    ends = between(system.intervals.get(metric), plain)
    return f"{system.name} {plain(system.scores[metric])}" + (f" ({ends})" if ends else "")


def _axis_words(record: Comparison, metric: str) -> str:
    level = record.confidence_level
    interval = "" if level is None else f", with {percent(level)} confidence interval"
    return f"{interval}; {better_direction(record, metric)}"


def _stripes(top: float, count: int, width: float) -> str:
    """Return a shade for every other row, so that the eye finds the way from name to group."""
    edge = number(width - 4)
    rows = "".join(f"M4 {number(top + ROW * i)}H{edge}v{ROW}H4z" for i in range(0, count, 2))
    return element("path", d=rows, fill=GRID, fill_opacity=0.3)


def _row(system: System, metric: str, y: float, scale: Scale, right: float, short: str) -> str:
    score, strokes = system.scores[metric], interval_path(scale, system.intervals.get(metric), y, 5)
    return marked(
        _score_words(system, metric),
        name_text(8, y + 4.5, system.name, short),
        element("path", d=strokes, stroke=BETTER, stroke_width=2) if strokes else "",
        element("circle", cx=scale(score), cy=y, r=4.5, fill=BETTER),
        text(right, y + 4.5, plain(score), text_anchor="end", font_weight=600),
    )


# Groups encircled, as Chinchor (1992, figures 7 to 11) drew them

_GROUPS_TOP, _HIGHEST = 24, 300
_WIDEST, _LEAST = 100.0, 15.0  # from system to system


def groups_figure(record: Comparison, metric: str, name: str) -> str:
    """Return the groups of one metric, the best score left; nothing for two systems."""
    groups = lettered(record, metric)
    if not groups or len(record.systems) < 3:
        return ""
    order = ranking(record, metric)
    bottom = _GROUPS_TOP + min(_HIGHEST, 120 + 20 * len(order))
    y = Scale(*spread([s.scores[metric] for s in order], 0.09), bottom, _GROUPS_TOP)
    left = 32 + max(map(text_width, y.ticks().values()))
    width = max(WIDTH, left + _LEAST * len(order) + 8)
    right = width - 8
    step = min(_WIDEST, (right - left) / len(order))
    first = (left + right - step * (len(order) - 1)) / 2
    points = {s.name: (first + step * i, y(s.scores[metric])) for i, s in enumerate(order)}
    short = fitted(points, 110.0)
    angle, below, _ = column_angle(short.values(), step)
    drawn = groups[:MOST_GROUPS]
    feet = "".join(f"M{at(*place)}V{number(bottom)}" for place in points.values())
    parts = [
        axis_left(y, left, right, metric),
        element("path", d=feet, stroke=GRID, stroke_dasharray="2 3"),
        element("path", d=f"M{number(left)} {bottom}H{number(right)}", stroke=FAINT),
        *(_outline(k, group, points) for k, group in enumerate(drawn)),
        *(
            marked(_score_words(s, metric), element("circle", cx=points[s.name][0], fill=INK,
                   cy=points[s.name][1], r=min(4.5, step / 3)), class_="mark")
            for s in order
        ),
        *column_names({s: x for s, (x, _) in points.items()}, short, bottom, angle, below=True),
        *_letters(drawn, points),
    ]  # fmt: skip
    if len(groups) > MOST_GROUPS:
        words = f"the first {MOST_GROUPS} of {len(groups):,} groups"
        parts.append(text(right, _GROUPS_TOP - 8, words, text_anchor="end", fill=FAINT))
    title = f"Groups of systems that are not shown to differ in {metric}"
    return figure(
        width, bottom + 20 + below, title, f"At a level of {record.alpha:g}:", parts, name
    )


def _room(group: int) -> float:
    """Return how wide an outline is: neighbours that share systems do not run into each other."""
    return 9 + 3.5 * (group % 3)


def _outline(k: int, group: Group, points: Mapping[str, Point]) -> str:
    letter, members = group
    way = waypoints(members, points, _room(k))
    path = ribbon(way, _room(k), **outline_style(k))
    return marked(f"{letter}: {', '.join(members)}", path, class_="group")


def waypoints(group: Sequence[str], points: Mapping[str, Point], room: float) -> list[Point]:
    """Return the way from member to member, around systems that are not in the group."""
    names = list(points)
    members = sorted(names.index(name) for name in group)
    way = []
    for i in range(members[0], members[-1] + 1):
        x, y = points[names[i]]
        if i not in members:
            x1, y1 = points[names[max(k for k in members if k < i)]]
            x2, y2 = points[names[min(k for k in members if k > i)]]
            straight = y1 + (y2 - y1) * (x - x1) / (x2 - x1)
            clear = room + 8
            y = max(straight, y + clear) if straight >= y else min(straight, y - clear)
        way.append((x, y))
    return way


def _letters(groups: Sequence[Group], points: Mapping[str, Point]) -> Iterator[str]:
    """Yield each group's letter above the middle of its outline, clear of those before it."""
    taken: list[Point] = []
    for k, (letter, group) in enumerate(groups):
        # Over the member in the middle, or over what lies between two.
        middle = [points[group[(len(group) - 1) // 2]], points[group[len(group) // 2]]]
        x = math.fsum(place[0] for place in middle) / 2 + _room(k) * 0.6
        y = math.fsum(place[1] for place in middle) / 2 - _room(k) - 6
        while any(abs(x - other[0]) < 12 and abs(y - other[1]) < 12 for other in taken):
            x, y = x + 6, y - 9
        taken.append((x, y))
        yield text(x, y, letter, text_anchor="middle", font_weight=600)
