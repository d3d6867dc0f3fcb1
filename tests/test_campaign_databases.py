"""The database of a campaign, the same on SQLite and on a PostgreSQL server."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")

from sqlalchemy import insert, select, text

from muc_files import attack, write
from tellapart.campaign import sqlite_file
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.database import LOGS, Database, decisions, people, remarks
from tellapart.campaign.log import Decision, Log, Opinions
from tellapart.campaign.settings import Settings, write_settings
from tellapart.cli import main
from tellapart.errors import DataError, TellapartError, UsageError

SETTINGS = Settings("Sums", form="items")
Q1, Q2 = ("rating", '{"item": "q1"}'), ("rating", '{"item": "q2"}')


@pytest.fixture
def database(tmp_path: Path, database_url: str) -> Iterator[Database]:
    made = Database(str(tmp_path / "c"), database_url)
    yield made
    made.close()


@pytest.fixture
def log(database: Database) -> Log:
    return Log(database)


# The log


def test_a_row_is_whole_and_in_order(log: Log) -> None:
    first = log.decide("ann", Q1, "right", note="sure", request="a1")
    second = log.decide("bob", Q2, "wrong", ruling=True)
    third = log.decide("ann", Q1, "wrong")
    assert [each.number for each in (first, second, third)] == [1, 2, 3]
    assert third.replaces == 1
    assert log.since() == [first, second, third]
    assert log.since(2) == [third]
    assert (first.note, first.request, second.ruling) == ("sure", "a1", True)


def test_taking_back_and_sending_twice(log: Log) -> None:
    first = log.decide("ann", Q1, "right", request="a1")
    assert log.decide("ann", Q1, "wrong", request="a1") == first
    log.decide("ann", Q1, "wrong", request="a2")
    back = log.undo("ann", request="a3")
    assert back is not None
    assert (back.outcome, back.undoes, back.replaces) == ("right", 2, 2)
    assert log.undo("ann", request="a3") == back
    assert len(log.since()) == 3


def test_a_ruling_that_holds_again_is_a_ruling(log: Log) -> None:
    """Who takes back a second ruling has the first one again, and no new conflict."""
    for person, said in (("ann", "right"), ("bob", "wrong"), ("olga", "partly")):
        log.decide(person, Q1, said)
    held = []
    for ruled in ("right", "wrong", None, None, None):
        if ruled is None:
            log.undo("olga")
        else:
            log.decide("olga", Q1, ruled, ruling=True)
        stand = Opinions()
        stand.add(log.since())
        held.append((stand.holds(Q1), stand.is_conflict(Q1), len(stand.of(Q1))))
    back = [(None, True, 3), (None, True, 2)]  # her opinion again, and then not even that
    assert held == [("right", False, 3), ("wrong", False, 3), ("right", False, 3), *back]


def test_remarks_about_questions_and_the_campaign(log: Log) -> None:
    log.remark("ann", Q1, "flag", "odd")
    log.remark("ann", None, "open-board")
    found = [(each.question, each.kind, each.text) for each in log.remarks()]
    assert found == [(Q1, "flag", "odd"), (None, "open-board", "")]
    assert len(log.remarks(1)) == 1


@pytest.mark.parametrize("table", [each.name for each in LOGS])
@pytest.mark.parametrize("how", ["UPDATE {} SET id = id + 100", "DELETE FROM {}"])
def test_nothing_in_a_log_can_be_changed(
    tmp_path: Path, database_url: str, table: str, how: str
) -> None:
    """The database itself refuses, whoever asks."""
    campaign = Campaign.create(str(tmp_path / "c"), Settings("T", "items", database=database_url))
    campaign.submit("A", "a.csv", b"1")
    campaign.log.decide("ann", Q1, "right")
    campaign.log.remark("ann", Q1, "flag")
    with (
        pytest.raises(UsageError, match=f"{table} are never changed"),
        campaign.database.writing() as connection,
    ):
        connection.execute(text(how.format(table)))
    assert len(campaign.log.since()) == 1
    campaign.database.close()


def test_a_row_needs_what_it_refers_to(database: Database) -> None:
    row = {"question": 9, "person": 9, "made_at": "", "outcome": "right"}
    with (
        pytest.raises(UsageError, match=r"(?i)foreign key"),
        database.writing() as connection,
    ):
        connection.execute(insert(decisions).values(row))


def test_what_is_not_finished_was_never_written(database: Database, log: Log) -> None:
    log.decide("ann", Q1, "right")

    def fail() -> None:
        with database.writing() as connection:
            connection.execute(insert(people).values(name="bob"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with database.reading() as connection:
        assert connection is not None
        assert connection.execute(select(people.c.name)).scalars().all() == ["ann"]


def test_texts_may_be_long_and_hold_anything(log: Log) -> None:
    """A question about a long output is one question; what is no text at all is seen as such."""
    long = "rating", json.dumps({"output": secrets.token_hex(50_000)})
    log.decide("ann", long, "right", note="a\0b \udcff ü 語 😀")
    log.decide("bob", long, "right")
    assert {each.question for each in log.since()} == {long}
    assert log.since()[0].note == "a\ufffdb ? ü 語 😀"
    with log.database.reading() as connection:
        assert connection is not None
        assert connection.execute(text("SELECT count(*) FROM questions")).scalar() == 1


def test_files_come_back_as_they_were(tmp_path: Path, database_url: str) -> None:
    content = bytes(range(256)) * 1000
    settings = Settings("T", "items", database=database_url)
    campaign = Campaign.create(str(tmp_path / "c"), settings, [("gold", "g.bin", content)])
    campaign.submit("A", "a.jsonl", content[::-1])
    campaign.refuse("B", ["line 1: no id"])
    again = Campaign.open(campaign.folder)
    with again.laid_out() as laid:
        assert laid.gold[0].read_bytes() == content
        assert laid.systems["A"].read_bytes() == content[::-1]
    assert [(each.system, each.accepted) for each in again.submissions()] == [
        ("A", True), ("B", False),
    ]  # fmt: skip
    token = again.add_person("Zoë", "judge")
    again.add_person("ann", "organiser")
    assert [each.name for each in again.people()] == ["Zoë", "ann"]
    again.revoke("Zoë")
    assert campaign.person_of(token) is None
    campaign.database.close()


# Several at once

_DECIDER = """
import sys
from tellapart.campaign.database import Database
from tellapart.campaign.log import Log
folder, url, who, keep = sys.argv[1:]
database = Database(folder, url, lasting=keep == "kept")
for k in range(25):
    Log(database).decide(who, ("rating", f"q{k}"), who, request=str(k))
