"""JSON of users: whatever is wrong with it is one sentence with file and line, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tellapart as ta
from tellapart.errors import DataError
from tellapart.formats.json_text import DEEPEST, JsonError, parse_json
from tellapart.formats.muc.replay import read_pairings
from tellapart.formats.muc.slots import load_design

FAULTS: dict[str, tuple[str | bytes, str]] = {
    "cut": ('{"a": ', "this is not JSON (Expecting value at character 7)"),
    "twice": ('{"a": 1, "b": {"a": 2}, "a": 3}', "the key 'a' appears twice in one object"),
    "deep": ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested more than 200 deep"),
    "a little too deep": ("[" * 201 + "]" * 201, "nested more than 200 deep"),
    "digits": ('{"a": ' + "7" * 5000 + "}", "77777777777777777777… is an integer of 5000 digits"),
    "more digits than a float": ('{"a": -' + "7" * 400 + "}", "is an integer of 401 digits"),
    "half": (r'{"a": "x\ud83d"}', r"\ud83d is half of a character"),
    "half a key": (r'{"a\uDE00": 1}', r"\ude00 is half of a character"),
    "not utf-8": (b'{"a": "\xff"}', "this is not UTF-8 text"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_one_sentence_with_the_place(fault: str) -> None:
    text, finding = FAULTS[fault]
    with pytest.raises(JsonError) as raised:
        parse_json(text, "a.json", line=3)
    message = str(raised.value)
    assert message.startswith("a.json:3: ")
    assert finding in message
    assert "; " in message
    assert "\n" not in message


def test_what_is_right_is_read_as_it_stands() -> None:
    """Pairs of halves are characters, the same key may be in two objects, and depth has room."""
    text = r'{"a": "\ud83d\ude00 \\ud83d", "b": {"a": [NaN, 1e5, 12345678901234567890]}}'
    assert json.dumps(parse_json(text, "x")) == json.dumps(json.loads(text))
    deep = "[" * DEEPEST + "]" * DEEPEST
    assert parse_json(deep, "x") == json.loads(deep)
    assert parse_json("[1, 0.10, NaN]", "x", numbers=False) == ["1", "0.10", "NaN"]


def test_a_repeated_key_is_found_on_its_line() -> None:
    """Braces and keys inside strings do not mislead."""
    text = '{"q1": {"a": "}\\"q1\\": {"},\n "q2": ["q1", {"q1": 1}],\n\n "q1": {}}'
    with pytest.raises(JsonError, match=r"^run\.json:4: the key 'q1' appears twice"):
        parse_json(text, "run.json", line=1)


def test_halves_in_logs_are_marked() -> None:
    """What models wrote is shown, though a half of a character cannot be."""
    assert parse_json(r'["x\ud83d", "\ud83d\ude00"]', "a.eval", halves=True) == ["x?", "😀"]


ROWS = {
    "items": '{"item": "q1", "score": 1%s}',
    "spans": '{"text": "Anna", "spans": []%s}',
    "relations": '{"unit": "s1", "relations": []%s}',
    "lm-eval": '{"doc_id": 0, "doc": {}, "resps": [], "acc": 1%s}',
    "trec": '{"q1": {"d1": 1}%s}',
    "inspect": '{"version": 2, "status": "success", "eval": {"model": "m"}, '
    '"samples": [{"id": 1, "scores": {"m": {"value": 1}}}]%s}',
}
EXTRAS = {
    ', "x": 1, "x": 2': "the key 'x' appears twice",
    ', "x": ' + "[" * 3000 + "]" * 3000: "nested more than 200 deep",
    ', "x": ' + "1" * 5000: "an integer of 5000 digits",
    r', "x": "\udc00"': "half of a character",
}


@pytest.mark.parametrize("extra", EXTRAS, ids=EXTRAS.values())
@pytest.mark.parametrize("form", ROWS)
def test_every_format_refuses_them(form: str, extra: str, tmp_path: Path) -> None:
    """But tables keep numbers as texts, so that any integer can be read, and logs mark halves."""
    path = tmp_path / "a.jsonl"
    path.write_text(ROWS[form] % extra + "\n")
    gold = [path] if form in ("spans", "relations", "trec") else []
    if (form == "items" and "integer" in EXTRAS[extra]) or (
        form in ("lm-eval", "inspect") and "half" in EXTRAS[extra]
    ):
        assert ta.read(path, gold, form=form).names
        return
    with pytest.raises(DataError) as raised:
        ta.read(path, gold, form=form)
    assert str(raised.value).startswith(f"{path}:")
    assert EXTRAS[extra] in str(raised.value)


@pytest.mark.parametrize("read", [load_design, read_pairings])
def test_slot_tables_and_replays_refuse_them(read: object, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"pairings": [],\n "slots": [], "slots": []}')
    assert callable(read)
    with pytest.raises(DataError, match=r"a\.json:2: the key 'slots' appears twice"):
        read(str(path))
