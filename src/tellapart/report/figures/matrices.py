"""Figure: the differences of all pairs, systems by systems."""

from __future__ import annotations

import math

from tellapart.comparison.answers import different_before_correction, ranking
from tellapart.comparison.record import Comparison, Pair
from tellapart.report.figures.layout import (
    BETTER,
    GRID,
    INK,
    WIDTH,
    WORSE,
    at,
    box,
    column_angle,
    column_names,
    element,
    figure,
    fitted,
    hover,
    name_text,
    number,
    text,
    text_width,
)
from tellapart.report.sentences import apart_words, different_words
from tellapart.report.text import SAME, between, p_text, signed, size

MOST_NUMBERS, MOST_CELLS = 15, 60
"""Systems with numbers in their cells, and at all"""
STRONGEST, PALE = 0.75, 0.1
"""Opacity of the deepest shade, and of what may be chance: words stay readable on both"""
_WIDEST, _HIGHEST, _LEAST = 76, 34, 15  # of cells
_FRAMES: tuple[dict[str, object], ...] = (
    {},
    {"stroke": INK, "stroke_width": 1.5, "stroke_dasharray": "1.5 3"},
    {"stroke": INK, "stroke_width": 2},
)
"""None; dotted: different only before the correction, or not surely; solid: shown to differ"""


def matrix_figure(record: Comparison, metric: str, name: str) -> str:
    """Return the differences of all pairs, row minus column; "" for two systems, or too many."""
    if not 2 < len(record.systems) <= MOST_CELLS:
        return ""
    order = [system.name for system in ranking(record, metric)]
    pairs = [(number, pair) for number, pair in enumerate(record.pairs) if pair.metric == metric]
    names, count, numbers = fitted(order, 110.0), len(order), len(order) <= MOST_NUMBERS
    longest, decimals = max(map(text_width, names.values())), record.metrics[metric].decimals
    widest = max(text_width(cell_text(pair.difference, decimals)) for _, pair in pairs)
    least, most = 10 + math.ceil(widest) if numbers else _LEAST, max(_WIDEST, longest + 8)
    left = math.floor(12 + longest)
    room = WIDTH - 6 - left
    angle, rise, reach = column_angle(names.values(), min(most, max(least, room / count)))
    # The last name leans over the edge; coordinates of many cells are short.
    width = math.floor(min(most, max(least, (room - reach) / count)))
    height, top = min(width, _HIGHEST), 12 + rise

    def cell(row: int, column: int, **look: object) -> str:
        wide, high = number(width - 2), number(height - 2)
        corner = at(left + width * column + 1, top + height * row + 1)
        return element("path", d=f"M{corner}h{wide}v{high}h-{wide}z", **look)

    deepest = max((abs(pair.difference) for _, pair in pairs), default=0.0) or 1.0
    looks: dict[tuple[int, bool], list[str]] = {}
    words, rank = [], {system: k for k, system in enumerate(order)}
    for place, pair in pairs:
        frame = 2 if pair.different else int(different_before_correction(pair, record.alpha))
        shade = STRONGEST * abs(pair.difference) / deepest
        shade = shade if pair.different or pair.p is None else min(shade, PALE)
        for seen in (pair, pair.turned()):
            row, column = rank[seen.a], rank[seen.b]
            drawn = hover(_pair_words(seen, decimals)) + cell(
                row, column, fill_opacity=round(shade, 2)
            )
            better = (seen.difference > 0) == record.metrics[metric].higher_is_better
            own = looks.setdefault((frame, better), [])
            own.append(element("g", drawn, class_="cell", data_pair=place))
            x, y = left + width * (column + 0.5), top + height * (row + 0.5) + 4.5
            words.append(text(x, y, cell_text(seen.difference, decimals), fill=None))
    bottom = top + height * count
    keys = [
        ("row better", {"fill": BETTER, "fill_opacity": STRONGEST}),
        ("row worse", {"fill": WORSE, "fill_opacity": STRONGEST}),
    ]
    framed = ((2, different_words(record)), (1, "only before adjusting, or not sure"))
    keys += [(said, {"fill": "none", **_FRAMES[k]}) for k, said in framed if (k, True) in looks]
    places = {system: left + width * (k + 0.5) for k, system in enumerate(order)}
    parts = [
        *(
            name_text(left - 6, top + height * (k + 0.5) + 4.5, *both, text_anchor="end")
            for k, both in enumerate(names.items())
        ),
        *column_names(places, names, top - 7, angle),
        *(cell(k, k, fill=GRID, fill_opacity=0.35) for k in range(count)),
        # Framed cells come last, so that no neighbour covers a frame.
        *(
            element("g", "".join(cells), fill=BETTER if better else WORSE, **_FRAMES[frame])
            for (frame, better), cells in sorted(looks.items())
        ),
        element("g", "".join(words) if numbers else "", fill=INK, text_anchor="middle",
                pointer_events="none"),
        *(
            box(8, bottom + 16 + 22 * k, 18, 14, **look) + text(33, bottom + 27.5 + 22 * k, said)
            for k, (said, look) in enumerate(keys)
        ),
    ]  # fmt: skip
    title = f"All pairs by {metric}: row minus column"
    said = (
        f"{apart_words(record, metric)} Row minus column; pale, however large: not shown to "
        f"differ; the deepest shade is {size(deepest, decimals)}."
    )
    picture, below = max(WIDTH, left + width * count + reach + 6), bottom + 16 + 22 * len(keys)
    return figure(picture, below, title, said, parts, name)


def _pair_words(pair: Pair, decimals: int) -> str:
    ends, difference = between(pair.interval, decimals), signed(pair.difference, decimals)
    words = f"{pair.a} minus {pair.b}: {difference}{f' ({ends})' if ends else ''}"
    words += f", p {p_text(pair.p)}"
    return words if pair.p_adjusted == pair.p else f"{words}, adjusted {p_text(pair.p_adjusted)}"


def cell_text(difference: float, decimals: int = 3) -> str:
    """Return a difference as short as a cell needs.

    >>> cell_text(0.1944), cell_text(-1.2345), cell_text(-123.45), cell_text(-0.00012)
    ('+.194', '-1.23', '-123', '≈0')
    """
    if abs(difference) >= 0.9995:
        decimals = 2 if abs(difference) < 10 else 1 if abs(difference) < 100 else 0
        return f"{difference:+,.{decimals}f}"
    if abs(difference) < 0.5 * 10.0**-decimals:
        return "0" if abs(difference) < SAME else "≈0"
    return signed(difference, decimals).replace("0.", ".", 1)
