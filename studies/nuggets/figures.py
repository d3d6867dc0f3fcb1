"""Figures 1 to 3 of the pilot study as three panels of one picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from studies.nuggets.scores import Combined
from tellapart.report.figures.layout import (
    FAINT,
    GRID,
    MARKS,
    PALETTE,
    Scale,
    element,
    figure,
    line,
    mark,
    number,
    standalone,
    text,
)

_WIDTH, _LEFT, _RIGHT = 760, 52, 600
_HEIGHT, _PITCH, _TOP = 190, 270, 44  # of a panel, from panel to panel, and above the first
_SPACING = 16  # between the names of lines


@dataclass(frozen=True, slots=True)
class _Panel:
    """One figure of the paper: which scores of a system are drawn, in which order."""

    title: str
    order: str
    way: str
    scores: tuple[tuple[str, str], ...]
    """Field and name"""
    sort_by: str


_PANELS: Final = (
    _Panel("Figure 1: separate scores", "systems in the order of span F1", "separate",
           (("span", "span F1"), ("type", "type accuracy"), ("realis", "realis accuracy")),
           "span"),
    _Panel("Figure 2: multiplied scores", "in the order of the product of all", "multiplied",
           (("span", "span F1"), ("type", "× type"), ("realis", "× realis"),
            ("all", "× type × realis")), "all"),
    _Panel("Figure 3: augmented scores", "in the order of all attributes", "augmented",
           (("span", "span F1"), ("type", "span + type"), ("realis", "span + realis"),
            ("all", "all attributes")), "all"),
)  # fmt: skip


def drawings(systems: Sequence[Combined]) -> dict[str, str]:
    """Return the three figures as one SVG, by the name of its file."""
    parts, words = [], []
    for k, panel in enumerate(_PANELS):
        chosen = sorted(systems, key=lambda each: -_score(each, panel, panel.sort_by))
        parts += list(_panel(panel, chosen, _TOP + k * _PITCH))
        words.append(_in_words(panel, chosen))
    height = _TOP + (len(_PANELS) - 1) * _PITCH + _HEIGHT + 40
    title = "Event nuggets: three ways to combine scores"
    picture = figure(_WIDTH, height, title, " ".join(words), parts, "pilot")
    return {"combinations.svg": standalone(picture)}


def _score(system: Combined, panel: _Panel, name: str) -> float:
    return float(getattr(getattr(system, panel.way), name))


def _in_words(panel: _Panel, systems: Sequence[Combined]) -> str:
    names = ", ".join(name for _, name in panel.scores)
    shown = "; ".join(
        f"{each.name} "
        + ", ".join(f"{_score(each, panel, field):.3f}" for field, _ in panel.scores)
        for each in systems
    )
    return f"{panel.title} ({names}): {shown}."


def _panel(panel: _Panel, systems: Sequence[Combined], top: float) -> Iterator[str]:
    y = Scale(0.0, 1.0, top + _HEIGHT, top)
    x = Scale(0.0, len(systems) - 1.0, _LEFT + 16, _RIGHT - 12)
    yield text(_LEFT, top - 16, panel.title, font_weight=600, font_size=14)
    yield text(_RIGHT, top - 16, panel.order, fill=FAINT, text_anchor="end")
    for value, words in y.ticks().items():
        yield line(_LEFT, y(value), _RIGHT, y(value), stroke=GRID)
        yield text(_LEFT - 8, y(value) + 4, words, fill=FAINT, text_anchor="end")
    for k, each in enumerate(systems):
        yield text(x(k), top + _HEIGHT + 18, each.name, text_anchor="middle")
    ends = {name: y(_score(systems[-1], panel, field)) for field, name in panel.scores}
    labels = _without_overlap(ends)
    for k, (field, name) in enumerate(panel.scores):
        points = [(x(j), y(_score(each, panel, field))) for j, each in enumerate(systems)]
        path = "M" + "L".join(f"{number(a)} {number(b)}" for a, b in points)
        yield element("path", d=path, fill="none", stroke=PALETTE[k], stroke_width=1.3)
        for a, b in points:
            yield mark(MARKS[k], a, b, 4, PALETTE[k])
        yield line(_RIGHT - 8, ends[name], _RIGHT + 8, labels[name], stroke=FAINT)
        yield mark(MARKS[k], _RIGHT + 18, labels[name], 4, PALETTE[k])
        yield text(_RIGHT + 28, labels[name] + 4, name)


def _without_overlap(places: dict[str, float]) -> dict[str, float]:
    """Return the places of names, moved from the top down where they would touch."""
    moved: dict[str, float] = {}
    last = float("-inf")
    for name, place in sorted(places.items(), key=lambda each: each[1]):
        last = max(place, last + _SPACING)
        moved[name] = last
    return moved
