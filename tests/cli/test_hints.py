"""What a report or a refusal tells to do next runs as it stands, in every format."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from pathlib import Path

import pytest

import export_files
import harness_files
import log_files
from fuzz.rule import QUICK
from fuzz.target import Target
from fuzz.targets import targets
from tellapart.cli import main
from tellapart.formats.registry import format_of

FOLDER = "my runs, it's $HOME"
"""A folder as people have them, whose name a shell has to be told with care"""

COMPARED = {name: target for name, target in targets().items() if "compare" in target.verbs}

_DIFF = re.compile(r"Items that differ: (?P<command>(?:.*\\\n)*.*)")


def words_of(command: str) -> list[str]:
    """Return the words of a command as a shell hands them over."""
    script = f"printf '%s\\0' {command}"
    found = subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout
    return found.decode().split("\0")[:-1]


def _placed(target: Target, root: Path) -> list[str]:
    """Write the files of a target in a folder with an odd name, and return the arguments."""
    for file in target.files:
        path = root / FOLDER / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return [
        f"{FOLDER}/{word}" if (root / FOLDER / word).exists() else word
        for word in (*target.arguments, *target.only_compare)
    ]


def _report(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    status = main(["compare", *QUICK, *arguments])
    captured = capsys.readouterr()
    assert status == 0, captured.err
    return captured.out


def _follow(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a printed command, and return what it prints."""
    program, *arguments = words_of(command)
    assert program == "tellapart"
    status = main(arguments)
    captured = capsys.readouterr()
    assert status == 0, f"{command}: {captured.err}"
    return captured.out


