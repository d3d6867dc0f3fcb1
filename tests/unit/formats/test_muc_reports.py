"""The reports of 1992, from the files of 1992, and the same on small data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from muc_files import attack, score, template, write
from tellapart.cli import main
from tellapart.formats.templates.report import render
from tellapart.formats.templates.scoring import Run


def rows(report: str) -> dict[str, list[str]]:
    """Give the last table of a report by row, numbers only."""
    table = report.expandtabs().partition("TOTAL SLOT SCORES")[2]
    found = re.findall(r"^([A-Za-z][A-Za-z/ -]*?) +([\d*].*)$", table, re.MULTILINE)
    return {name: re.findall(r"\d+|\*", numbers) for name, numbers in found}


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


def test_summary_rows_by_hand(small: Run) -> None:
    table = rows(render(small))
    assert " ".join(table["template-id"]) == "2 2 1 0 0 0 0 1 1 1 50 50 50"
    # M1 has 3 fills, one of them half right; M2 lacks 2; M4 has 2 too many.
    assert table["ALL TEMPLATES"][:5] == ["5", "5", "2", "1", "0"]
    assert table["ALL TEMPLATES"][7:9] == ["2", "2"]
    assert table["ALL TEMPLATES"][10:] == ["50", "50", "40"]
    assert table["MATCHED/MISSING"][10:] == ["50", "83", "0"]
    assert table["MATCHED/SPURIOUS"][10:] == ["83", "50", "40"]
    assert table["MATCHED ONLY"][10:] == ["83", "83", "0"]
    assert table["SET FILLS ONLY"][:3] == ["2", "1", "1"]
    assert table["STRING FILLS ONLY"][:3] == ["2", "1", "1"]
    assert table["inc-total"][:2] == ["3", "4"]
    assert "\nF-MEASURES\t\t\t\t\t     50.0      50.0      50.0\n" in render(small)


def test_blocks_by_status(small: Run) -> None:
    heads = [line for line in render(small).splitlines() if "key: " in line]
    assert [line.split("\t")[-1].strip() for line in heads] == [
        "", "[missing]", "[irrelevant]", "[spurious]",
    ]  # fmt: skip
    assert [len(line.expandtabs()) for line in heads] == [79] * 4
    assert heads[0] == "M1\t\t     key: 1  response: 1\t\t\t\t       "


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


def test_the_report_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = write(tmp_path, "key.txt", attack(hum_tgt_desc='"A"'), template("M2", "*"))
    ge = write(tmp_path, "GE.txt", attack(hum_tgt_desc=['"A"', '"B"']), attack("M2"))
    assert main(["score", "--as", "muc", "--gold", key, ge, "--json", "-"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["name"] == "GE"
    assert system["scores"] == {"recall": 1.0, "precision": 0.5, "f1": pytest.approx(2 / 3)}
    assert (system["counts"]["pos"], system["counts"]["act"]) == (2, 4)
    report: dict[str, Any] = system["report"]
    assert report["totals"]["all-templates"]["pre"] == 50
    assert report["f_measures"]["P&R"] == 66.67
    assert report["region"] == {
        "matched-missing": {"recall": 1.0, "precision": 2 / 3},
        "matched-only": {"recall": 1.0, "precision": 2 / 3},
        "matched-spurious": {"recall": 1.0, "precision": 0.5},
        "all-templates": {"recall": 1.0, "precision": 0.5},
    }
    assert report["totals"]["hum-tgt-desc"]["spu"] == 1


def test_the_regions_of_all_systems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of three templates are found, and one is made up; the other system is the key."""
    key = [attack(hum_tgt_desc='"A"'), attack(number="2", hum_tgt_desc='"X"'), attack("M2")]
    found = [attack(hum_tgt_desc='"A"'), attack("M2"), attack("M2", number="2", inc_loc="PERU")]
    paths = [write(tmp_path, "key.txt", *key), write(tmp_path, "half.txt", *found)]
    args = ["score", "--as", "muc", "--gold", paths[0], paths[1], f"whole={paths[0]}"]
    assert main([*args, "--report", "regions"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == [
        "MATCHED/MISSING", "MATCHED", "ONLY", "MATCHED/SPURIOUS", "ALL", "TEMPLATES",
    ]  # fmt: skip
    # The key has 5 fills, 3 of them in templates that are found; 2 fills are made up.
    assert printed[2].split() == [
        "half", "60.0", "100.0", "100.0", "100.0", "100.0", "60.0", "60.0", "60.0",
    ]  # fmt: skip
    assert printed[3].split() == ["whole", *["100.0"] * 8]
    assert main([*args, "--report", "regions", "--report-dir", str(tmp_path / "r")]) == 2
    assert "drop --report-dir" in capsys.readouterr().err


def test_one_report_per_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = write(tmp_path, "key.txt", attack())
    out = tmp_path / "reports"
    args = ["score", "--as", "muc", "--gold", key, f"A={key}", f"B={key}", "--report-dir", str(out)]
    assert main(args) == 0
    assert sorted(path.name for path in out.iterdir()) == ["A.txt", "B.txt"]
    assert (out / "A.txt").read_text().startswith("Configuration: muc4\n")
    assert capsys.readouterr().out.splitlines()[0].split() == [
        "system",
        "f1",
        "recall",
        "precision",
    ]
