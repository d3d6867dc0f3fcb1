"""Replaying runs in their order, with what was decided in each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muc_files import attack, counted, slot, write
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
    """B's look-up finds what was answered in A's run, or the entry that an amendment brought."""
    answer = ["A", "M1", "1", "1", "perp-ind-id", 0, '"REBELS"', ["fail"]]
    amendment = ["B", "M1", "1", "perp-ind-id", '"REBELS"']
    assert rebels(tmp_path, answers=[answer]) == [FAIL, FAIL]
    assert rebels(tmp_path, answers=[answer], amendments=[amendment]) == [FAIL, MATCH]


def test_missing_runs_are_said(tmp_path: Path) -> None:
    """A run that is not in the order is replayed after all others."""
    response = [attack(phys_tgt_id='"BRIDGE"'), attack("M2")]
    found = replayed(tmp_path, {"B": response, "C": response})
    assert [(n.code, n.affected) for n in found.notices] == [
        ("muc-replay-incomplete", ("A",)), ("muc-replay-added", ("C",)),
    ]  # fmt: skip
    assert list(found.score()) == ["B", "C"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"pairings": [["A", "M1"]]}, "row 1 of pairings, .* does not fit"),
        ({"answers": [["A", "M1", "1", "1", "perp-ind-id", 0, "X", ["perhaps"]]]}, "row 1 of"),
        ({"answers": [["A", "M1", "1", "1", "no-slot", 0, "X", ["fail"]]]}, "row 1 of answers"),
        ({"answers": [["A", "M7", "1", "1", "perp-ind-id", 0, "X", ["fail"]]]}, "row 1 of answers"),
        ({"revisits": [["A", "M1", "1", "M7"]]}, "row 1 of revisits"),
        ({"pairings": [["A", "M7", [["1", "1"]]]]}, "row 1 of pairings"),
        ({"amendments": [["A", "M1", "7", "perp-ind-id", "X"]]}, "row 1 of amendments"),
        ({"answers": 3}, "row 1 of answers, 3, does not"),
        ({"pairings": [["A", "M1", [["7", "1"]]]]}, "row 1 of pairings"),
        ({"anwsers": []}, "give run_order"),
        ({"amendments": [["A", "M1", "1", "no-slot", "X"]]}, "row 1 of amendments"),
    ],
)
def test_what_is_no_replay_data(tmp_path: Path, data: dict[str, Any], told: str) -> None:
    with pytest.raises(DataError, match=rf"replay.json: .*{told}"):
        replayed(tmp_path, {"A": [attack()]}, **data)
