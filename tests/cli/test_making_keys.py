"""Two annotators' keys become one: differences are questions, and the settled key is a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from campaign_files import answer, asked, program
from muc_files import DESIGN, attack, template, write
from table_files import Capture, json_lines
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judging import desk_of
from tellapart.cli import main
from tellapart.formats.problems import Findings
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.keys import (
    FIRST,
    SECOND,
    Difference,
    drafts,
    key_content,
    read_keys,
    settled_key,
)
from tellapart.formats.templates.muc_reader import read_templates
from tellapart.formats.templates.values import Value, shown, texts

NOTHING = template("M4", "*", dict.fromkeys([slot.name for slot in DESIGN.scored], "*"))
ANN = (
    attack("M1", hum_tgt_desc=['"MEN" / "PEASANTS"', '"A CHILD"'], inc_stage="ACCOMPLISHED"),
    attack("M2", hum_tgt_desc='"WOMEN"', inc_loc="PERU: LIMA (CITY)"),
    attack("M3", hum_tgt_effect='DEATH: "PRIEST"', hum_tgt_desc='"PRIEST"'),
    NOTHING,
)
BOB = (
    attack("M1", hum_tgt_desc=['"THE PEASANTS" / "FARMERS"', '"CHILD"'], inc_stage="ATTEMPTED"),
    attack("M2", "1 (OPTIONAL)", hum_tgt_desc='"WOMEN"', inc_loc="PERU: CALLAO (TOWN)"),
    attack("M3", hum_tgt_effect='DEATH: "JESUIT"', hum_tgt_desc=['"PRIEST"', '"JESUIT"']),
    attack("M4", hum_tgt_desc='"GUARD"'),
)
DECIDED = {
    "M1 hum-tgt-desc": "either",
    "M1 inc-stage": "first",
    "M2 inc-loc": "either",
    "M2 template": "optional",
    "M3 hum-tgt-desc": "optional",
    "M3 hum-tgt-effect": "either",
    "M4 template": "required",
}


def campaign_of(folder: Path, form: str, first: str, second: str, *more: str) -> Campaign:
    """Make a campaign about two keys."""
    place = str(folder / "c")
    words = ["--as", form, "--judging", "keys", "--second", "0", *more]
    assert main(["campaign", "new", place, *words]) == 0
    assert main(["campaign", "add", place, f"ann={first}", f"bob={second}"]) == 0
    return Campaign.open(place)


def typist(campaign: Campaign, decided: dict[str, str], capsys: Capture) -> Callable[[str], str]:
    """Return a person who types what is to be decided, and ends when nothing is asked."""
    questions = desk_of(campaign).questions.values()

    def typed(_: str) -> str:
        told = re.findall(r"^(\S+)  (\S+)$", capsys.readouterr().out, re.MULTILINE)
        if not told:
            return ""
        item, label = told[-1]
        asked = next(q for q in questions if (q.item, q.label) == (item, label))
        outcome = json.dumps({"key": decided[f"{item} {label}"]})
        return next(answer.key for answer in asked.answers if answer.outcome == outcome)

    return typed


def test_keys_of_1992(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but one are settled at a terminal, one in the browser; the key is the gold of others."""
    first, second = write(tmp_path, "ann.txt", *ANN), write(tmp_path, "bob.txt", *BOB)
    campaign, key = campaign_of(tmp_path, "muc", first, second), str(tmp_path / "key.txt")
    assert main(["campaign", "export", campaign.folder, "--key", key]) == 2
    assert "7 of 7 questions about the key are open" in capsys.readouterr().err

    olga = program(campaign, "olga", "organiser")
    assert '<th scope="col">ann</th>' in olga.get("/judge").json()["html"]
    question = asked(olga)
    outcome = json.dumps({"key": DECIDED[f"{question['item']} {question['label']}"]})
    assert answer(olga, outcome).status_code == 200
    assert len(campaign.log.since()) == 1

    monkeypatch.setattr("builtins.input", typist(campaign, DECIDED, capsys))
    assert main(["adjudicate", campaign.folder, "--judge", "paul"]) == 0
    assert main(["campaign", "status", campaign.folder]) == 0
    status = capsys.readouterr().out
    assert main(["campaign", "export", campaign.folder, "--key", key]) == 0
    assert main(["validate", "--as", "muc", key]) == 0

    settled = read_templates(key, DESIGN, Findings(strict=True))
    fills = {
        (message, slot.name): [shown(fill) for fill in fills]
        for message, (only,) in settled.messages.items()
        for slot, fills in zip(DESIGN.scored, only.fills, strict=True)
    }
    assert fills["M1", "hum-tgt-desc"] == ['"MEN" / "PEASANTS" / "FARMERS"', '"A CHILD"']
    assert fills["M1", "inc-stage"] == ["ACCOMPLISHED"]
    assert fills["M2", "inc-loc"] == ["(PERU: LIMA (CITY)) / (PERU: CALLAO (TOWN))"]
    assert settled.messages["M2"][0].optional
    assert fills["M3", "hum-tgt-desc"] == ['"PRIEST"', '? "JESUIT"']
    assert fills["M3", "hum-tgt-effect"] == ['DEATH: "PRIEST" / "JESUIT"']
    assert fills["M4", "hum-tgt-desc"] == ['"GUARD"']

    # The ceiling: Ann lacks the template of M4, with two fills; Bob has another stage in M1.
    record = tmp_path / "scores.json"
    words = ["score", "--as", "muc", "--gold", key, f"ann={first}", f"bob={second}"]
    assert main([*words, "--json", str(record)]) == 0
    systems = json.loads(record.read_text())["systems"]
    found = {each["name"]: each["scores"]["f1"] for each in systems}
    assert found == pytest.approx({"ann": 20 / 22, "bob": 12 / 13})
    assert f"f1: ann {found['ann']:.3f}, bob {found['bob']:.3f}" in status


