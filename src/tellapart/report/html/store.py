"""The data of the HTML report's script: all pairs and items, packed to keep the file small."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tellapart.comparison.details import Details
from tellapart.comparison.items import ShownItem
from tellapart.comparison.ranking import as_reported
from tellapart.comparison.record import Comparison
from tellapart.report import tables
from tellapart.report.html.views import cut, numbered_pairs, short_systems

BUDGET: Final = 1_000_000
"""Packed bytes that the texts of items may take; a report should pass any mail server"""
LENGTHS: Final = (5_000, 2_000, 1_000, 500, 250)
LEFT_OUT: Final = "(texts left out, to keep this file small)"


def pack(value: Any) -> str:
    """Return a value as JSON, deflated, in letters that no HTML parser can mistake.

    >>> unpack(pack({"a": "<script>"}))
    {'a': '<script>'}
    """
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(plain.encode("utf-8", "replace"), 9)).decode()


def unpack(text: str) -> Any:
    """Return the value that `pack` wrote."""
    return json.loads(zlib.decompress(base64.b64decode(text)))


def fitting_items(
    items: Sequence[ShownItem], first: Sequence[int] = (), budget: int = BUDGET
) -> list[list[Any]]:
    """Return items with their texts cut so that they take no more than the budget.

    All are cut to one length; where that would be too short to be read, only the items that come
    `first` keep their texts, and the others say that theirs were left out.

    >>> fitting_items([ShownItem("q1", input="one two", outputs=("yes", "no"))])
    [['q1', 'one two', '', ['yes', 'no'], []]]
    """
    sizes = [len(text) for item in items for text in (item.input, item.gold, *item.outputs)]
    for most in LENGTHS:
        # Prose deflates to a third of its size: far above the budget it need not be tried.
        if most > LENGTHS[-1] and sum(min(size, most) for size in sizes) > 10 * budget:
            continue
        found = [_item(item, most) for item in items]
        share = budget / len(pack(found))
        if share >= 1:
            return found
    without = [[item.name, LEFT_OUT, "", [], []] for item in items]
    while share > 0.001:
        share *= 0.9
        kept = set(first[: int(len(items) * share)])
        mixed = [(found if k in kept else without)[k] for k in range(len(items))]
        if len(pack(mixed)) <= budget:
            return mixed
    return without


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
        "units": fitting_items(details.items, _foremost(details)),
        "scores": [_keyed(scores[metric]) for metric in metrics],
        "pairs": pairs,
        "downloads": {
            "json": result.to_json(),
            "tsv": tables.tsv(result),
            "latex": tables.latex(result),
        },
    }


def _foremost(details: Details) -> list[int]:
    """Return the items in the order of their best place among the items of any pair."""
    best: dict[int, int] = {}
    for pair in details.pairs:
        for place, item in enumerate(pair.items):
            best[item.position] = min(place, best.get(item.position, place))
    return sorted(best, key=best.__getitem__)


def _item(item: ShownItem, most: int) -> list[Any]:
    outputs = [cut(text, most) for text in item.outputs]
    labels = [[name, cut(value, 80)] for name, value in item.labels]
    return [item.name, cut(item.input, most), cut(item.gold, most), outputs, labels]


def _keyed(scores: Mapping[int, list[float | None]]) -> dict[str, list[float | None]]:
    return {str(item): row for item, row in scores.items()}


def _short(value: float) -> float:
    return float(f"{value:.6g}")
