"""Schemas of templates: mappings, JSON Schema as pydantic writes it, guesses, and what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from table_files import json_lines
from tellapart.formats.templates.schema import Schema, of_json_schema

INCIDENTS = Path(__file__).parents[2] / "data" / "incidents_schema.json"
"""What pydantic 2 writes of: class Incident with Literal type, date | None, Place | None, a list of
Victim, a list of texts; and of Extraction with `incidents: list[Incident]`"""


def kinds(schema: Schema) -> dict[str, str]:
    """Return the kind of each slot by its name."""
    return {slot.name: slot.kind for slot in schema.slots}


def test_a_schema_of_pydantic() -> None:
    """References, null, lists, enumerations, dates and nested models become slots with kinds."""
    schema = of_json_schema(json.loads(INCIDENTS.read_text()), "x")
    assert kinds(schema) == {
        "date": "date",
        "damage": "number",
        "claimed": "boolean",
        "place.city": "text",
        "place.country": "choice",
        "victims.name": "text",
        "victims.age": "number",
        "weapons": "text",
        "source": "text",
    }
    assert (schema.templates, schema.type) == ((("incidents",),), (("type",),))
    slots = {slot.name: slot for slot in schema.slots}
    assert slots["place.country"].values == ("PE", "CO")
    assert slots["damage"].matcher.relative * 20 == 1


def test_variants_are_put_together() -> None:
    """Templates of several models have the slots of all of them; allOf is followed."""
    models = [
        {"properties": {"type": {"const": "a"}, "price": {"type": "number"}}},
        {"properties": {"type": {"const": "b"}, "price": {"type": "string"}}},
        {"allOf": [{"properties": {"who": {"enum": [1, None]}}}]},
    ]
    events = {"type": "array", "items": {"oneOf": models}}
    schema = of_json_schema({"properties": {"events": events}}, "x")
    assert kinds(schema) == {"price": "text", "who": "choice"}
    assert schema.slots[1].values == ("1",)


MAPPING = """\
document = "meta.id"
templates = "result.events"
type = "kind"
ignore = ["why"]

[slots.price]
key = "deal.price"
kind = "number"
relative = 0.01

[slots.goods]
match = "tokens"
partial = 0.25
"""


def f1(tmp_path: Path, gold: list[Any], system: list[Any], schema: str | None = None) -> float:
    """Return F1 of records, by a mapping if there is one."""
    for name, records in (("gold", gold), ("a", system)):
        (tmp_path / f"{name}.jsonl").write_text(json_lines(records), encoding="utf-8")
    options = {} if schema is None else {"schema": str(tmp_path / "m.toml")}
    (tmp_path / "m.toml").write_text(schema or "", encoding="utf-8")
    options |= {"form": "templates", "metrics": "muc"}
    counts = ta.read(tmp_path / "a.jsonl", gold=tmp_path / "gold.jsonl", **options)
    sums = dict(zip(counts.columns, counts.summed()[0].tolist(), strict=True))
    return float((2 * sums["cor"] + sums["par"]) / (sums["pos"] + sums["act"]))


DEAL = {"kind": "sale", "deal": {"price": 100}, "goods": ["van"]}


def test_a_mapping_says_where_things_stand(tmp_path: Path) -> None:
    """Documents, templates, types and roles by dotted keys; what is ignored counts nowhere."""
    gold = [{"meta": {"id": "d"}, "result": {"events": [{**DEAL, "why": "x"}]}}]
    system = [{"meta": {"id": "d"}, "result": {"events": {**DEAL, "deal": {"price": 120}}}}]
    assert f1(tmp_path, gold, gold, MAPPING) == 1
    assert f1(tmp_path, gold, system, MAPPING) == 2 * 2 / 6


def test_systems_that_do_not_fit_are_scored(tmp_path: Path) -> None:
    """Unknown keys, wrong kinds and answers that are no JSON find nothing of gold."""
    gold = [{"id": d, "templates": [{"price": 3}]} for d in ("d", "e")]
    system = [
        {"id": "d", "templates": [{"price": "three", "colour": "red"}]},
        {"id": "e", "templates": "I am sorry."},
    ]
    assert f1(tmp_path, gold, system, '[slots.price]\nkind = "number"\n') == 0


@pytest.mark.parametrize("extra", ["", 'type = "type"\n'])
def test_a_slot_at_the_key_of_the_type_says_what_types_there_are(
    tmp_path: Path, extra: str
) -> None:
    """It is no second slot beside the type, and counts and matches as it says."""
    gold = [{"id": "d", "templates": [{"type": "sale", "goods": ["van"]}]}]
    system = [{"id": "d", "templates": [{"type": "sael", "goods": ["van"]}]}]
    schema = extra + '[slots.goods]\n[slots.type]\nvalues = ["sale"]\nweight = 3\n'
    assert f1(tmp_path, gold, system, schema) == 2 * 1 / 8


def test_views_show_templates_slot_by_slot(tmp_path: Path) -> None:
    """Fills are marked by what became of them; what no system has is missing in gold."""
    gold = [{"id": "d", "templates": [{"type": "sale", "goods": ["van", "car"], "price": 3}]}]
    given = [{"type": "sale", "goods": ["car"], "price": 4}, {"type": "gift"}]
    f1(tmp_path, gold, [{"id": "d", "templates": given}])
    counts = ta.read(tmp_path / "a.jsonl", form="templates", gold=tmp_path / "gold.jsonl")
    assert counts.views is not None
    first, second = counts.views("d").sections
    assert (first.title, second.title) == ("Template 1 of the key", "Not in the key")
    rows = {row.label: row for row in first.rows}
    assert [p.text for p in rows["goods"].gold] == ["car", ", ", "van"]
    assert ("car", "right") in [(p.text, p.mark) for p in rows["goods"].outputs["a"]]
    assert [p.mark for p in rows["price"].outputs["a"]] == ["wrong"]
    assert [p.mark for p in second.rows[0].outputs["a"]] == ["spurious"]
