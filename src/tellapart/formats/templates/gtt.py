"""The files of GTT, GRIT and IterX: templates and role fillers of MUC-4, and in the same clothes.

They are read as they are: predictions keep equal templates and empty entities, which the scorers
of the field count; gold drops them, as these scorers do. Predictions have numbers of documents
where gold has names (`same_document`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.formats.templates.generic import document_name, kind_of_value, type_of
from tellapart.formats.templates.layouts import Reading
from tellapart.formats.templates.model import Document, Entity, Mention, Template
from tellapart.formats.templates.records import Record

MUC_ROLES: Final = ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")
_MUC: Final = {role.lower(): role for role in MUC_ROLES}
_TYPE: Final = "incident_type"
_NOT_ROLES: Final = (_TYPE, "template-spans")


def is_gtt_gold(record: Record) -> bool:
    """Return whether a record is a document of GTT's gold, which has its text beside it."""
    value = record.value
    return isinstance(value, dict) and {"docid", "doctext", "templates"} <= value.keys()


def is_gtt_predictions(record: Record) -> bool:
    """Return whether a record is a document of GTT's predictions."""
    return _has(record, "pred_templates") and record.key is not None


def is_grit(record: Record) -> bool:
    """Return whether a record has role fillers without templates, gold or predicted."""
    return _has(record, "extracts") or _has(record, "pred_extracts")


def is_iterx(record: Record) -> bool:
    """Return whether a record is a list of templates under its document, as IterX writes it."""
    value = record.value
    if record.key is None or not isinstance(value, list) or not value:
        return False
    return all(
        isinstance(each, dict)
        and isinstance(each.get(_TYPE), str | None)
        and all(_is_fill(fill) for role, fill in each.items() if role not in _NOT_ROLES)
        for each in value
    )


def _is_fill(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(entity, list) and all(isinstance(mention, str) for mention in entity)
        for entity in value
    )


def _has(record: Record, key: str) -> bool:
    return isinstance(record.value, dict) and key in record.value


def read_gtt_gold(records: Iterable[Record], reading: Reading) -> Iterator[Document]:
    """Yield gold documents: entities without mentions, and templates again, are dropped."""

    def document(record: Record, place: str) -> Document:
        name, value = document_name(record, place)
        at = f"{place}: document {name!r}"
        if not isinstance(value, dict) or "templates" not in value:
            raise DataError(f"{at} has no 'templates'; give a list of templates")
        found: dict[Any, Template] = {}
        for each in _listed(value["templates"], at, "templates"):
            template = _without_empty(_template(each, at))
            found.setdefault((template.type, frozenset(template.roles.items())), template)
        text = value.get("doctext")
        return Document(
            name, tuple(found.values()), text if isinstance(text, str) else "", record.line
        )

    return _documents(records, reading, document)


def read_gtt_predictions(records: Iterable[Record], reading: Reading) -> Iterator[Document]:
    """Yield predicted documents as they are, empty entities and all."""

    def document(record: Record, place: str) -> Document:
        name, value = document_name(record, place)
        at = f"{place}: document {name!r}"
        if not isinstance(value, dict) or "pred_templates" not in value:
            raise DataError(f"{at} has no 'pred_templates'; give a list of templates")
        given = _listed(value["pred_templates"], at, "pred_templates")
        return Document(name, tuple(_template(each, at) for each in given), line=record.line)

    return _documents(records, reading, document)


def read_grit(records: Iterable[Record], reading: Reading) -> Iterator[Document]:
    """Yield documents of role fillers: all that a document has is one template without a type."""

    def document(record: Record, place: str) -> Document:
        name, value = document_name(record, place)
        at = f"{place}: document {name!r}"
        if not isinstance(value, dict) or not ("extracts" in value or "pred_extracts" in value):
            raise DataError(f"{at} has neither 'extracts' nor 'pred_extracts'; give its roles")
        is_gold = "extracts" in value
        given = value["extracts" if is_gold else "pred_extracts"]
        fillers = _template(given, at)
        kept = _without_empty(fillers) if is_gold else fillers
        return Document(name, (kept,), line=record.line, only_fillers=True)

    return _documents(records, reading, document)


