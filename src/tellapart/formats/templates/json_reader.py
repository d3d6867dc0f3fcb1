"""Any JSON as templates: a record per document, in whatever shape a program or a prompt gave it.

A schema says where document, templates, type and roles stand; where it says nothing, the first of
the usual keys that is there does. A list holds the fills of a role; a fill is a plain value, a list
of mentions, or an object of such, which may be `optional` and may have `refers_to`. What a schema
does not know is kept as a role of the system, with a warning, so that it counts as spurious.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.records import try_json
from tellapart.formats.templates.design import KeyPath, Slot
from tellapart.formats.templates.matchers import as_date, as_number
from tellapart.formats.templates.model import (
    DOCUMENT_KEYS,
    Document,
    Record,
    Template,
    json_text,
    plain_text,
)
from tellapart.formats.templates.schema import (
    ENTITY_KEYS,
    GUESSED,
    TEMPLATE_KEYS,
    TYPE_KEYS,
    Schema,
)
from tellapart.formats.templates.values import (
    Optional,
    Reference,
    Text,
    Value,
    mentions,
    one_of,
)
from tellapart.words import listed

_ROLE_KEYS: Final = ("roles", "arguments", "slots")
_NOT_ROLES: Final = ("id", "trigger", "template-spans")
_MENTION_KEYS: Final = ("text", "value")
_OPTIONAL: Final = "optional"
_REFERS_TO: Final = "refers_to"
_NOTHING: Final[tuple[Any, ...]] = (None, "", [], {})
_ABSENT: Final = object()
_FENCE: Final = re.compile(r"\s*```\w*\s*\n(.*)\n\s*```\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class JsonReader:
    """Reads the records of one file as documents."""

    schema: Schema
    path: str
    """As messages name it"""
    problems: Findings
    gold: bool = False

    def documents(self, records: Iterable[Record]) -> Iterator[Document]:
        """Yield the documents of records; what the problems let pass is left out."""
        if self.schema.name == GUESSED and self.schema.templates is not None:
            where = ".".join(self.schema.templates[0])
            place = f"{where!r} holds the templates" if where else "each record is one template"
            self.problems.warn(f"{self.path}: guessed that {place}; --schema FILE says otherwise")
        for record in records:
            with self.problems.of_file():
                yield self._document(record)

    def _document(self, record: Record) -> Document:
        place = record.place
        name, key, content = self._named(record, place)
        at = f"{place}: document {name!r}"
        templates = tuple(self._template(each, at) for each in self._templates(content, at))
        beside = {} if self.schema.single or not isinstance(content, dict) else content
        text = beside.get("text", beside.get("doctext"))
        return Document(name, templates, text if isinstance(text, str) else "", place, key)

    def _named(self, record: Record, place: str) -> tuple[str, KeyPath, Any]:
        """Return the name of the document, where it stands, and the record without it."""
        paths = self.schema.document or _paths(DOCUMENT_KEYS)
        unnamed = f"{place}: no document is named; name it under {_either(paths)}"
        if record.key in TEMPLATE_KEYS:
            raise DataError(unnamed)
        if record.key is not None:
            return record.key, paths[0], record.value
        for path in paths:
            name = _at(record.value, path)
            if name is _ABSENT:
                continue
            if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
                raise DataError(f"{place}: {name!r:.40} names no document; give a text")
            return str(name), path, {k: v for k, v in record.value.items() if (k,) != path}
        raise DataError(unnamed)

    def _templates(self, content: Any, at: str) -> list[Any]:
        """Return the templates, wherever in the record the extraction stands."""
        content = _opened(content)
        if isinstance(content, list):
            return content
        if not isinstance(content, dict):
            return self._none(content, at)
        inner = [_opened(each) for each in content.values()]
        if self.schema.single:
            return self._single(content, inner, at)
        paths = self.schema.templates or _paths(TEMPLATE_KEYS)
        for place in (content, *inner):
            for path in paths:
                if (templates := _at(place, path)) is not _ABSENT:
                    templates = _opened(templates)
                    if isinstance(templates, list | dict):
                        return _as_list(templates)
                    return self._none(templates, at)
        if len(inner) == 1:
            # The answer of a model, under whatever key: a list, nothing, or no JSON.
            return inner[0] if isinstance(inner[0], list) else self._none(inner[0], at)
        raise DataError(f"{at} has no templates; give them under {_either(paths)}")

    def _single(self, content: dict[str, Any], inner: list[Any], at: str) -> list[Any]:
        """Return the object that is the template: the record itself, or one in it."""
        known = {path[0] for path in (*(self.schema.type or ()), *self._slots) if path}
        objects = [each for each in (content, *inner) if isinstance(each, dict) and each]
        fitting = [each for each in objects if known & each.keys()]
        if len(inner) != 1 or fitting:
            return (fitting or objects)[:1]
        if not known and inner[0] not in _NOTHING:
            return objects[-1:]
        return objects[1:] or self._none(inner[0], at)

    def _none(self, value: Any, at: str) -> list[Any]:
        """Return that there are no templates: there is nothing, or a model wrote no JSON."""
        if value in _NOTHING:
            return []
        if self.gold or not isinstance(value, str):
            raise DataError(f"{at} has {value!r:.40} for templates; give a list of objects")
        self.problems.warn(f"{at}: the answer {value[:40]!r} is no JSON; it has no templates")
        return []

    def _template(self, content: Any, at: str) -> Template:
        if not isinstance(content, dict):
            raise DataError(f"{at}: a template is {content!r:.40}; give an object")
        types = _paths(TYPE_KEYS) if self.schema.type is None else self.schema.type
        typed = next((path for path in types if _at(content, path) is not _ABSENT), None)
        rest = {key: each for key, each in content.items() if (key,) != typed}
        optional = rest.pop(_OPTIONAL) if isinstance(rest.get(_OPTIONAL), bool) else False
        kind = None if typed is None else type_of(_at(content, typed), f"{at}, key {typed[-1]!r}")
        if self.schema.type_slot is not None and kind is not None:
            self._check(self.schema.type_slot, kind.split(" / "), at)
        return Template(kind, self._roles(rest, at), optional=optional)

    @property
    def _slots(self) -> dict[KeyPath, Slot]:
        return {slot.key: slot for slot in self.schema.slots}

    def _roles(self, rest: dict[str, Any], at: str) -> dict[str, tuple[Value, ...]]:
        roles: dict[str, tuple[Value, ...]] = {}
        slots, as_it_is = self._slots, self.schema.as_it_is
        for path, content in self._leaves(self._held(rest, at), slots):
            name = ".".join(path)
            if (content in _NOTHING and not as_it_is) or {name, path[0]} & self.schema.ignore:
                continue
            if path not in slots:
                if path[0] in _NOT_ROLES:
                    continue
                if slots:
                    self._unknown(name, at)
            role = slots[path].name if path in slots else self.schema.spelled.get(name, name)
            read = entity_as_it_is if as_it_is else fill_at
            fills = [read(each, f"{at}, key {name!r}") for each in _as_list(content)]
            if path in slots:
                self._check(slots[path], [text.text for f in fills for text in mentions(f)], at)
            known = (*roles.get(role, ()), *(fill for fill in fills if fill is not None))
            if known or as_it_is:
                roles[role] = known
        return roles

    def _held(self, rest: dict[str, Any], at: str) -> Mapping[str, Any]:
        """Return what holds the roles: an object or list of its own, or all that is left."""
        named = {key[0] for key in self._slots}
        usual = [key for key in _ROLE_KEYS if key not in named]
        rest = {key: each for key, each in rest.items() if each is not None or key not in usual}
        for key in usual:
            content = rest.get(key)
            if isinstance(content, list | dict):
                self._left_over({other: rest[other] for other in rest if other != key}, key, at)
                return (
                    content
                    if isinstance(content, dict)
                    else _by_role(content, f"{at}, key {key!r}")
                )
        return rest

    def _left_over(self, rest: Mapping[str, Any], held: str, at: str) -> None:
        """Warn of what may be roles, but stands beside the object that holds them."""
        passed = {*_NOT_ROLES, *self.schema.ignore}
        left = [key for key in rest if key not in passed and rest[key] not in _NOTHING]
        if left:
            self.problems.warn(
                f"{at}: beside {held!r} nothing is read, but there is {listed(left, 6)}; move it "
                "there, or name it in 'ignore' of a --schema"
            )

    def _leaves(
        self, content: Mapping[str, Any], slots: Collection[KeyPath], path: KeyPath = ()
    ) -> Iterator[tuple[KeyPath, Any]]:
        """Yield the roles of an object; by a schema, also those of the objects in it."""
        for key, each in content.items():
            here = (*path, key)
            objects = [part for part in _as_list(each) if isinstance(part, dict)]
            deeper = any(slot[: len(here)] == here for slot in slots)
            if here in slots or not slots or not (deeper or not all(map(_is_entity, objects))):
                yield here, each
                continue
            for part in _as_list(each):
                if isinstance(part, dict):
                    yield from self._leaves(part, slots, here)
                else:
                    yield here, part

    def _unknown(self, name: str, at: str) -> None:
        text = f"{at}: the key {name!r} is no slot of {self.schema.name}"
        if self.gold:
            raise DataError(f"{text}; add it there, or to 'ignore'")
        self.problems.warn(f"{text}; it counts as spurious, unless 'ignore' names it")

    def _check(self, slot: Slot, texts: Iterable[str], at: str) -> None:
        """Warn of fills that are not of the kind of their slot."""
        parse = {"number": as_number, "date": as_date}.get(slot.kind)
        for text in texts:
            if slot.values and text not in slot.values:
                problem = f"none of {', '.join(slot.values)}"
            elif parse is not None and parse(text) is None:
                problem = f"no {slot.kind}"
            else:
                continue
            self.problems.warn(
                f"{at}: the key {slot.name!r} is {text[:60]!r}, which is {problem}; it is compared "
                "as text"
            )


def type_of(value: Any, at: str) -> str | None:
    """Return a type; a list of one is its element, and what is no text is no type.

    >>> type_of(["attack"], "x"), type_of("bombing / attack", "x"), type_of(3, "x")
    ('attack', 'bombing / attack', None)
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, list | dict):
        raise DataError(f"{at}: a type is {value!r:.40}; give a text")
    return value if isinstance(value, str) else None


