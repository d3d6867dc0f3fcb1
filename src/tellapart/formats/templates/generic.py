"""Any JSON as templates: a record per document, in whatever shape a program or a prompt gave it.

The first key that is there counts, for the document, its templates, a template's type and its
roles. What a role holds is read by levels: a list is a list of entities, anything else is one
entity; an entity is a plain value, an object, or a list of mentions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.formats.templates.layouts import Reading
from tellapart.formats.templates.model import Document, Entity, Mention, Span, Template
from tellapart.formats.templates.records import DOCUMENT_KEYS, Record

_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
ENTITY_KEYS: Final = ("mentions", "entity", "text", "value")
"""Under which an object that is an entity has its mentions, the first that is there"""
_MENTION_KEYS: Final = ("text", "value")


@dataclass(frozen=True, slots=True)
class Keys:
    """What the parts of a record are called; of each, the first key that is there counts."""

    document: tuple[str, ...] = DOCUMENT_KEYS
    templates: tuple[str, ...] = ("templates", "pred_templates", "events")
    type: tuple[str, ...] = ("type", "incident_type", "event_type", "template_type")
    roles: tuple[str, ...] = ("roles", "arguments", "slots")
    not_roles: tuple[str, ...] = ("id", "trigger", "template-spans")


KEYS: Final = Keys()


def read_generic(
    records: Iterable[Record], reading: Reading, keys: Keys = KEYS
) -> Iterator[Document]:
    """Yield the documents of records in any shape; what a reading lets pass is left out."""
    for record in records:
        with reading.problems.of_file():
            yield _document(record, f"{reading.path}:{record.line}", keys)


def _document(record: Record, place: str, keys: Keys) -> Document:
    name, value = document_name(record, place, keys)
    at = f"{place}: document {name!r}"
    templates = value
    if isinstance(value, dict):
        key = _first(value, keys.templates)
        if key is not None:
            templates = value[key]
        elif record.key is None:
            raise DataError(
                f"{at} has no templates; give them under {_alternatives(keys.templates)}"
            )
    if templates is None:
        templates = []
    given = templates if isinstance(templates, list) else [templates]
    text = value.get("text") if isinstance(value, dict) and templates is not value else None
    return Document(
        name,
        tuple(_template(each, at, keys) for each in given),
        text if isinstance(text, str) else "",
        record.line,
    )


def document_name(record: Record, place: str, keys: Keys = KEYS) -> tuple[str, Any]:
    """Return the document of a record, and what the record says of it."""
    if record.key is not None:
        if record.key in keys.templates:
            raise DataError(
                f"{place}: there is {record.key!r}, but no document; name it under "
                f"{_alternatives(keys.document)}"
            )
        return record.key, record.value
    if not isinstance(record.value, dict):
        raise DataError(
            f"{place}: a record is {kind_of_value(record.value)}; give an object with "
            f"{_alternatives(keys.document)} and {_alternatives(keys.templates)}"
        )
    key = _first(record.value, keys.document)
    name = None if key is None else record.value[key]
    if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
        raise DataError(
            f"{place}: {key!r}, which names the document, is {kind_of_value(name)}; give a text"
        )
    return str(name), record.value


def _template(value: Any, at: str, keys: Keys) -> Template:
    if not isinstance(value, dict):
        raise DataError(
            f"{at}: a template is {kind_of_value(value)}; give an object with its type and roles"
        )
    kind = _first(value, keys.type)
    of_roles = _first(value, keys.roles)
    roles: dict[str, tuple[Entity, ...]] = {}
    if of_roles is not None and isinstance(value[of_roles], list):
        for role, entity in _listed_roles(value[of_roles], f"{at}, key {of_roles!r}"):
            roles[role] = (*roles.get(role, ()), entity)
    else:
        given = _flat_roles(value, kind, keys) if of_roles is None else value[of_roles]
        if not isinstance(given, dict | None):
            raise DataError(
                f"{at}: {of_roles!r} is {kind_of_value(given)}; give an object or a list of roles"
            )
        for role, fill in (given or {}).items():
            entities = tuple(_entities(fill, f"{at}, key {role!r}"))
            if entities:
                roles[role] = entities
    name = value.get("id")
    return Template(
        type_of(value[kind], f"{at}, key {kind!r}") if kind is not None else None,
        roles,
        str(name) if isinstance(name, str | int) else None,
        _span(value.get("trigger")),
    )


def _flat_roles(value: Mapping[str, Any], kind: str | None, keys: Keys) -> dict[str, Any]:
    return {key: each for key, each in value.items() if key != kind and key not in keys.not_roles}


def _listed_roles(given: list[Any], at: str) -> Iterator[tuple[str, Entity]]:
    """Yield the roles of a list, one entity each, in its order."""
    for each in given:
        role = each.get("role") if isinstance(each, dict) else None
        if not isinstance(role, str):
            raise DataError(f"{at}: an argument has no 'role'; give its name")
        if _first(each, ENTITY_KEYS) is None:
            raise DataError(
                f"{at}: {role!r} has no entity; give it under {_alternatives(ENTITY_KEYS)}"
            )
        entity = _entity(each, f"{at}, role {role!r}")
        if entity is not None:
            yield role, entity


def type_of(value: Any, at: str) -> str | None:
    """Return a type; a list of one is its element, and what is no text is no type.

    >>> type_of(["attack"], "x"), type_of("bombing / attack", "x"), type_of(3, "x")
    ('attack', 'bombing / attack', None)
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, list | dict):
        raise DataError(f"{at}: a type is {kind_of_value(value)}; give a text")
    return value if isinstance(value, str) else None


