"""The pictures of the 1992 study: matrices, groups, and the plane of recall and precision."""

from __future__ import annotations

from collections.abc import Iterator

from studies.muc4.runs import METRICS, Runs
from tellapart.comparison.details import Mark, Plane
from tellapart.report.figures import groups, matrix, scatterplot
from tellapart.report.figures.svg import standalone


def drawings(runs: Runs) -> dict[str, str]:
    """Draw everything, as SVG by the name of its file."""
    return {name: standalone(picture) for name, picture in _pictures(runs)}


def _pictures(runs: Runs) -> Iterator[tuple[str, str]]:
    for kind, result in (("shuffles", runs.shuffled), ("exact", runs.exact)):
        for metric in METRICS:
            yield f"matrix-{metric}-{kind}.svg", matrix.draw(result, metric, "matrix")
            yield f"groups-{metric}-{kind}.svg", groups.draw(result, metric, "groups")
    marks = tuple(
        Mark(system.name, system.scores["recall"], system.scores["precision"])
        for system in runs.exact.systems
    )
    alike = tuple(tuple(group) for group in runs.exact.groups["f1"])
    scatter = Plane("recall", "precision", marks, groups=alike, metric="f1")
    yield "recall-precision.svg", scatterplot.draw(scatter, "plane")