def fill_at(value: Any, at: str) -> Value:
    """Return a fill: a plain value, an object, or a list of mentions; None if it is nothing.

    >>> from tellapart.formats.templates.values import shown
    >>> shown(fill_at({"mentions": ["ana", "the mayor"], "optional": True}, "x"))
    '? ana / the mayor'
    """
    if not isinstance(value, dict):
        return _of_mentions([_mention(each, at) for each in _as_list(value)])
    key = _key_of(value, ENTITY_KEYS, "an entity", at)
    content = value[key]
    if isinstance(content, list | dict):
        fill = fill_at(content, at)
    else:
        fill = _of_mentions([_mention(value if key in _MENTION_KEYS else content, at)])
    if fill is not None and value.get(_REFERS_TO) not in _NOTHING:
        fill = Reference(fill, fill_at(value[_REFERS_TO], f"{at}, key {_REFERS_TO!r}"))
    return Optional(fill) if fill is not None and value.get(_OPTIONAL) is True else fill


def entity_as_it_is(value: Any, at: str) -> Value:
    """Return an entity of a list of mentions, which may be empty, as may be their texts.

    >>> entity_as_it_is([["ana", 17], "mayor"], "x").members[0].text
    'ana'
    """
    texts = [each[0] if isinstance(each, list) and each else each for each in _as_list(value)]
    for text in texts:
        if not isinstance(text, str):
            raise DataError(f"{at}: a mention is {text!r:.40}; give a text")
    return one_of([plain_text(text) for text in texts])


