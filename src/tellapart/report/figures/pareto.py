"""Quality against cost, as a figure: systems that another one beats in both are grey."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.comparison.pair_record import Ends
from tellapart.comparison.record import Comparison, SystemResult
from tellapart.report.figures.axes import (
    Scale,
    grid,
    horizontal_grid,
    name_left,
    spread,
    tick_texts,
    ticks_below,
    ticks_left,
)
from tellapart.report.figures.names import fitted, hover, label_points
from tellapart.report.figures.svg import (
    BETTER,
    FAINT,
    WIDTH,
    element,
    figure,
    mark,
    number,
    text,
)
from tellapart.report.numbers import plain

_LEFT, _RIGHT, _TOP, _BOTTOM = 64, WIDTH - 16, 16, 316


def draw(result: Comparison, quality: str, cost: str, name: str) -> str:
    """Return the systems by cost (across) and quality (up) as SVG, with both intervals."""
    x, y = scales(result, quality, cost)
    behind = dominated(result, quality, cost)
    ticks = tick_texts(y)
    axis = f"{cost} (less is better)"
    best = [s for s in result.systems if s.name not in behind]
    parts = [
        grid(x, _TOP, _BOTTOM) + horizontal_grid(y, ticks, _LEFT, _RIGHT),
        ticks_below(x, _BOTTOM + 18),
        ticks_left(y, ticks, _LEFT - 8),
        text((_LEFT + _RIGHT) / 2, _BOTTOM + 40, fitted([axis], _RIGHT - _LEFT)[axis],
             text_anchor="middle"),
        name_left(y, fitted([quality], _BOTTOM - _TOP)[quality], 14),
        _frontier(best, quality, cost, x, y),
        *(_marked(each, quality, cost, x, y, each.name in behind) for each in result.systems),
        *label_points(
            # Beside the cross of its intervals.
            [(s.name, x(s.scores[cost]), y(s.scores[quality]) - 10) for s in result.systems],
            (_LEFT + 2, _TOP + 2, _RIGHT - 2, _BOTTOM - 2),
        ),
    ]  # fmt: skip
    title = f"{quality} against {cost}"
    return figure(WIDTH, _BOTTOM + 50, title, sentence(result, quality, cost), parts, name)


def dominated(result: Comparison, quality: str, cost: str) -> dict[str, list[str]]:
    """Return the systems that are dominated, and by which."""
    found = {} if result.costs is None else result.costs.dominated or {}
    return found.get(quality, {}).get(cost, {})


def sentence(result: Comparison, quality: str, cost: str) -> str:
    """Return where each system is, and which are dominated, in words."""
    places = "; ".join(
        f"{s.name} {plain(s.scores[quality])} for {plain(s.scores[cost])}" for s in result.systems
    )
    behind = dominated(result, quality, cost)
    grey = f" Grey: others are as good for no more: {', '.join(behind)}." if behind else ""
    return f"{quality} and {cost}: {places}. Lines are the intervals of both.{grey}"


def scales(result: Comparison, quality: str, cost: str) -> tuple[Scale, Scale]:
    """Return where costs and qualities are drawn: all marks and their intervals."""
    ends = []
    for metric in (cost, quality):
        values: list[float | None] = [system.scores[metric] for system in result.systems]
        for system in result.systems:
            values += system.intervals.get(metric, (None, None))
        ends.append(spread(values, 0.06))
    return Scale(*ends[0], _LEFT, _RIGHT), Scale(*ends[1], _BOTTOM, _TOP)


def _frontier(best: list[SystemResult], quality: str, cost: str, x: Scale, y: Scale) -> str:
    """Return the steps along the systems that none beats in both."""
    places = sorted((x(s.scores[cost]), y(s.scores[quality])) for s in best)
    if len(places) < 2:
        return ""
    path = f"M{number(places[0][0])} {number(places[0][1])}"
    path += "".join(f"H{number(across)}V{number(up)}" for across, up in places[1:])
    return element("path", d=path, fill="none", stroke=BETTER, stroke_dasharray="4 3")


def _marked(system: SystemResult, quality: str, cost: str, x: Scale, y: Scale, behind: bool) -> str:
    colour = FAINT if behind else BETTER
    across, up = x(system.scores[cost]), y(system.scores[quality])
    lines = "".join(
        _lines(system.intervals.get(cost), system.intervals.get(quality), across, up, x, y)
    )
    words = f"{system.name}: {plain(system.scores[quality])} for {plain(system.scores[cost])}"
    drawn = element("path", d=lines, stroke=colour, stroke_width=1.5, fill="none") if lines else ""
    kind = "ring" if behind else "circle"
    return element("g", hover(words) + drawn + mark(kind, across, up, 5, colour), class_="mark")


def _lines(
    costs: Ends | None, scores: Ends | None, across: float, up: float, x: Scale, y: Scale
) -> Iterator[str]:
    low, high = costs or (None, None)
    if low is not None and high is not None:
        yield f"M{number(x(low))} {number(up)}H{number(x(high))}"
    low, high = scores or (None, None)
    if low is not None and high is not None:
        yield f"M{number(across)} {number(y(low))}V{number(y(high))}"
