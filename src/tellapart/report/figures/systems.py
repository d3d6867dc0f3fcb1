"""Figures of systems by one score: with intervals and bars of groups, or with groups encircled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from tellapart.comparison.ranking import ranking
from tellapart.comparison.record import Comparison, System
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
from tellapart.words import several

ROW, TOP = 26, 10
MOST_COLUMNS = 14
"""Columns of group bars; more would leave no room for the scores"""
MOST_GROUPS = 60
"""Groups that are encircled; more could not be told apart"""
_MANY = 12  # systems: the axis is written at both ends
_NAME, _AXIS, _GAP = 130.0, 140.0, 20  # room for a name, for intervals at least, before the bars

Group = tuple[str, list[str]]
"""A letter, and the systems that have it, in order of rank"""


def systems_figure(record: Comparison, metric: str, name: str) -> str:
    """Return the systems by one metric, the best first, with intervals and bars of groups."""
    ordered = ranking(record, metric)
    top = TOP + (20 if len(ordered) > _MANY else 0)
    rows = {system.name: top + ROW * (i + 0.5) for i, system in enumerate(ordered)}
    bottom = top + ROW * len(ordered)
    columns = _packed(lettered(record, metric), list(rows))
    widths = [27 if any(len(letter) > 1 for letter, _ in column) else 19 for column in columns]
    bars_width = _GAP + sum(widths) if columns else 0
    names = fitted(rows, _NAME)
    left = 16 + max(map(text_width, names.values()))
    digits = 14 + max(text_width(plain(system.scores[metric])) for system in ordered)
    width = max(WIDTH, left + _AXIS + digits + bars_width + 10)
    right = width - 10 - bars_width
    ends = [end for system in ordered for end in system.intervals.get(metric, ())]
    scores = [system.scores[metric] for system in ordered]
    scale = Scale(*spread([*ends, *scores], 0.03), left, right - digits)
    parts = [
        _stripes(top, len(ordered), width),
        axis_below(scale, top, bottom),
        *(_row(s, metric, rows[s.name], scale, right, names[s.name]) for s in ordered),
    ]
    x = right + _GAP
    for column, room in zip(columns, widths, strict=True):
        parts += [_bar(letter, group, rows, x) for letter, group in column]
        x += room
    if len(ordered) > _MANY:
        parts.append(values_below(scale, scale.ticks(), top - 9))
    said = _axis_words(record, metric)
    words = shortened(metric, width - 16 - text_width(said)) + said
    half = text_width(words) / 2
    middle = min(max((scale.start + scale.end) / 2, 8 + half), width - 8 - half)
    parts.append(text(middle, bottom + 37, words, text_anchor="middle"))
    height = bottom + 46
    if columns:
        height += 20
        left_out = len(record.groups[metric]) - sum(map(len, columns))
        more = f" ({several(left_out, 'more group')}: see the table)" if left_out else ""
        joined = f"joined: not shown to differ{more}"
        parts.append(text(width - 8, height - 10, joined, text_anchor="end", fill=FAINT))
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


def _packed(groups: Sequence[Group], order: Sequence[str]) -> list[list[Group]]:
    """Return the bars of groups in columns so that none covers another."""
    columns: list[list[Group]] = []
    for letter, group in groups:
        members = sorted(group, key=order.index)
        free = (c for c in columns if order.index(c[-1][1][-1]) < order.index(members[0]))
        column = next(free, None)
        if column is None:
            columns.append([])
            column = columns[-1]
        column.append((letter, members))
    return columns[:MOST_COLUMNS]


def _bar(letter: str, group: Sequence[str], rows: Mapping[str, float], x: float) -> str:
    """Return a group: a dot for each member, joined, dotted past systems that are not in it."""
    order = list(rows)
    between_ = order[order.index(group[0]) : order.index(group[-1]) + 1]
    paths = {True: "", False: ""}
    for above, below in pairwise(between_):
        piece = f"M{at(x, rows[above])}V{number(rows[below])}"
        paths[above in group and below in group] += piece
    dots = "".join(f"M{at(x, rows[member])}h0" for member in group)
    drawn = marked(
        f"{letter}: {', '.join(group)}",
        element("path", d=paths[True], stroke_width=3) if paths[True] else "",
        element("path", d=paths[False], stroke_dasharray="2 3") if paths[False] else "",
        element("path", d=dots, stroke_width=8, stroke_linecap="round"),
        class_="group", stroke=INK, fill="none",
    )  # fmt: skip
    middle = (rows[group[0]] + rows[group[min(1, len(group) - 1)]]) / 2
    return drawn + text(x + 6, middle + 4.5, letter)


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
