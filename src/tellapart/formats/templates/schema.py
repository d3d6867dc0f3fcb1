"""Schemas: where documents, templates, types and roles stand in JSON, and how each slot is matched.

`--schema FILE` names a mapping (TOML or JSON) of our own, or a JSON Schema as extraction prompts
have it (`json_schema.py`); without it, the usual keys are taken, and slots are those of gold.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.records import parse_json
from tellapart.formats.templates.design import KeyPath, Slot
from tellapart.formats.templates.matchers import SETTINGS, Matcher
from tellapart.words import nearest

TEMPLATE_KEYS: Final = ("templates", "pred_templates", "events")
TYPE_KEYS: Final = ("type", "incident_type", "event_type", "template_type")
ENTITY_KEYS: Final = ("mentions", "entity", "text", "value")
"""Under which an object that is an entity has its mentions, the first that is there"""
GUESSED: Final = "guessed schema"

KINDS: Final = {
    "text": "text",
    "number": "number",
    "date": "date",
    "choice": "exact",
    "boolean": "exact",
}
"""The kinds of slots, and the matcher of each by default"""

_KEYS: Final = ("document", "templates", "type", "roles", "ignore", "slots")
_SLOT_KEYS: Final = ("key", "kind", "match", "values", "weight")


@dataclass(frozen=True, slots=True)
class Schema:
    """What is known of some JSON: None of a place means that it is to be found out."""

    name: str = GUESSED
    slots: tuple[Slot, ...] = ()
    """None: all roles that the gold file has"""
    document: tuple[KeyPath, ...] | None = None
    """Where the name of the document stands; the first that is there counts"""
    templates: tuple[KeyPath, ...] | None = None
    """Where the templates stand; an empty path is the record itself, as one template"""
    type: tuple[KeyPath, ...] | None = None
    type_slot: Slot | None = None
    """How types are matched and what they may be, where a slot at the key of the type says so"""
    roles: tuple[KeyPath, ...] | None = None
    """Where roles stand that are not beside the type"""
    ignore: frozenset[str] = frozenset()
    """Keys of templates that are no roles"""
    as_it_is: bool = False
    """Whether roles and entities without mentions are kept"""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Roles by how they may be spelled"""

    @property
    def is_guess(self) -> bool:
        """Whether nobody gave it."""
        return self.name == GUESSED

    @property
    def single(self) -> bool:
        """Whether every document has one template, which is the record itself."""
        return self.templates == ((),)

    @property
    def lays_out(self) -> bool:
        """Whether it says where things stand, beside what slots there are."""
        return not (self.document is self.templates is self.type is self.roles is None)


def read_schema(path: str) -> Schema:
    """Return the schema that a file holds: a mapping of ours, or a JSON Schema."""
    from tellapart.formats.templates.json_schema import is_json_schema, of_json_schema

    tree = _read_tree(path)
    name = Path(path).name
    if is_json_schema(tree):
        return replace(of_json_schema(tree, shown(path)), name=name)
    return replace(_of_mapping(tree, path), name=name)


def _read_tree(path: str) -> Any:
    with open_text(path) as stream:
        text = stream.read()
    if not text.strip():
        raise DataError(f"{shown(path)}: the file is empty; give a mapping or a JSON Schema")
    if not path.endswith(".toml") and text.lstrip().startswith("{"):
        return parse_json(text, shown(path), "give a mapping or a JSON Schema", line=1)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(
            f"{shown(path)}: this is neither JSON nor TOML ({error}); give a mapping or a JSON "
            "Schema"
        ) from None


def _of_mapping(tree: Mapping[str, Any], path: str) -> Schema:
    place = shown(path)
    for key in tree:
        if key not in _KEYS:
            raise DataError(f"{place}: there is no key {key!r} in a schema; {nearest(key, _KEYS)}")
    types = _paths(tree, "type", place)
    # Of the usual keys of the type, only the first always is; in an object of their own, slots
    # may have any key.
    at_type = () if "roles" in tree else (TYPE_KEYS[:1],) if types is None else types
    slots = _slots(tree.get("slots", {}), place, at_type)
    return Schema(
        path,
        tuple(slot for slot in slots if slot.key not in at_type),
        _paths(tree, "document", place),
        _paths(tree, "templates", place),
        types,
        next((slot for slot in slots if slot.key in at_type), None),
        _paths(tree, "roles", place),
        frozenset(_texts(tree.get("ignore", []), f"{place}: 'ignore'")),
    )


def _texts(value: Any, what: str) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        raise DataError(f"{what} is a key, or a list of keys, not {value!r:.60}")
    return texts


