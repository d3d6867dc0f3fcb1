"""What participants send to a campaign: limits, findings that they can act on, hostile files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from campaign_files import answers, csrf_of, program, sums, visitor
from log_files import header, json_log, sample
from muc_files import attack
from tellapart.campaign import submissions
from tellapart.campaign.campaign import TRIES, Campaign, Person, TooMany, Upload
from tellapart.campaign.judging import desk_of
from tellapart.campaign.opinions import moment
from tellapart.campaign.settings import Settings
from tellapart.campaign.submissions import check_upload, receive
from tellapart.errors import UsageError

PAUL, QUIN = Person("paul", "participant"), Person("quin", "participant")
GOOD = answers({"q1": "4", "q2": "5", "q3": "6"})


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Return a campaign that looks at submissions in this very process."""

    def at_once(check: Callable[..., object], *given: object, **_limits: object) -> object:
        return check(*given)

    monkeypatch.setattr(submissions, "in_own_process", at_once)
    made = sums(tmp_path)
    for person in (PAUL, QUIN):
        made.add_person(person.name, person.role)
    return made


def refused(campaign: Campaign, content: bytes, name: str = "mine.jsonl") -> str:
    made = receive(campaign, PAUL, "pine", name, content)
    assert not made.accepted
    assert made.file is None
    assert list(campaign.systems()) == ["alder", "birch"]
    return "\n".join(made.findings)


