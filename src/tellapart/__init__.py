"""Scores language systems against gold answers and tells whether one is really better.

>>> import tellapart as ta
>>> counts = ta.example("muc4").systems["GE", "UMASS"]
>>> result = ta.compare(counts, metrics=["f1"], alpha=0.10)
>>> round(result.pair("GE", "UMASS", "f1").p, 6)
0.098674
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tellapart.bundling import bundle
    from tellapart.comparing import compare
    from tellapart.comparison import Comparison, PairResult
    from tellapart.counts import Counts
    from tellapart.errors import DataError, TellapartError, UsageError
    from tellapart.examples import example
    from tellapart.metrics import Function, UnitFunction, mean, metric, ratio
    from tellapart.notices import Notice
    from tellapart.scorers.reading import read
    from tellapart.scorers.translation.reader import read_text
    from tellapart.scorers.translation.relations import item_counts
    from tellapart.scorers.translation.scoring import text_counts
    from tellapart.significance.responses import (
        ResponseCounts,
        count_responses,
        linked_units,
        response_test,
    )
    from tellapart.significance.runs import crossed_bootstrap, relabel_runs
    from tellapart.studies.calibration import calibrate

# Imported when first used, so that the command line starts without numpy.
_HOMES = {
    "Comparison": "comparison",
    "Counts": "counts",
    "DataError": "errors",
    "Function": "metrics",
    "Notice": "notices",
    "PairResult": "comparison",
    "ResponseCounts": "significance.responses",
    "TellapartError": "errors",
    "UnitFunction": "metrics",
    "UsageError": "errors",
    "bundle": "bundling",
    "calibrate": "studies.calibration",
    "compare": "comparing",
    "count_responses": "significance.responses",
    "crossed_bootstrap": "significance.runs",
    "example": "examples",
    "item_counts": "scorers.translation.relations",
    "linked_units": "significance.responses",
    "mean": "metrics",
    "metric": "metrics",
    "ratio": "metrics",
    "read": "scorers.reading",
    "read_text": "scorers.translation.reader",
    "relabel_runs": "significance.runs",
    "response_test": "significance.responses",
    "text_counts": "scorers.translation.scoring",
}

__all__ = [
    "Comparison",
    "Counts",
    "DataError",
    "Function",
    "Notice",
    "PairResult",
    "ResponseCounts",
    "TellapartError",
    "UnitFunction",
    "UsageError",
    "bundle",
    "calibrate",
    "compare",
    "count_responses",
    "crossed_bootstrap",
    "example",
    "item_counts",
    "linked_units",
    "mean",
    "metric",
    "ratio",
    "read",
    "read_text",
    "relabel_runs",
    "response_test",
    "text_counts",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tellapart' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"tellapart.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
