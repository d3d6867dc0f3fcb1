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

    from tellapart import stats as stats
    from tellapart.comparison.calibrate import calibrate as calibrate
    from tellapart.comparison.record import Comparison as Comparison
    from tellapart.comparison.record import Pair as Pair
    from tellapart.counts import Counts as Counts
    from tellapart.errors import DataError as DataError
    from tellapart.errors import Notice as Notice
    from tellapart.errors import TellapartError as TellapartError
    from tellapart.errors import UsageError as UsageError
    from tellapart.formats.annotation.relations import relation_counts as relation_counts
    from tellapart.formats.reading import example as example
    from tellapart.formats.reading import read as read
    from tellapart.metrics import Function as Function
    from tellapart.metrics import mean as mean
    from tellapart.metrics import metric as metric
    from tellapart.metrics import ratio as ratio
    from tellapart.metrics.runs import average_runs as average_runs
    from tellapart.metrics.text.scoring import text_counts as text_counts
    from tellapart.result import Result as Result
    from tellapart.result import compare as compare
    from tellapart.stats.sequential import Look as Look
    from tellapart.stats.sequential import Sequential as Sequential

# Imported when first used, so that the command line starts without numpy.
_NAMES = {
    "comparison.calibrate": ("calibrate",),
    "comparison.record": ("Comparison", "Pair"),
    "counts": ("Counts",),
    "errors": ("DataError", "Notice", "TellapartError", "UsageError"),
    "formats.annotation.relations": ("relation_counts",),
    "formats.reading": ("example", "read"),
    "metrics": ("Function", "mean", "metric", "ratio"),
    "metrics.runs": ("average_runs",),
    "metrics.text.scoring": ("text_counts",),
    "result": ("Result", "compare"),
    "stats.sequential": ("Look", "Sequential"),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}

__all__ = sorted((*_HOMES, "stats"))


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
