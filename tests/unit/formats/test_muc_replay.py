"""Replaying runs in their order, with what was decided in each."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from muc_files import attack, counted, slot, write
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.formats.templates.evaluation import Evaluation, read_evaluation
from tellapart.formats.templates.format import TemplateOptions

FINAL = r"""
(("M1"
  ("1"
   (perp-ind-id
    ("\"REBELS\"" match "\"ELN\"")))))
"""


def replayed(folder: Path, responses: dict[str, list[str]], **data: Any) -> Evaluation:
    key = write(
        folder, "key.txt",
        attack(perp_ind_id='"ELN"', phys_tgt_id='"BRIDGE"'), attack("M2", phys_tgt_id='"BRIDGE"'),
    )  # fmt: skip
    history = write(folder, "history.txt", FINAL)
    paths = tuple(write(folder, f"{name}.txt", *each) for name, each in responses.items())
    replay = write(folder, "replay.json", json.dumps({"run_order": ["A", "B"], **data}))
    return read_evaluation(key, paths, TemplateOptions(history=history, replay=replay))


def rebels(folder: Path, **data: Any) -> list[dict[str, int]]:
    response = [attack(perp_ind_id='"REBELS"', phys_tgt_id='"BRIDGE"')]
    runs = replayed(folder, {"A": response, "B": response}, **data).score()
    return [counted(slot(runs[name], "perp-ind-id")) for name in ("A", "B")]


MATCH = {"pos": 1, "act": 1, "cor": 1, "icr": 1}
FAIL = {"pos": 1, "act": 1, "inc": 1}


def test_a_listed_answer_goes_first_and_is_remembered(tmp_path: Path) -> None:
    """B's look-up finds what was answered in A's run, not what the final history has."""
    answer = ["A", "M1", "1", "1", "perp-ind-id", 0, '"REBELS"', ["fail"]]
    assert rebels(tmp_path, answers=[answer]) == [FAIL, FAIL]


def test_an_amendment_puts_the_final_entry_in_place(tmp_path: Path) -> None:
    answer = ["A", "M1", "1", "1", "perp-ind-id", 0, '"REBELS"', ["fail"]]
    amendment = ["B", "M1", "1", "perp-ind-id", '"REBELS"']
    assert rebels(tmp_path, answers=[answer], amendments=[amendment]) == [FAIL, MATCH]


def test_given_pairings_may_leave_templates_out(tmp_path: Path) -> None:
    response = [attack(phys_tgt_id='"BRIDGE"'), attack(number="2")]
    runs = replayed(
        tmp_path, {"A": response, "B": response}, pairings=[["A", "M1", [["1", "1"]]]]
    ).score()
    assert [(p.key, p.response) for p in runs["A"].pairs] == [("1", "1"), ("1", None)]
    assert [(p.key, p.response) for p in runs["B"].pairs][:2] == [("1", "1"), (None, "2")]


def test_missing_and_added_runs_are_said(tmp_path: Path) -> None:
    response = [attack(phys_tgt_id='"BRIDGE"')]
    found = replayed(tmp_path, {"B": response, "C": response})
    assert [(n.code, n.affected) for n in found.notices] == [
        ("missing-message", ("M2",)), ("missing-message", ("M2",)),
        ("muc-replay-incomplete", ("A",)), ("muc-replay-added", ("C",)),
    ]  # fmt: skip
    assert list(found.score()) == ["B", "C"]


def answer(slot: object = "perp-ind-id", turn: object = 0, *reply: object) -> list[object]:
    return ["A", "M1", "1", "1", slot, turn, "X", list(reply) or ["fail"]]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"pairings": [["A", "M1"]]}, "row 1 of pairings, .* is not"),
        ({"pairings": [["A", "M1", [[1, 2]]]]}, "row 1 of pairings"),
        ({"pairings": [["A", "M1", []], ["A", "m1", []]]}, "row 2 .* is there again"),
        ({"answers": [answer("perp-ind-id", 0, "perhaps")]}, "row 1 of answers"),
        ({"answers": [answer(), answer("no-slot")]}, "row 2 of answers"),
        ({"answers": [answer(), answer()]}, "row 2 of answers, .* is there again"),
        ({"answers": [answer("perp-ind-id", "0")]}, "row 1 of answers"),
        ({"answers": [answer("perp-ind-id", 0, "match", -1)]}, "row 1 of answers"),
        ({"answers": [answer("perp-ind-id", 0, "match")]}, "row 1 of answers"),
        ({"answers": [answer(7)]}, "row 1 of answers"),
        ({"answers": {}}, "row 1 of answers"),
        ({"anwsers": []}, "give an object with run_order"),
        ({"run_order": ["A", "A"]}, "give an object with run_order"),
        ({"amendments": [["A", "M1", "1", "no-slot", "X"]]}, "row 1 of amendments"),
    ],
)
def test_what_is_no_replay_data(
    tmp_path: Path, data: dict[str, Any], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every verb refuses it, in the same words."""
    with pytest.raises(DataError, match=rf"replay.json: this is no replay data: .*{told}"):
        replayed(tmp_path, {"A": [attack()]}, **data)
    assert main(["validate", "--as", "muc", str(tmp_path / "replay.json")]) == 2
    assert re.search(rf"this is no replay data: .*{told}", capsys.readouterr().out)


@pytest.mark.parametrize(
    "data",
    [
        {"answers": [["A", "M7", "1", "1", "perp-ind-id", 0, "X", ["fail"]]]},
        {"revisits": [["A", "M1", "7", "M1"]]},
        {"revisits": [["A", "M1", "1", "M7"]]},
        {"amendments": [["A", "M7", "1", "perp-ind-id", "X"]]},
    ],
)
def test_a_replay_of_another_key(
    tmp_path: Path, data: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DataError, match=r"replay.json: it is about .* which the key does not have"):
        replayed(tmp_path, {"A": [attack()]}, **data)
    key = str(tmp_path / "key.txt")
    assert main(["validate", "--as", "muc", "--gold", key, str(tmp_path / "replay.json")]) == 2
    assert "which the key does not have" in capsys.readouterr().out


def test_what_a_replay_says_of_nothing_is_told(tmp_path: Path) -> None:
    """Answers that nobody asked for are left out."""
    response = [attack(perp_ind_id='"REBELS"'), attack("M2")]
    found = replayed(
        tmp_path,
        {"A": response, "B": response},
        answers=[answer("perp-ind-id", 3), answer("perp-ind-id", 0, "match", 1)],
    )
    runs = found.score()
    told = [each.text for each in found.notices_with(runs)]
    assert told[0] == (
        "Answers of the replay to A that fit no question are not used: "
        "M1/1/1/perp-ind-id/0, M1/1/1/perp-ind-id/3."
    )
