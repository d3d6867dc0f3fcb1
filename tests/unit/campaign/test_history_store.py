"""A history file as a store of decisions: several people at once, none lost, any text."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from decision_files import about, decide, kept, opened, statuses
from tellapart.errors import DataError, UsageError
from tellapart.formats.templates.decision_texts import question_of
from tellapart.formats.templates.history import Pairing
from tellapart.formats.templates.history_files import history_text
from tellapart.formats.templates.history_store import locked


@pytest.fixture
def where(tmp_path: Path) -> str:
    return str(tmp_path / "history.txt")


def test_two_sittings_keep_the_decisions_of_both_and_see_them(where: str) -> None:
    first, second = opened(where), opened(where, "bob")
    for i in range(5):
        decide(first, f'"A{i}"', "fail")
        decide(second, f'"B{i}"', "match", '"MEN"')
    assert len(statuses(kept(where))) == 10
    seen = len(first.news().decisions)
    decide(second, '"C"', "fail")
    assert [each.question for each in first.news(seen).decisions] == [question_of(about('"C"'))]


def test_the_same_decision_is_kept_once_and_another_does_not_replace_it(where: str) -> None:
    first, second = opened(where), opened(where, "bob")
    decide(first, '"A"', "match", '"MEN"')
    decide(second, '"THE A"', "match", '"MEN"')
    assert second.undo("bob") is None
    first, second = opened(where), opened(where, "bob")
    decide(first, '"B"', "fail")
    with pytest.raises(UsageError, match="meanwhile decided: mismatch; that is kept"):
        decide(second, '"B"', "match", '"MEN"')
    assert statuses(kept(where)) == {'"A"': "match", '"B"': "fail"}


def test_a_pairing_replaces_only_the_one_that_was_seen(where: str) -> None:
    subject = Pairing("M1", "GE")
    one, two, three = (("1", "1"),), (("1", "2"),), (("1", None), (None, "1"))
    decide(opened(where), subject, one)
    first, second = opened(where), opened(where, "bob")
    decide(second, subject, two)
    with pytest.raises(UsageError, match="meanwhile decided"):
        decide(first, subject, three)
    assert second.undo("bob") is not None
    assert kept(where).pairing("M1", "GE") == one


@pytest.mark.parametrize("name", ["Größe-β", "模型", "\udcff.txt", 'a "b" \\c'])
def test_any_name_of_a_system_survives(where: str, name: str) -> None:
    """Also with a text that was read byte for byte beside it."""
    store = opened(where)
    decide(store, Pairing("M1", name), (("1", "1"),))
    for text in ('"CAF\xe9"', '"CAF\xc3\xa9"', '"\x80\xff"'):
        decide(store, text, "match", text)
    assert kept(where).pairing("M1", name) == (("1", "1"),)
    assert len(statuses(kept(where))) == 3


def test_old_histories_are_read_byte_for_byte(tmp_path: Path) -> None:
    """A response whose bytes are Latin-1 or UTF-8 finds the decision with the same bytes."""
    path = tmp_path / "history.txt"
    old = '(("M1" (:MAP "Gr\xc3\xb6" ("1" . "1")) ("1" (hum-tgt-desc ("\\"CAF{}\\"" fail)))))'
    for letter in (b"\xe9", b"\xc3\xa9"):
        path.write_bytes(old.encode("latin-1").replace(b"{}", letter))
        text = f'"CAF{letter.decode("latin-1")}"'
        assert statuses(kept(str(path))) == {text: "fail"}
        assert kept(str(path)).pairing("M1", "Grö") == (("1", "1"),)
        decide(opened(str(path)), '"X"', "fail")
        assert statuses(kept(str(path))) == {text: "fail", '"X"': "fail"}
        assert path.read_bytes().startswith(b"; -*- coding: utf-8 -*-\n")


def test_plain_histories_are_as_in_1992_and_packed_ones_stay_so(tmp_path: Path) -> None:
    path, packed = tmp_path / "history.txt", tmp_path / "history.txt.gz"
    store = opened(str(path))
    assert not path.exists()
    decide(store, '"A"', "fail")
    assert path.read_text() == history_text(store.file.history)
    packed.write_bytes(gzip.compress(b"()"))
    decide(opened(str(packed)), '"A"', "fail")
    assert b"fail" in gzip.decompress(packed.read_bytes())


def test_a_sitting_takes_back_what_it_decided(where: str) -> None:
    """The last one first, whatever others decide meanwhile, and nothing of theirs."""
    ann, bob = opened(where, "ann"), opened(where, "bob")
    for k in range(3):
        decide(ann, f'"A{k}"', "fail")
        decide(bob, f'"B{k}"', "match", '"MEN"')
    taken = [ann.undo("ann") for _ in range(3)]
    wanted = [question_of(about(f'"A{k}"')) for k in (2, 1, 0)]
    assert [each.question for each in taken if each] == wanted
    assert ann.undo("ann") is None
    assert statuses(kept(where)) == dict.fromkeys(('"B0"', '"B1"', '"B2"'), "match")


def test_what_another_replaced_is_past(where: str) -> None:
    ann, bob = opened(where, "ann"), opened(where, "bob")
    decide(ann, '"B"', "fail")
    decide(ann, '"A"', "fail")
    bob.news()
    decide(bob, '"A"', "match", '"MEN"')
    with pytest.raises(UsageError, match="that is kept"):
        ann.undo("ann")
    assert ann.undo("ann") is not None
    assert ann.undo("ann") is None
    assert statuses(kept(where)) == {'"A"': "match"}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to("history.txt")
    decide(opened(str(tmp_path / "link.txt")), '"A"', "fail")
    decide(opened(str(tmp_path / "history.txt")), '"B"', "fail")
    assert (tmp_path / "link.txt").is_symlink()
    assert len(statuses(kept(str(tmp_path / "history.txt")))) == 2


@pytest.mark.parametrize(("content", "problem"), [(None, "is gone"), ("((", "does not parse")])
def test_a_history_that_others_damage_is_left_as_it_is(
    where: str, content: str | None, problem: str
) -> None:
    store = opened(where)
    decide(store, '"A"', "fail")
    Path(where).unlink() if content is None else Path(where).write_text(content)
    with pytest.raises(DataError, match=problem):
        decide(store, '"B"', "fail")
    assert (Path(where).read_text() if Path(where).exists() else None) == content


@pytest.mark.parametrize("path", ["-", os.devnull])
def test_what_cannot_be_read_again_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="read again"):
        opened(path)


def test_locks(where: str) -> None:
    """One that is held stops others for a while; one that a killed sitting left is none."""
    with (
        locked(where),
        pytest.raises(UsageError, match="another program has been writing"),
        locked(where, patience_s=0.05),
    ):
        pass
    lock = Path(where).with_name(".history.txt.lock")
    lock.touch()
    decide(opened(where), '"A"', "fail")
    assert not lock.exists()


def test_a_long_name(tmp_path: Path) -> None:
    decide(opened(str(tmp_path / ("h" * 255))), '"A"', "fail")


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
