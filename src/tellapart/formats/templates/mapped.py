"""Records that a schema explains, or a guess: brought into the shape that any JSON is read in.

Each record becomes one with `doc` and `templates`, each template with `type` and `roles`; objects
in objects become roles with dots in their names (`deal.price`). What a schema does not know is kept
as a role of the system, with a warning, so that it counts as spurious.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.records import try_json
from tellapart.formats.templates.generic import ENTITY_KEYS, KEYS, kind_of_value
from tellapart.formats.templates.model import Document, Mention
from tellapart.formats.templates.quantities import as_date, as_number
from tellapart.formats.templates.records import Record
from tellapart.formats.templates.schema import KeyPath, Schema, SchemaSlot

_NOTHING: Final[tuple[Any, ...]] = (None, "", [], {})
_ABSENT: Final = object()
_FENCE: Final = re.compile(r"\s*```\w*\s*\n(.*)\n\s*```\s*", re.DOTALL)
GUESSED: Final = "guessed schema"


@dataclass(frozen=True, slots=True)
class Mapped:
    """Brings the records of one file into shape."""

    schema: Schema
    path: str
    """As messages name it"""
    problems: Findings
    gold: bool

    def records(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records in the shape of any JSON; what the problems let pass is left out."""
        for record in records:
            with self.problems.of_file():
                place = f"{self.path}:{record.line}"
                name, value = record.key, record.value
                if name is None:
                    name, value = self._document(value, place)
                elif name in self._known_keys():
                    raise DataError(
                        f"{place}: there is {name!r}, but no document is named; name it under "
                        f"{_either(self.schema.document or _paths(KEYS.document))}"
                    )
                at = f"{place}: document {name!r}"
                templates = [self._template(each, at) for each in self._templates(value, at)]
                yield Record({"doc": name, "templates": templates}, record.line)

    def _known_keys(self) -> set[str]:
        """Return the keys of a record that are no names of documents."""
        paths = [*(self.schema.templates or ()), *(slot.key for slot in self.schema.slots)]
        return {*KEYS.templates, *(path[0] for path in paths if path)}

    def say_guess(self) -> None:
        """Say where templates were taken to stand, if that was a guess."""
        if self.schema.name == GUESSED and self.schema.templates is not None:
            where = ".".join(self.schema.templates[0])
            said = f"{where!r} holds the templates" if where else "each record is one template"
            self.problems.warn(
                f"{self.path}: no key says where the templates are; {said}, it was taken, and "
                "--schema FILE would say otherwise"
            )

    def _document(self, value: Any, place: str) -> tuple[str, Any]:
        """Return the name of the document, and the record without it."""
        if not isinstance(value, dict):
            raise DataError(f"{place}: a record is {kind_of_value(value)}; give an object")
        paths = self.schema.document or _paths(KEYS.document)
        for path in paths:
            found = _at(value, path)
            if isinstance(found, str | int) and not isinstance(found, bool) and str(found).strip():
                return str(found), {k: v for k, v in value.items() if (k,) != path}
        raise DataError(f"{place}: no document is named; name it under {_either(paths)}")

    def _templates(self, value: Any, at: str) -> list[Any]:
        """Return the templates, wherever in the record the extraction stands."""
        value = _opened(value)
        if isinstance(value, list):
            return value
        if not isinstance(value, dict):
            return self._none(value, at)
        inner = [_opened(each) for each in value.values()]
        if self.schema.single:
            return self._single(value, inner, at)
        paths = self.schema.templates or _paths(KEYS.templates)
        for place in (value, *inner):
            for path in paths:
                if (found := _at(place, path)) is not _ABSENT:
                    found = _opened(found)
                    return (
                        _as_list(found) if isinstance(found, list | dict) else self._none(found, at)
                    )
        if len(inner) == 1:
            # The answer of a model, under whatever key: a list, nothing, or no JSON.
            return inner[0] if isinstance(inner[0], list) else self._none(inner[0], at)
        raise DataError(f"{at} has no templates; give them under {_either(paths)}")

    def _single(self, value: dict[str, Any], inner: list[Any], at: str) -> list[Any]:
        """Return the object that is the template: the record itself, or one in it."""
        known = {slot.key[0] for slot in self.schema.slots}
        known |= {path[0] for path in self.schema.type or () if path}
        if known & value.keys() or (not known and len(value) > 1):
            return [value]
        objects = [each for each in inner if isinstance(each, dict) and each]
        fitting = [each for each in objects if known & each.keys()] or objects
        if len(fitting) == 1:
            return fitting
        if len(inner) == 1:
            return [value] if not known and inner[0] not in _NOTHING else self._none(inner[0], at)
        return [value] if value else []

    def _none(self, value: Any, at: str) -> list[Any]:
        """Return that there are no templates: there is nothing, or a model wrote no JSON."""
        if value in _NOTHING:
            return []
        if self.gold or not isinstance(value, str):
            raise DataError(
                f"{at} has {kind_of_value(value)} for templates; give a list of objects"
            )
        self.problems.warn(
            f"{at}: the answer {value[:40]!r} is no JSON; it counts as without templates"
        )
        return []

    def _template(self, value: Any, at: str) -> dict[str, Any]:
        """Return a template as its type and its roles."""
        if not isinstance(value, dict):
            raise DataError(
                f"{at}: a template is {kind_of_value(value)}; give an object with its roles"
            )
        types = _paths(KEYS.type) if self.schema.type is None else self.schema.type
        typed = next((path for path in types if _at(value, path) is not _ABSENT), None)
        rest = {key: each for key, each in value.items() if (key,) != typed}
        kind = None if typed is None else _at(value, typed)
        return {"type": kind, "roles": self._roles(self._held(rest), at)}

    def _held(self, rest: dict[str, Any]) -> Mapping[str, Any]:
        """Return what holds the roles: an object or list of its own, or all that is left."""
        named = {slot.key[0] for slot in self.schema.slots}
        for path in self.schema.roles or _paths(set(KEYS.roles) - named):
            found = _at(rest, path)
            if isinstance(found, dict):
                return found
            if isinstance(found, list) and all(
                isinstance(each, dict) and isinstance(each.get("role"), str) for each in found
            ):
                return _by_role(found)
        return rest

    def _roles(self, value: Mapping[str, Any], at: str) -> dict[str, Any]:
        slots = {slot.key: slot.name for slot in self.schema.slots}
        roles: dict[str, list[Any]] = {}
        for path, fills in _leaves(value, (), slots):
            name = ".".join(path)
            if fills in _NOTHING or {name, path[0]} & self.schema.ignore:
                continue
            if path not in slots:
                if path[0] in KEYS.not_roles:
                    continue
                if slots:
                    self._unknown(name, at)
            roles.setdefault(slots.get(path, name), []).extend(_as_list(fills))
        return roles

    def _unknown(self, name: str, at: str) -> None:
        if self.gold:
            raise DataError(
                f"{at}: the key {name!r} is no slot of {self.schema.name}; add it there, or to "
                "'ignore'"
            )
        self.problems.warn(
            f"{at}: the key {name!r} is no slot of {self.schema.name}; it counts as spurious, "
            "unless 'ignore' names it"
        )

    def check(self, document: Document) -> None:
        """Warn of fills that are not of the kind of their slot."""
        for slot in self.schema.slots:
            for template in document.templates:
                for entity in template.roles.get(slot.name, ()):
                    for mention in entity.mentions:
                        if not _fits(slot, mention):
                            self.problems.warn(
                                f"{self.path}:{document.line}: document {document.id!r}: the key "
                                f"{slot.name!r} is {mention.text[:60]!r}, {_no(slot)}; it is "
                                "compared as text"
                            )


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
    found = try_json(text) if text.lstrip().startswith(("{", "[")) else None
    return value if found is None else found


