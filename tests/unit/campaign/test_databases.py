"""The database of a campaign, the same on SQLite and on a PostgreSQL server."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text

from tellapart.campaign.campaign import Campaign
from tellapart.campaign.database import FILE, Database, decisions, people, remarks
from tellapart.campaign.log import Log, add_decision
from tellapart.campaign.opinions import Decision, Opinions, now
from tellapart.campaign.settings import Settings
from tellapart.errors import DatabaseError, DataError, TellapartError, UsageError

Q1, Q2 = ("rating", '{"item": "q1"}'), ("rating", '{"item": "q2"}')


@pytest.fixture
def database(tmp_path: Path, database_url: str) -> Iterator[Database]:
    (tmp_path / "c").mkdir()
    made = Database(str(tmp_path / "c"), database_url)
    made.create()
    yield made
    made.close()


@pytest.fixture
def log(database: Database) -> Log:
    return Log(database)


def test_rows_are_whole_and_in_order_and_can_be_taken_back(log: Log) -> None:
    first = log.decide("ann", Q1, "right", request="a1")
    assert log.decide("ann", Q1, "right", request="a1") == first
    for question, outcome in ((Q1, "wrong"), (Q2, "right")):
        with pytest.raises(UsageError, match="something else was sent under the same request"):
            log.decide("ann", question, outcome, request="a1")
    with pytest.raises(UsageError, match="under the same request"):
        log.undo("ann", request="a1")
    second = log.decide("bob", Q2, "wrong", ruling=True)
    third = log.decide("ann", Q1, "wrong", request="a2")
    back = log.undo("ann", request="a3")
    assert (back.outcome, back.undoes, back.replaces) == ("right", 3, 3)
    assert log.undo("ann", request="a3") == back
    assert [each.number for each in log.since()] == [1, 2, 3, 4]
    assert log.since(2) == [third, back]
    assert (first.request, second.ruling, third.replaces) == ("a1", True, 1)
    assert log.undo("eve") is None


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


def test_what_is_not_finished_or_refers_to_nothing_was_never_written(database: Database) -> None:
    def fail() -> None:
        with database.writing() as connection:
            connection.execute(insert(people).values(name="bob"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    row = {"kind": "rating", "subject": "{}", "digest": "", "person": 9, "made_at": ""}
    with pytest.raises(DatabaseError), database.writing() as connection:
        connection.execute(insert(decisions).values(row))
    with database.reading() as connection:
        assert connection.execute(select(people.c.name)).scalars().all() == []


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
    made = [(each.system, each.accepted) for each in again.submissions()]
    assert made == [("A", True), ("B", False)]
    token = again.add_person("Zoë", "judge")
    again.add_person("ann", "organiser")
    assert [each.name for each in again.people()] == ["Zoë", "ann"]
    again.revoke("Zoë")
    assert campaign.person_of(token) is None
    for path in (tmp_path / "c").iterdir():  # gold, and perhaps a password
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    campaign.database.close()


def test_programs_write_one_after_the_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has seen a row has seen all before it: nothing slips in behind."""
    # As of several programs: nothing in this one lets its threads wait for each other.
    monkeypatch.setattr("tellapart.campaign.database._in_turn", nullcontext)
    bob = threading.Thread(target=Log(database).decide, args=("bob", Q2, "right"))
    with database.writing() as connection:
        made = add_decision(connection, Decision(0, *Q1, "ann", now(), "right"))
        bob.start()
        bob.join(0.5)
        assert bob.is_alive()  # and waits
    bob.join()
    assert [(each.number, each.person) for each in Log(database).since()] == [
        (made.number, "ann"), (made.number + 1, "bob"),
    ]  # fmt: skip


# Trouble


def test_a_connection_that_is_lost_costs_one_decision_and_says_so(
    new_postgres: Callable[[], str], tmp_path: Path
) -> None:
    """What was being written is not there; the next one connects again by itself."""
    log = Log(Database(str(tmp_path), new_postgres()))
    log.database.create()
    log.decide("ann", Q1, "right")
    mine = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                "pg_backend_pid() AND datname = current_database()")  # fmt: skip
    row = insert(remarks).values(person=1, made_at="", kind="deed")

    def lose() -> None:
        with log.database.writing() as connection:
            connection.execute(row)
            with log.database.reading() as other:
                other.execute(mine)
            connection.execute(row)

    with pytest.raises(DatabaseError, match=r"terminating|closed the|processing the"):
        lose()
    assert log.remarks("deed") == []
    log.decide("ann", Q1, "wrong")
    assert len(log.since()) == 2
    log.database.close()


def test_who_waits_too_long_for_a_writer_is_told(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tellapart.campaign.database.PATIENCE_S", 0.1)
    with database.writing(), pytest.raises(DatabaseError, match=r"busy for 0\.1 seconds"):
        Log(database).decide("ann", Q1, "right")
    assert Log(database).decide("ann", Q1, "right").number == 1


def test_a_database_of_another_version_or_program_is_left_alone(
    database: Database, log: Log
) -> None:
    with database.writing() as connection:
        connection.execute(text("UPDATE schema SET version = 99"))
    with pytest.raises(DataError, match=r"tables are of version 99"):
        database.check()
    with pytest.raises(DataError, match=r"tables are of version 99"):
        log.decide("ann", Q1, "wrong")
    settings = Settings("T", "items", database=database.address)
    if database.address:
        with pytest.raises(UsageError, match="something in this database"):
            Campaign.create(str(Path(database.folder, "new")), settings)


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
def test_a_file_that_is_no_database_or_gone_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    log = Log(Database(str(tmp_path)))
    with pytest.raises(DatabaseError, match="unable to open database file"):
        log.since()
    assert not (tmp_path / FILE).exists()
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(DatabaseError, match="cannot be read"):
        log.since()
    assert (tmp_path / FILE).read_bytes() == content


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("postgresql+psycopg://ann:hush@127.0.0.1:1/c", "cannot be read"),
        ("postgresql://ann@127.0.0.1:1/c?password=hush&connect_timeout=1", "cannot be read"),
        ("mysql://ann:hush@localhost/c", "database is not postgresql+psycopg://"),
        ("postgresql://ann:hush@localhost:port/c", "database is not postgresql+psycopg://"),
        ("postgresql://ann:hu@sh@localhost/c", "database is not postgresql+psycopg://"),
        ("postgresql://ann:hush@localhost", "database is not postgresql+psycopg://"),
        ("env:TELLAPART_NOWHERE", "TELLAPART_NOWHERE in the environment is not"),
    ],
)
def test_an_address_that_leads_nowhere_is_one_sentence_without_the_password(
    tmp_path: Path, address: str, sentence: str
) -> None:
    pytest.importorskip("psycopg", reason="the extra 'postgres' is not installed")
    with pytest.raises(TellapartError) as caught:
        Log(Database(str(tmp_path), address)).since()
    assert sentence in str(caught.value)
    assert "hush" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_address_may_stand_in_the_environment(
    new_postgres: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_DATABASE", new_postgres())
    settings = Settings("T", "items", database="env:MY_DATABASE")
    campaign = Campaign.create(str(tmp_path / "c"), settings)
    campaign.log.decide("ann", Q1, "right")
    assert len(Campaign.open(campaign.folder).log.since()) == 1
    campaign.database.close()
