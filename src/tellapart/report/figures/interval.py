"""The interval of a difference: a bar, with 0 and the margin that would not matter."""

from __future__ import annotations

from tellapart.comparison import Comparison, PairResult
from tellapart.report.figures.pieces import PAIR_WIDTH, ends_words, level_words
from tellapart.report.numbers import signed
from tellapart.report.svg import BETTER, FAINT, GRID, INK, Scale, figure

_BAR, _HEIGHT = 28, 56
_SIDE = 76  # room for the numbers beside the bar


def draw(result: Comparison, pair: PairResult, name: str) -> str:
    """Draw the interval of one pair; nothing where there is none."""
    if pair.interval is None or pair.interval == (None, None):
        return ""
    low, high = pair.interval
    scale = scale_of(result, pair)
    x1 = 4 if low is None else round(scale(low))
    x2 = PAIR_WIDTH - 4 if high is None else round(scale(high))
    x, zero = round(scale(pair.difference)), round(scale(0))
    # The numbers at the ends keep clear of the line of 0.
    left = zero if x1 - 56 < zero < x1 else x1
    right = zero if x2 < zero < x2 + 56 else x2
    parts = [
        _margin(result.margin, scale) if result.margin else "",
        f'<path d="M{x1} {_BAR}H{x2}" stroke="{BETTER}" stroke-width="7"/>'
        f'<g fill="{INK}" text-anchor="middle"><path d="M{zero} 6h1v36h-1z"/>'
        f'<circle cx="{x}" cy="{_BAR}" r="6"/><text x="{zero}" y="54">0</text>'
        f'<text x="{x}" y="16" font-weight="600">{signed(pair.difference)}</text>',
        "" if low is None else f'<text x="{left - 30}" y="32">{signed(low)}</text>',
        "" if high is None else f'<text x="{right + 30}" y="32">{signed(high)}</text>',
        "</g>",
    ]
    title = f"{pair.a} minus {pair.b}"
    return figure(PAIR_WIDTH, _HEIGHT, title, sentence(result, pair), parts, name)


def scale_of(result: Comparison, pair: PairResult) -> Scale:
    """Return where differences are drawn: the interval, 0, and the margin."""
    margin = result.margin or 0.0
    known = [pair.difference, 0.0, -margin, margin]
    known += [end for end in pair.interval or () if end is not None]
    return Scale(min(known), max(known), _SIDE, PAIR_WIDTH - _SIDE)


def sentence(result: Comparison, pair: PairResult) -> str:
    """Say what the interval holds."""
    if pair.interval is None:
        return ""
    low, high = pair.interval
    ends = ends_words(pair.interval)
    holds = (low is None or low <= 0) and (high is None or high >= 0)
    words = f"{signed(pair.difference)}, {level_words(result)} {ends}: "
    words += "0 is in it" if holds else "0 is not in it"
    if result.margin and low is not None and high is not None:
        inside = -result.margin < low and high < result.margin
        where = "all of it lies within" if inside else "it reaches beyond"
        words += f"; {where} the margin of {result.margin:g}"
    return words + "."


def _margin(margin: float, scale: Scale) -> str:
    left, right = round(scale(-margin)), round(scale(margin))
    return (
        f'<path d="M{left} 6h{right - left}v36h{left - right}z" fill="{GRID}" stroke="{FAINT}" '
        'stroke-dasharray="3 2" fill-opacity=".5"/>'
    )
