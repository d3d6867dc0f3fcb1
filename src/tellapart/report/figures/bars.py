"""Figure: groups of bars that show where each system loses (spans, types or realis)."""

from __future__ import annotations

from html import escape

from tellapart.formats.contract import BarChart
from tellapart.report.figures.layout import (
    INK,
    PALETTE,
    PAPER,
    Scale,
    axis_below,
    box,
    element,
    figure,
    shortened,
    text,
)

_BAR, _GAP, _TOP, _LEFT, _RIGHT, _WIDTH = 16, 20, 48, 170, 670, 800
_LEGEND = "Hatched: what is lost when the attribute must be right too, in points."


def bars_figure(chart: BarChart, name: str = "bars") -> str:
    """Return a chart of scores from 0 to 100, with a text alternative that has all its numbers.

    >>> from tellapart.formats.contract import Bar, Group
    >>> group = Group("A", (Bar("span", 80.0), Bar("span + type", 60.0)))
    >>> drawn = bars_figure(BarChart("F1", "per cent", (group,), True))
    >>> "A: span 80.0, span + type 60.0." in drawn, "60.0 (−20.0)" in drawn
    (True, True)
    """
    scale = Scale(0.0, 100.0, _LEFT, _RIGHT)
    bottom = _TOP + sum(22 + _GAP * (len(group.bars) + 1) for group in chart.groups)
    parts = [
        *(_hatch(f"{name}-{k}", colour) for k, colour in enumerate(PALETTE[:4])),
        text(16, 28, chart.title, font_weight=600),
        axis_below(scale, _TOP - 8, bottom),
        text((_LEFT + _RIGHT) / 2, bottom + 36, chart.axis, text_anchor="middle"),
    ]
    y = float(_TOP)
    for group in chart.groups:
        parts.append(text(16, y + 12, shortened(group.name, 640), font_weight=600))
        y += 22
        first = group.bars[0].value if group.bars else 0.0
        for k, bar in enumerate(group.bars):
            look = {"stroke": INK, "stroke_width": 0.5}
            end, words = bar.value, f"{bar.value:.1f}"
            parts.append(text(_LEFT - 8, y + 12, shortened(bar.label, 150), text_anchor="end"))
            parts.append(box(_LEFT, y, scale(bar.value) - _LEFT, _BAR, fill=PALETTE[k % 4], **look))
            if chart.losses and first > bar.value:
                lost = scale(first) - scale(bar.value)
                parts.append(
                    box(scale(bar.value), y, lost, _BAR, fill=f"url(#{name}-{k % 4})", **look)
                )
                end, words = first, f"{words} (−{first - bar.value:.1f})"
            parts.append(text(scale(end) + 6, y + 12, words))
            y += _GAP
        y += _GAP
    if chart.losses:
        parts.append(text(16, bottom + 56, _LEGEND))
    return figure(_WIDTH, bottom + 66, chart.title, chart.in_words(), parts, name)


def _hatch(name: str, colour: str) -> str:
    """Return a pattern of slanted lines."""
    lines = box(0, 0, 6, 6, fill=PAPER) + element("path", d="M0 0V6", stroke=colour, stroke_width=5)
    return (
        f'<pattern id="{escape(name)}" width="6" height="6" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)">{lines}</pattern>'
    )
