"""CEAF-TF: templates, optimally matched, with the type as one more slot (Du et al. 2021, GTT).

A predicted entity is right if all its mentions are those of a gold entity of the same role of the
matched template; a gold entity is found if a predicted one lies in it. Nothing is one to one, so
that precision and recall have numerators of their own. Of all mappings of templates, the one with
the largest F1 of the document counts (`mapping.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tellapart.errors import Notice
from tellapart.formats.templates.corpus import Corpus
from tellapart.formats.templates.families import Family, Row, f1_metrics
from tellapart.formats.templates.layouts import TEMPLATES
from tellapart.formats.templates.mapping import Point, best_mapping
from tellapart.formats.templates.model import Document, Entities, Template, entities_of
from tellapart.words import listed, several

COLUMNS: Final = ("p_num", "p_den", "r_num", "r_den")
TYPE: Final = "type"
"""The slot of the type"""


@dataclass(frozen=True, slots=True)
class Setting:
    """Whether templates have types, and the documents whose mapping may not be the best."""

    typed: bool
    unproven: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Matched:
    """Which gold template each predicted one is held against, and what each slot then has."""

    golds: tuple[int | None, ...]
    rows: dict[str, list[int]]
    proven: bool


def match_templates(gold: Document, predicted: Document, *, typed: bool) -> Matched:
    """Return the best mapping of templates, and the counts of every slot.

    >>> from tellapart.formats.templates.model import fill_of
    >>> wanted = Template("bombing / attack", {"Victim": (fill_of("ana", "mayor"),)})
    >>> given = Template("attack", {"Victim": (fill_of("ana"), fill_of("bo"))})
    >>> match_templates(Document("d", (wanted,)), Document("d", (given,)), typed=True).rows
    {'type': [1, 1, 1, 1], 'Victim': [1, 2, 1, 1]}
    """
    rows = _denominators(gold, predicted, typed)
    golds = [entities_of(each) for each in gold.templates]
    edges: list[dict[int, Point]] = []
    shared: dict[tuple[int, int | None], dict[str, Point]] = {}
    for i, template in enumerate(predicted.templates):
        roles = entities_of(template)
        row: dict[int, Point] = {}
        for j, wanted in enumerate(gold.templates):
            if typed and not _fits(template, wanted):
                continue
            slots = _shared(roles, golds[j])
            pair = (
                typed + sum(right for right, _ in slots.values()),
                typed + sum(found for _, found in slots.values()),
            )
            if pair != (0, 0):
                row[j], shared[i, j] = pair, slots
        edges.append(row)
    totals = sum(row[1] for row in rows.values()), sum(row[3] for row in rows.values())
    mapping = best_mapping(edges, len(gold.templates), totals)
    for pair_of_templates in enumerate(mapping.golds):
        if pair_of_templates in shared:
            for slot, (right, found) in shared[pair_of_templates].items():
                rows[slot][0] += right
                rows[slot][2] += found
            if typed:
                rows[TYPE][0] += 1
                rows[TYPE][2] += 1
    return Matched(mapping.golds, rows, mapping.proven)


def _fits(predicted: Template, gold: Template) -> bool:
    """Return whether the predicted type is in that of gold, which may name alternatives."""
    return predicted.type is not None and gold.type is not None and predicted.type in gold.type


def _denominators(gold: Document, predicted: Document, typed: bool) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    if typed:
        rows[TYPE] = [0, len(predicted.templates), 0, len(gold.templates)]
    for column, document in ((3, gold), (1, predicted)):
        for template in document.templates:
            for role, entities in template.roles.items():
                rows.setdefault(_slot(role), [0, 0, 0, 0])[column] += len(entities)
    return rows


def _slot(role: str) -> str:
    return f"{role} (role)" if role == TYPE else role


def _shared(predicted: dict[str, Entities], gold: dict[str, Entities]) -> dict[str, Point]:
    """Return the right entities and the found ones, role by role."""
    slots: dict[str, Point] = {}
    for role, fills in predicted.items():
        wanted = gold.get(role)
        # An entity without mentions lies in any.
        if wanted is None or (fills.share_nothing(wanted) and all(fills.sets)):
            continue
        right, found = 0, set[int]()
        for entity in fills.sets:
            within = [k for k, texts in enumerate(wanted.sets) if entity <= texts]
            right += bool(within)
            found.update(within)
        if right:
            slots[_slot(role)] = right, len(found)
    return slots


def _count(gold: Document, predicted: Document, setting: Setting) -> dict[str, Row]:
    matched = match_templates(gold, predicted, typed=setting.typed)
    if not matched.proven:
        setting.unproven.append(gold.id)
    return dict(matched.rows)


def _setting(corpus: Corpus) -> Setting:
    return Setting(is_typed(corpus.gold, corpus.predicted.values()))


def is_typed(gold: Sequence[Document], predicted: Iterable[Sequence[Document]]) -> bool:
    """Return whether templates have types: those of gold, or if it has none, any."""
    sides = [gold] if any(each.templates for each in gold) else predicted
    return any(t.type is not None for side in sides for each in side for t in each.templates)


def _notices(setting: Setting) -> Iterable[Notice]:
    if setting.unproven:
        names = tuple(dict.fromkeys(setting.unproven))
        yield Notice(
            "mapping-not-proven",
            f"{several(len(names), 'document')} with too many templates to try all mappings: the "
            f"best of weighted assignments was taken for {listed(names, 5)}.",
            names,
        )


CEAF_TF: Final = Family(
    "ceaf-tf",
    frozenset((TEMPLATES,)),
    COLUMNS,
    f1_metrics(
        "ceaf-tf",
        "best mapping by document",
        found="p_num",
        predicted="p_den",
        hit="r_num",
        gold="r_den",
    ),
    _count,
    _setting,
    _notices,
)
