"""Stores of decisions: several people at once, none lost, none overwritten, any text."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from decision_files import T, fill, kept, opened, statuses
from muc_files import attack, write
from tellapart.cli import main
from tellapart.errors import DataError, UsageError
from tellapart.formats.templates.decisions import decide, merge_into
from tellapart.formats.templates.history import Change, Entry, History, Pairing
from tellapart.formats.templates.history_files import history_text
from tellapart.formats.templates.history_store import OvertakenError, locked


def test_two_sittings_keep_the_decisions_of_both(where: str) -> None:
    first, second = opened(where), opened(where)
    for i in range(5):
        assert decide(first, fill(f'"A{i}"', "fail"))
        assert decide(second, fill(f'"B{i}"', "match", '"MEN"'))
    assert len(statuses(kept(where))) == 10


def test_what_others_decide_is_seen(where: str) -> None:
    first, second = opened(where), opened(where)
    seen = second.history
    decide(first, fill('"A"', "fail"))
    second.refresh()
    assert second.history is seen
    assert statuses(seen) == {'"A"': "fail"}


def test_the_same_decision_is_kept_once(where: str) -> None:
    first, second = opened(where), opened(where)
    assert decide(first, fill('"A"', "match", '"MEN"'))
    assert not decide(second, fill('"THE A"', "match", '"MEN"'))
    assert statuses(kept(where)) == {'"A"': "match"}


def test_another_decision_does_not_replace_the_first(where: str) -> None:
    first, second = opened(where), opened(where)
    decide(first, fill('"A"', "match", '"MEN"'))
    with pytest.raises(OvertakenError) as caught:
        decide(second, fill('"A"', "fail"))
    assert caught.value.now == Entry(T('"A"'), "match", (T('"MEN"'),))
    assert statuses(kept(where)) == statuses(second.history) == {'"A"': "match"}


def test_taking_back_leaves_the_decisions_of_others(where: str) -> None:
    first, second = opened(where), opened(where)
    mine = fill('"A"', "fail")
    decide(first, mine)
    decide(second, fill('"B"', "fail"))
    assert decide(first, mine.undone())
    assert statuses(kept(where)) == {'"B"': "fail"}


def test_what_others_decided_since_is_not_taken_back(where: str) -> None:
    first, second = opened(where), opened(where)
    mine = fill('"A"', "fail")
    decide(first, mine)
    decide(second, mine.undone())
    decide(second, fill('"A"', "match", '"MEN"'))
    with pytest.raises(OvertakenError):
        decide(first, mine.undone())
    assert statuses(kept(where)) == {'"A"': "match"}


def test_a_pairing_replaces_only_the_one_that_was_seen(where: str) -> None:
    first, second = opened(where), opened(where)
    subject = Pairing("M1", "GE")
    one, two, three = (("1", "1"),), (("1", "2"),), (("1", None), (None, "1"))
    assert decide(first, Change(subject, None, one))
    assert decide(second, Change(subject, one, two))
    with pytest.raises(OvertakenError):
        decide(first, Change(subject, one, three))
    assert decide(second, Change(subject, one, two).undone())
    assert kept(where).pairing("M1", "GE") == one


@pytest.mark.parametrize("name", ["Größe-β", "模型", "\U0001f600", "\udcff.txt", 'a "b" \\c'])
def test_any_name_of_a_system_survives(where: str, name: str) -> None:
    """Also with a text that was read byte for byte beside it."""
    store = opened(where)
    decide(store, Change(Pairing("M1", name), None, (("1", "1"),)))
    for text in ('"CAF\xe9"', '"CAF\xc3\xa9"', '"\x80\xff"'):
        decide(store, fill(text, "match", text))
    assert kept(where) == store.history
    assert kept(where).pairing("M1", name) == (("1", "1"),)
    assert len(statuses(kept(where))) == 3


def test_merging(where: str) -> None:
    store = opened(where)
    decide(store, fill('"A"', "fail"))
    other = History()
    for change in (fill('"A"', "match", '"MEN"'), fill('"B"', "fail")):
        other.carry_out(change)
    other.carry_out(Change(Pairing("M1", None), None, (("1", "1"),)))
    merger = merge_into(store, other)
    assert (len(merger.gains), len(merger.conflicts)) == (2, 1)
    assert statuses(kept(where)) == {'"A"': "fail", '"B"': "fail"}
    assert kept(where).pairing("M1", "GE") == (("1", "1"),)
    assert merge_into(opened(where), other).gains == ()


def test_nothing_is_made_where_nothing_was_decided(where: str, tmp_path: Path) -> None:
    opened(where)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == []


def test_old_histories_are_read_byte_for_byte(tmp_path: Path) -> None:
    """A response whose bytes are Latin-1 or UTF-8 finds the decision with the same bytes."""
    path = tmp_path / "history.txt"
    old = '(("M1" ("1" (hum-tgt-desc ("\\"CAF{}\\"" match "\\"CAF{}\\"")))))'
    for letter in (b"\xe9", b"\xc3\xa9"):
        path.write_bytes(old.encode().replace(b"{}", letter))
        text = f'"CAF{letter.decode("latin-1")}"'
        assert statuses(kept(str(path))) == {text: "match"}
        decide(opened(str(path)), fill('"X"', "fail"))
        assert statuses(kept(str(path))) == {text: "match", '"X"': "fail"}
        assert path.read_bytes().startswith(b"; -*- coding: utf-8 -*-\n")
        path.read_bytes().decode("utf-8")


@pytest.mark.parametrize(("name", "read"), [(b"Gr\xc3\xb6\xc3\x9fe", "Größe"), (b"\xe9", "é")])
def test_names_in_old_histories(tmp_path: Path, name: bytes, read: str) -> None:
    path = tmp_path / "history.txt"
    path.write_bytes(b'(("M1" (:MAP "' + name + b'" ("1" . "1"))))')
    assert kept(str(path)).pairing("M1", read) == (("1", "1"),)


def test_a_history_that_is_not_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "history.txt"
    path.write_bytes(b'; -*- coding: utf-8 -*-\n(("M1"\n ("\xe9")))')
    with pytest.raises(DataError, match=r"history\.txt:3: this is not UTF-8"):
        opened(str(path))


def test_plain_histories_are_as_they_were_in_1992(tmp_path: Path) -> None:
    path = tmp_path / "history.txt"
    store = opened(str(path))
    decide(store, fill('"A"', "fail"))
    assert path.read_text() == history_text(store.history)
    assert path.read_text().startswith("((")


def test_validate_knows_a_history_by_its_first_parenthesis(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "history.txt", "; -*- coding: utf-8 -*-\n\n((")
    assert main(["validate", "--as", "muc", path]) == 2
    assert "history does not parse" in "".join(capsys.readouterr())


def test_compressed_histories_stay_compressed(tmp_path: Path) -> None:
    path = tmp_path / "history.txt.gz"
    path.write_bytes(gzip.compress(b"()"))
    decide(opened(str(path)), fill('"A"', "fail"))
    assert statuses(kept(str(path))) == {'"A"': "fail"}
    assert b"fail" in gzip.decompress(path.read_bytes())


def test_nothing_but_the_journal_stays_beside_it(tmp_path: Path) -> None:
    path = str(tmp_path / "history.txt")
    decide(opened(path, "ann"), fill('"A"', "fail"))
    assert sorted(os.listdir(tmp_path)) == [".history.txt.ann.undo", "history.txt"]
    merged = str(tmp_path / "merged.txt")
    merge_into(opened(merged, "ann"), kept(path))
    assert sorted(os.listdir(tmp_path))[2:] == ["merged.txt"]  # merging is no decision of one's own


def test_a_person_takes_back_what_they_decided_in_earlier_sittings(where: str) -> None:
    """The last one first, whatever others decide meanwhile, and nothing of theirs."""
    for k in range(3):
        decide(opened(where, "ann"), fill(f'"A{k}"', "fail"))
        decide(opened(where, "bob"), fill(f'"B{k}"', "match", '"MEN"'))
    taken = [opened(where, "ann").undo() for _ in range(4)]
    assert taken == [fill(f'"A{k}"', "fail").subject for k in (2, 1, 0)] + [None]
    assert statuses(kept(where)) == dict.fromkeys(('"B0"', '"B1"', '"B2"'), "match")
    assert opened(where, "eve").undo() is None


def test_taking_back_brings_back_what_held_before(where: str) -> None:
    subject = Pairing("M1", "GE")
    decide(opened(where, "ann"), Change(subject, None, (("1", "1"),)))
    decide(opened(where, "bob"), Change(subject, (("1", "1"),), (("1", "2"),)))
    assert kept(where).pairing("M1", "GE") == (("1", "2"),)
    assert opened(where, "bob").undo() == subject
    assert kept(where).pairing("M1", "GE") == (("1", "1"),)


def test_what_another_replaced_is_past(where: str) -> None:
    mine, theirs = fill('"A"', "fail"), fill('"A"', "match", '"MEN"')
    decide(opened(where, "ann"), fill('"B"', "fail"))
    decide(opened(where, "ann"), mine)
    decide(opened(where, "bob"), Change(mine.subject, mine.after, theirs.after))
    with pytest.raises(OvertakenError):
        opened(where, "ann").undo()
    assert statuses(kept(where)) == {'"A"': "match", '"B"': "fail"}
    assert opened(where, "ann").undo() == fill('"B"', "fail").subject
    assert opened(where, "ann").undo() is None
    assert statuses(kept(where)) == {'"A"': "match"}


@pytest.mark.parametrize("content", ["", "[", "[1]", '[["fill", "{}", null, null]]', "\xff"])
def test_a_journal_that_is_damaged_costs_nothing_but_itself(tmp_path: Path, content: str) -> None:
    path = str(tmp_path / "history.txt")
    decide(opened(path, "ann"), fill('"A"', "fail"))
    (tmp_path / ".history.txt.ann.undo").write_text(content, encoding="latin-1")
    assert opened(path, "ann").undo() is None
    decide(opened(path, "ann"), fill('"B"', "fail"))
    assert opened(path, "ann").undo() == fill('"B"', "fail").subject
    assert statuses(kept(path)) == {'"A"': "fail"}


def test_a_step_whose_decision_was_never_written_is_passed_over(tmp_path: Path) -> None:
    """As if a sitting was killed between its journal and its history."""
    path = str(tmp_path / "history.txt")
    decide(opened(path, "ann"), fill('"A"', "fail"))
    before = (tmp_path / "history.txt").read_bytes()
    decide(opened(path, "ann"), fill('"B"', "fail"))
    (tmp_path / "history.txt").write_bytes(before)
    assert opened(path, "ann").undo() == fill('"A"', "fail").subject
    assert statuses(kept(path)) == {}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to("history.txt")
    first = opened(str(tmp_path / "link.txt"))
    second = opened(str(tmp_path / "history.txt"))
    decide(first, fill('"A"', "fail"))
    decide(second, fill('"B"', "fail"))
    assert (tmp_path / "link.txt").is_symlink()
    assert len(statuses(kept(str(tmp_path / "history.txt")))) == 2


def test_a_history_that_vanishes_is_not_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "history.txt"
    store = opened(str(path))
    decide(store, fill('"A"', "fail"))
    path.unlink()
    with pytest.raises(DataError, match="is gone"):
        decide(store, fill('"B"', "fail"))
    assert not path.exists()


def test_a_history_that_another_program_damages_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "history.txt"
    store = opened(str(path))
    decide(store, fill('"A"', "fail"))
    path.write_text("((")
    with pytest.raises(DataError, match="does not parse"):
        decide(store, fill('"B"', "fail"))
    assert path.read_text() == "(("


@pytest.mark.parametrize("path", ["-", os.devnull])
def test_what_cannot_be_read_again_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="read again"):
        opened(path)


def test_a_sitting_that_is_stopped_while_it_writes_does_not_stop_others(tmp_path: Path) -> None:
    path = str(tmp_path / "history.txt")
    with (
        locked(path),
        pytest.raises(UsageError, match="another program has been writing"),
        locked(path, patience_s=0.05),
    ):
        pass
    with locked(path):  # it is free again
        pass


def test_a_lock_that_a_killed_sitting_left_is_no_lock(tmp_path: Path) -> None:
    path = str(tmp_path / "history.txt")
    (tmp_path / ".history.txt.lock").touch()
    assert decide(opened(path), fill('"A"', "fail"))
    assert ".history.txt.lock" not in os.listdir(tmp_path)


def test_a_long_name(tmp_path: Path) -> None:
    path = str(tmp_path / ("h" * 255))
    assert decide(opened(path), fill('"A"', "fail"))


def test_without_the_extra_it_is_one_sentence(tmp_path: Path) -> None:
    theirs = write(tmp_path, "theirs.txt", "()")
    code = (
        "import sys; sys.modules['sqlalchemy'] = None; from tellapart.cli import main; "
        "sys.exit(main(sys.argv[1:]))"
    )
    words = ["adjudicate", "--history", str(tmp_path), "--merge", theirs]
    found = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=120
    )
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "pip install 'tellapart[campaign]'" in found.stderr


TWICE = """(("M1"
  (:MAP "GE" ("1" . "1"))
  (:MAP "GE" ("1" . "2"))
  ("1"
   (hum-tgt-desc
    ("A" fail)
    ("THE A" match "B") ; no
    ("A" fail)))))
"""


def test_what_counts_for_nothing_in_a_history_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In every verb that reads it, with its line; a decision that is only there twice is not."""
    history = write(tmp_path, "history.txt", TWICE)
    key = write(tmp_path, "key.txt", attack(hum_tgt_desc='"MEN"'))
    expected = [
        "history.txt:3: M1 is paired otherwise for GE already; this pairing, the last, counts",
        "history.txt:7: THE A is decided otherwise already, as mismatch; that counts, and not "
        "match B",
    ]
    merged = ["adjudicate", "--history", str(tmp_path / "new.txt"), "--merge", history]
    adjudicated = ["adjudicate", "--gold", key, "--history", history, key]
    scored = ["score", "--as", "muc", "--gold", key, "--history", history, key]
    for words in (["validate", "--as", "muc", history], merged, adjudicated, scored):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("builtins.input", lambda _: "q")
            assert main(words) == 0
        said = "".join(capsys.readouterr())
        shown = expected if words is not scored else expected[:1]
        assert all(each in said for each in shown), (words, said)
        assert ("comments (;) are lost" in said) == (words is adjudicated)
    assert (tmp_path / "history.txt").read_text() == TWICE
