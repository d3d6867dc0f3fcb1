"""What a report or a refusal tells to do next runs as it stands, in every format."""

from __future__ import annotations

import csv
import re
import subprocess
from pathlib import Path

import pytest

from table_files import Capture
from tellapart.cli import main

QUICK = ("--shuffles", "99", "--no-intervals")

_DIFF = re.compile(r"Items that differ: (?P<command>(?:.*\\\n)*.*)")


def words_of(command: str) -> list[str]:
    """Return the words of a command as a shell hands them over."""
    script = f"printf '%s\\0' {command}"
    found = subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout
    return found.decode().split("\0")[:-1]


def _report(capsys: Capture, *arguments: str) -> str:
    status = main(["compare", *QUICK, *arguments])
    captured = capsys.readouterr()
    assert status == 0, captured.err
    return captured.out


def _follow(command: str, capsys: Capture) -> str:
    """Run a printed command, and return what it prints."""
    program, *arguments = words_of(command)
    assert program == "tellapart"
    status = main(arguments)
    captured = capsys.readouterr()
    assert status == 0, f"{command}: {captured.err}"
    return captured.out


_NAMES = {
    "blanks": ("the old one", "the new one", "a third"),
    "files of that name": ("scores.csv", "old", "new"),
    "marks of a shell": ("$HOME", "`ls`", 'it\'s "x" & y'),
    "a hyphen": ("-old", "--new", "-"),
    "commas": ("a,b", "c,d", "e"),
}


@pytest.mark.parametrize("kind", _NAMES)
def test_systems_are_named_so_that_they_are_understood(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
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
    if kind in ("a hyphen", "commas"):  # none is better than one that does not run
        assert hint is None
        return
    assert hint is not None
    shown = _follow(hint["command"], capsys)
    assert sum(name in shown for name in names) == 2


def test_options_of_a_format_are_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """With `--as`, without which they would not be understood."""
    monkeypatch.chdir(tmp_path)
    good, bad = "Ann B-PER\n\nBern B-LOC\n", "Ann O\n\nBern B-LOC\n"
    for name, text in (("gold", good), ("a", good), ("b", bad)):
        Path(name).write_text(text)
    words = ["--as", "conll", "--gold", "gold", "a", "b", "--scheme", "strict"]
    hint = _DIFF.search(_report(capsys, *words))
    assert hint is not None
    assert "--as conll" in hint["command"]
    assert "--scheme strict" in hint["command"]
    assert _follow(hint["command"], capsys)
