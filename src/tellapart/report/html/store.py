"""The data of the page's script: pairs and items, packed to keep the file small."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tellapart.comparison.answers import as_reported, reported_pairs
from tellapart.comparison.details import Details
from tellapart.comparison.items import ShownItem
from tellapart.comparison.record import Comparison, Pair
from tellapart.counts.views import MARKS, Cell, ViewSection
from tellapart.words import several

BUDGET: Final = 1_000_000
"""Packed bytes that the texts of items may take; a report should pass any mail server"""
LENGTHS: Final = (5_000, 2_000, 1_000, 500, 250, 100, 0)
"""Characters that are left of texts"""
MOST_ROWS: Final = 400
"""Rows of one section of a view; the more is cut of texts, the more of rows"""
MOST_RECORDED: Final = 5_000
"""Pairs of which the page has the whole record"""


def pack(value: Any) -> str:
    """Return a value as JSON, deflated, in letters that no HTML parser can mistake.

    >>> zlib.decompress(base64.b64decode(pack({"a": "<script>"})))
    b'{"a":"<script>"}'
    """
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(plain.encode("utf-8", "replace"), 9)).decode()


def make_store(
    record: Comparison,
    details: Details,
    articles: Mapping[int, str],
    headline: int,
    whole: Comparison,
) -> dict[str, Any]:
    """Return all that the script needs; `articles` are those of pairs, by their numbers.

    `whole` is the comparison with whole names, as it is downloaded.
    """
    systems = {system.name: k for k, system in enumerate(record.systems)}
    metrics = list(record.metrics)
    scores: list[dict[str, list[float | None]]] = [{} for _ in metrics]
    detailed = {details_.number: details_ for details_ in details.pairs}
    pairs = []
    for number, pair in enumerate(record.pairs):
        shown, metric = as_reported(record, pair), metrics.index(pair.metric)
        stored: dict[str, Any] = {"a": systems[shown.a], "b": systems[shown.b], "metric": metric}
        if number in detailed:
            if record.preferences is not None and record.preferences.scale is not None:
                stored["scores"] = [both for _, *both in detailed[number].items]  # its own wins
            for place, *both in detailed[number].items:
                row = scores[metric].setdefault(str(place), [None] * len(systems))
                row[stored["a"]], row[stored["b"]] = (float(f"{score:.6g}") for score in both)
            stored["items"] = [place for place, *_ in detailed[number].items]
        pairs.append({**stored, "html": articles[number]})
    names = [system.name for system in whole.systems]
    return {
        "systems": list(systems),
        "metrics": metrics,
        "order": [list(numbered_pairs(record, metric)) for metric in metrics],
        "decimals": [info.decimals for info in record.metrics.values()],
        "higher": [info.higher_is_better for info in record.metrics.values()],
        "headline": headline,
        "units": fitting_items(details.items, names),
        "scores": scores,
        "pairs": pairs,
        "record": whole.to_json() if len(whole.pairs) <= MOST_RECORDED else None,
    }


def numbered_pairs(record: Comparison, metric: str) -> dict[int, Pair]:
    """Return the pairs of a metric as reports show them, in their order, by their numbers."""
    numbers = {frozenset((p.a, p.b)): k for k, p in enumerate(record.pairs) if p.metric == metric}
    return {numbers[frozenset((p.a, p.b))]: p for p in reported_pairs(record, metric)}


def fitting_items(
    items: Sequence[ShownItem], systems: Sequence[str] = (), budget: int = BUDGET
) -> list[list[Any]]:
    """Return items with all texts cut to the longest of some lengths that keeps within the budget.

    An item is its name, input, gold, outputs by system, labels, and what else there is to look at.

    >>> fitting_items([ShownItem("q1", input="one two", outputs=("yes", "no"))])
    [['q1', 'one two', '', ['yes', 'no'], [], None]]
    """
    sizes = [len(text) for item in items for text in (item.input, item.gold, *item.outputs)]
    written: list[list[Any]] = []
    for most in LENGTHS:
        # Prose deflates to a third of its size: far above the budget it need not be tried.
        if most and sum(min(size, most) for size in sizes) > 10 * budget:
            continue
        written = [_item(item, most, systems) for item in items]
        if len(pack(written)) <= budget:
            break
    return written


def _item(item: ShownItem, most: int, systems: Sequence[str]) -> list[Any]:
    outputs = [cut(text, most) for text in item.outputs]
    labels = [[name, cut(value, 80)] for name, value in item.labels]
    view = None if item.view is None else [_section(s, most, systems) for s in item.view.sections]
    return [item.name, cut(item.input, most), cut(item.gold, most), outputs, labels, view]


def _section(section: ViewSection, most: int, systems: Sequence[str]) -> list[Any]:
    """Return a section as the script takes it; texts are cut, and so is the number of rows."""
    room = MOST_ROWS * most // LENGTHS[0]
    rows = [
        [
            cut(row.label, most),
            _cell(row.gold, most),
            [_cell(row.outputs.get(system, ()), most) for system in systems],
        ]
        for row in section.rows[:room]
    ]
    left = len(section.rows) - len(rows)
    title = f"{section.title} ({several(left, 'more row')} left out)" if left else section.title
    return [title, int(section.stacked), rows]


def _cell(cell: Cell, most: int) -> list[Any]:
    """Return the pieces of a cell; one that nobody judged is its text alone."""
    return [
        [cut(p.text, most), MARKS.index(p.mark), p.tag] if p.mark or p.tag else cut(p.text, most)
        for p in cell
    ]


def cut(text: str, most: int) -> str:
    """Return a text cut to a length, with the number of characters that are left out.

    >>> cut("abcdefghij", 4), cut("abc", 4)
    ('abcd… (6 more characters)', 'abc')
    """
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most:,} more characters)"