def _of_mentions(found: list[Text | None]) -> Value:
    texts = [text for text in found if text is not None]
    return one_of(texts) if texts else None


def _mention(value: Any, at: str) -> Text | None:
    """Return a mention: a plain value, an object with a text, or a list that begins with one."""
    span = None
    if isinstance(value, dict):
        start, end = value.get("start"), value.get("end")
        span = ("", start, end) if type(start) is int and type(end) is int else None
        value = value[_key_of(value, _MENTION_KEYS, "a mention", at)]
    elif isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, list | dict) and value:
        raise DataError(f"{at}: a mention is {value!r:.40}; give a text")
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError(f"{at}: a mention is {value}; give a number or a text")
    if value in _NOTHING or (isinstance(value, str) and not value.strip()):
        return None
    return plain_text(json_text(value), span)


def _key_of(value: Mapping[str, Any], keys: tuple[str, ...], what: str, at: str) -> str:
    key = next((key for key in keys if key in value), None)
    if key is None:
        raise DataError(
            f"{at}: {what} is an object with {', '.join(map(repr, value)) or 'no keys'}; give "
            f"{_either(_paths(keys))}, or name its slots in a --schema"
        )
    return key


def _by_role(given: list[Any], at: str) -> dict[str, Any]:
    """Return the roles of a list of arguments, each with the entities that it has there."""
    roles: dict[str, list[Any]] = {}
    for each in given:
        role = each.get("role") if isinstance(each, dict) else None
        if not isinstance(role, str):
            raise DataError(f"{at}: an argument has no 'role'; give its name")
        entity = {key: value for key, value in each.items() if key != "role"}
        roles.setdefault(role, []).append(entity)
    return roles


