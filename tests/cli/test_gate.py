"""Build checks: what pull requests and build servers see, accepted runs, the action, pytest."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest
import yaml

import tellapart as ta
from small_counts import in_runs
from table_files import Capture, Write, json_lines
from tellapart.cli import main
from tellapart.comparison.plan import Question, plan_margin
from tellapart.formats.baseline import accepted, beside, read_baseline
from tellapart.report.gate import failures

ROOT = Path(__file__).parents[2]


def scores(lost: int, won: int, items: int = 60) -> ta.Counts:
    old = [1] * lost + [0] * won + [1] * (items - lost - won)
    new = [0] * lost + [1] * won + [1] * (items - lost - won)
    return ta.Counts.from_arrays({"old": old, "new": new})


def write_run(path: Path, values: list[float], **more: list[str]) -> str:
    rows = [
        {"item": f"q{k}", "score": value, **{name: texts[k] for name, texts in more.items()}}
        for k, value in enumerate(values)
    ]
    path.write_text(json_lines(rows))
    return str(path)


def test_a_run_is_accepted_compared_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    values = [1.0, 0.0] * 40
    write_run(Path("v1.jsonl"), values)
    write_run(Path("v2.jsonl"), [*values[:-1], 1.0])
    write_run(Path("v3.jsonl"), [0.0] * 80)
    assert main(["compare", "v1.jsonl", "--baseline-dir", "kept"]) == 2
    assert "--accept" in capsys.readouterr().err
    accept = ["--baseline-dir", "kept", "--accept"]
    assert main(["compare", "v1.jsonl", *accept, "--pr", "first.md", "--junit", "first.xml"]) == 0
    assert Path("first.md").read_text().startswith("### How good is v1? v1 scores 0.500")
    assert 'tests="0"' in Path("first.xml").read_text()
    assert main(["compare", "v2.jsonl", *accept, "--fail-if-worse"]) == 0
    shown = capsys.readouterr()
    assert "compared with v1, accepted 2" in shown.err
    found = read_baseline("kept")
    assert found is not None
    assert found.name == "v2"
    assert found.accepted == datetime.now(UTC).date()
    assert main(["compare", "v3.jsonl", *accept, "--fail-if-worse"]) == 1
    kept = read_baseline("kept")
    assert kept is not None
    assert kept.name == "v2", "a run that fails is not accepted"
    main(["compare", "v3.jsonl", "--baseline-dir", "kept", "--json", "r.json", "--pr", "3.md"])
    assert re.search(r"41 items .* and 31 more\), 0 ", Path("3.md").read_text())
    record = json.loads(Path("r.json").read_text())
    direct = ta.compare(ta.read(["v2.jsonl", "v3.jsonl"])).pairs[0]
    assert record["pairs"][0]["p"] == direct.p


def test_a_cost_beside_quality_stops_no_build(write: Write) -> None:
    rows = [f"q{k},{s},{k % 2},{1 + (s == 'new')}\n" for k in range(60) for s in ("old", "new")]
    table = write("costs.csv", "item,system,correct,cost_usd\n" + "".join(rows))
    check = ["compare", table, "--fail-if-worse"]
    assert main([*check, "--margin", "0.1"]) == 0
    assert main(check) == 0
    assert main([*check, "--metric", "cost_usd"]) == 1


def test_what_is_shown_under_a_condition_is_open(write: Write, capsys: Capture) -> None:
    """A label groups the items: with it, and without it, the check has a status of its own."""
    rng = np.random.default_rng(1)
    rows = [f"q{k},p{k // 3},1,{int(rng.random() < 0.97)}\n" for k in range(120)]
    clustered = write("t.csv", "item,passage,old,new\n" + "".join(rows))
    alone = write("u.csv", "item,old,new\n" + "".join(f"q{k},{r[-4:]}" for k, r in enumerate(rows)))
    bar, margin = ["--systems", "new", "--at-least", "0.8"], ["--margin", "0.1", "--fail-if-worse"]
    for claim, default in ((margin, 3), (bar, 0)):
        for table, unsure in ((clustered, True), (alone, False)):
            words = ["compare", table, *claim]
            assert main(words) == default * unsure
            assert main([*words, "--cannot-tell", "fail"]) == 3 * unsure
            assert main([*words, "--cannot-tell", "pass"]) == 0
    assert "shown only if items of the same passage are independent" in capsys.readouterr().err


def test_a_check_with_a_cut_run_says_what_it_lacks(write: Write, capsys: Capture) -> None:
    """A baseline keeps no labels; and a test of items of their own does not accept what is cut."""
    rows = [f"{k},d{k // 3},{k % 2}\n" for k in range(30)]
    write("old.csv", "item,doc,score\n" + "".join(rows))
    write("cut.csv", "item,doc,score\n" + "".join(rows[:20]))
    write("other.csv", "item,doc,score\n" + "".join(rows[10:20]) + "x,d9,1\n")
    keep = ["--baseline-dir", "kept", "--accept"]
    assert main(["compare", "old.csv", *keep]) == 0
    for option in ("--cluster", "--by"):
        assert main(["compare", "cut.csv", *keep, "--missing", "zero", option, "doc"]) == 2
        assert "a baseline keeps no labels (doc)" in capsys.readouterr().err
    assert main(["compare", "cut.csv", *keep, "--test", "unpaired"]) == 2
    assert "cut lacks 10 items of the baseline" in capsys.readouterr().err
    assert main(["compare", "cut.csv", *keep[:2], "--test", "unpaired"]) == 0
    assert main(["compare", "other.csv", *keep, "--test", "unpaired"]) == 0


def test_items_that_a_run_or_the_baseline_lacks_are_settled_as_those_of_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(Path("old.jsonl"), [1.0, 1.0, 0.0] * 20)
    write_run(Path("cut.jsonl"), [1.0] * 45)
    for first, second in (("old", "cut"), ("cut", "old")):
        main(["compare", f"{first}.jsonl", "--baseline-dir", first, "--accept"])
        kept = Path(first, "baseline.json").read_bytes()
        words = ["compare", f"{second}.jsonl", "--baseline-dir", first]
        for policy in (list[str](), ["--missing", "error"]):
            capsys.readouterr()
            assert main([*words, "--fail-if-worse", "--accept", *policy]) == 2
            said = capsys.readouterr().err
            assert all(each in said for each in (" 60", "cut: q45, q46", "--missing drop", " 45 "))
            assert Path(first, "baseline.json").read_bytes() == kept
        for way in ("drop", "zero", "bounds"):
            files = [f"{first}.jsonl", f"{second}.jsonl"]
            records = []
            for given in (words, ["compare", *files]):
                main([*given, "--missing", way, "--json", "r.json"])
                records.append(json.loads(Path("r.json").read_text()))
            assert records[0]["pairs"] == records[1]["pairs"]
            assert records[0]["answers"] == records[1]["answers"]
        capsys.readouterr()
        main([*words, "--accept", "--missing", "drop"])
        assert "45 left" in " ".join(capsys.readouterr().out.split())
    main(["compare", "old.jsonl", "--baseline-dir", "cut"])
    assert " left" not in capsys.readouterr().out


@pytest.mark.parametrize("numbers", [(1, 3), (3, 2)])
@pytest.mark.parametrize("repeats", [True, False])
def test_runs_and_repeats_of_the_kept_run_are_those_that_two_files_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, numbers: tuple[int, int], repeats: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    for name, number in zip("ab", numbers, strict=True):
        drawn = rng.integers(0, 2, (number, 30))
        in_runs({name: drawn}, repeats=repeats).to_table(f"{name}.csv")
    main(["compare", "a.csv", "--baseline-dir", "kept", "--accept"])
    records = []
    for words in (["b.csv", "--baseline-dir", "kept"], ["a.csv", "b.csv"]):
        assert main(["compare", *words, "--json", "r.json"]) == 0
        records.append(json.loads(Path("r.json").read_text()))
    assert records[0] == records[1]


@pytest.mark.parametrize(
    ("values", "option", "number", "refused"),
    [([1, 0], "--margin", 5, True), ([1, 0], "--at-least", 75, True),
     ([1, 0], "--margin", 0.99, False), ([100, 0], "--margin", 5, False),
     ([0, 0], "--at-least", 75, False)],
)  # fmt: skip
def test_a_margin_or_bar_beyond_a_known_scale_is_refused(
    tmp_path: Path, values: list[float], option: str, number: float, refused: bool
) -> None:
    files = [write_run(tmp_path / f"{name}.jsonl", values * 10) for name in ("a", "b")]
    assert (main(["compare", *files, option, str(number)]) == 2) == refused


def test_what_changed_since_a_run_was_accepted_is_told() -> None:
    old = ta.Counts.from_arrays({"old": [1.0, 0.0] * 6}, items=[f"q{k}" for k in range(12)])
    items = [*old.items[:10], "extra1", "extra2"]
    new = ta.Counts.from_arrays({"new": [0.5] * 12}, items=items)
    joined = beside(accepted(old, date(2026, 11, 4)), new, "drop")
    assert joined.names == ("old", "new")
    assert len(joined.items) == 10
    notices = {notice.code: notice.text for notice in joined.notices}
    assert "(extra1, extra2)" in notices["baseline-items"]
    assert "; 10 left" in notices["missing"]
    assert (joined.values[:, :4, 0] / joined.scales[0]).tolist() == [[1, 0, 1, 0], [0.5] * 4]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"baseline": 1, "values": [[1]]}', "\0"])
def test_a_damaged_baseline_is_one_sentence(tmp_path: Path, capsys: Capture, text: str) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "baseline.json").write_text(text)
    run = write_run(tmp_path / "new.jsonl", [1.0, 0.0])
    assert main(["compare", run, "--baseline-dir", str(tmp_path / "kept")]) == 2
    assert "no baseline that --accept wrote" in capsys.readouterr().err


@pytest.mark.slow
def test_a_planned_check_passes_as_often_as_planned() -> None:
    needed = plan_margin(Question(margin=0.03), changed=0.08).margin_rows[0].needed
    assert needed is not None
    rng = np.random.default_rng(11)
    passed = 0
    for _ in range(80):
        won, lost, _ = rng.multinomial(needed, [0.04, 0.04, 0.92])
        old = np.r_[np.zeros(won), np.ones(needed - won)]
        new = np.r_[np.ones(won), np.zeros(lost), np.ones(needed - won - lost)]
        counts = ta.Counts.from_arrays({"old": old, "new": new})
        result = ta.compare(counts, margin=0.03, intervals=False)
        passed += not failures(result.record)
    assert 0.66 < passed / 80 < 0.94, passed / 80  # three standard errors around 0.8


def test_the_action_runs_as_github_runs_it(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (step,) = (each for each in action["runs"]["steps"] if each.get("id") == "compare")
    declared = {f"inputs.{name}" for name in action["inputs"]}
    used = re.findall(r"\$\{\{ (inputs\.[\w-]+) \}\}", json.dumps(action))
    assert set(used) == declared, "every input is used, and no other"
    program = tmp_path / "bin" / "tellapart"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tellapart "$@"\n')
    program.chmod(0o755)
    old = write_run(tmp_path / "old run.jsonl", [1.0] * 40)
    new = write_run(tmp_path / "new run.jsonl", [0.0] * 40)
    half = write_run(tmp_path / "half.jsonl", [1.0, 0.0] * 20)
    bar = {"AT_LEAST": "0.5", "CANNOT_TELL": "fail"}
    cases: tuple[tuple[tuple[str, str], dict[str, str], int, str], ...] = (
        ((old, new), {}, 1, "worse"),
        ((new, old), {}, 0, "passed"),
        ((old, "absent.jsonl"), {}, 2, "error"),
        (("", half), bar, 3, "cannot tell"),
    )
    for values, more, status, outcome in cases:
        summary, output = tmp_path / f"summary{status}", tmp_path / f"output{status}"
        environment = {
            **os.environ,
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(sys.path),
            "OLD": values[0], "NEW": values[1], "MARGIN": "", "BASELINE_DIR": "", "ACCEPT": "false",
            "ARGS": "--alpha 0.01 --seed 1", "RUN_URL": "https://x.test/run",
            "RUNNER_TEMP": str(tmp_path / f"temp{status}"),
            "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output), **more,
        }  # fmt: skip
        (tmp_path / f"temp{status}").mkdir()
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            env=environment, capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        assert f"passed={'true' if status == 0 else 'false'}" in output.read_text()
        assert f"outcome={outcome}\n" in output.read_text()
        if status != 2:
            assert {0: "✅", 1: "❌", 3: "❔"}[status] in summary.read_text()
            assert "(https://x.test/run)" in summary.read_text()
            assert (tmp_path / f"temp{status}" / "tellapart" / "junit.xml").is_file()


def test_the_fixture_of_pytest(tmp_path: Path) -> None:
    write_run(tmp_path / "old.jsonl", [1.0, 0.0] * 100)
    write_run(tmp_path / "new.jsonl", [0.0, 0.0] * 100)
    (tmp_path / "test_quality.py").write_text(
        "def test_same(assert_no_worse):\n"
        "    assert_no_worse('old.jsonl', 'old.jsonl', margin=0.05)\n"
        "def test_worse(assert_no_worse):\n"
        "    assert_no_worse('old.jsonl', 'new.jsonl', margin=0.05)\n"
        "def test_scores(assert_no_worse):\n"
        "    assert_no_worse({'a': 1, 'b': 0}, {'b': 0, 'a': 1})\n"
        "def test_lengths(assert_no_worse):\n"
        "    assert_no_worse([1] * 100, [1] * 99, margin=0.05)\n"
        "def test_absent(assert_no_worse):\n"
        "    assert_no_worse('old.jsonl', 'nowhere.jsonl')\n"
        "def test_unlike(assert_no_worse):\n"
        "    assert_no_worse('old.jsonl', {'q0': 1.0})\n"
    )
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    if "tellapart" not in entry_points(group="pytest11").names:  # where it is not installed
        words += ["-p", "tellapart.pytest_plugin"]
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert "4 failed, 2 passed" in done.stdout, done.stdout
    assert "new loses more than 0.05 against old by mean" in done.stdout
    assert "nowhere.jsonl" in done.stdout
    assert "give both runs alike" in done.stdout
    assert "has 99 items" in done.stdout
    assert "Traceback" not in done.stdout
