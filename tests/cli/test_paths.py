"""Paths that are odd, too long or out of reach are read, or refused in one sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tellapart as ta
from table_files import Capture
from tellapart.cli import main

TABLE = "item,score\n" + "".join(f"q{i},{{}}\n" for i in range(9))


def _odd(folder: Path, name: bytes) -> str:
    """Return a path whose name is no UTF-8."""
    return os.fsdecode(os.path.join(os.fsencode(folder), name))


def test_names_that_are_not_utf8_are_read_and_written(tmp_path: Path, capsys: Capture) -> None:
    """The name of the system gets a mark; records and pages can be written and read."""
    one, two = _odd(tmp_path, b"caf\xe9.csv"), str(tmp_path / "b.csv")
    try:
        Path(one).write_text(TABLE.format(*[1] * 9))
    except OSError:
        pytest.skip("this disk has no such names")
    Path(two).write_text(TABLE.format(*[0, 1] * 4, 0))
    record, page, saved = (str(tmp_path / name) for name in ("a.json", "a.html", "c.csv"))
    words = ["compare", one, two, f"N3={one}"]
    assert main([*words, "--json", record, "--html", page, "--save-counts", saved]) == 0
    names = {each.name for each in ta.Comparison.from_json(Path(record).read_text()).systems}
    assert names == {"caf\ufffd", "b", "N3"}
    assert "caf\ufffd" in Path(page).read_text()
    assert set(ta.read(saved).names) == names
    assert "caf" in capsys.readouterr().out
    assert main(["score", _odd(tmp_path, b"gone\xff.csv")]) == 2
    assert "gone?.csv: there is no such file" in capsys.readouterr().err


CLOSED = (
    "score closed/a.csv",
    "compare closed/a.csv A=closed/b.csv,closed/c.csv",
    "diff closed/a.csv closed/b.csv",
    "validate closed/a.csv",
    "score A=closed/*.csv",
    "score --as lm-eval closed/runs",
    "score open.csv --gold closed/gold --as trec",
    "compare open.csv B=open.csv --item-labels closed/a.csv",
    "score closed",
)
TOLD = """
import contextlib, io, sys
from tellapart.cli import main
for command in sys.argv[1:]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(command.split())
    assert status == 2 and "closed" in said.getvalue(), (command, status, said.getvalue())
    assert "internal error" not in said.getvalue(), (command, said.getvalue())
"""


def test_a_folder_that_one_may_not_enter_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "a.csv").write_text(TABLE.format(*[1] * 9))
    (tmp_path / "open.csv").write_text(TABLE.format(*[1] * 9))
    folder.chmod(0)
    command = [sys.executable, "-c", TOLD, *CLOSED]
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may enter any folder, and nothing here takes that away")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
