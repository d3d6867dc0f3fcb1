"""Targets for templates as JSON: any JSON, files of GTT, and what options name beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from .damage import KEYED
from .soundness import NotSoundError, lines_of, no_repeats, parsed, shape, text_of
from .target import File, Target

_PEOPLE = (("Ida", "Oslo"), ("Bo", "Faro"), ("Uma", "Bern"), ("Eva", "Rome"))
_ROLES = {"who", "where", "price"}


def template_targets() -> Iterator[Target]:
    """Yield the targets of templates."""
    files = tuple(_generic(name, lost) for name, lost in (("gold", 9), ("alder", 1), ("birch", 2)))
    arguments = ("--gold", "gold.jsonl", "alder.jsonl", "birch.jsonl")
    yield Target("templates", "templates", files, arguments, arguments)
    beside = (*arguments, "--schema", "schema.json")
    fixed = tuple(replace(file, fixed=True) for file in files)
    schema = File("schema.json", json.dumps(_SCHEMA).encode(), _same_shape, KEYED)
    yield Target("templates-schema", "templates", (*fixed, schema), beside, beside)
    yield _gtt()
    yield _arguments()


_SCHEMA = {
    "slots": {
        "who": {"kind": "text"},
        "where": {"kind": "text"},
        "price": {"kind": "number", "match": "number", "tolerance": 1},
    }
}


def _generic(name: str, lost: int) -> File:
    """Return documents as any JSON, of which a system lost some fills."""
    rows = []
    for k, (who, where) in enumerate(_PEOPLE):
        template: dict[str, Any] = {"type": "trip", "who": who, "where": [where, "home"]}
        if k % 3 != lost:
            template["price"] = 10 + k
        rows.append({"doc": f"d{k}", "templates": [template, {"type": "stay", "where": where}]})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    also = () if name == "gold" else (name,)
    return File(f"{name}.jsonl", text.encode(), _sound_generic, KEYED, also=also)


def _sound_generic(data: bytes, _: bytes) -> bool:
    """Return whether lines are documents with templates, a type and known roles each."""
    try:
        rows = [parsed(line) for line in lines_of(data) or () if line.strip()]
    except NotSoundError:
        return False
    return (
        bool(rows)
        and all(isinstance(row, dict) and row.keys() == {"doc", "templates"} for row in rows)
        and all(isinstance(row["doc"], str | int) for row in rows)
        and all(_is_list_of_templates(row["templates"]) for row in rows)
        and no_repeats(str(row["doc"]) for row in rows)
    )


def _is_list_of_templates(value: Any) -> bool:
    given = value if isinstance(value, list) else [] if value is None else [value]
    return all(
        isinstance(each, dict)
        and isinstance(each.get("type"), str)
        and each.keys() <= {"type", *_ROLES}
        and all(_is_fill(fill) for key, fill in each.items() if key != "type")
        for each in given
    )


def _is_fill(value: Any) -> bool:
    """Return whether this is a mention, or a list of mentions; null is no fill."""
    return not isinstance(value, dict) and (
        not isinstance(value, list) or all(_is_mention(each) for each in value)
    )


def _is_mention(value: Any) -> bool:
    """Return whether this is a plain value, or a list of such, which are alternatives."""
    given = value if isinstance(value, list) else [value]
    return not any(isinstance(each, dict | list) for each in given)


def _same_shape(data: bytes, original: bytes) -> bool:
    """Return whether JSON has the keys and types of the original, and the same length of lists."""
    text = text_of(data)
    try:
        return text is not None and _skeleton(parsed(text)) == _skeleton(parsed(original.decode()))
    except NotSoundError:
        return False


def _skeleton(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _skeleton(each) for key, each in value.items()}
    return [_skeleton(each) for each in value] if isinstance(value, list) else shape(value)


def _gtt() -> Target:
    """Return gold of GTT, and predictions as GTT and IterX write them."""
    names = [f"TST3-X-{k:04}" for k in range(1, 5)]
    gold = [
        {"docid": name, "doctext": "", "templates": [_gtt_template([[who, 0]])]}
        for name, (who, _) in zip(names, _PEOPLE, strict=True)
    ]
    theirs = {
        f"3000{k}": {"pred_templates": [_gtt_template([who])]}
        for k, (who, _) in enumerate(_PEOPLE, 1)
    }
    others = [{name: [_gtt_template(["Eva"])]} for name in names]
    files = (
        File("gold.jsonl", _lines(gold), _same_lines, KEYED),
        File("gtt.json", json.dumps(theirs, indent=1).encode(), _same_shape, KEYED, also=("gtt",)),
        File("iterx.jsonl", _lines(others), _same_lines, KEYED, also=("iterx",)),
    )
    arguments = ("--gold", "gold.jsonl", "gtt.json", "iterx.jsonl")
    return Target("templates-gtt", "templates", files, arguments, arguments)


def _gtt_template(victim: list[Any]) -> dict[str, Any]:
    return {"incident_type": "attack", "PerpInd": [], "Victim": [victim]}


def _lines(rows: list[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _same_lines(data: bytes, original: bytes) -> bool:
    """Return whether lines have the keys and types of lines of the original."""
    try:
        rows, known = (
            [_skeleton(parsed(line)) for line in lines_of(each) or () if line.strip()]
            for each in (data, original)
        )
    except NotSoundError:
        return False
    return bool(rows) and all(row in known for row in rows)


def _arguments() -> Target:
    """Return arguments of given events, of which ontology, heads and clusters are damaged."""
    tokens = ["the", "old", "rebels", "hit", "the", "bridge"]
    entities = [{"id": "e1", "start": 0, "end": 3}, {"id": "e2", "start": 4, "end": 6}]
    roles = {"Attacker": "e1", "Target": "e2"}
    names = ("d1", "d2", "d3")
    gold = [
        {
            "doc_id": name,
            "tokens": tokens,
            "entity_mentions": [{**each, "id": f"{name}-{each['id']}"} for each in entities],
            "event_mentions": [
                {
                    "id": f"{name}-v1",
                    "event_type": "Attack",
                    "trigger": {"start": 3, "end": 4},
                    "arguments": [
                        {"entity_id": f"{name}-{entity}", "role": role}
                        for role, entity in roles.items()
                    ],
                }
            ],
        }
        for name in names
    ]
    theirs = [{"doc_key": name, "predicted": "rebels hit bridge"} for name in names]
    ontology = {"Attack": {"template": "<arg1> hit <arg2>", "roles": ["Attacker", "Target"]}}
    clusters = [
        {"doc_key": name, "clusters": [[f"{name}-e1"]], "informative_mentions": ["rebels"]}
        for name in names
    ]
    heads = {name: [2, 2, 3, 3, 5, 3] for name in names}
    fixed = (
        File("gold.jsonl", _lines(gold), fixed=True),
        File("alder.jsonl", _lines(theirs), fixed=True),
        File("birch.jsonl", _lines([{**each, "predicted": "<arg> hit bridge"} for each in theirs]),
             fixed=True),
    )  # fmt: skip
    beside = (
        File("ontology.json", json.dumps(ontology).encode(), _same_shape, KEYED),
        File("heads.json", json.dumps(heads).encode(), _same_shape, KEYED),
        File("coref.jsonl", _lines(clusters), _same_shapes_in_order, KEYED),
    )
    arguments = (
        "--gold", "gold.jsonl", "alder.jsonl", "birch.jsonl",
        "--ontology", "ontology.json", "--heads", "heads.json", "--coref", "coref.jsonl",
    )  # fmt: skip
    # Without --as, a file after --coref is told from a system's by how it begins.
    return Target(
        "templates-arguments", "templates", (*fixed, *beside), arguments, arguments,
        is_guessed=False,
    )  # fmt: skip


def _same_shapes_in_order(data: bytes, original: bytes) -> bool:
    """Return whether there are the lines of the original, but for what texts say."""
    try:
        rows, known = (
            [_skeleton(parsed(line)) for line in lines_of(each) or () if line.strip()]
            for each in (data, original)
        )
    except NotSoundError:
        return False
    return rows == known
