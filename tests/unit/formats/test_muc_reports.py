"""The reports of 1992 on small data, and the counts for significance tests."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from muc_files import attack, score, template, write
from table_files import Capture
from tellapart.cli import main
from tellapart.formats.templates.counts import run_counts
from tellapart.formats.templates.report import render
from tellapart.formats.templates.scoring import Run
from tellapart.formats.templates.tally import ROWS
from tellapart.formats.templates.totals import add_up


@pytest.fixture
def small(tmp_path: Path) -> Run:
    """Score a right, a missing and a spurious template, and a message that is irrelevant."""
    key = [
        attack(inc_loc="PERU: LIMA (CITY)", hum_tgt_desc='"MEN"'),
        attack("M2", hum_tgt_desc='"WOMEN"'),
        template("M3", "*"),
        template("M4", "*"),
    ]
    response = [
        attack(inc_loc="PERU", hum_tgt_desc='"MEN"'),
        attack("M4", inc_loc="CHILE"),
        template("M2", "*"),
    ]
    return score(tmp_path, key, response)


def test_report_per_message(small: Run) -> None:
    """All messages, and text filtering: M1 both, M4 response only, M2 key only, M3 neither."""
    report = render(small, "messages")
    blocks = report.split("\f\n")
    assert [re.findall(r"^M\d$", block, re.MULTILINE) for block in blocks[:-1]] == [
        ["M1"], ["M2"], ["M3"], ["M4"],
    ]  # fmt: skip
    assert all("ALL TEMPLATES" in block for block in blocks)
    assert "F-MEASURES not available, Recall or Precision Nil" in blocks[2]
    line = next(line for line in report.splitlines() if line.startswith("TEXT FILTERING"))
    assert line.expandtabs().split("|")[0].split()[-2:] == ["2", "2"]
    assert line.endswith("|  1   *   *|  *   *|  1   1   1| 50  50  50  50 ")


def test_the_report_as_json_and_a_file_per_system(tmp_path: Path, capsys: Capture) -> None:
    key = write(tmp_path, "key.txt", attack(hum_tgt_desc='"A"'), template("M2", "*"))
    ge = write(tmp_path, "GE.txt", attack(hum_tgt_desc=['"A"', '"B"']), attack("M2"))
    command = ["score", "--as", "muc", "--gold", key, ge]
    assert main([*command, "--json", "-"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["name"] == "GE"
    assert system["scores"] == {"recall": 1.0, "precision": 0.5, "f1": pytest.approx(2 / 3)}
    assert (system["counts"]["pos"], system["counts"]["act"]) == (2, 4)
    report: dict[str, Any] = system["report"]
    assert report["totals"]["all-templates"]["pre"] == 50
    assert report["f_measures"]["P&R"] == 66.67
    assert report["region"] == {
        f"matched-{name}": {"recall": 1.0, "precision": precision}
        for name, precision in (("missing", 2 / 3), ("only", 2 / 3), ("spurious", 0.5))
    } | {"all-templates": {"recall": 1.0, "precision": 0.5}}
    assert report["totals"]["hum-tgt-desc"]["spu"] == 1
    out = tmp_path / "reports"
    assert main([*command, f"B={key}", "--report-dir", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["B.txt", "GE.txt"]
    assert (out / "B.txt").read_text().startswith("Configuration: muc4\n")


def test_texts_change_no_score(tmp_path: Path, capsys: Capture) -> None:
    key = write(tmp_path, "key.txt", attack())
    texts = write(tmp_path, "texts.txt", "m1\n\n  AN ATTACK.\n")
    assert main(["score", "--as", "muc", "--gold", key, key]) == 0
    without = capsys.readouterr()
    assert main(["score", "--as", "muc", "--gold", key, key, "--texts", texts]) == 0
    assert capsys.readouterr() == without


def test_an_optional_template_is_shown_alone_or_with_a_response_that_says_there_is_none(
    tmp_path: Path,
) -> None:
    """As in the reports of LSI and USC on message 70: paired with `*`, all its rows are zeros."""
    keys = [attack(number="1 (OPTIONAL)"), attack(number="2"), attack(number="3 (OPTIONAL)")]
    beside, _, alone, _ = render(score(tmp_path, keys, [template(number="*")])).split("\f\n")
    assert "key: 1  response: *" in beside
    assert "[optional]" in beside
    counts = [line.partition("|")[0].split()[-2:] for line in beside.splitlines() if "|" in line]
    assert counts[1:] == [["0", "0"]] * (1 + 23 + 4 + 1)  # template, slots, groups, total
    assert "key: 3  response: <NONE>" in alone
    assert re.findall(r"^(\S+) +(\d) +(\d)\|", alone.expandtabs(), re.MULTILINE) == [
        ("template-id", "1", "0")
    ]


# Counts for the significance tests


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
