"""Every figure of a comparison, named as the files they become."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, Final, TypeAlias

from tellapart.comparison.answers import as_reported, headline
from tellapart.comparison.details import Details, PairDetails, planes
from tellapart.comparison.record import Comparison
from tellapart.comparison.scored import Scored
from tellapart.errors import UsageError
from tellapart.files import Content, write_together
from tellapart.report.figures.layout import standalone
from tellapart.report.figures.matrices import matrix_figure
from tellapart.report.figures.pairs import null_figure
from tellapart.report.figures.planes import plane_figure
from tellapart.report.figures.systems import groups_figure, systems_figure
from tellapart.report.text import display_names
from tellapart.words import nearest

PAIRS: Final = "pairs/"
"""The folder of the figures of single pairs"""
MOST_PAIRS: Final = 6
"""Up to so many pairs by a metric are all drawn, whether they were asked for or not"""
_LONGEST: Final = 48  # bytes of a name that goes into a file's name

OF_METRIC: Final = {
    "systems": systems_figure,
    "matrix": matrix_figure,
    "groups": groups_figure,
}
"""The figures that every metric has, if there is something to show"""
Drawing: TypeAlias = tuple[str, Callable[[str], str]]
"""The name of a figure's file, and what draws it, given the name that keeps its ids apart"""


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A figure; the last value of a notebook's cell, it is shown.

    >>> Picture("systems", '<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>')
    <Picture: systems>
    """

    name: str
    drawing: str
    """As it is part of a page"""

    @property
    def svg(self) -> str:
        """The figure as an SVG file of its own."""
        return standalone(self.drawing)

    def save(self, path: str | Path) -> None:
        """Write the figure as SVG, PDF or PNG, as the name ends: whole or not at all."""
        write_together({str(path): as_file(self.svg, Path(path).suffix.lower())})

    def __repr__(self) -> str:
        return f"<Picture: {self.name}>"

    def _repr_svg_(self) -> str:
        return self.svg


def figure_files(
    record: Comparison, details: Details, suffix: str, asked: Iterable[tuple[str, str]] = ()
) -> dict[str, Content]:
    """Return every figure as a file of its own, `.svg` or `.pdf`, by its name in a folder."""
    figures = all_figures(record, details, asked)
    return {f"{stem}{suffix}": as_file(standalone(svg), suffix) for stem, svg in figures.items()}


def as_file(svg: str, suffix: str) -> Content:
    """Return what is written for an SVG file of our own as SVG, PDF or PNG."""
    if suffix == ".svg":
        return svg
    if suffix not in (".pdf", ".png"):
        raise UsageError(f"a figure is saved as .svg, .pdf or .png, not {suffix!r}")
    cairosvg = find_cairo()
    # Of the fonts that every system has a substitute for, with the same widths
    printed = svg.replace('font-family="system-ui, sans-serif"', 'font-family="Helvetica"', 1)
    if suffix == ".png":
        png: bytes = cairosvg.svg2png(printed.encode(), scale=3)
        return png
    # The same figure is the same file, whenever it is drawn.
    return re.sub(rb"\(D:\d{14}Z\)", b"(D:20000101000000Z)", cairosvg.svg2pdf(printed.encode()))


def find_cairo() -> Any:
    """Return what makes PDF and PNG of SVG, with their fonts embedded, as publishers demand."""
    try:
        import cairosvg
    except (ImportError, OSError):
        raise UsageError(
            "PDF and PNG need CairoSVG and the library Cairo (apt install libcairo2): "
            "pip install 'tellapart[figures]', or use SVG"
        ) from None
    return cairosvg


def all_figures(
    record: Comparison, details: Details, asked: Iterable[tuple[str, str]] = ()
) -> dict[str, str]:
    """Return every figure; keys are file names without `.svg`, safe and unique.

    Of more than a few pairs, those that are `asked` for have figures of their own, or else the one
    that the verdict speaks of.
    """
    details = replace(details, pairs=_drawn_pairs(record, details, asked))
    names = display_names(record)
    figures: dict[str, str] = {}
    for stem, draw in _drawings(names.applied(record), names.applied(details)):
        if svg := draw(stem.removeprefix(PAIRS)):
            figures[unique_name(stem, figures)] = svg
    return figures


def _drawn_pairs(
    record: Comparison, details: Details, asked: Iterable[tuple[str, str]]
) -> tuple[PairDetails, ...]:
    wanted = [{*pair} for pair in asked]
    if not wanted and len(details.pairs) <= MOST_PAIRS * len(record.metrics):
        return details.pairs
    about = headline(record, next(iter(record.metrics)))
    wanted = wanted or [{about.a, about.b}]
    pairs = ((own, record.pairs[own.number]) for own in details.pairs)
    return tuple(own for own, pair in pairs if {pair.a, pair.b} in wanted)


def _drawings(record: Comparison, details: Details) -> Iterator[Drawing]:
    """Yield the figures of a comparison: of its metrics, of two scores, of single pairs."""
    for metric in record.metrics:
        for kind, draw in OF_METRIC.items():
            yield _stem(kind, metric), partial(draw, record, metric)
    for plane in details.planes:
        yield "regions" if plane.regions else "plane", partial(plane_figure, plane)
    for own in details.pairs:
        pair = as_reported(record, record.pairs[own.number])
        stem = _stem("null", pair.metric, pair.a, pair.b)
        yield f"{PAIRS}{stem}", partial(null_figure, record, pair, own)


def _stem(kind: str, *about: str) -> str:
    return "-".join([kind, *map(safe_name, about)])


def figure_named(
    record: Comparison, name: str, metric: str | None = None, scored: Sequence[Scored] = ()
) -> Picture:
    """Return one figure by what it shows: `systems`, `matrix`, and so on; `plane` needs scores."""
    if metric is not None and metric not in record.metrics:
        raise UsageError(f"there is no metric {metric!r}; {nearest(metric, list(record.metrics))}")
    metric = metric or next(iter(record.metrics))
    names = display_names(record)
    details = Details((), (), planes(record, scored, metric)[:1] if scored else ())
    drawings = dict(_drawings(names.applied(record), names.applied(details)))
    drawn = drawings.get(name if name == "plane" else _stem(name, metric))
    svg = drawn(name) if drawn is not None else ""
    if not svg:
        raise UsageError(f"there is no figure {name!r}; {nearest(name, [*OF_METRIC, 'plane'])}")
    return Picture(f"{name} by {metric}", svg)


def safe_name(words: str) -> str:
    """Return a name as part of a file's name on any system.

    >>> safe_name("my/model: v2?"), safe_name("../.."), safe_name("gpt-4 (mini)")
    ('my-model-v2', 'x', 'gpt-4-mini')
    """
    kept = "".join(c if c.isalnum() or c in "._-+" else "-" for c in words)
    parts = [part for part in kept.encode()[:_LONGEST].decode(errors="ignore").split("-") if part]
    return "-".join(parts).strip(".-") or "x"


def unique_name(stem: str, taken: Iterable[str]) -> str:
    """Return a name that is free, numbered if need be; some file systems do not tell A from a.

    >>> unique_name("f1", []), unique_name("F1", ["f1"])
    ('f1', 'F1-2')
    """
    known = {name.casefold() for name in taken}
    names = chain([stem], (f"{stem}-{k}" for k in count(2)))
    return next(name for name in names if name.casefold() not in known)
