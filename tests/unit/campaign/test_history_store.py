"""A history file as a store of decisions: none lost, any text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from decision_files import about, decide, kept, opened, statuses
from tellapart.errors import UsageError
from tellapart.formats.templates.history import Pairing
from tellapart.formats.templates.history_files import history_text, question_of


@pytest.fixture
def where(tmp_path: Path) -> str:
    return str(tmp_path / "history.txt")


def test_what_another_program_wrote_meanwhile_is_kept(where: str) -> None:
    first, second = opened(where), opened(where, "bob")
    decide(first, '"A"', "match", '"MEN"')
    with pytest.raises(UsageError, match="another program has changed the history"):
        decide(second, '"B"', "fail")
    assert statuses(kept(where)) == {'"A"': "match"}
    decide(opened(where, "bob"), '"THE A"', "match", '"MEN"')
    assert statuses(kept(where)) == {'"A"': "match"}


@pytest.mark.parametrize("name", ["Größe-β", "模型", "\udcff.txt", 'a "b" \\c'])
def test_any_name_of_a_system_survives(where: str, name: str) -> None:
    """Also with a text that was read byte for byte beside it."""
    store = opened(where)
    decide(store, Pairing("M1", name), (("1", "1"),))
    for text in ('"CAF\xe9"', '"CAF\xc3\xa9"', '"\x80\xff"'):
        decide(store, text, "match", text)
    assert kept(where).pairing("M1", name) == (("1", "1"),)
    assert len(statuses(kept(where))) == 3


def test_old_histories_are_read_byte_for_byte(where: str) -> None:
    """A response whose bytes are Latin-1 finds the decision with the same bytes."""
    old = '(("M1" ("1" (hum-tgt-desc ("\\"CAF\xe9\\"" fail)))))'
    Path(where).write_bytes(old.encode("latin-1"))
    assert statuses(kept(where)) == {'"CAF\xe9"': "fail"}
    decide(opened(where), '"X"', "fail")
    assert statuses(kept(where)) == {'"CAF\xe9"': "fail", '"X"': "fail"}


def test_a_sitting_takes_back_what_it_decided(where: str) -> None:
    decide(opened(where), '"B"', "match", '"MEN"')
    ann = opened(where)
    for k in range(3):
        decide(ann, f'"A{k}"', "fail")
    assert Path(where).read_text() == history_text(ann.file.history)
    taken = [ann.undo("ann") for _ in range(3)]
    wanted = [question_of(about(f'"A{k}"')) for k in (2, 1, 0)]
    assert [each.question for each in taken if each] == wanted
    assert ann.undo("ann") is None
    assert statuses(kept(where)) == {'"B"': "match"}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to("history.txt")
    decide(opened(str(tmp_path / "link.txt")), '"A"', "fail")
    decide(opened(str(tmp_path / "history.txt")), '"B"', "fail")
    assert (tmp_path / "link.txt").is_symlink()
    assert len(statuses(kept(str(tmp_path / "history.txt")))) == 2


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
