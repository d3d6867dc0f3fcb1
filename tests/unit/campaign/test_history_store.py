"""A history file as a store of decisions: none lost, any text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from decision_files import decide, kept, opened, statuses
from tellapart.errors import UsageError


@pytest.fixture
def where(tmp_path: Path) -> str:
    return str(tmp_path / "history.txt")


def test_old_histories_are_read_byte_for_byte(where: str) -> None:
    """A response whose bytes are Latin-1 finds the decision with the same bytes."""
    old = '(("M1" ("1" (hum-tgt-desc ("\\"CAF\xe9\\"" fail)))))'
    Path(where).write_bytes(old.encode("latin-1"))
    assert statuses(kept(where)) == {'"CAF\xe9"': "fail"}
    decide(opened(where), '"X"', "fail")
    assert statuses(kept(where)) == {'"CAF\xe9"': "fail", '"X"': "fail"}


@pytest.mark.parametrize("path", ["-", os.devnull, "history.txt.gz"])
def test_what_is_no_plain_file_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="a plain file"):
        opened(path)


def test_a_kill_at_every_line_of_a_write(where: str) -> None:
    """A decision is there or not, and no other is lost; the next sitting makes it or finds it."""
    tests = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, str(tests / "killed_deciders.py"), where, "15"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tests)])},
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    lines, made = map(int, found.stdout.split())
    assert 0 < made < lines  # some were killed before the decision was there, some after
