"""Figures of one pair: what chance alone would make of it, and its items."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tellapart.comparison.details import Histogram, PairDetails
from tellapart.comparison.options import RANDOMIZATION
from tellapart.comparison.record import Comparison, Pair
from tellapart.report.figures.layout import (
    BETTER,
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
    text_width,
    values_below,
)
from tellapart.report.text import p_text, signed
from tellapart.words import several

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
    how = "signs flipped" if null.flipped else "names exchanged"
    beside = {"text_anchor": "start"} if measured < WIDTH / 2 else {"text_anchor": "end"}
    parts = [
        element("path", d=f"{_bars(edges, null.counts, tallest)}M{_EDGE} {BASE}H{WIDTH - _EDGE}",
                fill=GRID, stroke=FAINT),
        element("path", d=extreme, fill=WORSE, fill_opacity=0.85, stroke=WORSE) if extreme else "",
        line(measured, 8, measured, BASE + 4, stroke_width=2),
        values_below(scale, scale.ticks(signs=True), BASE + 19),
        text(measured + (6 if measured < WIDTH / 2 else -6), 20,
             f"measured {signed(pair.difference)}", **beside),
        text(WIDTH / 2, BASE + 38, f"{names[pair.a]} minus {names[pair.b]}, {how} by chance",
             text_anchor="middle"),
    ]  # fmt: skip
    title = f"How unusual is {signed(pair.difference)}?"
    return figure(WIDTH, BASE + 48, title, null_words(record, pair, details), parts, name)


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


def null_words(record: Comparison, pair: Pair, details: PairDetails) -> str:
    """Return how often chance alone makes such a difference, in words."""
    null = details.null
    if null is None:
        return ""
    as_tested = record.test in RANDOMIZATION and pair.method != "runs"
    count, times = null.shuffles, sum(null.extreme)
    if as_tested and pair.shuffles is None and pair.p is not None:
        count, gap = 2**pair.differing, _as_extreme(pair)
        words = f"Of all 2^{pair.differing} arrangements of what differs, a share of "
        words += f"{p_text(pair.p)} has a {gap}"
    else:
        if as_tested and pair.shuffles is not None and pair.exceedances is not None:
            count, times = pair.shuffles, pair.exceedances
        often = {0: "not once", 1: "once"}.get(times, f"{times:,} times")
        words = f"In {count:,} shuffles the {_as_extreme(pair, ' was')} {often}"
    if null.shuffles < count:
        words += f"; {null.shuffles:,} of them are drawn"
    if pair.method == "runs":
        words += "; p allows for other runs, too"
    elif not as_tested:
        words += f"; p comes from the {record.test} test"
    return f"{words}."


def _as_extreme(pair: Pair, verb: str = "") -> str:
    if pair.sign == 0:
        return f"gap{verb} at least this large (shaded, either side)"
    claimed = pair.a if pair.sign > 0 else pair.b
    return f"difference{verb} at least as good for {claimed} (shaded)"


# Items in order


def items_figure(record: Comparison, pair: Pair, details: PairDetails, name: str) -> str:
    """Return what items add to the difference, from the best for the first system to the worst."""
    if not details.contributions:
        return ""
    sign = 1 if record.metrics[pair.metric].higher_is_better else -1
    # Upwards is better for the first system, whatever the metric.
    values = [sign * value for value in details.contributions]
    scale = Scale(max(0.0, *values), min(0.0, *values), 26, BASE)
    zero = round(scale(0))
    ends = {value: signed(sign * value) for value in (scale.high, scale.low)
            if abs(scale(value) - zero) > 14}  # fmt: skip
    left = max([30, *(10 + math.ceil(text_width(words)) for words in ends.values())])
    right = WIDTH - 8
    kind = record.items.kind
    short = fitted((pair.a, pair.b), 230.0)
    best = f"{short[pair.a]} better: {several(pair.items_a_better, kind)}"
    worst = f"{short[pair.b]} better: {several(pair.items_b_better, kind)}"
    parts = [
        element("path", d=_outline(values, scale, left, right), fill=BETTER),
        line(left, zero, right, zero, stroke=FAINT),
        text(left - 6, zero + 4, "0", text_anchor="end"),
        *(text(left - 6, scale(v) + 4, words, text_anchor="end") for v, words in ends.items()),
        text(left, 15, f"▲ {best}"),
        text(right, BASE + 20, f"▼ {worst}", text_anchor="end"),
    ]
    title = f"{pair.a} minus {pair.b}, {kind} by {kind}"
    return figure(WIDTH, BASE + 28, title, items_words(record, pair, details), parts, name)


def items_words(record: Comparison, pair: Pair, details: PairDetails) -> str:
    """Return wins, ties and losses in words."""
    items = record.metrics[pair.metric].items
    kind = items.exchanged.kind
    words = "" if record.judged is None else f"By {record.judged.judge} alone, "
    words += f"{pair.a} against {pair.b}, {items.kind} by {items.kind}: {pair.items_a_better:,} "
    words += f"better, {pair.items_tied:,} tied, {pair.items_b_better:,} worse"
    if kind != items.kind or record.metrics[pair.metric].kind != "mean":
        words += f"; drawn is each {kind}'s part in the difference"
    if details.contribution_count > len(details.contributions) > 0:
        in_all = several(details.contribution_count, kind)
        words += f"; {len(details.contributions)} of {in_all} are drawn"
    return f"{words}."


def _outline(values: Sequence[float], scale: Scale, left: int, right: int) -> str:
    """Return values as one outline from and to the line of 0; what differs at all can be seen."""
    zero = round(scale(0))
    step = (right - left) / len(values)
    path, level = f"M{left} {zero}", zero
    for i, value in enumerate(values):
        y = round(scale(value))
        if y == zero and value:
            y += -1 if value > 0 else 1
        if y != level:
            path += f"H{round(left + step * i)}V{y}"
            level = y
    return f"{path}H{right}V{zero}z"
