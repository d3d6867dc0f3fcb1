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
    SideBySide,
    axis_left,
    element,
    figure,
    line,
    mark,
    point,
    polyline,
    shortened,
    text,
)

_TOP, _HEIGHT, _LEGEND = 24, 260, 20
_TIMES = 10_000  # as the paper plots it


def selections_figure(found: Sequence[SelectionComparison]) -> str:
    """Return the products of all systems as SVG, a line for each selection."""
    lines = products(found)
    systems = list(dict.fromkeys(each.system for each in found))
    top = _TOP + _LEGEND * len(lines)
    bottom = top + _HEIGHT
    highest = max((value for own in lines.values() for value in own.values()), default=0.0)
    y = Scale(0.0, highest * 1.05 or 1.0, bottom, top)
    beside = SideBySide.of(systems, y)
    parts = [
        axis_left(y, beside.left, beside.width - 8, "recall x precision"),
        line(beside.left, bottom, beside.width - 8, bottom, stroke=FAINT),
    ]
    for k, (selection, values) in enumerate(lines.items()):
        parts += _line(k, selection, values, beside.places, y)
    parts += beside.names_below(bottom)
    title = "Recall times precision on selections of slots"
    words = f"Recall times precision, times {_TIMES:,}, of every system."
    return figure(beside.width, bottom + 20 + beside.reach, title, words, parts, "selections")


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
        yield point(f"{system}, {selection}: {value:.0f}", x, at, kind, colour)
    above = _TOP + _LEGEND * k
    yield mark(kind, 64, above - 4, 4.5, colour)
    yield text(78, above, shortened(selection, WIDTH - 90))
