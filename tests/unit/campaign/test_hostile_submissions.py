"""Submissions that are made to hurt the server: each is refused in a sentence, and costs little.

`python -m benchmarks campaign` sends twenty of them, large ones, to a real server.
"""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

from campaign_files import answers, sums
from hostile_files import archive, packed_files, plain_files
from log_files import header
from tellapart.campaign import submissions
from tellapart.campaign.campaign import Campaign, Person, Upload
from tellapart.campaign.judging import desk_of
from tellapart.campaign.own_process import Ended, in_own_process, memory_within
from tellapart.campaign.settings import Settings
from tellapart.campaign.submissions import LONGEST_FINDING, _few, check_upload, receive
from tellapart.errors import DataError, Finding, UsageError

PAUL = Person("paul", "participant")


NO_ROWS = {
    "nothing": ("a.jsonl", b""), "blanks": ("a.jsonl", b" \n\t\n"),
    "bytes": ("a.jsonl", bytes(range(256)) * 40), "a program": ("a.jsonl", b"\x7fELF" + bytes(900)),
    "a script": ("a.jsonl", b"<script>alert(1)</script>"),
    "a database": ("a.jsonl", b"SQLite format 3\x00" + bytes(900)),
}  # fmt: skip


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    made = sums(tmp_path, per_day=99, megabytes=4)
    made.add_person(PAUL.name, PAUL.role)
    return made


def test_what_is_packed_is_refused_whatever_it_begins_with(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No reader unpacks it: not the one that checks, nor the server's own."""
    monkeypatch.setattr(submissions, "in_own_process", pytest.fail)
    for what, (name, content) in packed_files(megabytes=1).items():
        made = receive(campaign, PAUL, "pine", name, content)
        told = f"{name}: the file is packed, or binary; send what is in it as UTF-8 text"
        assert (made.accepted, made.findings) == (False, (told,)), what


def test_what_is_large_once_it_is_read_is_refused(campaign: Campaign) -> None:
    """What fits into the memory of the process that checks it fits into the server's."""
    name, content = plain_files(3_900_000)["empty lists"]
    (told,) = receive(campaign, PAUL, "pine", name, content).findings
    assert told == "a.jsonl: reading it takes more than 50 MB of memory; send a smaller file"


def test_long_names_and_cells_are_told_and_shown_in_part(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submissions, "in_own_process", lambda check, *given, **_: check(*given))
    for what, (name, content) in (plain_files(100_000) | NO_ROWS).items():
        made = receive(campaign, PAUL, "pine", name, content)
        assert made.accepted == (what == "a long cell")
        assert sum(map(len, made.findings)) <= LONGEST_FINDING + 1
        told = "".join(made.findings).replace("</script>", "")
        assert not re.search("Traceback|/", told), what
    desk = desk_of(campaign)
    views = [desk.judging.view(question) for question in desk.questions.values()]
    longest = max(len(passage.text) for view in views for passage in view.passages)
    assert 20_000 < longest < 20_100


def test_findings_have_a_length_and_a_number() -> None:
    told = _few([Finding(f"{'x' * k}: {'y' * 9_999}") for k in range(1, 70)])
    assert {len(each) for each in told[:-1]} == {LONGEST_FINDING + 1}
    assert told[50:] == ["and 19 more findings"]


def test_a_reader_that_ends_is_a_finding(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object, **_limits: object) -> object:
        raise Ended("reading it takes more than 120 seconds")

    monkeypatch.setattr(submissions, "in_own_process", ends)
    made = receive(campaign, PAUL, "pine", "a.jsonl", answers({"q1": "4"}))
    told = "a.jsonl: reading it takes more than 120 seconds; is it the right one?"
    assert (made.accepted, made.findings) == (False, (told,))


def test_a_first_submission_does_not_make_long_ids_items(tmp_path: Path) -> None:
    made = Campaign.create(str(tmp_path / "c"), Settings("T", form="items", seed="1"))
    ((told, fatal),) = check_upload(made.folder, Upload("pine", "a", answers({"q" * 2000: "4"})))
    assert (told, fatal) == ("a: an item has a name of more than 1,000 characters", True)


def test_archives_of_inspect_have_one_bound_for_all_that_is_in_them(tmp_path: Path) -> None:
    settings = Settings("T", form="inspect", seed="1", megabytes=1)
    made = Campaign.create(str(tmp_path / "c"), settings)
    log = archive("header.json", json.dumps(header()).encode() + b" " * 20_000_000)
    ((told, fatal),) = check_upload(made.folder, Upload("pine", "a.eval", log))
    assert told.startswith("a.eval: this unpacks to more than 9 MiB")
    assert fatal


def take_memory(megabytes: int) -> int:
    """Take so much more than before."""
    with memory_within(30, "a.json"):
        return len(bytearray(megabytes << 20))


def test_reading_has_a_bound_of_memory() -> None:
    with pytest.raises(DataError, match=r"^a\.json: reading it takes more than 30 MB of memory"):
        in_own_process(take_memory, 40, seconds=60)


# The process of its own


def refuse() -> None:
    """Raise an error of ours."""
    raise UsageError("no such thing")


def eat() -> int:
    """Take more memory than is allowed."""
    return len(bytearray(1 << 33))


class Evil:
    """What a process that was taken over would send: it runs something when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return os.putenv, ("TAKEN", "yes")


def test_a_result_and_an_error_come_back() -> None:
    assert in_own_process(divmod, 7, 2, seconds=60) == [3, 1]
    with pytest.raises(DataError, match="no such thing"):
        in_own_process(refuse, seconds=60)


def test_what_takes_too_long_or_too_much_or_is_no_plain_data_is_ended() -> None:
    with pytest.raises(Ended, match=r"more than 0\.1 seconds"):
        in_own_process(time.sleep, 60, seconds=0.1)
    with pytest.raises(DataError, match="takes more than 4,000 MB of memory"):
        in_own_process(eat, seconds=60)
    with pytest.raises(Ended, match="too much memory, or fails"):
        in_own_process(Evil, seconds=60)