database.close()
"""


def test_two_programs_write_and_a_third_reads_on(tmp_path: Path, database_url: str) -> None:
    """Both may begin the tables. Who reads on from the last row they know misses none."""
    database = Database(str(tmp_path / "c"), database_url)
    words = [sys.executable, "-c", _DECIDER, database.folder, database_url]
    programs = [
        subprocess.Popen([*words, who, keep]) for who, keep in (("ann", "kept"), ("bob", "anew"))
    ]
    log = Log(database)
    read: list[Decision] = []
    while True:
        running = any(program.poll() is None for program in programs)
        if database.exists:
            read += log.since(read[-1].number if read else 0)
        if not running:
            break
    assert [program.returncode for program in programs] == [0, 0]
    assert read == log.since()
    assert sorted(each.person for each in read) == ["ann"] * 25 + ["bob"] * 25
    database.close()


def test_many_threads_write_through_one_database(tmp_path: Path, database_url: str) -> None:
    database = Database(str(tmp_path / "c"), database_url).kept_open()
    problems: list[BaseException] = []

    def work(who: str) -> None:
        try:
            for k in range(5):
                Log(database).decide(who, ("rating", f"q{k}"), "x")
                Log(database).since()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(f"p{k}",)) for k in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert [each.number for each in Log(database).since()] == list(range(1, 81))
    database.close()


# Trouble


def test_a_connection_that_is_lost_costs_one_decision_and_says_so(
    new_postgres: Callable[[], str], tmp_path: Path
) -> None:
    """What was being written is not there; the next one connects again by itself."""
    log = Log(Database(str(tmp_path), new_postgres()))
    log.decide("ann", Q1, "right")
    mine = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                "pg_backend_pid() AND datname = current_database()")  # fmt: skip
    row = insert(remarks).values(person=1, made_at="", kind="note")

    def lose() -> None:
        with log.database.writing() as connection:
            connection.execute(row)
            with log.database.reading() as other:
                assert other is not None
                other.execute(mine)
            connection.execute(row)

    with pytest.raises(UsageError, match="terminating connection"):
        lose()
    assert log.remarks() == []
    with log.database.writing() as connection:  # those that are idle in the pool are closed as well
        connection.execute(mine)
    log.decide("ann", Q1, "wrong")
    assert len(log.since()) == 2
    log.database.close()


def test_who_waits_too_long_for_a_writer_is_told(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tellapart.campaign.sqlite_file.PATIENCE_S", 0.1)
    monkeypatch.setattr("tellapart.campaign.postgres.PATIENCE_S", 0.1)
    database = Database(str(tmp_path / "c"), database_url)
    with (
        database.writing(),
        pytest.raises(UsageError, match=r"another program has been writing for 0\.1 seconds"),
    ):
        Log(database).decide("ann", Q1, "right")
    assert Log(database).decide("ann", Q1, "right").number == 1
    database.close()


def test_one_of_a_newer_program_is_left_alone(database: Database, log: Log) -> None:
    log.decide("ann", Q1, "right")
    with database.writing() as connection:
        connection.execute(text("UPDATE schema SET version = 99"))
    for use in (log.since, lambda: log.decide("ann", Q1, "wrong")):
        with pytest.raises(DataError, match=r"written by a newer tellapart .*version 99"):
            use()


def test_another_programs_database_is_refused(
    new_postgres: Callable[[], str], tmp_path: Path
) -> None:
    database = Database(str(tmp_path), new_postgres())
    with database._place.writing() as connection:
        connection.execute(text("CREATE TABLE other (x integer)"))
    with pytest.raises(DataError, match="no database of decisions; give another database"):
        Log(database).since()
    settings = Settings("T", "items", database=database.url)
    with pytest.raises(UsageError, match="something in this database"):
        Campaign.create(str(tmp_path / "c"), settings)
    assert not (tmp_path / "c").exists()
    database.close()


def test_an_empty_database_is_an_empty_log(database: Database, log: Log) -> None:
    assert not database.exists
    if database.url:  # a file that is not there cannot be opened
        assert log.since() == []
    log.decide("ann", Q1, "right")
    assert database.exists


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("postgresql+psycopg://ann:hush@127.0.0.1:1/c", "is the server running"),
        ("postgresql://ann:hush@127.0.0.1:1/c?connect_timeout=1", "is the server running"),
        ("postgresql+psycopg://ann:hush@/c?host=/no/such/place", "is the server running"),
        ("postgresql://ann@127.0.0.1:1/c?password=hush", "is the server running"),
        ("mysql://ann:hush@localhost/c", "only PostgreSQL is known"),
        ("sqlite:///hush.sqlite", "only PostgreSQL is known"),
        ("postgresql://ann:hush@localhost:port/c", "cannot be read; write it as"),
        ("hush", "cannot be read; write it as"),
        ("postgresql://ann:hu@sh@localhost/c", "as %40"),
        ("postgresql://ann:hush@localhost", "does not name a database"),
        ("env:NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE is not set"),
    ],
)
def test_an_address_that_leads_nowhere_is_one_sentence_without_the_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str, sentence: str
) -> None:
    pytest.importorskip("psycopg", reason="the extra 'postgres' is not installed")
    text = f'title = "T"\nform = "muc"\njudging = "fills"\ndatabase = {json.dumps(address)}\n'
    (tmp_path / "campaign.toml").write_text(text)
    key = write(tmp_path, "key.txt", attack())
    assert main(["score", "--as", "muc", "--gold", key, "--history", str(tmp_path), key]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert sentence in said
    assert "hush" not in said
    assert "sh@" not in said
    campaign = Campaign.open(str(tmp_path))
    for use in (campaign.people, lambda: campaign.database.exists):
        with pytest.raises(TellapartError) as problem:
            use()
        assert "hush" not in f"{problem.value}{campaign!r}"


def test_who_may_not_in_is_told(new_postgres: Callable[[], str], tmp_path: Path) -> None:
    url = new_postgres()
    missing = Database(str(tmp_path), url.replace("/c", "/no-such-", 1))
    with pytest.raises(DataError, match=r'database "no-such-.*" does not exist\); check user'):
        Log(missing).since()
    stranger = Database(str(tmp_path), url.replace("tellapart@", "stranger:hush@"))
    with pytest.raises(UsageError, match=r'role "stranger" does not exist\); check') as problem:
        Log(stranger).decide("ann", Q1, "right")
    assert "hush" not in str(problem.value)


def test_without_psycopg_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError, match=r"pip install 'tellapart\[postgres\]'"):
        Log(Database(str(tmp_path), "postgresql://ann@localhost/missing-driver")).since()


# The address


def test_the_address_may_stand_in_the_environment(
    new_postgres: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELLAPART_DATABASE", new_postgres())
    settings = Settings("T", "items", database="env:TELLAPART_DATABASE")
    campaign = Campaign.create(str(tmp_path / "c"), settings)
    campaign.add_person("ann", "judge")
    assert 'database = "env:TELLAPART_DATABASE"' in (tmp_path / "c" / "campaign.toml").read_text()
    assert [each.name for each in Campaign.open(str(tmp_path / "c")).people()] == ["ann"]
    assert not (tmp_path / "c" / "campaign.sqlite").exists()
    campaign.database.close()


@pytest.mark.parametrize(
    ("address", "mode"),
    [("postgresql://ann@h/c", 0o644), ("postgresql://ann:x@h/c", 0o600), ("env:X", 0o644)],
)
def test_settings_with_a_password_are_for_their_owner(
    tmp_path: Path, address: str, mode: int
) -> None:
    before = os.umask(0o022)
    try:
        for _ in range(2):  # new, and written again
            write_settings(str(tmp_path), Settings("T", "items", database=address))
            path = tmp_path / "campaign.toml"
            assert stat.S_IMODE(path.stat().st_mode) == mode
            path.chmod(0o644)
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


# SQLite's file

VERSION_1 = """
CREATE TABLE schema (version INTEGER NOT NULL);
CREATE TABLE people (id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (name));
CREATE TABLE questions (id INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL,
    PRIMARY KEY (id), UNIQUE (kind, subject));
