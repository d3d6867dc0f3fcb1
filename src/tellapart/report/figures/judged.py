"""Figure: differences by the judge alone, by people alone, and by both together."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.comparison.judged_record import JudgedComparison, JudgedPair, Measured
from tellapart.report.figures.axes import Scale, grid, interval_path, spread, ticks_below
from tellapart.report.figures.names import fitted, text_width
from tellapart.report.figures.svg import (
    BETTER,
    FAINT,
    INK,
    WIDTH,
    element,
    figure,
    line,
    mark,
    text,
)
from tellapart.report.numbers import ends_words, signed

MOST_PAIRS = 12
"""So many pairs are drawn, those of the largest differences"""
_ROW, _HEAD, _TOP = 20, 24, 8
_NAME = 300.0
_WAYS = (("both together", "circle"), ("judge alone", "square"), ("people alone", "diamond"))


def draw(result: JudgedComparison, pairs: Sequence[JudgedPair], name: str) -> str:
    """Return pairs of systems as SVG, three intervals for each."""
    shown = list(pairs)[:MOST_PAIRS]
    left = 20 + max(text_width(way) for way, _ in _WAYS)
    values = [value for pair in shown for each in _ways(pair) for value in _known(each)]
    right = WIDTH - 12 - max(text_width(signed(each.value)) for p in shown for each in _ways(p))
    scale = Scale(*spread([*values, 0.0], 0.04), left, right - 8)
    block = _HEAD + 3 * _ROW
    bottom = _TOP + block * len(shown)
    drawn = [
        grid(scale, _TOP + _HEAD - 6, bottom, signs=True),
        line(scale(0), _TOP + _HEAD - 8, scale(0), bottom + 4),
        *(_pair(pair, _TOP + block * k, scale) for k, pair in enumerate(shown)),
        ticks_below(scale, bottom + 17, signs=True),
    ]
    words = sentence(result, shown)
    title = "Differences by judge and people together, and by each alone"
    return figure(WIDTH, bottom + 26, title, words, drawn, name)


def sentence(result: JudgedComparison, pairs: Sequence[JudgedPair]) -> str:
    """Return what the figure shows, number by number."""
    level = f"{100 * result.interval_level:g} % intervals"
    level += ", for all pairs at once" if len(result.pairs) > 1 else ""
    parts = "; ".join(
        f"{pair.a} minus {pair.b}: "
        + ", ".join(
            f"{way} {signed(each.value)} ({ends_words(each.interval)})"
            for (way, _), each in zip(_WAYS, _ways(pair), strict=True)
        )
        for pair in pairs
    )
    return f"{parts}. {level}."


def _ways(pair: JudgedPair) -> tuple[Measured, Measured, Measured]:
    return pair.both, pair.judge, pair.people


def _known(found: Measured) -> tuple[float, float, float]:
    return (found.value, *found.interval)


def _pair(pair: JudgedPair, top: float, scale: Scale) -> str:
    title = f"{pair.a} minus {pair.b}"
    drawn = [text(4, top + 13, fitted([title], _NAME)[title], font_weight="600")]
    for k, ((way, kind), found) in enumerate(zip(_WAYS, _ways(pair), strict=True)):
        y = top + _HEAD + _ROW * (k + 0.5)
        colour = BETTER if k == 0 else FAINT
        drawn += [
            text(12, y + 4, way, fill=INK if k == 0 else FAINT),
            element(
                "path",
                d=interval_path(scale, found.interval, y, 4),
                stroke=colour,
                stroke_width=3 if k == 0 else 1.5,
                fill="none",
            ),
            mark(kind, scale(found.value), y, 4.5, colour),
            text(WIDTH - 4, y + 4, signed(found.value), text_anchor="end", fill=colour),
        ]
    return "".join(drawn)
