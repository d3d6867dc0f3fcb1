"""The files of GTT, GRIT and IterX: templates and role fillers of MUC-4, and in the same clothes.

They are read as they are: predictions keep equal templates and empty entities, which the scorers
of the field count; gold drops them, as these scorers do. Predictions have numbers of documents
where gold has names (`same_document`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.formats.templates.json_reader import kind_of_value, type_of
from tellapart.formats.templates.model import Document, Template, plain_text
from tellapart.formats.templates.records import DOCUMENT_KEYS, Record
from tellapart.formats.templates.values import Text, Value, mentions, one_of

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


def read_gtt_gold(record: Record, place: str, *_: object) -> Document:
    """Return a gold document: entities without mentions, and templates again, are dropped."""
    name, content, at = _named(record, place)
    templates: dict[Any, Template] = {}
    for each in _listed(content, "templates", at):
        template = _without_empty(_template(each, at))
        templates.setdefault((template.type, frozenset(template.roles.items())), template)
    text = content.get("doctext")
    return Document(
        name, tuple(templates.values()), text if isinstance(text, str) else "", record.line
    )


def read_gtt_predictions(record: Record, place: str, *_: object) -> Document:
    """Return a predicted document as it is, empty entities and all."""
    name, content, at = _named(record, place)
    given = _listed(content, "pred_templates", at)
    return Document(name, tuple(_template(each, at) for each in given), line=record.line)


def read_grit(record: Record, place: str, *_: object) -> Document:
    """Return a document of role fillers: all that it has is one template without a type."""
    name, content, at = _named(record, place)
    if not isinstance(content, dict) or not ("extracts" in content or "pred_extracts" in content):
        raise DataError(f"{at} has neither 'extracts' nor 'pred_extracts'; give its roles")
    is_gold = "extracts" in content
    fillers = _template(content["extracts" if is_gold else "pred_extracts"], at)
    kept = _without_empty(fillers) if is_gold else fillers
    return Document(name, (kept,), line=record.line, only_fillers=True)


def read_iterx(record: Record, place: str, *_: object) -> Document:
    """Return the part of a document that stands in one line, the templates of a type."""
    name, content, at = _named(record, place)
    given = _listed({name: content}, name, at)
    templates = tuple(_template(each, at) for each in given)
    return Document(name, templates, line=record.line, windows=())


def _named(record: Record, place: str) -> tuple[str, Any, str]:
    """Return the name of a document, what the record says of it, and how messages name it."""
    name = record.key
    if name is None:
        row = record.value if isinstance(record.value, dict) else {}
        given = next((row[key] for key in DOCUMENT_KEYS if key in row), None)
        if isinstance(given, bool) or not isinstance(given, str | int):
            raise DataError(
                f"{place}: the document has no name; give one under {DOCUMENT_KEYS[0]!r}"
            )
        name = str(given)
    return name, record.value, f"{place}: document {name!r}"


def _listed(content: Any, key: str, at: str) -> list[Any]:
    if not isinstance(content, dict) or key not in content:
        raise DataError(f"{at} has no {key!r}; give a list of templates")
    templates = content[key]
    if not isinstance(templates, list):
        raise DataError(f"{at}: {key!r} is {kind_of_value(templates)}; give a list of templates")
    return templates


def _template(value: Any, at: str) -> Template:
    if not isinstance(value, dict):
        raise DataError(f"{at}: a template is {kind_of_value(value)}; give an object of roles")
    kind = type_of(value[_TYPE], f"{at}, key {_TYPE!r}") if _TYPE in value else None
    roles: dict[str, tuple[Value, ...]] = {}
    for key, fill in value.items():
        if key in _NOT_ROLES:
            continue
        role = _MUC.get(str(key), str(key))  # IterX writes the roles of MUC in small letters
        if role in roles:
            raise DataError(f"{at}: {key!r} appears twice, in other letters; give a role once")
        roles[role] = tuple(_entities(fill, f"{at}, key {key!r}"))
    return Template(kind, roles)


def _entities(value: Any, at: str) -> Iterator[Value]:
    if not isinstance(value, list):
        raise DataError(f"{at}: a role is {kind_of_value(value)}; give a list of entities")
    for entity in value:
        if not isinstance(entity, list):
            raise DataError(
                f"{at}: an entity is {kind_of_value(entity)}; give a list of its mentions"
            )
        yield one_of([_mention(mention, at) for mention in entity])


def _mention(value: Any, at: str) -> Text:
    if isinstance(value, list) and value:
        value = value[0]  # what follows is where it stands in the text
    if not isinstance(value, str):
        raise DataError(f"{at}: a mention is {kind_of_value(value)}; give a text")
    return plain_text(value)


def _without_empty(template: Template) -> Template:
    roles = {
        role: tuple(entity for entity in entities if mentions(entity))
        for role, entities in template.roles.items()
    }
    return replace(template, roles=roles)


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
