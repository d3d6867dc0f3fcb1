"""Scores language systems against gold answers and tells whether one is really better.

>>> import tellapart as ta
>>> counts = ta.example("muc4").systems["GE", "UMASS"]
>>> result = ta.compare(counts, metrics=["f1"], alpha=0.10)
>>> round(result.pair("GE", "UMASS", "f1").p, 6)
0.093411
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # typing takes longer to load than all that is here
if TYPE_CHECKING:
    from typing import Any

    from tellapart import stats
    from tellapart.comparison.calibrate import calibrate
    from tellapart.comparison.record import Comparison, Pair
    from tellapart.counts import Counts
    from tellapart.errors import DataError, Notice, TellapartError, UsageError
    from tellapart.formats.annotation.relations import relation_counts
    from tellapart.formats.judged import read_judged
    from tellapart.formats.reading import example, read
    from tellapart.metrics import Function, ItemFunction, mean, metric, ratio
    from tellapart.metrics.runs import average_runs
    from tellapart.metrics.text.scoring import text_counts
    from tellapart.result import Result, compare
    from tellapart.stats.responses import ResponseCounts, response_test
    from tellapart.stats.sequential import Look, Sequential

# Imported when first used, so that the command line starts without numpy.
_HOMES = {
    "Comparison": "comparison.record",
    "Counts": "counts",
    "DataError": "errors",
    "Function": "metrics",
    "ItemFunction": "metrics",
    "Look": "stats.sequential",
    "Notice": "errors",
    "Pair": "comparison.record",
    "ResponseCounts": "stats.responses",
    "Result": "result",
    "Sequential": "stats.sequential",
    "TellapartError": "errors",
    "UsageError": "errors",
    "average_runs": "metrics.runs",
    "calibrate": "comparison.calibrate",
    "compare": "result",
    "example": "formats.reading",
    "mean": "metrics",
    "metric": "metrics",
    "ratio": "metrics",
    "read": "formats.reading",
    "read_judged": "formats.judged",
    "relation_counts": "formats.annotation.relations",
    "response_test": "stats.responses",
    "text_counts": "metrics.text.scoring",
}

__all__ = [
    "Comparison",
    "Counts",
    "DataError",
    "Function",
    "ItemFunction",
    "Look",
    "Notice",
    "Pair",
    "ResponseCounts",
    "Result",
    "Sequential",
    "TellapartError",
    "UsageError",
    "average_runs",
    "calibrate",
    "compare",
    "example",
    "mean",
    "metric",
    "ratio",
    "read",
    "read_judged",
    "relation_counts",
    "response_test",
    "stats",
    "text_counts",
]


def __getattr__(name: str) -> Any:
    if name == "stats":
        return importlib.import_module("tellapart.stats")
    if name not in _HOMES:
        raise AttributeError(f"module 'tellapart' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"tellapart.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