CREATE TABLE decisions (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, question INTEGER NOT NULL,
    person INTEGER NOT NULL, made_at TEXT NOT NULL, outcome TEXT, replaces INTEGER, note TEXT,
    FOREIGN KEY(question) REFERENCES questions (id), FOREIGN KEY(person) REFERENCES people (id),
    FOREIGN KEY(replaces) REFERENCES decisions (id));
CREATE INDEX ix_decisions_question ON decisions (question);
CREATE TRIGGER no_update BEFORE UPDATE ON decisions
    BEGIN SELECT RAISE(ABORT, 'decisions are never changed, only added'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON decisions
    BEGIN SELECT RAISE(ABORT, 'decisions are never changed, only added'); END;
INSERT INTO schema VALUES (1);
INSERT INTO people VALUES (1, 'ann');
INSERT INTO questions VALUES (1, 'rating', '{"item": "q1"}');
INSERT INTO decisions VALUES (1, 1, 1, '2026-01-01T00:00:00.000000+00:00', 'right', NULL, NULL);
INSERT INTO decisions VALUES (2, 1, 1, '2026-01-02T00:00:00.000000+00:00', 'wrong', 1, 'hm');
PRAGMA journal_mode = WAL;
"""


def version_1(folder: Path) -> Path:
    """Write a file as the first tellapart that had campaigns made it."""
    folder.mkdir(exist_ok=True)
    connection = sqlite3.connect(folder / "campaign.sqlite")
    connection.executescript(VERSION_1)
    connection.close()
    return folder / "campaign.sqlite"


def tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return the columns of all tables, and what they refer to, in any order."""
    connection = sqlite3.connect(path)
    of_ours = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    found = {}
    for (name,) in connection.execute(of_ours).fetchall():
        columns = f"""SELECT name, type, "notnull" FROM pragma_table_info('{name}')"""
        keys = f"""SELECT "from", "table", "to" FROM pragma_foreign_key_list('{name}')"""
        found[name] = sorted(connection.execute(columns)) + sorted(connection.execute(keys))
    connection.close()
    return found


def test_an_old_database_is_brought_up_to_date(tmp_path: Path) -> None:
    """Reading is enough; then it has all that a new one has, and what was in it."""
    old = version_1(tmp_path / "old")
    log = Log(Database(str(old.parent)))
    kept = [(each.outcome, each.replaces, each.note, each.ruling) for each in log.since()]
    assert kept == [("right", None, "", False), ("wrong", 1, "hm", False)]
    Log(Database(str(tmp_path / "new"))).decide("ann", Q1, "right")
    assert tables(old) == tables(tmp_path / "new" / "campaign.sqlite")
    back = log.undo("ann")
    assert back is not None
    assert (back.outcome, back.undoes) == ("right", 2)
    with pytest.raises(UsageError, match="never changed"), log.database.writing() as connection:
        connection.execute(text("DELETE FROM decisions"))


_AS_NOBODY = """
import os, sys
from tellapart.campaign.database import Database
from tellapart.campaign.log import Log
from tellapart.errors import TellapartError
from sqlalchemy.dialects import sqlite  # while all that is installed may still be read
os.setgid(65534); os.setuid(65534)
try:
    print(len(Log(Database(sys.argv[1])).since()))
except TellapartError as problem:
    print(problem)
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root is anybody")
def test_an_old_database_that_is_only_to_be_read_is_one_sentence() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        old = version_1(Path(folder) / "old").parent
        Log(Database(f"{folder}/new")).decide("ann", Q1, "right")
        found = [
            subprocess.run(
                [sys.executable, "-c", _AS_NOBODY, str(each)], capture_output=True, text=True
            )
            for each in (old, Path(folder) / "new")
        ]
    assert "tables are those of an older tellapart (version 1)" in found[0].stdout, found[0].stderr
    assert found[0].stdout.count("\n") == 1
    assert found[1].stdout == "1\n"


def test_a_file_that_is_kept_open_is_whole_again_when_it_is_closed(tmp_path: Path) -> None:
    database = Database(str(tmp_path)).kept_open()
    Log(database).decide("ann", Q1, "right")
    assert (tmp_path / "campaign.sqlite-wal").exists()
    assert Log(Database(str(tmp_path))).decide("bob", Q1, "right").number == 2
    assert len(Log(database).since()) == 2
    database.close()
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.sqlite"]


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_is_no_longer_the_one_that_was_opened_is_noticed(
    tmp_path: Path, how: str
) -> None:
    """Else decisions would go into a file without a name, and be lost."""
    database = Database(str(tmp_path / "a")).kept_open()
    Log(database).decide("ann", Q1, "right")
    Log(database).since()
    if how == "removed":
        database.path.unlink()
    else:
        Log(Database(str(tmp_path / "b"))).decide("bob", Q1, "wrong")
        (tmp_path / "b" / "campaign.sqlite").replace(database.path)
    for use in (Log(database).since, lambda: Log(database).decide("ann", Q2, "right")):
        with pytest.raises(DataError, match=r"removed or replaced|cannot be read"):
            use()
    assert not (tmp_path / "a" / "campaign.sqlite").exists() or how == "replaced"


def test_a_snapshot_is_a_whole_copy_while_others_write(tmp_path: Path) -> None:
    database = Database(str(tmp_path / "a")).kept_open()
    Log(database).decide("ann", Q1, "right")
    with database.writing() as connection:
        connection.execute(insert(people).values(name="half"))
        copy = database.snapshot()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / sqlite_file.FILE).write_bytes(copy)
    copied = Campaign(str(tmp_path / "b"), SETTINGS, Database(str(tmp_path / "b")))
    assert copied.log.since() == Log(database).since()
    assert [each.name for each in copied.people()] == ["ann"]
    assert copied.log.decide("ann", Q1, "wrong").number == 2
    database.close()


def test_postgresql_is_copied_by_its_own_program(
    new_postgres: Callable[[], str], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="pg_dump"):
        Database(str(tmp_path), new_postgres()).snapshot()
