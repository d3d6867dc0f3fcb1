"""Figure: the matrix of win rates, row against column, framed where the odds are not even."""

from __future__ import annotations

from tellapart.comparison.preference_record import HeadToHead
from tellapart.comparison.ranking import ranking
from tellapart.comparison.record import Comparison
from tellapart.report.figures.names import hover, name_text, system_names, text_width
from tellapart.report.figures.svg import (
    BETTER,
    FAINT,
    GRID,
    INK,
    WIDTH,
    WORSE,
    element,
    figure,
    opacity,
    text,
)
from tellapart.report.numbers import p_text
from tellapart.report.preferences import percent
from tellapart.words import plural, several

_NAME = 100.0  # room for a name
_CELL, _HEIGHT = 30, 28  # pixels, at least
_SPELLED = 15  # pairs that the text alternative lists


def draw(result: Comparison, metric: str, name: str) -> str:
    """Return the win rates of all pairs that met as SVG; nothing for two systems."""
    found = result.preferences
    if found is None or found.scale is None:
        return ""
    order = [system.name for system in ranking(result, metric)]
    names = system_names(result, _NAME)
    left = 14 + max(map(text_width, names.values()))
    rise = 16 + max(map(text_width, names.values()))
    cell = max(_CELL, (WIDTH - 8 - left) / len(order))
    parts = []
    for i, row in enumerate(order):
        middle = rise + _HEIGHT * (i + 0.5)
        parts.append(
            name_text(left - 6, middle + 4.5, row, names[row], text_anchor="end", fill=INK)
        )
        x = left + cell * (i + 0.5) + 4.5
        turned = f"rotate(-90 {x:.2f} {rise - 6:.2f})"
        parts.append(name_text(x, rise - 6, row, names[row], fill=INK, transform=turned))
        for k, column in enumerate(order):
            corner = left + cell * k, rise + _HEIGHT * i
            met = None if row == column else found.between(row, column)
            parts.append(_cell(met, corner, cell, same=row == column))
    bottom = rise + _HEIGHT * len(order)
    kinds = plural(result.units.kind)
    words = f"Share of {kinds} that the row won against the column, ties as half."
    parts.append(text(8, bottom + 20, words, fill=FAINT))
    framed = f"Framed: adjusted p at most {result.alpha:g}; the others are pale."
    parts.append(text(8, bottom + 38, framed, fill=FAINT))
    width = max(WIDTH, left + cell * len(order) + 8)
    title = "Win rates: row against column"
    return figure(width, bottom + 50, title, sentence(result), parts, name, role="group")


def _cell(met: HeadToHead | None, corner: tuple[float, float], width: float, *, same: bool) -> str:
    x, y = corner
    box: dict[str, object] = {
        "x": x + 1, "y": y + 1, "width": width - 2, "height": float(_HEIGHT - 2)
    }  # fmt: skip
    if met is None:
        words = "" if same else text(x + width / 2, y + 18.5, "–", text_anchor="middle", fill=FAINT)
        return element("rect", **box, fill=GRID, fill_opacity=0.35 if same else 0.1) + words
    lean = 2 * met.win_rate - 1
    frame = {"stroke": INK, "stroke_width": 2} if met.different else {}
    shade = element(
        "rect",
        **box,
        fill=BETTER if lean > 0 else WORSE,
        fill_opacity=opacity(lean, 1.0, told=met.different),
        **frame,
    )
    number = text(
        x + width / 2, y + 18.5, f"{100 * met.win_rate:.0f}", text_anchor="middle", fill=INK
    )
    words = (
        f"{met.a} against {met.b}: {met.wins} won, {met.ties} tied, {met.losses} lost, "
        f"p {p_text(met.p)}"
    )
    return element("g", hover(words) + shade + number)


def sentence(result: Comparison) -> str:
    """Return what the figure shows, in words; with few pairs, number by number."""
    found = result.preferences
    if found is None:
        return ""
    uneven = sum(each.different for each in found.head_to_head)
    words = (
        f"Win rates of {several(len(found.head_to_head), 'pair')} that met; {uneven} are not even."
    )
    if len(found.head_to_head) > _SPELLED:
        return words
    listed = "; ".join(
        f"{each.a} against {each.b} {percent(each.win_rate)}" for each in found.head_to_head
    )
    return f"{words} {listed}."
