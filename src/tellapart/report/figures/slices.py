"""The same difference on parts of the units: one row for each value of a label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.comparison import Comparison, PairResult, Slice
from tellapart.details import PairDetails
from tellapart.report.figures.pieces import (
    PAIR_WIDTH,
    cut,
    ends_words,
    grid,
    hover,
    level_words,
    name_text,
    spread,
    text_width,
    ticks_below,
)
from tellapart.report.numbers import p_text, signed
from tellapart.report.svg import BETTER, FAINT, INK, Scale, element, figure, line, number, text
from tellapart.words import plural

FEW = 10
"""Units; with fewer, a row is greyed"""
_ROW, _TOP = 22, 26


def draw_all(
    result: Comparison, pair: PairResult, details: PairDetails, name: str
) -> Iterator[tuple[str, str]]:
    """Draw the slices of one pair, a figure for each label, with the sentence under it."""
    for k, parts in enumerate(by_label(details).values()):
        yield draw(result, pair, parts, f"{name}-{k}"), sentence(result, pair, parts)


def by_label(details: PairDetails) -> dict[str, list[Slice]]:
    """Sort the slices of a pair by the label that tells them apart."""
    found: dict[str, list[Slice]] = {}
    for part in details.slices:
        found.setdefault(part.by, []).append(part)
    return found


def draw(result: Comparison, pair: PairResult, parts: Sequence[Slice], name: str) -> str:
    """Draw the slices of one pair by one label."""
    left = 20 + min(170.0, max(text_width(part.value) for part in parts))
    right = PAIR_WIDTH - 116
    ends = [end for part in parts for end in part.interval or ()]
    known = [*ends, *(part.difference for part in parts), 0.0, pair.difference]
    scale = Scale(*spread(known, 0.04), left, right)
    bottom = _TOP + _ROW * len(parts)
    kinds = cut(plural(result.units["kind"]), 50, 11)
    heads = {"fill": FAINT, "font_size": 11}
    drawn = [
        text(8, 14, f"{parts[0].by} (exploratory)", **heads),
        text(PAIR_WIDTH - 56, 14, "difference", text_anchor="end", **heads),
        text(PAIR_WIDTH - 8, 14, kinds, text_anchor="end", **heads),
        grid(scale, _TOP, bottom, 5),
        line(scale(0), _TOP - 4, scale(0), bottom + 4),
        line(scale(pair.difference), _TOP, scale(pair.difference), bottom, stroke_dasharray="4 3",
             stroke=FAINT),
        *(_row(part, _TOP + _ROW * (i + 0.5), scale) for i, part in enumerate(parts)),
        element("g", ticks_below(scale, bottom + 18, 5, signs=True), fill=FAINT,
                text_anchor="middle"),
    ]  # fmt: skip
    title = f"{pair.a} minus {pair.b} by {parts[0].by}"
    words = sentence(result, pair, parts)
    return figure(PAIR_WIDTH, bottom + 28, title, words, drawn, name)


def sentence(result: Comparison, pair: PairResult, parts: Sequence[Slice]) -> str:
    """Say what the figure shows, number by number."""
    kind = result.units["kind"]
    shown = "; ".join(f"{part.value} {_in_words(part)}" for part in parts)
    words = f"{pair.a} minus {pair.b} by {parts[0].by}: {shown}. "
    level = f"with {level_words(result)}s, " if any(part.interval for part in parts) else ""
    words += f"Exploratory: {level}p adjusted over the values of this label"
    if any(part.units < FEW for part in parts):
        words += f"; grey: fewer than {FEW} {plural(kind)}"
    return words + f". Dashed: all {plural(kind)} together."


def _in_words(part: Slice) -> str:
    ends = ends_words(part.interval)
    inside = f"{ends}, n {part.units:,}" if ends else f"n {part.units:,}"
    told = f", adjusted p {p_text(part.p_adjusted)}" if part.different else ""
    return f"{signed(part.difference)} ({inside}{told})"


def _row(part: Slice, y: float, scale: Scale) -> str:
    low, high = part.interval or (None, None)
    strokes = ""
    if low is not None or high is not None:
        x1 = scale.start if low is None else scale(low)
        x2 = scale.end if high is None else scale(high)
        strokes = f"M{number(x1)} {number(y)}H{number(x2)}"
    weight = 600 if part.different else None
    value = signed(part.difference) + (" *" if part.different else "")
    drawn = [
        hover(f"{part.value} {_in_words(part)}"),
        name_text(8, y + 4, part.value, scale.start - 18, fill=INK, font_weight=weight),
        element("path", d=strokes, stroke=BETTER, stroke_width=3) if strokes else "",
        element("circle", cx=scale(part.difference), cy=y, r=4.5, fill=BETTER),
        text(PAIR_WIDTH - 56, y + 4, value, text_anchor="end", font_weight=weight),
        text(PAIR_WIDTH - 8, y + 4, f"{part.units:,}", text_anchor="end"),
    ]
    return element("g", "".join(drawn), opacity=0.4 if part.units < FEW else None)
