"""Figure: the matrix of p-values, one metric over another, as in the MUC-3 paper of 1993."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tellapart.comparison.record import Comparison
from tellapart.report.figures.names import (
    column_angle,
    hover,
    name_text,
    system_names,
    text_width,
    upright,
)
from tellapart.report.figures.svg import (
    BETTER,
    FAINT,
    GRID,
    INK,
    SIZE,
    WIDTH,
    element,
    figure,
    number,
    text,
)
from tellapart.report.p_values import MARK, PMatrix

MOST = 30
"""Systems that the figure has room for"""
_NAME = 110.0  # room for a name
_LINE = 15  # pixels
_SHADES = (0.0, 0.12, 0.34)  # told apart by no metric, by one, by both


def draw(result: Comparison, metric: str, name: str) -> str:
    """Return the matrix that has a metric as SVG; nothing for one pair, or too many systems."""
    if not 2 < len(result.systems) <= MOST:
        return ""
    matrix = PMatrix.of(result, metric)
    grid = _Grid.of(matrix, system_names(result, _NAME))
    parts = [*_edges(matrix, grid), *_cells(matrix, grid)]
    y = grid.top + grid.height * len(matrix.order) + 14
    x = 8.0
    for words, shade in _keys(matrix):
        box = element("rect", x=x, y=y, width=18, height=14, **_look(shade))
        parts.append(box + text(x + 25, y + 11.5, words))
        x += 25 + text_width(words) + 18
    y += 32
    for words in matrix.how_to_read().split("; "):
        parts.append(text(8, y, words, fill=FAINT))
        y += 18
    words = f"{matrix.title()}. {matrix.how_to_read()} {matrix.found()}"
    return figure(grid.picture, y - 4, matrix.title(), words, parts, name)


@dataclass(frozen=True, slots=True)
class _Grid:
    """The places of the cells."""

    names: dict[str, str]
    left: float
    top: float
    width: float
    height: float
    angle: int
    picture: float

    @classmethod
    def of(cls, matrix: PMatrix, names: dict[str, str]) -> _Grid:
        lines = len(matrix.metrics)
        scores = max(text_width(score) for name in names for score in matrix.scores(name))
        left = 8 + max(map(text_width, names.values())) + 8 + scores + 6
        words = (text_width(word) for key in matrix.cells for word in matrix.words(*key))
        width = math.ceil(max(scores, *words)) + 6  # p of pairs that are told apart are bold
        angle, rise, reach = column_angle(names.values(), width)
        if angle == 45 and left + width * len(names) + reach > WIDTH:
            angle, rise, reach = upright(names.values())
        top = 14 + rise + _LINE * lines
        picture = max(WIDTH, left + width * len(names) + reach + 4)
        return cls(names, left, top, width, 6 + _LINE * lines, angle, picture)


def _edges(matrix: PMatrix, grid: _Grid) -> Iterator[str]:
    """Yield names and scores, along the left and along the top."""
    lines = len(matrix.metrics)
    for i, name in enumerate(matrix.order):
        y = grid.top + grid.height * i
        x = grid.left + grid.width * (i + 0.5)
        scores = matrix.scores(name)
        right = grid.left - 6 - max(map(text_width, scores)) - 8
        middle = y + grid.height / 2 + 4.5
        yield name_text(right, middle, name, grid.names[name], text_anchor="end", fill=INK)
        for k, score in enumerate(scores):
            yield text(grid.left - 6, _baseline(y, k), score, text_anchor="end", fill=FAINT)
            above = grid.top - 6 - _LINE * (lines - 1 - k)
            yield text(x, above, score, text_anchor="middle", fill=FAINT)
        yield _column_name(name, grid, x, grid.top - 8 - _LINE * lines)


def _column_name(name: str, grid: _Grid, x: float, y: float) -> str:
    short = grid.names[name]
    if not grid.angle:
        return name_text(x, y, name, short, text_anchor="middle", fill=INK)
    x += 4.5 if grid.angle == 90 else 0
    turned = f"rotate(-{grid.angle} {number(x)} {number(y)})"
    return name_text(x, y, name, short, fill=INK, transform=turned)


def _cells(matrix: PMatrix, grid: _Grid) -> Iterator[str]:
    for i, row in enumerate(matrix.order):
        for k, column in enumerate(matrix.order):
            x, y = grid.left + grid.width * k, grid.top + grid.height * i
            if row == column:
                yield element("rect", x=x + 1, y=y + 1, width=grid.width - 2,
                              height=grid.height - 2, fill=GRID, fill_opacity=0.35)  # fmt: skip
            elif any(matrix.words(row, column)):
                yield _cell(matrix, grid, (row, column), (x, y))


def _cell(matrix: PMatrix, grid: _Grid, pair: tuple[str, str], corner: tuple[float, float]) -> str:
    """Return the cell of a pair, shaded by how many metrics tell it apart."""
    x, y = corner
    words = matrix.words(*pair)
    told = matrix.told(*pair)
    shade = _SHADES[-1] if told == len(matrix.metrics) else _SHADES[told]
    box = element("rect", x=x + 1, y=y + 1, width=grid.width - 2, height=grid.height - 2,
                  **_look(shade))  # fmt: skip
    lines = "".join(
        text(
            x + grid.width / 2, _baseline(y, k), word,
            text_anchor="middle", font_weight=600 if word.startswith(MARK) else None,
        )
        for k, word in enumerate(words)
        if word
    )  # fmt: skip
    by_metric = ", ".join(
        f"{metric} p {word}" for metric, word in zip(matrix.metrics, words, strict=True) if word
    )
    return element(
        "g", hover(f"{pair[0]} over {pair[1]}: {by_metric}") + box + lines, class_="cell"
    )


def _look(shade: float) -> dict[str, object]:
    return {"fill": BETTER, "fill_opacity": shade, "stroke": GRID}


def _baseline(y: float, line: int) -> float:
    return y + SIZE + 1.5 + _LINE * line


def _keys(matrix: PMatrix) -> list[tuple[str, float]]:
    """Return what the shades mean."""
    neither, one, both = _SHADES
    if len(matrix.metrics) == 1:
        return [("pairs told apart", both), ("not told apart", neither)]
    return [("pairs told apart by both", both), ("by one", one), ("by neither", neither)]
