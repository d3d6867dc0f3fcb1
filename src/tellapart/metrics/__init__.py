"""Metrics: values that turn summed columns into scores, found by name."""

from tellapart.metrics.registry import (
    ITEMS,
    Function,
    Metric,
    Ratio,
    Weights,
    counts_errors,
    default_metrics,
    mean,
    metric,
    names,
    ratio,
)

__all__ = [
    "ITEMS",
    "Function",
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
