"""Decisions in the database of a campaign: an append-only log, read as a history."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from decision_files import fill, kept, opened, statuses
from muc_files import DESIGN, attack, write
from tellapart.cli import main
from tellapart.errors import DataError, UsageError
from tellapart.formats.templates.decisions import decide, open_store, read_decisions
from tellapart.formats.templates.history import Change, Pairing

pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(folder / "campaign.sqlite")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_the_log_has_who_when_what_and_what_it_replaces(tmp_path: Path) -> None:
    ann, bob = (open_store(str(tmp_path), DESIGN, name) for name in ("ann", "bob"))
    mine = fill('"A"', "match", '"MEN"')
    decide(ann, mine)
    decide(ann, mine.undone())
    decide(bob, fill('"A"', "fail"))
    decide(bob, Change(Pairing("M1", "GE"), None, (("1", None),)))
    found = rows(
        tmp_path,
        "SELECT d.id, p.name, q.kind, d.outcome, d.replaces, d.made_at FROM decisions d "
        "JOIN people p ON p.id = d.person JOIN questions q ON q.id = d.question ORDER BY d.id",
    )
    assert [row[:3] for row in found] == [
        (1, "ann", "fill"), (2, "ann", "fill"), (3, "bob", "fill"), (4, "bob", "pairing"),
    ]  # fmt: skip
    outcomes = [None if row[3] is None else json.loads(str(row[3])) for row in found]
    assert outcomes == [
        {"status": "match", "keys": ['"\\"MEN\\""']},
        None,
        {"status": "fail", "keys": []},
        {"pairs": [["1", None]]},
    ]
    assert [row[4] for row in found] == [None, 1, None, None]  # nothing stood any more
    assert all(str(row[5]).endswith("+00:00") for row in found)
    assert statuses(kept(str(tmp_path))) == {'"A"': "fail"}


@pytest.mark.parametrize("what", ["UPDATE decisions SET note = 'x'", "DELETE FROM decisions"])
def test_the_log_cannot_be_changed(tmp_path: Path, what: str) -> None:
    decide(opened(str(tmp_path)), fill('"A"', "fail"))
    with pytest.raises(sqlite3.IntegrityError, match="never changed"):
        rows(tmp_path, what)


def test_the_database_is_one_whole_file_after_each_decision(tmp_path: Path) -> None:
    store = opened(str(tmp_path))
    decide(store, fill('"A"', "fail"))
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.sqlite"]
    store.refresh()
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.sqlite"]
    assert rows(tmp_path, "PRAGMA journal_mode") == [("wal",)]


def test_a_database_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    decide(opened(str(tmp_path)), fill('"A"', "fail"))
    connection = sqlite3.connect(tmp_path / "campaign.sqlite")
    connection.execute("UPDATE schema SET version = 99")
    connection.commit()
    connection.close()
    with pytest.raises(DataError, match="written by a newer tellapart"):
        opened(str(tmp_path))


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + b"\0" * 5000])
def test_what_is_no_database_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "campaign.sqlite").write_bytes(content)
    with pytest.raises(DataError, match=r"campaign\.sqlite: "):
        opened(str(tmp_path))
    assert (tmp_path / "campaign.sqlite").read_bytes() == content


def test_another_database_is_refused(tmp_path: Path) -> None:
    rows(tmp_path, "CREATE TABLE other (x)")
    with pytest.raises(DataError, match="no database of decisions"):
        opened(str(tmp_path))


def test_one_that_was_begun_and_never_written_is_empty(tmp_path: Path) -> None:
    for content in (b"", None):
        if content is None:
            rows(tmp_path, "PRAGMA journal_mode = WAL")
        else:
            (tmp_path / "campaign.sqlite").write_bytes(content)
        store = opened(str(tmp_path))
        assert statuses(store.history) == {}
    assert decide(store, fill('"A"', "fail"))


def test_a_decision_that_is_damaged_is_named(tmp_path: Path) -> None:
    decide(opened(str(tmp_path)), fill('"A"', "fail"))
    connection = sqlite3.connect(tmp_path / "campaign.sqlite")
    connection.execute("""UPDATE questions SET subject = replace(subject, 'hum-tgt', 'no-such')""")
    connection.commit()
    connection.close()
    with pytest.raises(DataError, match=r"decision 1 cannot be read .*no-such-desc"):
        opened(str(tmp_path))


def test_a_database_that_vanishes_is_not_begun_anew(tmp_path: Path) -> None:
    store = opened(str(tmp_path))
    decide(store, fill('"A"', "fail"))
    (tmp_path / "campaign.sqlite").unlink()
    with pytest.raises(DataError, match="is gone"):
        decide(store, fill('"B"', "fail"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("judge", ["", "  ", "\udcff"])
def test_who_decides_has_a_name(tmp_path: Path, judge: str) -> None:
    with pytest.raises(UsageError, match="--judge"):
        open_store(str(tmp_path), DESIGN, judge)


def test_a_folder_may_be_new_and_have_any_name(tmp_path: Path) -> None:
    where = str(tmp_path / "no such" / "100% ?#;ü") + "/"
    assert decide(opened(where), fill('"A"', "fail"))
    assert statuses(kept(where)) == {'"A"': "fail"}
    assert (tmp_path / "no such" / "100% ?#;ü" / "campaign.sqlite").is_file()


def test_a_judge_of_a_history_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = write(tmp_path, "theirs.txt", "()")
    history = str(tmp_path / "h.txt")
    words = ["adjudicate", "--history", history, "--judge", "ann", "--merge", theirs]
    assert main(words) == 2
    assert "does not tell who decided" in capsys.readouterr().err


def test_a_folder_without_decisions_cannot_be_scored_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = write(tmp_path, "key.txt", attack())
    for where in (str(tmp_path), str(tmp_path / "none") + "/"):
        assert main(["score", "--as", "muc", "--gold", key, "--history", where, key]) == 2
        assert where.rstrip("/") in capsys.readouterr().err


def test_both_stores_give_the_official_history_the_same_counts(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = shared_data / "muc4" / "tst3"
    old, folder, back = data / "history.txt", tmp_path / "judged", tmp_path / "back.txt"
    before = old.read_bytes()
    folder.mkdir()
    assert main(["adjudicate", "--history", str(folder), "--merge", str(old)]) == 0
    assert main(["adjudicate", "--history", str(back), "--merge", str(folder)]) == 0
    assert capsys.readouterr().out.count("1,953 decisions added, 0 conflicts") == 2
    histories = [read_decisions(str(path), DESIGN)[0] for path in (old, folder, back)]
    assert histories[0] == histories[1] == histories[2]
    reports = []
    for number, path in enumerate((old, folder)):
        record = tmp_path / f"{number}.json"
        gold, system = str(data / "key.txt"), str(data / "responses" / "GE.txt")
        words = ["score", "--as", "muc", "--gold", gold, "--history", str(path), system]
        assert main([*words, "--json", str(record)]) == 0
        reports.append(record.read_text())
    assert reports[0] == reports[1]
    capsys.readouterr()
    assert main(["adjudicate", "--history", str(back), "--merge", str(folder)]) == 0
    assert "0 decisions added, 0 conflicts" in capsys.readouterr().out
    assert old.read_bytes() == before
