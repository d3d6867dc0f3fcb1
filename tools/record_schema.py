"""Makes the JSON Schema of the record, and the page of its keys, from the dataclasses themselves.

`python tools/record_schema.py` prints the schema.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import pairwise
from textwrap import dedent
from typing import Any, Union, get_args, get_origin, get_type_hints

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what `--json` writes.

    >>> sorted(schema()["$defs"]["Items"]["properties"])
    ['cluster', 'clusters', 'count', 'kind']
    """
    from tellapart.comparison.record import Comparison

    kinds = list(_records(Comparison, []))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The record of a comparison",
        "$ref": f"#/$defs/{Comparison.__name__}",
        "$defs": {kind.__name__: _object(kind) for kind in kinds},
    }


def keys_page() -> str:
    """Return the page: a table of keys for each kind of record."""
    parts = [
        "# The keys of the record\n\nMade from the code; what `--json` writes is one Comparison.\n"
    ]
    for name, kind in schema()["$defs"].items():
        rows = [
            f"| `{key}` | {_shown(value)} | {value.get('description', '')} |"
            for key, value in kind["properties"].items()
        ]
        parts.append(
            f"## {name}\n\n{kind['description']}\n\n| key | type | meaning |\n| --- | --- | --- |"
        )
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def _records(kind: type, found: list[type]) -> list[type]:
    """Return a record and all that its fields hold, each once, in the order of their use."""
    if kind not in found:
        found.append(kind)
        for hint in get_type_hints(kind).values():
            for inner in _named_in(hint):
                if isinstance(inner, type) and is_dataclass(inner):
                    _records(inner, found)
    return found


def _named_in(hint: Any) -> Iterator[Any]:
    yield hint
    for inner in get_args(hint):
        yield from _named_in(inner)


def _object(kind: type) -> dict[str, Any]:
    hints, told = get_type_hints(kind), _docstrings(kind)
    properties = {
        each.name: _typed(hints[each.name]) | told.get(each.name, {}) for each in fields(kind)
    }
    description = (inspect.getdoc(kind) or "").splitlines()[0]
    return {"type": "object", "description": description, "properties": properties}


def _docstrings(kind: type) -> dict[str, dict[str, str]]:
    """Return the texts that stand below the fields of a class."""
    (body,) = (node.body for node in ast.parse(dedent(inspect.getsource(kind))).body
               if isinstance(node, ast.ClassDef))  # fmt: skip
    return {
        field.target.id: {"description": " ".join(text.value.value.replace("``", "`").split())}
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }  # fmt: skip


def _typed(hint: Any) -> dict[str, Any]:
    """Return the schema of a type."""
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if is_dataclass(hint) and isinstance(hint, type):
        return {"$ref": f"#/$defs/{hint.__name__}"}
    kind, inner = get_origin(hint), get_args(hint)
    if kind in (Union, types.UnionType):
        return {"anyOf": [_typed(each) for each in inner]}
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return {"type": "object", "additionalProperties": _typed(inner[1])}
    if kind in (list, tuple):
        return {"type": "array", "items": _typed(inner[0])}
    return {}


def _shown(value: dict[str, Any]) -> str:
    """Return a type in a word or two, for the table."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(map(_shown, value["anyOf"])))
    inner = value.get("items") or value.get("additionalProperties")
    if not inner:
        return str(value.get("type", "any"))
    return f"{'list of' if 'items' in value else 'by name:'} {_shown(inner)}"


if __name__ == "__main__":
    json.dump(schema(), sys.stdout, indent=1, ensure_ascii=False)
    print()
