"""The items of the HTML report: what its script is given of them, and those without script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from tellapart.comparison.details import Details, PairDetails
from tellapart.comparison.items import ItemDifference, ShownItem
from tellapart.comparison.record import Comparison
from tellapart.report.html.packing import pack
from tellapart.words import several

BUDGET: Final = 1_000_000
"""Packed bytes that the texts of items may take; a report should pass any mail server"""
LENGTHS: Final = (5_000, 2_000, 1_000, 500, 250)
LEFT_OUT: Final = "(texts left out, to keep this file small)"


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


def foremost(details: Details) -> list[int]:
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


def differing_line(result: Comparison, own: PairDetails) -> str:
    """Return how many items differ, and how many of them are in the report."""
    kind = result.units.kind
    total = several(own.differing, kind)
    if own.differing > len(own.items):
        return f"{total} differ; the {len(own.items)} that differ most are here."
    return f"{total} {'differs' if own.differing == 1 else 'differ'}."


def static_rows(
    result: Comparison, details: Details, own: PairDetails, most: int, shorts: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the items that are there without script: those that contribute most."""
    names = [system.name for system in result.systems]
    a, b = names.index(own.a), names.index(own.b)
    for item in own.items[:most]:
        shown = details.items[item.position]
        texts = []
        for head, text in (("asked", shown.input), ("gold", shown.gold)):
            if text:
                texts.append((head, [(False, cut(text, 1_000))]))
        if shown.outputs:
            one, two = (cut(shown.outputs[k], 1_000) for k in (a, b))
            texts += [(own.a, marked(one, two)), (own.b, marked(two, one))]
        yield {
            "name": shown.name,
            "words": _item_words(shorts[own.a], shorts[own.b], item),
            "labels": ", ".join(f"{name} = {cut(value, 80)}" for name, value in shown.labels),
            "texts": texts,
        }


def _item_words(a: str, b: str, item: ItemDifference) -> str:
    return f"{a} {_score(item.a)}, {b} {_score(item.b)}"


def _score(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


MOST_WORDS: Final = 400  # comparing longer texts word by word takes too long
Piece = tuple[bool, str]


def cut(text: str, most: int) -> str:
    """Return a text cut to a length, with the number of characters that are left out.

    >>> cut("abcdefghij", 4), cut("abc", 4)
    ('abcd… (6 more characters)', 'abc')
    """
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most:,} more characters)"


def marked(text: str, other: str) -> list[Piece]:
    """Return the pieces of a text: those that another text lacks are marked True.

    >>> marked("the red cat", "the cat")
    [(False, 'the'), (True, ' red'), (False, ' cat')]
    """
    ours, theirs = _words(text), _words(other)
    if not other or text == other or max(len(ours), len(theirs)) > MOST_WORDS:
        return [(False, text)]
    return list(_pieces(ours, theirs))


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+|\s+$", text)


def _pieces(ours: list[str], theirs: list[str]) -> Iterator[Piece]:
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if end > start:
            yield tag != "equal", "".join(ours[start:end])
