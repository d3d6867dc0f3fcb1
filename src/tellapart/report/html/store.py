"""The data of the HTML report's script: all pairs and items, packed to keep the file small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tellapart.comparison.details import Details
from tellapart.comparison.ranking import as_reported
from tellapart.comparison.record import Comparison
from tellapart.report import tables
from tellapart.report.html.items import fitting_items, foremost
from tellapart.report.html.views import numbered_pairs, short_systems


def make_store(
    result: Comparison, details: Details, fragments: Sequence[str], headline: int
) -> dict[str, Any]:
    """Return all that the script needs; `fragments` are the pairs' articles, in order."""
    systems = [system.name for system in result.systems]
    metrics = list(result.metrics)
    scores: dict[str, dict[int, list[float | None]]] = {metric: {} for metric in metrics}
    pairs = []
    for fragment, pair in zip(fragments, details.pairs, strict=True):
        a, b = systems.index(pair.a), systems.index(pair.b)
        for item in pair.items:
            of_item = scores[pair.metric].setdefault(item.position, [None] * len(systems))
            of_item[a], of_item[b] = _short(item.a), _short(item.b)
        shown = as_reported(result, result.pair(pair.a, pair.b, pair.metric))
        pairs.append(
            {
                "a": systems.index(shown.a),
                "b": systems.index(shown.b),
                "metric": metrics.index(pair.metric),
                "items": [item.position for item in pair.items],
                "html": fragment,
            }
        )
    return {
        "systems": systems,
        "short": list(short_systems(result).values()),
        "metrics": metrics,
        "order": [[k for k, _ in numbered_pairs(result, metric)] for metric in metrics],
        "higher": [bool(result.metrics[metric].higher_is_better) for metric in metrics],
        "headline": headline,
        "units": fitting_items(details.items, foremost(details)),
        "scores": [_keyed(scores[metric]) for metric in metrics],
        "pairs": pairs,
        "downloads": {
            "json": result.to_json(),
            "tsv": tables.tsv(result),
            "latex": tables.latex(result),
        },
    }


def _keyed(scores: Mapping[int, list[float | None]]) -> dict[str, list[float | None]]:
    return {str(item): row for item, row in scores.items()}


def _short(value: float) -> float:
    return float(f"{value:.6g}")