def _paths(tree: Mapping[str, Any], key: str, place: str) -> tuple[KeyPath, ...] | None:
    if key not in tree:
        return None
    return tuple(map(key_path, _texts(tree[key], f"{place}: {key!r}")))


def key_path(text: str) -> KeyPath:
    """Return the keys that a dotted text names.

    >>> key_path("deal.price"), key_path("")
    (('deal', 'price'), ())
    """
    return tuple(text.split(".")) if text else ()


def slot_at(key: KeyPath, kind: str = "text", values: Iterable[str] = ()) -> Slot:
    """Return a slot that is called by its keys and has the matcher of its kind.

    >>> slot_at(("deal", "price"), "number").name
    'deal.price'
    """
    name, matcher = ".".join(key), Matcher(KINDS[kind])
    return Slot(0, name, name, kind, values=tuple(values), key=key, matcher=matcher)


def _slots(told: Any, place: str, at_type: tuple[KeyPath, ...]) -> list[Slot]:
    """Return the slots that a mapping names, in its order.

    A slot at the key of the type is a choice, unless the mapping says otherwise.
    """
    if not isinstance(told, dict):
        raise DataError(f"{place}: 'slots' is a table of slots, not {told!r:.60}")
    slots = []
    for name, settings in told.items():
        told_of = {"kind": settings} if isinstance(settings, str) else settings
        if not isinstance(told_of, dict) or not name:
            raise DataError(
                f"{place}: the slot {name!r} is {settings!r:.60}; give its kind, or a table"
            )
        kind = "choice" if key_path(str(told_of.get("key", name))) in at_type else "text"
        basis = slot_at(key_path(name), kind)
        slots.append(changed(basis, told_of, f"{place}: the slot {name!r}"))
    return slots


def changed(slot: Slot, told: Mapping[str, Any], what: str) -> Slot:
    """Return a slot with what is told of it: where it stands, how it matches, what it weighs.

    >>> price = changed(slot_at(("price",)), {"kind": "number", "relative": 0.01}, "price")
    >>> price.matcher.name, price.matcher.relative
    ('number', Fraction(1, 100))
    """
    kind, match = told.get("kind", slot.kind), told.get("match")
    matcher = slot.matcher or Matcher()
    if not isinstance(kind, str) or kind not in KINDS:
        raise DataError(f"{what} has the kind {kind!r}; {nearest(str(kind), list(KINDS))}")
    if match is None:
        match = matcher.name if kind == slot.kind else KINDS[kind]
    if not isinstance(match, str) or match not in SETTINGS:
        raise DataError(f"{what} has the match {match!r}; {nearest(str(match), list(SETTINGS))}")
    settings: dict[str, Any] = {}
    for key, value in told.items():
        if key in SETTINGS[match]:
            settings[key] = _share(value, key, what)
        elif key not in _SLOT_KEYS:
            known = [*_SLOT_KEYS, *SETTINGS[match]]
            raise DataError(f"{what}, matched by {match}, has no {key!r}; {nearest(key, known)}")
    matcher = matcher if match == matcher.name else Matcher(match)
    path = told.get("key")
    if path is not None and (not isinstance(path, str) or not path):
        raise DataError(f"{what} has the key {path!r}; give keys with dots between them")
    values = told.get("values", list(slot.values))
    if not isinstance(values, list):
        raise DataError(f"{what} has the values {values!r:.60}; give a list")
    return replace(
        slot,
        key=key_path(path) if path else slot.key,
        kind=kind,
        matcher=replace(matcher, **settings),
        values=tuple(map(as_text, values)),
        weight=_weight(told.get("weight", slot.weight), what),
    )


def _weight(value: Any, what: str) -> int:
    if type(value) is not int or not 0 <= value <= 1000:
        raise DataError(f"{what} has the weight {value!r}; give a whole number from 0 to 1000")
    return value


def _share(value: Any, key: str, what: str) -> Fraction:
    """Return a number of a schema exactly as it is written."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        raise DataError(f"{what} has {key} {value!r}; give a number of at least 0")
    if key in ("correct", "partial") and value > 1:
        raise DataError(f"{what} has {key} {value!r}; give a share from 0 to 1")
    return Fraction(str(value))


def as_text(value: Any) -> str:
    """Return a plain JSON value as texts are compared: numbers without a needless `.0`.

    >>> as_text(3.0), as_text(True), as_text("a")
    ('3', 'true', 'a')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return json.dumps(value, ensure_ascii=False)
