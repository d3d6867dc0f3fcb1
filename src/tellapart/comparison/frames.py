"""The record of a comparison as data frames: a row for each system, or for each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison

LIBRARIES: Final = ("pandas", "polars", "pyarrow")
"""The first that is installed makes a frame, unless one is named"""


def systems_frame(result: Comparison, library: str | None = None) -> Any:
    """Return a row for each system and metric."""
    rows = [
        {
            "system": system.name,
            "metric": metric,
            "score": system.scores[metric],
            "low": (ends := system.intervals.get(metric, (None, None)))[0],
            "high": ends[1],
            "letters": result.letters.get(metric, {}).get(system.name),
            "best_rank": (places := result.ranks.get(metric, {}).get(system.name, (None, None)))[0],
            "worst_rank": places[1],
        }
        for metric in result.metrics
        for system in result.systems
    ]
    return _frame(rows, library)


def pairs_frame(result: Comparison, library: str | None = None) -> Any:
    """Return a row for each pair and metric, in the order of the record."""
    rows = [
        {
            "metric": pair.metric,
            "a": pair.a,
            "b": pair.b,
            "difference": pair.difference,
            "low": (pair.interval or (None, None))[0],
            "high": (pair.interval or (None, None))[1],
            "interval_for": pair.interval_for,
            "interval_level": pair.interval_level,
            "p": pair.p,
            "p_adjusted": pair.p_adjusted,
            "different": pair.different,
            "won": pair.units_a_better,
            "tied": pair.units_tied,
            "lost": pair.units_b_better,
            "method": pair.method,
        }
        for pair in result.pairs
    ]
    return _frame(rows, library)


def _frame(rows: Sequence[Mapping[str, Any]], library: str | None) -> Any:
    """Return rows as a frame of a library, by its name; columns without any value are left out."""
    if library is None:
        library = next((name for name in LIBRARIES if find_spec(name)), None)
    if library is None:
        raise UsageError(f"a frame needs one of {', '.join(LIBRARIES)}: pip install pandas")
    if library not in LIBRARIES:
        raise UsageError(f"frames are of {', '.join(LIBRARIES)}, not {library!r}")
    if find_spec(library) is None:
        raise UsageError(f"{library} is not installed: pip install {library}")
    import narwhals as nw

    columns = {name: [row[name] for row in rows] for name in rows[0]}
    told = {k: cells for k, cells in columns.items() if any(cell is not None for cell in cells)}
    backend = nw.Implementation.from_string(library)
    return nw.from_dict(told, backend=backend).to_native()  # type: ignore[arg-type]
