"""Documents of JSON as templates of a design, so that they are scored like those of 1992."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.matchers import Matcher
from tellapart.formats.templates.model import Document, Template, fill_of
from tellapart.formats.templates.muc_reader import IRRELEVANT
from tellapart.formats.templates.muc_reader import Template as Filled
from tellapart.formats.templates.schema import Schema, key_path, slot_at
from tellapart.formats.templates.values import Value

_KINDS: Final = {"text": "string", "choice": "set", "boolean": "set"}


def design_of(
    schema: Schema, gold: Sequence[Document], predicted: Iterable[Sequence[Document]]
) -> Design:
    """Return the design of a schema, or of the roles of gold; what only systems have comes last.

    >>> sale = Template("sale", {"price": (fill_of("3"),)})
    >>> [slot.name for slot in design_of(Schema(), [Document("d", (sale,))], []).scored]
    ['type', 'price']
    """
    documents = [*gold, *(document for each in predicted for document in each)]
    templates = [template for document in documents for template in document.templates]
    slots = {slot.name: slot for slot in schema.slots}
    for template in templates:
        for role in template.roles:
            slots.setdefault(role, slot_at(key_path(role)))
    rows = [Slot(0, "", "document", "identifier"), Slot(1, "", "template-id", "template-number")]
    type_slot = None
    if any(template.type is not None for template in templates):
        told = schema.type_slot or slot_at(("type",), "choice")
        type_slot = told.name if told.name not in slots else "template-type"
        rows.append(replace(told, number=2, label=type_slot, name=type_slot, kind="set"))
    rows += [
        replace(slot, number=number, kind=_KINDS.get(slot.kind, slot.kind))
        for number, slot in enumerate(slots.values(), len(rows))
    ]
    return Design(schema.name, tuple(rows), (), (), None, type_slot=type_slot)


def filled_templates(document: Document, design: Design) -> list[Filled]:
    """Return the templates of a document; one that says so if there is nothing to be found.

    Fills stand in an order of their own, so that the order in the file decides nothing.
    """
    rows = [
        Filled(document.id, str(number), template.optional, _fills(template, design))
        for number, template in enumerate(document.templates, 1)
    ]
    nothing = ((),) * len(design.scored)
    return rows or [Filled(document.id, IRRELEVANT, False, nothing)]


def _fills(template: Template, design: Design) -> tuple[tuple[Value, ...], ...]:
    roles = dict(template.roles)
    if design.type_slot is not None and template.type is not None:
        # As in keys of 1992, ` / ` stands between alternatives.
        roles[design.type_slot] = (fill_of(*template.type.split(" / ")),)
    return tuple(_sorted(slot, roles.get(slot.name, ())) for slot in design.scored)


def _sorted(slot: Slot, fills: tuple[Value, ...]) -> tuple[Value, ...]:
    if len(fills) < 2:
        return fills
    prepared = (slot.matcher or Matcher()).prepared
    return tuple(sorted(fills, key=lambda fill: repr(prepared(fill))))
