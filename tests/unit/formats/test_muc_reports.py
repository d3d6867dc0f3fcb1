"""The reports of 1992, from the files of 1992, and the same on small data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from muc_files import attack, score, template, write
from table_files import Capture
from tellapart.cli import main
from tellapart.formats.templates.report import render
from tellapart.formats.templates.scoring import Run


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