@pytest.mark.parametrize(("place", "name"), list(enumerate(COMPARED)), ids=COMPARED)
def test_the_items_that_differ_are_shown_by_the_printed_command(
    place: int,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every format and dress; every second time it was named, which the command keeps."""
    target = COMPARED[name]
    monkeypatch.chdir(tmp_path)
    arguments = _placed(target, tmp_path)
    if place % 2 or not target.is_guessed:
        arguments = ["--as", target.form, *arguments]
    hint = _DIFF.search(_report(capsys, *arguments))
    if hint is None:
        pytest.skip("no item differs, or none can be shown")
    assert ("--as" in hint["command"]) == ("--as" in arguments)
    assert _follow(hint["command"], capsys)


def test_most_formats_have_such_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The test above cannot pass by skipping: every harness has items that differ."""
    monkeypatch.chdir(tmp_path)
    for name, target in COMPARED.items():
        if format_of(target.form).recognises.__module__.startswith("tellapart.formats.logs."):
            report = _report(capsys, "--as", target.form, *_placed(target, tmp_path))
            assert _DIFF.search(report), name


_NAMES = {
    "blanks": ("the old one", "the new one", "a third"),
    "settings": ("alder (top_p=1)", "alder (top_p=0.5)", "birch (top_p=1)"),
    "files of that name": ("scores.csv", "old", "new"),
    "one file of that name": ("alder", "scores.csv", "cedar"),
    "marks of a shell": ("$HOME", "`ls`", 'it\'s "x" & y'),
    "a hyphen": ("-old", "--new", "-"),
    "options": ("--metric", "--as", "x"),
}


@pytest.mark.parametrize("kind", _NAMES)
def test_systems_are_named_so_that_they_are_understood(
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With three systems, the command names two, whatever they are called."""
    monkeypatch.chdir(tmp_path)
    names = _NAMES[kind]
    for name in ("old", "new"):
        Path(name).write_text("")
    with open("scores.csv", "w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["system", "item", "score"])
        for k, name in enumerate(names):
            table.writerows([name, item, int(item % (k + 2) == 0)] for item in range(12))
    hint = _DIFF.search(_report(capsys, "scores.csv"))
    if kind in ("a hyphen", "options"):  # where none is better than one that does not run
        assert hint is None or _follow(hint["command"], capsys)
        return
    assert hint is not None
    shown = _follow(hint["command"], capsys)
    assert sum(name in shown for name in names) == 2


@pytest.mark.parametrize("name", ["-odd.csv", "--metric", "a=b.csv", "x y.csv", "*.csv"])
def test_files_are_named_so_that_they_are_understood(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also files whose names look like options, patterns, or NAME=path."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("item,doc,old,new\n1,a,0,1\n2,b,1,1\n3,b,0,1\n")
    report = _report(capsys, "--metric", "mean", "--labels", "doc", "--where", "doc=b", "--", name)
    hint = _DIFF.search(report)
    assert hint is not None
    assert "2 items" in _follow(hint["command"], capsys)


def test_the_full_report_is_one_option_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`add --html report.html` writes the page."""
    monkeypatch.chdir(tmp_path)
    arguments = _placed(COMPARED["ragas-csv"], tmp_path)
    added = re.search(r"Full report: add (.*)", _report(capsys, *arguments))
    assert added is not None
    shown = _report(capsys, *arguments, *words_of(added[1]))
    assert "Full report: report.html" in shown
    assert Path("report.html").read_text().startswith("<!DOCTYPE html>")


_OFFERED = re.compile(r"(--[a-z-]+ (?:'[^']*'|[^\s;,]+)) (?:compares|turns)")
"""An option that a remark offers, with what it does"""


def test_what_remarks_offer_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every option that a warning of any harness names makes a command that runs."""
    monkeypatch.chdir(tmp_path)
    followed = 0
    for target in COMPARED.values():
        if not format_of(target.form).recognises.__module__.startswith("tellapart.formats.logs."):
            continue
        arguments = ["--as", target.form, *_placed(target, tmp_path)]
        report = " ".join(_report(capsys, *arguments).split())
        for offered in dict.fromkeys(_OFFERED.findall(report)):
            assert _report(capsys, *arguments, *words_of(offered))
            followed += 1
    assert followed >= 3


# Refusals


_OPTION = re.compile(r"(--[a-z-]+ (?:'[^']*'|[^\s;,]+)) (?:compares|counts|keeps|leaves)")


def _refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["compare", *QUICK, *arguments]) == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_what_a_refusal_offers_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Items that one system lacks: every option that the sentence names makes the command run."""
    monkeypatch.chdir(tmp_path)
    paths = []
    for k, name in enumerate(("alder", "birch")):
        rows = export_files.every_eval_ever(export_files.right_items(k, 12), name)
        Path(f"{name} one.jsonl").write_text(export_files.as_jsonl(rows[k:]))
        paths.append(f"{name} one.jsonl")
    offered = _OPTION.findall(_refusal(capsys, *paths))
    assert len(offered) == 2
    for each in offered:
        assert _report(capsys, *paths, *words_of(each))


def test_a_metric_with_blanks_is_offered_as_it_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One system lacks a value altogether: the one that all have is named so that it runs."""
    monkeypatch.chdir(tmp_path)
    paths = []
    for k, name in enumerate(("alder", "birch")):
        tree = harness_files.deepeval(name, export_files.right_items(k, 12))
        for case in tree["testCases"]:
            del case["success"]
            exact, bias = ({**each, "success": None} for each in case["metricsData"])
            case["metricsData"] = [exact, {**bias, "name": f"only {name}"}]
        Path(f"{name}.json").write_text(json.dumps(tree))
        paths.append(f"{name}.json")
    said = _refusal(capsys, *paths)
    offered = _OPTION.findall(said)
    assert offered == ["--metric 'Exact Match'"]
    assert "Exact Match" in _report(capsys, *paths, *words_of(offered[0]))


def test_two_of_a_name_are_told_apart_as_the_sentence_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`NAME=path` is what it asks for, and what helps."""
    monkeypatch.chdir(tmp_path)
    for k, folder in enumerate(("one", "two")):
        tree = harness_files.deepeval("alder", export_files.right_items(k, 12))
        Path(folder).mkdir()
        Path(folder, "run.json").write_text(json.dumps(tree))
    assert "NAME=path" in _refusal(capsys, "one/run.json", "two/run.json")
    hint = _DIFF.search(_report(capsys, "old=one/run.json", "new=two/run.json"))
    assert hint is not None
    assert _follow(hint["command"], capsys)


def test_what_is_not_in_the_verdict_is_one_option_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Values that only some tasks have: what the remark offers compares them."""
    monkeypatch.chdir(tmp_path)
    for k, name in enumerate(("alder", "birch")):
        for task in ("sums", "my facts"):
            rows = [
                log_files.document(
                    n,
                    acc=int(ok),
                    **({"word overlap": (n + k) % 3 / 2} if task == "my facts" else {}),
                )
                for n, ok in enumerate(export_files.right_items(k, 12))
            ]
            log_files.samples_file(f"results/{name}", task, rows)
    report = " ".join(_report(capsys, "results").split())
    offered = _OPTION.findall(report)[0]
    assert offered == "--metric 'word overlap'"
    assert "word overlap, 12 items" in _report(capsys, "results", *words_of(offered))
    own = _report(capsys, "results", "--metric", "my facts/word overlap")
    hint = _DIFF.search(own)
    assert hint is not None
    assert _follow(hint["command"], capsys)
