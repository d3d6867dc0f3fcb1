"""Figure: the smallest difference that is found over the number of items, on axes of ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.report.figures.axes import Scale, horizontal_grid, lines_to_axes, ticks_left
from tellapart.report.figures.svg import (
    BETTER,
    FAINT,
    GRID,
    INK,
    element,
    figure,
    number,
    text,
)

_WIDTH = 640
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, _WIDTH - 24, 20, 260
_ROUND = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the curve that the plan names, and the words that go with it."""

    items: float
    difference: float
    words: str


def draw(
    points: Sequence[tuple[float, float]], marks: Sequence[Mark], kind: str, title: str, words: str
) -> str:
    """Return the smallest difference that is found over the number of items, as SVG.

    >>> picture = draw([(100, 0.1), (400, 0.05)], [Mark(100, 0.1, "now")], "items", "F1", "…")
    >>> picture.count("<circle"), "now" in picture
    (1, True)
    """
    x, y = _scales(points, marks)
    path = "L".join(f"{number(x(math.log10(n)))} {number(y(math.log10(d)))}" for n, d in points)
    parts = [
        _vertical(x),
        _horizontal(y),
        element("path", d=f"M{path}", stroke=BETTER, stroke_width=2.5, fill="none"),
        *(_mark(x, y, mark) for mark in marks),
        text((_LEFT + _RIGHT) / 2, _BOTTOM + 40, kind, text_anchor="middle"),
        text(_LEFT, _TOP - 6, "smallest difference", fill=FAINT),
    ]
    return figure(_WIDTH, _BOTTOM + 52, title, words, parts, "plan", size=12)


def _scales(points: Sequence[tuple[float, float]], marks: Sequence[Mark]) -> tuple[Scale, Scale]:
    items = [math.log10(n) for n, _ in points] + [math.log10(mark.items) for mark in marks]
    sizes = [math.log10(d) for _, d in points] + [math.log10(mark.difference) for mark in marks]
    room = 0.14 * (max(sizes) - min(sizes)) + 0.02  # for words below the lowest mark
    return (
        Scale(min(items), max(items), _LEFT, _RIGHT),
        Scale(min(sizes) - room, max(sizes) + 0.05, _BOTTOM, _TOP),
    )


def _round_values(scale: Scale) -> list[float]:
    """Return 1, 2 and 5 times powers of ten on an axis of logarithms."""
    powers = range(math.floor(scale.low), math.ceil(scale.high) + 1)
    values = [step * 10.0**power for power in powers for step in _ROUND]
    return [v for v in values if scale.low - 1e-9 <= math.log10(v) <= scale.high + 1e-9]


def _vertical(x: Scale) -> str:
    values = _round_values(x)
    lines = "".join(f"M{number(x(math.log10(v)))} {_TOP}V{_BOTTOM}" for v in values)
    names = "".join(text(x(math.log10(v)), _BOTTOM + 18, f"{v:,.0f}", fill=FAINT) for v in values)
    return element("path", d=lines, stroke=GRID) + element("g", names, text_anchor="middle")


def _horizontal(y: Scale) -> str:
    ticks = {math.log10(value): f"{value:g}" for value in _round_values(y)}
    return horizontal_grid(y, ticks, _LEFT, _RIGHT) + ticks_left(y, ticks, _LEFT - 8)


def _mark(x: Scale, y: Scale, mark: Mark) -> str:
    across, up = x(math.log10(mark.items)), y(math.log10(mark.difference))
    # The curve falls: there is room above it to the right, and below it to the left.
    left = across > (_LEFT + _RIGHT) / 2
    words_at = (across - 10, up + 20) if left else (across + 10, up - 10)
    return "".join(
        [
            lines_to_axes(across, up, _LEFT, _BOTTOM),
            element("circle", cx=across, cy=up, r=5, fill=INK),
            text(*words_at, mark.words, font_weight=600, text_anchor="end" if left else "start"),
        ]
    )
