"""Figure: the same difference on parts of the items, one row for each value of a label."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.comparison.details import PairDetails
from tellapart.comparison.pair_record import PairResult, Slice
from tellapart.comparison.record import Comparison
from tellapart.report.figures.axes import Scale, grid, interval_path, spread, ticks_below
from tellapart.report.figures.names import fitted, hover, name_text, text_width
from tellapart.report.figures.svg import (
    BETTER,
    FAINT,
    INK,
    WIDTH,
    element,
    figure,
    line,
    text,
)
from tellapart.report.method import slice_interval_name
from tellapart.report.numbers import ends_words, p_text, signed
from tellapart.report.wording import item_kind, level_words
from tellapart.words import plural

FEW = 10
"""Items (clusters); with fewer, a row is greyed"""
_ROW, _TOP = 24, 28
_NAME = 130.0  # room for a value


def by_label(details: PairDetails) -> dict[str, list[Slice]]:
    """Return the slices of a pair by their label."""
    found: dict[str, list[Slice]] = {}
    for part in details.slices:
        found.setdefault(part.by, []).append(part)
    return found


def draw(result: Comparison, pair: PairResult, parts: Sequence[Slice], name: str) -> str:
    """Return the slices of one pair by one label as SVG."""
    values = fitted((part.value for part in parts), _NAME)
    label = fitted([parts[0].by], _NAME)[parts[0].by]
    left = 18 + max(map(text_width, (label, *values.values())))
    kinds = plural(item_kind(result))
    kinds = fitted([kinds], 90)[kinds]
    counts = WIDTH - 4 - max(text_width(kinds), *(text_width(f"{_size(p):,}") for p in parts))
    heads = ("difference", *(_difference(part) for part in parts))
    right = counts - 12 - max(map(text_width, heads))
    ends = [end for part in parts for end in part.interval or ()]
    known = [*ends, *(part.difference for part in parts), 0.0, pair.difference]
    scale = Scale(*spread(known, 0.04), left, right - 10)
    bottom = _TOP + _ROW * len(parts)
    drawn = [
        text(4, 15, label, fill=FAINT),
        text(counts - 12, 15, heads[0], text_anchor="end", fill=FAINT),
        text(WIDTH - 4, 15, kinds, text_anchor="end", fill=FAINT),
        grid(scale, _TOP, bottom, signs=True),
        line(scale(0), _TOP - 4, scale(0), bottom + 4),
        line(scale(pair.difference), _TOP, scale(pair.difference), bottom, stroke_dasharray="4 3",
             stroke=FAINT),
        *(_row(part, _TOP + _ROW * (i + 0.5), scale, counts - 12, values[part.value])
          for i, part in enumerate(parts)),
        ticks_below(scale, bottom + 19, signs=True),
    ]  # fmt: skip
    title = f"{pair.a} minus {pair.b} by {parts[0].by}"
    words = sentence(result, pair, parts)
    return figure(WIDTH, bottom + 28, title, words, drawn, name)


def sentence(result: Comparison, pair: PairResult, parts: Sequence[Slice]) -> str:
    """Return what the figure shows, number by number."""
    shown = "; ".join(f"{part.value} {_in_words(result, part)}" for part in parts)
    return f"{pair.a} minus {pair.b} by {parts[0].by}: {shown}. {how(result, parts)}"


def how(result: Comparison, parts: Sequence[Slice]) -> str:
    """Return how the figure is made, and how to read it."""
    items = plural(item_kind(result))
    words = "Exploratory: "
    methods = dict.fromkeys(p.interval_method for p in parts if _bounded(p) and p.interval_method)
    if any(_bounded(part) for part in parts):
        made = dict.fromkeys(slice_interval_name(result, each) for each in methods)
        by = " and ".join(made)
        words += f"{level_words(result)}s {by}, for all values at once, ".replace(" ,", ",")
    words += "p adjusted by Holm over the values of this label"
    if any(part.interval and not _bounded(part) for part in parts):
        words += f"; no interval where there are too few {items} to rule out any difference"
    if any(_size(part) < FEW for part in parts):
        words += f"; grey: fewer than {FEW} {items}"
    if any(part.different for part in parts):
        words += f"; *: adjusted p at most {result.alpha:g}"
    return words + f". Dashed: all {items} together."


def _bounded(part: Slice) -> bool:
    return part.interval is not None and part.interval != (None, None)


def _size(part: Slice) -> int:
    """Return the number of what is exchanged: items, or the clusters that they are in."""
    return part.units if part.clusters is None else part.clusters


def _in_words(result: Comparison, part: Slice) -> str:
    ends = ends_words(part.interval)
    counted = f"n {part.units:,}"
    if part.clusters is not None:
        counted += f" in {part.clusters:,} {plural(item_kind(result))}"
    inside = f"{ends}, {counted}" if ends else counted
    adjusted = f", adjusted p {p_text(part.p_adjusted)}" if part.different else ""
    return f"{signed(part.difference)} ({inside}{adjusted})"


def _difference(part: Slice) -> str:
    return signed(part.difference) + (" *" if part.different else "")


def _row(part: Slice, y: float, scale: Scale, right: float, short: str) -> str:
    strokes = interval_path(scale, part.interval, y)
    weight = 600 if part.different else None
    ends = ends_words(part.interval)
    drawn = [
        hover(f"{part.value}: {signed(part.difference)}" + (f" ({ends})" if ends else "")),
        name_text(4, y + 4.5, part.value, short, fill=INK, font_weight=weight),
        element("path", d=strokes, stroke=BETTER, stroke_width=3) if strokes else "",
        element("circle", cx=scale(part.difference), cy=y, r=4.5, fill=BETTER),
        text(right, y + 4.5, _difference(part), text_anchor="end", font_weight=weight),
        text(WIDTH - 4, y + 4.5, f"{_size(part):,}", text_anchor="end"),
    ]
    return element("g", "".join(drawn), opacity=0.5 if _size(part) < FEW else None)
