"""Scatter plots: systems by two scores, recall and precision, and the region that MUC adds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.analysis import Analysis
from tellapart.comparison.pair_record import Ends
from tellapart.comparison.record import Comparison
from tellapart.errors import UsageError
from tellapart.metrics import Metric, metric
from tellapart.metrics.projection import Bound, Projection, project
from tellapart.significance.bootstrap_tests import jackknife

RECALL, PRECISION, OVERGENERATION = "recall", "precision", "overgeneration"
MUC = frozenset({"pos", "act", "cor", "spu"})
"""Columns that only counts of templates have"""


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """A system by two scores, with the ellipse that holds them at the level of intervals.

    The ellipse is centred on the point: half axes, and the angle of the first in degrees.
    """

    system: str
    x: float
    y: float
    ellipse: tuple[float, float, float] | None = None
    region: tuple[Ends, Ends] | None = None
    """The region of performance of MUC scores: the ends of x and of y"""


@dataclass(frozen=True, slots=True)
class Scatter:
    """Systems by two scores, such as recall and precision."""

    x_name: str
    y_name: str
    points: tuple[ScatterPoint, ...]
    region: tuple[Ends, Ends] | None = None
    """The region of performance of the best system, where MUC scores tell it"""
    groups: tuple[tuple[str, ...], ...] = ()
    """Significance groups that the figure encloses"""
    metric: str | None = None
    """By which metric these systems are not shown to differ"""
    regions: bool = False
    """Whether the picture is of the regions of performance of all systems"""


def scatters(result: Comparison, analysis: Analysis, by: str | None = None) -> tuple[Scatter, ...]:
    """Return the systems by the pairs of scores that the columns allow.

    Recall and precision, enclosing the significance groups of the metric `by` (if none is named, of
    the first that is compared beside these two, or of the first of them); for MUC scores also
    recall and overgeneration, and the regions of performance of all systems. The groups of every
    other metric would make the same picture again: they have one of their own, of scores by system.
    """
    beside = [name for name in result.metrics if name not in (RECALL, PRECISION)]
    first = by or [*beside, *result.metrics][0]
    axes = _scores(analysis, (RECALL, PRECISION))
    if axes is None:
        return ()
    points = _points(analysis, axes, result.interval_level)
    found = [_scatter((RECALL, PRECISION), points, result, first)]
    over = (
        _scores(analysis, (RECALL, OVERGENERATION)) if set(analysis.counts.columns) >= MUC else None
    )
    if over is not None:
        second = _points(analysis, over, result.interval_level)
        found.append(_scatter((RECALL, OVERGENERATION), second, result, first))
    if all(point.region for point in points):
        alone = tuple(replace(point, ellipse=None) for point in points)
        found.append(Scatter(RECALL, PRECISION, alone, regions=True))
    return tuple(found)


def _scatter(
    names: tuple[str, str], points: tuple[ScatterPoint, ...], result: Comparison, by: str
) -> Scatter:
    groups = tuple(tuple(group) for group in result.groups.get(by, ()))
    sign = 1 if result.metrics[by].higher_is_better else -1
    best = max(result.systems, key=lambda each: sign * each.scores[by]).name
    region = next(point.region for point in points if point.system == best)
    return Scatter(*names, points, region, groups, by if groups else None)


def _scores(analysis: Analysis, names: Sequence[str]) -> Projection | None:
    """Return two metrics by name: as they were compared, or else as the columns define them."""
    counts = analysis.counts
    options: Mapping[str, Metric] = {b.metric.name: b.metric for b in analysis.projection.metrics}
    try:
        found = [
            options[n] if n in options else metric(n, counts.columns, items=counts.form == "items")
            for n in names
        ]
        return project(counts, found)
    except UsageError:
        return None


def _points(analysis: Analysis, axes: Projection, level: float | None) -> tuple[ScatterPoint, ...]:
    x, y = axes.metrics
    return tuple(
        ScatterPoint(
            name,
            float(axes.score(x, k)),
            float(axes.score(y, k)),
            None if level is None else _ellipse(axes, x, y, k, level),
            _region(analysis, name, (x.metric.name, y.metric.name)),
        )
        for k, name in enumerate(analysis.counts.names)
    )


def _region(analysis: Analysis, system: str, names: tuple[str, str]) -> tuple[Ends, Ends] | None:
    spans = analysis.counts.regions.get(system, {})
    return (spans[names[0]], spans[names[1]]) if set(names) <= spans.keys() else None


def _ellipse(
    axes: Projection, x: Bound, y: Bound, system: int, level: float
) -> tuple[float, float, float] | None:
    """Return the half axes and the angle of the ellipse that holds two scores together."""
    rows = np.stack([jackknife(axes, bound, system) for bound in (x, y)])
    if axes.counts.present is not None:
        rows = rows[:, axes.counts.present[system]]
    n = rows.shape[1]
    if n < 3:
        return None
    spread = rows - rows.mean(axis=1, keepdims=True)
    return ellipse((n - 1) / n * (spread @ spread.T), n, level)


def ellipse(covariance: NDArray[np.float64], n: int, level: float) -> tuple[float, float, float]:
    """Return half axes and angle (degrees) of the confidence ellipse of two means of n items.

    By Hotelling's T², of which the quantile has a closed form in two dimensions.

    >>> ellipse(np.diag([0.04, 0.01]), 10**9, 0.95)
    (0.489549, 0.244775, 0.0)
    """
    reach = math.sqrt((n - 1) * math.expm1(-2 / (n - 2) * math.log(1 - level)))
    (xx, xy), (_, yy) = covariance.tolist()
    middle, half = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
    angle = math.degrees(math.atan2(2 * xy, xx - yy)) / 2
    axes = (reach * math.sqrt(max(value, 0.0)) for value in (middle + half, middle - half))
    long, short = (round(axis, 6) for axis in axes)
    return long, short, round(angle, 3) + 0.0
