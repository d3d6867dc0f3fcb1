"""Figure: the differences of all pairs, systems by systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tellapart.comparison.answers import different_before_correction, ranking
from tellapart.comparison.record import Comparison, Pair
from tellapart.report.figures.layout import (
    BETTER,
    FAINT,
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
from tellapart.report.text import SAME, between, p_text, signed

MOST_NUMBERS, MOST_WORDS, MOST_CELLS = 15, 30, 60
"""Systems with numbers in their cells, with words on hover, and at all"""
STRONGEST, PALE = 0.75, 0.1
"""Opacity of the deepest shade, and of what may be chance: words stay readable on both"""


@dataclass(frozen=True, slots=True)
class Grid:
    """The places of cells, with the names of systems at their left and above them."""

    names: dict[str, str]
    """Names, and what is shown of them"""
    left: float
    top: float
    width: float
    """Of a cell"""
    height: float
    angle: int
    """Of the names above"""
    picture: float
    """The width of all"""

    @classmethod
    def of(cls, systems: Sequence[str], least: float, most: float = 76, height: float = 34) -> Grid:
        """Return a grid whose cells are at least so wide."""
        names, count = fitted(systems, 110.0), len(systems)
        longest = max(map(text_width, names.values()))
        left = math.floor(12 + longest)
        room, most = WIDTH - 6 - left, max(most, longest + 8)
        angle, rise, reach = column_angle(names.values(), min(most, max(least, room / count)))
        # The last name leans over the edge; coordinates of many cells are short.
        width = math.floor(min(most, max(least, (room - reach) / count)))
        picture = max(WIDTH, left + width * count + reach + 6)
        return cls(names, left, 12 + rise, width, min(width, height), angle, picture)

    @property
    def bottom(self) -> float:
        """Where the last row ends."""
        return self.top + self.height * len(self.names)

    def corner(self, row: float, column: float) -> Point:
        """Return the upper left corner of a cell."""
        return self.left + self.width * column, self.top + self.height * row

    def edges(self) -> Iterator[str]:
        """Yield the names of rows and columns, and the cells of each system against itself."""
        for i, (name, short) in enumerate(self.names.items()):
            middle = self.top + self.height * (i + 0.5) + 4.5
            yield name_text(self.left - 6, middle, name, short, text_anchor="end")
        places = {name: self.corner(0, k + 0.5)[0] for k, name in enumerate(self.names)}
        yield from column_names(places, self.names, self.top - 7, self.angle)
        for i in range(len(self.names)):
            yield self.box(i, i, fill=GRID, fill_opacity=0.35)

    def box(self, row: int, column: int, /, **look: Any) -> str:
        """Return one cell."""
        x, y = self.corner(row, column)
        wide, high = number(self.width - 2), number(self.height - 2)
        path = f"M{at(x + 1, y + 1)}h{wide}v{high}h-{wide}z"  # shorter than a rect
        return element("path", d=path, **look)


Point = tuple[float, float]
Key = tuple[str, dict[str, object]]
"""Words, and the look that they explain"""


def _below(top: float, keys: Sequence[Key], notes: Iterable[str]) -> tuple[list[str], float]:
    """Return a key to the looks, two in a row, with notes under it, and where they end."""
    parts = []
    for k, (words, look) in enumerate(keys):
        x, y = 8 + 190 * (k % 2), top + 16 + 22 * (k // 2)
        parts.append(box(x, y, 18, 14, **look) + text(x + 25, y + 11.5, words))
    y = top + 16 + 22 * ((len(keys) + 1) // 2)
    for words in notes:
        y += 18
        parts.append(text(8, y - 3, words, fill=FAINT))
    return parts, y + 6


def deepest(differences: Iterable[float]) -> float:
    """Return the difference from which on a shade is the deepest: the largest that there is."""
    return max(map(abs, differences), default=0.0) or 1.0


def opacity(difference: float, deepest: float, *, shown: bool) -> float:
    """Return the opacity of a cell; pale where the difference may be chance.

    >>> opacity(-0.5, 1.0, shown=True), opacity(0.9, 1.0, shown=False)
    (0.375, 0.1)
    """
    shade = STRONGEST * min(1.0, abs(difference) / deepest)
    return shade if shown else min(shade, PALE)


# All pairs

_FRAMES: tuple[dict[str, object], ...] = (
    {},
    {"stroke": INK, "stroke_width": 1.5, "stroke_dasharray": "1.5 3"},
    {"stroke": INK, "stroke_width": 2},
)
"""None; dotted: `_ALONE`; solid: shown to differ"""
_ALONE = "only before adjusting, or not sure"


def matrix_figure(record: Comparison, metric: str, name: str) -> str:
    """Return the differences of all pairs, row minus column; nothing for two systems, or too many.

    Cells of many systems say nothing on hover: the page has words of its own for them.
    """
    if not 2 < len(record.systems) <= MOST_CELLS:
        return ""
    order = [system.name for system in ranking(record, metric)]
    pairs = [(number, pair) for number, pair in enumerate(record.pairs) if pair.metric == metric]
    numbers, bare = len(order) <= MOST_NUMBERS, len(order) > MOST_WORDS
    widest = max(text_width(cell_text(pair.difference)) for _, pair in pairs)
    least = 2 + math.ceil(widest) if numbers else 15
    grid = Grid.of(order, least)
    rank = {system: k for k, system in enumerate(order)}
    deep = deepest(pair.difference for _, pair in pairs)
    higher = record.metrics[metric].higher_is_better
    looks: dict[tuple[int, bool], list[str]] = {}
    words = []
    for place_, pair in pairs:
        frame = 2 if pair.different else int(different_before_correction(pair, record.alpha))
        for seen in (pair, pair.turned()):
            place = rank[seen.a], rank[seen.b]
            shade = opacity(seen.difference, deep, shown=pair.different or pair.p is None)
            drawn = element(
                "g",
                ("" if bare else hover(_pair_words(seen)))
                + grid.box(*place, fill_opacity=round(shade, 2)),
                class_="cell",
                data_pair=place_,
            )
            looks.setdefault((frame, (seen.difference > 0) == higher), []).append(drawn)
            if numbers:
                short = cell_text(seen.difference)
                x, y = grid.corner(place[0] + 0.5, place[1] + 0.5)
                words.append(text(x, y + 4.5, short, fill=None))
    keys = _matrix_keys(record, {frame for frame, _ in looks})
    notes = (
        f"Row minus column; the deepest shade is {signed(deep).lstrip('+')}.",
        "Pale, however large: not shown to differ.",
    )
    below, height = _below(grid.bottom, keys, notes)
    parts = [
        *grid.edges(),
        # Framed cells come last, so that no neighbour covers a frame.
        *(
            element(
                "g", "".join(looks[look]), fill=BETTER if look[1] else WORSE, **_FRAMES[look[0]]
            )
            for look in sorted(looks)
        ),
        element("g", "".join(words), fill=INK, text_anchor="middle", pointer_events="none"),
        *below,
    ]
    title = f"All pairs by {metric}: row minus column"
    return figure(grid.picture, height, title, apart_words(record, metric), parts, name)


def _pair_words(pair: Pair) -> str:
    ends = between(pair.interval)
    words = f"{pair.a} minus {pair.b}: {signed(pair.difference)}{f' ({ends})' if ends else ''}"
    words += f", p {p_text(pair.p)}"
    return words if pair.p_adjusted == pair.p else f"{words}, adjusted {p_text(pair.p_adjusted)}"


def _matrix_keys(record: Comparison, frames: set[int]) -> list[Key]:
    keys: list[Key] = [
        ("row better", {"fill": BETTER, "fill_opacity": STRONGEST}),
        ("row worse", {"fill": WORSE, "fill_opacity": STRONGEST}),
        (different_words(record), {"fill": "none", **_FRAMES[2]}),
        (_ALONE, {"fill": "none", **_FRAMES[1]}),
    ]
    return [*keys[:2], *(keys[2:3] if 2 in frames else ()), *(keys[3:] if 1 in frames else ())]


def cell_text(difference: float) -> str:
    """Return a difference as short as a cell needs.

    >>> cell_text(0.1944), cell_text(-1.2345), cell_text(-123.45), cell_text(-0.00012)
    ('+.194', '-1.23', '-123', '≈0')
    """
    if abs(difference) >= 0.9995:
        decimals = 2 if abs(difference) < 10 else 1 if abs(difference) < 100 else 0
        return f"{difference:+,.{decimals}f}"
    if abs(difference) < 0.0005:
        return "0" if abs(difference) < SAME else "≈0"
    return signed(difference).replace("0.", ".", 1)
