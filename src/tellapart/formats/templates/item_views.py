"""What stands behind a document: its templates, slot by slot, and what each system made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, Views, ViewSection
from tellapart.formats.templates.categories import Categories, SlotFit, pair_templates
from tellapart.formats.templates.matchers import Matcher
from tellapart.formats.templates.model import Document, Entity, Template
from tellapart.formats.templates.pairing import CORRECT, PARTIAL

_BETWEEN = Piece("; ")


def template_views(
    categories: Callable[[], Categories],
    gold: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
) -> Views:
    """Return what there is to see of a document; nothing is compared before somebody looks.

    >>> from tellapart.formats.templates.schema import SchemaSlot
    >>> price = Categories((SchemaSlot.of(("price",), "number"),), typed=False)
    >>> documents = [Document("d", (Template(roles={"price": (Entity.of("3"),)}),))]
    >>> view = template_views(lambda: price, documents, {"A": documents})("d")
    >>> view.sections[0].rows[0].outputs["A"]
    (Piece(text='3', mark='right', tag=''),)
    """
    place = {document.id: i for i, document in enumerate(gold)}
    scored = cache(categories)

    def view(item: str) -> ItemView:
        i = place[item]
        given = {name: documents[i].templates for name, documents in systems.items()}
        return ItemView(tuple(_sections(scored(), gold[i].templates, given)))

    return view


def _sections(
    scored: Categories, gold: Sequence[Template], systems: Mapping[str, Sequence[Template]]
) -> Iterator[ViewSection]:
    pairs = {name: pair_templates(scored, gold, given) for name, given in systems.items()}
    for i, template in enumerate(gold):
        partners = {
            name: systems[name][p.system]
            for name, found in pairs.items()
            for p in found
            if p.gold == i and p.system is not None
        }
        yield ViewSection(tuple(_rows(scored, template, partners)), _title(i, template))
    for name, found in pairs.items():
        for p in found:
            if p.gold is None and p.system is not None:
                template = systems[name][p.system]
                title = f"{_title(p.system, template)}, spurious, of {name}"
                yield ViewSection(tuple(_rows(scored, Template(), {name: template})), title)


def _title(place: int, template: Template) -> str:
    kind = "" if template.type is None else f" ({template.type})"
    return f"Template {place + 1}{kind}"


def _rows(scored: Categories, gold: Template, systems: Mapping[str, Template]) -> Iterator[ViewRow]:
    fills = {name: scored.entities(template) for name, template in systems.items()}
    for k, (name, fit, wanted) in enumerate(
        zip(scored.names, scored.fits, scored.entities(gold), strict=True)
    ):
        met: set[int] = set()
        outputs: dict[str, Cell] = {}
        for system, given in fills.items():
            if given[k]:
                marks, found = _marks(fit, wanted, given[k])
                met |= found
                outputs[system] = _cell(given[k], marks)
        missing = ["" if i in met else "missing" for i in range(len(wanted))]
        if wanted or outputs:
            yield ViewRow(name, _cell(wanted, missing), outputs)


def _marks(
    fit: SlotFit, gold: Sequence[Entity], system: Sequence[Entity]
) -> tuple[list[str], set[int]]:
    """Return the mark of each fill of the system, and which of gold something stands against."""
    if not gold:
        return ["spurious"] * len(system), set()
    matcher = fit.matcher
    if matcher.whole:
        level = matcher.level(*(matcher.prepared_slot(each)[0] for each in (gold, system)))
        return [_mark(level)] * len(system), set(range(len(gold)))
    rows, columns = (_order(matcher, each) for each in (gold, system))
    a, b = matcher.prepared_slot(gold), matcher.prepared_slot(system)
    found = fit(a, b).pairs
    marks = {columns[j]: _mark(matcher.level(a[i], b[j])) for i, j in found}
    met = {rows[i] for i, _ in found}
    # What is left stands against what is left, wrongly, as far as there is any.
    wrong = [j for j in range(len(system)) if j not in marks][: len(gold) - len(met)]
    left = [i for i in range(len(gold)) if i not in met][: len(wrong)]
    marks |= dict.fromkeys(wrong, "wrong")
    return [marks.get(j, "spurious") for j in range(len(system))], met | set(left)


def _order(matcher: Matcher, entities: Sequence[Entity]) -> list[int]:
    """Return the places of fills in the order in which they are compared."""
    forms = [repr(matcher.prepared(entity)) for entity in entities]
    return sorted(range(len(forms)), key=forms.__getitem__)


def _mark(level: int) -> str:
    return {CORRECT: "right", PARTIAL: "partial"}.get(level, "wrong")


def _cell(entities: Sequence[Entity], marks: Sequence[str]) -> Cell:
    pieces = [
        piece
        for entity, mark in zip(entities, marks, strict=True)
        for piece in (_BETWEEN, Piece(" / ".join(entity.texts), mark))
    ]
    return tuple(pieces[1:])
