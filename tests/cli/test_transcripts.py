r"""What each verb says, to the letter: transcripts of commands, a file for each verb.

A line `file NAME: TEXT` writes a file (\udcff in it is the byte ff), `edit NAME: OTHER: OLD -> NEW`
writes another file with a change; `$ COMMAND` runs a command line, to which `<<< M, Q` types lines;
below it, indented, stand what it printed and its status, unless that is 0. With TRANSCRIPTS=write
in the environment they are written anew: read what git says has changed. Tests elsewhere ask for
codes and numbers.
"""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

from table_files import Capture
from tellapart import plugins
from tellapart.cli import main

FOLDER = Path(__file__).with_name("transcripts")
RECORDS = Path(__file__).parents[1] / "data" / "records"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.txt")))
def test_what_a_verb_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Commands run in a folder with the tables of `tests/data/records`."""
    monkeypatch.setattr(plugins, "_added", {})  # whatever other tests have imported
    shutil.copytree(RECORDS, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    kept = (FOLDER / name).read_text(encoding="utf-8")
    lines = []
    for line in kept.splitlines():
        if line and not line.startswith(" "):
            done = _done(line, monkeypatch, capsys)
            lines += [*([""] if line.startswith("$ ") else []), line, *done]
    said = "\n".join(lines) + "\n"
    if os.environ.get("TRANSCRIPTS") == "write":
        (FOLDER / name).write_text(said, encoding="utf-8")
    assert said.splitlines() == kept.splitlines()


def _done(line: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> list[str]:
    """Do what a line asks for; return the lines that a command prints."""
    if line.startswith("file "):
        path, _, text = line.removeprefix("file ").partition(":")
        Path(path).write_bytes(_unescaped(text.removeprefix(" ")))
    if line.startswith("edit "):
        path, other, change = line.removeprefix("edit ").split(": ", 2)
        old, new = map(_unescaped, change.split(" -> "))
        content = Path(other).read_bytes()
        assert old in content
        Path(path).write_bytes(content.replace(old, new))
    if not line.startswith("$ "):
        return []
    command, _, typed = line[2:].partition(" <<< ")
    answers = iter(typed.split(", "))

    def answer(prompt: str) -> str:
        print(prompt, answered := next(answers), sep="")
        return answered

    monkeypatch.setattr("builtins.input", answer)
    status = main(shlex.split(command))
    shown = capsys.readouterr()
    ends = [] if status == 0 else [f"status {status}"]
    return [f"  {text}".rstrip() for text in [*(shown.out + shown.err).splitlines(), *ends]]


def _unescaped(text: str) -> bytes:
    return text.encode().decode("unicode_escape").encode(errors="surrogateescape")
