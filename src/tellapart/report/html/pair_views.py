"""What the page shows of one pair: figures, slices, and the items that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from tellapart.comparison.details import Details, ItemDifference, PairDetails
from tellapart.comparison.record import Comparison, PairResult, Slice
from tellapart.report.figures import interval, ladder, null, slices
from tellapart.report.figures.pieces import ends_words, item_kind
from tellapart.report.html.texts import cut, marked
from tellapart.report.html.views import drawing, interval_head, is_adjusted, pair_row, short_systems
from tellapart.report.numbers import p_text, signed
from tellapart.report.paper import for_paper
from tellapart.report.verdict import shown_first
from tellapart.words import plural, several

STATIC_ITEMS: Final = 20
"""Items of a pair that are there without script"""
MOST_PICTURED: Final = 100


def pair_view(
    result: Comparison, details: Details, number: int, static_items: int
) -> dict[str, Any]:
    """Gather what the page shows of one pair, its better system first."""
    pair, behind = result.pairs[number], details.pairs[number]
    shown = shown_first(result, pair)
    if shown is not pair:
        behind = behind.mirrored()
    name = f"p{number}"
    # Of hundreds of pairs only those that are there without script have pictures of their slices.
    pictured = static_items > 0 or len(result.pairs) <= MOST_PICTURED
    shorts = short_systems(result)
    row = pair_row(result, number, shown, shorts)
    with_null = behind.null is not None
    items = list(_items(result, details, behind, static_items, shorts))
    return {
        **row,
        "a": shown.a,
        "b": shown.b,
        "metric": pair.metric,
        "by_metric": len(result.metrics) > 1,
        "is_adjusted": is_adjusted(result),
        "exact": pair.method in ("exact", "enumeration"),
        "interval": f"{interval_head(result)} {row['interval']}" if row["interval"] else "",
        "for_paper": for_paper(result, pair.metric, pair),
        "null_figure": drawing(null.draw(result, shown, behind, f"{name}-null")),
        "null_caption": null.sentence(result, shown, behind) if with_null else "",
        "interval_figure": drawing(interval.draw(result, shown, f"{name}-interval")),
        "interval_caption": interval.sentence(result, shown),
        "ladder_figure": drawing(ladder.draw(result, shown, behind, f"{name}-ladder")),
        "ladder_caption": ladder.sentence(result, shown, behind),
        "slices": [
            _slices_view(result, shown, parts, f"{name}-slices-{k}" if pictured else None)
            for k, parts in enumerate(slices.by_label(behind).values())
        ],
        "shown_items": items if behind.differing else None,
        "items_line": items_line(result, behind),
    }


def items_line(result: Comparison, behind: PairDetails) -> str:
    """Say how many items differ, and how many of them are in the report."""
    kind = result.units["kind"]
    total = several(behind.differing, kind)
    if behind.differing > len(behind.items):
        return f"{total} differ; the {len(behind.items)} that differ most are here."
    return f"{total} {'differs' if behind.differing == 1 else 'differ'}."


def _slices_view(
    result: Comparison, shown: PairResult, parts: Sequence[Slice], name: str | None
) -> dict[str, Any]:
    """Gather the slices by one label: a figure, and the same as a table."""
    clustered = any(part.clusters is not None for part in parts)
    return {
        "by": parts[0].by,
        "figure": drawing(slices.draw(result, shown, parts, name) if name else ""),
        "caption": slices.how(result, parts),
        "units": plural(result.units["kind"]),
        "clusters": plural(item_kind(result)) if clustered else "",
        "interval": interval_head(result),
        "rows": [
            {
                "value": part.value,
                "difference": signed(part.difference),
                "interval": ends_words(part.interval),
                "units": f"{part.units:,}",
                "clusters": f"{part.clusters or 0:,}",
                "p": p_text(part.p, result.alpha),
                "adjusted": p_text(part.p_adjusted, result.alpha),
                "mark": " *" if part.different else "",
            }
            for part in parts
        ],
    }


def _items(
    result: Comparison, details: Details, behind: PairDetails, most: int, shorts: dict[str, str]
) -> Iterator[dict[str, Any]]:
    names = [system.name for system in result.systems]
    a, b = names.index(behind.a), names.index(behind.b)
    for item in behind.items[:most]:
        shown = details.items[item.item]
        texts = []
        for head, text in (("asked", shown.input), ("gold", shown.gold)):
            if text:
                texts.append((head, [(False, cut(text, 1_000))]))
        if shown.outputs:
            one, two = (cut(shown.outputs[k], 1_000) for k in (a, b))
            texts += [(behind.a, marked(one, two)), (behind.b, marked(two, one))]
        yield {
            "name": shown.name,
            "words": _words(shorts[behind.a], shorts[behind.b], item),
            "labels": ", ".join(f"{name} = {cut(value, 80)}" for name, value in shown.labels),
            "texts": texts,
        }


def _words(a: str, b: str, item: ItemDifference) -> str:
    return f"{a} {_score(item.a)}, {b} {_score(item.b)}"


def _score(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
