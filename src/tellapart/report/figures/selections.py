"""Figure: recall times precision of every system on each selection (figures 14 and 15 of 1993)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tellapart.comparison.selections import SelectionComparison
from tellapart.report.figures.layout import (
    FAINT,
    MARKS,
    PALETTE,
    WIDTH,
    Scale,
    axis_left,
    column_angle,
    column_names,
    element,
    figure,
    fitted,
    line,
    mark,
    marked,
    polyline,
    shortened,
    text,
    text_width,
)

_TOP, _HEIGHT, _LEGEND = 24, 260, 20
_ROOM = 110.0  # for a name
_LEAST = 22.0  # from system to system
_TIMES = 10_000  # as the paper plots it


def selections_figure(found: Sequence[SelectionComparison], name: str = "selections") -> str:
    """Return the products of all systems as SVG, a line for each selection."""
    lines = products(found)
    systems = list(dict.fromkeys(each.system for each in found))
    top = _TOP + _LEGEND * len(lines)
    bottom = top + _HEIGHT
    highest = max((value for own in lines.values() for value in own.values()), default=0.0)
    y = Scale(0.0, highest * 1.05 or 1.0, bottom, top)
    left = 30 + max(map(text_width, y.ticks().values()))
    width = max(WIDTH, left + _LEAST * len(systems) + 8)
    step = (width - 8 - left) / len(systems)
    places = {system: left + step * (k + 0.5) for k, system in enumerate(systems)}
    short = fitted(systems, _ROOM)
    angle, below, _ = column_angle(list(short.values()), step)
    parts = [
        axis_left(y, left, width - 8, "recall x precision"),
        line(left, bottom, width - 8, bottom, stroke=FAINT),
        *(part for k, own in enumerate(lines) for part in _line(k, own, lines[own], places, y)),
        *column_names(places, short, bottom, angle, below=True),
    ]
    title = "Recall times precision on selections of slots"
    words = f"Recall times precision, times {_TIMES:,}, of every system."
    return figure(width, bottom + 20 + below, title, words, parts, name)


def products(found: Sequence[SelectionComparison]) -> dict[str, dict[str, float]]:
    """Return the product of recall and precision, times 10,000, by selection and system."""
    lines: dict[str, dict[str, float]] = {}
    for each in found:
        lines.setdefault(each.selection, {})[each.system] = _TIMES * each.figures.product
    for each in found:
        if each.against is not None:
            lines.setdefault(each.against, {})[each.system] = _TIMES * each.rest.product
    return lines


def _line(
    k: int, selection: str, values: Mapping[str, float], places: Mapping[str, float], y: Scale
) -> Iterator[str]:
    """Yield the marks of a selection, joined by a line, and its entry in the legend."""
    kind, colour = MARKS[k % len(MARKS)], PALETTE[k % len(PALETTE)]
    points = [(places[system], y(value)) for system, value in values.items()]
    dashes = None if k == 0 else f"{2 + 2 * k} 3"
    yield element("path", d=polyline(points), fill="none", stroke=colour, stroke_width=1.4,
                  stroke_dasharray=dashes)  # fmt: skip
    for (system, value), (x, at) in zip(values.items(), points, strict=True):
        words = f"{system}, {selection}: {value:.0f}"
        yield marked(words, mark(kind, x, at, 4.5, colour), class_="mark")
    above = _TOP + _LEGEND * k
    yield mark(kind, 64, above - 4, 4.5, colour)
    yield text(78, above, shortened(selection, WIDTH - 90))
