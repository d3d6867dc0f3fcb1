"""Metrics: values that turn summed columns into scores, found by name."""

from tellapart.metrics.kinds import (
    UNITS,
    Function,
    Metric,
    Ratio,
    UnitFunction,
    Weights,
    mean,
    ratio,
)
from tellapart.metrics.registry import counts_errors, default_metrics, metric, names

__all__ = [
    "UNITS",
    "Function",
    "Metric",
    "Ratio",
    "UnitFunction",
    "Weights",
    "counts_errors",
    "default_metrics",
    "mean",
    "metric",
    "names",
    "ratio",
]
