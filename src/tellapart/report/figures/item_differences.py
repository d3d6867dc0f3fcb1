"""Figure: the differences of all items in order, which shows whether few make up the whole."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tellapart.comparison.details import PairDetails
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.record import Comparison
from tellapart.report.figures.axes import Scale, two_digits_signed
from tellapart.report.figures.names import system_names, text_width
from tellapart.report.figures.svg import BETTER, FAINT, INK, WIDTH, element, figure, printable
from tellapart.report.wording import item_kind
from tellapart.words import plural, several

TOP, BOTTOM = 26, 136
_LEFT, _RIGHT = 30, WIDTH - 8
FEW = 5
"""Items; where no more make up half of a difference, the sentence says so"""


def draw(result: Comparison, pair: PairResult, details: PairDetails, name: str) -> str:
    """Return the differences of one pair by item as SVG, the best for the first system left."""
    if not details.contributions:
        return ""
    higher = result.metrics[pair.metric].higher_is_better
    # Upwards is better for the first system, whatever the metric.
    up = [value if higher else -value for value in details.contributions]
    scale = scale_of(up)
    zero = round(scale(0))
    sign = 1 if higher else -1
    ends = {y: two_digits_signed(sign * value) for value in (scale.high, scale.low)
            if abs((y := round(scale(value))) - zero) > 14}  # fmt: skip
    left = max([_LEFT, *(10 + round(text_width(f"+{words[1:]}")) for words in ends.values())])
    numbers = "".join(f'<text x="{left - 6}" y="{y + 4}">{w}</text>' for y, w in ends.items())
    best, worst = (
        escape(printable(_better(result, *ahead)))
        for ahead in ((pair.a, pair.units_a_better), (pair.b, pair.units_b_better))
    )
    parts = [
        element("path", d=outline(up, scale, left), fill=BETTER),
        f'<path d="M{left} {zero}H{_RIGHT}" stroke="{FAINT}"/>'
        f'<g fill="{INK}"><text x="{left}" y="15">▲ {best}</text><g text-anchor="end">{numbers}'
        f'<text x="{left - 6}" y="{zero + 4}">0</text>'
        f'<text x="{_RIGHT}" y="{BOTTOM + 20}">▼ {worst}</text></g></g>',
    ]
    kind = item_kind(result)
    title = f"{pair.a} minus {pair.b}, {kind} by {kind}"
    words = sentence(result, pair, details)
    return figure(WIDTH, BOTTOM + 28, title, words, parts, name)


def _better(result: Comparison, system: str, count: int) -> str:
    """Return on how many items a system is better: items, also where bars are clusters."""
    kind = result.units.kind
    words = f" better: {count:,} {kind if count == 1 else plural(kind)}"
    return system_names(result, WIDTH - 70 - text_width(words))[system] + words


def sentence(result: Comparison, pair: PairResult, details: PairDetails) -> str:
    """Return wins, ties and losses in words, and when few items make the difference."""
    kind, counted = item_kind(result), result.units.kind
    words = f"{counted[:1].upper()}{counted[1:]} by {counted}, {pair.a} against {pair.b}: "
    words += f"{pair.units_a_better:,} better, {pair.units_tied:,} tied, "
    words += f"{pair.units_b_better:,} worse"
    half = pair.diagnostics.half_items
    if half is not None and half <= FEW:
        carry = "carries" if half == 1 else "carry"
        words += f"; {several(half, kind)} {carry} half of the difference"
    parts = kind != counted or result.metrics[pair.metric].kind != "mean"
    if details.contributions and parts:
        words += f"; drawn is each {kind}'s part in the difference"
    if details.contributions and details.contribution_count > len(details.contributions):
        shown, in_all = len(details.contributions), details.contribution_count
        words += f"; the picture has {shown} of {in_all:,} {plural(kind)}"
    return words + "."


def scale_of(values: Sequence[float]) -> Scale:
    """Return where differences are drawn: 0 and all values, the largest on top."""
    return Scale(max(0.0, *values), min(0.0, *values), TOP, BOTTOM)


def outline(values: Sequence[float], scale: Scale, left: int = _LEFT) -> str:
    """Return values as one outline from and to the line of 0; what differs at all can be seen."""
    zero = round(scale(0))
    step = (_RIGHT - left) / len(values)
    path, level, drawn = f"M{left} {zero}", zero, left
    for i, value in enumerate(values):
        y = round(scale(value))
        if y == zero and value:
            y += -1 if value > 0 else 1
        if y != level:
            x = round(left + step * i)
            path += f"H{x}" * (x != drawn) + f"V{y}"
            level, drawn = y, x
    return f"{path}H{_RIGHT}V{zero}z"
