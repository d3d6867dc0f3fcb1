"""Every figure of a comparison, named as the files they become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from tellapart.comparison.details import Details, PairDetails
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.ranking import as_reported
from tellapart.comparison.record import Comparison
from tellapart.comparison.scatter import Scatter, scatters
from tellapart.errors import UsageError
from tellapart.report.display_names import display_names
from tellapart.report.figures import (
    groups,
    interval,
    item_differences,
    matrix,
    null_distribution,
    p_values,
    pareto,
    power,
    scatterplot,
    slices,
    systems,
    tasks,
    win_rates,
)
from tellapart.report.figures.picture import Picture, as_bytes, unknown_figure
from tellapart.report.figures.svg import standalone
from tellapart.report.p_values import matrices
from tellapart.words import nearest
from tellapart.writing import Content

PAIRS = "pairs"
"""The folder of the figures of single pairs"""
MOST_PAIRS = 6
"""Up to so many pairs by a metric are all drawn, whether they were asked for or not"""
_LONGEST = 48  # bytes of a name that goes into a file's name


def all_figures(
    result: Comparison, details: Details, asked: Iterable[tuple[str, str]] = ()
) -> dict[str, str]:
    """Return every figure; keys are file names without `.svg`, safe and unique.

    Of more than a few pairs, those that are `asked` for have figures of their own, or else the one
    that the verdict speaks of.
    """
    names = display_names(result)
    chosen = _drawn_pairs(result, details, asked)
    details = replace(details, pairs=tuple(chosen))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for folder, wanted, drawing in _drawings(names.applied(result), names.applied(details)):
        stem = unique_name(wanted, taken)
        svg = drawing(stem)
        if svg:
            found[f"{folder}{stem}"] = svg
    return found


def _drawn_pairs(
    result: Comparison, details: Details, asked: Iterable[tuple[str, str]]
) -> Iterator[PairDetails]:
    wanted = {frozenset(pair) for pair in asked}
    few = len(details.pairs) <= MOST_PAIRS * len(result.metrics)
    if not wanted and not few:
        a, b, _ = details.headline
        wanted = {frozenset((a, b))}
    return (own for own in details.pairs if not wanted or frozenset((own.a, own.b)) in wanted)


def figure_files(
    result: Comparison,
    details: Details,
    kind: str = "svg",
    asked: Iterable[tuple[str, str]] = (),
) -> dict[str, Content]:
    """Return every figure as a file of its own, by its name in a folder: SVG, PDF or PNG."""
    figures = all_figures(result, details, asked)
    return {f"{stem}.{kind}": _content(standalone(svg), kind) for stem, svg in figures.items()}


def _content(svg: str, kind: str) -> Content:
    """Return what is written for one figure; the bytes of each are made when it is written."""
    return svg if kind == "svg" else lambda stream: stream.write(as_bytes(svg, kind))


def figure_named(result: Comparison, name: str, metric: str | None) -> Picture:
    """Return one figure by what it shows: `systems`, `matrix`, `plane`, and so on."""
    if metric is not None and metric not in result.metrics:
        raise UsageError(f"there is no metric {metric!r}; {nearest(metric, list(result.metrics))}")
    metric = metric or next(iter(result.metrics))
    drawings = {kind: partial(draw, result, metric) for kind, draw in _OF_METRIC.items()}
    drawings["p-values"] = partial(p_values.draw, result, metric)
    analysis = result.analysis_of(metric)
    for plane in scatters(result, analysis, metric)[:1] if analysis is not None else ():
        drawings["plane"] = partial(scatterplot.draw, plane)
    svg = drawings[name](name) if name in drawings else ""
    if not svg:
        raise unknown_figure(name, [kind for kind, draw in drawings.items() if draw(kind)])
    return Picture(f"{name} by {metric}", svg)


def safe_name(words: str) -> str:
    """Return a name as part of a file's name on any system.

    >>> safe_name("my/model: v2?"), safe_name("../.."), safe_name("gpt-4 (mini)")
    ('my-model-v2', 'x', 'gpt-4-mini')
    """
    kept = "".join(c if c.isalnum() or c in "._-+" else "-" for c in words)
    parts = [part for part in kept.encode()[:_LONGEST].decode(errors="ignore").split("-") if part]
    return "-".join(parts).strip(".-") or "x"


Drawing = Callable[[str], str]
_OF_METRIC: Final = {
    "systems": systems.draw,
    "matrix": matrix.draw,
    "groups": groups.draw,
    "tasks": tasks.draw,
}
"""The figures that every metric has, if there is something to show"""


def _drawings(result: Comparison, details: Details) -> Iterator[tuple[str, str, Drawing]]:
    """Yield folder, wanted name and drawing of each figure."""
    for metric in result.metrics:
        for kind, draw in _OF_METRIC.items():
            yield "", f"{kind}-{safe_name(metric)}", partial(draw, result, metric)
    for matrix_of in matrices(result):
        name = "-".join(["p-values", *map(safe_name, matrix_of.metrics)])
        yield "", name, partial(p_values.draw, result, matrix_of.metrics[0])
    if result.preferences is not None and result.preferences.scale is not None:
        yield "", "win-rates", partial(win_rates.draw, result, result.preferences.scale)
    for k, each in enumerate(details.scatters):
        yield "", _plane_name(each) if k else "plane", partial(scatterplot.draw, each)
    if result.costs is not None:
        for quality in result.costs.quality:
            for cost in result.costs.metrics:
                name = f"pareto-{safe_name(quality)}-{safe_name(cost)}"
                yield "", name, partial(pareto.draw, result, quality, cost)
    for curve in details.power:
        yield "", f"power-{safe_name(curve.metric)}", partial(power.draw, curve)
    for own in details.pairs:
        pair = result.pairs[own.number]
        shown = as_reported(result, pair)
        for name, drawing in _of_pair(result, shown, own if shown is pair else own.mirrored()):
            yield f"{PAIRS}/", name, drawing


def _plane_name(each: Scatter) -> str:
    if each.regions:
        return "regions"
    return f"plane-{safe_name(each.x_name)}-{safe_name(each.y_name)}"


def _of_pair(
    result: Comparison, pair: PairResult, details: PairDetails
) -> Iterator[tuple[str, Drawing]]:
    names = "-".join(map(safe_name, (pair.metric, pair.a, pair.b)))
    yield f"null-{names}", partial(null_distribution.draw, result, pair, details)
    yield f"interval-{names}", partial(interval.draw, result, pair)
    yield f"ladder-{names}", partial(item_differences.draw, result, pair, details)
    for label, parts in slices.by_label(details).items():
        yield f"slices-{names}-{safe_name(label)}", partial(slices.draw, result, pair, parts)


def unique_name(stem: str, taken: set[str]) -> str:
    """Return a name that is free, numbered if need be; some file systems do not tell A from a.

    >>> taken = set()
    >>> unique_name("f1", taken), unique_name("F1", taken)
    ('f1', 'F1-2')
    """
    found, k = stem, 1
    while found.casefold() in taken:
        k += 1
        found = f"{stem}-{k}"
    taken.add(found.casefold())
    return found
