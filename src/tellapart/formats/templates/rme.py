"""CEAF-RME: templates matched one to one by what they share in entities (Chen et al. 2023, IterX).

A mention is its type, role and text: with a wrong type all that fills a template is lost, and a
template without fills earns nothing. Three ways to score a pair of templates go by one name in the
literature:

* `phi3`, the released code: mentions that matched entities share, entities one to one;
* `phi3-entity`, what the published MUC-4 files hold: predicted entities of which a mention is in a
  gold entity that no earlier one took;
* `subset`: the same, but several may share a gold entity, which recall then counts once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from tellapart.formats.templates.families import Family, Row, f1_metrics
from tellapart.formats.templates.layouts import TEMPLATES
from tellapart.formats.templates.model import Document, Entities, Template, entities_of
from tellapart.formats.templates.pairing import assign, largest_sum
from tellapart.formats.templates.values import mentions

COLUMNS: Final = ("p_num", "p_den", "r_num", "r_den")
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Pair:
    """What two templates share, as precision counts it and as recall does."""

    found: int = 0
    hit: int = 0


_NOTHING: Final = Pair()


class _Measure(Protocol):
    def __call__(self, gold: dict[str, Entities], predicted: dict[str, Entities]) -> Pair:
        """Return what two templates of one type share, given what fills their roles."""


def shared_mentions(gold: dict[str, Entities], predicted: dict[str, Entities]) -> Pair:
    """Return the mentions that two templates share, their entities matched one to one."""
    shared = 0
    for given, wanted in _filled_in_both(gold, predicted):
        shared += int(
            largest_sum(
                [[sum(t in g for t in texts) for texts in given.names] for g in wanted.sets]
            )
        )
    return Pair(shared, shared)


def shared_entities(
    gold: dict[str, Entities], predicted: dict[str, Entities], *, once: bool
) -> Pair:
    """Return how many predicted entities are in gold, and how many gold ones they are.

    Any mention suffices; the first that is in a gold entity says which one it is. A gold entity
    that is there `once` is taken by the first that hits it.
    """
    found = hit = 0
    for given, wanted in _filled_in_both(gold, predicted):
        taken = set[int]()
        for entity in given.names:
            place = next(
                (
                    k
                    for text in entity
                    for k, texts in enumerate(wanted.sets)
                    if text in texts and not (once and k in taken)
                ),
                None,
            )
            if place is not None:
                found += 1
                taken.add(place)
        hit += len(taken)
    return Pair(found, hit)


def _filled_in_both(
    gold: dict[str, Entities], predicted: dict[str, Entities]
) -> Iterator[tuple[Entities, Entities]]:
    """Yield what fills the roles in which two templates share anything, the predicted first."""
    for role, given in predicted.items():
        wanted = gold.get(role)
        if wanted is not None and not given.share_nothing(wanted):
            yield given, wanted


def count(gold: Document, predicted: Document, _: Any, measure: _Measure) -> dict[str, Row]:
    """Return numerators and denominators of a document."""
    by_mention = measure is shared_mentions
    split = [_labels(template.type) if predicted.templates else [template.type]
             for template in gold.templates]  # fmt: skip
    filled = [each for each in predicted.templates if any(each.roles.values())]
    given_fills = [(each.type, entities_of(each)) for each in filled]
    rows: list[list[Pair]] = []
    for template, labels in zip(gold.templates, split, strict=True):
        wanted_fills = entities_of(template)
        rows += _best_label(
            [
                [
                    measure(wanted_fills, fills) if kind == label else _NOTHING
                    for kind, fills in given_fills
                ]
                for label in labels
            ]
        )
    found, hit = _assigned(rows)
    wanted = sum(
        _size(template, by_mention) * (len(labels) if by_mention else 1)
        for template, labels in zip(gold.templates, split, strict=True)
    )
    given = sum(_size(template, by_mention) for template in filled)
    return {ALL: (found, given, hit, wanted)}


def _labels(kind: str | None) -> list[str | None]:
    """Return the alternatives that a type names.

    >>> _labels("bombing / attack"), _labels(None)
    (['bombing', 'attack'], [None])
    """
    return [kind] if kind is None else [label.strip() for label in kind.split("/")]


def _best_label(rows: list[list[Pair]]) -> list[list[Pair]]:
    """Return the rows of a template's labels, of which only that with the largest sum counts."""
    sums = [sum(pair.found for pair in row) for row in rows]
    best = sums.index(max(sums))
    return [row if k == best else [_NOTHING] * len(row) for k, row in enumerate(rows)]


def _assigned(rows: Sequence[Sequence[Pair]]) -> tuple[int, int]:
    """Return the sums of the pairs that are matched one to one.

    Several matchings may be best by what precision counts and differ in what recall does. Which is
    taken says SciPy, whose answer is that of the reference.
    """
    if not rows or not rows[0]:
        return 0, 0
    pairs = [rows[g][p] for g, p in assign([[pair.found for pair in row] for row in rows])]
    return sum(pair.found for pair in pairs), sum(pair.hit for pair in pairs)


def _size(template: Template, by_mention: bool) -> int:
    return sum(
        len(mentions(entity)) if by_mention else 1
        for entities in template.roles.values()
        for entity in entities
    )


def _family(variant: str, signature: str, measure: _Measure, *, one_number: bool) -> Family:
    name = f"ceaf-rme-{variant}"
    return Family(
        name,
        frozenset((TEMPLATES,)),
        COLUMNS,
        f1_metrics(
            name,
            signature,
            found="p_num",
            predicted="p_den",
            hit="p_num" if one_number else "r_num",
            gold="r_den",
        ),
        partial(count, measure=measure),
    )


FAMILIES: Final = (
    _family("phi3", "mentions, as released", shared_mentions, one_number=True),
    _family(
        "phi3-entity",
        "entities one to one, as published for MUC-4",
        partial(shared_entities, once=True),
        one_number=True,
    ),
    _family("subset", "any mention", partial(shared_entities, once=False), one_number=False),
)
