"""Figure: systems × tasks, each score shaded by how far it lies from the others on its task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tellapart.comparison.record import Comparison
from tellapart.report.figures.names import (
    column_angle,
    fitted,
    hover,
    name_text,
    system_names,
    text_width,
)
from tellapart.report.figures.svg import (
    BETTER,
    FAINT,
    GRID,
    INK,
    WIDTH,
    WORSE,
    deepest_from,
    element,
    figure,
    number,
    opacity,
    text,
)
from tellapart.report.numbers import plain
from tellapart.report.tasks import (
    BEST,
    TaskRow,
    aggregate_sentence,
    marks_words,
    systems_in_order,
    task_rows,
    turns_sentence,
)

_NAME = 150.0  # room for a task
_ROW, _LEAST_CELL, _WIDEST_CELL = 22, 58, 96
_GAP = 6  # below the overall scores


def draw(result: Comparison, metric: str, name: str) -> str:
    """Return the scores of all systems on all tasks as SVG; nothing where there is one task."""
    if metric not in result.suite:
        return ""
    rows, systems = task_rows(result, metric), systems_in_order(result, metric)
    shorts = system_names(result, 90)
    tasks = fitted([row.name for row in rows], _NAME)
    left = 12 + max(map(text_width, tasks.values()))
    cell = min(_WIDEST_CELL, max(_LEAST_CELL, (WIDTH - left - 4) / len(systems)))
    angle, up, aside = column_angle([shorts[system] for system in systems], cell)
    top = up + 12
    deepest = deepest_from(score for row in rows for score in row.scores)
    parts = [
        _head(system, shorts[system], left + (k + 0.5) * cell, top - 8, angle)
        for k, system in enumerate(systems)
    ]
    for i, row in enumerate(rows):
        y = top + i * _ROW + (_GAP if i else 0)
        weight = 600 if i == 0 else None
        parts.append(name_text(4, y + 15, row.name, tasks[row.name], fill=INK, font_weight=weight))
        parts += _cells(result, metric, row, systems, (left, y, cell), deepest)
    bottom = top + len(rows) * _ROW + _GAP
    parts += [
        text(
            4,
            bottom + 18,
            "Shade: better (blue) or worse (orange) than the systems' mean,",
            fill=FAINT,
        ),
        text(
            4,
            bottom + 34,
            f"deepest from {deepest:g} on; pale where none is shown to be worse than the best",
            fill=FAINT,
        ),
        text(4, bottom + 50, "+ best, - shown to be worse than it", fill=FAINT),
    ]
    title = f"{metric} of every system on every {result.suite[metric].label}"
    width = max(WIDTH, left + cell * len(systems) + aside + 4)
    return figure(width, bottom + 60, title, sentence(result, metric), parts, name)


def _head(system: str, short: str, x: float, y: float, angle: int) -> str:
    """Return the name of a column, turned where it would not fit."""
    turn = {"transform": f"rotate({-angle} {number(x)} {number(y)})"} if angle else {}
    anchor = "start" if angle else "middle"
    return name_text(x, y, system, short, fill=INK, text_anchor=anchor, **turn)


def sentence(result: Comparison, metric: str) -> str:
    """Return what the figure shows, number by number."""
    systems = systems_in_order(result, metric)
    listed = "; ".join(
        f"{row.name} "
        + ", ".join(
            f"{system} {plain(score)}{mark}"
            for system, score, mark in zip(systems, row.scores, row.marks, strict=True)
        )
        for row in task_rows(result, metric)
    )
    return f"{listed}. {caption(result, metric)}"


def caption(result: Comparison, metric: str) -> str:
    """Return how to read the figure, and on which tasks the order turns."""
    how = f"{aggregate_sentence(result, metric)}; {marks_words(result, metric)}."
    how = how[0].upper() + how[1:]
    return f"{how} {turns_sentence(result, metric)}".strip()


def _apart(result: Comparison, metric: str, row: TaskRow) -> list[float]:
    """Return how much better than the mean of all systems each of them is on a task."""
    sign = 1 if result.metrics[metric].higher_is_better else -1
    middle = math.fsum(row.scores) / len(row.scores)
    return [sign * (score - middle) for score in row.scores]


def _cells(
    result: Comparison,
    metric: str,
    row: TaskRow,
    systems: Sequence[str],
    place: tuple[float, float, float],
    deepest: float,
) -> Iterator[str]:
    left, y, cell = place
    for k, apart in enumerate(_apart(result, metric, row)):
        shade = opacity(apart, deepest, told=row.tells)
        best = row.marks[k] == BEST
        shown = f"{plain(row.scores[k])}{row.marks[k]}"
        box = element(
            "rect", x=left + k * cell, y=float(y), width=cell - 2, height=float(_ROW - 2),
            fill=BETTER if apart > 0 else WORSE, fill_opacity=shade, stroke=GRID,
        )  # fmt: skip
        words = text(
            left + (k + 0.5) * cell - 1, y + 15, shown,
            text_anchor="middle", font_weight=600 if best else None,
        )  # fmt: skip
        yield element("g", hover(f"{systems[k]} on {row.name}: {shown}") + box + words)
