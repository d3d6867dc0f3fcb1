"""CEAF-REE: role-filler entities, matched one to one; templates are forgotten.

Du, Rush and Cardie (2021), the scorer of GRIT. Strict similarity, the published one, is 1 where all
mentions of the predicted entity are among the gold ones. Proportional similarity (`prop`) is the
number of gold mentions that were predicted over the number of predicted mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

from tellapart.formats.templates.families import Family, Row, f1_metrics
from tellapart.formats.templates.layouts import FILLERS, TEMPLATES
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.pairing import largest_sum
from tellapart.formats.templates.values import names

Fillers: TypeAlias = dict[str, list[tuple[str, ...]]]
"""Role → entities, each the texts of its mentions"""
Similarity: TypeAlias = Callable[[Sequence[str], Sequence[str]], int | Fraction]
"""Of a gold entity and a predicted one"""
COLUMNS: Final = ("sim", "n_pred", "n_gold")


def role_fillers(document: Document) -> Fillers:
    """Return the entities of each role of a document, those of all templates together.

    An entity is left out if its mentions are a part of those of an earlier one, or the other way
    round, as it was done when the gold of GRIT was made of templates.

    >>> from tellapart.formats.templates.model import Template, fill_of
    >>> ana, mayor = fill_of("ana"), fill_of("ana", "mayor")
    >>> role_fillers(Document("d", (Template(roles={"Victim": (ana, mayor)}),)))
    {'Victim': [('ana',)]}
    """
    fillers: Fillers = {}
    if document.only_fillers:
        for template in document.templates:
            fillers |= {role: [names(e) for e in some] for role, some in template.roles.items()}
        return fillers
    sets: dict[str, list[frozenset[str]]] = {}
    for template in document.templates:
        for role, entities in template.roles.items():
            known, known_sets = fillers.setdefault(role, []), sets.setdefault(role, [])
            for entity in entities:
                texts = frozenset(names(entity))
                if not any(texts <= each or texts >= each for each in known_sets):
                    known.append(names(entity))
                    known_sets.append(texts)
    return fillers


def strict(gold: Sequence[str], predicted: Sequence[str]) -> int:
    """Return 1 if all predicted mentions are among the gold ones, else 0.

    >>> strict(["ana", "mayor"], ["ana"]), strict(["ana"], ["ana", "bo"])
    (1, 0)
    """
    return int(set(predicted) <= set(gold))


def proportional(gold: Sequence[str], predicted: Sequence[str]) -> Fraction:
    """Return how many gold mentions were predicted, over the predicted ones; 0 if there are none.

    >>> proportional(["ana", "mayor"], ["ana", "bo"])
    Fraction(1, 2)
    """
    if not predicted:
        return Fraction(0)
    return Fraction(sum(mention in predicted for mention in gold), len(predicted))


def count(gold: Document, predicted: Document, _: Any, similarity: Similarity) -> dict[str, Row]:
    """Return similarity, predicted and gold entities of each role."""
    wanted, found = role_fillers(gold), role_fillers(predicted)
    rows: dict[str, Row] = {}
    for role in dict.fromkeys((*wanted, *found)):
        golds, predictions = wanted.get(role, []), found.get(role, [])
        pairs = [[similarity(g, p) for p in predictions] for g in golds]
        rows[role] = (largest_sum(pairs), len(predictions), len(golds))
    return rows


def _family(name: str, signature: str, similarity: Similarity) -> Family:
    return Family(
        name,
        frozenset((TEMPLATES, FILLERS)),
        COLUMNS,
        f1_metrics(name, signature, found="sim", predicted="n_pred", hit="sim", gold="n_gold"),
        partial(count, similarity=similarity),
    )


CEAF_REE: Final = _family("ceaf-ree", "strict similarity", strict)
CEAF_REE_PROP: Final = _family("ceaf-ree-prop", "proportional similarity", proportional)
