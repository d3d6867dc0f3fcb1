"""CEAF: what predicted templates or entities share with gold ones, matched one to one.

* CEAF-TF (Du et al. 2021, GTT): templates, by the mapping with the largest F1 of the document
  (`mapping.py`), with the type as one more slot. A predicted entity is right if all its mentions
  are those of a gold entity of the same role; a gold entity is found if a predicted one lies in it.
* CEAF-REE (Du, Rush and Cardie 2021, GRIT): entities by role; templates are forgotten. Similarity
  is strict, as published (all mentions of the predicted entity are among the gold ones), or
  proportional: the number of gold mentions that were predicted over that of predicted ones.
* CEAF-RME (Chen et al. 2023, IterX): templates of one type, by what they share in entities. Three
  ways to score a pair go by one name in the literature: `phi3`, the released code: mentions that
  matched entities share, entities one to one; `phi3-entity`, what the published MUC-4 files hold:
  predicted entities of which a mention is in a gold entity that no earlier one took; `subset`: the
  same, but several may share a gold entity, which recall then counts once.

All return what precision counts and divides by, and the same of recall.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from tellapart.formats.templates.mapping import Point, best_mapping
from tellapart.formats.templates.model import Document, Template, entities_of, size
from tellapart.formats.templates.pairing import assign, largest_sum
from tellapart.formats.templates.values import names

Row: TypeAlias = tuple[int | Fraction, int, int | Fraction, int]
"""What precision counts and is divided by, and the same of recall"""
Similarity: TypeAlias = Callable[[Sequence[str], Sequence[str]], int | Fraction]
"""Of a gold entity and a predicted one"""
Entities: TypeAlias = Mapping[str, Sequence[tuple[str, ...]]]
"""The mentions of what fills each role"""
Measure: TypeAlias = Callable[[Entities, Entities], Point]
"""What two templates share, as precision counts it and as recall does; gold comes first"""

_NOTHING: Final = (0, 0)


def count_templates(gold: Document, predicted: Document, typed: bool) -> Row:
    """Return what templates share under their best mapping; the type is one more slot.

    >>> from tellapart.formats.templates.model import fill_of
    >>> wanted = Template("bombing / attack", {"Victim": (fill_of("ana", "mayor"),)})
    >>> given = Template("attack", {"Victim": (fill_of("ana"), fill_of("bo"))})
    >>> count_templates(Document("d", (wanted,)), Document("d", (given,)), True)
    (2, 3, 2, 2)
    """
    golds = [entities_of(each) for each in gold.templates]
    edges: list[dict[int, Point]] = []
    for template in predicted.templates:
        roles = entities_of(template)
        shared = {
            j: _shared(roles, golds[j], int(typed))
            for j, wanted in enumerate(gold.templates)
            if not typed or _fits(template, wanted)
        }
        edges.append({j: point for j, point in shared.items() if any(point)})
    given, wanted = (
        sum(typed + size(template) for template in each.templates) for each in (predicted, gold)
    )
    mapping = best_mapping(edges, len(golds), (given, wanted))
    points = [row.get(j, _NOTHING) for row, j in zip(edges, mapping, strict=True) if j is not None]
    right, found = map(sum, zip(_NOTHING, *points, strict=True))
    return right, given, found, wanted


def _fits(predicted: Template, gold: Template) -> bool:
    """Return whether the predicted type is in that of gold, which may name alternatives."""
    return predicted.type is not None and gold.type is not None and predicted.type in gold.type


def _shared(predicted: Entities, gold: Entities, at_least: int) -> Point:
    """Return how many entities are right, and how many are found, beside what is shared anyway."""
    right = found = at_least
    for given, wanted in _filled_in_both(gold, predicted):
        within = [{k for k, texts in enumerate(wanted) if texts.issuperset(e)} for e in given]
        right += sum(map(bool, within))
        found += len(set[int]().union(*within))
    return right, found


def role_fillers(document: Document) -> dict[str, list[tuple[str, ...]]]:
    """Return the entities of each role of a document, those of all templates together.

    An entity is left out if its mentions are a part of those of an earlier one, or the other way
    round, as it was done when the gold of GRIT was made of templates.

    >>> from tellapart.formats.templates.model import fill_of
    >>> ana, mayor = fill_of("ana"), fill_of("ana", "mayor")
    >>> role_fillers(Document("d", (Template(roles={"Victim": (ana, mayor)}),)))
    {'Victim': [('ana',)]}
    """
    fillers: dict[str, list[tuple[str, ...]]] = {}
    for template in document.templates:
        for role, entities in template.roles.items():
            known = fillers.setdefault(role, [])
            for entity in map(names, entities):
                texts = set(entity)
                if document.only_fillers or not any(
                    texts.issubset(other) or texts.issuperset(other) for other in known
                ):
                    known.append(entity)
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


def count_fillers(gold: Document, predicted: Document, _: bool, similarity: Similarity) -> Row:
    """Return how alike the entities of both are, role by role, and how many each has."""
    wanted, given = role_fillers(gold), role_fillers(predicted)
    alike = sum(
        largest_sum([[similarity(g, p) for p in given[role]] for g in wanted[role]])
        for role in wanted.keys() & given.keys()
    )
    n_given, n_wanted = (sum(map(len, each.values())) for each in (given, wanted))
    return alike, n_given, alike, n_wanted


def shared_mentions(gold: Entities, predicted: Entities) -> Point:
    """Return the mentions that two templates share, their entities matched one to one."""
    shared = 0
    for given, wanted in _filled_in_both(gold, predicted):
        rows = [[sum(t in texts for t in entity) for entity in given] for texts in wanted]
        shared += int(largest_sum(rows))
    return shared, shared


def shared_entities(gold: Entities, predicted: Entities, *, once: bool) -> Point:
    """Return how many predicted entities are in gold, and how many gold ones they are.

    Any mention suffices; the first that is in a gold entity says which one it is. A gold entity
    that is there `once` is taken by the first that hits it.
    """
    found = hit = 0
    for given, wanted in _filled_in_both(gold, predicted):
        taken = set[int]()
        for entity in given:
            places = (
                k
                for text in entity
                for k, texts in enumerate(wanted)
                if text in texts and not (once and k in taken)
            )
            if (place := next(places, None)) is not None:
                found += 1
                taken.add(place)
        hit += len(taken)
    return found, hit


def _filled_in_both(
    gold: Entities, predicted: Entities
) -> Iterator[tuple[Sequence[tuple[str, ...]], list[set[str]]]]:
    """Yield what fills the roles that two templates both fill, the predicted first."""
    for role, given in predicted.items():
        if role in gold:
            yield given, [*map(set, gold[role])]


def count_entities(gold: Document, predicted: Document, _: bool, measure: Measure) -> Row:
    """Return what templates of one type share, matched one to one.

    With a wrong type all that fills a template is lost, and a template without fills earns nothing.
    Several matchings may be best by what precision counts and differ in what recall does; which is
    taken says SciPy, whose answer is that of the reference.
    """
    by_mention = measure is shared_mentions
    filled = [each for each in predicted.templates if any(each.roles.values())]
    given = [(each.type, entities_of(each)) for each in filled]
    pairs: list[list[Point]] = []
    wanted = 0
    for template in gold.templates:
        labels = _labels(template.type) if predicted.templates else [template.type]
        fills = entities_of(template)
        pairs += _best_label(
            [
                [measure(fills, theirs) if kind == label else _NOTHING for kind, theirs in given]
                for label in labels
            ]
        )
        wanted += size(template, by_mention) * (len(labels) if by_mention else 1)
    best = assign([[found for found, _ in row] for row in pairs]) if pairs and given else ()
    return (
        sum(pairs[i][j][0] for i, j in best),
        sum(size(template, by_mention) for template in filled),
        sum(pairs[i][j][1] for i, j in best),
        wanted,
    )


def _labels(kind: str | None) -> list[str | None]:
    """Return the alternatives that a type names.

    >>> _labels("bombing / attack"), _labels(None)
    (['bombing', 'attack'], [None])
    """
    return [kind] if kind is None else [label.strip() for label in kind.split("/")]


def _best_label(rows: list[list[Point]]) -> list[list[Point]]:
    """Return the rows of a template's labels, of which only that with the largest sum counts."""
    sums = [sum(found for found, _ in row) for row in rows]
    best = sums.index(max(sums))
    return [row if k == best else [_NOTHING] * len(row) for k, row in enumerate(rows)]
