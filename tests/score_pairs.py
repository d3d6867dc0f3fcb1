"""Two systems by ready scores, projected on their mean."""

from __future__ import annotations

from typing import Any

from tellapart.counts import Counts
from tellapart.metrics.projection import BoundRatio, Projection, project


def scores_of(a: Any, b: Any) -> Projection:
    """Project the scores of two systems."""
    return project(Counts.from_arrays({"A": a, "B": b}))


def mean_of(projection: Projection) -> BoundRatio:
    """Give the mean that the scores are projected on."""
    bound = projection.metrics[0]
    assert isinstance(bound, BoundRatio)
    return bound