def _leaves(
    value: Mapping[str, Any], path: KeyPath, slots: Collection[KeyPath]
) -> Iterator[tuple[KeyPath, Any]]:
    """Yield the roles of an object, and of the objects in it, each with what fills it."""
    for key, each in value.items():
        here = (*path, key)
        parts = _as_list(each)
        on_the_way = any(len(slot) > len(here) and slot[: len(here)] == here for slot in slots)
        if here in slots or not any(
            isinstance(part, dict) and (on_the_way or not _is_entity(part)) for part in parts
        ):
            yield here, each
            continue
        for part in parts:
            if isinstance(part, dict):
                yield from _leaves(part, here, slots)
            else:
                yield here, part


def _is_entity(value: Mapping[str, Any]) -> bool:
    return any(key in value for key in ENTITY_KEYS)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _by_role(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    roles: dict[str, list[Any]] = {}
    for each in given:
        entity = {key: value for key, value in each.items() if key != "role"}
        roles.setdefault(each["role"], []).append(entity)
    return roles


def _either(paths: Iterable[KeyPath]) -> str:
    return " or ".join(repr(".".join(path)) for path in paths)


def _fits(slot: SchemaSlot, mention: Mention) -> bool:
    if slot.kind == "number":
        return as_number(mention.text) is not None
    if slot.kind == "date":
        return as_date(mention.text) is not None
    return not slot.values or mention.text in slot.values


def _no(slot: SchemaSlot) -> str:
    if slot.kind in ("number", "date"):
        return f"which is no {slot.kind}"
    return f"which is none of {', '.join(slot.values)}"


def guessed_layout(records: Iterable[Record]) -> Schema | None:
    """Return where templates stand in records that are not of the usual shape; None if they are.

    >>> guessed_layout([Record({"doc": "d", "price": 3, "seller": {"name": "A"}}, 1)]).templates
    ((),)
    >>> guessed_layout([Record({"doc": "d", "deals": [{"price": 3}]}, 1)]).templates
    (('deals',),)
    >>> guessed_layout([Record({"doc": "d", "templates": []}, 1)]) is None
    True
    """
    held: dict[str, bool] = {}
    for record in records:
        value = _opened(record.value)
        if not isinstance(value, dict) or any(key in value for key in KEYS.templates):
            return Schema(GUESSED) if any(_has_objects(each.value) for each in records) else None
        named = next((key for key in KEYS.document if key in value), None)
        for key, each in value.items():
            if key != named or record.key is not None:
                each = _opened(each)
                objects = isinstance(each, list) and all(isinstance(part, dict) for part in each)
                held[key] = held.get(key, True) and (objects or each in _NOTHING)
    if not held:
        return None
    if len(held) == 1 and all(held.values()):
        return Schema(GUESSED, templates=((next(iter(held)),),))
    return Schema(GUESSED, templates=((),))


def _has_objects(value: Any) -> bool:
    """Return whether roles of the usual shape hold objects that are no entities."""
    if isinstance(value, dict):
        value = next((value[key] for key in KEYS.templates if key in value), value)
    for template in _as_list(value):
        if isinstance(template, dict):
            held = next((template[key] for key in KEYS.roles if key in template), template)
            if isinstance(held, dict) and any(
                isinstance(part, dict) and not _is_entity(part)
                for key, each in held.items()
                if key not in KEYS.not_roles
                for part in _as_list(each)
            ):
                return True
    return False
