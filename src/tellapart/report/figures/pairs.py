"""Figures of one pair: what chance alone would make of it, and its items."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.comparison.details import PairDetails
from tellapart.comparison.options import RANDOMIZATION
from tellapart.comparison.record import Comparison, Pair
from tellapart.report.figures.layout import (
    FAINT,
    GRID,
    WIDTH,
    WORSE,
    Scale,
    element,
    figure,
    fitted,
    line,
    text,
    values_below,
)
from tellapart.report.sentences import equals
from tellapart.report.text import pair_p, signed
from tellapart.stats.histogram import Histogram

BASE = 136
"""The line that bars and items stand on"""
_TALLEST, _EDGE = 102, 26


# The null distribution


def null_figure(record: Comparison, pair: Pair, details: PairDetails, name: str) -> str:
    """Return the differences that chance alone would make; nothing where the test has none."""
    null = details.null
    if null is None:
        return ""
    scale = null_scale(pair, null)
    edges = [round(scale(null.start + null.width * k)) for k in range(len(null.counts) + 1)]
    tallest = max(null.counts)
    measured = scale(pair.difference)
    extreme = _bars(edges, null.extreme, tallest)
    names = fitted((pair.a, pair.b), (WIDTH - 240) / 2)
    difference = signed(pair.difference, record.metrics[pair.metric].decimals)
    how = "signs flipped" if null.flipped else "names exchanged"
    aside, anchor = (6, "start") if measured < WIDTH / 2 else (-6, "end")
    parts = [
        element("path", d=f"{_bars(edges, null.counts, tallest)}M{_EDGE} {BASE}H{WIDTH - _EDGE}",
                fill=GRID, stroke=FAINT),
        element("path", d=extreme, fill=WORSE, fill_opacity=0.85, stroke=WORSE) if extreme else "",
        line(measured, 8, measured, BASE + 4, stroke_width=2),
        values_below(scale, scale.ticks(signs=True), BASE + 19),
        text(measured + aside, 20, f"measured {difference}", text_anchor=anchor),
        text(WIDTH / 2, BASE + 38, f"{names[pair.a]} minus {names[pair.b]}, {how} by chance",
             text_anchor="middle"),
    ]  # fmt: skip
    title = f"How unusual is {difference}?"
    return figure(WIDTH, BASE + 48, title, null_words(record, pair, null), parts, name)


def null_scale(pair: Pair, null: Histogram) -> Scale:
    """Return where differences are drawn: all bins, the measured difference, and 0."""
    end = null.start + null.width * len(null.counts)
    low, high = min(null.start, pair.difference, 0.0), max(end, pair.difference, 0.0)
    return Scale(low, high, _EDGE + 2, WIDTH - _EDGE - 2)


def _bars(edges: Sequence[int], counts: Sequence[int], tallest: int) -> str:
    """Return bars side by side as one outline; what is there at all can be seen."""
    path, level = "", 0
    for left, count in zip(edges, (*counts, 0), strict=True):
        height = max(1, round(_TALLEST * count / tallest)) if count else 0
        if height != level:
            path += f"H{left}" if level else f"M{left} {BASE}"
            path += f"V{BASE - height}"
        level = height
    return path


def null_words(record: Comparison, pair: Pair, null: Histogram) -> str:
    """Return how often chance alone made such a difference, and where p comes from."""
    gap = "a gap at least this large (shaded, either side)"
    if pair.sign:
        claimed = pair.a if pair.sign > 0 else pair.b
        gap = f"a difference at least as good for {claimed} (shaded)"
    often = f"{sum(null.extreme):,}" if sum(null.extreme) else "none"
    counted, least = "", ""
    if pair.method == "runs":
        counted = "allowing for other runs, "
    elif record.test not in RANDOMIZATION:
        counted = f"by the {record.test} test, "
    elif pair.shuffles is None:
        counted = "counted over all arrangements, "
        if pair.p == 2.0 ** ((pair.sign == 0) - pair.differing):
            least = f", the least that {pair.differing} differing items allow"
    p = equals("p", pair_p(pair, record.alpha))
    found = f"f {null.shuffles:,} draws by chance, {often} gave {gap}; {counted}{p}{least}."
    return f"O{found}" if pair.a_no_worse is None else f"Whether they differ at all: o{found}"
