"""Every harness of docs/llm-evaluations.md by its command, as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from harness_examples import PATHS, WHOLE, write_example
from tellapart.cli import main

PAGE = Path(__file__).parents[3] / "docs" / "llm-evaluations.md"
_ROW = re.compile(r"^\| [^|]+ \| `(?P<form>[a-z_-]+)` \| `(?P<command>tellapart [^`]+)` \|$", re.M)
COMMANDS = {row["form"]: row["command"] for row in _ROW.finditer(PAGE.read_text("utf-8"))}


def test_every_command_has_its_files() -> None:
    """A harness on the page that nobody tries, or files that no command names, fail here."""
    assert set(COMMANDS) == {*PATHS, *WHOLE}


@pytest.mark.parametrize("form", COMMANDS)
def test_command_of_the_page(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Right at the first try: the format is told, both systems are there, the verdict is given."""
    write_example(form, tmp_path)
    monkeypatch.chdir(tmp_path)
    status = main(shlex.split(COMMANDS[form])[1:])
    said = capsys.readouterr()
    assert status == 0, said.err
    assert f"read as {form};" in said.err
    assert re.search(r"Is .*birch.* really better", said.out)