def as_set(fills: Iterable[Value]) -> set[frozenset[str]]:
    return {frozenset(text.bare for text in texts(fill)) for fill in fills}


@pytest.mark.parametrize("side", [0, 1])
def test_who_always_has_one_annotator_right_gets_that_key(tmp_path: Path, side: int) -> None:
    """Whatever two keys are, following one of them gives its templates and fills."""
    paths = write(tmp_path, "ann.txt", *ANN), write(tmp_path, "bob.txt", *BOB)
    evaluation = read_keys(*paths, TemplateOptions())
    (task,) = evaluation.tasks.values()
    problems = Findings()
    wanted = read_templates(paths[side], DESIGN, problems)

    def follow(each: Difference) -> str:
        if each.slot:
            return (FIRST, SECOND)[side] if each.fills[side] is not None else "neither"
        number = each.templates[side]
        if number is None:
            return "neither"
        (there,) = (t for t in wanted.messages[each.message] if t.number == number)
        return "optional" if there.optional else "required"

    made = {message: drafts(task, message) for message in evaluation.key.messages}
    key = settled_key(evaluation, made, follow)
    (tmp_path / "key.txt").write_bytes(key_content(evaluation, key))
    found = read_templates(str(tmp_path / "key.txt"), DESIGN, problems)
    assert not problems.found
    assert found.messages.keys() == wanted.messages.keys()
    for message, templates in wanted.messages.items():
        for one, other in zip(templates, found.messages[message], strict=True):
            assert (one.number, one.optional) == (other.number, other.optional)
            assert list(map(as_set, one.fills)) == list(map(as_set, other.fills))


SCHEMA = """document = "id"
templates = "found.templates"
type = "kind"
[slots.victim]
[slots.effect]
kind = "choice"
[slots.price]
kind = "number"
key = "cost.price"
"""
LINES = (
    {"id": "d1", "text": "Ana.", "found": {"templates": [{
        "kind": "attack", "victim": ["Ana", ["Bo", "the guard"]], "cost": {"price": "1,000"},
        "effect": [{"mentions": ["hurt"], "refers_to": "Ana", "optional": True}]}]}},
    {"id": "d2", "found": {"templates": []}},
)  # fmt: skip
OTHER = (
    {"id": "d1", "found": {"templates": [{
        "kind": "attack", "victim": ["Ana", ["Bo", "a man"]], "cost": {"price": 1000},
        "effect": [{"mentions": ["killed"], "refers_to": "Ana"}]}]}},
    {"id": "d2", "found": {"templates": [{"kind": "bombing", "victim": "Li"}]}},
)  # fmt: skip


def test_keys_in_json(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key stands where the schema says, with alternatives, references and what is optional."""
    schema, key = tmp_path / "schema.toml", tmp_path / "key.jsonl"
    schema.write_text(SCHEMA)
    paths = [tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"]
    for path, rows in zip(paths, (LINES, OTHER), strict=True):
        path.write_text(json_lines(rows))
    options = "--schema", str(schema)
    campaign = campaign_of(tmp_path, "templates", *map(str, paths), *options)
    decided = {"d1 victim": "either", "d1 effect": "second", "d2 template": "optional"}
    monkeypatch.setattr("builtins.input", typist(campaign, decided, capsys))
    assert main(["adjudicate", campaign.folder, "--judge", "paul"]) == 0
    assert main(["campaign", "export", campaign.folder, "--key", str(key)]) == 0
    first, second = map(json.loads, key.read_text().splitlines())
    assert first == {"id": "d1", "text": "Ana.", "found": {"templates": [{
        "kind": "attack", "victim": ["Ana", ["Bo", "the guard", "a man"]],
        "cost": {"price": ["1,000"]},
        "effect": [{"mentions": ["killed"], "refers_to": "Ana"}]}]}}  # fmt: skip
    assert second["found"]["templates"] == [{"kind": "bombing", "victim": ["Li"], "optional": True}]
    record = tmp_path / "scores.json"
    words = ["score", "--as", "templates", *options, "--gold", str(key), *map(str, paths)]
    assert main([*words, "--json", str(record)]) == 0
    scores = [each["scores"]["muc"] for each in json.loads(record.read_text())["systems"]]
    assert scores == pytest.approx([4 / 5, 1])


def test_a_key_in_json_is_written_as_the_annotators_wrote_theirs(
    tmp_path: Path, capsys: Capture
) -> None:
    """Without a schema, which is said: fills are texts, and the document has its own key."""
    for name in ("ann", "bob"):
        row = {"doc_id": 7, "templates": [{"type": "attack", "dead": [3], "at": [name]}]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    campaign = campaign_of(
        tmp_path, "templates", *(str(tmp_path / f"{name}.jsonl") for name in ("ann", "bob"))
    )
    assert main(["campaign", "status", campaign.folder]) == 0
    assert "There is no --schema" in capsys.readouterr().out
    desk = desk_of(campaign)
    (question,) = desk.questions.values()
    assert desk.judging.view(question).sides == ("ann", "bob")
    desk.answer("olga", question.id, question.answers[0].outcome)
    key = tmp_path / "key.jsonl"
    assert main(["campaign", "export", campaign.folder, "--key", str(key)]) == 0
    template = {"type": "attack", "dead": ["3"], "at": ["ann"]}
    assert json.loads(key.read_text()) == {"doc_id": "7", "templates": [template]}