def _entities(value: Any, at: str) -> Iterator[Entity]:
    for each in value if isinstance(value, list) else [value]:
        entity = _entity(each, at)
        if entity is not None:
            yield entity


def _entity(value: Any, at: str) -> Entity | None:
    """Return an entity: a plain value, an object, or a list of mentions; None if it is nothing."""
    if isinstance(value, dict):
        key = _first(value, ENTITY_KEYS)
        if key is None:
            raise DataError(
                f"{at}: an entity is an object with {', '.join(map(repr, value)) or 'no keys'}; "
                f"give {_alternatives(ENTITY_KEYS)}"
            )
        inner = value[key]
        if isinstance(inner, list | dict):
            return _entity(inner, at)
        return _of_mentions([_mention(value if key in _MENTION_KEYS else inner, at)])
    given = value if isinstance(value, list) else [value]
    return _of_mentions([_mention(each, at) for each in given])


def _of_mentions(found: list[Mention | None]) -> Entity | None:
    mentions = tuple(mention for mention in found if mention is not None)
    return Entity(mentions) if mentions else None


def _mention(value: Any, at: str) -> Mention | None:
    """Return a mention: a plain value, an object with a text, or a list that begins with one."""
    if isinstance(value, str):
        return _plain(value)
    span = None
    if isinstance(value, dict):
        key = _first(value, _MENTION_KEYS)
        if key is None:
            raise DataError(
                f"{at}: a mention is an object with {', '.join(map(repr, value)) or 'no keys'}; "
                f"give {_alternatives(_MENTION_KEYS)}"
            )
        span = _span(value)
        value = value[key]
    elif isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, list | dict) and value:
        raise DataError(
            f"{at}: a mention is {kind_of_value(value)}; lists are nested deeper than role, "
            "entity, mention"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError(f"{at}: {value} is no number of JSON; give a number or a text")
    text, number = _text(value)
    return Mention(text, number, span) if text.strip() else None


@lru_cache(maxsize=1 << 16)
def _plain(value: str) -> Mention | None:
    """Return the mention of a text, which is there again and again."""
    text, number = _text(value)
    return Mention(text, number) if text.strip() else None


def _text(value: Any) -> tuple[str, bool]:
    """Return a plain value as text, and whether it is a number.

    >>> _text(3.0), _text("2.50"), _text("2,50"), _text(True), _text(None)
    (('3', True), ('2.5', True), ('2,50', False), ('true', False), ('', False))
    """
    if value is None or isinstance(value, list | dict):
        return "", False
    if isinstance(value, bool):
        return ("true" if value else "false"), False
    text = value if isinstance(value, str) else repr(value)
    if not _NUMBER.fullmatch(text):
        return text, False
    number = Decimal(text)
    plain = format(number, "f")
    if "." in plain:
        plain = plain.rstrip("0").removesuffix(".")
    return ("0" if not number else plain), True


def _span(value: Any) -> Span | None:
    if not isinstance(value, dict):
        return None
    ends = value.get("start"), value.get("end")
    start, end = ends
    if type(start) is int and type(end) is int:
        return start, end
    return None


def _first(value: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if key in value), None)


def _alternatives(keys: tuple[str, ...]) -> str:
    return " or ".join(map(repr, keys))


def kind_of_value(value: Any) -> str:
    """Return what a JSON value is, in words.

    >>> kind_of_value(None), kind_of_value([1]), kind_of_value(2.5)
    ('null', 'a list', 'a number')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return "a text" if isinstance(value, str) else "a number"
