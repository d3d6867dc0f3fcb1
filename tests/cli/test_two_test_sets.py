"""Progress between two test sets: the same system, other messages, each set with its own key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from muc_files import attack, write
from table_files import Capture, json_lines
from tellapart import stats
from tellapart.cli import main

RIGHT = {"old": (1, 0, 1, 0, 1), "new": (1, 1, 1, 1, 0, 1)}
"""Whether a system finds the victim of each message of a set"""


def files_of_1992(folder: Path, name: str) -> tuple[str, str]:
    """Write a key and a response of a test set."""
    said = {0: '"MEN"', 1: '"PEASANTS"'}
    messages = [f"{name.upper()}-{k}" for k in range(len(RIGHT[name]))]
    key = [attack(message, hum_tgt_desc=said[1]) for message in messages]
    found = zip(messages, RIGHT[name], strict=True)
    response = [attack(message, hum_tgt_desc=said[right]) for message, right in found]
    return write(folder, f"{name}-key", *key), write(folder, name, *response)


def files_of_json(folder: Path, name: str) -> tuple[str, str]:
    paths = []
    for what, victims in ((f"{name}-key", (1,) * len(RIGHT[name])), (name, RIGHT[name])):
        rows = [
            {"id": f"{name}{k}", "templates": [{"type": "attack", "victim": ["men", "farmers"][v]}]}
            for k, v in enumerate(victims)
        ]
        paths.append(folder / f"{what}.jsonl")
        paths[-1].write_text(json_lines(rows))
    return str(paths[0]), str(paths[1])


Made = Callable[[Path, str], tuple[str, str]]


@pytest.mark.parametrize(
    ("form", "made", "wrong"), [("muc", files_of_1992, 0), ("templates", files_of_json, 2)]
)
def test_the_change_from_one_test_set_to_another(
    tmp_path: Path, capsys: Capture, form: str, made: Made, wrong: int
) -> None:
    """`wrong` is what a message earns without the victim: in 1992, templates are then no pair."""
    (old_key, old), (new_key, new) = (made(tmp_path, name) for name in RIGHT)
    record, metric = tmp_path / "out.json", "f1" if form == "muc" else "muc"
    words = ["compare", "--as", form, "--gold", old_key, "--gold", new_key, f"old={old}",
             f"new={new}", "--metric", metric]  # fmt: skip
    assert main([*words, "--test", "unpaired", "--json", str(record)]) == 0
    capsys.readouterr()
    (pair,) = json.loads(record.read_text())["pairs"]
    rows = [[[4 if right else wrong, 4] for right in RIGHT[name]] for name in RIGHT]
    old_score, new_score = (sum(n for n, _ in each) / (4 * len(each)) for each in rows)
    assert pair["difference"] == pytest.approx(old_score - new_score)
    assert pair["p"] == pytest.approx(stats.unpaired(*rows).p)
    assert pair["interval"][0] < pair["difference"] < pair["interval"][1]


def test_slots_are_compared_by_their_name(tmp_path: Path, capsys: Capture) -> None:
    """Of JSON as of 1992: what to add is said, and documents are called documents."""
    key, new = files_of_json(tmp_path, "new")
    words = ["compare", "--as", "templates", "--gold", key, f"gold={key}", f"new={new}", "--by"]
    assert main([*words, "slot"]) == 2
    assert "add --unit slot" in capsys.readouterr().err
    record = tmp_path / "out.json"
    assert main([*words, "slot", "--unit", "slot", "--json", str(record)]) == 0
    told = capsys.readouterr().out
    assert "--cluster document" in told
    assert "message" not in told
    slices = json.loads(record.read_text())["slices"]
    assert {each["value"] for each in slices} == {"type", "victim"}