def test_the_program_that_serves_is_not_run_again(tmp_path: Path) -> None:
    """Whatever started the server, without any guard, is started once."""
    program = tmp_path / "serve.py"
    program.write_text(
        "from tellapart.campaign.own_process import in_own_process\n"
        "print(in_own_process(divmod, 7, 2, seconds=60))\n"
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert done.stdout == "[3, 1]\n"


def test_items_that_are_missing_are_told_and_others_refused(campaign: Campaign) -> None:
    told = refused(campaign, answers({"q1": "4", "q2": "5", "q9": "x"}))
    assert "q9" in told
    made = receive(campaign, PAUL, "pine", "mine.jsonl", answers({"q1": "4"}))
    assert "2 items" in "\n".join(made.findings) or "q2" in "\n".join(made.findings)


def test_nobody_changes_what_judges_see_of_others(campaign: Campaign) -> None:
    """Gold answers, inputs and labels are the organisers'; a submission brings none of its own."""
    good = {"q1": "4", "q2": "5", "q3": "6"}
    assert "gold answers in it" in refused(campaign, answers(good, gold="4"))
    mine = answers(good, topic="mine").replace(b"q1?", b"MINE: vote for pine")
    assert receive(campaign, PAUL, "pine", "mine.jsonl", mine).accepted
    campaign.submit("alder", "a.jsonl", answers(good, topic="ours"))
    for with_ours in (True, False):
        if not with_ours:  # now the participant's file alone says anything about inputs
            bare = "".join(f'{{"id": "{item}", "output": "4"}}\n' for item in good).encode()
            for name in ("alder", "birch"):
                campaign.submit(name, "a.jsonl", bare)
        desk = desk_of(campaign)
        views = [desk.judging.view(question) for question in desk.questions.values()]
        shown = str([(view.passages, view.details) for view in views])
        assert "MINE" not in shown
        assert "mine" not in shown
        assert ("q1?" in shown) == ("ours" in shown) == with_ours


def test_inputs_of_participants_are_never_shown(campaign: Campaign) -> None:
    """Not even where no organiser has given a file."""
    made = Campaign.create(f"{campaign.folder}2", Settings("T", form="items", seed="1"))
    made.add_person(PAUL.name, PAUL.role)
    made.submit("pine", "mine.jsonl", answers({"q1": "4"}, topic="mine"), PAUL.name)
    (question,) = desk_of(made).questions.values()
    view = desk_of(made).judging.view(question)
    assert [passage.title for passage in view.passages] == ["Output"]
    assert view.details == {"item": "q1"}


def test_nothing_that_only_the_gold_knows_is_told(campaign: Campaign) -> None:
    """Whoever invents gold answers does not hear what the right ones are, nor if these are."""
    told = {
        refused(campaign, answers({"q1": "4", "q2": "5", "q3": "6"}, target=gold))
        for gold in ("MINE", "GOLD-4")
    }
    assert told == {"mine.jsonl: there are gold answers in it; leave them out"}


def test_the_targets_of_a_log_are_compared_with_nothing(tmp_path: Path) -> None:
    """Logs have gold answers in them; what is found is the same whether they are right or not."""
    settings = Settings("T", form="inspect", seed="1", second_opinions=0.0)
    made = Campaign.create(str(tmp_path / "c"), settings)
    rows = [sample(f"q{k}", "C", target=f"gold {k}") for k in range(3)]
    made.submit("alder", "a.json", json_log(rows).encode())
    made.add_person(PAUL.name, PAUL.role)
    for guess in ("gold 0", "no"):
        log = json_log([{**row, "target": guess} for row in rows], header("mockllm/pine")).encode()
        assert check_upload(made.folder, Upload("pine", "p.json", log)) == []
        made.submit("pine", "p.json", log, PAUL.name)
        desk = desk_of(made)
        views = [desk.judging.view(question) for question in desk.questions.values()]
        assert {view.passages[1].text for view in views} == {"gold 0", "gold 1", "gold 2"}


CANARY = "CANARY-OF-KEYS"
FORMATS = {
    "conll": (
        f"The O\nBank B-{CANARY}\n\nA O\n".encode(),
        [b"The O\n", b"A B-X\nB\n", b"The O\nBank B-X Y Z\n\nA O\n", b"The O\nBanc I-X\n\nA\n"],
    ),
    "text": (f"{CANARY} one\ntwo\n".encode(), [b"one\n", b"one\ntwo\nthree\n", b"\xff\xfe\n"]),
    "muc": (
        attack(perp_ind_id=f'"{CANARY}"').encode(),
        [
            b"0.  MESSAGE: ID  ", b"(((", b"no templates at all",
            attack(perp_ind_id='"OTHER').encode(), attack("M9").encode(),
            attack(inc_date="99 XYZ").encode(),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_findings_of_no_format_tell_gold_answers_or_places(tmp_path: Path, form: str) -> None:
    gold, bad = FORMATS[form]
    judging = "fills" if form == "muc" else "rating"
    settings = Settings("T", form=form, judging=judging, seed="1")
    made = Campaign.create(str(tmp_path / "c"), settings, [("gold", "key.txt", gold)])
    for content in bad:
        found = check_upload(made.folder, Upload("pine", "mine.txt", content))
        told = "\n".join(text for text, _ in found)
        assert any(fatal for _, fatal in found) or form == "muc", content
        assert CANARY not in told
        assert "gold" not in told
        assert "/" not in told.replace("and/or", "")
        assert "more-0" not in told


@pytest.mark.parametrize("name", ["", "  ", "a=b", "a,b", "a\nb", "a\x00b", "x" * 61, "a\u202eb"])
def test_names_that_no_system_can_have(campaign: Campaign, name: str) -> None:
    with pytest.raises(UsageError, match="name"):
        receive(campaign, PAUL, name, "mine.jsonl", GOOD)


def test_a_system_belongs_to_whoever_sent_it_first(campaign: Campaign) -> None:
    receive(campaign, PAUL, "pine", "mine.jsonl", GOOD)
    for name in ("pine", "PINE", "\uff30ine", "alder"):
        made = receive(campaign, QUIN, name, "mine.jsonl", GOOD)
        assert not made.accepted
        assert "somebody else" in made.findings[0]
        assert "paul" not in made.findings[0]
    olga = Person("olga", "organiser")
    campaign.add_person(*("olga", "organiser"))
    assert receive(campaign, olga, "pine", "mine.jsonl", GOOD).accepted


def test_attempts_are_counted_too_and_yesterday_is_over(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(TRIES * campaign.settings.per_day):
        assert not receive(campaign, PAUL, "pine", "mine.jsonl", b"?").accepted
    with pytest.raises(TooMany, match="20 that were refused today"):
        receive(campaign, PAUL, "pine", "mine.jsonl", GOOD)
    assert receive(campaign, QUIN, "quince", "mine.jsonl", GOOD).accepted  # each has their own
    tomorrow = moment(1.0)
    monkeypatch.setattr("tellapart.campaign.campaign.now", lambda: tomorrow)
    assert receive(campaign, PAUL, "pine", "mine.jsonl", GOOD).accepted


# On the page, and by programs


def sent(client: TestClient, system: str, content: bytes, name: str = "mine.jsonl") -> Any:
    return client.post(
        "/submissions",
        data={"system": system, "csrf": csrf_of(client, "/submissions")},
        files={"file": (name, content)},
    )


def test_a_file_is_sent_by_the_form_and_its_findings_are_shown(campaign: Campaign) -> None:
    paul = visitor(campaign, "paul", "participant")
    page = sent(paul, "pine", answers({"q1": "4"}) + b"{oops\n")
    assert page.status_code == 200
    assert "refused" in page.text
    assert "mine.jsonl:2: " in page.text
    page = sent(paul, "pine", GOOD)
    assert "accepted, counts" in page.text
    assert "You may still make 4 of 5" in page.text
    assert list(campaign.systems()) == ["alder", "birch", "pine"]


def test_a_participant_sees_nobody_elses_submissions(campaign: Campaign) -> None:
    paul, quin = (visitor(campaign, name, "participant") for name in ("paul", "quin"))
    sent(paul, "pine", GOOD, "secret-name.jsonl")
    for hidden in ("pine", "secret-name"):
        assert hidden in paul.get("/submissions").text
        assert hidden not in quin.get("/submissions").text


def test_a_program_sends_with_its_token(campaign: Campaign) -> None:
    paul = program(campaign, "paul", "participant")

    def post(**given: Any) -> Any:
        return paul.post("/submissions", **given)

    made = post(data={"system": "pine"}, files={"file": ("mine.jsonl", GOOD)})
    assert (made.status_code, made.json()["accepted"], made.json()["findings"]) == (201, True, [])
    made = post(data={"system": "pine"}, files={"file": ("mine.jsonl", b"{oops\n")})
    assert (made.status_code, made.json()["accepted"]) == (422, False)
    assert made.json()["findings"][0].startswith("mine.jsonl:")
    assert post(data={"system": "pine"}).json()["error"].startswith("there is no file")
    assert post(data={"system": ""}, files={"file": ("a", GOOD)}).status_code == 400
    for _ in range(4):
        assert post(data={"system": "pine"}, files={"file": ("a.jsonl", GOOD)}).status_code == 201
    late = post(data={"system": "pine"}, files={"file": ("a.jsonl", GOOD)})
    assert late.status_code == 429
    assert "5 submissions today" in late.json()["error"]
    refused = paul.post("/submissions", headers={"Authorization": "Bearer wrong"})
    assert refused.status_code == 401
    assert set(refused.json()) == {"error"}


def test_a_hundred_megabytes_are_not_even_read(campaign: Campaign) -> None:
    paul = visitor(campaign, "paul", "participant")
    token = csrf_of(paul, "/submissions")

    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield bytes(1_000_000)

    found = paul.post("/submissions", headers={"x-csrf": token}, content=pieces())
    assert found.status_code == 413
    huge = paul.post("/submissions", headers={"x-csrf": token}, content=bytes(100_000_000))
    assert huge.status_code == 413
    assert "send 20.1 MB at most" in huge.text
    assert len(campaign.submissions()) == 2
