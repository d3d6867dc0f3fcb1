"""Schemas: where documents, templates, types and roles stand in JSON, and how each slot is matched.

`--schema FILE` names a mapping in TOML of our own, or a JSON Schema, as pydantic writes it
and extraction prompts carry it; without it, the usual keys are taken, and slots are those of gold.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.records import parse_json
from tellapart.formats.templates.design import KeyPath, Slot
from tellapart.formats.templates.matchers import SETTINGS, Matcher
from tellapart.formats.templates.model import json_text, plain_text
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

_KEYS: Final = ("document", "templates", "type", "ignore", "slots")
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
    ignore: frozenset[str] = frozenset()
    """Keys of templates that are no roles"""
    as_it_is: bool = False
    """Whether roles and entities without mentions are kept"""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Roles by how they may be spelled"""

    @property
    def single(self) -> bool:
        """Whether every document has one template, which is the record itself."""
        return self.templates == ((),)

    @property
    def lays_out(self) -> bool:
        """Whether it says where things stand, beside what slots there are."""
        return not (self.document is self.templates is self.type is None)


def read_schema(path: str) -> Schema:
    """Return the schema that a file holds: a mapping of ours in TOML, or else a JSON Schema."""
    with open_text(path) as stream:
        text = stream.read()
    place = shown(path)
    if text.lstrip().startswith("{"):
        tree = parse_json(text, place, "give a JSON Schema, or a mapping in TOML", line=1)
        if "slots" in tree and "properties" not in tree:
            raise DataError(f"{place}: this is no JSON Schema; write mappings of slots in TOML")
        schema = of_json_schema(tree, place)
    else:
        try:
            schema = _of_mapping(tomllib.loads(text), place)
        except tomllib.TOMLDecodeError as error:
            raise DataError(
                f"{place}: this is neither JSON nor TOML ({error}); give a mapping or a JSON Schema"
            ) from None
    return replace(schema, name=Path(path).name)


