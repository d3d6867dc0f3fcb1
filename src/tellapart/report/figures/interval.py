"""Figure: the interval of a difference as a bar, with 0 and the margin that would not matter."""

from __future__ import annotations

import math

from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.ranking import in_question
from tellapart.comparison.record import Comparison
from tellapart.report.figures.axes import Scale
from tellapart.report.figures.names import text_width
from tellapart.report.figures.svg import BETTER, FAINT, GRID, INK, WIDTH, figure
from tellapart.report.numbers import ends_words, signed
from tellapart.report.wording import decides_words, interval_scope, pair_level_words

BAR, _HEIGHT = 34, 82
_CLEAR = 4  # pixels between a number and the line of 0, or another number


def draw(result: Comparison, pair: PairResult, name: str) -> str:
    """Return the interval of one pair as SVG; nothing where there is none."""
    if pair.interval is None or pair.interval == (None, None):
        return ""
    low, high = pair.interval
    scale, margin = scale_of(result, pair), result.margin_of(pair.metric)
    x1 = 4 if low is None else round(scale(low))
    x2 = WIDTH - 4 if high is None else round(scale(high))
    x, zero = round(scale(pair.difference)), round(scale(0))
    caps = "".join(
        f"M{end} {BAR - 7}v14" for end, known in ((x1, low), (x2, high)) if known is not None
    )
    # No word crosses the line of 0: what is above 0 stands to its right.
    (middle,) = places([pair.difference], scale)
    ends = [end for end in (low, high) if end is not None]
    numbers = "".join(
        f'<text x="{at}" y="{BAR + 24}">{signed(end)}</text>'
        for at, end in zip(places(ends, scale), ends, strict=True)
    )
    parts = [
        _margin(margin, scale) if margin else "",
        f'<path d="M{x1} {BAR}H{x2}" stroke="{BETTER}" stroke-width="7"/>'
        f'<path d="{caps}" stroke="{BETTER}" stroke-width="2"/>'
        f'<g fill="{INK}" text-anchor="middle"><path d="M{zero} 22h1v42h-1z"/>'
        f'<circle cx="{x}" cy="{BAR}" r="6"/><text x="{zero}" y="{_HEIGHT - 4}">0</text>'
        f'<text x="{middle}" y="15" font-weight="600">{signed(pair.difference)}</text>'
        f"{numbers}</g>",
    ]
    title = f"{pair.a} minus {pair.b}"
    return figure(WIDTH, _HEIGHT, title, sentence(result, pair), parts, name)


def scale_of(result: Comparison, pair: PairResult) -> Scale:
    """Return where differences are drawn: the interval, 0, and the margin."""
    margin = result.margin_of(pair.metric) or 0.0
    known = [pair.difference, 0.0, -margin, margin]
    known += [end for end in pair.interval or () if end is not None]
    # A number at an end may have to stand wholly beyond it, clear of 0.
    side = 2 * _CLEAR + max(text_width(signed(value)) for value in known)
    return Scale(min(known), max(known), side, WIDTH - side)


def places(values: list[float], scale: Scale) -> list[int]:
    """Return the middles of up to two numbers, clear of each other and of the line of 0."""
    zero = scale(0)
    halves = [text_width(signed(value)) / 2 for value in values]
    found = [scale(value) for value in values]
    near = math.fsum(halves) + 2 * _CLEAR - (found[-1] - found[0])
    if len(values) == 2 and near > 0:
        found = [found[0] - near / 2, found[1] + near / 2]
    for k, (value, half) in enumerate(zip(values, halves, strict=True)):
        clear_of_zero = zero + (half + _CLEAR if value >= 0 else -half - _CLEAR)
        found[k] = max(found[k], clear_of_zero) if value >= 0 else min(found[k], clear_of_zero)
    if len(values) == 2:  # a neighbour on the same side of 0 gives way
        gap = math.fsum(halves) + 2 * _CLEAR
        if values[0] >= 0:
            found[1] = max(found[1], found[0] + gap)
        elif values[1] < 0:
            found[0] = min(found[0], found[1] - gap)
    beyond = max(0.0, found[-1] + halves[-1] - WIDTH) - max(0.0, halves[0] - found[0])
    return [round(x - beyond) for x in found]


def sentence(result: Comparison, pair: PairResult) -> str:
    """Return what the interval holds, in words."""
    if pair.interval is None:
        return ""
    ends = ends_words(pair.interval)
    decides = decides_words(pair)
    if decides:
        words = f"{signed(pair.difference)}, interval {ends}: {decides}"
    else:
        scope = interval_scope(result, pair)
        words = f"{signed(pair.difference)}, {pair_level_words(result, pair)} {ends}"
        words += f" {scope}: " if scope else ": "
        words += "0 is in it" if pair.holds_zero else "0 is not in it"
    if result.margin_of(pair.metric):
        words += f"; {_margin_words(result, pair)}"
    return words + "."


def _margin_words(result: Comparison, pair: PairResult) -> str:
    """Return what the tests of the margin found, of the system in question where there is one."""
    margin = f"{result.margin:g}"
    if pair.equivalent:
        return f"the difference is shown to lie within the margin of {margin}"
    if result.baseline is not None or len(result.systems) == 2:
        asked = in_question(result, pair)
        if asked.a_no_worse:
            return f"{asked.a} is shown to lose less than the margin of {margin}"
        return f"a loss beyond the margin of {margin} is not ruled out for {asked.a}"
    for name, kept in ((pair.a, pair.a_no_worse), (pair.b, pair.b_no_worse)):
        if kept:
            return f"{name} is shown to lose less than the margin of {margin}"
    return f"a loss beyond the margin of {margin} is not ruled out for either"


def _margin(margin: float, scale: Scale) -> str:
    """Return the shade of what lies within the margin, with its ends where 0 leaves room."""
    left, right, zero = round(scale(-margin)), round(scale(margin)), scale(0)
    band = (
        f'<path d="M{left} 22h{right - left}v24h{left - right}z" fill="{GRID}" stroke="{FAINT}" '
        'stroke-dasharray="3 2" fill-opacity=".5"/>'
    )
    words = f"{margin:g}"
    if right - zero < text_width(words) + 12:
        return band
    look = f'y="{_HEIGHT - 4}" fill="{FAINT}" text-anchor="middle"'
    ends = f'<text x="{left}" {look}>-{words}</text><text x="{right}" {look}>+{words}</text>'
    return band + ends
