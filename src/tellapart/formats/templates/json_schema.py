"""JSON Schema, as pydantic writes it and extraction prompts carry it: roles and their kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.formats.templates.design import KeyPath, Slot
from tellapart.formats.templates.schema import (
    ENTITY_KEYS,
    TEMPLATE_KEYS,
    TYPE_KEYS,
    Schema,
    as_text,
    changed,
    slot_at,
)

_BESIDE_TEXT: Final = frozenset((*ENTITY_KEYS, "start", "end", "offset", "span"))
_MARKS: Final = ("$schema", "$defs", "definitions", "properties", "$ref", "anyOf", "oneOf", "allOf")
_KINDS: Final = {"integer": "number", "number": "number", "boolean": "boolean"}
_DATES: Final = ("date", "date-time")
_OWN: Final = "tellapart"
"""The keyword of a property that says how it is matched"""


def is_json_schema(tree: Any) -> bool:
    """Return whether this is a JSON Schema.

    >>> is_json_schema({"type": "object", "properties": {}}), is_json_schema({"type": "kind"})
    (True, False)
    """
    return isinstance(tree, dict) and (
        any(mark in tree for mark in _MARKS) or (tree.get("type") == "array" and "items" in tree)
    )


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
            beside = {key: value for key, value in node.items() if key != "$ref"}
            for each in self._variants(self._referred(ref)):
                yield {**each, **beside}
            return
        for word in ("anyOf", "oneOf"):
            if isinstance(node.get(word), list):
                for each in node[word]:
                    yield from self._variants(each)
                return
        if isinstance(parts := node.get("allOf"), list) and parts:
            merged = {key: value for key, value in node.items() if key != "allOf"}
            for part in parts:
                for each in self._variants(part):
                    both = {**merged.get("properties", {}), **each.get("properties", {})}
                    merged = {**each, **merged} | ({"properties": both} if both else {})
            yield merged
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
    texts = dict.fromkeys(as_text(value) for value in values if value is not None)
    return slot_at(key, kind, texts)


def _kind(node: Mapping[str, Any]) -> str:
    if "const" in node or isinstance(node.get("enum"), list):
        return "choice"
    if node.get("format") in _DATES:
        return "date"
    return _KINDS.get(str(node.get("type")), "text")
