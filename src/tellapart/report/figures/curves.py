"""Figures of curves: power, and planning."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tellapart.comparison.details import PowerCurve
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
from tellapart.report.text import two_digits
from tellapart.words import plural

_LEFT, _RIGHT, _TOP, _BOTTOM = 60, WIDTH - 20, 24, 250
_SHARES = {0.0: "0", 0.2: "0.2", 0.4: "0.4", 0.6: "0.6", 0.8: "0.8", 1.0: "1"}


def power_figure(power: PowerCurve, name: str) -> str:
    """Return how often a true difference of each size would be found; nothing without a curve."""
    if len(power.curve) < 2:
        return ""
    x, y = power_scales(power)
    parts = [
        axis_below(x, _TOP, _BOTTOM, f"true difference in {power.metric}"),
        axis_left(y, _LEFT, _RIGHT, "share that is found", _SHARES),
        _path(x, y, power.curve),
        _pointer(x, y, power.detectable, 0.8, f"{two_digits(power.detectable)}: 4 times out of 5"),
    ]
    title = f"How often a true difference in {power.metric} would be found"
    return figure(WIDTH, _BOTTOM + 50, title, power_words(power), parts, name)


def power_words(power: PowerCurve) -> str:
    """Return what can be found, and what more items would find, in words."""
    items = plural(power.kind)
    size, half = two_digits(power.detectable), two_digits(power.detectable / 2)
    words = f"With {power.items:,} {items} a true difference of {size} is found 4 times out of 5"
    if power.items_for_half is None:
        return f"{words}."
    return f"{words}; half of that, {half}, would need about {power.items_for_half:,} {items}."


def power_scales(power: PowerCurve) -> tuple[Scale, Scale]:
    """Return where differences and shares are drawn."""
    longest = max(power.detectable, *(size for size, _ in power.curve))
    return Scale(0.0, longest, _LEFT, _RIGHT), Scale(0.0, 1.0, _BOTTOM, _TOP)


def _path(x: Scale, y: Scale, points: Sequence[tuple[float, float]]) -> str:
    path = polyline((x(across), y(up)) for across, up in points)
    return element("path", d=path, stroke=BETTER, stroke_width=2.5, fill="none")


def _pointer(x: Scale, y: Scale, across: float, up: float, words: str, rises: bool = True) -> str:
    """Return a place on a curve, with dashed lines to both axes and its words beside it."""
    at, height = x(across), y(up)
    dashes = {"stroke": INK, "stroke_dasharray": "5 3"}
    # Left of a curve that rises there is room above it; beside one that falls, above and below.
    left = not rises and at > (x.start + x.end) / 2
    place = (x.start + 8, -8) if rises else (at - 10, 22) if left else (at + 10, -10)
    drawn = [
        line(x.start, height, at, height, **dashes),
        line(at, height, at, y.start, **dashes),
        element("circle", cx=at, cy=height, r=5, fill=INK),
        text(place[0], height + place[1], words, font_weight=600,
             text_anchor="end" if left else "start"),
    ]  # fmt: skip
    return "".join(drawn)


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
        _path(x, y, curve),
        *(_pointer(x, y, *place, rises=False) for place in named),
        text(_LEFT, _TOP - 6, "smallest difference", fill=FAINT),
    ]
    return figure(WIDTH, _BOTTOM + 52, title, words, parts, "plan")


def _powers(scale: Scale) -> list[float]:
    """Return the logarithms of 1, 2 and 5 times powers of ten on an axis, as many as fit."""
    powers = range(math.floor(scale.low), math.ceil(scale.high) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        places = [math.log10(step) + power for power in powers for step in steps]
        places = [at for at in places if scale.low - 1e-9 <= at <= scale.high + 1e-9]
        if len(places) < 12:
            break
    return places
