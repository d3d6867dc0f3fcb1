"""Figure: systems in order of score, with intervals, and bars that join the groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.comparison.ranking import ranking
from tellapart.comparison.record import Comparison, SystemResult
from tellapart.report.figures.axes import Scale, grid, interval_path, spread, ticks_below
from tellapart.report.figures.names import (
    fitted,
    group_letters,
    hover,
    name_text,
    system_names,
    text_width,
)
from tellapart.report.figures.svg import (
    BETTER,
    FAINT,
    GRID,
    INK,
    WIDTH,
    element,
    figure,
    number,
    text,
)
from tellapart.report.numbers import ends_words, plain
from tellapart.report.wording import direction, level_words
from tellapart.words import several

ROW, TOP = 26, 10
MOST_COLUMNS = 14
"""Columns of group bars; more would leave no room for the scores"""
_MANY = 12  # systems: the axis is written at both ends
_NAME = 130.0  # room for a name
_AXIS = 140.0  # the least room for intervals
_GAP = 20  # between the scores and the bars


def draw(result: Comparison, metric: str, name: str) -> str:
    """Return the systems by one metric as SVG, the best first."""
    ordered = ranking(result, metric)
    top = TOP + (20 if len(ordered) > _MANY else 0)
    rows = {system.name: top + ROW * (i + 0.5) for i, system in enumerate(ordered)}
    bottom = top + ROW * len(ordered)
    bars = _packed(result, metric, list(rows))
    bars_width = _GAP + sum(_widths(bars)) if bars else 0
    names = system_names(result, _NAME)
    left = 16 + max(map(text_width, names.values()))
    digits = 14 + max(text_width(f"{system.scores[metric]:.3f}") for system in ordered)
    width = max(WIDTH, left + _AXIS + digits + bars_width + 10)
    ends = [end for system in ordered for end in system.intervals.get(metric, ())]
    scores = [system.scores[metric] for system in ordered]
    right = width - 10 - bars_width
    scale = Scale(*spread([*ends, *scores], 0.03), left, right - digits)
    parts = [
        _stripes(top, len(ordered), width),
        grid(scale, top, bottom),
        ticks_below(scale, bottom + 18),
        *(_row(system, metric, rows[system.name], scale, right, names) for system in ordered),
        *_bars(bars, rows, right + _GAP),
        *_below(result, metric, bottom, width, scale),
    ]
    if len(ordered) > _MANY:
        parts.append(ticks_below(scale, top - 9))
    height = bottom + 46
    if bars:
        words = "joined: not shown to differ"
        left_out = len(result.groups[metric]) - sum(map(len, bars))
        if left_out:
            words += f" ({several(left_out, 'more group')}: see the table)"
        height += 20
        parts.append(text(width - 8, height - 10, words, text_anchor="end", fill=FAINT))
    title = f"Systems by {metric}"
    return figure(width, height, title, sentence(result, metric), parts, name)


def sentence(result: Comparison, metric: str) -> str:
    """Return what the figure shows, number by number."""
    shown = "; ".join(_in_words(system, metric) for system in ranking(result, metric))
    level = f" with {level_words(result)}s" if result.systems[0].intervals else ""
    words = f"{metric}, best first{level}: {shown}."
    groups = _lettered(result, metric)
    named = "; ".join(f"{letter}: {', '.join(group)}" for letter, group in groups)
    return f"{words} Not shown to differ, by group: {named}." if named else words


def _lettered(result: Comparison, metric: str) -> list[tuple[str, list[str]]]:
    groups = result.groups.get(metric, [])
    return list(zip(group_letters(groups, result.letters.get(metric, {})), groups, strict=True))


def _in_words(system: SystemResult, metric: str) -> str:
    ends = ends_words(system.intervals.get(metric), plain)
    return f"{system.name} {system.scores[metric]:.3f}" + (f" ({ends})" if ends else "")


def _below(
    result: Comparison, metric: str, bottom: float, width: float, scale: Scale
) -> Iterator[str]:
    """Yield the name of the axis, under it as far as the words allow."""
    level = f", with {level_words(result)}" if result.systems[0].intervals else ""
    words = f"{metric}{level}; {direction(result, metric)} is better"
    words = fitted([words], width - 16)[words]
    half = text_width(words) / 2
    middle = min(max((scale.start + scale.end) / 2, 8 + half), width - 8 - half)
    yield text(middle, bottom + 37, words, text_anchor="middle")


def _stripes(top: float, count: int, width: float) -> str:
    """Return a shade for every other row, so that the eye finds the way from name to group."""
    edge = number(width - 4)
    rows = "".join(f"M4 {number(top + ROW * i)}H{edge}v{ROW}H4z" for i in range(0, count, 2))
    ends = "".join(f"M4 {number(y)}H{edge}" for y in (top, top + ROW * count))
    return element("path", d=rows, fill=GRID, fill_opacity=0.3) + element(
        "path", d=ends, stroke=GRID
    )


def _row(
    system: SystemResult,
    metric: str,
    y: float,
    scale: Scale,
    right: float,
    names: dict[str, str],
) -> str:
    score = system.scores[metric]
    strokes = interval_path(scale, system.intervals.get(metric), y, cap=5)
    interval = element("path", d=strokes, stroke=BETTER, stroke_width=2) if strokes else ""
    value = {"font_weight": 600, "font_variant_numeric": "tabular-nums"}
    parts = [
        hover(_in_words(system, metric)),
        name_text(8, y + 4.5, system.name, names[system.name], fill=INK),
        interval,
        element("circle", cx=scale(score), cy=y, r=4.5, fill=BETTER),
        text(right, y + 4.5, f"{score:.3f}", text_anchor="end", **value),
    ]
    return element("g", "".join(parts))


Bar = tuple[str, tuple[str, ...]]


def _packed(result: Comparison, metric: str, order: Sequence[str]) -> list[list[Bar]]:
    """Return the bars of groups in columns so that none covers another."""
    rank = {name: position for position, name in enumerate(order)}
    columns: list[list[Bar]] = []
    for letter, group in _lettered(result, metric):
        bar = letter, tuple(sorted(group, key=rank.__getitem__))
        start = rank[bar[1][0]]
        for column in columns:
            if rank[column[-1][1][-1]] < start:
                column.append(bar)
                break
        else:
            columns.append([bar])
    return columns[:MOST_COLUMNS]


def _widths(columns: Sequence[Sequence[Bar]]) -> list[int]:
    return [19 if all(len(letter) < 2 for letter, _ in column) else 27 for column in columns]


def _bars(columns: Sequence[Sequence[Bar]], rows: dict[str, float], x: float) -> Iterator[str]:
    """Yield each group: a dot for each member, joined, dotted past systems that are not in it."""
    order = list(rows)
    for column, width in zip(columns, _widths(columns), strict=True):
        for letter, group in column:
            first, last = order.index(group[0]), order.index(group[-1])
            inside = [other in group for other in order[first : last + 1]]
            solid, dotted = _joined(x, [rows[n] for n in order[first : last + 1]], inside)
            dots = "".join(f"M{number(x)} {number(rows[n])}h0" for n in group)
            parts = [
                hover(f"{letter}: {', '.join(group)}"),
                element("path", d=solid, stroke_width=3) if solid else "",
                element("path", d=dotted, stroke_dasharray="2 3") if dotted else "",
                element("path", d=dots, stroke_width=8, stroke_linecap="round"),
            ]
            drawn = element("g", "".join(parts), class_="group", stroke=INK, fill="none")
            middle = (rows[group[0]] + rows[group[min(1, len(group) - 1)]]) / 2
            yield drawn + text(x + 6, middle + 4.5, letter)
        x += width


def _joined(x: float, places: Sequence[float], inside: Sequence[bool]) -> tuple[str, str]:
    """Return the line from row to row: solid between members, dotted past others."""
    paths = {True: "", False: ""}
    for k in range(len(places) - 1):
        piece = f"M{number(x)} {number(places[k])}V{number(places[k + 1])}"
        paths[inside[k] and inside[k + 1]] += piece
    return paths[True], paths[False]
