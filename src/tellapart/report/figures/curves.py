"""Figure: the curve of a plan."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tellapart.report.figures.layout import (
    BETTER,
    FAINT,
    INK,
    WIDTH,
    Scale,
    axis_below,
    axis_left,
    element,
    figure,
    line,
    polyline,
    text,
)

_LEFT, _RIGHT, _TOP, _BOTTOM = 60, WIDTH - 20, 24, 250


def planning_figure(
    points: Sequence[tuple[float, float]],
    marks: Sequence[tuple[float, float, str]],
    kind: str,
    title: str,
    words: str,
) -> str:
    """Return the smallest difference that is found over the number of items, on axes of ratios.

    Marks are places on the curve that a plan names: items, difference, words.

    >>> figure = planning_figure([(100, 0.1), (400, 0.05)], [(100, 0.1, "now")], "items", "F1", "…")
    >>> figure.count("<circle"), "now" in figure
    (1, True)
    """
    curve = [(math.log10(n), math.log10(size)) for n, size in points]
    named = [(math.log10(n), math.log10(size), label) for n, size, label in marks]
    items, sizes = zip(*curve, *((n, size) for n, size, _ in named), strict=True)
    room = 0.14 * (max(sizes) - min(sizes)) + 0.02  # for words below the lowest mark
    x = Scale(min(items), max(items), _LEFT, _RIGHT)
    y = Scale(min(sizes) - room, max(sizes) + 0.05, _BOTTOM, _TOP)
    across = {at: f"{10**at:,.0f}" for at in _powers(x)}
    parts = [
        axis_below(x, _TOP, _BOTTOM, kind, ticks=across),
        axis_left(y, _LEFT, _RIGHT, "", {at: f"{10**at:.6g}" for at in _powers(y)}),
        element("path", d=polyline((x(n), y(size)) for n, size in curve), stroke=BETTER,
                stroke_width=2.5, fill="none"),
        *(_pointer(x, y, *place) for place in named),
        text(_LEFT, _TOP - 6, "smallest difference", fill=FAINT),
    ]  # fmt: skip
    return figure(WIDTH, _BOTTOM + 52, title, words, parts, "plan")


def _pointer(x: Scale, y: Scale, across: float, up: float, words: str) -> str:
    """Return a place on a curve, with dashed lines to both axes and its words beside it."""
    at, height = x(across), y(up)
    dashes = {"stroke": INK, "stroke_dasharray": "5 3"}
    left = at > (x.start + x.end) / 2
    aside, down = (-10, 22) if left else (10, -10)  # below the curve, or above it
    drawn = [
        line(x.start, height, at, height, **dashes),
        line(at, height, at, y.start, **dashes),
        element("circle", cx=at, cy=height, r=5, fill=INK),
        text(at + aside, height + down, words, font_weight=600,
             text_anchor="end" if left else "start"),
    ]  # fmt: skip
    return "".join(drawn)


def _powers(scale: Scale) -> list[float]:
    """Return the logarithms of 1, 2 and 5 times powers of ten on an axis, as many as fit."""
    powers = range(math.floor(scale.low), math.ceil(scale.high) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        places = [math.log10(step) + power for power in powers for step in steps]
        places = [at for at in places if scale.low - 1e-9 <= at <= scale.high + 1e-9]
        if len(places) < 12:
            break
    return places
