"""Counts for the significance tests, and the study of 1992 from its raw files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muc_files import attack, score, template, write
from table_files import Capture
from tellapart.cli import main
from tellapart.formats.templates.counts import run_counts
from tellapart.formats.templates.scoring import Run
from tellapart.formats.templates.tally import ROWS
from tellapart.formats.templates.totals import add_up


@pytest.fixture
def run(tmp_path: Path) -> Run:
    key = [
        attack(hum_tgt_desc=['"A"', '"B"'], inc_loc="PERU"),
        attack(number="2", hum_tgt_desc='"X"'),
        template("M2", "*"),
        attack("M3", phys_tgt_id='"BRIDGE"'),
    ]
    response = [
        attack(hum_tgt_desc='"A"', inc_loc="PERU"),
        attack("M2", inc_loc="CHILE"),
        attack("M3", number="4", phys_tgt_id='"BRIDGE"'),
        attack("M3", number="5", phys_tgt_id='"ROAD"'),
    ]
    return score(tmp_path, key, response)


@pytest.mark.parametrize("row", list(ROWS))
@pytest.mark.parametrize("item", ["message", "template", "slot"])
def test_items_sum_to_the_row_of_the_report(run: Run, row: str, item: str) -> None:
    counts = run_counts({"GE": run}, item, row)
    expected = add_up(run.design, run.pairs).summary[row]
    assert counts.summed()[0].tolist() == list(expected[: len(counts.columns)])
    assert counts.kind == item


def test_what_items_are(run: Run) -> None:
    assert run_counts({"GE": run}).items == ("M1", "M2", "M3")
    templates = run_counts({"GE": run}, "template")
    assert templates.items == ("M1/1", "M1/2", "M2/spurious", "M3/1", "M3/spurious")
    assert templates.labels["message"] == ("M1", "M1", "M2", "M3", "M3")
    slots = run_counts({"GE": run}, "slot")
    assert "M1/1/hum-tgt-desc" in slots.items
    assert slots.by("message").items == ("M1", "M2", "M3")
    assert slots.by("template").items == templates.items
    assert slots.where({"slot": "inc-loc"}).summed()[0][:3].tolist() == [1, 2, 1]


FILTERED = {  # message: relevant by the key, by the response
    "M1": (True, True), "M2": (True, True), "M3": (True, False), "M4": (False, True),
    "M5": (False, False), "M6": (False, False),
}  # fmt: skip


def test_text_filtering_by_hand(tmp_path: Path, capsys: Capture) -> None:
    """A key, a response that filters, and one that takes every message for relevant."""

    def written(name: str, relevant: dict[str, bool], open_: str) -> str:
        templates = [attack(m) if yes else template(m, "*") for m, yes in relevant.items()]
        return write(tmp_path, name, *templates, attack("M7", open_))

    files = [
        # What the key leaves open is right either way.
        written("key.txt", {m: key for m, (key, _) in FILTERED.items()}, "1 (OPTIONAL)"),
        written("some.txt", {m: response for m, (_, response) in FILTERED.items()}, "1"),
        written("all.txt", dict.fromkeys(FILTERED, True), "1"),
    ]
    names = ["recall", "precision", "f1", "overgeneration", "fallout", "accuracy"]
    metrics = [part for name in names for part in ("--metric", f"filtering-{name}")]
    assert main(["score", "--as", "muc", "--gold", *files, *metrics, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"]
    scores = [[each["scores"][f"filtering-{name}"] for name in names] for each in found]
    assert scores[0] == pytest.approx([3 / 4, 3 / 4, 3 / 4, 1 / 4, 1 / 3, 5 / 7])
    assert scores[1] == pytest.approx([1, 4 / 7, 8 / 11, 3 / 7, 1, 4 / 7])
