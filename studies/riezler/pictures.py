"""Pictures of p-values where nothing differs: their quantiles, one panel for each test."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tellapart.report.figures.layout import (
    BETTER,
    FAINT,
    GRID,
    INK,
    WORSE,
    Scale,
    element,
    figure,
    line,
    number,
    text,
)

_SIDE, _LEFT, _TOP, _RIGHT, _BELOW = 168, 44, 34, 12, 40  # of one panel, in pixels
_COLUMNS, _HEAD, _FOOT = 3, 56, 34
_POINTS = 48  # in steps of equal factors, since small p-values matter most
_BAND, _UNLIKELY = (0.025, 0.975), 0.0027
_TICKS: Final = {0.0001: ".0001", 0.001: ".001", 0.01: ".01", 0.05: ".05", 0.2: ".2", 1.0: "1"}


@dataclass(frozen=True, slots=True)
class Point:
    """The expected and the observed p of one rank, and the band of an even p."""

    expected: float
    observed: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Panel:
    """The panel of a test: its name, a remark, whether something is wrong, and the points."""

    name: str
    remark: str
    wrong: bool
    points: tuple[Point, ...]


def p_value_panel(name: str, p: NDArray[np.float64], level: float) -> Panel:
    """Return the panel of a test that should reject as often as a level says.

    >>> panel = p_value_panel("t", (np.arange(1000) + 0.5) / 1000, 0.05)
    >>> panel.remark, panel.wrong, all(q.low <= q.observed <= q.high for q in panel.points)
    ('5.0 % at .05', False, True)
    """
    number = len(p)
    rejected = int(np.count_nonzero(p <= level))
    wrong = bool(stats.binomtest(rejected, number, level, "greater").pvalue < _UNLIKELY)
    remark = f"{100 * rejected / number:.1f} % at {f'{level:.2f}'.removeprefix('0')}"
    ranks = np.unique(np.rint(np.geomspace(1, number, _POINTS)).astype(np.int64))
    # The k-th smallest of n even p-values has the distribution Beta(k, n - k + 1).
    low, high = (stats.beta.ppf(tail, ranks, number - ranks + 1) for tail in _BAND)
    columns = ((ranks - 0.5) / number, np.sort(p)[ranks - 1], low, high)
    points = np.stack(columns, axis=1).tolist()
    return Panel(name, remark, wrong, tuple(Point(*point) for point in points))


def quantiles_figure(title: str, description: str, panels: Sequence[Panel], name: str) -> str:
    """Return one panel per test as SVG: points below the diagonal are p-values that are too small.

    Both axes are logarithmic, since small p-values decide.

    >>> point = Point(0.5, 0.4, 0.2, 0.8)
    >>> drawn = quantiles_figure("P-values", "One.", [Panel("t", "keeps", False, (point,))], "qq")
    >>> drawn.count("<g "), "keeps" in drawn
    (1, True)
    """
    columns = min(_COLUMNS, len(panels))
    wide, high = _LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _BELOW
    rows = math.ceil(len(panels) / columns)
    width = max(columns * wide, 2 * wide) + 8
    height = _HEAD + rows * high + _FOOT
    parts = [
        text(8, 20, title, font_weight="bold", font_size=14),
        text(8, 40, "p-values sorted, against what even p-values would be", fill=FAINT),
    ]
    least = min(point.expected for panel in panels for point in panel.points)
    for k, panel in enumerate(panels):
        left, top = 4 + k % columns * wide + _LEFT, _HEAD + k // columns * high + _TOP
        parts.append(_panel(panel, left, top, least))
    parts.append(
        text(
            8,
            height - 12,
            "Across: even p-values; up: the test's. Below the line: too small. Shaded: 95 % band.",
        )
    )
    return figure(width, height, title, description, parts, name)


def _panel(panel: Panel, left: float, top: float, least: float) -> str:
    low = math.log10(min(least, 0.01))
    across, down = Scale(low, 0, left, left + _SIDE), Scale(low, 0, top + _SIDE, top)
    colour = WORSE if panel.wrong else BETTER

    def place(x: float, y: float) -> str:
        # A p below the axis is drawn on its end.
        return f"{number(across(math.log10(x)))} {number(down(max(low, math.log10(y))))}"

    up = [place(point.expected, point.high) for point in panel.points]
    back = [place(point.expected, point.low) for point in reversed(panel.points)]
    course = "L".join(place(point.expected, point.observed) for point in panel.points)
    parts = [
        *_axes(across, down, left, top),
        element("path", d=f"M{'L'.join(up + back)}Z", fill=GRID, fill_opacity="0.6"),
        line(left, top + _SIDE, left + _SIDE, top, stroke=FAINT, stroke_dasharray="4 3"),
        element("path", d=f"M{course}", fill="none", stroke=colour, stroke_width=2),
        text(left, top - 18, panel.name, font_weight="bold"),
        text(left, top - 4, panel.remark, fill=colour if panel.wrong else INK, font_size=11),
    ]
    return element("g", "".join(parts), class_="panel")


def _axes(across: Scale, down: Scale, left: float, top: float) -> Iterator[str]:
    yield element("rect", x=left, y=top, width=_SIDE, height=_SIDE, fill="none", stroke=GRID)
    for value, words in _TICKS.items():
        at = math.log10(value)
        if at < across.low:
            continue
        x, y = across(at), down(at)
        yield line(x, top, x, top + _SIDE, stroke=GRID, stroke_width=0.5)
        yield line(left, y, left + _SIDE, y, stroke=GRID, stroke_width=0.5)
        yield text(x, top + _SIDE + 14, words, text_anchor="middle", font_size=10)
        yield text(left - 4, y + 3, words, text_anchor="end", font_size=10)
