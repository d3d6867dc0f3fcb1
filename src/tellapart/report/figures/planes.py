"""The figure of systems by two scores, such as recall and precision."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tellapart.comparison.details import Plane, PlanePoint
from tellapart.comparison.record import Ends
from tellapart.report.figures.layout import (
    FAINT,
    INK,
    MARKS,
    PALETTE,
    WIDTH,
    Scale,
    at,
    axis_below,
    axis_left,
    element,
    figure,
    label_points,
    marked,
    number,
    point,
    spread,
    text,
    text_width,
)
from tellapart.report.text import plain

LEFT, RIGHT, TOP, BOTTOM = 60, WIDTH - 44, 24, 404


def plane_figure(plane: Plane, name: str) -> str:
    """Return the systems by two scores, zoomed to them, with the whole square below."""
    x, y = plane_scales(plane)
    frame = f"M{LEFT} {TOP}H{RIGHT}V{BOTTOM}H{LEFT}z"
    parts = [
        f'<clipPath id="{escape(name)}-clip"><path d="{frame}"/></clipPath>',
        axis_below(x, TOP, BOTTOM, plane.x_name),
        axis_left(y, LEFT, RIGHT, plane.y_name),
        element("g", "".join(_regions(plane, x, y)), clip_path=f"url(#{name}-clip)"),
        element("path", d=frame, fill="none", stroke=FAINT),
        *(
            point(f"{p.system}: {plain(p.x)}, {plain(p.y)}", x(p.x), y(p.y), *_look(k))
            for k, p in enumerate(plane.points)
        ),
        *label_points(
            [(p.system, x(p.x), y(p.y)) for p in plane.points],
            (LEFT + 2, TOP + 2, RIGHT - 2, BOTTOM - 2),
            plane.letters,
        ),
    ]  # fmt: skip
    title = plane_title(plane) + (f", with groups by {plane.metric}" if plane.metric else "")
    return figure(WIDTH, BOTTOM + 52, title, plane_legend(plane), parts, name)


def plane_title(plane: Plane) -> str:
    """Return what the figure is of."""
    names = f"{plane.x_name} and {plane.y_name}"
    return f"Regions of performance: {names}" if plane.regions else names.capitalize()


def plane_legend(plane: Plane) -> str:
    """Return how to read the figure."""
    said = {
        f"A letter in common: not shown to differ in {plane.metric}.": plane.metric,
        "Dashed rectangle: the region of performance of the best system.": plane.region,
        "A region of performance goes from all templates (the mark) to those that are matched.":
            plane.regions,
    }  # fmt: skip
    return " ".join(sentence for sentence, has_it in said.items() if has_it)


def region_words(plane: Plane, point: PlanePoint) -> str:
    """Return from where to where a system's region of performance goes, by both scores."""
    names = (plane.x_name, plane.y_name)
    spans = zip(names, point.region or (), strict=False)
    return ", ".join(f"{name} {plain(low)} to {plain(high)}" for name, (low, high) in spans)


def plane_scales(plane: Plane) -> tuple[Scale, Scale]:
    """Return where the two scores are drawn: all marks and regions."""
    shown = [plane.region, *(point.region for point in plane.points if plane.regions)]
    ends = []
    for axis in (0, 1):
        values = [end for region in shown if region for end in region[axis] if end is not None]
        values += [(point.x, point.y)[axis] for point in plane.points]
        low, high = spread(values, 0.06)
        ends.append((max(low, min(0.0, *values)), min(high, max(1.0, *values))))
    return Scale(*ends[0], LEFT, RIGHT), Scale(*ends[1], BOTTOM, TOP)


def _regions(plane: Plane, x: Scale, y: Scale) -> Iterator[str]:
    """Yield the region of performance of every system, and on top that of the best one."""
    for k, p in enumerate(plane.points):
        if plane.regions and p.region is not None:
            drawn = _rectangle(p.region, x, y, stroke=_look(k)[1], stroke_width=1.3)
            yield marked(f"{p.system}: {region_words(plane, p)}", drawn, class_="region")
    if plane.region is not None:
        yield _rectangle(plane.region, x, y, stroke=INK, stroke_dasharray="6 3")
        left, top = x.span(plane.region[0])[0], y.span(plane.region[1])[1]
        said = "region of performance"
        left = min(left, RIGHT - text_width(said) - 8)  # of a system in the corner
        yield text(left + 4, top + 14, said, fill=FAINT)


def _rectangle(region: tuple[Ends, Ends], x: Scale, y: Scale, **look: object) -> str:
    (left, right), (low, high) = x.span(region[0]), y.span(region[1])
    path = f"M{at(left, low)}H{number(right)}V{number(high)}H{number(left)}z"
    return element("path", d=path, fill="none", **look)


def _look(k: int) -> tuple[str, str]:
    """Return the mark and the colour of a system: a new pair for each of the first 35."""
    return MARKS[k % len(MARKS)], PALETTE[(k + k // len(MARKS)) % len(PALETTE)]