def _of_mapping(tree: Mapping[str, Any], place: str) -> Schema:
    for key in tree:
        if key not in _KEYS:
            raise DataError(f"{place}: there is no key {key!r} in a schema; {nearest(key, _KEYS)}")
    types = _paths(tree, "type", place)
    at_type = (TYPE_KEYS[:1],) if types is None else types  # of the usual keys, one always is
    slots = _slots(tree.get("slots", {}), place, at_type)
    return Schema(
        place,
        tuple(slot for slot in slots if slot.key not in at_type),
        _paths(tree, "document", place),
        _paths(tree, "templates", place),
        types,
        next((slot for slot in slots if slot.key in at_type), None),
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
    kind = str(told.get("kind", slot.kind))
    if kind not in KINDS:
        raise DataError(f"{what} has the kind {kind!r}; {nearest(kind, list(KINDS))}")
    own = (slot.matcher or Matcher()) if kind == slot.kind else Matcher(KINDS[kind])
    match = str(told.get("match", own.name))
    if match not in SETTINGS:
        raise DataError(f"{what} has the match {match!r}; {nearest(match, list(SETTINGS))}")
    known = (*_SLOT_KEYS, *SETTINGS[match])
    for key in told:
        if key not in known:
            raise DataError(f"{what}, matched by {match}, has no {key!r}; {nearest(key, known)}")
    settings: dict[str, Any] = {
        key: _share(told[key], key, what) for key in SETTINGS[match] if key in told
    }
    weight, values = told.get("weight", slot.weight), told.get("values", list(slot.values))
    if type(weight) is not int or not 0 <= weight <= 1000:
        raise DataError(f"{what} has the weight {weight!r}; give a whole number from 0 to 1000")
    if not isinstance(values, list):
        raise DataError(f"{what} has the values {values!r:.60}; give a list")
    return replace(
        slot,
        key=key_path(str(told["key"])) if "key" in told else slot.key,
        kind=kind,
        matcher=replace(own if match == own.name else Matcher(match), **settings),
        values=tuple(plain_text(json_text(value)).text for value in values),
        weight=weight,
    )


def _share(value: Any, key: str, what: str) -> Fraction:
    """Return a number of a schema exactly as it is written."""
    most = 1 if key in ("correct", "partial") else 10**15
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise DataError(f"{what} has {key} {value!r}; give a number from 0 to {most:g}")
    return Fraction(str(value))


_BESIDE_TEXT: Final = frozenset((*ENTITY_KEYS, "start", "end", "offset", "span"))
_KINDS: Final = {"integer": "number", "number": "number", "boolean": "boolean"}
_DATES: Final = ("date", "date-time")
_OWN: Final = "tellapart"
"""The keyword of a property that says how it is matched"""


def of_json_schema(tree: Any, place: str) -> Schema:
    """Return the roles of a JSON Schema with their kinds, and where its templates stand.

    Templates are what is under one of the usual keys, or the only thing that there is, if it is a
    list of objects; otherwise the whole is one template.

    >>> tree = {"properties": {"price": {"type": "number"}, "city": {"enum": ["Oslo", "Bergen"]}}}
    >>> for slot in of_json_schema(tree, "deal.json").slots:
    ...     print(slot.name, slot.kind, *slot.values)
    price number
    city choice Oslo Bergen
    """
    try:
        return _Reader(tree, place).schema()
    except RecursionError:
        raise DataError(
            f"{place}: the schema refers to itself without end; name the slots in a mapping"
        ) from None


@dataclass(frozen=True, slots=True)
class _Reader:
    root: Mapping[str, Any]
    place: str

    def schema(self) -> Schema:
        whole = list(self._variants(self.root))
        nodes = list(self._items(whole))
        path = None  # of a list, which holds the templates
        if nodes == whole:
            properties = self._properties(nodes)
            path = self._templates(properties)
            nodes = list(self._items(self._variants(properties[path[0]]))) if path else nodes
        properties = self._properties(nodes)
        typed = next((key for key in TYPE_KEYS if self._is_plain(properties.get(key))), None)
        slots = [
            slot
            for key, node in properties.items()
            if key != typed
            for slot in self._slots(node, (key,))
        ]
        if not slots and typed is None:
            raise DataError(f"{self.place}: the schema has no properties; give those of a template")
        return Schema(
            self.place,
            tuple(slots),
            templates=None if path is None else (path,),
            type=((typed,),) if typed else (),
        )

    def _templates(self, properties: Mapping[str, Any]) -> KeyPath:
        lists = [key for key, node in properties.items() if self._holds_objects(node)]
        usual = [key for key in TEMPLATE_KEYS if key in lists]
        return tuple((usual or (lists if len(properties) == 1 else []))[:1])

    def _holds_objects(self, node: Any) -> bool:
        """Return whether this is a list of objects, or may be one."""
        lists = [each for each in self._variants(node) if _is_list(each)]
        return bool(lists) and all("properties" in each for each in self._items(lists))

    def _is_plain(self, node: Any) -> bool:
        return node is not None and not any(
            _is_list(each) or "properties" in each for each in self._variants(node)
        )

    def _properties(self, nodes: list[Mapping[str, Any]]) -> dict[str, Any]:
        """Return all properties of some objects; what several of them have may be either."""
        found: dict[str, list[Any]] = {}
        for node in nodes:
            properties = node.get("properties")
            if not isinstance(properties, dict):
                raise DataError(f"{self.place}: a template is an object with properties; give them")
            for key, value in properties.items():
                found.setdefault(str(key), []).append(value)
        return {k: v[0] if len(v) == 1 else {"anyOf": v} for k, v in found.items()}

    def _slots(self, node: Any, key: KeyPath) -> Iterator[Slot]:
        name = ".".join(key)
        variants = list(self._items(self._variants(node)))
        objects = [each for each in variants if "properties" in each]
        if any(each.get("type") == "object" and "properties" not in each for each in variants):
            raise DataError(f"{self.place}: {name!r} is an object without properties; list them")
        if objects and not all(_is_entity(each) for each in objects):
            for part, inner in self._properties(objects).items():
                yield from self._slots(inner, (*key, part))
            return
        if objects:
            variants = [
                leaf
                for each in objects
                for part in ENTITY_KEYS
                if part in each["properties"]
                for leaf in self._items(self._variants(each["properties"][part]))
            ]
        told = [each[_OWN] for each in (node, *variants) if isinstance(each.get(_OWN), dict)]
        slot = _slot(key, variants)
        yield changed(slot, told[0], f"{self.place}: the property {name!r}") if told else slot

    def _variants(self, node: Any) -> Iterator[Mapping[str, Any]]:
        """Yield what a node may be, references followed, without null."""
        if node is True or node == {}:
            node = {"type": "string"}
        if not isinstance(node, dict):
            raise DataError(f"{self.place}: {node!r:.60} is no schema; give an object")
        if isinstance(ref := node.get("$ref"), str):
            yield from self._variants(self._referred(ref))
            return
        for word in ("anyOf", "oneOf", "allOf"):
            if isinstance(node.get(word), list):
                for each in node[word]:
                    yield from self._variants(each)
                return
        kinds = node.get("type")
        for kind in kinds if isinstance(kinds, list) else [kinds]:
            if kind != "null" and node.get("const", "") is not None:
                yield {**node, "type": kind} if kind else node

    def _items(self, nodes: Any) -> Iterator[Mapping[str, Any]]:
        """Yield what lists hold, however deep, and all else as it is."""
        for node in nodes:
            if _is_list(node):
                yield from self._items(self._variants(node.get("items", True)))
            else:
                yield node

    def _referred(self, ref: str) -> Any:
        found: Any = self.root
        for part in ref.removeprefix("#").strip("/").split("/") if ref != "#" else ():
            key = part.replace("~1", "/").replace("~0", "~")
            if not ref.startswith("#") or not isinstance(found, dict) or key not in found:
                raise DataError(
                    f"{self.place}: the schema refers to {ref!r}, which is not in it; put it under "
                    "$defs"
                )
            found = found[key]
        return found


def _is_list(node: Mapping[str, Any]) -> bool:
    return node.get("type") == "array" or ("items" in node and "type" not in node)


def _is_entity(node: Mapping[str, Any]) -> bool:
    properties = node["properties"].keys()
    return properties <= _BESIDE_TEXT and not properties.isdisjoint(ENTITY_KEYS)


def _slot(key: KeyPath, variants: list[Mapping[str, Any]]) -> Slot:
    kinds = {*map(_kind, variants)}
    kind = kinds.pop() if len(kinds) == 1 else "text"
    values: list[Any] = []
    if kind == "choice":
        values = [value for each in variants for value in each.get("enum", [each.get("const")])]
    if kind == "boolean":
        values = [True, False]
    texts = [plain_text(json_text(value)).text for value in values if value is not None]
    return slot_at(key, kind, dict.fromkeys(texts))


def _kind(node: Mapping[str, Any]) -> str:
    if "const" in node or isinstance(node.get("enum"), list):
        return "choice"
    if node.get("format") in _DATES:
        return "date"
    return _KINDS.get(str(node.get("type")), "text")
