"""The public scorer's figures for 60 stored inputs, by the public command.

Counts to 1e-9, texts to the byte; only printed coreference values may be 0.01 off, since the
public figures are cut from rounded sums.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from table_files import Capture
from tellapart.cli import main

Case = dict[str, Any]
SETS = ("plain", "mention_type", "realis_status", "mention_type+realis_status")
NAMES = {
    "p": "precision",
    "r": "recall",
    "r_num": "recall_part",
    "r_den": "recall_whole",
    "p_num": "precision_part",
    "p_den": "precision_whole",
    "blanc_coref_links": "links",
    "blanc_noncoref_links": "gaps",
}
"""Names in the cases, and ours where they differ"""


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[Case]:
    found = sorted((shared_data / "event-nuggets" / "cases").glob("en-*.json"))
    assert len(found) == 60
    return [json.loads(path.read_text(encoding="utf-8")) for path in found]


def written(case: Case, folder: Path) -> list[str]:
    """Write a case's files, and give the arguments that name them."""
    folder.mkdir()
    for side in ("gold", "system"):
        (folder / f"{side}.tbf").write_text(case[side], encoding="utf-8", newline="")
    arguments = ["--as", "nuggets", "--gold", str(folder / "gold.tbf"), str(folder / "system.tbf")]
    if case["mode"] == "token":
        (folder / "tokens").mkdir()
        for name, table in case["token_tables"].items():
            (folder / "tokens" / f"{name}.tab").write_text(table, encoding="utf-8")
        arguments += ["--tokens", str(folder / "tokens")]
    return arguments


def kbp_arguments(case: Case, folder: Path) -> list[str]:
    options = case["options"]
    arguments = written(case, folder)
    arguments += ["--coref"] if options.get("coref") else []
    for name, option in (
        ("doc_id", "--doc"),
        ("coref_mapping", "--coref-mapping"),
        ("coref_threshold", "--coref-threshold"),
    ):
        arguments += [option, str(options[name])] if name in options else []
    if "type_whitelist" in options:
        (folder / "types").write_text("\n".join(options["type_whitelist"]) + "\n")
        arguments += ["--types", str(folder / "types")]
    return arguments


def close(found: Any, expected: Any, tolerance: float = 1e-9) -> bool:
    if found is None or expected is None:
        return found is expected
    return bool(abs(found - expected) <= tolerance)


def with_coref_values(text: str) -> tuple[str, list[float]]:
    """Take the coreference values out of a report: they may differ by 0.01."""
    pattern = re.compile(r"((?:Metric : \w+\tScore|Overall Average CoNLL score)\t)([\d.]+)")
    return pattern.sub(r"\1", text), [float(found[2]) for found in pattern.finditer(text)]


def test_kbp_cases(cases: list[Case], tmp_path: Path, capsys: Capture) -> None:
    """Every figure, report and comparison text, and every error."""
    failed = 0
    for case in cases:
        folder = tmp_path / case["id"]
        expected = case["expected"]["kbp"]
        arguments = kbp_arguments(case, folder)
        arguments += ["--json", str(folder / "out.json")]
        if case["options"].get("comparison", True):
            arguments += ["--comparison", str(folder / "comparison")]
        status = main(["score", *arguments])
        output = capsys.readouterr()
        if expected["exit_code"]:
            failed += 1
            assert status == 2, case["id"]
            assert output.out == ""
            assert output.err.count("\n") == 1, output.err
            assert re.search(r"(gold|system)\.tbf(:\d+)?: ", output.err)
            assert not (folder / "out.json").exists()
            continue
        assert status == 0, output.err
        shown, values = with_coref_values(output.out)
        wanted, wanted_values = with_coref_values(expected["report"])
        assert shown == wanted, case["id"]
        assert all(map(lambda a, b: close(a, b, 0.0101), values, wanted_values)), case["id"]
        report = json.loads((folder / "out.json").read_text())["systems"][0]["report"]
        check_kbp(report, expected, case["id"])
        if "comparison" in expected and expected["comparison"] is not None:
            assert (folder / "comparison").read_text() == expected["comparison"], case["id"]
    assert failed == 7


def check_kbp(report: Case, expected: Case, name: str) -> None:
    for found, wanted in zip(report["documents"], expected["documents"], strict=True):
        for key in ("doc", "n_gold", "n_sys"):
            assert found[key] == wanted[key], name
        assert all(close(found["tp"][each], wanted["tp"][each]) for each in SETS), name
    check_averages(report, expected, name)
    assert report["types"].keys() == expected["types"].keys()
    for kind, wanted in expected["types"].items():
        found = report["types"][kind]
        assert all(close(found[NAMES.get(k, k)], value) for k, value in wanted.items()), name
    for metric, sums in expected.get("coref", {"counts": {}})["counts"].items():
        part = "scores" if metric == "blanc" else "counts"
        found = report["coref"][part][NAMES.get(metric, metric)]
        for key, value in sums.items():
            if key != "f1_printed":
                assert close(found[NAMES.get(key, key)], value), (name, metric)


def check_averages(report: Case, expected: Case, name: str) -> None:
    for each in SETS:
        for kind in ("micro", "macro"):
            for key in ("p", "r", "f1"):
                found = report["averages"][each][kind][NAMES.get(key, key)]
                assert close(found, expected["averages"][each][kind][key]), (name, each, kind, key)


def paper_reports(
    profile: str, cases: list[Case], folder: Path, capsys: Capture
) -> Iterator[tuple[Case, Case, str]]:
    """Score what the paper's releases scored; they knew no options."""
    for case in cases:
        if profile in case["expected"]:
            arguments = written(case, folder / case["id"])
            assert main(["score", *arguments, "--profile", profile, "--json", "-"]) == 0
            report = json.loads(capsys.readouterr().out)["systems"][0]["report"]
            yield report, case["expected"][profile], case["id"]


def test_fixed_cases(cases: list[Case], tmp_path: Path, capsys: Capture) -> None:
    seen = 0
    for report, expected, name in paper_reports("fixed", cases, tmp_path, capsys):
        seen += 1
        for found, wanted in zip(report["documents"], expected["documents"], strict=True):
            assert [found[k] for k in ("doc", "n_gold", "n_sys")] == [
                wanted[k] for k in ("doc", "n_gold", "n_sys")
            ]
            assert all(close(found["tp"][each], wanted["tp"][each]) for each in SETS), name
        check_averages(report, expected, name)
    assert seen == sum("fixed" in case["expected"] for case in cases) > 10


def test_pilot_cases(cases: list[Case], tmp_path: Path, capsys: Capture) -> None:
    """Sums per document to 1e-9; the stored averages have four decimals."""
    seen = 0
    for report, expected, name in paper_reports("pilot", cases, tmp_path, capsys):
        seen += 1
        for found, wanted in zip(report["documents"], expected["documents"], strict=True):
            assert found["doc"] == wanted["doc"]
            for key in ("n_gold", "tp", "fp", "type_correct", "realis_correct"):
                assert close(found[key], wanted[key]), (name, key)
        for kind in ("micro", "macro"):
            for key, value in expected[kind].items():
                found = report[kind][NAMES.get(key, key)]
                assert close(found, value, 5.001e-5), (name, kind, key)
    assert seen == sum("pilot" in case["expected"] for case in cases) > 10
