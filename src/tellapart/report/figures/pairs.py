"""Figures of one pair: what chance alone would make of it, its interval, items and slices."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tellapart.comparison.details import Histogram, PairDetails
from tellapart.comparison.options import RANDOMIZATION
from tellapart.comparison.ranking import as_reported
from tellapart.comparison.record import Comparison, Pair, Slice
from tellapart.report.figures.layout import (
    BETTER,
    FAINT,
    GRID,
    INK,
    WIDTH,
    WORSE,
    Scale,
    axis_below,
    box,
    element,
    figure,
    fitted,
    interval_path,
    line,
    mark,
    marked,
    name_text,
    shortened,
    spread,
    text,
    text_width,
    values_below,
)
from tellapart.report.sentences import interval_words
from tellapart.report.text import between, p_text, percent, signed
from tellapart.words import plural, several

BASE = 136
"""The line that bars and items stand on"""
_TALLEST, _EDGE = 102, 26
_COUNTABLE = 10**12  # above, numbers are no longer written out
FEW_CARRIERS, FEW_ITEMS = 5, 10
"""So few items carrying half of a difference are named; slices with fewer are greyed"""


def seen_as_reported(record: Comparison, details: PairDetails) -> tuple[Pair, PairDetails]:
    """Return a pair and its details as reports show them: the better system first."""
    pair = record.pairs[details.number]
    shown = as_reported(record, pair)
    return shown, details if shown.a == pair.a else details.turned()


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
        count = 2**details.moving
        words = f"All {_many(count)} arrangements{_tied(record, pair, details)} were counted: "
        words += f"{_share(pair.p)} a {_as_extreme(pair)}"
    else:
        if as_tested and pair.shuffles is not None and pair.exceedances is not None:
            count, times = pair.shuffles, pair.exceedances
        often = {0: "not once", 1: "once"}.get(times, f"{times:,} times")
        words = f"In {count:,} shuffles the {_as_extreme(pair, ' was')} {often}"
    if null.shuffles < count:
        words += f"; the picture shows {null.shuffles:,} of them"
    if pair.method == "runs":
        words += "; they are of these runs alone, and p allows for other runs, too"
    elif not as_tested:
        words += f"; they are for the eye, and p comes from the {record.test} test"
    return f"{words}."


def _tied(record: Comparison, pair: Pair, details: PairDetails) -> str:
    """Return why there are no more arrangements: what is tied looks the same either way."""
    exchanged = record.metrics[pair.metric].items.exchanged
    tied = exchanged.count - details.moving
    if tied <= 0:
        return ""
    verbs = "is tied and does" if tied == 1 else "are tied and do"
    return f" ({tied:,} of {several(exchanged.count, exchanged.kind)} {verbs} not count)"


def _as_extreme(pair: Pair, verb: str = "") -> str:
    if pair.sign == 0:
        return f"gap{verb} at least this large (shaded, either side)"
    claimed = pair.a if pair.sign > 0 else pair.b
    return f"difference{verb} at least as good for {claimed} (shaded)"


def _share(p: float) -> str:
    """Return a probability as a share, with the digits that p is printed with.

    >>> _share(0.0284), _share(1.0), _share(1.8e-15)
    ('2.84 % have', 'all have', 'a share of 1.8e-15 has')
    """
    words = p_text(p)
    if words == "1":
        return "all have"
    if not words.startswith("."):
        return f"a share of {words} has"
    return f"{int(words[1:3])}.{words[3:]} % have"


def _many(count: int) -> str:
    """Return a number as text, in powers where it has too many digits.

    >>> _many(2**24), _many(2**73)
    ('16,777,216', '2^73')
    """
    power = count.bit_length() - 1
    return f"2^{power}" if count == 1 << power and count >= _COUNTABLE else f"{count:,}"


# The interval of the difference


def interval_figure(record: Comparison, pair: Pair, name: str) -> str:
    """Return the interval of a pair with 0 and the margin; nothing where there is none."""
    if pair.interval is None or pair.interval == (None, None):
        return ""
    margin = record.margin_of(pair.metric)
    known = [0.0, pair.difference, -(margin or 0.0), margin or 0.0]
    known += [end for end in pair.interval if end is not None]
    scale = Scale(*spread(known, 0.04), 24, WIDTH - 24)
    middle, zero = 40, scale(0.0)
    band = []
    if margin:
        left, right = scale(-margin), scale(margin)
        look = {"fill": GRID, "fill_opacity": 0.5, "stroke": FAINT, "stroke_dasharray": "3 2"}
        band = [box(left, 26, right - left, 28, **look)]
        if right - zero > text_width(f"{margin:g}") + 14:
            band += [text(at, 68, f"{sign}{margin:g}", text_anchor="middle", fill=FAINT)
                     for at, sign in ((left, "-"), (right, "+"))]  # fmt: skip
    parts = [
        *band,
        line(zero, 22, zero, 56),
        text(zero, 68, "0", text_anchor="middle"),
        element("path", d=interval_path(scale, pair.interval, middle), stroke=BETTER,
                stroke_width=7),
        element("circle", cx=scale(pair.difference), cy=float(middle), r=6, fill=INK),
        _inside(scale(pair.difference), 15, signed(pair.difference), font_weight=600),
        _inside(scale(pair.difference), 84, between(pair.interval)),
    ]  # fmt: skip
    title = f"{pair.a} minus {pair.b}"
    return figure(WIDTH, 90, title, interval_caption(record, pair), parts, name)


def _inside(x: float, y: float, words: str, **look: object) -> str:
    """Return words in the middle of a place, or as near as the edges allow."""
    half = text_width(words) / 2 + 4
    return text(min(max(x, half), WIDTH - half), y, words, text_anchor="middle", **look)


def interval_caption(record: Comparison, pair: Pair) -> str:
    """Return what the interval holds, in words."""
    words = interval_words(record, pair, "which decides the margin")
    if not words or pair.interval is None:
        return ""
    low, high = pair.interval
    holds = (low is None or low <= 0) and (high is None or high >= 0)
    if pair.a_no_worse is None:
        return f"{signed(pair.difference)}, {words[0]}: 0 is {'' if holds else 'not '}in it."
    return f"{signed(pair.difference)}, {words[0]}; {_margin_words(record, pair)}."


def _margin_words(record: Comparison, pair: Pair) -> str:
    """Return who is shown to lose less than the margin: the one in question, if there is one."""
    margin = f"the margin of {record.margin_of(pair.metric) or 0.0:g}"
    if pair.equivalent:
        return f"shown to lie within {margin}"
    asked = record.systems[-1].name if len(record.systems) == 2 else None
    if record.baseline is not None:
        asked = pair.other(record.baseline)
    shown = {pair.a: pair.a_no_worse, pair.b: pair.b_no_worse}
    kept = [name for name, known in shown.items() if known and asked in (name, None)]
    if kept:
        return f"{kept[0]} is shown to lose less than {margin}"
    return f"a loss beyond {margin} is not ruled out for {asked or 'either'}"


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
    ends = {value: _short(sign * value) for value in (scale.high, scale.low)
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
    """Return wins, ties and losses in words, and when few items make the difference."""
    items = record.metrics[pair.metric].items
    kind = items.exchanged.kind
    words = "" if record.judged is None else f"By {record.judged.judge} alone, "
    words += f"{pair.a} against {pair.b}, {items.kind} by {items.kind}: {pair.items_a_better:,} "
    words += f"better, {pair.items_tied:,} tied, {pair.items_b_better:,} worse"
    half = pair.diagnostics.half_items
    if half is not None and half <= FEW_CARRIERS:
        words += f"; {several(half, kind)} make{'s' if half == 1 else ''} up half of the difference"
    if kind != items.kind or record.metrics[pair.metric].kind != "mean":
        words += f"; drawn is each {kind}'s part in the difference"
    if details.contribution_count > len(details.contributions) > 0:
        in_all = several(details.contribution_count, kind)
        words += f"; the picture has {len(details.contributions)} of {in_all}"
    return f"{words}."


def _short(value: float) -> str:
    """Return a difference with two digits at most, for an axis.

    >>> [_short(value) for value in (1.0, -2 / 3, 98.765, -1234.5)]
    ['+1', '-0.67', '+99', '-1,234']
    """
    decimals = max(0, 1 - math.floor(math.log10(abs(value))))
    words = f"{value:+,.{decimals}f}" if decimals < 7 else f"{value:+.1e}"
    return words.rstrip("0").rstrip(".") if 0 < decimals < 7 else words


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


# Slices: rows with an interval each

_ROW = 24


def slices_by_label(details: PairDetails) -> dict[str, list[Slice]]:
    """Return the slices of a pair by their label."""
    by_label: dict[str, list[Slice]] = {}
    for part in details.slices:
        by_label.setdefault(part.by, []).append(part)
    return by_label


def slices_figure(record: Comparison, pair: Pair, parts: Sequence[Slice], name: str) -> str:
    """Return the differences of a pair on the slices of one label."""
    short = fitted((part.value for part in parts), 130.0)
    label, kinds = shortened(parts[0].by, 130.0), shortened(plural(record.items.kind), 90.0)
    left = 18 + max(map(text_width, (label, *short.values())))
    counts = WIDTH - 16 - max(map(text_width, (kinds, *(f"{part.items:,}" for part in parts))))
    differences = [signed(part.difference) + (" *" if part.different else "") for part in parts]
    right = counts - max(map(text_width, ("difference", *differences)))
    known = [end for part in parts for end in (part.difference, *(part.interval or ()))]
    scale = Scale(*spread([*known, 0.0, pair.difference], 0.04), left, right - 10)
    top, bottom = 28, 28 + _ROW * len(parts)
    overall = scale(pair.difference)
    drawn = [
        text(4, 15, label, fill=FAINT),
        text(counts, 15, "difference", text_anchor="end", fill=FAINT),
        text(WIDTH - 4, 15, kinds, text_anchor="end", fill=FAINT),
        axis_below(scale, top, bottom, signs=True),
        line(scale(0), top - 4, scale(0), bottom + 4),
        line(overall, top, overall, bottom, stroke_dasharray="4 3", stroke=FAINT),
    ]
    for i, (part, words) in enumerate(zip(parts, differences, strict=True)):
        y, weight = top + _ROW * (i + 0.5), 600 if part.different else None
        row = [
            name_text(4, y + 4.5, part.value, short[part.value], font_weight=weight),
            element("path", d=interval_path(scale, part.interval, y), stroke=BETTER,
                    stroke_width=3),
            mark("circle", scale(part.difference), y, 4.5, BETTER),
            text(counts, y + 4.5, words, text_anchor="end", font_weight=weight),
            text(WIDTH - 4, y + 4.5, f"{part.items:,}", text_anchor="end"),
        ]  # fmt: skip
        faint = 0.5 if part.items < FEW_ITEMS else None
        drawn.append(marked(_slice_words(part), *row, opacity=faint))
    title = f"{pair.a} minus {pair.b} by {parts[0].by}"
    return figure(WIDTH, bottom + 28, title, slices_words(record, parts), drawn, name)


def _slice_words(part: Slice) -> str:
    ends = between(part.interval)
    adjusted = f", adjusted p {p_text(part.p_adjusted)}" if part.different else ""
    inside = f"{ends}, {part.items:,} items" if ends else f"{part.items:,} items"
    return f"{part.value} {signed(part.difference)} ({inside}{adjusted})"


def slices_words(record: Comparison, parts: Sequence[Slice]) -> str:
    """Return how the figure is made, and how to read it."""
    items = plural(record.items.kind)
    words = "Exploratory: "
    if any(part.interval and part.interval != (None, None) for part in parts):
        words += f"{percent(record.confidence_level or 0.0)} intervals for all values at once, "
    words += "p adjusted by Holm over the values of this label"
    if any(part.interval == (None, None) for part in parts):
        words += f"; no interval where there are too few {items} to rule out any difference"
    if any(part.items < FEW_ITEMS for part in parts):
        words += f"; grey: fewer than {FEW_ITEMS} {items}"
    if any(part.different for part in parts):
        words += f"; *: adjusted p at most {record.alpha:g}"
    return f"{words}. Dashed: all {items} together."