def read_iterx(records: Iterable[Record], reading: Reading) -> list[Document]:
    """Return documents whose lines, one per type of template, are joined in their order."""

    def document(record: Record, place: str) -> Document:
        name, value = document_name(record, place)
        at = f"{place}: document {name!r}"
        given = value if isinstance(value, list) else _listed(value, at, name)
        return Document(name, tuple(_template(each, at) for each in given), line=record.line)

    joined: dict[str, Document] = {}
    for each in _documents(records, reading, document):
        before = joined.get(each.id)
        joined[each.id] = (
            each
            if before is None
            else Document(each.id, (*before.templates, *each.templates), line=before.line)
        )
    return list(joined.values())


def _documents(
    records: Iterable[Record], reading: Reading, document: Callable[[Record, str], Document]
) -> Iterator[Document]:
    for record in records:
        with reading.problems.of_file():
            yield document(record, f"{reading.path}:{record.line}")


def _listed(value: Any, at: str, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise DataError(f"{at}: {key!r} is {kind_of_value(value)}; give a list of templates")
    return value


def _template(value: Any, at: str) -> Template:
    if not isinstance(value, dict):
        raise DataError(f"{at}: a template is {kind_of_value(value)}; give an object of roles")
    kind = type_of(value[_TYPE], f"{at}, key {_TYPE!r}") if _TYPE in value else None
    roles: dict[str, tuple[Entity, ...]] = {}
    for key, fill in value.items():
        if key in _NOT_ROLES:
            continue
        role = _MUC.get(str(key), str(key))  # IterX writes the roles of MUC in small letters
        if role in roles:
            raise DataError(f"{at}: {key!r} appears twice, in other letters; give a role once")
        roles[role] = tuple(_entities(fill, f"{at}, key {key!r}"))
    return Template(kind, roles)


def _entities(value: Any, at: str) -> Iterator[Entity]:
    if not isinstance(value, list):
        raise DataError(f"{at}: a role is {kind_of_value(value)}; give a list of entities")
    for entity in value:
        if not isinstance(entity, list):
            raise DataError(
                f"{at}: an entity is {kind_of_value(entity)}; give a list of its mentions"
            )
        yield Entity(tuple([_mention(mention, at) for mention in entity]))


def _mention(value: Any, at: str) -> Mention:
    if isinstance(value, list) and value:
        value = value[0]  # what follows is where it stands in the text
    if not isinstance(value, str):
        raise DataError(f"{at}: a mention is {kind_of_value(value)}; give a text")
    return _plain(value)


@lru_cache(maxsize=1 << 16)
def _plain(text: str) -> Mention:
    """Return the mention of a text, which is there again and again."""
    return Mention(text)


def _without_empty(template: Template) -> Template:
    roles = {
        role: entities
        if all(entity.mentions for entity in entities)
        else tuple(entity for entity in entities if entity.mentions)
        for role, entities in template.roles.items()
    }
    return Template(template.type, roles, template.id, template.trigger)


def number_of(name: str) -> str | None:
    """Return the number that GTT gives to a document; None if its name makes none.

    >>> number_of("TST3-MUC4-0002"), number_of("DEV-MUC3-0001"), number_of("review")
    ('30002', None, None)
    """
    parts = name.split("-")
    digit, last = parts[0][-1:], parts[-1]
    if len(parts) < 2 or not (digit + last).isdecimal() or not (digit + last).isascii() or not last:
        return None
    return str(int(digit or 0) * 10000 + int(last))


def same_document(gold: Collection[str]) -> Callable[[str], str | None]:
    """Return what tells the gold document of a name, spelled as it is or as a number.

    >>> same = same_document(["TST3-MUC4-0002"])
    >>> same("TST3-MUC4-0002"), same("30002"), same("30003")
    ('TST3-MUC4-0002', 'TST3-MUC4-0002', None)
    """
    names = set(gold)
    by_number: dict[str, str | None] = {}
    for name in gold:
        number = number_of(name)
        if number is not None:
            # Two documents of one number can only be told by their names.
            by_number[number] = None if number in by_number else name

    def same(name: str) -> str | None:
        if name in names:
            return name
        number = number_of(name)
        return by_number.get(name) or (number if number in names else None)

    return same
