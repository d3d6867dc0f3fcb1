"""Metrics: values that turn summed columns into scores, found by name."""

from tellapart.metrics.kinds import (
    ITEMS,
    Function,
    ItemFunction,
    Metric,
    Ratio,
    Weights,
    mean,
    ratio,
)
from tellapart.metrics.registry import counts_errors, default_metrics, metric, names

__all__ = [
    "ITEMS",
    "Function",
    "ItemFunction",
    "Metric",
    "Ratio",
    "Weights",
    "counts_errors",
    "default_metrics",
    "mean",
    "metric",
    "names",
    "ratio",
]
