"""Power, as a figure: how often a true difference of each size would be found."""

from __future__ import annotations

from tellapart.comparison.power import Power
from tellapart.comparison.record import Comparison
from tellapart.report.figures.axes import (
    Scale,
    grid,
    horizontal_grid,
    lines_to_axes,
    ticks_below,
    ticks_left,
)
from tellapart.report.figures.names import fitted, text_width
from tellapart.report.figures.svg import (
    BETTER,
    INK,
    WIDTH,
    element,
    figure,
    number,
    text,
)
from tellapart.report.numbers import two_digits
from tellapart.report.wording import item_kind
from tellapart.words import plural

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, WIDTH - 16, 12, 192
_SHARES = {share / 100: f"{share} %" for share in range(0, 101, 20)}
WANTED = 0.8


def draw(power: Power, name: str) -> str:
    """Return power over the size of a true difference as SVG; nothing without a curve."""
    if not power.curve:
        return ""
    x, y = scales(power)
    places = [f"{number(x(size))} {number(y(found))}" for size, found in power.curve]
    across, up = x(power.detectable), y(WANTED)
    words = f"{two_digits(power.detectable)}: 4 times out of 5"
    # To the right of the curve, under its mark, as far as there is room.
    right = min(across + 10, WIDTH - 4 - 1.1 * text_width(words))
    axis = f"true difference in {power.metric}"
    axis = fitted([axis], _RIGHT - _LEFT)[axis]
    parts = [
        grid(x, _TOP, _BOTTOM),
        horizontal_grid(y, _SHARES, _LEFT, _RIGHT),
        ticks_left(y, _SHARES, _LEFT - 8),
        ticks_below(x, _BOTTOM + 18),
        lines_to_axes(across, up, _LEFT, _BOTTOM),
        element("path", d="M" + "L".join(places), stroke=BETTER, stroke_width=2.5, fill="none"),
        element("circle", cx=across, cy=up, r=5, fill=INK),
        text(right, up + 22, words, font_weight=600),
        text((_LEFT + _RIGHT) / 2, _BOTTOM + 40, axis, text_anchor="middle"),
    ]
    title = f"How often a true difference in {power.metric} would be found"
    return figure(WIDTH, _BOTTOM + 50, title, _words(power, "items"), parts, name)


def sentence(power: Power, result: Comparison) -> str:
    """Return what can be found, and what more items would find, in words."""
    return _words(power, plural(item_kind(result)))


def _words(power: Power, items: str) -> str:
    found, half = two_digits(power.detectable), two_digits(power.detectable / 2)
    words = f"With {power.items:,} {items} a true difference of {found} is found 4 times out of 5"
    if power.items_for_half is None:
        return f"{words}."
    return f"{words}; half of that, {half}, would need about {power.items_for_half:,} {items}."


def scales(power: Power) -> tuple[Scale, Scale]:
    """Return where differences and shares are drawn."""
    longest = max((size for size, _ in power.curve), default=0.0)
    return (
        Scale(0.0, max(longest, power.detectable), _LEFT, _RIGHT),
        Scale(0.0, 1.0, _BOTTOM, _TOP),
    )
