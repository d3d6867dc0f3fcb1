"""Figure: the scatter plot of two scores, such as recall and precision, with curves of equal F."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from tellapart.comparison.pair_record import Ends
from tellapart.comparison.scatter import Scatter, ScatterPoint
from tellapart.report.figures import outlines
from tellapart.report.figures.axes import (
    Scale,
    grid,
    horizontal_grid,
    name_left,
    spread,
    tick_text,
    tick_texts,
    ticks_below,
    ticks_left,
)
from tellapart.report.figures.names import fitted, group_letters, hover, label_points
from tellapart.report.figures.svg import (
    FAINT,
    GRID,
    INK,
    MARKS,
    PALETTE,
    WIDTH,
    element,
    figure,
    mark,
    number,
    text,
)
from tellapart.significance.groups import Groups, letters

LEFT, RIGHT, TOP, BOTTOM = 54, WIDTH - 44, 24, 404
_INSET, _SIDE = LEFT, 84  # the whole square, under the picture
_STEPS = (0.1, 0.05, 0.02, 0.01, 0.005)  # between curves of equal F
_ENOUGH = 2  # curves


def draw(scatter: Scatter, name: str) -> str:
    """Return the systems by two scores as SVG, zoomed to them, with the whole square below."""
    x, y = scales(scatter)
    within = min(x.low, y.low) >= 0 and max(x.high, y.high) <= 1
    box = f"M{LEFT} {TOP}H{RIGHT}V{BOTTOM}H{LEFT}z"
    inside = [*_curves(scatter, x, y), *_ellipses(scatter, x, y), *_regions(scatter, x, y)]
    parts = [
        f'<clipPath id="{escape(name)}-clip"><path d="{box}"/></clipPath>',
        *_axes(scatter, x, y),
        element("g", "".join(inside), clip_path=f"url(#{name}-clip)"),
        element("path", d=box, fill="none", stroke=FAINT),
        *_edge_words(scatter, x, y),
        *_enclosed(scatter, x, y),
        *(_marked(k, each, x, y) for k, each in enumerate(scatter.points)),
        *label_points(
            [(each.system, x(each.x), y(each.y)) for each in scatter.points],
            (LEFT + 2, TOP + 2, RIGHT - 2, BOTTOM - 2),
            _letters(scatter),
        ),
        *(_inset(scatter, x, y) if within else ()),
        *_key(scatter, within),
    ]
    title = title_of(scatter)
    if scatter.metric:
        title += f", with groups by {scatter.metric}"
    height = _square_top() + (_SIDE + 8 if within else 52)
    return figure(WIDTH, height, title, sentence(scatter), parts, name)


def title_of(scatter: Scatter) -> str:
    """Return what the picture is of."""
    if scatter.regions:
        return f"Regions of performance: {scatter.x_name} and {scatter.y_name}"
    return f"{scatter.x_name.capitalize()} and {scatter.y_name}"


def sentence(scatter: Scatter) -> str:
    """Return where each system is, and what encloses them, in words."""
    if scatter.regions:
        shown = "; ".join(f"{m.system} {region_words(scatter, m)}" for m in scatter.points)
    else:
        shown = "; ".join(f"{m.system} {m.x:.3f} and {m.y:.3f}" for m in scatter.points)
    return f"{title_of(scatter)}: {shown}. {legend(scatter)}".rstrip()


def legend(scatter: Scatter) -> str:
    """Return how to read the figure."""
    words = []
    if any(each.ellipse for each in scatter.points):
        words.append("Ellipses hold both scores together at the level of the intervals.")
    if scatter.groups and scatter.metric:
        words.append(f"Outlines join systems that are not shown to differ in {scatter.metric}.")
    if scatter.region:
        words.append("Dashed rectangle: the region of performance of the best system.")
    if scatter.regions:
        words.append(
            "A system's region of performance goes from counting all templates (its mark) to "
            "counting only those that are matched."
        )
    return " ".join(words)


def scales(scatter: Scatter) -> tuple[Scale, Scale]:
    """Return where the two scores are drawn: all marks and most of their ellipses."""
    ends = []
    for score, at in (("x", 0), ("y", 1)):
        values = [
            getattr(each, score) + sign * _reach(each)[at]
            for each in scatter.points
            for sign in (-1, 1)
        ]
        regions = [scatter.region]
        regions += [each.region for each in scatter.points if scatter.regions]
        values += [end for each in regions if each for end in each[at] if end is not None]
        low, high = spread(values, 0.06)
        ends.append((max(low, min(0.0, *values)), min(high, max(1.0, *values))))
    return Scale(*ends[0], LEFT, RIGHT), Scale(*ends[1], BOTTOM, TOP)


def _reach(each: ScatterPoint) -> tuple[float, float]:
    """Return how far an ellipse goes to the side and up."""
    if each.ellipse is None:
        return 0.0, 0.0
    a, b, turn = each.ellipse[0], each.ellipse[1], math.radians(each.ellipse[2])
    return (
        math.hypot(a * math.cos(turn), b * math.sin(turn)),
        math.hypot(a * math.sin(turn), b * math.cos(turn)),
    )


def _axes(scatter: Scatter, x: Scale, y: Scale) -> Iterator[str]:
    ticks = tick_texts(y)
    yield grid(x, TOP, BOTTOM) + horizontal_grid(y, ticks, LEFT, RIGHT)
    yield ticks_below(x, BOTTOM + 19)
    yield ticks_left(y, ticks, LEFT - 8)
    yield text((LEFT + RIGHT) / 2, BOTTOM + 40, scatter.x_name, text_anchor="middle")
    yield name_left(y, scatter.y_name, 14)


def f_values(scatter: Scatter, x: Scale, y: Scale) -> list[float]:
    """Return the F of the curves that cross the picture: steps of .1, finer where it is small."""
    if {scatter.x_name, scatter.y_name} != {"recall", "precision"}:
        return []
    least, most = (2 * p * r / (p + r) if p + r > 0 else 0.0
                   for r, p in ((x.low, y.low), (x.high, y.high)))  # fmt: skip
    found: list[float] = []
    for step in _STEPS:
        found = [k * step for k in range(1, round(1 / step)) if least < k * step < most]
        if len(found) >= _ENOUGH:
            break
    return found


def _curves(scatter: Scatter, x: Scale, y: Scale) -> Iterator[str]:
    """Yield the curves of equal F, where precision is F·recall / (2·recall - F)."""
    paths = ""
    for f in f_values(scatter, x, y):
        start = max(x.low, f * y.high / (2 * y.high - f) if 2 * y.high > f else f)
        places = [start + (x.high - start) * (k / 24) ** 2 for k in range(25)]
        points = [f"{number(x(r))} {number(y(f * r / (2 * r - f)))}" for r in places if 2 * r > f]
        paths += "M" + "L".join(points) if len(points) > 1 else ""
    if paths:
        yield element("path", d=paths, fill="none", stroke=FAINT, stroke_dasharray="1 3",
                      stroke_width=1.3, stroke_linecap="round")  # fmt: skip


def _edge_words(scatter: Scatter, x: Scale, y: Scale) -> Iterator[str]:
    """Yield F where its curve leaves the picture: to the right, or else above or below."""
    values = f_values(scatter, x, y)
    for f in values:
        words = f"F {tick_text(f, values if len(values) > 1 else [f, f + 0.1])}"
        right, up, down = (f * end / (2 * end - f) if 2 * end > f else math.inf
                           for end in (x.high, y.high, y.low))  # fmt: skip
        if y.low <= right <= y.high:
            yield text(RIGHT + 4, y(right) + 4, words, fill=FAINT)
        elif x.low <= up <= x.high:
            yield text(x(up), TOP - 6, words, text_anchor="middle", fill=FAINT)
        elif x.low <= down <= x.high:
            yield text(x(down) + 5, BOTTOM - 6, words, fill=FAINT)


def _ellipses(scatter: Scatter, x: Scale, y: Scale) -> Iterator[str]:
    """Yield the ellipses; scales that differ turn them."""
    for k, each in enumerate(scatter.points):
        if each.ellipse is not None:
            long, short, turn = pixel_ellipse(each.ellipse, x, y)
            cx, cy = x(each.x), y(each.y)
            colour = _look(k)[1]
            turned = f"rotate({number(turn)} {number(cx)} {number(cy)})"
            yield element("ellipse", cx=cx, cy=cy, rx=long, ry=short, fill=colour,
                          fill_opacity=0.07, stroke=colour, stroke_opacity=0.3,
                          transform=turned)  # fmt: skip


def pixel_ellipse(
    ellipse: tuple[float, float, float], x: Scale, y: Scale
) -> tuple[float, float, float]:
    """Return half axes and angle of an ellipse as it appears on the picture's scales.

    >>> pixel_ellipse((0.2, 0.1, 0.0), Scale(0, 1, 0, 100), Scale(0, 1, 300, 0))
    (30.0, 20.0, 90.0)
    """
    a, b, turn = ellipse[0], ellipse[1], math.radians(ellipse[2])
    across = (x.end - x.start) / ((x.high - x.low) or 1.0)
    up = (y.end - y.start) / ((y.high - y.low) or 1.0)
    # Images of the half axes; their sums of squares are the ellipse's matrix.
    ends = (
        (across * a * math.cos(turn), up * a * math.sin(turn)),
        (across * b * -math.sin(turn), up * b * math.cos(turn)),
    )
    xx, yy = (math.fsum(end[k] ** 2 for end in ends) for k in (0, 1))
    xy = math.fsum(end[0] * end[1] for end in ends)
    middle, half = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
    angle = math.degrees(math.atan2(2 * xy, xx - yy)) / 2
    return math.sqrt(middle + half), math.sqrt(max(0.0, middle - half)), angle


def _regions(scatter: Scatter, x: Scale, y: Scale) -> Iterator[str]:
    """Yield the region of performance of every system, and on top that of the best one."""
    for k, each in enumerate(scatter.points):
        if scatter.regions and each.region is not None:
            path, _ = _rectangle(each.region, x, y)
            words = hover(f"{each.system}: {region_words(scatter, each)}")
            drawn = element("path", d=path, fill="none", stroke=_look(k)[1], stroke_width=1.3)
            yield element("g", words + drawn, class_="region")
    if scatter.region is not None:
        path, (left, high) = _rectangle(scatter.region, x, y)
        yield element("path", d=path, fill="none", stroke=INK, stroke_dasharray="6 3")
        yield text(left + 4, high + 14, "region of performance", fill=FAINT)


def _rectangle(region: tuple[Ends, Ends], x: Scale, y: Scale) -> tuple[str, tuple[float, float]]:
    """Return the path of a region, and its upper left corner."""
    (x1, x2), (y1, y2) = region
    left, right = (x.start if x1 is None else x(x1)), (x.end if x2 is None else x(x2))
    low, high = (y.start if y1 is None else y(y1)), (y.end if y2 is None else y(y2))
    path = f"M{number(left)} {number(low)}H{number(right)}V{number(high)}H{number(left)}z"
    return path, (left, high)


def region_words(scatter: Scatter, each: ScatterPoint) -> str:
    """Return from where to where a system's region of performance goes, by both scores.

    >>> one = ScatterPoint("A", 0.5, 0.4, region=((0.5, 0.6), (0.4, 0.8)))
    >>> region_words(Scatter("recall", "precision", (one,)), one)
    'recall 0.500 to 0.600, precision 0.400 to 0.800'
    """
    if each.region is None:
        return ""
    ends = (f"{low:.3f} to {high:.3f}" for low, high in each.region)
    names = (scatter.x_name, scatter.y_name)
    return ", ".join(f"{name} {span}" for name, span in zip(names, ends, strict=True))


def _letters(scatter: Scatter) -> dict[str, str]:
    systems = tuple(each.system for each in scatter.points)
    return letters(Groups(systems, scatter.groups)) if scatter.groups else {}


def _enclosed(scatter: Scatter, x: Scale, y: Scale) -> Iterator[str]:
    places = {each.system: (x(each.x), y(each.y)) for each in scatter.points}
    named = group_letters(scatter.groups, _letters(scatter))
    for k, (letter, group) in enumerate(zip(named, scatter.groups, strict=True)):
        if len(group) < 2:
            continue
        title = hover(f"{letter}: {', '.join(group)}")
        look = {**outlines.style(k), "fill_opacity": 0}
        outline = outlines.around([places[name] for name in group], 11 + 3 * (k % 3), **look)
        yield element("g", title + outline, class_="group")


def _look(k: int) -> tuple[str, str]:
    """Return the mark and the colour of a system: a new pair for each of the first 49."""
    return MARKS[k % len(MARKS)], PALETTE[(k + k // len(MARKS)) % len(PALETTE)]


def _marked(k: int, each: ScatterPoint, x: Scale, y: Scale) -> str:
    kind, colour = _look(k)
    words = f"{each.system}: {each.x:.3f}, {each.y:.3f}"
    title = hover(words)
    return element("g", title + mark(kind, x(each.x), y(each.y), 5, colour), class_="mark")


def _square_top() -> int:
    return BOTTOM + 56


def _inset(scatter: Scatter, x: Scale, y: Scale) -> Iterator[str]:
    """Yield the whole square, with the part that the picture shows."""
    top = _square_top()
    across = Scale(0.0, 1.0, _INSET, _INSET + _SIDE)
    up = Scale(0.0, 1.0, top + _SIDE, top)
    left, right, low, high = across(x.low), across(x.high), up(y.low), up(y.high)
    window = f"M{number(left)} {number(low)}H{number(right)}V{number(high)}H{number(left)}z"
    dots = "".join(f"M{number(across(m.x))} {number(up(m.y))}h0" for m in scatter.points)
    yield element("rect", x=_INSET, y=top, width=_SIDE, height=_SIDE, fill="none", stroke=FAINT)
    yield element("path", d=window, fill=GRID, fill_opacity=0.5, stroke=INK, stroke_width=0.8)
    yield element("path", d=dots, stroke=INK, stroke_width=3, stroke_linecap="round")


def _key(scatter: Scatter, within: bool) -> Iterator[str]:
    """Yield a key to the lines, under the picture and to the right of the square."""
    x, y = _INSET + (_SIDE + 16 if within else 0), _square_top() + 13
    if within:
        yield text(x, y, "the whole square, from 0 to 1", fill=FAINT)
        y += 24
    if any(each.ellipse for each in scatter.points):
        yield element("ellipse", cx=x + 10, cy=y - 4, rx=10, ry=6, fill=PALETTE[0],
                      fill_opacity=0.07, stroke=PALETTE[0], stroke_opacity=0.5)  # fmt: skip
        yield text(x + 28, y, "holds both scores")
        y += 22
    if scatter.metric:
        yield element("rect", x=x, y=y - 10, width=20, height=12, rx=6, fill="none",
                      stroke=PALETTE[1], stroke_width=1.8, stroke_dasharray="7 4")  # fmt: skip
        words = f"not told apart by {scatter.metric}"
        yield text(x + 28, y, fitted([words], WIDTH - x - 36)[words])