def _paths(keys: Iterable[str]) -> tuple[KeyPath, ...]:
    return tuple((key,) for key in keys)


def _at(value: Any, path: KeyPath) -> Any:
    """Return what stands at a path; `_ABSENT` if nothing does."""
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return _ABSENT
        value = value[key]
    return value


def _opened(value: Any) -> Any:
    r"""Return what JSON holds that a model wrote as text, fenced or not; all else as it is.

    >>> _opened('[1]'), _opened('```json\n{"a": 1}\n```'), _opened("[sic")
    ([1], {'a': 1}, '[sic')
    """
    if not isinstance(value, str):
        return value
    fenced = _FENCE.fullmatch(value)
    text = fenced[1] if fenced else value
    tree = try_json(text) if text.lstrip().startswith(("{", "[")) else None
    return value if tree is None else tree


def _is_entity(value: Mapping[str, Any]) -> bool:
    return any(key in value for key in ENTITY_KEYS)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _either(paths: Iterable[KeyPath]) -> str:
    return " or ".join(repr(".".join(path)) for path in paths)


def guessed_schema(records: Iterable[Record]) -> Schema:
    """Return where templates stand in records, if that is no usual key.

    >>> guessed_schema([Record({"doc": "d", "price": 3, "seller": "A"})]).templates
    ((),)
    >>> guessed_schema([Record({"doc": "d", "deals": [{"price": 3}]})]).templates
    (('deals',),)
    >>> guessed_schema([Record({"doc": "d", "templates": []})]).templates is None
    True
    """
    held: dict[str, bool] = {}
    for record in records:
        content = _opened(record.value)
        if not isinstance(content, dict) or any(key in content for key in TEMPLATE_KEYS):
            return Schema()
        named = next((key for key in DOCUMENT_KEYS if key in content), None)
        for key, each in content.items():
            if key != named or record.key is not None:
                each = _opened(each)
                objects = isinstance(each, list) and all(isinstance(part, dict) for part in each)
                held[key] = held.get(key, True) and (objects or each in _NOTHING)
    if not held:
        return Schema()
    only_lists = len(held) == 1 and all(held.values())
    return Schema(templates=((next(iter(held)),) if only_lists else (),))
