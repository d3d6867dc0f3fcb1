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
    SideBySide,
    at,
    axis_below,
    axis_left,
    box,
    element,
    figure,
    fitted,
    interval_path,
    line,
    mark,
    marked,
    name_text,
    number,
    point,
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
    decimals = record.metrics[metric].decimals
    scores = [plain(system.scores[metric], decimals) for system in ordered]
    left = 16 + max(map(text_width, names.values()))
    aside = 14 + max(map(text_width, letters)) if any(letters) else 0
    digits = 14 + max(map(text_width, scores))
    width = max(WIDTH, left + _AXIS + digits + aside + 10)
    right = width - 10 - aside
    ends = [end for system in ordered for end in system.intervals.get(metric, ())]
    ends += [system.scores[metric] for system in ordered]
    scale = Scale(*spread(ends, 0.03), left, right - digits)
    # A shade for every other row, so that the eye finds the way from name to group
    shades = [box(4, TOP + ROW * k, width - 8, ROW, fill=GRID, fill_opacity=0.3)
              for k in range(0, len(ordered), 2)]  # fmt: skip
    parts = [*shades, axis_below(scale, TOP, bottom)]
    for k, system in enumerate(ordered):
        y, score = TOP + ROW * (k + 0.5), system.scores[metric]
        strokes = interval_path(scale, system.intervals.get(metric), y)
        parts += [
            marked(
                _score_words(system, metric, decimals),
                name_text(8, y + 4.5, system.name, names[system.name]),
                element("path", d=strokes, stroke=BETTER, stroke_width=2) if strokes else "",
                element("circle", cx=scale(score), cy=y, r=4.5, fill=BETTER),
                text(right, y + 4.5, scores[k], text_anchor="end", font_weight=600),
            ),
            text(right + 14, y + 4.5, letters[k]),
        ]
    level = record.confidence_level
    said = "" if level is None else f", with {percent(level)} confidence interval"
    said += f"; {better_direction(record, metric)}"
    below = [shortened(metric, width - 16 - text_width(said)) + said]
    below += ["a letter in common: not shown to differ"] if aside else []
    parts += (
        text(width / 2, bottom + 37 + 19 * k, words, text_anchor="middle", fill=FAINT if k else INK)
        for k, words in enumerate(below)
    )
    title, height = f"Systems by {metric}", bottom + 27 + 19 * len(below)
    return figure(width, height, title, f"{metric}{said}, best first.", parts, name)


def _score_words(system: System, metric: str, decimals: int) -> str:
    ends = between(system.intervals.get(metric), decimals, plain)
    return f"{system.name} {plain(system.scores[metric], decimals)}{f' ({ends})' if ends else ''}"


# Groups, which Chinchor (1992, figures 7 to 11) drew around the systems

_GROUPS_TOP, _HEIGHT, _LINE = 24, 180, 16


def groups_figure(record: Comparison, metric: str, name: str) -> str:
    """Return scores, the best left, above a line for each group; nothing for two systems."""
    groups = record.groups.get(metric, [])
    if not groups or len(record.systems) < 3:
        return ""
    order, axis = ranking(record, metric), _GROUPS_TOP + _HEIGHT
    decimals = record.metrics[metric].decimals
    y = Scale(*spread([s.scores[metric] for s in order], 0.09), axis, _GROUPS_TOP)
    bottom = axis + _LINE * (len(groups) + 1)
    beside = SideBySide.of([system.name for system in order], y)
    places = [(beside.places[s.name], y(s.scores[metric])) for s in order]
    feet = "".join(f"M{at(*place)}V{number(bottom - 4)}" for place in places)
    parts = [
        axis_left(y, beside.left, beside.width - 8, metric),
        element("path", d=feet, stroke=GRID, stroke_dasharray="2 3"),
        *(
            point(_score_words(system, metric, decimals), *place, "circle", INK)
            for system, place in zip(order, places, strict=True)
        ),
        *(
            _group_line(k, {member: beside.places[member] for member in members}, axis)
            for k, members in enumerate(groups)
        ),
        *beside.names_below(bottom - 8),
    ]
    title = f"Groups of systems that are not shown to differ in {metric}"
    words = f"At a level of {record.alpha:g}:"
    return figure(beside.width, bottom + 12 + beside.reach, title, words, parts, name)


def _group_line(k: int, places: Mapping[str, float], axis: float) -> str:
    """Return a line through the systems of a group, with a dot below each, and its letter."""
    y, colour = axis + _LINE * (k + 1), PALETTE[k % len(PALETTE)]
    first, last = min(places.values()), max(places.values())
    return marked(
        f"{letter(k)}: {', '.join(places)}",
        line(first, y, last, y, stroke=colour, stroke_width=1.8),
        *(mark("circle", x, y, 4, colour) for x in places.values()),
        text(first - 9, y + 4.5, letter(k), text_anchor="end", font_weight=600),
        class_="group",
    )
