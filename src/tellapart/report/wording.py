"""The words that every report has for the parts of a comparison: items, levels, corrections."""

from __future__ import annotations

from tellapart.comparison.record import Comparison
from tellapart.words import several


def item_kind(result: Comparison) -> str:
    """Return the word for what is exchanged: the items, or their clusters."""
    kind: str = (result.units["clusters"] or result.units)["kind"]
    return kind


def items_line(result: Comparison) -> str:
    """Say on how much the systems were compared."""
    items = several(result.units["count"], result.units["kind"])
    clusters = result.units["clusters"]
    if clusters is None:
        return items
    return f"{items} in {several(clusters['count'], clusters['kind'])}"


def level_words(result: Comparison) -> str:
    """Name the intervals: `95 % interval`."""
    return f"{100 * (result.interval_level or 1 - result.alpha):g} % interval"


def interval_head(result: Comparison) -> str:
    """Name the column of intervals; nothing where there are none."""
    return level_words(result) if result.interval_level is not None else ""


def is_corrected(result: Comparison) -> bool:
    """Return whether p-values are corrected for the number of pairs."""
    return result.correction != "none" and bool(result.family["size"] > 1)


def p_name(result: Comparison) -> str:
    """Return what the p-value that decides is called."""
    return "adjusted p" if is_corrected(result) else "p"


def family_words(result: Comparison) -> str:
    """Say what a correction counts: the pairs of one metric, or the tests of all."""
    every = result.family["kind"] == "all" and len(result.metrics) > 1
    return f"{result.family['size']:,} {'tests' if every else 'pairs'}"
