"""Figure: groups of bars that show where each system loses (spans, types or realis)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape

from tellapart.formats.contract import BarChart, Group

# Okabe and Ito's palette, safe for the colour-blind; every bar has its name beside it all the same.
_COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
_BAR, _GAP, _GROUP_GAP = 16, 4, 18  # heights
_TOP, _BOTTOM, _LABELS, _PLOT, _RIGHT = 64, 68, 170, 500, 130
_INK, _GRID, _PAPER = "#222222", "#d0d0d0", "#ffffff"


def draw(chart: BarChart) -> str:
    """Return a chart as SVG, with a text alternative that has all its numbers.

    >>> from tellapart.formats.contract import Bar
    >>> group = Group("A", (Bar("span", 80.0), Bar("span + type", 60.0)))
    >>> "A: span 80.0, span + type 60.0." in draw(BarChart("F1", "per cent", (group,), True))
    True
    """
    heights = [len(group.bars) * (_BAR + _GAP) + 22 for group in chart.groups]
    plot_height = sum(heights) + _GROUP_GAP * max(0, len(heights) - 1)
    width, height = _LABELS + _PLOT + _RIGHT, _TOP + plot_height + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="title words" '
        'font-family="system-ui, sans-serif" font-size="13">',
        f'<title id="title">{escape(chart.title)}</title>',
        f'<desc id="words">{escape(chart.in_words())}</desc>',
        f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>',
        *_hatch(),
        _text(16, 28, chart.title, size=17, bold=True),
        *_axis(chart.axis, plot_height),
    ]
    top = float(_TOP)
    for group, group_height in zip(chart.groups, heights, strict=True):
        parts += _group(group, top, chart.losses)
        top += group_height + _GROUP_GAP
    if chart.losses:
        parts.append(_text(16, height - 12, _LEGEND, size=12))
    return "\n".join([*parts, "</svg>"]) + "\n"


_LEGEND: Final = "Hatched: what is lost when the attribute must be right too, in points."


def _hatch() -> Iterator[str]:
    for i, colour in enumerate(_COLOURS):
        yield (
            f'<pattern id="hatch{i}" width="6" height="6" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><rect width="6" height="6" fill="{_PAPER}"/>'
            f'<line x1="0" y1="0" x2="0" y2="6" stroke="{colour}" stroke-width="2.5"/></pattern>'
        )


def _axis(label: str, plot_height: float) -> Iterator[str]:
    for value in range(0, 101, 20):
        x = _LABELS + _PLOT * value / 100
        yield (
            f'<line x1="{x:g}" y1="{_TOP - 8}" x2="{x:g}" y2="{_TOP + plot_height:g}" '
            f'stroke="{_GRID}"/>'
        )
        for y in (_TOP - 14, _TOP + plot_height + 16):  # with many systems one end is far away
            yield _text(x, y, str(value), anchor="middle", size=12)
    yield _text(_LABELS + _PLOT / 2, _TOP + plot_height + 34, label, anchor="middle", size=12)


def _group(group: Group, top: float, losses: bool) -> Iterator[str]:
    first = group.bars[0].value if group.bars else 0.0
    yield _text(16, top + 12, group.name, bold=True)
    for i, bar in enumerate(group.bars):
        y = top + 22 + i * (_BAR + _GAP)
        yield _text(_LABELS - 8, y + _BAR - 4, bar.label, anchor="end")
        yield _rectangle(_LABELS, y, bar.value, _COLOURS[i % len(_COLOURS)])
        lost = first - bar.value
        end = bar.value
        words = f"{bar.value:.1f}"
        if losses and lost > 0:
            left = _LABELS + _PLOT * bar.value / 100
            yield _rectangle(left, y, lost, f"url(#hatch{i % len(_COLOURS)})")
            end, words = first, f"{bar.value:.1f} (−{lost:.1f})"
        yield _text(_LABELS + _PLOT * end / 100 + 6, y + _BAR - 4, words)


def _rectangle(x: float, y: float, value: float, fill: str) -> str:
    return (
        f'<rect x="{x:.2f}" y="{y:g}" width="{_PLOT * value / 100:.2f}" height="{_BAR}" '
        f'fill="{fill}" stroke="{_INK}" stroke-width="0.5"/>'
    )


def _text(
    x: float, y: float, words: str, *, anchor: str = "start", size: int = 13, bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    place = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"{weight}'
    shown = escape(words)
    # The rim of paper keeps lines of the grid from crossing the words. It is a text of its own:
    # not every viewer knows paint-order, and the rim must not lie on the words.
    rim = f'stroke="{_PAPER}" stroke-width="3" fill="{_PAPER}" aria-hidden="true"'
    return f'<text {place} {rim}>{shown}</text><text {place} fill="{_INK}">{shown}</text>'
