"""The items of the HTML report: what its script is given of them, and those without script.

The page holds the data of its script as deflated JSON in letters (`pack`).
"""

from __future__ import annotations

import base64
import json
import shlex
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tellapart.comparison.details import Details, PairDetails
from tellapart.comparison.items import ShownItem
from tellapart.comparison.record import Comparison
from tellapart.counts.views import MARKS, Cell, Piece, ViewSection, against, comparable
from tellapart.words import several


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


BUDGET: Final = 1_000_000
"""Packed bytes that the texts of items may take; a report should pass any mail server"""
LENGTHS: Final = (5_000, 2_000, 1_000, 500, 250)
MOST_ROWS: Final = 400
"""Rows of one section of a view; the more is cut of texts, the more of rows"""
LEFT_OUT: Final = "(texts left out, to keep this file small)"
_STATIC = 1_000  # characters of a text without script


def fitting_items(
    items: Sequence[ShownItem],
    first: Sequence[int] = (),
    budget: int = BUDGET,
    systems: Sequence[str] = (),
) -> list[list[Any]]:
    """Return items with their texts cut so that they take no more than the budget.

    An item is its name, input, gold, outputs by system, labels, and what else there is to look at.

    All are cut to one length; where that would be too short to be read, only the items that come
    `first` keep their texts, and the others say that theirs were left out.

    >>> fitting_items([ShownItem("q1", input="one two", outputs=("yes", "no"))])
    [['q1', 'one two', '', ['yes', 'no'], [], None]]
    """
    sizes = [len(text) for item in items for text in (item.input, item.gold, *item.outputs)]
    for most in LENGTHS:
        # Prose deflates to a third of its size: far above the budget it need not be tried.
        if most > LENGTHS[-1] and sum(min(size, most) for size in sizes) > 10 * budget:
            continue
        found = [_item(item, most, systems) for item in items]
        share = budget / len(pack(found))
        if share >= 1:
            return found
    without: list[list[Any]] = [[item.name, LEFT_OUT, "", [], [], None] for item in items]
    while share > 0.001:
        share *= 0.9
        kept = set(first[: int(len(items) * share)])
        mixed = [(found if k in kept else without)[k] for k in range(len(items))]
        if len(pack(mixed)) <= budget:
            return mixed
    return without


def foremost(details: Details) -> list[int]:
    """Return the items in the order of their best place among the items of any pair."""
    best: dict[int, int] = {}
    for pair in details.pairs:
        for place, item in enumerate(pair.items):
            best[item.position] = min(place, best.get(item.position, place))
    return sorted(best, key=best.__getitem__)


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


def differing_line(result: Comparison, own: PairDetails) -> str:
    """Return how many items differ, how many of them are in the report, and where the rest is."""
    kind = result.units.kind
    total = several(own.differing, kind)
    if own.differing > len(own.items):
        return (
            f"{total} differ; the {len(own.items)} that contribute most to the difference are "
            f"here, and {own.differing - len(own.items):,} are left out. For all of them: "
            f"tellapart diff {shlex.join((own.a, own.b))} FILES --most 0."
        )
    return f"{total} {'differs' if own.differing == 1 else 'differ'}."


def static_rows(
    result: Comparison, details: Details, own: PairDetails, most: int, shorts: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the items that are there without script: those that contribute most."""
    names = [system.name for system in result.systems]
    a, b = names.index(own.a), names.index(own.b)
    for item in own.items[:most]:
        shown = details.items[item.position]
        gold = cut(shown.gold, _STATIC)
        outputs = [cut(shown.outputs[k], _STATIC) for k in (a, b)] if shown.outputs else []
        texts: list[tuple[str, Cell]] = [("input", (Piece(cut(shown.input, _STATIC)),))]
        texts.append(("gold", (Piece(gold),)))
        judged = comparable(gold, outputs) and shown.view is None
        texts += [
            (name, against(text, gold) if judged else (Piece(text),))
            for name, text in zip((own.a, own.b), outputs, strict=False)
        ]
        view = None if shown.view is None else shown.view.of_systems((own.a, own.b))
        yield {
            "name": shown.name,
            "words": f"{shorts[own.a]} {_score(item.a)}, {shorts[own.b]} {_score(item.b)}",
            "labels": ", ".join(f"{name} = {cut(value, 80)}" for name, value in shown.labels),
            "texts": [(name, cell) for name, cell in texts if any(p.text for p in cell)],
            "sections": [] if view is None else [_static_section(s, own) for s in view.sections],
        }


def _static_section(section: ViewSection, own: PairDetails) -> dict[str, Any]:
    with_gold = any(row.gold for row in section.rows)
    systems = (own.a, own.b)
    return {
        "title": section.title,
        "stacked": section.stacked,
        "heads": [*(["gold"] if with_gold else []), *systems],
        "rows": [
            (row.label, [*([row.gold] if with_gold else []), *map(row.outputs.get, systems)])
            for row in section.rows
        ],
    }


def _score(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def cut(text: str, most: int) -> str:
    """Return a text cut to a length, with the number of characters that are left out.

    >>> cut("abcdefghij", 4), cut("abc", 4)
    ('abcd… (6 more characters)', 'abc')
    """
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most:,} more characters)"
