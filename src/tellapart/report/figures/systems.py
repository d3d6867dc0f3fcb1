"""Figures of systems by one score: with intervals, or with a line for each group."""

from __future__ import annotations

from collections.abc import Mapping

from tellapart.comparison.answers import ranking
from tellapart.comparison.record import Comparison, System
from tellapart.report.document import letters_of
from tellapart.report.figures.layout import (
    BETTER,
    FAINT,
    GRID,
    INK,
    PALETTE,
    WIDTH,
    Scale,
    at,
    axis_below,
    axis_left,
    column_angle,
    column_names,
    element,
    figure,
    fitted,
    interval_path,
    line,
    marked,
    name_text,
    number,
    shortened,
    spread,
    text,
    text_width,
)
from tellapart.report.sentences import better_direction
from tellapart.report.text import between, percent, plain
from tellapart.stats.corrections import letter

ROW, TOP = 26, 10
_NAME, _AXIS = 130.0, 140.0  # room for a name, and for intervals at least


def systems_figure(record: Comparison, metric: str, name: str) -> str:
    """Return the systems by one metric, the best first, with intervals and letters of groups."""
    ordered = ranking(record, metric)
    bottom = TOP + ROW * len(ordered)
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
    parts = [_stripes(len(ordered), width), axis_below(scale, TOP, bottom)]
    for k, (system, own) in enumerate(zip(ordered, letters, strict=True)):
        y = TOP + ROW * (k + 0.5)
        parts.append(_row(system, metric, y, scale, right, names[system.name]))
        parts.append(text(right + 14, y + 4.5, own))
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


def _score_words(system: System, metric: str) -> str:
    ends = between(system.intervals.get(metric), plain)
    return f"{system.name} {plain(system.scores[metric])}" + (f" ({ends})" if ends else "")


def _axis_words(record: Comparison, metric: str) -> str:
    level = record.confidence_level
    interval = "" if level is None else f", with {percent(level)} confidence interval"
    return f"{interval}; {better_direction(record, metric)}"


def _stripes(count: int, width: float) -> str:
    """Return a shade for every other row, so that the eye finds the way from name to group."""
    edge = number(width - 4)
    rows = "".join(f"M4 {number(TOP + ROW * i)}H{edge}v{ROW}H4z" for i in range(0, count, 2))
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


# Groups, which Chinchor (1992, figures 7 to 11) drew around the systems

_GROUPS_TOP, _HEIGHT, _LINE = 24, 180, 16
_WIDEST, _LEAST = 100.0, 15.0  # from system to system


def groups_figure(record: Comparison, metric: str, name: str) -> str:
    """Return scores, the best left, above a line for each group; nothing for two systems."""
    groups = record.groups.get(metric, [])
    if not groups or len(record.systems) < 3:
        return ""
    order, axis = ranking(record, metric), _GROUPS_TOP + _HEIGHT
    y = Scale(*spread([s.scores[metric] for s in order], 0.09), axis, _GROUPS_TOP)
    left = 32 + max(map(text_width, y.ticks().values()))
    width = max(WIDTH, left + _LEAST * len(order) + 8)
    step = min(_WIDEST, (width - 8 - left) / len(order))
    first = (left + width - 8 - step * (len(order) - 1)) / 2
    places = {system.name: first + step * k for k, system in enumerate(order)}
    bottom = axis + _LINE * (len(groups) + 1)
    short = fitted(places, 110.0)
    angle, below, _ = column_angle(short.values(), step)
    feet = "".join(
        f"M{at(places[s.name], y(s.scores[metric]))}V{number(bottom - 4)}" for s in order
    )
    parts = [
        axis_left(y, left, width - 8, metric),
        element("path", d=feet, stroke=GRID, stroke_dasharray="2 3"),
        *(_point(places[s.name], y(s.scores[metric]), _score_words(s, metric)) for s in order),
        *(
            _group_line(k, {member: places[member] for member in members}, axis)
            for k, members in enumerate(groups)
        ),
        *column_names(places, short, bottom - 8, angle, below=True),
    ]
    title = f"Groups of systems that are not shown to differ in {metric}"
    words = f"At a level of {record.alpha:g}:"
    return figure(width, bottom + 12 + below, title, words, parts, name)


def _point(x: float, y: float, words: str) -> str:
    return marked(words, element("circle", cx=x, cy=y, r=4.5, fill=INK), class_="mark")


def _group_line(k: int, places: Mapping[str, float], axis: float) -> str:
    """Return a line through the systems of a group, with a dot below each, and its letter."""
    y, colour = axis + _LINE * (k + 1), PALETTE[k % len(PALETTE)]
    first, last = min(places.values()), max(places.values())
    return marked(
        f"{letter(k)}: {', '.join(places)}",
        line(first, y, last, y, stroke=colour, stroke_width=1.8),
        *(element("circle", cx=x, cy=y, r=4, fill=colour) for x in places.values()),
        text(first - 9, y + 4.5, letter(k), text_anchor="end", font_weight=600),
        class_="group",
    )
