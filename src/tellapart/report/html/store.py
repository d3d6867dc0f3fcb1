"""The data of the HTML report's script: all pairs and items, packed to keep the file small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tellapart.comparison.details import Details
from tellapart.comparison.ranking import as_reported, has_every_pair
from tellapart.comparison.record import Comparison
from tellapart.report import tables
from tellapart.report.html.items import fitting_items, foremost
from tellapart.report.html.views import numbered_pairs, pair_row, short_systems
from tellapart.report.latex import latex_pairs

ROW: Final = ("difference", "interval", "won", "tied", "lost", "p", "adjusted", "mark")
"""What is stored of every pair where not all are shown in detail"""
MOST_RECORDED: Final = 5_000
"""Pairs of which the page has the whole record"""


def make_store(
    result: Comparison,
    details: Details,
    fragments: Mapping[int, str],
    headline: int,
    whole: Comparison,
) -> dict[str, Any]:
    """Return all that the script needs; `fragments` are articles by the numbers of their pairs.

    `whole` is the comparison with whole names, as it is downloaded.
    """
    systems = {system.name: k for k, system in enumerate(result.systems)}
    metrics = list(result.metrics)
    shorts = short_systems(result)
    scores: dict[str, dict[int, list[float | None]]] = {metric: {} for metric in metrics}
    detailed = {own.number: own for own in details.pairs}
    pairs = []
    for number, pair in enumerate(result.pairs):
        shown = as_reported(result, pair)
        stored: dict[str, Any] = {
            "a": systems[shown.a],
            "b": systems[shown.b],
            "metric": metrics.index(pair.metric),
        }
        if len(detailed) < len(result.pairs):
            row = pair_row(result, number, shown, shorts)
            stored["row"] = [str(row[column]) for column in ROW]
        own = detailed.get(number)
        if own is not None:
            a, b = systems[own.a], systems[own.b]
            for item in own.items:
                of_item = scores[own.metric].setdefault(item.position, [None] * len(systems))
                of_item[a], of_item[b] = _rounded(item.a), _rounded(item.b)
            stored["items"] = [item.position for item in own.items]
            stored["html"] = fragments[number]
        pairs.append(stored)
    return {
        "systems": list(systems),
        "whole": [system.name for system in whole.systems],
        "short": list(shorts.values()),
        "metrics": metrics,
        "order": [[k for k, _ in numbered_pairs(result, metric)] for metric in metrics],
        "higher": [bool(result.metrics[metric].higher_is_better) for metric in metrics],
        "headline": headline,
        "units": fitting_items(details.items, foremost(details), systems=list(systems)),
        "scores": [_keyed(scores[metric]) for metric in metrics],
        "pairs": pairs,
        "downloads": _downloads(whole),
    }


def _downloads(result: Comparison) -> dict[str, str]:
    """Return what can be saved from the page; of very many pairs, the table alone."""
    found = {"tsv": tables.tsv(result)}
    if len(result.pairs) <= MOST_RECORDED and has_every_pair(result):
        found |= {"json": result.to_json(), "latex": latex_pairs(result)}
    return found


def _keyed(scores: Mapping[int, list[float | None]]) -> dict[str, list[float | None]]:
    return {str(item): row for item, row in scores.items()}


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
